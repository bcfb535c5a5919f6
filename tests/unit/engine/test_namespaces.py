"""Namespaces and workspaces: what each project holds, how one is removed, and its record for people."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.errors import InvalidInput, InvalidWorkspace, WorkspaceExists, WorkspaceNotFound
from recollect.model import Edge, Node, Session


@pytest.fixture
def projects(engine: Engine, frozen: FrozenClock) -> Engine:
    """Two memories in app, linked; one in lib, linked to app; one without a namespace."""
    first = engine.memories.store("one", namespace="app", memory_type="decision").memory.id
    frozen.advance(10)
    second = engine.memories.store("two", namespace="app").memory.id
    third = engine.memories.store("three", namespace="lib").memory.id
    engine.memories.store("four")
    engine.memories.associate(first, second)
    engine.memories.associate(third, first)
    with engine.store.transaction("test") as transaction:
        transaction.insert(Session(id="s", namespace="app", started_at=1))
    return engine


# --- namespaces ---


@pytest.mark.promise("E29", "E-list_namespaces")
def test_namespaces_are_listed_largest_first_empty_workspaces_too(projects: Engine) -> None:
    projects.workspaces.init("empty")
    listed = [(row.namespace, row.memories) for row in projects.namespaces.list().namespaces]
    assert listed[0] == ("app", 2)
    assert sorted(listed, key=str) == sorted([("app", 2), ("lib", 1), (None, 1), ("empty", 0)], key=str)


def test_indexed_projects_without_memories_are_listed(projects: Engine, tmp_path: Path) -> None:
    (tmp_path / "one.py").touch()
    projects.code.index(str(tmp_path), namespace="code")
    projects.code.index(str(tmp_path), namespace="code")
    listed = {row.namespace: (row.memories, row.files) for row in projects.namespaces.list().namespaces}
    assert listed["code"] == (0, 1)
    assert listed["app"] == (2, 0)


@pytest.mark.promise("E29", "E-namespace_stats")
def test_what_one_namespace_holds_is_counted(projects: Engine, frozen: FrozenClock) -> None:
    stats = projects.namespaces.stats("app")
    assert (stats.namespace, stats.memories, stats.nodes, stats.edges, stats.sessions) == ("app", 2, 2, 1, 1)
    assert stats.by_type == {"decision": 1, "context": 1}
    assert (stats.oldest_at, stats.newest_at) == (frozen.at - 10, frozen.at)
    none = projects.namespaces.stats("-")
    assert (none.namespace, none.memories, none.nodes) == (None, 1, 0)
    nothing = projects.namespaces.stats("nowhere")
    assert (nothing.memories, nothing.oldest_at, nothing.by_type) == (0, None, {})


@pytest.mark.promise("E29", "E-delete_namespace")
def test_deleting_a_namespace_takes_everything_of_it_and_nothing_else(projects: Engine) -> None:
    projects.workspaces.init("app")
    before = projects.archive.export().content
    deleted = projects.namespaces.delete("app")
    assert deleted.deleted == 2
    assert {memory.content for memory in projects.memories.list().memories} == {"three", "four"}
    assert [node.namespace for node in projects.store.find(Node)] == ["lib"]
    assert (projects.store.count(Edge), projects.store.count(Session)) == (0, 0)
    assert projects.recall.search("one two", min_score=0.0).hits[0].memory.content not in ("one", "two")
    with pytest.raises(WorkspaceNotFound):
        projects.workspaces.retrieve("app")
    projects.admin.undo(deleted.batch)
    assert projects.archive.export().content == before


def test_memories_without_a_namespace_are_deleted_by_a_dash(projects: Engine) -> None:
    assert projects.namespaces.delete("-").deleted == 1
    assert projects.memories.list().total == 3


@pytest.mark.parametrize("bad", ["", "  ", None, 7])
def test_deleting_needs_a_name_so_that_nothing_is_deleted_by_accident(projects: Engine, bad: object) -> None:
    with pytest.raises(InvalidInput):
        projects.namespaces.delete(bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        projects.namespaces.stats(bad)  # type: ignore[arg-type]
    assert projects.memories.list().total == 4


# --- workspaces ---


@pytest.mark.promise("M-workspace_init")
def test_opening_a_workspace_creates_it_the_first_time_only(engine: Engine, frozen: FrozenClock) -> None:
    first = engine.workspaces.init("algorithms-practice", name="Algorithms")
    frozen.advance(60)
    second = engine.workspaces.init("algorithms-practice", name="Another name")
    assert (first.created, second.created) == (True, False)
    assert second.workspace == first.workspace
    assert (first.workspace.id, first.workspace.name) == ("algorithms-practice", "Algorithms")
    assert first.workspace.created_at == "2023-11-14T22:13:20Z"


@pytest.mark.promise("M-workspace_init")
def test_without_an_identifier_the_workspace_is_the_project_we_stand_in(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = (tmp_path / "project").resolve()
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    monkeypatch.chdir(root / "src")
    opened = engine.workspaces.init()
    assert (opened.workspace.id, opened.workspace.name) == (str(root), "project")
    engine.memories.store("x", namespace=str(root / "src"))
    assert engine.workspaces.retrieve(".").workspace.memory_count == 1


@pytest.mark.promise("M-workspace_create")
def test_creating_a_workspace_that_exists_is_refused(engine: Engine) -> None:
    created = engine.workspaces.create("app", description="What it is about")
    assert (created.created, created.workspace.description) == (True, "What it is about")
    with pytest.raises(WorkspaceExists):
        engine.workspaces.create("app", description="Something else")
    assert engine.workspaces.retrieve("app").workspace == created.workspace


@pytest.mark.promise("M-workspace_retrieve")
def test_reading_a_workspace_that_does_not_exist_is_refused(engine: Engine) -> None:
    with pytest.raises(WorkspaceNotFound):
        engine.workspaces.retrieve("app")
    engine.memories.store("x", namespace="app")
    with pytest.raises(WorkspaceNotFound):
        engine.workspaces.retrieve("app")
    engine.workspaces.create("app")
    read = engine.workspaces.retrieve("app")
    assert (read.created, read.workspace.memory_count) == (False, 1)


@pytest.mark.parametrize("bad", ["", " ", "semi;colon", "a\0b", 7])
def test_what_cannot_name_a_workspace_is_refused(engine: Engine, bad: object) -> None:
    for call in (engine.workspaces.init, engine.workspaces.create, engine.workspaces.retrieve):
        with pytest.raises(InvalidWorkspace):
            call(bad)  # type: ignore[arg-type]
    assert engine.admin.changes().total == 0


def test_a_new_workspace_can_be_taken_back(engine: Engine) -> None:
    engine.workspaces.create("app")
    engine.admin.undo()
    assert engine.workspaces.create("app").created
