// The official Node SDK as a client of `kbgate sim feishu`: what the SDK understands and does is how the platform behaves.
// usage: node check.mjs KBGATE EVENTS   One line a check; exit code 0 when all hold.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';

const Lark = createRequire(import.meta.url)('@larksuiteoapi/node-sdk');
const [program, events] = process.argv.slice(2);
const quiet = Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error'].map((level) => [level, () => {}]));
const LIMIT_MS = 20_000;

let failed = 0;
function check(name, holds, detail = '') {
  if (!holds) failed += 1;
  console.log(`${holds ? 'pass' : 'FAIL'}  ${name}${holds || detail === '' ? '' : `: ${JSON.stringify(detail)}`}`);
}

async function until(holds) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await new Promise((r) => { setTimeout(r, 20); })) {
    const found = await holds();
    if (found) return found;
  }
  return null;
}

const platform = spawn(program, ['sim', 'feishu', '--events', events], { stdio: ['ignore', 'pipe', 'inherit'] });
process.on('exit', () => platform.kill('SIGKILL'));
const lines = createInterface({ input: platform.stdout });
const ready = JSON.parse(await new Promise((first, gone) => {
  lines.once('line', first);
  platform.once('error', gone);
  platform.once('exit', (code) => gone(new Error(`the simulator ended with ${code}`)));
}));

