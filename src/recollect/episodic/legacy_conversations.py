"""Conversion of older JSON files of an episodic memory to rows; every known field is kept.

A file holds legacy records (user, assistant, time), or parents and their chunks.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.episodic.conversation_rows import orphan_row, rows_of
from recollect.episodic.records import ChunkedMemoryRecord, ChunkMetadata, conversation

Turns = Sequence[Mapping[str, Any]]

# Larger numbers are milliseconds: in seconds this is the year 5138.
MILLISECONDS = 100_000_000_000
# Seconds from 1970 to the year 1: no earlier date can be shown.
LATEST = 62_135_596_800


def legacy_rows(turns: Turns) -> Iterator[dict[str, Any]]:
    """Yield the rows of all records of a file, conversation by conversation, oldest first."""
    records = [_record(turn) for turn in turns]
    _make_distinct(records)
    session = {record.id: _text(turn, "session_id") or None for record, turn in zip(records, turns, strict=True)}
    children: dict[str, list[ChunkedMemoryRecord]] = {}
    for record in records:
        if record.parent_id is not None:
            children.setdefault(record.parent_id, []).append(record)
    parents = sorted((record for record in records if record.is_parent), key=lambda record: record.timestamp)
    for parent in parents:
        own = sorted(children.pop(parent.id, ()), key=lambda child: child.chunk_index)
        yield from rows_of(parent, own, session[parent.id])
    for orphans in children.values():
        yield from map(orphan_row, orphans)


def moment(value: object, default: float) -> float:
    """Return a number or ISO date as Unix seconds; the default for anything else."""
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            return default
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return default
    seconds = value / 1000 if abs(value) > MILLISECONDS else value
    return float(seconds) if abs(seconds) < LATEST else default


def _record(turn: Mapping[str, Any]) -> ChunkedMemoryRecord:
    user, assistant = _text(turn, "user"), _text(turn, "assistant")
    at = moment(turn.get("timestamp"), 0.0)
    index = turn.get("chunk_index")
    name = turn.get("id")
    return ChunkedMemoryRecord(
        id=str(name) if name not in (None, "") else str(uuid.uuid4()),
        parent_id=_text(turn, "parent_id") or None,
        chunk_index=index if isinstance(index, int) and index >= 0 else 0,
        user=user,
        assistant=assistant,
        content=_text(turn, "content") or conversation(user, assistant),
        full_context=_text(turn, "full_context") or None,
        timestamp=at,
        embedding=_embedding(turn.get("embedding")),
        chunk_metadata=_place(turn.get("chunk_metadata")),
        access_count=min(int(_number(turn.get("access_count"), 0.0)), 2**53),
        last_accessed=moment(turn.get("last_accessed"), at),
        importance_score=_number(turn.get("importance_score"), 1.0),
    )


def _text(turn: Mapping[str, Any], name: str) -> str:
    """Return a text as it is stored, without secrets, NUL and lone surrogates: chunks are positions in it."""
    from recollect.engine import without_secrets

    value = turn.get(name)
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return without_secrets(text.replace("\0", "�").encode("utf-8", "replace").decode())


def _number(value: object, default: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
    return float(value) if is_number else default  # type: ignore[arg-type]


def _embedding(value: object) -> list[float] | None:
    if not isinstance(value, list) or not all(isinstance(each, int | float) for each in value):
        return None
    return [float(each) for each in value]


def _place(value: object) -> ChunkMetadata | None:
    if not isinstance(value, Mapping):
        return None
    names = ("start_char", "end_char", "overlap_start", "overlap_end")
    numbers = {name: value.get(name, 0) for name in names}
    if not all(isinstance(each, int) for each in numbers.values()):
        return None
    return ChunkMetadata(**numbers, semantic_boundary=bool(value.get("semantic_boundary")))


def _make_distinct(records: Sequence[ChunkedMemoryRecord]) -> None:
    """Give records with a duplicate id a new one, so that both are stored."""
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            record.id = str(uuid.uuid4())
        seen.add(record.id)
