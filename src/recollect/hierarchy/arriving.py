"""Arriving: how something comes into a level: asked for, used by what is there, read often, or placed for a task."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from recollect.engine.code.indexed_project import Sources
from recollect.errors import NotFound
from recollect.hierarchy.content import measured
from recollect.hierarchy.levels import Level
from recollect.hierarchy.model import Item, Trigger
from recollect.hierarchy.policies import Policy
from recollect.hierarchy.pressure import LARGE_SHARE
from recollect.hierarchy.shapes import MEMORY, Shapes
from recollect.hierarchy.state import State, at, beside, counted, held, put, read, taken
from recollect.text.display import plural

# A file that was asked for may take this share of level 2 whole; of a larger one what matters comes.
ASKED_SHARE = 0.20
# A file that only something else uses may take this share of level 2, and of level 1.
USED_SHARE, USED_SHARE_1 = 0.05, 0.10
# Files that come along because another one uses them, those with most links.
DEPENDENCIES = 5


class Desk(NamedTuple):
    """What one call works with: the files, their forms, the rules and the time."""

    sources: Sources
    shapes: Shapes
    policy: Policy
    now: int

    def named(self, text: str) -> str:
        """Return the name of what a text means: a memory, or the path of a file. Raises NotFound."""
        return text.strip() if text.strip().startswith(MEMORY) else self.file(text)

    def file(self, text: str) -> str:
        """Return the path of the indexed file that a text means. Raises NotFound."""
        found = self.sources.meant(text) if isinstance(text, str) else None
        if found is None:
            hint = "Paths are relative to the project root. If the file is new, run `recollect index`."
            raise NotFound(f"{text} is not an indexed file of this project", hint=hint, path=str(text))
        return found


def fetched(state: State, desk: Desk, name: str, *, trigger: Trigger = "asked", reason: str = "") -> State:
    """Bring something into level 2 that was asked for or found, and what it uses; in level 1 it stays there."""
    known = held(state, name)
    if known is None:
        item = _made(desk, name, reason or "requested", desk.policy.level2, ASKED_SHARE)
        state = put(state, item, trigger=trigger, reason=reason or "promoted by request", now=desk.now)
    state = read(state, name, now=desk.now, window_s=desk.policy.promotion.access_window_s)
    return _with_used(state, desk, name)


def opened(state: State, desk: Desk, name: str) -> State:
    """Bring a file into level 1 as what is being edited, with the definitions it uses as far as there is room."""
    state = _first(state, desk, name, "asked", "being edited", is_pinned=True)
    state = read(state, name, now=desk.now, window_s=desk.policy.promotion.access_window_s)
    if name.startswith(MEMORY):
        return state
    for other, symbols in _used(desk, name):
        if held(state, other) is not None and held(state, other) in at(state, 1):
            continue
        item = _made(desk, other, f"used by {name}", desk.policy.level1, USED_SHARE_1, symbols)
        size, tokens = taken(state, 1)
        if desk.policy.level1.fits(size + item.size_bytes, tokens + item.tokens):
            reason = f"{name} is being edited and uses {', '.join(symbols[:3]) or 'it'}"
            state = put(state, item, trigger="dependency", reason=reason, now=desk.now)
            state = _whole_beside(state, desk, item)
    return state


def accessed(state: State, desk: Desk, name: str) -> State:
    """Count that something was read: what it uses comes into level 2, itself into level 1 if it is read often."""
    state = read(state, name, now=desk.now, window_s=desk.policy.promotion.access_window_s)
    return if_frequent(_with_used(state, desk, name), desk, name)


def if_frequent(state: State, desk: Desk, name: str) -> State:
    """Bring something into level 1 that was read as often as the policy says."""
    rules = desk.policy.promotion
    times = counted(state, name, now=desk.now, window_s=rules.access_window_s)
    if times < rules.access_threshold or any(item.name == name for item in at(state, 1)):
        return state
    minutes = rules.access_window_s // 60
    return _first(state, desk, name, "frequent access", f"read {plural(times, 'time')} in {plural(minutes, 'minute')}")


def placed(state: State, item: Item, now: int) -> State:
    """Bring what was placed for a task into its level; the whole of a part comes beside it."""
    known = held(state, item.name)
    if item.level == 2 and known is not None and known.level == 1:
        return beside(state, item)
    return put(state, item, trigger=_trigger(item), reason=item.why, now=now)


def error(state: State, text: str, now: int) -> State:
    """Put the error of the current operation into level 1."""
    size = measured(text)
    item = Item(
        name="error",
        level=1,
        form="text",
        size_bytes=size.size_bytes,
        tokens=size.tokens,
        why="current error",
        placed_at=now,
        used_at=now,
        text=text,
    )
    return put(state, item, trigger="task", reason="current error", now=now)


def _trigger(item: Item) -> Trigger:
    """Return what brought something in for a task: what speaks most for it stands first."""
    words: tuple[tuple[str, Trigger], ...] = (
        ("search", "search"), ("used by", "dependency"), ("uses", "dependency"), ("tests", "dependency"),
    )  # fmt: skip
    return next((trigger for word, trigger in words if item.why.startswith(word)), "task")


def _first(state: State, desk: Desk, name: str, trigger: Trigger, reason: str, *, is_pinned: bool = False) -> State:
    item = _made(desk, name, reason, desk.policy.level1, LARGE_SHARE if not is_pinned else 1.0)
    item = msgspec.structs.replace(item, is_pinned=is_pinned)
    state = put(state, item, trigger=trigger, reason=reason, now=desk.now)
    return _whole_beside(state, desk, item)


def _whole_beside(state: State, desk: Desk, item: Item) -> State:
    """Keep the whole of something in level 2 that is in level 1 in part."""
    if item.form not in ("part", "outline"):
        return state
    return beside(state, _made(desk, item.name, item.why, desk.policy.level2, ASKED_SHARE))


def _with_used(state: State, desk: Desk, name: str) -> State:
    """Bring what a file uses into level 2, where it is not at hand yet."""
    for other, symbols in _used(desk, name):
        if held(state, other) is None:
            item = _made(desk, other, f"used by {name}", desk.policy.level2, USED_SHARE, symbols)
            reason = f"{name} was read and uses {', '.join(symbols[:3]) or 'it'}"
            state = put(state, item, trigger="dependency", reason=reason, now=desk.now)
    return state


def _used(desk: Desk, name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the files that a file uses most, with the symbols of theirs that it uses; of a memory nothing."""
    if name.startswith(MEMORY):
        return []
    symbols = desk.sources.used_symbols(name)
    most = [row.path for row in desk.sources.uses(name)[:DEPENDENCIES]]
    return [(path, symbols.get(path, ())) for path in most if _is_there(desk, path)]


def _is_there(desk: Desk, path: str) -> bool:
    try:
        desk.shapes.text(path)
    except NotFound:
        return False
    return True


def _made(desk: Desk, name: str, why: str, level: Level, share: float, symbols: tuple[str, ...] = ()) -> Item:
    """Return something as it comes into a level: whole if it takes no more than its share, else what matters of it."""
    number: Literal[1, 2] = 1 if level.number == 1 else 2
    most = int((level.max_bytes or 0) * share)
    draft = Item(
        name=name,
        level=number,
        form="whole",
        size_bytes=0,
        tokens=0,
        why=why,
        placed_at=desk.now,
        used_at=desk.now,
        symbols=symbols,
    )
    whole = desk.shapes.made(draft, "whole", number)
    if whole is None:
        raise NotFound(f"{name} no longer exists", hint="Run `recollect index`.", path=name)
    fits = whole.size_bytes <= most and level.fits(whole.size_bytes, whole.tokens)
    if fits or whole.form == "memory":
        return whole
    return desk.shapes.made(draft, "part", number, most) or whole
