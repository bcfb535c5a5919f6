"""Pressure: what gives way when a level is full. Each way is one step; the policy says which are taken, in which order.

level 1   split, spill, compress       level 2   move_oldest, widen, shorten
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from recollect.hierarchy.levels import TOKENS_PER_BYTE, level
from recollect.hierarchy.model import Item
from recollect.hierarchy.policies import Policy
from recollect.hierarchy.state import State, archive, at, beside, lower, put, taken
from recollect.text.display import plural

# A file that takes more than this share of a level is large: it is split, and its part takes no more than that.
LARGE_SHARE = 0.25


class Shapes(Protocol):
    """What gives something another form; None where it is gone."""

    def whole(self, item: Item) -> Item | None:
        """Return the whole of it, for level 2."""
        ...

    def part(self, item: Item, max_bytes: int) -> Item | None:
        """Return the symbols of it that matter, in the level it is in."""
        ...

    def outline(self, item: Item) -> Item | None:
        """Return its outline, in the level it is in."""
        ...


class Case:
    """A full level, and what may be done about it.

    kept: names that were asked for just now, and give way last
    """

    def __init__(self, policy: Policy, shapes: Shapes, now: int, kept: Collection[str] = ()) -> None:
        self.policy = policy
        self.shapes = shapes
        self.now = now
        self.kept = frozenset(kept)


Step = Callable[[State, Case], State | None]


def relieve(state: State, case: Case) -> State:
    """Return a state whose levels fit: what has to give way does, as the policy says."""
    for number, steps, reliefs in (
        (1, RELIEF1, (*case.policy.relief1, "spill", "force")),
        (2, RELIEF2, (*case.policy.relief2, "move_oldest", "force")),
    ):
        for relief in reliefs:
            while not in_force(state, case.policy).level(number).fits(*taken(state, number)):
                after = steps[relief](state, case)
                if after is None:
                    break
                state = after
    return state


def in_force(state: State, policy: Policy) -> Policy:
    """Return the policy with level 2 as wide as it was made."""
    if not state.level2_bytes:
        return policy
    return msgspec.structs.replace(policy, level2=level(2, state.level2_bytes))


# --- level 1 ---


def _spill(state: State, case: Case) -> State | None:
    free = [item for item in at(state, 1) if item.form != "text" and not item.is_pinned and item.name not in case.kept]
    return _lowered(state, case, _oldest(free), "level 1 is full; least recently used")


def _force(state: State, case: Case) -> State | None:
    """Let go of what was named, too, oldest first; then of what was asked for just now, which alone is too large."""
    files = [item for item in at(state, 1) if item.form != "text"]
    older = _oldest([item for item in files if item.name not in case.kept])
    if older is not None:
        return _lowered(state, case, older, "level 1 is full; least recently used")
    largest = max(files, key=lambda item: item.size_bytes, default=None)
    return _lowered(state, case, largest, "too large for level 1")


def _lowered(state: State, case: Case, item: Item | None, reason: str) -> State | None:
    if item is None:
        return None
    whole = case.shapes.whole(item)
    if whole is None:
        return archive(state, [item.name], trigger="space", reason=f"{reason}; the file no longer exists", now=case.now)
    return lower(state, whole, trigger="space", reason=reason, now=case.now)


def _split(state: State, case: Case) -> State | None:
    most = int((case.policy.level1.max_bytes or 0) * LARGE_SHARE)
    large = [item for item in at(state, 1) if item.form == "whole" and item.size_bytes > most]
    item = max(large, key=lambda item: item.size_bytes, default=None)
    if item is None:
        return None
    reason = "level 1 is full; an excerpt stays, the whole file is in level 2"
    return _reduced(state, case, item, case.shapes.part(item, most), reason)


def _compress(state: State, case: Case) -> State | None:
    files = [item for item in at(state, 1) if item.form in ("whole", "part")]
    item = max(files, key=lambda item: (not item.is_pinned, item.size_bytes), default=None)
    if item is None:
        return None
    reason = "level 1 is full; the outline stays, the whole file is in level 2"
    return _reduced(state, case, item, case.shapes.outline(item), reason)


def _reduced(state: State, case: Case, item: Item, less: Item | None, reason: str) -> State | None:
    if less is None:
        return archive(state, [item.name], trigger="space", reason="the file no longer exists", now=case.now)
    whole = case.shapes.whole(item)
    state = put(state, less, trigger="space", reason=reason, now=case.now)
    return state if whole is None else beside(state, whole)


# --- level 2 ---


def _move_oldest(state: State, case: Case) -> State | None:
    item = _oldest([item for item in at(state, 2) if item.name not in case.kept])
    return None if item is None else _out(state, case, item, "level 2 is full; least recently used")


def _evict(state: State, case: Case) -> State | None:
    largest = max(at(state, 2), key=lambda item: item.size_bytes, default=None)
    return None if largest is None else _out(state, case, largest, "too large for level 2")


def _out(state: State, case: Case, item: Item, reason: str) -> State:
    if any(other.name == item.name for other in at(state, 1)):
        # Its part stays in level 1: only the copy goes, which is no move.
        others = tuple(other for other in state.items if other != item)
        return msgspec.structs.replace(state, items=others)
    return archive(state, [item.name], trigger="space", reason=reason, now=case.now)


def _widen(state: State, case: Case) -> State | None:
    """Make level 2 as wide as what is in it, if the context window of the model has room for that beside level 1."""
    wanted_bytes, wanted_tokens = taken(state, 2)
    wide = max(wanted_bytes, int(wanted_tokens / TOKENS_PER_BYTE) + 1)
    room = case.policy.context_tokens - (case.policy.level1.max_tokens or 0)
    now_wide = in_force(state, case.policy).level2.max_bytes or 0
    if int(wide * TOKENS_PER_BYTE) > room or wide <= now_wide:
        return None
    return msgspec.structs.replace(state, level2_bytes=wide)


def _shorten(state: State, case: Case) -> State | None:
    """Halve the time that something may be unused, as far as the policy allows, and let go of what was."""
    retention = state.retention_s or case.policy.promotion.time_threshold
    shorter = max(retention // 2, case.policy.shortest_s)
    if shorter >= retention:
        return None
    state = msgspec.structs.replace(state, retention_s=shorter)
    for item in at(state, 2):
        if case.now - item.used_at >= shorter and item.name not in case.kept:
            minutes = max(shorter // 60, 1)
            state = _out(state, case, item, f"level 2 is full; unused for {plural(minutes, 'minute')}")
    return state


def _oldest(items: list[Item]) -> Item | None:
    """Return what was used longest ago; of what was placed together the last, which was the least likely."""
    order = {item.name: place for place, item in enumerate(items)}
    return min(items, key=lambda item: (item.used_at, -order[item.name]), default=None)


RELIEF1: dict[str, Step] = {"spill": _spill, "split": _split, "compress": _compress, "force": _force}
RELIEF2: dict[str, Step] = {"move_oldest": _move_oldest, "widen": _widen, "shorten": _shorten, "force": _evict}
