"""Text of strangers is fenced and harmless, whatever field it is in and whichever operation shows it.

Every operation is called as the cases of test_operations.py call it: on a home in which every field that a caller, a
payload or a repository can set is hostile, and again with hostile arguments.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.surfaces import asked, called, run
from tests.conformance.test_operations import CASES, Bench, Case
from tests.hostile import FORGED, NAME, PLANTED, TEXT, harmful, outside, texts
from tests.payloads import claude, edited, failed, looked, ran
from tests.transcripts import say, use
from tests.transcripts import write as write_transcript
from tests.trees import git, write

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.hierarchy import MemoryManager
from recollect.model import Session
from recollect.render.block import NOTICE
from recollect.surface.hooks.hook_output import by_engine, by_fast_path

CODE = f'''"""{PLANTED} \x1b[2J \u202e"""

class Parser:
    """{PLANTED} \u200b\x9b31m"""
    def parse(self):
        return 1

def parse_file():
    return Parser().parse()
'''
FILES = {
    "lib/parser.py": CODE,
    f"lib/{NAME}.py": CODE.replace("parse_file", "parse_files"),
    "lib/parser.rb": f"class Parser\u202e\n  # {PLANTED}\u200b\n  def parse_{PLANTED}\u200b\n    1\n  end\nend\n",
    "docs/adr/0001-parser.md": f"# The parser {TEXT}\n\nStatus: accepted\n\nIt is written by hand because {TEXT}\n",
    "README.md": f"# parser {NAME}\n\nThe parser is written by hand. {TEXT}\n",
    "pyproject.toml": f'[project]\nname = "parser-kit"\nversion = "1.0{PLANTED}"\ndependencies = ["msgspec>=0.18"]\n',
    "lib/todo.py": f"# TODO: make the parser faster {PLANTED}\x1b[2J\u202e because it is slow\n",
}  # fmt: skip


def write_hostile(folder: Path) -> None:
    write(folder, FILES)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    person = {"GIT_AUTHOR_NAME": f"{PLANTED}\x1b[2J\u202e", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
              "GIT_COMMITTER_EMAIL": "a@b"}  # fmt: skip
    for number in (1, 2):
        message = f"Write the parser by hand {number} {PLANTED}\x1b[2J\u202e\n\nWe decided so because {TEXT}"
        subprocess.run(
            ["git", "commit", "-q", "--allow-empty", "-F", "-"],
            input=message.encode(), cwd=folder, check=True, env={**os.environ, **person},
        )  # fmt: skip
        (folder / "lib" / "parser.py").write_text(CODE.replace("return 1", f"return {number + 1}"), "utf-8")
        git(folder, "add", ".")


def memories() -> list[dict[str, Any]]:
    about = {"title": TEXT, "category": NAME, "tags": [NAME, "parser"], "author": NAME, "session_id": NAME,
             "branch": f"{PLANTED}\x1b\u202e", "metadata": {NAME: [TEXT, {NAME: TEXT}]}}  # fmt: skip
    known = {"m1": "decision", "m2": "context", "m4": "habit", "m5": "insight"}
    rows = [
        {"id": name, "content": f"The parser of {name} is written by hand: {TEXT}", "memory_type": kind,
         "namespace": "app", **about}
        for name, kind in known.items()
    ]  # fmt: skip
    rows.append({"id": "m3", "content": TEXT, "namespace": f"lib{NAME}", **about})
    rows.append({"id": "m6", "content": "parse_file makes a parser anew", "namespace": "app", **about})
    fact = "The tide tables of the harbour module are fetched from the Skagen station."
    rows.append({"id": "m7", "content": f"{fact} {TEXT}", "namespace": "/nowhere/shop", **about})
    rows.append({"id": f"odd{NAME}", "content": f"odd {TEXT}", "namespace": "app", **about})
    return rows


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which everything that comes from outside is hostile."""
    home = tmp_path_factory.mktemp("hostile") / "home"
    project = home.parent / "project"
    write_hostile(project)
    with Engine(home=str(home), embed_provider="off") as engine:
        engine.archive.import_(content="\n".join(map(json.dumps, memories())))
        engine.workspaces.create("app", name=TEXT, description=TEXT)
        engine.memories.associate("m1", "m2", relationship="LEADS_TO")
        with engine.store.transaction("test") as transaction:
            transaction.insert(
                Session(id="s", namespace="app", started_at=1, summary=TEXT, assistant=NAME, branch=NAME)
            )
        snippet = f"def parse_parser(line):\n    # {PLANTED}\x1b[2J\u202e the parser\n    return line.split(':')"
        OPERATIONS["store_coding_memory"].call(engine, {"content": snippet, "context": f"The parser {TEXT}"})
        engine.memories.delete("m5")
        engine.code.index(str(project), namespace="app")
        OPERATIONS["import_history"].call(engine, {"path": str(project), "only": ["git", "docs"]})
        for payload in payloads():
            engine.capture.put(payload, event="", assistant="claude")
        engine.capture.catch_up()
        MemoryManager(engine, "app").promote("lib/parser.py")
    return home


def payloads() -> list[bytes]:
    command = f"make test {NAME}"
    error = f"Error: the parser broke {TEXT}\nFAILED tests/test_parser.py::test_{PLANTED} - assert 1 == 2"
    return [
        claude("SessionStart", source="startup"),
        claude("UserPromptSubmit", prompt=f"Always write the parser by hand, never generate it. {TEXT}"),
        looked(f"{NAME}.py", CODE),
        failed(command, error, call="1"),
        edited("return 1", "return 2", path=f"{NAME}.py", text=CODE),
        ran(command, f"1 passed {TEXT}"),
        claude("Stop", last_assistant_message=f"The parser is fixed. {TEXT}"),
        claude("SessionEnd", reason="other"),
    ]


@pytest.fixture
def bench(prepared: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "project", FILES)
    lines = [{"id": "m9", "content": TEXT, "title": TEXT}, {"content": TEXT}]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assistants = tmp_path / "assistants"
    monkeypatch.setenv("RECOLLECT_ASSISTANTS_HOME", str(assistants))
    steps = [
        say("user", f"never generate the parser {TEXT}"),
        use("bash", "make test", output=TEXT),
        say("assistant", TEXT),
    ]
    write_transcript(assistants, "claude", steps, session=f"t{PLANTED}", cwd=str(tmp_path / "project"))
    return Bench(prepared, home, tmp_path, monkeypatch)


def assert_text(text: str) -> None:
    """What people and models read: nothing harmful, and nothing of a stranger outside of the fences."""
    assert harmful(text) == []
    own = outside(text)
    assert PLANTED not in own and FORGED not in own
    assert PLANTED not in text or NOTICE in own


def assert_data(encoded: bytes) -> None:
    """What programs read: one line, and nothing harmful in any text once it is decoded."""
    assert encoded.count(b"\n") <= 1
    assert [sign for text in texts(msgspec.json.decode(encoded)) for sign in harmful(text)] == []


def assert_error(text: str) -> None:
    assert harmful(text) == []
    assert not any(line.startswith((PLANTED, FORGED)) for line in text.split("\n"))
    assert text.rstrip("\n").count("\n") <= 2


def prepare(bench: Bench, case: Case, folder: Path) -> None:
    if "repository" in case.words and not (folder / "repository").exists():
        write_hostile(folder / "repository")
    bench.copy_home()


# Some of those that show what is hostile here, so that none of the tests below can pass by showing nothing.
TELLING = {"get_memory", "recall_memory", "list_memories", "pack_context", "get_session", "session_context",
           "workspace_retrieve", "search_code", "search_symbols", "repo_map", "get_decision_chain", "graph_traverse",
           "list_namespaces", "retrieve_relevant_memories", "import_history", "list_commands"}  # fmt: skip


each_case = pytest.mark.parametrize(
    "case", CASES, ids=[f"{case.operation}-{number}" for number, case in enumerate(CASES)]
)


@each_case
def test_nothing_that_an_operation_shows_of_strangers_is_outside_of_a_fence_or_harmful(
    case: Case, bench: Bench, tmp_path: Path
) -> None:
    row = OPERATIONS[case.operation]
    prepare(bench, case, tmp_path)

    def again() -> None:
        if not row.read_only:
            prepare(bench, case, tmp_path)

    for detail in ("brief", "full"):
        result = called(row.name, {**case.arguments, "detail": detail})
        assert_data(msgspec.json.encode(result["structuredContent"]))
        (assert_error if result["isError"] else assert_text)(result["content"][0]["text"])
        again()

    for flags in ((), ("--full",), ("--json",)):
        again()
        _, out, error = run(row.command, *flags, *case.words)
        assert_error(error.decode())
        if flags == ("--json",):
            assert_data(out)
        elif row.name == "export_memories" or b'"additionalContext"' in out:
            assert harmful(out.decode()) == []  # lines of JSON, for a file or for an assistant
        else:
            assert_text(out.decode())


def hostile(value: Any) -> Any:
    """Return an argument with hostile text in it."""
    if isinstance(value, str):
        return json.dumps({**json.loads(value), "note": TEXT}) if value.startswith("{") else f"{value}{TEXT}"
    if isinstance(value, dict):
        return {**value, NAME: TEXT}
    return [*value, TEXT]


ARGUMENTS = {
    (case.operation, name): case
    for case in CASES
    for name, value in case.arguments.items()
    if isinstance(value, str | dict | list | tuple)
}


@pytest.mark.parametrize("operation", sorted(TELLING))
def test_what_is_hostile_is_shown_at_all(operation: str, bench: Bench, tmp_path: Path) -> None:
    told = []
    for case in (case for case in CASES if case.operation == operation):
        prepare(bench, case, tmp_path)
        told.append(called(operation, case.arguments)["content"][0]["text"])
    assert PLANTED in "".join(told)


@pytest.mark.parametrize(("operation", "parameter"), ARGUMENTS, ids=["-".join(names) for names in ARGUMENTS])
def test_a_hostile_argument_does_no_harm_in_an_answer_or_an_error(
    operation: str, parameter: str, bench: Bench, tmp_path: Path
) -> None:
    case = ARGUMENTS[operation, parameter]
    prepare(bench, case, tmp_path)
    result = called(operation, {**case.arguments, parameter: hostile(case.arguments[parameter])})
    assert_data(msgspec.json.encode(result["structuredContent"]))
    (assert_error if result["isError"] else assert_text)(result["content"][0]["text"])


def test_a_huge_argument_is_not_echoed_whole(bench: Bench) -> None:
    bench.copy_home()
    for operation, parameter in ARGUMENTS:
        if operation in ("get_memory", "list_memories", "delete_memory", "undo", "get_session", "namespace_stats"):
            result = called(operation, {**ARGUMENTS[operation, parameter].arguments, parameter: "x" * 1_000_000})
            assert not result["isError"] or len(msgspec.json.encode(result)) < 10_000


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": TEXT},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": TEXT}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": TEXT * 10_000}}},
    ],
    ids=["method", "tool", "version"],
)  # fmt: skip
def test_an_error_of_the_protocol_is_harmless_and_short(message: dict[str, Any]) -> None:
    from recollect.surface.mcp.jsonrpc import encode
    from recollect.surface.mcp.server import Peer, Server, answer

    server = Server(lambda: OPERATIONS, lambda row, given: None)  # type: ignore[return-value]
    reply = encode(answer(server, Peer(lambda sent: None), message))
    assert_data(reply)
    assert len(reply) < 5_000


