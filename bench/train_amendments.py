"""Train the amendment model, and print how well it does on writers that it has not seen.

    pip install scikit-learn; python bench/train_amendments.py [--check] [--write]

It reads the pairs in bench/changes but the unseen ones, and the notes in bench/notes that are for fitting. Each later
statement is compared with the older ones of its project that have a word in common with it or are nearest to it: it
replaces one of them or none. `--check` prints, for each file left out of the training in turn, how many changes are
found and how many older statements would be replaced by mistake. A restatement counts as no mistake: the older one says
the same. `--write` writes the weights of the package.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from changes import SPLITS, UNSEEN, lines
from notes_recall import memories, questions
from recollect.engine.models.similarity_calibration import SHIPPED, comparable
from recollect.providers.local import LocalEmbedder
from recollect.recall.amend_signals import numbers, words
from recollect.recall.parsed_statement import statement, statements
from recollect.text.terms import query_terms

WEIGHTS = Path(__file__).parents[1] / "src/recollect/recall/amend_weights.json.gz"
# Older statements that a later one is compared with, by words and by vectors, as in engine/memory/amendments.py.
COMPARED, NEAREST = 12, 6
# Sentences of a note that are compared.
STATEMENTS = 3
# A word of fewer pairs says nothing about others; smaller weights are left out.
LEAST_PAIRS, LEAST_WEIGHT = 3, 0.02
# The words that tell a change have to be learned without the trees having seen them: in parts.
PARTS = 5
TREES = {"max_iter": 200, "learning_rate": 0.04, "max_leaf_nodes": 12, "min_samples_leaf": 30, "l2_regularization": 5}
WORDS = {"C": 0.3, "solver": "liblinear", "max_iter": 300, "random_state": 0}


class Pair(NamedTuple):
    """A later and an older statement of a project, and whether the later one replaces it."""

    split: str
    project: str
    kind: str
    new: str
    old: str
    cosine: float
    replaces: bool


def pairs(split: str, embed: LocalEmbedder) -> Iterator[Pair]:
    """Yield the pairs of a split that are compared."""
    projects = defaultdict(list)
    for line in lines(split):
        projects[line.project].append(line)
    for project, rows in projects.items():
        told = list(dict.fromkeys(row.old for row in rows))
        olds = [frozenset(query_terms(text)) for text in told]
        common = Counter(term for old in olds for term in old)
        cosines = embed.embed([row.new for row in rows]) @ embed.embed(told).T
        for at, row in enumerate(rows):
            asked = frozenset(query_terms(row.new))
            scores = {
                place: sum(math.log(1 + len(olds) / common[term]) for term in asked & old) / math.sqrt(4 + len(old))
                for place, old in enumerate(olds)
                if asked & old
            }
            by_words = sorted(scores, key=lambda each: -scores[each])[:COMPARED]
            for place in dict.fromkeys((*by_words, *np.argsort(-cosines[at])[:NEAREST].tolist())):
                replaces = row.changes and told[place] == row.old
                yield Pair(split, project, row.kind, row.new, told[place], _on_scale(cosines[at, place]), replaces)


def _on_scale(cosine: Any) -> float:
    """Return a cosine of the shipped model as the engine compares it."""
    return comparable({0: float(cosine)}, SHIPPED)[0]


def notes(embed: LocalEmbedder) -> Iterator[Pair]:
    """Yield pairs of the notes of bench/notes to be fitted on: in a real store few near notes change something."""
    changed = {(each.answers[0], each.superseded) for each in questions("fit") if each.superseded}
    rows = sorted(memories("fit"), key=lambda row: row.written)
    asked = {row.id: frozenset(query_terms(row.text)) for row in rows}
    said = {row.id: statements(row.text, whole=True)[:STATEMENTS] for row in rows}
    earlier = {row.id: statements(row.text)[:STATEMENTS] for row in rows}
    texts = [
        *(row.text for row in rows),
        *(one.text for some in (said, earlier) for row in some.values() for one in row),
    ]
    vectors = dict(zip(texts, embed.embed(texts), strict=True))
    for at, row in enumerate(rows):
        here = [old for old in rows[:at] if old.project == row.project]
        older = [old for old in here if asked[row.id] & asked[old.id]]
        older.sort(key=lambda old: -len(asked[row.id] & asked[old.id]) / math.sqrt(4 + len(asked[old.id])))
        near = sorted(here, key=lambda old: -float(vectors[row.text] @ vectors[old.text]))
        for old in dict.fromkeys((*older[:COMPARED], *near[:NEAREST])):
            replaces = (row.id, old.id) in changed
            for new, each in product(said[row.id], earlier[old.id]):
                if not replaces or len(new.words & each.words):
                    cosine = _on_scale(vectors[new.text] @ vectors[each.text])
                    yield Pair("notes", row.project, "note", new.text, each.text, cosine, replaces)


class Trained(NamedTuple):
    """Words in columns, the model of the words and the trees."""

    columns: CountVectorizer
    words: LogisticRegression
    trees: HistGradientBoostingClassifier

    def judge(self, rows: Sequence[Pair]) -> Any:
        by_words = self.words.decision_function(self.columns.transform(rows))
        return self.trees.predict_proba(np.column_stack([numeric(rows), by_words]))[:, 1]


def numeric(rows: Sequence[Pair]) -> Any:
    return np.array([numbers(statement(row.new), statement(row.old), row.cosine) for row in rows], float)


def train(rows: Sequence[Pair]) -> Trained:
    """Return a model of these pairs."""
    columns = CountVectorizer(
        analyzer=lambda row: words(statement(row.new), statement(row.old)), min_df=LEAST_PAIRS, binary=True
    )
    table, wanted = columns.fit_transform(rows), np.array([row.replaces for row in rows])
    groups = [f"{row.split} {row.project}" for row in rows]
    by_words = np.zeros(len(rows))
    for rest, part in GroupKFold(PARTS).split(table, wanted, groups):
        by_words[part] = LogisticRegression(**WORDS).fit(table[rest], wanted[rest]).decision_function(table[part])
    trees = HistGradientBoostingClassifier(**TREES, random_state=0)
    trees.fit(np.column_stack([numeric(rows), by_words]), wanted)
    return Trained(columns, LogisticRegression(**WORDS).fit(table, wanted), trees)


def packed(trained: Trained) -> bytes:
    """Return a model as the bytes of its file."""
    weights = dict(zip(trained.columns.get_feature_names_out(), trained.words.coef_[0], strict=True))
    trees = []
    for (predictor,) in trained.trees._predictors:  # the only way to the trees
        rows = predictor.nodes
        trees.append([_node(row) for row in rows])
    made = {
        "words": {
            word: round(float(weight), 2) for word, weight in sorted(weights.items()) if abs(weight) >= LEAST_WEIGHT
        },
        "words_bias": round(float(trained.words.intercept_[0]), 4),
        "trees": trees,
        "bias": round(float(trained.trees._baseline_prediction.item()), 4),
    }
    return gzip.compress(json.dumps(made, separators=(",", ":"), ensure_ascii=False).encode(), mtime=0)


def _node(row: Any) -> tuple[int, float, int, int]:
    if row["is_leaf"]:
        return -1, round(float(row["value"]), 4), 0, 0
    return int(row["feature_idx"]), round(float(row["num_threshold"]), 4), int(row["left"]), int(row["right"])


def decided(rows: Sequence[Pair], judged: Sequence[float], bar: float) -> tuple[int, int]:
    """Return the changes found and the mistakes, where each later statement replaces its most probable older one."""
    best: dict[tuple[str, str, str], tuple[float, Pair]] = {}
    for row, probability in zip(rows, judged, strict=True):
        key = (row.split, row.project, row.new)
        best[key] = max(best.get(key, (0.0, row)), (probability, row), key=lambda each: each[0])
    over = [row for probability, row in best.values() if probability >= bar]
    return sum(row.replaces for row in over), sum(not row.replaces and row.kind != "same" for row in over)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="leave out each file in turn")
    parser.add_argument("--write", action="store_true", help="write the weights of the package")
    chosen = parser.parse_args()
    embedder = LocalEmbedder()
    splits = sorted(SPLITS)
    rows = [pair for split in splits for pair in pairs(split, embedder)] + list(notes(embedder))
    known = [row for row in rows if row.split not in UNSEEN]
    for split in [each for each in splits if each not in UNSEEN] if chosen.check else []:
        left_out = [row for row in known if row.split == split]
        judged = train([row for row in known if row.split != split]).judge(left_out)
        print(split, *(f"{bar}: {decided(left_out, judged, bar)}" for bar in (0.7, 0.8, 0.85, 0.9)), flush=True)
    if chosen.write:
        WEIGHTS.write_bytes(packed(train(known)))


if __name__ == "__main__":
    main()
