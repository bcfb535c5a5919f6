"""Nearest chunks of code by cosine, from a copy of the database's vectors in each process.

A vector belongs to the content of a chunk, by its hash, and chunks change with every edit. So a process has the matrix
of vectors (vector_index.py) and the content of each chunk, and updates the two by their own counters: vectors by the
stamp they were added with, chunks by the stamps of their files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.store.code_rows import PLACE_BITS, ChunkSpan, CodeMatch, LackingVector, files_of_tree
from recollect.store.dialect import Connection
from recollect.store.row_queries import read_setting
from recollect.store.vector_index import VectorIndex, cosines

Ints = NDArray[np.int64]
Spans = Callable[[Sequence[int]], Mapping[int, list[ChunkSpan]]]

EPOCH, STAMP = "code_vector_epoch", "code_vector_stamp"


class CodeVectors(VectorIndex):
    """All vectors of one model and their chunks, as of the last refresh. Safe to share between threads.

    Each distinct content has a number here, in the order in which it was first seen.
    """

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._contents: dict[bytes, int] = {}
        self._files: dict[int, tuple[int, Ints, Ints]] = {}
        self._code_seen = -1
        self._vectors_seen = (-1, -1)
        self._covered: tuple[tuple[object, ...], tuple[int, int]] | None = None
        self._arrange()

    def follow(self, connection: Connection, spans: Spans) -> None:
        """Update to the state that `connection` sees; three small queries if nothing changed."""
        with self._lock:
            generation = int(read_setting(connection, "code_stamp") or 0)
            if generation != self._code_seen:
                self._follow_files(connection, spans)
                self._code_seen = generation
            seen = (int(read_setting(connection, EPOCH) or 0), int(read_setting(connection, STAMP) or 0))
            if seen != self._vectors_seen:
                if seen[0] != self._vectors_seen[0]:
                    self._clear()
                    self._vectors_seen = (seen[0], -1)
                sql = "SELECT hash, embedding FROM code_embeddings WHERE model = ? AND stamp > ?"
                rows = connection.execute(sql, (self._model, self._vectors_seen[1]))
                self._load((self._number(bytes(content)), None, blob) for content, blob in rows)
                self._vectors_seen = seen

    def nearest_chunks(
        self, query: NDArray[np.float32], trees: Sequence[int] | None, allows: Callable[[int], bool] | None, limit: int
    ) -> list[CodeMatch]:
        """Return the nearest chunks of these trees (None: all) whose files are allowed."""
        with self._lock:
            contents = None if trees is None else self._contents_of(trees)
            wanted = limit
            while True:
                found, values = self._nearest(
                    query, lambda part: part.alive if contents is None else np.isin(part.pids, contents), wanted
                )
                matches = self._matches(found, values, trees, allows, limit)
                if len(matches) >= limit or wanted >= self.rows:
                    return matches
                wanted *= 8

    def cosines_of(self, query: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of these chunks that has a vector."""
        with self._lock:
            places = np.searchsorted(self._chunk_ids, np.asarray(ids, np.int64))
            contents = {
                chunk: int(self._chunk_contents[place])
                for chunk, place in zip(ids, places, strict=True)
                if place < len(self._chunk_ids) and self._chunk_ids[place] == chunk
            }
        held = self.vectors(list(contents.values()), len(query))
        found = dict(zip(held.pids, cosines(held.values, query.astype(np.float32)).tolist(), strict=True))
        return {chunk: found[content] for chunk, content in contents.items() if content in found}

    def lacking(self, limit: int, files: Sequence[int] | None) -> list[LackingVector]:
        """Return chunks without a vector: of these files in this order, or of all, the last indexed first."""
        with self._lock:
            order = files if files is not None else sorted(self._files, key=lambda file: -self._files[file][0])
            found: dict[int, int] = {}
            for file in order:
                if file in self._files:
                    _, ids, contents = self._files[file]
                    without = ~self._holds(contents)
                    for chunk, content in zip(ids[without].tolist(), contents[without].tolist(), strict=True):
                        found.setdefault(content, chunk)
                if len(found) >= limit:
                    break
            hashes = list(self._contents)
            return [LackingVector(hashes[content], chunk) for content, chunk in found.items()][:limit]

    def coverage(self, trees: Sequence[int] | None) -> tuple[int, int]:
        """Return how many distinct contents of these trees (None: all) have a vector, and how many have none."""
        with self._lock:
            seen = (self._code_seen, self._vectors_seen, None if trees is None else tuple(trees))
            if self._covered is None or self._covered[0] != seen:
                contents = self._contents_of(trees)
                made = int(self._holds(contents).sum())
                self._covered = (seen, (made, len(contents) - made))
            return self._covered[1]

    def used_hashes(self) -> set[bytes]:
        """Return the hash of every chunk in the index."""
        with self._lock:
            hashes = list(self._contents)
            return {hashes[content] for content in self._contents_of(None)}

    def _number(self, content: bytes) -> int:
        return self._contents.setdefault(content, len(self._contents))

    def _follow_files(self, connection: Connection, spans: Spans) -> None:
        now = {int(file): int(stamp) for file, stamp in connection.execute("SELECT id, stamp FROM files")}
        self._files = {file: kept_rows for file, kept_rows in self._files.items() if now.get(file) == kept_rows[0]}
        for file, rows in spans([file for file in now if file not in self._files]).items():
            ids = np.arange(len(rows), dtype=np.int64) + (file << PLACE_BITS)
            contents = np.fromiter((self._number(row.hash) for row in rows), np.int64, len(rows))
            self._files[file] = (now[file], ids, contents)
        self._arrange()

    def _arrange(self) -> None:
        """Put the chunks of all files into one array by number, with an index by content."""
        files = sorted(self._files)
        none = [np.empty(0, np.int64)]
        self._chunk_ids: Ints = np.concatenate([self._files[file][1] for file in files] or none)
        self._chunk_contents: Ints = np.concatenate([self._files[file][2] for file in files] or none)
        self._by_content: Ints = np.argsort(self._chunk_contents, kind="stable")

    def _contents_of(self, trees: Sequence[int] | None) -> Ints:
        """Return the distinct content numbers of the chunks of these trees."""
        if trees is None:
            return np.unique(self._chunk_contents)
        parts = [np.empty(0, np.int64)]
        for tree in trees:
            first, last = files_of_tree(tree)
            low, high = np.searchsorted(self._chunk_ids, [first << PLACE_BITS, (last + 1) << PLACE_BITS])
            parts.append(self._chunk_contents[low:high])
        return np.unique(np.concatenate(parts))

    def _matches(
        self,
        contents: Ints,
        cosines: NDArray[np.float32],
        trees: Sequence[int] | None,
        allows: Callable[[int], bool] | None,
        limit: int,
    ) -> list[CodeMatch]:
        ordered = self._chunk_contents[self._by_content]
        found: list[CodeMatch] = []
        for content, cosine in zip(contents, cosines, strict=True):
            low, high = np.searchsorted(ordered, [content, content + 1])
            found += [
                CodeMatch(chunk, float(cosine))
                for chunk in map(int, self._chunk_ids[self._by_content[low:high]])
                if _is_of(chunk, trees) and (allows is None or allows(chunk >> PLACE_BITS))
            ]
            if len(found) >= limit:
                break
        return found[:limit]


def _is_of(chunk: int, trees: Iterable[int] | None) -> bool:
    if trees is None:
        return True
    file = chunk >> PLACE_BITS
    return any(first <= file <= last for first, last in map(files_of_tree, trees))
