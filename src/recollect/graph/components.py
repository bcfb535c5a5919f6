"""Connected and strongly connected components, topological order, and cycles with the cheapest link to cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.graph.arrays import Graph, Places, Rows, Sieve, ordered, row_starts
from recollect.graph.walk import breadth_first


def components(graph: Graph) -> Places:
    """Return the connected component of each node, numbered by their first nodes."""
    return joined(graph.src, graph.dst, graph.size)


def joined(one: NDArray[np.integer], other: NDArray[np.integer], size: int) -> Places:
    """Return the component of each of `size` nodes when these pairs are linked.

    Every node points at a node of its component with a lower number; the roots of a pair are joined and the chains of
    pointers halved until nothing moves, which takes about log(size) rounds.
    """
    root = np.arange(size)
    left, right = one.astype(np.int64), other.astype(np.int64)
    while len(left):
        low, high = np.minimum(root[left], root[right]), np.maximum(root[left], root[right])
        apart = low != high
        left, right, low, high = left[apart], right[apart], low[apart], high[apart]
        np.minimum.at(root, high, low)
        while True:
            farther = root[root]
            if np.array_equal(farther, root):
                break
            root = farther
    return np.unique(root, return_inverse=True)[1]


def strong_components(graph: Graph) -> Places:
    """Return the strongly connected component of each node (Tarjan, without recursion).

    Numbered in reverse topological order: no edge leads to a component with a higher number.
    """
    starts, ends = graph.outgoing.starts.tolist(), graph.outgoing.ends.tolist()
    # A node's number is the order it was seen in; `low` is the lowest number it is known to reach.
    number, low, circle = [-1] * graph.size, [-1] * graph.size, [-1] * graph.size
    waiting: list[int] = []  # seen, but not in a circle yet
    seen = circles = 0
    for root in range(graph.size):
        branch = [root] if number[root] < 0 else []
        looked_at = {root: starts[root]}
        while branch:
            node = branch[-1]
            if number[node] < 0:
                number[node] = low[node] = seen
                seen += 1
                waiting.append(node)
            place = looked_at[node]
            if place < starts[node + 1]:
                looked_at[node] = place + 1
                target = ends[place]
                if number[target] < 0:
                    looked_at[target] = starts[target]
                    branch.append(target)
                elif circle[target] < 0:
                    low[node] = min(low[node], number[target])
                continue
            branch.pop()
            if branch:
                low[branch[-1]] = min(low[branch[-1]], low[node])
            if low[node] == number[node]:
                circles += _close(waiting, node, circle, circles)
    return np.array(circle, np.int64)


def _close(waiting: list[int], node: int, circle: list[int], number: int) -> int:
    """Number the component that `node` closes; return how many components that is."""
    while circle[node] < 0:
        circle[waiting.pop()] = number
    return 1


def layers(graph: Graph) -> Places:
    """Return the topological layer of each node: 0 without incoming edges.

    Nodes of a cycle share a layer; edges within it do not count.
    """
    circle = strong_components(graph)
    count = int(circle.max()) + 1 if graph.size else 0
    src, dst = circle[graph.src], circle[graph.dst]
    between = src != dst
    src, dst = src[between], dst[between]
    waiting = np.bincount(dst, minlength=count)
    order = ordered(src)
    rows = Rows(row_starts(src, count), dst[order].astype(np.int32), order)
    layer = np.zeros(count, np.int64)
    ready, height = np.flatnonzero(waiting == 0), 0
    while len(ready):
        layer[ready] = height
        height += 1
        reached = rows.ends[rows.leaving(ready)[1]]
        np.subtract.at(waiting, reached, 1)
        candidates = np.unique(reached).astype(np.int64)
        ready = candidates[waiting[candidates] == 0]
    return layer[circle]


# --- cycles ---

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
