"""Nearest neighbours by cosine, from a copy of the database's vectors in each process.

The blobs in `memory_embeddings` are authoritative. The copy is a list of segments (recollect.store.vector_segment): a
large one mapped from a file next to the database (recollect.store.vector_file), and newer vectors in memory. It follows
the database by two counters (vectors added: `vector_stamp`; dropped: `vector_epoch`) and by the change log.

An index has the vectors of one model.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.dialect import Connection, SearchRow
from recollect.store.row_queries import generation
from recollect.store.store_values import PassageVectors
from recollect.store.vector_file import Saved
from recollect.store.vector_segment import EXACT_ROWS, Floats, Ints, Mask, Segment, merged, nearest, segment, single
from recollect.text.passages import MAX_PASSAGES

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
