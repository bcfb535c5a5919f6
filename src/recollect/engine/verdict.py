"""Verdict: the freshness of a memory, from the states of its anchors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.model import Verdict


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """Return one verdict for a memory from those of its anchors."""
    known = [verdict for verdict in verdicts if verdict != "unanchored"]
    if not known:
        return "unanchored"
    if all(verdict == "gone" for verdict in known):
        return "gone"
    if "changed" in known or "gone" in known:
        return "changed"
    return "moved" if "moved" in known else "fresh"
