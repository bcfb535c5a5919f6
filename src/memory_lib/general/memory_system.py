"""Memory system: storage and retrieval in one."""

from __future__ import annotations

import inspect
from typing import Any

from memory_lib.database_file import Closing
from memory_lib.general.retrieval import MemoryRetrieval, ModelFn, ScoredMemory
from memory_lib.general.storage import MemoryStorage


class MemorySystem(Closing):
    """Stores memories and retrieves the relevant ones."""

    def __init__(self, small_model_fn: ModelFn | None, db_path: str = "memories.db", **retrieval_kwargs: Any) -> None:
        """Open the database at `db_path`; the other arguments are those of MemoryRetrieval."""
        self.storage = MemoryStorage(db_path)
        try:
            self.retrieval = MemoryRetrieval(small_model_fn, store=self.storage.store, **retrieval_kwargs)
        except BaseException:
            self.storage.close()
            raise

    def add_memory(self, text: str, metadata: dict[str, Any] | None = None) -> str:
        """Store a memory and return its id."""
        return self.storage.add_memory(text, metadata)

    def get_memory(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory, or None."""
        return self.storage.get_memory(memory_id)

    def update_memory(self, memory_id: str, text: str | None = None, metadata: dict[str, Any] | None = None) -> bool:
        """Change a memory; return whether there is one with this id."""
        return self.storage.update_memory(memory_id, text, metadata)

    def delete_memory(self, memory_id: str) -> bool:
        """Delete a memory; return whether there was one."""
        return self.storage.delete_memory(memory_id)

    async def retrieve_relevant_memories(self, context: str) -> list[ScoredMemory]:
        """Return the memories that are relevant to a context, the most relevant first."""
        memories, known = await self.retrieval.candidates(context, self.storage.read)
        return self.retrieval.filter_and_select(await self.retrieval.scored(context, memories, known))

    def format_memories_for_prompt(self, memories: list[ScoredMemory], include_scores: bool = True) -> str:
        """Return memories as text for a prompt."""
        return self.retrieval.format_memories_for_prompt(memories, include_scores)

    async def query(self, context: str, task: str, primary_model_fn: ModelFn) -> str:
        """Return the primary model's answer to a task, given the memories relevant to a context."""
        memories = self.format_memories_for_prompt(await self.retrieve_relevant_memories(context))
        answer = primary_model_fn(f"Relevant context:\n{memories}\n\nTask: {task}")
        return await answer if inspect.isawaitable(answer) else answer

    def update_retrieval_config(self, **kwargs: Any) -> None:
        """Change settings of the retrieval by name."""
        self.retrieval.update_config(**kwargs)

    def get_stats(self) -> dict[str, Any]:
        """Return the number of memories and the settings."""
        return {"total_memories": self.storage.count_memories(), **self.retrieval.config()}

    def close(self) -> None:
        """Close the database."""
        self.retrieval.close()
        self.storage.close()
