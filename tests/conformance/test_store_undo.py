"""The change log: every mutation is numbered and logged with what was there before, and any batch can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.fakes import FrozenClock

from recollect.errors import Conflict, NotFound, Purged
from recollect.model import Anchor, Change, Edge, File, Memory, Node, Record, Session, Workspace
from recollect.store.sql import Store

Add = Callable[..., Memory]

LOGGED: tuple[type[Record], ...] = (Memory, Node, Edge, Anchor, Session, Workspace)


def rows(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Every logged row without its revision: what an undo has to bring back."""
    return {
        kind.__name__: [
            {name: value for name, value in msgspec.to_builtins(row).items() if name != "rev"}
            for row in store.find(kind)
        ]
        for kind in LOGGED
    }


def run(store: Store, *steps: Callable[[Any], object]) -> str:
    """Do the steps in one transaction and return its batch."""
    with store.transaction("test") as transaction:
        for step in steps:
            step(transaction)
        return transaction.batch


def undo(store: Store, batch: str) -> str:
    with store.transaction(f"undo {batch}") as transaction:
        transaction.undo(batch)
        return transaction.batch


def inserting(*records: Record) -> Callable[[Any], object]:
    return lambda transaction: [transaction.insert(record) for record in records]


def updating(kind: type[Record], row_id: str | int, **values: Any) -> Callable[[Any], object]:
    return lambda transaction: transaction.update(kind, row_id, values)


def deleting(kind: type[Record], row_id: str | int | tuple[str, ...]) -> Callable[[Any], object]:
    return lambda transaction: transaction.delete(kind, {"id": row_id})


def memory(row_id: str, content: str = "") -> Memory:
    return Memory(id=row_id, content=content or f"about {row_id}", tags=("x",), metadata={"k": [1, {"deep": None}]})


# --- the log ---


def test_each_change_is_logged_with_what_was_there_before(store: Store, frozen: FrozenClock) -> None:
    batch = run(store, inserting(memory("a", "old")), updating(Memory, "a", content="new"), deleting(Memory, "a"))
    changes = store.find(Change, order="seq")
    assert [(change.action, change.before and change.before["content"]) for change in changes] == [
        ("insert", None),
        ("update", "old"),
        ("delete", "new"),
    ]
    told = {(row.batch, row.operation, row.entity, row.entity_id, row.at) for row in changes}
    assert told == {(batch, "test", "memories", "a", frozen.at)}


def test_the_image_in_the_log_is_the_whole_row(store: Store) -> None:
    run(store, inserting(memory("a")))
    (before,) = store.get(Memory, ["a"])
    run(store, updating(Memory, "a", importance=0.9))
    (change,) = store.find(Change, {"action": "update"})
    assert msgspec.convert(change.before, Memory) == before


def test_changes_are_numbered_one_after_the_other_and_rows_carry_the_numbers(store: Store, add: Add) -> None:
    first, second = add("a"), add("b")
    run(store, updating(Memory, "a", importance=0.9))
    (updated,) = store.get(Memory, ["a"])
    numbers = [change.seq for change in store.find(Change, order="seq")]
    assert numbers == sorted(set(numbers))
    assert (first.seq, first.rev) == (numbers[0], numbers[0])
    assert (second.seq, second.rev) == (numbers[1], numbers[1])
    assert (updated.seq, updated.rev) == (numbers[0], numbers[2])


def test_an_update_that_changes_nothing_is_not_logged(store: Store, add: Add) -> None:
    stored = add("a", "text", tags=("x",))
    run(store, updating(Memory, "a", content="text", tags=("x",)))
    assert store.get(Memory, ["a"]) == [stored]
    assert store.count(Change) == 1


def test_rows_that_can_be_made_again_are_not_logged(store: Store) -> None:
    file = File(id=1, tree=1, path="a.py", hash="h", mtime_ns=1, size_bytes=1)
    run(store, inserting(file), updating(File, 1, hash="i"))
    assert store.find(File)[0].hash == "i"
    run(store, deleting(File, 1))
    assert (store.count(File), store.count(Change)) == (0, 0)


