/** A daemon that does what its test says: keeps every frame, answers as told. */
import { listen } from "./ws_server.mjs";

export const WELCOME = { type: "welcome", version: "test", features: ["ignored", "pass", "tool"] };

/** Acknowledges and answers each message with its id. */
export function answering(frame, peer) {
  if (frame.type === "hello") peer.say(WELCOME);
  if (frame.type !== "message") return;
  peer.say({ type: "ack", id: frame.id });
  peer.say({ type: "answer", id: frame.id, outcome: "answered", text: `answer to ${frame.text}`, sources: [], query_id: "q" });
}

/** What kbgate says to types it does not know. */
export function unknownType(frame) {
  return { type: "error", ...(frame.id && { id: frame.id }), error: "bad_request", message: "unknown type: message, feedback and ping are known" };
}

export class Daemon {
  frames = [];
  peers = [];
  #waiting = [];

  /** @param {(frame: object, peer: object) => void} behave */
  static async start(behave = answering, options = {}) {
    const daemon = new Daemon();
    daemon.behave = behave;
    daemon.server = await listen((peer) => daemon.#meet(peer), options);
    daemon.url = daemon.server.url;
    return daemon;
  }

  #meet(peer) {
    this.peers.push(peer);
    peer.onText = (text) => {
      const frame = JSON.parse(text);
      this.frames.push(frame);
      this.behave(frame, peer);
      this.#waiting = this.#waiting.filter((wait) => !wait());
    };
  }

  of(type) {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** Resolves with the frames of a type as soon as there are `count`. */
  received(type, count = 1) {
    return new Promise((resolve) => {
      const look = () => {
        const enough = this.of(type).length >= count;
        if (enough) resolve(this.of(type));
        return enough;
      };
      if (!look()) this.#waiting.push(look);
    });
  }

  kill() {
    return this.server.kill();
  }
}
