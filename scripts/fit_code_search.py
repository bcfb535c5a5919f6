"""Fit the weights of code search (src/recollect/code/search/ranking_weights.py) on labelled queries.

    python scripts/fit_code_search.py --labels DIR --repos DIR            prints what leaving one repository out reaches
    python scripts/fit_code_search.py … --history REPOSITORY …            long questions: messages of past commits
    python scripts/fit_code_search.py … --write                           replaces the tables in the source

Labels and checkouts are as bench/code_search.py takes them. Every repository is indexed in an engine of its own and
every query is gathered and measured by the very stages that answer it. The model is linear and fitted listwise: the
probability that a softmax over the candidates gives to the labelled files is made as large as possible, with shrinkage.
Names, descriptions and reports are fitted apart, each with vectors and without. For reports the long messages of past
commits stand in, those first that read like the report of a fault: each asks for the files that its commit changed.
They have no vectors, so the weights of a report's vectors are those of a description (weights.py adds them).
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from recollect import Engine
from recollect.code.index.languages import detect
from recollect.code.search.file_ranking import model_of
from recollect.code.search.pool import gather
from recollect.code.search.question import understand
from recollect.code.search.ranking_weights import BY_HAND
from recollect.code.search.signals import SEMANTIC, measure
from recollect.store.code_rows import CodeScope

# Signals that repeat others for a short query, and are fitted for reports only.
OF_REPORTS = frozenset({"lead", "lead_best", "lead_path", "total", "defines_rare", "defines_rare_relative", "language"})
# Signals that do not depend on the other candidates: they tell whether the best file is any good.
ABSOLUTE = ("cosine", "covered", "covered_best", "known")
# Shrinkage: signals that say the same share their weight, and few queries cannot make one extreme. A report has twice
# as many signals as a question, and messages of commits are not quite what people report.
SHRINKAGE, REPORT_SHRINKAGE = 1e-2, 2e-2
# A message that says less is a headline; of each repository so many are taken, from so many commits.
LEAST_MESSAGE, MOST_MESSAGE = 350, 6_000
MESSAGES = 70
COMMITS = 8_000
# A commit that changes more files than this is about no place in particular.
MOST_FILES = 2
_TRAILER = re.compile(
    r"\s*(signed-off-by|co-authored-by|reviewed-by|pr-url|acked-by|refs?|fixes|closes|see|bug|change-id|closes-bug|"
    r"related-bug|partial-bug|implements|depends-on|conflicts|cherry)\b.*[:#]",
    re.I,
)
_NO_SUBJECT = re.compile(r"test|spec|bench|example|fixture|(^|/)docs?/|releasenotes|changelog|(^|/)news", re.I)
# What makes a message read like the report of a fault; the more of these, the sooner it is taken.
_FAULT = (
    re.compile(r"Traceback \(|^\s*at .*\d\)?$", re.MULTILINE),
    re.compile(r"```|^    \S|>>>", re.MULTILINE),
    re.compile(r"error|exception|fail|crash|bug|wrong|incorrect|raise", re.I),
    re.compile(r"File \""),
)

# Of the queries of one repository, every third is also asked of the next, which cannot answer it.
STRANGE_EVERY = 3

# What is between these lines of the target is replaced.
BEGIN, END = "# --- fitted ---\n\n", "# --- end of what was fitted ---\n"
TARGET = Path(__file__).resolve().parent.parent / "src" / "recollect" / "code" / "search" / "weights.py"

Model = dict[str, tuple[float, float, float]]


class Example(NamedTuple):
    """One query: the signals of its candidates, which of them are labelled, and how many labels there are."""

    repository: str
    kind: str
    columns: dict[str, NDArray[np.float64]]
    answers: NDArray[np.float64]
    gold: int


def examples(labels: dict[str, Any], checkout: Path, strange: Sequence[str], *, vectors: bool) -> Iterator[Example]:
    """Yield the measured candidates of a repository's queries, and of strange ones that it has no answer to."""
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_threads=2) as engine:
        done = engine.code.index(str(checkout / (labels["root"] or "")))
        if vectors:
            engine.code.embed()
        store, prefix = engine.store, Path(done.root)
        asked = [(query["text"], {label["path"] for label in query["relevant"]}) for query in labels["queries"]]
        for text, gold in (*asked, *((text, set[str]()) for text in strange)):
            question = understand(text)
            vector = engine.embedding.embedder.embed([text])[0] if vectors else None
            pool = gather(store, question, CodeScope(), vector=vector, model=engine.code.vectors.model)
            paths = [
                str((prefix / candidate.file.path).relative_to(checkout.resolve())) for candidate in pool.candidates
            ]
            if not paths:
                continue
            answers = np.array([float(path in gold) for path in paths])
            yield Example(labels["repo"], model_of(question, {}), measure(question, pool), answers, len(gold))


