"""Merging: what a memory gains when the same content is stored again."""

from __future__ import annotations

from typing import Any

from recollect.model import Memory

# Fields that are filled where they are empty.
FILLED = ("title", "category", "author", "valid_from")


def gained(known: Memory, again: Memory) -> dict[str, Any]:
    """Return what a memory gains when the same content is stored again: nothing that it has is lost."""
    merged: dict[str, Any] = {
        "tags": tuple(dict.fromkeys((*known.tags, *again.tags))),
        "metadata": {**known.metadata, **again.metadata},
        "importance": max(known.importance, again.importance),
    }
    # What somebody says now and nobody said before. A type that nobody chose is `context`.
    merged |= {field: getattr(again, field) for field in FILLED if getattr(known, field) is None}
    if known.memory_type == "context":
        merged["memory_type"] = again.memory_type
    # It is known from the one who is trusted more.
    if again.trust > known.trust:
        merged |= {"source": again.source, "trust": again.trust}
    # What is told on two branches, or on the default one, belongs to the project.
    if known.branch is not None and again.branch != known.branch:
        merged |= {"branch": None, "head": again.head}
    return merged
