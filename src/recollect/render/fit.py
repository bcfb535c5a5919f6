"""Answers within a token budget: long texts are cut first, items are left out last.

Text blocks and brief data are cut by the same two numbers: the characters of a text and the items of a list. `fit`
finds the largest that stay within the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from recollect.render.block import Block, Entry, Fact, Facts, Grid, Line, Listing, Quote, omission
from recollect.render.untrusted import clip
from recollect.text.token_count import tokens

T = TypeVar("T")

# A text is not cut below two lines of a terminal.
LEAST_CHARACTERS = 160
# No item of a list is cheaper, so more than fit the budget are not tried.
LEAST_ITEM_TOKENS = 8
# Blocks that are always shown: a head, notes, sections.
LEAST_BLOCKS = 6
# A head, a note, an id: about a hundred tokens.
LINE_CHARACTERS = 400
# The data notice and the braces around structured content.
SURROUNDING_TOKENS = 24
UNBOUNDED = 2**62
# Precision of the search for the longest texts that fit, in characters.
STEP = 24


class Cut:
    """Cuts texts and lists to two numbers, and counts what it left out."""

    def __init__(self, characters: int, items: int) -> None:
        self.characters = characters
        self.items = items
        self.dropped = 0
        self.shortened = False
        self.is_tight = False  # more characters would show more

    def text(self, text: str, focus: int = 0) -> str:
        """Return a text, or a part of it with ellipses: from `focus` on, or earlier if there is room."""
        if len(text) <= self.characters:
            return text
        self.shortened = self.is_tight = True
        start = max(0, min(focus, len(text) - self.characters))
        part = text[start : start + self.characters].strip()
        return ("… " if start else "") + part + (" …" if start + self.characters < len(text) else "")

    def short(self, text: str) -> str:
        """Return a line, cut to the length of a paragraph."""
        self.is_tight = self.is_tight or self.characters < min(len(text), LINE_CHARACTERS)
        return clip(text, min(self.characters, LINE_CHARACTERS))

    def facts(self, rows: tuple[Fact, ...]) -> tuple[Fact, ...]:
        return tuple((self.short(label), self.text(value)) for label, value in self.some(rows))

    def quote(self, quote: Quote) -> Quote:
        shown = self.text(quote.text, quote.focus)
        self.shortened = self.shortened or quote.omitted > 0
        omitted = quote.omitted + max(0, len(quote.text) - len(shown))
        return quote._replace(head=self.short(quote.head), facts=self.facts(quote.facts), text=shown, omitted=omitted)

    def entry(self, entry: Entry) -> Entry:
        return Entry(self.short(entry.id), self.short(entry.head), self.text(entry.text))

    def some(self, items: list[Any] | tuple[Any, ...]) -> list[Any]:
        """Return the first items of a list."""
        self.dropped += max(0, len(items) - self.items)
        return list(items[: self.items])

    def note(self, how: str) -> str:
        """Return what was left out and how to get it; empty if nothing was."""
        parts = [f"{self.dropped:,} more"] if self.dropped else []
        parts += ["long texts are cut"] if self.shortened else []
        said = ", ".join(parts)
        return f"{said[:1].upper()}{said[1:]}: {how}." if said else ""


def fit(make: Callable[[Cut], T], cost: Callable[[T], int], budget: int) -> T:
    """Return the result of `make` with the longest texts, else with the most items, within the budget.

    It starts with short texts and doubles them, so that the work depends on the budget and not on the answer.
    """
    most = max(1, budget // LEAST_ITEM_TOKENS)

    def tried(characters: int, items: int) -> tuple[T, Cut, bool]:
        cut = Cut(characters, items)
        made = make(cut)
        return made, cut, cost(made) <= budget

    low, high = LEAST_CHARACTERS, 2 * LEAST_CHARACTERS
    made, cut, fits = tried(low, most)
    if not fits:
        items = _largest(1, most, 1, lambda number: tried(low, number)[2])
        return tried(low, items)[0]
    while cut.is_tight:
        longer, cut, fits = tried(high, most)
        if not fits:
            return tried(_largest(low, high, STEP, lambda number: tried(number, most)[2]), most)[0]
        made, low, high = longer, high, 2 * high
    return made


def _largest(low: int, high: int, step: int, fits: Callable[[int], bool]) -> int:
    """Return about the largest number that fits, by bisection; `low` must fit and `high` must not."""
    while high - low > step:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def cut_blocks(blocks: Sequence[Block], cut: Cut, how: str) -> list[Block]:
    """Return the blocks cut; a last line says what was left out."""
    shown: list[Block] = []
    quotes = 0
    for block in blocks:
        quotes += isinstance(block, Quote)
        # The blocks about an omitted text are omitted, too.
        if len(shown) >= LEAST_BLOCKS + 2 * cut.items or (quotes > cut.items and not isinstance(block, Line)):
            cut.dropped += isinstance(block, Quote) or len(getattr(block, "entries", ()))
        else:
            shown.append(_cut_block(block, cut))
    note = cut.note(how)
    return [*shown, Line(note)] if note else shown


def _cut_block(block: Block, cut: Cut) -> Block:
    if isinstance(block, Quote):
        return cut.quote(block)
    if isinstance(block, Listing):
        return Listing(tuple(map(cut.entry, cut.some(block.entries))))
    if isinstance(block, Grid):
        rows = tuple(tuple(map(cut.short, row)) for row in cut.some(block.rows))
        return block._replace(rows=rows, tones=block.tones[: len(rows)])
    if isinstance(block, Facts):
        return block._replace(rows=cut.facts(block.rows))
    return block._replace(text=cut.short(block.text))


def cut_data(value: Any, cut: Cut) -> Any:
    """Return brief data cut, with quotes and entries as one text each."""
    if isinstance(value, Quote):
        quote = cut.quote(value)
        about = "; ".join([part for part in (quote.head, *(f"{label} {fact}" for label, fact in quote.facts)) if part])
        return f"{about}: {quote.text}{omission(quote)}" if about else quote.text + omission(quote)
    if isinstance(value, Entry):
        return "  ".join(part for part in cut.entry(value) if part)
    if isinstance(value, str):
        return cut.text(value)
    if isinstance(value, dict):
        return {cut.short(key): cut_data(value[key], cut) for key in cut.some(list(value))}
    return [cut_data(item, cut) for item in cut.some(value)] if isinstance(value, list | tuple) else value


def fit_data(data: dict[str, Any], budget: int, how: str) -> dict[str, Any]:
    """Return data within a budget of tokens as JSON; `more` says what was left out. 0: no budget."""

    def made(cut: Cut) -> dict[str, Any]:
        shown: dict[str, Any] = cut_data(data, cut)
        return {**shown, **({"more": note} if (note := cut.note(how)) else {})}

    if not budget:
        return made(Cut(UNBOUNDED, UNBOUNDED))
    # The surface adds a few tokens around it.
    return fit(made, lambda shown: tokens(msgspec.json.encode(shown).decode()) + SURROUNDING_TOKENS, budget)
