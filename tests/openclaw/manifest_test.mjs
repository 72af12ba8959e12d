import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { readConfig } from "../../adapters/openclaw/plugin/config.js";
import { CLIENT_VERSION } from "../../adapters/openclaw/plugin/frames.js";
import { Host } from "./support/host.mjs";

const read = async (name) => JSON.parse(await readFile(new URL(`../../adapters/openclaw/plugin/${name}`, import.meta.url), "utf8"));
const manifest = await read("openclaw.plugin.json");
const pack = await read("package.json");

test("the host is told of every tool, and of no other", () => {
  assert.deepEqual([...manifest.contracts.tools].sort(), [...new Host({}).tools.keys()].sort());
});

test("the manifest describes every setting, and lets faulty ones reach the plugin's own check", () => {
  assert.deepEqual(Object.keys(manifest.configSchema.properties), Object.keys(readConfig({}).config));
  assert.equal(manifest.configSchema.additionalProperties, undefined);
  for (const property of Object.values(manifest.configSchema.properties)) assert.deepEqual(Object.keys(property), ["description"]);
});

test("there is one name, one version, and no dependency", () => {
  assert.equal(pack.name, manifest.id);
  assert.equal(manifest.version, CLIENT_VERSION);
  assert.equal(pack.version, CLIENT_VERSION);
  assert.equal(pack.dependencies, undefined);
});
