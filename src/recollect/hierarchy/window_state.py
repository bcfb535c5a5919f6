"""State of a context window: the items of levels 1 and 2, accesses and events; how it changes and is stored.

A file may be in level 1 as a part or an outline, and in level 2 as a whole or with further lines. All else is archived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from recollect.engine import Documents
from recollect.errors import Conflict, StoreCorrupt
from recollect.hierarchy.model import Item, LevelUse, Moved, Task, Trigger
from recollect.hierarchy.policies import Policy
from recollect.model import Record

# Forms that hold only a part of a file.
REDUCED = ("part", "outline")
# Events that are stored: about a day of work.
MAX_EVENTS = 200
# Names whose accesses are counted: more than are read within the access window.
MAX_COUNTED = 500
# How often a change is retried because another process wrote first.
TRIES = 20


class State(Record, frozen=True, kw_only=True):
    """The stored state of one window.

    accesses: the latest times of access by name, oldest first. recent: names of items, the last used one last
    level2_bytes: size of level 2 if it was widened, else 0. retention_s: retention if it was shortened, else 0
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
    recent: tuple[str, ...] = ()


def items_at(state: State, level: int) -> list[Item]:
    """Return the items of a level in the order of their placement."""
    return [item for item in state.items if item.level == level]


def find_item(state: State, name: str) -> Item | None:
    """Return an item by name from the highest level that has it."""
    return min((item for item in state.items if item.name == name), key=lambda item: item.level, default=None)


def level_size(state: State, level: int) -> tuple[int, int]:
    """Return the used bytes and tokens of a level."""
    items = items_at(state, level)
    return sum(item.size_bytes for item in items), sum(item.tokens for item in items)


def level_uses(state: State, policy: Policy) -> tuple[LevelUse, ...]:
    """Return the use of levels 1 and 2."""
    return tuple(
        level_use(policy, number, len(items_at(state, number)), *level_size(state, number)) for number in (1, 2)
    )


def level_use(policy: Policy, number: int, items: int, size_bytes: int, tokens: int) -> LevelUse:
    """Return the use of a level beside its budget."""
    level = policy.level(number)
    return LevelUse(
        level=number,
        name=level.name,
        items=items,
        size_bytes=size_bytes,
        tokens=tokens,
        max_bytes=level.max_bytes,
        max_tokens=level.max_tokens,
    )


# --- steps ---


def put(state: State, item: Item, *, trigger: Trigger, reason: str, now: int) -> State:
    """Put an item into a level, replacing its earlier form there; a change of level is an event.

    A whole file in level 1 leaves level 2; beside a part or an outline the whole stays in level 2.
    """
    before = find_item(state, item.name)
    state = without(state, item.name, item.level)
    if item.level == 1 and item.form not in REDUCED:
        state = without(state, item.name, 2)
    state = used(msgspec.structs.replace(state, items=(*state.items, item)), item.name)
    from_level = 3 if before is None else before.level
    if from_level == item.level and (before is None or before.form == item.form):
        return state
    return _moved(state, item.name, from_level, item.level, trigger, reason, now)


def used(state: State, *names: str) -> State:
    """Return the state with these names as the last used ones, in their order."""
    known = {item.name for item in state.items}
    kept = tuple(name for name in state.recent if name not in names and name in known)
    return msgspec.structs.replace(state, recent=(*kept, *names))


def oldest(state: State, items: Sequence[Item]) -> Item | None:
    """Return the least recently used item, by the order of use: several are used within a second.

    Of items that were placed together and not used since it is the last, the least likely.
    """
    order = {name: number for number, name in enumerate(state.recent)}
    place = {id(item): number for number, item in enumerate(items)}
    return min(items, key=lambda item: (order.get(item.name, -1), item.used_at, -place[id(item)]), default=None)


def beside(state: State, item: Item) -> State:
    """Put the whole of an item into level 2 that is in level 1 in part; this is no move."""
    state = without(state, item.name, 2)
    return msgspec.structs.replace(state, items=(*state.items, item))


