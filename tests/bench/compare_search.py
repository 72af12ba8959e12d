#!/usr/bin/env python3
"""The questions of `./dev eval` put to what one would otherwise reach for: SQLite FTS5 (trigram) and ripgrep.

    tests/bench/compare_search.py REPOSITORY QUESTIONS.jsonl DETAILS

REPOSITORY is a git repository of Markdown pages, DETAILS what `kbgate eval --details` printed for it. Prints, for each
half of the questions, how often a gold page is first, among the first five and among the first ten, and how long a
search takes. Both get one document a page and an OR of the question's parts: the AND that they default to finds
nothing for a sentence. ripgrep ranks pages by how many different words of the question they hold, then by how many
lines do. Only the Python standard library, git, and rg if it is there."""
import json
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


class Fts5:
    name = "FTS5 trigram"

    def __init__(self, pages):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("create virtual table page using fts5(path, body, tokenize='trigram')")
        self.db.executemany("insert into page values (?, ?)", pages.items())

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
        for path, text in pages.items():
            file = pathlib.Path(self.folder.name) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def find(self, question):
        words = {w.lower() for w in re.findall(r"[A-Za-z0-9_]{2,}", question)} - STOP
        for run in re.findall(r"[\u4e00-\u9fff]{2,}", question):
            words |= {run[i:i + 2] for i in range(len(run) - 1)}
        held = {}
        for word in sorted(words):
            out = subprocess.run(["rg", "-i", "-F", "--count", "--no-messages", "--", word, "."], cwd=self.folder.name,
                                 capture_output=True).stdout.decode()
            for line in out.splitlines():
                path, count = line.rsplit(":", 1)
                kinds, lines = held.get(path[2:], (0, 0))
                held[path[2:]] = (kinds + 1, lines + int(count))
        return sorted(held, key=lambda p: (-held[p][0], -held[p][1], p))[:10]


def rank_of(found, gold):
    return next((i + 1 for i, path in enumerate(found) if path in gold), 0)


def row(name, ranks, milliseconds):
    n = len(ranks)
    shares = [sum(1 for r in ranks if 0 < r <= k) / n for k in (1, 5, 10)]
    took = f"{statistics.median(milliseconds):8.1f}" if milliseconds else "       -"
    return f"  {name:14} {shares[0]:.3f} / {shares[1]:.3f} / {shares[2]:.3f} {took}"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    pages = pages_of(sys.argv[1])
    questions = [q for q in map(json.loads, open(sys.argv[2], encoding="utf-8")) if q["answerable"]]
    details = {d["id"]: d for d in map(json.loads, open(sys.argv[3], encoding="utf-8")) if "page_rank" in d}
    engines = [Fts5(pages)] + ([Ripgrep(pages)] if shutil.which("rg") else [])
    for half in ("odd", "even"):
        asked = [q for q in questions if int(q["id"][-1]) % 2 == (half == "odd")]
        print(f"{half}: {len(asked)} questions, {len(pages)} pages; first / 5 / 10, median ms")
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


if __name__ == "__main__":
    main()
