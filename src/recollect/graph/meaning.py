"""What each relationship means to a walk: which way importance, relevance and consequences go along it.

One table. `carries` is how much of a memory's relevance passes along a link: what answers a question is likely to be
explained by, to lead to or to replace what also answers it; standing in the same file, coming next in time or being
similar says less, and what is similar was found by the search itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

import numpy as np

from recollect.graph.arrays import RELATION_CODES, Flags, Floats, Graph, Places, Sieve
from recollect.graph.walk import neighbours

End = Literal["target", "source"]


class Meaning(NamedTuple):
    """What a link from A to B by one relationship means.

    mutual: it holds from B to A just as well
    carries: how much relevance passes from A to B, and from B to A
    affects: whether a change of A reaches B (target), a change of B reaches A (source), or neither
    newer: which end is a newer version of the other, if one is
    """

    mutual: bool
    carries: tuple[float, float]
    affects: End | None
    newer: End | None = None


STRONG, USUAL, WEAK = 1.0, 0.8, 0.4
# The older state of something is history; the newer one is what was meant.
HISTORY = 0.3

MEANINGS: dict[str, Meaning] = {
    # A relates to B, leads to B, is part of B
    "RELATES_TO": Meaning(True, (USUAL, USUAL), None),
    "LEADS_TO": Meaning(False, (STRONG, STRONG), "target"),
    "PART_OF": Meaning(False, (USUAL, USUAL), "target"),
    # A strengthens B, contradicts B, became B, was made from B, was made obsolete by B
    "REINFORCES": Meaning(False, (STRONG, STRONG), "target"),
    "CONTRADICTS": Meaning(True, (STRONG, STRONG), None),
    "EVOLVED_INTO": Meaning(False, (STRONG, HISTORY), "target", newer="target"),
    "DERIVED_FROM": Meaning(False, (STRONG, STRONG), "source"),
    "INVALIDATED_BY": Meaning(False, (STRONG, HISTORY), "source", newer="target"),
    # A needs B, imports B, extends B, calls B, contains B, replaces B, holds up B
    "DEPENDS_ON": Meaning(False, (USUAL, USUAL), "source"),
    "IMPORTS": Meaning(False, (WEAK, WEAK), "source"),
    "EXTENDS": Meaning(False, (USUAL, USUAL), "source"),
    "CALLS": Meaning(False, (USUAL, USUAL), "source"),
    "CONTAINS": Meaning(False, (WEAK, WEAK), None),
    "SUPERSEDES": Meaning(False, (HISTORY, STRONG), None, newer="source"),
    "BLOCKS": Meaning(False, (USUAL, USUAL), "target"),
    # A implements B, inherits from B
    "IMPLEMENTS": Meaning(False, (USUAL, USUAL), "source"),
    "INHERITS": Meaning(False, (USUAL, USUAL), "source"),
    # A is like B, came after B, is an example of B, explains B, shares a theme with B, sums up B
    "SIMILAR_TO": Meaning(True, (WEAK, WEAK), None),
    "PRECEDED_BY": Meaning(False, (WEAK, WEAK), None),
    "EXEMPLIFIES": Meaning(False, (STRONG, USUAL), "source"),
    "EXPLAINS": Meaning(False, (STRONG, STRONG), "source"),
    "SHARES_THEME": Meaning(True, (WEAK, WEAK), None),
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


def affecting(end: End) -> Flags:
    """Return by which relationships a change at the other end reaches this end, by their codes."""
    return _flags(name for name, meaning in MEANINGS.items() if meaning.affects == end)


def newer_versions(graph: Graph, node: int) -> Places:
    """Return the nodes that are newer versions of a node, as its links say; never the node itself."""
    through = Sieve(None, _NEWER["target"], _NEWER["source"])
    return neighbours(graph, node, direction="both", through=through)


def _flags(names: Iterable[str]) -> Flags:
    table = np.zeros(256, np.bool_)
    table[[RELATION_CODES[name] for name in names]] = True
    return table


_NEWER: dict[End, Flags] = {
    end: _flags(name for name, meaning in MEANINGS.items() if meaning.newer == end) for end in get_args(End)
}
