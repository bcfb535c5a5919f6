"""Nearest neighbours by cosine, from a copy of the database's vectors in each process.

The blobs in `memory_embeddings` are authoritative. The copy is a list of segments: a large one mapped from a file next
to the database (recollect.store.vector_file), and newer vectors in memory. It follows the database by two counters
(vectors added: `vector_stamp`; dropped: `vector_epoch`) and by the change log. An index has the vectors of one model.

    up to 12,288 vectors   float32, all compared: 1 ms for 4,096
    above                  float16 with sign bits: the nearest by their bits are compared exactly
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.store.dialect import Connection, SearchRow
from recollect.store.row_queries import generation
from recollect.store.store_values import PassageVectors
from recollect.text.passages import MAX_PASSAGES

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
# Up to EXACT_ROWS vectors are read in about 100 ms and get no file. A new file is written when more than that were
# added since, and more than this share of its vectors.
MAX_UNSAVED_SHARE = 0.1
# Each changed row is read again by a query; beyond this many, reading everything is cheaper.
MAX_SINGLE_REFRESHES = 2_000
# Rows of deleted memories stay until they are this share of all, then everything is read again.
MAX_DEAD_SHARE = 0.2
# Rows read at a time: their blobs are in memory twice.
READ_ROWS = 4_096

_COLUMNS = (
    f"m.seq * {MAX_PASSAGES} + e.part, m.namespace, e.embedding "
    "FROM memory_embeddings e JOIN memories m ON m.id = e.memory_id"
)
# An expression has no index: the one by entity lists every change of a memory ever made, 13 ms at 100,000.
_SINCE = "seq > ? AND (entity || '') = 'memories'"


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


class Saved(NamedTuple):
    """A mapped file."""

    seen: tuple[int, int, int]
    scopes: list[str | None]
    segment: Segment


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


def to_blob(vector: NDArray[np.float32]) -> bytes:
    """Return a vector as it is stored: little-endian float16, half the size at a cosine error below 0.001."""
    return np.asarray(vector, dtype="<f2").tobytes()


def means(rows: Iterable[tuple[Any, ...]]) -> tuple[list[str], NDArray[np.float32]]:
    """Return the names of (name, blob) rows in order, and for each the mean of its vectors, of unit length."""
    found = list(rows)
    if not found:
        return [], np.empty((0, 0), np.float32)
    width = len(found[0][1])
    found = [row for row in found if len(row[1]) == width]
    names = list(dict.fromkeys(row[0] for row in found))
    place = {name: number for number, name in enumerate(names)}
    vectors = np.frombuffer(b"".join(row[1] for row in found), dtype="<f2").reshape(len(found), -1)
    if len(names) == len(found):
        sums = vectors.astype(np.float32)
    else:
        sums = np.zeros((len(names), vectors.shape[1]), np.float32)
        np.add.at(sums, [place[row[0]] for row in found], vectors)
    unit: NDArray[np.float32] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return names, unit


class VectorIndex:
    """All vectors of one model, as of the last refresh. Safe to share between threads."""

    def __init__(self, model: str, *, exact_rows: int | None = None) -> None:
        """exact_rows: up to this many vectors, a search compares all of them"""
        self._model = model
        self._exact_rows = EXACT_ROWS if exact_rows is None else exact_rows
        self._lock = threading.Lock()
        self._seen = (-1, -1, -1)
        self._clear()

    def _clear(self) -> None:
        self._segments: list[Segment] = []
        self._scope_of: dict[str | None, int] = {}
        self._dead = 0
        # The first segment, if it has all vectors of the database when it was read: later ones are not merged into it.
        self._whole: Segment | None = None
        self._is_saved = False

    @property
    def rows(self) -> int:
        """The number of vectors, including those of deleted memories."""
        return sum(len(part.pids) for part in self._segments)

    def refresh(self, connection: Connection, saved: Callable[[], Saved | None] = lambda: None) -> None:
        """Update the index to the state that `connection` sees; three small queries if nothing changed.

        saved: maps the vector file of this model and database, if there is one
        """
        with self._lock:
            seen = generation(connection)
            if seen == self._seen:
                return
            if not self._follow(connection, seen) and not self._mapped(connection, seen, saved()):
                self._clear()
                self._load(connection.execute(f"SELECT {_COLUMNS} WHERE e.model = ?", (self._model,)))
                self._whole = self._segments[0] if self._segments else None
            self._seen = seen

    def unsaved(self) -> Saved | None:
        """Return, once, all vectors to write to a file, if they were read from the database."""
        with self._lock:
            if self._is_saved or self._whole is None or self._whole.signs is None:
                return None
            self._is_saved = True
            if self._whole is not self._segments[-1] or not self._whole.alive.all():
                return None  # another thread has refreshed meanwhile
            return Saved(self._seen, list(self._scope_of), self._whole)

    def use(self, saved: Saved) -> None:
        """Replace the vectors in memory by the same ones of a mapped file."""
        with self._lock:
            if self._whole is not None and np.array_equal(saved.segment.pids, self._whole.pids):
                self._whole = saved.segment._replace(alive=self._whole.alive)
                self._segments[0] = self._whole

    def nearest(self, query: Floats, scopes: Sequence[str | None] | None, limit: int) -> list[SearchRow]:
        """Return the `limit` nearest passages as (number, cosine), of these namespaces only if `scopes` is given."""
        with self._lock:
            codes = None if scopes is None else [self._scope_of[name] for name in scopes if name in self._scope_of]
            pids, found = self._nearest(
                query, lambda part: part.alive if codes is None else part.alive & np.isin(part.scopes, codes), limit
            )
            return list(zip(pids.tolist(), found.tolist(), strict=True))

    def vectors(self, pids: Sequence[int], width: int) -> PassageVectors:
        """Return the vectors of these passages, of those that have one of this width."""
        with self._lock:
            wanted = np.unique(np.asarray(pids, np.int64))
            found, values = np.zeros(len(wanted), np.bool_), np.empty((len(wanted), width), np.float32)
            for part in self._segments:
                if part.vectors.shape[1] == width:
                    held, rows = part.rows_of(wanted)
                    values[held] = single(part.vectors[rows])
                    found |= held
            return PassageVectors(wanted[found].tolist(), values[found])

    def _nearest(self, query: Floats, allowed: Callable[[Segment], Mask], limit: int) -> tuple[Ints, Floats]:
        """Return the numbers and cosines of the nearest among the allowed rows, nearest first."""
        searched = [part for part in self._segments if part.vectors.shape[1] == query.shape[0]]
        found = [nearest(part, query.astype(np.float32), allowed(part), limit) for part in searched]
        pids = np.concatenate([np.empty(0, np.int64), *(numbers for numbers, _ in found)])
        values = np.concatenate([np.empty(0, np.float32), *(values for _, values in found)])
        order = np.lexsort((pids, -values))[:limit]
        return pids[order], values[order]

    def _holds(self, pids: Ints) -> Mask:
        """Return which of these passages have a vector."""
        held = np.zeros(len(pids), np.bool_)
        for part in self._segments:
            held |= part.rows_of(pids)[0]
        return held

    def _mapped(self, connection: Connection, seen: tuple[int, int, int], saved: Saved | None) -> bool:
        """Load a mapped file and apply later changes; False if there is no usable file."""
        if saved is None:
            return False
        self._clear()
        self._segments = [saved.segment]
        self._scope_of = {name: code for code, name in enumerate(saved.scopes)}
        self._whole, self._is_saved = saved.segment, True
        self._seen = saved.seen
        return self._follow(connection, seen)

    def _follow(self, connection: Connection, seen: tuple[int, int, int]) -> bool:
        """Apply the changes since the last refresh; False if reading everything is cheaper."""
        epoch, stamp, change = self._seen
        if change < 0 or seen[0] != epoch or seen[1] < stamp or seen[2] < change:
            return False
        news = list(
            connection.execute(
                f"SELECT action, count(DISTINCT entity_id) FROM changes WHERE {_SINCE} GROUP BY action",
                (change,),
            )
        )
        counts = {action: int(distinct) for action, distinct in news}
        self._dead += counts.get("delete", 0)
        if counts.get("update", 0) > MAX_SINGLE_REFRESHES or self._dead > MAX_DEAD_SHARE * max(self.rows, 1):
            return False
        if counts.get("update", 0):
            self._follow_updates(connection, change)
        self._load(connection.execute(f"SELECT {_COLUMNS} WHERE e.model = ? AND e.stamp > ?", (self._model, stamp)))
        whole = 0 if self._whole is None else len(self._whole.pids)
        return self.rows - whole <= max(self._exact_rows, MAX_UNSAVED_SHARE * whole)

    def _follow_updates(self, connection: Connection, change: int) -> None:
        """Drop the rows of updated memories and read their current vectors, if they have any."""
        updated = f"SELECT entity_id FROM changes WHERE {_SINCE} AND action = 'update'"
        found = connection.execute(f"SELECT seq FROM memories WHERE id IN ({updated})", (change,))
        seqs = np.fromiter((row[0] for row in found), np.int64)
        for part in self._segments:
            ends = (np.searchsorted(part.pids, (seqs + after) * MAX_PASSAGES) for after in (0, 1))
            for first, last in zip(*ends, strict=True):
                part.alive[first:last] = False
        now = f"SELECT {_COLUMNS} WHERE e.model = ? AND e.memory_id IN ({updated})"
        self._load(connection.execute(now, (self._model, change)))

    def _load(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add vectors as a segment, merged with the previous ones that are not much larger."""
        new = self._read(iter(rows))
        if new is None:
            return
        if self._segments and new.vectors.shape[1] != self._segments[0].vectors.shape[1]:
            self._segments, self._whole = [], None
        for part in self._segments:
            part.alive[part.rows_of(new.pids)[1]] = False
        parts = [new]
        while self._segments and self._segments[-1] is not self._whole:
            if len(self._segments[-1].pids) > 2 * sum(len(part.pids) for part in parts):
                break
            parts.insert(0, self._segments.pop())
        self._segments.append(merged(parts, exact_rows=self._exact_rows) if len(parts) > 1 else new)

    def _read(self, rows: Iterator[tuple[Any, ...]]) -> Segment | None:
        """Return rows of (number, namespace, blob) as a segment; None without rows."""
        pids: list[int] = []
        scopes: list[int] = []
        blocks: list[NDArray[np.float16]] = []
        width = 0
        while read := list(itertools.islice(rows, READ_ROWS)):
            width = width or len(read[0][2])
            # A vector of another length than the first cannot be compared with it; it is left out until a rebuild.
            read = [row for row in read if len(row[2]) == width]
            pids += [row[0] for row in read]
            scopes += [self._scope_of.setdefault(row[1], len(self._scope_of)) for row in read]
            blocks.append(np.frombuffer(b"".join(row[2] for row in read), "<f2").reshape(len(read), -1))
        if not pids:
            return None
        order = np.argsort(pids)
        vectors = _arranged(blocks, np.argsort(order))
        numbers, codes = np.array(pids, np.int64)[order], np.array(scopes, np.int32)[order]
        return segment(numbers, codes, vectors, exact_rows=self._exact_rows)


def _arranged(blocks: list[NDArray[np.float16]], places: Ints) -> NDArray[np.float16]:
    """Return the rows of blocks, each at its place; a block is freed after it is copied."""
    vectors = np.empty((len(places), blocks[0].shape[1]), np.float16)
    start = 0
    while blocks:
        block = blocks.pop(0)
        vectors[places[start : start + len(block)]] = block
        start += len(block)
    return vectors