def test_resources_and_prompts_show_nothing_of_strangers_outside_of_a_fence(bench: Bench, tmp_path: Path) -> None:
    prepare(bench, CASES[0], tmp_path)
    listed = asked("resources/list")["resources"]
    assert_data(msgspec.json.encode(listed))
    shown = [asked("resources/read", uri=row["uri"])["contents"][0]["text"] for row in listed]
    shown.append(asked("resources/read", uri="recollect://symbol/Parser")["contents"][0]["text"])
    prompt = asked("prompts/get", name="recall", arguments={"question": "How is the parser written?"})
    shown.append(prompt["messages"][0]["content"]["text"])
    for text in shown:
        assert_text(text)
    assert sum(PLANTED in text for text in shown) > 5, "nothing hostile is told: is this test still looking?"


@pytest.mark.parametrize(
    "words", [(TEXT,), ("store",), ("get", TEXT), ("list", "--order", TEXT), ("store", "x", f"--{NAME}")]
)
@pytest.mark.parametrize("flags", [(), ("--json",), ("-v",)], ids=["text", "json", "verbose"])
def test_an_error_of_the_command_line_is_harmless(words: tuple[str, ...], flags: tuple[str, ...], home: Path) -> None:
    status, out, error = run(*words, *flags)
    assert status != 0
    assert_error(error.decode())
    assert harmful(out.decode()) == []


