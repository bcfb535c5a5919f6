"""Enhanced episodic memory: conversations split into chunks, ranked by relevance, age and use, and forgotten in time.

    recall   relevant hits ─► one chunk of each conversation ─► comparable ones by weight ─► counted as used

Relevance orders the records. The documented score, which adds age and use, orders records of comparable relevance: the
newer of two equal statements comes first, and neither age nor use lifts a record above a better answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.episodic.chunker import ContextualChunker
from recollect.episodic.conversation_rows import FIRST, ORDINARY_IMPORTANCE, score_of, timestamp_of
from recollect.episodic.episodic_memory import EpisodicMemory, one_each
from recollect.episodic.exceptions import ChunkingError, MemoryError, documented_errors
from recollect.episodic.records import ChunkedMemoryRecord
from recollect.episodic.temporal import SECONDS_PER_HOUR, TemporalMemoryWeighting

if TYPE_CHECKING:
    from recollect.model import Hit, Memory

# Records of at least this share of a better one's relevance are comparable: two wordings of one fact differ by less.
# On LoCoMo, where all answers are weeks old, 0.9 costs a tenth of the reciprocal rank and 0.99 a fiftieth.
COMPARABLE = 0.99

# Fields that clean-up reads.
FIELDS = ("id", "parent_id", "created_at", "access_count", "importance")


class Scored(NamedTuple):
    """A row with its relevance, and its score: the relevance weighted by age and use."""

    memory: Memory
    relevance: float
    score: float


class EnhancedEpisodicMemory(EpisodicMemory):
    """Stores conversations in chunks and ranks them by age and use. Safe to share between threads and processes."""

    def __init__(
        self,
        *args: Any,
        chunker: ContextualChunker | None = None,
        temporal_weighting: TemporalMemoryWeighting | None = None,
        **kwargs: Any,
    ) -> None:
        """Open a memory; the other arguments are those of EpisodicMemory.

        chunker: splits conversations; default: one with the configured settings
        temporal_weighting: weights records by age and use; default: one with the configured settings
        """
        self.chunker = chunker if chunker is not None else ContextualChunker()
        self.temporal_weighting = temporal_weighting if temporal_weighting is not None else TemporalMemoryWeighting()
        super().__init__(*args, **kwargs)

    def remember(self, user: str, assistant: str) -> list[ChunkedMemoryRecord]:  # type: ignore[override]
        """Store a conversation and return its records: the parent, then its chunks.

        Raises ValueError if one of the texts is empty or cannot be stored, ChunkingError if it cannot be split,
        MemoryError if storing fails.
        """
        return self._remember(user, assistant)

    def recall(  # type: ignore[override]
        self, query: str, *, top_k: int = 4, include_parents: bool = True, memory_type: str = "episodic"
    ) -> list[ChunkedMemoryRecord]:
        """Return the records that answer a question, at most `top_k`; none if nothing is relevant.

        The most relevant comes first; age and use decide among records of comparable relevance. Each has its
        `relevance` and `score`, and counts as used.

        include_parents: return one chunk per conversation, with the whole text as `full_context`; otherwise several
        chunks of a conversation may be returned, without it
        memory_type: the rate of decay: working, session, episodic or semantic
        """
        with self._metrics.timed("recall"), documented_errors():
            now = self._clock()
            self.temporal_weighting.calculate_temporal_weight(now, memory_type, now)  # raises for an unknown type
            hits = self._hits(query, top_k)
            scored = [
                Scored(hit.memory, hit.score, self._score(hit, memory_type, now))
                for hit in (one_each(hits) if include_parents else hits)
            ]
            best = _ordered(scored)[:top_k]
            chosen = self._records([each.memory for each in best])
            self.store.touch([record.id for record in chosen], int(now))
        for record, each in zip(chosen, best, strict=True):
            record.accessed_at(now)
            record.relevance, record.score = each.relevance, each.score
            if not include_parents:
                record.full_context = None
        return chosen

    def get_memory_stats(self) -> dict[str, Any]:
        """Return the number of records by kind, the storage size and the age of the oldest."""
        with documented_errors():
            rows, parents_with_chunks = self.store.count(), self.store.count(category=FIRST)
            oldest = self.store.ends(1, newest=False)
            size = self.store.size_bytes
            turns = self.store.count(parent_id=None)
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
        """Remove conversations below the forgetting threshold; return the number of removed records.

        Use slows decay. A conversation is removed with all its chunks or not at all.
        """
        now = self._clock() if current_time is None else current_time
        with self._metrics.timed("cleanup"), documented_errors():
            worth: dict[str, float] = {}
            for record_id, parent_id, created_at, access_count, importance in self._aged(now):
                name = parent_id or record_id
                left = self._left(created_at, access_count, score_of(importance), now)
                worth[name] = max(worth.get(name, 0.0), left)
            threshold = self.temporal_weighting.config.forgetting_threshold
            faded = [name for name, left in worth.items() if left < threshold]
            return self._forget(faded) if faded else 0

    def _aged(self, now: float) -> list[tuple[Any, ...]]:
        """Return the rows that may be below the threshold: old ones, and those of low importance."""
        hours = self.temporal_weighting.hours_until_forgotten()
        old: list[tuple[Any, ...]] = []
        if hours < now / SECONDS_PER_HOUR:
            old = self.store.columns(FIELDS, created_at=int(now - hours * SECONDS_PER_HOUR) + 1)
        return [*old, *self.store.columns(FIELDS, importance=ORDINARY_IMPORTANCE)]

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


def _ordered(scored: Sequence[Scored]) -> list[Scored]:
    """Return records by relevance, and those of comparable relevance by score; given most relevant first."""
    groups: list[list[Scored]] = []
    for each in scored:
        if groups and each.relevance >= COMPARABLE * groups[-1][0].relevance:
            groups[-1].append(each)
        else:
            groups.append([each])
    return [each for group in groups for each in sorted(group, key=lambda each: -each.score)]
