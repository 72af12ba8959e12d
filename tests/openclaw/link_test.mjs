import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Link } from "../../adapters/openclaw/plugin/link.js";
import { answering, Daemon, unknownType, WELCOME } from "./support/daemon.mjs";

const FAST = { firstRetryMs: 20, longestRetryMs: 80, dialMs: 2_000, patienceMs: 400, againMs: 20, heartbeatMs: 50, settleMs: 60 };
const message = (id, text = id) => ({ type: "message", id, text });
const never = () => {};

/** A link to a daemon; both end with the test. */
async function linked(t, behave, { times = FAST, options, tokenFile = "" } = {}) {
  const daemon = await Daemon.start(behave, options);
  const link = new Link("boot-1", times);
  const log = [];
  const keep = (m) => log.push(m);
  t.after(() => {
    link.stop();
    return daemon.kill();
  });
  link.start({ url: daemon.url, tokenFile }, { info: keep, warn: keep });
  return { daemon, link, log };
}

test("the first frame of a link says who dials", async (t) => {
  const { daemon } = await linked(t, answering);
  const [hello] = await daemon.received("hello");
  assert.deepEqual(hello, { type: "hello", client: "openclaw", version: "1.0.0", boot: "boot-1" });
  assert.equal(daemon.frames[0].type, "hello");
});

test("a question gets its answer, whatever the order of answers", async (t) => {
  const held = [];
  const { link } = await linked(t, (frame, peer) => {
    if (frame.type !== "message") return;
    held.push(frame);
    if (held.length === 3) for (const f of held.reverse()) answering(f, peer);
  });
  const outcomes = await Promise.all(["a", "b", "c"].map((id) => link.ask(message(id), { deadlineMs: 5_000 })));
  assert.deepEqual(outcomes.map((o) => o.frame.text), ["answer to a", "answer to b", "answer to c"]);
});

test("the deadline ends a question, and the late answer is nobody's", async (t) => {
  const { daemon, link } = await linked(t, never);
  const outcome = await link.ask(message("slow"), { deadlineMs: 50 });
  assert.deepEqual(outcome, { kind: "failed", why: "no answer in time" });
  daemon.behave = answering;
  daemon.peers[0].say({ type: "answer", id: "slow", text: "too late" });
  const next = await link.ask(message("next"), { deadlineMs: 5_000 });
  assert.equal(next.frame.text, "answer to next");
});

test("a question that is open already is not asked twice", async (t) => {
  const { daemon, link } = await linked(t, never);
  const first = link.ask(message("same"), { deadlineMs: 5_000 });
  assert.deepEqual(await link.ask(message("same"), { deadlineMs: 5_000 }), { kind: "asked" });
  await daemon.received("message");
  daemon.peers[0].say({ type: "answer", id: "same", text: "one" });
  assert.equal((await first).frame.text, "one");
  assert.equal(daemon.of("message").length, 1);
});

test("after a break the link comes back and asks every open question again", async (t) => {
  const { daemon, link } = await linked(t, never);
  const asked = link.ask(message("m1"), { deadlineMs: 5_000 });
  await daemon.received("message");
  daemon.behave = answering;
  daemon.peers[0].socket.destroy();
  assert.equal((await asked).frame.text, "answer to m1");
  assert.equal(daemon.of("message").length, 2);
  assert.equal(daemon.of("hello").length, 2);
});

test("with no daemon a question fails after the patience for a break, and at once when that is over", async (t) => {
  const { daemon, link } = await linked(t, answering);
  await daemon.received("hello");
  await daemon.kill();
  const first = await link.ask(message("m1"), { deadlineMs: 60_000 });
  assert.deepEqual(first, { kind: "failed", why: "not linked to the daemon" });
  const before = performance.now();
  await link.ask(message("m2"), { deadlineMs: 60_000 });
  assert.ok(performance.now() - before < FAST.patienceMs / 2);
});

test("a daemon that comes back on its port is found", async (t) => {
  const { daemon, link } = await linked(t, answering);
  await daemon.received("hello");
  const { port } = daemon.server;
  await daemon.kill();
  await link.ask(message("m1"), { deadlineMs: 60_000 });
  const again = await Daemon.start(answering, { port });
  t.after(() => again.kill());
  await again.received("hello");
  assert.equal((await link.ask(message("m2"), { deadlineMs: 5_000 })).frame.text, "answer to m2");
});

test("attempts to dial grow apart, and only the first of a break is reported", async (t) => {
  const times = { ...FAST, patienceMs: 10_000 };
  let attempts = 0;
  const enough = new Promise((resolve) => {
    t.mock.method(globalThis, "setTimeout", ((real) => (f, ms, ...rest) => {
      if (ms < 120 && (attempts += 1) === 6) resolve();
      return real(f, ms, ...rest);
    })(setTimeout));
  });
  const { log } = await linked(t, never, { times, options: { admit: () => 401 } });
  await enough;
  assert.equal(log.filter((m) => m.includes("cannot link")).length, 1);
});

