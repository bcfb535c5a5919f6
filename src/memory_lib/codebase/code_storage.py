"""Code storage: functions and types of source files, and notes about them, in a database file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_lib import database_file
from recollect.model import Memory

CATEGORIES = ("documentation", "debugging", "general")
COMPLEXITIES = ("low", "medium", "high")


class CodeMemoryStorage(database_file.Closing):
    """Memories of code and notes, found by file and language. Safe to share between threads.

    Secrets are replaced by a mark of their kind before anything is stored.
    """

    def __init__(self, db_path: str = "code_memories.db") -> None:
        """Open the database at `db_path`; create it if it does not exist."""
        self.db_path = db_path
        self.store = database_file.open_library(db_path, database_file.CODEBASE)

    def add_code_memory(
        self,
        file_path: str,
        entity_name: str,
        code_snippet: str,
        *,
        docstring: str | None = None,
        signature: str | None = None,
        language: str | None = None,
        dependencies: list[str] | None = None,
        imports: list[str] | None = None,
        complexity: str | None = None,
        last_modified: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> str:
        """Store a function or type and return its id.

        Raises ValueError if path, name or code is empty, or the complexity is none of low, medium and high.
        """
        entity = {
            "file_path": file_path,
            "entity_name": entity_name,
            "code_snippet": code_snippet,
            "docstring": docstring,
            "signature": signature,
            "language": language,
            "dependencies": dependencies,
            "imports": imports,
            "complexity": complexity,
            "last_modified": last_modified,
        }
        return self.add_code_memories([(entity, metadata or {})])[0]

    def add_code_memories(self, entities: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[str]:
        """Store entities of an indexer with their metadata in one transaction; return their ids. Raises ValueError."""
        rows = [database_file.code_row(_checked(entity), metadata) for entity, metadata in entities]
        return [memory.id for memory in self.store.add(rows)]

    def add_non_code_memory(
        self,
        category: str,
        content: str,
        title: str | None = None,
        file_path: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> str:
        """Store a note and return its id.

        Raises ValueError if the content is empty or the category is none of documentation, debugging and general.
        """
        if category not in CATEGORIES:
            raise ValueError(f"unknown category {category!r}; use one of {', '.join(CATEGORIES)}")
        database_file.required("content", content)
        row = database_file.note_row(
            {"category": category, "content": content, "title": title, "file_path": file_path}, metadata
        )
        return self.store.add([row])[0].id

    def get_all_memories(self) -> list[dict[str, Any]]:
        """Return all memories, code and notes, newest first; `type` is code or non-code."""
        return self.read(None)

    def get_memories_by_file(self, file_path: str) -> list[dict[str, Any]]:
        """Return the memories of a file, code and notes, newest first; its path may be relative or absolute."""
        return [shown(memory) for memory in self._of_file(file_path)]

    def get_memories_by_language(self, language: str) -> list[dict[str, Any]]:
        """Return the code in a language, newest first."""
        return [shown(memory) for memory in self.store.find(database_file.tag("language", language))]

    def delete_memories_by_file(self, file_path: str) -> int:
        """Delete the memories of a file, code and notes; return how many there were."""
        return self.store.remove_all(id=[memory.id for memory in self._of_file(file_path)])

    def read(self, memory_ids: Sequence[str] | None) -> list[dict[str, Any]]:
        """Return the memories with these ids; with None all, newest first."""
        rows = self.store.find() if memory_ids is None else self.store.get_all(memory_ids)
        return [shown(memory) for memory in rows]

    def code_ids_by_file(self) -> dict[str, list[str]]:
        """Return the ids of all code, by the identity of its file."""
        found: dict[str, list[str]] = {}
        for memory in self.store.select(category=database_file.CODE):
            if name := database_file.identity_of(memory):
                found.setdefault(name, []).append(memory.id)
        return found

    def _of_file(self, file_path: str) -> list[Memory]:
        """Return the memories of a file; if there are none, those whose path was written like this elsewhere."""
        name = database_file.identity(file_path)
        tagged = {memory.id: memory for each in database_file.file_tags(file_path) for memory in self.store.find(each)}
        rows = sorted(tagged.values(), key=lambda memory: (memory.created_at, memory.seq), reverse=True)
        return [memory for memory in rows if database_file.identity_of(memory) == name] or rows

    def count_code(self) -> int:
        """Return how many memories are code."""
        return self.store.count(category=database_file.CODE)

    def close(self) -> None:
        """Close the database; closing it again does nothing."""
        self.store.close()


def _checked(entity: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in ("file_path", "entity_name", "code_snippet"):
        database_file.required(name, entity[name])
    if entity.get("complexity") and entity["complexity"] not in COMPLEXITIES:
        raise ValueError(f"unknown complexity {entity['complexity']!r}; use one of {', '.join(COMPLEXITIES)}")
    return entity


def shown(memory: Memory) -> dict[str, Any]:
    """Return a memory of code or a note as a documented dictionary."""
    beside = {"timestamp": database_file.iso(memory.created_at), "metadata": dict(memory.metadata.get("metadata", {}))}
    if memory.category == database_file.CODE:
        entity = memory.metadata.get("entity", {})
        named = {name: entity.get(name, "") for name in ("file_path", "entity_name")}
        return {"id": memory.id, "type": "code", **named, "code_snippet": memory.content, **entity, **beside}
    note = {"title": "", "file_path": "", **memory.metadata.get("note", {})}
    kind = {"type": "non-code", "category": memory.category or "general"}
    return {"id": memory.id, **kind, "content": memory.content, **note, **beside}
