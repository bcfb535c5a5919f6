"""Eviction: make room in a full level, and demote unused items. The policy selects the steps and their order.

level 1   split, spill, compress       level 2   move_oldest, widen, shorten
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal, NamedTuple

import msgspec

from recollect.hierarchy.file_forms import ItemForms
from recollect.hierarchy.model import Item
from recollect.hierarchy.policies import TOKENS_PER_BYTE, Policy, level
from recollect.hierarchy.window_state import State, archive, beside, demote, items_at, level_size, oldest, put
from recollect.text.display import plural

# A file above this share of a level is large: it is split, and its part has at most this share.
LARGE_SHARE = 0.25
LEAST_USED, GONE = "level {} is full; least recently used", "the file no longer exists"


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
    free = [item for item in _files(state, 1) if not item.is_pinned and item.name not in context.kept]
    return _demoted(state, context, oldest(state, free), LEAST_USED.format(1))


def _force(state: State, context: EvictionContext) -> State | None:
    """Demote pinned items, too, oldest first; then the requested one, which alone is too large."""
    older = oldest(state, [item for item in _files(state, 1) if item.name not in context.kept])
    if older is not None:
        return _demoted(state, context, older, LEAST_USED.format(1))
    return _demoted(state, context, _largest(_files(state, 1)), "too large for level 1")


def _files(state: State, number: int) -> list[Item]:
    return [item for item in items_at(state, number) if item.form != "text"]


def _largest(items: list[Item]) -> Item | None:
    return max(items, key=lambda item: item.size_bytes, default=None)


def _demoted(state: State, context: EvictionContext, item: Item | None, reason: str) -> State | None:
    if item is None:
        return None
    whole = context.forms.made(item, "whole", 2)
    if whole is None:
        return archive(state, [item.name], trigger="space", reason=f"{reason}; {GONE}", now=context.now)
    return demote(state, whole, trigger="space", reason=reason, now=context.now)


def _split(state: State, context: EvictionContext) -> State | None:
    most = int(context.policy.level1.code_bytes * LARGE_SHARE)
    item = _largest([item for item in items_at(state, 1) if item.form == "whole" and item.size_bytes > most])
    return _reduced(state, context, item, "part", most)


def _compress(state: State, context: EvictionContext) -> State | None:
    files = [item for item in items_at(state, 1) if item.form in ("whole", "part")]
    item = max(files, key=lambda item: (not item.is_pinned, item.size_bytes), default=None)
    return _reduced(state, context, item, "outline")


def _reduced(
    state: State, context: EvictionContext, item: Item | None, form: Literal["part", "outline"], most: int = 0
) -> State | None:
    if item is None:
        return None
    less = context.forms.made(item, form, item.level, most)
    whole = context.forms.made(item, "whole", 2)
    if less is None or whole is None:
        return archive(state, [item.name], trigger="space", reason=GONE, now=context.now)
    kept = "an excerpt" if form == "part" else "the outline"
    reason = f"level 1 is full; {kept} stays, the whole file is in level 2"
    return beside(put(state, less, trigger="space", reason=reason, now=context.now), whole)


# --- level 2 ---


def _move_oldest(state: State, context: EvictionContext) -> State | None:
    item = oldest(state, [item for item in items_at(state, 2) if item.name not in context.kept])
    return None if item is None else _out(state, context, item, LEAST_USED.format(2))


def _evict(state: State, context: EvictionContext) -> State | None:
    largest = _largest(items_at(state, 2))
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


RELIEF1: dict[str, Step] = {"spill": _spill, "split": _split, "compress": _compress, "force": _force}
RELIEF2: dict[str, Step] = {"move_oldest": _move_oldest, "widen": _widen, "shorten": _shorten, "force": _evict}


# --- unused items ---


def expire(state: State, policy: Policy, forms: ItemForms, now: int) -> State:
    """Return the state without items that are unused for as long as the policy says.

    A text stays until it is replaced or the task is complete: the archive does not have it.
    """
    retention = state.retention_s or policy.promotion.time_threshold
    for item in items_at(state, 1):
        idle = now - item.used_at
        if item.form == "text" or idle < policy.promotion.level1_threshold:
            continue
        reason = f"unused for {_duration(idle)}"
        down = forms.made(item, "whole", 2) if idle < retention else None
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
