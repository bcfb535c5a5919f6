"""Rows: what a store keeps it gives back, found by filters, in order, a page at a time, all or nothing."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from tests.fakes import FrozenClock

from recollect.errors import Conflict, NotFound
from recollect.model import (
    MEMORY_TYPES,
    NODE_KINDS,
    RELATIONS,
    Anchor,
    Change,
    Edge,
    File,
    Memory,
    Node,
    Record,
    Session,
    Tree,
    Workspace,
)
from recollect.store.sql import Store
from recollect.store.store_values import Has, Range

Add = Callable[..., Memory]

FULL = Memory(
    id="m",
    content="Tabs in Makefiles\n\twith a tab, a “quote” and 🧠",
    memory_type="preference",
    importance=0.25,
    confidence=0.75,
    access_count=3,
    content_hash="ab" * 32,
    tags=("make", "tabs, and commas", 'quo"te'),
    metadata={"nested": {"list": [1, 2.5, None, True, "é"]}, "empty": {}},
    namespace="/home/me/app",
    created_at=10,
    updated_at=20,
    last_accessed_at=30,
    category="style",
    title="Tabs",
    source="assistant",
    trust=0.5,
    session_id="s",
    parent_id="p",
    chunk_index=0,
    valid_from=1,
    valid_to=2,
    superseded_by="n",
    expires_at=3,
)


def ids(rows: list[Memory]) -> list[str]:
    return [row.id for row in rows]


# --- what goes in comes out ---


@pytest.mark.promise("E1")
def test_a_memory_comes_back_with_every_field_it_was_given(store: Store) -> None:
    with store.transaction("test") as transaction:
        stored = transaction.insert(FULL)
    (found,) = store.get(Memory, ["m"])
    assert found == stored
    expected = {field: getattr(FULL, field) for field in FULL.__struct_fields__ if field not in ("seq", "rev")}
    assert {field: getattr(found, field) for field in expected} == expected


@pytest.mark.promise("E1")
def test_a_memory_of_every_type_can_be_kept_and_told_apart(store: Store, add: Add) -> None:
    assert len(MEMORY_TYPES) == 7
    for kind in MEMORY_TYPES:
        add(kind, memory_type=kind)
    assert [ids(store.find(Memory, {"memory_type": kind})) for kind in MEMORY_TYPES] == [
        [kind] for kind in MEMORY_TYPES
    ]


@pytest.mark.promise("E3")
def test_nodes_of_every_kind_and_edges_of_every_relationship_can_be_kept(store: Store) -> None:
    assert (len(NODE_KINDS), len(RELATIONS)) == (12, 23)
    with store.transaction("test") as transaction:
        for kind in NODE_KINDS:
            transaction.insert(Node(id=kind, kind=kind, payload={"line": 3}))
        for number, relation in enumerate(RELATIONS):
            transaction.insert(Edge(id=f"e{number:02}", src="File", dst="Class", relationship=relation))
    assert {node.kind for node in store.find(Node)} == set(NODE_KINDS)
    assert tuple(edge.relationship for edge in store.find(Edge)) == RELATIONS
    assert store.get(Node, ["File"])[0].payload == {"line": 3}


@pytest.mark.promise("E4")
@pytest.mark.parametrize(
    "record",
    [
        Session(id="s", namespace="/app", started_at=1, ended_at=2, memory_count=4, summary="done"),
        Workspace(id="w", name="W", description="what it is about", created_at=1, updated_at=2),
        Tree(id=7, root="/app", namespace="/app", fingerprint="f", indexed_at=1, owner="me", claimed_to=2),
        File(
            id=2**40, tree=7, path="a.py", hash="h", mtime_ns=2**62, size_bytes=2**40, language="python", notes=("odd",)
        ),
    ],
    ids=lambda record: type(record).__name__,
)
def test_other_rows_come_back_as_they_were(store: Store, record: Record) -> None:
    with store.transaction("test") as transaction:
        stored = transaction.insert(record)
    assert store.find(type(record)) == [stored]


def test_rows_come_in_the_order_they_are_asked_for_and_unknown_ids_are_left_out(store: Store, add: Add) -> None:
    for name in "abc":
        add(name)
    assert ids(store.get(Memory, ["c", "nobody", "a", "b"])) == ["c", "a", "b"]
    assert store.get(Memory, []) == []


def test_more_rows_than_a_statement_can_name_are_still_found(store: Store) -> None:
    names = [f"n{number:04}" for number in range(1100)]
    with store.transaction("test") as transaction:
        for name in names:
            transaction.insert(Node(id=name, kind="File"))
    assert [node.id for node in store.get(Node, names[::-1])] == names[::-1]


def test_an_id_is_given_once(store: Store, add: Add) -> None:
    first = add("a", "the first")
    with pytest.raises(Conflict):
        add("a", "the second")
    assert store.find(Memory) == [first]


# --- filters ---


@pytest.fixture
def shelf(add: Add) -> None:
    add("a", namespace="/app", importance=0.1, tags=("x", "y"), title="one", created_at=100)
    add("b", namespace="/app", importance=0.5, tags=("x",), created_at=200)
    add("c", namespace="/lib", importance=0.5, tags=(), title="two", created_at=200)
    add("d", importance=0.9, tags=("y", "x", "z"), created_at=300)


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (None, "abcd"),
        ({}, "abcd"),
        ({"namespace": "/app"}, "ab"),
        ({"namespace": "/ap"}, ""),
        ({"namespace": None}, "d"),
        ({"title": None}, "bd"),
        ({"namespace": ("/app", "/lib")}, "abc"),
        ({"namespace": ("/lib", None)}, "cd"),
        ({"namespace": (None,)}, "d"),
        ({"namespace": ()}, ""),
        ({"importance": Range(at_least=0.5)}, "bcd"),
        ({"importance": Range(below=0.5)}, "a"),
        ({"created_at": Range(at_least=200, below=300)}, "bc"),
        ({"created_at": Range()}, "abcd"),
        ({"chunk_index": Range(at_least=0)}, ""),
        ({"tags": Has(("x",))}, "abd"),
        ({"tags": Has(("x", "y"))}, "ad"),
        ({"tags": Has(("x, y",))}, ""),
        ({"tags": Has(())}, "abcd"),
        ({"tags": Has(("x",)), "namespace": "/app", "importance": Range(at_least=0.2)}, "b"),
    ],
)
def test_a_filter_keeps_the_rows_that_meet_all_its_conditions(store: Store, where: object, expected: str) -> None:
    assert "".join(ids(store.find(Memory, where))) == expected
    assert store.count(Memory, where) == len(expected)
    with store.transaction("test") as transaction:
        assert "".join(ids(transaction.find(Memory, where))) == expected


def test_a_value_that_looks_like_sql_is_only_a_value(store: Store, add: Add) -> None:
    name = "x' OR '1'='1"
    add("a", namespace=name, tags=(name,))
    add("b")
    assert ids(store.find(Memory, {"namespace": name})) == ["a"]
    assert ids(store.find(Memory, {"tags": Has((name,))})) == ["a"]


@pytest.mark.usefixtures("shelf")
def test_rows_are_tallied_by_value_largest_first(store: Store) -> None:
    assert next(iter(store.tally(Memory, "namespace").items())) == ("/app", 2)
    assert store.tally(Memory, "namespace") == {"/app": 2, "/lib": 1, None: 1}
    assert store.tally(Memory, "namespace", {"importance": 0.5}) == {"/app": 1, "/lib": 1}
    assert store.tally(Session, "namespace") == {}


# --- order and pages ---


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("order", "expected"),
    [("", "abcd"), ("seq", "abcd"), ("-seq", "dcba"), ("importance", "abcd"), ("-importance", "dcba"), ("-id", "dcba")],
)
def test_rows_come_in_order_and_ties_break_by_insertion(store: Store, order: str, expected: str) -> None:
    assert "".join(ids(store.find(Memory, order=order))) == expected


@pytest.mark.usefixtures("shelf")
def test_pages_together_are_the_whole_list_without_gaps_or_repeats(store: Store) -> None:
    pages = [ids(store.find(Memory, order="-created_at", limit=3, offset=offset)) for offset in (0, 3, 6)]
    assert pages == [["d", "c", "b"], ["a"], []]
    assert ids(store.find(Memory, offset=2)) == ["c", "d"]
    assert store.find(Memory, limit=0) == []


# --- changing ---


def test_an_update_changes_the_named_fields_and_nothing_else(store: Store, add: Add) -> None:
    before = add("a", "text", tags=("x",), metadata={"k": 1})
    with store.transaction("test") as transaction:
        returned = transaction.update(Memory, "a", {"tags": ("y", "z"), "metadata": {"k": [2]}, "title": "T"})
    (after,) = store.get(Memory, ["a"])
    assert returned == after
    assert (after.tags, after.metadata, after.title) == (("y", "z"), {"k": [2]}, "T")
    unchanged = set(Memory.__struct_fields__) - {"tags", "metadata", "title", "rev"}
    assert {name: getattr(after, name) for name in unchanged} == {name: getattr(before, name) for name in unchanged}


def test_an_update_of_a_row_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(NotFound), store.transaction("test") as transaction:
        transaction.update(Memory, "nobody", {"title": "T"})


def test_deleting_says_how_many_rows_went(store: Store, add: Add) -> None:
    for name in "abc":
        add(name, namespace="/app" if name != "b" else None)
    with store.transaction("test") as transaction:
        assert transaction.delete(Memory, {"namespace": "/app"}) == 2
        assert transaction.delete(Memory, {"namespace": "/app"}) == 0
    assert ids(store.find(Memory)) == ["b"]


@pytest.mark.promise("E3")
def test_what_hangs_on_a_deleted_row_goes_or_lets_go(store: Store, add: Add) -> None:
    add("a")
    add("b")
    with store.transaction("test") as transaction:
        transaction.insert(Anchor(id="anchor", memory_id="a", path="x.py"))
        transaction.insert(Node(id="mem:a", kind="Memory", memory_id="a"))
        transaction.insert(Node(id="file:x", kind="File", memory_id="a"))
        transaction.insert(Node(id="mem:b", kind="Memory", memory_id="b"))
        transaction.insert(Edge(id="out", src="mem:a", dst="mem:b", relationship="LEADS_TO"))
        transaction.insert(Edge(id="in", src="file:x", dst="mem:a", relationship="EXPLAINS"))
        transaction.insert(Edge(id="other", src="file:x", dst="mem:b", relationship="EXPLAINS"))
    with store.transaction("test") as transaction:
        assert transaction.delete(Memory, {"id": "a"}) == 1
    assert store.find(Anchor) == []
    assert [(node.id, node.memory_id) for node in store.find(Node)] == [("file:x", None), ("mem:b", "b")]
    assert [edge.id for edge in store.find(Edge)] == ["other"]


# --- transactions ---


def test_a_transaction_that_fails_leaves_nothing_behind(store: Store, add: Add) -> None:
    kept = add("a")
    changes = store.find(Change)
    with pytest.raises(RuntimeError), store.transaction("test") as transaction:
        transaction.insert(Memory(id="b", content="never"))
        transaction.update(Memory, "a", {"content": "changed"})
        transaction.delete(Memory, {"id": "a"})
        raise RuntimeError("half way")
    assert store.find(Memory) == [kept]
    assert store.find(Change) == changes


def test_a_transaction_reads_its_own_writes(store: Store) -> None:
    with store.transaction("test") as transaction:
        stored = transaction.insert(Memory(id="a", content="x"))
        assert transaction.get(Memory, ["a"]) == [stored]
        assert transaction.find(Memory, {"content": "x"}) == [stored]


def test_after_a_failed_transaction_the_next_one_works(store: Store, add: Add) -> None:
    with pytest.raises(Conflict), store.transaction("test") as transaction:
        transaction.insert(Memory(id="a", content="x"))
        transaction.insert(Memory(id="a", content="y"))
    assert add("a", "z").content == "z"


def test_what_one_store_wrote_another_reads(store: Store, add: Add, open_store: Callable[[], Store]) -> None:
    other = open_store()
    assert other.find(Memory) == []
    stored = add("a")
    assert other.find(Memory) == [stored]


# --- statistics and settings ---


def test_an_access_is_counted_but_is_no_change(store: Store, add: Add, frozen: FrozenClock) -> None:
    before = add("a", last_accessed_at=1)
    untouched = add("b")
    changes = store.count(Change)
    frozen.advance(60)
    store.touch(["a", "nobody"])
    store.touch(["a"])
    (after,) = store.get(Memory, ["a"])
    assert (after.access_count, after.last_accessed_at) == (2, frozen.at)
    assert (after.rev, after.updated_at) == (before.rev, before.updated_at)
    assert store.get(Memory, ["b"]) == [untouched]
    assert store.count(Change) == changes


def test_what_was_found_was_used_but_not_read(store: Store, add: Add, frozen: FrozenClock) -> None:
    before = add("a", last_accessed_at=1, access_count=3)
    frozen.advance(60)
    store.touch(["a", "nobody"], read=False)
    assert store.get(Memory, ["a"]) == [msgspec.structs.replace(before, last_accessed_at=frozen.at)]


def test_a_setting_is_kept_and_replaced(store: Store, open_store: Callable[[], Store]) -> None:
    assert store.setting("weights") is None
    store.keep_setting("weights", "1")
    store.keep_setting("weights", "2")
    assert open_store().setting("weights") == "2"
    assert store.setting("other") is None


def test_a_value_is_swapped_only_for_the_one_that_was_read(open_store: Callable[[], Store]) -> None:
    mine, other = open_store(), open_store()
    assert mine.swap_setting("window", None, "one")
    assert not other.swap_setting("window", None, "two"), "it is there already"
    assert other.swap_setting("window", "one", "two")
    assert not mine.swap_setting("window", "one", "three")
    assert mine.setting("window") == "two"
