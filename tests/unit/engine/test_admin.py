"""The state of the whole: counts, health with what to do about it, rebuilding, the log, and undo."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FrozenClock, HashingEmbedder

from recollect import Engine, __version__
from recollect.errors import Conflict, EmbeddingFailed, InvalidInput, NotFound
from recollect.model import Check, Session


def titles(engine: Engine) -> list[str | None]:
    return [memory.title for memory in engine.memories.list(order="oldest").memories]


def check(engine: Engine, name: str, *, thorough: bool = False) -> Check:
    return next(row for row in engine.admin.health(thorough=thorough).checks if row.name == name)


# --- stats ---


@pytest.mark.promise("E-codemem_stats")
def test_stats_count_everything_there_is(engine: Engine, home: Path) -> None:
    first = engine.memories.store("one", memory_type="decision", namespace="app").memory.id
    second = engine.memories.store("two").memory.id
    engine.embedding.catch_up()
    engine.memories.store("three")
    engine.memories.associate(first, second)
    engine.workspaces.init("app")
    with engine.store.transaction("test") as transaction:
        transaction.insert(Session(id="s", started_at=1))
    stats = engine.admin.stats()
    assert (stats.memories, stats.embeddings, stats.pending_embeddings) == (3, 2, 1)
    assert (stats.nodes, stats.edges, stats.sessions, stats.workspaces, stats.namespaces) == (2, 1, 1, 1, 2)
    assert stats.by_type == {"context": 2, "decision": 1}
    assert stats.changes == engine.admin.changes().total == 8
    assert (stats.database, stats.embedding_model) == (str(home / "recollect.db"), "hashing/64+lean")
    assert stats.database_bytes >= (home / "recollect.db").stat().st_size
    assert stats.schema_version >= 1


# --- health ---


@pytest.mark.promise("E-codemem_health")
def test_a_sound_memory_is_well_in_every_respect(engine: Engine) -> None:
    engine.memories.store("x")
    engine.embedding.catch_up()
    for thorough in (False, True):
        health = engine.admin.health(thorough=thorough)
        assert (health.status, health.version) == ("ok", __version__)
        assert [(row.name, row.status) for row in health.checks] == [
            ("storage", "ok"),
            ("vectors", "ok"),
            ("graph", "ok"),
            ("code", "ok"),
            ("embeddings", "ok"),
            ("capture", "ok"),
            ("language model", "ok"),
            ("consolidation", "ok"),
            ("disk", "ok"),
        ]


@pytest.mark.promise("E-codemem_health")
def test_the_whole_is_as_well_as_its_worst_part(engine: Engine, embedder: HashingEmbedder) -> None:
    engine.memories.store("x")
    embedder.failing = True
    health = engine.admin.health()
    assert health.status == "degraded"
    assert [row.status for row in health.checks] == ["ok", "degraded", "ok", "ok", "degraded", "ok", "ok", "ok", "ok"]
    assert all(row.mend for row in health.checks if row.status != "ok")


def test_missing_vectors_are_degraded_until_they_are_made(engine: Engine) -> None:
    engine.memories.store("x")
    assert check(engine, "vectors").status == "degraded"
    engine.recall.search("x")
    assert check(engine, "vectors").status == "ok"


def test_the_graph_is_counted_and_old_centrality_told(engine: Engine) -> None:
    one, other = engine.memories.store("x").memory.id, engine.memories.store("y").memory.id
    assert check(engine, "graph").detail == "0 nodes, 0 links"
    engine.memories.associate(one, other)
    assert check(engine, "graph").detail == "2 nodes, 1 link; centrality is out of date and is recomputed when needed"
    engine.graph.recompute()
    assert check(engine, "graph").detail == "2 nodes, 1 link"


def test_the_graph_is_counted_with_indexed_code(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("def one():\n    return 1\n", encoding="utf-8")
    engine.code.index(str(tmp_path / "tree"))
    stats = engine.admin.stats()
    assert (stats.nodes, stats.edges) == (2, 1)
    assert check(engine, "graph").detail.startswith("2 nodes, 1 link")


def test_a_folder_that_others_can_look_into_is_degraded(engine: Engine, home: Path) -> None:
    engine.memories.store("x")
    assert check(engine, "disk").status == "ok"
    home.chmod(0o755)
    assert check(engine, "disk").status == "degraded"
    assert check(engine, "disk").mend == f"chmod 700 {home}"


def test_a_full_text_that_lost_rows_is_failed_and_a_rebuild_mends_it(engine: Engine, home: Path) -> None:
    engine.memories.store("needle")
    engine.embedding.catch_up()
    with closing(sqlite3.connect(home / "recollect.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM memory_text")
    storage = check(engine, "storage")
    assert storage.status == "failed"
    assert "recollect admin rebuild" in storage.mend
    engine.admin.rebuild(vectors=False)
    assert check(engine, "storage", thorough=True).status == "ok"
    assert engine.recall.search("needle").hits[0].signals.lexical_rank == 1


def test_a_database_that_cannot_be_opened_is_failed_with_its_code(tmp_path: Path, embedder: HashingEmbedder) -> None:
    (tmp_path / "folder").mkdir(mode=0o700)
    with Engine(database=str(tmp_path / "folder"), embedder=embedder) as engine:
        health = engine.admin.health()
    assert health.status == "failed"
    assert health.checks[0].detail.startswith("STORE_FOREIGN")


# --- rebuild ---


def test_a_rebuild_makes_everything_derived_anew(engine: Engine, embedder: HashingEmbedder) -> None:
    for number in range(3):
        engine.memories.store(f"needle {number}")
    engine.recall.search("needle")
    before = engine.archive.export().content
    embedder.embedded.clear()
    rebuilt = engine.admin.rebuild()
    assert (rebuilt.text_rows, rebuilt.vectors_dropped, rebuilt.vectors_made, rebuilt.vectors_pending) == (3, 3, 3, 0)
    assert {"needle 0", "needle 1", "needle 2"} <= set(embedder.embedded)
    assert engine.recall.search("needle").mode == "hybrid"
    assert engine.archive.export().content == before


def test_a_rebuild_of_the_full_text_alone_keeps_the_vectors(engine: Engine, embedder: HashingEmbedder) -> None:
    engine.memories.store("needle")
    engine.embedding.catch_up()
    embedder.embedded.clear()
    rebuilt = engine.admin.rebuild(vectors=False)
    assert (rebuilt.text_rows, rebuilt.vectors_dropped, rebuilt.vectors_made, rebuilt.vectors_pending) == (1, 0, 0, 0)
    assert embedder.embedded == []


def test_vectors_are_not_thrown_away_while_nobody_can_make_them_again(
    engine: Engine, embedder: HashingEmbedder
) -> None:
    engine.memories.store("needle")
    engine.embedding.catch_up()
    embedder.failing = True
    with pytest.raises(EmbeddingFailed):
        engine.admin.rebuild()
    assert engine.admin.stats().embeddings == 1
    assert engine.admin.rebuild(vectors=False).text_rows == 1


def test_a_rebuild_without_an_embedder_makes_the_full_text(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(embed_provider="off")
    engine.memories.store("needle")
    rebuilt = engine.admin.rebuild()
    assert (rebuilt.text_rows, rebuilt.vectors_made, rebuilt.vectors_pending) == (1, 0, 0)


# --- the log ---


def test_changes_are_listed_newest_first_with_what_was_there_before(engine: Engine, frozen: FrozenClock) -> None:
    memory = engine.memories.store("x", title="old").memory
    frozen.advance(1)
    engine.memories.update(memory.id, title="new")
    history = engine.admin.changes()
    assert [(row.operation, row.action, row.at) for row in history.changes] == [
        ("update_memory", "update", frozen.at),
        ("store_memory", "insert", frozen.at - 1),
    ]
    assert history.changes[0].before is not None
    assert history.changes[0].before["title"] == "old"
    assert history.total == 2


def test_changes_can_be_narrowed_to_a_memory_a_batch_or_a_page(engine: Engine) -> None:
    first, second = engine.memories.store("one").memory.id, engine.memories.store("two").memory.id
    engine.memories.associate(first, second)
    batch = engine.memories.delete(first).batch
    assert [row.action for row in engine.admin.changes(memory_id=first).changes] == ["delete", "insert"]
    assert {row.entity for row in engine.admin.changes(batch=batch).changes} == {
        "memories",
        "graph_nodes",
        "graph_edges",
    }
    page = engine.admin.changes(limit=2, offset=1)
    assert (len(page.changes), page.total) == (2, engine.admin.changes().total)
    assert engine.admin.changes(memory_id="nobody").changes == ()


@pytest.mark.parametrize(
    "given",
    [
        {"limit": 0},
        {"limit": 1001},
        {"offset": -1},
        {"offset": 10**30},
        {"offset": "1"},
        {"batch": ""},
        {"memory_id": 7},
    ],
    ids=str,
)
def test_bad_questions_about_changes_are_refused(engine: Engine, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        engine.admin.changes(**given)


# --- undo ---


@pytest.fixture
def renamed(engine: Engine) -> Engine:
    """A memory whose title was 1, 2 and is 3."""
    memory = engine.memories.store("x", title="1").memory.id
    engine.memories.update(memory, title="2")
    engine.memories.update(memory, title="3")
    return engine


def test_undo_takes_back_the_last_change_and_the_next_one_goes_further_back(renamed: Engine) -> None:
    seen = []
    for _ in range(3):
        renamed.admin.undo()
        seen.append(titles(renamed))
    assert seen == [["2"], ["1"], []]
    with pytest.raises(NotFound):
        renamed.admin.undo()


def test_an_undo_can_be_undone_by_its_own_batch(renamed: Engine) -> None:
    undone = renamed.admin.undo()
    assert titles(renamed) == ["2"]
    again = renamed.admin.undo(undone.batch)
    assert (again.undone, again.restored) == (undone.batch, 1)
    assert titles(renamed) == ["3"]
    renamed.admin.undo()
    assert titles(renamed) == ["2"]
    renamed.admin.undo()
    assert titles(renamed) == ["1"]


def test_a_change_after_an_undo_is_the_next_to_be_taken_back(renamed: Engine) -> None:
    renamed.admin.undo()
    renamed.memories.store("y", title="new")
    assert titles(renamed) == ["2", "new"]
    renamed.admin.undo()
    assert titles(renamed) == ["2"]
    renamed.admin.undo()
    assert titles(renamed) == ["1"]


def test_an_older_batch_is_refused_while_a_newer_one_stands(renamed: Engine) -> None:
    newest, older, _ = renamed.admin.changes().changes
    with pytest.raises(Conflict):
        renamed.admin.undo(older.batch)
    assert titles(renamed) == ["3"]
    renamed.admin.undo(newest.batch)
    renamed.admin.undo(older.batch)
    assert titles(renamed) == ["1"]


def test_the_last_batch_is_found_behind_a_long_history_of_undone_ones(engine: Engine) -> None:
    memory = engine.memories.store("x", title="0").memory.id
    for number in range(1, 4):
        engine.memories.update(memory, title=str(number))
    rows = "\n".join(f'{{"content": "memory {number}"}}' for number in range(600))
    engine.archive.import_(content=rows)
    engine.admin.undo()
    assert titles(engine) == ["3"]
    engine.admin.undo()
    assert titles(engine) == ["2"]


def test_the_last_batch_is_not_the_end_of_a_session_and_its_memory_is_named(engine: Engine) -> None:
    memory = engine.memories.store("Deploys run on Tuesdays").memory
    with engine.store.transaction("end_session") as transaction:
        transaction.insert(Session(id="s-1", started_at=1))
    undone = engine.admin.undo()
    assert (undone.operation, undone.memories) == ("store_memory", {memory.id: "removed: Deploys run on Tuesdays"})
    assert engine.admin.changes(limit=1).headlines == {memory.id: "Deploys run on Tuesdays"}
    deleted = engine.memories.store("Releases are tagged").memory
    engine.memories.delete(deleted.id)
    assert engine.admin.undo().memories == {deleted.id: "restored: Releases are tagged"}


@pytest.mark.parametrize(("batch", "error"), [("nothing", NotFound), ("", InvalidInput), (7, InvalidInput)])
def test_what_is_no_batch_cannot_be_undone(engine: Engine, batch: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        engine.admin.undo(batch)  # type: ignore[arg-type]


def test_on_an_empty_memory_there_is_nothing_to_undo(engine: Engine) -> None:
    with pytest.raises(NotFound):
        engine.admin.undo()


def test_undo_restores_search_by_words_and_by_meaning(engine: Engine) -> None:
    memory = engine.memories.store("needle").memory
    engine.recall.search("needle")
    engine.memories.update(memory.id, content="hay")
    engine.recall.search("hay")
    engine.admin.undo()
    (hit,) = engine.recall.search("needle").hits
    assert (hit.signals.lexical_rank, hit.signals.semantic) == (1, pytest.approx(1, abs=1e-3))


def test_health_counts_hook_events_that_could_not_be_read(engine: Engine) -> None:
    engine.capture.put(b"{", event="UserPromptSubmit", assistant="claude")
    assert engine.capture.drain().bad == 1
    (capture,) = (check for check in engine.admin.health().checks if check.name == "capture")
    assert "1 unreadable event kept in" in capture.detail
