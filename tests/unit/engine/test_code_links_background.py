"""A server links code by itself, and answers what needs no links while it does."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import PATIENCE_S

from recollect import Engine, progress
from recollect.code.links import file_links, link_workers
from recollect.code.links import tree_linking as linking
from recollect.engine.code import code_links
from recollect.model import Tree


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text(
        "def total():\n    return price()\n\n\ndef price():\n    return 1\n", encoding="utf-8"
    )
    monkeypatch.chdir(folder)
    monkeypatch.setattr(code_links, "POLL_S", 0.01)
    return folder


def test_answers_do_not_wait_for_links(engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, solve = threading.Event(), threading.Event(), file_links.solved

    def held_up(*arguments: Any) -> Any:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return solve(*arguments)

    monkeypatch.setattr(link_workers, "solved", held_up)
    engine.code.index(str(project))
    engine.links.start()
    try:
        assert begun.wait(PATIENCE_S), "nobody links"
        # It is in the middle of linking, and stays there until this test lets it go on.
        assert [hit.start_line for hit in engine.code.symbols("price").symbols] == [5]
        kept = engine.memories.store("Prices are whole numbers.").memory
        assert [hit.memory.id for hit in engine.recall.search("prices").hits] == [kept.id]
        assert not go_on.is_set()
    finally:
        go_on.set()
    found = engine.links.dependencies("total")  # waits for what was begun, and does not do it again
    assert [use.node.label for use in found.uses] == ["price"]


@pytest.fixture
def solved(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set whenever a tree has got its links."""
    store: Any = engine.store
    done = threading.Event()
    put = store.put_linked_tree

    def told(*arguments: Any) -> None:
        put(*arguments)
        done.set()

    monkeypatch.setattr(store, "put_linked_tree", told)
    return done


def test_what_is_indexed_gets_its_links_without_a_question(
    engine: Engine, project: Path, solved: threading.Event
) -> None:
    store: Any = engine.store
    engine.links.start()
    engine.code.index(str(project))
    assert solved.wait(PATIENCE_S)
    (tree,) = store.find(Tree)
    assert linking.is_linked(store, tree)
    solved.clear()
    (project / "shop.py").write_text("def total():\n    return 2\n", encoding="utf-8")
    engine.code.index(str(project))
    assert solved.wait(PATIENCE_S)
    assert linking.is_linked(store, tree)


def test_closing_does_not_wait_for_links(engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    report = progress.report

    def told(*arguments: Any) -> None:
        begun.set()
        assert engine.links._stop.wait(PATIENCE_S)
        report(*arguments)  # the next report after closing ends it

    monkeypatch.setattr(linking, "report", told)
    engine.code.index(str(project))
    engine.links.start()
    assert begun.wait(PATIENCE_S)
    engine.links.stop()
    thread = engine.links._thread
    assert thread is not None
    assert not thread.is_alive()
    (tree,) = engine.store.find(Tree)
    assert not linking.is_linked(engine.store, tree)  # type: ignore[arg-type]


@pytest.mark.usefixtures("project")
def test_another_project_is_linked_behind_when_it_is_wanted(
    engine: Engine, tmp_path: Path, solved: threading.Event
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "till.py").write_text("def open_till():\n    return 1\n", encoding="utf-8")
    engine.code.index(str(elsewhere))
    (tree,) = engine.store.find(Tree)
    assert not engine.links.want(tree.id), "nobody is there to do it"
    engine.links.start()
    assert engine.code.symbol("open_till").callers_total is None, "the background does it: the answer does not wait"
    assert solved.wait(PATIENCE_S)
    assert linking.is_linked(engine.store, tree)  # type: ignore[arg-type]
