"""A memory as a consolidation cycle sees it, and the digest that identifies a plan."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from recollect.model.consolidation import Plan

# Enough that two plans of one store never share it, and short enough to be typed.
DIGITS = 12
# By this tag, or by this key of its metadata, a memory is kept as it is: no cycle fades or archives it.
PINNED = "pinned"
# Metadata keys for the importance before it faded, and for an archived memory.
FADED = "faded"
ARCHIVED = "archived"


class Candidate(NamedTuple):
    """A memory as a cycle sees it; content only where the cycle reads it.

    used_at: when it was last read, changed, injected or stored
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
    """Tell whether a memory is pinned."""
    return PINNED in tags or metadata.get(PINNED) is True


def judged(importance: float, metadata: Mapping[str, Any]) -> float:
    """Return the importance that a memory was given, before it faded.

    An importance that was set after decay counts as it is.
    """
    faded = metadata.get(FADED)
    if isinstance(faded, Mapping) and faded.get("to") == importance and isinstance(faded.get("from"), int | float):
        return float(faded["from"])
    return importance


def mark(plan: Plan) -> str:
    """Return the digest of a plan: equal for the same steps in the same order."""
    return hashlib.sha256(msgspec.json.encode((plan.cycle, plan.steps))).hexdigest()[:DIGITS]
