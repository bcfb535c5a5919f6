"""The statement model: whether a sentence states knowledge, and of which kind.

Two logistic models over the features of `sentence_features`: one for "is it worth keeping", one for the kind. The
weights are in `statement_weights.tsv.gz`, made by `bench/train_statements.py`. A row is a feature, its weight for
keeping and its weight for each kind, all in hundredths; the first rows are the settings.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

from recollect.capture.sentence_features import Lexicon

Kind = Literal["rule", "preference", "decision", "correction", "cause", "fact"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A feature counts this much divided by the root of their number, so long sentences do not score higher.
SCALE = 3.0


class Judged(NamedTuple):
    """The probability that a sentence states knowledge, and its most likely kind."""

    probability: float
    kind: Kind


class Model(NamedTuple):
    """The classes of words, the thresholds of the kinds, and the weights of the features."""

    lexicon: Lexicon
    thresholds: dict[str, float]
    bias: float
    keep: dict[str, float]
    kinds: dict[str, tuple[float, ...]]

    def judge(self, features: Collection[str]) -> Judged:
        """Return what a sentence with these features is."""
        scale = SCALE / math.sqrt(max(1, len(features)))
        weight = math.fsum(self.keep.get(feature, 0.0) for feature in features)
        rows = [row for feature in sorted(features) if (row := self.kinds.get(feature))]
        totals = [sum(column) for column in zip(*rows, strict=True)] or [0.0] * len(KINDS)
        return Judged(1 / (1 + math.exp(-self.bias - scale * weight)), KINDS[totals.index(max(totals))])

    def keeps(self, judged: Judged) -> bool:
        """Return whether a sentence is probable enough for its kind."""
        return judged.probability >= self.thresholds[judged.kind]


@cache
def model() -> Model:
    """Return the model that comes with this package."""
    return read((files("recollect.capture") / "statement_weights.tsv.gz").read_bytes())


def read(compressed: bytes) -> Model:
    """Return the model of a file of weights."""
    _, *lines = (line.split("\t") for line in gzip.decompress(compressed).decode().splitlines())
    (_, frequent), (_, *first), (_, *later), (_, bias), (_, *thresholds), *rows = lines
    numbers = {name: [int(value) / 100 for value in values] for name, *values in rows}
    return Model(
        Lexicon(frozenset(frequent.split()), _classes(first), _classes(later)),
        dict(zip(KINDS, map(float, thresholds), strict=True)),
        float(bias),
        {name: row[0] for name, row in numbers.items() if row[0]},
        {name: tuple(row[1:]) for name, row in numbers.items() if row[1:]},
    )


def _classes(named: Sequence[str]) -> dict[str, str]:
    """Return the class of each word, read from "class=word word"."""
    return {word: name for name, _, words in (each.partition("=") for each in named) for word in words.split()}
