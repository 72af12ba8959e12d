/** The real gateway with the real Feishu plugin and ours, on loopback, in a folder of its own. */
import { spawn, execFile } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const PLUGIN = fileURLToPath(new URL("../../../adapters/openclaw/plugin", import.meta.url));
const START_MS = 600_000; // about a minute alone on two cores; nice, beside others, much longer

export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export async function makeTls(folder) {
  const key = join(folder, "feishu-key.pem");
  const cert = join(folder, "feishu-cert.pem");
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  await run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, "-keyout", key, "-out", cert]);
  return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8"), certFile: cert };
}

export function makeFolder() {
  return mkdtemp(join(tmpdir(), "kbgate-gateway-"));
}

export class Gateway {
  /**
   * @param {string} cache  what install.sh filled
   * @param {string} folder  state, log and configuration of this gateway
   * @param {{port: number, modelUrl: string, feishuUrl: string, certFile: string,
   *   accounts: Record<string, object>}} world
   */
  constructor(cache, folder, world) {
    Object.assign(this, { cache, folder, world });
    this.token = "token-of-a-test-gateway";
  }

  async prepare() {
    await cp(join(this.cache, "state"), join(this.folder, "state"), { recursive: true, verbatimSymlinks: true });
    for (const name of ["home", "agent"]) await mkdir(join(this.folder, name), { recursive: true });
  }

  /** @param {{config?: object, enabled?: boolean, hooks?: object}} kbgate  this plugin's entry */
  async #configure({ config = {}, enabled = true, hooks }) {
    const { port, modelUrl, feishuUrl, accounts } = this.world;
    const stub = {
      id: "stub",
      name: "Stub",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 128_000,
      maxTokens: 4_096,
    };
    const of = ({ appId, webhookPort, encryptKey, verificationToken }) => ({ enabled: true, appId, appSecret: "secret", webhookPort, encryptKey, verificationToken });
    const settings = {
      // A file without this is taken for a broken one and replaced by the last good one.
      meta: { lastTouchedVersion: "2026.9.6", lastTouchedAt: new Date().toISOString() },
      gateway: { mode: "local", port, bind: "loopback", auth: { mode: "token", token: this.token }, controlUi: { enabled: false } },
      agents: { defaults: { workspace: join(this.folder, "agent"), model: { primary: "stub/stub" } } },
      models: { mode: "replace", providers: { stub: { baseUrl: modelUrl, apiKey: "stub", api: "openai-completions", models: [stub] } } },
      session: { dmScope: "per-account-channel-peer" },
      channels: {
        feishu: {
          enabled: true,
          domain: feishuUrl,
          connectionMode: "webhook",
          dmPolicy: "open",
          allowFrom: ["*"],
          groupPolicy: "open",
          requireMention: false,
          reactionNotifications: "off",
          renderMode: "raw",
          streaming: { mode: "off" },
          defaultAccount: "one",
          accounts: Object.fromEntries(Object.entries(accounts).map(([name, account]) => [name, of(account)])),
        },
      },
      plugins: {
        load: { paths: [PLUGIN] },
        entries: { feishu: { enabled: true }, kbgate: { enabled, ...(hooks && { hooks }), config } },
      },
    };
    await writeFile(join(this.folder, "state", "openclaw.json"), JSON.stringify(settings, null, 1));
  }

  async start(kbgate) {
    await this.#configure(kbgate);
    // On a machine that is too busy the gateway gives itself up after five seconds of one of its own steps.
    for (let tries = 3; ; tries -= 1) {
      this.logStart = (await this.log()).length;
      this.#spawn();
      if (await this.#ready()) return;
      await this.end("SIGKILL");
      if (tries > 1) continue;
      const log = await this.log();
      throw new Error(`the gateway did not start:\n${log.slice(-3_000)}`);
    }
  }

  #spawn() {
    const bin = join(this.cache, "node", "node_modules", ".bin");
    const state = join(this.folder, "state");
    this.process = spawn("nice", ["-n", process.env.KBGATE_OPENCLAW_NICE ?? "10", join(bin, "node"), join(this.cache, "oc", "node_modules", "openclaw", "openclaw.mjs"), "gateway", "run"], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        LANG: "C.UTF-8",
        HOME: join(this.folder, "home"),
        TMPDIR: this.folder,
        OPENCLAW_STATE_DIR: state,
        OPENCLAW_CONFIG_PATH: join(state, "openclaw.json"),
        OPENCLAW_DISABLE_BONJOUR: "1",
        OPENCLAW_NO_AUTO_UPDATE: "1",
        OPENCLAW_OFFLINE: "1",
        NODE_EXTRA_CA_CERTS: this.world.certFile,
      },
    });
    const log = createWriteStream(join(this.folder, "gateway.log"), { flags: "a" });
    this.process.stdout.pipe(log);
    this.process.stderr.pipe(log);
  }

  /** False when it ended or took too long. */
  async #ready() {
    const webhooks = Object.values(this.world.accounts).map(({ webhookPort }) => `http://127.0.0.1:${webhookPort}/`);
    const answers = async (url, good) => {
      try {
        return good(await fetch(url));
      } catch {
        return false;
      }
    };
    for (const end = Date.now() + START_MS; Date.now() < end; await pause(250)) {
      if (this.#ended() || (await this.#logged()).includes("Gateway failed to start")) return false;
      const up = await Promise.all([
        answers(`http://127.0.0.1:${this.world.port}/readyz`, (r) => r.ok),
        ...webhooks.map((url) => answers(url, () => true)), // any answer: it listens
      ]);
      if (up.every(Boolean) && (await this.#knowsItsBots())) return true;
    }
    return false;
  }

  /** Until the Feishu plugin knows its own ids no message mentions it; on a busy machine it needs a second try. */
  async #knowsItsBots() {
    const log = await this.#logged();
    const known = (name) => new RegExp(`feishu\\[${name}\\]: bot open_id (resolved: ou_|recovered via background retry: ou_|loaded from cache)`);
    return Object.keys(this.world.accounts).every((name) => known(name).test(log));
  }

  /** @param {"SIGTERM"|"SIGKILL"} signal */
  async end(signal = "SIGTERM") {
    if (this.process === undefined || this.#ended()) return;
    this.process.kill(signal);
    await once(this.process, "exit");
  }

  #ended() {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Since the last start. */
  async #logged() {
    return (await this.log()).slice(this.logStart);
  }

  async log() {
    return readFile(join(this.folder, "gateway.log"), "utf8").catch(() => "");
  }

  remove() {
    return rm(this.folder, { recursive: true, force: true });
  }
}
