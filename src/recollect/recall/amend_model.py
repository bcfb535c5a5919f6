"""The amendment model: how probable it is that a newer statement replaces an older one.

The words of a pair give one number by a logistic model. That and the numeric signals of the pair go through small
decision trees whose leaves are added up. Both are in `amend_weights.json.gz`, made by `bench/train_amendments.py` from
pairs that people might have written weeks apart; docs/adr/0067 has the numbers.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from recollect.recall.amend_signals import numbers, words
from recollect.recall.parsed_statement import Statement

# A node of a tree: its signal, the most that goes left, and the places of both branches. A leaf has no signal but a
# value.
Node = tuple[int, float, int, int]
LEAF = -1
# How much the classifier and the words count, and what is added: fitted on the unseen files of bench/changes for the
# networks of docs/adr/0080, and kept for those of docs/adr/0081.
WEIGHTS = (0.24, 0.54, -0.45)


class Model(NamedTuple):
    """The weights of the words with their bias, and the trees with theirs."""

    words: dict[str, float]
    words_bias: float
    trees: list[list[Node]]
    bias: float

    def judge(self, new: Statement, old: Statement, cosine: float) -> float:
        """Return the probability that a statement replaces an older one."""
        by_words = self.words_bias + math.fsum(self.words.get(word, 0.0) for word in words(new, old))
        signals = [*numbers(new, old, cosine), by_words]
        return 1 / (1 + math.exp(-self.bias - math.fsum(_leaves(self.trees, signals))))


def _leaves(trees: Iterable[Sequence[Node]], signals: Sequence[float]) -> Iterator[float]:
    """Yield the value of the leaf of each tree that the signals lead to."""
    for tree in trees:
        signal, value, left, right = tree[0]
        while signal != LEAF:
            signal, value, left, right = tree[left if signals[signal] <= value else right]
        yield value


@cache
def model() -> Model:
    """Return the model that comes with this package."""
    return read((files("recollect.recall") / "amend_weights.json.gz").read_bytes())


def read(packed: bytes) -> Model:
    """Return a model from the bytes of its file."""
    return Model(**json.loads(gzip.decompress(packed)))
