"""Hit impact: what the hits of a search are linked to, and what depends on that.

    memory ─► what it is linked with ─► the code among it ─► what depends on that code, and on the memory itself

The relationship of a link decides whether a change passes (graph/relation_semantics.py): it reaches callers, subclasses
and conclusions, but not memories that are merely related.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recollect.engine.graph.graph_view import node_views, steps
from recollect.engine.records.memory_rows import batches
from recollect.graph.arrays import KIND_CODES, Graph, Sieve
from recollect.graph.impact import impact
from recollect.graph.relation_semantics import COMPUTED
from recollect.graph.walk import Walk, breadth_first
from recollect.model import RELATIONS, Anchor, Hit, Memory, Node
from recollect.model.graph_answer import ImpactHit, LinkedNode, NodeView

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Shown of each kind, nearest or strongest first: enough to act on, few enough to read; the totals tell the rest.
SHOWN = 10

_CENTRALITY = ("pagerank", "betweenness", "degree", "cluster")


class Found(NamedTuple):
    """The surroundings of one hit, as numbers of nodes."""

    nodes: list[int]
    near: Walk
    linked: list[int]
    affected: Walk
    dependents: list[int]
    decisions: list[int]
    files: list[int]
    anchored: list[str]


def impacts(store: Store, graph: Graph, hits: Sequence[Hit], depth: int, through: Sieve) -> tuple[ImpactHit, ...]:
    """Return the hits with their links and dependents, within `depth` links."""
    ids = [hit.memory.id for hit in hits]
    anchors: dict[str, list[str]] = {}
    for anchor in store.find(Anchor, {"memory_id": tuple(ids)}) if ids else ():
        anchors.setdefault(anchor.memory_id, []).append(anchor.path)
    found = [_found(store, graph, memory_id, anchors.get(memory_id, []), depth, through) for memory_id in ids]
    shown = {number for row in found for part in (row.linked, row.dependents, row.decisions) for number in part[:SHOWN]}
    shown |= {number for row in found for number in row.files}
    views = node_views(store, graph, shown)
    kept = {node.id: node for node in store.get(Node, [graph.points.ids[n] for row in found for n in row.nodes])}
    return tuple(_impact(graph, hit, row, views, kept) for hit, row in zip(hits, found, strict=True))


def _found(store: Store, graph: Graph, memory_id: str, anchored: Sequence[str], depth: int, through: Sieve) -> Found:
    nodes = list(graph.of_memory.get(memory_id, ()))
    code = [graph.index[name] for path in anchored if (name := f"file:{path}") in graph.index]
    near = breadth_first(graph, nodes, most_depth=1, direction="both", through=through)
    linked = near.order[len(nodes) :].tolist()
    linked.sort(key=lambda number: -float(graph.weights[near.edge[number]]))
    code += [number for number in linked if not _is_memory(graph, number)]
    affected = impact(graph, [*nodes, *code], most_depth=depth, through=through)
    dependents = [number for number in affected.order.tolist() if affected.depth[number] > 0]
    files = [number for number in (*code, *dependents) if graph.points.kinds[number] == KIND_CODES["File"]]
    decisions = _decisions(store, graph, nodes, depth, through)
    return Found(nodes, near, linked, affected, dependents, decisions, files, list(anchored))


def _decisions(store: Store, graph: Graph, nodes: Sequence[int], depth: int, through: Sieve) -> list[int]:
    """Return the decisions that a memory is connected with, by links that were not computed, oldest first."""
    made = Sieve(through.nodes, _all_but_computed(through))
    near = breadth_first(graph, nodes, most_depth=depth, direction="both", through=made).order[len(nodes) :].tolist()
    number_of = {graph.points.memory_ids[number]: number for number in near if _is_memory(graph, number)}
    ids = [memory_id for memory_id in number_of if memory_id is not None]
    decisions = [
        memory for batch in batches(ids) for memory in store.find(Memory, {"id": batch, "memory_type": "decision"})
    ]
    decisions.sort(key=lambda memory: (memory.said_at, memory.seq))
    return [number_of[memory.id] for memory in decisions]


def _all_but_computed(through: Sieve) -> Any:
    table = np.ones(256, np.bool_) if through.relations is None else through.relations.copy()
    table[[RELATIONS.index(name) for name in COMPUTED]] = False
    return table


def _impact(graph: Graph, hit: Hit, found: Found, views: Mapping[int, NodeView], kept: Mapping[str, Node]) -> ImpactHit:
    central = max(
        (kept[node_id] for number in found.nodes if (node_id := graph.points.ids[number]) in kept),
        key=lambda node: node.centrality,
        default=None,
    )
    files = list(dict.fromkeys((*found.anchored, *(views[number].label for number in found.files))))
    return ImpactHit(
        hit=hit,
        centrality=central.centrality if central else 0.0,
        **_parts(central),
        linked=_links(graph, found.near, found.linked, views),
        linked_total=len(found.linked),
        dependents=_links(graph, found.affected, found.dependents, views),
        dependents_total=len(found.dependents),
        decisions=tuple(views[number] for number in found.decisions[:SHOWN]),
        decisions_total=len(found.decisions),
        files=tuple(files[:SHOWN]),
        files_total=len(files),
    )


def _parts(node: Node | None) -> dict[str, float]:
    """Return the stored parts of a node's centrality; unreadable ones are 0."""
    parts = node.payload.get("centrality") if node is not None else None
    told = parts if isinstance(parts, dict) else {}
    return {name: float(told[name]) if isinstance(told.get(name), int | float) else 0.0 for name in _CENTRALITY}


def _links(graph: Graph, walk: Walk, numbers: Sequence[int], views: Mapping[int, NodeView]) -> tuple[LinkedNode, ...]:
    return tuple(
        LinkedNode(
            node=views[number],
            hops=int(walk.depth[number]),
            via=steps(graph, [int(walk.edge[number])], int(walk.parent[number]))[0],
        )
        for number in numbers[:SHOWN]
    )


def _is_memory(graph: Graph, number: int) -> bool:
    return int(graph.points.kinds[number]) == KIND_CODES["Memory"]
