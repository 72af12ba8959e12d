import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../adapters/openclaw/plugin/config.js";

test("no settings at all are good settings", () => {
  const { config, faults } = readConfig(undefined);
  assert.deepEqual(faults, []);
  assert.equal(config.mode, "all");
  assert.equal(config.url, "ws://127.0.0.1:8642/ws");
});

test("each fault names its setting and what it must be", async (t) => {
  const cases = [
    { given: { mode: "some" }, says: /config\.mode must be one of all, mentions, knowledge/ },
    { given: { url: "http://127.0.0.1:8642/ws" }, says: /config\.url must be a ws:\/\/ or wss:\/\/ address/ },
    { given: { url: "ws://user:secret@127.0.0.1/ws" }, says: /config\.url/ },
    { given: { tokenFile: "token" }, says: /config\.tokenFile must be an absolute path/ },
    { given: { deadlineMs: 500 }, says: /config\.deadlineMs must be a whole number from 1000 to 240000/ },
    { given: { deadlineMs: "5000" }, says: /config\.deadlineMs/ },
    { given: { commands: ["/bind"] }, says: /config\.commands must be a list of command names without slash/ },
    { given: { onFailure: "shout" }, says: /config\.onFailure must be one of say, silence/ },
    { given: { failureText: " " }, says: /config\.failureText/ },
    { given: { tools: "yes" }, says: /config\.tools must be true or false/ },
    { given: { deadlineMS: 5000 }, says: /config\.deadlineMS is not known \(did you mean deadlineMs\?\)/ },
    { given: { toString: "x" }, says: /config\.toString is not known/ },
    { given: { url: "ws://kb.example/ws", tokenFile: "/etc/t" }, says: /wss:\/\/ when a token is sent to another machine/ },
    { given: [], says: /config must be an object/ },
  ];
  for (const { given, says } of cases)
    await t.test(JSON.stringify(given), () => {
      const { faults } = readConfig(given);
      assert.equal(faults.length, 1);
      assert.match(faults[0], says);
    });
});

test("a deadline past the host's hook timeout is shortened to end before it", async (t) => {
  const cases = [
    { hooks: { timeoutMs: 10_000 }, deadlineMs: 9_000, why: "the general timeout counts" },
    { hooks: { timeoutMs: 60_000, timeouts: { reply_dispatch: 5_000 } }, deadlineMs: 4_000, why: "the hook's own goes before it" },
    { hooks: { timeouts: { agent_end: 2_000 } }, deadlineMs: 25_000, why: "another hook's does not count" },
    { hooks: { timeoutMs: 60_000 }, deadlineMs: 25_000, why: "a longer one changes nothing" },
  ];
  for (const { hooks, deadlineMs, why } of cases)
    await t.test(why, () => {
      const { config, faults } = readConfig({}, hooks);
      assert.equal(config.deadlineMs, deadlineMs);
      assert.deepEqual(faults, []);
    });
});

test("a hook timeout too short for any answer is a fault", () => {
  const { config, faults } = readConfig({}, { timeoutMs: 1_500 });
  assert.match(faults[0], /hooks timeout of 1500 ms for reply_dispatch is too short/);
  assert.ok(config.deadlineMs < 1_500);
});
