"""Neighbours: which of many vectors are near one another, without comparing all with all.

    vectors ─► a few trees ─► leaves of some hundred ─► cosines within each leaf ─► the best of each vector

A tree halves the vectors again and again by a plane between two of them; near vectors mostly end in the same leaf of
one tree or another. Every comparison happens within a leaf, so that twice as many vectors take little more than twice
as long. The planes are drawn from a fixed seed: the same vectors give the same neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    """Pairs of vectors by their places, the first the smaller, and how near they are; in order of their places."""

    first: Rows
    second: Rows
    cosine: Floats


def near(vectors: Floats, *, k: int, least: float) -> Near:
    """Return the pairs of unit vectors with a cosine of `least` or more, for each vector its best `k`.

    A pair is there if it is among the best of either of its vectors.
    """
    found = [_best(vectors, rows, k, least) for rows in _leaves(vectors)]
    pairs = np.concatenate([part[0] for part in found]) if found else np.empty((0, 2), np.int64)
    cosines = np.concatenate([part[1] for part in found]) if found else np.empty(0, np.float32)
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
        # Three digits: sums are added up in another order on another machine, and a plan must not hang on that.
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
    return Near(*(_of(column, kept) for column in pairs))


def _of(column: NDArray[Any], kept: NDArray[np.bool_]) -> NDArray[Any]:
    return column[kept]
