"""Train the statement model and print how well it does on projects that it has not seen.

    python bench/train_statements.py [DIR_OR_FILE ...] [--check] [--write]

Labelled messages are JSON Lines. Either every statement of a message is labelled: {"text", "statements", "kinds",
"borderline", "leaning"}; or some of its sentences: {"text", "labels": {sentence: kind, "keep", "drop" or "none"}}. A
"project" (default: the file, or the beginning of "id") names who wrote it. Always read: bench/statements_written/ and
the corpus of the unit tests. `--check` prints precision and recall on projects left out of the training, in six groups.
`--write` writes src/recollect/capture/statement_weights.tsv.gz.
"""

from __future__ import annotations

import argparse
import gzip
import json
import runpy
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recollect.capture.prose import Sentence, sentences
from recollect.capture.sentence_features import features, message_features, words
from recollect.capture.statement_model import KINDS, SCALE
from recollect.capture.statements import may_state, start_of
from statements import overlap

HERE = Path(__file__).parent
WRITTEN = HERE / "statements_written"
CORPUS = HERE.parent / "tests/unit/capture/statement_corpus.py"
WEIGHTS = HERE.parent / "src/recollect/capture/statement_weights.tsv.gz"

SAME = 0.6
# Sentences on which sensible people differ count half.
HALF = {"keep": 0.5, "drop": 0.5}
# Written examples are few and clear.
WRITTEN_WEIGHT = 3.0
# Words that so many sentences have are no gaps of a skeleton.
FREQUENT = 400
# A feature of one sentence or of one project says nothing about others.
LEAST_SENTENCES, LEAST_PROJECTS = 2, 2
L2, STEPS, RATE = 0.4, 150, 0.1
# Smaller weights change no decision and cost space.
LEAST_WEIGHT, LEAST_KIND_WEIGHT = 0.1, 0.3
# So many groups of projects are left out in turn, real ones and written ones apart.
GROUPS = 6
SHOWN_AT = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
# Precision on unseen projects decides, recall follows: chosen on the output of --check.
THRESHOLDS = {"rule": 0.84, "preference": 0.75, "decision": 0.88, "correction": 0.86, "cause": 0.8, "fact": 0.84}


class Row(NamedTuple):
    """A labelled sentence in its message."""

    project: str
    said: list[Sentence]
    place: int
    label: str
    is_random: bool

    @property
    def is_right(self) -> bool:
        """Whether it is worth keeping."""
        return self.label in KINDS or self.label == "keep"


# --- labelled sentences ---


def rows_of(paths: Iterable[Path]) -> list[Row]:
    """Return the labelled sentences of files, each once per project."""
    found: dict[tuple[str, str], Row] = {}
    for path in paths:
        for file in sorted(path.glob("*.jsonl")) if path.is_dir() else (path,):
            for line in file.read_text(encoding="utf-8").splitlines():
                for row in _message(json.loads(line), file.stem):
                    found.setdefault((row.project, row.said[row.place].plain), row)
    for row in _corpus():
        found.setdefault((row.project, row.said[row.place].plain), row)
    return list(found.values())


def _message(message: dict[str, Any], name: str) -> Iterator[Row]:
    if message.get("speaker", "user") != "user":
        return
    project = message.get("project") or (message["id"].split("/")[0] if "/" in message.get("id", "") else name)
    is_random = not message.get("net") and not project.startswith("written")
    said = sentences(message["text"])
    for place, sentence in enumerate(said):
        label = _label(message, sentence.text.strip())
        if label and may_state(sentence, start_of(sentence)):
            yield Row(project, said, place, label, is_random)


def _label(message: dict[str, Any], text: str) -> str:
    if "labels" in message:
        return str(message["labels"].get(text, ""))
    named = [*zip(message["statements"], message["kinds"], strict=True)]
    named += zip(message.get("borderline", ()), message.get("leaning", ()), strict=True)
    return next((label for part, label in named if overlap(text, part) >= SAME), "none")


