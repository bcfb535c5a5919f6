"""Searches: by words and by vectors, scoped and filtered, over derived state that follows the rows by itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.model import Memory
from recollect.store.sql import Store
from recollect.store.store_values import Filter, Has, Range, Vectors
from recollect.text.terms import query_terms

NEEDS_SEARCH = True

Add = Callable[..., Memory]
MODEL = "test/3"


def found(store: Store, question: str, where: Filter | None = None, limit: int = 10) -> list[str]:
    return [match.id for match in store.search_text(query_terms(question), where, limit)]


def vector(*values: float) -> NDArray[np.float32]:
    row = np.array(values, np.float32)
    return row / np.float32(np.linalg.norm(row))


def give(store: Store, memory: Memory, *values: float, model: str = MODEL) -> int:
    """Give a memory a vector, and return how many were kept."""
    return store.put_vectors(model, [Vectors(memory.id, memory.rev, vector(*values)[None])])


def near(store: Store, *values: float, where: Filter | None = None, limit: int = 10, model: str = MODEL) -> list[str]:
    return [match.id for match in store.search_vectors(model, vector(*values), where, limit)]


def update(store: Store, row_id: str, **values: object) -> Memory:
    with store.transaction("test") as transaction:
        return transaction.update(Memory, row_id, values)


def delete(store: Store, row_id: str) -> str:
    with store.transaction("test") as transaction:
        transaction.delete(Memory, {"id": row_id})
        return transaction.batch


def undo(store: Store, batch: str) -> None:
    with store.transaction("undo") as transaction:
        transaction.undo(batch)


# --- words ---


def test_a_memory_is_found_by_any_of_the_terms(store: Store, add: Add) -> None:
    add("a", "The parser reads tokens")
    add("b", "The lexer makes tokens")
    add("c", "Nothing of the kind")
    assert set(found(store, "parser tokens")) == {"a", "b"}
    assert found(store, "parser tokens")[0] == "a"
    assert found(store, "unheard of") == []
    assert store.search_text([], None, 10) == []


@pytest.mark.promise("E7")
@pytest.mark.parametrize(
    "question",
    [
        "parse header",
        "parseHttp2Header",
        "parse_http2_header",
        "HTTP",
        "Headers",
        "header.rs",
        "src/net/header.rs",
        "2",
    ],
)
def test_identifiers_and_paths_are_found_by_their_parts_and_as_a_whole(store: Store, add: Add, question: str) -> None:
    add("a", "parseHttp2Header in src/net/header.rs was renamed from parse_http2_header")
    add("b", "Nothing to see")
    assert found(store, question) == ["a"]


@pytest.mark.promise("E7")
def test_rare_terms_weigh_more_repetition_counts_less_and_short_texts_win(store: Store, add: Add) -> None:
    for number in range(20):
        add(f"common{number}", "cache cache cache cache cache")
    add("rare", "cache invalidation")
    assert found(store, "cache invalidation", limit=3)[0] == "rare"
    add("short", "quicksort explained")
    add("long", "quicksort " + "and much more about other things entirely " * 20)
    assert found(store, "quicksort") == ["short", "long"]


def test_scores_fall_from_best_to_worst_and_are_positive(store: Store, add: Add) -> None:
    for number in range(5):
        add(f"m{number}", "needle " * (5 - number) + "hay " * number * 3)
    scores = [match.score for match in store.search_text(["needl"], None, 10)]
    assert len(scores) == 5
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_title_category_and_tags_are_searched_too(store: Store, add: Add) -> None:
    add("a", "text", title="Indentation")
    add("b", "text", category="style")
    add("c", "text", tags=("ext:py", "searchEngine"))
    assert [found(store, question) for question in ("indentation", "style", "ext:py", "engine")] == [
        ["a"],
        ["b"],
        ["c"],
        ["c"],
    ]


@pytest.mark.promise("E29")
@pytest.mark.parametrize(
    ("namespace", "expected"),
    [("/a", {"a"}), ("/b", {"b"}), (None, {"none"}), (("/a", None), {"a", "none"}), (("/x",), set()), ((), set())],
)
def test_a_search_stays_in_the_namespaces_it_is_given(
    store: Store, add: Add, namespace: object, expected: set[str]
) -> None:
    for row in (add("a", "needle", namespace="/a"), add("b", "needle", namespace="/b"), add("none", "needle")):
        give(store, row, 1, 0, 0)
    assert set(found(store, "needle", {"namespace": namespace})) == expected
    assert set(near(store, 1, 0, 0, where={"namespace": namespace})) == expected


def test_a_namespace_is_no_word_of_the_memory(store: Store, add: Add) -> None:
    add("a", "text", namespace="needle")
    add("b", "other text")
    assert found(store, "needle") == []
    assert found(store, "none") == []


@pytest.mark.parametrize(
    "where",
    [
        {"memory_type": "decision"},
        {"tags": Has(("wanted",))},
        {"importance": Range(at_least=0.9)},
        {"title": None},
        {"namespace": "/app", "tags": Has(("wanted",))},
    ],
)
def test_a_filter_that_few_pass_still_gets_all_that_do(store: Store, add: Add, where: Filter) -> None:
    with store.transaction("test") as transaction:
        crowd = [
            transaction.insert(Memory(id=f"m{number}", content="needle", title="T", namespace="/app"))
            for number in range(200)
        ]
    store.put_vectors(MODEL, [Vectors(row.id, row.rev, vector(1, 0, 0)[None]) for row in crowd])
    fields = {"memory_type": "decision", "tags": ("wanted",), "importance": 1.0, "namespace": "/app"}
    for name in ("x", "y"):
        give(store, add(name, "needle in a much longer text that ranks below all the others", **fields), 0, 1, 0.1)
    assert set(found(store, "needle", where, limit=2)) == {"x", "y"}
    assert set(near(store, 1, 0, 0, where=where, limit=2)) == {"x", "y"}
    assert set(found(store, "needle", where, limit=5)) == {"x", "y"}


def test_no_more_than_the_limit_are_returned(store: Store, add: Add) -> None:
    for number in range(30):
        give(store, add(f"m{number}", "needle"), 1, number, 0)
    assert len(found(store, "needle", limit=7)) == 7
    assert near(store, 1, 0, 0, limit=3) == ["m0", "m1", "m2"]


@pytest.mark.parametrize(
    "term", ['"', "'", '""', 'a"b', "*", "(", "AND", "NEAR(", "a*", "^a", "-a", "body:a", "{", "%", "_", "", " ", "é☃"]
)
def test_odd_terms_are_only_terms(store: Store, add: Add, term: str) -> None:
    add("a", "AND quoted body text")
    assert store.search_text([term], None, 5) == []
    assert [match.id for match in store.search_text([term, "quot"], None, 5)] == ["a"]


def test_the_full_text_follows_updates_deletes_and_undo(store: Store, add: Add) -> None:
    add("a", "old words")
    update(store, "a", content="new words")
    assert (found(store, "old"), found(store, "new")) == ([], ["a"])
    update(store, "a", tags=("label",))
    assert (found(store, "label"), found(store, "new")) == (["a"], ["a"])
    batch = delete(store, "a")
    assert found(store, "new") == []
    undo(store, batch)
    assert (found(store, "new"), found(store, "label")) == (["a"], ["a"])


def test_a_failed_transaction_leaves_no_words_behind(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction("test") as transaction:
        transaction.insert(Memory(id="a", content="needle"))
        raise RuntimeError
    assert found(store, "needle") == []


# --- vectors ---


@pytest.mark.promise("E6")
def test_vectors_are_found_nearest_first_with_their_cosine(store: Store, add: Add) -> None:
    for name, values in {"x": (1, 0, 0), "xy": (1, 1, 0), "z": (0, 0, 1), "minus": (-1, 0, 0)}.items():
        assert give(store, add(name), *values) == 1
    matches = store.search_vectors(MODEL, vector(1, 0, 0), None, 10)
    assert [match.id for match in matches] == ["x", "xy", "z", "minus"]
    assert [match.score for match in matches] == pytest.approx([1, 0.5**0.5, 0, -1], abs=2e-3)


@pytest.mark.promise("E6")
def test_vectors_outlive_the_process_that_made_them(store: Store, add: Add, open_store: Callable[[], Store]) -> None:
    give(store, add("a"), 1, 0, 0)
    assert near(open_store(), 1, 0, 0) == ["a"]


def test_without_vectors_nothing_is_near(store: Store, add: Add) -> None:
    add("a")
    assert near(store, 1, 0, 0) == []


def test_a_vector_of_text_that_changed_meanwhile_is_refused(store: Store, add: Add) -> None:
    old = add("a", "old")
    new = update(store, "a", content="new")
    assert give(store, old, 1, 0, 0) == 0
    assert (near(store, 1, 0, 0), store.count_vectors(MODEL)) == ([], 0)
    assert give(store, new, 0, 1, 0) == 1
    assert near(store, 1, 0, 0) == ["a"]


def test_a_vector_of_a_memory_that_is_gone_is_refused(store: Store, add: Add) -> None:
    row = add("a")
    delete(store, "a")
    assert give(store, row, 1, 0, 0) == 0


def test_a_new_vector_replaces_the_old_one(store: Store, add: Add) -> None:
    row, other = add("a"), add("b")
    give(store, row, 1, 0, 0)
    give(store, other, 0.9, 0.1, 0)
    assert near(store, 1, 0, 0) == ["a", "b"]
    give(store, row, 0, 1, 0)
    assert near(store, 1, 0, 0) == ["b", "a"]
    assert store.count_vectors(MODEL) == 2


@pytest.mark.parametrize("values", [{"content": "new"}, {"title": "new"}, {"tags": ("new",)}, {"namespace": "/new"}])
def test_a_change_of_what_is_embedded_drops_the_vector(store: Store, add: Add, values: dict[str, object]) -> None:
    row, other = add("a"), add("b")
    give(store, row, 1, 0, 0)
    give(store, other, 0, 1, 0)
    assert near(store, 1, 0, 0) == ["a", "b"]
    update(store, "a", **values)
    assert near(store, 1, 0, 0) == ["b"]
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10)] == ["a"]


def test_a_change_of_anything_else_keeps_the_vector(store: Store, add: Add) -> None:
    give(store, add("a"), 1, 0, 0)
    assert near(store, 1, 0, 0) == ["a"]
    update(store, "a", importance=0.9, metadata={"k": 1}, access_count=9, updated_at=5)
    assert near(store, 1, 0, 0) == ["a"]
    assert store.lacking_vectors(MODEL, 10) == []


def test_a_deleted_memory_is_not_near_and_a_restored_one_is_again_once_it_has_a_vector(store: Store, add: Add) -> None:
    give(store, add("a"), 1, 0, 0)
    give(store, add("b"), 0, 1, 0)
    assert near(store, 1, 0, 0) == ["a", "b"]
    batch = delete(store, "a")
    assert near(store, 1, 0, 0) == ["b"]
    undo(store, batch)
    (lacking,) = store.lacking_vectors(MODEL, 10)
    give(store, lacking, 1, 0, 0)
    assert near(store, 1, 0, 0) == ["a", "b"]


def test_vectors_of_another_model_are_never_compared(store: Store, add: Add) -> None:
    row, other = add("a"), add("b")
    give(store, row, 1, 0, 0, model="one")
    give(store, other, 1, 0, 0, model="two")
    assert near(store, 1, 0, 0, model="one") == ["a"]
    assert near(store, 1, 0, 0, model="two") == ["b"]
    assert near(store, 1, 0, 0, model="three") == []
    assert (store.count_vectors("one"), store.count_vectors("three")) == (1, 0)
    assert [memory.id for memory in store.lacking_vectors("one", 10)] == ["b"]


def test_a_question_of_another_length_finds_nothing(store: Store, add: Add) -> None:
    give(store, add("a"), 1, 0, 0)
    assert near(store, 1, 0) == []


def test_a_search_sees_what_another_store_did_since_the_last_one(
    store: Store, add: Add, open_store: Callable[[], Store]
) -> None:
    other = open_store()
    first, second = add("a"), add("b")
    give(store, first, 1, 0, 0)
    assert near(other, 1, 0, 0) == ["a"]
    give(store, second, 0.9, 0.1, 0)
    assert near(other, 1, 0, 0) == ["a", "b"]
    changed = update(store, "a", content="changed")
    assert near(other, 1, 0, 0) == ["b"]
    give(store, changed, 0, 0, 1)
    assert near(other, 0, 0, 1)[0] == "a"
    delete(store, "b")
    assert near(other, 1, 0, 0) == ["a"]
    store.drop_derived(vectors=True)
    assert near(other, 1, 0, 0) == []


def test_memories_without_a_vector_come_newest_first(store: Store, add: Add) -> None:
    rows = [add(name) for name in "abcd"]
    give(store, rows[2], 1, 0, 0)
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10)] == ["d", "b", "a"]
    assert [memory.id for memory in store.lacking_vectors(MODEL, 2)] == ["d", "b"]
    update(store, "d", observed=True)
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10, known=True)] == ["b", "a"]


def test_known_memories_without_a_vector_come_before_observed_ones(store: Store, add: Add) -> None:
    for name, observed in (("known", False), ("seen", True), ("newer", False), ("seen last", True)):
        add(name, observed=observed)
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10)] == ["newer", "known", "seen last", "seen"]


def test_short_memories_without_a_vector_come_before_long_ones_and_of_those_the_shortest(
    store: Store, add: Add
) -> None:
    for name, size in (("short", 5), ("longest", 90), ("shorter", 3), ("long", 70)):
        add(name, "x" * size)
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10, longest=10)] == ["shorter", "short"]
    for name in ("shorter", "short"):
        give(store, *store.get(Memory, [name]), 1, 0, 0)
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10, longest=10)] == ["long"]


def test_memories_can_be_left_out_until_they_change(store: Store, add: Add) -> None:
    first, second = add("a"), add("b")
    without = {row.id: row.rev for row in (first, second)}
    assert store.lacking_vectors(MODEL, 10, without=without) == []
    update(store, "a", content="changed")
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10, without=without)] == ["a"]


def test_vectors_made_in_parts_are_found_at_once_and_complete_with_the_first_passage(store: Store, add: Add) -> None:
    row = add("a")
    parts = np.stack([vector(1, 0, 0), vector(0, 1, 0)])
    assert store.embedded_from(MODEL, "a") is None
    assert store.put_vectors(MODEL, [Vectors("a", row.rev, parts, 3)]) == 0
    assert (store.embedded_from(MODEL, "a"), store.count_vectors(MODEL)) == (3, 0)
    assert near(store, 0, 1, 0)[0] == "a"
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10)] == ["a"]
    assert store.put_vectors(MODEL, [Vectors("a", row.rev, np.stack([vector(0, 0, 1)] * 3))]) == 1
    assert (store.embedded_from(MODEL, "a"), store.count_vectors(MODEL), store.lacking_vectors(MODEL, 10)) == (0, 1, [])
    assert near(store, 0, 1, 0)[0] == "a"


def test_a_changed_memory_is_not_found_by_parts_of_what_it_was(store: Store, add: Add) -> None:
    row = add("a")
    give(store, add("b"), 0, 1, 0)
    store.put_vectors(MODEL, [Vectors("a", row.rev, vector(1, 0, 0)[None], 3)])
    assert near(store, 1, 0, 0) == ["a", "b"]
    update(store, "a", content="changed")
    assert near(store, 1, 0, 0) == ["b"]


def test_what_lacks_a_vector_is_found_after_all_had_one_too(store: Store) -> None:
    with store.transaction("test") as transaction:
        rows = [transaction.insert(Memory(id=f"m{number}", content="x")) for number in range(1200)]
    store.put_vectors(MODEL, [Vectors(row.id, row.rev, vector(1, 0, 0)[None]) for row in rows])
    assert store.lacking_vectors(MODEL, 10) == []
    assert store.lacking_vectors("another", 1) != []
    update(store, "m7", content="changed")
    undo(store, delete(store, "m3"))
    assert [memory.id for memory in store.lacking_vectors(MODEL, 10)] == ["m7", "m3"]
    store.drop_derived(vectors=True)
    assert len(store.lacking_vectors(MODEL, 5000)) == 1200


# --- throwing derived state away ---


def test_derived_state_can_be_thrown_away_and_made_again(store: Store, add: Add) -> None:
    for name in "ab":
        give(store, add(name, f"needle {name}"), 1, 0, 0)
    give(store, *store.get(Memory, ["a"]), 1, 0, 0, model="another")
    assert store.drop_derived(vectors=False) == (2, 0)
    assert (set(found(store, "needle")), len(near(store, 1, 0, 0))) == ({"a", "b"}, 2)
    assert store.drop_derived(vectors=True) == (2, 3)
    assert (set(found(store, "needle")), near(store, 1, 0, 0)) == ({"a", "b"}, [])
    assert store.check(thorough=True) == []


def test_the_generation_changes_with_every_row_and_vector_and_with_nothing_else(store: Store, add: Add) -> None:
    seen = [store.generation()]
    row = add("a")
    seen.append(store.generation())
    give(store, row, 1, 0, 0)
    seen.append(store.generation())
    store.drop_derived(vectors=True)
    seen.append(store.generation())
    update(store, "a", title="T")
    seen.append(store.generation())
    delete(store, "a")
    seen.append(store.generation())
    assert len(set(seen)) == len(seen)
    store.touch(["a"])
    store.keep_setting("weights", "1")
    near(store, 1, 0, 0)
    assert store.generation() == seen[-1]


def test_a_sound_store_has_nothing_to_report_and_knows_where_it_is(store: Store, add: Add) -> None:
    add("a")
    assert store.check(thorough=False) == []
    assert store.check(thorough=True) == []
    facts = store.describe()
    assert facts.location
    assert facts.schema_version >= 1
    assert facts.size_bytes > 0
    assert facts.read_only is False