def messages(repository: Path) -> list[tuple[str, set[str]]]:
    """Return long messages of past commits with the source files that each changed."""
    words = ["log", "--no-merges", f"-n{COMMITS}", "--format=%x01%B%x02", "--name-only"]
    log = subprocess.run(["git", "-C", str(repository), *words], capture_output=True, check=True).stdout
    found: list[tuple[float, str, set[str]]] = []
    for commit in log.decode("utf-8", "replace").split("\x01")[1:]:
        message, _, names = commit.partition("\x02")
        text = "\n".join(line for line in message.split("\n") if not _TRAILER.match(line)).strip()
        files = {
            name for name in names.split("\n") if name.strip() and detect(name, b"") and not _NO_SUBJECT.search(name)
        }
        files = {name for name in files if detect(name, b"").name not in ("markdown", "json", "yaml", "toml")}  # type: ignore[union-attr]
        there = all((repository / name).is_file() for name in files)
        if len(text) > LEAST_MESSAGE and 0 < len(files) <= MOST_FILES and there:
            fault = sum(bool(pattern.search(text)) for pattern in _FAULT)
            # Of those that read alike, any: by the text itself, so that every run takes the same.
            found.append((fault + random.Random(text).random(), text[:MOST_MESSAGE], files))
    found.sort(key=lambda row: -row[0])
    return [(text, files) for _, text, files in found[:MESSAGES]]


def history(repository: Path) -> Iterator[Example]:
    """Yield the measured candidates of a repository's long commit messages, searched in the tree as it is."""
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
        root = Path(engine.code.index(str(repository)).root)
        for text, gold in messages(repository):
            question = understand(text)
            pool = gather(engine.store, question, CodeScope())
            paths = [str((root / one.file.path).relative_to(repository.resolve())) for one in pool.candidates]
            if question.is_report and paths:
                answers = np.array([float(path in gold) for path in paths])
                yield Example(repository.name, "report", measure(question, pool), answers, len(gold))


def fit(rows: Sequence[Example], names: Sequence[str]) -> Model:
    """Return mean, deviation and weight of each named signal."""
    rows = [row for row in rows if row.answers.any()]
    shrinkage = REPORT_SHRINKAGE if rows[0].kind == "report" else SHRINKAGE
    stacked = [np.stack([row.columns[name] for name in names], 1) for row in rows]
    every = np.concatenate(stacked)
    mean, deviation = every.mean(0), every.std(0) + 1e-6
    pools = [((x - mean) / deviation, row.answers / row.answers.sum()) for x, row in zip(stacked, rows, strict=True)]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, gradient = 0.0, np.zeros_like(weights)
        for signals, wanted in pools:
            scores = signals @ weights
            scores -= scores.max()
            odds = np.exp(scores)
            total -= float((wanted * (scores - np.log(odds.sum()))).sum())
            gradient += signals.T @ (odds / odds.sum() - wanted)
        return total / len(pools) + shrinkage * weights @ weights, gradient / len(pools) + 2 * shrinkage * weights

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return {name: (mean[at], deviation[at], found[at]) for at, name in enumerate(names)}


