"""Importance of nodes: PageRank, betweenness, centrality of memories, importance of code.

    centrality = 40 % PageRank + 30 % betweenness + 20 % degree + 10 % cluster   (document 002, each part from 0 to 1)

    PageRank      links from important nodes; 0 for a node without incoming links
    betweenness   the share of shortest paths through it
    degree        the number of nodes it is linked with
    cluster       the share of its link weight inside its community; a pair is no community

Each part is relative to the highest of its namespace: projects share a database, and the hub of a large one must not
make every node of a small one look unimportant.

Importance of code is a PageRank that restarts in the files in focus, in recently edited files, and anywhere. A link
passes importance from the caller to the code that it uses, in proportion to its confidence. Importance from restarts
alone does not count: the user knows the files in focus already.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import Flags, Floats, Graph, Ints, Places, entries, ordered, row_starts
from recollect.graph.communities import communities
from recollect.graph.project import USES, Project
from recollect.graph.relation_semantics import MUTUAL

# The share of a walker's steps that follow a link; the others restart. The usual value.
DAMPING = 0.85
# Ranks sum to 1 and are final when a round moves less than this in all: ten digits below what any answer shows.
TOLERANCE = 1e-9
# With this damping a round leaves at most 85 % of the distance, so 130 rounds are enough for any graph.
MOST_ROUNDS = 130

# Betweenness may read this many edges, about 0.1 s: enough for every source of a graph of 500 nodes and 2,000 edges.
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
    """Return the links of a graph; those of `both_ways` in both directions.

    A link from a node to itself passes nothing on and is left out.
    """
    apart = np.flatnonzero(graph.src != graph.dst)
    src, dst, weights = graph.src[apart], graph.dst[apart], graph.weights[apart]
    if both_ways:
        mutual = graph.related_by(both_ways)[apart]
        src, dst = np.concatenate((src, dst[mutual])), np.concatenate((dst, src[mutual]))
        weights = np.concatenate((weights, weights[mutual]))
    order = ordered(dst)
    return Arcs(graph.size, src[order], dst[order], weights[order])


def pagerank(links: Arcs, *, damping: float = DAMPING, restart: Floats | None = None) -> Floats:
    """Return the PageRank of every node; the ranks sum to 1.

    A walker at a node without links restarts.

    restart: the probability of a restart at each node (personalised PageRank); default: all nodes alike
    """
    if not links.size:
        return np.empty(0)
    restarts = _distribution(restart, links.size)
    strength = np.bincount(links.src, weights=links.weights, minlength=links.size)
    stuck = strength <= 0
    # What a link passes on of its source's rank; a link without strength passes nothing, even where all are such.
    share = links.weights / np.where(stuck, 1.0, strength)[links.src]
    starts = row_starts(links.dst, links.size)
    reached = np.flatnonzero(starts[1:] > starts[:-1])
    first = starts[reached]
    rank = restarts.copy()
    for _ in range(MOST_ROUNDS):
        fresh = (damping * float(rank[stuck].sum()) + 1 - damping) * restarts
        if len(reached):
            fresh[reached] += damping * np.add.reduceat(share * rank[links.src], first)
        moved = float(np.abs(fresh - rank).sum())
        rank = fresh
        if moved < TOLERANCE:
            break
    return rank


def _distribution(restart: Floats | None, size: int) -> Floats:
    """Return the restart probabilities, which sum to 1; without a hint, all alike."""
    if restart is None:
        return np.full(size, 1 / size)
    wanted = np.clip(np.nan_to_num(restart.astype(np.float64), nan=0.0, posinf=0.0), 0.0, None)
    total = float(wanted.sum())
    return wanted / total if total > 0 else np.full(size, 1 / size)


def betweenness(starts: Places, ends: Ints, *, sources: Places | None = None) -> Floats:
    """Return the betweenness of each node: exact in a small graph, else estimated.

    starts, ends: the graph as compressed rows, without self loops and parallel edges
    sources: the nodes whose paths are counted; default: those of `sampled_sources`
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


