"""Keyword search of the database for the prompt fast path of a hook, which has no time to open a store.

It uses a bare connection of the standard library's driver and the functions of full_text.py: no records, no migration,
no repair. A database of another schema version is not read; the next process that opens a store migrates it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.store import full_text
from recollect.store.full_text import PASSAGES_PER_MEMORY, WIDENING, best_matches, marks
from recollect.store.migrations import APPLICATION_ID, MIGRATIONS
from recollect.store.passage import ORDINARY, Match, Passage, TermCounts
from recollect.text.passage_features import unpacked
from recollect.text.passages import MAX_PASSAGES

# How long it waits for a writer: a prompt must not wait longer for what may be no result.
PATIENCE_S = 0.05
# A vector of the shipped model: 384 numbers of 16 bits.
VECTOR_BYTES = 768


class Remembered(NamedTuple):
    """The fields of a memory that decide whether it is injected, and what of it."""

    id: str
    content: str
    title: str
    memory_type: str
    category: str | None
    author: str
    source: str
    session_id: str | None
    created_at: int
    superseded_by: str | None
    valid_to: int | None
    expires_at: int | None
    branch: str | None
    valid_from: int | None
    values: str

    @property
    def said_at(self) -> int:
        """When it was said or began to hold; otherwise when it was stored."""
        return self.created_at if self.valid_from is None else self.valid_from

    @property
    def metadata(self) -> Mapping[str, object]:
        """The values that were stored with it."""
        found = json.loads(self.values)
        return found if isinstance(found, dict) else {}


class FastPathReader:
    """A read connection to a recollect database, closed at the end of a block."""

    def __init__(self, path: str, *, scopes: Sequence[str | None]) -> None:
        """Open the database for the known memories of some namespaces. Raises sqlite3.Error."""
        self._connection = sqlite3.connect(_uri(path), uri=True, timeout=PATIENCE_S, isolation_level=None)
        self._scopes = tuple(scopes)

    def __enter__(self) -> FastPathReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def is_ours(self) -> bool:
        """Return whether it is a recollect database of this schema version."""
        ((application,),) = self._connection.execute("PRAGMA application_id")
        ((version,),) = self._connection.execute("PRAGMA user_version")
        return bool(application == APPLICATION_ID and version == len(MIGRATIONS))

    # --- the interface of keyword search (store.store_values.WordSearch); the filter is always that of the reader ---

    def term_counts(self, terms: Sequence[str], names: Sequence[str]) -> TermCounts:
        """Return term frequencies, and which terms are known; observed memories count, as its thresholds expect."""
        return full_text.term_counts(self._connection, terms, names, self._scopes)

    def search_text(
        self, terms: Sequence[str], where: Any, limit: int, *, counts: TermCounts | None = None
    ) -> list[Match]:
        """Return the passages that contain any of the terms, best first."""
        frequencies = counts.by_term if counts is not None else None
        ranked = full_text.search_terms(self._connection, terms, self._scopes, limit * WIDENING, frequencies)
        return self._matches(ranked, limit)

    def search_times(self, times: Sequence[tuple[int, int]], where: Any, limit: int) -> list[Match]:
        """Return passages of memories from these times, or whose text names a day in them."""
        return self._matches(full_text.search_times(self._connection, times, self._scopes, limit * WIDENING), limit)

    def passages(self, pids: Iterable[int], where: Any = None) -> list[Passage]:
        """Return passages in order; those of other namespaces are marked not eligible."""
        wanted = sorted(set(pids))
        allowed = self._ids([pid // MAX_PASSAGES for pid in wanted])
        rows = full_text.passage_rows(self._connection, wanted, "m.tags")
        return [
            Passage(
                pid,
                memory_id,
                session_id,
                at,
                tuple(author.split()),
                f"{author} {labels} {body}".split(),
                unpacked(facts),
                pid // MAX_PASSAGES in allowed,
                ORDINARY if tags == "[]" else ORDINARY._replace(tags=_tags(tags)),
            )
            for pid, memory_id, session_id, at, author, labels, body, facts, tags in rows
        ]

    def neighbours(self, pids: Iterable[int], reach: int) -> dict[int, tuple[int, ...]]:
        """Return, by memory number, the numbers of the memories just before and after it in its session."""
        return full_text.session_neighbours(self._connection, sorted({pid // MAX_PASSAGES for pid in pids}), reach)

    def vectors(self, model: str, pids: Iterable[int], newest: int) -> dict[int, bytes]:
        """Return the vectors of the newest known memories that hold, and of those of given passages, by passage.

        pids: of known memories
        """
        # observed = 0 lets an index answer; CROSS JOIN keeps SQLite from reading all vectors of the model.
        holds = f"observed = 0 AND superseded_by IS NULL AND {self._scope()} ORDER BY seq DESC LIMIT ?"
        rows = self._connection.execute(f"SELECT seq FROM memories WHERE {holds}", [*self._scopes, newest])
        wanted = list({*(seq for (seq,) in rows), *(pid // MAX_PASSAGES for pid in pids)})
        sql = (
            f"SELECT seq * {MAX_PASSAGES} + part, embedding FROM memories CROSS JOIN memory_embeddings "
            f"ON memory_id = id AND model = ? AND part < ? WHERE seq IN ({marks(wanted)}) AND superseded_by IS NULL"
        )
        found = self._connection.execute(sql, [model, PASSAGES_PER_MEMORY, *wanted])
        return {pid: blob for pid, blob in found if len(blob) == VECTOR_BYTES}

    def _scope(self) -> str:
        return f"(namespace IN ({marks(self._scopes)})" + (" OR namespace IS NULL)" if None in self._scopes else ")")

    def _matches(self, ranked: Sequence[tuple[int, float]], limit: int) -> list[Match]:
        return best_matches(ranked, self._ids([pid // MAX_PASSAGES for pid, _ in ranked]), limit)

    def _ids(self, seqs: Sequence[int]) -> Mapping[int, str]:
        wanted = list(dict.fromkeys(seqs))
        sql = (
            "WITH wanted AS MATERIALIZED (SELECT seq, id, observed, namespace FROM memories "
            f"WHERE seq IN ({marks(wanted)})) SELECT seq, id FROM wanted WHERE NOT observed AND {self._scope()}"
        )
        return dict(self._connection.execute(sql, [*wanted, *self._scopes]))

    # --- what is injected ---

    def remembered(self, ids: Sequence[str]) -> dict[str, Remembered]:
        """Return memories of the reader by their id, except those marked as useless to inject."""
        sql = (
            f"SELECT {', '.join(Remembered._fields[:-1])}, metadata FROM memories WHERE id IN ({marks(ids)}) "
            f"AND {self._scope()} "
            "AND NOT EXISTS (SELECT 1 FROM usefulness WHERE usefulness.id = memories.id AND last = 'useless')"
        )
        return {row[0]: Remembered._make(row) for row in self._connection.execute(sql, [*ids, *self._scopes])}

    def doubts(self, ids: Sequence[str], least: float) -> list[tuple[str, str]]:
        """Return pairs with these memories, of which one may have replaced the other; the most probable come last."""
        nodes = [f"mem:{name}" for name in ids]
        # The plus keeps SQLite from reading all links of a relationship.
        sql = (
            f"SELECT substr(src, 5), substr(dst, 5) FROM graph_edges WHERE (src IN ({marks(ids)}) OR "
            f"dst IN ({marks(ids)})) AND +relationship = 'CONTRADICTS' AND weight >= ? ORDER BY weight"
        )
        return list(self._connection.execute(sql, [*nodes, *nodes, least]))

    def verdicts(self, ids: Sequence[str]) -> dict[str, list[Any]]:
        """Return the verdicts on the anchors of memories, by memory."""
        found: dict[str, list[Any]] = {}
        sql = f"SELECT memory_id, verdict FROM anchor_states WHERE memory_id IN ({marks(ids)})"
        for memory_id, verdict in self._connection.execute(sql, ids):
            found.setdefault(memory_id, []).append(verdict)
        return found

    def setting(self, key: str) -> str | None:
        """Return a setting of the store."""
        rows = list(self._connection.execute("SELECT value FROM settings WHERE key = ?", (key,)))
        return str(rows[0][0]) if rows else None

    def offers(self, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return how often memories were injected and used, by memory."""
        sql = f"SELECT id, offered, used FROM usefulness WHERE id IN ({marks(ids)})"
        return {name: (offered, used) for name, offered, used in self._connection.execute(sql, ids)}

    def told(self, session_id: str) -> frozenset[str]:
        """Return the memories injected into a session since its context was last empty."""
        sql = (
            "SELECT memory_id FROM injections WHERE session_id = ? AND at >= "
            "coalesce((SELECT window_at FROM sessions WHERE id = ?), 0)"
        )
        return frozenset(row[0] for row in self._connection.execute(sql, (session_id, session_id)))

    def note(self, rows: Iterator[tuple[str, str, str, int, str, str, str]]) -> None:
        """Record injections: id, session, memory, time, event, reason and mark of each. Raises sqlite3.Error."""
        self._connection.execute("PRAGMA foreign_keys = ON")
        fields = "id, session_id, memory_id, at, event, why, mark"
        with self._connection:  # commits, or rolls back after an error
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(f"INSERT INTO injections ({fields}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def _uri(path: str) -> str:
    """Return the URI that opens an existing database and creates none."""
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?mode=rw"


def _tags(text: str) -> tuple[str, ...]:
    try:
        return tuple(map(str, json.loads(text)))
    except (ValueError, TypeError):
        return ()
