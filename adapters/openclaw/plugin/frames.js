/**
 * Frames toward the daemon, built from the host's facts. Only what the daemon needs leaves this process: no history, no
 * prompt, no session key. Field by field in ../PROTOCOL.md. Pure.
 */
import { createHash } from "node:crypto";
import { textOf } from "./admission.js";

export const CLIENT_VERSION = "1.0.0";
/** The daemon's limit for one frame. */
export const MAX_FRAME_BYTES = 64 * 1024;
const MAX_NAME_BYTES = 256;

const optional = (value) => (value === undefined || value === null || value === "" ? undefined : String(value));

/**
 * The same message has the same id in every process, on every link: that is what makes asking again harmless. Channel
 * and account are in it because two accounts in one chat hear the same message id.
 */
export function messageId(ctx) {
  const id = `${ctx.Provider}/${ctx.AccountId ?? ""}/${ctx.ChatId}/${ctx.MessageSid}`;
  if (Buffer.byteLength(id) <= MAX_NAME_BYTES) return id;
  return `sha256/${createHash("sha256").update(id).digest("hex")}`;
}

/**
 * Where a turn took place. GroupSubject is the chat id here, as everywhere in kbgate; the host's field of that name is
 * the group's display name.
 */
function place({ type, chat, chatName }) {
  const group = type === "group";
  return {
    ChatType: type,
    GroupSubject: group ? chat : "",
    ChatId: chat,
    ChatName: group && chatName !== chat ? optional(chatName) : undefined,
  };
}

/** @param {object} ctx  the host's message context, admitted */
export function messageFrame(ctx, { boot, deadlineMs, mayPass }) {
  return {
    type: "message",
    id: messageId(ctx),
    channel: ctx.Provider,
    account: ctx.AccountId ?? "",
    boot,
    messageId: ctx.MessageSid,
    SenderId: ctx.SenderId,
    ...place({ type: ctx.ChatType, chat: ctx.ChatId, chatName: ctx.GroupSubject }),
    ThreadId: optional(ctx.MessageThreadId),
    RootId: optional(ctx.RootMessageId),
    text: textOf(ctx),
    mentioned: ctx.WasMentioned === true,
    timestamp: Number.isSafeInteger(ctx.Timestamp) && ctx.Timestamp > 0 ? ctx.Timestamp : undefined,
    deadlineMs,
    mayPass: mayPass ? true : undefined,
  };
}

/** @param {{channel: string, account: string, sender: string, type: string, chat: string}} facts */
export function toolFrame(id, tool, facts, args, { boot, deadlineMs }) {
  return {
    type: "tool",
    id,
    tool,
    channel: facts.channel,
    account: facts.account,
    boot,
    SenderId: facts.sender,
    ...place(facts),
    arguments: args,
    deadlineMs,
  };
}

export function helloFrame(boot) {
  return { type: "hello", client: "openclaw", version: CLIENT_VERSION, boot };
}
