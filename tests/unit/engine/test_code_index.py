"""Indexing a project and asking about its symbols, as a program would."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.trees import git, write
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.errors import AmbiguousName, InvalidInput, NotFound
from recollect.model import File, Tree

FILES = {
    "src/server.py": (
        '"""A server."""\n\n\nclass Server:\n    """Serves."""\n\n    def start(self, port):\n        return port\n'
    ),
    "src/client.py": "class Client:\n    def start(self):\n        pass\n",
    "image.png": b"\x89PNG\0\0",
}


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off", index_workers=1) as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = Path(os.path.realpath(tmp_path)) / "app"
    write(root, FILES)
    git(root, "init", "-q")
    return root


@pytest.mark.promise("E-index_codebase")
def test_indexing_says_what_it_did_and_what_there_is(engine: Engine, project: Path) -> None:
    done = engine.code.index(str(project))
    assert (done.root, done.namespace) == (str(project), str(project))
    assert (done.files, done.read, done.unchanged, done.removed, done.symbols) == (2, 3, 0, 0, 4)
    assert (done.languages, done.skipped) == ({"python": 2}, {"binary": 1})
    assert done.size_bytes == sum(len(content) for path, content in FILES.items() if path.endswith(".py"))
    (project / "src" / "client.py").unlink()
    again = engine.code.index(str(project / "src"))
    assert (again.files, again.removed) == (1, 1)


@pytest.mark.promise("E29")
def test_work_trees_of_a_repository_share_a_namespace_but_not_an_index(engine: Engine, project: Path) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "one")
    git(project, "worktree", "add", "-q", "-b", "other", "../app-other")
    write(project.parent / "app-other", {"src/server.py": "class Changed:\n    pass\n"})
    one, two = engine.code.index(str(project)), engine.code.index(str(project.parent / "app-other"))
    assert (one.namespace, two.namespace) == (str(project), str(project))
    assert [hit.root for hit in engine.code.symbols("Changed", namespace=str(project)).symbols] == [two.root]
    assert [hit.root for hit in engine.code.symbols("Server").symbols] == [one.root]


def test_an_index_may_belong_to_a_named_namespace(engine: Engine, project: Path) -> None:
    assert engine.code.index(str(project), namespace="app").namespace == "app"
    assert len(engine.code.symbols("Server", namespace="app").symbols) == 1
    engine.memories.store("the library has no code yet", namespace="lib")
    answer = engine.code.symbols("Server", namespace="lib")
    assert answer.symbols == () and "No code of this project" in answer.notes[0]


def test_an_indexed_project_has_the_last_parts_of_its_path_as_names(engine: Engine, tmp_path: Path) -> None:
    base = Path(os.path.realpath(tmp_path))
    for name in ("one", "two", "old/two"):
        write(base / name, {"dates.py": "def parse_date(text):\n    return text\n"})
        engine.code.index(str(base / name))
    one = str(base / "one")
    assert [hit.root for hit in engine.code.symbols("parse_date", namespace="one").symbols] == [one]
    assert [hit.root for hit in engine.code.search("parse_date", namespace="one").hits] == [one]
    assert engine.code.symbol("parse_date", namespace="one").symbol.root == one
    assert engine.links.impact("parse_date", namespace="one").node.namespace == one
    assert engine.links.dependencies("parse_date", namespace="one").node.namespace == one
    assert engine.survey.dead_code(namespace="one").looked_at == 1
    assert engine.survey.map(namespace="old/two").root == str(base / "old/two")


@pytest.mark.parametrize(
    "asked",
    [
        lambda engine, name: engine.code.symbols("Server", namespace=name),
        lambda engine, name: engine.code.search("Server", namespace=name),
        lambda engine, name: engine.code.symbol("Server", namespace=name),
        lambda engine, name: engine.links.impact("Server", namespace=name),
        lambda engine, name: engine.links.dependencies("Server", namespace=name),
        lambda engine, name: engine.survey.map(namespace=name),
        lambda engine, name: engine.survey.cycles(namespace=name),
        lambda engine, name: engine.survey.dead_code(namespace=name),
        lambda engine, name: engine.packages.cross_repo(namespace=name),
    ],
)
def test_an_unknown_or_ambiguous_project_is_an_error(
    engine: Engine, project: Path, tmp_path: Path, asked: Callable[[Engine, str], object]
) -> None:
    for root in (project, tmp_path / "old" / project.name):
        write(root, {"more.py": "class More:\n    pass\n"})
        engine.code.index(str(root))
    with pytest.raises(NotFound, match="no project is named nowhere") as unknown:
        asked(engine, "nowhere")
    assert str(os.path.realpath(project)) in unknown.value.hint
    with pytest.raises(AmbiguousName, match="2 projects") as ambiguous:
        asked(engine, project.name)
    assert f"old/{project.name}" in ambiguous.value.hint


@pytest.mark.promise("E-search_symbols")
def test_symbols_are_found_by_name_and_filtered(engine: Engine, project: Path) -> None:
    engine.code.index(str(project))
    both = engine.code.symbols("start")
    assert [hit.path for hit in both.symbols] == ["src/client.py", "src/server.py"]
    hit = both.symbols[1]
    assert (hit.qualified, hit.kind, hit.start_line, hit.language, hit.match) == (
        "Server.start", "Method", 7, "python", "exact",
    )  # fmt: skip
    assert hit.signature == "def start(self, port)"
    assert [hit.kind for hit in engine.code.symbols("s", kind="Class").symbols] == ["Class"]
    assert engine.code.symbols("start", language="Go").symbols == ()
    assert [hit.path for hit in engine.code.symbols("start", path="./src/server").symbols] == ["src/server.py"]
    assert len(engine.code.symbols("start", limit=1).symbols) == 1


def test_the_answer_says_that_nothing_is_indexed(engine: Engine) -> None:
    assert "recollect index" in engine.code.symbols("start").notes[0]
    with pytest.raises(NotFound) as raised:
        engine.code.symbol("start")
    assert "recollect index" in raised.value.hint


@pytest.mark.promise("E-get_symbol_info")
@pytest.mark.parametrize("words", ["Server.start", "src/server.py:7", "src/server.py::Server.start"])
def test_a_symbol_tells_all_about_itself(engine: Engine, project: Path, words: str) -> None:
    engine.code.index(str(project))
    view = engine.code.symbol(words)
    assert view.symbol.qualified == "Server.start"
    assert view.parent is not None and view.parent.qualified == "Server"
    assert (view.complexity, view.is_test, view.endpoint) == ("low", False, None)
    assert view.hash
    assert engine.code.symbol(view.symbol.id) == view
    assert [child.name for child in engine.code.symbol("Server").children] == ["start"]
    assert view.source == ""
    shown = engine.code.symbol(words, with_source=True).source
    assert shown.lstrip().startswith("def start") and shown in (project / "src/server.py").read_text()


def test_a_name_of_several_symbols_shows_one_and_names_the_others(engine: Engine, project: Path) -> None:
    engine.code.index(str(project))
    view = engine.code.symbol("start")
    assert {view.symbol.path, *(hit.path for hit in view.others)} == {"src/client.py", "src/server.py"}


def test_a_name_that_is_nearly_right_gets_a_hint(engine: Engine, project: Path) -> None:
    engine.code.index(str(project))
    with pytest.raises(NotFound) as raised:
        engine.code.symbol("Servr")
    assert raised.value.hint == "Did you mean Server?"


@pytest.mark.parametrize("path", ["", "  ", "/", "~", "nowhere/at/all"])
def test_what_is_no_project_is_refused_and_nothing_is_kept(engine: Engine, path: str) -> None:
    with pytest.raises((InvalidInput, NotFound)) as raised:
        engine.code.index(path)
    assert raised.value.hint
    assert engine.store.count(Tree) == 0


def test_a_file_is_no_project(engine: Engine, project: Path) -> None:
    with pytest.raises(InvalidInput, match="not a folder"):
        engine.code.index(str(project / "src" / "server.py"))


def test_an_empty_project_is_indexed(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = engine.code.index(str(tmp_path / "empty"))
    assert (done.files, done.symbols, done.notes) == (0, 0, ())


def test_unreadable_files_are_reported_up_to_a_limit(engine: Engine, project: Path) -> None:
    write(project, {f"odd{number:02}.py": "def f(:\n    ]]\n" for number in range(30)})
    notes = engine.code.index(str(project)).notes
    assert len(notes) == 21
    assert notes[0].startswith("odd00.py: ")
    assert notes[-1] == "and 10 similar notes"
    assert engine.code.index(str(project)).notes == (), "said once, when it was read"


def test_deleting_a_namespace_deletes_its_index(engine: Engine, project: Path) -> None:
    engine.code.index(str(project))
    engine.namespaces.delete(str(project))
    assert engine.store.count(Tree) == engine.store.count(File) == 0
    assert engine.code.symbols("Server").symbols == ()


def test_the_size_limit_is_a_setting(home: Path, project: Path) -> None:
    with Engine(embed_provider="off", index_max_file_bytes=60) as engine:
        done = engine.code.index(str(project))
    assert done.skipped == {"binary": 1, "too large": 1}
    assert done.notes == (f"src/server.py is too large: {len(FILES['src/server.py'])} bytes",)


def test_a_server_follows_the_project_it_was_started_in_where_that_is_set(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    indexed = threading.Event()
    with Engine(embed_provider="off", watch=True) as engine:
        tell = engine.code._summary

        def noted(*arguments: Any, **options: Any) -> Any:
            done = tell(*arguments, **options)
            indexed.set()
            return done

        monkeypatch.setattr(engine.code, "_summary", noted)
        engine.start_background()
        assert indexed.wait(PATIENCE_S)
        assert len(engine.code.symbols("Server").symbols) == 1
    assert not engine.code.running


def test_a_server_started_at_home_follows_nothing_and_says_so(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with Engine(embed_provider="off", watch=True) as engine:
        engine.code.start()
        assert engine.code._thread is not None
        engine.code._thread.join()
    assert "cannot watch the code" in caplog.text
