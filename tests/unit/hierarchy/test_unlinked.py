"""A task starts before a large project is linked, and its notes say so."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.hierarchy.conftest import FILES, write

from recollect import Engine
from recollect.engine.code import indexed_project as module
from recollect.engine.code.indexed_project import Neighbour
from recollect.hierarchy import MemoryManager


@pytest.fixture(autouse=True)
def every_project_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE_BYTES", 0)
    monkeypatch.setattr(module, "AT_ONCE_FILES", 0)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / "project", FILES)
    return (tmp_path / "project").resolve()


@pytest.fixture
def engine(tmp_path: Path, project: Path) -> Iterator[Engine]:
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(project))
        yield engine


@pytest.fixture
def forbidden(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever links fails the test."""

    def link(number: int) -> None:
        raise AssertionError(f"tree {number} was linked")

    monkeypatch.setattr(engine.links, "link", link)


def edit(project: Path, engine: Engine, files: dict[str, str]) -> None:
    """Write files, each seen as changed however coarse the clock of the disk is, and index."""
    write(project, files)
    for name in files:
        os.utime(project / name, ns=(1, 1))
    engine.code.index(str(project))


@pytest.mark.usefixtures("forbidden")
def test_a_task_begins_by_imports_where_nothing_is_linked_and_says_so(engine: Engine, project: Path) -> None:
    with MemoryManager(engine, str(project)) as window:
        filled = window.start_task("Values must be cached for an hour")
    why = {item.name: item.why for item in filled.items}
    assert "used by app/cache.py" in why["app/backend.py"]
    assert "tests app/cache.py" in why["tests/test_cache.py"]
    (note,) = [note for note in filled.notes if "not linked yet" in note]
    assert note.startswith("7 new or changed files") and "import lines" in note and "`recollect index --link`" in note


@pytest.mark.usefixtures("forbidden")
def test_what_is_promoted_brings_what_it_imports_with_it_and_says_so(engine: Engine, project: Path) -> None:
    with MemoryManager(engine, str(project)) as window:
        found = window.look_up("app/service.py")
        assert {"app/cache.py", "app/model.py"} <= {moved.name for moved in found.moved}
        assert any("import lines" in note for note in found.notes)


def test_a_project_that_is_linked_has_nothing_to_say(engine: Engine, project: Path) -> None:
    engine.code.index(str(project), link=True)
    found = engine.sources(str(project))
    assert found.users("app/cache.py") and found.notes == ()


@pytest.mark.usefixtures("forbidden")
def test_notes_are_of_what_was_asked_for(engine: Engine, project: Path) -> None:
    assert engine.sources(str(project)).notes == ()


def test_after_many_changes_old_links_count_and_the_imports_of_what_is_new(
    engine: Engine, project: Path, request: pytest.FixtureRequest
) -> None:
    engine.code.index(str(project), link=True)
    before = engine.sources(str(project)).users("app/cache.py")
    edit(
        project,
        engine,
        {
            "app/fresh.py": "from app.cache import Cache\n\ndef made():\n    return Cache()\n",
            "app/service.py": "def find_user(name):\n    return None\n",
        },
    )
    request.getfixturevalue("forbidden")
    found = engine.sources(str(project))
    after = found.users("app/cache.py")
    assert Neighbour("app/fresh.py", 1) in after
    assert set(before) <= set(after), "as it was linked, until it is linked again"
    (note,) = found.notes
    assert note.startswith("2 new or changed files") and "earlier links" in note


def test_a_small_project_and_a_small_change_are_waited_for(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE_BYTES", 10**6)
    small = engine.sources(str(project))
    assert small.users("app/cache.py") and small.notes == ()
    monkeypatch.setattr(module, "AT_ONCE_BYTES", 0)
    monkeypatch.setattr(module, "AT_ONCE_FILES", 1)
    edit(project, engine, {"app/service.py": "def find_user(name):\n    return None\n"})
    changed = engine.sources(str(project))
    assert "app/service.py" not in {row.path for row in changed.users("app/cache.py")}
    assert changed.notes == ()


def test_a_running_server_is_asked_to_link_and_says_so(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[int] = []
    monkeypatch.setattr(engine.links, "want", lambda number: not wanted.append(number))
    found = engine.sources(str(project))
    found.users("app/cache.py")
    assert found.tree is not None and wanted == [found.tree.id]
    assert "linking now" in found.notes[0]
