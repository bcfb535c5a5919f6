"""Enhanced: conversations cut into chunks, recalled by chunk, weighed by age and use, and forgotten in time.

    recall   the engine's hits ─► one chunk of each conversation ─► weighed ─► the best, counted as used

Relevance decides which records are found, the documented score in which order they come; and of records that are nearly
as relevant as each other it decides which is found. So the newer of two that say the same wins, and what happens to be
new never drives out what answers the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.episodic.chunker import ContextualChunker
from recollect.episodic.errors import ChunkingError, MemoryError, documented
from recollect.episodic.memory import EpisodicMemory
from recollect.episodic.records import ChunkedMemoryRecord
from recollect.episodic.rows import FIRST, ORDINARY_IMPORTANCE, score_of, timestamp_of
from recollect.episodic.temporal import SECONDS_PER_HOUR, TemporalMemoryWeighting

if TYPE_CHECKING:
    from recollect.model import Hit, Memory

# A record is nearly as relevant as another from this share of its relevance on: two wordings of one thing differ by
# less, and what differs by more answers worse, however new it is.
NEARLY = 0.9

# What clean-up looks at.
FIELDS = ("id", "parent_id", "created_at", "access_count", "importance")


class Scored(NamedTuple):
    """A row with how relevant it is, and with its score, which weighs that by age and use."""

    memory: Memory
    relevance: float
    score: float


class EnhancedEpisodicMemory(EpisodicMemory):
    """Conversations with chunks and weights. Safe to share between threads, and between processes on one file."""

    def __init__(
        self,
        *args: Any,
        chunker: ContextualChunker | None = None,
        temporal_weighting: TemporalMemoryWeighting | None = None,
        **kwargs: Any,
    ) -> None:
        """Open a memory; the other arguments are those of EpisodicMemory.

        chunker: cuts conversations; None: one by the settings
        temporal_weighting: weighs records by age and use; None: one by the settings
        """
        self.chunker = chunker if chunker is not None else ContextualChunker()
        self.temporal_weighting = temporal_weighting if temporal_weighting is not None else TemporalMemoryWeighting()
        super().__init__(*args, **kwargs)

    def remember(self, user: str, assistant: str) -> list[ChunkedMemoryRecord]:  # type: ignore[override]
        """Keep a conversation and return its records: the parent, then its chunks.

        Raises ValueError if one of the texts is empty or cannot be kept, ChunkingError if it cannot be cut, MemoryError
        if storing fails.
        """
        return self._remember(user, assistant)

    def recall(  # type: ignore[override]
        self, query: str, *, top_k: int = 4, include_parents: bool = True, memory_type: str = "episodic"
    ) -> list[ChunkedMemoryRecord]:
        """Return the records that answer a question, best first, at most `top_k`; each counts as used.

        include_parents: give each chunk the text of its conversation as `full_context`, and each conversation one
        place; otherwise several chunks of one conversation may be found, without it
        memory_type: by which rate records fade: working, session, episodic or semantic
        """
        with self._metrics.timed("recall"), documented():
            now = self._clock()
            self.temporal_weighting.calculate_temporal_weight(now, memory_type, now)  # an unknown type is told first
            hits = self._hits(query, top_k)
            scored = [
                Scored(hit.memory, hit.score, self._score(hit, memory_type, now))
                for hit in (_one_each(hits) if include_parents else hits)
            ]
            chosen = self._records([each.memory for each in _best(scored, top_k)])
            self.shelf.touch([record.id for record in chosen], int(now))
        for record in chosen:
            record.accessed_at(now)
            if not include_parents:
                record.full_context = None
        return chosen

    def get_memory_stats(self) -> dict[str, Any]:
        """Return how many records there are, of which kind, how much space they take, and how old the oldest is."""
        with documented():
            rows, parents_with_chunks = self.shelf.count(), self.shelf.count(category=FIRST)
            oldest = self.shelf.ends(1, newest=False)
            size = self.shelf.size_bytes
            turns = self.shelf.count(parent_id=None)
        chunks, parents = rows - turns, turns + parents_with_chunks
        age_s = self._clock() - timestamp_of(oldest[0]) if oldest else 0.0
        return {
            "total_records": parents + chunks,
            "parent_records": parents,
            "child_chunks": chunks,
            "avg_chunks_per_conversation": chunks / parents if parents else 0.0,
            "storage_size_bytes": size,
            "oldest_record_age_hours": max(0.0, age_s / SECONDS_PER_HOUR),
        }

    def cleanup_expired_memories(self, current_time: float | None = None) -> int:
        """Remove conversations that faded below the forgetting threshold; return how many records that were.

        Use counts against fading. A conversation goes with all its chunks, or stays with all of them.
        """
        now = self._clock() if current_time is None else current_time
        with self._metrics.timed("cleanup"), documented():
            worth: dict[str, float] = {}
            for record_id, parent_id, created_at, access_count, importance in self._aged(now):
                name = parent_id or record_id
                left = self._left(created_at, access_count, score_of(importance), now)
                worth[name] = max(worth.get(name, 0.0), left)
            threshold = self.temporal_weighting.config.forgetting_threshold
            faded = [name for name, left in worth.items() if left < threshold]
            return self._forget(faded) if faded else 0

    def _aged(self, now: float) -> list[tuple[Any, ...]]:
        """Return the rows that may have faded: those that are old enough for that, and those that matter little."""
        hours = self.temporal_weighting.hours_until_forgotten()
        old: list[tuple[Any, ...]] = []
        if hours < now / SECONDS_PER_HOUR:
            old = self.shelf.columns(FIELDS, created_at=int(now - hours * SECONDS_PER_HOUR) + 1)
        return [*old, *self.shelf.columns(FIELDS, importance=ORDINARY_IMPORTANCE)]

    def _left(self, created_at: float, access_count: int, importance: float, now: float) -> float:
        weight = self.temporal_weighting.calculate_temporal_weight(created_at, "episodic", now)
        return weight * self.temporal_weighting.calculate_importance_multiplier(access_count, importance)

    def _worth(self, rows: Sequence[Memory]) -> float:
        now = self._clock()
        return max(self._left(row.created_at, row.access_count, score_of(row.importance), now) for row in rows)

    def _score(self, hit: Hit, memory_type: str, now: float) -> float:
        row = hit.memory
        importance = float(row.metadata.get("importance_score", 1.0))
        return self.temporal_weighting.calculate_final_score(
            hit.score, timestamp_of(row), row.access_count, importance, memory_type, current_time=now
        )

    def _cut(self, user: str, assistant: str) -> list[ChunkedMemoryRecord]:
        try:
            records = self.chunker.chunk_conversation(user, assistant)
        except (ValueError, MemoryError):
            raise
        except Exception as problem:
            raise ChunkingError(f"chunking failed: {problem}") from problem
        if not records or not records[0].is_parent or any(child.parent_id != records[0].id for child in records[1:]):
            raise ChunkingError("the chunker did not return a parent followed by its chunks")
        return records


def _one_each(hits: Sequence[Hit]) -> list[Hit]:
    """Return the best hit of each conversation."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.memory.parent_id or hit.memory.id, hit)
    return list(best.values())


def _best(scored: Sequence[Scored], top_k: int) -> list[Scored]:
    """Return the most relevant records, but those that lose to one that is nearly as relevant; the best score first.

    scored: by relevance, the most relevant first
    """
    chosen = list(scored[:top_k])
    for other in scored[top_k:]:
        rivals = [each for each in chosen if other.relevance >= NEARLY * each.relevance]
        weakest = min(rivals, key=lambda each: each.score, default=None)
        if weakest is not None and weakest.score < other.score:
            chosen[chosen.index(weakest)] = other
    return sorted(chosen, key=lambda each: -each.score)
