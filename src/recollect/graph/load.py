"""Loads the graph from the store, and updates it by the log of changes.

    nothing read yet, written past the log, or many changes           read every node and edge
    some changes                                                      read the changed nodes, and all edges of the
                                                                      nodes at which a changed edge starts or started
    none                                                              the same graph

Edges are not numbered here. A changed edge is found by the node at which it starts.

The tables of the graph do not hold code (docs/adr/0007). code_graph.py reads it, and this module joins it by node ids:
the row that links a memory with a symbol, and the symbol itself, become one node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from recollect.graph.arrays import KIND_CODES, RELATION_CODES, Graph, Ints, Links, Points
from recollect.graph.code_graph import Across, CodePart, load_code
from recollect.model import Change, Edge, Node

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Following a change costs up to ten times as much as reading an edge; beyond this many, all of it is read again.
MAX_FOLLOWED = 5_000

# A kind that this version does not know passes no filter by kind.
UNKNOWN_KIND = 255

# Kinds by name, and codes by themselves: a row is as the store has it or as the arrays had it.
_KINDS: dict[object, int] = {**dict(KIND_CODES.items()), **{code: code for code in KIND_CODES.values()}}

_NODE_FIELDS = ("id", "kind", "namespace", "memory_id")
# In the order of their last change.
_EDGE_FIELDS = ("rev", "id", "src", "dst", "relationship", "weight")
_EDGES = "graph_edges"


def load(store: Store, known: Graph | None = None, across: Across | None = None) -> Graph:
    """Return the current graph, made from an earlier one where that is cheaper.

    across: finds the links from one tree to another
    """
    with store.snapshot():
        rows = load_rows(store, known.rows if known is not None else None)
        code = load_code(store, known.code if known is not None else None, across)
    if known is not None and rows is known.rows and code is known.code:
        known.seen = rows.seen
        return known
    return rows if code is None else _with_code(rows, code)


def load_rows(store: Store, known: Graph | None = None) -> Graph:
    """Return the graph without code: memories, and what they were linked with."""
    with store.snapshot():
        now = store.graph_generation()
        if known is not None and known.seen[0] == now[0] and known.seen[1] <= now[1]:
            changes = store.graph_changes(known.seen[1], MAX_FOLLOWED + 1) if known.seen[1] < now[1] else []
            if not changes:
                known.seen = now
                return known
            if len(changes) <= MAX_FOLLOWED:
                return _followed(store, known, changes, now)
        return _read(store, now)


def _with_code(rows: Graph, code: CodePart) -> Graph:
    """Return rows and code as one graph; a common node has its memory from the row."""
    size = rows.size
    known = rows.index
    index = dict(known)
    places = np.array([index.setdefault(name, len(index)) for name in code.names[: code.size]], np.int32)
    ids = list(index)
    # What is only named by a link may still be a row: a symbol that is gone and that a memory is linked with.
    missing = np.array([known.get(name, -1) for name in code.names[code.size :]], np.int32)
    number = np.concatenate((places, missing.astype(np.int32)))
    kinds = np.concatenate((rows.points.kinds, np.zeros(len(ids) - size, np.uint8)))
    kinds[places] = code.kinds
    namespaces = list(dict.fromkeys((*rows.points.namespaces, *code.namespaces)))
    scope_of = {name: place for place, name in enumerate(namespaces)}
    scopes = np.zeros(len(ids), np.int32)
    scopes[:size] = np.array([scope_of[name] for name in rows.points.namespaces], np.int32)[rows.points.scopes]
    scopes[places] = np.array([scope_of[name] for name in code.namespaces], np.int32)[code.scopes]
    memory_ids = rows.points.memory_ids + [None] * (len(ids) - size)
    links = rows.links.joined(code.links.renumbered(number))
    graph = Graph(Points(ids, kinds, scopes, memory_ids, namespaces), links, seen=rows.seen)
    graph.index = index
    graph.rows, graph.code = rows, code
    return graph


def _read(store: Store, now: tuple[int, int]) -> Graph:
    points = _points(store.columns(Node, _NODE_FIELDS))
    index = {name: number for number, name in enumerate(points.ids)}
    graph = Graph(points, _links(store.columns(Edge, _EDGE_FIELDS), index), seen=now)
    graph.index = index
    return graph


def _points(rows: Sequence[tuple[Any, ...]]) -> Points:
    scope_of: dict[str | None, int] = {}
    return Points(
        ids=[row[0] for row in rows],
        kinds=np.array([_KINDS.get(row[1], UNKNOWN_KIND) for row in rows], np.uint8),
        scopes=np.array([scope_of.setdefault(row[2], len(scope_of)) for row in rows], np.int32),
        memory_ids=[row[3] for row in rows],
        namespaces=list(scope_of),
    )


def _links(rows: Sequence[tuple[Any, ...]], index: Mapping[str, int]) -> Links:
    """Return edges by the numbers of their nodes, in the order of their last change, without dangling ones."""
    # A relationship that this version does not know is some association.
    association = RELATION_CODES["RELATES_TO"]
    ordered = sorted(rows)
    src, dst = (np.array([index.get(row[place], -1) for row in ordered], np.int32) for place in (2, 3))
    relations = np.array([RELATION_CODES.get(row[4], association) for row in ordered], np.uint8)
    weights = np.array([row[5] for row in ordered], np.float64)
    return Links(src, dst, relations, weights).only((src >= 0) & (dst >= 0))


def _followed(store: Store, known: Graph, changes: Sequence[Change], now: tuple[int, int]) -> Graph:
    """Return the graph after the changes."""
    edges = {change.entity_id for change in changes if change.entity == _EDGES}
    sources = {str(change.before["src"]) for change in changes if change.entity == _EDGES and change.before}
    sources |= {str(src) for chunk in _pieces(edges) for (src,) in store.columns(Edge, ("src",), {"id": chunk})}
    points, number = _followed_points(store, known, {change.entity_id for change in changes} - edges)
    index = known.index if points is known.points else {name: place for place, name in enumerate(points.ids)}
    read_again = np.zeros(known.size, np.bool_)
    read_again[[known.index[name] for name in sources if name in known.index]] = True
    kept = known.links.only(~read_again[known.src]).renumbered(number)
    rows = [row for piece in _pieces(sources) for row in store.columns(Edge, _EDGE_FIELDS, {"src": piece})]
    graph = Graph(points, kept.joined(_links(rows, index)), seen=now)
    graph.index = index
    return graph


def _followed_points(store: Store, known: Graph, touched: Collection[str]) -> tuple[Points, Ints]:
    """Return the nodes after changes, and the new number of each known one (-1: gone)."""
    number = np.arange(known.size, dtype=np.int32)
    if not touched:
        return known.points, number
    rows = {row[0]: row for chunk in _pieces(touched) for row in store.columns(Node, _NODE_FIELDS, {"id": chunk})}
    before, namespaces = known.points, known.points.namespaces
    now: list[tuple[Any, ...] | None] = [
        (name, int(kind), namespaces[scope], memory_id)
        for name, kind, scope, memory_id in zip(
            before.ids, before.kinds.tolist(), before.scopes.tolist(), before.memory_ids, strict=True
        )
    ]
    for name in touched:
        if name in known.index:
            now[known.index[name]] = rows.pop(name, None)
    gone = np.array([row is None for row in now], np.bool_)
    number = (np.cumsum(~gone) - 1).astype(np.int32)
    number[gone] = -1
    return _points([*(row for row in now if row is not None), *rows.values()]), number


def _pieces(names: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield names some at a time, as many as one statement may ask for."""
    rest = iter(sorted(names))
    while piece := tuple(islice(rest, 500)):
        yield piece
