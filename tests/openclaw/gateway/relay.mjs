/**
 * Stands between plugin and daemon: keeps the frames of both, and can hold back what the daemon says. So a test decides
 * when an answer is slow, and knows what was asked.
 */
import { listen } from "../support/ws_server.mjs";

export class Relay {
  asked = [];
  said = [];
  peers = [];
  /** Milliseconds from each message to the daemon's answer. */
  took = [];
  #since = new Map();
  #held = null;
  #waiting = new Set();

  /** @param {() => string} target  the daemon's address at the moment */
  static async start(target) {
    const relay = new Relay();
    /** When set, answers in the daemon's place. */
    relay.standIn = null;
    relay.server = await listen((peer) => relay.#join(peer, target()));
    relay.url = relay.server.url;
    return relay;
  }

  #join(peer, url) {
    this.peers.push(peer);
    const { authorization } = peer.headers;
    const daemon = new WebSocket(url, authorization ? { headers: { authorization } } : {});
    let early = [];
    daemon.onopen = () => {
      for (const text of early) daemon.send(text);
      early = null;
    };
    daemon.onmessage = ({ data }) => this.#pass(peer, data);
    daemon.onclose = daemon.onerror = () => peer.socket.destroy();
    peer.onEnd = () => daemon.close();
    peer.onText = (text) => {
      const frame = JSON.parse(text);
      this.asked.push(frame);
      for (const look of this.#waiting) look();
      if (this.standIn?.(frame, peer)) return;
      if (frame.type === "message") this.#since.set(frame.id, performance.now());
      if (early === null) daemon.send(text);
      else early.push(text);
    };
  }

  #pass(peer, text) {
    const frame = JSON.parse(text);
    this.said.push(frame);
    if (frame.type === "answer") this.took.push(performance.now() - this.#since.get(frame.id));
    for (const look of this.#waiting) look();
    if (this.#held === null) peer.say(text);
    else this.#held.push([peer, text]);
  }

  hold() {
    this.#held ??= [];
  }

  release() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const [peer, text] of held) if (!peer.socket.destroyed) peer.say(text);
  }

  /** Resolves with the first frame that fits, asked or said. */
  until(direction, fits, ms = 180_000) {
    return new Promise((resolve, reject) => {
      let timer;
      const look = () => {
        const frame = this[direction].find(fits);
        if (frame === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(frame);
      };
      timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`no fitting frame was ${direction} in ${ms} ms`));
      }, ms);
      this.#waiting.add(look);
      look();
    });
  }

  message(messageId, ms) {
    return this.until("asked", (frame) => frame.messageId === messageId, ms);
  }

  stop() {
    return this.server.kill();
  }
}
