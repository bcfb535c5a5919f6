"""Reviews of diffs over a small project whose links are known."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import payloads
from tests.links import Row, link
from tests.trees import git, write

from recollect import Engine
from recollect.code.code_records import Affected, CodePlace, Review
from recollect.code.diff.changed_symbols import changed
from recollect.code.diff.file_sides import both
from recollect.code.diff.unified_diff import parse
from recollect.code.links.link_pack import Loose
from recollect.engine.review.test_order import ranked
from recollect.errors import InvalidInput, NotFound
from recollect.render import to_text
from recollect.store.link_rows import AmbiguousSite, OutsideSite, UnresolvedSite

CORE = """\
LIMIT = 3


class Store:
    def __init__(self, path):
        self.path = path

    def put(self, row):
        return row

    def get(self, key):
        return key


def connect(path):
    return Store(path)


def unused(x):
    return x
"""
FILES = {
    "src/core.py": CORE,
    "src/api.py": (
        "from src.core import connect\n\n\n@app.get('/rows')\ndef rows():\n    return connect('x').get(1)\n\n\n"
        "def write(row):\n    return connect('x').put(row)\n"
    ),
    "tests/conftest.py": (
        "import pytest\nfrom src.core import connect\n\n\n@pytest.fixture\ndef store():\n    return connect('y')\n"
    ),
    "tests/test_api.py": "from src.api import write\n\n\ndef test_write():\n    assert write(1)\n",
    "tests/test_store.py": (
        "def test_store(store):\n    assert store\n\n\nclass TestMore:\n    def test_more(self, store):\n        pass\n"
    ),
    "tests/test_core.py": "import src.core\n\n\ndef test_nothing():\n    assert src.core\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
    "README.md": "# Shop\n",
}
LINKS: tuple[Row, ...] = (
    ("src/api.py", "src/core.py", "IMPORTS"),
    ("src/api.py::rows", "src/core.py::connect"),
    ("src/api.py::rows", "src/core.py::Store.get", "CALLS", 0.8),
    ("src/api.py::write", "src/core.py::connect"),
    ("src/api.py::write", "src/core.py::Store.put", "CALLS", 0.8),
    ("src/core.py::connect", "src/core.py::Store"),
    ("tests/conftest.py::store", "src/core.py::connect"),
    ("tests/test_api.py", "src/api.py", "IMPORTS"),
    ("tests/test_api.py::test_write", "src/api.py::write"),
    ("tests/test_core.py", "src/core.py", "IMPORTS"),
)


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off", index_workers=1) as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = Path(os.path.realpath(tmp_path)) / "shop"
    write(root, FILES)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    engine.code.index(str(root))
    link(engine, monkeypatch, LINKS)
    monkeypatch.chdir(root)
    return root


def edit(root: Path, before: str, after: str, path: str = "src/core.py") -> None:
    text = (root / path).read_text(encoding="utf-8")
    assert before in text
    write(root, {path: text.replace(before, after)})


def diff(root: Path) -> str:
    return subprocess.run(["git", "diff"], cwd=root, check=True, capture_output=True, text=True).stdout


def to_run(found: Review) -> list[str]:
    return [f"{row.place.path}::{row.place.symbol}".rstrip(":") for row in found.tests]


def test_a_changed_body_names_its_users_endpoints_and_tests_nearest_first(engine: Engine, project: Path) -> None:
    edit(project, "return key", "return key + 1")
    found = engine.survey.review(diff=diff(project))
    (change,) = found.changes
    assert (change.symbol, change.change, change.users, change.line) == ("Store.get", "body", 1, 11)
    assert [(row.place.symbol, row.depth, row.confidence) for row in found.affected] == [("rows", 1, 0.8)]
    assert [row.endpoint for row in found.endpoints] == ["GET /rows"]
    assert "calls Store.get" in found.affected[0].why
    assert found.packages == ("shop",)
    assert "untested" in change.why


def test_tests_are_found_through_calls_and_through_fixtures_before_those_that_only_import(
    engine: Engine, project: Path
) -> None:
    edit(project, "return Store(path)", "return None")
    found = engine.survey.review()
    assert to_run(found) == [
        "tests/test_api.py::test_write",
        "tests/test_store.py::test_store",
        "tests/test_store.py::TestMore.test_more",
        "tests/test_core.py",
    ]
    assert ("tests/conftest.py", "store") in {(row.place.path, row.place.symbol) for row in found.affected}
    (run,) = found.commands
    assert run.command == (
        "pytest tests/test_api.py::test_write tests/test_store.py::test_store tests/test_store.py::TestMore::test_more "
        "tests/test_core.py"
    )


def test_a_constructor_changes_with_its_class(engine: Engine, project: Path) -> None:
    edit(project, "self.path = path", "self.path = str(path)")
    found = engine.survey.review()
    assert found.changes[0].symbol == "Store.__init__"
    assert "connect" in [row.place.symbol for row in found.affected]
    assert "tests/test_api.py::test_write" in to_run(found)


def test_changes_come_riskiest_first_each_with_a_reason(engine: Engine, project: Path) -> None:
    edit(project, "def connect(path):", "def connect(path, mode):")
    edit(project, "return x", "return  x  # as it is")
    edit(project, "LIMIT = 3", "LIMIT = 4")
    found = engine.survey.review()
    told = {row.symbol: row for row in found.changes}
    assert [row.symbol for row in found.changes] == ["connect", "LIMIT", "unused"]
    assert (told["connect"].change, told["connect"].risk) == ("signature", "high")
    assert "signature changed; 3 callers in 2 files" in told["connect"].why
    assert told["connect"].before == "def connect(path)"
    assert (told["unused"].change, told["unused"].risk, told["unused"].score) == ("cosmetic", "none", 0.0)
    assert "high risk" in to_text(found)


def test_what_is_removed_keeps_the_users_that_the_index_knows_and_says_so(engine: Engine, project: Path) -> None:
    edit(project, "    def put(self, row):\n        return row\n\n", "")
    found = engine.survey.review()
    (change,) = found.changes
    assert (change.change, change.users) == ("removed", 1)
    assert any("indexed before this change" in note for note in found.notes)
    engine.code.index(str(project))
    again = engine.survey.review()
    assert not any("indexed before" in note for note in again.notes)


def test_users_that_have_to_change_come_before_those_of_changed_bodies(engine: Engine, project: Path) -> None:
    edit(project, "return Store(path)", "return Store(str(path))")
    edit(project, "def put(self, row)", "def put(self, row, key)")
    assert [(row.place.symbol, row.why) for row in engine.survey.review().affected] == [
        ("write", "calls Store.put"), ("rows", "calls connect"), ("store", "calls connect"),
    ]  # fmt: skip


def test_only_comments_and_white_space_reach_nothing(engine: Engine, project: Path) -> None:
    edit(project, "    return Store(path)", "    # opens it\n    return Store( path )")
    found = engine.survey.review()
    assert [row.change for row in found.changes] == ["cosmetic"]
    assert (found.affected, found.tests, found.commands) == ((), (), ())


def test_a_changed_test_is_to_be_run_itself(engine: Engine, project: Path) -> None:
    edit(project, "assert write(1)", "assert write(2)", "tests/test_api.py")
    found = engine.survey.review()
    assert to_run(found) == ["tests/test_api.py::test_write"]
    assert found.tests[0].depth == 0


def test_a_changed_constant_reaches_those_that_read_it(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        project,
        {
            "src/limits.py": "TOP = 3\n\n\ndef bounded(x):\n    return min(x, TOP)\n",
            "tests/test_limits.py": "from src.limits import bounded\n\n\ndef test_bounded():\n    assert bounded(9)\n",
        },
    )
    git(project, "add", ".")
    git(project, "commit", "-qm", "limits")
    engine.code.index(str(project))
    link(engine, monkeypatch, (*LINKS, ("tests/test_limits.py::test_bounded", "src/limits.py::bounded")))
    edit(project, "TOP = 3", "TOP = 4", "src/limits.py")
    found = engine.survey.review()
    assert [(row.place.symbol, row.why, row.confidence) for row in found.affected] == [("bounded", "uses TOP", 0.9)]
    assert to_run(found) == ["tests/test_limits.py::test_bounded"]


def test_what_tests_need_is_no_test_itself(engine: Engine, project: Path) -> None:
    edit(project, "connect('y')", "connect('z')", "tests/conftest.py")
    assert to_run(engine.survey.review()) == [
        "tests/test_store.py::test_store",
        "tests/test_store.py::TestMore.test_more",
    ]


def test_calls_that_may_mean_several_things_are_followed_less_surely(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    get = AmbiguousSite("test_store", "store.get", ("ssrc/core.py::Store.get",), 2, total=1)
    put = AmbiguousSite("test_nothing", "x.put", ("ssrc/core.py::Store.put", "ssrc/api.py::write"), 5, total=2)
    named = [UnresolvedSite("test_write", "thing.put", 5), UnresolvedSite("test_write", "text.get", 5)]
    loose = {
        "tests/test_store.py": Loose([], [get], []),
        "tests/test_core.py": Loose([], [put], []),
        "tests/test_api.py": Loose([], [], named),
    }
    made: Row = ("tests/conftest.py::store", "src/core.py::Store.__init__")
    link(engine, monkeypatch, (*LINKS[:4], made), loose)
    edit(project, "return key", "return 0")
    edit(project, "return row", "return 1")
    sure = {row.place.symbol: (row.confidence, row.why) for row in engine.survey.review().tests}
    assert sure["test_store"] == (0.8, "calls Store.get"), "what the fixture makes is known"
    assert sure["test_nothing"] == (0.354, "may call Store.put")
    assert sure["test_write"] == (0.35, "may call Store.put"), "nothing else is called put, but many things have a get"


UNSEEN = {
    "src/shape.py": (
        "from typing import Protocol\n\n\nclass Shape(Protocol):\n    def area(self): ...\n    def name(self): ...\n"
    ),
    "src/circle.py": (
        "class Circle:\n    def __init__(self, r):\n        self.r = r\n\n    def area(self):\n"
        "        return self.r\n\n    def name(self):\n        return 'circle'\n\n"
        "    def __bool__(self):\n        return True\n"
    ),
    "src/half.py": "class Half:\n    def area(self):\n        return 0.5\n",
    "src/outer.py": "def outer():\n    def inner():\n        return 1\n    return inner\n",
    "src/table.py": "def red():\n    return 1\n\n\nTABLE = {'red': red}\n",
    "src/user.py": "from src.table import TABLE\n\n\ndef pick():\n    return TABLE['red']()\n",
    "java/Round.java": "class Round {\n  void whirl() { other.spin(); }\n}\n",
    "src/spin.py": "def spin():\n    return 1\n",
    "tests/test_shape.py": (
        "def test_area(shape):\n    assert shape.area()\n\n\ndef test_outer():\n    assert outer()\n\n\n"
        "def test_round():\n    assert Circle(1)\n\n\ndef test_pick():\n    assert pick()\n"
    ),
}


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("src/circle.py", "return self.r", "return 2", ["test_area"]),
        ("src/half.py", "0.5", "0.25", []),
        ("src/outer.py", "return 1", "return 2", ["test_outer"]),
        ("src/circle.py", "return True", "return False", ["test_round"]),
        ("src/table.py", "return 1", "return 2", ["test_pick"]),
        ("src/spin.py", "return 1", "return 2", []),
    ],
    ids=["protocol", "not all of a protocol", "a function inside", "the language calls", "table", "another language"],
)
def test_what_runs_although_no_link_says_so_is_followed(
    engine: Engine,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    before: str,
    after: str,
    expected: list[str],
) -> None:
    write(project, UNSEEN)
    engine.code.index(str(project))
    loose = {
        "src/shape.py": Loose([OutsideSite("Shape", "typing.Protocol", "INHERITS", (4,))], [], []),
        "java/Round.java": Loose([], [], [UnresolvedSite("Round.whirl", "other.spin", 2)]),
    }
    rows: tuple[Row, ...] = (
        ("tests/test_shape.py::test_area", "src/shape.py::Shape.area"),
        ("tests/test_shape.py::test_outer", "src/outer.py::outer"),
        ("tests/test_shape.py::test_round", "src/circle.py::Circle.__init__"),
        ("tests/test_shape.py::test_pick", "src/user.py::pick"),
        ("src/user.py", "src/table.py", "IMPORTS"),
        ("src/table.py", "src/table.py::red", "DEPENDS_ON"),
    )
    link(engine, monkeypatch, rows, loose)
    git(project, "add", ".")
    edit(project, before, after, path)
    found = engine.survey.review(diff=diff(project))
    assert [row.place.symbol for row in found.tests] == expected
    assert not any("java" in row.place.path for row in found.affected)


def test_limits_are_kept_and_totals_tell_the_rest(engine: Engine, project: Path) -> None:
    edit(project, "return Store(path)", "return None")
    found = engine.survey.review(limit=1, depth=1)
    assert (len(found.tests), found.tests_total) == (1, 4)
    assert found.depth == 1


def test_a_range_of_commits_is_reviewed_like_a_diff(engine: Engine, project: Path) -> None:
    edit(project, "return key", "return 0")
    git(project, "commit", "-qam", "two")
    found = engine.survey.review(range="HEAD~1..HEAD")
    assert (found.source, [row.symbol for row in found.changes]) == ("HEAD~1..HEAD", ["Store.get"])
    assert engine.survey.review().changes == ()
    with pytest.raises(InvalidInput):
        engine.survey.review(range="nowhere..HEAD")
    with pytest.raises(InvalidInput):
        engine.survey.review(range="HEAD", diff="")


def tried(path: str, symbol: str, confidence: float = 0.5, depth: int = 2, line: int = 1) -> Affected:
    place = CodePlace(id=f"sym:{path}::{symbol}", path=path, symbol=symbol, line=line)
    return Affected(place=place, depth=depth, confidence=confidence, why="calls x")


def test_tests_that_name_the_changed_symbol_or_are_named_after_it_come_first(engine: Engine, project: Path) -> None:
    write(
        project,
        {
            "tests/test_far.py": "def test_a():\n    assert 1\n\n\ndef test_b():\n    assert connect(1)\n",
            "tests/test_core.py": "def test_nothing():\n    assert 1\n",
        },
    )
    edit(project, "return Store(path)", "return None")
    (side,) = both(project, parse(diff(project)).files[:1], 1_000_000)
    rows = [
        tried("tests/test_far.py", "test_a"),
        tried("tests/test_core.py", "test_nothing"),
        tried("tests/test_far.py", "test_connect_twice"),
        tried("tests/test_far.py", "test_b", line=5),
        tried("tests/test_far.py", "test_itself", depth=0, confidence=0.1),
    ]
    order = [row.place.symbol for row in ranked(rows, changed([side]), str(project), 25)]
    assert order == ["test_itself", "test_b", "test_connect_twice", "test_nothing", "test_a"]


def test_unlikely_tests_are_listed_by_their_files_unless_there_are_few(tmp_path: Path) -> None:
    sure = [tried("tests/test_a.py", f"test_{number}") for number in range(8)]
    doubtful = [tried("tests/test_b.py", f"test_{number}", confidence=0.03) for number in range(8)]
    *alone, others = ranked([*doubtful, *sure], [], str(tmp_path), 25)
    assert alone == sure
    assert (others.place.path, others.place.symbol, others.confidence) == ("tests/test_b.py", "", 0.03)
    assert ranked([*doubtful, *sure], [], str(tmp_path), 50) == [*sure, *doubtful], "all of them, if more are wanted"
    assert ranked(doubtful * 2, [], str(tmp_path), 25) == doubtful * 2, "nothing better was found"


def test_a_long_list_of_tests_is_the_likeliest_and_the_files_of_the_others() -> None:
    rows = [tried(f"tests/test_{number % 4}.py", f"test_{number}") for number in range(40)]
    short = ranked(rows, [], "/x", 10)
    assert [row.place.symbol for row in short] == [*(f"test_{number}" for number in range(4)), "", "", "", ""]
    assert short[4].place.path == "tests/test_0.py"
    assert short[4].why == "9 more tests; test_4 calls x"
    assert ranked(rows, [], "/x", 40) == rows


# --- memories ---


def test_memories_of_what_changed_are_shown_with_the_sentence_that_matters(engine: Engine, project: Path) -> None:
    namespace = str(project)
    engine.memories.store(
        "It is slow. `connect` in src/core.py must never return None.", namespace=namespace, title="Connections"
    )
    engine.memories.store("We chose src/core.py::connect over a pool", namespace=namespace, memory_type="decision")
    engine.memories.store("src/core.py::unused is kept for later", namespace=namespace)
    engine.memories.store("src/core.py is the core of the shop", namespace=namespace)
    engine.memories.store("src/core.py::connect elsewhere", namespace="other")
    edit(project, "return Store(path)", "return None")
    found = engine.survey.review()
    assert [row.relation for row in found.memories] == ["may contradict", "decided"]
    rule = found.memories[0]
    assert rule.sentence == "`connect` in src/core.py must never return None."
    assert rule.why == "anchored to connect (body changed)"
    assert "a memory has a rule about it" in found.changes[0].why
    assert "Connections: “`connect` in src/core.py must never return None.”" in to_text(found)


def test_memories_that_no_longer_hold_or_were_only_observed_are_left_out(engine: Engine, project: Path) -> None:
    namespace = str(project)
    old = engine.memories.store("`connect()` returns a pool", namespace=namespace).memory.id
    engine.memories.store("`connect()` returns a store", namespace=namespace, supersedes=old)
    prompt = json.loads(payloads.claude("UserPromptSubmit", prompt="Why does `connect()` return a Store?"))
    engine.capture.put(json.dumps({**prompt, "cwd": namespace}).encode())
    assert engine.capture.drain().bad == 0
    edit(project, "return Store(path)", "return None")
    assert [row.title for row in engine.survey.review().memories] == ["`connect()` returns a store"]


def test_at_most_five_memories_are_shown_and_the_rest_is_counted(engine: Engine, project: Path) -> None:
    for number in range(8):
        engine.memories.store(f"`connect()` has property {number}", namespace=str(project))
    edit(project, "return Store(path)", "return None")
    found = engine.survey.review()
    assert (len(found.memories), found.memories_total) == (5, 8)


def test_the_commit_that_wrote_the_changed_lines_explains_them(engine: Engine, project: Path) -> None:
    edit(project, "return Store(path)", "return Store(path) if path else None")
    git(project, "commit", "-qam", "Return nothing without a path\n\nBecause the path is empty in dry runs of the job.")
    edit(project, "return x", "return x  # unused")
    git(project, "commit", "-qam", "Explain what is not used\n\nBecause a reader asked why it is there at all.")
    engine.code.index(str(project))
    engine.history.import_history(str(project), only=("git",))
    edit(project, "if path else None", "if path else Store('.')")
    (row,) = engine.survey.review().memories
    assert row.relation == "explains"
    assert "wrote 1 changed line of src/core.py" in row.why
    assert row.title == "Return nothing without a path"


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("Never call reconnect here.", False),
        ("We connect to the bank at night.", False),
        ("Do not pass None to connect().", True),
        ("Rows of core.connect are cached.", True),
        ("The `connect` of the bank.", True),
    ],
)
def test_a_symbol_is_named_as_code_not_as_an_ordinary_word(
    engine: Engine, project: Path, text: str, is_shown: bool
) -> None:
    engine.memories.store(text, namespace=str(project))
    edit(project, "return Store(path)", "return None")
    assert bool(engine.survey.review().memories) == is_shown


# --- what is odd ---


def test_an_empty_diff_is_an_answer_and_no_error(engine: Engine, project: Path) -> None:
    found = engine.survey.review(diff="")
    assert (found.files, found.changes) == (0, ())
    assert "nothing changed" in found.notes[0]
    assert "Nothing to review" in to_text(found)


@pytest.mark.parametrize("text", ["hello", "diff --cc x\n", "@@@ -1 -1 +1 @@@\n"])
def test_what_is_no_usable_diff_is_an_error_with_a_hint(engine: Engine, project: Path, text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        engine.survey.review(diff=text)
    assert caught.value.hint


def test_paths_outside_binary_files_and_unknown_sides_are_told(engine: Engine, project: Path) -> None:
    hunk = "@@ -1 +1 @@\n-no such line\n+nor this\n"
    text = (
        f"--- a/../../etc/passwd\n+++ b/../../etc/passwd\n{hunk}--- a/src/core.py\n+++ b/src/core.py\n{hunk}"
        "diff --git a/i.png b/i.png\nindex 1111111..2222222 100644\nBinary files a/i.png and b/i.png differ\n"
    )
    notes = " ".join(engine.survey.review(diff=text).notes)
    for told in (
        "outside the project, skipped: ../../etc/passwd",
        "binary, skipped: i.png",
        "not compared: src/core.py",
    ):
        assert told in notes


def test_documents_alone_are_no_symbols(engine: Engine, project: Path) -> None:
    edit(project, "# Shop", "# The shop", "README.md")
    found = engine.survey.review()
    assert (found.files, found.changes) == (1, ())
    assert "no symbol of code" in to_text(found)


def test_a_file_that_is_not_indexed_or_edited_since_is_told(engine: Engine, project: Path) -> None:
    write(project, {"src/new.py": "def n():\n    return 1\n"})
    git(project, "add", "-N", "src/new.py")
    edit(project, "return key", "return 0")
    engine.code.index(str(project / "src"))
    write(project, {"src/newer.py": "def m():\n    return 1\n"})
    git(project, "add", "-N", "src/newer.py")
    edit(project, "return 0", "return 1")
    notes = " ".join(engine.survey.review().notes)
    assert "not indexed: src/newer.py" in notes
    assert "changed since indexing" in notes


def test_a_project_that_is_not_indexed_still_has_its_changed_symbols(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(os.path.realpath(tmp_path)) / "fresh"
    write(root, {"a.py": "def a():\n    return 1\n"})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    edit(root, "return 1", "return 2", "a.py")
    monkeypatch.chdir(root)
    found = engine.survey.review()
    assert [(row.symbol, row.change) for row in found.changes] == [("a", "body")]
    assert "callers unknown" in found.changes[0].why
    assert any("not indexed" in note for note in found.notes)


def test_where_nothing_is_there_is_nothing_to_review(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        engine.survey.review(path=str(tmp_path / "nowhere"))
    with pytest.raises(InvalidInput, match="not a git repository"):
        engine.survey.review(path=str(tmp_path))
    git(tmp_path, "init", "-q")
    with pytest.raises(InvalidInput, match="no commit yet"):
        engine.survey.review(path=str(tmp_path))


def test_code_that_is_not_linked_is_told(engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link(engine, monkeypatch, ())
    edit(project, "def get(self, key):", "def get(self, key, default):")
    found = engine.survey.review()
    assert found.changes[0].symbol == "Store.get"
    assert any("not linked yet" in note for note in found.notes)
