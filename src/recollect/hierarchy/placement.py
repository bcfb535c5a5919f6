"""Placement: candidates become items of levels 1 and 2, as long as they are worth their tokens.

level 1   named files, whole if they fit; the definitions they use; then the best lines of the most likely candidates
level 2   further lines of these, other candidates, and the whole of a named file that is only in part in level 1

A small file is placed whole, a larger one in part: the pieces that match the task.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from copy import copy
from itertools import islice
from typing import Literal, NamedTuple

from recollect.engine import Sources
from recollect.hierarchy.file_forms import MARK_BYTES, MEMORY, ItemForms, new_item
from recollect.hierarchy.model import Item
from recollect.hierarchy.policies import ESTIMATED_PER_BYTE, Level, Policy
from recollect.hierarchy.task_candidates import Candidate, Found

# The size of a part that counts as half a file, code and tests: the best of those tried on seen commits. Of 114 files
# above 2.5 KB, parts of 2.5, 4, 6 and 9 KB hold a changed line in 76, 82, 93 and 95 % of code, 58, 65, 70 and 73 % of
# tests.
HALF_BYTES, HALF_BYTES_TEST = 800, 3_500
# The least price of room: how many needed files a level 2 full of bytes at this price brings. It rises until everything
# that is worth it fits, in both levels and then in level 1. For a task of one line about texts a file has to be ten
# times as certain.
PRICE, TEXT_TIMES = 0.35, 10
# The highest price, as a multiple of the least, and the steps in which one is found.
MOST_TIMES, PRICE_STEPS = 1_000, 16
# Tokens of a byte that may be filled, at first; and the share of the room from which on it counts as full.
TYPICAL_PER_BYTE, FULL = 0.385, 0.96
# The least useful part of a file; and no file counts as smaller than this: its name and reason take room, too.
LEAST_PART, LEAST_BYTES = 1_000, 750
# The share of both levels that a task fills, and a task about texts; the rest is for what is looked up in its course.
MOST_FILLED, MOST_TEXT = 0.36, 0.08
# Definitions that a named file uses: how many files, and the share of level 1 for each.
DEPENDENCIES, USED_SHARE = 5, 0.10
# Symbols of a file that are preferred in a part: those that the task names, then those found first.
MOST_SYMBOLS = 12
# The largest share of level 2 for memories.
MEMORY_SHARE = 0.05

_WORD = re.compile(r"[A-Za-z_]\w{2,}")


class Placed(NamedTuple):
    """The placed items, best first, and the paths that did not fit."""

    items: list[Item]
    left_out: list[str]


class _Room:
    """The room left in a level."""

    def __init__(self, level: Level) -> None:
        self.most, self._level = level.code_bytes, level
        self.bytes, self.tokens = 0, 0

    @property
    def left(self) -> int:
        """The bytes that are left, of text with as many tokens as code."""
        by_tokens = int(((self._level.max_tokens or 0) - self.tokens) / ESTIMATED_PER_BYTE)
        return max(0, min((self._level.max_bytes or 0) - self.bytes, by_tokens))

    def takes(self, item: Item) -> bool:
        """Add an item if it fits; return whether it did."""
        after = self.bytes + item.size_bytes, self.tokens + item.tokens
        if not self._level.fits(*after):
            return False
        self.bytes, self.tokens = after
        return True


def place(
    found: Found, policy: Policy, forms: ItemForms, sources: Sources, task: str, now: int, *, text: bool
) -> Placed:
    """Return the items of levels 1 and 2 for a task. text: it is about texts, such as documentation"""
    work = _Placing(policy, forms, sources, task, now, MOST_TEXT if text else MOST_FILLED)
    for hit in found.memories:
        why = f"related memory: {hit.reason}" if hit.reason else "related memory"
        work.remember(f"{MEMORY}{hit.memory.id}", why)
    for candidate in found.files:
        if candidate.is_named:
            work.named(candidate)
    for candidate in found.files:
        if candidate.is_named:
            work.used_by(candidate.path)
    least = (TEXT_TIMES if text else 1) * PRICE / max(1, policy.level2.code_bytes)
    work.likely([candidate for candidate in found.files if not candidate.is_named], least)
    return Placed(work.items, work.left_out)


class _Placing:
    def __init__(
        self, policy: Policy, forms: ItemForms, sources: Sources, task: str, now: int, most_filled: float
    ) -> None:
        self._forms, self._sources, self._now = forms, sources, now
        self._words, self._terms = set(_WORD.findall(task)), sources.terms(task)
        self._one, self._two = _Room(policy.level1), _Room(policy.level2)
        self._most_tokens = int(most_filled * sum(level.max_tokens or 0 for level in (policy.level1, policy.level2)))
        self.items: list[Item] = []
        self.left_out: list[str] = []

    def remember(self, name: str, why: str) -> None:
        """Put a memory into level 2, within the share of memories."""
        item = self._forms.made(new_item(name, 2, why, self._now), "memory", 2)
        if item is not None and self._two.bytes + item.size_bytes <= MEMORY_SHARE * self._two.most:
            self._take(item, self._two)

    def named(self, candidate: Candidate) -> None:
        """Put a named file into level 1: whole if it fits, else as much as fits, and the whole into level 2."""
        item = self._item(candidate)
        whole = self._forms.made(item, "whole", 1)
        if whole is None or self._take(whole, self._one):
            return
        first = self._forms.made(item, "part", 1, self._one.left, self._terms)
        if first is not None and first.size_bytes:
            self._take(first, self._one)
        second = self._made(item, 2, self._two.left)
        if second is None or not self._take(second, self._two):
            self.left_out.append(candidate.path)

    def used_by(self, path: str) -> None:
        """Put the definitions that a named file uses into level 1."""
        symbols = self._sources.used_symbols(path)
        for row in self._sources.uses(path)[:DEPENDENCIES]:
            if any(item.name == row.path for item in self.items):
                continue
            item = new_item(row.path, 1, f"used by {path}", self._now, symbols=symbols.get(row.path, ()))
            most = min(self._one.left, int(USED_SHARE * self._one.most))
            made = self._made(item, 1, most, terms=False)
            if made is not None and made.size_bytes:
                self._take(made, self._one)

    def likely(self, candidates: Sequence[Candidate], least: float) -> None:
        """Put the best lines of files into level 1 and further ones into level 2, as far as they are worth the price.

        Parts take less than they may, since pieces are not cut. So a second try knows the tokens of the first.
        least: the price of a byte where there is room for everything
        """
        known = {item.name for item in self.items}
        worth = [row for row in candidates if row.path not in known and self._bytes(row, least)]
        before, left_out, one, two = self.items, self.left_out, self._one, self._two
        left, per_byte = self._most_tokens - one.tokens - two.tokens, TYPICAL_PER_BYTE
        for _ in range(2):
            self.items, self.left_out, self._one, self._two = [*before], [*left_out], copy(one), copy(two)
            price = self._price(worth, left / per_byte, least)
            price_1 = self._price(worth, min(left, one.left * ESTIMATED_PER_BYTE) / per_byte, price)
            for row in worth:
                first = self._limited(row, 1, self._bytes(row, price_1), self._one)
                second = self._limited(row, 2, self._bytes(row, price), self._two, first)
                if first is None and second is None:
                    self.left_out.append(row.path)
            taken = self._one.tokens + self._two.tokens - one.tokens - two.tokens
            per_byte = taken / max(1, sum(self._bytes(row, price) for row in worth))
            if price == least or taken > FULL * left:
                break

    def _limited(
        self, row: Candidate, level: Literal[1, 2], most: int, room: _Room, first: Item | None = None
    ) -> Item | None:
        """Put so many bytes of a file into a level, those of level 1 included; None if nothing was put there."""
        item, made = self._item(row), None
        if first is None and most:
            made = self._made(item, level, most)
        elif first is not None and first.form == "part" and most - first.size_bytes >= LEAST_PART:
            marks = MARK_BYTES * len(first.lines) if most >= first.of_bytes else 0
            made = self._forms.made(item, "part", level, most - first.size_bytes + marks, self._terms, first.lines)
        is_full = made is not None and self._one.tokens + self._two.tokens + made.tokens > self._most_tokens
        return made if made is not None and made.size_bytes and not is_full and self._take(made, room) else None

    def _price(self, rows: Sequence[Candidate], most_bytes: float, least: float) -> float:
        """Return the least price of a byte at which these files fit."""
        low, high = least, least * MOST_TIMES
        if sum(self._bytes(row, low) for row in rows) <= most_bytes:
            return low
        for _ in range(PRICE_STEPS):
            middle = math.sqrt(low * high)
            fits = sum(self._bytes(row, middle) for row in rows) <= most_bytes
            low, high = (low, middle) if fits else (middle, high)
        return high

    def _bytes(self, row: Candidate, price: float) -> int:
        source = self._sources.files[row.path]
        return worthwhile_bytes(row.chance, source.size_bytes, price, HALF_BYTES_TEST if source.is_test else HALF_BYTES)

    def _item(self, candidate: Candidate) -> Item:
        why = "; ".join(candidate.why[:3])
        named = (row.qualified for row in self._sources.symbols(candidate.path) if row.name in self._words)
        symbols = tuple(islice(dict.fromkeys((*named, *candidate.symbols)), MOST_SYMBOLS))
        return new_item(candidate.path, 2, why, self._now, symbols=symbols, is_pinned=candidate.is_named)

    def _made(self, item: Item, level: Literal[1, 2], most: int, *, terms: bool = True) -> Item | None:
        """Return a file whole if it is small enough, else in part; None if it no longer exists."""
        if self._sources.files[item.name].size_bytes <= most:
            return self._forms.made(item, "whole", level)
        return self._forms.made(item, "part", level, most, self._terms if terms else ())

    def _take(self, item: Item, room: _Room) -> bool:
        fits = room.takes(item)
        if fits:
            self.items.append(item)
        return fits


def worthwhile_bytes(chance: float, size_bytes: int, price: float, half: int = HALF_BYTES) -> int:
    """Return how much of a file is worth its room: all of it, the best size of a part, or 0.

    chance: that the task changes the file. price: the chance that a byte has to bring
    half: the size of a part that holds a changed line in half of all cases
    """
    best = max(0.0, math.sqrt(chance * half / price) - half)
    missed = chance * half / (best + half)
    if missed >= price * (max(size_bytes, LEAST_BYTES) - best):
        return size_bytes
    return int(best) if best >= LEAST_PART else 0
