"""What an operation says of itself is true, by what it leaves in the store and on disk: its hints for MCP clients.

    read_only        no row that is kept and no file changes
    not destructive  nothing is lost: `undo` brings every changed row back, and files only grow
    idempotent       calling it again changes nothing more

Derived state does not count: any operation may bring an index, vectors, links and caches up to date, count how often a
memory was read, or log that it ran.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.surfaces import called, library
from tests.conformance.test_operations import CASES, Bench, Case, bench, write_repository
from tests.conformance.test_operations import prepared as plain
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.capabilities import OPERATIONS
from recollect.hierarchy import MemoryManager
from recollect.store.tables import BY_NAME

__all__ = ["bench", "plain"]  # fixtures

# Made from what is kept, or a count: no row of these is missed.
DERIVED = {
    "anchor_states", "code_embeddings", "consolidation_log", "errands", "file_contents", "file_links", "file_programs",
    "file_references", "files", "judgements", "linked_trees", "manifests", "memory_embeddings", "mentions",
    "model_usage", "packages", "settled_trees", "trees",
}  # fmt: skip
Rows = dict[tuple[str, str], dict[str, Any]]


def kept(home: Path) -> Rows:
    """Return every row that cannot be made again, by its table and key, without statistics and derived columns."""
    found: Rows = {}
    with closing(sqlite3.connect(home / "recollect.db")) as database:
        database.row_factory = sqlite3.Row
        for name, table in BY_NAME.items():
            if name in DERIVED:
                continue
            for row in map(dict, database.execute(f"SELECT * FROM {name}")):
                for column, keys in table.derived.items():
                    row[column] = {key: value for key, value in json.loads(row[column]).items() if key not in keys}
                fields = {column: value for column, value in row.items() if column not in table.volatile}
                found[name, str(row[table.key])] = fields
        # What a caller has set; the other settings say how far derived state is.
        for name, value in database.execute("SELECT key, value FROM settings"):
            if name.startswith("scoring"):
                found["settings", name] = {"value": value}
            elif (
                name.startswith("hierarchy/") and value
            ):  # files and memories in a context window are copies, notes are not
                for item in json.loads(value)["items"]:
                    if item["form"] == "text":
                        found["note", item["name"]] = {"text": item["text"]}
    assert found, "nothing is kept: is this test still looking?"
    return found


@pytest.fixture(scope="module")
def prepared(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the other suites, with settings and a note."""
    home = tmp_path_factory.mktemp("furnished") / "home"
    shutil.copytree(plain, home)
    with pytest.MonkeyPatch.context() as patch, Engine(home=str(home), embed_provider="off") as engine:
        patch.setattr(clock, "now", FrozenClock(1_600_000_000))
        for scope in (None, "app"):
            engine.scoring.set_weights(namespace=scope, importance=0.3)
        window = MemoryManager(engine, "app")
        window.set_immediate_context("a note", "error")
        window.promote("lib/parser.py")
    return home


