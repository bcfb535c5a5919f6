"""Queries of the full-text index of memories in SQLite (FTS5), with neighbours and term frequencies.

Functions of a bare connection, so that the prompt fast path can use them without loading a store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import pairwise, zip_longest
from typing import Any, Protocol

from recollect.store.passage import Match, TermCounts
from recollect.text.dates import DAY
from recollect.text.days import LONGEST_MENTION
from recollect.text.digest import digest
from recollect.text.passages import MAX_PASSAGES

# BM25 costs one to two microseconds for every posting it scores (100,000 rows: 74 ms for two very frequent words).
# Terms are used rarest first up to this many postings; the others distinguish memories least.
POSTINGS_BUDGET = 4_000
# The rarest terms are always searched, however frequent they are.
MIN_TERMS = 2

# Passages of a scope in which a term is counted. A term of more is frequent, and its number need not be exact.
MAX_COUNTED = 4_000
# Of a term of at most so many passages those of known memories are counted; of one of more, all are.
MAX_LOOKED_AT = 100
# How many more rows than asked a filtered search looks at first. Eight covers filters that keep one row in eight, and
# a store widens by the same factor when that was not enough.
WIDENING = 8

# How many passages of one memory a search returns at most, its best ones: every passage of a long text may contain the
# words of the query, and would fill the results.
PASSAGES_PER_MEMORY = 5
# Sorts behind every namespace.
LAST_NAME = "\U0010ffff"

# The namespace column only restricts; author, labels and body weigh the same: ranking proper comes after.
COLUMN_WEIGHTS = "0.0, 1.0, 1.0, 1.0"
# The passages of known memories. The order of the join is fixed: a term that is looked up has few passages.
_OF_KNOWN = (
    "SELECT 1 FROM memory_text CROSS JOIN memories m "
    f"ON m.seq = memory_text.rowid / {MAX_PASSAGES} WHERE NOT m.observed AND"
)


class Connection(Protocol):
    """The one method of a connection that is used."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Iterable[tuple[Any, ...]]: ...


def search_terms(
    connection: Connection,
    terms: Sequence[str],
    scopes: Sequence[str | None] | None,
    limit: int,
    frequencies: Mapping[str, int] | None = None,
) -> list[tuple[int, float]]:
    """Return the passages that contain any of the terms, best first: numbers and scores, higher is better."""
    known = frequencies_of(connection, terms) if frequencies is None else frequencies
    chosen = affordable(known)
    if not chosen:
        return []
    inside = "" if scopes is None else f"scope : ({any_of([scope_term(name) for name in scopes])}) AND "
    sql = (
        f"SELECT rowid, bm25(memory_text, {COLUMN_WEIGHTS}) AS distance FROM memory_text "
        "WHERE memory_text MATCH ? ORDER BY distance LIMIT ?"
    )

    def ranked(match: str) -> list[tuple[int, float]]:
        rows = connection.execute(sql, (f"{inside}{{author labels body}} : ({match})", limit))
        return [(int(pid), -float(distance)) for pid, distance in rows]

    if len(chosen) == 1 or sum(known[term] for term in chosen) <= POSTINGS_BUDGET:
        return ranked(any_of(chosen))
    # Of frequent terms only: passages with all of them, then with the rarest, which weighs most; with any, if too few.
    found = ranked(any_of(chosen, " AND "))
    if len(found) < limit:
        found = sorted({**dict(ranked(any_of(chosen[:1]))), **dict(found)}.items(), key=lambda row: -row[1])[:limit]
    return found if len(found) >= limit else ranked(any_of(chosen))


def best_matches(ranked: Iterable[tuple[int, float]], ids: Mapping[int, str], limit: int) -> list[Match]:
    """Return the first passages of known memories, at most PASSAGES_PER_MEMORY of each."""
    taken: Counter[int] = Counter()
    found: list[Match] = []
    for pid, score in ranked:
        seq = pid // MAX_PASSAGES
        if seq in ids and taken[seq] < PASSAGES_PER_MEMORY:
            taken[seq] += 1
            found.append(Match(ids[seq], score, pid))
    return found[:limit]


def passage_rows(connection: Connection, pids: Sequence[int], beside: str) -> Iterable[tuple[Any, ...]]:
    """Return passages in order: number, memory, session, time, terms of author, labels and body, shape.

    beside: columns of its memory (m) that follow
    """
    sql = (
        "SELECT t.rowid, m.id, m.session_id, coalesce(m.valid_from, m.created_at), "
        f"t.author, t.labels, t.body, t.shape, {beside} FROM memory_text t "
        f"JOIN memories m ON m.seq = t.rowid / {MAX_PASSAGES} WHERE t.rowid IN ({marks(pids)}) ORDER BY t.rowid"
    )
    return connection.execute(sql, pids)


