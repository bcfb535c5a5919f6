"""The code part of the graph: following changes of files, links and memories gives what reading everything gives."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.code_graph import code_links, code_nodes

from recollect.code.index.file_reader import indexed
from recollect.code.links.link_pack import Loose, Site, pack
from recollect.graph import code_graph
from recollect.graph.code_graph import CONTAINS
from recollect.graph.load import load
from recollect.model import Edge, File, Node
from recollect.store.link_rows import Links
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite

from .test_graph_load import contents

PATHS = st.sampled_from(["a.py", "b.py", "pkg/c.py", "d.py"])
NAMES = st.sampled_from(["f", "g", "h"])
LEASE_S = 600


class FollowedCode(RuleBasedStateMachine):
    """A store that is written to by everybody who can, and a graph that is brought up to date now and then."""

    folder: Path

    def __init__(self) -> None:
        super().__init__()
        number = len(list(self.folder.iterdir()))
        self.store = Store(Sqlite(self.folder / f"{number}.db"))
        self.followed: Any = None
        self.numbers = itertools.count()
        self.tree = self.store.claim_tree("/app", "app", owner="me", fingerprint="x", lease_s=LEASE_S)

    @rule(path=PATHS, names=st.lists(NAMES, max_size=4))
    def write_file(self, path: str, names: list[str]) -> None:
        source = "".join(f"def {name}():\n    pass\n" for name in names) or "x = 1\n"
        file = indexed(path, source.encode(), digest=str(next(self.numbers)))
        self.store.write_files(self.tree.id, "me", files=[file], lease_s=LEASE_S)

    @rule(path=PATHS)
    def remove_file(self, path: str) -> None:
        self.store.write_files(self.tree.id, "me", gone=[path], lease_s=LEASE_S)

    @rule(path=PATHS, sites=st.lists(st.tuples(NAMES, PATHS, NAMES, st.sampled_from(["CALLS", "IMPORTS"])), max_size=4))
    def link_file(self, path: str, sites: list[tuple[str, str, str, str]]) -> None:
        for file in self.store.find(File, {"path": path}):
            found = [Site(src, f"s{at}::{dst}", how, 1, 0, "test", 0.5) for src, at, dst, how in sites]
            rows = [Links(file.id, str(next(self.numbers)), *pack(found, Loose([], [], [])))]
            self.store.put_links(self.tree.id, "me", rows, lease_s=LEASE_S)

    @rule(path=PATHS, name=NAMES)
    def link_a_memory(self, path: str, name: str) -> None:
        symbol = f"sym:/app/{path}::{name}"
        with self.store.transaction("test") as transaction:
            for row in (Node(id="mem:m", kind="Memory"), Node(id=symbol, kind="Function", namespace="app")):
                if not transaction.get(Node, [row.id]):
                    transaction.insert(row)
            number = str(next(self.numbers))
            transaction.insert(Edge(id=number, src="mem:m", dst=symbol, relationship="EXPLAINS"))

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
        if now is not self.followed:
            assert contents(self.followed) == before, "a graph that is held must not change"

    @invariant()
    def all_code_is_there_once(self) -> None:
        graph = load(self.store)
        ids = graph.points.ids
        assert len(ids) == len(set(ids))
        there = {row[0] for row in code_nodes(self.store)} | {node.id for node in self.store.find(Node)}
        assert there == set(ids)
        contained = {
            (ids[src], ids[dst])
            for src, dst, relation in zip(graph.src.tolist(), graph.dst.tolist(), graph.relations.tolist(), strict=True)
            if relation == CONTAINS
        }
        assert contained == set(code_links(self.store))

    def teardown(self) -> None:
        self.store.close()


def test_following_code_gives_what_reading_it_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of four files, one is more than the share beyond which all are read again.
    monkeypatch.setattr(code_graph, "MOST_CHANGED", 0.6)
    machine = type("Machine", (FollowedCode,), {"folder": tmp_path})
    run_state_machine_as_test(machine, settings=settings(max_examples=25, stateful_step_count=20))
