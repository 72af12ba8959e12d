import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "../../adapters/openclaw/plugin/tools.js";
import { Daemon, unknownType } from "./support/daemon.mjs";
import { groupRun, Host } from "./support/host.mjs";

function serving(frame, peer) {
  if (frame.type === "tool") peer.say({ type: "tool_result", id: frame.id, result: { success: true, tool: frame.tool } });
}

async function setup(t, { behave = serving, config = {} } = {}) {
  const daemon = await Daemon.start(behave);
  const host = new Host({ url: daemon.url, ...config }).start();
  t.after(() => {
    host.stop();
    return daemon.kill();
  });
  return { daemon, host };
}

const directRun = (over = {}) =>
  groupRun({ nativeChannelId: "oc_dm_bob", deliveryContext: { channel: "feishu", to: "user:ou_bob", accountId: "default" }, ...over });

test("a call carries the host's facts and the tool's own arguments", async (t) => {
  const { daemon, host } = await setup(t);
  const { object, details } = await host.call("kb_search", groupRun(), { query: "release", limit: 3 });
  const { id, boot, ...frame } = daemon.of("tool")[0];
  assert.ok(id.startsWith(boot));
  assert.deepEqual(frame, {
    type: "tool",
    tool: "kb_search",
    channel: "feishu",
    account: "default",
    SenderId: "ou_bob",
    ChatType: "group",
    GroupSubject: "oc_nlp",
    ChatId: "oc_nlp",
    arguments: { query: "release", limit: 3 },
    deadlineMs: 25_000,
  });
  assert.deepEqual(object, { success: true, tool: "kb_search" });
  assert.equal(details.ok, true);
});

test("an identity in the arguments goes nowhere", async (t) => {
  const { daemon, host } = await setup(t);
  const forged = { question: "Alice's notes?", SenderId: "ou_alice", senderId: "ou_alice", ChatType: "direct", GroupSubject: "oc_other", account: "two" };
  await host.call("kb_ask", groupRun(), forged);
  const [frame] = daemon.of("tool");
  assert.deepEqual([frame.SenderId, frame.ChatType, frame.GroupSubject, frame.account], ["ou_bob", "group", "oc_nlp", "default"]);
  assert.deepEqual(frame.arguments, { question: "Alice's notes?" });
});

test("without a host's word on who asks and where, there is a refusal and no frame", async (t) => {
  const { daemon, host } = await setup(t);
  const cases = [
    { why: "no sender", run: groupRun({ requesterSenderId: undefined }) },
    { why: "an operator", run: groupRun({ requesterSenderId: "gateway-client", senderIsOwner: true }) },
    { why: "no chat", run: groupRun({ nativeChannelId: undefined }) },
    { why: "web chat", run: groupRun({ messageChannel: "webchat", deliveryContext: { channel: "webchat" } }) },
    { why: "no route", run: groupRun({ deliveryContext: undefined }) },
    { why: "a reply that leaves through another channel", run: groupRun({ messageChannel: "telegram" }) },
    { why: "a reply that leaves through another account", run: groupRun({ agentAccountId: "two" }) },
  ];
  for (const { why, run } of cases)
    await t.test(why, async () => {
      const { object, details } = await host.call("kb_search", run, { query: "x", senderId: "ou_alice" });
      assert.equal(object.error, "refused");
      assert.equal(details.ok, false);
    });
  await host.call("kb_search", groupRun(), { query: "x" });
  assert.equal(daemon.of("tool").length, 1);
});

test("a chat is private only when the reply goes to the asker alone", () => {
  const typeOf = (over) => factsOf(directRun(over)).facts.type;
  assert.equal(typeOf({}), "direct");
  assert.equal(typeOf({ deliveryContext: { channel: "feishu", to: "user:ou_alice", accountId: "default" } }), "group");
  assert.equal(typeOf({ deliveryContext: { channel: "feishu", to: "chat:oc_dm_bob", accountId: "default" } }), "group");
  assert.equal(typeOf({ deliveryContext: { channel: "feishu", accountId: "default" } }), "group");
});

test("a private chat has an empty GroupSubject", async (t) => {
  const { daemon, host } = await setup(t);
  await host.call("kb_read", directRun(), { path: "notes/plan.md" });
  const [frame] = daemon.of("tool");
  assert.deepEqual([frame.ChatType, frame.GroupSubject, frame.ChatId], ["direct", "", "oc_dm_bob"]);
});

test("a daemon without tools makes a clear refusal", async (t) => {
  const { host } = await setup(t, { behave: (frame, peer) => peer.say(unknownType(frame)) });
  const { object, details } = await host.call("kb_validate", groupRun(), { answer: "x" });
  assert.equal(object.error, "unavailable");
  assert.match(object.message, /unknown type/);
  assert.equal(details.ok, false);
});

test("hook and tools share one link, and tools can be left out", async (t) => {
  const { daemon, host } = await setup(t);
  await host.call("kb_search", groupRun(), { query: "x" });
  assert.equal(daemon.peers.length, 1);
  assert.deepEqual([...host.tools.keys()], ["kb_ask", "kb_search", "kb_read", "kb_validate"]);
  assert.equal(new Host({ tools: false }).tools.size, 0);
});
