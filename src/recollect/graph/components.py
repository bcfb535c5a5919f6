"""Connected components, strongly connected components, topological order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recollect.graph.arrays import Graph, Places, Rows, ordered, row_starts


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
