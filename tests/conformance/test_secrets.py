"""A secret that is handed to any operation, by any surface, is in no file afterwards and in no answer."""

from __future__ import annotations

import json
import logging
import random
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.surfaces import SURFACES, library
from tests.conformance.test_operations import CASES, Bench, Case
from tests.conformance.test_operations import bench as bench  # a fixture
from tests.conformance.test_operations import prepared as prepared  # what it needs

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.engine.records.record_redaction import WRITTEN
from recollect.render import to_json, to_text
from recollect.store.tables import TABLES

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

import planted

TOKEN = planted.value("ghp_<a36>", random.Random(1))
WRITING = [case for case in CASES if not OPERATIONS[case.operation].read_only]

SEEDS = {plant.kind: plant for plant in planted.planted(5, 1) if plant.context in ("env", "plain")}


def holders(folder: Path, secrets: tuple[str, ...]) -> list[str]:
    """Return the files below a folder that hold one of the secrets, in whatever case: search terms are in lower."""
    wanted = [secret.lower().encode() for secret in secrets]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".db" for path in files), "no database: is this test still looking?"
    return [path.name for path in files if any(each in path.read_bytes().lower() for each in wanted)]


def with_secret(case: Case, parameter: str) -> dict[str, Any]:
    """Return the arguments of a case with a secret in one of them."""
    given = case.arguments[parameter]
    if isinstance(given, str):
        changed: Any = f"{given} {TOKEN}"
        if given.startswith("{"):
            changed = json.dumps({**json.loads(given), "note": f"with {TOKEN}", "secret": TOKEN})
    elif isinstance(given, dict):
        changed = {**given, "deep": [{"token": TOKEN}], TOKEN: 1}
    else:
        changed = [*given, TOKEN]
    return {**case.arguments, parameter: changed}


PLACES = [
    (case, parameter)
    for case in WRITING
    for parameter, value in case.arguments.items()
    if isinstance(value, str | dict | list | tuple)
]


