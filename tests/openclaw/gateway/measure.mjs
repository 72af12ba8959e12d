// From a message's arrival at the gateway to its reply at Feishu: kbgate against a stand-in that answers at once, in turns,
// through the same gateway. usage: measure.mjs [COUNT]   Run by ../gateway.sh.
import { setTimeout as pause } from "node:timers/promises";
import { edit } from "../support/kbgate.mjs";
import { endWorld, makeWorld } from "./world.mjs";

const count = Number(process.argv[2] ?? 100);
const PACE_MS = 600; // the webhook takes 120 requests a minute
const STAND_IN = "stand-in, please";
const QUESTIONS = ["混合来源的难负例 nDCG@10 是多少？", "韩雪负责什么？", "How long does the reranker take at the 95th percentile?", "法国的首都是哪里？"];

const world = await makeWorld(process.env.KBGATE, process.env.KBGATE_OPENCLAW_CACHE, (workspace) =>
  edit(workspace, "kbgate.json", (config) => {
    config.limits = { questions_per_user_per_minute: 1_000 };
  }),
);
const { feishu, relay } = world;

relay.standIn = (frame, peer) => {
  if (frame.text !== STAND_IN) return false;
  peer.say({ type: "ack", id: frame.id });
  peer.say({ type: "answer", id: frame.id, outcome: "answered", text: "as said", sources: [], query_id: "q" });
  return true;
};

async function once(text) {
  await pause(PACE_MS);
  const start = performance.now();
  const id = await feishu.say({ text });
  return (await feishu.replyTo(id)).at - start;
}

const at = (sorted, share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return { n: sorted.length, median_ms: at(sorted, 0.5), p95_ms: at(sorted, 0.95) };
}

try {
  await world.gateway.start(world.settings());
  for (let i = 0; i < 10; i += 1) await once(i % 2 === 0 ? STAND_IN : QUESTIONS[0]); // names looked up, code warm
  const standIn = [];
  const kbgate = [];
  for (let i = 0; i < count; i += 1) {
    standIn.push(await once(STAND_IN));
    kbgate.push(await once(QUESTIONS[i % QUESTIONS.length]));
  }
  console.log(JSON.stringify({ stand_in: summary(standIn), kbgate: summary(kbgate), daemon: summary(relay.took.slice(-count)) }));
} finally {
  await endWorld(world);
}
