"""Storage: general memories in a database file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_lib.database_file import GENERAL, Closing, iso, open_library, required
from recollect.model import Memory


class MemoryStorage(Closing):
    """Memories of text with metadata, each under an id.

    Safe to share between threads. Secrets in texts and metadata (keys, tokens, passwords) are replaced by a mark of
    their kind before anything is kept.
    """

    def __init__(self, db_path: str = "memories.db") -> None:
        """Open the database at `db_path`; create it if it does not exist."""
        self.db_path = db_path
        self.store = open_library(db_path, GENERAL)

    def add_memory(self, text: str, metadata: dict[str, Any] | None = None, memory_id: str | None = None) -> str:
        """Store a memory and return its id: the given one, or a new UUID.

        Raises ValueError if the text is empty or None, the metadata is not JSON, or the id exists.
        """
        row = {"content": required("text", text), "metadata": {} if metadata is None else metadata}
        if memory_id is not None:
            row["id"] = required("memory_id", memory_id)
        return self.store.add([row])[0].id

    def get_memory(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory as {id, text, metadata, timestamp}, or None if there is none with this id."""
        found = self.store.get(memory_id)
        return shown(found) if found is not None else None

    def get_all_memories(self) -> list[dict[str, Any]]:
        """Return all memories, newest first."""
        return self.read(None)

    def read(self, memory_ids: Sequence[str] | None) -> list[dict[str, Any]]:
        """Return the memories with these ids; with None all, newest first."""
        rows = self.store.find() if memory_ids is None else self.store.get_all(memory_ids)
        return [shown(memory) for memory in rows]

    def update_memory(self, memory_id: str, text: str | None = None, metadata: dict[str, Any] | None = None) -> bool:
        """Change text or metadata of a memory, None leaves it as it is; return whether there is such a memory.

        Raises ValueError if the new text is empty.
        """
        return self.store.update(memory_id, content=None if text is None else required("text", text), metadata=metadata)

    def delete_memory(self, memory_id: str) -> bool:
        """Delete a memory; return whether there was one."""
        return self.store.remove(memory_id=memory_id) > 0

    def count_memories(self) -> int:
        """Return how many memories there are."""
        return self.store.count()

    def clear_all(self) -> int:
        """Delete all memories and return how many there were."""
        return self.store.remove()

    def close(self) -> None:
        """Close the database; closing it again does nothing."""
        self.store.close()


def shown(memory: Memory) -> dict[str, Any]:
    """Return a memory as a documented dictionary."""
    return {
        "id": memory.id,
        "text": memory.content,
        "metadata": dict(memory.metadata),
        "timestamp": iso(memory.created_at),
    }
