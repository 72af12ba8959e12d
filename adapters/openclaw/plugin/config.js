/**
 * The plugin's settings: read, checked, every fault named.
 *
 * The manifest's schema accepts any value on purpose. A host that finds a plugin's settings invalid does not load the
 * plugin, and then its language model answers. Here a fault leaves the plugin loaded: it owns the messages, answers
 * none, and says in the log what is wrong.
 */

/**
 * @typedef {object} Config
 * @property {string} url
 * @property {string} tokenFile  empty: no token
 * @property {"all"|"mentions"|"knowledge"} mode
 * @property {string[]} commands  lower case, without the slash
 * @property {number} deadlineMs
 * @property {"say"|"silence"} onFailure
 * @property {string} failureText
 * @property {boolean} tools
 */

/** kbgate's chat commands. /help, /whoami and /status are the host's own too: those reach kbgate by their zh names. */
const COMMANDS = ["帮助", "我是谁", "scope", "范围", "sources", "来源", "bind", "绑定", "confirm", "确认", "unbind", "解绑", "状态"];

const DEFAULTS = Object.freeze({
  url: "ws://127.0.0.1:8642/ws",
  tokenFile: "",
  mode: "all",
  commands: COMMANDS,
  deadlineMs: 25_000,
  onFailure: "say",
  failureText: "知识库暂时无法回答，请稍后再试。",
  tools: true,
});

const HOOK = "reply_dispatch";
/** Between our deadline and the host's, so that our sentence is out first. */
const MARGIN_MS = 1_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 240_000;

const isText = (value) => typeof value === "string";
const oneOf = (...words) => ({
  ok: (value) => words.includes(value),
  must: `must be one of ${words.join(", ")}`,
});

/** @type {Record<string, {ok: (value: unknown) => boolean, must: string}>} */
const RULES = {
  url: { ok: isBridgeUrl, must: "must be a ws:// or wss:// address without user, password or fragment" },
  tokenFile: { ok: (v) => isText(v) && (v === "" || v.startsWith("/")), must: "must be an absolute path" },
  mode: oneOf("all", "mentions", "knowledge"),
  commands: {
    ok: (v) => Array.isArray(v) && v.every((name) => isText(name) && /^[^\s/]+$/u.test(name)),
    must: "must be a list of command names without slash or spaces",
  },
  deadlineMs: {
    ok: (v) => Number.isInteger(v) && v >= SHORTEST_MS && v <= LONGEST_MS,
    must: `must be a whole number from ${SHORTEST_MS} to ${LONGEST_MS}`,
  },
  onFailure: oneOf("say", "silence"),
  failureText: { ok: (v) => isText(v) && v.trim() !== "" && v.length <= 500, must: "must be a text of 1 to 500 characters" },
  tools: { ok: (v) => typeof v === "boolean", must: "must be true or false" },
};

function isBridgeUrl(value) {
  if (!isText(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  return ["ws:", "wss:"].includes(url.protocol) && url.username === "" && url.password === "" && url.hash === "";
}

/** A token sent in clear must not leave the machine. */
function sendsTokenInClear({ url, tokenFile }) {
  const { protocol, hostname } = new URL(url);
  const loopback = hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
  return tokenFile !== "" && protocol === "ws:" && !loopback;
}

/** The known name that shares the most leading letters, for the hint. */
function nearest(key) {
  const shared = (name) => {
    let n = 0;
    while (n < name.length && name[n].toLowerCase() === key[n]?.toLowerCase()) n += 1;
    return n;
  };
  return Object.keys(RULES).reduce((best, name) => (shared(name) > shared(best) ? name : best));
}

/**
 * @param {unknown} given  plugins.entries.kbgate.config
 * @param {{timeoutMs?: number, timeouts?: Record<string, number>}} [hooks]  plugins.entries.kbgate.hooks
 * @returns {{config: Config, faults: string[], notes: string[]}}  a faulty setting has its default
 */
export function readConfig(given, hooks = {}) {
  const faults = [];
  const notes = [];
  const config = { ...DEFAULTS };
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  if (given !== undefined && given !== null && !isObject) faults.push("config must be an object");
  for (const [key, value] of Object.entries(isObject ? given : {})) {
    const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined;
    if (rule === undefined) faults.push(`config.${key} is not known (did you mean ${nearest(key)}?)`);
    else if (!rule.ok(value)) faults.push(`config.${key} ${rule.must}`);
    else config[key] = value;
  }
  config.commands = config.commands.map((name) => name.toLowerCase());
  if (sendsTokenInClear(config)) faults.push("config.url must be wss:// when a token is sent to another machine");

  const limit = hooks?.timeouts?.[HOOK] ?? hooks?.timeoutMs;
  if (Number.isFinite(limit) && config.deadlineMs > limit - MARGIN_MS) {
    // Past its own timeout the host lets the model answer, whatever comes from us later.
    if (limit < SHORTEST_MS + MARGIN_MS) faults.push(`hooks timeout of ${limit} ms for ${HOOK} is too short: at least ${SHORTEST_MS + MARGIN_MS}`);
    config.deadlineMs = Math.max(limit - MARGIN_MS, Math.floor(limit / 2));
    notes.push(`deadlineMs shortened to ${config.deadlineMs}: the host's timeout for ${HOOK} is ${limit} ms`);
  }
  return { config, faults, notes };
}
