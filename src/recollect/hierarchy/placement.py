"""Placement: candidates become items of levels 1 and 2, most likely first, as many as fit.

level 1   the first few: whole if small, else a part; the whole is then in level 2
level 2   the next: whole if small, else a part, smaller for later ones; outlines once most of the level is used
"""

from __future__ import annotations

import math
import re
from typing import Literal, NamedTuple

import msgspec

from recollect.engine import Sources
from recollect.hierarchy.eviction import LARGE_SHARE
from recollect.hierarchy.file_forms import MEMORY, ItemForms, new_item
from recollect.hierarchy.model import Item
from recollect.hierarchy.policies import Level, Policy
from recollect.hierarchy.task_candidates import Candidate, Found

# Files that are placed in level 1.
IMMEDIATE = 8
# The share of level 2 for a file, by its rank. A part of 4 % holds what a commit changed in a larger file 4 times of 5,
# one of 2 % 2 times of 3, one of 1 % every other time: further down, more and smaller parts find more.
SHARES_2 = ((12, 0.04), (35, 0.02), (math.inf, 0.01))
# The same for a file with a part in level 1.
OWNED_SHARE_2 = 0.12
# Above this used share of level 2, files are placed as outlines.
WHOLE_SHARE = 0.8
# The largest share of level 2 for memories.
MEMORY_SHARE = 0.05
# Consecutive candidates that do not fit before placement stops.
MOST_MISSES = 20

_WORD = re.compile(r"[A-Za-z_]\w{2,}")


class Placed(NamedTuple):
    """The placed items, best first, and the paths that did not fit."""

    items: list[Item]
    left_out: list[str]


class _Room:
    """The room left in a level."""

    def __init__(self, level: Level) -> None:
        self.most = level.max_bytes or 0
        self._level = level
        self.bytes, self.tokens = 0, 0

    def takes(self, item: Item) -> bool:
        """Add an item if it fits; return whether it did."""
        after = self.bytes + item.size_bytes, self.tokens + item.tokens
        if not self._level.fits(*after):
            return False
        self.bytes, self.tokens = after
        return True


def place(found: Found, policy: Policy, forms: ItemForms, sources: Sources, description: str, now: int) -> Placed:
    """Return the items of levels 1 and 2 for a task."""
    work = _Placing(policy, forms, sources, set(_WORD.findall(description)), now)
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
    def __init__(self, policy: Policy, forms: ItemForms, sources: Sources, words: set[str], now: int) -> None:
        self._forms, self._sources, self._words, self._now = forms, sources, words, now
        self._one, self._two = _Room(policy.level1), _Room(policy.level2)
        self.items: list[Item] = []
        self.left_out: list[str] = []

    def remember(self, name: str, why: str) -> None:
        """Put a memory into level 2, within the share of memories."""
        item = self._forms.made(new_item(name, 2, why, self._now), "memory", 2)
        if item is not None and self._two.bytes + item.size_bytes <= MEMORY_SHARE * self._two.most:
            self._take(item, self._two)

    def file(self, candidate: Candidate, rank: int) -> bool:
        """Put a file into level 1 or 2; return whether it fits."""
        why = "; ".join(candidate.why[:3])
        item = new_item(candidate.path, 2, why, self._now, symbols=candidate.symbols, is_pinned=candidate.is_named)
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
        """Return a file whole if it is small enough, else in part."""
        source = self._sources.files[item.name]
        if source.size_bytes <= most:
            return self._forms.made(item, "whole", level)
        symbols = tuple(dict.fromkeys((*item.symbols, *self._named(item.name))))
        return self._forms.made(msgspec.structs.replace(item, symbols=symbols), "part", level, most)

    def _smaller(self, item: Item) -> Item | None:
        """Return the outline of a file, or the whole if that is smaller."""
        made = [self._forms.made(item, form, 2) for form in ("outline", "whole")]
        return min((each for each in made if each is not None), key=lambda each: each.size_bytes, default=None)

    def _named(self, path: str) -> list[str]:
        """Return the symbols of a file that the description names."""
        return [row.qualified for row in self._sources.symbols(path) if row.name in self._words]

    def _take(self, item: Item, room: _Room) -> bool:
        fits = room.takes(item)
        if fits:
            self.items.append(item)
        return fits
