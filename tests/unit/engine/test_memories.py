"""Memories through the library: stored once, changed, deleted, linked, and listed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.errors import Conflict, ContentTooLarge, InvalidInput, InvalidWorkspace, MemoryNotFound
from recollect.model import Change, Edge, Memory, Node


def contents(engine: Engine, **filters: Any) -> list[str]:
    return [memory.content for memory in engine.memories.list(**filters).memories]


# --- store ---


@pytest.mark.promise("E1", "E-store_memory")
def test_a_stored_memory_has_what_it_was_given_and_the_rest_by_default(engine: Engine, frozen: FrozenClock) -> None:
    stored = engine.memories.store(
        "Tabs in Makefiles",
        memory_type="preference",
        tags=("make", "style"),
        namespace="app",
        importance=0.9,
        confidence=0.8,
        title="Tabs",
        category="formatting",
        source="assistant",
        metadata={"ticket": 7},
    )
    assert stored.created is True
    assert engine.memories.list().memories == (stored.memory,)
    memory = stored.memory
    assert (memory.memory_type, memory.tags, memory.namespace) == ("preference", ("make", "style"), "app")
    assert (memory.importance, memory.confidence, memory.title) == (0.9, 0.8, "Tabs")
    assert (memory.category, memory.source, memory.metadata) == ("formatting", "assistant", {"ticket": 7})
    assert memory.created_at == memory.updated_at == memory.last_accessed_at == frozen.at
    plain = engine.memories.store("Plain").memory
    assert (plain.memory_type, plain.importance, plain.confidence, plain.access_count) == ("context", 0.5, 1.0, 0)
    assert (plain.tags, plain.metadata, plain.namespace, plain.title) == ((), {}, None, None)


@pytest.mark.parametrize(
    ("content", "memory_type"),
    [
        ("Always run make lint before a commit.", "preference"),
        ("In this repo we use pnpm, not npm.", "style"),
        ("We decided to keep the monolith.", "decision"),
        ("The root cause was a missing index.", "insight"),
        ("The staging database runs on port 5433.", "context"),
    ],
)
def test_a_memory_without_a_type_has_the_one_that_its_wording_shows(
    engine: Engine, content: str, memory_type: str
) -> None:
    assert engine.memories.store(content).memory.memory_type == memory_type
    assert engine.memories.store(f"{content} ", memory_type="habit").memory.memory_type == "habit"


def test_a_stored_memory_has_its_source_project_and_time(engine: Engine) -> None:
    memory = engine.memories.store(
        "I like pottery", author=" Caroline ", session_id="s1", valid_from="2023-05-08T13:56"
    ).memory
    assert (memory.author, memory.session_id, memory.valid_from) == ("Caroline", "s1", 1_683_554_160)
    plain = engine.memories.store("Plain", author="", session_id=" ").memory
    assert (plain.author, plain.session_id, plain.valid_from) == (None, None, None)


def test_a_memory_that_replaces_another_leaves_it_there_marked_and_linked(engine: Engine, frozen: FrozenClock) -> None:
    old = engine.memories.store("We deploy on Fridays").memory
    frozen.advance(60)
    new = engine.memories.store("We deploy on Mondays", supersedes=old.id).memory
    kept = engine.memories.get(old.id)
    assert (kept.superseded_by, kept.valid_to, kept.content) == (new.id, frozen.at, old.content)
    (edge,) = engine.store.find(Edge)
    assert (edge.src, edge.dst, edge.relationship) == (f"mem:{new.id}", f"mem:{old.id}", "SUPERSEDES")
    engine.admin.undo()
    restored = engine.memories.get(old.id)
    assert (restored.superseded_by, restored.valid_to) == (None, None)
    assert (engine.memories.list().total, engine.store.count(Edge)) == (1, 0)


def test_what_is_replaced_ends_when_the_new_one_begins_to_hold(engine: Engine) -> None:
    old = engine.memories.store("We deploy on Fridays").memory
    engine.memories.store("We deploy on Mondays", supersedes=old.id, valid_from=1_600_000_000)
    assert engine.memories.get(old.id).valid_to == 1_600_000_000


def test_what_is_not_there_or_the_same_cannot_be_replaced(engine: Engine) -> None:
    old = engine.memories.store("We deploy on Fridays").memory
    with pytest.raises(MemoryNotFound):
        engine.memories.store("We deploy on Mondays", supersedes="nobody")
    with pytest.raises(InvalidInput):
        engine.memories.store("We deploy on Fridays", supersedes=old.id)
    assert engine.memories.list().memories == (old,)


@pytest.mark.promise("E2")
def test_the_same_content_is_stored_once_and_recognised_by_its_sha_256(engine: Engine) -> None:
    first = engine.memories.store("Use uv", tags=("python",), metadata={"a": 1}, importance=0.3)
    second = engine.memories.store("Use uv", tags=("tools", "python"), metadata={"b": 2}, importance=0.6)
    assert (first.created, second.created) == (True, False)
    assert second.merged == ("tags", "metadata", "importance")
    assert second.memory.id == first.memory.id
    assert (second.memory.tags, second.memory.metadata) == (("python", "tools"), {"a": 1, "b": 2})
    assert second.memory.importance == 0.6
    assert first.memory.content_hash == hashlib.sha256(b"Use uv").hexdigest()
    assert engine.memories.list().total == 1


def test_merging_never_lowers_the_importance_and_changes_nothing_that_is_the_same(engine: Engine) -> None:
    first = engine.memories.store("Use uv", importance=0.9)
    again = engine.memories.store("Use uv", importance=0.1)
    assert (again.memory, again.merged) == (first.memory, ())
    assert engine.admin.changes().total == 1


def test_storing_again_adds_missing_fields_and_removes_none(engine: Engine) -> None:
    given = {"title": "Tools", "category": "setup", "author": "Ada", "valid_from": 1_600_000_000}
    engine.memories.store("Use uv")
    filled = engine.memories.store("Use uv", memory_type="decision", **given).memory  # type: ignore[arg-type]
    assert filled.memory_type == "decision"
    assert {field: getattr(filled, field) for field in given} == given
    others = {"title": "Other", "category": "other", "author": "Bob", "valid_from": 1}
    again = engine.memories.store("Use uv", memory_type="habit", **others)  # type: ignore[arg-type]
    assert (again.memory, again.merged) == (filled, ())
    assert engine.memories.store("Use uv").memory == filled


def test_the_same_content_in_another_namespace_or_on_request_is_another_memory(engine: Engine) -> None:
    engine.memories.store("Use uv")
    assert engine.memories.store("Use uv", namespace="app").created
    assert engine.memories.store("Use uv", deduplicate=False).created
    assert engine.memories.store("Use uv ").created
    assert engine.memories.list().total == 4


def test_a_memory_without_a_namespace_gets_the_configured_one(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(namespace="configured", embed_provider="off")
    assert engine.memories.store("a").memory.namespace == "configured"
    assert engine.memories.store("b", namespace="given").memory.namespace == "given"
    assert engine.memories.store("c", namespace="").memory.namespace is None


BAD: list[tuple[dict[str, Any], str]] = [
    ({"content": ""}, "INVALID_INPUT"),
    ({"content": " \n"}, "INVALID_INPUT"),
    ({"content": None}, "INVALID_INPUT"),
    ({"content": 7}, "INVALID_INPUT"),
    ({"content": "a\0b"}, "INVALID_INPUT"),
    ({"content": "\ud800"}, "INVALID_INPUT"),
    ({"content": "x" * 1_048_577}, "CONTENT_TOO_LARGE"),
    ({"memory_type": "fact"}, "INVALID_INPUT"),
    ({"importance": 1.5}, "INVALID_INPUT"),
    ({"importance": float("nan")}, "INVALID_INPUT"),
    ({"confidence": "high"}, "INVALID_INPUT"),
    ({"tags": "tag"}, "INVALID_INPUT"),
    ({"tags": [""]}, "INVALID_INPUT"),
    ({"namespace": "semi;colon"}, "INVALID_WORKSPACE"),
    ({"namespace": 7}, "INVALID_WORKSPACE"),
    ({"title": "x" * 201}, "INVALID_INPUT"),
    ({"metadata": {"a": object()}}, "INVALID_INPUT"),
    ({"metadata": []}, "INVALID_INPUT"),
]


@pytest.mark.parametrize(("given", "code"), BAD, ids=[repr(given)[:30] for given, _ in BAD])
def test_bad_values_are_refused_by_code_and_nothing_is_written(
    engine: Engine, given: dict[str, Any], code: str
) -> None:
    known = engine.memories.store("there before").memory
    before = engine.store.find(Change)
    with pytest.raises((InvalidInput, ContentTooLarge, InvalidWorkspace)) as refusal:
        engine.memories.store(**{"content": "x", **given})
    assert refusal.value.code == code
    if given.get("content", "") is not None:
        with pytest.raises((InvalidInput, ContentTooLarge, InvalidWorkspace)) as refusal:
            engine.memories.update(known.id, **given)
        assert refusal.value.code == code
    assert engine.store.find(Change) == before
    assert engine.memories.list().memories == (known,)


# --- read ---


def test_reading_a_memory_counts_the_access_and_changes_nothing_else(engine: Engine, frozen: FrozenClock) -> None:
    stored = engine.memories.store("x").memory
    frozen.advance(100)
    first, second = engine.memories.get(stored.id), engine.memories.get(stored.id)
    assert (first.access_count, second.access_count) == (1, 2)
    assert second.last_accessed_at == frozen.at
    assert second.updated_at == stored.updated_at
    (listed,) = engine.memories.list().memories
    assert msgspec.structs.asdict(listed).items() <= msgspec.structs.asdict(second).items()


@pytest.mark.parametrize("call", ["get", "update", "delete", "associate", "associated"])
def test_an_unknown_id_is_a_memory_not_found(engine: Engine, call: str) -> None:
    known = engine.memories.store("x").memory.id
    calls: dict[str, Callable[[], object]] = {
        "get": lambda: engine.memories.get("nobody"),
        "update": lambda: engine.memories.update("nobody", title="T"),
        "delete": lambda: engine.memories.delete("nobody"),
        "associate": lambda: engine.memories.associate("nobody", known),
        "associated": lambda: engine.memories.associate(known, "nobody"),
    }
    with pytest.raises(MemoryNotFound):
        calls[call]()
    assert engine.admin.changes().total == 1


# --- list ---


@pytest.fixture
def shelf(engine: Engine, frozen: FrozenClock) -> Engine:
    for content, fields in {
        "one": {"memory_type": "decision", "tags": ("a", "b"), "namespace": "app", "importance": 0.9},
        "two": {"memory_type": "decision", "tags": ("a",), "namespace": "lib", "source": "hook"},
        "three": {"memory_type": "insight", "tags": ("b",), "namespace": "app", "importance": 0.1},
        "four": {},
    }.items():
        engine.memories.store(content, **fields)  # type: ignore[arg-type]
        frozen.advance(10)
    return engine


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "four three two one"),
        ({"order": "oldest"}, "one two three four"),
        ({"order": "important"}, "one four two three"),
        ({"memory_type": "decision"}, "two one"),
        ({"namespace": "app"}, "three one"),
        ({"tags": ("a", "b")}, "one"),
        ({"source": "hook"}, "two"),
        ({"since": 1_700_000_010, "until": 1_700_000_020}, "three two"),
        ({"memory_type": "decision", "namespace": "app"}, "one"),
        ({"limit": 2}, "four three"),
        ({"limit": 2, "offset": 1}, "three two"),
        ({"offset": 9}, ""),
    ],
    ids=str,
)
def test_memories_are_listed_by_filter_in_order_a_page_at_a_time(
    shelf: Engine, filters: dict[str, Any], expected: str
) -> None:
    assert contents(shelf, **filters) == expected.split()


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"until": "2023-11-14"}, "before"),
        ({"until": "2023-11-15"}, "after before"),
        ({"until": "2023-11"}, "after before"),
        ({"until": "2023"}, "after before"),
        ({"until": "today"}, "after before"),
        ({"until": "yesterday"}, "before"),
        ({"until": "2023-11-15T00:00"}, "before"),
        ({"since": "2023-11-15"}, "after"),
        ({"since": "2023-11-14", "until": "2023-11-14"}, "before"),
    ],
    ids=str,
)
def test_since_and_until_a_date_include_that_day(
    engine: Engine, frozen: FrozenClock, filters: dict[str, Any], expected: str
) -> None:
    engine.memories.store("before")  # late on 2023-11-14
    frozen.advance(12 * 3600)
    engine.memories.store("after")
    assert contents(engine, **filters) == expected.split()


def test_a_page_says_how_many_there_are_in_all(shelf: Engine) -> None:
    page = shelf.memories.list(namespace="app", limit=1, offset=1)
    assert (len(page.memories), page.total, page.offset) == (1, 2, 1)


def test_memories_are_listed_by_the_beginning_of_their_id(engine: Engine) -> None:
    engine.memories.insert(
        [{"id": name, "content": f"content of {name}"} for name in ("ab", "abc", "b", "a\U0010fffe")]
    )
    assert sorted(memory.id for memory in engine.memories.list(id_prefix="ab").memories) == ["ab", "abc"]
    assert engine.memories.list(id_prefix="a").total == 3
    assert engine.memories.list(id_prefix="%").total == 0
    with pytest.raises(InvalidInput):
        engine.memories.list(id_prefix=" ")


@pytest.mark.parametrize(
    "filters",
    [
        {"limit": 0},
        {"limit": 1001},
        {"limit": "5"},
        {"offset": -1},
        {"offset": 10**30},
        {"order": "random"},
        {"order": None},
        {"memory_type": "fact"},
        {"source": "nobody"},
        {"tags": "a"},
        {"since": "the day it rained"},
        {"since": 10**30},
        {"until": -(10**30)},
        {"until": 1.5},
    ],
    ids=str,
)
def test_bad_filters_are_refused(engine: Engine, filters: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        engine.memories.list(**filters)


# --- update ---


@pytest.mark.promise("E-update_memory")
def test_an_update_changes_what_is_given_and_is_found_by_its_new_words(engine: Engine, frozen: FrozenClock) -> None:
    stored = engine.memories.store("old words", tags=("a",), title="T", category="c", metadata={"k": 1}).memory
    frozen.advance(5)
    updated = engine.memories.update(
        stored.id, content="new words", tags=["b"], importance=1, title="", metadata={}, memory_type="insight"
    )
    assert (updated.content, updated.tags, updated.importance) == ("new words", ("b",), 1.0)
    assert (updated.title, updated.category, updated.metadata, updated.memory_type) == (None, "c", {}, "insight")
    assert updated.content_hash == hashlib.sha256(b"new words").hexdigest()
    assert (updated.created_at, updated.updated_at) == (stored.created_at, frozen.at)
    assert [hit.memory.id for hit in engine.recall.search("new").hits] == [stored.id]
    assert engine.memories.list().memories == (updated,)


def test_an_update_that_changes_nothing_is_no_change(engine: Engine, frozen: FrozenClock) -> None:
    stored = engine.memories.store("x", tags=("a",)).memory
    frozen.advance(5)
    assert engine.memories.update(stored.id, content="x", tags=("a",)) == stored
    assert engine.memories.update(stored.id) == stored
    assert engine.admin.changes().total == 1


def test_a_memory_that_moves_takes_its_place_in_the_graph_along(engine: Engine) -> None:
    one, other = engine.memories.store("one", namespace="old").memory, engine.memories.store("other").memory
    engine.memories.associate(one.id, other.id)
    assert engine.memories.update(one.id, namespace="new").namespace == "new"
    assert engine.namespaces.stats("new").nodes == 1
    assert engine.namespaces.delete("old").deleted == 0
    assert engine.store.count(Edge) == 1
    assert engine.memories.update(one.id, namespace="").namespace is None


# --- delete ---


@pytest.mark.promise("E-delete_memory")
def test_a_deleted_memory_is_gone_from_everywhere_and_comes_back_with_its_batch(engine: Engine) -> None:
    one, other = engine.memories.store("needle one").memory, engine.memories.store("needle two").memory
    engine.memories.associate(one.id, other.id)
    engine.recall.search("needle")
    deleted = engine.memories.delete(one.id)
    assert deleted.deleted == 1
    assert contents(engine) == ["needle two"]
    assert [hit.memory.id for hit in engine.recall.search("needle").hits] == [other.id]
    assert engine.store.count(Edge) == 0
    stats = engine.admin.stats()
    assert (stats.memories, stats.embeddings) == (1, 1)
    engine.admin.undo(deleted.batch)
    assert {memory.id for memory in engine.memories.list().memories} == {one.id, other.id}
    assert {hit.memory.id for hit in engine.recall.search("needle").hits} == {one.id, other.id}
    assert engine.store.count(Edge) == 1


def test_undo_brings_a_deleted_memory_back_with_its_links_and_vector(engine: Engine) -> None:
    one, other = engine.memories.store("needle one").memory, engine.memories.store("needle two").memory
    engine.memories.associate(one.id, other.id)
    engine.memories.delete(one.id)
    engine.memories.delete(other.id)
    with pytest.raises(Conflict, match="deleted later"):
        engine.memories.delete(one.id, undo=True)
    assert contents(engine) == []
    restored = engine.memories.delete(other.id, undo=True)
    assert (restored.deleted, restored.restored) == (0, 1)
    engine.memories.delete(one.id, undo=True)
    assert engine.store.count(Edge) == 1
    assert {hit.memory.id for hit in engine.recall.search("needle").hits} == {one.id, other.id}
    assert engine.admin.stats().embeddings == 2


@pytest.mark.promise("E-delete_memory")
@pytest.mark.parametrize("gone", ["deleted", "purged", "with its project"])
def test_a_memory_holds_again_when_the_one_that_superseded_it_is_gone(engine: Engine, gone: str) -> None:
    old = engine.memories.store("Sessions are kept in Redis.", global_=True).memory
    new = engine.memories.store("Sessions are kept in Memcached.", namespace="app", supersedes=old.id).memory
    replaced = engine.store.get(Memory, [old.id])[0]
    assert (replaced.superseded_by, replaced.valid_to) == (new.id, new.created_at)
    if gone == "deleted":
        engine.memories.delete(new.id)
    elif gone == "purged":
        engine.memories.purge((new.id,))
    else:
        engine.namespaces.delete("app")
    held = engine.store.get(Memory, [old.id])[0]
    assert (held.superseded_by, held.valid_to) == (None, None)
    assert [hit.superseded_by for hit in engine.recall.search("Redis sessions").hits] == [None]
    if gone == "deleted":
        engine.memories.delete(new.id, undo=True)
        assert engine.store.get(Memory, [old.id])[0].superseded_by == new.id


def test_undo_takes_back_the_last_deletion_and_nothing_else(engine: Engine) -> None:
    one, other = (engine.memories.store(text, namespace="app").memory for text in ("first", "second"))
    with pytest.raises(Conflict, match="is not deleted"):
        engine.memories.delete(one.id, undo=True)
    engine.memories.delete(one.id)
    engine.memories.delete(one.id, undo=True)
    batch = engine.namespaces.delete("app").batch
    with pytest.raises(Conflict, match="delete_namespace") as caught:
        engine.memories.delete(one.id, undo=True)
    assert batch in caught.value.hint
    assert contents(engine) == []
    engine.admin.undo(batch)
    engine.memories.purge((other.id,))
    with pytest.raises(MemoryNotFound):
        engine.memories.delete(other.id, undo=True)


# --- associate ---


@pytest.mark.promise("E-associate_memories")
def test_two_memories_are_linked_once_per_relationship(engine: Engine, frozen: FrozenClock) -> None:
    one = engine.memories.store("The first line\nand more", namespace="app").memory
    two = engine.memories.store("x", title="Two").memory
    first = engine.memories.associate(one.id, two.id, relationship="LEADS_TO", weight=0.5)
    assert first.created is True
    assert (first.edge.relationship, first.edge.weight, first.edge.created_at) == ("LEADS_TO", 0.5, frozen.at)
    nodes = {node.id: node for node in engine.store.find(Node)}
    source, target = nodes[first.edge.src], nodes[first.edge.dst]
    assert (source.kind, source.memory_id, source.namespace, source.label) == (
        "Memory",
        one.id,
        "app",
        "The first line",
    )
    assert (target.memory_id, target.label) == (two.id, "Two")
    again = engine.memories.associate(one.id, two.id, relationship="LEADS_TO", weight=0.7)
    assert (again.created, again.edge.id, again.edge.weight) == (False, first.edge.id, 0.7)
    assert engine.memories.associate(two.id, one.id, relationship="LEADS_TO").created
    assert engine.memories.associate(one.id, two.id).edge.relationship == "RELATES_TO"
    assert (engine.store.count(Edge), engine.store.count(Node)) == (3, 2)


@pytest.mark.parametrize("given", [{"relationship": "KNOWS"}, {"relationship": 7}, {"weight": 2}, {"weight": None}])
def test_a_link_of_an_unknown_kind_or_weight_is_refused(engine: Engine, given: dict[str, Any]) -> None:
    one = engine.memories.store("one").memory.id
    with pytest.raises(InvalidInput):
        engine.memories.associate(one, one, **given)
    assert engine.store.count(Node) == 0


def test_what_is_returned_is_what_is_kept(engine: Engine) -> None:
    stored = engine.memories.store("x", tags=["list"], metadata={"t": (1, 2)}, importance=1).memory  # type: ignore[arg-type]
    assert engine.store.get(Memory, [stored.id]) == [stored]
    assert (stored.tags, stored.metadata, type(stored.importance)) == (("list",), {"t": [1, 2]}, float)


def test_an_equal_memory_is_looked_up_by_its_content(engine: Engine) -> None:
    connection = engine.store._connection()  # type: ignore[attr-defined]
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    engine.memories.store("The mole is built of granite", namespace="/harbour")
    connection.set_trace_callback(None)
    looked_up = [sql for sql in asked if sql.startswith("SELECT") and "content_hash = " in sql]
    plans = [row[3] for sql in looked_up for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    reads = [plan for plan in plans if plan.startswith(("SEARCH", "SCAN")) and "(seq=?)" not in plan]
    assert reads and all("idx_memories_content_hash" in plan for plan in reads)