def search_times(
    connection: Connection, times: Sequence[tuple[int, int]], scopes: Sequence[str | None] | None, limit: int
) -> list[tuple[int, float]]:
    """Return passages of memories from these times, [start, end), or that name a day in them: numbers and scores.

    Both kinds alternate, so that neither crowds out the other.
    """
    kinds = _stored_in(connection, times, scopes, limit), _naming_days(connection, times, scopes, limit)
    found = dict.fromkeys(pid for turn in zip_longest(*kinds) for pid in turn if pid is not None)
    return [(pid, float(-rank)) for rank, pid in enumerate(found)][:limit]


def _stored_in(
    connection: Connection, times: Sequence[tuple[int, int]], scopes: Sequence[str | None] | None, limit: int
) -> list[int]:
    """Return the first passages of memories from one of these times, newest first."""
    said, scope = "coalesce(valid_from, created_at)", ""
    if scopes is not None:
        # An expression has no index: without it, a database reads a whole namespace instead of the end of a period.
        nowhere = " OR namespace IS NULL" if None in scopes else ""
        scope = f" AND ((namespace || '') IN ({marks(scopes)}){nowhere})"
    sql = (
        f"SELECT {said} AS said, seq FROM memories WHERE {said} >= ? AND {said} < ?{scope} "
        "ORDER BY said DESC, seq DESC LIMIT ?"
    )
    # One statement for all times would read each period to its beginning.
    found = {row for time in times for row in connection.execute(sql, (*time, *(scopes or ()), limit))}
    return [seq * MAX_PASSAGES for _, seq in sorted(found, reverse=True)]


def _naming_days(
    connection: Connection, times: Sequence[tuple[int, int]], scopes: Sequence[str | None] | None, limit: int
) -> list[int]:
    """Return passages that name a day in one of these times: the most exact first, then the latest day."""
    found: set[tuple[int, int, int]] = set()
    for scope in (None,) if scopes is None else map(scope_term, scopes):
        for start, stop in times:
            first, end = start // DAY, -(-stop // DAY)
            rows = _mentions(connection, first, end, scope, limit)
            found |= {(max(length, end - first), -day, -pid) for length, day, pid in rows}
    return list(dict.fromkeys(-pid for _, _, pid in sorted(found)))


def _mentions(
    connection: Connection, first: int, end: int, scope: str | None, limit: int
) -> list[tuple[int, int, int]]:
    """Return length, first day and passage of mentions of the days [first, end)."""
    days = "end_day - first_day"
    sql = (
        f"SELECT {days} AS days, first_day, pid FROM memory_days WHERE {'scope = ? AND ' if scope else ''}"
        f"first_day > ? AND first_day < ? AND end_day > ? AND {days} > ? AND {days} <= ? "
        "ORDER BY {}first_day DESC, end_day DESC, pid DESC LIMIT ?"
    )
    rows: list[Any] = []
    # Mentions no longer than the time asked about are read in the order of the index, and no further than needed.
    # Longer ones have to be sorted: they are read only where the others are not enough.
    for order, more, most in (("", 0, end - first), ("days, ", end - first, LONGEST_MENTION)):
        if more < most and len(rows) < limit:
            values = (first - most, end, first, more, most, limit - len(rows))
            rows += connection.execute(sql.format(order), (scope, *values) if scope else values)
    return rows


# SQL for the values of a query of one column, joined by commas.
JOINED = "(SELECT group_concat(seq) FROM ({}))"


def session_neighbours(
    connection: Connection, seqs: Sequence[int], reach: int, joined: str = JOINED
) -> dict[int, tuple[int, ...]]:
    """Return the memories before and after each memory in its session, the nearest first on each side."""

    def side(sign: str, order: str) -> str:
        return joined.format(
            "SELECT n.seq FROM memories n WHERE n.session_id = m.session_id "
            f"AND n.seq {sign} m.seq ORDER BY n.seq {order} LIMIT {int(reach)}"
        )

    sql = (
        f"SELECT m.seq, {side('<', 'DESC')}, {side('>', 'ASC')} FROM memories m "
        f"WHERE m.seq IN ({marks(seqs)}) AND m.session_id IS NOT NULL"
    )
    return {
        seq: tuple(int(other) for found in (before, after) if found for other in str(found).split(","))
        for seq, before, after in connection.execute(sql, seqs)
    }