def _corpus() -> Iterator[Row]:
    """Yield the sentences of the unit tests, as if five people had written them."""
    corpus = runpy.run_path(str(CORPUS))
    blocks = [*corpus["STATED"].items(), *(("none", block) for block in corpus["NEVER_STATED"])]
    for label, block in blocks:
        for text in corpus["lines"](block):
            said = sentences(text)
            if said and may_state(said[-1], start_of(said[-1])):
                yield Row(f"written-test{zlib.crc32(text.encode()) % 5}", said, len(said) - 1, label, False)


# --- training ---


class Table(NamedTuple):
    """Sparse features of sentences: row, column and value of each entry."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    shape: tuple[int, int]

    def dot(self, weights: np.ndarray) -> np.ndarray:
        return np.bincount(self.rows, self.values * weights[self.columns], minlength=self.shape[0])

    def gradient(self, errors: np.ndarray) -> np.ndarray:
        return np.bincount(self.columns, self.values * errors[self.rows], minlength=self.shape[1])


def table(sets: Sequence[frozenset[str]], index: dict[str, int]) -> Table:
    """Return the features of sentences; the bias is the last column."""
    rows, columns, values = [], [], []
    for place, found in enumerate(sets):
        known = [index[name] for name in found if name in index]
        rows += [place] * (len(known) + 1)
        columns += [*known, len(index)]
        values += [*[SCALE / max(1, len(found)) ** 0.5] * len(known), 1.0]
    return Table(np.array(rows), np.array(columns), np.array(values), (len(sets), len(index) + 1))


def descend(data: Table, wanted: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic model, one row per class; one class is yes or no."""
    weights = np.zeros((wanted.shape[1], data.shape[1]))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = np.stack([data.dot(row) for row in weights], 1)
        if wanted.shape[1] == 1:
            chance = 1 / (1 + np.exp(-scores))
        else:
            powers = np.exp(scores - scores.max(1, keepdims=True))
            chance = powers / powers.sum(1, keepdims=True)
        errors = (chance - wanted) * counts[:, None]
        slope = np.stack([data.gradient(column) for column in errors.T]) + L2 * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


class Trained(NamedTuple):
    """A trained model: frequent words, columns of features, weights for keeping and for the kinds."""

    known: frozenset[str]
    index: dict[str, int]
    keep: np.ndarray
    kinds: np.ndarray

    def judge(self, rows: Sequence[Row]) -> tuple[np.ndarray, list[str]]:
        """Return probabilities and kinds."""
        data = table([_features(row, self.known) for row in rows], self.index)
        kinds = np.stack([data.dot(weights) for weights in self.kinds], 1).argmax(1)
        return 1 / (1 + np.exp(-data.dot(self.keep[0]))), [KINDS[place] for place in kinds]


def _features(row: Row, known: frozenset[str]) -> frozenset[str]:
    return features(row.said, row.place, start_of(row.said[row.place]), known, message_features(row.said))


def _weight(row: Row) -> float:
    return HALF.get(row.label, 1.0) * (WRITTEN_WEIGHT if row.project.startswith("written") else 1.0)


def train(rows: Sequence[Row]) -> Trained:
    """Return the model of labelled sentences."""
    plain = Counter(word for row in rows for word in set(words(row.said[row.place].plain)))
    known = frozenset(word for word, _ in plain.most_common(FREQUENT))
    sets = [_features(row, known) for row in rows]
    count: Counter[str] = Counter()
    projects: dict[str, set[str]] = defaultdict(set)
    for row, found in zip(rows, sets, strict=True):
        count.update(found)
        for name in found:
            projects[name].add(row.project)
    names = sorted(name for name in count if count[name] >= LEAST_SENTENCES and len(projects[name]) >= LEAST_PROJECTS)
    index = {name: place for place, name in enumerate(names)}
    right = np.array([[float(row.is_right)] for row in rows])
    keep = descend(table(sets, index), right, np.array([_weight(row) for row in rows]))
    named = [place for place, row in enumerate(rows) if row.label in KINDS]
    wanted = np.eye(len(KINDS))[[KINDS.index(rows[place].label) for place in named]]  # type: ignore[arg-type]
    kinds = descend(table([sets[place] for place in named], index), wanted, np.ones(len(named)))
    return Trained(known, index, keep, kinds)


