"""Conversion between conversations with their chunks and rows of the store.

    a turn without chunks     one row, category `turn`; its metadata has both sides
    a turn with chunks        one row per chunk: the first also holds the parent (`first`), the others are `chunk`

Every text is searched once; the parent is no row and is read from its first chunk. Only a row's content is searched;
the text of a record is made of both sides in the metadata and positions in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.episodic.records import ChunkedMemoryRecord, ChunkMetadata, MemoryRecord, conversation

if TYPE_CHECKING:
    from recollect.model import Memory

TURN, FIRST, CHUNK = "turn", "first", "chunk"
# A row with an author and a session is ranked as talk, with the turns around it; without, as a note (the recall@10 of
# LoCoMo is 10 points lower).
AUTHOR = "user"
# The content of a blank chunk: the store rejects blank contents.
BLANK = "(blank)"
# The default multiplier of a record is 1, the default importance of a memory is 0.5; they correspond.
ORDINARY_IMPORTANCE = 0.5
MOST_IMPORTANT = 5.0


def rows_of(
    parent: ChunkedMemoryRecord, children: Sequence[ChunkedMemoryRecord], session_id: str | None
) -> Iterator[dict[str, Any]]:
    """Yield a conversation as rows for the store."""
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
    """Return a chunk without a parent as a row."""
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
        "author": AUTHOR,
        "access_count": record.access_count,
        "last_accessed_at": int(record.last_accessed),
        "importance": importance(record.importance_score),
    }


def _times(record: ChunkedMemoryRecord) -> dict[str, Any]:
    fields: dict[str, Any] = {"timestamp": record.timestamp, "last_accessed": record.last_accessed}
    if record.importance_score != 1.0:
        fields["importance_score"] = record.importance_score
    if record.embedding is not None:
        fields["embedding"] = record.embedding
    return fields


def _sides(record: ChunkedMemoryRecord) -> dict[str, Any]:
    fields = {**_times(record), "user": record.user, "assistant": record.assistant}
    if record.content != conversation(record.user, record.assistant):
        fields["content"] = record.content
    return fields


def _place(child: ChunkedMemoryRecord, parent: ChunkedMemoryRecord | None) -> dict[str, Any]:
    """Return the position of a chunk, and its text if the parent has another one there."""
    place = child.chunk_metadata
    fields: dict[str, Any] = {}
    if place is not None:
        fields["chunk"] = [place.start_char, place.end_char, place.overlap_start, place.overlap_end]
        fields["semantic_boundary"] = place.semantic_boundary
    if place is None or parent is None or parent.content[place.start_char : place.end_char] != child.content:
        fields["content"] = child.content
    return fields


# --- rows to records ---


def turn_record(memory: Memory) -> ChunkedMemoryRecord:
    """Return a conversation that has no chunks."""
    record = _parent(memory.id, memory.metadata)
    record.access_count, record.last_accessed = memory.access_count, _last_accessed(memory, memory.metadata)
    return record


def parent_record(chunks: Sequence[Memory]) -> ChunkedMemoryRecord | None:
    """Return the parent of chunks, or None if the first chunk is missing.

    An access of a chunk counts as one of the parent.
    """
    carrier = next((row for row in chunks if row.category == FIRST), None)
    if carrier is None or carrier.parent_id is None:
        return None
    fields = carrier.metadata["parent"]
    record = _parent(carrier.parent_id, fields)
    record.access_count = int(fields.get("access_count", 0)) + sum(row.access_count for row in chunks)
    record.last_accessed = max(_last_accessed(row, row.metadata) for row in chunks)
    return record


def child_record(memory: Memory, parent: ChunkedMemoryRecord | None) -> ChunkedMemoryRecord:
    """Return a chunk, with the context of its parent if there is one."""
    fields = memory.metadata
    place = fields.get("chunk")
    metadata = _metadata(place, fields) if place else None
    content = fields.get("content")
    if content is None:
        content = parent.content[place[0] : place[1]] if parent is not None and place else memory.content
    return ChunkedMemoryRecord(
        id=memory.id,
        parent_id=memory.parent_id,
        chunk_index=memory.chunk_index or 0,
        user=parent.user if parent else fields.get("user", ""),
        assistant=parent.assistant if parent else fields.get("assistant", ""),
        content=content,
        full_context=parent.content if parent else fields.get("full_context"),
        timestamp=timestamp_of(memory),
        embedding=fields.get("embedding"),
        chunk_metadata=metadata,
        access_count=memory.access_count,
        last_accessed=_last_accessed(memory, fields),
        importance_score=float(fields.get("importance_score", 1.0)),
    )


def _metadata(place: Sequence[int], fields: Mapping[str, Any]) -> ChunkMetadata:
    start, end, before, after = place
    return ChunkMetadata(start, end, before, after, bool(fields.get("semantic_boundary")))


def legacy(record: ChunkedMemoryRecord) -> MemoryRecord:
    """Return a conversation as the record type of EpisodicMemory."""
    return MemoryRecord(
        record.id, record.user, record.assistant, record.timestamp, record.embedding, relevance=record.relevance
    )


def _parent(record_id: str, fields: Mapping[str, Any]) -> ChunkedMemoryRecord:
    user, assistant = fields.get("user", ""), fields.get("assistant", "")
    timestamp = float(fields["timestamp"])
    return ChunkedMemoryRecord(
        id=record_id,
        user=user,
        assistant=assistant,
        content=fields.get("content", conversation(user, assistant)),
        timestamp=timestamp,
        embedding=fields.get("embedding"),
        last_accessed=float(fields.get("last_accessed", timestamp)),
        importance_score=float(fields.get("importance_score", 1.0)),
    )


def _last_accessed(memory: Memory, fields: Mapping[str, Any]) -> float:
    """Return the last access, to the second; exactly if there was none since the record was stored."""
    kept = fields.get("last_accessed")
    return float(kept) if kept is not None and int(kept) == memory.last_accessed_at else float(memory.last_accessed_at)


def timestamp_of(memory: Memory) -> float:
    """Return the exact time of a conversation."""
    return float(memory.metadata.get("timestamp", memory.created_at))


def importance(score: float) -> float:
    """Return a multiplier as an importance from 0 to 1; the default 1 becomes 0.5, 5 becomes 1."""
    if score <= 1:
        return max(0.0, score) * ORDINARY_IMPORTANCE
    return min(1.0, ORDINARY_IMPORTANCE + (1 - ORDINARY_IMPORTANCE) * (score - 1) / (MOST_IMPORTANT - 1))


def score_of(importance: float) -> float:
    """Return the multiplier of an importance; the inverse of `importance`."""
    if importance <= ORDINARY_IMPORTANCE:
        return importance / ORDINARY_IMPORTANCE
    return 1 + (importance - ORDINARY_IMPORTANCE) / (1 - ORDINARY_IMPORTANCE) * (MOST_IMPORTANT - 1)