async function read(name) {
  return (await fetch(`${ready.base}/_sim/${name}`)).json();
}
async function act(name, body = {}) {
  const response = await fetch(`${ready.base}/_sim/${name}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  return response.json();
}
async function wait(name, filter, count = 1) {
  const response = await fetch(`${ready.base}/_sim/wait`, {
    method: 'POST', body: JSON.stringify({ for: name, filter, count, timeout_ms: LIMIT_MS }),
  });
  return (await response.json()).items;
}
// What a call was answered with; the SDK throws for a refusal.
const answer = (call) => call.catch((error) => error.response?.data ?? { code: error.message });
const settled = async (sent) => (await wait('settled', { id: sent.delivery }))[0]?.status;

await act('endpoint', { client_config: { ReconnectCount: -1, ReconnectInterval: 1, ReconnectNonce: 0, PingInterval: 120 } });

const app = { appId: ready.app_id, appSecret: ready.app_secret, domain: ready.base, logger: quiet };
const client = new Lark.Client({ ...app, cache: new Lark.DefaultCache() });
const heard = [];
let answering = () => undefined;
const dispatcher = new Lark.EventDispatcher({ logger: quiet }).register({
  'im.message.receive_v1': async (data) => { heard.push(data); return answering(data); },
  'card.action.trigger': async (data) => { heard.push(data); return answering(data); },
});
const seen = { ready: 0, reconnected: 0 };
const socket = new Lark.WSClient({
  ...app, onReady: () => { seen.ready += 1; }, onReconnected: () => { seen.reconnected += 1; },
});
socket.start({ eventDispatcher: dispatcher });
check('connects', await until(() => seen.ready === 1));
check('pings at once', (await wait('pings', {})).length === 1);

const text = await act('event', { file: 'text_group_at_bot.json', fresh: true });
check('acknowledges an event', await settled(text) === 'acked');
check('receives it as it was sent', heard.at(-1)?.message?.message_id === text.message_id);

const parts = await act('event', { file: 'text_p2p_specials.json', fresh: true, fragments: 5, fragment_order: [4, 2, 0, 3, 1] });
check('joins an event in five parts', await settled(parts) === 'acked' && heard.at(-1)?.message?.message_id === parts.message_id);
check('acknowledges it once', (await read('acks')).filter((ack) => ack.delivery === parts.delivery).length === 1);

const reply = await answer(client.im.v1.message.reply({
  path: { message_id: text.message_id }, data: { msg_type: 'text', content: JSON.stringify({ text: '答案' }), uuid: 'u-1' },
}));
check('replies', reply.code === 0 && reply.data?.parent_id === text.message_id, reply);
const again = await answer(client.im.v1.message.reply({
  path: { message_id: text.message_id }, data: { msg_type: 'text', content: JSON.stringify({ text: '答案' }), uuid: 'u-1' },
}));
check('repeats a reply without a second message', again.data?.message_id === reply.data?.message_id && (await read('messages')).length === 1);

const card = { schema: '2.0', body: { elements: [{ tag: 'button', text: { tag: 'plain_text', content: '有用' }, behaviors: [{ type: 'callback', value: { vote: 'up' } }] }] } };
const shown = await answer(client.im.v1.message.reply({ path: { message_id: text.message_id }, data: { msg_type: 'interactive', content: JSON.stringify(card) } }));
check('sends a card', shown.code === 0, shown);
const done = { schema: '2.0', body: { elements: [{ tag: 'markdown', content: '谢谢' }] } };
answering = () => ({ toast: { type: 'success', content: '收到' }, card: { type: 'raw', data: done } });
const click = await act('click', { vote: 'up' });
check('answers a click', await settled(click) === 'acked');
const [clicked] = (await wait('clicks', { answered: true }));
check('with a toast and another card', clicked?.answer?.toast?.content === '收到' && clicked.card_applied && clicked.shown_error === 0, clicked);
answering = () => undefined;
const patched = await answer(client.im.v1.message.patch({ path: { message_id: shown.data?.message_id }, data: { content: JSON.stringify(card) } }));
check('patches a card', patched.code === 0, patched);

const reaction = await answer(client.im.v1.messageReaction.create({ path: { message_id: text.message_id }, data: { reaction_type: { emoji_type: 'Typing' } } }));
const removed = await answer(client.im.v1.messageReaction.delete({ path: { message_id: text.message_id, reaction_id: reaction.data?.reaction_id } }));
check('adds and removes a reaction', removed.code === 0, removed);
const chat = await answer(client.im.v1.chat.get({ path: { chat_id: 'oc_96000000000000000000000000000001' } }));
check('reads a chat', chat.data?.chat_mode === 'group', chat);
const user = await answer(client.contact.v3.user.get({ path: { user_id: 'ou_a11ce000000000000000000000000001' }, params: { user_id_type: 'open_id' } }));
check('reads a user', user.data?.user?.name === '李雷', user);
check('with one token for all', (await read('state')).token_issues === 1);

await act('recall', { message_id: text.message_id });
const refused = await answer(client.im.v1.message.reply({ path: { message_id: text.message_id }, data: { msg_type: 'text', content: '{"text":"x"}' } }));
check('hears that a question was withdrawn', refused?.code === 230011, refused);

let throws = true;
answering = () => { if (throws) { throws = false; throw new Error('not now'); } };
const twice = await act('event', { file: 'text_p2p.json', fresh: true, redeliver_ms: [0] });
check('gets again what it failed at', await settled(twice) === 'acked');
check('under the same ids', heard.at(-1).event_id === twice.event_id && heard.at(-2).event_id === twice.event_id);

for (const mode of ['terminate', 'close', 'rst']) {
  const before = seen.reconnected;
  await act('drop', { mode });
  check(`comes back after ${mode}`, await until(() => seen.reconnected === before + 1));
}
for (const [name, refusal] of [['discovery', { code: 1000040343, msg: 'internal error' }], ['handshake', { status: 514, msg: 'auth failed' }]]) {
  const before = seen.reconnected;
  await act(name === 'discovery' ? 'endpoint' : 'handshake', { ...refusal, times: 1 });
  await act('drop');
  check(`comes back after a refused ${name}`, await until(() => seen.reconnected === before + 1));
}
const last = await act('event', { file: 'text_p2p.json', fresh: true });
check('and receives events as before', await settled(last) === 'acked');
const violations = await read('violations');
check('without a violation', violations.length === 0, violations);

socket.close({ force: true });
platform.removeAllListeners('exit');
platform.kill('SIGTERM');
const code = await new Promise((ended) => { platform.once('exit', ended); });
check('the simulator ends when it is told to', code === 0, code);
console.log(failed === 0 ? 'all hold' : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
