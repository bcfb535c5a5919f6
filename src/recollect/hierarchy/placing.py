"""Placing: candidates become items of levels 1 and 2, as many and as much of each as fits, the most likely first.

level 1   the first few: whole where small, else the symbols that matter; the whole of it is then in level 2
level 2   the next: whole where small, else what matters of it, the less the further down; once most of the level is
          taken, outlines
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from recollect.engine.code.indexed_project import Sources
from recollect.hierarchy.fill import Candidate, Found
from recollect.hierarchy.levels import Level
from recollect.hierarchy.model import Form, Item
from recollect.hierarchy.policies import Policy
from recollect.hierarchy.pressure import LARGE_SHARE
from recollect.hierarchy.shapes import MEMORY, Shapes

# Files that are likely enough to be in the prompt from the beginning.
IMMEDIATE = 8
# What a file may take of level 2, whole or else by what matters of it: up to which place, which share. A part of 4 %
# holds what a commit changed in a larger file four times of five, one of 2 % twice of three, one of 1 % every other
# time: further down, more and smaller parts find more.
SHARES_2 = ((12, 0.04), (35, 0.02), (math.inf, 0.01))
# The same of one that is in level 1 by a part.
OWNED_SHARE_2 = 0.12
# Once this share of level 2 is taken, the others come as outlines: they are there to be found.
WHOLE_SHARE = 0.8
# Memories take at most this share of level 2.
MEMORY_SHARE = 0.05
# Candidates in a row that do not fit before it is given up.
MOST_MISSES = 20

_WORD = re.compile(r"[A-Za-z_]\w{2,}")


class Placed(NamedTuple):
    """What was placed, best first, and the names of what found no room."""

    items: list[Item]
    left_out: list[str]


class _Room:
    """What is left of a level."""

    def __init__(self, level: Level) -> None:
        self.most = level.max_bytes or 0
        self._level = level
        self.bytes, self.tokens = 0, 0

    def takes(self, item: Item) -> bool:
        """Take something if it fits; tell whether it did."""
        after = self.bytes + item.size_bytes, self.tokens + item.tokens
        if not self._level.fits(*after):
            return False
        self.bytes, self.tokens = after
        return True


def place(found: Found, policy: Policy, shapes: Shapes, sources: Sources, description: str, now: int) -> Placed:
    """Return the items of levels 1 and 2 for a task."""
    work = _Placing(policy, shapes, sources, set(_WORD.findall(description)), now)
    for hit in found.memories:
        why = f"related memory: {hit.reason}" if hit.reason else "related memory"
        work.remember(f"{MEMORY}{hit.memory.id}", why)
    misses = 0
    for rank, candidate in enumerate(found.files):
        fits = misses < MOST_MISSES and work.file(candidate, rank)
        misses = 0 if fits else misses + 1
        if not fits:
            work.left_out.append(candidate.path)
    return Placed(work.items, work.left_out)


class _Placing:
    def __init__(self, policy: Policy, shapes: Shapes, sources: Sources, words: set[str], now: int) -> None:
        self._shapes, self._sources, self._words, self._now = shapes, sources, words, now
        self._one, self._two = _Room(policy.level1), _Room(policy.level2)
        self.items: list[Item] = []
        self.left_out: list[str] = []

    def remember(self, name: str, why: str) -> None:
        """Put a memory into level 2, if those there are not too many already."""
        item = self._shapes.made(self._item(name, why), "memory", 2)
        if item is not None and self._two.bytes + item.size_bytes <= MEMORY_SHARE * self._two.most:
            self._take(item, self._two)

    def file(self, candidate: Candidate, rank: int) -> bool:
        """Put a file where it belongs; tell whether it found room anywhere."""
        item = self._item(candidate.path, "; ".join(candidate.why[:3]), candidate.is_named)
        item = msgspec.structs.replace(item, symbols=candidate.symbols)
        immediate = (rank < IMMEDIATE and not candidate.is_near) or candidate.is_named
        first = self._made(item, 1, int(LARGE_SHARE * self._one.most)) if immediate else None
        is_first = first is not None and self._take(first, self._one)
        if is_first and first is not None and first.form == "whole":
            return True
        share = OWNED_SHARE_2 if is_first else next(share for last, share in SHARES_2 if rank < last)
        is_full = self._two.bytes > WHOLE_SHARE * self._two.most
        if (is_full or candidate.is_near) and not immediate:
            second = self._smaller(item)
        else:
            second = self._made(item, 2, int(share * self._two.most))
        return (second is not None and self._take(second, self._two)) or is_first

    def _made(self, item: Item, level: Literal[1, 2], most: int) -> Item | None:
        """Return a file whole if it is no larger than that, else what matters of it."""
        source = self._sources.files[item.name]
        if source.size_bytes <= most:
            return self._shapes.made(item, "whole", level)
        symbols = tuple(dict.fromkeys((*item.symbols, *self._named(item.name))))
        return self._shapes.made(msgspec.structs.replace(item, symbols=symbols), "part", level, most)

    def _smaller(self, item: Item) -> Item | None:
        """Return the outline of a file, or the whole where that is smaller."""
        made = [self._shapes.made(item, form, 2) for form in ("outline", "whole")]
        return min((each for each in made if each is not None), key=lambda each: each.size_bytes, default=None)

    def _named(self, path: str) -> list[str]:
        """Return the symbols of a file that the description names."""
        return [row.qualified for row in self._sources.symbols(path) if row.name in self._words]

    def _item(self, name: str, why: str, is_pinned: bool = False) -> Item:
        form: Form = "whole"
        return Item(
            name=name,
            level=2,
            form=form,
            size_bytes=0,
            tokens=0,
            why=why,
            placed_at=self._now,
            used_at=self._now,
            is_pinned=is_pinned,
        )

    def _take(self, item: Item, room: _Room) -> bool:
        fits = room.takes(item)
        if fits:
            self.items.append(item)
        return fits


def names(items: Sequence[Item]) -> list[str]:
    """Return what items are about, each once."""
    return list(dict.fromkeys(item.name for item in items))
