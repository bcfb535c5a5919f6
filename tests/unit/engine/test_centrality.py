"""How central nodes are is kept, used as it is, and made anew when somebody has time for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes import HashingEmbedder
from tests.waiting import PATIENCE_S, until

from recollect import Engine
from recollect.engine.graph import centrality
from recollect.errors import Cancelled, StoreLocked
from recollect.graph import rank
from recollect.model import Edge, Node


def link(engine: Engine, *pairs: tuple[str, str]) -> dict[str, str]:
    """Store and link memories called by their own words; returns their ids."""
    ids: dict[str, str] = {}
    for name in dict.fromkeys(name for pair in pairs for name in pair):
        ids[name] = engine.memories.store(f"about {name}").memory.id
    for src, dst in pairs:
        engine.memories.associate(ids[src], ids[dst], relationship="DEPENDS_ON")
    return ids


def central(engine: Engine, memory_id: str) -> float:
    return engine.store.get(Node, [f"mem:{memory_id}"])[0].centrality


@pytest.mark.promise("E12")
def test_centrality_is_kept_with_the_nodes_as_the_documented_mixture(engine: Engine) -> None:
    ids = link(engine, ("a", "hub"), ("b", "hub"), ("c", "hub"))
    done = engine.graph.recompute()
    assert (done.nodes, done.edges, done.exact) == (4, 3, True)
    hub = engine.store.get(Node, [f"mem:{ids['hub']}"])[0]
    parts = hub.payload["centrality"]
    assert set(parts) == {"pagerank", "betweenness", "degree", "cluster"}
    expected = 0.4 * parts["pagerank"] + 0.3 * parts["betweenness"] + 0.2 * parts["degree"] + 0.1 * parts["cluster"]
    assert hub.centrality == pytest.approx(expected, abs=1e-4)
    assert parts["pagerank"] == parts["betweenness"] == parts["degree"] == 1.0
    assert hub.centrality > central(engine, ids["a"])


@pytest.mark.promise("E12")
def test_what_is_kept_is_derived_neither_logged_nor_exported_nor_in_the_way_of_an_undo(engine: Engine) -> None:
    ids = link(engine, ("a", "b"))
    before = (engine.admin.changes(limit=1000), engine.archive.export().content)
    engine.graph.recompute()
    assert (engine.admin.changes(limit=1000), engine.archive.export().content) == before
    engine.memories.delete(ids["a"])
    engine.graph.recompute()
    engine.admin.undo()
    assert engine.graph.traverse(ids["b"]).total == 2


def test_an_export_of_somewhere_else_brings_no_centrality_along(engine: Engine) -> None:
    line = '{"kind":"node","node":{"id":"file:a","kind":"File","centrality":0.9,"payload":{"centrality":{},"k":1}}}'
    engine.archive.import_(content=line)
    node = engine.store.get(Node, ["file:a"])[0]
    assert (node.centrality, node.payload) == (0.0, {"k": 1})


# --- stale or not ---


def test_it_is_stale_after_the_graph_has_changed_and_not_after_anything_else(engine: Engine) -> None:
    assert not engine.centrality.is_stale()
    ids = link(engine, ("a", "b"))
    assert engine.centrality.is_stale()
    engine.graph.recompute()
    assert not engine.centrality.is_stale()
    engine.memories.store("something else")
    engine.memories.get(ids["a"])
    assert not engine.centrality.is_stale()
    engine.memories.associate(ids["a"], ids["b"], relationship="DEPENDS_ON", weight=0.5)
    assert engine.centrality.is_stale()


def test_another_process_knows_too(engine: Engine, open_engine: Callable[..., Engine]) -> None:
    ids = link(engine, ("a", "b"))
    engine.graph.recompute()
    other = open_engine(embed_provider="off")
    assert not other.centrality.is_stale()
    engine.memories.delete(ids["a"])
    assert other.centrality.is_stale()
    engine.graph.recompute()
    assert not other.centrality.is_stale()
    engine.store.graph_written()
    assert other.centrality.is_stale()
    other.graph.recompute()
    assert not engine.centrality.is_stale()


def test_changes_that_are_none_of_the_graphs_are_not_looked_at_for_ever(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centrality, "FORGOTTEN_CHANGES", 2)
    link(engine, ("a", "b"))
    engine.graph.recompute()
    made = engine.store.setting(centrality.MADE)
    engine.memories.store("one")
    assert not engine.centrality.is_stale()
    assert engine.store.setting(centrality.MADE) == made
    for number in range(3):
        engine.memories.store(f"two {number}")
    assert not engine.centrality.is_stale()
    assert engine.store.setting(centrality.MADE) == "/".join(map(str, engine.store.graph_generation()))


def test_a_kept_state_that_cannot_be_read_counts_as_none(engine: Engine) -> None:
    link(engine, ("a", "b"))
    engine.graph.recompute()
    engine.store.keep_setting(centrality.MADE, "gibberish")
    assert centrality.Centrality(engine).is_stale()


# --- whoever has time ---


def test_a_search_uses_stored_centrality_and_then_recomputes_it(engine: Engine) -> None:
    ids = link(engine, ("a", "hub"), ("b", "hub"))
    assert central(engine, ids["hub"]) == 0.0
    engine.recall.search("about hub")
    assert central(engine, ids["hub"]) > 0
    assert not engine.centrality.is_stale()


def test_a_search_leaves_a_graph_alone_that_has_hardly_changed(engine: Engine) -> None:
    ids = link(engine, *((f"spoke {number}", "hub") for number in range(40)))
    engine.recall.search("about hub")
    kept = engine.store.setting(centrality.MADE)
    assert kept is not None
    engine.memories.associate(ids["spoke 1"], ids["spoke 2"])
    engine.recall.search("about hub")
    assert engine.store.setting(centrality.MADE) == kept
    engine.memories.associate(ids["spoke 1"], ids["spoke 3"])
    engine.recall.search("about hub")
    assert engine.store.setting(centrality.MADE) != kept


def test_a_search_leaves_a_large_graph_alone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(centrality, "SMALL_EDGES", 1)
    ids = link(engine, ("a", "hub"), ("b", "hub"))
    engine.recall.search("about hub")
    assert central(engine, ids["hub"]) == 0.0
    engine.graph.recompute()
    assert central(engine, ids["hub"]) > 0


def test_a_search_does_not_fail_where_it_cannot_be_kept(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    link(engine, ("a", "b"))

    def locked(*_: Any, **__: Any) -> int:
        raise StoreLocked("somebody else writes")

    monkeypatch.setattr(engine.store, "put_strengths", locked)
    assert engine.recall.search("about a").hits
    with pytest.raises(StoreLocked):
        engine.graph.recompute()


def test_a_server_recomputes_centrality_in_the_background_until_stopped(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centrality, "POLL_S", 0.01)
    monkeypatch.setattr(centrality, "REST", 0)
    engine = open_engine(embedder=embedder)
    made = threading.Event()
    whole = rank.strengths

    def watched(graph: Any) -> Any:
        made.set()
        return whole(graph)

    monkeypatch.setattr(rank, "strengths", watched)
    engine.start_background()
    assert engine.centrality.running
    ids = link(engine, ("a", "hub"), ("b", "hub"))
    assert made.wait(PATIENCE_S)
    until(lambda: central(engine, ids["hub"]) > 0 and not engine.centrality.is_stale())
    engine.close()
    assert not engine.centrality.running


def test_a_worker_outlives_a_store_that_fails(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centrality, "POLL_S", 0.01)
    monkeypatch.setattr(centrality, "REST", 0)
    engine = open_engine(embedder=embedder)
    link(engine, ("a", "b"))
    failed, works = threading.Event(), threading.Event()
    real = engine.store.put_strengths

    def at_first_locked(*arguments: Any, **options: Any) -> int:
        if not failed.is_set():
            failed.set()
            raise StoreLocked("somebody else writes")
        works.set()
        return real(*arguments, **options)

    monkeypatch.setattr(engine.store, "put_strengths", at_first_locked)
    engine.start_background()
    assert failed.wait(PATIENCE_S)
    assert works.wait(PATIENCE_S)
    engine.close()


def test_a_stopped_worker_leaves_no_mark_that_it_was_done(engine: Engine) -> None:
    link(engine, ("a", "b"))
    engine.centrality.stop()
    with pytest.raises(Cancelled):
        engine.graph.recompute()
    assert engine.store.setting(centrality.MADE) is None
    assert engine.store.count(Edge) == 1
