/**
 * A model server of the OpenAI form. Says SPOKE to everything; for a user text with `CALL:<tool> <json>` it calls that
 * tool once and then says what it returned. Keeps every request.
 */
import { createServer } from "node:http";

export const SPOKE = "THE-MODEL-SPOKE";

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n"));

function decide({ messages = [], tools = [] }) {
  const turn = messages.slice(messages.findLastIndex((m) => m.role === "assistant") + 1);
  const result = turn.findLast((m) => m.role === "tool");
  if (result) return { content: `TOOL ${textOf(result.content)}` };
  const said = turn.filter((m) => m.role === "user").map((m) => textOf(m.content)).join("\n");
  const call = /CALL:([a-z_]+) (\{[^{}]*\})/.exec(said);
  if (!call) return { content: SPOKE };
  const names = tools.map((tool) => tool.function?.name);
  if (!names.includes(call[1])) return { content: `NO TOOL ${call[1]} among ${names.join(" ")}` };
  return { tool_calls: [{ index: 0, id: `call_${Date.now()}`, type: "function", function: { name: call[1], arguments: call[2] } }] };
}

export class Model {
  requests = [];
  #waiting = new Set();

  static async start() {
    const model = new Model();
    model.server = createServer((request, response) => {
      const chunks = [];
      request.on("data", (data) => chunks.push(data));
      request.on("end", () => model.#answer(request, response, Buffer.concat(chunks).toString()));
    });
    model.server.keepAliveTimeout = 0;
    await new Promise((resolve) => model.server.listen(0, "127.0.0.1", resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}/v1`;
    return model;
  }

  #answer(request, response, raw) {
    if (!request.url.endsWith("/chat/completions")) return response.end('{"object":"list","data":[{"id":"stub","object":"model"}]}');
    const body = JSON.parse(raw);
    this.requests.push(body);
    for (const look of this.#waiting) look();
    const delta = decide(body);
    const finish = delta.tool_calls ? "tool_calls" : "stop";
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (choice, more) =>
      response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "stub", choices: [{ index: 0, ...choice }], ...more })}\n\n`);
    chunk({ delta: { role: "assistant", ...delta }, finish_reason: null });
    chunk({ delta: {}, finish_reason: finish }, { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
    response.end("data: [DONE]\n\n");
  }

  /** True when any request carries the words. */
  heard(words) {
    return this.requests.some((body) => JSON.stringify(body).includes(words));
  }

  /** Resolves as soon as a request carries the words. */
  until(words) {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.heard(words)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