def write(trained: Trained, path: Path) -> int:
    """Write the weights that matter and return how many features have one."""
    lines = ["# Made by bench/train_statements.py: feature, weight for keeping, weights of the kinds, in hundredths."]
    lines += [f"words\t{' '.join(sorted(trained.known))}", f"bias\t{trained.keep[0][-1]:.3f}"]
    lines.append("thresholds\t" + "\t".join(str(THRESHOLDS[kind]) for kind in KINDS))
    head = len(lines)
    for name, place in trained.index.items():
        weight, row = trained.keep[0][place], trained.kinds[:, place]
        kept = f"{weight * 100:.0f}" if abs(weight) >= LEAST_WEIGHT else ""
        of_kinds = [f"{each * 100:.0f}" for each in row] if np.abs(row).max() >= LEAST_KIND_WEIGHT else []
        if kept or of_kinds:
            lines.append("\t".join((name, kept or "0", *of_kinds)))
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    return len(lines) - head


# --- measuring ---


def left_out(rows: Sequence[Row]) -> list[tuple[Row, float, str]]:
    """Return every sentence with what a model says that has not seen its project."""
    groups: list[list[Row]] = [[] for _ in range(2 * GROUPS)]
    for project, _ in Counter(row.project for row in rows).most_common():
        half = groups[GROUPS:] if project.startswith("written") else groups[:GROUPS]
        min(half, key=len).extend(row for row in rows if row.project == project)
    found = []
    for own in groups:
        apart = {id(row) for row in own}
        chances, kinds = train([row for row in rows if id(row) not in apart]).judge(own)
        found += list(zip(own, chances, kinds, strict=True))
    return found


def shares(judged: Sequence[tuple[Row, float, str]]) -> dict[str, Any]:
    """Return precision and recall at several thresholds, and at those of the kinds."""
    rules = [each for each in judged if each[0].label in ("rule", "preference")]
    stated = [each for each in judged if each[0].label in KINDS]

    def at(name: str, bound: dict[str, float]) -> dict[str, Any]:
        kept = [row for row, chance, kind in judged if chance >= bound[kind]]
        return {
            "threshold": name,
            "kept": len(kept),
            "precision": round(sum(row.is_right for row in kept) / max(1, len(kept)), 3),
            "strict": round(sum(row.label in KINDS for row in kept) / max(1, len(kept)), 3),
            "recall of rules": round(sum(c >= bound[k] for _, c, k in rules) / max(1, len(rules)), 3),
            "recall": round(sum(c >= bound[k] for _, c, k in stated) / max(1, len(stated)), 3),
        }

    lines = [at(str(bound), dict.fromkeys(KINDS, bound)) for bound in SHOWN_AT] + [at("chosen", THRESHOLDS)]
    return {"sentences": len(judged), "stated": len(stated), "rules": len(rules), "at": lines}


def measured(rows: Sequence[Row]) -> dict[str, Any]:
    """Return precision and recall on unseen projects: real messages, those drawn at random, written ones."""
    judged = left_out(rows)
    real = [each for each in judged if not each[0].project.startswith("written")]
    parts = {"real": real, "real, by chance": [each for each in real if each[0].is_random]}
    parts["written"] = [each for each in judged if each[0].project.startswith("written")]
    return {name: shares(part) for name, part in parts.items() if part}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path, nargs="*")
    parser.add_argument("--check", action="store_true", help="leave each project out in turn")
    parser.add_argument("--write", action="store_true", help="write the weights of the package")
    given = parser.parse_args()
    rows = rows_of([WRITTEN, *given.labels])
    told: dict[str, Any] = {"sentences": len(rows), "projects": len({row.project for row in rows})}
    told["labels"] = dict(Counter(row.label for row in rows).most_common())
    if given.check:
        told["left out"] = measured(rows)
    if given.write:
        told["features"] = write(train(rows), WEIGHTS)
        told["bytes"] = WEIGHTS.stat().st_size
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
