#!/usr/bin/env python3
"""The questions of `./dev eval` put to what one would otherwise reach for: SQLite FTS5 (trigram), ripgrep and qmd.

    [QMD=FOLDER] tests/bench/compare_search.py REPOSITORY QUESTIONS.jsonl DETAILS

REPOSITORY is a git repository of Markdown pages, DETAILS what `kbgate eval --details` printed for it. Prints, for each
half of the questions, how often a gold page is first, among the first five and among the first ten, and how long a
search takes; then what each took to index and holds in memory. FTS5 and ripgrep get one document a page and an OR of
the question's parts: the AND that they default to finds nothing for a sentence. ripgrep ranks pages by how many
different words of the question they hold, then by how many lines do. qmd gets the question as it is, and again only its
content words one by one (pages that more of them find come first), because its keyword search takes nothing but an AND.
Only the Python standard library, git, rg if it is there, and qmd if QMD names the folder where
`npm install @tobilu/qmd` ran, with a node it accepts on PATH."""
import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import pathlib

STOP = set("""a about an and are as at be but by can could do does did for from get had has have how i if in into is it
its just me my no not of on or our so than that the their them then there they this to us was we were what when where
which who why will with would you your""".split())


def pages_of(repository):
    """path -> text of the Markdown pages at HEAD."""
    names = subprocess.run(["git", "-C", repository, "ls-tree", "-r", "-z", "--name-only", "HEAD"], check=True,
                           capture_output=True).stdout.decode().split("\0")
    wanted = [n for n in names if n.endswith(".md")]
    batch = subprocess.run(["git", "-C", repository, "cat-file", "--batch"], check=True, capture_output=True,
                           input="".join(f"HEAD:{n}\n" for n in wanted).encode()).stdout
    out, at = {}, 0
    for name in wanted:
        end = batch.index(b"\n", at)
        size = int(batch[at:end].split()[-1])
        out[name] = batch[end + 1:end + 1 + size].decode("utf-8", "replace")
        at = end + 2 + size
    return out


def words_of(question):
    """Latin words that say something, and pairs of Han characters."""
    words = {w.lower() for w in re.findall(r"[A-Za-z0-9_]{2,}", question)} - STOP
    for run in re.findall(r"[\u4e00-\u9fff]{2,}", question):
        words |= {run[i:i + 2] for i in range(len(run) - 1)}
    return sorted(words)


def write_pages(pages, folder):
    for path, text in pages.items():
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


class Fts5:
    name = "FTS5 trigram"

    def __init__(self, pages):
        start = time.perf_counter()
        self.db = sqlite3.connect(":memory:")
        self.db.execute("create virtual table page using fts5(path, body, tokenize='trigram')")
        self.db.executemany("insert into page values (?, ?)", pages.items())
        self.index_seconds = time.perf_counter() - start

    def find(self, question):
        text = re.sub(r"\s+", " ", question)
        parts = {text[i:i + 3] for i in range(len(text) - 2)}
        query = " OR ".join('"' + p.replace('"', '""') + '"' for p in sorted(parts))
        rows = self.db.execute("select path from page where page match ? order by rank limit 10", (query,))
        return [row[0] for row in rows]


class Ripgrep:
    name = "ripgrep"

    def __init__(self, pages):
        self.folder = tempfile.TemporaryDirectory()
        write_pages(pages, self.folder.name)

    def find(self, question):
        held = {}
        for word in words_of(question):
            out = subprocess.run(["rg", "-i", "-F", "--count", "--no-messages", "--", word, "."], cwd=self.folder.name,
                                 capture_output=True).stdout.decode()
            for line in out.splitlines():
                path, count = line.rsplit(":", 1)
                kinds, lines = held.get(path[2:], (0, 0))
                held[path[2:]] = (kinds + 1, lines + int(count))
        return sorted(held, key=lambda p: (-held[p][0], -held[p][1], p))[:10]


class Qmd:
    """qmd's keyword search in a process of its own, used as a library."""
    name = "qmd"

    def __init__(self, pages):
        self.folder = tempfile.TemporaryDirectory()
        write_pages(pages, self.folder.name)
        script = pathlib.Path(__file__).with_name("qmd_search.mjs")
        self.process = subprocess.Popen(["node", script, os.environ["QMD"], self.folder.name], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.index_seconds = self.heard()["index_seconds"]

    def heard(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("qmd ended; see above")
        return json.loads(line)

    def find(self, question):
        print(json.dumps(question), file=self.process.stdin, flush=True)
        return self.heard()["found"]

    def resident_mb(self):
        self.process.stdin.close()
        return self.heard()["resident_mb"]


class QmdByWords:
    name = "qmd, by words"

    def __init__(self, qmd):
        self.qmd = qmd

    def find(self, question):
        held = {}
        for word in words_of(question):
            for place, path in enumerate(self.qmd.find(word)):
                kinds, places = held.get(path, (0, 0))
                held[path] = (kinds + 1, places + place)
        return sorted(held, key=lambda p: (-held[p][0], held[p][1], p))[:10]


def rank_of(found, gold):
    return next((i + 1 for i, path in enumerate(found) if path in gold), 0)


def row(name, ranks, milliseconds):
    n = len(ranks)
    shares = [sum(1 for r in ranks if 0 < r <= k) / n for k in (1, 5, 10)]
    slow = sorted(milliseconds)[min(n - 1, n * 99 // 100)]
    return (f"  {name:14} {shares[0]:.3f} / {shares[1]:.3f} / {shares[2]:.3f} {statistics.median(milliseconds):8.1f}"
            f" {slow:8.1f}")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    pages = pages_of(sys.argv[1])
    questions = [q for q in map(json.loads, open(sys.argv[2], encoding="utf-8")) if q["answerable"]]
    objects = list(map(json.loads, open(sys.argv[3], encoding="utf-8")))
    details = {d["id"]: d for d in objects if "page_rank" in d}
    engines = [Fts5(pages)] + ([Ripgrep(pages)] if shutil.which("rg") else [])
    qmd = Qmd(pages) if "QMD" in os.environ else None
    if qmd:
        engines += [qmd, QmdByWords(qmd)]
    for half in ("odd", "even"):
        asked = [q for q in questions if int(q["id"][-1]) % 2 == (half == "odd")]
        print(f"{half}: {len(asked)} questions, {len(pages)} pages; first / 5 / 10, median and p99 ms")
        ours = [details[q["id"]] for q in asked]
        print(row("kbgate", [d["page_rank"] for d in ours], [d["took_us"] / 1000 for d in ours]))
        for engine in engines:
            ranks, took = [], []
            for q in asked:
                start = time.perf_counter()
                found = engine.find(q["question"])
                took.append((time.perf_counter() - start) * 1000)
                ranks.append(rank_of(found, q["gold_pages"]))
            print(row(engine.name, ranks, took))
    whole = objects[-1]
    print(f"index: kbgate {whole['index_seconds']:.2f} s, resident {whole['resident_kib'] / 1024:.0f} MiB; "
          f"{engines[0].name} {engines[0].index_seconds:.2f} s", end="")
    print(f"; qmd {qmd.index_seconds:.2f} s, resident {qmd.resident_mb():.0f} MB" if qmd else "")


if __name__ == "__main__":
    main()
