"""Rows: how conversations and their chunks lie in the store.

    a turn without chunks     one row, category `turn`; its metadata has both sides
    a turn with chunks        one row per chunk: the first carries the parent (category `first`), the others are `chunk`

So every text is searched once, and the parent, which is no row, is read from the first of its chunks. A row's content
is what is searched; what a record shows is made of the sides that are kept and of positions in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recollect.episodic.records import ChunkedMemoryRecord, ChunkMetadata, MemoryRecord, conversation
from recollect.model import Memory

TURN, FIRST, CHUNK = "turn", "first", "chunk"
# What stands for a chunk without a word in the index, where nothing can be blank.
BLANK = "(blank)"
# A multiplier of 1 is what every record has, and an importance of a half what every memory has.
ORDINARY_IMPORTANCE = 0.5
MOST_IMPORTANT = 5.0


def rows_of(
    parent: ChunkedMemoryRecord, children: Sequence[ChunkedMemoryRecord], session_id: str | None
) -> Iterator[dict[str, Any]]:
    """Yield a conversation as rows for a shelf."""
    if not children:
        yield {**_common(parent, session_id), "category": TURN, "metadata": _sides(parent)}
    for place, child in enumerate(children):
        metadata = {**_times(child), **_place(child, parent)}
        if place == 0:
            metadata["parent"] = {**_sides(parent), "access_count": parent.access_count}
        yield {
            **_common(child, session_id),
            "parent_id": parent.id,
            "category": CHUNK if place else FIRST,
            "metadata": metadata,
        }


def orphan_row(child: ChunkedMemoryRecord) -> dict[str, Any]:
    """Return a chunk whose parent is not there as a row."""
    context = {"full_context": child.full_context} if child.full_context is not None else {}
    metadata = {**_sides(child), **_place(child, None), "content": child.content, **context}
    return {**_common(child, None), "parent_id": child.parent_id, "category": CHUNK, "metadata": metadata}


def _common(record: ChunkedMemoryRecord, session_id: str | None) -> dict[str, Any]:
    at = int(record.timestamp)
    return {
        "id": record.id,
        "content": record.content if record.content.strip() else BLANK,
        "created_at": at,
        "valid_from": at,
        "chunk_index": record.chunk_index,
        "session_id": session_id,
        "access_count": record.access_count,
        "last_accessed_at": int(record.last_accessed),
        "importance": importance(record.importance_score),
    }


def _times(record: ChunkedMemoryRecord) -> dict[str, Any]:
    told: dict[str, Any] = {"timestamp": record.timestamp, "last_accessed": record.last_accessed}
    if record.importance_score != 1.0:
        told["importance_score"] = record.importance_score
    if record.embedding is not None:
        told["embedding"] = record.embedding
    return told


def _sides(record: ChunkedMemoryRecord) -> dict[str, Any]:
    told = {**_times(record), "user": record.user, "assistant": record.assistant}
    if record.content != conversation(record.user, record.assistant):
        told["content"] = record.content
    return told


def _place(child: ChunkedMemoryRecord, parent: ChunkedMemoryRecord | None) -> dict[str, Any]:
    """Return where a chunk stands, and its text where that is not what stands there."""
    place = child.chunk_metadata
    told: dict[str, Any] = {}
    if place is not None:
        told["chunk"] = [place.start_char, place.end_char, place.overlap_start, place.overlap_end]
        told["semantic_boundary"] = place.semantic_boundary
    if place is None or parent is None or parent.content[place.start_char : place.end_char] != child.content:
        told["content"] = child.content
    return told


# --- and back --------------------------------------------------------------------------------------------------------


def turn_record(memory: Memory) -> ChunkedMemoryRecord:
    """Return a conversation that has no chunks."""
    record = _parent(memory.id, memory.metadata)
    record.access_count, record.last_accessed = memory.access_count, _last_accessed(memory, memory.metadata)
    return record


def parent_record(chunks: Sequence[Memory]) -> ChunkedMemoryRecord | None:
    """Return the parent of chunks, the first of them among them; None where that is not there.

    It was accessed whenever one of them was.
    """
    carrier = next((row for row in chunks if row.category == FIRST), None)
    if carrier is None or carrier.parent_id is None:
        return None
    told = carrier.metadata["parent"]
    record = _parent(carrier.parent_id, told)
    record.access_count = int(told.get("access_count", 0)) + sum(row.access_count for row in chunks)
    record.last_accessed = max(_last_accessed(row, row.metadata) for row in chunks)
    return record


def child_record(memory: Memory, parent: ChunkedMemoryRecord | None) -> ChunkedMemoryRecord:
    """Return a chunk, with the context of its parent where that is there."""
    told = memory.metadata
    place = told.get("chunk")
    metadata = _metadata(place, told) if place else None
    content = told.get("content")
    if content is None:
        content = parent.content[place[0] : place[1]] if parent is not None and place else memory.content
    return ChunkedMemoryRecord(
        id=memory.id,
        parent_id=memory.parent_id,
        chunk_index=memory.chunk_index or 0,
        user=parent.user if parent else told.get("user", ""),
        assistant=parent.assistant if parent else told.get("assistant", ""),
        content=content,
        full_context=parent.content if parent else told.get("full_context"),
        timestamp=timestamp_of(memory),
        embedding=told.get("embedding"),
        chunk_metadata=metadata,
        access_count=memory.access_count,
        last_accessed=_last_accessed(memory, told),
        importance_score=float(told.get("importance_score", 1.0)),
    )


def _metadata(place: Sequence[int], told: Mapping[str, Any]) -> ChunkMetadata:
    start, end, before, after = place
    return ChunkMetadata(start, end, before, after, bool(told.get("semantic_boundary")))


def legacy(record: ChunkedMemoryRecord) -> MemoryRecord:
    """Return a conversation as a record without chunks, as EpisodicMemory hands it out."""
    return MemoryRecord(record.id, record.user, record.assistant, record.timestamp, record.embedding)


def _parent(record_id: str, told: Mapping[str, Any]) -> ChunkedMemoryRecord:
    user, assistant = told.get("user", ""), told.get("assistant", "")
    timestamp = float(told["timestamp"])
    return ChunkedMemoryRecord(
        id=record_id,
        user=user,
        assistant=assistant,
        content=told.get("content", conversation(user, assistant)),
        timestamp=timestamp,
        embedding=told.get("embedding"),
        last_accessed=float(told.get("last_accessed", timestamp)),
        importance_score=float(told.get("importance_score", 1.0)),
    )


def _last_accessed(memory: Memory, told: Mapping[str, Any]) -> float:
    """Return when a record was last accessed: exactly as long as it was not since it was kept."""
    kept = told.get("last_accessed")
    return float(kept) if kept is not None and int(kept) == memory.last_accessed_at else float(memory.last_accessed_at)


def timestamp_of(memory: Memory) -> float:
    """Return when a conversation was, exactly."""
    return float(memory.metadata.get("timestamp", memory.created_at))


def importance(score: float) -> float:
    """Return a multiplier as the importance of a memory, from 0 to 1: 1, which all have, is a half, 5 the most."""
    if score <= 1:
        return max(0.0, score) * ORDINARY_IMPORTANCE
    return min(1.0, ORDINARY_IMPORTANCE + (1 - ORDINARY_IMPORTANCE) * (score - 1) / (MOST_IMPORTANT - 1))


def score_of(importance: float) -> float:
    """Return the multiplier that an importance stands for."""
    if importance <= ORDINARY_IMPORTANCE:
        return importance / ORDINARY_IMPORTANCE
    return 1 + (importance - ORDINARY_IMPORTANCE) / (1 - ORDINARY_IMPORTANCE) * (MOST_IMPORTANT - 1)
