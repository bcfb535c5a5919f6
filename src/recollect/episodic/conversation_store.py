"""The database of an episodic memory: opening, export and import as JSON, embeddings and metrics.

A path is a database file of recollect, whatever its suffix. Without a path the database is in a temporary folder, which
is deleted with its owner.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from recollect.episodic.exceptions import documented_errors
from recollect.errors import EmbeddingFailed

if TYPE_CHECKING:
    from recollect.engine import CallerEmbedder, LibraryStore

logger = logging.getLogger(__name__)

EPISODES = "episodic"
SESSIONS = "episodic.sessions"

# From a text to its vector; a function from a list of texts to their vectors works, too.
EmbeddingFunction = Callable[[Any], Sequence[Any]]
Rows = Callable[[Sequence[Mapping[str, Any]]], Iterator[Mapping[str, Any]]]


class ConversationStore:
    """An open database of conversations; a `with` block closes it."""

    store: LibraryStore
    _metrics: Metrics
    _legacy: Rows

    @property
    def metrics(self) -> dict[str, dict[str, float]]:
        """Count and average milliseconds of each operation; empty if `enable_memory_metrics` is off."""
        return self._metrics.collected()

    def export_records(self, path: str | Path) -> int:
        """Write all records with their ids, times and use to a new JSON file; return how many.

        `import_records` reads the file; so does a memory that is opened with it as its storage path. Raises
        FileExistsError.
        """
        with documented_errors():
            entries = list(self._entries())
        file = os.open(Path(path).expanduser(), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as out:
            json.dump(entries, out, ensure_ascii=False, indent=1)
        return len(entries)

    def import_records(self, path: str | Path) -> int:
        """Store the records of a JSON file with their ids, times and use; return how many. Known ids are skipped.

        Raises ValueError if the file has no conversation turns.
        """
        from recollect.engine import document_turns

        with documented_errors():
            turns = document_turns(path)
            new = [turn for turn in turns if not self._is_known(str(turn.get("parent_id") or turn.get("id") or ""))]
            self._add_rows(list(self._legacy(new)))
        return len(new)

    def _entries(self) -> Iterator[dict[str, Any]]:
        """Yield all records as JSON objects."""
        raise NotImplementedError

    def _add_rows(self, rows: list[Mapping[str, Any]]) -> None:
        """Store imported rows, all or none."""
        self.store.add(rows)

    def _is_known(self, record_id: str) -> bool:
        """Return whether a record or chunks of it are stored."""
        return self.store.get(record_id) is not None or bool(self.store.ends(1, newest=False, parent_id=record_id))

    def _open(self, path: str | Path | None, namespace: str, embedder: CallerEmbedder | None, legacy: Rows) -> None:
        """Open the database at a path; with None, one that is deleted when it is closed.

        legacy: converts the turns of a JSON file to rows
        """
        from recollect.engine import LibraryStore, adopt_json, configured

        self._legacy = legacy
        self._metrics = Metrics(enabled=bool(configured("enable_memory_metrics")["enable_memory_metrics"]))
        adopted = adopt_json(path, namespace, legacy) if path is not None else None
        if adopted is not None:
            logger.warning("converted %s; the original is in %s", path, adopted.saved)
            if adopted.left:
                logger.warning("%d entries are not conversation turns and remain there", adopted.left)
        self.store = LibraryStore(path, namespace, embedder=embedder)

    def close(self) -> None:
        """Close the database; closing it again does nothing. Without a path its memories are deleted."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


class Metrics:
    """Counts and times operations. Safe to share between threads."""

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled
        self._done: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def timed(self, operation: str) -> Iterator[None]:
        """Count and time the block, unless it fails."""
        if not self.enabled:
            yield
            return
        began = time.perf_counter()
        yield
        taken = time.perf_counter() - began
        with self._lock:
            count, seconds = self._done.get(operation, (0, 0.0))
            self._done[operation] = (count + 1, seconds + taken)

    def collected(self) -> dict[str, dict[str, float]]:
        """Return the count and the average milliseconds of each operation."""
        with self._lock:
            return {
                name: {"count": count, "average_ms": 1000 * seconds / count}
                for name, (count, seconds) in self._done.items()
            }


def embedding_function(text: str) -> list[float]:
    """Return the vector of a text by the configured model; default: the one shipped with recollect."""
    from recollect.engine import configured_vector

    return configured_vector(text)


def embedder_of(function: EmbeddingFunction | None) -> CallerEmbedder | None:
    """Return an embedder that calls a function; None without one. Raises TypeError if it is not callable."""
    if function is None:
        return None
    from recollect.engine import CallerEmbedder

    return CallerEmbedder(function)


def vectors_of(embedder: CallerEmbedder | None, texts: Sequence[str]) -> list[list[float]] | None:
    """Return the vectors of texts; None without an embedder or if it fails."""
    if embedder is None:
        return None
    try:
        return embedder.vectors(texts)
    except EmbeddingFailed as problem:
        logger.warning("no embeddings: %s", problem.message)
        return None
