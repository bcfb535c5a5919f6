"""Bad input is refused with the same code on every surface, and nothing is written."""

from __future__ import annotations

import hashlib
import io
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.conformance.surfaces import SURFACES, command_line, library, mcp

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.operations import Operation, Parameter
from recollect.surface.cli.arguments import flag, kind
from recollect.surface.cli.command_table import Command
from recollect.surface.mcp.jsonrpc import PARSE_ERROR, ProtocolError, decode

HUGE = "x" * (50 * 1024 * 1024)
FAR = 10**30


class Case(NamedTuple):
    """A bad call and the code it is refused with; `words` is None where a command line cannot express it."""

    operation: str
    arguments: dict[str, Any]
    words: tuple[str, ...] | None
    code: str = "INVALID_INPUT"


def content(value: Any, code: str = "INVALID_INPUT") -> list[Case]:
    """The same bad content stored and written over a memory."""
    words = isinstance(value, str)
    return [
        Case("store_memory", {"content": value}, ("--", value) if words else None, code),
        Case(
            "update_memory",
            {"memory_id": "m1", "content": value},
            ("m1", f"--content={value}") if words else None,
            code,
        ),
    ]


CASES: dict[str, list[Case]] = {
    "empty content": content(""),
    "blank content": content(" \n\t "),
    "content that is a number": content(7),
    "content that is a list": content(["x"]),
    "50 MB of content": content(HUGE, "CONTENT_TOO_LARGE"),
    "a NUL in the content": content("a\0b"),
    "half a character": content("a\udcffb"),
    "what is not in a context window": [
        Case("context_window_start", {"description": " "}, (" ",)),
        Case("context_window_start", {"description": "x", "namespace": "nowhere"}, ("x", "--project", "nowhere"),
             "NOT_FOUND"),
        Case("context_window_start", {"description": "x", "profile": "huge"}, ("x", "--profile", "huge")),
        Case("context_window_start", {"description": "x", "limit": -1}, ("x", "--limit=-1")),
        Case("context_window_start", {"description": "x", "namespace": "no?name"}, ("x", "--project", "no?name"),
             "INVALID_WORKSPACE"),
        Case("context_window_look_up", {"query": ""}, ("",)),
        Case("context_window_look_up", {"query": "memory:nobody"}, ("memory:nobody",), "MEMORY_NOT_FOUND"),
        Case("context_window_promote", {"path": "no.py"}, ("no.py",), "NOT_FOUND"),
        Case("context_window_promote", {"path": "no.py", "level": 3}, ("no.py", "--level", "3")),
        Case("context_window_demote", {"path": "no.py"}, ("no.py",), "NOT_FOUND"),
        Case("context_window_set", {"content": "word " * 20_000}, ("word " * 20_000,), "CONTENT_TOO_LARGE"),
        Case("context_window_set", {"content": "a\0b"}, None),
        Case("context_window", {"level": 3}, ("--level", "3")),
        Case("context_window", {"level": 4, "namespace": "nowhere"}, ("--level", "4", "--project", "nowhere"),
             "NOT_FOUND"),
    ],
    "no content": [
        Case("store_memory", {}, ()),
        Case("store_memory", {"content": None}, None),
    ],
    "unknown ids": [
        Case("get_memory", {"memory_id": "nobody"}, ("nobody",), "MEMORY_NOT_FOUND"),
        Case("update_memory", {"memory_id": "nobody", "title": "T"}, ("nobody", "--title", "T"), "MEMORY_NOT_FOUND"),
        Case("delete_memory", {"memory_id": "nobody"}, ("nobody",), "MEMORY_NOT_FOUND"),
        Case("delete_memory", {"memory_id": "nobody", "undo": True}, ("nobody", "--undo"), "MEMORY_NOT_FOUND"),
        Case("delete_memory", {"memory_id": "m1", "undo": True}, ("m1", "--undo"), "CONFLICT"),
        Case("purge_memories", {"memory_ids": ["nobody"]}, ("nobody", "--yes"), "MEMORY_NOT_FOUND"),
        Case("associate_memories", {"source_id": "m1", "target_id": "nobody"}, ("m1", "nobody"), "MEMORY_NOT_FOUND"),
        Case("associate_memories", {"source_id": "nobody", "target_id": "m1"}, ("nobody", "m1"), "MEMORY_NOT_FOUND"),
        Case("workspace_retrieve", {"identifier": "nowhere"}, ("nowhere",), "WORKSPACE_NOT_FOUND"),
        Case("store_memory", {"content": "x", "supersedes": "nobody"}, ("x", "--supersedes", "nobody"),
             "MEMORY_NOT_FOUND"),
        Case("undo", {"batch": "nothing"}, ("nothing",), "NOT_FOUND"),
        Case("import_memories", {"path": "missing.jsonl"}, ("missing.jsonl",), "NOT_FOUND"),
    ],
    "code that is not there": [
        Case("store_memory", {"content": "x", "anchors": ["../a.py"]}, ("x", "--anchors", "../a.py")),
        Case("store_memory", {"content": "x", "anchors": ["a.py:3"]}, ("x", "--anchors", "a.py:3")),
        Case("store_memory", {"content": "x", "anchors": [""]}, None),
        Case("store_memory", {"content": "x", "anchors": [7]}, None),
        Case("store_memory", {"content": "x", "anchors": [f"a{number}.py" for number in range(9)]}, None),
        Case("update_memory", {"memory_id": "m1", "anchors": ["a\nb"]}, ("m1", "--anchors", "a\nb")),
        Case("drift", {"range": "HEAD~1..HEAD"}, ("--range", "HEAD~1..HEAD")),
        Case("drift", {"range": " "}, ("--range", " ")),
        Case("drift", {"since": "some day"}, ("--since", "some day")),
        Case("drift", {"limit": 0}, ("--limit", "0")),
        Case("settle_drift", {"memory_id": "nobody", "action": "keep"}, ("nobody", "keep"), "MEMORY_NOT_FOUND"),
        Case("settle_drift", {"memory_id": "m1", "action": "forget"}, ("m1", "forget")),
        Case("settle_drift", {"memory_id": "m1", "action": "update"}, ("m1", "update")),
        Case("settle_drift", {"memory_id": "m1", "action": "keep", "content": "x"}, ("m1", "keep", "--content", "x")),
        Case("settle_drift", {"memory_id": "m1", "action": "retire", "anchors": ["a.py"]},
             ("m1", "retire", "--anchors", "a.py")),
    ],
    "walks that cannot be made": [
        Case("graph_traverse", {"start_id": "nobody"}, ("nobody",), "NOT_FOUND"),
        Case("graph_traverse", {"start_id": " "}, (" ",)),
        Case("graph_traverse", {"start_id": "m1", "max_depth": 0}, ("m1", "--max-depth", "0")),
        Case("graph_traverse", {"start_id": "m1", "max_depth": 11}, ("m1", "--max-depth", "11")),
        Case("graph_traverse", {"start_id": "m1", "max_depth": FAR}, ("m1", "--max-depth", str(FAR))),
        Case("graph_traverse", {"start_id": "m1", "algorithm": "random"}, ("m1", "--algorithm", "random")),
        Case("graph_traverse", {"start_id": "m1", "direction": "up"}, ("m1", "--direction", "up")),
        Case("graph_traverse", {"start_id": "m1", "kinds": ["Planet"]}, ("m1", "--kinds", "Planet")),
        Case("graph_traverse", {"start_id": "m1", "kinds": "File"}, None),
        Case("graph_traverse", {"start_id": "m1", "relationships": ["LOVES"]}, ("m1", "--relationships", "LOVES")),
        Case("graph_traverse", {"start_id": "m1", "limit": 0}, ("m1", "--limit", "0")),
        Case("get_pagerank", {"damping": 1.5}, ("--damping", "1.5")),
        Case("get_pagerank", {"damping": float("nan")}, ("--damping", "nan")),
        Case("get_clusters", {"resolution": 0}, ("--resolution", "0")),
        Case("get_clusters", {"resolution": -1}, ("--resolution=-1",)),
        Case("get_clusters", {"resolution": float("nan")}, ("--resolution", "nan")),
        Case("get_clusters", {"resolution": "fine"}, ("--resolution", "fine")),
        Case("recall_with_expansion", {"query": ""}, ("",)),
        Case("recall_with_expansion", {"query": "x", "expansion_depth": 0}, ("x", "--expansion-depth", "0")),
        Case("recall_with_expansion", {"query": "x", "expansion_depth": 6}, ("x", "--expansion-depth", "6")),
        Case("recall_with_impact", {"query": "x", "depth": 6}, ("x", "--depth", "6")),
        Case("recall_with_impact", {"query": "x", "k": 0}, ("x", "--limit", "0")),
    ],
    "code that cannot be asked for": [
        Case("search_code", {"query": ""}, ("",)),
        Case("search_code", {"query": " \n"}, (" \n",)),
        Case("search_code", {"query": "a\0b"}, ("a\0b",)),
        Case("search_code", {"query": 7}, None),
        Case("search_code", {}, ()),
        Case("search_code", {"query": "x", "k": 0}, ("x", "--limit", "0")),
        Case("search_code", {"query": "x", "k": 1001}, ("x", "--limit", "1001")),
        Case("search_code", {"query": "x", "kind": "Planet"}, ("x", "--kind", "Planet")),
        Case("search_code", {"query": "x", "min_score": 1.5}, ("x", "--min-score", "1.5")),
        Case("search_code", {"query": "x", "min_score": float("nan")}, ("x", "--min-score", "nan")),
        Case("search_code", {"query": "x", "language": 7}, None),
        Case("search_code", {"query": "x", "explain": "perhaps"}, None),
        Case("search_code", {"query": "x", "namespace": "semi;colon"}, ("x", "--project", "semi;colon"),
             "INVALID_WORKSPACE"),
        Case("recall_memory", {"query": "x", "code": "perhaps"}, None),
        Case("pack_context", {"task": "x", "code": "perhaps"}, None),
    ],
    "ids that are none": [
        Case("get_memory", {"memory_id": ""}, ("",)),
        Case("get_memory", {"memory_id": "a\0b"}, ("a\0b",)),
        Case("delete_memory", {"memory_id": 7}, None),
        Case("undo", {"batch": ""}, ("",)),
    ],
    "numbers out of range": [
        Case("store_memory", {"content": "x", "importance": 1.5}, ("x", "--importance", "1.5")),
        Case("store_memory", {"content": "x", "importance": -0.1}, ("x", "--importance=-0.1")),
        Case("store_memory", {"content": "x", "importance": "nan"}, ("x", "--importance", "nan")),
        Case("store_memory", {"content": "x", "importance": "inf"}, ("x", "--importance", "inf")),
        Case("store_memory", {"content": "x", "importance": FAR}, ("x", "--importance", str(FAR))),
        Case("store_memory", {"content": "x", "confidence": 2}, ("x", "--confidence", "2")),
        Case("update_memory", {"memory_id": "m1", "importance": 7}, ("m1", "--importance", "7")),
        Case("associate_memories", {"source_id": "m1", "target_id": "m2", "weight": 2}, ("m1", "m2", "--weight=2")),
        Case("recall_memory", {"query": "x", "k": 0}, ("x", "--limit", "0")),
        Case("recall_memory", {"query": "x", "k": 1001}, ("x", "--limit", "1001")),
        Case("recall_memory", {"query": "x", "min_score": 2}, ("x", "--min-score", "2")),
        Case("list_memories", {"limit": 0}, ("--limit", "0")),
        Case("list_memories", {"limit": FAR}, ("--limit", str(FAR))),
        Case("list_memories", {"offset": -1}, ("--offset=-1",)),
        Case("list_memories", {"offset": FAR}, ("--offset", str(FAR))),
        Case("list_memories", {"since": FAR}, ("--since", str(FAR))),
        Case("store_memory", {"content": "x", "valid_from": FAR}, ("x", "--valid-from", str(FAR))),
        Case("pack_context", {"task": "x", "tokens": 0}, ("x", "--tokens", "0")),
        Case("list_changes", {"offset": FAR}, ("--offset", str(FAR))),
    ],
    "values of a wrong type": [
        Case("store_memory", {"content": "x", "importance": "high"}, ("x", "--importance", "high")),
        Case("store_memory", {"content": "x", "importance": None}, None),
        Case("store_memory", {"content": "x", "tags": "tag"}, None),
        Case("store_memory", {"content": "x", "tags": [7]}, None),
        Case("store_memory", {"content": "x", "metadata": [1]}, ("x", "--metadata", "[1]")),
        Case("store_memory", {"content": "x", "metadata": "text"}, ("x", "--metadata", '"text"')),
        Case("store_memory", {"content": "x", "deduplicate": "perhaps"}, None),
        Case("store_memory", {"content": "x", "title": 7}, None),
        Case("list_memories", {"since": "some day"}, ("--since", "some day")),
        Case("store_memory", {"content": "x", "valid_from": "--5"}, ("x", "--valid-from=--5")),
        Case("store_memory", {"content": "x", "valid_from": "9" * 5000}, ("x", "--valid-from", "9" * 5000)),
        Case("store_memory", {"content": "x", "author": 7}, None),
        Case("recall_memory", {"query": "x", "as_of": "some day"}, ("x", "--as-of", "some day")),
        Case("pack_context", {"task": "x", "tokens": "many"}, ("x", "--tokens", "many")),
        Case("recall_memory", {"query": 7}, None),
        Case("recall_memory", {"query": ""}, ("",)),
        Case("recall_memory", {"query": "x", "k": "many"}, ("x", "--limit", "many")),
        Case("recall_memory", {"query": "x", "k": 1.5}, ("x", "--limit", "1.5")),
        Case("health", {"thorough": 7}, None),
    ],
    "words outside the vocabulary": [
        Case("store_memory", {"content": "x", "memory_type": "fact"}, ("x", "--type", "fact")),
        Case("store_memory", {"content": "x", "source": "nobody"}, ("x", "--source", "nobody")),
        Case("list_memories", {"order": "random"}, ("--order", "random")),
        Case("associate_memories", {"source_id": "m1", "target_id": "m2", "relationship": "KNOWS"},
             ("m1", "m2", "--relationship", "KNOWS")),
    ],
    "arguments nobody knows": [
        Case("store_memory", {"content": "x", "colour": "red"}, ("x", "--colour", "red")),
        Case("stats", {"everything": True}, ("--everything",)),
    ],
    "labels that are no labels": [
        Case("store_memory", {"content": "x", "title": "x" * 201}, ("x", "--title", "x" * 201)),
        Case("store_memory", {"content": "x", "author": "x" * 201}, ("x", "--author", "x" * 201)),
        Case("store_memory", {"content": "x", "session_id": "a\0b"}, ("x", "--session-id", "a\0b")),
        Case("store_memory", {"content": "x", "tags": ["a\0b"]}, ("x", "--tags", "a\0b")),
        Case("store_memory", {"content": "x", "tags": [""]}, None),
        Case("store_memory", {"content": "x", "tags": [str(n) for n in range(101)]},
             ("x", "--tags", ",".join(str(n) for n in range(101)))),
        Case("store_memory", {"content": "x", "metadata": {"k": "a\0b"}}, ("x", "--metadata", '{"k": "a\\u0000b"}')),
    ],
    "workspaces that are none": [
        Case("store_memory", {"content": "x", "namespace": "semi;colon"}, ("x", "--project", "semi;colon"),
             "INVALID_WORKSPACE"),
        Case("workspace_init", {"identifier": ""}, ("",), "INVALID_WORKSPACE"),
        Case("workspace_create", {"identifier": "a\0b"}, ("a\0b",), "INVALID_WORKSPACE"),
        Case("workspace_create", {"identifier": "app"}, ("app",), "WORKSPACE_EXISTS"),
        Case("delete_namespace", {"namespace": ""}, ("", "--yes")),
    ],
    "patterns, decisions, commands and lessons that cannot be asked for": [
        Case("detect_patterns", {"pattern_types": ["nonsense"]}, ("--pattern-types", "nonsense")),
        Case("detect_patterns", {"min_confidence": 2}, ("--min-confidence", "2")),
        Case("detect_patterns", {"since": "never"}, ("--since", "never")),
        Case("detect_patterns", {"limit": 0}, ("--limit", "0")),
        Case("pattern_insights", {"since": "never"}, ("--since", "never")),
        Case("pattern_insights", {"min_confidence": -1}, ("--min-confidence=-1",)),
        Case("get_decision_chain", {}, ()),
        Case("get_decision_chain", {"subject": " "}, (" ",)),
        Case("get_decision_chain", {"subject": "x" * 501}, ("x" * 501,)),
        Case("get_decision_chain", {"subject": "a\0b"}, None),
        Case("get_decision_chain", {"subject": "parser", "limit": 0}, ("parser", "--limit", "0")),
        Case("list_commands", {"kind": "nonsense"}, ("--kind", "nonsense")),
        Case("list_commands", {"limit": 1001}, ("--limit", "1001")),
        Case("distil", {"path": "missing"}, ("missing",), "NOT_FOUND"),
        Case("distil", {"file": "../AGENTS.md"}, ("--file", "../AGENTS.md")),
        Case("distil", {"file": "setup.py"}, ("--file", "setup.py")),
        Case("distil", {"apply": "nonsense"}, ("--apply", "nonsense"), "CONFLICT"),
        Case("distil", {"apply": " "}, ("--apply", " ")),
        Case("distil", {"limit": 0}, ("--limit", "0")),
    ],
    "imports and exports that cannot be": [
        Case("import_memories", {}, ()),
        Case("import_memories", {"path": "x", "content": "{}"}, ("x", "--content", "{}")),
        Case("import_memories", {"content": "{"}, ("--content", "{")),
        Case("import_memories", {"content": '{"content": "good"}\n{"content": ""}'},
             ("--content", '{"content": "good"}\n{"content": ""}')),
        Case("import_memories", {"content": f'{{"content": "x", "created_at": {FAR}}}'},
             ("--content", f'{{"content": "x", "created_at": {FAR}}}')),
        Case("export_memories", {"path": "no/such/folder/out"}, ("no/such/folder/out",)),
        Case("export_memories", {"path": "."}, (".",)),
        Case("import_memories", {"path": "."}, (".",)),
    ],
}  # fmt: skip


