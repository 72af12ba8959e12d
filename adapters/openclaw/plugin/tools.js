/**
 * Tools for a gateway that lets its agent answer. Who asks, and where, comes from the host's facts of the run; what a
 * model writes into the arguments is never an identity.
 */
import { toolFrame } from "./frames.js";

const text = (description) => ({ type: "string", description });

const TOOLS = [
  {
    name: "kb_ask",
    label: "Ask the knowledge base",
    description:
      "Answers a question strictly from the knowledge bases of this conversation, with its sources, or says that they do not hold the answer. Prefer this tool; send its answer unchanged.",
    properties: { question: text("The question, in the user's words") },
    required: ["question"],
  },
  {
    name: "kb_search",
    label: "Search the knowledge base",
    description: "Finds passages in the knowledge bases of this conversation. Each hit names its page, commit and lines.",
    properties: { query: text("What to look for"), limit: { type: "integer", minimum: 1, maximum: 20 } },
    required: ["query"],
  },
  {
    name: "kb_read",
    label: "Read a page",
    description: "Reads one page of a knowledge base of this conversation. Read before you answer: an answer may rest on read pages only.",
    properties: { owner: text("Owner of the repository"), repo: text("Name of the repository"), path: text("Path of the page"), at: text("A commit or a date") },
    required: ["path"],
  },
  {
    name: "kb_validate",
    label: "Check an answer",
    description:
      "Checks an answer of yours, sources block included, against the pages that were read in this conversation. Nothing may be sent before it is valid.",
    properties: { answer: text("The whole answer as it would be sent"), pages: { type: "array", items: { type: "string" }, description: "owner/repo/path of each page it rests on" } },
    required: ["answer"],
  },
];

/**
 * @param {object} run  the host's context of one agent run
 * @returns {{facts: object} | {why: string}}
 */
export function factsOf(run) {
  const { messageChannel: channel, requesterSenderId: sender, nativeChannelId: chat, deliveryContext: route } = run ?? {};
  const known = (value) => typeof value === "string" && value !== "";
  if (!known(channel) || channel === "webchat" || channel !== route?.channel) return { why: "this is no chat of a channel" };
  if (!known(sender) || sender === "gateway-client") return { why: "the host does not say who asks" };
  if (!known(chat)) return { why: "the host does not say in which chat" };
  const account = run.agentAccountId ?? "";
  if (known(route.accountId) && route.accountId !== account) return { why: "the reply would leave through another account" };
  // Only what goes back to the asker alone is a private chat; anything else, known or not, has the rights of a group.
  const type = route.to === `user:${sender}` ? "direct" : "group";
  return { facts: { channel, account, sender, chat, type } };
}

/** Of the arguments, those the tool has. */
function argumentsOf(tool, given) {
  const known = Object.keys(tool.properties).filter((name) => given?.[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, given[name]]));
}

const refusal = (why) => result({ success: false, error: "refused", message: `The knowledge base cannot be used here: ${why}.` });
const unavailable = (why) => result({ success: false, error: "unavailable", message: `The knowledge base did not answer: ${why}. Say so; do not answer from general knowledge.` });

function result(object) {
  const success = object?.success !== false;
  return { content: [{ type: "text", text: JSON.stringify(object) }], details: { ok: success, success } };
}

/** The four factories: the host calls each once a run with that run's facts. */
export function toolFactories({ config, faults, log, state }) {
  return TOOLS.map((tool) => ({
    name: tool.name,
    factory: (run) => ({
      name: tool.name,
      label: tool.label,
      description: tool.description,
      catalogMode: "direct-only",
      parameters: { type: "object", properties: tool.properties, required: tool.required, additionalProperties: false },
      async execute(_callId, given, signal) {
        if (faults.length > 0) return unavailable("its settings are faulty");
        const { facts, why } = factsOf(run);
        if (facts === undefined) return refusal(why);
        state.link.ensure(config, log);
        state.calls += 1;
        const id = `${state.boot}/${state.calls}`;
        const { boot } = state;
        const { deadlineMs } = config;
        const frame = toolFrame(id, tool.name, facts, argumentsOf(tool, given), { boot, deadlineMs });
        const outcome = await state.link.ask(frame, { deadlineMs, signal });
        if (outcome.kind !== "tool_result") return unavailable(outcome.why ?? `unexpected ${outcome.kind}`);
        return result(outcome.frame.result);
      },
    }),
  }));
}
