"""Anchors before they are written: the code of a place, and the comparison of past code with that of today."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from recollect.model import AnchorState, Memory, Verdict

Origin = Literal["given", "found"]


class Compared(NamedTuple):
    """The outcome for code of the past: the verdict and its place today.

    taken_at: the time of the code that was compared. since: the last change of its file; different: how much, 0 to 1
    """

    verdict: Verdict
    path: str
    symbol: str | None
    taken_at: int = 0
    since: int = 0
    different: float = 0.0


class Draft(NamedTuple):
    """A new anchor: its place and the code there; no hash where nothing is indexed yet.

    compared: for code of the past; otherwise it is the code of now
    """

    path: str
    symbol: str | None
    origin: Origin
    kind: str = ""
    hash: str | None = None
    sketch: str = ""
    file_hash: str = ""
    compared: Compared | None = None

    def values(self) -> dict[str, Any]:
        """Return the fields that an anchor has, too."""
        return {name: value for name, value in self._asdict().items() if name not in ("file_hash", "compared")}


class Prepared(NamedTuple):
    """The anchors of a text, and the names in it that are not indexed yet."""

    drafts: tuple[Draft, ...] = ()
    unknown: tuple[str, ...] = ()


NOTHING = Prepared()

# Categories of observed memories that repeat a question or a search.
UNANCHORED = ("prompt", "find", "search")


def first_state(anchor_id: str, memory_id: str, draft: Draft, now: int, stamp: int) -> AnchorState:
    """Return the state of an anchor that was just made: fresh, or what the comparison found."""
    seen = draft.compared or Compared("fresh", draft.path, draft.symbol, since=now)
    return AnchorState(
        id=anchor_id,
        memory_id=memory_id,
        verdict=seen.verdict,
        path=seen.path,
        symbol=seen.symbol,
        hash=draft.hash or "",
        file_hash=draft.file_hash,
        since=seen.since,
        stamp=stamp,
        different=seen.different,
    )


def distinct(drafts: Iterable[Draft]) -> list[Draft]:
    """Return drafts without repetitions; a file that only says where a symbol is, is no anchor of its own."""
    known: dict[tuple[str, str | None], Draft] = {}
    for draft in drafts:
        known.setdefault((draft.path, draft.symbol), draft)
    exact = {draft.path for draft in known.values() if draft.symbol is not None}
    return [draft for draft in known.values() if draft.symbol or draft.origin == "given" or draft.path not in exact]


def spoken_text(memory: Memory) -> str:
    """Return all text of a memory that may mention code, with the files of an imported commit."""
    is_commit = memory.metadata.get("from") in ("git", "threads") and "release" not in memory.tags
    files = memory.metadata.get("files", ()) if is_commit else ()
    return "\n".join(part for part in (memory.title or "", memory.content, *memory.tags, *files) if part)
