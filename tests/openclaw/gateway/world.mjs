/** Everything around one gateway: Feishu, model, daemon, the relay before it. */
import { join } from "node:path";
import { Feishu } from "../fake_feishu.mjs";
import { Kbgate, makeWorkspace, removeWorkspace } from "../support/kbgate.mjs";
import { Model } from "./fake_model.mjs";
import { freePorts, Gateway, makeFolder, makeTls } from "./gateway.mjs";
import { Relay } from "./relay.mjs";

/**
 * @param {string} program  kbgate
 * @param {string} cache  what install.sh filled
 * @param {(workspace: string) => Promise<void>} [arrange]  before the daemon starts
 */
export async function makeWorld(program, cache, arrange = async () => {}) {
  const folder = await makeFolder();
  const tls = await makeTls(folder);
  const [port, ...webhooks] = await freePorts(3);
  const account = (name, webhookPort) => ({ appId: `cli_${name}`, webhookPort, encryptKey: `key-${name}`, verificationToken: `verify-${name}` });
  const accounts = { one: account("one", webhooks[0]), two: account("two", webhooks[1]) };

  const world = { program, workspace: await makeWorkspace() };
  await arrange(world.workspace);
  world.daemon = await Kbgate.start(program, world.workspace);
  world.relay = await Relay.start(() => world.daemon.url);
  world.model = await Model.start();
  world.feishu = await Feishu.start(tls, accounts);
  world.gateway = new Gateway(cache, folder, { port, modelUrl: world.model.url, feishuUrl: world.feishu.url, certFile: tls.certFile, accounts });
  await world.gateway.prepare();
  world.settings = (more) => ({ config: { url: world.relay.url, tokenFile: join(world.workspace, "token"), ...more } });
  return world;
}

export async function endWorld(world, { keep = false } = {}) {
  await world.gateway.end();
  await world.feishu.stop();
  await world.model.stop();
  await world.relay.stop();
  await world.daemon.end();
  await removeWorkspace(world.workspace);
  if (!keep) await world.gateway.remove();
}
