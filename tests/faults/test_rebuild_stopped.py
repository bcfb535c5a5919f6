"""A rebuild beside others: nobody waits for it, nothing stored meanwhile is missed, and stopping it loses nothing."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.surfaces import command_line

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.errors import StoreFull
from recollect.store import text_rebuild

MEMORIES = 40

# Rebuilds the full text two memories at a time, says so after each step, and waits after as many as it is told.
CHILD = """
import sys
from recollect import Engine, progress
from recollect.errors import RecollectError
from recollect.store import text_rebuild
text_rebuild.STEP, text_rebuild.FEW = 2, 1
stop = int(sys.argv[1])
def told(done, total, message):
    if done == stop:
        print("waiting", flush=True)
        sys.stdin.readline()
with Engine(embed_provider="off") as engine, progress.reporting_to(told):
    try:
        print("made", engine.admin.rebuild(vectors=False).text_rows, flush=True)
    except RecollectError as problem:
        print("refused", problem.code, flush=True)
"""


@contextmanager
def rebuilding(stop: int) -> Iterator[subprocess.Popen[str]]:
    """A process in the middle of a rebuild, with so many memories written."""
    line = [sys.executable, "-c", CHILD, str(stop)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "waiting\n"
        yield process
        if process.poll() is None:
            process.kill()


def end(process: subprocess.Popen[str]) -> str:
    """Let a rebuild go on to its end, and return what it says of it."""
    return process.communicate("\n")[0].strip()


def call(operation: str, *words: str) -> Any:
    answer = command_line(OPERATIONS[operation], {}, words)
    assert "error" not in answer, answer
    return answer


def found(words: str) -> list[str]:
    return [hit["memory"]["id"] for hit in call("recall_memory", words, "--limit", "100")["hits"]]


def is_sound() -> bool:
    return bool(call("health", "--thorough")["checks"][0]["status"] == "ok")


def tables(home: Path) -> set[str]:
    with closing(sqlite3.connect(home / "recollect.db")) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'memory%'")}


@pytest.fixture
def ids(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Memories to rebuild the full text of, in a store on which nobody waits longer than a moment."""
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    with Engine() as engine:
        rows = [{"content": f"Statement {number} of the harbour", "id": f"m{number}"} for number in range(MEMORIES)]
        return [memory.id for memory in engine.memories.insert(rows)]


@pytest.mark.promise("B7")
def test_others_write_and_search_while_the_full_text_is_made_and_nothing_is_missed(
    home: Path, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with rebuilding(stop=20) as process:
        # Who had to wait for the rebuild would be refused at once.
        monkeypatch.setenv("RECOLLECT_BUSY_TIMEOUT_MS", "1")
        new = call("store_memory", "A lighthouse was built meanwhile", "--no-amend")["memory"]["id"]
        call("update_memory", ids[0], "--content", "Statement about a windmill")  # written already
        call("update_memory", ids[-1], "--content", "Statement about a watermill")  # not yet
        gone = call("delete_memory", ids[1])["batch"]
        call("delete_memory", ids[2])
        call("delete_memory", ids[-2])
        call("undo", gone)
        assert ids[5] in found("statement harbour")
        monkeypatch.delenv("RECOLLECT_BUSY_TIMEOUT_MS")
        assert end(process) == f"made {MEMORIES - 1}"
    assert is_sound()
    assert (found("lighthouse"), found("windmill"), found("watermill")) == ([new], [ids[0]], [ids[-1]])
    assert set(found("harbour")) == set(ids) - {ids[0], ids[-1], ids[2], ids[-2]}
    assert not {name for name in tables(home) if "spare" in name}


@pytest.mark.promise("B7")
@pytest.mark.parametrize("stop", [2, 20, MEMORIES])
def test_a_rebuild_that_is_killed_leaves_the_full_text_as_it_was(home: Path, ids: list[str], stop: int) -> None:
    with rebuilding(stop) as process:
        process.kill()
        process.wait()
    assert is_sound()
    assert set(found("statement harbour")) == set(ids)
    assert call("rebuild", "--no-vectors")["text_rows"] == MEMORIES
    assert is_sound()
    assert set(found("statement harbour")) == set(ids)
    assert not {name for name in tables(home) if "spare" in name}


def test_of_two_rebuilds_the_later_goes_on_and_the_other_is_told(home: Path, ids: list[str]) -> None:
    with rebuilding(stop=20) as process:
        assert call("rebuild", "--no-vectors")["text_rows"] == MEMORIES
        assert end(process) == "refused CONFLICT"
    assert is_sound()
    assert set(found("statement harbour")) == set(ids)


def test_what_is_purged_meanwhile_is_not_in_what_the_rebuild_has_made(home: Path, ids: list[str]) -> None:
    secret = call("store_memory", "The vault opens with zyzzyva", "--no-amend")["memory"]["id"]
    with rebuilding(stop=20) as process:
        call("purge_memories", secret, "--yes")
        assert end(process) == "refused CONFLICT"
    files = [file for file in home.rglob("*") if file.is_file()]
    assert not [file.name for file in files if b"zyzzyva" in file.read_bytes()]
    assert is_sound()


def test_a_rebuild_that_does_not_fit_on_the_disk_leaves_the_full_text_as_it_was(
    home: Path, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_rebuild, "STEP", 2)
    with Engine() as engine:
        for number in range(30):
            engine.memories.store(f"Long statement {number}: {'harbour and lighthouse ' * 200}", amend=False)
        connection = engine.store._dialect.connection()  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 10}")
        with pytest.raises(StoreFull):
            engine.admin.rebuild(vectors=False)
        connection.execute(f"PRAGMA max_page_count = {pages * 10}")
        assert engine.store.check(thorough=True) == []
    assert set(found("statement harbour")) >= set(ids)
