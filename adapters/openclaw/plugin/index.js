/** The OpenClaw plugin of kbgate: a hook that answers, tools that look up, one link to the daemon. */
import { readConfig } from "./config.js";
import { shared } from "./shared.js";
import { toolFactories } from "./tools.js";
import { replyDispatch } from "./turn.js";

const ID = "kbgate";

export default {
  id: ID,
  name: "kbgate",
  description: "Answers admitted chat messages from git-backed knowledge bases through the kbgate daemon.",

  register(api) {
    const hooks = api.config?.plugins?.entries?.[ID]?.hooks;
    const { config, faults, notes } = readConfig(api.pluginConfig, hooks);
    const log = { info: (message) => api.logger.info(message), warn: (message) => api.logger.warn(message) };
    const state = shared();
    const hostKnows = (text, cfg) => api.runtime?.channel?.text?.hasControlCommand?.(text, cfg) === true;
    const plugin = { config, faults, log, hostKnows, state };

    api.registerService({
      id: "kbgate-link",
      start() {
        for (const note of notes) log.info(`kbgate: ${note}`);
        for (const fault of faults) log.warn(`kbgate: ${fault}; no question is answered until this is mended`);
        if (faults.length === 0) state.link.start(config, log);
      },
      stop() {
        state.link.stop();
      },
    });
    // Before other plugins: the first that claims a turn has it.
    api.on("reply_dispatch", replyDispatch(plugin), { priority: 100 });
    if (!config.tools) return;
    for (const { name, factory } of toolFactories(plugin)) api.registerTool(factory, { name });
  },
};
