"""Retrieval: which memories are relevant to a context, and how they are put into a prompt.

    memories ─► (prefilter) ─► score, a few at a time ─► threshold ─► the best

A score is what the small model says, or without one how likely the recall of recollect holds a memory relevant.
"""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_lib.general.recalling import Recalling
from recollect.engine.library_store import LibraryStore, Relevant, prompt, verdict

ModelFn = Callable[[str], Awaitable[str]]

# How much longer to wait before each further try; the document says exponential and no more.
BACK_OFF = 2.0


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
        relevance_threshold: float = 0.7,
        max_memories: int = 10,
        batch_size: int = 10,
        retry_attempts: int = 3,
        retry_delay: float = 1.0,
        *,
        prefilter: int | None = None,
        shelf: LibraryStore | None = None,
    ) -> None:
        """Score with `small_model_fn`, an async function from a prompt to an answer.

        small_model_fn: None: the relevance that recollect's own recall gives is the score
        relevance_threshold: the least score of what is retrieved
        max_memories: how many are retrieved at most
        batch_size: how many calls of the model run at the same time
        retry_attempts: how often a call that failed is tried again
        retry_delay: seconds before the first further try, twice as long before each next one
        prefilter: ask the model only about that many, the best of recollect's own recall; None: about all
        shelf: where the memories are kept, if recollect keeps them
        """
        if small_model_fn is not None and not callable(small_model_fn):
            raise TypeError("small_model_fn must be an async function or None")
        self.small_model_fn = small_model_fn
        self.relevance_threshold = relevance_threshold
        self.max_memories = max_memories
        self.batch_size = batch_size
        self.retry_attempts = retry_attempts
        self.retry_delay = retry_delay
        self.prefilter = prefilter
        self._recalling = Recalling(shelf)
        self._check(self.config())

    async def retrieve_relevant_memories(self, context: str, memories: list[dict[str, Any]]) -> list[ScoredMemory]:
        """Return the memories that are relevant to a context, the most relevant first."""
        candidates = await self._prefiltered(context, memories)
        return self.filter_and_select(await self.score_all_memories(context, candidates))

    async def score_all_memories(self, context: str, memories: list[dict[str, Any]]) -> list[ScoredMemory]:
        """Return all the memories with their scores, in the order given.

        A memory that could not be scored has the score 0 and an error text; the others are not affected.
        """
        if self.small_model_fn is None:
            found = await self._recalled(context, memories)
            return [self._made(memory, *relevant) for memory, relevant in zip(memories, found, strict=True)]
        return await self._each(memories, lambda memory: self._score(context, memory))

    def filter_and_select(self, scored_memories: list[ScoredMemory]) -> list[ScoredMemory]:
        """Return those that reach the threshold, the most relevant first, `max_memories` at most."""
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
        self._recalling.close()

    # --- scoring ---

    def _text(self, memory: Mapping[str, Any]) -> str:
        """Return what of a memory is scored."""
        return str(memory.get("text") or "")

    def _carried(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        """Return the metadata of a memory as the caller gets it."""
        return dict(memory.get("metadata") or {})

    def _told(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the model is told of a memory beside its text."""
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
        told = str(problem) or type(problem).__name__
        return self._made(memory, 0.0, f"Scoring failed: {told}")

    async def _asked(self, context: str, memory: dict[str, Any]) -> Relevant:
        """Return what the model says of a memory, asking again after failures. Raises the last failure."""
        question = prompt(context, self._text(memory), self._told(memory))
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
        said = verdict(await answer if inspect.isawaitable(answer) else answer, question)
        if said is None:
            raise NoScore("the model returned no score")
        return Relevant(said.score, said.reason)

    async def _recalled(self, context: str, memories: Sequence[dict[str, Any]]) -> list[Relevant]:
        """Return the relevance that recall gives each memory, in their order."""
        keyed = [(str(memory.get("id", "")), self._text(memory)) for memory in memories]
        return await asyncio.to_thread(self._recalling.relevance, context, keyed)

    async def _prefiltered(self, context: str, memories: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self.prefilter is None or self.small_model_fn is None or len(memories) <= self.prefilter:
            return memories
        found = await self._recalled(context, memories)
        best = sorted(range(len(memories)), key=lambda place: found[place].score, reverse=True)
        return [memories[place] for place in best[: self.prefilter]]

    # --- settings ---

    def _limits(self) -> dict[str, tuple[type[int] | type[float], float, float]]:
        """Return the settings that can be changed: their type, the least and the largest value."""
        return {
            "relevance_threshold": (float, 0.0, 1.0),
            "max_memories": (int, 1, math.inf),
            "batch_size": (int, 1, math.inf),
            "retry_attempts": (int, 0, math.inf),
            "retry_delay": (float, 0.0, math.inf),
            "prefilter": (int, 1, math.inf),
        }

    def _check(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            kind, least, most = self._limits()[name]
            if name == "prefilter" and value is None:
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
