// The official MCP client lists and calls every tool over both transports.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const kbgate = process.env.KBGATE;
const dir = mkdtempSync(join(tmpdir(), 'kbgate-mcp-'));
let daemon;
let port;

/** One group bound to one team, whose knowledge base is a plain directory. */
function workspace() {
  const pages = {
    'concepts/cache.md': '# Cache\n\nThe cache keeps entries for 45 minutes, as the operations team decided.\n',
    'projects/atlas/README.md': '# atlas\n\nAtlas is the retrieval platform.\n',
  };
  for (const [path, text] of Object.entries(pages)) {
    mkdirSync(join(dir, 'kb', path, '..'), { recursive: true });
    writeFileSync(join(dir, 'kb', path), text);
  }
  const json = (name, value) => writeFileSync(join(dir, name), JSON.stringify(value));
  json('kbgate.json', {
    state_dir: 'state',
    repos: [{ owner: 'nlp', repo: 'kb', kind: 'team', dir: 'kb' }],
    listen: { address: '127.0.0.1', port: 0 },
  });
  json('users.json', { ou_a: { name: 'A', team_id: 't', role: 'member' } });
  json('teams.json', {
    t: { team_id: 't', team_name: 'T', team_kb_owner: 'nlp', team_kb_repo: 'kb', admins: ['ou_a'], members: ['ou_a'], projects: {} },
  });
  json('chat_bindings.json', { oc_1: { chat_id: 'oc_1', team_id: 't', team_kb_owner: 'nlp', team_kb_repo: 'kb' } });
}

before(async () => {
  workspace();
  daemon = spawn(kbgate, ['serve', '--config', dir], { stdio: ['ignore', 'pipe', 'ignore'] });
  port = await new Promise((resolve, reject) => {
    let text = '';
    daemon.once('exit', () => reject(new Error('the daemon did not start')));
    daemon.stdout.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(text.slice(0, end)).port);
    });
  });
});

after(() => {
  daemon?.kill('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
});

const calls = {
  kb_ask: [{ question: 'How long does the cache keep entries?' }, (r) => assert.match(r.answer, /45 minutes/)],
  kb_search: [{ query: 'cache entries' }, (r) => assert.equal(r.hits[0].path, 'concepts/cache.md')],
  kb_read: [{ path: 'concepts/cache' }, (r) => assert.match(r.content, /45 minutes/)],
  kb_list: [{}, (r) => assert.equal(r.success, true)],
  kb_query: [{ project_name: 'atlas', query_type: 'overview' }, (r) => assert.equal(r.status, 'success')],
  brain_query: [{ questions: ['How long?'], scope: 'cycles' }, (r) => assert.equal(r.answers[0].gap, true)],
  kb_chunks: [{ knowledgeBaseName: 'nlp/kb', query: 'cache entries' }, (r) => assert.match(r.chunks[0].content, /45 minutes/)],
  crystal_query_knowledge_base: [
    { knowledgeBaseName: 'nlp/kb', query: 'cache entries', limit: 1 },
    (r) => assert.equal(r.totalCount, 1),
  ],
  crystal_recall: [{ query: 'cache entries' }, (r) => assert.equal(r.chunks[0].metadata.knowledgeBase.name, 'nlp/kb')],
  crystal_list_knowledge_bases: [{}, (r) => assert.equal(r.knowledgeBases[0].name, 'nlp/kb')],
  crystal_search_messages: [{ query: 'cache' }, (r) => assert.deepEqual(r.messages, [])],
  kb_validate: [{ answer: 'No sources here.' }, (r) => assert.equal(r.valid, false)],
};

async function exercise(transport) {
  const client = new Client({ name: 'kbgate-test', version: '1' });
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, 'kbgate');
  const { tools } = await client.listTools();
  for (const tool of tools) {
    const [args, check] = calls[tool.name] ?? assert.fail(`no call for ${tool.name}`);
    const result = await client.callTool({ name: tool.name, arguments: args });
    assert.equal(result.isError, false, JSON.stringify(result));
    check(result.structuredContent);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  }
  assert.equal(tools.length, Object.keys(calls).length);
  const failed = await client.callTool({ name: 'kb_read', arguments: { path: 'nowhere' } });
  assert.equal(failed.isError, true);
  assert.equal(failed.structuredContent.error, 'page_not_found');
  await assert.rejects(client.callTool({ name: 'kb_nothing', arguments: {} }), /Unknown tool/);
  await client.ping();
  await client.close();
}

test('over stdio', async () => {
  const args = ['mcp', '--config', dir, '--sender_id', 'ou_a', '--chat_type', 'group', '--chat_id', 'oc_1'];
  await exercise(new StdioClientTransport({ command: kbgate, args, stderr: 'ignore' }));
});

test('over streamable HTTP', async () => {
  const headers = { 'X-Kbgate-Sender-Id': 'ou_a', 'X-Kbgate-Chat-Type': 'group', 'X-Kbgate-Chat-Id': 'oc_1' };
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await exercise(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
});

test('every call left its record', () => {
  const out = execFileSync(kbgate, ['log', 'export', '--config', dir], { encoding: 'utf8' });
  const asked = out.trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(asked.length >= 6);
  assert.ok(asked.every((record) => record.open_id === 'ou_a' && record.chat_id === 'oc_1'));
});
