"""Passages of memories as ranking sees them. It imports nothing heavy, for the prompt fast path of a hook.

A memory's text is cut into passages, which are matched separately; the number of a passage contains that of its memory.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

from recollect.text.passage_features import Shape
from recollect.text.passages import MAX_PASSAGES


class Match(NamedTuple):
    """A passage found by a search: its memory's id, how well it matched (higher is better), and its number."""

    id: str
    score: float
    pid: int = 0


class Written(NamedTuple):
    """The branch and commit that a memory was written on."""

    namespace: str | None
    branch: str
    head: str


class Standing(NamedTuple):
    """Ranking inputs of a memory besides its text, independent of the query.

    accessed_at: None if it was not read since it was stored. ends_at: when it was superseded or expires; None if
    neither. written: None if it was written on the default branch or on none.
    """

    importance: float = 0.5
    confidence: float = 1.0
    tags: tuple[str, ...] = ()
    accessed_at: int | None = None
    ends_at: int | None = None
    written: Written | None = None


# The values of most memories.
ORDINARY = Standing()


class Passage(NamedTuple):
    """A passage as ranking sees it: memory, time, session, terms, shape and standing."""

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
        """The year and month of its time; (0, 0) for a number that is no time, which an imported row may have."""
        try:
            return time.gmtime(self.at)[:2]
        except (OverflowError, OSError, ValueError):
            return (0, 0)


class TermCounts(NamedTuple):
    """The number of passages, of those with each term, names that are authors, and known terms."""

    passages: int
    by_term: Mapping[str, int]
    authors: frozenset[str]
    known: frozenset[str]

    def of(self, term: str) -> int:
        """Return how many passages contain the term."""
        return self.by_term.get(term, 0)
