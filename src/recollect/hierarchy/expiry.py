"""Expiry: what was not used for long moves down: from level 1 to level 2, from there to the archive."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from recollect.hierarchy.model import Item
from recollect.hierarchy.policies import Policy
from recollect.hierarchy.state import State, archive, at, lower
from recollect.text.display import plural

Whole = Callable[[Item], Item | None]


def expire(state: State, policy: Policy, whole: Whole, now: int) -> State:
    """Return the state without what was not used for as long as the policy says.

    A text that somebody set stays until it is replaced or the task is complete: the archive does not have it.
    whole: gives what is in level 1 as it would be in level 2, None if it is gone
    """
    retention = state.retention_s or policy.promotion.time_threshold
    for item in at(state, 1):
        idle = now - item.used_at
        if item.form == "text" or idle < policy.promotion.level1_threshold:
            continue
        reason = f"unused for {_words(idle)}"
        down = whole(item) if idle < retention else None
        if down is None:
            state = archive(state, [item.name], trigger="unused", reason=reason, now=now)
        else:
            kept = msgspec.structs.replace(down, used_at=item.used_at)
            state = lower(state, kept, trigger="unused", reason=reason, now=now)
    # What is in level 1 as a part is in use: the whole of it stays.
    busy = {item.name for item in at(state, 1)}
    for item in at(state, 2):
        idle = now - item.used_at
        if idle >= retention and item.name not in busy:
            state = archive(state, [item.name], trigger="unused", reason=f"unused for {_words(idle)}", now=now)
    return state


def _words(seconds: int) -> str:
    minutes = seconds // 60
    return plural(minutes, "minute") if minutes < 120 else plural(minutes // 60, "hour")
