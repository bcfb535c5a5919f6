"""The statement model: whether a sentence states knowledge, of which kind, and the features that decided.

Two logistic models over the features of `sentence_features`: one for "is it worth keeping", one for the kind. The
weights are in `statement_weights.tsv.gz`, made by `bench/train_statements.py`. A row is a feature, its weight for
keeping and its weight for each kind, all in hundredths; the first rows are the settings.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

Kind = Literal["rule", "preference", "decision", "correction", "cause", "fact"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A feature counts this much divided by the root of their number, so long sentences do not score higher.
SCALE = 3.0
# So many features are shown as the reason.
SHOWN = 3


class Judged(NamedTuple):
    """The probability that a sentence states knowledge, its most likely kind, and the strongest features for it."""

    probability: float
    kind: Kind
    because: tuple[str, ...]


class Model(NamedTuple):
    """The words that are no gap in a skeleton, the thresholds of the kinds, and the weights of the features."""

    words: frozenset[str]
    thresholds: dict[str, float]
    bias: float
    keep: dict[str, float]
    kinds: dict[str, tuple[float, ...]]

    def judge(self, features: Collection[str]) -> Judged:
        """Return what a sentence with these features is."""
        scale = SCALE / math.sqrt(max(1, len(features)))
        weights = {feature: weight for feature in features if (weight := self.keep.get(feature))}
        rows = [row for feature in sorted(features) if (row := self.kinds.get(feature))]
        totals = [sum(column) for column in zip(*rows, strict=True)] or [0.0] * len(KINDS)
        strongest = sorted(
            (feature for feature, weight in weights.items() if weight > 0), key=lambda each: -weights[each]
        )
        return Judged(
            1 / (1 + math.exp(-self.bias - scale * math.fsum(weights.values()))),
            KINDS[totals.index(max(totals))],
            tuple(strongest[:SHOWN]),
        )

    def keeps(self, judged: Judged) -> bool:
        """Return whether a sentence is probable enough for its kind."""
        return judged.probability >= self.thresholds[judged.kind]


@cache
def model() -> Model:
    """Return the model that comes with this package."""
    return read((files("recollect.capture") / "statement_weights.tsv.gz").read_bytes())


def read(compressed: bytes) -> Model:
    """Return the model of a file of weights."""
    lines = (line.split("\t") for line in gzip.decompress(compressed).decode().splitlines())
    _, (_, words), (_, bias), (_, *thresholds), *rows = lines
    numbers = {name: [int(value) / 100 for value in values] for name, *values in rows}
    return Model(
        frozenset(words.split()),
        dict(zip(KINDS, map(float, thresholds), strict=True)),
        float(bias),
        {name: row[0] for name, row in numbers.items() if row[0]},
        {name: tuple(row[1:]) for name, row in numbers.items() if row[1:]},
    )
