"""Graph view: nodes, links and communities of the graph as answers show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from recollect.engine.graph.code_nodes import code_nodes, is_code
from recollect.engine.records.memory_rows import batches, headline
from recollect.graph.communities import communities, modularity
from recollect.graph.rank import arcs, pagerank
from recollect.graph.relation_semantics import MUTUAL
from recollect.model import NODE_KINDS, RELATIONS, Memory, Node, NodeKind, Relation
from recollect.model.graph_answer import Cluster, Clusters, NodeView, Step

if TYPE_CHECKING:
    from recollect.graph.arrays import Graph
    from recollect.store.sql import Store

# Members of a cluster that are shown, the most important ones: what it is about.
SHOWN_MEMBERS = 8


def node_views(store: Store, graph: Graph, numbers: Iterable[int]) -> dict[int, NodeView]:
    """Return nodes by their number, memories under what they are called now."""
    wanted = sorted(set(numbers))
    ids = [graph.points.ids[number] for number in wanted]
    labels = {row[0]: row[1] for chunk in batches(ids) for row in store.columns(Node, ("id", "label"), {"id": chunk})}
    memory_ids = [memory_id for number in wanted if (memory_id := _own_memory(graph, number)) is not None]
    called = {memory.id: headline(memory) for memory in store.get(Memory, memory_ids)}
    code = code_nodes(store, ids) if any(map(is_code, ids)) else {}
    views: dict[int, NodeView] = {}
    for number, node_id in zip(wanted, ids, strict=True):
        scope = graph.points.namespaces[int(graph.points.scopes[number])]
        place = code.get(node_id)
        label = called.get(_own_memory(graph, number) or "") or labels.get(node_id)
        if place is not None:
            label = place.symbol.qualified if place.symbol else place.file.path
        views[number] = NodeView(
            id=node_id,
            kind=_kind(graph, number),
            label=label or node_id.partition(":")[2],
            namespace=scope,
            memory_id=graph.points.memory_ids[number],
            path=place.file.path if place else None,
            line=place.line if place else None,
        )
    return views


def steps(graph: Graph, edges: Sequence[int], start: int) -> tuple[Step, ...]:
    """Return the links of a way that begins at a node."""
    way: list[Step] = []
    at = start
    for edge in edges:
        src, dst = int(graph.src[edge]), int(graph.dst[edge])
        forwards = src == at
        way.append(
            Step(
                src=graph.points.ids[src],
                relationship=cast(Relation, RELATIONS[int(graph.relations[edge])]),
                dst=graph.points.ids[dst],
                weight=float(graph.weights[edge]),
                forwards=forwards,
            )
        )
        at = dst if forwards else src
    return tuple(way)


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


def _kind(graph: Graph, number: int) -> NodeKind:
    """Return the kind of a node; a kind of a newer version is shown as a module."""
    code = int(graph.points.kinds[number])
    return cast(NodeKind, NODE_KINDS[code]) if code < len(NODE_KINDS) else "Module"


def _own_memory(graph: Graph, number: int) -> str | None:
    """Return the memory that a node represents; None for other nodes, even if they refer to one."""
    return graph.points.memory_ids[number] if _kind(graph, number) == "Memory" else None
