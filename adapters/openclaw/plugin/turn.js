/**
 * One turn of the host: asked, answered, and ended in order. Whatever goes wrong after a turn has become ours, it stays
 * ours: to the host an error means "nobody wants it", and then the model speaks.
 */
import { admit, isAddressed, textOf } from "./admission.js";
import { messageFrame } from "./frames.js";

/**
 * @param {{config: import("./config.js").Config, faults: string[], log: import("./link.js").Log,
 *   hostKnows: (text: string, cfg: object) => boolean, state: ReturnType<import("./shared.js").shared>}} plugin
 */
export function replyDispatch(plugin) {
  return async (event, host) => {
    let admission;
    try {
      admission = admit(event.ctx, plugin.config, (text) => plugin.hostKnows(text, host.cfg));
    } catch (e) {
      admission = { verdict: "fail", why: `reading the turn: ${e.message}` };
    }
    if (admission.verdict === "pass") return undefined;
    const said = await sayFor(plugin, event, host, admission);
    return said === PASS ? undefined : end(plugin, event, host, said);
  };
}

const PASS = Symbol("pass");
const SILENCE = "";

/** @returns {Promise<string|typeof PASS>}  what to say; empty for nothing */
async function sayFor(plugin, event, host, admission) {
  try {
    if (admission.verdict === "silent") return SILENCE;
    if (admission.verdict === "fail") return failure(plugin, event.ctx, admission.why);
    if (!canSpeak(event)) return SILENCE; // and nothing is asked: the answer would have nowhere to go
    if (plugin.faults.length > 0) return failure(plugin, event.ctx, `the plugin's settings: ${plugin.faults[0]}`);
    if (plugin.state.twins.isTwin(event.ctx, textOf(event.ctx))) return SILENCE;
    return await ask(plugin, event.ctx, host.abortSignal);
  } catch (e) {
    return failure(plugin, event.ctx, e.message);
  }
}

async function ask(plugin, ctx, signal) {
  const { config, log, state } = plugin;
  const mayPass = config.mode === "knowledge";
  const frame = messageFrame(ctx, { boot: state.boot, deadlineMs: config.deadlineMs, mayPass });
  state.link.ensure(config, log);
  const unmentioned = ctx.ChatType === "group" && !frame.mentioned;
  const outcome = await state.link.ask(frame, { deadlineMs: config.deadlineMs, signal, unmentioned });
  switch (outcome.kind) {
    case "answer":
      return typeof outcome.frame.text === "string" ? outcome.frame.text : SILENCE;
    case "pass":
    case "ignored":
      return mayPass ? PASS : SILENCE;
    case "asked":
      return SILENCE;
    default:
      return failure(plugin, ctx, outcome.why ?? `unexpected ${outcome.kind}`);
  }
}

function failure({ config, log }, ctx, why) {
  log.warn(`kbgate: message ${ctx?.MessageSid} gets no answer: ${why}`);
  return config.onFailure === "say" && isAddressed(ctx) ? config.failureText : SILENCE;
}

function canSpeak(event) {
  return event.sendPolicy !== "deny" && event.suppressUserDelivery !== true;
}

/** Hands the words to the host and closes the turn. A host that lacks a part of this must not get the turn back. */
function end({ log }, event, host, text) {
  const reason = "kbgate";
  let queuedFinal = false;
  let counts = { tool: 0, block: 0, final: 0 };
  const steps = [
    () => {
      if (text !== SILENCE && canSpeak(event)) queuedFinal = host.dispatcher.sendFinalReply({ text }) === true;
    },
    () => host.recordProcessed("completed", { reason }),
    () => host.markIdle(reason),
    () => (counts = host.dispatcher.getQueuedCounts()),
  ];
  for (const step of steps) {
    try {
      step();
    } catch (e) {
      log.warn(`kbgate: closing message ${event.ctx?.MessageSid}: ${e.message}`);
    }
  }
  return { handled: true, queuedFinal, counts };
}