ASKED = "Which station do the tide tables of the harbour module come from?"
HOOKS = {
    "SessionStart": claude("SessionStart", source="startup").replace(b"c-1", b"c-2"),
    "UserPromptSubmit": claude("UserPromptSubmit", prompt=ASKED).replace(b"c-1", b"c-2"),
    "PostToolUseFailure": next(row for row in payloads() if b"Failure" in row).replace(b"c-1", b"c-2"),
}  # fmt: skip


@pytest.mark.parametrize("event", HOOKS)
@pytest.mark.parametrize("by", [by_engine, by_fast_path])
def test_what_a_hook_says_is_one_harmless_block(event: str, by: Any, bench: Bench, home: Path) -> None:
    bench.copy_home()
    said = by(HOOKS[event], str(home), event, "claude")
    if by is by_fast_path and event != "UserPromptSubmit":
        assert said == b""
        return
    told = json.loads(said)["hookSpecificOutput"]["additionalContext"]
    assert PLANTED in told, "nothing hostile is told: is this test still looking?"
    assert harmful(told) == []
    lines = told.strip("\n").split("\n")
    assert told.count("</recollect-context>") == 1 and lines[-1] == "</recollect-context>"
    assert lines[0].startswith("<recollect-context ")
    assert not any(line.lstrip(" #-").startswith(FORGED) for line in lines)
