"""Nearest neighbours: what the matrix says is what comparing every vector would say, whatever happened before."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.model import Memory
from recollect.store import vector_index
from recollect.store.migrations import MIGRATIONS
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite
from recollect.store.store_values import Vectors
from recollect.store.vector_index import VectorIndex, to_blob
from recollect.text.passages import MAX_PASSAGES

MODEL = "random"
SIDE = 8

Rows = NDArray[np.float32]


def unit(rows: Rows) -> Rows:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def as_kept(vectors: Rows) -> Rows:
    """Return vectors as they come back from the database."""
    return np.frombuffer(to_blob(vectors), "<f2").astype(np.float32).reshape(vectors.shape)


class Shadow:
    """A store with vectors, and beside it a dictionary of what it should hold."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writer, self.reader = Store(Sqlite(path)), Store(Sqlite(path))
        self.random = np.random.default_rng(7)
        self.held: dict[str, tuple[str | None, Rows]] = {}
        self.rows: dict[str, Memory] = {}
        self.deletions: list[str] = []

    def close(self) -> None:
        self.writer.close()
        self.reader.close()

    def add(self, number: int) -> None:
        with self.writer.transaction("test") as transaction:
            name = f"m{len(transaction.find(Memory)) + len(self.deletions)}-{number}"
            if name not in self.rows:
                row = Memory(id=name, content=name, namespace=("/a", "/b", None)[number % 3])
                self.rows[name] = transaction.insert(row)
        self.embed(number)

    def embed(self, number: int) -> None:
        """Give the passages of some memory new vectors, whether they have some or not."""
        if self.rows:
            row = self._pick(number)
            # As many as its text has passages: here, up to three, and another number after a rewrite.
            parts = 1 + len(row.content) % 3
            vectors = unit(self.random.standard_normal((parts, SIDE)).astype(np.float32))
            assert self.writer.put_vectors(MODEL, [Vectors(row.id, row.rev, vectors)]) == 1
            self.held[row.id] = (row.namespace, as_kept(vectors))

    def rewrite(self, number: int) -> None:
        """Change the content of some memory: its vectors are void."""
        if self.rows:
            row = self._pick(number)
            with self.writer.transaction("test") as transaction:
                self.rows[row.id] = transaction.update(Memory, row.id, {"content": f"{row.content}!"})
            self.held.pop(row.id, None)

    def reweigh(self, number: int) -> None:
        """Change the importance of some memory: its vectors stay."""
        if self.rows:
            row = self._pick(number)
            with self.writer.transaction("test") as transaction:
                weight = {"importance": (row.importance + 0.1) % 1}
                self.rows[row.id] = transaction.update(Memory, row.id, weight)

    def delete(self, number: int) -> None:
        if self.rows:
            row = self._pick(number)
            with self.writer.transaction("test") as transaction:
                transaction.delete(Memory, {"id": row.id})
                self.deletions.append(transaction.batch)
            del self.rows[row.id]
            self.held.pop(row.id, None)

    def restore(self, _number: int) -> None:
        """Undo the last deletion: the memory is back and gets its vectors anew."""
        if self.deletions:
            with self.writer.transaction("undo") as transaction:
                transaction.undo(self.deletions.pop())
                (row,) = [row for row in transaction.find(Memory) if row.id not in self.rows]
            self.rows[row.id] = row
            self.embed(sorted(self.rows).index(row.id))

    def drop(self, _number: int) -> None:
        self.writer.drop_derived(vectors=True)
        self.held.clear()

    def reopen(self, _number: int) -> None:
        """Search from another process from now on."""
        self.reader.close()
        self.reader = Store(Sqlite(self.path))

    def look(self, number: int) -> None:
        """Search from the other store and compare with a scan of the dictionary."""
        query = unit(self.random.standard_normal(SIDE).astype(np.float32))
        scope = ("/a", "/b", None, ("/a", None), "everything")[number % 5]
        where = None if scope == "everything" else {"namespace": scope}
        wanted = {
            self.rows[name].seq * MAX_PASSAGES + part: float(vector @ query)
            for name, (namespace, vectors) in self.held.items()
            for part, vector in enumerate(vectors)
            if where is None or namespace == scope or (isinstance(scope, tuple) and namespace in scope)
        }
        limit = 1 + number % 7
        found = self.reader.search_vectors(MODEL, query, where, limit)
        assert len(found) == min(limit, len(wanted))
        best = sorted(wanted.values(), reverse=True)[:limit]
        assert [match.score for match in found] == pytest.approx(best, abs=1e-4)
        assert {match.pid: match.score for match in found} == pytest.approx(
            {match.pid: wanted[match.pid] for match in found}, abs=1e-4
        )
        pids, vectors = self.reader.vectors(MODEL, list(wanted), SIDE)
        assert dict(zip(pids, (vectors @ query).tolist(), strict=True)) == pytest.approx(wanted, abs=1e-4)

    def _pick(self, number: int) -> Memory:
        return self.rows[sorted(self.rows)[number % len(self.rows)]]


steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "add", "add", "embed", "rewrite", "reweigh", "delete", "restore", "drop", "reopen", "look", "look"]
        ),
        st.integers(0, 60),
    ),
    min_size=5,
    max_size=40,
)


@pytest.mark.promise("E6")
@pytest.mark.parametrize("exact_rows", [vector_index.EXACT_ROWS, 2], ids=["in memory", "mapped"])
@settings(max_examples=25)
@given(steps)
def test_a_search_equals_a_scan_after_any_sequence_of_changes(
    tmp_path_factory: pytest.TempPathFactory, exact_rows: int, steps: list[tuple[str, int]]
) -> None:
    shadow = Shadow(tmp_path_factory.mktemp("vectors") / "store.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_index, "EXACT_ROWS", exact_rows)
        try:
            for step, number in [*steps, ("look", 4)]:
                getattr(shadow, step)(number)
        finally:
            shadow.close()


# --- many rows: the index alone, on vectors written straight into its table ---


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for migration in MIGRATIONS:
        for statement in migration.statements("sqlite"):
            connection.execute(statement)
    yield connection
    connection.close()


def fill(connection: sqlite3.Connection, rows: Rows) -> None:
    connection.executemany(
        "INSERT INTO memories (id, content, memory_type, content_hash, created_at, updated_at, last_accessed_at, "
        "namespace, seq, rev) VALUES (?, '', 'context', '', 0, 0, 0, ?, ?, 1)",
        [(str(number), f"/{number % 4}", number) for number in range(len(rows))],
    )
    connection.executemany(
        "INSERT INTO memory_embeddings (memory_id, embedding, model, stamp) VALUES (?, ?, ?, 1)",
        [(str(number), to_blob(vector), MODEL) for number, vector in enumerate(rows)],
    )


def clustered(rows: int, width: int) -> Rows:
    random = np.random.default_rng(11)
    centres = random.standard_normal((60, width))
    return unit((centres[random.integers(60, size=rows)] + 0.6 * random.standard_normal((rows, width))).astype("f4"))


@pytest.mark.promise("E6")
@pytest.mark.parametrize("scopes", [None, ("/1", "/2")])
def test_the_search_by_bits_finds_nearly_all_that_a_scan_finds(
    database: sqlite3.Connection, scopes: tuple[str, ...] | None
) -> None:
    vectors = clustered(6_000, 96)
    fill(database, vectors)
    scan, bits = VectorIndex(MODEL), VectorIndex(MODEL, exact_rows=1_000)
    scan.refresh(database)
    bits.refresh(database)
    found = wanted = 0
    for query in clustered(6_040, 96)[6_000:]:
        expected = scan.nearest(query, scopes, 10)
        approximate = bits.nearest(query, scopes, 10)
        assert [score for _, score in approximate] == sorted((score for _, score in approximate), reverse=True)
        found += len({seq for seq, _ in expected} & {seq for seq, _ in approximate})
        wanted += len(expected)
    assert wanted == 400
    assert found / wanted >= 0.95


def test_a_scan_of_many_rows_is_exact(database: sqlite3.Connection) -> None:
    vectors = clustered(3_000, 32)
    fill(database, vectors)
    index = VectorIndex(MODEL)
    index.refresh(database)
    kept = np.stack([as_kept(vector) for vector in vectors])
    for query in clustered(3_010, 32)[3_000:]:
        expected = np.argsort(-(kept @ query), kind="stable")[:10]
        found = index.nearest(query, None, 10)
        assert [score for _, score in found] == pytest.approx((kept @ query)[expected].tolist(), abs=1e-5)
        assert {pid // MAX_PASSAGES for pid, _ in found} == set(expected.tolist())


def test_growing_past_the_limit_of_the_scan_keeps_every_row(tmp_path: Path) -> None:
    store = Store(Sqlite(tmp_path / "store.db"))
    index = VectorIndex(MODEL, exact_rows=100)
    connection = Sqlite(tmp_path / "store.db")
    vectors = clustered(300, 16)
    for start in range(0, 300, 50):
        with store.transaction("test") as transaction:
            rows = [transaction.insert(Memory(id=str(n), content="x")) for n in range(start, start + 50)]
        pairs = zip(rows, vectors[start : start + 50], strict=True)
        store.put_vectors(MODEL, [Vectors(row.id, row.rev, vector[None]) for row, vector in pairs])
        index.refresh(connection.connection())
        for number in range(0, start + 50, 7):
            ((pid, score),) = index.nearest(vectors[number], None, 1)
            assert store.find(Memory, {"seq": pid // MAX_PASSAGES})[0].id == str(number)
            assert score == pytest.approx(1, abs=2e-3)
    store.close()
    connection.close()
