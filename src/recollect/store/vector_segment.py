"""Arrays of passage vectors, and the search for the nearest of them.

    up to 4,096 vectors    float32, all compared: 1 ms
    above                  float16 with sign bits: the nearest by their bits are compared exactly

An array may be in memory or mapped from a file (recollect.store.vector_file).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

# Up to this many vectors, comparing all costs less than selecting some by their bits.
EXACT_ROWS = 12_288
# The query is rounded to this many bits per component before its products with the sign bits are counted.
QUERY_BITS = 4
# How many of the vectors selected by their bits are compared exactly: a share of all up to a number, or so many per
# wanted neighbour. Of the 53 nearest of 200 queries among 100,000 vectors, 1 of 10,600 is missed, at rank 48.
RESCORED_SHARE = 0.2
RESCORED_ROWS = 4_000
RESCORED_PER_NEIGHBOUR = 16
# Rows compared at a time: as float32 they stay in the cache of a core, which takes a quarter less time.
BLOCK = 256


class Segment(NamedTuple):
    """Vectors in the order of their passage numbers. Only `alive` ever changes.

    scopes: codes of namespaces. signs: bits of each vector, one row per 64 components; None: all are compared.
    """

    pids: Ints
    scopes: NDArray[np.int32]
    vectors: NDArray[Any]
    signs: NDArray[np.uint64] | None
    alive: Mask

    def rows_of(self, pids: Ints) -> tuple[Mask, Ints]:
        """Return which of these passages are present and alive, and their rows."""
        rows = np.minimum(np.searchsorted(self.pids, pids), len(self.pids) - 1)
        held = (self.pids[rows] == pids) & self.alive[rows]
        return held, rows[held]


def segment(pids: Ints, scopes: NDArray[np.int32], vectors: NDArray[Any], *, exact_rows: int) -> Segment:
    """Return vectors as a segment; the passage numbers must be sorted and unique."""
    is_exact = len(pids) <= exact_rows
    kept = vectors.astype(np.float32 if is_exact else np.float16, copy=False)
    return Segment(pids, scopes, kept, None if is_exact else signs(kept), np.ones(len(pids), np.bool_))


def merged(parts: Sequence[Segment], *, exact_rows: int) -> Segment:
    """Return the live vectors of several segments as one."""
    pids = np.concatenate([part.pids[part.alive] for part in parts])
    scopes = np.concatenate([part.scopes[part.alive] for part in parts])
    vectors = np.concatenate([part.vectors[part.alive] for part in parts])
    order = np.argsort(pids)
    return segment(pids[order], scopes[order], vectors[order], exact_rows=exact_rows)


def nearest(among: Segment, query: Floats, allowed: Mask, limit: int) -> tuple[Ints, Floats]:
    """Return the numbers and cosines of the `limit` nearest passages among the allowed rows."""
    rows = None if allowed.all() else np.flatnonzero(allowed)
    count = len(allowed) if rows is None else len(rows)
    wanted = max(min(RESCORED_ROWS, int(RESCORED_SHARE * count)), limit * RESCORED_PER_NEIGHBOUR)
    if among.signs is not None and count > wanted:
        # Copying the bits of a quarter of the rows costs less than counting those of the others.
        if rows is not None and 4 * count <= len(allowed):
            distances = sign_distances(among.signs[:, rows], query)
        else:
            distances = sign_distances(among.signs, query)
            distances = distances if rows is None else distances[rows]
        # Counted, not partitioned: a third of the time. Rows stay in the order of the file: neighbours share pages.
        farthest = np.searchsorted(np.cumsum(np.bincount(distances)), wanted)
        chosen = np.flatnonzero(distances <= farthest)
        rows = chosen if rows is None else rows[chosen]
    places = range(0, count if rows is None else len(rows), BLOCK)
    blocks = (slice(at, at + BLOCK) if rows is None else rows[at : at + BLOCK] for at in places)
    found = np.concatenate([np.empty(0, np.float32), *(cosines(among.vectors[block], query) for block in blocks)])
    best = np.argpartition(found, -limit)[-limit:] if len(found) > limit else np.arange(len(found))
    return among.pids[best if rows is None else rows[best]], found[best]


def cosines(vectors: NDArray[Any], query: Floats) -> Floats:
    """Return the cosine of every unit vector with the unit query.

    einsum, not matmul: as fast (9.2 against 8.7 ms at 100,000 rows), but matmul starts the threads of BLAS, which then
    spin for 70 ms of CPU.
    """
    found: Floats = np.einsum("ij,j->i", single(vectors), query)
    return found


def single(vectors: NDArray[Any]) -> Floats:
    """Return vectors as float32. Finite float16: the same values as astype, in a third of the time.

    Sign, exponent and fraction move to their places; the product corrects the exponent, of subnormal numbers too.
    """
    if vectors.dtype == np.float32:
        return vectors
    shifted = np.ascontiguousarray(vectors).view(np.int16).astype(np.int32)
    shifted <<= 13
    shifted &= ~0x70001FFF
    found: Floats = shifted.view(np.float32)
    found *= np.float32(2.0**112)
    return found


def signs(vectors: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the sign bits of vectors: row w holds components 64w to 64w+63 of every vector."""
    packed = np.packbits(vectors > 0, axis=1)
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(np.ascontiguousarray(packed).view(np.uint64).T)


def sign_distances(bits: NDArray[np.uint64], query: Floats) -> NDArray[np.uint16]:
    """Return for every vector a distance by signs; its order approximates that of the dot products.

    Each component of the query is rounded to an odd number, which is a sum of plus or minus 1, 2, 4 and 8. For each of
    these, the signs that differ are counted: 3 ms at 100,000 vectors.
    """
    most = 2**QUERY_BITS - 1
    levels = np.rint((query / (float(np.abs(query).max()) or 1.0) + 1) * most / 2).astype(np.uint8)
    planes = signs(levels >> np.arange(QUERY_BITS)[:, None] & 1)
    distances = np.zeros(bits.shape[1], np.uint16)
    differing, count = np.empty_like(bits[0]), np.empty(bits.shape[1], np.uint8)
    for bit in reversed(range(QUERY_BITS)):
        distances += distances
        for row, word in zip(bits, planes[:, bit], strict=True):
            np.bitwise_count(np.bitwise_xor(row, word, out=differing), out=count)
            distances += count
    return distances
