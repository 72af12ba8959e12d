// The commands of the query skill, taken from its text, run as an agent would run them. $KBGATE names the program.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { makeWorkspace, removeWorkspace } from "./support/kbgate.mjs";

const run = promisify(execFile);
const program = process.env.KBGATE;
const skip = program ? false : "no program: set KBGATE";
const SKILL = new URL("../../adapters/openclaw/skill/query_kb/SKILL.md", import.meta.url);
const VERBS = ["resolve_scope", "chat_context", "kb_list", "kb_read", "validate_answer", "log_query"];

const blocks = [...(await readFile(SKILL, "utf8")).matchAll(/```sh\n([^]*?)```/g)].map(([, code]) => code);
const commands = blocks.flatMap((code) => code.split("\n")).filter((line) => line.startsWith("kbgate "));

let workspace;
let bin;

before(async () => {
  if (skip) return;
  workspace = await makeWorkspace();
  bin = await mkdtemp(join(tmpdir(), "kbgate-bin-"));
  await symlink(program, join(bin, "kbgate"));
});

after(async () => {
  if (skip) return;
  await removeWorkspace(workspace);
  await rm(bin, { recursive: true });
});

test("the six verbs come in their order", () => {
  assert.deepEqual(commands.map((line) => line.split(" ")[1]), VERBS);
});

test("every option is one the verb has", { skip }, async () => {
  for (const line of commands) {
    const verb = line.split(" ")[1];
    const { stdout } = await run(program, [verb, "--help"]);
    for (const [option] of line.matchAll(/--[a-z_]+/g)) assert.ok(stdout.includes(option), `${verb} has no ${option}`);
  }
});

/** The blocks as one script: where the skill leaves a value open, the question's is set; an answer is written before the check. */
function scriptFor({ values, answer }) {
  let script = blocks.join("\n");
  for (const [name, value] of Object.entries(values)) script = script.replace(new RegExp(`^${name}=\\S+`, "m"), () => `${name}='${value}'`);
  return script.replace(/^jq -s/m, () => `cat >"$work/answer.md" <<'ANSWER'\n${answer}\nANSWER\njq -s`);
}

test("followed to the letter they answer a question, and the log has it", { skip }, async (t) => {
  try {
    await run("jq", ["--version"]);
  } catch {
    return t.skip("jq is not installed");
  }
  const question = "韩雪主持了什么？";
  const values = { SenderId: "ou_bob", ChatType: "group", GroupSubject: "oc_nlp", question, owner: "nlp", repo: "nlp-team-kb", page: "people/韩雪.md", hits: "people/韩雪.md" };
  const answer = "主持难负例对比实验，写了清洗脚本。\n\n来源：\n1. 《韩雪》（团队知识库）";
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, KBGATE_CONFIG: workspace };
  const script = scriptFor({ values, answer });
  await run("sh", ["-euc", script], { env });
  const { stdout } = await run(program, ["log", "export", "--config", workspace, "--owner", "nlp", "--repo", "nlp-team-kb"]);
  assert.equal(stdout.split("\n").filter((line) => line.includes(question)).length, 1);

  const invented = scriptFor({ values, answer: answer.replace("清洗脚本", "一本书") });
  await assert.rejects(run("sh", ["-euc", invented], { env }), { code: 5 });
});
