/** A WebSocket server of text frames on loopback, as much of RFC 6455 as these tests need. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

function encode(opcode, payload) {
  const size = payload.length;
  let head;
  if (size < 126) head = Buffer.from([0x80 | opcode, size]);
  else if (size < 65_536) head = Buffer.from([0x80 | opcode, 126, size >> 8, size & 255]);
  else {
    head = Buffer.alloc(10);
    head[0] = 0x80 | opcode;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(size), 2);
  }
  return Buffer.concat([head, payload]);
}

/** @returns {{opcode: number, last: boolean, payload: Buffer, rest: Buffer} | null}  null: more bytes are needed */
function decode(bytes) {
  if (bytes.length < 2) return null;
  let size = bytes[1] & 127;
  let at = 2;
  if (size === 126) {
    if (bytes.length < 4) return null;
    size = bytes.readUInt16BE(2);
    at = 4;
  } else if (size === 127) {
    if (bytes.length < 10) return null;
    size = Number(bytes.readBigUInt64BE(2));
    at = 10;
  }
  if (bytes.length < at + 4 + size) return null;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, at + 4 + size));
  for (let i = 0; i < size; i += 1) payload[i] ^= mask[i & 3];
  return { opcode: bytes[0] & 15, last: (bytes[0] & 128) !== 0, payload, rest: bytes.subarray(at + 4 + size) };
}

class Peer {
  constructor(socket, headers) {
    this.socket = socket;
    this.headers = headers;
    this.onText = () => {};
    this.onEnd = () => {};
    let bytes = Buffer.alloc(0);
    let parts = [];
    socket.on("error", () => {});
    socket.on("close", () => this.onEnd());
    socket.on("data", (data) => {
      bytes = Buffer.concat([bytes, data]);
      for (let frame = decode(bytes); frame !== null; frame = decode(bytes)) {
        bytes = frame.rest;
        if (frame.opcode === CLOSE) socket.end(encode(CLOSE, frame.payload));
        else if (frame.opcode === PING) socket.write(encode(PONG, frame.payload));
        else if (frame.opcode !== PONG) {
          parts.push(frame.payload);
          if (frame.last) this.onText(Buffer.concat(parts.splice(0)).toString());
        }
      }
    });
  }

  say(object) {
    this.socket.write(encode(TEXT, Buffer.from(typeof object === "string" ? object : JSON.stringify(object))));
  }

  close(code, reason = "") {
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code);
    payload.write(reason, 2);
    this.socket.end(encode(CLOSE, payload));
  }
}

/** @param {(peer: Peer) => void} onPeer  @param {(request: object) => number} [admit]  0, or the HTTP status of a refusal */
export async function listen(onPeer, { port = 0, admit = () => 0 } = {}) {
  const sockets = new Set();
  const server = createServer();
  server.on("upgrade", (request, socket) => {
    const refused = admit(request);
    if (refused !== 0) return socket.end(`HTTP/1.1 ${refused} Refused\r\ncontent-length: 0\r\n\r\n`);
    const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + GUID).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    onPeer(new Peer(socket, request.headers));
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    url: `ws://127.0.0.1:${server.address().port}/ws`,
    /** Cuts every connection without a word, as a crash does, and no longer listens. */
    kill() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
