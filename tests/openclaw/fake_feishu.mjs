/**
 * A Feishu of our own on loopback: the open platform's HTTPS API as far as the gateway's Feishu plugin calls it, and
 * signed webhook events toward that plugin. Keeps what bots send and says who sent it.
 */
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:https";

const CHATS = { oc_nlp: "NLP 日常", oc_elsewhere: "Somewhere else" };
const USERS = { ou_alice: "林晓", ou_bob: "周博", ou_carol: "郑可" };

/** @typedef {{app: string, to: string, replyTo: string, text: string, at: number}} Sent */

export class Feishu {
  /** @type {Sent[]} */
  sent = [];
  #waiting = new Set();
  #accounts;
  #count = 0;
  /** Message ids that cannot be replied to any more: recalled. */
  gone = new Set();

  /**
   * @param {{key: string, cert: string}} tls
   * @param {Record<string, {appId: string, webhookPort: number, encryptKey: string, verificationToken: string}>} accounts
   */
  static async start(tls, accounts) {
    const feishu = new Feishu();
    feishu.#accounts = accounts;
    feishu.server = createServer(tls, (request, response) => {
      const chunks = [];
      request.on("data", (data) => chunks.push(data));
      request.on("end", () => {
        const answer = feishu.#answer(request, Buffer.concat(chunks).toString());
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(answer));
      });
    });
    feishu.server.keepAliveTimeout = 0; // a connection closed under a client's next request would look like a lost reply
    await new Promise((resolve) => feishu.server.listen(0, "127.0.0.1", resolve));
    feishu.url = `https://localhost:${feishu.server.address().port}`;
    return feishu;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  // --- the API ---

  #answer(request, raw) {
    const url = new URL(request.url, "https://localhost");
    const path = url.pathname;
    const body = raw.startsWith("{") ? JSON.parse(raw) : {};
    const app = /^Bearer t-(.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (path.endsWith("_access_token/internal"))
      return { code: 0, msg: "ok", tenant_access_token: `t-${body.app_id}`, app_access_token: `a-${body.app_id}`, expire: 7200 };
    if (path.includes("/bot/")) {
      const bot = { activate_status: 2, app_name: "kbgate", open_id: `ou_bot_${app}` };
      return { code: 0, msg: "ok", bot, data: bot };
    }
    const chat = /\/im\/v1\/chats\/([^/]+)$/.exec(path)?.[1];
    if (chat) return CHATS[chat] ? { code: 0, data: { name: CHATS[chat], chat_id: chat } } : { code: 230002, msg: "no such chat" };
    const user = /\/contact\/v3\/users\/([^/]+)$/.exec(path)?.[1];
    if (user) return { code: 0, data: { user: { name: USERS[user] ?? user, open_id: user } } };
    const message = /\/im\/v1\/messages(?:\/([^/]+)\/reply)?$/.exec(path);
    if (message && request.method === "POST") return this.#take(app, message[1] ?? "", body);
    return { code: 0, data: {} };
  }

  #take(app, replyTo, body) {
    if (this.gone.has(replyTo)) return { code: 230011, msg: "The message is recalled." };
    const sent = { app, to: body.receive_id ?? "", replyTo, text: textIn(body.content), at: performance.now() };
    this.sent.push(sent);
    for (const look of this.#waiting) look();
    this.#count += 1;
    return { code: 0, data: { message_id: `om_out_${this.#count}` } };
  }

  // --- what tests do ---

  /** Resolves with the first thing sent, ever, that fits; rejects after `ms`. */
  until(fits, ms = 180_000) {
    return new Promise((resolve, reject) => {
      let timer;
      const look = () => {
        const found = this.sent.find(fits);
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`nothing fitting was sent in ${ms} ms`));
      }, ms);
      this.#waiting.add(look);
      look();
    });
  }

  replyTo(id, ms) {
    return this.until((sent) => sent.replyTo === id, ms);
  }

  repliesTo(id) {
    return this.sent.filter((sent) => sent.replyTo === id);
  }

  /**
   * Somebody says something. Resolves when the plugin has taken the event.
   * @returns {Promise<string>}  the message id
   */
  async say({ account = "one", id = `om_${randomUUID()}`, chat = "oc_nlp", type = "group", sender = "ou_bob", text, mention = type === "group", ...more }) {
    const { appId, webhookPort, encryptKey, verificationToken } = this.#accounts[account];
    const bot = `ou_bot_${appId}`;
    const event = {
      schema: "2.0",
      header: {
        event_id: more.eventId ?? `ev_${account}_${id}`,
        event_type: "im.message.receive_v1",
        create_time: String(Date.now()),
        token: verificationToken,
        app_id: appId,
        tenant_key: "tenant",
      },
      event: {
        sender: { sender_id: { open_id: sender, user_id: "", union_id: "" }, sender_type: more.senderType ?? "user", tenant_key: "tenant" },
        message: {
          message_id: id,
          root_id: more.root,
          parent_id: more.root,
          thread_id: more.thread,
          create_time: String(more.createTime ?? Date.now()),
          chat_id: chat,
          chat_type: type,
          message_type: "text",
          content: JSON.stringify({ text: (mention ? "@_user_1 " : "") + text }),
          mentions: mention ? [{ key: "@_user_1", id: { open_id: bot, user_id: "", union_id: "" }, name: "kbgate", tenant_key: "tenant" }] : undefined,
        },
      },
    };
    const raw = JSON.stringify(event);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomUUID();
    const signature = createHash("sha256").update(timestamp + nonce + encryptKey + raw).digest("hex");
    const response = await fetch(`http://127.0.0.1:${webhookPort}/feishu/events`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-lark-request-timestamp": timestamp,
        "x-lark-request-nonce": nonce,
        "x-lark-signature": signature,
      },
      body: raw,
    });
    if (!response.ok) throw new Error(`the webhook answered ${response.status}: ${await response.text()}`);
    await response.text();
    return id;
  }
}

/** The words in a text or post message. */
function textIn(content) {
  const words = [];
  const collect = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (typeof node.text === "string") words.push(node.text);
    for (const value of Object.values(node)) collect(value);
  };
  try {
    collect(JSON.parse(content));
  } catch {
    return String(content);
  }
  return words.join("\n");
}
