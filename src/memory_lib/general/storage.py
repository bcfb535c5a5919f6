"""Storage: general memories in a database file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_lib.closing import Closing
from memory_lib.opening import GENERAL, open_shelf
from recollect.model import Memory


class MemoryStorage(Closing):
    """Memories of text with metadata, each under an id.

    Safe to share between threads. Secrets in texts and metadata (keys, tokens, passwords) are replaced by a mark of
    their kind before anything is kept.
    """

    def __init__(self, db_path: str = "memories.db") -> None:
        """Open the database at `db_path`; create it if it does not exist."""
        self.db_path = db_path
        self.shelf = open_shelf(db_path, GENERAL)

    def add_memory(self, text: str, metadata: dict[str, Any] | None = None, memory_id: str | None = None) -> str:
        """Store a memory and return its id: the given one, or a new UUID.

        Raises ValueError if the text is empty or None, the metadata is not JSON, or the id exists.
        """
        row = {"content": required("text", text), "metadata": {} if metadata is None else metadata}
        if memory_id is not None:
            row["id"] = required("memory_id", memory_id)
        return self.shelf.add([row])[0].id

    def get_memory(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory as {id, text, metadata, timestamp}, or None if there is none with this id."""
        found = self.shelf.get(memory_id)
        return shown(found) if found is not None else None

    def get_all_memories(self) -> list[dict[str, Any]]:
        """Return all memories, newest first."""
        return [shown(memory) for memory in self.shelf.find()]

    def update_memory(self, memory_id: str, text: str | None = None, metadata: dict[str, Any] | None = None) -> bool:
        """Change text or metadata of a memory, None leaves it as it is; return whether there is such a memory.

        Raises ValueError if the new text is empty.
        """
        return self.shelf.update(memory_id, content=None if text is None else required("text", text), metadata=metadata)

    def delete_memory(self, memory_id: str) -> bool:
        """Delete a memory; return whether there was one."""
        return self.shelf.remove(memory_id=memory_id) > 0

    def count_memories(self) -> int:
        """Return how many memories there are."""
        return self.shelf.count()

    def clear_all(self) -> int:
        """Delete all memories and return how many there were."""
        return self.shelf.remove()

    def close(self) -> None:
        """Close the database; closing it again does nothing."""
        self.shelf.close()


def shown(memory: Memory) -> dict[str, Any]:
    """Return a memory as the document writes it."""
    return {
        "id": memory.id,
        "text": memory.content,
        "metadata": dict(memory.metadata),
        "timestamp": iso(memory.created_at),
    }


def required(name: str, value: object) -> str:
    """Return a non-empty text. Raises ValueError otherwise."""
    if not isinstance(value, str) or not value.strip():
        told = "None" if value is None else "empty" if isinstance(value, str) else f"not text: {value!r:.40}"
        raise ValueError(f"{name} is {told}")
    return value


def iso(moment: int) -> str:
    """Return Unix time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
