"""Freshness: whether the code that memories mention has changed, for hits, ranks and the drift list.

A memory is as fresh as the code it mentions: changed as soon as one of its anchors is, gone only if all of them are.
A memory of two functions still says something true of the one that is left.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.engine.records.memory_rows import batches
from recollect.model import Anchor, Anchored, AnchorState, Freshness, Verdict

if TYPE_CHECKING:
    from recollect.store.protocol import Store

# What a memory is worth beside its match, relative to one that holds. A changed function mostly still does what was
# said of it, so half of what a replaced memory loses; what is gone cannot be relied on, so as much as that one.
WORTH: Mapping[str, float] = {"changed": 0.5, "gone": 0.0}
# Anchors named in a note; the record has them all.
NOTED = 3

# Order of verdicts in a note: those that need a review first.
_ORDER: tuple[Verdict, ...] = ("gone", "changed", "moved", "unanchored", "fresh")
_TOLD: Mapping[Verdict, str] = {
    "gone": "{place} no longer exists",
    "changed": "{place} changed since {written}",
    "moved": "{place} moved to {now}",
    "unanchored": "{place} is not indexed here",
    "fresh": "{place} is unchanged since {written}",
}


def freshness_of(store: Store, memory_ids: Sequence[str]) -> dict[str, Freshness]:
    """Return the freshness of memories by their id, without memories that mention no code."""
    anchors = [row for ids in batches(memory_ids) for row in store.find(Anchor, {"memory_id": ids})]
    if not anchors:
        return {}
    states = {state.id: state for state in store.get(AnchorState, [anchor.id for anchor in anchors])}
    by_memory: dict[str, list[Anchored]] = {}
    for anchor in anchors:
        by_memory.setdefault(anchor.memory_id, []).append(anchored(anchor, states.get(anchor.id)))
    return {memory_id: summed(rows) for memory_id, rows in by_memory.items()}


def worths(store: Store, memory_ids: Iterable[str]) -> dict[str, float]:
    """Return the weight of memories by the state of their code, where it is below 1."""
    verdicts: dict[str, list[Verdict]] = {}
    for ids in batches(list(dict.fromkeys(memory_ids))):
        for memory_id, verdict in store.columns(AnchorState, ("memory_id", "verdict"), {"memory_id": ids}):
            verdicts.setdefault(memory_id, []).append(verdict)
    found = {memory_id: overall(rows) for memory_id, rows in verdicts.items()}
    return {memory_id: WORTH[verdict] for memory_id, verdict in found.items() if verdict in WORTH}


def anchored(anchor: Anchor, state: AnchorState | None) -> Anchored:
    """Return an anchor as answers show it."""
    verdict: Verdict = "unanchored" if state is None else state.verdict
    elsewhere = state is not None and verdict != "gone" and (state.path, state.symbol) != (anchor.path, anchor.symbol)
    return Anchored(
        path=anchor.path,
        symbol=anchor.symbol,
        verdict=verdict,
        now_path=state.path if state is not None and elsewhere else None,
        now_symbol=state.symbol if state is not None and elsewhere else None,
        since=state.since if state is not None and verdict != "fresh" else None,
        taken_at=anchor.taken_at or None,
        late=anchor.taken_at > anchor.created_at,
    )


def summed(rows: Sequence[Anchored]) -> Freshness:
    """Return the freshness of a memory from its anchors, those that need a review first."""
    ordered = tuple(sorted(rows, key=lambda row: (_ORDER.index(row.verdict), row.path, row.symbol or "")))
    verdict = overall([row.verdict for row in ordered])
    calling = [row for row in ordered if row.verdict == ordered[0].verdict or row.verdict in WORTH]
    told = "; ".join(_told(row) for row in calling[:NOTED])
    more = f"; and {len(calling) - NOTED} more" if len(calling) > NOTED else ""
    return Freshness(verdict=verdict, note=f"{verdict}: {told}{more}", anchors=ordered)


def _told(row: Anchored) -> str:
    written = f"its first indexing ({_day(row.taken_at)})" if row.late and row.taken_at else "this was written"
    now = place(row.now_path, row.now_symbol) if row.now_path is not None else ""
    text = _TOLD[row.verdict].format(place=place(row.path, row.symbol), now=now, written=written)
    return f"{text}, now {now}" if now and row.verdict == "changed" else text


def place(path: str, symbol: str | None) -> str:
    """Return how a place is written: `src/a.py`, or `src/a.py::Server.start`."""
    return path if symbol is None else f"{path}::{symbol}"


def _day(at: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))


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