def score(row: Example, model: Model) -> NDArray[np.float64]:
    """Return the score of each candidate."""
    by_hand = {name: tuple(term) for name, term in BY_HAND.items()}
    parts = [
        weight * (row.columns[name] - mean) / deviation
        for name, (mean, deviation, weight) in {**model, **by_hand}.items()
    ]
    return sum(parts, np.zeros(len(row.answers)))


def calibrate(rows: Sequence[Example], model: Model) -> dict[str, float]:
    """Return what turns a score and absolute evidence into the probability that a file is right."""
    names = [name for name in ABSOLUTE if name in rows[0].columns and (name in model or name == "known")]
    values: list[list[float]] = []
    labels: list[float] = []
    for row in rows:
        scores = score(row, model)
        first = np.argsort(-scores)[:5]
        values.extend([scores[at], *(row.columns[name][at] for name in names), 1.0] for at in first)
        labels.extend(row.answers[first])
    x, y = np.array(values), np.array(labels)

    def loss(line: NDArray[np.float64]) -> float:
        logits = x @ line
        losses = np.logaddexp(0, logits) - y * logits
        return float(losses[y > 0].mean() + losses[y == 0].mean() + 1e-3 * line[:-1] @ line[:-1])

    bounds = [*[(0.0, None)] * (x.shape[1] - 1), (None, None)]
    found = minimize(loss, np.zeros(x.shape[1]), bounds=bounds, method="L-BFGS-B").x
    return dict(zip(["score", *names, "offset"], found.tolist(), strict=True))


def ndcg(row: Example, scores: NDArray[np.float64]) -> float:
    """Return nDCG@10 of one query."""
    gains = row.answers[np.argsort(-scores, kind="stable")][:10]
    ideal = sum(1 / np.log2(place + 2) for place in range(min(10, row.gold)))
    return float((gains / np.log2(np.arange(len(gains)) + 2)).sum() / ideal)


def kinds(rows: Sequence[Example]) -> Iterator[tuple[str, list[Example], list[str]]]:
    """Yield each model's name, its examples and its signals."""
    for kind in ("name", "description", "report"):
        mine = [row for row in rows if row.kind == kind]
        if mine:
            others = frozenset() if kind == "report" else OF_REPORTS
            signals = sorted(set(mine[0].columns) - set(BY_HAND) - {"known"} - others)
            yield kind, mine, [name for name in signals if name not in SEMANTIC]
            if not SEMANTIC.isdisjoint(signals):
                yield f"{kind}_hybrid", mine, signals


def left_out(mine: Sequence[Example], names: Sequence[str]) -> Iterator[tuple[Example, NDArray[np.float64]]]:
    """Yield each example with the scores of its candidates by weights that are fitted on the other repositories."""
    for repository in sorted({row.repository for row in mine}):
        model = fit([row for row in mine if row.repository != repository], names)
        for row in mine:
            if row.repository == repository and row.gold:
                yield row, score(row, model)


def report(rows: Sequence[Example]) -> None:
    """Print nDCG@10 and recall@10 of questions, and of reports whether a right file is first, leaving each one out."""
    for suffix in ("", "_hybrid"):
        of_repository: dict[str, list[float]] = {}
        recalls: list[float] = []
        for kind, mine, names in kinds(rows):
            if kind != "report" and kind.endswith("_hybrid") == bool(suffix):
                for row, scores in left_out(mine, names):
                    of_repository.setdefault(row.repository, []).append(ndcg(row, scores))
                    recalls.append(row.answers[np.argsort(-scores)][:10].sum() / row.gold)
        if recalls:
            mean = np.mean([value for values in of_repository.values() for value in values])
            line = " ".join(f"{name} {np.mean(values):.3f}" for name, values in sorted(of_repository.items()))
            sys.stdout.write(f"{suffix or 'lexical'}: nDCG@10 {mean:.4f} recall@10 {np.mean(recalls):.4f}\n  {line}\n")
    for kind, mine, names in kinds(rows):
        if kind == "report":
            orders = [row.answers[np.argsort(-scores, kind="stable")] for row, scores in left_out(mine, names)]
            line = " ".join(f"acc@{k} {np.mean([order[:k].any() for order in orders]):.3f}" for k in (1, 3, 5, 10))
            sys.stdout.write(f"reports: {line}\n")


