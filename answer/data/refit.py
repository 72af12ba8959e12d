#!/usr/bin/env python3
"""Refits the outcome model of answer/confidence.cpp and reports it on questions it has not seen.

    kbgate eval --config KB --questions SET.jsonl --details > SET.details
    kbgate eval --config KB --questions answer/data/offtopic.jsonl --details > SET.off.details
    answer/data/refit.py [--write] [--curve FILE] SET.details SET.off.details ...

Two logistic regressions, both fitted on questions whose id ends in an odd number and reported on the even ones:
claim   a right page is among the passages an answer would show (answerable questions against all others);
topic   the question is about this knowledge base at all (answerable questions against off-topic ones).
--write renews outcome_model.json and outcome_model.inc beside this script. --curve writes risk against coverage of the
even half as FILE.csv and FILE.svg. Also printed: how each knowledge base fares when it is left out of the fit.
Only the Python standard library."""
import argparse
import json
import math
import os

CLAIM = [("best_window", 1), ("page", 1), ("margin", 0.6), ("over_rest", 1), ("heaviest_missing", 1), ("agrees", 1),
         ("words", 2.2), ("concentration", 1)]
TOPIC = [("best_passage", 1), ("page", 1), ("topic", 1), ("unknown", 1), ("heaviest_missing", 1), ("words", 2.2),
         ("top_score", 1), ("names_page", 1), ("owned", 1), ("english", 1)]
L2 = 0.1            # of standardised weights, times the number of questions
UNANSWERABLE = 2.0   # a claim where there is no answer is the worse fault
MIN_COVERAGE = 0.35  # hard stops, as in confidence.cpp
MAX_MISSING = 0.25
MIN_TOPIC_COVERAGE = 0.2
RIGHT = 0.88         # of the claims on the odd half; a single one is four points of it
UNANSWERABLE_CLAIMED = 0.06
REFUSED = 0.04       # needless plain refusals that are accepted on the odd half
OFF_TOPIC_SPARE = 1.0  # a claim must be this much further on topic than "closest pages"


def read(path):
    rows = []
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if "evidence" not in row:
            continue
        row["kb"] = os.path.basename(path).split(".")[0]
        row["odd"] = row["id"][-1:] in "13579"
        row["off_topic"] = row["id"].startswith("off-")
        row["right"] = any(place.split("#L")[0] in row["gold_pages"] for place in row["excerpts"])
        rows.append(row)
    return rows


def values(row, features):
    return [min(float(row["evidence"][name]), cap) for name, cap in features]


