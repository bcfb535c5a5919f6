"""Passages: the parts of long memories are found, read, compared and forgotten one by one, on every backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.model import Memory
from recollect.store import full_text
from recollect.store.full_text import PASSAGES_PER_MEMORY
from recollect.store.sql import Store
from recollect.store.store_values import Filter, Match, Passage, Standing, Vectors
from recollect.text.passage_features import shape
from recollect.text.passages import MAX_PASSAGES, passages
from recollect.text.terms import query_terms, terms

NEEDS_SEARCH = True

Add = Callable[..., Memory]
MODEL = "test/8"
PARTS = 8
# The word that each part of a long text has for itself.
MARKS = ("oak", "elm", "fir", "yew", "ash", "birch", "cedar", "maple")


def long_text(*sentences: str, parts: int = PARTS) -> str:
    """A text of `parts` passages, each of which has its mark and one of the sentences."""
    filler = "Words that say nothing in particular. " * 24
    text = "\n\n".join(
        f"Under the {MARKS[number]}. {filler}{sentences[number] if number < len(sentences) else ''}"
        for number in range(parts)
    )
    assert len(passages(text)) == parts
    return text


def only(part: int, sentence: str) -> str:
    """A long text that has a sentence in one of its passages."""
    return long_text(*[""] * part, sentence)


def matches(store: Store, question: str, where: Filter | None = None, limit: int = 10) -> list[Match]:
    return list(store.search_text(query_terms(question), where, limit))


def part_of(memory: Memory, part: int) -> int:
    return memory.seq * MAX_PASSAGES + part


def axis(number: int) -> NDArray[np.float32]:
    row = np.zeros(PARTS, np.float32)
    row[number] = 1
    return row


def give(store: Store, memory: Memory, *axes: int, model: str = MODEL) -> int:
    """Give each passage of a memory a vector along its axis."""
    return store.put_vectors(model, [Vectors(memory.id, memory.rev, np.stack([axis(number) for number in axes]))])


def nearest(store: Store, number: int, limit: int = 1) -> list[int]:
    """The passages along an axis, those that have nothing of it left out."""
    return [match.pid for match in store.search_vectors(MODEL, axis(number), None, limit) if match.score > 0.5]


def update(store: Store, row_id: str, **values: object) -> Memory:
    with store.transaction("test") as transaction:
        return transaction.update(Memory, row_id, values)


def delete(store: Store, row_id: str) -> str:
    with store.transaction("test") as transaction:
        transaction.delete(Memory, {"id": row_id})
        return transaction.batch


# --- found ---


@pytest.mark.parametrize("part", [0, 3, PARTS - 1])
def test_a_long_memory_is_found_by_a_sentence_deep_inside(store: Store, add: Add, part: int) -> None:
    add("other", long_text())
    memory = add("a", only(part, "The cellar key hangs behind the boiler."))
    (match,) = matches(store, "cellar key boiler")
    assert (match.id, match.pid) == ("a", part_of(memory, part))


def test_a_sentence_deep_inside_is_found_as_well_as_one_that_stands_alone(store: Store, add: Add) -> None:
    for number in range(20):
        add(f"m{number}", f"The boiler of house {number} is green")
    add("deep", only(5, "The cellar key hangs behind the boiler."))
    assert matches(store, "cellar key boiler")[0].id == "deep"


def test_every_part_is_found_by_title_tags_and_author(store: Store, add: Add) -> None:
    memory = add("a", long_text(), title="Handbook", tags=("manual",), author="Ada")
    for question in ("handbook", "manual", "ada"):
        found = matches(store, question)
        assert {match.id for match in found} == {"a"}
        assert len(found) == PASSAGES_PER_MEMORY
        assert {match.pid for match in found} <= {part_of(memory, part) for part in range(PARTS)}


def test_of_each_memory_only_the_best_few_passages_are_found(store: Store, add: Add) -> None:
    many = add("many", long_text(*["needle " * (number + 1) for number in range(PARTS)]))
    few = add("few", "A needle among words that say nothing about it, and they are many, so that it is a poor match.")
    give(store, many, *[0] * PARTS)
    give(store, few, 1)
    words = matches(store, "needle", limit=PASSAGES_PER_MEMORY + 1)
    assert {match.id for match in words} == {"many", "few"}
    assert part_of(many, PARTS - 1) in [match.pid for match in words]
    meaning = store.search_vectors(MODEL, axis(0), None, PASSAGES_PER_MEMORY + 1)
    assert [match.id for match in meaning] == ["many"] * PASSAGES_PER_MEMORY + ["few"]


def test_filters_are_those_of_the_memory(store: Store, add: Add) -> None:
    for name in ("a", "b"):
        give(store, add(name, only(4, "needle"), namespace=f"/{name}", memory_type="decision"), *range(PARTS))
    for where in ({"namespace": "/b"}, {"memory_type": "decision", "namespace": "/b"}):
        assert [match.id for match in matches(store, "needle", where)] == ["b"]
        assert {match.id for match in store.search_vectors(MODEL, axis(4), where, 20)} == {"b"}


# --- read ---


def test_a_passage_is_read_with_all_that_ranking_looks_at(store: Store, add: Add) -> None:
    text = only(1, "Is it so?")
    fields = {"title": "The title", "category": "Kind", "tags": ("tagged",), "author": "Ada Lovelace"}
    memory = add("a", text, session_id="s", created_at=5, valid_from=7, **fields)
    first, second = store.passages([part_of(memory, 0), part_of(memory, 1)])
    labels = ["ada", "lovelac", *terms("The title"), "kind", "tag"]
    parts = passages(text)
    assert first == Passage(
        part_of(memory, 0),
        "a",
        "s",
        7,
        ("ada", "lovelac"),
        labels + terms(parts[0]),
        shape(parts[0], parts=PARTS, at=7),
        standing=Standing(tags=("tagged",)),
    )
    assert (second.pid, second.tokens) == (part_of(memory, 1), labels + terms(parts[1]))
    assert second.shape == shape(parts[1], parts=PARTS, at=7)
    assert second.seq == memory.seq


def test_a_passage_is_from_when_it_was_said_or_else_stored(store: Store, add: Add) -> None:
    said, stored = add("a", "x", created_at=5, valid_from=1_684_000_000), add("b", "x", created_at=1_700_000_000)
    first, second = store.passages([part_of(said, 0), part_of(stored, 0)])
    assert (first.at, first.year_month()) == (1_684_000_000, (2023, 5))
    assert (second.at, second.year_month()) == (1_700_000_000, (2023, 11))
    assert (second.session_id, second.author) == (None, ())


def test_passages_come_in_order_each_once_and_without_those_that_are_not_there(store: Store, add: Add) -> None:
    with store.transaction("test") as transaction:
        rows = [transaction.insert(Memory(id=f"m{number}", content="x")) for number in range(700)]
    pids = [part_of(row, 0) for row in rows]
    asked = [*reversed(pids), *pids[:50], part_of(rows[0], 1), part_of(rows[-1], 0) + MAX_PASSAGES, -1, 0]
    assert [passage.pid for passage in store.passages(asked)] == pids
    assert store.passages([]) == []


def test_passages_that_do_not_pass_the_filter_are_marked(store: Store, add: Add) -> None:
    one, other = add("a", long_text(), namespace="/a"), add("b", "x", namespace="/b")
    asked = [part_of(one, 0), part_of(one, 5), part_of(other, 0)]
    assert [passage.eligible for passage in store.passages(asked)] == [True, True, True]
    assert [passage.eligible for passage in store.passages(asked, {"namespace": "/a"})] == [True, True, False]
    assert [passage.eligible for passage in store.passages(asked, {"namespace": "/x"})] == [False, False, False]


# --- times ---

DAY = 86_400


def test_memories_are_found_by_the_time_they_are_from_newest_first(store: Store, add: Add) -> None:
    add("stored then", created_at=15 * DAY)
    add("said then", created_at=90 * DAY, valid_from=12 * DAY)
    add("long", long_text(), created_at=12 * DAY)
    add("before", created_at=12 * DAY - 1)
    add("after", created_at=20 * DAY)
    add("said before", created_at=15 * DAY, valid_from=3 * DAY)
    times = [(12 * DAY, 20 * DAY)]
    assert [match.id for match in store.search_times(times, None, 10)] == ["stored then", "long", "said then"]
    assert [match.id for match in store.search_times(times, None, 2)] == ["stored then", "long"]
    assert all(match.pid % MAX_PASSAGES == 0 for match in store.search_times(times, None, 10))


def test_of_several_times_each_memory_comes_once(store: Store, add: Add) -> None:
    for number in range(10):
        add(str(number), created_at=number * DAY)
    times = [(2 * DAY, 5 * DAY), (4 * DAY, 6 * DAY), (8 * DAY, 9 * DAY)]
    assert [match.id for match in store.search_times(times, None, 4)] == ["8", "5", "4", "3"]
    assert store.search_times([], None, 4) == []


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"namespace": "/a"}, ["a"]),
        ({"namespace": ("/a", "/b")}, ["b", "a"]),
        ({"namespace": None}, ["c"]),
        ({"namespace": ("/a", None)}, ["c", "a"]),
        ({"namespace": ()}, []),
        ({"memory_type": "decision"}, ["b"]),
        ({"memory_type": "decision", "namespace": "/a"}, []),
    ],
    ids=str,
)
def test_a_search_for_a_time_is_scoped_and_filtered(store: Store, add: Add, where: Filter, expected: list[str]) -> None:
    add("a", created_at=DAY, namespace="/a")
    add("b", created_at=2 * DAY, namespace="/b", memory_type="decision")
    add("c", created_at=3 * DAY)
    assert [match.id for match in store.search_times([(0, 9 * DAY)], where, 10)] == expected


def test_a_passage_knows_the_days_it_names_and_they_follow_the_time_it_was_said(store: Store, add: Add) -> None:
    memory = add("a", "I met Ada yesterday", created_at=100 * DAY)

    def times() -> object:
        return store.passages([part_of(memory, 0)])[0].shape.times

    assert times() == ((99, 100),)
    update(store, "a", valid_from=50 * DAY)
    assert times() == ((49, 50),)
    update(store, "a", content="I met Ada")
    assert times() == ()


def named(store: Store, first: int, end: int, where: Filter | None = None, limit: int = 10) -> list[str]:
    """The memories found for the days [first, end)."""
    return [match.id for match in store.search_times([(first * DAY, end * DAY)], where, limit)]


def test_a_passage_is_found_by_a_day_that_its_text_names(store: Store, add: Add) -> None:
    memory = add("a", long_text("", "We met yesterday."), created_at=100 * DAY)
    assert [match.pid for match in store.search_times([(99 * DAY, 100 * DAY)], None, 5)] == [part_of(memory, 1)]
    assert named(store, 98, 99) == []


def test_the_days_of_a_text_follow_it(store: Store, add: Add) -> None:
    add("a", "I met Ada yesterday", created_at=100 * DAY)
    update(store, "a", valid_from=50 * DAY)
    assert (named(store, 99, 100), named(store, 49, 50)) == ([], ["a"])
    update(store, "a", content="I met Ada")
    assert named(store, 49, 50) == []
    update(store, "a", content="I met Ada yesterday")
    batch = delete(store, "a")
    assert named(store, 49, 50) == []
    with store.transaction("undo") as transaction:
        transaction.undo(batch)
    assert named(store, 49, 50) == ["a"]
    assert store.check(thorough=True) == []
    store.drop_derived(vectors=False)
    assert (named(store, 49, 50), named(store, 99, 100)) == (["a"], [])
    assert store.check(thorough=True) == []


def test_a_time_of_more_than_a_week_names_no_day_of_it(store: Store, add: Add) -> None:
    add("week", "Last week we met", created_at=100 * DAY)  # a Saturday: the days from 87 to 93
    add("year", "In 1970 we met", created_at=1000 * DAY)
    assert named(store, 90, 91) == ["week"]
    assert set(named(store, 0, 365)) == {"week", "year"}


def test_the_most_exact_mentions_come_first_and_then_the_latest(store: Store, add: Add) -> None:
    add("week", "Last week we met", created_at=100 * DAY)
    add("early", "On 1970-04-01 we met", created_at=200 * DAY)
    add("late", "On 1970-04-02 we met", created_at=300 * DAY)
    assert named(store, 91, 92) == ["late", "week"]
    assert named(store, 90, 92) == ["late", "early", "week"]
    assert named(store, 90, 92, limit=2) == ["late", "early"]


def test_memories_from_a_time_and_mentions_of_it_take_turns(store: Store, add: Add) -> None:
    for number in range(5):
        add(f"from{number}", created_at=91 * DAY + number)
        add(f"of{number}", "On 1970-04-02 we met", created_at=(300 + number) * DAY)
    assert named(store, 91, 92, limit=4) == ["from4", "of4", "from3", "of3"]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"namespace": "/a"}, "a"),
        ({"namespace": ("/a", None)}, "a c"),
        ({"namespace": ()}, ""),
        ({"memory_type": "decision"}, "b"),
    ],
    ids=str,
)
def test_a_search_for_a_named_day_is_scoped_and_filtered(store: Store, add: Add, where: Filter, expected: str) -> None:
    add("a", "On 1970-04-02 we met", namespace="/a")
    add("b", "On 1970-04-02 we met", namespace="/b", memory_type="decision")
    add("c", "On 1970-04-02 we met")
    assert sorted(named(store, 91, 92, where)) == expected.split()


# --- neighbours ---


def test_neighbours_are_those_just_before_and_after_in_the_session(store: Store, add: Add) -> None:
    rows: list[Memory] = []
    for number in range(7):
        rows.append(add(f"a{number}", session_id="a"))
        add(f"b{number}", session_id="b")
        add(f"c{number}")
    seqs = [row.seq for row in rows]
    found = store.neighbours([part_of(row, 0) for row in rows], 2)
    assert {seq: set(near) for seq, near in found.items()} == {
        seq: {*seqs[max(0, place - 2) : place], *seqs[place + 1 : place + 3]} for place, seq in enumerate(seqs)
    }
    assert set(store.neighbours([part_of(rows[3], 0)], 1)[seqs[3]]) == {seqs[2], seqs[4]}


def test_any_part_of_a_memory_has_its_neighbours(store: Store, add: Add) -> None:
    before, long, after = add("a", session_id="s"), add("b", long_text(), session_id="s"), add("c", session_id="s")
    found = store.neighbours([part_of(long, 3), part_of(long, 5)], 2)
    assert {seq: set(near) for seq, near in found.items()} == {long.seq: {before.seq, after.seq}}


def test_a_memory_without_a_session_has_no_neighbours_and_one_alone_in_it_neither(store: Store, add: Add) -> None:
    alone, lonely = add("a"), add("b", session_id="s")
    found = store.neighbours([part_of(alone, 0), part_of(lonely, 0), part_of(lonely, 0) + MAX_PASSAGES], 2)
    assert [near for near in found.values() if near] == []
    assert store.neighbours([], 2) == {}


def test_neighbours_that_are_deleted_or_moved_are_neighbours_no_more(store: Store, add: Add) -> None:
    first, second, third = (add(name, session_id="s") for name in "abc")
    delete(store, "b")
    assert store.neighbours([part_of(first, 0)], 1) == {first.seq: (third.seq,)}
    update(store, "c", session_id="t")
    assert not store.neighbours([part_of(first, 0)], 1).get(first.seq)
    assert second.seq not in store.neighbours([part_of(second, 0)], 1)


# --- counts ---


def test_terms_are_counted_by_passage(store: Store, add: Add) -> None:
    assert store.term_counts(["needl"]).of("needl") == 0
    add("a", long_text("needle", "needle needle", "", "needle"))
    add("b", "needle")
    counts = store.term_counts(["needl", "unheard", "yew"])
    # How many there are in all may be a guess, but never fewer than hold a term.
    assert counts.passages >= 4
    assert (counts.of("needl"), counts.of("unheard"), counts.of("yew")) == (4, 0, 1)


@pytest.mark.parametrize(
    ("namespace", "known"),
    [("/a", {"oak"}), ("/b", {"elm", "ash"}), (("/a", "/b"), {"oak", "elm", "ash"}), (None, {"fir"}), ("/x", set())],
)
def test_terms_are_counted_where_they_are_held(store: Store, add: Add, namespace: object, known: set[str]) -> None:
    add("a", "oak", namespace="/a")
    add("b", "elm", namespace="/b", tags=("ash",))
    add("c", "fir")
    add("d", "oak elm fir ash", namespace="/elsewhere")
    asked = ["oak", "elm", "fir", "ash", "yew"]
    counts = store.term_counts(asked, (), {"namespace": namespace, "memory_type": "context"})
    assert counts.known == known
    assert counts.by_term == dict.fromkeys(known, 1), "how rare a term is does not depend on other projects"
    assert counts.passages == max(1, len({*known} - {"ash"}))
    assert store.term_counts(asked).by_term == {"oak": 2, "elm": 2, "fir": 2, "ash": 2}


@pytest.mark.parametrize("scope", [{}, {"namespace": "/a"}, {"namespace": ("/a", "/b")}])
def test_a_term_that_only_observed_memories_have_is_not_known(
    store: Store, add: Add, scope: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    add("a", "oak", namespace="/a")
    add("b", "oak elm", namespace="/a", observed=True)
    add("c", "fir", namespace="/c")
    asked = ["oak", "elm"]
    assert store.term_counts(asked, (), scope).known == {"oak", "elm"}
    assert store.term_counts(asked, (), {**scope, "observed": False}).by_term == {"oak": 1}
    monkeypatch.setattr(full_text, "MAX_LOOKED_AT", 0)
    assert store.term_counts(asked, (), {**scope, "observed": False}).known == {"oak", "elm"}, "too many to look at"


def test_a_term_that_is_frequent_in_a_project_is_estimated(
    store: Store, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_text, "MAX_COUNTED", 3)
    for number in range(8):
        add(f"m{number}", "oak" if number < 6 else "elm", namespace="/a" if number % 2 else "/b")
    counts = store.term_counts(["oak", "elm"], (), {"namespace": "/a"})
    assert (counts.passages, counts.by_term) == (4, {"oak": 3, "elm": 1})


def test_names_are_those_of_authors_and_not_just_words(store: Store, add: Add) -> None:
    add("a", "Grace and Alan met", author="Ada Lovelace")
    add("b", "text", title="Barbara", tags=("edsger",))
    names = ["ada", "lovelac", "grace", "alan", "barbara", "edsger", "none", ""]
    assert store.term_counts([], names).authors == {"ada", "lovelac"}
    assert store.term_counts([]).authors == frozenset()
    update(store, "a", author="Grace Hopper")
    assert store.term_counts([], names).authors == {"grace"}
    delete(store, "a")
    assert store.term_counts([], names).authors == frozenset()


# --- vectors of passages ---


def test_every_passage_has_its_own_vector(store: Store, add: Add) -> None:
    memory, other = add("a", long_text()), add("b", "short")
    assert give(store, memory, *range(1, PARTS)) + give(store, other, 0) == 2
    assert [nearest(store, number) for number in range(1, PARTS)] == [[part_of(memory, n)] for n in range(PARTS - 1)]
    assert nearest(store, 0) == [part_of(other, 0)]


def test_vectors_are_counted_by_memory(store: Store, add: Add) -> None:
    give(store, add("a", long_text()), *range(PARTS))
    assert store.count_vectors(MODEL) == 1
    assert store.lacking_vectors(MODEL, 10) == []


def test_sampled_vectors_are_even_by_age_and_counted(store: Store, add: Add) -> None:
    memories = [add(f"m{number}") for number in range(9)]
    for memory in memories[:8]:
        give(store, memory, 0)
    give(store, add("long", long_text()), *range(PARTS))
    (ids, vectors), total = store.sampled_vectors(MODEL, None, 3)
    assert (total, set(ids)) == (9, {"m2", "m5", "long"})
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0] * 3, abs=1e-3)
    (ids, _), total = store.sampled_vectors(MODEL, {"id": ("m1", "m8")}, 10)
    assert (total, list(ids)) == (1, ["m1"])
    assert store.sampled_vectors("another", None, 10)[1] == 0


def cosines(store: Store, query: NDArray[np.float32], pids: Sequence[int], model: str = MODEL) -> dict[int, float]:
    found, vectors = store.vectors(model, pids, len(query))
    return dict(zip(found, (vectors @ query).tolist(), strict=True))


def test_vectors_are_those_of_the_passages_asked_for(store: Store, add: Add) -> None:
    memory, other, bare = add("a", long_text()), add("b"), add("c")
    give(store, memory, *range(PARTS))
    give(store, other, 2)
    pids = [part_of(other, 0), part_of(memory, 2), part_of(memory, 3), part_of(bare, 0), part_of(memory, PARTS), -1]
    found = cosines(store, axis(2), pids)
    assert found == pytest.approx({pids[0]: 1.0, pids[1]: 1.0, pids[2]: 0.0}, abs=1e-3)
    assert cosines(store, axis(2), []) == {}
    assert cosines(store, axis(2), pids, "another") == {}
    assert cosines(store, axis(2)[:3], pids) == {}


def test_vectors_give_the_cosines_of_a_search(store: Store, add: Add) -> None:
    random = np.random.default_rng(3)
    for name in "abcdefgh":
        values = random.standard_normal((1, PARTS)).astype(np.float32)
        row = add(name)
        store.put_vectors(MODEL, [Vectors(row.id, row.rev, values / np.linalg.norm(values))])
    query = axis(1)
    expected = {match.pid: match.score for match in store.search_vectors(MODEL, query, None, 8)}
    assert cosines(store, query, list(expected)) == pytest.approx(expected, abs=1e-6)


# --- changed and deleted: by the store that looks, and by another ---


@pytest.fixture(params=["the same store", "another store"])
def looking(request: pytest.FixtureRequest, store: Store, open_store: Callable[[], Store]) -> Iterator[Store]:
    """The store that is asked: the one that is written to, or one that looked before and must notice."""
    return store if request.param == "the same store" else open_store()


def left(store: Store, memory: Memory) -> dict[str, list[int]]:
    """The parts of a memory that can still be found or read, by way of finding them."""
    pids = [part_of(memory, part) for part in range(PARTS + 1)]
    found = {
        "words": [match.pid for mark in MARKS for match in matches(store, mark)],
        "passages": [passage.pid for passage in store.passages(pids)],
        "meaning": [pid for number in range(PARTS) for pid in nearest(store, number)],
        "vectors": list(store.vectors(MODEL, pids, PARTS).pids),
    }
    return {way: [pid % MAX_PASSAGES for pid in row] for way, row in found.items()}


def everywhere(*parts: int) -> dict[str, list[int]]:
    return {way: list(parts) for way in ("words", "passages", "meaning", "vectors")}


def test_a_text_that_becomes_shorter_leaves_no_passage_behind(store: Store, add: Add, looking: Store) -> None:
    memory = add("a", long_text())
    give(store, memory, *range(PARTS))
    assert left(looking, memory) == everywhere(*range(PARTS))
    shorter = update(store, "a", content=long_text(parts=3))
    assert left(looking, memory) == {**everywhere(0, 1, 2), "meaning": [], "vectors": []}
    give(store, shorter, 0, 1, 2)
    assert left(looking, memory) == everywhere(0, 1, 2)
    assert looking.term_counts(MARKS).by_term == {"oak": 1, "elm": 1, "fir": 1}
    assert looking.check(thorough=True) == []


def test_a_text_that_becomes_shorter_between_two_looks_leaves_no_passage_behind(
    store: Store, add: Add, looking: Store
) -> None:
    memory = add("a", long_text())
    give(store, memory, *range(PARTS))
    assert left(looking, memory) == everywhere(*range(PARTS))
    for parts in (5, 2):
        give(store, update(store, "a", content=long_text(parts=parts)), *range(parts))
    assert left(looking, memory) == everywhere(0, 1)


def test_a_text_that_becomes_longer_is_found_by_all_of_it(store: Store, add: Add, looking: Store) -> None:
    memory = add("a", "Under the oak")
    give(store, memory, 0)
    assert left(looking, memory) == everywhere(0)
    give(store, update(store, "a", content=long_text()), *range(PARTS))
    assert left(looking, memory) == everywhere(*range(PARTS))


def test_a_change_of_something_else_keeps_every_passage(store: Store, add: Add, looking: Store) -> None:
    memory = add("a", long_text())
    give(store, memory, *range(PARTS))
    assert left(looking, memory) == everywhere(*range(PARTS))
    update(store, "a", importance=0.9, session_id="s", valid_from=3)
    assert left(looking, memory) == everywhere(*range(PARTS))
    assert [passage.session_id for passage in looking.passages([part_of(memory, 4)])] == ["s"]


def test_with_a_memory_go_all_its_passages_and_undo_brings_their_words_back(
    store: Store, add: Add, looking: Store
) -> None:
    memory, other = add("a", long_text()), add("b", "Other")
    give(store, memory, *range(PARTS))
    give(store, other, 0)
    assert left(looking, memory)["words"] == list(range(PARTS))
    batch = delete(store, "a")
    gone = left(looking, memory)
    assert (gone["words"], gone["passages"]) == ([], [])
    assert {match.id for match in looking.search_vectors(MODEL, axis(0), None, 20)} == {"b"}
    assert looking.term_counts(MARKS).by_term == {}
    assert (looking.count_vectors(MODEL), looking.check(thorough=True)) == (1, [])
    with store.transaction("undo") as transaction:
        transaction.undo(batch)
    assert left(looking, memory)["words"] == list(range(PARTS))
    assert [row.id for row in looking.lacking_vectors(MODEL, 10)] == ["a"]
    assert looking.check(thorough=True) == []


def test_a_failed_transaction_leaves_every_passage_as_it_was(store: Store, add: Add) -> None:
    memory = add("a", long_text())
    give(store, memory, *range(PARTS))
    with pytest.raises(RuntimeError), store.transaction("test") as transaction:
        transaction.update(Memory, "a", {"content": "short"})
        raise RuntimeError
    assert left(store, memory) == everywhere(*range(PARTS))


# --- thrown away and made again ---


def test_a_store_counts_memories_where_its_tables_hold_passages(store: Store, add: Add) -> None:
    for name in "abc":
        give(store, add(name, long_text()), *range(PARTS))
    add("d", "short")
    assert store.check(thorough=False) == store.check(thorough=True) == []
    assert store.count_vectors(MODEL) == 3
    rows, dropped = store.drop_derived(vectors=True)
    assert (rows, dropped) == (4, 3 * PARTS)
    assert store.count_vectors(MODEL) == 0
    assert store.check(thorough=True) == []
    assert {match.id for match in matches(store, "maple")} == {"a", "b", "c"}


def test_the_longest_text_there_can_be_is_found_to_its_very_end(store: Store, add: Add) -> None:
    text = "\n\n".join(f"Paragraph {number} {'x' * 600}" for number in range(2000)) + " needle"
    memory = add("a", text)
    parts = len(passages(text))
    assert parts > MAX_PASSAGES / 2
    after = add("b", "another needle")
    found = {match.pid for match in matches(store, "needle")}
    assert found == {part_of(memory, parts - 1), part_of(after, 0)}
    delete(store, "a")
    assert [match.id for match in matches(store, "needle")] == ["b"]
    assert store.check(thorough=True) == []
