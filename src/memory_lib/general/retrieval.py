"""Retrieval: score memories for a context, select the best, and format them for a prompt.

    memories ─► score, a few at a time ─► threshold ─► the best

The small model gives the scores; without one, they are the relevance that recollect's own recall computes.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import math
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recollect.engine import UNRELATED, LibraryStore, Relevant, judge_prompt, judge_verdict

ModelFn = Callable[[str], Awaitable[str]]
# Reads the memories of a database with these ids, or all.
Read = Callable[[Sequence[str] | None], list[dict[str, Any]]]
Known = dict[str, Relevant]

# How much longer to wait before each further try; the document says exponential and no more.
BACK_OFF = 2.0
# The documented threshold, for scores of a model; and the default without one. The relevance of recall is lower for an
# answer in other words: the document's own examples have from 0.12 to 1, unrelated memories up to 0.07.
DOCUMENTED_THRESHOLD = float("0.7")
RECALL_THRESHOLD = 0.1
# The namespace of memories that are scored but not stored.
SCRATCH = "memory_lib.scratch"


@dataclass
class ScoredMemory:
    """A memory with its relevance from 0 to 1, and the reason."""

    memory_id: str
    text: str
    metadata: dict[str, Any] | None
    timestamp: str
    relevance_score: float
    reasoning: str


class NoScore(ValueError):
    """The model answered without a score."""


class MemoryRetrieval:
    """Scores memories for a context and selects the best."""

    def __init__(
        self,
        small_model_fn: ModelFn | None,
        relevance_threshold: float = DOCUMENTED_THRESHOLD,
        max_memories: int = 10,
        batch_size: int = 10,
        retry_attempts: int = 3,
        retry_delay: float = 1.0,
        *,
        store: LibraryStore | None = None,
    ) -> None:
        """Score with `small_model_fn`, an async function from a prompt to an answer.

        small_model_fn: with None, recollect's own recall gives the scores
        relevance_threshold: the least score of a retrieved memory; default: 0.7, without a model 0.1
        max_memories: maximum number of retrieved memories
        batch_size: maximum number of concurrent calls of the model
        retry_attempts: how often a failed call is retried
        retry_delay: seconds before the first retry; doubled before each further one
        store: the database that has the memories, if recollect stores them
        """
        if small_model_fn is not None and not callable(small_model_fn):
            raise TypeError("small_model_fn must be an async function or None")
        self.small_model_fn = small_model_fn
        is_default = relevance_threshold is DOCUMENTED_THRESHOLD  # an equal number that is given is another object
        self.relevance_threshold = RECALL_THRESHOLD if is_default and small_model_fn is None else relevance_threshold
        self.max_memories = max_memories
        self.batch_size = batch_size
        self.retry_attempts = retry_attempts
        self.retry_delay = retry_delay
        self._store = store
        self._recalled_relevance = RecallRelevance(store)
        self._check(self.config())

    async def retrieve_relevant_memories(self, context: str, memories: list[dict[str, Any]]) -> list[ScoredMemory]:
        """Return the memories that are relevant to a context, the most relevant first."""
        return self.filter_and_select(await self.score_all_memories(context, memories))

    async def score_all_memories(self, context: str, memories: list[dict[str, Any]]) -> list[ScoredMemory]:
        """Return all the memories with their scores, in the order given.

        A memory that could not be scored has the score 0 and an error text; the others are not affected.
        """
        if self.small_model_fn is None:
            keyed = [(str(memory.get("id", "")), self._text(memory)) for memory in memories]
            found = await asyncio.to_thread(self._recalled_relevance.relevance, context, keyed)
            return [self._made(memory, *relevant) for memory, relevant in zip(memories, found, strict=True)]
        return await self._each(memories, lambda memory: self._score(context, memory))

    async def candidates(self, query: str, read: Read) -> tuple[list[dict[str, Any]], Known | None]:
        """Return the memories of the database that can be relevant, and their relevance if no model scores them.

        The database is read once: all of it for a model, else only what recall finds.
        """
        if self._store is None or self.small_model_fn is not None:
            return await asyncio.to_thread(read, None), None
        found = await asyncio.to_thread(self._store.relevance, query)
        least = self._least_score()
        near = [name for name, relevant in found.items() if relevant.score >= least]
        return await asyncio.to_thread(read, near), found

    async def scored(self, context: str, memories: list[dict[str, Any]], known: Known | None) -> list[ScoredMemory]:
        """Return memories with their known relevance, or as a model scores them."""
        if known is None:
            return await self.score_all_memories(context, memories)
        return [self._made(memory, *known[memory["id"]]) for memory in memories]

    def _least_score(self) -> float:
        """Return the score below which no memory can reach the threshold."""
        return self.relevance_threshold

    def filter_and_select(self, scored_memories: list[ScoredMemory]) -> list[ScoredMemory]:
        """Return the memories that reach the threshold, most relevant first, `max_memories` at most."""
        relevant = [memory for memory in scored_memories if memory.relevance_score >= self.relevance_threshold]
        relevant.sort(key=lambda memory: memory.relevance_score, reverse=True)
        return relevant[: self.max_memories]

    def format_memories_for_prompt(self, memories: list[ScoredMemory], include_scores: bool = True) -> str:
        """Return memories as text for a prompt, numbered, with their metadata; empty for none."""
        return "\n\n".join(
            _formatted(number, memory, include_scores=include_scores) for number, memory in enumerate(memories, 1)
        )

    def update_config(self, **kwargs: Any) -> None:
        """Change settings by name. Raises ValueError for an unknown name or a wrong value; then nothing changes."""
        if unknown := sorted(set(kwargs) - set(self._limits())):
            raise ValueError(f"unknown setting: {', '.join(unknown)} (one of {', '.join(self._limits())})")
        self._check(kwargs)
        for name, value in kwargs.items():
            setattr(self, name, value)

    def config(self) -> dict[str, Any]:
        """Return the current settings by name."""
        return {name: getattr(self, name) for name in self._limits()}

    def close(self) -> None:
        """Close the temporary database, if there is one."""
        self._recalled_relevance.close()

    # --- scoring ---

    def _text(self, memory: Mapping[str, Any]) -> str:
        """Return the text of a memory that is scored."""
        return str(memory.get("text") or "")

    def _carried(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        """Return the metadata of a memory as the caller gets it."""
        return dict(memory.get("metadata") or {})

    def _facts(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        """Return the facts of a memory that the prompt holds beside its text."""
        return self._carried(memory)

    def _made(self, memory: Mapping[str, Any], score: float, reason: str) -> ScoredMemory:
        return ScoredMemory(
            memory_id=str(memory.get("id", "")),
            text=self._text(memory),
            metadata=self._carried(memory),
            timestamp=str(memory.get("timestamp") or ""),
            relevance_score=score,
            reasoning=reason,
        )

    async def _each(
        self, memories: Sequence[dict[str, Any]], work: Callable[[dict[str, Any]], Awaitable[ScoredMemory]]
    ) -> list[ScoredMemory]:
        """Return the outcome of `work` on each memory, in their order, `batch_size` at a time.

        If the caller is cancelled, running calls are cancelled too, and no more are started.
        """
        scored: dict[int, ScoredMemory] = {}
        waiting: Iterator[tuple[int, dict[str, Any]]] = iter(enumerate(memories))

        async def worker() -> None:
            for place, memory in waiting:
                scored[place] = await work(memory)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self.batch_size, len(memories))):
                group.create_task(worker())
        return [scored[place] for place in range(len(memories))]

    async def _score(self, context: str, memory: dict[str, Any]) -> ScoredMemory:
        try:
            return self._made(memory, *await self._asked(context, memory))
        except Exception as problem:
            return self._failed(memory, problem)

    def _failed(self, memory: dict[str, Any], problem: Exception) -> ScoredMemory:
        return self._made(memory, 0.0, f"Scoring failed: {str(problem) or type(problem).__name__}")

    async def _asked(self, context: str, memory: dict[str, Any]) -> Relevant:
        """Return the model's score of a memory; retries after failures and raises the last one."""
        question = judge_prompt(context, self._text(memory), self._facts(memory))
        delay_s = self.retry_delay
        for left in range(self.retry_attempts, -1, -1):
            try:
                return await self._answered(question)
            except Exception:
                if not left:
                    raise
            await asyncio.sleep(delay_s)
            delay_s *= BACK_OFF
        raise AssertionError("the last try returns or raises")

    async def _answered(self, question: str) -> Relevant:
        if self.small_model_fn is None:
            raise TypeError("no model is configured")
        answer = self.small_model_fn(question)
        found = judge_verdict(await answer if inspect.isawaitable(answer) else answer, question)
        if found is None:
            raise NoScore("the model returned no score")
        return Relevant(found.score, found.reason)

    # --- settings ---

    def _limits(self) -> dict[str, tuple[type[int] | type[float] | type[bool], float, float]]:
        """Return the settings that can be changed: their type, the least and the largest value."""
        return {
            "relevance_threshold": (float, 0.0, 1.0),
            "max_memories": (int, 1, math.inf),
            "batch_size": (int, 1, math.inf),
            "retry_attempts": (int, 0, math.inf),
            "retry_delay": (float, 0.0, math.inf),
        }

    def _check(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            kind, least, most = self._limits()[name]
            if kind is bool:
                if not isinstance(value, bool):
                    raise ValueError(f"{name} must be True or False, not {value!r}")
                continue
            fits = isinstance(value, int) or (kind is float and isinstance(value, float))
            if not fits or isinstance(value, bool) or not least <= value <= most:
                word = "whole number" if kind is int else "number"
                bounds = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of at least {least:g}"
                raise ValueError(f"{name} must be a {word} {bounds}, not {value!r}")


def raised(memory: ScoredMemory, amount: float) -> ScoredMemory:
    """Return a memory with a higher score, 1 at most."""
    return replace(memory, relevance_score=min(1.0, memory.relevance_score + amount))


def _formatted(number: int, memory: ScoredMemory, *, include_scores: bool) -> str:
    score = f" (Relevance: {memory.relevance_score:.2f})" if include_scores else ""
    lines = [f"Memory {number}{score}:", memory.text]
    if memory.metadata:
        lines.append(f"[Metadata: {', '.join(f'{name}={value}' for name, value in memory.metadata.items())}]")
    return "\n".join(lines)


class RecallRelevance:
    """Scores memories by recollect's own recall, where no model does.

    Memories of a recollect database are recalled there. Others are put into a temporary database, which is deleted with
    its owner.
    """

    def __init__(self, store: LibraryStore | None = None) -> None:
        self._store = store
        self._scratch: LibraryStore | None = None
        self._lock = threading.Lock()

    def relevance(self, query: str, memories: Sequence[tuple[str, str]]) -> list[Relevant]:
        """Return the relevance of each memory, given as id and text, in their order."""
        if not memories:
            return []
        if self._store is not None and _has(self._store, memories):
            found = self._store.relevance(query)
            return [found.get(memory_id, UNRELATED) for memory_id, _ in memories]
        with self._lock:  # the scratch database holds exactly these memories: one query at a time
            ids = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for _, text in memories]
            texts = {name: text for name, (_, text) in zip(ids, memories, strict=True) if text.strip()}
            found = self._filled(texts).relevance(query)
        return [found.get(name, UNRELATED) for name in ids]

    def close(self) -> None:
        """Delete the temporary database."""
        with self._lock:
            if self._scratch is not None:
                self._scratch.close()
            self._scratch = None

    def _filled(self, texts: dict[str, str]) -> LibraryStore:
        if self._scratch is None:
            self._scratch = LibraryStore(None, SCRATCH)
        kept = {row.id for row in self._scratch.find()}
        for name in kept - set(texts):
            self._scratch.remove(memory_id=name)
        self._scratch.add([{"id": name, "content": text} for name, text in texts.items() if name not in kept])
        return self._scratch


def _has(store: LibraryStore, memories: Sequence[tuple[str, str]]) -> bool:
    """Return whether a database has all of the memories, with the same texts."""
    kept = dict(store.columns(("id", "content")))
    return all(kept.get(memory_id) == text for memory_id, text in memories)
