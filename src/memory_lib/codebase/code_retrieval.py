"""Code retrieval: cached scores of code memories and notes, raised for dependencies and recent changes.

    memories ─► cached scores ─► ask the model about the rest ─► boosts ─► threshold ─► the best

A cached score is the model's own; boosts are added each time, since they depend on the other memories.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from memory_lib.database_file import identity
from memory_lib.general.retrieval import Known, MemoryRetrieval, ModelFn, ScoredMemory, raised
from recollect.engine import CachedScore, ScoreCache, ScoreKey

# Facts about code that the prompt holds beside the code; imports are left out, they are those of the whole file.
FACTS = ("file_path", "entity_name", "signature", "docstring", "language", "dependencies", "complexity")
# Keys of a memory that are not part of its metadata.
TEXTS = ("id", "text", "code_snippet", "content", "timestamp", "metadata")
# Scores are cached for an hour.
MAX_AGE_S = 3600

BETWEEN = "\n\n---\n\n"
NO_FILE = "General"
# Kinds that the prompt calls Function; other kinds keep their name.
FUNCTIONS = ("function", "method")
# The label of each field of a context in a prompt.
LABELS = {
    "user_query": "Query",
    "current_file": "Current file",
    "recent_changes": "Recent changes",
    "errors": "Errors",
    "accessed_files": "Recently accessed files",
    "additional_context": "Additional context",
}


@dataclass
class CodeContext:
    """A question about code with its context: current file, recent changes, errors."""

    user_query: str
    current_file: str | None = None
    recent_changes: str | None = None
    errors: str | None = None
    accessed_files: list[str] | None = None
    additional_context: str | None = None


def labelled(context: CodeContext) -> dict[str, str]:
    """Return the non-empty fields as text, by their label."""
    values = {label: getattr(context, field) for field, label in LABELS.items()}
    return {label: value if isinstance(value, str) else ", ".join(value) for label, value in values.items() if value}


def as_text(context: str | CodeContext) -> str:
    """Return a context as a prompt: one line for each non-empty field."""
    if isinstance(context, str):
        return context
    return "\n".join(f"{label}: {value}" for label, value in labelled(context).items())


def as_query(context: str | CodeContext) -> str:
    """Return a context as a search query, without labels."""
    return context if isinstance(context, str) else "\n".join(labelled(context).values())


def query_of(context: str | CodeContext) -> str:
    """Return the question itself."""
    return context if isinstance(context, str) else context.user_query


class ProcessScores:
    """Cached scores of one process, for memories without a database; the interface of ScoreCache."""

    def __init__(self, max_age_s: int = MAX_AGE_S) -> None:
        self._max_age_s = max_age_s
        self._kept: dict[ScoreKey, CachedScore] = {}

    def get(self, keys: list[ScoreKey]) -> dict[ScoreKey, CachedScore]:
        oldest = int(time.time()) - self._max_age_s
        found = {key: self._kept[key] for key in keys if key in self._kept}
        return {key: kept for key, kept in found.items() if kept.at > oldest}

    def put(self, scores: dict[ScoreKey, CachedScore]) -> None:
        self._kept.update(scores)

    def forget(self, file_path: str) -> int:
        gone = [key for key in self._kept if key.file_path == file_path]
        for key in gone:
            del self._kept[key]
        return len(gone)

    def clear(self) -> None:
        self._kept.clear()

    def size(self) -> int:
        return len(self._kept)


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

        enable_caching: cache scores for an hour, unless the file of a memory changes
        enable_dependency_boost: raise the score of dependencies of relevant code
        enable_recency_boost: raise the score of recently changed code
        dependency_boost_amount: added to the score of a dependency
        recency_boost_amount: added to the score of recent code
        recency_days: how many days a change is recent
        """
        self.enable_caching = enable_caching
        self.enable_dependency_boost = enable_dependency_boost
        self.enable_recency_boost = enable_recency_boost
        self.dependency_boost_amount = dependency_boost_amount
        self.recency_boost_amount = recency_boost_amount
        self.recency_days = recency_days
        super().__init__(small_model_fn, **kwargs)
        store = kwargs.get("store")
        self._scores = ScoreCache(store.engine.store, MAX_AGE_S) if store is not None else ProcessScores()
        self._hits = self._lookups = 0

    async def retrieve_code_memories(
        self, context: str | CodeContext, memories: list[dict[str, Any]], file_hashes: dict[str, str] | None = None
    ) -> list[ScoredMemory]:
        """Return the memories that are relevant to a context, the most relevant first.

        file_hashes: hash of each file by path; scores cached for another hash are ignored
        """
        return await self.selected(context, memories, file_hashes, None)

    async def selected(
        self,
        context: str | CodeContext,
        memories: list[dict[str, Any]],
        file_hashes: dict[str, str] | None,
        known: Known | None,
    ) -> list[ScoredMemory]:
        """Return the relevant ones of candidates, by their known relevance or as a model scores them."""
        if self.small_model_fn is None:
            scored = await self.scored(as_query(context), memories, known)
        else:
            scored = await self._cached(as_text(context), memories, file_hashes or {})
        return self.filter_and_select(self._boosted(scored))

    def format_code_memories_for_prompt(
        self, memories: list[ScoredMemory], group_by_file: bool = True, include_scores: bool = True
    ) -> str:
        """Return memories as text for a prompt, below a heading for each file or one after the other."""
        entries = [_entry(memory, include_scores=include_scores, with_file=not group_by_file) for memory in memories]
        if not group_by_file:
            return BETWEEN.join(entries)
        groups: dict[str, list[str]] = {}
        for memory, entry in zip(memories, entries, strict=True):
            groups.setdefault((memory.metadata or {}).get("file_path") or NO_FILE, []).append(entry)
        return "\n\n".join(f"=== {path} ===\n\n{BETWEEN.join(group)}" for path, group in groups.items())

    def invalidate_cache_for_file(self, file_path: str) -> None:
        """Clear the cached scores of a file."""
        self._scores.forget(identity(file_path))

    def clear_cache(self) -> None:
        """Clear the score cache."""
        self._scores.clear()
        self._hits = self._lookups = 0

    def get_cache_stats(self) -> dict[str, Any]:
        """Return the number of cached scores and the hit rate in percent."""
        rate = 100.0 * self._hits / self._lookups if self._lookups else 0.0
        return {"size": self._scores.size(), "hit_rate": rate}

    # --- scoring ---

    def _text(self, memory: Mapping[str, Any]) -> str:
        return str(next((memory[name] for name in ("code_snippet", "content", "text") if memory.get(name)), ""))

    def _carried(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: value for name, value in memory.items() if name not in TEXTS}
        return {**(memory.get("metadata") or {}), **own}

    def _facts(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        if memory.get("type") != "code":
            return {name: value for name, value in self._carried(memory).items() if value}
        facts = {name: memory.get(name) for name in FACTS}
        return {name: ", ".join(value) if isinstance(value, list) else value for name, value in facts.items() if value}

    async def _cached(
        self, context: str, memories: list[dict[str, Any]], file_hashes: Mapping[str, str]
    ) -> list[ScoredMemory]:
        """Return all the memories with their scores; the model is asked only where none is cached.

        Its answers are cached even if the caller is cancelled meanwhile.
        """
        if not self.enable_caching:
            return await self.score_all_memories(context, memories)
        keys = [_key(context, memory, file_hashes) for memory in memories]
        known = self._scores.get(keys)
        self._lookups += len(keys)
        self._hits += sum(key in known for key in keys)
        by_id = dict(zip(map(id, memories), keys, strict=True))
        new: dict[ScoreKey, CachedScore] = {}

        async def work(memory: dict[str, Any]) -> ScoredMemory:
            key = by_id[id(memory)]
            if key in known:
                return self._made(memory, known[key].score, known[key].reason)
            try:
                answer = await self._asked(context, memory)
            except Exception as problem:
                return self._failed(memory, problem)
            new[key] = CachedScore(answer.score, answer.reason, int(time.time()))
            return self._made(memory, answer.score, answer.reason)

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
            new = [_changed_since(memory, since) and self._may_rise(memory) for memory in scored]
            boosts = [boost + self.recency_boost_amount * is_new for boost, is_new in zip(boosts, new, strict=True)]
        return [raised(memory, boost) if boost else memory for memory, boost in zip(scored, boosts, strict=True)]

    def _may_rise(self, memory: ScoredMemory) -> bool:
        """Return whether a recent change counts: without a model only for what is relevant anyway.

        The threshold is then as low as the boost, which would make everything relevant that was changed recently.
        """
        return self.small_model_fn is not None or memory.relevance_score >= self.relevance_threshold

    def _least_score(self) -> float:
        return self.relevance_threshold - self.dependency_boost_amount * self.enable_dependency_boost

    # --- settings ---

    def _limits(self) -> dict[str, tuple[type[int] | type[float] | type[bool], float, float]]:
        return {
            **super()._limits(),
            "enable_caching": (bool, 0, 1),
            "enable_dependency_boost": (bool, 0, 1),
            "enable_recency_boost": (bool, 0, 1),
            "dependency_boost_amount": (float, 0.0, 1.0),
            "recency_boost_amount": (float, 0.0, 1.0),
            "recency_days": (float, 0.0, 36_500.0),
        }


def _key(context: str, memory: Mapping[str, Any], file_hashes: Mapping[str, str]) -> ScoreKey:
    path = memory.get("file_path") or ""
    file = identity(path) if path else ""
    return ScoreKey(context, str(memory.get("id", "")), file_hashes.get(path) or "", file)


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


def _entry(memory: ScoredMemory, *, include_scores: bool, with_file: bool) -> str:
    known = memory.metadata or {}
    is_code = known.get("type") == "code"
    name = known.get("entity_name") if is_code else known.get("title")
    score = f" (Relevance: {memory.relevance_score:.2f})" if include_scores else ""
    facts = {
        "File": known.get("file_path") if with_file else "",
        "Signature": known.get("signature"),
        "Complexity": known.get("complexity"),
        "Dependencies": ", ".join(known.get("dependencies") or ()),
    }
    head = [f"{_label(known)}: {name}{score}" if name else f"{_label(known)}{score}"]
    head += [f"{label}: {value}" for label, value in facts.items() if value]
    return "\n".join([*head, "", *(["Code:"] if is_code else []), memory.text])


def _label(known: dict[str, Any]) -> str:
    if known.get("type") != "code":
        return str(known.get("category") or "memory").capitalize()
    kind = str(known.get("kind") or ("class" if str(known.get("signature")).startswith("class ") else "function"))
    return "Function" if kind in FUNCTIONS else kind.capitalize()
