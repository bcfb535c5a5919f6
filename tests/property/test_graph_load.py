"""Whatever happens to the graph, following the log gives the graph that reading it anew gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from recollect.graph import load as loading
from recollect.graph.arrays import Graph
from recollect.graph.load import load
from recollect.model import NODE_KINDS, RELATIONS, Edge, Memory, Node
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite

NAMES = st.sampled_from([f"n{number}" for number in range(6)])
NUMBERS = st.integers(0, 9)


def contents(graph: Graph) -> Any:
    """Return what a graph says, whatever numbers its nodes have."""
    points = graph.points
    nodes = {
        name: (int(kind), points.namespaces[scope], memory_id)
        for name, kind, scope, memory_id in zip(points.ids, points.kinds, points.scopes, points.memory_ids, strict=True)
    }
    edges = sorted(
        (points.ids[src], points.ids[dst], int(relation), float(weight))
        for src, dst, relation, weight in zip(graph.src, graph.dst, graph.relations, graph.weights, strict=True)
    )
    assert graph.index == {name: number for number, name in enumerate(points.ids)}
    return nodes, edges


class FollowedGraph(RuleBasedStateMachine):
    """Nodes and edges come, change, go and come back; one graph follows, another is read anew."""

    folder: Path

    def __init__(self) -> None:
        super().__init__()
        number = len(list(self.folder.iterdir()))
        self.store = Store(Sqlite(self.folder / f"{number}.db"))
        self.followed: Graph | None = None
        self.batches: list[str] = []

    def change(self, work: Callable[[Any], object]) -> None:
        with self.store.transaction("test") as transaction:
            work(transaction)
            self.batches.append(transaction.batch)

    @rule(name=NAMES, kind=st.sampled_from(NODE_KINDS), namespace=st.sampled_from(["app", "lib", None]))
    def put_node(self, name: str, kind: Any, namespace: str | None) -> None:
        values = {"kind": kind, "namespace": namespace}
        known = bool(self.store.get(Node, [name]))
        self.change(lambda at: at.update(Node, name, values) if known else at.insert(Node(id=name, **values)))

    @rule(number=NUMBERS, name=NAMES)
    def give_it_a_memory(self, number: int, name: str) -> None:
        if self.store.get(Node, [name]) and not self.store.get(Memory, [f"m{number}"]):
            self.change(lambda at: at.insert(Memory(id=f"m{number}", content="x")))
            self.change(lambda at: at.update(Node, name, {"memory_id": f"m{number}"}))

    @rule(number=NUMBERS)
    def forget_a_memory(self, number: int) -> None:
        self.change(lambda at: at.delete(Memory, {"id": f"m{number}"}))

    @rule(
        number=NUMBERS,
        src=NAMES,
        dst=NAMES,
        relation=st.sampled_from(RELATIONS),
        weight=st.sampled_from([1.0, 0.5, 0.0]),
    )
    def put_edge(self, number: int, src: str, dst: str, relation: Any, weight: float) -> None:
        if len(self.store.get(Node, [src, dst])) < 2:
            return
        values = {"src": src, "dst": dst, "relationship": relation, "weight": weight}
        known = bool(self.store.get(Edge, [f"e{number}"]))
        self.change(
            lambda at: at.update(Edge, f"e{number}", values) if known else at.insert(Edge(id=f"e{number}", **values))
        )

    @rule(name=NAMES)
    def delete_node(self, name: str) -> None:
        self.change(lambda at: at.delete(Node, {"id": name}))

    @rule(number=NUMBERS)
    def delete_edge(self, number: int) -> None:
        self.change(lambda at: at.delete(Edge, {"id": f"e{number}"}))

    @precondition(lambda self: self.batches)
    @rule()
    def undo(self) -> None:
        batch = self.batches.pop()
        if self.store.graph_changes(0, 1):
            from recollect.errors import RecollectError

            try:
                with self.store.transaction("undo") as transaction:
                    transaction.undo(batch)
            except RecollectError:
                return

    @rule()
    def write_past_the_log(self) -> None:
        self.store.graph_written()

    @rule()
    def follow(self) -> None:
        self.followed = load(self.store, self.followed)

    @invariant()
    def following_gives_what_reading_gives(self) -> None:
        if self.followed is None:
            return
        before = contents(self.followed)
        now = load(self.store, self.followed)
        assert contents(now) == contents(load(self.store))
        assert now.seen == self.store.graph_generation()
        if now is not self.followed:
            assert contents(self.followed) == before, "a graph that is held must not change"

    def teardown(self) -> None:
        self.store.close()


@pytest.mark.parametrize("most", [loading.MAX_FOLLOWED, 0], ids=["followed", "read anew"])
def test_following_gives_what_reading_gives(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_FOLLOWED", most)
    machine = type("Machine", (FollowedGraph,), {"folder": tmp_path})
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(machine, settings=settings(max_examples=40 if most else 5, stateful_step_count=25))
