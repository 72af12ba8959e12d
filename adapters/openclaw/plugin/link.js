/**
 * The WebSocket to the daemon: one socket, many questions at once, dialled again when it breaks.
 *
 * A question outlives its socket. The daemon keeps what it has acknowledged and gives the same id the same answer, so
 * after a break every open question is simply sent again.
 */
import { readFile } from "node:fs/promises";
import { helloFrame, MAX_FRAME_BYTES } from "./frames.js";

const TIMES = Object.freeze({
  firstRetryMs: 250,
  longestRetryMs: 10_000,
  dialMs: 5_000, // one attempt
  patienceMs: 15_000, // questions wait this long for a broken link: a daemon that restarts is back by then
  againMs: 500, // until a question the daemon could not take is sent again
  heartbeatMs: 30_000, // silence before we ask for a sign of life; after three times that the socket is given up
  graceMs: 20, // after a deadline, to read what has arrived already
  settleMs: 2_000, // an unmentioned message, acknowledged by a daemon that does not say when it will not answer
});

/** The daemon's close code for a link that a newer one of the same gateway process has replaced. */
const REPLACED = 4409;

/**
 * asked: the same question is open already, and the first asker gets its answer.
 * @typedef {{kind: "answer"|"pass"|"ignored"|"tool_result", frame: object} | {kind: "asked"} |
 *   {kind: "failed", why: string}} Outcome
 */

/** @typedef {{info: (m: string) => void, warn: (m: string) => void}} Log */

export class Link {
  #times;
  #boot;
  #log = { info() {}, warn() {} };
  #target = null;
  #socket = null;
  #ready = false;
  #welcome = null;
  #downSince = 0;
  #retryMs;
  #retry = null;
  #dialling = null;
  #beat = null;
  #silentBeats = 0;
  /** @type {Map<string, {text: string, settle: (o: Outcome) => void, timers: Set<NodeJS.Timeout>, unmentioned: boolean}>} */
  #open = new Map();
  #patience = null;
  #complained = false; // about the break that is going on

  /** @param {string} boot  names this process to the daemon */
  constructor(boot, times = {}) {
    this.#boot = boot;
    this.#times = { ...TIMES, ...times };
    this.#retryMs = this.#times.firstRetryMs;
  }

  get ready() {
    return this.#ready;
  }

  /** What the daemon said of itself: {version, features}; null with one that knows no hello. */
  get welcome() {
    return this.#welcome;
  }