def solve(matrix, vector):
    """Gauss with partial pivoting."""
    n = len(vector)
    rows = [matrix[i][:] + [vector[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= factor * rows[i][c]
    out = [0.0] * n
    for i in reversed(range(n)):
        out[i] = (rows[i][n] - sum(rows[i][c] * out[c] for c in range(i + 1, n))) / rows[i][i]
    return out


def fit(rows, features, label, weight):
    """Newton's method on standardised features; returns the bias and the weights of the raw ones."""
    data = [values(row, features) for row in rows]
    labels = [float(label(row)) for row in rows]
    weights = [weight(row) for row in rows]
    n = len(features)
    mean = [sum(d[j] for d in data) / len(data) for j in range(n)]
    spread = [max(1e-6, math.sqrt(sum((d[j] - mean[j]) ** 2 for d in data) / len(data))) for j in range(n)]
    points = [[1.0] + [(d[j] - mean[j]) / spread[j] for j in range(n)] for d in data]
    theta = [0.0] * (n + 1)
    ridge = L2 * len(rows)
    for _ in range(12):
        gradient = [0.0] * (n + 1)
        hessian = [[0.0] * (n + 1) for _ in range(n + 1)]
        for x, y, w in zip(points, labels, weights):
            p = 1 / (1 + math.exp(-max(-30.0, min(30.0, sum(a * b for a, b in zip(theta, x))))))
            for i in range(n + 1):
                gradient[i] += w * (y - p) * x[i]
                for j in range(i + 1):
                    hessian[i][j] += w * p * (1 - p) * x[i] * x[j]
        for i in range(n + 1):
            for j in range(i):
                hessian[j][i] = hessian[i][j]
            penalty = ridge if i > 0 else 1e-6
            gradient[i] -= penalty * theta[i]
            hessian[i][i] += penalty
        theta = [a + b for a, b in zip(theta, solve(hessian, gradient))]
    raw = [theta[j + 1] / spread[j] for j in range(n)]
    return theta[0] - sum(raw[j] * mean[j] for j in range(n)), raw


def score(row, model, features):
    bias, weights = model
    return bias + sum(w * v for w, v in zip(weights, values(row, features)))


def fit_claim(rows):
    chosen = [r for r in rows if not r["off_topic"]]
    return fit(chosen, CLAIM, lambda r: r["answerable"] and r["right"],
               lambda r: 1.0 if r["answerable"] else UNANSWERABLE)


def fit_topic(rows):
    chosen = [r for r in rows if r["off_topic"] or r["answerable"]]
    off = sum(r["off_topic"] for r in chosen)
    balance = off / max(1, len(chosen) - off)
    return fit(chosen, TOPIC, lambda r: r["answerable"], lambda r: 1.0 if r["off_topic"] else balance)


def mere_mention(e):
    """What confidence.cpp asks of a short question before it makes a claim."""
    if e["names_page"] or e["owned"] or e["words"] >= 1.7:
        return False
    return e["words"] < 1.25 or (e["topic"] < 0.22 and (e["words"] < 1.5 or e["best_unit"] < 0.95))


def stopped(row):
    e = row["evidence"]
    return (e["no_content_word"] or e["lacks_number"] or e["best_passage"] < MIN_COVERAGE or
            e["heaviest_missing"] > MAX_MISSING or mere_mention(e))


def on_topic(row, t0):
    e = row["evidence"]
    return not e["no_content_word"] and e["best_passage"] >= MIN_TOPIC_COVERAGE and row["topic_score"] >= t0


def place(rows, claim, topic):
    for row in rows:
        row["topic_score"] = score(row, topic, TOPIC)
        row["claim_score"] = score(row, claim, CLAIM)


def claims(row, t1, t0):
    return not stopped(row) and row["claim_score"] >= t1 and row["topic_score"] >= t0 + OFF_TOPIC_SPARE


def shares(rows, t1, t0):
    asked = [r for r in rows if not r["off_topic"]]
    answerable = [r for r in asked if r["answerable"]]
    others = [r for r in asked if not r["answerable"]]
    off = [r for r in rows if r["off_topic"]]
    made = [r for r in answerable if claims(r, t1, t0)]
    part = lambda some, all_: len(some) / len(all_) if all_ else 0.0
    return {"claimed": part(made, answerable), "right": part([r for r in made if r["right"]], made),
            "unanswerable_claimed": part([r for r in others if claims(r, t1, t0)], others),
            "refused": part([r for r in answerable if not on_topic(r, t0)], answerable),
            "off_topic_claimed": part([r for r in off if claims(r, t1, t0)], off),
            "off_topic_shown": part([r for r in off if on_topic(r, t0)], off)}


def choose_t0(rows):
    """As high as the accepted share of needless refusals allows."""
    scores = sorted(r["topic_score"] for r in rows if r["answerable"])
    return round(scores[int(REFUSED * len(scores))] - 0.01, 2)


def choose_t1(rows, t0):
    """As low as the claims stay right."""
    best = None
    for step in range(60, -1, -1):
        t1 = step / 20
        got = shares([r for r in rows if not r["off_topic"]], t1, t0)
        if got["right"] >= RIGHT and got["unanswerable_claimed"] <= UNANSWERABLE_CLAIMED and got["claimed"] > 0:
            best = t1
    return best if best is not None else 3.0


def line(name, got):
    return name.ljust(26) + "  ".join(f"{key} {value:.3f}" for key, value in got.items())


def curve(rows, t0):
    """Risk (claims on a wrong page) and unanswerable claimed against coverage, from the surest claim on."""
    asked = [r for r in rows if not r["off_topic"]]
    answerable = sum(r["answerable"] for r in asked)
    others = len(asked) - answerable
    out = []
    made = wrong = false = 0
    for row in sorted((r for r in asked if claims(r, -math.inf, t0)), key=lambda r: -r["claim_score"]):
        if row["answerable"]:
            made += 1
            wrong += not row["right"]
        else:
            false += 1
        out.append((row["claim_score"], made / answerable, wrong / max(1, made), false / max(1, others)))
    return out


def write_curve(points, base):
    with open(base + ".csv", "w", encoding="utf-8") as out:
        out.write("threshold,answerable_claimed,claims_on_a_wrong_page,unanswerable_claimed\n")
        for point in points:
            out.write(",".join(f"{v:.4f}" for v in point) + "\n")
    at = lambda x, y: f"{60 + 500 * x:.1f},{320 - 280 * y / 0.5:.1f}"
    paths = [(2, "#b3261e", "claims on a wrong page"), (3, "#1a5fb4", "unanswerable claimed")]
    svg = ['<svg xmlns="http://www.w3.org/2000/svg" width="600" height="370" font-family="sans-serif" font-size="12">',
           '<path d="M60 40V320H560" fill="none" stroke="#333"/>']
    for tick in range(6):
        svg.append(f'<text x="{60 + 100 * tick}" y="338" text-anchor="middle">{tick / 5:.1f}</text>')
        svg.append(f'<text x="52" y="{324 - 56 * tick}" text-anchor="end">{tick / 10:.1f}</text>')
    svg.append('<text x="310" y="358" text-anchor="middle">answerable questions answered with a claim</text>')
    for i, (column, colour, name) in enumerate(paths):
        points_at = " ".join(at(p[1], min(0.5, p[column])) for p in points)
        svg.append(f'<polyline points="{points_at}" fill="none" stroke="{colour}" stroke-width="2"/>')
        svg.append(f'<text x="70" y="{52 + 16 * i}" fill="{colour}">{name}</text>')
    with open(base + ".svg", "w", encoding="utf-8") as out:
        out.write("\n".join(svg + ["</svg>", ""]))


def write_model(folder, claim, topic, thresholds, report):
    def named(model, features):
        return {"bias": round(model[0], 3), "weights": {n: round(w, 3) for (n, _), w in zip(features, model[1])},
                "caps": {n: cap for n, cap in features if cap != 1}}
    model = {"fitted_by": "answer/data/refit.py",
             "data": "odd ids of three sets of 60 questions over public Markdown handbooks (zh-TW, zh, en) and of "
                     "offtopic.jsonl asked of each",
             "claim": named(claim, CLAIM), "topic": named(topic, TOPIC), "thresholds": thresholds,
             "off_topic_spare": OFF_TOPIC_SPARE,
             "report": report}
    with open(os.path.join(folder, "outcome_model.json"), "w", encoding="utf-8") as out:
        json.dump(model, out, indent=2, ensure_ascii=False)
        out.write("\n")
    with open(os.path.join(folder, "outcome_model.inc"), "w", encoding="utf-8") as out:
        out.write("// Written by answer/data/refit.py; outcome_model.json says from what. Included by confidence.cpp.\n")
        for name, fitted, features in (("Claim", claim, CLAIM), ("Topic", topic, TOPIC)):
            out.write(f"constexpr float k{name}Bias = {fitted[0]:.3f}f;\n")
            out.write(f"constexpr auto k{name}Weights = std::to_array<Weight>({{\n")
            for (feature, cap), weight in zip(features, fitted[1]):
                out.write(f"    {{[](Evidence const& e) {{ return static_cast<float>(e.{feature}); }}, "
                          f"{cap:.1f}f, {weight:.3f}f}},\n")
            out.write("});\n")
        for language in ("zh", "en"):
            t = thresholds[language]
            out.write(f"constexpr Thresholds k{language.capitalize()}{{{t['topic']:.2f}f, {t['claim']:.2f}f}};\n")
        out.write(f"constexpr float kClaimSpare = {OFF_TOPIC_SPARE}f;\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("details", nargs="+", help="output of kbgate eval --details; the name up to the first dot "
                                                      "tells the knowledge bases apart")
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--curve")
    options = arguments.parse_args()
    rows = [row for path in options.details for row in read(path)]
    odd = [r for r in rows if r["odd"]]
    even = [r for r in rows if not r["odd"]]
    claim, topic = fit_claim(odd), fit_topic(odd)
    place(rows, claim, topic)
    t0 = choose_t0(odd)
    t1 = choose_t1(odd, t0)
    # Thirty questions a language do not tell two thresholds apart; the place to set them apart is here.
    thresholds = {language: {"topic": t0, "claim": t1} for language in ("zh", "en")}
    report = {"odd": shares(odd, t1, t0), "even": shares(even, t1, t0)}
    print(f"thresholds: topic {t0}, claim {t1}")
    for name, got in report.items():
        print(line(name, got))
    for kb in sorted({r["kb"] for r in rows}):
        print(line("  even, " + kb, shares([r for r in even if r["kb"] == kb], t1, t0)))
    if options.curve:
        write_curve(curve(even, t0), options.curve)
    if options.write:
        rounded = {half: {key: round(value, 3) for key, value in got.items()} for half, got in report.items()}
        write_model(os.path.dirname(os.path.abspath(__file__)), claim, topic, thresholds, rounded)
    for kb in sorted({r["kb"] for r in rows}):
        rest = [r for r in odd if r["kb"] != kb]
        place(rows, fit_claim(rest), fit_topic(rest))
        a = choose_t0(rest)
        print(line("left out: " + kb, shares([r for r in rows if r["kb"] == kb], choose_t1(rest, a), a)))


if __name__ == "__main__":
    main()
