"""Walks of the graph: neighbours, breadth first, depth first, shortest paths.

Breadth-first walks go ring by ring: all edges that leave one ring of nodes are read in one pass over the arrays, so
that a walk costs about 30 ns an edge. Depth-first walks are one node at a time by nature.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from recollect.graph.arrays import EVERYTHING, Flags, Graph, Ints, Places, Rows, Sieve

Direction = Literal["out", "in", "both"]

# Nothing is farther away than this: no path has more steps than there are nodes, and numbers of nodes are 32 bits wide.
UNBOUNDED = 2**31 - 1


class Walk(NamedTuple):
    """The reached nodes in order; depth, parent and edge of every node of the graph.

    Unreached nodes have depth -1. The nodes a walk starts from have depth 0, and no parent and no edge: -1.
    """

    order: Places
    depth: Ints
    parent: Ints
    edge: Ints

    def path(self, node: int) -> list[int]:
        """Return the edges of the walk to a node, in order; empty for a start or an unreached node."""
        steps: list[int] = []
        while self.parent[node] >= 0:
            steps.append(int(self.edge[node]))
            node = int(self.parent[node])
        return steps[::-1]


def neighbours(graph: Graph, node: int, *, direction: Direction = "both", through: Sieve = EVERYTHING) -> Places:
    """Return the neighbours of a node, each once, in the order of the edges."""
    return breadth_first(graph, [node], most_depth=1, direction=direction, through=through).order[1:]


def breadth_first(
    graph: Graph,
    starts: Sequence[int] | Places,
    *,
    most_depth: int = UNBOUNDED,
    direction: Direction = "out",
    through: Sieve = EVERYTHING,
) -> Walk:
    """Walk breadth first from one node or several, up to a depth.

    The starts are visited whether or not the sieve lets them through. A node that several nodes of a ring lead to has
    the first of them as its parent.
    """
    depth = np.full(graph.size, -1, np.int32)
    parent = np.full(graph.size, -1, np.int32)
    edge = np.full(graph.size, -1, np.int32)
    ring = np.unique(np.asarray(starts, np.int64)) if len(starts) != 1 else np.asarray(starts, np.int64)
    depth[ring] = 0
    rings, distance = [ring], 0
    while len(ring) and distance < most_depth:
        distance += 1
        origins, targets, edges = leaving(graph, ring, direction, through, depth)
        if not len(targets):
            break
        # Written back to front, so that of several ways to a node the first is the one that stays.
        edge[targets[::-1]] = edges[::-1]
        parent[targets[::-1]] = origins[::-1]
        ring = targets[_first_of_each(targets, graph.size)]
        depth[ring] = distance
        rings.append(ring)
    return Walk(np.concatenate(rings), depth, parent, edge)


def depth_first(
    graph: Graph,
    start: int,
    *,
    most_depth: int = UNBOUNDED,
    direction: Direction = "out",
    through: Sieve = EVERYTHING,
) -> Walk:
    """Walk depth first from one node, among the nodes within `most_depth` steps.

    Reaches exactly what the breadth-first walk reaches, in depth-first order: cutting branches by their own length
    would miss nodes that a long way round comes to first. `depth` is the least number of steps, `parent` and `edge`
    are those of this walk.
    """
    near = breadth_first(graph, [start], most_depth=most_depth, direction=direction, through=through)
    parent = np.full(graph.size, -1, np.int32)
    edge = np.full(graph.size, -1, np.int32)
    visited = near.depth < 0
    visited[start] = True
    order, open_branches = [start], [(start, _one_by_one(graph, start, direction, through))]
    while open_branches:
        node, branch = open_branches[-1]
        for target, by in branch:
            if not visited[target]:
                visited[target] = True
                parent[target], edge[target] = node, by
                order.append(target)
                open_branches.append((target, _one_by_one(graph, target, direction, through)))
                break
        else:
            open_branches.pop()
    return Walk(np.array(order, np.int64), near.depth, parent, edge)


def shortest_path(
    graph: Graph, start: int, goal: int, *, direction: Direction = "out", through: Sieve = EVERYTHING
) -> list[int] | None:
    """Return the edges of a path with the fewest steps; None if there is none."""
    if start == goal:
        return []
    return breadth_first(graph, [start], direction=direction, through=through).path(goal) or None


def leaving(
    graph: Graph, ring: Places, direction: Direction, through: Sieve, depth: Ints
) -> tuple[Places, Places, Places]:
    """Return the edges from a ring to new nodes as (from, to, edge), with repeated targets."""
    parts = [_side_step(rows, ring, graph, through, depth, forwards) for rows, forwards in sides(graph, direction)]
    if len(parts) == 1:
        return parts[0]
    origins, targets, edges = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return origins, targets, edges


def _side_step(
    rows: Rows, ring: Places, graph: Graph, through: Sieve, depth: Ints, forwards: bool
) -> tuple[Places, Places, Places]:
    owners, places = rows.leaving(ring)
    targets = rows.ends[places]
    fresh = np.flatnonzero(depth[targets] < 0)
    owners, places, targets = owners[fresh], places[fresh], targets[fresh]
    passing = through.passing(targets, graph.relations[rows.edges[places]], forwards=forwards)
    chosen = slice(None) if passing is None else np.flatnonzero(passing)
    return ring[owners[chosen]], targets[chosen].astype(np.int64), rows.edges[places[chosen]]


def sides(graph: Graph, direction: Direction) -> list[tuple[Rows, bool]]:
    """Return the rows for a direction, and whether the walk goes along their edges."""
    along = [(graph.outgoing, True)] if direction != "in" else []
    return along + ([(graph.incoming, False)] if direction != "out" else [])


def _one_by_one(graph: Graph, node: int, direction: Direction, through: Sieve) -> Iterator[tuple[int, int]]:
    """Yield the neighbours of a node, each with its edge, in the order of the edges."""
    for rows, forwards in sides(graph, direction):
        span = slice(int(rows.starts[node]), int(rows.starts[node + 1]))
        targets, edges = rows.ends[span], rows.edges[span]
        passing = through.passing(targets, graph.relations[edges], forwards=forwards)
        if passing is not None:
            targets, edges = targets[passing], edges[passing]
        yield from zip(targets.tolist(), edges.tolist(), strict=True)


def _first_of_each(values: Places, size: int) -> Flags:
    """Return which places hold the first occurrence of their value."""
    seen = np.empty(size, np.int64)
    numbers = np.arange(len(values))
    seen[values[::-1]] = numbers[::-1]
    first: Flags = seen[values] == numbers
    return first
