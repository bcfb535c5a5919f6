"""Operations accept the beginning of an id of a memory, a session or a batch where only one begins so."""

from __future__ import annotations

import json

import pytest

from recollect import Engine
from recollect.errors import InvalidInput, MemoryNotFound, NotFound
from recollect.model import Session

ONE = "1a2b3c4d-0000-4000-8000-000000000001"
TWIN = "1a2b3c4d-0000-4000-8000-000000000002"
OTHER = "9f8e7d6c-0000-4000-8000-000000000003"


@pytest.fixture
def stocked(engine: Engine) -> Engine:
    rows = [{"id": name, "content": f"memory {name}"} for name in (ONE, TWIN, OTHER)]
    engine.archive.import_(content="\n".join(map(json.dumps, rows)))
    return engine


def test_a_memory_is_read_changed_linked_and_deleted_by_the_beginning_of_its_id(stocked: Engine) -> None:
    assert stocked.memories.get("9f8e7d6c").id == OTHER
    assert stocked.memories.get("9f8e7d").id == OTHER
    assert stocked.memories.update("9f8e7d6c", title="T").id == OTHER
    assert stocked.memories.associate("9f8e7d6c", TWIN).edge.src == f"mem:{OTHER}"
    assert stocked.graph.traverse("9f8e7d6c").start == f"mem:{OTHER}"
    assert stocked.graph.traverse("mem:9f8e7d6c").total == 2
    newer = stocked.memories.store("memory four", supersedes="9f8e7d6c").memory
    assert stocked.memories.get(OTHER).superseded_by == newer.id
    assert stocked.memories.delete("9f8e7d6c").deleted == 1
    assert {change.entity_id for change in stocked.admin.changes(memory_id="9f8e7d6c").changes} == {OTHER}
    assert stocked.memories.purge(("9f8e7d6c",)).memories == (OTHER,)


def test_a_beginning_that_several_ids_share_is_refused_with_the_candidates(stocked: Engine) -> None:
    with pytest.raises(InvalidInput) as raised:
        stocked.memories.get("1a2b3c4d")
    assert raised.value.details["candidates"] == [ONE, TWIN]
    assert ONE in raised.value.hint and TWIN in raised.value.hint
    assert stocked.memories.get(ONE).id == ONE


@pytest.mark.parametrize("name", ["9f8e7", "9f8e7d6d", "9f8e7d6c%", "nobody"])
def test_a_short_or_unknown_beginning_is_not_found(stocked: Engine, name: str) -> None:
    with pytest.raises(MemoryNotFound):
        stocked.memories.get(name)


def test_an_id_that_is_the_beginning_of_another_means_itself(engine: Engine) -> None:
    engine.memories.insert([{"id": "abcdef", "content": "a"}, {"id": "abcdefgh", "content": "b"}])
    assert engine.memories.get("abcdef").content == "a"
    assert engine.memories.get("abcdefg").content == "b"


def test_a_session_and_a_batch_are_named_by_their_beginning(stocked: Engine) -> None:
    with stocked.store.transaction("test") as transaction:
        transaction.insert(Session(id=ONE, started_at=1))
    assert stocked.sessions.get("1a2b3c4d").session.id == ONE
    with pytest.raises(NotFound):
        stocked.sessions.get("1a2b3c4e")
    batch = stocked.memories.delete(OTHER).batch
    assert stocked.admin.changes(batch=batch[:8]).total == 1
    assert stocked.admin.undo(batch[:8]).undone == batch
    assert stocked.memories.get(OTHER).id == OTHER


def test_a_beginning_is_looked_up_in_the_index(stocked: Engine) -> None:
    connection = stocked.store._connection()  # type: ignore[attr-defined]
    for table, field in (("memories", "id"), ("sessions", "id"), ("changes", "batch")):
        sql = f"EXPLAIN QUERY PLAN SELECT * FROM {table} WHERE {field} >= ? AND {field} < ? ORDER BY {field} LIMIT 1"
        told = " ".join(row[3] for row in connection.execute(sql, ("a", "b")))
        assert "SEARCH" in told and "SCAN" not in told
