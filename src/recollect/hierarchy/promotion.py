"""Promotion: how items enter a level: on request, as a dependency, by frequent access, or for a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from recollect.engine import Sources
from recollect.errors import NotFound
from recollect.hierarchy.eviction import LARGE_SHARE
from recollect.hierarchy.file_forms import MEMORY, ItemForms, new_item, text_item
from recollect.hierarchy.model import Item, Trigger
from recollect.hierarchy.policies import Level, Policy
from recollect.hierarchy.window_state import (
    State,
    access_count,
    beside,
    count_access,
    demote,
    find_item,
    items_at,
    level_size,
    put,
    used,
)
from recollect.text.display import plural

# A requested file up to this share of level 2 is placed whole, a larger one in part.
ASKED_SHARE = 0.20
# The same for a dependency, in level 2 and in level 1.
USED_SHARE, USED_SHARE_1 = 0.05, 0.10
# Dependencies that are promoted with a file, those with most links.
DEPENDENCIES = 5


class WindowContext(NamedTuple):
    """The inputs of a call: files, their forms, the policy and the time."""

    sources: Sources
    forms: ItemForms
    policy: Policy
    now: int

    def named(self, text: str) -> str:
        """Return the name of a memory or the path of an indexed file. Raises NotFound."""
        return text.strip() if text.strip().startswith(MEMORY) else self.file(text)

    def file(self, text: str) -> str:
        """Return the path of the indexed file that a text names. Raises NotFound."""
        found = self.sources.meant(text) if isinstance(text, str) else None
        if found is None:
            hint = "Paths are relative to the project root. If the file is new, run `recollect index`."
            raise NotFound(f"{text} is not an indexed file of this project", hint=hint, path=str(text))
        return found


def fetched(state: State, context: WindowContext, name: str, *, trigger: Trigger = "asked", reason: str = "") -> State:
    """Promote an item and its dependencies to level 2; an item of level 1 stays there."""
    known = find_item(state, name)
    if known is None:
        item = _made(context, name, reason or "requested", context.policy.level2, ASKED_SHARE)
        state = put(state, item, trigger=trigger, reason=reason or "promoted by request", now=context.now)
    state = count_access(state, name, now=context.now, window_s=context.policy.promotion.access_window_s)
    return _with_used(state, context, name)


def opened(state: State, context: WindowContext, name: str) -> State:
    """Promote an edited file to level 1, with the definitions it uses if they fit."""
    state = _first(state, context, name, "asked", "being edited", is_pinned=True)
    state = count_access(state, name, now=context.now, window_s=context.policy.promotion.access_window_s)
    if name.startswith(MEMORY):
        return state
    for other, symbols in _used(context, name):
        if any(item.name == other for item in items_at(state, 1)):
            continue
        item = _made(context, other, f"used by {name}", context.policy.level1, USED_SHARE_1, symbols)
        size, tokens = level_size(state, 1)
        if context.policy.level1.fits(size + item.size_bytes, tokens + item.tokens):
            reason = f"{name} is being edited and uses {', '.join(symbols[:3]) or 'it'}"
            state = put(state, item, trigger="dependency", reason=reason, now=context.now)
            state = _whole_beside(state, context, item)
    return state


def accessed(state: State, context: WindowContext, name: str) -> State:
    """Count an access; promote dependencies to level 2, and the item to level 1 if it is frequent."""
    state = count_access(state, name, now=context.now, window_s=context.policy.promotion.access_window_s)
    return if_frequent(_with_used(state, context, name), context, name)


def if_frequent(state: State, context: WindowContext, name: str) -> State:
    """Promote an item to level 1 if it was read as often as the policy says."""
    rules = context.policy.promotion
    times = access_count(state, name, now=context.now, window_s=rules.access_window_s)
    if times < rules.access_threshold or any(item.name == name for item in items_at(state, 1)):
        return state
    minutes = rules.access_window_s // 60
    return _first(
        state, context, name, "frequent access", f"read {plural(times, 'time')} in {plural(minutes, 'minute')}"
    )


def filled(state: State, items: Sequence[Item], now: int) -> State:
    """Put the items of a task into their levels, the most likely first; nothing else of these files stays."""
    levels = {(item.name, item.level) for item in items}
    for item in items:
        known = find_item(state, item.name)
        if item.level == 1 or known is None or known.level == 2:
            state = put(state, item, trigger=_trigger(item), reason=item.why, now=now)
        elif (item.name, 1) in levels:
            state = beside(state, item)
        else:
            state = demote(state, item, trigger="task", reason=item.why, now=now)
    kept = tuple(item for item in state.items if item.form == "text" or (item.name, item.level) in levels)
    state = msgspec.structs.replace(state, items=kept)
    return used(state, *(item.name for item in reversed(items)))


def error(state: State, text: str, now: int) -> State:
    """Put the error of the current operation into level 1."""
    return put(state, text_item("error", text, "current error", now), trigger="task", reason="current error", now=now)


def _trigger(item: Item) -> Trigger:
    """Return the trigger of an item of a task, from its first reason."""
    words: tuple[tuple[str, Trigger], ...] = (
        ("search", "search"), ("used by", "dependency"), ("uses", "dependency"), ("tests", "dependency"),
    )  # fmt: skip
    return next((trigger for word, trigger in words if item.why.startswith(word)), "task")


def _first(
    state: State, context: WindowContext, name: str, trigger: Trigger, reason: str, *, is_pinned: bool = False
) -> State:
    item = _made(context, name, reason, context.policy.level1, LARGE_SHARE if not is_pinned else 1.0)
    item = msgspec.structs.replace(item, is_pinned=is_pinned)
    state = put(state, item, trigger=trigger, reason=reason, now=context.now)
    return _whole_beside(state, context, item)


def _whole_beside(state: State, context: WindowContext, item: Item) -> State:
    """Keep the whole of an item in level 2 that is in level 1 in part."""
    if item.form not in ("part", "outline"):
        return state
    return beside(state, _made(context, item.name, item.why, context.policy.level2, ASKED_SHARE))


def _with_used(state: State, context: WindowContext, name: str) -> State:
    """Promote the dependencies of a file to level 2, unless a level has them."""
    for other, symbols in _used(context, name):
        if find_item(state, other) is None:
            item = _made(context, other, f"used by {name}", context.policy.level2, USED_SHARE, symbols)
            reason = f"{name} was read and uses {', '.join(symbols[:3]) or 'it'}"
            state = put(state, item, trigger="dependency", reason=reason, now=context.now)
    return state


def _used(context: WindowContext, name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the files that a file uses most, with the used symbols; none for a memory."""
    if name.startswith(MEMORY):
        return []
    symbols = context.sources.used_symbols(name)
    most = [row.path for row in context.sources.uses(name)[:DEPENDENCIES]]
    there = [path for path in most if context.forms.made(new_item(path, 2, "", context.now), "whole", 2) is not None]
    return [(path, symbols.get(path, ())) for path in there]


def _made(
    context: WindowContext, name: str, why: str, level: Level, share: float, symbols: tuple[str, ...] = ()
) -> Item:
    """Return a new item of a level: whole if it is within its share, else a part."""
    number: Literal[1, 2] = 1 if level.number == 1 else 2
    most = int(level.code_bytes * share)
    draft = new_item(name, number, why, context.now, symbols=symbols)
    whole = context.forms.made(draft, "whole", number)
    if whole is None:
        raise NotFound(f"{name} no longer exists", hint="Run `recollect index`.", path=name)
    fits = whole.size_bytes <= most and level.fits(whole.size_bytes, whole.tokens)
    if fits or whole.form == "memory":
        return whole
    return context.forms.made(draft, "part", number, most) or whole
