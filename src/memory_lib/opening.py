"""Opening a database: the shelf of a library in it, after a file of the older library was taken over."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from recollect.engine.importing.legacy_files import Older, adopt
from recollect.engine.library_store import LibraryStore

logger = logging.getLogger(__name__)

GENERAL = "memory_lib.general"
CODEBASE = "memory_lib.codebase"


def open_shelf(db_path: str, namespace: str) -> LibraryStore:
    """Return the shelf of a namespace in the database at a path.

    A file of the older library is made one of ours first; as it was it stays beside, with `.backup` to its name.
    """
    saved = adopt(db_path, {GENERAL: _general, CODEBASE: _codebase})
    if saved is not None:
        logger.warning("converted %s from an older version; the original is in %s", db_path, saved)
    return LibraryStore(db_path, namespace)


def _general(older: Older) -> Iterator[Mapping[str, Any]]:
    for row in older.rows("memories"):
        yield {**older.beside(row), "content": row["text"], "metadata": older.object(row, "metadata")}


def _codebase(older: Older) -> Iterator[Mapping[str, Any]]:
    from memory_lib.codebase.code_storage import code_row, note_row

    for row in older.rows("code_memories"):
        lists = {name: older.list(row, name) for name in ("dependencies", "imports")}
        yield {**older.beside(row), **code_row({**row, **lists}, older.object(row, "metadata"))}
    for row in older.rows("non_code_memories"):
        note = {**row, "category": row.get("category") or "general"}
        yield {**older.beside(row), **note_row(note, older.object(row, "metadata"))}
