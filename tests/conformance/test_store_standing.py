"""Standing and centrality: what ranking reads of a memory beside its text, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.model import Edge, Memory, Node
from recollect.store.sql import Store
from recollect.store.store_values import ORDINARY, Standing
from recollect.text.passages import MAX_PASSAGES

NEEDS_SEARCH = True

Add = Callable[..., Memory]


def standing(store: Store, memory: Memory) -> Standing:
    (found,) = store.passages([memory.seq * MAX_PASSAGES])
    return found.standing


def test_a_memory_of_which_nothing_is_told_has_the_ordinary_standing(store: Store, add: Add) -> None:
    assert standing(store, add("m", created_at=5, last_accessed_at=5)) is ORDINARY


def test_what_is_told_of_a_memory_is_its_standing(store: Store, add: Add) -> None:
    told = add("m", importance=0.25, confidence=0.75, tags=("rust", "ext:rs"))
    assert standing(store, told) == Standing(0.25, 0.75, ("rust", "ext:rs"))


def test_only_a_memory_that_was_read_again_has_been_accessed(store: Store, add: Add) -> None:
    assert standing(store, add("stored", created_at=7, last_accessed_at=7)).accessed_at is None
    read = add("read", created_at=7, access_count=2, last_accessed_at=9)
    assert standing(store, read).accessed_at == 9


def test_a_memory_ends_when_it_is_replaced_or_expires_whichever_is_first(store: Store, add: Add) -> None:
    cases: list[tuple[dict[str, Any], int | None]] = [
        ({"valid_to": 40}, 40),
        ({"superseded_by": "other", "valid_to": 40}, 40),
        ({"superseded_by": "other"}, 0),
        ({"expires_at": 30}, 30),
        ({"expires_at": 50, "valid_to": 40}, 40),
        ({"expires_at": 30, "valid_to": 40}, 30),
    ]
    for number, (fields, ends_at) in enumerate(cases):
        assert standing(store, add(f"m{number}", **fields)).ends_at == ends_at


def link(store: Store, *nodes: Node) -> None:
    """Put nodes into the graph, each with an edge to itself."""
    with store.transaction("test") as transaction:
        for node in nodes:
            transaction.insert(node)
            transaction.insert(Edge(id=f"e-{node.id}", src=node.id, dst=node.id, relationship="RELATES_TO"))


def test_a_memory_is_as_central_as_its_most_central_node(store: Store, add: Add) -> None:
    for name in ("a", "b", "c"):
        add(name)
    link(
        store,
        Node(id="mem:a", kind="Memory", memory_id="a", centrality=0.5),
        Node(id="file:x", kind="File", memory_id="a", centrality=0.25),
        Node(id="mem:b", kind="Memory", memory_id="b", centrality=0.75),
        Node(id="mem:c", kind="Memory", memory_id="c"),
        Node(id="file:y", kind="File", centrality=1.0),
    )
    assert store.centralities(["a", "b", "c", "unknown"]) == {"a": 0.5, "b": 0.75}
    assert store.centralities(["b"]) == {"b": 0.75}
    assert store.centralities([]) == {}


def test_where_nothing_is_linked_nothing_is_central(store: Store, add: Add) -> None:
    add("a")
    with store.transaction("test") as transaction:
        transaction.insert(Node(id="mem:a", kind="Memory", memory_id="a", centrality=0.5))
    assert store.centralities(["a"]) == {}
