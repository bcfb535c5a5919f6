"""Verdicts on the code that a memory mentions, without records: the prompt fast path of a hook uses them, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.model import Verdict


def is_outdated(source: str, verdict: str) -> bool:
    """Tell whether a memory is never injected: its code is gone, or it was imported and its code has changed."""
    return verdict == "gone" or (source == "import" and verdict == "changed")


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """Return one verdict for a memory from those of its anchors."""
    known = [verdict for verdict in verdicts if verdict not in ("unanchored", "unverified")]
    if not known:
        return "unverified" if "unverified" in verdicts else "unanchored"
    if all(verdict == "gone" for verdict in known):
        return "gone"
    if "changed" in known or "gone" in known:
        return "changed"
    return "moved" if "moved" in known else "fresh"
