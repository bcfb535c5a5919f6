"""The database file of a memory library: opening, conversion of the older format, and the rows of code and notes."""

from __future__ import annotations

import hashlib
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Self

from recollect.engine import LegacyDatabase, LibraryStore, adopt_database
from recollect.model import Memory

logger = logging.getLogger(__name__)

GENERAL = "memory_lib.general"
CODEBASE = "memory_lib.codebase"
# The category of a memory of code; notes have their own categories.
CODE = "code"
# Texts that describe an entity beside its code.
CODE_FIELDS = ("file_path", "entity_name", "docstring", "signature", "language", "complexity", "last_modified")
# recollect limits titles and tags to this length; the metadata holds the whole text.
LABEL_CHARACTERS = 200


class Closing(ABC):
    """Holds a database open; a `with` block closes it."""

    @abstractmethod
    def close(self) -> None:
        """Close the database."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
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
    fields = {name: entity.get(name) or "" for name in CODE_FIELDS}
    fields |= {name: list(entity.get(name) or ()) for name in ("dependencies", "imports")}
    path, language = str(fields["file_path"]), str(fields["language"])
    return {
        "content": entity["code_snippet"],
        "category": CODE,
        "title": str(fields["entity_name"])[:LABEL_CHARACTERS] or None,
        "tags": (*file_tags(path), *([tag("language", language)] if language else ())),
        "metadata": {"entity": fields, "metadata": dict(metadata), **_file(path)},
    }


def note_row(note: Mapping[str, Any], metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a note as a row."""
    title, path = note.get("title") or "", note.get("file_path") or ""
    return {
        "content": note["content"],
        "category": note["category"],
        "title": title[:LABEL_CHARACTERS] or None,
        "tags": file_tags(path),
        "metadata": {"note": {"title": title, "file_path": path}, "metadata": dict(metadata or {}), **_file(path)},
    }


def identity(file_path: str) -> str:
    """Return the one name of a file, however it was written: its absolute path, without links."""
    return os.path.realpath(required("file_path", file_path))


def identity_of(memory: Memory) -> str:
    """Return the identity of a memory's file; empty without a file. Older rows have the path as it was written."""
    written = (memory.metadata.get("entity") or memory.metadata.get("note") or {}).get("file_path")
    return str(memory.metadata.get("file") or (identity(written) if written else ""))


def file_tags(file_path: str) -> tuple[str, ...]:
    """Return the tags of a file: its identity, and the path as it was written; none without a path."""
    if not file_path:
        return ()
    names = (identity(file_path), os.path.normpath(file_path))
    return tuple(dict.fromkeys(tag("file", name) for name in names))


def _file(file_path: str) -> dict[str, str]:
    return {"file": identity(file_path)} if file_path else {}


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