@pytest.mark.promise("B6")
@pytest.mark.parametrize(
    ("case", "parameter"), PLACES, ids=[f"{case.operation}-{name}-{n}" for n, (case, name) in enumerate(PLACES)]
)
def test_no_parameter_of_any_operation_lets_a_secret_in(
    case: Case, parameter: str, bench: Bench, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told = bench.call(Case(case.operation, with_secret(case, parameter), ()), "library")
    assert TOKEN.lower() not in json.dumps(told["answer"]).lower()
    assert TOKEN not in (told["export"] or "")
    assert TOKEN not in caplog.text
    assert holders(home, (TOKEN,)) == []


@pytest.mark.promise("B6")
@pytest.mark.parametrize("surface", SURFACES)
def test_every_kind_of_secret_stays_out_on_every_surface(
    surface: str, bench: Bench, home: Path, tmp_path: Path
) -> None:
    assert len(SEEDS) >= 100
    secrets = tuple(part for plant in SEEDS.values() for part in plant.secrets if len(part) >= 7)
    text = "\n\n".join(plant.text for plant in SEEDS.values())
    lines = [
        {"content": text, "metadata": {"note": text}, "tags": ["a"], "title": TOKEN},
        {"kind": "workspace", "workspace": {"id": "w", "description": text}},
        {"kind": "session", "session": {"id": "s9", "started_at": 1, "summary": text}},
        {
            "kind": "node",
            "node": {"id": "n1", "kind": "Memory", "label": text[:500], "payload": {"password": "swordfish"}},
        },
        {"kind": "node", "node": {"id": "n2", "kind": "Memory", "payload": {"text": text}}},
        {
            "kind": "edge",
            "edge": {"id": "e", "src": "n1", "dst": "n2", "relationship": "RELATES_TO", "properties": {"why": text}},
        },
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    bench.call(Case("workspace_create", {"identifier": "first"}, ("first",)), surface)
    for name, arguments, words in (
        ("store_memory", {"content": text, "title": TOKEN}, (text, "--title", TOKEN)),
        ("update_memory", {"memory_id": "m2", "content": text}, ("m2", "--content", text)),
        ("import_memories", {"path": "in.jsonl"}, ("in.jsonl",)),
        ("workspace_create", {"identifier": "x", "description": text}, ("x", "--description", text)),
    ):
        told = SURFACES[surface](OPERATIONS[name], arguments, words)
        assert "error" not in told
        shown = json.dumps(told)
        assert [secret for secret in secrets if secret in shown] == []
        if name in ("store_memory", "import_memories"):
            assert {"github-token", "password", "private-key", "jwt"} <= set(told["redacted"])
    assert holders(home, (*secrets, TOKEN, "swordfish")) == []
    exported = library(OPERATIONS["export_memories"], {}, ())["content"]
    assert [secret for secret in secrets if secret in exported] == []


@pytest.mark.promise("B6")
@pytest.mark.parametrize("surface", SURFACES)
def test_what_a_hook_hands_in_is_taken_without_its_secrets(surface: str, bench: Bench, home: Path) -> None:
    seen = {
        "sessionId": "s2",
        "cwd": "/nowhere/app",
        "toolName": "bash",
        "toolArgs": {"command": f"curl -H 'Authorization: token {TOKEN}' -u me:swordfish9 https://api/x"},
        "toolResult": {
            "resultType": "failure",
            "textResultForLlm": f"denied\nAPI_TOKEN={TOKEN}\npassword: swordfish9\n",
        },
    }
    for payload in (json.dumps(seen), f'{{"broken": "{TOKEN}", password: "swordfish9"'):
        told = bench.call(Case("ingest", {"payload": payload}, (payload,)), surface)
        assert TOKEN not in json.dumps(told)
        assert holders(home, (TOKEN, "swordfish9")) == []


@pytest.mark.promise("B6")
def test_the_code_index_keeps_no_secret(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    secrets: list[str] = []
    for context, ending in (
        ("python", ".py"),
        ("javascript", ".js"),
        ("yaml", ".yaml"),
        ("toml", ".toml"),
        ("env", ""),
    ):
        plants = [plant for plant in planted.planted(9, 1) if plant.context == context]
        secrets += [part for plant in plants for part in plant.secrets if len(part) >= 7]
        name = f"deploy{ending}" if ending else ".env"
        (project / name).write_text("\n".join(plant.text for plant in plants), encoding="utf-8")
    with Engine(embed_provider="off") as engine:
        indexed = engine.code.index(str(project))
    assert indexed.files == 4
    assert indexed.skipped == {"secrets": 1}
    assert holders(home, tuple(secrets)) == []


@pytest.mark.promise("B6")
def test_what_an_older_database_holds_is_not_shown(home: Path) -> None:
    """A secret that was stored before its format was known."""
    with Engine(embed_provider="off") as engine:
        stored = engine.memories.store("The deploy token is in the vault")
        with engine.store.transaction("test") as transaction:
            transaction.update(type(stored.memory), stored.memory.id, {"content": f"The deploy token is {TOKEN}"})
        for answer in (
            engine.memories.get(stored.memory.id),
            engine.memories.list(),
            engine.recall.search("deploy token"),
        ):
            assert TOKEN not in to_json(answer).decode()
            assert TOKEN not in to_text(answer)
        assert TOKEN in msgspec.json.encode(engine.memories.list()).decode(), "is this test still testing anything?"
        exported = engine.archive.export().content or ""
        assert TOKEN not in exported
        assert "[secret:github-token]" in exported


def test_every_text_of_every_logged_row_is_looked_through_or_known_not_to_be_written_by_anybody() -> None:
    known = {
        "id", "memory_id", "src", "dst", "namespace", "content_hash", "memory_type", "source", "parent_id",
        "superseded_by", "kind", "relationship", "hash", "sketch", "origin", "assistant", "branch", "head",
        "ended_by", "insight_id",
    }  # fmt: skip
    checked = 0
    for record, table in TABLES.items():
        if not table.logged:
            continue
        checked += 1
        texts = {
            field.name
            for field in msgspec.structs.fields(record)
            if "str" in str(field.type) or "dict" in str(field.type) or "tuple" in str(field.type)
        }
        assert texts - known - set(WRITTEN.get(record, ())) == set(), record
    assert checked >= 5
