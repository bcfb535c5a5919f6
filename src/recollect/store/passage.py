"""Passage: what ranking sees of a memory. Loaded without anything heavy: a hook that answers by itself has no time.

A memory's text is cut into passages, which are matched on their own; the number of a passage tells its memory.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

from recollect.text.passage_features import Shape
from recollect.text.passages import MAX_PASSAGES

# How many more rows than asked a filtered search looks at first. Eight covers filters that keep one row in eight, and
# a store widens by the same factor when that was not enough.
WIDENING = 8

# How many passages of one memory a search returns at most, its best ones: every passage of a long text may hold the
# question's words, and without a bound it would be all that is found.
PASSAGES_PER_MEMORY = 5


class Match(NamedTuple):
    """A passage found by a search: its memory's id, how well it matched (higher is better), and its number."""

    id: str
    score: float
    pid: int = 0


class Written(NamedTuple):
    """The branch of a project that a memory was written on, and the commit that its work tree was at."""

    namespace: str | None
    branch: str
    head: str


class Standing(NamedTuple):
    """What a memory is worth whatever is asked: how it was judged, its tags, when it was last used, how long it holds.

    accessed_at: None if nobody came back to it since it was stored. ends_at: when it stopped to hold, or will; None if
    nothing has replaced it and it does not expire. written: None for what was not written on a branch, or on the
    default one.
    """

    importance: float = 0.5
    confidence: float = 1.0
    tags: tuple[str, ...] = ()
    accessed_at: int | None = None
    ends_at: int | None = None
    written: Written | None = None


# What most memories are: stored, and nothing said about them.
ORDINARY = Standing()


class Passage(NamedTuple):
    """A passage as ranking sees it: whose, when, in which session, its terms, its shape, and its memory's standing."""

    pid: int
    memory_id: str
    session_id: str | None
    at: int
    author: tuple[str, ...]
    tokens: list[str]
    shape: Shape
    eligible: bool = True
    standing: Standing = ORDINARY

    @property
    def seq(self) -> int:
        """The number of its memory."""
        return self.pid // MAX_PASSAGES

    def year_month(self) -> tuple[int, int]:
        """The year and month it is from; (0, 0) if that is no time at all, for an imported row may carry any number."""
        try:
            return time.gmtime(self.at)[:2]
        except (OverflowError, OSError, ValueError):
            return (0, 0)


class TermCounts(NamedTuple):
    """How many passages there are, how many hold each term, which names are authors', which terms are known here."""

    passages: int
    by_term: Mapping[str, int]
    authors: frozenset[str]
    known: frozenset[str]

    def of(self, term: str) -> int:
        """Return how many passages hold the term."""
        return self.by_term.get(term, 0)
