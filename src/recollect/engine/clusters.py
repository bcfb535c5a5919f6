"""Clusters: the communities of the graph as an answer shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from recollect.engine.view import node_views
from recollect.graph.arrays import Graph
from recollect.graph.communities import communities, modularity
from recollect.graph.rank import arcs, pagerank
from recollect.graph.relation_semantics import MUTUAL
from recollect.model.graph_answer import Cluster, Clusters

if TYPE_CHECKING:
    from recollect.store.protocol import Store

# Members of a cluster that are shown, the most important ones: what it is about.
SHOWN_MEMBERS = 8


def clusters_of(store: Store, graph: Graph, resolution: float, limit: int) -> Clusters:
    """Return the largest communities of two nodes or more, each with its most important members."""
    links = graph.undirected
    label = communities(links, resolution=resolution)
    sizes = np.bincount(label) if graph.size else np.empty(0, np.int64)
    total = int((sizes > 1).sum())
    ranks = pagerank(arcs(graph, both_ways=MUTUAL))
    # By community, and within each by rank: the first of a community are its most important nodes.
    order = np.lexsort((-ranks, label))
    first = np.cumsum(sizes) - sizes
    shown = [
        order[first[number] : first[number] + min(int(sizes[number]), SHOWN_MEMBERS)].tolist()
        for number in range(min(total, limit))
    ]
    views = node_views(store, graph, [node for members in shown for node in members])
    inside = _cohesion(graph, label)
    return Clusters(
        clusters=tuple(
            Cluster(
                number=number + 1,
                size=int(sizes[number]),
                cohesion=round(float(inside[number]), 4),
                members=tuple(views[node] for node in members),
            )
            for number, members in enumerate(shown)
        ),
        total=total,
        alone=int((sizes == 1).sum()),
        modularity=round(modularity(links, label, resolution=resolution), 4),
        resolution=resolution,
    )


def _cohesion(graph: Graph, label: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[float]:
    """Return the share of the weight of each community's links that stays inside it."""
    links = graph.undirected
    owners = label[np.repeat(np.arange(graph.size), np.diff(links.starts))]
    kept = owners == label[links.ends]
    count = int(label.max()) + 1 if graph.size else 0
    inside = np.bincount(owners[kept], weights=links.weights[kept], minlength=count)
    every = np.bincount(owners, weights=links.weights, minlength=count)
    shares: list[float] = (inside / np.where(every > 0, every, 1.0)).tolist()
    return shares
