"""Nearest passages by cosine in PostgreSQL, by pgvector.

    up to 10,000 vectors of a model    all are compared
    above                              an HNSW index per model selects candidates
    few memories in the scope          all of the scope are compared, whatever the size of the store

A process needs no copy of the vectors. The candidates' cosines are computed here, by the function that SQLite's search
uses, so that scores are the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format

from recollect.store.dialect import Connection, SearchRow
from recollect.store.store_values import PassageVectors
from recollect.text.digest import digest
from recollect.text.passages import MAX_PASSAGES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# From this many vectors of a model on they get an index. Comparing 10,000 takes about 20 ms, building takes seconds.
INDEXED_FROM = 10_000
# After every so many additions, and after one of so many vectors, the vectors of the model are counted.
COUNT_EVERY = 64
MANY_VECTORS = 500
# Scopes of up to this many memories are compared as a whole if they are few of all: a filtered index would miss most.
# Comparing 17,000 takes 140 ms, four times as long as the index.
EXACT_SCOPE = 20_000
FEW_OF_ALL = 0.05
# pgvector cannot index longer half-precision vectors.
MAX_INDEXED_WIDTH = 4_000
# Compiling a query takes longer than any of ours. Candidates per search of the index (ef_search), and how it goes on if
# a filter removes too many.
SETTINGS = (
    "SET jit = off; SET hnsw.ef_search = 800; SET hnsw.iterative_scan = relaxed_order; SET hnsw.max_scan_tuples = 80000"
)


class Halfvec(bytes):
    """A vector as the store keeps it (little-endian float16), bound as a value of pgvector's type."""