@pytest.fixture
def user(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home folder, with a file in it."""
    folder = tmp_path_factory.mktemp("user")
    (folder / ".profile").write_text("umask 022\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(folder))
    return folder


def files(*folders: Path) -> dict[str, bytes]:
    """Return every file below folders that is not the database itself."""
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("recollect.db") and ".git" not in path.parts
    }


def lines(content: bytes) -> set[bytes]:
    return set(content.split(b"\n"))


def without_log(rows: Rows) -> Rows:
    return {place: row for place, row in rows.items() if place[0] != "changes"}


def undone(home: Path, before: Rows) -> Rows:
    """Return what is kept after every change since `before` was undone, the newest first."""
    new = sorted((row for place, row in kept(home).items() if place[0] == "changes" and place not in before),
                 key=lambda row: -row["seq"])  # fmt: skip
    with Engine() as engine:
        for batch in dict.fromkeys(row["batch"] for row in new):
            engine.admin.undo(batch)
    return kept(home)


def lost(before: Rows, after: Rows) -> list[tuple[str, str]]:
    """Return the rows that are gone or other than they were."""
    return [place for place, row in before.items() if after.get(place) != row]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.operation}-{number}" for number, case in enumerate(CASES)])
def test_the_hints_of_an_operation_are_true_of_what_it_does(
    case: Case, bench: Bench, home: Path, tmp_path: Path, user: Path
) -> None:
    row = OPERATIONS[case.operation]
    if "repository" in " ".join(case.words):
        write_repository(tmp_path / "repository")
    bench.copy_home()
    before, disk = kept(home), files(tmp_path, user)
    if row.name in ("create_token", "revoke_token", "trust_repository", "untrust_repository"):  # refused to assistants
        assert called(row.name, case.arguments)["isError"]
        assert kept(home) == before

        def call() -> bool:
            return "error" not in library(row, case.arguments, ())

    else:

        def call() -> bool:
            return not called(row.name, case.arguments)["isError"]

    assert call()
    after, disk_after = kept(home), files(tmp_path, user)
    if row.read_only:
        assert (after, disk_after) == (before, disk)
        assert not row.destructive
    if row.idempotent:
        call()
        assert (kept(home), files(tmp_path, user)) == (after, disk_after)
    if not row.destructive:
        assert [name for name, content in disk.items() if not lines(content) <= lines(disk_after[name])] == []
        assert lost(without_log(before), undone(home, before)) == []


PRECIOUS = "precious\n"


@pytest.fixture
def project(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project that a server works in, with a secret way out of it."""
    bench.call(Case("list_namespaces", {}, ()), "library")
    folder = tmp_path / "work"
    write_repository(folder)
    (tmp_path / "elsewhere").mkdir()
    (folder / "out").symlink_to(tmp_path / "elsewhere")
    (folder / "there.jsonl").write_text(PRECIOUS, encoding="utf-8")
    (folder / "link.jsonl").symlink_to(tmp_path / "elsewhere" / "new.jsonl")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return folder


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../elsewhere/out.jsonl", "INVALID_INPUT"),
        ("~/out.jsonl", "INVALID_INPUT"),
        ("out/new.jsonl", "INVALID_INPUT"),
        ("lib/../../elsewhere/out.jsonl", "INVALID_INPUT"),
        (".git/hooks/post-commit", "INVALID_INPUT"),
        ("there.jsonl", "CONFLICT"),
        ("link.jsonl", "CONFLICT"),
    ],
)
def test_a_server_writes_no_file_outside_of_the_project_and_none_that_is_there(
    path: str, code: str, project: Path, tmp_path: Path, user: Path
) -> None:
    before = files(tmp_path, user)
    result = called("export_memories", {"path": path})
    assert result["structuredContent"]["error"]["code"] == code
    if code == "INVALID_INPUT":
        assert called("export_memories", {"path": path, "overwrite": True})["isError"]
    assert files(tmp_path, user) == before
    assert not (project / ".git" / "hooks" / "post-commit").exists()


@pytest.mark.parametrize("path", ["new.jsonl", "lib/new.jsonl", "{home}/backup.jsonl"])
def test_a_server_writes_an_export_below_the_project_or_the_home(path: str, project: Path, home: Path) -> None:
    target = project / path.format(home=home)
    assert not called("export_memories", {"path": str(target)})["isError"]
    assert target.read_text(encoding="utf-8").startswith('{"kind":"recollect"')
    assert target.stat().st_mode & 0o777 == 0o600
    assert called("export_memories", {"path": str(target)})["isError"]
    assert not called("export_memories", {"path": str(target), "overwrite": True})["isError"]


def test_a_server_replaces_a_file_of_the_project_only_when_told_to(project: Path) -> None:
    assert called("export_memories", {"path": "there.jsonl"})["isError"]
    assert (project / "there.jsonl").read_text(encoding="utf-8") == PRECIOUS
    assert not called("export_memories", {"path": "there.jsonl", "overwrite": True})["isError"]


def test_a_server_adds_instructions_to_files_of_its_project_only(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    with Engine() as engine:
        for folder in (other, project):
            engine.memories.store("Always use tabs.", memory_type="preference", namespace=str(folder))
    for folder, is_refused in ((other, True), (project, False)):
        shown = called("distil", {"path": str(folder)})["structuredContent"]
        assert shown["lessons"], "there is nothing to write: is this test still looking?"
        result = called("distil", {"path": str(folder), "apply": shown["id"]})
        assert result["isError"] is is_refused
        assert (folder / "AGENTS.md").exists() is not is_refused
