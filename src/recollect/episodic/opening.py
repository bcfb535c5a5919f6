"""Opening: the shelf at a path, after a JSON file of an older memory was taken over.

A path is a file of recollect's own, whatever its name ends with. A shelf without a path lies in a temporary folder and
goes with whoever opened it.
"""

from __future__ import annotations

import logging
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from recollect.engine.library_store import LibraryStore
    from recollect.engine.models.given_embedder import CallerEmbedder

logger = logging.getLogger(__name__)

EPISODES = "episodic"
SESSIONS = "episodic.sessions"

Rows = Callable[[Sequence[Mapping[str, Any]]], Iterator[Mapping[str, Any]]]


class Opened:
    """A shelf with what closes it."""

    def __init__(
        self, path: str | Path | None, namespace: str, embedder: CallerEmbedder | None = None, *, older: Rows
    ) -> None:
        """Open the shelf at a path; None: in a folder of its own that is removed when it is closed.

        older: what is kept of the turns of a JSON file
        """
        from recollect.engine.importing.legacy_files import adopt_document
        from recollect.engine.library_store import LibraryStore

        folder = tempfile.TemporaryDirectory(prefix="recollect-episodic-") if path is None else None
        place = Path(folder.name) / "memory.db" if folder is not None else Path(path or "")
        adopted = adopt_document(place, namespace, older)
        if adopted is not None:
            logger.warning("converted %s; the original is in %s", place, adopted.saved)
            if adopted.left:
                logger.warning("%d entries are not conversation turns and remain there", adopted.left)
        self.shelf: LibraryStore = LibraryStore(place, namespace, embedder=embedder)
        self._closing = weakref.finalize(self, _tidy, self.shelf, folder)

    def close(self) -> None:
        """Close the database; closing it again does nothing."""
        self._closing()


class Keeping:
    """Something that has opened a shelf; at the end of a `with` block it is closed."""

    _opened: Opened

    def close(self) -> None:
        """Close the file; closing it again does nothing. What was not given a path is gone."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _tidy(shelf: LibraryStore, folder: tempfile.TemporaryDirectory[str] | None) -> None:
    shelf.close()
    if folder is not None:
        folder.cleanup()
