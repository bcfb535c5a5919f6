"""Whoever stored a secret by mistake gets rid of it: afterwards no file of the home holds a byte of it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.surfaces import SURFACES, Surface, command_line, library
from tests.fakes import HashingEmbedder

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.capture.spool import Spool
from recollect.model import Change, Edge, Judgement, Memory, Node, Observed, Session

MARK = "zyzzyva"
SECRET = f"The vault opens with {MARK} and nothing else"
# How the word stands in the files: as it is, and as a search term's stem or a vector would not show it.
LOOKS = (MARK.encode(), MARK.upper().encode(), MARK.encode("utf-16-le"))


@pytest.fixture(autouse=True)
def _lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")


@pytest.fixture(params=SURFACES.values(), ids=SURFACES)
def surface(request: pytest.FixtureRequest) -> Surface:
    return request.param  # type: ignore[no-any-return]


def call(operation: str, arguments: Mapping[str, Any], *words: str, on: Surface = command_line) -> Any:
    return on(OPERATIONS[operation], arguments, words)


def purge(*ids: str, on: Surface = command_line, **options: bool) -> Any:
    words = [f"--{name.replace('_', '-')}" for name, value in options.items() if value]
    return call("purge_memories", {"memory_ids": list(ids), **options}, *ids, *words, "--yes", on=on)


def store(content: str, *words: str) -> str:
    return str(call("store_memory", {}, content, "--no-amend", *words)["memory"]["id"])


def traces(home: Path) -> list[str]:
    """The files that hold the word."""
    files = [file for file in home.rglob("*") if file.is_file()]
    assert files
    return [file.name for file in files if any(look in file.read_bytes() for look in LOOKS)]


def test_a_purged_memory_is_gone_to_the_last_byte_and_the_others_stay(home: Path, surface: Surface) -> None:
    others = [store(f"Harbour rule {number}: ships wait outside") for number in range(30)]
    secret = store(SECRET, "--title", f"about {MARK}")
    call("update_memory", {}, secret, "--content", f"{SECRET}, {MARK} it is")
    call("associate_memories", {}, secret, others[0])
    assert traces(home)

    before = {name: call("get_memory", {}, name)["content"] for name in others}
    answer = purge(secret, on=surface)

    assert (answer["memories"], answer["scrubbed"], answer["elsewhere"]) == ([secret], True, [])
    assert traces(home) == []
    assert call("get_memory", {}, secret)["error"]["code"] == "MEMORY_NOT_FOUND"
    assert {name: call("get_memory", {}, name)["content"] for name in others} == before
    assert call("recall_memory", {}, "harbour rule 7")["hits"]
    assert call("health", {}, "--thorough")["checks"][0]["status"] == "ok"
    exported = call("export_memories", {})
    assert MARK not in json.dumps(exported)
    with Engine() as engine:
        assert engine.store.find(Node, {"memory_id": secret}) == []
        assert engine.store.find(Edge) == []


def test_a_memory_that_was_deleted_long_ago_can_be_purged(home: Path) -> None:
    secret, other = store(SECRET), store("Ships wait outside")
    call("associate_memories", {}, secret, other)
    call("delete_memory", {}, secret)
    assert traces(home)
    assert purge(secret)["changes"] >= 1
    assert traces(home) == []


def test_what_lies_in_free_parts_of_the_file_since_long_ago_goes_too(home: Path) -> None:
    secret = store(SECRET)
    with closing(sqlite3.connect(home / "recollect.db")) as connection, connection:
        # As most builds of SQLite leave it; others overwrite what they delete.
        connection.execute("PRAGMA secure_delete = OFF")
        rows = [(f"trial/{number}", f"{SECRET} {number}" * 50) for number in range(200)]
        connection.executemany("INSERT INTO settings (key, value) VALUES (?, ?)", rows)
        connection.commit()
        connection.execute("DELETE FROM settings WHERE key LIKE 'trial/%'")
    purge(secret)
    assert traces(home) == []


def test_an_undo_says_that_it_is_gone_and_goes_on_with_what_came_before(home: Path) -> None:
    kept = store("Ships wait outside")
    secret = store(SECRET)
    deletion = call("delete_memory", {}, secret)["batch"]
    purge(secret)
    error = call("undo", {}, deletion)["error"]
    assert (error["code"], "purge" in error["hint"]) == ("PURGED", True)
    # The last change that can be taken back is the one before.
    call("undo", {})
    assert call("get_memory", {}, kept)["error"]["code"] == "MEMORY_NOT_FOUND"


def test_the_rest_of_a_batch_can_still_be_undone() -> None:
    secret = store(SECRET, "--project", "app")
    others = [store(f"Harbour rule {number}", "--project", "app") for number in range(3)]
    call("associate_memories", {}, secret, others[0])
    call("associate_memories", {}, others[1], others[2])
    batch = call("delete_namespace", {}, "app", "--yes")["batch"]
    purge(secret)
    undone = call("undo", {}, batch)
    assert undone["purged"] >= 1
    assert {row["id"] for row in call("list_memories", {}, "--project", "app")["memories"]} == set(others)
    with Engine() as engine:
        assert [edge.src for edge in engine.store.find(Edge)] == [f"mem:{others[1]}"]


def test_only_what_a_memory_said_before_is_purged_where_it_has_been_mended(home: Path) -> None:
    secret, other = store(SECRET), store("Ships wait outside")
    call("associate_memories", {}, secret, other)  # the node is named by how the memory begins
    call("update_memory", {}, secret, "--content", "The vault opens with the key of the warden")
    assert traces(home)
    purge(secret, keep_current=True)
    assert traces(home) == []
    assert call("get_memory", {}, secret)["content"] == "The vault opens with the key of the warden"
    assert len(call("list_memories", {})["memories"]) == 2


def test_what_repeats_it_goes_along_and_what_others_wrote_is_named(home: Path) -> None:
    secret = store(SECRET)
    note = store(f"Ada said: {SECRET}")
    with Engine() as engine:
        engine.memories.insert([{"content": f"a part of it: {MARK} again", "parent_id": secret}])
        (row,) = engine.store.get(Memory, [secret])
        engine.store.keep_setting("hierarchy/app", json.dumps({"text": SECRET}))
        with engine.store.transaction("test") as transaction:
            transaction.update(Memory, secret, {"namespace": "app"})
            transaction.insert(Session(id="s", started_at=1, summary=f"They talked. {row.content}"))
            transaction.insert(Observed(id="o1", mark="1", at=1, event="prompt", told=SECRET, memory_id=secret))
            transaction.insert(Observed(id="o2", mark="2", at=1, event="prompt", told=f"asked: {SECRET}"))
            transaction.insert(Observed(id="o3", mark="3", at=1, event="prompt", told="asked about ships"))
            transaction.insert(Judgement(id="j", model="m", score=1.0, reason=f"it names {MARK}"))

    told = purge(secret, dry_run=True)
    assert (told["elsewhere"], len(told["along"]), told["scrubbed"]) == ([note], 1, False)
    assert call("get_memory", {}, secret)["content"] == SECRET

    assert purge(secret)["elsewhere"] == [note]
    assert purge(note)["elsewhere"] == []
    assert traces(home) == []
    with Engine() as engine:
        assert [row.id for row in engine.store.find(Observed)] == ["o3"]
        assert [row.id for row in engine.store.find(Session)] == ["s"]


def test_what_hooks_have_left_and_nobody_has_read_yet_is_looked_at_too(home: Path) -> None:
    secret = store(SECRET)
    payload = {"session_id": "s", "cwd": str(home), "hook_event_name": "UserPromptSubmit", "prompt": SECRET}
    Spool(home).put(json.dumps(payload).encode(), event="UserPromptSubmit", assistant="claude")
    assert [name for name in traces(home) if "UserPromptSubmit" in name]
    answer = purge(secret)
    if answer["elsewhere"]:
        purge(*answer["elsewhere"])
    assert traces(home) == []


def test_a_summary_that_repeats_it_goes_with_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine(embedder=HashingEmbedder()) as engine:
        texts = [f"The vault of the harbour opens with {MARK} at gate {number}" for number in range(4)]
        ids = [engine.memories.store(text, amend=False).memory.id for text in texts]
        engine.embedding.catch_up()
        engine.consolidation.cluster()
        made = engine.store.find(Memory, {"source": "consolidation"})
        assert made, "nothing was summed up: this test shows nothing"
    purge(*ids)
    assert traces(home) == []


def test_its_vector_goes_with_it(home: Path) -> None:
    with Engine(embedder=HashingEmbedder()) as engine:
        secret = engine.memories.store(SECRET, amend=False).memory.id
        engine.memories.store("Ships wait outside", amend=False)
        engine.embedding.catch_up()
        model = engine.embedding.model_id
        assert engine.store.count_vectors(model) == 2
        engine.memories.purge((secret,))
        assert engine.store.count_vectors(model) == 1
    assert traces(home) == []


def test_a_purge_asks_first_and_an_unknown_id_changes_nothing(home: Path) -> None:
    secret = store(SECRET)
    refused = call("purge_memories", {}, secret)
    assert (refused["error"]["code"], "--yes" in refused["error"]["hint"]) == ("INVALID_INPUT", True)
    assert call("purge_memories", {}, secret, "--dry-run")["memories"] == [secret]
    assert purge(secret, "nobody")["error"]["code"] == "MEMORY_NOT_FOUND"
    assert call("get_memory", {}, secret)["content"] == SECRET
    assert call("health", {})["status"] != "failed"


def test_purging_again_changes_nothing(home: Path) -> None:
    secret = store(SECRET)
    purge(secret)
    again = purge(secret)
    assert (again["changes"], again["scrubbed"]) == (0, True)


def test_what_was_imported_before_is_not_brought_back(home: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "vault.md").write_text(f"# Vault\n\n{SECRET}\n", encoding="utf-8")
    call("import_memories", {}, str(notes), "--from", "markdown")
    ids = [row["id"] for row in call("list_memories", {})["memories"]]
    assert ids
    purge(*ids)
    call("import_memories", {}, str(notes), "--from", "markdown")
    assert traces(home) == []


READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM memories").fetchone()
print("reading", flush=True)
sys.stdin.readline()
"""


