// A worker of compare_search.py: qmd's keyword search (BM25, no model) as a library, in a process of its own.
// usage: node qmd_search.mjs QMD_FOLDER PAGES   QMD_FOLDER: where `npm install @tobilu/qmd` ran; PAGES: a folder of Markdown.
// Prints {"index_seconds"} when it has indexed, then for each question, a JSON string a line, {"found": [path…], "ms"},
// and at the end of its input {"resident_mb"}.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, pages] = process.argv.slice(2);
const { createStore } = await import(pathToFileURL(join(folder, "node_modules/@tobilu/qmd/dist/index.js")));
const scratch = mkdtempSync(join(tmpdir(), "qmd-"));
const say = (object) => console.log(JSON.stringify(object));

const store = await createStore({
  dbPath: join(scratch, "index.sqlite"),
  config: { collections: { kb: { path: pages, pattern: "**/*.md" } } },
});
const start = performance.now();
await store.update();
say({ index_seconds: (performance.now() - start) / 1000 });

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  const from = performance.now();
  const hits = await store.searchLex(question, { limit: 10 });
  const ms = performance.now() - from;
  say({ found: hits.map((hit) => hit.filepath.replace(/^qmd:\/\/[^/]+\//, "")), ms });
}
say({ resident_mb: process.memoryUsage().rss / 1e6 });
await store.close();
rmSync(scratch, { recursive: true, force: true });