class _HalfvecDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Halfvec) -> Buffer:
        return (len(obj) // 2).to_bytes(2, "big") + b"\0\0" + _swapped(obj)


class _HalfvecLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return _swapped(bytes(data)[4:])


class _FlagDumper(Dumper):
    """Truth values are stored as 1 and 0, as in SQLite."""

    format = Format.TEXT
    oid = psycopg.adapters.types["int2"].oid

    def dump(self, obj: bool) -> Buffer:
        return b"1" if obj else b"0"


def _swapped(data: bytes) -> bytes:
    """Return 16-bit numbers in the other byte order."""
    import numpy as np

    return np.frombuffer(data, np.uint16).byteswap().tobytes()


def adapt(session: psycopg.Connection[Any]) -> None:
    """Teach a connection the types that are bound to it and read from it. The extension must exist."""
    session.adapters.register_dumper(bool, _FlagDumper)
    (oid,) = session.execute("SELECT 'halfvec'::regtype::oid").fetchone() or (0,)
    session.adapters.register_dumper(Halfvec, type("Bound", (_HalfvecDumper,), {"oid": oid}))
    session.adapters.register_loader(oid, _HalfvecLoader)


class PostgresVectors:
    """The search of one model's vectors."""

    def __init__(self, connection: Connection, model: str) -> None:
        self._connection, self._model = connection, model

    def nearest(self, query: NDArray[np.float32], scopes: Sequence[str | None] | None, limit: int) -> list[SearchRow]:
        """Return the `limit` nearest passages as (number, cosine), of these namespaces only if `scopes` is given."""
        width = len(query)
        scope, values = "", []
        if scopes is not None:
            nowhere = " OR m.namespace IS NULL" if None in scopes else ""
            scope, values = f" AND (m.namespace = ANY(?){nowhere})", [[name for name in scopes if name is not None]]
        sql = nearest_sql(self._model, width, scope, exactly=scopes is not None and self._is_small(scope, values))
        return self._scored(self._connection.execute(sql, (*values, _halfvec(query), limit)), query)

    def vectors(self, pids: Sequence[int], width: int) -> PassageVectors:
        """Return the vectors of these passages, of those that have one of this width."""
        # In this order: the planner takes a model for rare, and would read all of its vectors for every passage.
        sql = (
            "WITH wanted AS MATERIALIZED (SELECT id, seq FROM memories WHERE seq = ANY(?)) "
            f"SELECT w.seq * {MAX_PASSAGES} + v.part, v.embedding FROM wanted w JOIN LATERAL ("
            "SELECT e.part, e.embedding FROM memory_embeddings e WHERE e.memory_id = w.id AND e.part = ANY(?) "
            "AND (e.model || '') = ? AND vector_dims(e.embedding) = ? OFFSET 0) v ON true"
        )
        places = [divmod(pid, MAX_PASSAGES) for pid in pids]
        numbers = [sorted({place[side] for place in places}) for side in (0, 1)]
        rows = self._connection.execute(sql, (*numbers, self._model, width))
        asked = set(pids)
        found = sorted((int(pid), blob) for pid, blob in rows if pid in asked)
        return PassageVectors([pid for pid, _ in found], _stacked([blob for _, blob in found], width))

    def _is_small(self, scope: str, values: list[Any]) -> bool:
        every = "(SELECT reltuples FROM pg_class WHERE oid = 'memories'::regclass)"
        sql = f"SELECT count(*), {every} FROM (SELECT 1 FROM memories m WHERE true{scope} LIMIT ?) AS counted"
        own, known = next(iter(self._connection.execute(sql, (*values, EXACT_SCOPE + 1))))
        return bool(own <= min(EXACT_SCOPE, max(EXACT_SCOPE / 4, FEW_OF_ALL * known)))

    def _scored(self, rows: Any, query: NDArray[np.float32]) -> list[SearchRow]:
        from recollect.store.vector_index import cosines

        found = list(rows)
        vectors = _stacked([blob for _, blob in found], len(query))
        values = cosines(vectors, query.astype("<f4")).tolist()
        pids = (int(pid) for pid, _ in found)
        return sorted(zip(pids, values, strict=True), key=lambda row: (-row[1], row[0]))


def nearest_sql(model: str, width: int, scope: str, *, exactly: bool) -> str:
    """Return the query for the nearest passages of a scope; the vector and the limit are bound last."""
    distance = f"(e.embedding::halfvec({width}) <=> ?)"
    found = f"m.seq * {MAX_PASSAGES} + e.part, e.embedding"
    if exactly:
        # In this order: with statistics, the planner would read the vectors of all projects for those of a small one.
        return (
            f"WITH m AS MATERIALIZED (SELECT id, seq FROM memories m WHERE true{scope}) SELECT {found} FROM m "
            f"JOIN LATERAL (SELECT v.part, v.embedding FROM memory_embeddings v WHERE v.memory_id = m.id "
            f"AND {_of_model(model, width, 'v.')} OFFSET 0) e ON true ORDER BY {distance} LIMIT ?"
        )
    return (
        f"SELECT {found} FROM memory_embeddings e JOIN memories m ON m.id = e.memory_id "
        f"WHERE {_of_model(model, width)}{scope} ORDER BY {distance} LIMIT ?"
    )


def index_vectors(connection: Connection, model: str) -> None:
    """Build the HNSW index of a model if it has become large; in a write transaction."""
    # The vectors are counted up to the limit only: this runs under the write lock.
    newest = "SELECT vector_dims(embedding) FROM memory_embeddings WHERE model = ? ORDER BY stamp DESC LIMIT 1"
    for (width,) in list(connection.execute(newest, (model,))):
        name, of_model = f"idx_vectors_{digest(f'{model} {width}', 16)}", _of_model(model, width, "")
        some = f"SELECT 1 FROM memory_embeddings WHERE {of_model} LIMIT {INDEXED_FROM}"
        missing = f"SELECT count(*) FROM ({some}) AS found HAVING count(*) = {INDEXED_FROM}"
        has_index = next(iter(connection.execute("SELECT to_regclass(?) IS NOT NULL", (name,))))[0]
        if width <= MAX_INDEXED_WIDTH and not has_index and list(connection.execute(missing)):
            connection.execute(
                f"CREATE INDEX {name} ON memory_embeddings "
                f"USING hnsw ((embedding::halfvec({width})) halfvec_cosine_ops) WHERE {of_model}"
            )


def _of_model(model: str, width: int, table: str = "e.") -> str:
    """Return the condition for vectors of a model, without parameters: the planner compares it with the index's."""
    literal = "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in model)
    return f"{table}model = E'{literal}' AND vector_dims({table}embedding) = {width}"


def _stacked(blobs: Sequence[bytes], width: int) -> NDArray[np.float32]:
    """Return vectors as rows."""
    import numpy as np

    from recollect.store.vector_index import single

    return single(np.frombuffer(b"".join(blobs), "<f2").reshape(len(blobs), width))


def _halfvec(query: NDArray[np.float32]) -> Halfvec:
    import numpy as np

    return Halfvec(np.asarray(query, "<f2").tobytes())