  /** Dials, and stays linked until stop(). A second call with the same target changes nothing. */
  start(target, log) {
    this.#log = log;
    const same = this.#target?.url === target.url && this.#target?.tokenFile === target.tokenFile;
    if (same) return;
    this.#drop();
    this.#target = { url: target.url, tokenFile: target.tokenFile };
    this.#downSince = Date.now();
    this.#retryMs = this.#times.firstRetryMs;
    this.#complained = false;
    if (this.#open.size > 0) this.#waitForLink();
    this.#dial();
  }

  /** For whoever has a question before the host has started the plugin's service. */
  ensure(target, log) {
    if (this.#target === null) this.start(target, log);
  }

  stop() {
    this.#target = null;
    this.#drop();
    for (const id of [...this.#open.keys()]) this.#settle(id, { kind: "failed", why: "stopped" });
  }

  /**
   * @param {{id: string}} frame
   * @param {{deadlineMs: number, signal?: AbortSignal, unmentioned?: boolean}} options
   * @returns {Promise<Outcome>}  never rejects
   */
  ask(frame, { deadlineMs, signal, unmentioned = false }) {
    const text = JSON.stringify(frame);
    if (Buffer.byteLength(text) > MAX_FRAME_BYTES) return Promise.resolve({ kind: "failed", why: "longer than a frame may be" });
    if (this.#open.has(frame.id)) return Promise.resolve({ kind: "asked" });
    if (signal?.aborted) return Promise.resolve({ kind: "failed", why: "given up by the host" });
    return new Promise((resolve) => {
      const abort = () => this.#settle(frame.id, { kind: "failed", why: "given up by the host" });
      const settle = (outcome) => {
        signal?.removeEventListener("abort", abort);
        resolve(outcome);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#open.set(frame.id, { text, settle, timers: new Set(), unmentioned });
      // A busy host runs its timers late and before it reads: what has arrived by then is no late answer.
      const late = () => this.#settle(frame.id, { kind: "failed", why: "no answer in time" });
      this.#after(frame.id, deadlineMs, () => this.#after(frame.id, this.#times.graceMs, late));
      if (this.#ready) this.#socket.send(text);
      else this.#waitForLink();
    });
  }

  /** A timer that ends with its question. */
  #after(id, ms, action) {
    const question = this.#open.get(id);
    const timer = setTimeout(() => {
      question.timers.delete(timer);
      action();
    }, ms);
    question.timers.add(timer);
  }

  #settle(id, outcome) {
    const question = this.#open.get(id);
    if (question === undefined) return;
    this.#open.delete(id);
    for (const timer of question.timers) clearTimeout(timer);
    question.settle(outcome);
  }

  // --- the socket ---

  async #dial() {
    const target = this.#target;
    let token = "";
    try {
      // Read at each attempt, so that a token can be changed without a restart.
      if (target.tokenFile !== "") token = (await readFile(target.tokenFile, "utf8")).trim();
    } catch (e) {
      if (this.#target !== target) return;
      this.#complain(`cannot read the token file ${target.tokenFile}: ${e.code ?? e.message}`);
      return this.#dialLater();
    }
    if (this.#target !== target || this.#socket !== null) return;
    const socket = new WebSocket(target.url, token === "" ? {} : { headers: { authorization: `Bearer ${token}` } });
    this.#socket = socket;
    this.#dialling = setTimeout(() => this.#lost(socket, "no answer to the handshake"), this.#times.dialMs);
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = (event) => this.#heard(socket, event.data);
    socket.onerror = (event) => this.#lost(socket, event.message || "connection failed");
    socket.onclose = (event) => this.#lost(socket, `closed with ${event.code} ${event.reason}`.trim(), event.code);
  }

  #opened(socket) {
    if (this.#socket !== socket) return;
    clearTimeout(this.#dialling);
    clearTimeout(this.#patience);
    this.#patience = null;
    this.#ready = true;
    this.#complained = false;
    this.#silentBeats = 0;
    this.#log.info(`kbgate: linked to ${this.#target.url}`);
    socket.send(JSON.stringify(helloFrame(this.#boot)));
    for (const question of this.#open.values()) socket.send(question.text);
    this.#beat = setInterval(() => this.#heartbeat(socket), this.#times.heartbeatMs);
    this.#beat.unref();
  }

  /** Counts beats, not time: a host that was too busy to read for a minute has not lost its daemon. */
  #heartbeat(socket) {
    this.#silentBeats += 1;
    if (this.#silentBeats > 3) this.#lost(socket, "the daemon went silent");
    else if (this.#silentBeats > 1) socket.send('{"type":"ping"}');
  }

  #lost(socket, why, code = 0) {
    if (this.#socket !== socket) return;
    const wasReady = this.#ready;
    this.#drop();
    if (wasReady) this.#downSince = Date.now();
    this.#complain(wasReady ? `link lost: ${why}` : `cannot link to ${this.#target.url}: ${why}`);
    if (code === REPLACED) this.#retryMs = this.#times.longestRetryMs;
    if (this.#open.size > 0) this.#waitForLink();
    this.#dialLater();
  }

  #complain(what) {
    if (!this.#complained) this.#log.warn(`kbgate: ${what}`);
    this.#complained = true;
  }

  /** Lets go of the socket and of every timer around it. */
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#ready = false;
    this.#welcome = null;
    clearTimeout(this.#dialling);
    clearTimeout(this.#retry);
    clearTimeout(this.#patience);
    this.#patience = null;
    clearInterval(this.#beat);
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.onerror = () => {}; // closing a socket that never opened is an error event, too
    socket.close();
  }

  #dialLater() {
    const jitter = 0.8 + Math.random() * 0.4;
    this.#retry = setTimeout(() => this.#dial(), this.#retryMs * jitter);
    this.#retry.unref();
    this.#retryMs = Math.min(this.#retryMs * 2, this.#times.longestRetryMs);
  }

  /** Open questions fail when the link has been down for too long. */
  #waitForLink() {
    if (this.#patience !== null) return;
    const left = this.#target === null ? 0 : Math.max(0, this.#downSince + this.#times.patienceMs - Date.now());
    this.#patience = setTimeout(() => {
      this.#patience = null;
      for (const id of [...this.#open.keys()]) this.#settle(id, { kind: "failed", why: "not linked to the daemon" });
    }, left);
  }

  // --- what the daemon says ---

  #heard(socket, data) {
    if (this.#socket !== socket) return;
    this.#silentBeats = 0;
    this.#retryMs = this.#times.firstRetryMs; // it listens and speaks: the next break is a new one
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return this.#log.warn("kbgate: the daemon sent a frame that is not JSON");
    }
    if (typeof frame !== "object" || frame === null) return;
    if (frame.type === "welcome") this.#welcome = { version: frame.version, features: Array.isArray(frame.features) ? frame.features : [] };
    else if (frame.type === "ack") this.#acknowledged(frame);
    else if (frame.type === "error") this.#refused(socket, frame);
    else if (["answer", "pass", "tool_result"].includes(frame.type)) this.#settle(frame.id, { kind: frame.type, frame });
  }

  #acknowledged(frame) {
    const question = this.#open.get(frame.id);
    if (question === undefined) return;
    if (frame.ignored === true) return this.#settle(frame.id, { kind: "ignored", frame });
    if (question.unmentioned && this.#welcome === null)
      this.#after(frame.id, this.#times.settleMs, () => this.#settle(frame.id, { kind: "ignored", frame }));
  }

  #refused(socket, frame) {
    const id = frame.id;
    if (!this.#open.has(id)) return; // an older daemon's word on hello, or on a question that is over
    if (frame.error !== "unavailable") return this.#settle(id, { kind: "failed", why: `${frame.error}: ${frame.message}` });
    this.#after(id, this.#times.againMs, () => {
      if (this.#ready && this.#socket === socket) socket.send(this.#open.get(id).text);
    });
  }
}