def test_one_batch_may_span_several_transactions(store: Store) -> None:
    for name in "abc":
        with store.transaction("import", batch="one") as transaction:
            transaction.insert(memory(name))
    assert store.tally(Change, "batch") == {"one": 3}
    undo(store, "one")
    assert store.count(Memory) == 0


def test_every_transaction_has_a_batch_of_its_own(store: Store) -> None:
    batches = {run(store, inserting(memory(name))) for name in "abc"}
    assert len(batches) == 3
    assert set(store.tally(Change, "batch")) == batches


# --- undo ---

GRAPH = inserting(
    memory("a"),
    memory("b"),
    Anchor(id="anchor", memory_id="a", path="x.py", symbol="f", hash="h"),
    Node(id="mem:a", kind="Memory", memory_id="a", label="A", payload={"p": 1}),
    Node(id="file", kind="File", memory_id="a"),
    Node(id="mem:b", kind="Memory", memory_id="b"),
    Edge(id="e1", src="mem:a", dst="mem:b", relationship="LEADS_TO", weight=0.5, properties={"why": "because"}),
    Edge(id="e2", src="file", dst="mem:a", relationship="EXPLAINS"),
    Edge(id="loop", src="mem:a", dst="mem:a", relationship="EVOLVED_INTO"),
    Session(id="s", started_at=1),
    Workspace(id="w", name="W"),
    msgspec.structs.replace(memory("older"), superseded_by="newer", valid_to=1),
    msgspec.structs.replace(memory("newer"), superseded_by="newest", valid_to=2),
    memory("newest"),
    *(Node(id=f"mem:{name}", kind="Memory", memory_id=name) for name in ("older", "newer", "newest")),
    Edge(id="s1", src="mem:newer", dst="mem:older", relationship="SUPERSEDES"),
    Edge(id="s2", src="mem:newest", dst="mem:newer", relationship="SUPERSEDES"),
)


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([inserting(memory("c"), memory("d"))], id="inserts"),
        pytest.param([updating(Memory, "a", content="other", tags=(), metadata={}, title="T")], id="an update"),
        pytest.param([updating(Memory, "a", title="1"), updating(Memory, "a", title="2")], id="one row twice"),
        pytest.param([deleting(Memory, "b")], id="a delete"),
        pytest.param([deleting(Memory, "a")], id="a delete that takes others along"),
        pytest.param([deleting(Memory, "newer")], id="a delete of what superseded another"),
        pytest.param([deleting(Memory, ("older", "newest", "newer"))], id="a delete of versions of one fact"),
        pytest.param([deleting(Node, "mem:a")], id="a node with its edges"),
        pytest.param([inserting(memory("c")), deleting(Memory, "c")], id="insert and delete"),
        pytest.param([deleting(Memory, "a"), inserting(memory("a", "again"))], id="delete and insert anew"),
        pytest.param(
            [updating(Memory, "b", title="T"), deleting(Edge, "e1"), updating(Node, "file", label="F")], id="several"
        ),
        pytest.param(
            [updating(Session, "s", ended_at=2), updating(Workspace, "w", name="V"), deleting(Session, "s")],
            id="sessions and workspaces",
        ),
    ],
)
def test_an_undo_restores_every_row_and_undoing_it_restores_the_change(
    store: Store, steps: list[Callable[[Any], object]]
) -> None:
    run(store, GRAPH)
    before = rows(store)
    batch = run(store, *steps)
    after = rows(store)
    first = undo(store, batch)
    assert rows(store) == before
    second = undo(store, first)
    assert rows(store) == after
    undo(store, second)
    assert rows(store) == before


