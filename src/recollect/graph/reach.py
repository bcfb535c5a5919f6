"""Reach: how far something goes along links, and how surely: the confidence of a way is the product of its links'.

    a ──1.0──► b ──0.6──► c        c is reached in two steps with 0.6

Among the shortest ways to a node the surest is taken; a longer one is not looked for, even if it were surer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import EVERYTHING, RELATION_CODES, Floats, Graph, Ints, Places, Sieve
from recollect.graph.meaning import affecting
from recollect.graph.walk import UNBOUNDED, Direction, leaving

CONTAINS = RELATION_CODES["CONTAINS"]
IMPORTS = RELATION_CODES["IMPORTS"]


class Reach(NamedTuple):
    """What was reached: nodes nearest first and surest first; by node how far, from where, by which edge, how surely.

    Unreached nodes have depth -1; starts have depth 0, no parent and no edge: -1, and confidence 1.
    """

    order: Places
    depth: Ints
    parent: Ints
    edge: Ints
    confidence: Floats


def reach(
    graph: Graph,
    starts: Sequence[int] | Places,
    *,
    most_depth: int = UNBOUNDED,
    direction: Direction = "out",
    through: Sieve = EVERYTHING,
    least: float = 0.0,
) -> Reach:
    """Walk ring by ring, and tell how surely each node is reached; what is less sure than `least` is not."""
    depth = np.full(graph.size, -1, np.int32)
    parent = np.full(graph.size, -1, np.int32)
    edge = np.full(graph.size, -1, np.int32)
    confidence = np.zeros(graph.size)
    ring = np.unique(np.asarray(starts, np.int64))
    depth[ring], confidence[ring] = 0, 1.0
    rings, distance = [ring], 0
    while len(ring) and distance < most_depth:
        distance += 1
        origins, targets, edges = leaving(graph, ring, direction, through, depth)
        sure = confidence[origins] * np.minimum(graph.weights[edges], 1.0)
        passing = sure >= least
        # Written from the least sure to the surest, so that of several ways to a node the surest stays.
        order = np.flatnonzero(passing)[np.argsort(sure[passing], kind="stable")]
        origins, targets, edges, sure = origins[order], targets[order], edges[order], sure[order]
        if not len(targets):
            break
        edge[targets], parent[targets], confidence[targets] = edges, origins, sure
        ring = np.unique(targets)
        ring = ring[np.argsort(-confidence[ring], kind="stable")]
        depth[ring] = distance
        rings.append(ring)
    return Reach(np.concatenate(rings), depth, parent, edge, confidence)


def contained(graph: Graph, nodes: Sequence[int]) -> Places:
    """Return nodes and all that they contain: a file with its symbols, a class with its methods."""
    only = np.zeros(256, np.bool_)
    only[CONTAINS] = True
    return reach(graph, nodes, direction="out", through=Sieve(None, only)).order


def affected(graph: Graph, changed: Sequence[int], *, most_depth: int, least: float = 0.0, through: Sieve) -> Reach:
    """Return what a change of these nodes, and of what they contain, reaches: callers, heirs, and what builds on them.

    A file that imports is affected itself; that others import it in turn does not carry the change on to them.
    """
    along, against = affecting("target"), affecting("source")
    if through.relations is not None:
        along, against = along & through.relations, against & through.relations
    starts = contained(graph, changed)
    first = reach(
        graph, starts, most_depth=1, direction="both", through=Sieve(through.nodes, along, against), least=least
    )
    onwards = against.copy()
    onwards[IMPORTS] = False
    further = Sieve(through.nodes, along, onwards)
    whole = reach(graph, starts, most_depth=most_depth, direction="both", through=further, least=least)
    # Importers are one step away and end there; where a node is reached both ways, the nearer way counts.
    only_first = (first.depth == 1) & ((whole.depth < 0) | (whole.depth > 1))
    whole.depth[only_first] = 1
    whole.parent[only_first] = first.parent[only_first]
    whole.edge[only_first] = first.edge[only_first]
    whole.confidence[only_first] = first.confidence[only_first]
    reached = np.flatnonzero(whole.depth >= 0)
    order = reached[np.lexsort((-whole.confidence[reached], whole.depth[reached]))]
    return Reach(order, whole.depth, whole.parent, whole.edge, whole.confidence)
