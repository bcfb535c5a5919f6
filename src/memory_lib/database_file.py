"""The database file of a memory library: opening, conversion of the older format, and the rows of code and notes."""

from __future__ import annotations

import hashlib
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from recollect.engine import LegacyDatabase, LibraryStore, adopt_database

logger = logging.getLogger(__name__)

GENERAL = "memory_lib.general"
CODEBASE = "memory_lib.codebase"
# The category of a memory of code; notes have their own categories.
CODE = "code"
# recollect limits titles and tags to this length; the metadata holds the whole text.
LABEL_CHARACTERS = 200


class Closing(ABC):
    """Holds a database open; a `with` block closes it."""

    @abstractmethod
    def close(self) -> None:
        """Close the database."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_library(db_path: str, namespace: str) -> LibraryStore:
    """Return the memories of a namespace in the database at a path.

    A file of the older library is converted first; the original stays beside it with the suffix `.backup`.
    """
    saved = adopt_database(db_path, {GENERAL: _general_rows, CODEBASE: _code_rows})
    if saved is not None:
        logger.warning("converted %s from an older version; the original is in %s", db_path, saved)
    return LibraryStore(db_path, namespace)


def _general_rows(older: LegacyDatabase) -> Iterator[Mapping[str, Any]]:
    for row in older.rows("memories"):
        yield {**older.beside(row), "content": row["text"], "metadata": older.object(row, "metadata")}


def _code_rows(older: LegacyDatabase) -> Iterator[Mapping[str, Any]]:
    for row in older.rows("code_memories"):
        lists = {name: older.list(row, name) for name in ("dependencies", "imports")}
        yield {**older.beside(row), **code_row({**row, **lists}, older.object(row, "metadata"))}
    for row in older.rows("non_code_memories"):
        note = {**row, "category": row.get("category") or "general"}
        yield {**older.beside(row), **note_row(note, older.object(row, "metadata"))}


def code_row(entity: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entity as a row: its code is the content, the rest is metadata."""
    path, name, language = (str(entity.get(each) or "") for each in ("file_path", "entity_name", "language"))
    fields = {
        "file_path": path,
        "entity_name": name,
        "docstring": entity.get("docstring") or "",
        "signature": entity.get("signature") or "",
        "language": language,
        "dependencies": list(entity.get("dependencies") or ()),
        "imports": list(entity.get("imports") or ()),
        "complexity": entity.get("complexity") or "",
        "last_modified": entity.get("last_modified") or "",
    }
    return {
        "content": entity["code_snippet"],
        "category": CODE,
        "title": name[:LABEL_CHARACTERS] or None,
        "tags": (*([file_tag(path)] if path else ()), *([tag("language", language)] if language else ())),
        "metadata": {"entity": fields, "metadata": dict(metadata)},
    }


def note_row(note: Mapping[str, Any], metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a note as a row."""
    title, path = note.get("title") or "", note.get("file_path") or ""
    return {
        "content": note["content"],
        "category": note["category"],
        "title": title[:LABEL_CHARACTERS] or None,
        "tags": (file_tag(path),) if path else (),
        "metadata": {"note": {"title": title, "file_path": path}, "metadata": dict(metadata or {})},
    }


def file_tag(file_path: str) -> str:
    """Return the tag of all memories of a file; `./a.py` and `a.py` have the same."""
    return tag("file", os.path.normpath(required("file_path", file_path)))


def tag(kind: str, value: str) -> str:
    """Return a tag such as `language:python`; a value that is too long is replaced by its hash."""
    whole = f"{kind}:{value}"
    return whole if len(whole) <= LABEL_CHARACTERS else f"{kind}:{hashlib.sha256(value.encode()).hexdigest()}"


def required(name: str, value: object) -> str:
    """Return a non-empty text. Raises ValueError otherwise."""
    if not isinstance(value, str) or not value.strip():
        problem = "None" if value is None else "empty" if isinstance(value, str) else f"not text: {value!r:.40}"
        raise ValueError(f"{name} is {problem}")
    return value


def iso(seconds: float) -> str:
    """Return Unix time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
