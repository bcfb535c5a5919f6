"""Dependency cycles, each with a shortest path round and the cheapest link to cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import Graph, Places, Sieve
from recollect.graph.components import strong_components
from recollect.graph.walk import breadth_first

# Nodes of a group from which a cycle is searched, those with the fewest links first; a short one passes them.
MOST_TRIED = 64
# Links of a group that are tried as cuts, the weakest first.
MOST_CUTS = 64


class Cut(NamedTuple):
    """A link whose removal leaves cycles of at most `left` nodes; 1: none."""

    src: int
    dst: int
    weight: float
    left: int


class Circle(NamedTuple):
    """A group of nodes that reach each other, a shortest cycle, and where to cut.

    way: nodes in the order of the links; the last leads back to the first
    """

    nodes: list[int]
    way: list[int]
    links: int
    cut: Cut


def circles(graph: Graph) -> list[Circle]:
    """Return the groups of two or more nodes that reach each other, largest first."""
    number = strong_components(graph)
    sizes = np.bincount(number) if len(number) else np.empty(0, np.int64)
    found = [_circle(graph, np.flatnonzero(number == each)) for each in np.flatnonzero(sizes > 1).tolist()]
    return sorted(found, key=lambda circle: (-len(circle.nodes), circle.nodes))


def _circle(graph: Graph, nodes: Places) -> Circle:
    inside = np.zeros(graph.size, np.bool_)
    inside[nodes] = True
    part = graph.within(Sieve(inside))
    apart = part.src != part.dst
    part = part.only(apart)
    way = _way_round(part)
    cut = _cut(part)
    real = nodes.tolist()
    return Circle(
        real,
        [real[node] for node in way],
        len(set(zip(part.src.tolist(), part.dst.tolist(), strict=True))),
        cut._replace(src=real[cut.src], dst=real[cut.dst]),
    )


def _way_round(part: Graph) -> list[int]:
    """Return the shortest cycle through one of the nodes that are tried."""
    degree = np.bincount(part.src, minlength=part.size) + np.bincount(part.dst, minlength=part.size)
    best: list[int] = []
    for start in np.argsort(degree, kind="stable")[:MOST_TRIED].tolist():
        most = len(best) - 1 if best else part.size
        walk = breadth_first(part, [start], most_depth=max(most - 1, 1))
        # The nearest node that leads back closes the way.
        back = part.incoming.ends[part.incoming.starts[start] : part.incoming.starts[start + 1]]
        closing = [node for node in back.tolist() if walk.depth[node] > 0]
        if not closing:
            continue
        node = min(closing, key=lambda each: (int(walk.depth[each]), each))
        way = [node]
        while way[-1] != start:
            way.append(int(walk.parent[way[-1]]))
        if not best or len(way) < len(best):
            best = way[::-1]
        if len(best) == 2:
            break
    return best


def _cut(part: Graph) -> Cut:
    """Return the weakest link whose removal leaves the smallest cycles."""
    pairs: dict[tuple[int, int], float] = {}
    for src, dst, weight in zip(part.src.tolist(), part.dst.tolist(), part.weights.tolist(), strict=True):
        pairs[src, dst] = pairs.get((src, dst), 0.0) + weight
    weakest = sorted(pairs.items(), key=lambda row: (row[1], row[0]))[:MOST_CUTS]
    cuts = []
    for (src, dst), weight in weakest:
        rest = part.only((part.src != src) | (part.dst != dst))
        cuts.append(Cut(src, dst, weight, int(np.bincount(strong_components(rest)).max())))
        if cuts[-1].left == 1:
            break
    return min(cuts, key=lambda cut: cut.left)
