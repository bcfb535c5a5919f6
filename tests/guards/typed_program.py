"""A program of a user, type-checked by mypy: what completion and the checker know of the public names."""

from __future__ import annotations

from datetime import datetime
from typing import assert_type

from recollect import Engine, Hit, Memory, Recall, RecollectError, Settings, Stored


def remember(engine: Engine, text: str) -> Memory:
    """Store a text and return its memory."""
    stored = engine.memories.store(text, memory_type="decision", tags=("make",))
    assert_type(stored, Stored)
    return stored.memory


def best(engine: Engine, question: str) -> Hit | None:
    """Return the best hit, if there is one."""
    try:
        found = engine.recall.search(question)
    except RecollectError as error:
        assert_type(error.code, str)
        return None
    assert_type(found, Recall)
    return found.hits[0] if found.hits else None


def patience(settings: Settings) -> float:
    """Return how long a write waits, in seconds; a dynamic setting would be Any here."""
    assert_type(settings.watch, bool)
    assert_type(settings.embed_timeout_s, float)
    assert_type(settings.home, str)
    return assert_type(settings.busy_timeout_ms, int) / 1000


def main() -> None:
    """Store, search, and read a setting and a date."""
    with Engine() as engine:
        memory = remember(engine, "We use tabs in Makefiles")
        assert_type(memory.created, datetime)
        hit = best(engine, "indentation in make")
        print(hit and hit.memory.content, patience(engine.settings), memory.created.isoformat())


if __name__ == "__main__":
    main()
