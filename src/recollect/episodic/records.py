"""Records of episodic and session memory, with the fields of document 001."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass
class MemoryRecord:
    """One turn of a conversation: the user's text and the assistant's.

    relevance: how likely it answers the question of a recall, 0 to 1; None outside of a recall
    """

    id: str = field(default_factory=_new_id)
    user: str = ""
    assistant: str = ""
    timestamp: float = field(default_factory=time.time)
    embedding: list[float] | None = field(default=None, repr=False)
    relevance: float | None = field(default=None, kw_only=True, compare=False)

    @property
    def content(self) -> str:
        """Both sides of the turn as one text."""
        return conversation(self.user, self.assistant)


@dataclass
class SessionTurn(MemoryRecord):
    """A turn with the session it belongs to, and whether it was promoted to long-term memory."""

    session_id: str = ""
    promoted: bool = False


@dataclass
class ChunkMetadata:
    """The position of a chunk in its parent: `content == parent.content[start_char:end_char]`.

    overlap_start, overlap_end: how many characters it shares with the previous and the next chunk
    semantic_boundary: whether it ends with a sentence or paragraph
    """

    start_char: int
    end_char: int
    overlap_start: int
    overlap_end: int
    semantic_boundary: bool


@dataclass
class ChunkedMemoryRecord:
    """A conversation (parent), or a chunk of one (child).

    relevance: how likely it answers the question of a recall, 0 to 1; None outside of a recall
    score: the relevance weighted by age and use, as TemporalMemoryWeighting calculates it
    """

    id: str = field(default_factory=_new_id)
    parent_id: str | None = None
    chunk_index: int = 0

    user: str = ""
    assistant: str = ""
    content: str = ""
    full_context: str | None = None

    timestamp: float = field(default_factory=time.time)
    embedding: list[float] | None = field(default=None, repr=False)

    chunk_metadata: ChunkMetadata | None = None

    access_count: int = 0
    last_accessed: float = field(default_factory=time.time)
    importance_score: float = 1.0

    relevance: float | None = field(default=None, kw_only=True, compare=False)
    score: float | None = field(default=None, kw_only=True, compare=False)

    @property
    def is_parent(self) -> bool:
        """Whether this is a whole conversation."""
        return self.parent_id is None

    @property
    def is_child(self) -> bool:
        """Whether this is a chunk of a conversation."""
        return self.parent_id is not None

    def access(self) -> None:
        """Count an access, now."""
        self.accessed_at(time.time())

    def accessed_at(self, moment: float) -> None:
        """Count an access at a moment."""
        self.access_count += 1
        self.last_accessed = moment


def conversation(user: str, assistant: str) -> str:
    """Return both sides of a turn as the text that is chunked, stored and searched."""
    return f"User: {user}\nAssistant: {assistant}"


def create_single_chunk(user: str, assistant: str) -> ChunkedMemoryRecord:
    """Return a turn as one record without chunks, for turns that cannot be chunked."""
    return ChunkedMemoryRecord(user=user, assistant=assistant, content=conversation(user, assistant))


def migrate_legacy_record(legacy_record: MemoryRecord) -> ChunkedMemoryRecord:
    """Return a legacy record as a parent that was never accessed."""
    return ChunkedMemoryRecord(
        id=legacy_record.id,
        user=legacy_record.user,
        assistant=legacy_record.assistant,
        content=conversation(legacy_record.user, legacy_record.assistant),
        timestamp=legacy_record.timestamp,
        embedding=legacy_record.embedding,
        last_accessed=legacy_record.timestamp,
    )