@pytest.fixture
def database(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two memories, at rest."""
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.chdir(tmp_path)
    with Engine() as engine:
        engine.archive.import_(content='{"id": "m1", "content": "one"}\n{"id": "m2", "content": "two"}')
        engine.workspaces.create("app")
    return home / "recollect.db"


def digest(folder: Path) -> dict[str, str]:
    """Return every file below a folder with the hash of its bytes."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def check_error(told: Any, code: str, surface: str) -> None:
    assert "error" in told, f"{surface} did not refuse: {str(told)[:200]}"
    error = told["error"]
    assert error["code"] == code, f"{surface}: {error['message'][:200]}"
    assert error["message"], surface
    assert error["hint"], surface
    assert len(error["message"]) < 2_000, surface


@pytest.mark.parametrize("cases", CASES.values(), ids=CASES)
def test_a_bad_call_has_the_same_code_everywhere_and_writes_nothing(cases: list[Case], database: Path) -> None:
    before = digest(database.parent.parent)
    for case in cases:
        row = OPERATIONS[case.operation]
        for name, surface in SURFACES.items():
            if surface is command_line and case.words is None:
                continue
            if surface is mcp and _is_half_a_character(case):
                continue
            check_error(surface(row, case.arguments, case.words or ()), case.code, f"{case.operation} on {name}")
    assert digest(database.parent.parent) == before


def _is_half_a_character(case: Case) -> bool:
    """JSON has no way to say this at all: see the test below."""
    value = case.arguments.get("content")
    return isinstance(value, str) and not value.isprintable() and any("\ud800" <= one <= "\udfff" for one in value[:9])


@pytest.mark.parametrize("value", [rb"\ud800", rb"a\udfffb", b"\xff\xfe", b"\xed\xa0\x80"])
def test_a_message_that_is_no_unicode_is_refused_before_it_is_a_call(value: bytes) -> None:
    message = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": {"content": "%s"}}}' % value
    with pytest.raises(ProtocolError) as refusal:
        decode(message)
    assert refusal.value.code == PARSE_ERROR


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (b"", "INVALID_INPUT"),
        (b"\xff\xfe", "INVALID_INPUT"),
        (b"a\0b", "INVALID_INPUT"),
        (b"x" * (2 * 1024 * 1024), "CONTENT_TOO_LARGE"),
    ],
    ids=["empty", "no utf-8", "nul", "2 MB"],
)
def test_bad_content_on_standard_input_is_refused(
    given: bytes, code: str, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest(database.parent)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    check_error(command_line(OPERATIONS["store_memory"], {}, ("-",)), code, "standard input")
    assert digest(database.parent) == before


# --- databases that are none ---


def a_folder(path: Path) -> None:
    path.mkdir()


def a_text(path: Path) -> None:
    path.write_text("Dear diary, today I was mistaken for a database.\n" * 40, encoding="utf-8")


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.commit()


def corrupt(path: Path) -> None:
    with Engine(database=str(path)) as engine:
        for number in range(50):
            engine.memories.store(f"memory {number}")
    whole = bytearray(path.read_bytes())
    whole[100:4000] = b"\xaa" * 3900
    path.write_bytes(whole)


def too_new(path: Path) -> None:
    with Engine(database=str(path)) as engine:
        engine.memories.store("x")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 4711")


FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a folder": (a_folder, "STORE_FOREIGN"),
    "a text": (a_text, "STORE_FOREIGN"),
    "a database of another program": (of_another_program, "STORE_FOREIGN"),
    "a corrupt database": (corrupt, "STORE_CORRUPT"),
    "a newer database": (too_new, "SCHEMA_TOO_NEW"),
}

