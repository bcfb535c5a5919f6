"""Search of passages by words and by vectors, over state that is derived from the memories.

The unit of matching is a passage, a part of a memory's text (recollect.text.passages); the unit of an answer is the
memory. A passage's number contains both, so that derived tables need no extra column and no join:

    pid = seq * 1024 + part
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.clock import new_id
from recollect.errors import StorageError, StoreUnwritable
from recollect.model import Memory
from recollect.store import full_text
from recollect.store.dialect import Connection, SearchRow, TextRow
from recollect.store.full_text import WIDENING, best_matches, marks, search_times
from recollect.store.row_queries import (
    EVERYTHING,
    Rows,
    chunks,
    generation,
    increment,
    newest_change,
    read_setting,
    write_setting,
)
from recollect.store.store_values import Filter, Match, MemoryVectors, Passage, PassageVectors, TermCounts, Vectors
from recollect.store.tables import STANDING_COLUMNS, TABLES, standing
from recollect.text.passage_features import shape, unpacked
from recollect.text.passages import MAX_PASSAGES, head
from recollect.text.passages import passages as passages_of
from recollect.text.terms import given_tags, terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.store.vector_index import Saved, VectorIndex

# Passages whose terms are cached: a recall reads some hundred, mostly those of the last one. 6 KB each.
TOKEN_CACHE = 2_048
# The search for memories without a vector starts where it last found none. Storing that place costs a write, so it is
# done once per this many changes.
COMPLETE_STEP = 1_000
# Up to this many changes since then, each changed memory is checked: 1 ms, at any size of the store.
FEW_CHANGES = 2_000
# Known memories without a vector are looked for among so many of the newest memories: 2 ms, at any size of the store.
NEWEST = 1_000

_FIRST_VECTOR = "SELECT 1 FROM memory_embeddings e WHERE e.memory_id = memories.id AND e.model = ? AND e.part = 0"
_LACKING = f"rev > ? AND NOT EXISTS ({_FIRST_VECTOR})"
_NEWEST_KNOWN = f"observed = 0 AND seq > (SELECT max(seq) FROM memories) - {NEWEST}"


def text_rows(memory: Memory) -> list[TextRow]:
    """Return the full-text rows of a memory; the slow part of indexing, without a connection."""
    scope, author = full_text.scope_term(memory.namespace), " ".join(terms(memory.author or ""))
    labels = " ".join(
        terms(" ".join(part for part in (memory.title, memory.category, *given_tags(memory.tags)) if part))
    )
    parts = passages_of(memory.content)
    # A line of a list of changes is about something else than its neighbours: it is ranked like a note.
    count = 1 if head(memory.content) else len(parts)
    said = memory.said_at
    return [
        (
            memory.seq * MAX_PASSAGES + part,
            scope,
            author,
            labels,
            " ".join(terms(passage)),
            shape(passage, parts=count, at=said).packed(),
        )
        for part, passage in enumerate(parts)
    ]


def named_days(rows: Sequence[TextRow]) -> list[tuple[int, str, int, int]]:
    """Return the days that passages name: passage, scope, first day and end."""
    return [(pid, scope, *day) for pid, scope, *_, facts in rows for day in unpacked(facts).times or ()]


def passages(connection: Connection, pids: Sequence[int]) -> list[Passage]:
    """Return the passages with these numbers, in order."""
    rows = full_text.passage_rows(connection, pids, STANDING_COLUMNS)
    return [
        Passage(
            pid,
            memory_id,
            session_id,
            at,
            _names(author),
            _tokens(author, labels, body),
            unpacked(facts),
            True,
            standing(tuple(told)),
        )
        for pid, memory_id, session_id, at, author, labels, body, facts, *told in rows
    ]


@lru_cache(maxsize=TOKEN_CACHE)
def _tokens(author: str, labels: str, body: str) -> list[str]:
    """Return the terms of a passage; the list is shared and must not be changed."""
    return f"{author} {labels} {body}".split()


# So many memories that pass a filter are read at once: their numbers take less than a millisecond.
FEW = 1000


@lru_cache(maxsize=TOKEN_CACHE)
def _names(author: str) -> tuple[str, ...]:
    return tuple(author.split())


class Searches(Rows):
    """The part of a store that searches passages and has their vectors."""

    _indexes: dict[str, VectorIndex]

    def search_text(
        self, terms: Sequence[str], where: Filter | None, limit: int, *, counts: TermCounts | None = None
    ) -> list[Match]:
        scopes, rest = _scoped(where)
        if not terms or scopes == ():
            return []
        with self._dialect.errors():
            return self._widening(
                lambda wanted: self._dialect.search_text(
                    self._connection(), terms, scopes, wanted, counts and counts.by_term
                ),
                rest,
                limit,
            )

    def search_vectors(self, model: str, query: NDArray[np.float32], where: Filter | None, limit: int) -> list[Match]:
        """Return the passages nearest to `query` by cosine, among vectors of `model` alone, a few of each memory."""
        scopes, rest = _scoped(where)
        with self._dialect.errors():
            index = self._dialect.vector_search(model) or self._refreshed(model)
            return self._widening(lambda wanted: index.nearest(query, scopes, wanted), rest, limit)

    def search_times(self, times: Sequence[tuple[int, int]], where: Filter | None, limit: int) -> list[Match]:
        scopes, rest = _scoped(where)
        if not times or scopes == ():
            return []
        with self._dialect.errors():
            return self._widening(lambda wanted: search_times(self._connection(), times, scopes, wanted), rest, limit)

    def vectors(self, model: str, pids: Sequence[int], width: int) -> PassageVectors:
        """Return the vectors of `model` of these passages, of those that have one of this width."""
        with self._dialect.errors():
            return (self._dialect.vector_search(model) or self._refreshed(model)).vectors(pids, width)

    def passages(self, pids: Iterable[int], where: Filter | None = None) -> list[Passage]:
        wanted = sorted(set(pids))
        allowed = self._ids_of(sorted({pid // MAX_PASSAGES for pid in wanted}), where) if where else None
        with self._dialect.errors():
            found = [row for chunk in chunks(wanted) for row in passages(self._connection(), chunk)]
        if allowed is None:
            return found
        return [passage if passage.seq in allowed else passage._replace(eligible=False) for passage in found]

    def neighbours(self, pids: Iterable[int], reach: int) -> dict[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        with self._dialect.errors():
            for chunk in chunks(sorted({pid // MAX_PASSAGES for pid in pids})):
                found.update(self._dialect.session_neighbours(self._connection(), chunk, reach))
        return found

    def centralities(self, memory_ids: Iterable[str]) -> dict[str, float]:
        """Return the computed centrality of these memories; {} if the graph has no edges."""
        if not self._rows("SELECT 1 FROM graph_edges LIMIT 1"):
            return {}
        # A memory may have nodes of other kinds beside its own, as a file that it is about.
        sql = "SELECT memory_id, max(centrality) FROM graph_nodes WHERE centrality > 0 AND memory_id"
        return dict(self._in_chunks(sql, sorted(set(memory_ids)), " GROUP BY memory_id"))

    def term_counts(self, terms: Sequence[str], names: Sequence[str] = (), where: Filter | None = None) -> TermCounts:
        """Return term frequencies, which of the names are authors, and which terms are known.

        They are those of the filter's namespaces; a filter of known memories leaves out terms of observed ones.
        """
        known = (where or {}).get("observed") is False
        with self._dialect.errors():
            return self._dialect.term_counts(self._connection(), terms, names, _scoped(where)[0], known=known)

    def put_vectors(self, model: str, vectors: Iterable[Vectors]) -> int:
        """Store vectors whose memory has not changed since; returns how many memories became complete.

        A memory is complete when its first passage has a vector, so the first passage is embedded last.
        """
        from recollect.store.vector_index import to_blob

        kept_count = 0
        with self._dialect.errors(), self._dialect.write() as connection:
            stamp = increment(connection, "vector_stamp")
            given = list(vectors)
            ids = sorted({vector.memory_id for vector in given})
            current = set(self._in_chunks("SELECT id, rev FROM memories WHERE id", ids))
            for vector in given:
                if (vector.memory_id, vector.rev) not in current:
                    continue
                connection.execute(
                    "DELETE FROM memory_embeddings WHERE memory_id = ? AND model = ? AND part BETWEEN ? AND ?",
                    (vector.memory_id, model, vector.first, vector.first + len(vector.values) - 1),
                )
                for part, values in enumerate(vector.values, vector.first):
                    connection.execute(
                        "INSERT INTO memory_embeddings (memory_id, embedding, model, part, stamp) "
                        "VALUES (?, ?, ?, ?, ?)",
                        (vector.memory_id, self._dialect.vector_value(to_blob(values)), model, part, stamp),
                    )
                kept_count += vector.first == 0
            self._dialect.index_vectors(connection, model, stamp, kept_count)
        return kept_count

    def lacking_vectors(
        self,
        model: str,
        limit: int,
        *,
        longest: int | None = None,
        without: Mapping[str, int] = {},
        known: bool = False,
    ) -> list[Memory]:
        """Return memories that are not complete in `model`, newest first; after few changes, observed ones last.

        longest: only memories of at most so many characters; if there are none, the shortest of the others.
        without: memories to skip, by revision; a memory that changed since is not skipped
        known: only known memories, among the newest of all
        """
        left_out = ["NOT (id = ? AND rev = ?)"] * len(without)
        condition = " AND ".join([_LACKING, *([_NEWEST_KNOWN] if known else []), *left_out])
        with self._dialect.errors(), self._dialect.snapshot() as connection:
            key, newest = _complete_key(connection, model)
            complete = int(read_setting(connection, key) or 0)
            # The sign makes SQLite start from the changed rows; without it, it reads from the newest on until it has
            # enough, which is faster if most lack a vector. Observed memories rank last, so they are embedded last.
            newest_first = f" ORDER BY {'observed, +' if newest - complete <= FEW_CHANGES else ''}seq DESC LIMIT ?"
            shortest = " ORDER BY length(content), seq DESC LIMIT 1"
            values = [complete, model, *(value for pair in without.items() for value in pair)]
            if longest is None:
                lacking = self._select(TABLES[Memory], condition + newest_first, [*values, limit])
            else:
                short = f"{condition} AND length(content) <= ?{newest_first}"
                lacking = self._select(TABLES[Memory], short, [*values, longest, limit])
                lacking = lacking or self._select(TABLES[Memory], condition + shortest, values)
        if not lacking and not without and not known and newest - complete > COMPLETE_STEP:
            self._remember_complete(key, newest)
        return lacking

    def count_lacking(self, model: str) -> int:
        """Return how many memories are not complete in `model`."""
        with self._dialect.errors(), self._dialect.snapshot() as connection:
            key, newest = _complete_key(connection, model)
            complete = int(read_setting(connection, key) or 0)
            if newest - complete <= FEW_CHANGES:
                sql = f"SELECT count(*) FROM memories WHERE {_LACKING}"
                return int(next(iter(connection.execute(sql, (complete, model))))[0])
            every = int(next(iter(connection.execute("SELECT count(*) FROM memories")))[0])
            lacking = every - self.count_vectors(model)
        if not lacking:
            self._remember_complete(key, newest)
        return lacking

    def _remember_complete(self, key: str, newest: int) -> None:
        try:
            with self._dialect.errors(), self._dialect.write() as connection:
                write_setting(connection, key, str(newest))
        except StorageError:
            # Only a shortcut for the next search: without it that is slower, not wrong.
            return

    def embedded_from(self, model: str, memory_id: str) -> int | None:
        """Return the first passage of a memory that has a vector of `model`; None if none has."""
        sql = "SELECT min(part) FROM memory_embeddings WHERE memory_id = ? AND model = ?"
        found = self._value(sql, (memory_id, model))
        return None if found is None else int(found)

    def count_vectors(self, model: str) -> int:
        """Return how many memories have a vector of `model`."""
        return self.count_embedded(model, 0)

    def count_embedded(self, model: str, part: int) -> int:
        """Return how many memories have a vector of `model` for this passage."""
        return int(self._value("SELECT count(*) FROM memory_embeddings WHERE model = ? AND part = ?", (model, part)))

    def memory_vectors(self, model: str) -> MemoryVectors:
        """Return one vector of every memory that has one of `model`."""
        from recollect.store.vector_index import means

        sql = "SELECT memory_id, embedding FROM memory_embeddings WHERE model = ? ORDER BY memory_id, part"
        with self._dialect.errors():
            return MemoryVectors(*means(self._connection().execute(sql, (model,))))

    def sampled_vectors(self, model: str, where: Filter | None, limit: int) -> tuple[MemoryVectors, int]:
        """Return the vectors of at most `limit` matching memories, evenly spread by age, and how many have one."""
        from recollect.store.vector_index import means

        condition, values = self._condition(TABLES[Memory], where)
        having = f"{condition} AND EXISTS ({_FIRST_VECTOR})"
        with self._dialect.errors(), self._dialect.snapshot() as connection:
            total = int(
                next(iter(connection.execute(f"SELECT count(*) FROM memories WHERE {having}", [*values, model])))[0]
            )
            numbered = f"SELECT id, row_number() OVER (ORDER BY seq) AS place FROM memories WHERE {having}"
            step = max(1, -(-total // limit))
            chosen = connection.execute(f"SELECT id FROM ({numbered}) AS m WHERE place % ? = 0", [*values, model, step])
            rows: list[tuple[str, bytes]] = []
            for chunk in chunks([row[0] for row in chosen]):
                among = f"model = ? AND memory_id IN ({marks(chunk)}) ORDER BY memory_id, part"
                sql = f"SELECT memory_id, embedding FROM memory_embeddings WHERE {among}"
                rows += connection.execute(sql, [model, *chunk])
        return MemoryVectors(*means(rows)), total

    def _refreshed(self, model: str) -> VectorIndex:
        index = self._indexes.get(model)
        if index is None:
            from recollect.store.vector_index import VectorIndex

            index = self._indexes.setdefault(model, VectorIndex(model))
        with self._dialect.snapshot() as connection:
            index.refresh(connection, lambda: self._saved(connection, model))
        if (whole := index.unsaved()) is not None and not self._dialect.describe().read_only:
            # Without a file the next process reads all vectors again: slower, not wrong.
            with suppress(StorageError, OSError), self._dialect.errors():
                self._save(index, model, whole)
        return index

    def _saved(self, connection: Connection, model: str) -> Saved | None:
        """Map this database's file with the vectors of a model, if there is one."""
        from recollect.store.vector_file import path_of, read

        token = read_setting(connection, _file_key(model))
        return read(path_of(self._dialect.path, model), model, token) if token else None

    def _save(self, index: VectorIndex, model: str, whole: Saved) -> None:
        """Write all vectors to the file of their model and use that. Raises OSError, StorageError."""
        from recollect.store import vector_file

        path, token = vector_file.path_of(self._dialect.path, model), new_id()
        part = vector_file.write(path, model, token, whole)
        try:
            with self._dialect.write(patiently=False) as connection:
                # Vectors that were dropped meanwhile, as by a purge, must not return with this file.
                if generation(connection)[0] != whole.seen[0]:
                    return
                part.replace(path)
                write_setting(connection, _file_key(model), token)
        finally:
            part.unlink(missing_ok=True)
        if (saved := vector_file.read(path, model, token)) is not None:
            index.use(saved)
            self._dialect.release()

    def _forget_files(self) -> None:
        """Delete all vector files, and make every process reload its vectors. Raises StorageError."""
        from recollect.store.vector_file import remove_all

        self._indexes.clear()
        with self._dialect.write() as connection:
            # First: a process that is about to write a file of older vectors sees the new epoch and stops.
            increment(connection, "vector_epoch")
        try:
            remove_all(self._dialect.path)
        except OSError as problem:
            raise StoreUnwritable(f"{problem.filename}: {problem.strerror}", path=str(problem.filename)) from problem

    def _widening(self, search: Callable[[int], Sequence[SearchRow]], where: Filter | None, limit: int) -> list[Match]:
        """Return the best `limit` passages that exist and pass the filter, widening the search if needed."""
        wanted = limit * WIDENING if where else limit + WIDENING
        few: Mapping[int, str] | None = None
        while True:
            ranked = search(wanted)
            ids = self._ids_of([pid // MAX_PASSAGES for pid, _ in ranked], where) if few is None else few
            matches = best_matches(ranked, ids, limit)
            if len(matches) >= limit or len(ranked) < wanted:
                return matches
            few = self._few(where) if where else None
            if few == {}:
                return []
            # Where few memories pass, reading all of them is cheaper than testing everything by and by.
            wanted = wanted * WIDENING if few is None else EVERYTHING

    def _few(self, where: Filter) -> Mapping[int, str] | None:
        """Return the memories that pass a filter, by number; None if these are many."""
        condition, values = self._condition(TABLES[Memory], where)
        sql = f"SELECT seq, id FROM memories WHERE {condition} LIMIT ?"
        found = dict(self._connection().execute(sql, [*values, FEW + 1]))
        return found if len(found) <= FEW else None

    def _ids_of(self, seqs: Sequence[int], where: Filter | None) -> Mapping[int, str]:
        condition, values = self._condition(TABLES[Memory], where)
        columns = ", ".join(dict.fromkeys(("seq", "id", *(where or ()))))
        found: dict[int, str] = {}
        for chunk in chunks(list(dict.fromkeys(seqs))):
            # Rows first, filter second: otherwise the database reads a whole namespace to find these few (5 ms instead
            # of 0.5 ms at 10,000 memories).
            sql = (
                f"WITH wanted AS MATERIALIZED (SELECT {columns} FROM memories WHERE seq IN ({marks(chunk)})) "
                f"SELECT seq, id FROM wanted WHERE {condition}"
            )
            found.update(self._connection().execute(sql, [*chunk, *values]))
        return found


def _file_key(model: str) -> str:
    """Return the setting with the token of a model's vector file."""
    return f"vector_file/{model}"


def _complete_key(connection: Connection, model: str) -> tuple[str, int]:
    """Return the setting with the change up to which every memory has a vector, and the newest change.

    The key contains the epoch, since dropping vectors invalidates the value.
    """
    return f"vectors_complete/{read_setting(connection, 'vector_epoch') or 0}/{model}", newest_change(connection)


def _scoped(where: Filter | None) -> tuple[tuple[str | None, ...] | None, Filter | None]:
    """Split a filter into the namespaces a search is scoped by (None: all) and the rest."""
    if not where or "namespace" not in where:
        return None, where
    wanted = where["namespace"]
    rest = {field: value for field, value in where.items() if field != "namespace"}
    if wanted is None or isinstance(wanted, str):
        return (wanted,), rest
    if isinstance(wanted, tuple | list | set | frozenset):
        return tuple(wanted), rest
    return None, where
