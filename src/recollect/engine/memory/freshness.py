"""Freshness: whether the code that memories mention has changed, for hits, ranks and the drift list.

A memory is as fresh as the code it mentions: changed as soon as one of its anchors is, gone only if all of them are.
A memory of two functions still says something true of the one that is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine.memory.verdicts import overall
from recollect.engine.records.memory_rows import batches
from recollect.model import Anchor, Anchored, AnchorState, Freshness, Memory, Verdict
from recollect.text.display import day

if TYPE_CHECKING:
    from recollect.store.sql import Store

# What a memory is worth beside its match, relative to one that holds. A changed function mostly still does what was
# said of it, so half of what a replaced memory loses, and more the more it differs; what is gone cannot be relied on,
# so as much as that one.
WORTH: Mapping[str, float] = {"changed": 0.5, "gone": 0.0}
# Code as old as this is named with its date.
DATED_S = 90 * 86_400
# Anchors named in a note; the record has them all.
NOTED = 3

# Order of verdicts in a note: those that need a review first.
_ORDER: tuple[Verdict, ...] = ("gone", "changed", "moved", "unverified", "unanchored", "fresh")
_TOLD: Mapping[Verdict, str] = {
    "gone": "{places} no longer in the code",
    "changed": "{places} changed since {written}",
    "moved": "{places} moved to {now}",
    "unverified": "{places} not compared: git has no code of that time",
    "unanchored": "{places} not indexed here",
    "fresh": "{places} unchanged since {written}",
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
    states: dict[str, list[tuple[Verdict, float]]] = {}
    for ids in batches(list(dict.fromkeys(memory_ids))):
        for memory_id, *state in store.columns(AnchorState, ("memory_id", "verdict", "different"), {"memory_id": ids}):
            states.setdefault(memory_id, []).append((state[0], state[1]))
    found = {memory_id: overall([row[0] for row in rows]) for memory_id, rows in states.items()}
    return {
        memory_id: WORTH[verdict] * (1 - max(row[1] for row in states[memory_id]))
        for memory_id, verdict in found.items()
        if verdict in WORTH
    }


def imported(store: Store, memory_ids: Iterable[str]) -> list[str]:
    """Return those memories that were imported."""
    found = batches(list(memory_ids))
    return [row[0] for ids in found for row in store.columns(Memory, ("id",), {"id": ids, "source": "import"})]


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
        different=state.different if state is not None and verdict == "changed" else 0.0,
    )


def summed(rows: Sequence[Anchored]) -> Freshness:
    """Return the freshness of a memory from its anchors, those that need a review first."""
    ordered = tuple(sorted(rows, key=lambda row: (_ORDER.index(row.verdict), row.path, row.symbol or "")))
    verdict = overall([row.verdict for row in ordered])
    calling = [row for row in ordered if row.verdict == ordered[0].verdict or row.verdict in WORTH]
    told = "; ".join(_told(list(rows)) for _, rows in groupby(calling[:NOTED], key=_in_one_clause))
    more = f"; and {len(calling) - NOTED} more" if len(calling) > NOTED else ""
    return Freshness(verdict=verdict, note=told + more, anchors=ordered)


def _in_one_clause(row: Anchored) -> tuple[Verdict, str, str]:
    return row.verdict, _written(row), place(row.now_path, row.now_symbol) if row.now_path is not None else ""


def _told(rows: Sequence[Anchored]) -> str:
    verdict, written, now = _in_one_clause(rows[0])
    # The file is named once: `a.py::load, save`.
    before = ("", *(row.path for row in rows))
    places = ", ".join(
        row.symbol if row.symbol and row.path == path else place(row.path, row.symbol)
        for row, path in zip(rows, before, strict=False)
    )
    text = _TOLD[verdict].format(places=places, now=now, written=written)
    if _is_old(rows[0]) and verdict in WORTH:
        last = max(row.since or 0 for row in rows)
        shares = sorted({max(1, round(100 * row.different)) for row in rows if row.different})
        details = [f"last change {day(last)}"] if last else []
        details += [f"{' to '.join(map(str, dict.fromkeys((shares[0], shares[-1]))))} % different"] if shares else []
        text += f" ({', '.join(details)})" if details else ""
    return f"{text}, now {now}" if now and verdict == "changed" else text


def _is_old(row: Anchored) -> bool:
    return row.taken_at is not None and row.taken_at < clock.now() - DATED_S


def _written(row: Anchored) -> str:
    if row.late and row.taken_at:
        return f"its first indexing ({day(row.taken_at)})"
    return day(row.taken_at or 0) if _is_old(row) else "this was written"


def place(path: str, symbol: str | None) -> str:
    """Return how a place is written: `src/a.py`, or `src/a.py::Server.start`."""
    return path if symbol is None else f"{path}::{symbol}"
