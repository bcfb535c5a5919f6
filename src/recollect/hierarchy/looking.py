"""Looking something up: level 1, level 2, then level 4 says where in level 3 it is; that is fetched and promoted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from recollect.errors import NotFound
from recollect.hierarchy.arriving import Desk, accessed, fetched, if_frequent
from recollect.hierarchy.content import measured, part
from recollect.hierarchy.knowledge import Knowledge
from recollect.hierarchy.model import FoundItem, Item
from recollect.hierarchy.shapes import MEMORY
from recollect.hierarchy.state import State, answered, at, held

# Of a file that a question led to, what matters is shown: so much of it. A file that was asked for by name is shown
# as it is in its level.
SHOWN_BYTES = 8_000
# Files that a question leads to, and how many of them are fetched from level 3.
ANSWERS = 3

_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[\w$]+)*(?:\(\))?")


class Looking(NamedTuple):
    """What a look-up found, which levels were asked, and the step that counts it and moves what was found."""

    found: list[FoundItem]
    asked: tuple[int, ...]
    served_by: int
    step: Callable[[State], State]
    notes: tuple[str, ...] = ()


def look_up(state: State, desk: Desk, knowledge: Knowledge, query: str) -> Looking:
    """Return what a path, a name or a question means, from the first level that has it."""
    name = _named(desk, state, query)
    for level in (1, 2):
        item = _in_level(state, desk, level, name, query)
        if item is not None:
            return _at_hand(desk, item, tuple(range(1, level + 1)))
    if name is not None:
        return _fetched(desk, name)
    return _by_question(state, desk, knowledge, query)


def _named(desk: Desk, state: State, query: str) -> str | None:
    """Return what a query names: something at hand, a memory, or an indexed file."""
    text = query.strip()
    if held(state, text) is not None or text.startswith(MEMORY):
        return text
    return desk.sources.meant(text) if "\n" not in text else None


def _in_level(state: State, desk: Desk, level: int, name: str | None, query: str) -> Item | None:
    """Return what a level has under a name, or the file in it that defines a symbol of this name."""
    items = at(state, level)
    if name is not None:
        found = next((item for item in items if item.name == name), None)
        # The whole of a file is in level 2 where level 1 has a part of it: who asks for the file wants that.
        is_part = found is not None and found.form in ("part", "outline")
        return None if is_part and any(item.name == name for item in at(state, 2)) and level == 1 else found
    if not _NAME.fullmatch(query.strip()):
        return None
    wanted = re.split(r"\.|::|#", query.strip().removesuffix("()"))
    return next((item for item in items if _defines(desk, item, wanted)), None)


def _defines(desk: Desk, item: Item, wanted: list[str]) -> bool:
    for row in desk.sources.symbols(item.name):
        if row.name == wanted[-1] and re.split(r"\.|::|#", row.qualified)[-len(wanted) :] == wanted:
            return True
    return False


def _at_hand(desk: Desk, item: Item, asked: tuple[int, ...]) -> Looking:
    text = desk.shapes.shown(item)
    found = FoundItem(
        name=item.name, level=item.level, form=item.form, text=text, tokens=measured(text).tokens, why=item.why
    )

    def step(state: State) -> State:
        return answered(accessed(state, desk, item.name), hit=True)

    return Looking([found], asked, item.level, step)


def _fetched(desk: Desk, name: str) -> Looking:
    text = desk.shapes.text(name)
    why = "name match in level 3"
    found = FoundItem(name=name, level=3, form="whole", text=text, tokens=measured(text).tokens, why=why)

    def step(state: State) -> State:
        after = fetched(state, desk, name, trigger="search", reason="looked up by name")
        return answered(if_frequent(after, desk, name), hit=False)

    return Looking([found], (1, 2, 4, 3), 3, step)


def _by_question(state: State, desk: Desk, knowledge: Knowledge, query: str) -> Looking:
    """Ask level 4 where a question leads, and fetch that from level 3 where it is not at hand."""
    root = desk.sources.tree.root if desk.sources.tree is not None else ""
    hits = [hit for hit in knowledge.places(query, 2 * ANSWERS) if hit.root == root][:ANSWERS]
    found: list[FoundItem] = []
    reasons: dict[str, str] = {}
    for hit in hits:
        try:
            rows, text = desk.sources.symbols(hit.path), desk.shapes.text(hit.path)
        except NotFound:
            continue  # deleted since it was indexed
        shown = part(text, rows, (hit.symbol,), SHOWN_BYTES) if len(text) > SHOWN_BYTES else measured(text)
        known = held(state, hit.path)
        level = 3 if known is None else known.level
        form = "whole" if shown.text == text else "part"
        found.append(
            FoundItem(name=hit.path, level=level, form=form, text=shown.text, tokens=shown.tokens, why=hit.reason)  # type: ignore[arg-type]
        )
        reasons[hit.path] = f"found for “{_short(query)}”: {hit.reason}"
    if not found:
        return Looking([], (1, 2, 4), 0, lambda state: answered(state, hit=False), (NOTHING,))
    served = found[0].level

    def step(state: State) -> State:
        for row in reversed(found):
            state = fetched(state, desk, row.name, trigger="search", reason=reasons[row.name])
            state = if_frequent(state, desk, row.name)
        return answered(state, hit=served < 3)

    return Looking(found, (1, 2, 4, 3) if served == 3 else (1, 2, 4), served, step)


NOTHING = "no match in levels 1, 2 and 4; it may not be indexed"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else flat[:59] + "…"
