"""What a search reads does not grow with the store: counted in steps of the database, never in time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.model import Memory
from recollect.store import passage_search
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite
from recollect.store.store_values import Vectors, Without

MODEL = "m"
ONE = np.eye(1, 8, dtype=np.float32)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let some hundred changes be many."""
    monkeypatch.setattr(passage_search, "COMPLETE_STEP", 10)
    monkeypatch.setattr(passage_search, "FEW_CHANGES", 20)


def filled(path: Path, size: int) -> Store:
    store = Store(Sqlite(path))
    with store.transaction("test") as transaction:
        rows = [
            transaction.insert(
                Memory(id=f"m{number}", content="x" * 400, namespace="/a", importance=number % 7 / 7, source="user")
            )
            for number in range(size)
        ]
    store.put_vectors(MODEL, [Vectors(row.id, row.rev, ONE) for row in rows])
    return store


def steps(store: Store, work: Callable[[], Any]) -> int:
    """Return how many steps the database takes for some work."""
    count = 0

    def counted() -> None:
        nonlocal count
        count += 1

    connection: Any = store._dialect.connection()
    connection.set_progress_handler(counted, 1)
    work()
    connection.set_progress_handler(None, 1)
    return count


def after_a_change(store: Store, work: Callable[[], Any]) -> int:
    work()
    with store.transaction("test") as transaction:
        transaction.update(Memory, "m1", {"importance": 0.95})
    return steps(store, work)


WORK: dict[str, Callable[[Store], Any]] = {
    "nearest": lambda store: store.search_vectors(MODEL, ONE[0], None, 5),
    "how many lack a vector": lambda store: store.count_lacking(MODEL),
    "which lack a vector": lambda store: store.lacking_vectors(MODEL, 5),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_after_a_change_a_search_reads_no_more_of_a_large_store_than_of_a_small_one(
    tmp_path: Path, work: Callable[[Store], Any]
) -> None:
    with closing(filled(tmp_path / "small.db", 100)) as small, closing(filled(tmp_path / "large.db", 800)) as large:
        small_steps, large_steps = (after_a_change(store, lambda store=store: work(store)) for store in (small, large))
    assert large_steps <= 1.2 * small_steps


def test_counting_what_lacks_a_vector_agrees_with_reading_it(tmp_path: Path) -> None:
    with closing(filled(tmp_path / "store.db", 60)) as store:
        assert store.count_lacking(MODEL) == 0
        for number in (3, 40):
            with store.transaction("test") as transaction:
                transaction.update(Memory, f"m{number}", {"content": "another text"})
        assert (store.count_lacking(MODEL), len(store.lacking_vectors(MODEL, 10))) == (2, 2)
        assert (store.count_lacking("other"), len(store.lacking_vectors("other", 100))) == (60, 60)
        store.drop_derived(vectors=True)
        assert store.count_lacking(MODEL) == 60


def test_the_most_important_memories_of_a_type_are_found_in_the_order_of_an_index(tmp_path: Path) -> None:
    known = {"memory_type": "context", "observed": False, "superseded_by": None, "category": Without(("fix",))}
    with closing(filled(tmp_path / "store.db", 50)) as store:
        connection: Any = store._dialect.connection()
        asked: list[str] = []
        connection.set_trace_callback(asked.append)
        found = store.find(Memory, {"namespace": "/a", **known}, order="-importance", limit=5)
        connection.set_trace_callback(None)
        assert len(found) == 5
        (plan,) = [[row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")] for sql in asked]
    chosen = plan[plan.index("LIST SUBQUERY 1") + 1 :]
    assert "idx_memories_briefing" in chosen[0]
    assert not any("TEMP B-TREE" in step for step in chosen[:-1])
