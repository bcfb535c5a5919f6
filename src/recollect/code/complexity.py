"""Complexity: how much there is to keep in mind while reading a symbol.

    score = lines / 10 + 2 · branches + depth

Branches are words that choose or repeat; depth is how many levels the deepest of them is indented below the symbol, and
one more for what it governs. Below 5 is low, below 15 medium, else high.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal

from recollect.code.page import Page

Level = Literal["low", "medium", "high"]

MEDIUM_FROM, HIGH_FROM = 5.0, 15.0


def level(score: float) -> Level:
    """Return the word for a score."""
    return "low" if score < MEDIUM_FROM else "medium" if score < HIGH_FROM else "high"


class Branches:
    """The branches of a file: where they are and how far their lines are indented."""

    __slots__ = ("indents", "page", "starts", "unit")

    def __init__(self, page: Page, starts: list[int]) -> None:
        self.page = page
        self.starts = starts
        self.indents = [page.indent(start) for start in starts]
        # One level is the least indentation seen: 1 where tabs are used, but never a single stray space.
        least = min((indent for indent in self.indents if indent), default=4)
        self.unit = least if least > 1 or "\n\t" in page.text else 2

    def score(self, start: int, end: int, lines: int) -> float:
        """Return the score of what stands between two offsets on that many lines, in tenths."""
        if lines == 1:
            return 0.1
        starts = self.starts
        first = bisect_left(starts, start)
        if first == len(starts) or starts[first] >= end:
            return (lines + 10) / 10
        after = bisect_left(starts, end, first)
        deepest = max(self.indents[first:after]) - self.page.indent(start)
        depth = max(deepest // self.unit, 0) + 1
        return (lines + 20 * (after - first) + 10 * depth) / 10
