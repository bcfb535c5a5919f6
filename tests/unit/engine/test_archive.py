"""Export and import as files: whole or not at all, with an error that names the line."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FrozenClock
from tests.hostile import HARMFUL, NAME, TEXT, harmful

from recollect import Engine, progress
from recollect.engine.admin import archive
from recollect.errors import Cancelled, Conflict, InvalidInput, NotFound
from recollect.model import Anchor, Edge, Memory, Node, Session


def lines(content: str | None) -> list[dict[str, Any]]:
    assert content is not None
    return [json.loads(line) for line in content.rstrip("\n").split("\n")]


def jsonl(*rows: object) -> str:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)


@pytest.fixture
def full(engine: Engine) -> Engine:
    """One of everything that is exported, in two namespaces."""
    app = engine.memories.store("in app", namespace="app", tags=("a",), metadata={"k": [1]}).memory
    lib = engine.memories.store("in lib", namespace="lib").memory
    engine.memories.associate(app.id, lib.id, relationship="LEADS_TO", weight=0.5)
    engine.workspaces.create("app", description="The app")
    engine.workspaces.create("lib")
    with engine.store.transaction("test") as transaction:
        transaction.insert(Session(id="s", namespace="app", started_at=1, summary="done"))
        transaction.insert(Anchor(id="anchor", memory_id=app.id, path="a.py", symbol="f"))
        transaction.insert(Node(id="file:a.py", kind="File", label="a.py", memory_id=app.id, namespace="app"))
        transaction.insert(Node(id="file:unlinked", kind="File"))
        transaction.insert(Edge(id="e", src="file:a.py", dst=f"mem:{app.id}", relationship="EXPLAINS"))
    return engine


# --- export ---


@pytest.mark.promise("E30", "E-export_memories")
def test_an_export_begins_with_its_format_and_holds_everything_that_cannot_be_made_again(full: Engine) -> None:
    exported = full.archive.export()
    rows = lines(exported.content)
    assert rows[0] == {"kind": "recollect", "format": 1}
    kinds = [row["kind"] for row in rows[1:]]
    assert kinds == ["workspace"] * 2 + ["session"] + ["memory"] * 2 + ["node"] * 3 + ["edge"] * 2 + ["anchor"]
    assert (exported.lines, exported.memories, exported.path) == (len(rows), 2, None)
    memory = next(row for row in rows if row["kind"] == "memory")
    assert (memory["content"], memory["tags"], memory["metadata"]) == ("in app", ["a"], {"k": [1]})
    assert "seq" not in memory
    assert "rev" not in memory


def test_an_export_of_one_namespace_holds_nothing_of_another_and_can_be_imported(
    full: Engine, open_engine: Callable[..., Engine], tmp_path: Path
) -> None:
    content = full.archive.export(namespace="app").content
    rows = lines(content)
    assert [row["content"] for row in rows if row["kind"] == "memory"] == ["in app"]
    assert [row["workspace"]["id"] for row in rows if row["kind"] == "workspace"] == ["app"]
    other = open_engine(home=str(tmp_path / "elsewhere"), embed_provider="off")
    other.archive.import_(content=content)
    assert [memory.content for memory in other.memories.list().memories] == ["in app"]
    assert other.store.count(Edge) == 2
    assert other.admin.health(thorough=True).checks[0].status == "ok"


def test_an_export_to_a_file_is_the_same_as_the_text(full: Engine, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("what was there before", encoding="utf-8")
    exported = full.archive.export(str(target), overwrite=True)
    assert (exported.path, exported.content) == (str(target), None)
    assert target.read_text(encoding="utf-8") == full.archive.export().content
    assert target.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out.jsonl"]


def test_an_export_replaces_no_file_unless_it_is_told_to(full: Engine, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("precious", encoding="utf-8")
    with pytest.raises(Conflict):
        full.archive.export(str(target))
    assert target.read_text(encoding="utf-8") == "precious"


def test_an_export_follows_no_link_and_waits_for_no_pipe(full: Engine, tmp_path: Path) -> None:
    precious, link, pipe = tmp_path / "precious", tmp_path / "link", tmp_path / "pipe"
    precious.write_text("precious", encoding="utf-8")
    link.symlink_to(precious)
    os.mkfifo(pipe)
    for target in (link, pipe):
        with pytest.raises(Conflict):
            full.archive.export(str(target))
        with pytest.raises(InvalidInput):
            full.archive.export(str(target), overwrite=True)
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "nowhere")
    with pytest.raises(Conflict):
        full.archive.export(str(dangling))
    assert precious.read_text(encoding="utf-8") == "precious"
    assert not (tmp_path / "nowhere").exists()


def test_an_export_replaces_no_file_of_recollect_itself(full: Engine, home: Path) -> None:
    before = full.archive.export().content
    (home / "config.toml").write_text("", encoding="utf-8")
    for name in ("recollect.db", "config.toml"):
        with pytest.raises(InvalidInput):
            full.archive.export(str(home / name), overwrite=True)
    for _ in range(2):
        full.archive.export(str(home / "backup.jsonl"), overwrite=True)
    assert full.archive.export().content == before


@pytest.mark.promise("E30")
def test_an_export_is_harmless_to_look_at_and_loses_nothing(
    engine: Engine, open_engine: Callable[..., Engine], tmp_path: Path
) -> None:
    kept = engine.memories.store(TEXT + HARMFUL[1:], title=TEXT, tags=(NAME,), metadata={NAME: TEXT}).memory
    content = engine.archive.export().content or ""
    assert harmful(content) == []
    other = open_engine(home=str(tmp_path / "elsewhere"), embed_provider="off")
    other.archive.import_(content=content)
    found = other.memories.get(kept.id)
    assert (found.content, found.title, found.tags) == (kept.content, kept.title, kept.tags)
    assert found.metadata == kept.metadata


@pytest.mark.parametrize(
    "path", ["", "  ", "no/such/folder/out.jsonl", ".", "a\0b", "x" * 300, "~nobody-of-that-name/x"]
)
def test_an_export_to_where_nothing_can_be_written_is_refused(
    full: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput):
        full.archive.export(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["home"]


def test_an_export_that_fails_leaves_the_old_file(full: Engine, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("old", encoding="utf-8")

    def withdraw(done: int, total: int | None, message: str) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled), progress.reporting_to(withdraw):
        full.archive.export(str(target), overwrite=True)
    assert target.read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out.jsonl"]


def test_more_than_fits_an_answer_belongs_in_a_file(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_INLINE_BYTES", 40_000)
    for number in range(5):
        engine.memories.store(f"{number} " + "x" * 9_000)
    with pytest.raises(InvalidInput):
        engine.archive.export()
    assert engine.archive.export(str(tmp_path / "out.jsonl")).memories == 5


# --- import ---


@pytest.mark.promise("E30", "E-import_memories")
def test_everything_exported_comes_back_by_import(
    full: Engine, open_engine: Callable[..., Engine], tmp_path: Path
) -> None:
    target = tmp_path / "out.jsonl"
    full.archive.export(str(target))
    other = open_engine(home=str(tmp_path / "elsewhere"), embed_provider="off")
    imported = other.archive.import_(str(target))
    assert (imported.lines, imported.created, imported.known, imported.merged) == (11, 11, 0, 0)
    assert other.archive.export().content == full.archive.export().content
    assert other.recall.search("app").hits[0].memory.content == "in app"
    other.admin.undo(imported.batch)
    assert lines(other.archive.export().content) == [{"kind": "recollect", "format": 1}]


def test_bare_memories_are_taken_and_merged_by_their_content(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("known", tags=("a",))
    imported = engine.archive.import_(
        content=jsonl({"content": "known", "tags": ["b"]}, "", {"content": "new", "memory_type": "insight"}, "  ")
    )
    assert (imported.lines, imported.created, imported.merged, imported.known) == (2, 1, 1, 0)
    memories = {memory.content: memory for memory in engine.memories.list().memories}
    assert memories["known"].tags == ("a", "b")
    assert (memories["new"].memory_type, memories["new"].created_at) == ("insight", frozen.at)
    assert memories["new"].content_hash == engine.memories.store("new").memory.content_hash


def test_rows_that_are_known_are_left_as_they_are(engine: Engine) -> None:
    engine.archive.import_(content=jsonl({"id": "m", "content": "first"}))
    imported = engine.archive.import_(content=jsonl({"id": "m", "content": "second"}, {"id": "n", "content": "third"}))
    assert (imported.known, imported.created) == (1, 1)
    assert engine.memories.get("m").content == "first"


def test_unknown_fields_and_numbers_of_another_log_are_ignored(engine: Engine) -> None:
    engine.memories.store("first")
    engine.archive.import_(
        content=jsonl({"id": "m", "content": "x", "seq": 1, "rev": 1, "content_hash": "lie", "new": 1})
    )
    memory = engine.memories.get("m")
    assert memory.seq > 1
    assert memory.content_hash != "lie"


GOOD = {"content": "good"}
BAD_LINES: dict[str, object] = {
    "no json": "{",
    "no object": "[1]",
    "nothing": "null",
    "no kind": {"id": "x"},
    "unknown kind": {"kind": "poem", "poem": {}},
    "kind of no kind": {"kind": ["memory"], "content": "x"},
    "a newer format": {"kind": "recollect", "format": 2},
    "no content": {"kind": "memory", "id": "m"},
    "empty content": {"content": "  "},
    "content of a wrong type": {"content": 7},
    "a NUL in the content": {"content": "a\0b"},
    "a NUL in the title": {"content": "x", "title": "a\0b"},
    "a NUL in the namespace": {"content": "x", "namespace": "a\0b"},
    "a NUL in the metadata": {"content": "x", "metadata": {"k": "a\0b"}},
    "a lone surrogate": '{"content": "\\ud800"}',
    "invalid utf-8": "invalid",
    "an unknown type": {"content": "x", "memory_type": "fact"},
    "importance out of range": {"content": "x", "importance": 2},
    "trust out of range": {"content": "x", "trust": -1},
    "a time that is no number": {"content": "x", "created_at": "yesterday"},
    "a time beyond all bounds": {"content": "x", "created_at": 10**30},
    "a count beyond all bounds": {"content": "x", "access_count": 2**63},
    "tags of a wrong type": {"content": "x", "tags": "a"},
    "an empty id": {"id": "", "content": "x"},
    "metadata too deep": '{"content": "x", "metadata": ' + '{"a":' * 200 + "1" + "}" * 200 + "}",
    "content too large": {"content": "x" * 1_048_577},
    "a node without its fields": {"kind": "node", "node": {"id": "n"}},
    "a node that is none": {"kind": "node", "node": 7},
    "a node with a NUL": {"kind": "node", "node": {"id": "n", "kind": "File", "label": "a\0b"}},
    "an edge of an unknown kind": {
        "kind": "edge",
        "edge": {"id": "e", "src": "a", "dst": "b", "relationship": "KNOWS"},
    },
    "an edge that leads nowhere": {
        "kind": "edge",
        "edge": {"id": "e", "src": "a", "dst": "b", "relationship": "CALLS"},
    },
    "a node of no memory": {"kind": "node", "node": {"id": "n", "kind": "Memory", "memory_id": "nobody"}},
    "an anchor of no memory": {"kind": "anchor", "anchor": {"id": "a", "memory_id": "nobody", "path": "p"}},
    "a session too large": {"kind": "session", "session": {"id": "s", "started_at": 2**70}},
}


@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES)
def test_one_bad_line_is_named_and_nothing_is_imported(engine: Engine, tmp_path: Path, bad: object) -> None:
    engine.memories.store("there before")
    before, changes = engine.archive.export().content, engine.admin.changes().total
    file = tmp_path / "in.jsonl"
    text = jsonl({"kind": "recollect", "format": 1}, GOOD, "", bad, GOOD).encode()
    file.write_bytes(text.replace(b"invalid", b'{"content": "\xff"}'))
    with pytest.raises(InvalidInput) as refusal:
        engine.archive.import_(str(file))
    assert refusal.value.details["line"] == 4
    assert engine.archive.export().content == before
    assert engine.admin.changes().total == changes


def test_an_import_withdrawn_half_way_is_taken_back(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "BATCH", 50)
    engine.memories.store("there before")
    before = engine.archive.export().content
    heard: list[tuple[int, int | None]] = []

    def withdraw(done: int, total: int | None, message: str) -> None:
        heard.append((done, total))
        if done >= 100:
            raise Cancelled("enough")

    content = jsonl(*({"content": f"memory {number}"} for number in range(130)))
    with pytest.raises(Cancelled), progress.reporting_to(withdraw):
        engine.archive.import_(content=content)
    assert heard == [(50, 130), (100, 130)]
    assert engine.archive.export().content == before
    again = engine.archive.import_(content=content)
    assert again.created == 130


def test_importing_again_goes_on_where_a_partial_file_ended(engine: Engine) -> None:
    rows = [{"id": f"m{number}", "content": f"memory {number}"} for number in range(10)]
    engine.archive.import_(content=jsonl(*rows[:6]))
    again = engine.archive.import_(content=jsonl(*rows))
    assert (again.known, again.created) == (6, 4)
    assert engine.memories.list().total == 10


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("missing.jsonl", NotFound),
        (".", InvalidInput),
        ("", InvalidInput),
        ("a\0b", InvalidInput),
        ("x" * 300, InvalidInput),
        ("~nobody-of-that-name/x", InvalidInput),
    ],
    ids=lambda value: str(value)[:20],
)
def test_an_import_from_where_nothing_can_be_read_is_refused(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, error: type[Exception]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error):
        engine.archive.import_(path)


def test_an_import_needs_a_path_or_a_content_and_not_both(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        engine.archive.import_()
    with pytest.raises(InvalidInput):
        engine.archive.import_(str(tmp_path / "in"), content="{}")
    with pytest.raises(InvalidInput):
        engine.archive.import_(content=" ")


def test_an_import_can_be_read_from_a_pipe(engine: Engine, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(jsonl({"content": "through a pipe"}), encoding="utf-8"))
    writer.start()
    assert engine.archive.import_(str(pipe)).created == 1
    writer.join()
    assert engine.store.count(Memory) == 1
