"""Code retrieval: scores that are remembered, and raised by what belongs together and what is new.

    memories ─► remembered scores ─► ask about the rest ─► boosts ─► threshold ─► the best

A remembered score is the model's own; boosts are added each time, since they depend on the other memories.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memory_lib.codebase.code_context import CodeContext as CodeContext
from memory_lib.codebase.code_context import as_question, as_text
from memory_lib.codebase.code_prompt import grouped, listed
from memory_lib.codebase.scores import MAX_AGE_S, ProcessScores, Scores
from memory_lib.general.retrieval import MemoryRetrieval, ModelFn, ScoredMemory, raised
from recollect.engine.memory.score_cache import Kept, Key, ScoreCache

# What a model is told of code beside the code itself; imports are left out, they are those of the whole file.
TOLD = ("file_path", "entity_name", "signature", "docstring", "language", "dependencies", "complexity")
# Keys of a memory that are not passed on beside its text.
TEXTS = ("id", "text", "code_snippet", "content", "timestamp", "metadata")


class CodeMemoryRetrieval(MemoryRetrieval):
    """Scores code memories and notes for a context, and selects the best."""

    def __init__(
        self,
        small_model_fn: ModelFn | None,
        enable_caching: bool = True,
        enable_dependency_boost: bool = True,
        enable_recency_boost: bool = True,
        dependency_boost_amount: float = 0.15,
        recency_boost_amount: float = 0.10,
        recency_days: float = 7,
        **kwargs: Any,
    ) -> None:
        """Score with `small_model_fn`; the further arguments are those of MemoryRetrieval.

        enable_caching: remember scores for an hour, unless the file of a memory changes
        enable_dependency_boost: raise the score of what relevant code depends on
        enable_recency_boost: raise the score of what was changed lately
        dependency_boost_amount: by how much
        recency_boost_amount: by how much
        recency_days: what lately means
        """
        self.enable_caching = enable_caching
        self.enable_dependency_boost = enable_dependency_boost
        self.enable_recency_boost = enable_recency_boost
        self.dependency_boost_amount = dependency_boost_amount
        self.recency_boost_amount = recency_boost_amount
        self.recency_days = recency_days
        super().__init__(small_model_fn, **kwargs)
        shelf = kwargs.get("shelf")
        self._scores: Scores = ScoreCache(shelf.engine.store, MAX_AGE_S) if shelf is not None else ProcessScores()
        self._hits = self._looked = 0

    async def retrieve_code_memories(
        self,
        context: str | CodeContext,
        memories: list[dict[str, Any]],
        file_hashes: dict[str, str] | None = None,
    ) -> list[ScoredMemory]:
        """Return the memories that are relevant to a context, the most relevant first.

        file_hashes: hash of each file by path; scores cached for another hash are ignored
        """
        candidates = await self._prefiltered(as_question(context), memories)
        if self.small_model_fn is None:
            scored = await self.score_all_memories(as_question(context), candidates)
        else:
            scored = await self._remembered(as_text(context), candidates, file_hashes or {})
        return self.filter_and_select(self._boosted(scored))

    def format_code_memories_for_prompt(
        self, memories: list[ScoredMemory], group_by_file: bool = True, include_scores: bool = True
    ) -> str:
        """Return memories as text for a prompt, below a heading for each file or one after the other."""
        if group_by_file:
            return grouped(memories, include_scores=include_scores)
        return listed(memories, include_scores=include_scores)

    def invalidate_cache_for_file(self, file_path: str) -> None:
        """Clear the cached scores of a file."""
        self._scores.forget(file_path)

    def clear_cache(self) -> None:
        """Clear the score cache."""
        self._scores.clear()
        self._hits = self._looked = 0

    def get_cache_stats(self) -> dict[str, Any]:
        """Return the number of cached scores and the hit rate in percent."""
        rate = 100.0 * self._hits / self._looked if self._looked else 0.0
        return {"size": self._scores.size(), "hit_rate": rate}

    # --- scoring ---

    def _text(self, memory: Mapping[str, Any]) -> str:
        return str(next((memory[name] for name in ("code_snippet", "content", "text") if memory.get(name)), ""))

    def _carried(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: value for name, value in memory.items() if name not in TEXTS}
        return {**(memory.get("metadata") or {}), **own}

    def _told(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        if memory.get("type") != "code":
            return {name: value for name, value in self._carried(memory).items() if value}
        told = {name: memory.get(name) for name in TOLD}
        return {name: ", ".join(value) if isinstance(value, list) else value for name, value in told.items() if value}

    async def _remembered(
        self, context: str, memories: list[dict[str, Any]], file_hashes: Mapping[str, str]
    ) -> list[ScoredMemory]:
        """Return all the memories with their scores; the model is asked only where none is remembered.

        Its answers are cached even if the caller is cancelled meanwhile.
        """
        if not self.enable_caching:
            return await self.score_all_memories(context, memories)
        keys = [_key(context, memory, file_hashes) for memory in memories]
        known = self._scores.get(keys)
        self._looked += len(keys)
        self._hits += sum(key in known for key in keys)
        by_id = dict(zip(map(id, memories), keys, strict=True))
        new: dict[Key, Kept] = {}

        async def work(memory: dict[str, Any]) -> ScoredMemory:
            key = by_id[id(memory)]
            if key in known:
                return self._made(memory, known[key].score, known[key].reason)
            try:
                said = await self._asked(context, memory)
            except Exception as problem:
                return self._failed(memory, problem)
            new[key] = Kept(said.score, said.reason, int(time.time()))
            return self._made(memory, said.score, said.reason)

        try:
            return await self._each(memories, work)
        finally:
            self._scores.put(new)

    def _boosted(self, scored: Sequence[ScoredMemory]) -> list[ScoredMemory]:
        boosts = [0.0] * len(scored)
        if self.enable_dependency_boost:
            needed = {
                name
                for memory in scored
                if memory.relevance_score >= self.relevance_threshold
                for name in (memory.metadata or {}).get("dependencies") or ()
            }
            boosts = [self.dependency_boost_amount * (_name(memory) in needed) for memory in scored]
        if self.enable_recency_boost:
            since = datetime.now(UTC) - timedelta(days=self.recency_days)
            new = [_changed_since(memory, since) for memory in scored]
            boosts = [boost + self.recency_boost_amount * is_new for boost, is_new in zip(boosts, new, strict=True)]
        return [raised(memory, boost) if boost else memory for memory, boost in zip(scored, boosts, strict=True)]

    # --- settings ---

    def _limits(self) -> dict[str, tuple[type[int] | type[float], float, float]]:
        return {
            **super()._limits(),
            "dependency_boost_amount": (float, 0.0, 1.0),
            "recency_boost_amount": (float, 0.0, 1.0),
            "recency_days": (float, 0.0, 36_500.0),
        }


def _key(context: str, memory: Mapping[str, Any], file_hashes: Mapping[str, str]) -> Key:
    path = memory.get("file_path") or ""
    return Key(context, str(memory.get("id", "")), file_hashes.get(path) or "", path)


def _name(memory: ScoredMemory) -> str | None:
    known = memory.metadata or {}
    return known.get("entity_name") if known.get("type") == "code" else None


def _changed_since(memory: ScoredMemory, moment: datetime) -> bool:
    """Tell whether the file of a memory was changed after a moment, as far as its time is known."""
    try:
        changed = datetime.fromisoformat((memory.metadata or {}).get("last_modified") or "")
    except (TypeError, ValueError):
        return False
    return (changed if changed.tzinfo else changed.replace(tzinfo=UTC)) >= moment
