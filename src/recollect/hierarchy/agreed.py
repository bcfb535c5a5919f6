"""Agreed: what is remembered of a project as a whole: decisions, conventions, commands that work, what recurs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.hierarchy.saying import first_sentence

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import Memory, MemoryType

# How many of each are told: the most important ones; the others are found when they are asked for.
MOST = 15
MOST_PATTERNS = 8
# What of a memory is told.
MOST_CHARACTERS = 240
# Kinds of memories that hold for the project as a whole, and what they are called here.
KINDS: tuple[tuple[MemoryType, str], ...] = (
    ("decision", "Decisions"),
    ("preference", "Preferences"),
    ("style", "Style"),
)


def agreed(engine: Engine, namespace: str) -> list[tuple[str, str]]:
    """Return titled lists of what is remembered; none for what nothing is remembered of."""
    found = [(title, list(_memories(engine, namespace, kind))) for kind, title in KINDS]
    found.append(("Commands that work", list(_commands(engine, namespace))))
    found.append(("Recurring patterns", list(_recurring(engine, namespace))))
    return [(title, "\n".join(f"- {line}" for line in lines)) for title, lines in found if lines]


def _memories(engine: Engine, namespace: str, kind: MemoryType) -> Iterator[str]:
    page = engine.memories.list(
        memory_type=kind, namespace=namespace, archived=False, order="important", limit=2 * MOST
    )
    in_force = [memory for memory in page.memories if not _is_replaced(memory)]
    for memory in in_force[:MOST]:
        yield first_sentence(memory.content, MOST_CHARACTERS) or " ".join(memory.content.split())[:MOST_CHARACTERS]


def _is_replaced(memory: Memory) -> bool:
    return memory.superseded_by is not None or memory.valid_to is not None


def _commands(engine: Engine, namespace: str) -> Iterator[str]:
    for row in engine.commands.list(namespace=namespace, limit=MOST).commands:
        where = f" in {row.directory}" if row.directory else ""
        yield f"{row.kind}: `{row.command}`{where}"


def _recurring(engine: Engine, namespace: str) -> Iterator[str]:
    for row in engine.patterns.detect(namespace=namespace, limit=MOST_PATTERNS).patterns:
        yield row.told