# One operation that writes and one that reads.
CALLS = (
    Case("store_memory", {"content": "x"}, ("x",)),
    Case("list_memories", {}, ()),
    Case("recall_memory", {"query": "x"}, ("x",)),
)


@pytest.mark.parametrize(("make", "code"), FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_our_database_is_refused_and_left_alone(
    make: Callable[[Path], None], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    path = tmp_path / "their" / "file.db"
    path.parent.mkdir()
    make(path)
    monkeypatch.setenv("RECOLLECT_DATABASE", str(path))
    before = digest(path.parent)
    for case in CALLS:
        for name, surface in SURFACES.items():
            told = surface(OPERATIONS[case.operation], case.arguments, case.words or ())
            check_error(told, code, f"{case.operation} on {name}")
    assert digest(path.parent) == before


@pytest.mark.parametrize(
    ("name", "arguments", "words", "message"),
    [
        ("store_memory", {"content": "x", "importance": 5}, ("x", "--importance", "5"),
         "{importance} must be a number from 0 to 1, not 5"),
        ("list_memories", {"limit": "ten"}, ("--limit", "ten"),
         '{limit} must be a whole number from 1 to 1,000, not "ten"'),
        ("list_memories", {"since": "foo"}, ("--since", "foo"), '{since}: cannot read "foo" as a date'),
        ("list_memories", {"type": "decison"}, ("--type", "decison"), '{type} cannot be "decison"'),
    ],
)  # fmt: skip
def test_an_error_names_the_argument_as_its_surface_writes_it(
    name: str, arguments: dict[str, Any], words: tuple[str, ...], message: str, home: Path
) -> None:
    row = OPERATIONS[name]
    for each, surface in SURFACES.items():
        dashes = "--" if surface is command_line else ""
        spelled = {parameter.name: dashes + parameter.name for parameter in row.parameters}
        assert surface(row, arguments, words)["error"]["message"] == message.format_map(spelled), each


@pytest.mark.parametrize("since", ["yesterday", "2w", "last week", "2026-11-15", 1_700_000_000])
def test_a_date_is_understood_on_every_surface(since: str | int, home: Path) -> None:
    for name, surface in SURFACES.items():
        assert surface(OPERATIONS["list_memories"], {"since": since}, ("--since", str(since)))["total"] == 0, name


def vocabularies() -> list[tuple[Operation, Parameter]]:
    """Every parameter of every operation that is one of a few words, or a list of them."""
    return [(row, parameter) for row in OPERATIONS.values() for parameter in row.parameters if parameter.choices]


@pytest.mark.parametrize(
    ("row", "parameter"), vocabularies(), ids=[f"{row.name}-{parameter.name}" for row, parameter in vocabularies()]
)
def test_a_word_outside_a_vocabulary_is_refused_with_the_words_that_may_stand_there(
    row: Operation, parameter: Parameter, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    required = [other.name for other in row.parameters if other.required]
    wrong = ["nonsense"] if kind(parameter) == "several" else "nonsense"
    arguments = {**dict.fromkeys(required, "x"), parameter.name: wrong}
    by_position = [other.name for other in Command(row.command, row).positionals]
    words = ["nonsense" if name == parameter.name else "x" for name in by_position if name in arguments]
    words += [] if parameter.name in by_position else [flag(parameter), "nonsense"]
    for name, surface in SURFACES.items():
        told = surface(row, arguments, words)
        check_error(told, "INVALID_INPUT", name)
        missing = [word for word in parameter.choices if word not in told["error"]["hint"]]
        assert not missing, f"{name} does not name {missing}: {told['error']}"


@pytest.fixture
def locked(database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A database that another process writes to for longer than anybody waits."""
    monkeypatch.setenv("RECOLLECT_BUSY_TIMEOUT_MS", "1")
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield database
        other.execute("ROLLBACK")


def test_a_locked_database_refuses_writers_says_to_try_again_and_answers_readers(locked: Path) -> None:
    for name, surface in SURFACES.items():
        told = surface(OPERATIONS["store_memory"], {"content": "x"}, ("x",))
        check_error(told, "STORE_LOCKED", name)
        assert told["error"]["retryable"] is True
        assert surface(OPERATIONS["list_memories"], {}, ())["total"] == 2


def test_health_answers_for_a_broken_database_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.db"
    a_text(path)
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.setenv("RECOLLECT_DATABASE", str(path))
    for surface in (library, command_line, mcp):
        told = surface(OPERATIONS["health"], {}, ())
        assert told["status"] == "failed"
        assert told["checks"][0]["detail"].startswith("STORE_FOREIGN")
        assert told["checks"][0]["mend"]
