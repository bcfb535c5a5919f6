"""The graph in bulk: read in columns, followed by the log, and how central its nodes are kept beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recollect.model import Change, Edge, Memory, Node
from recollect.store.sql import Store
from recollect.store.store_values import Range, Strength

NEEDS_SEARCH = True

OpenStore = Callable[[], Store]


def put(store: Store, *records: Any) -> None:
    with store.transaction("test") as transaction:
        for record in records:
            transaction.insert(record)


def node(name: str, **fields: Any) -> Node:
    return Node(id=name, kind=fields.pop("kind", "File"), **fields)


def edge(name: str, src: str, dst: str, **fields: Any) -> Edge:
    return Edge(id=name, src=src, dst=dst, relationship=fields.pop("relationship", "CALLS"), **fields)


def strength(name: str, whole: float = 0.5, **parts: float) -> Strength:
    return Strength(name, whole, **{"pagerank": 0.4, "betweenness": 0.3, "degree": 0.2, "cluster": 0.1} | parts)


@pytest.fixture
def linked(store: Store) -> Store:
    put(store, node("a", namespace="app"), node("b"), node("c"))
    put(
        store,
        edge("1", "b", "a"),
        edge("2", "a", "b", relationship="IMPORTS", weight=0.25),
        edge("3", "a", "a", weight=0.0),
        edge("4", "a", "b", relationship="IMPORTS"),
        edge("5", "c", "a", relationship="RELATES_TO", weight=1e-9),
    )
    return store


# --- reading ---


def test_columns_are_fields_of_rows_as_they_are_kept(linked: Store) -> None:
    assert sorted(linked.columns(Node, ("id", "namespace"))) == [("a", "app"), ("b", None), ("c", None)]
    assert linked.columns(Node, ("kind",), {"namespace": "app"}) == [("File",)]
    assert len(linked.columns(Edge, ("src",), limit=2)) == 2
    assert linked.columns(Node, ("id",), {"id": ()}) == []
    with pytest.raises(ValueError, match="no field"):
        linked.columns(Node, ("id", "colour"))


# --- following ---


def test_the_generation_stays_while_the_graph_does(linked: Store, open_store: OpenStore) -> None:
    before = linked.graph_generation()
    assert open_store().graph_generation() == before
    linked.put_strengths([strength("a")])
    assert linked.graph_generation() == before
    put(linked, edge("6", "a", "c"))
    logged = linked.graph_generation()
    assert logged[0] == before[0]
    assert logged[1] > before[1]
    linked.graph_written()
    assert linked.graph_generation() == (logged[0] + 1, logged[1])


def test_changes_of_the_graph_are_told_apart_from_others(linked: Store) -> None:
    since = linked.graph_generation()[1]
    put(linked, Memory(id="m", content="x"), node("d"), edge("6", "d", "a"))
    with linked.transaction("test") as transaction:
        transaction.update(Edge, "6", {"weight": 0.5})
        transaction.delete(Node, {"id": "d"})
    changes = linked.graph_changes(since, 100)
    told = [(change.entity, change.entity_id, change.action) for change in changes]
    assert told == [
        ("graph_nodes", "d", "insert"),
        ("graph_edges", "6", "insert"),
        ("graph_edges", "6", "update"),
        ("graph_edges", "6", "delete"),
        ("graph_nodes", "d", "delete"),
    ]
    assert changes[3].before is not None
    assert changes[3].before["src"] == "d"
    assert linked.graph_changes(since, 2) == changes[:2]
    assert linked.graph_changes(changes[-1].seq, 100) == []


# --- how central nodes are ---


def test_strengths_are_kept_with_the_node_beside_its_own_payload(linked: Store) -> None:
    with linked.transaction("test") as transaction:
        transaction.update(Node, "a", {"payload": {"path": "a.py"}})
    before = linked.count(Change)
    assert linked.put_strengths([strength("a", 0.75), strength("nowhere")]) == 1
    found = linked.get(Node, ["a"])[0]
    parts = {"pagerank": 0.4, "betweenness": 0.3, "degree": 0.2, "cluster": 0.1}
    assert (found.centrality, found.payload) == (0.75, {"path": "a.py", "centrality": parts})
    assert linked.count(Change) == before


def test_strengths_of_very_many_nodes_are_kept(store: Store) -> None:
    put(store, *(node(f"n{number}") for number in range(1200)))
    assert store.put_strengths(strength(f"n{number}", number / 1200) for number in range(1200)) == 1200
    assert store.count(Node, {"centrality": Range(at_least=0.5)}) == 600


def test_an_update_that_does_not_name_them_keeps_them_and_is_none_if_nothing_else_changes(linked: Store) -> None:
    linked.put_strengths([strength("a")])
    with linked.transaction("test") as transaction:
        unchanged = transaction.update(Node, "a", {"payload": {}})
        changed = transaction.update(Node, "a", {"payload": {"path": "b.py"}})
    assert unchanged.rev == 1
    assert changed.rev > 1
    assert changed.payload["path"] == "b.py"
    assert changed.payload["centrality"]["pagerank"] == 0.4
    assert linked.get(Node, ["a"]) == [changed]


def test_an_undo_does_not_mind_that_they_were_made_anew(linked: Store) -> None:
    with linked.transaction("first", batch="first") as transaction:
        transaction.update(Node, "a", {"label": "A"})
    linked.put_strengths([strength("a", 0.1)])
    with linked.transaction("second", batch="second") as transaction:
        transaction.update(Node, "a", {"payload": {"path": "b.py"}})
    linked.put_strengths([strength("a", 0.9, pagerank=1.0)])
    for batch in ("second", "first"):
        with linked.transaction(f"undo {batch}") as transaction:
            assert transaction.undo(batch) == 1
    found = linked.get(Node, ["a"])[0]
    assert (found.label, found.centrality) == (None, 0.9)
    parts = {"pagerank": 1.0, "betweenness": 0.3, "degree": 0.2, "cluster": 0.1}
    assert found.payload == {"centrality": parts}