def demote(state: State, item: Item, *, trigger: Trigger, reason: str, now: int) -> State:
    """Move an item from level 1 to level 2, in the form given."""
    state = beside(without(state, item.name, 1), item)
    return _moved(state, item.name, 1, 2, trigger, reason, now)


def without(state: State, name: str, level: int) -> State:
    """Return the state without an item of a level."""
    items = tuple(item for item in state.items if item.name != name or item.level != level)
    return msgspec.structs.replace(state, items=items)


def archive(state: State, names: Iterable[str], *, trigger: Trigger, reason: str, now: int) -> State:
    """Remove items from levels 1 and 2; the archive has them anyway."""
    for name in names:
        item = find_item(state, name)
        if item is not None:
            state = without(without(state, name, 1), name, 2)
            state = _moved(state, name, item.level, 3, trigger, reason, now)
    return state


def count_access(state: State, name: str, *, now: int, window_s: int) -> State:
    """Count an access of an item, and forget those before the access window."""
    recent = (*(at for at in state.accesses.get(name, ()) if now - at <= window_s), now)
    others = {key: times for key, times in state.accesses.items() if key != name and now - times[-1] <= window_s}
    kept = dict(list(others.items())[-MAX_COUNTED + 1 :])
    items = tuple(msgspec.structs.replace(item, used_at=now) if item.name == name else item for item in state.items)
    state = msgspec.structs.replace(state, items=items, accesses={**kept, name: recent})
    return used(state, name) if find_item(state, name) is not None else state


def access_count(state: State, name: str, *, now: int, window_s: int) -> int:
    """Return the number of accesses within the access window."""
    return sum(now - at <= window_s for at in state.accesses.get(name, ()))


def count_lookup(state: State, *, hit: bool) -> State:
    """Count a look-up, and whether level 1 or 2 served it."""
    return msgspec.structs.replace(state, queries=state.queries + 1, hits=state.hits + hit)


def _moved(state: State, name: str, from_level: int, to_level: int, trigger: Trigger, reason: str, now: int) -> State:
    """Add an event, and count it as a promotion or demotion."""
    event = Moved(at=now, name=name, from_level=from_level, to_level=to_level, trigger=trigger, reason=reason)
    return msgspec.structs.replace(
        state,
        events=(*state.events, event),
        promotions=state.promotions + (to_level < from_level),
        demotions=state.demotions + (to_level > from_level),
    )


# --- storage ---


class Changed(NamedTuple):
    """A stored state, and the moves that led to it."""

    state: State
    moved: tuple[Moved, ...]


class WindowStore:
    """The stored state of one window, changed by one process at a time."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def read(self) -> State:
        """Return the stored state. Raises StoreCorrupt."""
        return self._decoded(self._documents.read("hierarchy"))

    def change(self, step: Callable[[State], State]) -> Changed:
        """Apply a step to the stored state and add its moves to the events.

        Raises Conflict if other processes keep changing it.
        """
        for _ in range(TRIES):
            text = self._documents.read("hierarchy")
            before = self._decoded(text)
            after = step(msgspec.structs.replace(before, events=()))
            moved = after.events
            kept = msgspec.structs.replace(after, events=(*before.events, *moved)[-MAX_EVENTS:])
            if kept == before or self._documents.swap("hierarchy", text, msgspec.json.encode(kept).decode()):
                return Changed(kept, moved)
        raise Conflict("other processes keep changing the context window", hint="Try again.")

    def _decoded(self, text: str | None) -> State:
        if not text:
            return State()
        try:
            return msgspec.json.decode(text, type=State)
        except msgspec.DecodeError as problem:
            hint = "Run `recollect window complete` to reset it."
            raise StoreCorrupt(f"the stored context window cannot be read ({problem})", hint=hint) from None

    def forget(self) -> None:
        """Reset the stored state."""
        text = self._documents.read("hierarchy")
        if text:
            self._documents.swap("hierarchy", text, "")