def term_counts(
    connection: Connection,
    terms: Sequence[str],
    names: Sequence[str],
    scopes: Sequence[str | None] | None,
    *,
    known: bool = False,
) -> TermCounts:
    """Return how often terms occur in the scopes, and which of the names are authors there.

    known: of rare terms, count passages of known memories only
    """
    # The number of passages only scales the weight of terms. Counting them takes 4 ms at 100,000; the highest number
    # is read from the end of the index and is close enough.
    passages = newest = int(next(iter(connection.execute("SELECT coalesce(max(seq), 0) FROM memories")))[0])
    sql = "SELECT 1 FROM memory_names WHERE term = ? AND col = 'author'"
    authors = frozenset(name for name in names if list(connection.execute(sql, (name,))))
    by_term = frequencies_of(connection, terms)
    inside = ""

    def counted(columns: str, term: str, most: int, rows: str = "SELECT 1 FROM memory_text WHERE") -> int:
        count = f"SELECT count(*) FROM ({rows} memory_text MATCH ? LIMIT ?)"
        query = (f"{inside}{{{columns}}} : {any_of([term])}", most)
        return int(next(iter(connection.execute(count, query)))[0]) if passages else 0

    if scopes is not None:
        held = frequencies_of(connection, [scope_term(name) for name in scopes])
        inside, passages = f"scope : ({any_of(list(held))}) AND ", sum(held.values())
        authors = frozenset(name for name in authors if counted("author", name, 1))
        if not _are_all(connection, scopes):
            found = {term: counted("author labels body", term, MAX_COUNTED) for term in by_term}
            by_term = in_scope(found, by_term, passages / max(newest, 1))
    if known:
        rare = [term for term, count in by_term.items() if count <= MAX_LOOKED_AT]
        by_term |= {term: counted("author labels body", term, MAX_LOOKED_AT, _OF_KNOWN) for term in rare}
        by_term = {term: count for term, count in by_term.items() if count}
    return TermCounts(max(passages, *by_term.values(), 1), by_term, authors, frozenset(by_term))


def in_scope(counted: Mapping[str, int], everywhere: Mapping[str, int], share: float) -> dict[str, int]:
    """Return the frequencies of known terms in a scope; those not counted to the end are estimated by its share."""
    return {
        term: count if count < MAX_COUNTED else max(count, round(share * everywhere[term]))
        for term, count in counted.items()
        if count
    }


def _are_all(connection: Connection, scopes: Sequence[str | None]) -> bool:
    """Tell whether no memory is outside of these namespaces; by their index, whatever the size of the store."""
    if None not in scopes and list(connection.execute("SELECT 1 FROM memories WHERE namespace IS NULL LIMIT 1")):
        return False
    between = "SELECT 1 FROM memories WHERE namespace > ? AND namespace < ? LIMIT 1"
    names = ("", *sorted(name for name in scopes if name is not None), LAST_NAME)
    return not any(list(connection.execute(between, pair)) for pair in pairwise(names))


def scope_term(namespace: str | None) -> str:
    """Return the term for a namespace in the full-text index."""
    if namespace is None:
        return "::none"  # no text has this term: a term begins with a letter or a digit
    return "n" + digest(namespace, 20)


def marks(values: Sized) -> str:
    """Return a placeholder for each value, separated by commas."""
    return ", ".join("?" * len(values))


def any_of(terms: Sequence[str], joined: str = " OR ") -> str:
    """Return an FTS5 query for any of the terms; joined by " AND ", for all of them."""
    return joined.join('"' + term.replace('"', '""') + '"' for term in terms)


def frequencies_of(connection: Connection, terms: Sequence[str], table: str = "memory_terms") -> dict[str, int]:
    """Return by known term the number of rows that contain it, from the vocabulary of a full-text index."""
    sql = f"SELECT doc FROM {table} WHERE term = ?"
    return {term: int(count) for term in terms for (count,) in connection.execute(sql, (term,))}


def affordable(frequencies: Mapping[str, int], budget: int = POSTINGS_BUDGET) -> list[str]:
    """Return the rarest terms whose postings together stay within the budget; never fewer than MIN_TERMS."""
    chosen: list[str] = []
    spent = 0
    for term, count in sorted(frequencies.items(), key=lambda row: row[1]):
        spent += count
        if spent > budget and len(chosen) >= MIN_TERMS:
            break
        chosen.append(term)
    return chosen
