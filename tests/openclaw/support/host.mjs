/** A scripted OpenClaw host: loads the plugin, hands it turns and tool runs, keeps what it says. */
import plugin from "../../../adapters/openclaw/plugin/index.js";

/** The context of a Feishu group message as the real gateway 2026.9.6 builds it. */
export function groupContext(over = {}) {
  const text = over.commandText ?? "When is the release?";
  return {
    Body: `[Feishu oc_nlp:ou_bob] [message_id: om_1]\nBob: ${text}`,
    BodyForAgent: `[message_id: om_1]\nBob: ${text}`,
    InboundEventKind: "user_request",
    InboundHistory: [{ sender: "ou_alice", body: "Alice: something said before", messageId: "om_0" }],
    RawBody: text,
    CommandBody: text,
    BodyForCommands: text,
    commandText: text,
    From: "feishu:ou_bob",
    To: "chat:oc_nlp",
    SessionKey: "agent:main:feishu:group:oc_nlp",
    AccountId: "default",
    MessageSid: "om_1",
    ChatType: "group",
    ChatId: "oc_nlp",
    ConversationLabel: "NLP team",
    GroupSubject: "NLP team",
    SenderName: "Bob",
    SenderId: "ou_bob",
    SenderIsBot: false,
    Timestamp: 1_796_042_443_557,
    Provider: "feishu",
    Surface: "feishu",
    WasMentioned: true,
    CommandAuthorized: false,
    CommandTurn: { kind: "normal", source: "message", authorized: false, body: text },
    NativeChannelId: "oc_nlp",
    OriginatingChannel: "feishu",
    OriginatingTo: "chat:oc_nlp",
    InboundAccessAuthorized: true,
    ...over,
  };
}

export function directContext(over = {}) {
  const context = groupContext({
    ChatType: "direct",
    ChatId: "oc_dm_bob",
    NativeChannelId: "oc_dm_bob",
    To: "user:ou_bob",
    OriginatingTo: "user:ou_bob",
    SessionKey: "agent:main:main",
    ConversationLabel: "Bob",
    WasMentioned: false,
    ...over,
  });
  if (over.GroupSubject === undefined) delete context.GroupSubject;
  return context;
}

/** The operator's chat.send into a group's session. */
export function operatorContext(over = {}) {
  return {
    Provider: "webchat",
    Surface: "webchat",
    OriginatingChannel: "feishu",
    OriginatingTo: "oc_nlp",
    SenderId: "gateway-client",
    ChatType: "direct",
    SessionKey: "agent:main:feishu:group:oc_nlp",
    CommandAuthorized: true,
    MessageSid: "op-1",
    commandText: "What is in the team's notes?",
    ...over,
  };
}

/** The facts a tool factory gets in a group. */
export function groupRun(over = {}) {
  return {
    agentId: "main",
    sessionKey: "agent:main:feishu:group:oc_nlp",
    messageChannel: "feishu",
    agentAccountId: "default",
    nativeChannelId: "oc_nlp",
    requesterSenderId: "ou_bob",
    senderIsOwner: false,
    deliveryContext: { channel: "feishu", to: "chat:oc_nlp", accountId: "default" },
    ...over,
  };
}

export class Host {
  log = [];
  tools = new Map();

  /** @param {object} config  the plugin's settings  @param {{hooks?: object, module?: object}} [options] */
  constructor(config, { hooks, module = plugin } = {}) {
    const say = (level) => (message) => this.log.push(`${level}: ${message}`);
    module.register({
      id: "kbgate",
      registrationMode: "full",
      config: { plugins: { entries: { kbgate: { hooks, config } } } },
      pluginConfig: config,
      runtime: { channel: { text: { hasControlCommand: (text) => /^\/(status|new)(\s|$)/.test(text) } } },
      logger: { info: say("info"), warn: say("warn"), error: say("error"), debug: say("debug") },
      registerService: (service) => (this.service = service),
      registerTool: (factory, { name }) => this.tools.set(name, factory),
      on: (name, handler) => {
        if (name === "reply_dispatch") this.handler = handler;
      },
    });
  }

  start() {
    this.service.start();
    return this;
  }

  stop() {
    this.service.stop();
  }

  /** One turn through the hook. Without `claimed` the model would speak. */
  async turn(ctx, { event = {}, host = {} } = {}) {
    const said = [];
    const seen = [];
    const dispatcher = {
      sendFinalReply: ({ text }) => {
        said.push(text);
        return true;
      },
      getQueuedCounts: () => ({ tool: 0, block: 0, final: said.length }),
    };
    const result = await this.handler(
      { ctx, sessionKey: ctx?.SessionKey, sendPolicy: "allow", ...event },
      { dispatcher, recordProcessed: (outcome) => seen.push(outcome), markIdle: () => seen.push("idle"), ...host },
    );
    return { claimed: result?.handled === true, said, seen, result };
  }

  async call(tool, run, args) {
    const { execute } = this.tools.get(tool)(run);
    const { content, details } = await execute("call_1", args, undefined);
    return { object: JSON.parse(content[0].text), details };
  }
}
