/**
 * What becomes of a turn, from the host's facts alone. Pure.
 *
 * pass:   not ours; the host goes on as if this plugin were not there
 * ask:    kbgate's to answer
 * silent: ours, and nothing is said
 * fail:   ours, but its facts cannot be trusted; ends as a failure
 */

/** @typedef {{verdict: "pass"|"ask"|"silent"|"fail", why: string}} Admission */

const INTERNAL_CONTEXT = ["<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "[[OPENCLAW_INTERNAL_CONTEXT_BEGIN]]"];

/** The user's own words, the mention of the bot taken off. */
export function textOf(ctx) {
  const text = ctx.commandText ?? ctx.BodyForCommands ?? ctx.RawBody;
  return typeof text === "string" ? text.trim() : "";
}

/** True for a turn that a channel itself let in; an operator's or a web chat's turn carries other facts. */
function isChannelTurn(ctx) {
  return (
    ctx.InboundAccessAuthorized === true &&
    typeof ctx.Provider === "string" &&
    ctx.Provider !== "" &&
    ctx.Provider !== "webchat" &&
    ctx.Provider === ctx.OriginatingChannel &&
    !ctx.InternalTurnSource
  );
}

/** The name of a slash command, lower case; empty when the text is none. "/etc/hosts" is a path. */
export function commandOf(text) {
  return /^[/／]([^\s/]+)(?=\s|$)/u.exec(text)?.[1].toLowerCase() ?? "";
}

/** Whether the sender can expect a reply: failures are told to nobody else. */
export function isAddressed(ctx) {
  return ctx.ChatType === "direct" || ctx.WasMentioned === true || commandOf(textOf(ctx)) !== "";
}

function faultOf(ctx) {
  for (const name of ["SenderId", "ChatId", "MessageSid"])
    if (typeof ctx[name] !== "string" || ctx[name].trim() === "") return `the host gave no ${name}`;
  if (ctx.ChatType !== "group" && ctx.ChatType !== "direct") return `ChatType ${ctx.ChatType} is not known`;
  if (ctx.ChatType === "group" && ctx.ChatId === ctx.SenderId) return "the group's ChatId is its sender's id";
  return "";
}

/** Admitted by the channel, but not somebody's question. */
function isNoQuestion(ctx, text) {
  if (ctx.SenderIsBot === true) return "from a bot";
  if (ctx.SenderIsSelf === true) return "from the bot's own account";
  if (ctx.InboundEventKind !== undefined && ctx.InboundEventKind !== "user_request") return `event ${ctx.InboundEventKind}`;
  if (String(ctx.MessageSid ?? "").includes(":reaction:")) return "a reaction";
  if (text === "") return "no text";
  if (INTERNAL_CONTEXT.some((mark) => text.startsWith(mark))) return "the host's own context";
  return "";
}

/**
 * @param {object} ctx  the host's message context
 * @param {import("./config.js").Config} config
 * @param {(text: string) => boolean} hostKnows  is this a command of the host?
 * @returns {Admission}
 */
export function admit(ctx, config, hostKnows) {
  if (!isChannelTurn(ctx)) return { verdict: "pass", why: "not a channel's own turn" };
  const text = textOf(ctx);
  const other = isNoQuestion(ctx, text);
  // With mode all the model has no part in the channel, not even for what kbgate does not answer.
  if (other !== "") return { verdict: config.mode === "all" ? "silent" : "pass", why: other };

  const command = commandOf(text);
  const own = config.commands.includes(command);
  if (command !== "" && !own && runsAtHost(ctx, text, config, hostKnows)) return { verdict: "pass", why: "a command of the host" };
  if (config.mode === "mentions" && ctx.ChatType === "group" && ctx.WasMentioned !== true && !own)
    return { verdict: "pass", why: "not mentioned" };
  const fault = faultOf(ctx);
  return fault === "" ? { verdict: "ask", why: "" } : { verdict: "fail", why: fault };
}

/**
 * The host runs a slash command that it knows, for whom it authorises; every other text with a slash goes to its model
 * as words. With mode all the model gets none.
 */
function runsAtHost(ctx, text, config, hostKnows) {
  const authorised = ctx.CommandAuthorized === true || ctx.CommandTurn?.authorized === true;
  return authorised && (config.mode !== "all" || hostKnows(text));
}
