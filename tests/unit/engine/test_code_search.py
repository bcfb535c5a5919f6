"""Searching code from end to end: a name leads to its definition, a description to the file that does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import HashingEmbedder
from tests.harbour import FILES
from tests.trees import git, write

from recollect import Engine
from recollect.code.code_records import CodeHits
from recollect.errors import InvalidInput, InvalidWorkspace
from recollect.model import CodeHit


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "harbour", FILES)
    git(tmp_path / "harbour", "init", "-q")
    return tmp_path / "harbour"


@pytest.fixture
def harbour(engine: Engine, root: Path) -> Engine:
    """An engine that has indexed the harbour and made no vector yet."""
    engine.code.index(str(root), namespace="harbour")
    return engine


def first(engine: Engine, query: str, **options: Any) -> CodeHit:
    return engine.code.search(query, **options).hits[0]


def paths(answer: CodeHits) -> list[str]:
    return [hit.path for hit in answer.hits]


# --- by name ---


@pytest.mark.promise("E-search_code")
@pytest.mark.parametrize(
    ("name", "path", "symbol", "kind", "lines"),
    [
        ("BeaconLamp", "src/harbour/lamp.py", "BeaconLamp", "Class", (6, 22)),
        ("ignite", "src/harbour/lamp.py", "BeaconLamp.ignite", "Method", (13, 17)),
        ("BeaconLamp.extinguish", "src/harbour/lamp.py", "BeaconLamp.extinguish", "Method", (19, 22)),
        ("replace_burner", "src/harbour/lamp.py", "replace_burner", "Function", None),
        ("soundWarning", "web/fogHorn.ts", "FogHorn.soundWarning", "Method", None),
        ("PredictTide", "cmd/tide.go", "PredictTide", "Function", None),
        ("Buoy", "native/buoy.rs", "Buoy", None, None),
        ("PRESSURE_LIMIT", "src/harbour/weather.py", "PRESSURE_LIMIT", "Constant", (3, 3)),
        ("where is read_sensor?", "src/harbour/weather.py", "read_sensor", "Function", None),
    ],
)
def test_a_name_leads_to_its_definition(
    harbour: Engine, name: str, path: str, symbol: str, kind: str | None, lines: tuple[int, int] | None
) -> None:
    hit = first(harbour, name)
    assert (hit.path, hit.symbol) == (path, symbol)
    assert kind is None or hit.kind == kind
    assert lines is None or (hit.start_line, hit.end_line) == lines
    assert "defines the name" in hit.reason
    assert symbol.rsplit(".", 1)[-1] in FILES[path].split("\n")[hit.start_line - 1]


@pytest.mark.parametrize("name", ["beaconlamp", "BEACONLAMP", "predicttide", "Replace_Burner"])
def test_the_case_of_a_name_does_not_matter(harbour: Engine, name: str) -> None:
    assert first(harbour, name).symbol.lower() == name.lower()


@pytest.mark.parametrize(
    ("parts", "symbol"),
    [("sound warning", "FogHorn.soundWarning"), ("predict tide", "PredictTide"), ("beacon lamp", "BeaconLamp")],
)
def test_the_parts_of_a_name_find_it(harbour: Engine, parts: str, symbol: str) -> None:
    assert first(harbour, parts).symbol == symbol


# --- by description ---


@pytest.mark.promise("E-search_code")
@pytest.mark.parametrize(
    ("description", "path", "symbol"),
    [
        ("how is the height of the water computed from the moon", "cmd/tide.go", "PredictTide"),
        ("ask a sensor again when the cable is wet", "src/harbour/weather.py", "read_sensor"),
        ("warn ships that come too near", "web/fogHorn.ts", "FogHorn.soundWarning"),
        ("move with the current as far as the chain allows", "native/buoy.rs", "Buoy.drift"),
        ("light the burner and turn the mirror", "src/harbour/lamp.py", "BeaconLamp.ignite"),
    ],
)
def test_a_description_finds_the_function_that_does_it(
    harbour: Engine, description: str, path: str, symbol: str
) -> None:
    hit = first(harbour, description)
    assert (hit.path, hit.symbol.replace("::", ".")) == (path, symbol)
    assert hit.reason and hit.score > 0.05


def test_tests_examples_documents_and_data_come_after_the_code_unless_they_are_asked_for(harbour: Engine) -> None:
    code = paths(harbour.code.search("extinguish the burner of the beacon lamp"))
    assert code[0] == "src/harbour/lamp.py"
    assert {"tests/test_lamp.py", "examples/lamp_demo.py", "README.md"} <= set(code)
    assert first(harbour, "tests of the beacon lamp burner").path == "tests/test_lamp.py"
    assert first(harbour, "example of the beacon lamp burner").path == "examples/lamp_demo.py"
    assert first(harbour, "burner in the readme documentation").path == "README.md"
    assert first(harbour, "watts in the yaml config").path == "config/harbour.yaml"


def test_places_are_one_per_file_best_first_and_surer_the_higher(harbour: Engine) -> None:
    answer = harbour.code.search("burner of the lamp", limit=50)
    assert len(set(paths(answer))) == len(answer.hits) > 3
    scores = [hit.score for hit in answer.hits]
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] > 2 * scores[-1]
    assert harbour.code.search("burner of the lamp", limit=2).hits == answer.hits[:2]
    least = scores[1]
    assert [hit.score for hit in harbour.code.search("burner of the lamp", min_score=least).hits] == scores[:2]


def test_a_place_tells_all_that_is_needed_to_open_and_to_judge_it(harbour: Engine, root: Path) -> None:
    hit = first(harbour, "PredictTide")
    assert (hit.root, hit.namespace, hit.language) == (str(root), "harbour", "go")
    assert hit.signature == "func PredictTide(moonPhase float64, hour int) float64"
    assert hit.doc.startswith("PredictTide computes the height")
    assert hit.shares == ()
    shares = first(harbour, "PredictTide", explain=True).shares
    assert shares[0].share == max(row.share for row in shares) > 0
    assert "defines a name from the query" in {row.meaning for row in shares}


# --- filters ---


def test_only_what_is_asked_for_is_searched(harbour: Engine) -> None:
    search = harbour.code.search
    assert set(paths(search("burner lamp", language="Python"))) == {
        "src/harbour/lamp.py", "tests/test_lamp.py", "examples/lamp_demo.py",
    }  # fmt: skip
    assert set(paths(search("burner lamp", path="./src/"))) == {"src/harbour/lamp.py"}
    functions = search("burner lamp", kind="Function").hits
    assert functions[0].symbol == "replace_burner"
    assert {hit.kind for hit in functions} == {"Function"}
    assert search("burner lamp", kind="Endpoint").hits == ()
    assert search("burner lamp", namespace="harbour").hits == search("burner lamp").hits


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({"namespace": "/elsewhere"}, "No code of this project is indexed. Indexed: harbour."),
        ({"language": "cobol"}, "No file in this language is indexed. Indexed: python,"),
        ({"path": "nowhere/"}, "Paths are relative to the project root"),
    ],
    ids=str,
)
def test_the_answer_says_why_a_filter_leaves_nothing(harbour: Engine, options: dict[str, str], note: str) -> None:
    answer = harbour.code.search("burner", **options)  # type: ignore[arg-type]
    assert answer.hits == ()
    assert any(line.startswith(note) for line in answer.notes)


def test_the_answer_says_that_nothing_matches_well(harbour: Engine) -> None:
    weak = "nothing matches the query well: these are the closest places"
    told = harbour.code.search("broken invoices of customers, taxes and forms", language="markdown")
    assert told.hits and told.notes[0] == weak
    assert weak not in harbour.code.search("replace_burner").notes


def test_the_answer_says_that_nothing_is_indexed(engine: Engine) -> None:
    assert "recollect index" in engine.code.search("burner").notes[0]


@pytest.mark.parametrize(
    "given",
    [
        {"query": ""},
        {"query": " \n"},
        {"query": 7},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 1001},
        {"query": "x", "limit": "3"},
        {"query": "x", "min_score": 1.5},
        {"query": "x", "kind": "Planet"},
    ],
    ids=str,
)
def test_bad_questions_are_refused_with_a_hint(harbour: Engine, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as raised:
        harbour.code.search(**given)
    assert raised.value.hint
    assert "INVALID_INPUT" in raised.value.code


def test_a_namespace_that_is_none_is_refused(harbour: Engine) -> None:
    with pytest.raises(InvalidWorkspace):
        harbour.code.search("burner", namespace="\x00")


# --- several projects ---


def test_the_same_file_in_two_work_trees_is_shown_once(harbour: Engine, root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    git(root, "worktree", "add", "-q", "-b", "other", "../other")
    write(root.parent / "other", {"cmd/tide.go": FILES["cmd/tide.go"].replace("2 *", "3 *")})
    harbour.code.index(str(root.parent / "other"), namespace="harbour")
    both = harbour.code.search("replace_burner", namespace="harbour", limit=50)
    assert paths(both).count("src/harbour/lamp.py") == 1
    assert paths(harbour.code.search("PredictTide", limit=50)).count("cmd/tide.go") == 2


def test_projects_are_searched_together_or_apart(harbour: Engine, tmp_path: Path) -> None:
    write(tmp_path / "garden", {"burner.py": "def burn_leaves():\n    return 'smoke'\n"})
    harbour.code.index(str(tmp_path / "garden"), namespace="garden")
    assert {hit.namespace for hit in harbour.code.search("burner").hits} == {"harbour", "garden"}
    assert paths(harbour.code.search("burner", namespace="garden")) == ["burner.py"]


# --- with vectors ---


def test_search_is_lexical_until_most_of_the_code_has_vectors(harbour: Engine, embedder: HashingEmbedder) -> None:
    before = harbour.code.search("light the burner")
    assert before.mode == "lexical"
    made, lacking = harbour.code.coverage()
    assert made == 0
    (note,) = before.notes
    assert note.startswith(f"search is keyword-only: 0 of {lacking} code chunks are embedded")
    assert "index --vectors" in note
    assert embedder.embedded == []
    harbour.code.embed()
    after = harbour.code.search("light the burner")
    assert (after.mode, after.notes, embedder.embedded[-1]) == ("hybrid", (), "light the burner")
    assert after.hits[0].path == "src/harbour/lamp.py"


def test_an_embedder_that_fails_leaves_the_search_by_words(harbour: Engine, embedder: HashingEmbedder) -> None:
    harbour.code.embed()
    embedder.failing = True
    answer = harbour.code.search("light the burner")
    assert answer.mode == "lexical"
    assert answer.notes == ("search is keyword-only: the fake provider is down",)
    assert answer.hits[0].path == "src/harbour/lamp.py"


def test_one_project_without_vectors_is_not_judged_by_another_with_them(harbour: Engine, tmp_path: Path) -> None:
    harbour.code.embed()
    write(tmp_path / "garden", {"burner.py": "def burn_leaves():\n    return 'smoke'\n"})
    harbour.code.index(str(tmp_path / "garden"), namespace="garden")
    assert harbour.code.search("burn leaves", namespace="garden").mode == "lexical"
    assert harbour.code.search("burner", namespace="harbour").mode == "hybrid"


def test_what_is_left_out_no_longer_counts(open_engine: Callable[..., Engine], root: Path) -> None:
    from recollect.code.search import SIGNALS

    engine = open_engine(embed_provider="off")
    engine.code.index(str(root))
    with_all = first(engine, "test_lamp", explain=True)
    engine.code.leave_out = SIGNALS["path"]
    without = [hit for hit in engine.code.search("test_lamp", explain=True).hits if hit.path == with_all.path]
    assert "its path matches" in {row.meaning for row in with_all.shares}
    assert not {"its path matches", "its path does not match"} & {row.meaning for row in without[0].shares}


BACKEND = (
    '"""Cache backend for {name}."""\n\n\nclass {name}Backend(Base):\n    """Cache backend that stores entries."""\n\n'
    "    def get(self, key):\n        return self.client.get(key)\n\n"
    "    def set(self, key, value):\n        self.client.set(key, value)\n"
)
CORNERS = {
    "lib/colors.bash": 'red="31"\npaint() {\n  printf "%s" "$1"\n}\n',
    "src/query.py": "class Q:\n    pass\n\n\nclass Char(Field):\n    pass\n\n\ng = proxy()\n",
    "src/charset.py": "def width(q):\n    return 1\n",
    "src/testing.zig": "/// Fails unless ok.\npub fn expect(ok: bool) !void {\n    if (!ok) return error.Failed;\n}\n",
    **{
        f"src/a{number}.zig": f'const std = @import("std");\nconst expect = std.testing.expect;\n\n'
        f'test "case {number}" {{\n    try expect(true);\n    try expect({number} > 0);\n}}\n'
        for number in range(4)
    },
    **{
        f"plugins/{name.lower()}.py": BACKEND.format(name=name)
        for name in ("Alpha", "Beta", "Gamma", "Delta", "Eta", "Zeta", "Theta", "Iota", "Kappa", "Mu", "Nu", "Xi")
    },
    "plugins/registry.py": '"""Choose the backend."""\n\n\ndef create_backend(settings):\n'
    '    """Create the cache backend."""\n'
    "    return KNOWN[settings.name]()\n",
    "docs/api.html": '<html><head><meta name="generator" content="Doxygen"/></head><body><h1>create backend</h1>'
    "<p>create the cache backend, create_backend</p></body></html>\n",
    "src/win/pipe.c": "/* pipe between processes: open pipe, close pipe */\nint open_pipe(void) {\n  return 1;\n}\n",
    "src/unix/pipe.c": "/* pipe between processes */\nint open_pipe(void) {\n  return 0;\n}\n",
}


@pytest.fixture
def corners(engine: Engine, tmp_path: Path) -> Engine:
    write(tmp_path / "corners", CORNERS)
    engine.code.index(str(tmp_path / "corners"), namespace="corners")
    return engine


def test_short_names_aliases_twins_siblings_and_generated_files_have_their_place(corners: Engine) -> None:
    search = corners.code.search
    assert first(corners, "colors").path == "lib/colors.bash"
    for query in ("Q", "the Q object", "`g`", "function g", "where is Char defined"):
        assert first(corners, query).path == "src/query.py", query
    assert search("create backend").hits[0].score > 0.9, "the name create_backend, said in words"
    aliased = search("expect").hits
    assert aliased[0].path == "src/testing.zig"
    assert aliased[0].score > 10 * aliased[1].score
    assert "plugins/registry.py" in paths(search("cache backend"))[:6]
    made = paths(search("create cache backend", limit=50))
    assert made[0] == "plugins/registry.py"
    assert made[-1] == "docs/api.html"
    order = paths(search("pipe between processes"))
    assert order.index("src/unix/pipe.c") < order.index("src/win/pipe.c")
    for query in ("expect", "cache backend", "pipe between processes"):
        scores = [hit.score for hit in search(query, limit=50).hits]
        assert scores == sorted(scores, reverse=True)
