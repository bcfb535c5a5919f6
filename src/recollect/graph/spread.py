"""How relevance spreads from one memory to those it is linked with: a personalised PageRank, cut off after some steps.

    reach(n) = Σ over h = 1 … hops    HOP^h · chance that a walker is at n after h steps from the seed

A walker leaves a node by one of its links, in proportion to their strength; where they add up to less than one whole
link it stays away from all of them, so that a single weak link does not count like a strong one. Only the neighbourhood
of the seed is looked at, whatever the size of the graph.
"""

from __future__ import annotations

import numpy as np

from recollect.graph.arrays import EVERYTHING, Floats, Graph, Places, Sieve
from recollect.graph.meaning import carried
from recollect.graph.walk import sides

# What is left of relevance at each further step. At a half, everything reached adds up to at most as much as the seed.
HOP = 0.5


def spread(graph: Graph, seed: int, hops: int, *, through: Sieve = EVERYTHING) -> tuple[Places, Floats]:
    """Return the nodes within `hops` steps of a seed in either direction, and how much of its relevance reaches each.

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
    """Return where walkers at these nodes go, and how many to each: a target may be named several times."""
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
