"""Episodic memory (document 001): a JSON file of conversation turns, their chunks, or legacy records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.importing.fields import Fields
from recollect.importing.import_records import Found, Left, Remembered
from recollect.importing.import_source import Reader, SourceFile

# The names of lists of records.
LISTS = ("records", "memories", "parents", "chunks", "children", "turns", "episodes")
# The largest value of its importance, a multiplier.
MOST_IMPORTANT = 5.0


class Episodic(Reader):
    """A file of an episodic memory; its ids are kept, as chunks name their parents by them."""

    source_name = "episodic"
    program = "episodic memory"
    kept_ids = True

    @staticmethod
    def fits(source: SourceFile) -> bool:
        if source.kind != "document":
            return False
        rows = [row for _, row in _rows(source.first)]
        return bool(rows) and all(_is_turn(row) for row in rows[:20])

    def read(self) -> Iterator[Found]:
        chunks: list[Found] = []
        for part, row in _rows(self.source.first):
            if not isinstance(row, dict) or not _is_turn(row):
                yield Left(part, "not a conversation record")
                continue
            found = _record(part, Fields(row), is_chunk=bool(row.get("parent_id")))
            if isinstance(found, Remembered) and found.parent is not None:
                chunks.append(found)  # parents come first
            else:
                yield found
        yield from chunks
        if isinstance(self.source.first, dict):
            for name, value in self.source.first.items():
                if name not in LISTS and value not in (None, "", [], {}):
                    yield Left(name, "a field of the file, not of a record")


def turns(document: Any) -> tuple[list[Mapping[str, Any]], int]:
    """Return the records of a document, and the number of other entries."""
    rows = [row for _, row in _rows(document)]
    found = [row for row in rows if _is_turn(row)]
    is_other = isinstance(document, dict) and bool(document) and not any(name in document for name in LISTS)
    return found, len(rows) - len(found) + is_other


def _rows(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield the records of a document with the name of their list; a mapping of ids is a list."""
    lists = {"records": document} if isinstance(document, list) else document if isinstance(document, dict) else {}
    for name in LISTS:
        held = lists.get(name)
        if isinstance(held, Mapping):
            held = [{"id": key, **row} if isinstance(row, dict) else row for key, row in held.items()]
        for row in held if isinstance(held, list) else ():
            yield name, row


def _is_turn(row: object) -> bool:
    if not isinstance(row, dict):
        return False
    said = any(isinstance(row.get(name), str) for name in ("user", "assistant"))
    return said or ("chunk_index" in row and isinstance(row.get("content"), str))


def _record(part: str, fields: Fields, *, is_chunk: bool) -> Found:
    user, assistant, content = fields.text("user"), fields.text("assistant"), fields.text("content")
    whole = f"User: {user or ''}\nAssistant: {assistant or ''}" if user or assistant else None
    told = content or whole
    if told is None:
        return Left(part, "it is empty")
    key, at = fields.take("id"), fields.time("timestamp")
    parent = fields.text("parent_id")
    said = {name: value for name, value in (("user", user), ("assistant", assistant)) if value}
    fields.drop("embedding", "full_context")  # computed here; the parent has it
    chunk, place = fields.object("chunk_metadata"), fields.count("chunk_index")
    return Remembered(
        part="chunks" if is_chunk else part,
        key=str(key) if key else f"{at}\n{told}",
        content=told,
        at=at,
        category="episode",
        accessed_at=fields.time("last_accessed"),
        access_count=fields.count("access_count"),
        importance=_importance(fields),
        parent=parent,
        place=place if is_chunk else None,
        metadata={**fields.object("metadata"), **said, **({"chunk_metadata": chunk} if chunk else {})},
        beside=fields.rest(),
    )


def _importance(fields: Fields) -> float:
    """Return a multiplier as our importance: its default 1 is 0.5, its maximum is 1."""
    value = fields.take("importance_score")
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        return 0.5
    if value <= 1:
        return value / 2
    return min(1.0, 0.5 + 0.5 * (value - 1) / (MOST_IMPORTANT - 1))
