"""Gather: what both arms of the search find, with what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.recall.pools import counted, passage, talk

from recollect.model import Memory
from recollect.recall.gather import FROM_TIME, POOL, REACH, Pool, gather
from recollect.recall.query import understand
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite
from recollect.store.store_values import Filter, Match, Passage, PassageVectors, Vectors
from recollect.text.passages import MAX_PASSAGES

MODEL = "test/2"
EAST = np.array([1, 0], np.float32)
NORTH = np.array([0, 1], np.float32)


# --- the arms ---


class Arms:
    """A store that answers searches with what it was given, and notes what it was asked."""

    def __init__(self, lexical: Sequence[Match], semantic: Sequence[Match], held: Sequence[Passage]) -> None:
        self._lexical, self._semantic, self._held = lexical, semantic, held
        self.asked: list[tuple[Any, ...]] = []

    def search_text(
        self, terms: Sequence[str], where: Filter | None, limit: int, *, counts: Any = None
    ) -> Sequence[Match]:
        self.asked.append((tuple(terms), where, limit))
        return self._lexical

    def search_vectors(self, model: str, query: Any, where: Filter | None, limit: int) -> Sequence[Match]:
        self.asked.append((model, where, limit))
        return self._semantic

    def search_times(self, times: Sequence[tuple[int, int]], where: Filter | None, limit: int) -> Sequence[Match]:
        self.asked.append((tuple(times), where, limit))
        return [
            Match(row.memory_id, float(row.at), row.pid) for row in self._held if times[0][0] <= row.at < times[0][1]
        ]

    def neighbours(self, pids: Any, reach: int) -> Mapping[int, tuple[int, ...]]:
        return {}

    def passages(self, pids: Any, where: Filter | None) -> list[Passage]:
        wanted = set(pids)
        return [passage for passage in self._held if passage.pid in wanted]

    def vectors(self, model: str, pids: Sequence[int], width: int) -> PassageVectors:
        return PassageVectors(pids, np.full((len(pids), width), 0.5, np.float32))


def test_both_arms_are_asked_alike_and_each_remembers_its_ranks() -> None:
    held = talk("a parser", "a lexer", "a linker")
    one, two, three = (passage.pid for passage in held)
    store: Any = Arms(
        [Match("m1", 7.0, one), Match("m2", 3.0, two)], [Match("m2", 0.9, two), Match("m3", 0.5, three)], held
    )
    where = {"namespace": "app"}
    counts = counted(held)
    pool = gather(store, understand("parser"), counts, EAST, model=MODEL, where=where)
    assert store.asked == [(("parser",), where, POOL), (MODEL, where, POOL)]
    assert pool._replace(vectors=None) == Pool(
        held, counts, dict.fromkeys((one, two, three), 0.5), {one: 1, two: 2}, {two: 1, three: 2}
    )


def test_without_a_vector_only_words_are_searched_and_more_is_gathered_for_more() -> None:
    held = talk("a parser", "a lexer")
    store: Any = Arms([Match("m1", 7.0, held[0].pid)], [Match("m2", 0.9, held[1].pid)], held)
    pool = gather(store, understand("parser"), counted(held), None, model=MODEL, where=None, limit=200)
    assert store.asked == [(("parser",), None, 200)]
    assert (pool.passages, pool.cosines, pool.lexical, pool.semantic) == (held[:1], None, {held[0].pid: 1}, {})


def test_what_is_from_the_time_that_is_asked_about_joins_without_a_rank() -> None:
    held = [
        passage(1, "a parser", at=day_of(4)),
        passage(2, "a lexer", at=day_of(9)),
        passage(3, "a linker", at=day_of(4)),
    ]
    store: Any = Arms([Match("m2", 7.0, held[1].pid)], [], held)
    where = {"namespace": "app"}
    asked = understand("What did we do yesterday?", now=day_of(5))
    pool = gather(store, asked, counted(held), None, model=MODEL, where=where)
    assert store.asked == [(asked.terms, where, POOL), (((day_of(4), day_of(5)),), where, FROM_TIME)]
    assert (pool.passages, pool.lexical, pool.semantic) == (held, {held[1].pid: 1}, {})


def day_of(number: int) -> int:
    return number * 86_400


# --- what stands around, in a store ---


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(Sqlite(tmp_path / "store.db"))
    yield opened
    opened.close()


Add = Callable[..., Memory]


@pytest.fixture
def add(store: Store) -> Add:
    def add_one(row_id: str, content: str, **fields: Any) -> Memory:
        with store.transaction("test") as transaction:
            return transaction.insert(Memory(id=row_id, content=content, **fields))

    return add_one


def gathered(store: Store, question: str, vector: Any = None, **options: Any) -> Pool:
    asked = understand(question)
    counts = store.term_counts(asked.terms, asked.name_terms)
    return gather(store, asked, counts, vector, **{"model": MODEL, "where": None, "limit": 10, **options})


def parts(pool: Pool, memory: Memory) -> list[int]:
    """The parts of a memory that are in the pool."""
    return [passage.pid % MAX_PASSAGES for passage in pool.passages if passage.memory_id == memory.id]


def test_the_parts_before_and_after_in_a_text_are_read_along(store: Store, add: Add) -> None:
    filler = "Some other words. " * 50
    long = add("long", "\n\n".join(f"{filler}{'needle' if number in (0, 9) else ''}" for number in range(20)))
    other = add("other", "\n\n".join([filler] * 20))
    pool = gathered(store, "needle")
    assert pool.lexical.keys() == {long.seq * MAX_PASSAGES, long.seq * MAX_PASSAGES + 9}
    assert parts(pool, long) == [0, 1, 2, 7, 8, 9, 10, 11]
    assert parts(pool, other) == []


def test_the_turns_before_and_after_in_a_session_are_read_along(store: Store, add: Add) -> None:
    for number in range(12):
        content = "needle" if number == 6 else f"turn {number}"
        add(f"a{number}", content, session_id="a")
        add(f"b{number}", f"at the same time {number}", session_id="b")
        add(f"c{number}", f"no session {number}")
    found = [passage.memory_id for passage in gathered(store, "needle").passages]
    assert found == [f"a{number}" for number in range(6 - REACH, 6 + REACH + 1)]


def test_a_passage_that_is_found_twice_or_beside_a_found_one_is_there_once(store: Store, add: Add) -> None:
    rows = [add(name, "needle", session_id="s") for name in "abc"]
    store.put_vectors(MODEL, [Vectors(row.id, row.rev, EAST[None]) for row in rows])
    pool = gathered(store, "needle", EAST)
    assert [passage.memory_id for passage in pool.passages] == ["a", "b", "c"]
    assert pool.lexical.keys() == pool.semantic.keys() == {passage.pid for passage in pool.passages}


def test_what_is_read_along_has_its_cosine_too(store: Store, add: Add) -> None:
    first, second = add("a", "hello", session_id="s"), add("b", "needle", session_id="s")
    store.put_vectors(MODEL, [Vectors(first.id, first.rev, NORTH[None]), Vectors(second.id, second.rev, EAST[None])])
    pool = gathered(store, "needle", EAST)
    assert pool.cosines == pytest.approx({first.seq * MAX_PASSAGES: 0.0, second.seq * MAX_PASSAGES: 1.0}, abs=1e-3)


def test_what_does_not_pass_the_filter_is_only_read_along(store: Store, add: Add) -> None:
    add("a", "hello", session_id="s")
    add("b", "needle", session_id="s", memory_type="decision")
    add("c", "needle as well", session_id="s")
    add("d", "needle of another session")
    pool = gathered(store, "needle", where={"memory_type": "decision"})
    assert {passage.memory_id: passage.eligible for passage in pool.passages} == {"a": False, "b": True, "c": False}
    assert len(pool.lexical) == 1
    everything = gathered(store, "needle")
    assert {passage.memory_id: passage.eligible for passage in everything.passages} == dict.fromkeys("abcd", True)


def test_nothing_found_is_an_empty_pool(store: Store, add: Add) -> None:
    add("a", "hello")
    empty = gathered(store, "needle")
    assert (empty.passages, empty.cosines, empty.lexical, empty.semantic) == ([], None, {}, {})
    assert gathered(store, "?!").passages == []


def test_a_long_text_whose_every_part_matches_leaves_room_for_others(store: Store, add: Add) -> None:
    long = add("long", "\n\n".join(["needle " * 100] * 200))
    short = add("short", "one needle among many words that say nothing about it and make it a poor match")
    store.put_vectors(MODEL, [Vectors(long.id, long.rev, np.repeat(EAST[None], 200, axis=0))])
    store.put_vectors(MODEL, [Vectors(short.id, short.rev, NORTH[None])])
    pool = gathered(store, "needle", EAST)
    assert short.seq * MAX_PASSAGES in pool.lexical
    assert short.seq * MAX_PASSAGES in pool.semantic
    assert len(pool.passages) < POOL