def sampled_sources(size: int, edges: int) -> Places:
    """Return the source nodes for which LOOKS is enough, always the same."""
    affordable = max(LEAST_SOURCES, LOOKS // max(edges, 1))
    if affordable >= size:
        return np.arange(size)
    return np.sort(np.random.default_rng(0).choice(size, affordable, replace=False))


def _passing(starts: Places, ends: Ints, sources: Places) -> Floats:
    """Return the shortest paths through each node from the sources (Brandes).

    All sources are walked at once: cell `s * size + n` belongs to node n on the walk from the s-th source.
    """
    size = len(starts) - 1
    cells = len(sources) * size
    ways = np.zeros(cells)
    reached = np.zeros(cells, np.bool_)
    latest = np.empty(cells, np.int64)
    ring: Places = np.arange(len(sources)) * size + sources
    ways[ring] = 1.0
    reached[ring] = True
    rings: list[tuple[Places, Places]] = []
    while len(ring):
        nodes = ring % size
        owners, places = entries(starts, nodes)
        heads: Places = ends[places] + (ring - nodes)[owners]
        fresh = np.flatnonzero(~reached[heads])
        heads, tails = heads[fresh], ring[owners[fresh]]
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


# --- centrality ---

PARTS: dict[str, float] = {"pagerank": 0.4, "betweenness": 0.3, "degree": 0.2, "cluster": 0.1}

# Digits that are kept: what differs less does not change an order, and need not be written again.
CENTRALITY_DIGITS = 4


class Strengths(NamedTuple):
    """The centrality and the community of every node of a graph."""

    whole: Floats
    parts: dict[str, Floats]
    community: Places


def strengths(graph: Graph) -> Strengths:
    """Return the strength of every node; a node without links has none."""
    links = graph.undirected
    community = communities(links)
    flow = arcs(graph, both_ways=MUTUAL)
    measured = {
        "pagerank": _above_unlinked(flow, pagerank(flow)),
        "betweenness": betweenness(links.starts, links.ends),
        "degree": np.diff(links.starts).astype(np.float64),
        "cluster": _rooted(graph, community),
    }
    parts = {name: np.round(_relative(values, graph), CENTRALITY_DIGITS) for name, values in measured.items()}
    whole = np.zeros(graph.size)
    for name, share in PARTS.items():
        whole += share * parts[name]
    return Strengths(np.round(whole, CENTRALITY_DIGITS), parts, community)


def _above_unlinked(flow: Arcs, rank: Floats) -> Floats:
    """Return by how much each rank exceeds that of a node without incoming links."""
    stuck = np.bincount(flow.src, weights=flow.weights, minlength=flow.size) <= 0
    unlinked = (1 - DAMPING + DAMPING * float(rank[stuck].sum())) / max(flow.size, 1)
    # A thousandth of it is rounding of the last round.
    above = rank - unlinked
    return np.where(above > unlinked / 1000, above, 0.0)


def _rooted(graph: Graph, community: Places) -> Floats:
    """Return the share of link weight inside the community, lower in small communities."""
    links = graph.undirected
    owners = np.repeat(np.arange(graph.size), np.diff(links.starts))
    inside = community[owners] == community[links.ends]
    kept = np.bincount(owners[inside], weights=links.weights[inside], minlength=graph.size)
    every = np.bincount(owners, weights=links.weights, minlength=graph.size)
    size = np.bincount(community, minlength=1)[community] if graph.size else np.empty(0)
    return kept / np.where(every > 0, every, 1.0) * np.maximum(1 - 2 / np.maximum(size, 1), 0.0)


def _relative(values: Floats, graph: Graph) -> Floats:
    """Return values as shares of the highest in the node's namespace."""
    highest = np.zeros(len(graph.points.namespaces))
    np.maximum.at(highest, graph.points.scopes, values)
    return values / np.where(highest > 0, highest, 1.0)[graph.points.scopes]


# --- importance of code ---

# How much goes back from what is used to what uses it, where something is in focus: its users matter, too.
BACKWARDS = 0.2
# Where walkers restart: in the focus, in recently edited files, and anywhere.
IN_FOCUS, EDITED, ANYWHERE = 0.7, 0.15, 0.15


class Seen(NamedTuple):
    """The files and nodes in focus, recently edited files, and tests, by number."""

    focus: frozenset[int] = frozenset()
    edited: frozenset[int] = frozenset()
    tests: frozenset[int] = frozenset()
    nodes: frozenset[int] = frozenset()


def importance(found: Project, seen: Seen, relations: Collection[str] = USES) -> Floats:
    """Return the importance of every node; at most 1 in all."""
    graph = found.graph
    if not graph.size:
        return np.empty(0)
    restart = _restart(found, seen)
    rank = pagerank(_use_arcs(found, seen, relations), restart=restart)
    return np.asarray(np.maximum(rank - (1 - DAMPING) * restart, 0.0), np.float64)


def file_shares(found: Project, importances: Floats) -> dict[int, float]:
    """Return the importance of each file, with its symbols, as a share of all."""
    numbers, place = np.unique(found.files, return_inverse=True)
    sums = np.bincount(place, weights=importances, minlength=len(numbers))
    whole = float(sums.sum()) or 1.0
    return dict(zip(numbers.tolist(), (sums / whole).tolist(), strict=True))


def _in(found: Project, files: Collection[int]) -> Flags:
    return np.isin(found.files, np.array(sorted(files), np.int64))


def _restart(found: Project, seen: Seen) -> Floats:
    parts: tuple[tuple[float, Flags], ...] = (
        (ANYWHERE, ~_in(found, seen.tests)),
        (EDITED, _in(found, seen.edited)),
        (IN_FOCUS, _in(found, seen.focus) | np.isin(np.arange(found.graph.size), sorted(seen.nodes))),
    )
    restart = np.zeros(found.graph.size)
    for share, nodes in parts:
        if nodes.any():
            restart[nodes] += share / int(nodes.sum())
    whole = float(restart.sum())
    return restart / whole if whole else np.full(len(restart), 1 / len(restart))


def _use_arcs(found: Project, seen: Seen, relations: Collection[str]) -> Arcs:
    graph = found.graph
    is_use = graph.related_by(relations) & (graph.src != graph.dst)
    src, dst, weights = graph.src[is_use], graph.dst[is_use], graph.weights[is_use]
    if seen.focus or seen.nodes:
        src, dst = np.concatenate((src, dst)), np.concatenate((dst, src))
        weights = np.concatenate((weights, BACKWARDS * weights))
    order = ordered(dst)
    return Arcs(graph.size, src[order], dst[order], weights[order])
