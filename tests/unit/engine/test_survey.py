"""Maps, cycles and dead code of a small project whose links are known."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.links import Row, link
from tests.trees import git, write

from recollect import Engine
from recollect.code.links.link_pack import Loose
from recollect.errors import InvalidInput, NotFound
from recollect.render import to_text
from recollect.store.link_rows import OutsideSite, UnresolvedSite
from recollect.text.token_count import tokens

FILES = {
    "src/core.py": (
        "from functools import cache\n\nLIMIT = 3\n\n\nclass Store:\n    def put(self, row):\n        return row\n\n"
        "    def get(self, key):\n        return key\n\n\ndef connect(path):\n    return Store()\n\n\n"
        "def _forgotten(x):\n    return _helper(x)\n\n\ndef _helper(x):\n    return x\n\n\n"
        "@cache\ndef _cached():\n    return 1\n"
    ),
    "src/api.py": (
        "from src.core import connect\n\n\n@app.get('/rows')\ndef rows():\n    return connect('x').get(1)\n\n\n"
        "def write(row):\n    return connect('x').put(row)\n\n\ndef _named_in_config():\n    return 1\n\n\n"
        "@plugin.register\ndef _registered():\n    return 2\n\n\ndef _maybe():\n    return 3\n\n\n"
        "def main():\n    return write(1)\n"
    ),
    "src/leaf.py": "def a():\n    return b()\n\n\ndef b():\n    return a()\n",
    "tests/test_api.py": "from src.api import write\n\n\ndef test_write():\n    assert write(1)\n",
    "settings.toml": 'hook = "_named_in_config"\n',
    "README.md": "# Project\n\nAbout it.\n",
}
LINKS: tuple[Row, ...] = (
    ("src/api.py", "src/core.py", "IMPORTS"),
    ("src/api.py::rows", "src/core.py::connect"),
    ("src/api.py::rows", "src/core.py::Store.get", "CALLS", 0.8),
    ("src/api.py::write", "src/core.py::connect"),
    ("src/api.py::write", "src/core.py::Store.put", "CALLS", 0.8),
    ("src/api.py::main", "src/api.py::write"),
    ("src/core.py::connect", "src/core.py::Store"),
    ("src/core.py::_forgotten", "src/core.py::_helper"),
    ("src/core.py", "src/leaf.py", "IMPORTS"),
    ("src/leaf.py", "src/core.py", "IMPORTS"),
    ("src/leaf.py::a", "src/leaf.py::b"),
    ("src/leaf.py::b", "src/leaf.py::a", "CALLS", 0.7),
    ("tests/test_api.py", "src/api.py", "IMPORTS"),
    ("tests/test_api.py::test_write", "src/api.py::write"),
)
LOOSE = {"src/api.py": Loose((), (), [UnresolvedSite("write", "thing._maybe", 10)])}


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off", index_workers=1) as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = Path(os.path.realpath(tmp_path)) / "app"
    write(root, FILES)
    git(root, "init", "-q")
    engine.code.index(str(root))
    link(engine, monkeypatch, LINKS, LOOSE)
    monkeypatch.chdir(root)
    return root


# --- map ---


def test_a_map_shows_what_carries_the_project_with_its_owners_and_says_what_is_left_out(
    engine: Engine, project: Path
) -> None:
    found = engine.survey.map()
    assert (found.root, found.ranked_by, found.files_total) == (str(project), "links", 4)
    text = found.text()
    assert text.index("core.py") < text.index("class Store") < text.index("def put(self, row)  :7")
    assert "def connect(path)" in text
    assert "test_write" not in text
    assert "README" not in text
    tight = engine.survey.map(tokens=160)
    assert "⋮" in tight.text()
    assert sum(len(file.symbols) for file in tight.files) < sum(len(file.symbols) for file in found.files)


@pytest.mark.parametrize("budget", [150, 151, 160, 175, 200, 260, 400, 1000, 5000])
def test_a_map_never_costs_more_than_its_budget(engine: Engine, project: Path, budget: int) -> None:
    found = engine.survey.map(tokens=budget, focus=("src/core.py",))
    assert found.tokens == tokens(found.text())
    assert tokens(to_text(found)) <= budget
    assert found.files or budget < 200


def test_a_map_around_something_shows_what_that_uses_first(engine: Engine, project: Path) -> None:
    plain = {file.path: file.rank for file in engine.survey.map().files}
    around = engine.survey.map(focus=("src/leaf.py",))
    assert around.focus == ("src/leaf.py",)
    ranks = {file.path: file.rank for file in around.files}
    assert ranks["src/leaf.py"] > plain["src/leaf.py"]
    by_symbol = engine.survey.map(focus=("Store.get",))
    assert {file.path: file.rank for file in by_symbol.files}["src/core.py"] > plain["src/core.py"]


@pytest.mark.parametrize("named", ["src", "src/", "./src/core.py", "{root}/src/core.py", "core.py"])
def test_paths_may_be_written_in_any_way(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    if named == "core.py":
        monkeypatch.chdir(project / "src")
    assert engine.survey.map(focus=(named.format(root=project),)).files


def test_what_is_neither_a_file_nor_a_symbol_cannot_be_in_focus(engine: Engine, project: Path) -> None:
    with pytest.raises(NotFound) as caught:
        engine.survey.map(focus=("src/core.pyy",))
    assert caught.value.hint
    with pytest.raises(InvalidInput):
        engine.survey.map(focus=tuple("abcdefgh") * 10)
    with pytest.raises(InvalidInput):
        engine.survey.map(tokens=10)


def test_without_links_a_map_goes_by_names_and_says_so(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link(engine, monkeypatch, ())
    found = engine.survey.map()
    assert found.ranked_by == "names"
    assert "not linked yet" in found.notes[0]
    assert "class Store" in found.text()


def test_where_nothing_is_indexed_the_answers_say_so(engine: Engine, home: Path) -> None:
    assert "index" in engine.survey.map().notes[0]
    assert "index" in engine.survey.cycles().notes[0]
    assert "index" in engine.survey.dead_code().notes[0]


def test_a_project_is_chosen_by_where_one_is_or_by_name(
    engine: Engine, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Path(os.path.realpath(tmp_path)) / "other"
    write(other, {"one.py": "def one():\n    pass\n"})
    engine.code.index(str(other))
    assert engine.survey.map().root == str(project)
    assert engine.survey.map(namespace=str(other)).root == str(other)
    monkeypatch.chdir(tmp_path)
    every = engine.survey.map()
    assert {file.path.split("/")[0] for file in every.files} <= {"app", "other"}


# --- cycles ---


def test_files_that_import_each_other_are_a_cycle_with_a_way_round_and_a_cut(engine: Engine, project: Path) -> None:
    found = engine.survey.cycles()
    (cycle,) = found.cycles
    assert [member.path for member in cycle.members] == ["src/core.py", "src/leaf.py"]
    assert {(step.source.path, step.target.path) for step in cycle.way} == {
        ("src/core.py", "src/leaf.py"),
        ("src/leaf.py", "src/core.py"),
    }
    assert (cycle.size, cycle.links, cycle.left) == (2, 2, 0)
    assert "cheapest cut" in to_text(found)


def test_functions_that_call_each_other_are_a_cycle_cut_where_it_is_weakest(engine: Engine, project: Path) -> None:
    (cycle,) = engine.survey.cycles(of="calls").cycles
    assert [member.symbol for member in cycle.members] == ["a", "b"]
    assert (cycle.cut.source.symbol, cycle.cut.confidence) == ("b", 0.7)


def test_cycles_are_narrowed_by_folder_and_kind(engine: Engine, project: Path) -> None:
    assert engine.survey.cycles(path="src/").total == 1
    assert engine.survey.cycles(path="tests/").total == 0
    assert engine.survey.cycles(kinds=("Class",)).total == 0
    assert engine.survey.cycles(of="calls", kinds=("Function",)).total == 1
    with pytest.raises(InvalidInput):
        engine.survey.cycles(of="anything")  # type: ignore[arg-type]


# --- dead code ---


def test_what_nothing_uses_is_found_with_what_only_it_uses(engine: Engine, project: Path) -> None:
    found = {row.symbol.qualified: row for row in engine.survey.dead_code(min_confidence=0.0).symbols}
    assert found["_forgotten"].confidence == 0.95
    assert "_forgotten" in found["_helper"].why
    assert found["_helper"].confidence < found["_forgotten"].confidence
    for used in ("connect", "Store", "Store.get", "write", "main", "rows", "test_write", "_registered"):
        assert used not in found
    assert "_cached" in found, "a cache hands a function to nobody"


def test_what_may_be_meant_elsewhere_is_less_sure_and_says_where(engine: Engine, project: Path) -> None:
    found = {row.symbol.qualified: row for row in engine.survey.dead_code(min_confidence=0.0).symbols}
    assert found["_maybe"].confidence < 0.4
    assert [(place.path, place.line) for place in found["_maybe"].mentions] == [("src/api.py", 10)]
    assert "_named_in_config" not in found, "a configuration that has the exact name uses it"


def test_excuses_are_counted_and_filters_narrow(engine: Engine, project: Path) -> None:
    found = engine.survey.dead_code()
    assert found.excused == {"registered by a decorator": 1, "entry point": 1} | found.excused
    assert all(row.confidence >= 0.6 for row in engine.survey.dead_code(min_confidence=0.6).symbols)
    assert engine.survey.dead_code(path="src/api.py", min_confidence=0.0).symbols
    assert not engine.survey.dead_code(path="nowhere/").symbols
    assert not engine.survey.dead_code(kinds=("Class",)).symbols
    limited = engine.survey.dead_code(min_confidence=0.0, limit=1)
    assert len(limited.symbols) == 1 < limited.total
    with pytest.raises(InvalidInput):
        engine.survey.dead_code(kinds=("File",))


def test_overrides_and_methods_of_unknown_bases_are_treated_with_care(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        project,
        {
            "src/shapes.py": (
                "class Base:\n    def draw(self):\n        return 1\n\n\nclass Circle(Base):\n    def draw(self):\n"
                "        return 2\n\n\nclass Odd(library.Thing):\n    def _hook(self):\n        return 3\n"
            )
        },
    )
    engine.code.index(str(project))
    shapes: tuple[Row, ...] = (
        ("src/shapes.py::Circle", "src/shapes.py::Base", "INHERITS"),
        ("src/api.py::main", "src/shapes.py::Base.draw"),
        ("src/api.py::main", "src/shapes.py::Circle"),
        ("src/api.py::main", "src/shapes.py::Odd"),
    )
    link(engine, monkeypatch, (*LINKS, *shapes), LOOSE)
    found = {
        row.symbol.qualified: row for row in engine.survey.dead_code(path="src/shapes.py", min_confidence=0.0).symbols
    }
    assert not found


EXCUSED = {
    "docs/conf.py": "html_theme = 'x'\n",
    "webpack.config.js": "const unusedOption = 1\n",
    "src/states.py": (
        "from enum import Enum\nfrom click import Group\n\n\nclass State(Enum):\n    OPEN = 1\n\n\n"
        "class Commands(Group):\n    def list_commands(self):\n        return []\n\n\n"
        "class MoreCommands(Commands):\n    flag = 1\n\n    def get_command(self):\n        return 1\n\n\n"
        "class Stream:\n    def readline(self):\n        return ''\n\n    def _gone(self):\n        return 1\n"
    ),
    "pyproject.toml": "[project]\nname = 's'\n[build-system]\nrequires = []\n[tool.setuptools]\npackages = ['src']\n",
    "src/__init__.py": "from src.public import Shown\n",
    "src/public.py": (
        "__all__ = ['listed']\n\n\nclass Shown:\n    def method(self):\n        return 1\n\n"
        "    def _hidden(self):\n        return 2\n\n\ndef listed():\n    return 1\n\n\ndef unlisted():\n    return 1\n"
    ),
    "src/page.py": "def shown_in_page():\n    return 1\n",
    "templates/page.html": "<p>{{ shown_in_page() }}</p>\n",
    "java/Round.java": (
        "class Round {\n  @Override public void spin() { }\n  private void whirl() { }\n"
        "  private Object readResolve() { return 1; }\n  private void strip() { }\n}\n"
    ),
    "java/com/example/Shop.java": "package com.example;\nclass Shop {\n  private void shut() { }\n}\n",
}


def test_code_that_frameworks_tools_bases_and_users_call_is_excused(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, EXCUSED)
    engine.code.index(str(project))
    rows: tuple[Row, ...] = (
        *LINKS,
        ("src/states.py::MoreCommands", "src/states.py::Commands", "INHERITS"),
        *(("src/api.py::main", f"src/states.py::{name}") for name in ("State", "Commands", "MoreCommands", "Stream")),
        ("src/api.py::main", "src/public.py::Shown"),
        ("src/api.py::main", "java/Round.java::Round"),
        ("src/api.py::main", "java/com/example/Shop.java::com.example.Shop"),
    )
    outside = [
        OutsideSite("State", "enum.Enum", "INHERITS", (5,)),
        OutsideSite("Commands", "click.Group", "INHERITS", (9,)),
    ]
    link(engine, monkeypatch, rows, {**LOOSE, "src/states.py": Loose(outside, [], [])})
    answer = engine.survey.dead_code()
    found = {row.symbol.qualified for row in answer.symbols if row.symbol.path in EXCUSED}
    assert found == {"Stream._gone", "Shown._hidden", "Round.whirl", "Round.strip", "com.example.Shop.shut"}
    assert "min_confidence 0.25 lists them" in answer.notes[-1]
    every = engine.survey.dead_code(min_confidence=0.25)
    assert {row.symbol.qualified for row in every.symbols} - found >= {"unlisted", "Shown.method"}
    for why in (
        "member of an enum",
        "base class outside the project",
        "public in a library",
        "script or configuration",
    ):
        assert answer.excused[why]
