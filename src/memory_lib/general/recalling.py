"""Relevance of memories by recollect's own recall, where no model scores them.

Memories in a recollect database are recalled there. Others are put into a temporary database, which is deleted with its
caller.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

from recollect.engine.library_store import UNRELATED, LibraryStore, Relevant

NAMESPACE = "memory_lib.scratch"

Keyed = tuple[str, str]  # id, text


class Recalling:
    """Recalls memories given as ids and texts."""

    def __init__(self, shelf: LibraryStore | None = None) -> None:
        """Look for memories on `shelf` first."""
        self._shelf = shelf
        self._scratch: LibraryStore | None = None
        self._lock = threading.Lock()
        self._closing: weakref.finalize[[LibraryStore, tempfile.TemporaryDirectory[str]], Recalling] | None = None

    def relevance(self, question: str, memories: Sequence[Keyed]) -> list[Relevant]:
        """Return the relevance of each memory, in their order."""
        if not memories:
            return []
        if self._shelf is not None and _has(self._shelf, memories):
            found = self._shelf.relevance(question)
            return [found.get(memory_id, UNRELATED) for memory_id, _ in memories]
        with self._lock:  # the scratch holds exactly what is asked about: one question at a time
            ids = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for _, text in memories]
            texts = {name: text for name, (_, text) in zip(ids, memories, strict=True) if text.strip()}
            found = self._filled(texts).relevance(question)
        return [found.get(name, UNRELATED) for name in ids]

    def close(self) -> None:
        """Remove what was put aside."""
        with self._lock:
            if self._closing is not None:
                self._closing()
            self._scratch = self._closing = None

    def _filled(self, texts: dict[str, str]) -> LibraryStore:
        if self._scratch is None:
            folder = tempfile.TemporaryDirectory(prefix="memory-lib-")
            self._scratch = LibraryStore(Path(folder.name) / "scratch.db", NAMESPACE)
            self._closing = weakref.finalize(self, _tidy, self._scratch, folder)
        kept = {row.id for row in self._scratch.find()}
        for name in kept - set(texts):
            self._scratch.remove(memory_id=name)
        self._scratch.add([{"id": name, "content": text} for name, text in texts.items() if name not in kept])
        return self._scratch


def _has(shelf: LibraryStore, memories: Sequence[Keyed]) -> bool:
    """Tell whether a shelf has all of the memories, as they are given."""
    kept = {row.id: row.content for row in shelf.find()}
    return all(kept.get(memory_id) == text for memory_id, text in memories)


def _tidy(shelf: LibraryStore, folder: tempfile.TemporaryDirectory[str]) -> None:
    shelf.close()
    folder.cleanup()
