"""Candidate: what a cycle knows of a memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

# By this tag, or by this key of its metadata, a memory is kept as it is: no cycle fades or archives it.
PINNED = "pinned"
# Where it is kept what a memory's importance was before it faded, and that it was archived.
FADED = "faded"
ARCHIVED = "archived"


class Candidate(NamedTuple):
    """A memory as a cycle sees it; content only where the cycle reads it.

    used_at: when somebody last read or changed it, it was put before an assistant, or came in
    """

    id: str
    seq: int
    memory_type: str
    importance: float
    used_at: int
    namespace: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    source: str = "user"
    title: str | None = None
    content: str = ""
    access_count: int = 0


def is_pinned(tags: tuple[str, ...], metadata: Mapping[str, Any]) -> bool:
    """Tell whether somebody wants a memory kept as it is."""
    return PINNED in tags or metadata.get(PINNED) is True


def judged(importance: float, metadata: Mapping[str, Any]) -> float:
    """Return the importance that somebody gave a memory, whatever it has faded to since.

    An importance that was set after decay is the user's own and counts as it is.
    """
    faded = metadata.get(FADED)
    if isinstance(faded, Mapping) and faded.get("to") == importance and isinstance(faded.get("from"), int | float):
        return float(faded["from"])
    return importance
