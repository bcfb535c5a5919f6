"""View: nodes and links of the graph as answers show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from recollect.engine.code_nodes import code_nodes, is_code
from recollect.engine.memories import headline
from recollect.model import NODE_KINDS, RELATIONS, Memory, Node, NodeKind, Relation
from recollect.model.graph_answer import NodeView, Step

if TYPE_CHECKING:
    from recollect.graph.arrays import Graph
    from recollect.store.code_protocol import CodeStore
    from recollect.store.protocol import Store


def node_views(store: Store, graph: Graph, numbers: Iterable[int]) -> dict[int, NodeView]:
    """Return nodes by their number, memories under what they are called now."""
    wanted = sorted(set(numbers))
    ids = [graph.points.ids[number] for number in wanted]
    labels = {row[0]: row[1] for chunk in _pieces(ids) for row in store.columns(Node, ("id", "label"), {"id": chunk})}
    memory_ids = [memory_id for number in wanted if (memory_id := _own_memory(graph, number)) is not None]
    called = {memory.id: headline(memory) for memory in store.get(Memory, memory_ids)}
    code = code_nodes(cast("CodeStore", store), ids) if any(map(is_code, ids)) else {}
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


def _kind(graph: Graph, number: int) -> NodeKind:
    """Return the kind of a node; one that a newer version made is shown as a module, the least specific."""
    code = int(graph.points.kinds[number])
    return cast(NodeKind, NODE_KINDS[code]) if code < len(NODE_KINDS) else "Module"


def _own_memory(graph: Graph, number: int) -> str | None:
    """Return the memory that a node stands for, if it does; a file may point at one without being it."""
    return graph.points.memory_ids[number] if _kind(graph, number) == "Memory" else None


def _pieces(ids: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Yield ids some at a time, as many as one statement may ask for."""
    return (tuple(ids[start : start + 500]) for start in range(0, len(ids), 500))