def tables(rows: Sequence[Example]) -> str:
    """Return the fitted models as source code."""
    fitted = {kind: (mine, fit(mine, names)) for kind, mine, names in kinds(rows)}
    models, lines = [], []
    for kind in (kind for kind in fitted if not kind.endswith("_hybrid")):
        words, hybrid = (fitted.get(kind + end, ([], {}))[1] for end in ("", "_hybrid"))
        # A signal that is the same in every example has no spread to be measured by, and no weight.
        spread = {key: term for key, term in {**hybrid, **words}.items() if round(term[1], 4) > 0}
        ordered = sorted(spread, key=lambda key: -abs(spread[key][2]))
        terms = "".join(f'        "{key}": Fit({_row(spread[key], key, words, hybrid)}),\n' for key in ordered)
        models.append(f'    "{kind}": {{\n{terms}    }},\n')
    for kind, (mine, model) in fitted.items():
        line = calibrate(mine, model)
        parts = "".join(f'        "{key}": {value:.4f},\n' for key, value in line.items() if round(value, 4))
        lines.append(f'    "{kind}": {{\n{parts}    }},\n')
    return (
        f"{BEGIN}FITTED: Mapping[str, Mapping[str, Fit]] = {{\n{''.join(models)}}}\n\n"
        f"LINES: Mapping[str, Mapping[str, float]] = {{\n{''.join(lines)}}}\n\n{END}"
    )


def _row(term: tuple[float, float, float], key: str, *models: Model) -> str:
    """Return a signal's mean, deviation and weight in each model."""
    weights = [f"{model[key][2]:+.4f}" if key in model else "None" for model in models if model]
    return f"{term[0]:.4f}, {term[1]:.4f}, {', '.join(weights)}"


def measured(chosen: argparse.Namespace) -> list[Example]:
    """Return the examples of all repositories, kept or made now."""
    if chosen.keep and chosen.keep.exists():
        return [Example(*row) for row in pickle.loads(chosen.keep.read_bytes())]
    rows: list[Example] = []
    strange: list[str] = []
    for file in sorted(chosen.labels.glob("*.json")):
        labels = json.loads(file.read_text(encoding="utf-8"))
        rows.extend(examples(labels, chosen.repos / labels["repo"], strange, vectors=not chosen.no_embeddings))
        strange = [query["text"] for query in labels["queries"][::STRANGE_EVERY]]
        sys.stderr.write(f"{labels['repo']}: {len(rows)} queries measured\n")
    for repository in chosen.history:
        rows.extend(history(repository))
        sys.stderr.write(f"{repository.name}: {len(rows)} queries measured\n")
    if chosen.keep:
        chosen.keep.write_bytes(pickle.dumps([tuple(row) for row in rows]))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--history", type=Path, nargs="*", default=[], help="git repositories with a rich history")
    parser.add_argument(
        "--no-embeddings", action="store_true", help="without vectors: quicker, and fits half the tables"
    )
    parser.add_argument("--keep", type=Path, help="keep the measured examples in this file, or use those in it")
    parser.add_argument("--write", action="store_true", help="replace the tables in the source")
    chosen = parser.parse_args()
    rows = measured(chosen)
    report(rows)
    source = tables(rows)
    if chosen.write:
        text = TARGET.read_text(encoding="utf-8")
        head, tail = text.split(BEGIN, 1)[0], text.split(END, 1)[1]
        TARGET.write_text(head + source + tail, encoding="utf-8")
    else:
        sys.stdout.write(source)


if __name__ == "__main__":
    main()
