"""State: what lies in levels 1 and 2 of a project, and what was counted; every step of it is a pure function.

A file may be in level 1 as a part or an outline and in level 2 as a whole. What is in neither is in the archive.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from recollect.hierarchy.model import Item, LevelUse, Moved, Task, Trigger
from recollect.hierarchy.policies import Policy
from recollect.model import Record

# Forms that hold less than all of a file.
REDUCED = ("part", "outline")
# The last moves that are kept: a day of work.
MAX_EVENTS = 200
# Names whose accesses are counted: more than anybody reads in the few minutes that count.
MAX_COUNTED = 500


class State(Record, frozen=True, kw_only=True):
    """All that is kept between two calls.

    accesses: by name the latest times it was read, oldest first
    level2_bytes: level 2 was widened to this; 0: it was not. retention_s: shortened to this; 0: it was not
    """

    profile: str = "standard"
    task: Task | None = None
    items: tuple[Item, ...] = ()
    accesses: dict[str, tuple[int, ...]] = {}  # noqa: RUF012 - msgspec makes a new one for each
    events: tuple[Moved, ...] = ()
    queries: int = 0
    hits: int = 0
    promotions: int = 0
    demotions: int = 0
    level2_bytes: int = 0
    retention_s: int = 0


def at(state: State, level: int) -> list[Item]:
    """Return what is in a level, as it was placed."""
    return [item for item in state.items if item.level == level]


def held(state: State, name: str) -> Item | None:
    """Return something by its name from the highest level that has it."""
    return min((item for item in state.items if item.name == name), key=lambda item: item.level, default=None)


def taken(state: State, level: int) -> tuple[int, int]:
    """Return how many bytes and tokens of a level are taken."""
    items = at(state, level)
    return sum(item.size_bytes for item in items), sum(item.tokens for item in items)


def uses(state: State, policy: Policy) -> tuple[LevelUse, ...]:
    """Return how full levels 1 and 2 are."""
    return tuple(
        LevelUse(
            level=level.number,
            name=level.name,
            items=len(at(state, level.number)),
            size_bytes=taken(state, level.number)[0],
            tokens=taken(state, level.number)[1],
            max_bytes=level.max_bytes,
            max_tokens=level.max_tokens,
        )
        for level in (policy.level1, policy.level2)
    )


# --- steps ---


def put(state: State, item: Item, *, trigger: Trigger, reason: str, now: int) -> State:
    """Put something into a level, in the place of what it had there before; a change of level is an event.

    What comes into level 1 whole leaves level 2; of a part or an outline the whole stays there.
    """
    before = held(state, item.name)
    state = without(state, item.name, item.level)
    if item.level == 1 and item.form not in REDUCED:
        state = without(state, item.name, 2)
    state = msgspec.structs.replace(state, items=(*state.items, item))
    from_level = 3 if before is None else before.level
    if from_level == item.level and (before is None or before.form == item.form):
        return state
    return noted(state, _moved(item.name, from_level, item.level, trigger, reason, now))


def beside(state: State, item: Item) -> State:
    """Put the whole of something into level 2 that is in level 1 in part: no move, it can be reached as before."""
    return msgspec.structs.replace(without(state, item.name, 2), items=(*without(state, item.name, 2).items, item))


def lower(state: State, item: Item, *, trigger: Trigger, reason: str, now: int) -> State:
    """Move something from level 1 to level 2, where it is `item`."""
    state = beside(without(state, item.name, 1), item)
    return noted(state, _moved(item.name, 1, 2, trigger, reason, now))


def without(state: State, name: str, level: int) -> State:
    """Return the state without what a level has of something."""
    items = tuple(item for item in state.items if item.name != name or item.level != level)
    return msgspec.structs.replace(state, items=items)


def archive(state: State, names: Iterable[str], *, trigger: Trigger, reason: str, now: int) -> State:
    """Take things out of levels 1 and 2: they are in the archive, as they always were."""
    for name in names:
        item = held(state, name)
        if item is not None:
            state = without(without(state, name, 1), name, 2)
            state = noted(state, _moved(name, item.level, 3, trigger, reason, now))
    return state


def read(state: State, name: str, *, now: int, window_s: int) -> State:
    """Count an access: the thing was used now, and so often within the window."""
    recent = (*(at for at in state.accesses.get(name, ()) if now - at <= window_s), now)
    others = {key: times for key, times in state.accesses.items() if key != name and now - times[-1] <= window_s}
    kept = dict(list(others.items())[-MAX_COUNTED + 1 :])
    items = tuple(msgspec.structs.replace(item, used_at=now) if item.name == name else item for item in state.items)
    return msgspec.structs.replace(state, items=items, accesses={**kept, name: recent})


def counted(state: State, name: str, *, now: int, window_s: int) -> int:
    """Return how often something was read within the window."""
    return sum(now - at <= window_s for at in state.accesses.get(name, ()))


def answered(state: State, *, hit: bool) -> State:
    """Count a look-up, and whether level 1 or 2 served it."""
    return msgspec.structs.replace(state, queries=state.queries + 1, hits=state.hits + hit)


def noted(state: State, event: Moved) -> State:
    """Add an event, and count it as what it is."""
    return msgspec.structs.replace(
        state,
        events=(*state.events, event),
        promotions=state.promotions + (event.to_level < event.from_level),
        demotions=state.demotions + (event.to_level > event.from_level),
    )


def _moved(name: str, from_level: int, to_level: int, trigger: Trigger, reason: str, now: int) -> Moved:
    return Moved(at=now, name=name, from_level=from_level, to_level=to_level, trigger=trigger, reason=reason)
