"""What each relationship means to a walk: which way importance, relevance and consequences go along it.

One table. `carries` is how much of a memory's relevance passes along a link: what answers a question is likely to be
explained by, to lead to or to replace what also answers it; standing in the same file, coming next in time or being
similar says less, and what is similar was found by the search itself.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from recollect.graph.arrays import RELATION_CODES, Flags, Floats


class Meaning(NamedTuple):
    """What a link from A to B by one relationship means.

    mutual: it holds from B to A just as well
    carries: how much relevance passes from A to B, and from B to A
    affects: whether a change of A reaches B, a change of B reaches A, or neither
    """

    mutual: bool
    carries: tuple[float, float]
    affects: Literal["target", "source", "none"]


STRONG, USUAL, WEAK = 1.0, 0.8, 0.4
# The older state of something is history; the newer one is what was meant.
HISTORY = 0.3

MEANINGS: dict[str, Meaning] = {
    # A relates to B, leads to B, is part of B
    "RELATES_TO": Meaning(True, (USUAL, USUAL), "none"),
    "LEADS_TO": Meaning(False, (STRONG, STRONG), "target"),
    "PART_OF": Meaning(False, (USUAL, USUAL), "target"),
    # A strengthens B, contradicts B, became B, was made from B, was made obsolete by B
    "REINFORCES": Meaning(False, (STRONG, STRONG), "target"),
    "CONTRADICTS": Meaning(True, (STRONG, STRONG), "none"),
    "EVOLVED_INTO": Meaning(False, (STRONG, HISTORY), "target"),
    "DERIVED_FROM": Meaning(False, (STRONG, STRONG), "source"),
    "INVALIDATED_BY": Meaning(False, (STRONG, HISTORY), "source"),
    # A needs B, imports B, extends B, calls B, contains B, replaces B, holds up B
    "DEPENDS_ON": Meaning(False, (USUAL, USUAL), "source"),
    "IMPORTS": Meaning(False, (WEAK, WEAK), "source"),
    "EXTENDS": Meaning(False, (USUAL, USUAL), "source"),
    "CALLS": Meaning(False, (USUAL, USUAL), "source"),
    "CONTAINS": Meaning(False, (WEAK, WEAK), "none"),
    "SUPERSEDES": Meaning(False, (HISTORY, STRONG), "none"),
    "BLOCKS": Meaning(False, (USUAL, USUAL), "target"),
    # A implements B, inherits from B
    "IMPLEMENTS": Meaning(False, (USUAL, USUAL), "source"),
    "INHERITS": Meaning(False, (USUAL, USUAL), "source"),
    # A is like B, came after B, is an example of B, explains B, shares a theme with B, sums up B
    "SIMILAR_TO": Meaning(True, (WEAK, WEAK), "none"),
    "PRECEDED_BY": Meaning(False, (WEAK, WEAK), "none"),
    "EXEMPLIFIES": Meaning(False, (STRONG, USUAL), "source"),
    "EXPLAINS": Meaning(False, (STRONG, STRONG), "source"),
    "SHARES_THEME": Meaning(True, (WEAK, WEAK), "none"),
    "SUMMARIZES": Meaning(False, (USUAL, STRONG), "source"),
}

MUTUAL: frozenset[str] = frozenset(name for name, meaning in MEANINGS.items() if meaning.mutual)

# Links that were computed from likeness, not made by anybody.
COMPUTED: frozenset[str] = frozenset({"SIMILAR_TO", "SHARES_THEME"})


def carried(*, forwards: bool) -> Floats:
    """Return how much relevance passes along a link in its direction, or against it, by code of relationship."""
    table = np.zeros(256)
    for name, meaning in MEANINGS.items():
        table[RELATION_CODES[name]] = meaning.carries[0 if forwards else 1]
    return table


def affecting(end: Literal["target", "source"]) -> Flags:
    """Return by which relationships a change at the other end reaches this end, by their codes."""
    table = np.zeros(256, np.bool_)
    table[[RELATION_CODES[name] for name, meaning in MEANINGS.items() if meaning.affects == end]] = True
    return table