@pytest.mark.parametrize(
    ("deleted", "ends"),
    [
        (("newest",), {"older": ("newer", 1), "newer": (None, None)}),
        (("newer",), {"older": ("newest", 2), "newest": (None, None)}),
        (("newer", "newest"), {"older": (None, None)}),
        (("newest", "newer"), {"older": (None, None)}),
    ],
)
def test_a_superseded_memory_holds_again_once_nothing_supersedes_it(
    store: Store, deleted: tuple[str, ...], ends: dict[str, tuple[str | None, int | None]]
) -> None:
    run(store, GRAPH)
    run(store, *(deleting(Memory, name) for name in deleted))
    kept = store.get(Memory, ["older", "newer", "newest"])
    assert {row.id: (row.superseded_by, row.valid_to) for row in kept} == ends


def test_an_undo_says_how_many_changes_it_took_back(store: Store, add: Add) -> None:
    add("a")
    batch = run(store, updating(Memory, "a", title="T"), inserting(memory("b"), memory("c")))
    with store.transaction("undo") as transaction:
        assert transaction.undo(batch) == 3


def test_two_updates_are_taken_back_the_later_one_first(store: Store, add: Add) -> None:
    add("a", title="1")
    first = run(store, updating(Memory, "a", title="2"))
    second = run(store, updating(Memory, "a", title="3"))
    with pytest.raises(Conflict):
        undo(store, first)
    assert store.find(Memory)[0].title == "3"
    undo(store, second)
    assert store.find(Memory)[0].title == "2"
    undo(store, first)
    assert store.find(Memory)[0].title == "1"


@pytest.mark.parametrize(
    ("steps", "later"),
    [
        pytest.param([inserting(memory("c"))], [updating(Memory, "c", title="T")], id="inserted, then updated"),
        pytest.param([inserting(memory("c"))], [deleting(Memory, "c")], id="inserted, then deleted"),
        pytest.param([updating(Memory, "a", title="T")], [deleting(Memory, "a")], id="updated, then deleted"),
        pytest.param([deleting(Memory, "b")], [inserting(memory("b", "new"))], id="deleted, then inserted"),
        pytest.param(
            [updating(Memory, "b", title="T"), updating(Memory, "a", title="T")],
            [updating(Memory, "b", title="U")],
            id="one of two changed since",
        ),
    ],
)
def test_an_undo_is_refused_as_a_whole_when_a_row_has_changed_since(
    store: Store, steps: list[Callable[[Any], object]], later: list[Callable[[Any], object]]
) -> None:
    run(store, GRAPH)
    batch = run(store, *steps)
    run(store, *later)
    before, changes = rows(store), store.count(Change)
    with pytest.raises(Conflict):
        undo(store, batch)
    assert (rows(store), store.count(Change)) == (before, changes)


def test_the_same_batch_cannot_be_taken_back_twice(store: Store, add: Add) -> None:
    add("a")
    batch = run(store, updating(Memory, "a", title="T"))
    undo(store, batch)
    with pytest.raises(Conflict):
        undo(store, batch)


def test_a_change_elsewhere_or_an_access_does_not_stand_in_the_way_of_an_undo(store: Store, add: Add) -> None:
    add("a", title="1")
    batch = run(store, updating(Memory, "a", title="2"))
    add("b")
    store.touch(["a"])
    store.touch(["a"], at=12_345)
    undo(store, batch)
    (restored,) = store.get(Memory, ["a"])
    assert (restored.title, restored.access_count, restored.last_accessed_at) == ("1", 2, 12_345)


def test_a_row_changed_and_changed_back_can_be_undone(store: Store, add: Add) -> None:
    add("a", title="1")
    batch = run(store, updating(Memory, "a", title="2"))
    run(store, updating(Memory, "a", title="3"))
    run(store, updating(Memory, "a", title="2"))
    undo(store, batch)
    assert store.find(Memory)[0].title == "1"


