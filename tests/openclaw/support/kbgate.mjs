/** The real daemon over the demo's two knowledge bases, in a folder of its own. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

export const TOKEN = "a-token-for-tests-only-0123456789";

/** @returns {Promise<string>}  the workspace's folder */
export async function makeWorkspace() {
  const workspace = await mkdtemp(join(tmpdir(), "kbgate-openclaw-"));
  const script = '. "$root/tests/demo/workspace.sh"; make_workspace';
  await run("sh", ["-euc", script], { env: { ...process.env, root, workspace } });
  await writeFile(join(workspace, "token"), `${TOKEN}\n`);
  return workspace;
}

/** Changes a control file of the workspace. */
export async function edit(workspace, file, change) {
  const path = join(workspace, file);
  const object = JSON.parse(await readFile(path, "utf8"));
  change(object);
  await writeFile(path, JSON.stringify(object, null, 2));
}

export class Kbgate {
  /** @param {string} program  @param {string} workspace */
  static async start(program, workspace, { port = 0 } = {}) {
    await edit(workspace, "kbgate.json", (config) => {
      config.listen = { address: "127.0.0.1", port, token_file: "token" };
    });
    const daemon = new Kbgate();
    daemon.process = spawn(program, ["serve", "--config", workspace], { stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    daemon.process.stderr.on("data", (data) => (log += data));
    const lines = createInterface({ input: daemon.process.stdout });
    const [first] = await Promise.race([
      once(lines, "line"),
      once(daemon.process, "exit").then(() => {
        throw new Error(`kbgate did not start: ${log}`);
      }),
    ]);
    daemon.port = JSON.parse(first).port;
    daemon.url = `ws://127.0.0.1:${daemon.port}/ws`;
    daemon.log = () => log;
    return daemon;
  }

  /** @param {"SIGTERM"|"SIGKILL"} signal */
  async end(signal = "SIGTERM") {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill(signal);
    await once(this.process, "exit");
  }
}

export function removeWorkspace(workspace) {
  return rm(workspace, { recursive: true, force: true });
}
