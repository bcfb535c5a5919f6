"""What other programs remember comes over: mapped, counted, once, and without touching them."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests import peers
from tests.peers import AT, MADE, SECRET, SESSION

from recollect import Engine, progress
from recollect.errors import Cancelled, InvalidInput, NotFound, SchemaTooNew, StoreCorrupt, StoreLocked
from recollect.importing.import_formats import NAMES
from recollect.model import IMPORT_SOURCES, Edge, Imported, Memory, Node, Session

FORMS = [(source, make) for source, makers in MADE.items() for make in makers]
IDS = [make.__name__ for _, make in FORMS]
EVERY = pytest.mark.parametrize(("source", "make"), FORMS, ids=IDS)
Make = Callable[[Path], Path]


def memories(engine: Engine) -> dict[str, Memory]:
    """Return every memory by how its content begins."""
    return {memory.content.splitlines()[0]: memory for memory in engine.store.find(Memory, order="seq")}


def links(engine: Engine) -> set[tuple[str, str, str]]:
    """Return every link as the first words of its ends, and what it is."""
    names = {f"mem:{memory.id}": memory.content.split()[0] for memory in engine.store.find(Memory)}
    names |= {node.id: node.id for node in engine.store.find(Node) if node.id not in names}
    return {(names[edge.src], edge.relationship, names[edge.dst]) for edge in engine.store.find(Edge)}


def parts(imported: Imported) -> dict[str, tuple[int, str, int, int]]:
    """Return found, became, taken and left of every part."""
    return {part.name: (part.found, part.became, part.taken, sum(part.left.values())) for part in imported.parts}


def everything(engine: Engine) -> str:
    return engine.archive.export().content or ""


# --- what holds for every source ---


@pytest.mark.promise("B8")
@EVERY
def test_every_source_is_recognised_by_a_look(engine: Engine, tmp_path: Path, source: str, make: Make) -> None:
    imported = engine.archive.import_(str(make(tmp_path)))
    assert imported.source == source
    assert imported.created == imported.lines - _kept_loose(imported) > 0
    assert engine.admin.health(thorough=True).checks[0].status == "ok"


@EVERY
def test_everything_found_is_counted_as_taken_or_left_with_a_reason(
    engine: Engine, tmp_path: Path, source: str, make: Make
) -> None:
    imported = engine.archive.import_(str(make(tmp_path)), from_=source)  # type: ignore[arg-type]
    assert imported.parts
    for part in imported.parts:
        assert part.found == part.taken + sum(part.left.values()), part
        assert all(why.strip() for why in part.left)
    assert sum(part.taken for part in imported.parts) == imported.lines - _kept_loose(imported)


def _kept_loose(imported: Imported) -> int:
    return sum(rows for part in imported.parts for why, rows in part.left.items() if "metadata of its memory" in why)


@EVERY
def test_importing_again_changes_nothing(engine: Engine, tmp_path: Path, source: str, make: Make) -> None:
    path = make(tmp_path)
    first = engine.archive.import_(str(path))
    before, changes = everything(engine), engine.admin.changes().total
    again = engine.archive.import_(str(path))
    assert (again.created, again.updated, again.known, again.batch) == (0, 0, first.created, "")
    assert everything(engine) == before
    assert engine.admin.changes().total == changes


@EVERY
def test_a_source_is_left_exactly_as_it_was(engine: Engine, tmp_path: Path, source: str, make: Make) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    path = make(folder)
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file()}
    engine.archive.import_(str(path))
    assert {
        file: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file()
    } == before


@EVERY
def test_a_dry_run_tells_the_same_and_writes_nothing(engine: Engine, tmp_path: Path, source: str, make: Make) -> None:
    path = make(tmp_path)
    told = engine.archive.import_(str(path), dry_run=True)
    assert told.dry_run
    assert engine.admin.changes().total == 0
    done = engine.archive.import_(str(path))
    assert (told.lines, told.created, told.parts, told.beside) == (done.lines, done.created, done.parts, done.beside)


@EVERY
def test_one_undo_takes_an_import_back(engine: Engine, tmp_path: Path, source: str, make: Make) -> None:
    engine.memories.store("there before")
    before = everything(engine)
    imported = engine.archive.import_(str(make(tmp_path)))
    engine.admin.undo(imported.batch)
    assert everything(engine) == before


@EVERY
def test_everything_can_be_put_into_one_project(engine: Engine, tmp_path: Path, source: str, make: Make) -> None:
    engine.archive.import_(str(make(tmp_path)), namespace="harbour")
    assert {memory.namespace for memory in engine.store.find(Memory)} == {"harbour"}
    assert {session.namespace for session in engine.store.find(Session)} <= {"harbour"}


@EVERY
def test_what_is_exported_afterwards_holds_all_of_it(
    engine: Engine, open_engine: Callable[..., Engine], tmp_path: Path, source: str, make: Make
) -> None:
    engine.archive.import_(str(make(tmp_path)))
    other = open_engine(home=str(tmp_path / "elsewhere"), embed_provider="off")
    other.archive.import_(content=everything(engine))
    assert everything(other) == everything(engine)


@EVERY
def test_another_source_is_refused_by_name(engine: Engine, tmp_path: Path, source: str, make: Make) -> None:
    other = "server-memory" if source != "server-memory" else "claude-mem"
    with pytest.raises(InvalidInput) as refusal:
        engine.archive.import_(str(make(tmp_path)), from_=other)  # type: ignore[arg-type]
    assert refusal.value.details["looks_like"] == source
    assert f"--from {source}" in refusal.value.hint
    assert engine.admin.changes().total == 0


def test_every_source_that_can_be_named_has_a_reader_and_is_tried_here() -> None:
    assert set(NAMES) == set(IMPORT_SOURCES) - {"auto", "recollect"} == set(MADE)


# --- one by one ---


def test_memory_lib_keeps_ids_texts_metadata_and_times(engine: Engine, tmp_path: Path) -> None:
    imported = engine.archive.import_(str(peers.memory_lib(tmp_path)))
    memory = engine.memories.get("m-1")
    assert (memory.content, memory.metadata, memory.created_at) == ("Python uses duck typing", {"topic": "typing"}, AT)
    assert (memory.source, memory.valid_from, memory.updated_at) == ("import", AT, AT)
    assert parts(imported) == {"memories": (3, "memories", 2, 1)}


def test_secrets_of_other_programs_are_replaced(engine: Engine, tmp_path: Path) -> None:
    imported = engine.archive.import_(str(peers.memory_lib(tmp_path)))
    assert imported.redacted == {"github-token": 1}
    assert SECRET not in everything(engine)
    assert "token is" in engine.memories.get("m-2").content


def test_memory_lib_code_is_found_by_its_words_and_keeps_its_fields(engine: Engine, tmp_path: Path) -> None:
    engine.archive.import_(str(peers.memory_lib_code(tmp_path)))
    code, note = engine.memories.get("c-1"), engine.memories.get("n-1")
    assert code.content.startswith("Add two numbers.")
    assert {"file_path": "src/sums.py", "dependencies": ["check"], "complexity": "low", "k": 1}.items() <= (
        code.metadata.items()
    )
    assert (note.title, note.category, note.memory_type) == ("A null", "debugging", "insight")
    assert note.metadata == {"file_path": "src/auth.py"}


def test_an_episode_keeps_its_chunks_in_order_and_its_counts(engine: Engine, tmp_path: Path) -> None:
    imported = engine.archive.import_(str(peers.episodic(tmp_path)))
    whole, chunk = engine.memories.get("p-1"), engine.memories.get("k-1")
    assert (whole.access_count - 1, whole.importance, whole.created_at) == (3, 0.5, AT)
    assert (chunk.parent_id, chunk.chunk_index, chunk.importance) == ("p-1", 1, 1.0)
    assert whole.metadata == {"user": "What are tuples?", "assistant": "Tuples are fixed. Lists are not."}
    assert ("Tuples", "PART_OF", "User:") in links(engine)
    legacy = memories(engine)["User: Hello"]
    assert legacy.metadata["origin"]["fields"] == {"mood": "bright"}
    assert imported.beside == {"records.mood": 1}


def test_codemem_comes_over_with_sessions_links_and_the_code_that_memories_are_linked_with(
    engine: Engine, tmp_path: Path
) -> None:
    imported = engine.archive.import_(str(peers.codemem(tmp_path)))
    memory = engine.store.get(Memory, ["a" * 8])[0]
    assert (memory.memory_type, memory.importance, memory.confidence, memory.access_count) == ("decision", 0.9, 0.8, 4)
    assert (memory.namespace, memory.session_id, memory.tags) == ("/nowhere/app", "s-1", ("auth",))
    assert (memory.created_at, memory.updated_at, memory.last_accessed_at) == (AT, AT + 5, AT + 9)
    other = engine.store.get(Memory, ["b" * 8])[0]
    assert (other.memory_type, other.importance) == ("context", 1.0)
    assert other.metadata["origin"]["fields"] == {"memory_type": "observation", "importance": 7.0}
    assert engine.store.get(Session, ["s-1"])[0].summary == "Done"
    assert links(engine) == {("Use", "LEADS_TO", "The"), ("Use", "RELATES_TO", "file:src/auth.rs")}
    odd = next(edge for edge in engine.store.find(Edge) if edge.relationship == "RELATES_TO")
    assert odd.properties == {"relation": "CO_CHANGED"}
    assert parts(imported)["graph_edges"] == (3, "links", 2, 1)
    assert parts(imported)["memory_embeddings"] == (1, "", 0, 1)


def test_lines_of_codemem_are_told_from_ours_and_link_once(engine: Engine, tmp_path: Path) -> None:
    file = peers.codemem_lines(tmp_path)
    assert engine.archive.import_(str(file)).source == "codemem"
    assert links(engine) == {("First", "RELATES_TO", "Second")}
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    listed = tmp_path / "codemem.json"
    listed.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    again = engine.archive.import_(str(listed))
    assert (again.source, again.created, again.known) == ("codemem", 0, 3)


def test_the_codemem_of_sessions_keeps_what_its_observer_told(engine: Engine, tmp_path: Path) -> None:
    imported = engine.archive.import_(str(peers.codemem_sessions(tmp_path)))
    item = memories(engine)["Sessions are JWT now"]
    assert (item.title, item.memory_type, item.category, item.namespace) == ("Use JWT", "decision", "decision", "app")
    assert item.tags == ("auth", "jwt")
    assert item.metadata["ticket"] == 7
    assert item.metadata["origin"]["fields"]["session"] == {"cwd": "/nowhere/app", "user": "ada"}
    session = engine.store.find(Session)[0]
    assert (item.session_id, session.branch, session.started_at) == (session.id, "main", AT)
    assert {"First the tests", "Make it faster", "Asked for: Speed"} < set(memories(engine))
    assert parts(imported)["memory_items"] == (2, "memories", 1, 1)


def test_entities_become_memories_and_relations_links_in_our_words(engine: Engine, tmp_path: Path) -> None:
    imported = engine.archive.import_(str(peers.server_memory(tmp_path)))
    ada = memories(engine)["Ada_Jones (person):"]
    assert (ada.title, ada.category, ada.metadata["observations"]) == (
        "Ada_Jones", "person", ["Speaks Spanish", "Likes tea"],
    )  # fmt: skip
    assert "- Speaks Spanish" in ada.content
    assert links(engine) == {("Ada_Jones", "RELATES_TO", "Harbour"), ("Harbour", "DEPENDS_ON", "Ada_Jones")}
    assert {edge.properties["relation"] for edge in engine.store.find(Edge)} == {"works_at", "dependsOn"}
    assert ada.metadata["origin"]["links"] == [{"relation": "knows", "from": "Ada_Jones", "to": "Nowhere"}]
    assert parts(imported)["relations"] == (3, "links", 2, 1)
    assert parts(imported)["lines of type weather"] == (1, "", 0, 1)


def test_claude_mem_comes_over_with_its_sessions_by_the_assistants_own_ids(engine: Engine, tmp_path: Path) -> None:
    imported = engine.archive.import_(str(peers.claude_mem(tmp_path)))
    session = engine.store.get(Session, [SESSION])[0]
    assert (session.namespace, session.assistant, session.started_at, session.ended_at) == ("harbour", "claude", AT, AT)
    told = memories(engine)["Tokens expired early"]
    assert (told.title, told.category, told.memory_type, told.session_id) == (
        "Login fixed",
        "bugfix",
        "insight",
        SESSION,
    )
    assert told.tags == ("problem-solution", "time")
    assert "- The clock was off by an hour" in told.content
    assert told.metadata["files_modified"] == ["clock.py"]
    assert told.metadata["origin"]["fields"]["generated_by_model"] == "haiku"
    assert told.metadata["origin"]["fields"]["session"]["user_prompt"] == "Fix the login"
    summary = memories(engine)["Asked for: Fix the login"]
    assert summary.content.splitlines()[1:] == ["Learnt: Always use UTC", "Next: Add a test"]
    assert memories(engine)["Fix the login"].importance == 0.3
    assert parts(imported)["observations"] == (2, "memories", 1, 1)
    assert parts(imported)["observations_fts"] == (1, "", 0, 1)


def test_an_export_of_claude_mem_is_read_like_its_database(engine: Engine, tmp_path: Path) -> None:
    path = peers.claude_mem(tmp_path)
    lists = {"sdk_sessions": "sessions", "observations": "observations", "session_summaries": "summaries"}
    lists["user_prompts"] = "prompts"
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        document: dict[str, Any] = {
            name: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")] for table, name in lists.items()
        }
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"exportedAt": peers.ZULU, **document}), encoding="utf-8")
    first = engine.archive.import_(str(path))
    again = engine.archive.import_(str(file))
    assert (again.source, again.created, again.known) == ("claude-mem", 0, first.created)


def test_mcp_memory_service_keeps_its_graph_its_versions_and_its_projects(engine: Engine, tmp_path: Path) -> None:
    imported = engine.archive.import_(str(peers.memory_service(tmp_path)))
    old, new = memories(engine)["Timeouts are 30 s"], memories(engine)["Timeouts are 60 s"]
    assert (old.superseded_by, old.valid_to, old.memory_type, old.namespace) == (new.id, AT, "decision", "harbour")
    assert (old.metadata["source"], new.memory_type, new.category) == ("chat", "insight", "learning")
    assert (old.created_at, old.updated_at) == (AT, AT + 5)
    assert ("Timeouts", "SUPERSEDES", "Timeouts") in links(engine)
    linked = next(edge for edge in engine.store.find(Edge) if edge.relationship == "RELATES_TO")
    assert (linked.weight, linked.properties) == (
        0.8, {"relation": "related", "connection_types": ["semantic"], "why": "words"},
    )  # fmt: skip
    assert parts(imported)["memories"] == (3, "memories", 2, 1)
    assert new.metadata["origin"]["links"][0]["to"] == "h3"


def test_notes_of_basic_memory_are_taken_apart_and_linked(engine: Engine, tmp_path: Path) -> None:
    imported = engine.archive.import_(str(peers.basic_memory(tmp_path)))
    note = memories(engine)["# Coffee Brewing"]
    assert (note.title, note.category, note.tags, note.created_at) == (
        "Coffee Brewing",
        "guide",
        ("coffee", "brewing"),
        AT,
    )
    assert note.metadata["permalink"] == "drinks/coffee-brewing"
    assert note.metadata["origin"]["fields"] == {"status": "draft"}
    assert "- [ ] Buy filters" in note.content
    assert "- a plain item" in note.content
    seen = memories(engine)["Pour over is clearer #brewing"]
    assert (seen.category, seen.tags, seen.metadata["context"]) == ("method", ("brewing",), "tasted")
    assert (seen.parent_id, seen.chunk_index, seen.title) == (note.id, 0, "Coffee Brewing")
    assert memories(engine)["We buy Ethiopian beans"].memory_type == "decision"
    between = {edge.relationship: edge for edge in engine.store.find(Edge) if edge.relationship != "PART_OF"}
    assert set(between) == {"DEPENDS_ON", "RELATES_TO"}
    assert between["DEPENDS_ON"].properties == {"relation": "depends_on", "context": "fresh"}
    assert note.metadata["relations"] == [{"relation": "made in", "target": "Kitchen"}]
    assert parts(imported)["notes"] == (2, "memories", 2, 0)


def test_pages_keep_front_matter_dates_and_links(engine: Engine, tmp_path: Path) -> None:
    folder = peers.markdown(tmp_path)
    os.utime(folder / "start.md", (AT + 7, AT + 7))
    imported = engine.archive.import_(str(folder))
    page = memories(engine)["First this, then that."]
    assert (page.title, page.tags, page.created_at) == ("how to", ("steps", "setup"), AT - 10 * 3600)
    assert (page.metadata["path"], page.metadata["origin"]["fields"]) == ("deep/how to.md", {"owner": "ada"})
    start = memories(engine)["# The start"]
    assert (start.title, start.created_at) == ("The start", AT + 7)
    assert links(engine) == {("#", "RELATES_TO", "First")}
    assert parts(imported)["pages"] == (3, "memories", 2, 1)


# --- again, after something changed ---


def test_what_says_something_else_there_is_written_anew_unless_it_was_changed_here(
    engine: Engine, tmp_path: Path
) -> None:
    folder = peers.markdown(tmp_path)
    engine.archive.import_(str(folder))
    (folder / "deep" / "how to.md").write_text("First that, then this.", encoding="utf-8")
    again = engine.archive.import_(str(folder))
    assert (again.created, again.updated) == (0, 1)
    page = memories(engine)["First that, then this."]
    engine.memories.update(page.id, content="Ours now.")
    (folder / "deep" / "how to.md").write_text("Something third.", encoding="utf-8")
    assert engine.archive.import_(str(folder)).updated == 0
    assert "Ours now." in memories(engine)


def test_what_was_deleted_here_stays_deleted(engine: Engine, tmp_path: Path) -> None:
    file = peers.server_memory(tmp_path)
    engine.archive.import_(str(file))
    engine.memories.delete(memories(engine)["Harbour (project)"].id)
    again = engine.archive.import_(str(file))
    assert (again.created, again.refused) == (0, 1)
    assert "Harbour (project)" not in memories(engine)
    assert parts(again)["relations"] == (3, "", 0, 3)


def test_an_id_that_somebody_else_has_is_told_and_not_overwritten(engine: Engine, tmp_path: Path) -> None:
    engine.archive.import_(content='{"id": "m-1", "content": "ours"}')
    imported = engine.archive.import_(str(peers.memory_lib(tmp_path)))
    assert engine.memories.get("m-1").content == "ours"
    assert imported.created == 1
    assert any("belongs to a different memory" in why for part in imported.parts for why in part.left)


def test_what_a_source_has_twice_is_taken_once_and_told(engine: Engine, tmp_path: Path) -> None:
    file = peers.codemem_lines(tmp_path)
    file.write_text(file.read_text(encoding="utf-8") * 2, encoding="utf-8")
    imported = engine.archive.import_(str(file))
    assert (imported.created, parts(imported)["memories"]) == (3, (4, "memories", 2, 2))


def test_a_copy_of_a_note_is_a_note_of_its_own_and_a_link_written_twice_is_one(engine: Engine, tmp_path: Path) -> None:
    notes = peers.basic_memory(tmp_path)
    (notes / "copy.md").write_text(
        peers.GRINDING.replace("late", "early") + "See [[Coffee Brewing]] and [[Coffee Brewing]].", encoding="utf-8"
    )
    imported = engine.archive.import_(str(notes))
    assert parts(imported)["notes"] == (3, "memories", 3, 0)
    assert {"Grind late.", "Grind early."} < set(memories(engine))
    assert engine.archive.import_(str(notes)).created == 0


# --- what goes wrong ---


def nothing_written(engine: Engine) -> bool:
    return engine.admin.changes().total == 0


def test_half_a_line_costs_nothing(engine: Engine, tmp_path: Path) -> None:
    file = peers.server_memory(tmp_path)
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(InvalidInput) as refusal:
        engine.archive.import_(str(file))
    assert refusal.value.details["line"] == 6
    assert nothing_written(engine)


@pytest.mark.parametrize(
    "bad",
    [
        '{"type": "entity", "entityType": "x", "observations": []}',
        '{"type": "entity", "name": "x", "observations": "no list"}',
        '{"type": "relation", "from": "a"}',
        "[1]",
    ],
)
def test_a_record_without_what_it_needs_is_named_by_its_line(engine: Engine, tmp_path: Path, bad: str) -> None:
    file = peers.server_memory(tmp_path)
    file.write_text(file.read_text(encoding="utf-8") + "\n" + bad + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as refusal:
        engine.archive.import_(str(file))
    assert refusal.value.details["line"] == 7
    assert nothing_written(engine)


def test_a_database_that_is_locked_says_so_and_can_be_tried_again(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.importing.import_source.BUSY_S", 0.05)
    path = peers.memory_lib(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreLocked) as refusal:
            engine.archive.import_(str(path))
        assert refusal.value.retryable
        assert "Close that program" in refusal.value.hint
    assert nothing_written(engine)
    assert engine.archive.import_(str(path)).created == 2


def test_a_database_that_is_cut_off_is_called_damaged(engine: Engine, tmp_path: Path) -> None:
    path = peers.claude_mem(tmp_path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises((StoreCorrupt, InvalidInput)):
        engine.archive.import_(str(path))
    assert nothing_written(engine)


def test_a_newer_schema_is_read_as_far_as_it_is_known(engine: Engine, tmp_path: Path) -> None:
    path = peers.claude_mem(tmp_path, version=77)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE observations ADD COLUMN mood TEXT DEFAULT 'bright'")
        connection.execute("CREATE TABLE dreams (id INTEGER)")
        connection.execute("INSERT INTO dreams VALUES (1)")
    imported = engine.archive.import_(str(path))
    assert memories(engine)["Tokens expired early"].metadata["origin"]["fields"]["mood"] == "bright"
    dreams = next(part for part in imported.parts if part.name == "dreams")
    assert dreams.left == {"unknown table": 1}


def test_a_newer_schema_without_what_is_needed_is_refused_as_such(engine: Engine, tmp_path: Path) -> None:
    path = peers.claude_mem(tmp_path, version=77)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE observations RENAME COLUMN type TO sort")
    with pytest.raises(SchemaTooNew) as refusal:
        engine.archive.import_(str(path))
    assert refusal.value.details["version"] == 77
    assert nothing_written(engine)


def test_a_database_of_nobody_known_and_one_of_ours_are_refused(engine: Engine, tmp_path: Path) -> None:
    stranger = peers.database(tmp_path / "x.db", "CREATE TABLE t (a);", {"t": [{"a": 1}]})
    with pytest.raises(InvalidInput):
        engine.archive.import_(str(stranger))
    with pytest.raises(InvalidInput):
        engine.archive.import_(str(stranger), from_="codemem")
    engine.memories.store("something")
    with pytest.raises(InvalidInput) as refusal:
        engine.archive.import_(engine.store.describe().location)
    assert "recollect export" in refusal.value.hint


@pytest.mark.parametrize("source", list(MADE))
def test_what_is_not_there_or_says_nothing_is_refused(engine: Engine, tmp_path: Path, source: Any) -> None:
    with pytest.raises(NotFound):
        engine.archive.import_(str(tmp_path / "missing"), from_=source)
    empty, folder, text = tmp_path / "empty", tmp_path / "folder", tmp_path / "text"
    empty.touch()
    folder.mkdir()
    text.write_text("Dear diary", encoding="utf-8")
    for path in (empty, folder, text):
        with pytest.raises(InvalidInput):
            engine.archive.import_(str(path), from_=source)
    assert nothing_written(engine)


def test_an_unknown_source_is_refused_with_the_known_ones(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refusal:
        engine.archive.import_(str(peers.episodic(tmp_path)), from_="diary")  # type: ignore[arg-type]
    assert "claude-mem" in refusal.value.hint


def test_an_import_withdrawn_half_way_is_taken_back(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.importing.memory_import.BATCH", 2)
    engine.memories.store("there before")
    before = everything(engine)

    def withdraw(done: int, total: int | None, message: str) -> None:
        if message.startswith("importing") and done >= 3:
            raise Cancelled("enough")

    path = str(peers.server_memory(tmp_path))
    with pytest.raises(Cancelled), progress.reporting_to(withdraw):
        engine.archive.import_(path)
    assert everything(engine) == before
    assert engine.archive.import_(path).created == 4


def test_text_that_no_database_keeps_comes_over_with_marks(engine: Engine, tmp_path: Path) -> None:
    row = {"id": "m", "text": "a\0b", "metadata": "not JSON", "timestamp": "soon"}
    path = peers.database(tmp_path / "m.db", peers.MEMORY_LIB, {"memories": [row]})
    engine.archive.import_(str(path))
    memory = engine.memories.get("m")
    assert memory.content == "a\N{REPLACEMENT CHARACTER}b"
    assert memory.metadata["origin"]["fields"] == {"metadata": "not JSON", "timestamp": "soon"}


def test_what_is_too_large_for_a_memory_is_left_out_and_told(engine: Engine, tmp_path: Path) -> None:
    rows = [{"id": "m", "text": "x" * 1_100_000, "timestamp": peers.ISO}]
    path = peers.database(tmp_path / "m.db", peers.MEMORY_LIB, {"memories": rows})
    imported = engine.archive.import_(str(path))
    assert (imported.created, sum(imported.parts[0].left.values())) == (0, 1)


# --- databases that are in use ---


def test_rows_that_are_only_in_the_log_of_a_running_program_are_seen(engine: Engine, tmp_path: Path) -> None:
    path = peers.memory_lib(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("INSERT INTO memories VALUES ('m-9', 'Only in the log', NULL, ?)", (peers.ISO,))
        assert (tmp_path / "memories.db-wal").stat().st_size > 0
        assert engine.archive.import_(str(path)).created == 3
        running.execute("INSERT INTO memories VALUES ('m-10', 'Later', NULL, ?)", (peers.ISO,))
    assert engine.memories.get("m-9").content == "Only in the log"


def test_the_log_of_a_program_that_died_is_read_from_a_copy(engine: Engine, tmp_path: Path) -> None:
    path = peers.memory_lib(tmp_path)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("INSERT INTO memories VALUES ('m-9', 'Only in the log', NULL, ?)", (peers.ISO,))
        for end in ("", "-wal"):
            (theirs / f"memories.db{end}").write_bytes((tmp_path / f"memories.db{end}").read_bytes())
    before = {file.name: file.read_bytes() for file in theirs.iterdir()}
    assert engine.archive.import_(str(theirs / "memories.db")).created == 3
    assert {file.name: file.read_bytes() for file in theirs.iterdir()} == before


def test_a_log_that_was_closed_properly_is_not_opened_again(engine: Engine, tmp_path: Path) -> None:
    path = peers.memory_lib(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    theirs = sorted(file.name for file in tmp_path.iterdir())
    engine.archive.import_(str(path))
    assert sorted({file.name for file in tmp_path.iterdir()} - {"home"}) == sorted(set(theirs) - {"home"})
