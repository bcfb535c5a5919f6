"""Eviction: make room in a full level, and demote unused items. The policy selects the steps and their order.

level 1   split, spill, compress       level 2   move_oldest, widen, shorten
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

import msgspec

from recollect.hierarchy.file_forms import ItemForms
from recollect.hierarchy.model import Item
from recollect.hierarchy.policies import TOKENS_PER_BYTE, Policy, level
from recollect.hierarchy.window_state import State, archive, beside, demote, items_at, level_size, put
from recollect.text.display import plural

# A file above this share of a level is large: it is split, and its part has at most this share.
LARGE_SHARE = 0.25


class EvictionContext(NamedTuple):
    """The inputs of an eviction. kept: names that were just requested; they are evicted last"""

    policy: Policy
    forms: ItemForms
    now: int
    kept: Collection[str] = ()


Step = Callable[[State, EvictionContext], State | None]


def relieve(state: State, context: EvictionContext) -> State:
    """Return a state whose levels fit their budgets, after the steps of the policy."""
    for number, steps, reliefs in (
        (1, RELIEF1, (*context.policy.relief1, "spill", "force")),
        (2, RELIEF2, (*context.policy.relief2, "move_oldest", "force")),
    ):
        for relief in reliefs:
            while not effective_policy(state, context.policy).level(number).fits(*level_size(state, number)):
                after = steps[relief](state, context)
                if after is None:
                    break
                state = after
    return state


def effective_policy(state: State, policy: Policy) -> Policy:
    """Return the policy with the current size of level 2, which may be widened."""
    if not state.level2_bytes:
        return policy
    return msgspec.structs.replace(policy, level2=level(2, state.level2_bytes))


# --- level 1 ---


def _spill(state: State, context: EvictionContext) -> State | None:
    files = [item for item in items_at(state, 1) if item.form != "text"]
    free = [item for item in files if not item.is_pinned and item.name not in context.kept]
    return _demoted(state, context, _oldest(free), "level 1 is full; least recently used")


def _force(state: State, context: EvictionContext) -> State | None:
    """Demote pinned items, too, oldest first; then the requested one, which alone is too large."""
    files = [item for item in items_at(state, 1) if item.form != "text"]
    older = _oldest([item for item in files if item.name not in context.kept])
    if older is not None:
        return _demoted(state, context, older, "level 1 is full; least recently used")
    largest = max(files, key=lambda item: item.size_bytes, default=None)
    return _demoted(state, context, largest, "too large for level 1")


def _demoted(state: State, context: EvictionContext, item: Item | None, reason: str) -> State | None:
    if item is None:
        return None
    whole = context.forms.whole(item)
    if whole is None:
        reason += "; the file no longer exists"
        return archive(state, [item.name], trigger="space", reason=reason, now=context.now)
    return demote(state, whole, trigger="space", reason=reason, now=context.now)


def _split(state: State, context: EvictionContext) -> State | None:
    most = int((context.policy.level1.max_bytes or 0) * LARGE_SHARE)
    large = [item for item in items_at(state, 1) if item.form == "whole" and item.size_bytes > most]
    item = max(large, key=lambda item: item.size_bytes, default=None)
    if item is None:
        return None
    reason = "level 1 is full; an excerpt stays, the whole file is in level 2"
    return _reduced(state, context, item, context.forms.part(item, most), reason)


def _compress(state: State, context: EvictionContext) -> State | None:
    files = [item for item in items_at(state, 1) if item.form in ("whole", "part")]
    item = max(files, key=lambda item: (not item.is_pinned, item.size_bytes), default=None)
    if item is None:
        return None
    reason = "level 1 is full; the outline stays, the whole file is in level 2"
    return _reduced(state, context, item, context.forms.outline(item), reason)


def _reduced(state: State, context: EvictionContext, item: Item, less: Item | None, reason: str) -> State | None:
    if less is None:
        return archive(state, [item.name], trigger="space", reason="the file no longer exists", now=context.now)
    whole = context.forms.whole(item)
    state = put(state, less, trigger="space", reason=reason, now=context.now)
    return state if whole is None else beside(state, whole)


# --- level 2 ---


def _move_oldest(state: State, context: EvictionContext) -> State | None:
    item = _oldest([item for item in items_at(state, 2) if item.name not in context.kept])
    return None if item is None else _out(state, context, item, "level 2 is full; least recently used")


def _evict(state: State, context: EvictionContext) -> State | None:
    largest = max(items_at(state, 2), key=lambda item: item.size_bytes, default=None)
    return None if largest is None else _out(state, context, largest, "too large for level 2")


def _out(state: State, context: EvictionContext, item: Item, reason: str) -> State:
    if any(other.name == item.name for other in items_at(state, 1)):
        # Its part stays in level 1. Removing the copy is no move.
        others = tuple(other for other in state.items if other != item)
        return msgspec.structs.replace(state, items=others)
    return archive(state, [item.name], trigger="space", reason=reason, now=context.now)


def _widen(state: State, context: EvictionContext) -> State | None:
    """Widen level 2 to its items, if they fit the model's context window beside level 1."""
    wanted_bytes, wanted_tokens = level_size(state, 2)
    wide = max(wanted_bytes, int(wanted_tokens / TOKENS_PER_BYTE) + 1)
    room = context.policy.context_tokens - (context.policy.level1.max_tokens or 0)
    now_wide = effective_policy(state, context.policy).level2.max_bytes or 0
    if int(wide * TOKENS_PER_BYTE) > room or wide <= now_wide:
        return None
    return msgspec.structs.replace(state, level2_bytes=wide)


