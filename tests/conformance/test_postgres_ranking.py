"""PostgreSQL ranks as SQLite does: the same passages with the same scores, by words and by vectors."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from tests.postgres_server import empty_schema

from recollect.model import Memory
from recollect.store import postgres_vectors
from recollect.store.dialect import Connection
from recollect.store.postgres import Postgres
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite
from recollect.store.store_values import Match, Vectors
from recollect.text.terms import terms

# The first words are frequent, the last are rare; some are identifiers, paths and words of other scripts.
WORDS = (
    "cache parser index deploy retry token queue lock schema vector getUserName parse_http2_header src/store/sql.py "
    "C++ naïve データベース café 2024-05-06 x86_64 Größe über state::machine été"
).split()
QUERIES = (
    "parser",
    "cache deploy retry",
    "getUserName src/store/sql.py",
    "データベース café",
    "Größe naïve 2024-05-06",
    "C++",
)
NAMESPACES = (None, "/app", "/lib")
MODEL = "m/24"


class Pair(NamedTuple):
    sqlite: Store
    postgres: Store


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """The same 300 memories with vectors in both databases; some were changed or deleted since."""
    folder = tmp_path_factory.mktemp("ranking")
    with (
        empty_schema() as url,
        closing(Store(Sqlite(folder / "store.db"))) as one,
        closing(Store(Postgres(url, folder))) as other,
    ):
        for store in (one, other):
            fill(store)
        yield Pair(one, other)


def fill(store: Store) -> None:
    chance = random.Random(7)
    weights = [1 / (place + 1) for place in range(len(WORDS))]
    with store.transaction("test") as transaction:
        rows = [
            transaction.insert(
                Memory(
                    id=f"m{number}",
                    content=" ".join(chance.choices(WORDS, weights, k=chance.randint(1, 60))),
                    namespace=chance.choice(NAMESPACES),
                    author=chance.choice((None, "Ada", "Grace Hopper")),
                    tags=tuple(chance.sample(("cache", "lock", "release"), 2)),
                )
            )
            for number in range(300)
        ]
        for number in range(0, 300, 9):
            transaction.update(Memory, f"m{number}", {"content": "rewritten parser " + WORDS[number % len(WORDS)]})
        transaction.delete(Memory, {"id": tuple(f"m{number}" for number in range(5, 300, 11))})
        rows = transaction.find(Memory)
    made = np.random.default_rng(7).normal(size=(len(rows), 24)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    store.put_vectors(MODEL, [Vectors(row.id, row.rev, vector[None]) for row, vector in zip(rows, made, strict=True)])


def scores(matches: list[Match]) -> dict[int, float]:
    return {match.pid: match.score for match in matches}


@pytest.mark.promise("B12")
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("namespace", [..., None, "/app", ("/app", None)], ids=str)
def test_words_get_the_same_scores(pair: Pair, query: str, namespace: object) -> None:
    where = {} if namespace is ... else {"namespace": namespace}
    wanted, found = (scores(store.search_text(terms(query), where, 1_000)) for store in pair)
    assert wanted
    assert found == pytest.approx(wanted, rel=1e-9)
    # Of passages with equal scores either may be the fifth: sums of floats differ in their last digit.
    best = [sorted(scores(store.search_text(terms(query), where, 5)).values()) for store in pair]
    assert best[0] == pytest.approx(best[1], rel=1e-9)


def test_terms_and_authors_are_counted_the_same(pair: Pair) -> None:
    asked = [*terms(" ".join(WORDS)), "unheard"]
    for where in ({}, {"namespace": "/app"}):
        wanted, found = (store.term_counts(asked, ["ada", "cache"], where)._asdict() for store in pair)
        # Numbers of changes may have gaps on a server; in a project, a server counts memories and not their passages.
        assert wanted.pop("passages") and found.pop("passages")
        assert wanted == found


@pytest.mark.parametrize("is_indexed", [False, True], ids=["exact", "HNSW"])
@pytest.mark.parametrize("namespace", [..., "/app"], ids=str)
def test_vectors_get_the_same_cosines(
    pair: Pair, namespace: object, is_indexed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_indexed:
        monkeypatch.setattr(postgres_vectors, "INDEXED_FROM", 100)
        monkeypatch.setattr(postgres_vectors, "EXACT_SCOPE", 10)
        dialect = pair.postgres._dialect
        with dialect.write() as connection:
            dialect.index_vectors(connection, MODEL, 0, 0)
    where = {} if namespace is ... else {"namespace": namespace}
    query = np.ones(24, np.float32) / np.sqrt(24, dtype=np.float32)
    wanted, found = (store.search_vectors(MODEL, query, where, 10) for store in pair)
    assert len(wanted) == 10
    assert found == wanted
    numbers = [match.pid for match in wanted]
    ours, theirs = (store.vectors(MODEL, numbers, 24) for store in pair)
    assert list(ours.pids) == list(theirs.pids) == sorted(numbers)
    assert np.array_equal(ours.values, theirs.values)


def test_the_index_of_vectors_is_used(pair: Pair, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(postgres_vectors, "INDEXED_FROM", 100)
    dialect = pair.postgres._dialect
    with dialect.write() as connection:
        dialect.index_vectors(connection, MODEL, 0, 0)
        connection.execute("SET LOCAL enable_seqscan = off")
        connection.execute("SET LOCAL enable_sort = off")  # of so few rows a sort may be cheaper
        query = postgres_vectors.nearest_sql(MODEL, 24, "", exactly=False)
        plan = connection.execute(f"EXPLAIN {query}", (postgres_vectors.Halfvec(b"\0" * 48), 10))
        assert any("idx_vectors_" in row[0] for row in plan)


def test_vectors_with_an_index_are_not_counted_again(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting reads every vector under the write lock: a second with 1,000,000 of them."""
    monkeypatch.setattr(postgres_vectors, "INDEXED_FROM", 100)
    asked: list[str] = []

    class Recorder:
        def execute(self, sql: str, values: Sequence[Any] = ()) -> Iterable[Any]:
            asked.append(sql)
            return connection.execute(sql, values)

    with pair.postgres._dialect.write() as connection:
        for _ in range(2):
            asked.clear()
            postgres_vectors.index_vectors(cast(Connection, Recorder()), MODEL)
    assert asked and not any("count(" in sql or "CREATE" in sql for sql in asked)
