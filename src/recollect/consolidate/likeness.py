"""Likeness: pairs of memories that say something alike, from whatever vectors there are.

What cosines mean depends on who made the vectors, so the marks that a pair has to reach come with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.consolidate.candidate import Candidate
from recollect.consolidate.neighbours import near


class Marks(NamedTuple):
    """From which cosine on two memories are much alike, share a theme, and belong to one group."""

    similar: float
    theme: float
    group: float


# On the scale of the shipped model, where two wordings of one thing are at 0.47 and unrelated texts at 0.05
# (recall/ruler.py): what is linked or summed up has to be nearer than most answers are to their questions.
MEANING = Marks(similar=0.8, theme=0.6, group=0.65)
# By words alone, weighed by their rarity: half of what they say in the same words.
WORDS = Marks(similar=0.7, theme=0.5, group=0.5)


class Pair(NamedTuple):
    """Two memories by their places among the candidates, the first the older one, and their likeness."""

    first: int
    second: int
    likeness: float


def alike(candidates: Sequence[Candidate], vectors: NDArray[np.float32], *, k: int, least: float) -> list[Pair]:
    """Return the pairs of candidates of one project that are near, each with its best `k`, the nearest first.

    vectors: unit vectors, one of each candidate in their order
    """
    pairs: list[Pair] = []
    scope = sorted(range(len(candidates)), key=lambda place: candidates[place].namespace or "")
    # One project never meets another: not in a link, and not in a summary.
    for _, places in groupby(scope, key=lambda place: candidates[place].namespace):
        own = np.fromiter(places, np.int64)
        found = near(vectors[own], k=k, least=least)
        ends = zip(own[found.first].tolist(), own[found.second].tolist(), found.cosine.tolist(), strict=True)
        pairs += [Pair(one, other, round(cosine, 3)) for one, other, cosine in ends]
    return sorted(pairs, key=lambda pair: (-pair.likeness, pair.first, pair.second))