def _shorten(state: State, context: EvictionContext) -> State | None:
    """Halve the retention of unused items, as far as the policy allows, and evict by it."""
    retention = state.retention_s or context.policy.promotion.time_threshold
    shorter = max(retention // 2, context.policy.shortest_s)
    if shorter >= retention:
        return None
    state = msgspec.structs.replace(state, retention_s=shorter)
    for item in items_at(state, 2):
        if context.now - item.used_at >= shorter and item.name not in context.kept:
            minutes = max(shorter // 60, 1)
            state = _out(state, context, item, f"level 2 is full; unused for {plural(minutes, 'minute')}")
    return state


def _oldest(items: list[Item]) -> Item | None:
    """Return the least recently used item; of those placed together the last, the least likely."""
    order = {item.name: place for place, item in enumerate(items)}
    return min(items, key=lambda item: (item.used_at, -order[item.name]), default=None)


RELIEF1: dict[str, Step] = {"spill": _spill, "split": _split, "compress": _compress, "force": _force}
RELIEF2: dict[str, Step] = {"move_oldest": _move_oldest, "widen": _widen, "shorten": _shorten, "force": _evict}


# --- unused items ---


def expire(state: State, policy: Policy, whole: Callable[[Item], Item | None], now: int) -> State:
    """Return the state without items that are unused for as long as the policy says.

    A text stays until it is replaced or the task is complete: the archive does not have it.
    whole: returns an item of level 1 as a whole for level 2, None if it no longer exists
    """
    retention = state.retention_s or policy.promotion.time_threshold
    for item in items_at(state, 1):
        idle = now - item.used_at
        if item.form == "text" or idle < policy.promotion.level1_threshold:
            continue
        reason = f"unused for {_duration(idle)}"
        down = whole(item) if idle < retention else None
        if down is None:
            state = archive(state, [item.name], trigger="unused", reason=reason, now=now)
        else:
            kept = msgspec.structs.replace(down, used_at=item.used_at)
            state = demote(state, kept, trigger="unused", reason=reason, now=now)
    # A part in level 1 is in use: its whole stays in level 2.
    busy = {item.name for item in items_at(state, 1)}
    for item in items_at(state, 2):
        idle = now - item.used_at
        if idle >= retention and item.name not in busy:
            state = archive(state, [item.name], trigger="unused", reason=f"unused for {_duration(idle)}", now=now)
    return state


def _duration(seconds: int) -> str:
    minutes = seconds // 60
    return plural(minutes, "minute") if minutes < 120 else plural(minutes // 60, "hour")
