"""Reach of a change: callers, importers, subclasses, conclusions, and their dependents.

The relationship of a link decides the direction of a change (relation_semantics.py): a change of a function reaches its
callers, and a change of a decision reaches its consequences. Similar memories are not affected.

    a ──1.0──► b ──0.6──► c        c is reached in two steps with confidence 0.6, the product of the links'

Of the shortest paths to a node, the one with the highest confidence counts. Longer paths are not searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import EVERYTHING, RELATION_CODES, Flags, Floats, Graph, Ints, Places, Sieve, code_flags
from recollect.graph.relation_semantics import affecting
from recollect.graph.walk import UNBOUNDED, Direction, Walk, breadth_first, leaving


class Reach(NamedTuple):
    """Reached nodes, nearest first, then by confidence; depth, parent and edge by node.

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
    """Walk breadth first with the confidence of each path; a path below `least` ends."""
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
    """Return nodes and their contents: a file with its symbols, a class with its methods."""
    return reach(graph, nodes, direction="out", through=Sieve(None, code_flags(RELATION_CODES, ["CONTAINS"]))).order


def affected(graph: Graph, changed: Sequence[int], *, most_depth: int, least: float = 0.0, through: Sieve) -> Reach:
    """Return what a change of these nodes and of their contents reaches, with confidence.

    A file that imports a changed one is affected; files that import this file in turn are not.
    """
    along, against = _passing_changes(through)
    starts = contained(graph, changed)
    nearest = Sieve(through.nodes, along, against)
    first = reach(graph, starts, most_depth=1, direction="both", through=nearest, least=least)
    further = Sieve(through.nodes, along, against & ~code_flags(RELATION_CODES, ["IMPORTS"]))
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


def impact(graph: Graph, changed: Sequence[int], *, most_depth: int = UNBOUNDED, through: Sieve = EVERYTHING) -> Walk:
    """Return what a change of these nodes reaches, nearest first.

    through: further limits by nodes and by relationships
    """
    passing = Sieve(through.nodes, *_passing_changes(through))
    return breadth_first(graph, changed, most_depth=most_depth, direction="both", through=passing)


def _passing_changes(through: Sieve) -> tuple[Flags, Flags]:
    """Return by which relationships a change passes along a link, and against it."""
    along, against = affecting("target"), affecting("source")
    if through.relations is not None:
        along, against = along & through.relations, against & through.relations
    return along, against
