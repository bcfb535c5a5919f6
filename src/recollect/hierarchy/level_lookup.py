"""Look-up in levels 1 and 2, then by level 4 in level 3; found items are promoted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from recollect.engine import tokens
from recollect.errors import NotFound
from recollect.hierarchy.file_forms import MEMORY, part, shortened
from recollect.hierarchy.global_knowledge import Knowledge
from recollect.hierarchy.model import Form, FoundItem, Item
from recollect.hierarchy.promotion import WindowContext, accessed, fetched, if_frequent
from recollect.hierarchy.window_state import State, count_lookup, find_item, items_at

# Maximum size of a file in the answer to a question; files requested by name are shown in full.
SHOWN_BYTES = 8_000
# Maximum number of files in the answer to a question.
ANSWERS = 3

_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[\w$]+)*(?:\(\))?")
NO_MATCH = "no match in levels 1, 2 and 4; it may not be indexed"


class Lookup(NamedTuple):
    """The answers of a look-up, the levels it asked, and the step that counts and promotes."""

    found: list[FoundItem]
    asked: tuple[int, ...]
    served_by: int
    step: Callable[[State], State]
    notes: tuple[str, ...] = ()


def look_up(state: State, context: WindowContext, knowledge: Knowledge, query: str) -> Lookup:
    """Return the answers to a path, name or question from the first level that has one."""
    name = _named(context, state, query)
    for level in (1, 2):
        item = _in_level(state, context, level, name, query)
        if item is not None:
            return _from_level(state, context, item, tuple(range(1, level + 1)))
    if name is not None:
        return _fetched(context, name)
    return _by_question(state, context, knowledge, query)


def _named(context: WindowContext, state: State, query: str) -> str | None:
    """Return the name in a query: an item, a memory or an indexed file."""
    text = query.strip()
    if find_item(state, text) is not None or text.startswith(MEMORY):
        return text
    return context.sources.meant(text) if "\n" not in text else None


def _in_level(state: State, context: WindowContext, level: int, name: str | None, query: str) -> Item | None:
    """Return the item of a level with a name, or the file that defines a symbol of this name."""
    items = items_at(state, level)
    if name is not None:
        found = next((item for item in items if item.name == name), None)
        # A query for a file wants the whole in level 2, not the part in level 1.
        is_part = found is not None and found.form in ("part", "outline")
        return None if is_part and any(item.name == name for item in items_at(state, 2)) and level == 1 else found
    if not _NAME.fullmatch(query.strip()):
        return None
    wanted = re.split(r"\.|::|#", query.strip().removesuffix("()"))
    return next((item for item in items if _defines(context, item, wanted)), None)


def _defines(context: WindowContext, item: Item, wanted: list[str]) -> bool:
    for row in context.sources.symbols(item.name):
        if row.name == wanted[-1] and re.split(r"\.|::|#", row.qualified)[-len(wanted) :] == wanted:
            return True
    return False


def _from_level(state: State, context: WindowContext, item: Item, asked: tuple[int, ...]) -> Lookup:
    text = context.forms.joined(find_item(state, item.name) or item, item)
    found = _found(item.name, item.level, item.form, text, item.why)

    def step(state: State) -> State:
        return count_lookup(accessed(state, context, item.name), hit=True)

    return Lookup([found], asked, item.level, step)


def _fetched(context: WindowContext, name: str) -> Lookup:
    found = _found(name, 3, "whole", context.forms.text(name), "name match in level 3")

    def step(state: State) -> State:
        after = fetched(state, context, name, trigger="search", reason="looked up by name")
        return count_lookup(if_frequent(after, context, name), hit=False)

    return Lookup([found], (1, 2, 4, 3), 3, step)


def _by_question(state: State, context: WindowContext, knowledge: Knowledge, query: str) -> Lookup:
    """Find the files of a question by level 4 and fetch them from level 3."""
    root = context.sources.tree.root if context.sources.tree is not None else ""
    hits = [hit for hit in knowledge.places(query, 2 * ANSWERS) if hit.root == root][:ANSWERS]
    found: list[FoundItem] = []
    reasons: dict[str, str] = {}
    for hit in hits:
        try:
            rows, text = context.sources.symbols(hit.path), context.forms.text(hit.path)
        except NotFound:
            continue  # deleted since it was indexed
        shown = part(text, rows, (hit.symbol,), SHOWN_BYTES).text if len(text) > SHOWN_BYTES else text
        known = find_item(state, hit.path)
        level = 3 if known is None else known.level
        found.append(_found(hit.path, level, "whole" if shown == text else "part", shown, hit.reason))
        reasons[hit.path] = f"found for “{shortened(query, 60)}”: {hit.reason}"
    if not found:
        return Lookup([], (1, 2, 4), 0, lambda state: count_lookup(state, hit=False), (NO_MATCH,))
    served = found[0].level

    def step(state: State) -> State:
        for row in reversed(found):
            state = fetched(state, context, row.name, trigger="search", reason=reasons[row.name])
            state = if_frequent(state, context, row.name)
        return count_lookup(state, hit=served < 3)

    return Lookup(found, (1, 2, 4, 3) if served == 3 else (1, 2, 4), served, step)


def _found(name: str, level: int, form: Form, text: str, why: str) -> FoundItem:
    return FoundItem(name=name, level=level, form=form, text=text, tokens=tokens(text), why=why)
