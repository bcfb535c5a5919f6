"""Pairs of similar memories, by their vectors, without comparing all pairs.

    vectors ─► a few trees ─► leaves of some hundred ─► cosines within each leaf ─► the best of each vector

A tree halves the vectors again and again by a plane between two of them; near vectors mostly end in the same leaf of
one tree or another. Vectors are compared within a leaf only, so that twice as many take little more than twice as long.
The planes are drawn from a fixed seed: the same vectors give the same neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.consolidate.candidate import Candidate


class Marks(NamedTuple):
    """The least cosine of two memories that are similar, share a topic, or form a group."""

    similar: float
    theme: float
    group: float


# On the scale of the shipped model, where two wordings of one thing are at 0.47 and unrelated texts at 0.05
# (similarity_calibration.py): linked or summarised memories have to be nearer than most answers are to their questions.
MEANING = Marks(similar=0.8, theme=0.6, group=0.65)


class Pair(NamedTuple):
    """Two candidates by place, the older one first, and their similarity."""

    first: int
    second: int
    likeness: float


def alike(candidates: Sequence[Candidate], vectors: NDArray[np.float32], *, k: int, least: float) -> list[Pair]:
    """Return similar pairs within each project, nearest first, the best `k` of each memory.

    vectors: unit vectors, one of each candidate in their order
    """
    pairs: list[Pair] = []
    scope = sorted(range(len(candidates)), key=lambda place: candidates[place].namespace or "")
    # Links and summaries never join two projects.
    for _, places in groupby(scope, key=lambda place: candidates[place].namespace):
        own = np.fromiter(places, np.int64)
        found = near(vectors[own], k=k, least=least)
        ends = zip(own[found.first].tolist(), own[found.second].tolist(), found.cosine.tolist(), strict=True)
        pairs += [Pair(one, other, round(cosine, 3)) for one, other, cosine in ends]
    return sorted(pairs, key=lambda pair: (-pair.likeness, pair.first, pair.second))


# --- neighbours ---

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

# Up to here all are compared with all: exact, a tenth of a second.
EXACT = 2_048
# Vectors of a leaf, and trees. Of pairs with a cosine of 0.8, more than 95 in 100 are found (tests/unit/consolidate).
LEAF = 256
TREES = 8
# Planes are drawn in a random projection to so few dimensions: distances are about the same, halving is much cheaper.
DRAWN = 48
# Rows of a block that is compared at a time: bounded memory however many there are.
BLOCK = 512
SEED = 20


class Near(NamedTuple):
    """Pairs of vectors by place, the smaller one first, and their cosines; in order."""

    first: Rows
    second: Rows
    cosine: Floats


def near(vectors: Floats, *, k: int, least: float) -> Near:
    """Return the pairs of unit vectors with at least this cosine, the best `k` of each.

    A pair is there if it is among the best of either of its vectors.
    """
    found = [_best(vectors, rows, k, least) for rows in _leaves(vectors)]
    pairs = np.concatenate([part[0] for part in found])
    cosines = np.concatenate([part[1] for part in found])
    size = len(vectors)
    keys, places = np.unique(pairs[:, 0] * size + pairs[:, 1], return_index=True)
    return _top(Near(keys // max(size, 1), keys % max(size, 1), cosines[places]), size, k)


def _leaves(vectors: Floats) -> Iterator[Rows]:
    size = len(vectors)
    if size <= EXACT:
        yield np.arange(size)
        return
    for number in range(TREES):
        draw = np.random.default_rng((SEED, number))
        drawn = vectors @ draw.standard_normal((vectors.shape[1], min(DRAWN, vectors.shape[1])), np.float32)
        waiting: list[Rows] = [np.arange(size)]
        while waiting:
            rows = waiting.pop()
            if len(rows) <= LEAF:
                yield np.sort(rows)
                continue
            one, other = draw.choice(rows, 2, replace=False)
            along = drawn[rows] @ (drawn[one] - drawn[other])
            # By the middle, not by sign: leaves are as large as each other, whatever the vectors are like.
            order = np.argsort(along, kind="stable")
            half = len(rows) // 2
            waiting += [rows[order[:half]], rows[order[half:]]]


def _best(vectors: Floats, rows: Rows, k: int, least: float) -> tuple[Rows, Floats]:
    """Return the pairs among some vectors, for each its best `k`, the smaller place first."""
    pairs: list[Rows] = []
    cosines: list[Floats] = []
    chosen = vectors[rows]
    for start in range(0, len(rows), BLOCK):
        block = chosen[start : start + BLOCK] @ chosen.T
        own = np.arange(len(block))
        block[own, start + own] = -2.0
        if block.shape[1] > k:
            worst = np.partition(block, -k, axis=1)[:, -k]
            block[block < np.maximum(worst, least)[:, None]] = -2.0
        at, to = np.nonzero(block >= least)
        ends = np.sort(np.stack((rows[start + at], rows[to]), axis=1), axis=1)
        pairs.append(ends)
        # Three digits: another machine adds up in another order, and a plan must not depend on that.
        cosines.append(np.round(block[at, to], 3))
    return (
        np.concatenate(pairs) if pairs else np.empty((0, 2), np.int64),
        np.concatenate(cosines) if cosines else np.empty(0, np.float32),
    )


def _top(pairs: Near, size: int, k: int) -> Near:
    """Return the pairs that are among the best `k` of either end."""
    count = len(pairs.first)
    ends = np.concatenate((pairs.first, pairs.second))
    numbers = np.concatenate((np.arange(count), np.arange(count)))
    order = np.lexsort((numbers, -pairs.cosine[numbers], ends))
    starts = np.searchsorted(ends[order], np.arange(size))
    rank = np.arange(2 * count) - starts[ends[order]] if count else np.empty(0, np.int64)
    kept = np.zeros(count, np.bool_)
    kept[numbers[order[rank < k]]] = True
    return Near(pairs.first[kept], pairs.second[kept], pairs.cosine[kept])
