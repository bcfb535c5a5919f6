"""How much each node matters: by its links, by the importance of who links to it, by how many ways lead through it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import RELATION_CODES, Floats, Graph, Ints, Places, ordered, row_starts

# The share of a walker's steps that follow a link; the rest start anew. The value everybody uses.
DAMPING = 0.85
# Ranks sum to 1 and are final when a round moves less than this in all: ten digits below what any answer shows.
TOLERANCE = 1e-9
# With this damping a round leaves at most 85 % of the distance, so 130 rounds are enough for any graph.
MOST_ROUNDS = 130

# Betweenness may look at this many edges, about 0.1 s: enough for every source of a graph of 500 nodes and 2,000 edges.
# A larger graph is estimated from a sample of its sources.
LOOKS = 2_000_000
# The least number of sampled sources, however many edges there are: enough to tell the bridges from the rest.
LEAST_SOURCES = 64
# Nodes times sources that are walked at once: few enough to stay in the processor's cache.
BATCH_CELLS = 1 << 18


class Arcs(NamedTuple):
    """Directed links as they pass importance on, ordered by where they lead."""

    size: int
    src: Ints
    dst: Ints
    weights: Floats


def arcs(graph: Graph, *, both_ways: Collection[str] = ()) -> Arcs:
    """Return the links of a graph, those of the relationships named in `both_ways` in both directions.

    A link from a node to itself passes nothing on and is left out.
    """
    apart = np.flatnonzero(graph.src != graph.dst)
    src, dst, weights = graph.src[apart], graph.dst[apart], graph.weights[apart]
    if both_ways:
        mutual = np.isin(graph.relations[apart], [RELATION_CODES[name] for name in both_ways])
        src, dst = np.concatenate((src, dst[mutual])), np.concatenate((dst, src[mutual]))
        weights = np.concatenate((weights, weights[mutual]))
    order = ordered(dst)
    return Arcs(graph.size, src[order], dst[order], weights[order])


def degrees(graph: Graph) -> Floats:
    """Return the degree centrality of every node: (incoming + outgoing edges) / (nodes - 1).

    A self loop counts twice, parallel edges each; in such graphs it can exceed 1.
    """
    counts = np.bincount(graph.src, minlength=graph.size) + np.bincount(graph.dst, minlength=graph.size)
    return counts / max(graph.size - 1, 1)


def pagerank(
    links: Arcs,
    *,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    restart: Floats | None = None,
) -> Floats:
    """Return the PageRank of every node; the ranks sum to 1.

    A walker at a node without links starts anew.

    restart: how likely a walker that starts anew does so at each node (personalised PageRank); none: all alike
    """
    if not links.size:
        return np.empty(0)
    anew = _distribution(restart, links.size)
    strength = np.bincount(links.src, weights=links.weights, minlength=links.size)
    stuck = strength <= 0
    # What a link passes on of its source's rank; a link without strength passes nothing, even where all are such.
    share = links.weights / np.where(stuck, 1.0, strength)[links.src]
    starts = row_starts(links.dst, links.size)
    reached = np.flatnonzero(starts[1:] > starts[:-1])
    first = starts[reached]
    rank = anew.copy()
    for _ in range(MOST_ROUNDS):
        fresh = (damping * float(rank[stuck].sum()) + 1 - damping) * anew
        if len(reached):
            fresh[reached] += damping * np.add.reduceat(share * rank[links.src], first)
        moved = float(np.abs(fresh - rank).sum())
        rank = fresh
        if moved < tolerance:
            break
    return rank


def _distribution(restart: Floats | None, size: int) -> Floats:
    """Return where walkers start anew, as shares that sum to 1; without a hint, anywhere."""
    if restart is None:
        return np.full(size, 1 / size)
    wanted = np.clip(np.nan_to_num(restart.astype(np.float64), nan=0.0, posinf=0.0), 0.0, None)
    total = float(wanted.sum())
    return wanted / total if total > 0 else np.full(size, 1 / size)


def betweenness(starts: Places, ends: Ints, *, sources: Places | None = None) -> Floats:
    """Return the share of shortest paths that lead through each node: exact in a small graph, estimated in a large one.

    starts, ends: the graph as compressed rows, without self loops and parallel edges
    sources: the nodes whose paths are counted; none: those of `sampled_sources`
    """
    size = len(starts) - 1
    through = np.zeros(size)
    if size < 3 or not len(ends):
        return through
    chosen = sampled_sources(size, len(ends)) if sources is None else sources
    at_once = max(1, BATCH_CELLS // size)
    for begin in range(0, len(chosen), at_once):
        through += _passing(starts, ends, chosen[begin : begin + at_once])
    return through * (size / len(chosen)) / ((size - 1) * (size - 2))


def sampled_sources(size: int, edges: int, *, looks: int = LOOKS, seed: int = 0) -> Places:
    """Return the nodes whose paths are counted: all that `looks` at edges allow, the same ones each time."""
    affordable = max(LEAST_SOURCES, looks // max(edges, 1))
    if affordable >= size:
        return np.arange(size)
    return np.sort(np.random.default_rng(seed).choice(size, affordable, replace=False))


def _passing(starts: Places, ends: Ints, sources: Places) -> Floats:
    """Return, per node, how many shortest paths from the sources pass it, each counted by the share it has (Brandes).

    All sources are walked at once: cell `s * size + n` belongs to node n on the walk from the s-th source.
    """
    size = len(starts) - 1
    cells = len(sources) * size
    ways = np.zeros(cells)
    reached = np.zeros(cells, np.bool_)
    latest = np.empty(cells, np.int64)
    ring = np.arange(len(sources)) * size + sources
    ways[ring] = 1.0
    reached[ring] = True
    rings: list[tuple[Places, Places]] = []
    while len(ring):
        nodes = ring % size
        counts = starts[nodes + 1] - starts[nodes]
        before = np.cumsum(counts) - counts
        places = np.arange(int(counts.sum())) + np.repeat(starts[nodes] - before, counts)
        heads = ends[places] + np.repeat(ring - nodes, counts)
        fresh = np.flatnonzero(~reached[heads])
        heads, tails = heads[fresh], np.repeat(ring, counts)[fresh]
        if not len(heads):
            break
        np.add.at(ways, heads, ways[tails])
        numbers = np.arange(len(heads))
        latest[heads] = numbers
        ring = heads[latest[heads] == numbers]
        reached[ring] = True
        rings.append((heads, tails))
    leaning = np.zeros(cells)
    for heads, tails in reversed(rings):
        np.add.at(leaning, tails, ways[tails] * ((1 + leaning[heads]) / ways[heads]))
    leaning[np.arange(len(sources)) * size + sources] = 0.0
    passing: Floats = leaning.reshape(len(sources), size).sum(axis=0)
    return passing
