"""Code memory system: indexing, storage and retrieval of code in one."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
from collections.abc import Iterable
from typing import Any

from memory_lib.codebase.code_retrieval import CodeContext, CodeMemoryRetrieval, as_query, as_text, query_of
from memory_lib.codebase.code_storage import CodeMemoryStorage
from memory_lib.codebase.indexer import CodeIndexer, Indexed
from memory_lib.database_file import Closing, identity
from memory_lib.general.retrieval import ModelFn, ScoredMemory

TEMPLATE = "Relevant context:\n{memories}\n\nTask: {context}"
PLACEHOLDER = re.compile(r"\{(memories|context|query|task)\}")


class CodeMemorySystem(Closing):
    """Indexes the code of a project, stores notes about it, and retrieves what is relevant."""

    def __init__(
        self, small_model_fn: ModelFn | None, db_path: str = "code_memories.db", **retrieval_kwargs: Any
    ) -> None:
        """Open the database at `db_path`; the other arguments are those of CodeMemoryRetrieval."""
        self.indexer = CodeIndexer()
        self.storage = CodeMemoryStorage(db_path)
        try:
            self.retrieval = CodeMemoryRetrieval(small_model_fn, store=self.storage.store, **retrieval_kwargs)
        except BaseException:
            self.storage.close()
            raise

    # --- indexing and notes ---

    def index_file(self, file_path: str) -> list[str]:
        """Index the functions and types of a file and return their ids; earlier entries of the file are replaced.

        Raises FileNotFoundError, and ValueError if the file is not source code.
        """
        return self._replace(file_path, self.indexer.read_file(file_path), self.storage.code_ids_by_file())

    def index_repository(
        self, directory: str, exclude_patterns: list[str] | None = None, recursive: bool = True
    ) -> list[str]:
        """Index the functions and types of all source files of a folder and return their ids.

        Code of files that no longer exist is deleted.

        exclude_patterns: globs of paths to exclude, such as */tests/*; .gitignore always applies
        """
        known = self.storage.code_ids_by_file()
        files = self.indexer.read_directory(directory, exclude_patterns, recursive)
        ids = [name for path, rows in files for name in self._replace(path, rows, known)]
        below = identity(directory).rstrip("/") + "/"
        gone = [path for path in known if path.startswith(below) and not os.path.lexists(path)]
        self.storage.store.remove_all(id=[name for path in gone for name in known[path]])
        if self.retrieval.small_model_fn is None:
            self.storage.store.embed_beside()
        return ids

    def reindex_file(self, file_path: str) -> list[str]:
        """Index a changed file again, drop its cached scores, and return the new ids.

        The code of a file that no longer exists is deleted; then there are no new ids.
        """
        self.retrieval.invalidate_cache_for_file(file_path)
        if os.path.lexists(file_path):
            return self.index_file(file_path)
        self.storage.store.remove_all(id=self.storage.code_ids_by_file().get(identity(file_path), []))
        return []

    def add_documentation_memory(
        self,
        title: str,
        content: str,
        category: str = "documentation",
        file_path: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> str:
        """Store documentation and return its id."""
        return self.storage.add_non_code_memory(category, content, title, file_path, metadata)

    def add_debugging_session(
        self,
        description: str,
        error: str,
        solution: str,
        file_path: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> str:
        """Store a problem and its solution, and return its id."""
        content = f"Problem: {description}\nError: {error}\nSolution: {solution}"
        return self.storage.add_non_code_memory("debugging", content, description, file_path, metadata)

    # --- retrieval ---

    async def retrieve_relevant_memories(
        self, context: str | CodeContext, include_file_hashes: bool = True
    ) -> list[ScoredMemory]:
        """Return the memories that are relevant to a context, the most relevant first.

        include_file_hashes: if false, cached scores are used even for changed files
        """
        memories, known = await self.retrieval.candidates(as_query(context), self.storage.read)
        is_cached = known is None and self.retrieval.enable_caching
        hashes = await asyncio.to_thread(self._hashes, memories) if include_file_hashes and is_cached else None
        return await self.retrieval.selected(context, memories, hashes, known)

    async def query(
        self, context: str | CodeContext, primary_model_fn: ModelFn, custom_prompt_template: str | None = None
    ) -> str:
        """Return the primary model's answer to a question, given the relevant memories.

        custom_prompt_template: the prompt, with {memories}, and {context} (all of it) or {query} (the question alone)
        """
        found = await self.retrieve_relevant_memories(context)
        values = {
            "memories": self.retrieval.format_code_memories_for_prompt(found),
            "context": as_text(context),
            "query": query_of(context),
            "task": query_of(context),
        }
        template = TEMPLATE if custom_prompt_template is None else custom_prompt_template
        # One pass, and only our own names: code is full of braces, in a template as in what is put into it.
        answer = primary_model_fn(PLACEHOLDER.sub(lambda match: values[match[1]], template))
        return await answer if inspect.isawaitable(answer) else answer

    def clear_cache(self) -> None:
        """Clear the score cache."""
        self.retrieval.clear_cache()

    def get_stats(self) -> dict[str, Any]:
        """Return the number of memories, cache statistics, and the settings."""
        code, total = self.storage.count_code(), self.storage.store.count()
        return {
            "total_code_memories": code,
            "total_non_code_memories": total - code,
            "total_memories": total,
            "cache_stats": self.retrieval.get_cache_stats(),
            **self.retrieval.config(),
        }

    def close(self) -> None:
        """Close the database."""
        self.retrieval.close()
        self.storage.close()

    def _replace(self, file_path: str, rows: Iterable[Indexed], known: dict[str, list[str]]) -> list[str]:
        """Store the entities of a file, then delete the earlier ones; an interruption loses none."""
        ids = self.storage.add_code_memories(rows)
        if old := known.pop(identity(file_path), []):
            self.storage.store.remove_all(id=old)
        return ids

    def _hashes(self, memories: Iterable[dict[str, Any]]) -> dict[str, str]:
        """Return the hash of every file that memories name, as far as it can be read."""
        hashes: dict[str, str] = {}
        for path in {memory["file_path"] for memory in memories if memory.get("file_path")}:
            try:
                hashes[path] = self.indexer.compute_file_hash(path)
            except OSError:  # gone, or a name that never was a file
                continue
        return hashes
