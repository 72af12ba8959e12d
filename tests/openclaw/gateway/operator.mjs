/** An operator's connection to the gateway: protocol 4, shared token, one call at a time. */

export class Operator {
  #calls = new Map();
  #count = 0;

  static connect(port, token) {
    const operator = new Operator();
    operator.socket = new WebSocket(`ws://127.0.0.1:${port}`);
    return new Promise((resolve, reject) => {
      operator.socket.onerror = operator.socket.onclose = (event) => reject(new Error(`gateway: ${event.reason || event.message || event.code}`));
      operator.socket.onmessage = ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.type === "event" && frame.event === "connect.challenge") operator.#introduce(token).then(() => resolve(operator), reject);
        if (frame.type === "res") operator.#answered(frame);
      };
    });
  }

  #introduce(token) {
    return this.call("connect", {
      minProtocol: 4,
      maxProtocol: 4,
      client: { id: "gateway-client", version: "1.0.0", platform: "linux", mode: "backend" },
      role: "operator",
      scopes: ["operator.read", "operator.write"],
      caps: [],
      auth: { token },
    });
  }

  #answered({ id, ok, payload, error }) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (ok) call?.resolve(payload);
    else call?.reject(new Error(error.message));
  }

  call(method, params) {
    this.#count += 1;
    const id = `c${this.#count}`;
    this.socket.send(JSON.stringify({ type: "req", id, method, params }));
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  close() {
    this.socket.onclose = this.socket.onerror = null;
    this.socket.close();
  }
}