def test_taking_back_an_insert_takes_along_what_was_hung_on_it_and_brings_it_back(store: Store, add: Add) -> None:
    add("b")
    batch = run(store, inserting(memory("a")))
    run(store, inserting(Node(id="mem:a", kind="Memory", memory_id="a"), Anchor(id="x", memory_id="a", path="p")))
    whole = rows(store)
    undone = undo(store, batch)
    assert (store.count(Memory), store.count(Node), store.count(Anchor)) == (1, 0, 0)
    undo(store, undone)
    assert rows(store) == whole


def test_a_restored_memory_keeps_its_place_in_the_order_of_insertion(store: Store, add: Add) -> None:
    for name in "abc":
        add(name)
    undo(store, run(store, deleting(Memory, "b")))
    assert [row.id for row in store.find(Memory)] == ["a", "b", "c"]


def test_an_unknown_batch_cannot_be_taken_back(store: Store) -> None:
    with pytest.raises(NotFound):
        undo(store, "nothing")


# --- purging ---


def node(name: str) -> Node:
    return Node(id=f"mem:{name}", kind="Memory", memory_id=name, label=name)


def edge(src: str, dst: str) -> Edge:
    return Edge(id=src + dst, src=f"mem:{src}", dst=f"mem:{dst}", relationship="RELATES_TO")


def test_a_purged_row_is_neither_in_the_tables_nor_in_the_log(store: Store) -> None:
    run(store, inserting(memory("a", "secret"), memory("b"), node("a"), node("b"), edge("a", "b")))
    run(store, updating(Memory, "a", content="still secret"))
    run(store, deleting(Edge, "ab"))
    deletion = run(store, deleting(Memory, "b"))
    with store.transaction("purge") as transaction:
        assert transaction.purge(Memory, ["a"]) == 4  # its update and deletion, its node's, and the link's
    told = {(row.action, row.entity_id) for row in store.find(Change) if row.before is not None}
    assert told == {("delete", "b"), ("delete", "mem:b")}
    assert (store.count(Memory), store.count(Node), store.count(Edge)) == (0, 0, 0)
    undo(store, deletion)
    assert [row.id for row in store.find(Memory)] == ["b"]


def test_a_batch_of_purged_rows_cannot_be_undone_and_one_of_others_too_can_in_part(store: Store) -> None:
    both = run(store, inserting(memory("a"), memory("b")))
    one = run(store, deleting(Memory, "a"))
    with store.transaction("purge") as transaction:
        assert transaction.purge(Memory, ["a"]) == 1
    with pytest.raises(Purged):
        undo(store, one)
    with store.transaction("undo") as transaction:
        assert transaction.undo(both) == 1
    assert store.find(Memory) == []


def test_a_row_may_stay_as_it_is_while_what_it_was_is_purged(store: Store) -> None:
    first = run(store, inserting(memory("a", "secret")))
    second = run(store, updating(Memory, "a", content="mended"))
    with store.transaction("purge") as transaction:
        assert transaction.purge(Memory, ["a"], keep=True) == 1
    for batch in (second, first):
        with pytest.raises(Purged):
            undo(store, batch)
    third = run(store, updating(Memory, "a", content="newer"))
    undo(store, third)
    assert [row.content for row in store.find(Memory)] == ["mended"]


def test_the_log_is_asked_for_rows_by_what_a_field_had(store: Store) -> None:
    odd = 'a"b%_\\é'
    run(store, inserting(memory("x"), memory("y")))
    run(store, updating(Memory, "x", parent_id=odd))
    run(store, updating(Memory, "x", parent_id="other"), updating(Memory, "y", parent_id='a"bcd\\é'))
    run(store, deleting(Memory, "x"), deleting(Memory, "y"))
    assert [row.id for row in store.logged(Memory, "parent_id", odd)] == ["x"]
    assert [row.parent_id for row in store.logged(Memory, "id", "x")] == [None, odd, "other"]
    assert store.logged(Memory, "parent_id", "nobody") == []