test("the token is read from its file at each attempt", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "kbgate-token-"));
  t.after(() => rm(dir, { recursive: true }));
  const tokenFile = join(dir, "token");
  await writeFile(tokenFile, "old-token-of-the-daemon\n");
  let refused;
  const refusal = new Promise((resolve) => (refused = resolve));
  const admit = (request) => {
    if (request.headers.authorization === "Bearer new-token-of-the-daemon") return 0;
    refused();
    return 401;
  };
  const { link } = await linked(t, answering, { tokenFile, options: { admit }, times: { ...FAST, patienceMs: 5_000 } });
  await refusal;
  await writeFile(tokenFile, "new-token-of-the-daemon\n");
  assert.equal((await link.ask(message("m1"), { deadlineMs: 5_000 })).frame.text, "answer to m1");
});

test("a token file that cannot be read is named, and the token never", async (t) => {
  const { link, log } = await linked(t, answering, { tokenFile: "/nonexistent/token" });
  assert.equal((await link.ask(message("m1"), { deadlineMs: 5_000 })).kind, "failed");
  assert.match(log[0], /cannot read the token file \/nonexistent\/token: ENOENT/);
});

test("a question the daemon could not take is asked again", async (t) => {
  let refusals = 2;
  const { daemon, link } = await linked(t, (frame, peer) => {
    if (frame.type !== "message") return;
    if (refusals-- > 0) peer.say({ type: "error", id: frame.id, error: "unavailable", message: "restarting" });
    else answering(frame, peer);
  });
  assert.equal((await link.ask(message("m1"), { deadlineMs: 5_000 })).frame.text, "answer to m1");
  assert.equal(daemon.of("message").length, 3);
});

test("a question the daemon will not take fails with its words", async (t) => {
  const { link } = await linked(t, (frame, peer) => {
    if (frame.type === "message") peer.say({ type: "error", id: frame.id, error: "bad_request", message: "text is too long" });
  });
  assert.deepEqual(await link.ask(message("m1"), { deadlineMs: 5_000 }), { kind: "failed", why: "bad_request: text is too long" });
});

test("a frame over the daemon's limit is not sent", async (t) => {
  const { daemon, link } = await linked(t, answering);
  const outcome = await link.ask(message("big", "长".repeat(22_000)), { deadlineMs: 5_000 });
  assert.deepEqual(outcome, { kind: "failed", why: "longer than a frame may be" });
  await link.ask(message("small"), { deadlineMs: 5_000 });
  assert.deepEqual(daemon.of("message").map((f) => f.id), ["small"]);
});

test("a daemon that says it will not answer ends the question at once", async (t) => {
  const { link } = await linked(t, (frame, peer) => {
    if (frame.type === "message") peer.say({ type: "ack", id: frame.id, ignored: true });
  });
  assert.equal((await link.ask(message("m1"), { deadlineMs: 60_000, unmentioned: true })).kind, "ignored");
});

test("an older daemon, which says nothing more about an unmentioned message, is not waited for", async (t) => {
  const { link } = await linked(t, (frame, peer) => {
    if (frame.type === "message") peer.say({ type: "ack", id: frame.id });
    else peer.say(unknownType(frame));
  });
  assert.equal((await link.ask(message("m1"), { deadlineMs: 60_000, unmentioned: true })).kind, "ignored");
  assert.equal(link.welcome, null);
});

test("a daemon that knows hello is trusted to say so when it ignores: its slow answers are waited for", async (t) => {
  const { link } = await linked(t, (frame, peer) => {
    if (frame.type === "hello") peer.say(WELCOME);
    if (frame.type === "ping") peer.say({ type: "pong" });
    if (frame.type !== "message") return;
    peer.say({ type: "ack", id: frame.id });
    setTimeout(() => peer.say({ type: "answer", id: frame.id, text: "slow" }), 4 * FAST.settleMs);
  });
  assert.equal((await link.ask(message("m1"), { deadlineMs: 60_000, unmentioned: true })).frame.text, "slow");
});

test("a silent daemon is asked for a sign of life, then left", async (t) => {
  const { daemon } = await linked(t, never);
  await daemon.received("ping");
  await daemon.received("hello", 2);
});

test("a daemon that answers pings is not left", async (t) => {
  const { daemon } = await linked(t, (frame, peer) => {
    if (frame.type === "ping") peer.say({ type: "pong" });
  });
  await daemon.received("ping", 5);
  assert.equal(daemon.of("hello").length, 1);
});

test("a link that a newer one has replaced does not come back in haste", async (t) => {
  const times = { ...FAST, firstRetryMs: 1, longestRetryMs: 150 };
  const { daemon } = await linked(t, never, { times });
  await daemon.received("hello");
  const before = performance.now();
  daemon.peers[0].close(4409, "replaced");
  await daemon.received("hello", 2);
  assert.ok(performance.now() - before >= 0.8 * 150);
});

test("nonsense from the daemon hurts nothing", async (t) => {
  const { daemon, link } = await linked(t, answering);
  await daemon.received("hello");
  for (const nonsense of ["{", "null", "[]", '"x"', '{"type":"answer"}', '{"type":"answer","id":"other","text":"x"}', '{"type":7}'])
    daemon.peers[0].say(nonsense);
  assert.equal((await link.ask(message("m1"), { deadlineMs: 5_000 })).frame.text, "answer to m1");
});

test("the host can give a question up", async (t) => {
  const { daemon, link } = await linked(t, never);
  const stop = new AbortController();
  const asked = link.ask(message("m1"), { deadlineMs: 60_000, signal: stop.signal });
  await daemon.received("message");
  stop.abort();
  assert.deepEqual(await asked, { kind: "failed", why: "given up by the host" });
});
