"""Graph strength: how much of a node's importance shows in its links, as one number and by its parts.

    strength = 40 % PageRank + 30 % betweenness + 20 % degree + 10 % cluster      (document 002, each part from 0 to 1)

    PageRank      who is linked to by what is itself important; 0 for a node nobody links to
    betweenness   how many shortest ways lead through it
    degree        how many other nodes it is linked with
    cluster       how much of its linking stays in its community; a pair is no community

Each part is relative to the highest of its namespace: projects share a database, and the hub of a large one must not
make every node of a small one look unimportant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import Floats, Graph, Places
from recollect.graph.communities import communities
from recollect.graph.meaning import MUTUAL
from recollect.graph.rank import DAMPING, Arcs, arcs, betweenness, pagerank

PARTS: dict[str, float] = {"pagerank": 0.4, "betweenness": 0.3, "degree": 0.2, "cluster": 0.1}

# Digits that are kept: what differs less does not change an order, and need not be written again.
DIGITS = 4


class Strengths(NamedTuple):
    """How central every node of a graph is, and which community it is in."""

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
    parts = {name: np.round(_relative(values, graph), DIGITS) for name, values in measured.items()}
    whole = np.zeros(graph.size)
    for name, share in PARTS.items():
        whole += share * parts[name]
    return Strengths(np.round(whole, DIGITS), parts, community)


def _above_unlinked(flow: Arcs, rank: Floats) -> Floats:
    """Return by how much each rank exceeds what a node gets that nobody links to."""
    stuck = np.bincount(flow.src, weights=flow.weights, minlength=flow.size) <= 0
    unlinked = (1 - DAMPING + DAMPING * float(rank[stuck].sum())) / max(flow.size, 1)
    # A thousandth of it is rounding of the last round.
    above = rank - unlinked
    return np.where(above > unlinked / 1000, above, 0.0)


def _rooted(graph: Graph, community: Places) -> Floats:
    """Return the share of each node's link weight that stays in its community, less the smaller the community is."""
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