def test_while_another_process_reads_the_files_are_said_not_to_be_clean(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_BUSY_TIMEOUT_MS", "100")
    secret = store(SECRET)
    line = [sys.executable, "-c", READER, str(home / "recollect.db")]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        answer = purge(secret)
        reader.communicate(b"\n")
    assert (answer["scrubbed"], bool(answer["notes"])) == (False, True)
    assert call("get_memory", {}, secret)["error"]["code"] == "MEMORY_NOT_FOUND"
    assert "purge" in call("health", {})["checks"][0]["mend"]

    assert purge()["scrubbed"]
    assert traces(home) == []
    assert call("health", {})["checks"][0]["status"] == "ok"


KILLED = """
import os, sys
from recollect import Engine
from recollect.store.sql import Store
Store.scrub = lambda store: os._exit(9)
with Engine() as engine:
    engine.memories.purge((sys.argv[1],))
"""


@pytest.mark.promise("B7")
def test_a_purge_that_is_killed_before_the_files_are_clean_is_told_of_and_can_be_ended(home: Path) -> None:
    secret = store(SECRET)
    assert subprocess.run([sys.executable, "-c", KILLED, secret], check=False).returncode == 9
    assert call("get_memory", {}, secret)["error"]["code"] == "MEMORY_NOT_FOUND"
    check = call("health", {})["checks"][0]
    assert (check["status"], "purge" in check["mend"]) == ("degraded", True)
    assert purge()["scrubbed"]
    assert traces(home) == []
    assert call("health", {})["checks"][0]["status"] == "ok"


def test_the_log_still_tells_that_something_happened(home: Path) -> None:
    secret = store(SECRET)
    call("update_memory", {}, secret, "--content", f"{SECRET}.")
    purge(secret)
    with Engine() as engine:
        told = engine.store.find(Change, {"entity": "memories", "entity_id": secret}, order="seq")
    assert [(change.action, change.before) for change in told] == [("insert", None), ("update", None), ("delete", None)]
    assert library(OPERATIONS["list_changes"], {"memory_id": secret}, ())["total"] == 3
