"""What a search found counts as used, later and once a day; candidates that were not shown do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.engine.memory import access_log
from recollect.model import Memory

NOW = 1_767_000_000
DAY = 86_400


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    frozen = FrozenClock(NOW)
    monkeypatch.setattr(clock, "now", frozen)
    return frozen


@pytest.fixture
def engine(home: Path, time: FrozenClock) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


def used_at(engine: Engine, memory_id: str) -> tuple[int, int]:
    (memory,) = engine.store.get(Memory, [memory_id])
    return memory.last_accessed_at, memory.access_count


def test_what_was_found_is_written_later_and_not_counted_as_read(engine: Engine, time: FrozenClock) -> None:
    found = engine.memories.store("Invoices are numbered by year").memory.id
    other = engine.memories.store("Bread rises overnight in the cellar").memory.id
    time.advance(40 * DAY)
    assert engine.recall.search("how are invoices numbered?").hits[0].memory.id == found
    assert used_at(engine, found) == (NOW, 0)
    engine.access.flush()
    assert used_at(engine, found) == (NOW + 40 * DAY, 0)
    assert used_at(engine, other) == (NOW, 0)


def test_closing_writes_what_waits(home: Path, time: FrozenClock) -> None:
    with Engine(embed_provider="off") as engine:
        found = engine.memories.store("Invoices are numbered by year").memory.id
    time.advance(2 * DAY)
    with Engine(embed_provider="off") as engine:
        engine.recall.search("how are invoices numbered?")
    with Engine(embed_provider="off") as engine:
        assert used_at(engine, found) == (NOW + 2 * DAY, 0)


def test_what_was_used_today_is_not_written_again(engine: Engine, time: FrozenClock) -> None:
    found = engine.memories.store("Invoices are numbered by year").memory.id
    time.advance(DAY - 1)
    engine.recall.search("how are invoices numbered?")
    engine.access.flush()
    assert used_at(engine, found) == (NOW, 0)


def test_a_pack_uses_what_is_in_it(engine: Engine, time: FrozenClock) -> None:
    long = engine.memories.store("Invoices are numbered by year. " + "They are kept for ten years in a vault. " * 30)
    short = engine.memories.store("Invoices are numbered by year and client")
    time.advance(2 * DAY)
    packed = engine.recall.pack("how are invoices numbered?", tokens=60)
    engine.access.flush()
    taken = {source.memory_id for source in packed.sources}
    assert taken
    for memory in (long.memory, short.memory):
        assert (used_at(engine, memory.id)[0] > NOW) == (memory.id in taken)


def test_many_are_written_at_once_and_only_the_first_of_a_long_list(
    engine: Engine, time: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_log, "HITS", 3)
    monkeypatch.setattr(access_log, "MOST", 2)
    ids = [engine.memories.store(f"Invoice number {number} is kept").memory.id for number in range(6)]
    time.advance(2 * DAY)
    hits = [hit.memory.id for hit in engine.recall.search("which invoice number is kept?", limit=6, min_score=0).hits]
    assert len(hits) > 3
    assert {name for name in ids if used_at(engine, name)[0] > NOW} == set(hits[:3])


def test_what_was_found_does_not_fade(engine: Engine, time: FrozenClock) -> None:
    found = engine.memories.store("Invoices are numbered by year", importance=0.8).memory.id
    left = engine.memories.store("Bread rises overnight in the cellar", importance=0.8).memory.id
    time.advance(120 * DAY)
    engine.recall.search("how are invoices numbered?")
    engine.access.flush()
    engine.consolidation.decay()
    by_id = {memory.id: memory.importance for memory in engine.store.get(Memory, [found, left])}
    assert by_id[found] == 0.8 > by_id[left]
