"""A caller who is limited to a project sees, counts and changes nothing of another one, whatever it calls.

The store has a second project, full of one odd word. Every case of every operation is called with a token for the first
project, as an administrator of it: the word must not be in any answer, and the second project must stay as it was.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.test_operations import CASES, Case
from tests.conformance.test_operations import prepared as prepared  # a fixture
from tests.trees import git

from recollect import Engine, clock
from recollect.capabilities import OPERATIONS
from recollect.engine.admin.access_rules import PROJECTS, ROWS, call_as
from recollect.engine.admin.access_tokens import LOCAL, Grant
from recollect.errors import RecollectError
from recollect.hierarchy import MemoryManager
from recollect.model import Fix, Injection, Memory, Observed, Session, Tree, Usefulness
from recollect.operations import public
from recollect.render import error_to_json, to_json, to_text

WORD = "zanzibar"
APP = Grant("t", "ci", "admin", ("app",))

# The same names and paths as the first project has: what matches there matches here, too.
SOURCE = f"""
class Parser:
    def parse(self):
        '''{WORD}'''
        return {WORD}_parse()

def parse_file():
    return Parser().parse()

def {WORD}_parse():
    return Parser
"""


@pytest.fixture(scope="module")
def shared(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prepared home with a second project in it."""
    folder = tmp_path_factory.mktemp("shared")
    home = folder / "home"
    shutil.copytree(prepared, home)
    root = folder / f"{WORD}-shop"
    (root / "lib").mkdir(parents=True)
    (root / "lib" / "parser.py").write_text(SOURCE, encoding="utf-8")
    (root / "lib" / f"{WORD}.py").write_text("from lib.parser import parse_file\nparse_file()\n", encoding="utf-8")
    manifest = f'[project]\nname = "{WORD}-kit"\nversion = "1.0"\ndependencies = ["parser-kit", "msgspec"]\n'
    (root / "pyproject.toml").write_text(manifest, encoding="utf-8")
    git(root, "init", "-q")
    name = f"{WORD}-project"
    with Engine(home=str(home), embed_provider="off") as engine:
        rows: list[dict[str, Any]] = [
            {"id": f"{WORD}-1", "content": f"The parser is written by hand in {WORD}", "memory_type": "decision",
             "tags": ["parser", WORD], "title": f"Parser {WORD}", "importance": 0.1, "confidence": 0.4},
            {"id": f"{WORD}-2", "content": f"parse_file of lib/parser.py makes a {WORD} parser"},
            {"id": f"{WORD}-3", "content": f"def parse_header(line): {WORD}(line)", "category": "code/python"},
        ]  # fmt: skip
        engine.archive.import_(content="\n".join(json.dumps({**row, "namespace": name}) for row in rows))
        engine.workspaces.create(name, description=f"About {WORD}")
        engine.memories.associate(f"{WORD}-1", f"{WORD}-2")
        # A link between the projects, made before there were tokens.
        engine.memories.associate("m1", f"{WORD}-1", relationship="LEADS_TO")
        engine.memories.associate(f"{WORD}-2", "m2", relationship="CONTRADICTS")
        engine.memories.delete(engine.memories.store(f"Deleted {WORD}", namespace=name).memory.id)
        with engine.store.transaction("test") as transaction:
            transaction.insert(Session(id=f"s-{WORD}", namespace=name, started_at=2, summary=f"Session on {WORD}"))
            for number in range(8):
                transaction.insert(observed(number, name))
            transaction.insert(Fix(id="fix", fingerprint="x", namespace=name, memory_id=f"{WORD}-1", error=WORD))
            transaction.insert(Usefulness(id=f"{WORD}-1", namespace=name, kind="decision", offered=3, used=2))
            injection = Injection(id="i", session_id=f"s-{WORD}", memory_id=f"{WORD}-1", at=1, event="prompt")
            transaction.insert(injection)
        engine.code.index(str(root), namespace=name, link=True)
        (root / "lib" / "parser.py").write_text(SOURCE.replace("return Parser", "return 1"), encoding="utf-8")
        engine.code.index(str(root), namespace=name)
        MemoryManager(engine, name).promote("lib/parser.py")
    return home


def observed(number: int, namespace: str) -> Observed:
    """Return an event of a failing command, which repeats: a pattern."""
    return Observed(
        id=f"o{number}",
        mark=f"mark{number}",
        at=clock.now() - 60 * number,
        session_id=f"s-{WORD}",
        namespace=namespace,
        assistant="claude",
        event="tool",
        tool="shell",
        target=f"make {WORD}",
        outcome="failed",
        fingerprint="x",
        told=f"make {WORD} failed",
    )


def opened(shared: Path, tmp_path: Path) -> Engine:
    """Open a copy of the home as a server does."""
    home = tmp_path / "home"
    shutil.copytree(shared, home)
    engine = Engine(home=str(home), embed_provider="off")
    engine.scope.enter(str(tmp_path))
    return engine


