"""Rules for relevance, importance and changes along each relationship, and the spread of relevance.

`carries` is how much of a memory's relevance passes along a link. An answer is likely explained by, leads to or
replaces something that also answers. Standing in the same file, coming next in time or being similar says less, and
similar memories are found by the search itself.

Relevance spreads from one memory by a personalised PageRank that is cut off after some steps:

    reach(n) = Σ over h = 1 … hops    HOP^h · chance that a walker is at n after h steps from the seed

A walker leaves a node by one of its links, in proportion to their strength. Where strengths sum to less than 1 it may
also stop, so that a single weak link does not count like a strong one. Only the neighbourhood of the seed is read.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from recollect.graph.arrays import EVERYTHING, RELATION_CODES, Flags, Floats, Graph, Places, Sieve, code_flags
from recollect.graph.walk import neighbours, sides

End = Literal["target", "source"]


class Meaning(NamedTuple):
    """The meaning of a link from A to B by one relationship.

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

# Links computed from similarity.
COMPUTED: frozenset[str] = frozenset({"SIMILAR_TO", "SHARES_THEME"})


def carried(*, forwards: bool) -> Floats:
    """Return the relevance that passes along, or against, a link, by relationship code."""
    table = np.zeros(256)
    for name, meaning in MEANINGS.items():
        table[RELATION_CODES[name]] = meaning.carries[0 if forwards else 1]
    return table


def affecting(end: End) -> Flags:
    """Return by which relationships a change reaches this end, by code."""
    return code_flags(RELATION_CODES, (name for name, meaning in MEANINGS.items() if meaning.affects == end))


def newer_versions(graph: Graph, node: int) -> Places:
    """Return the newer versions of a node, by its links."""
    through = Sieve(None, _NEWER["target"], _NEWER["source"])
    return neighbours(graph, node, direction="both", through=through)


_NEWER: dict[End, Flags] = {
    end: code_flags(RELATION_CODES, (name for name, meaning in MEANINGS.items() if meaning.newer == end))
    for end in get_args(End)
}


# --- spreading relevance ---

# What is left of relevance at each further step. At a half, everything reached adds up to at most as much as the seed.
HOP = 0.5


def spread(graph: Graph, seed: int, hops: int, *, through: Sieve = EVERYTHING) -> tuple[Places, Floats]:
    """Return the nodes within `hops` steps of a seed and the relevance that reaches each.

    In order of their numbers, without the seed; reach is above 0 and below 1.
    """
    nodes, mass = np.array([seed]), np.ones(1)
    reached: list[tuple[Places, Floats]] = []
    for _ in range(hops):
        targets, flows = _step(graph, nodes, mass * HOP, through)
        if not len(targets):
            break
        nodes, mass = _sums(targets, flows)
        reached.append((nodes, mass))
    if not reached:
        return np.empty(0, np.int64), np.empty(0)
    found, reach = _sums(np.concatenate([part for part, _ in reached]), np.concatenate([part for _, part in reached]))
    others = (found != seed) & (reach > 0)
    return found[others], reach[others]


def _step(graph: Graph, nodes: Places, mass: Floats, through: Sieve) -> tuple[Places, Floats]:
    """Return the targets of walkers at these nodes, with repetitions, and their shares."""
    owners: list[Places] = []
    targets: list[Places] = []
    strengths: list[Floats] = []
    for rows, forwards in sides(graph, "both"):
        owner, places = rows.leaving(nodes)
        edges, ends = rows.edges[places], rows.ends[places].astype(np.int64)
        strength = graph.weights[edges] * carried(forwards=forwards)[graph.relations[edges]]
        passing = ends != nodes[owner]
        allowed = through.passing(rows.ends[places], graph.relations[edges], forwards=forwards)
        if allowed is not None:
            passing &= allowed
        owners.append(owner[passing])
        targets.append(ends[passing])
        strengths.append(np.minimum(strength[passing], 1.0))
    owner, strength = np.concatenate(owners), np.concatenate(strengths)
    all_of_it = np.maximum(np.bincount(owner, weights=strength, minlength=len(nodes)), 1.0)
    return np.concatenate(targets), strength * (mass / all_of_it)[owner]


def _sums(nodes: Places, mass: Floats) -> tuple[Places, Floats]:
    found, places = np.unique(nodes, return_inverse=True)
    return found, np.bincount(places, weights=mass, minlength=len(found)).astype(np.float64, copy=False)