def answer(engine: Engine, grant: Grant, name: str, arguments: dict[str, Any]) -> tuple[str, str]:
    """Return the code of an error, empty for none, and all that the caller gets to see."""
    try:
        record = call_as(grant, engine, OPERATIONS[name], arguments)
    except RecollectError as error:
        return error.code, error_to_json(error).decode()
    return "", to_json(record).decode() + to_text(record, full=True)


def theirs(engine: Engine) -> dict[str, Any]:
    """Return what the second project has."""
    mine = {"namespace": f"{WORD}-project"}
    kinds = (Memory, Session, Observed, Fix, Usefulness, Tree)
    rows = {kind.__name__: msgspec.to_builtins(engine.store.find(kind, mine)) for kind in kinds}  # type: ignore[type-var]
    window = {row["name"] for row in msgspec.to_builtins(MemoryManager(engine, mine["namespace"]).items())}
    assert rows["Memory"] and rows["Session"] and rows["Tree"] and window
    return {**rows, "window": sorted(window), "weights": to_json(engine.scoring.shown(mine["namespace"]))}


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def reading(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """One engine for all that only reads."""
    with opened(shared, tmp_path_factory.mktemp("reading")) as engine:
        yield engine


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("case", CASES, ids=[f"{case.operation}-{number}" for number, case in enumerate(CASES)])
def test_a_limited_token_reaches_nothing_of_another_project(
    case: Case, shared: Path, reading: Engine, tmp_path: Path
) -> None:
    is_read = OPERATIONS[case.operation].read_only
    with nullcontext(reading) if is_read else opened(shared, tmp_path) as engine:
        before = theirs(engine)
        _, shown = answer(engine, APP, case.operation, case.arguments)
        assert WORD not in shown.lower()
        assert theirs(engine) == before


@pytest.mark.usefixtures("quiet")
def test_notes_of_an_empty_project_name_and_count_no_other(shared: Path, tmp_path: Path) -> None:
    nothing = APP._replace(projects=("nothing",))
    noted = 0
    with opened(shared, tmp_path) as engine:
        for case in CASES:
            given = {name: value for name, value in case.arguments.items() if public(name) not in PROJECTS}
            if case.operation.startswith("delete_") or "all_projects" in given:
                continue
            _, shown = answer(engine, nothing, case.operation, given)
            assert WORD not in shown.lower(), case
            assert "in other projects" not in shown, case
            noted += OPERATIONS[case.operation].read_only and shows(engine, case, project="nothing")
    assert noted >= 3, "no note names another project: is this test still looking?"


@pytest.mark.usefixtures("quiet")
def test_no_argument_opens_another_project(shared: Path, tmp_path: Path) -> None:
    foreign = {
        "memory": (f"{WORD}-1", f"{WORD}"),
        "session": (f"s-{WORD}",),
        "node": (f"mem:{WORD}-1", f"{WORD}-1"),
    }
    tried = 0
    with opened(shared, tmp_path) as engine:
        file = next(tree.root for tree in engine.store.find(Tree) if WORD in tree.root) + "/lib/parser.py"
        before = theirs(engine)
        for case in CASES:
            for parameter in OPERATIONS[case.operation].parameters:
                values: tuple[str, ...] = foreign.get(ROWS.get(parameter.name, ""), ())
                if parameter.name in PROJECTS:
                    values = (f"{WORD}-project", str(Path(file).parent), file)
                if parameter.name in ("start_id", "source_id", "target_id", "symbol"):
                    values += (f"file:{file}", f"sym:{file}::{WORD}_parse", file)
                for value in values:
                    given = {public(name): each for name, each in case.arguments.items()}
                    several = isinstance(given.get(parameter.name), list)
                    code, shown = answer(
                        engine, APP, case.operation, {**given, parameter.name: [value] if several else value}
                    )
                    wanted = ("FORBIDDEN", "NOT_FOUND") if parameter.name == "symbol" else ("FORBIDDEN",)
                    assert code in wanted, (case, parameter.name, value)
                    assert f"written by hand in {WORD}" not in shown.lower()
                    tried += 1
        assert theirs(engine) == before
    assert tried > 200


@pytest.mark.usefixtures("quiet")
def test_what_is_tried_above_can_fail(shared: Path, tmp_path: Path) -> None:
    with opened(shared, tmp_path) as engine:
        leaking = {case.operation for case in CASES if case.operation in LEAKING and shows(engine, case)}
        assert leaking == LEAKING
        worked = {case.operation for case in CASES if not answer(engine, APP, case.operation, case.arguments)[0]}
    # Most operations do work with a token for one project.
    assert len(worked) >= 40


# Operations that show the second project to a caller who is not limited.
LEAKING = set(
    """list_memories recall_memory recall_with_expansion graph_traverse get_pagerank list_namespaces search_symbols
    get_cross_repo list_sessions detect_patterns export_memories list_changes""".split()
)


def shows(engine: Engine, case: Case, **beside: str) -> bool:
    given = {public(name): value for name, value in case.arguments.items()}
    return WORD in answer(engine, LOCAL, case.operation, {**given, **beside})[1].lower()
