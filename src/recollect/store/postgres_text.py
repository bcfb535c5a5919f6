"""Full text in PostgreSQL: our own search terms as postings, ranked by BM25 from term statistics in tables.

    memory_text       the terms of every passage as they were written
    memory_postings   term, namespace, passage → how often, in which field, and the size of the passage
    memory_terms      term → number of passages
    text_totals       number of passages, and of all their terms

The formula, its constants and the size of a row are those of FTS5, so that both databases return the same scores. Code
has the same four tables, and a table of symbol names. Writers hold the one write lock, so statistics are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.store import full_text
from recollect.store.code_rows import FILE_BITS, PLACE_BITS, FieldWeights
from recollect.store.dialect import CodeTextRow, Connection, SearchRow, TextRow
from recollect.store.passage_search import named_days
from recollect.store.postgres_pool import PooledConnection
from recollect.store.store_values import TermCounts
from recollect.text.passages import MAX_PASSAGES

# BM25 of FTS5: k1 1.2, b 0.75; a term in more than half of the rows counts almost nothing, not less than nothing.
_SCORE = "idf * hits * 2.2 / (hits + 1.2 * (0.25 + 0.75 * size / average))"
_IDF = "CASE WHEN 2 * doc < docs THEN ln((docs - doc + 0.5) / (doc + 0.5)) ELSE 0.000001 END"
# Memories of a scope that are counted to weigh terms; of more, the number in the store says enough.
MAX_HELD = 20_000
# The most that a column of a posting can count.
MAX_HITS = 32_767
_NAME_TYPES = "?::smallint[], ?::text[], ?::bigint[]"
_OF_KNOWN = f" AND EXISTS (SELECT 1 FROM memories m WHERE m.seq = p.pid / {MAX_PASSAGES} AND m.observed = 0)"
# What the name of a spare table ends with.
SPARE = "_spare"


class Index(NamedTuple):
    """A full-text index: its name, the columns of its rows, and those that are searched.

    scope: SQL for the number that the postings of a row are scoped by. extra: terms that every row has
    """

    name: str
    stored: tuple[str, ...]
    searched: tuple[str, ...]
    scope: str
    extra: int = 0
    end: str = ""

    def table(self, kind: str) -> str:
        return f"{self.name}_{kind}{self.end}"

    @property
    def size(self) -> str:
        """SQL for the number of terms of a row."""
        return " + ".join([str(self.extra), *(f"cardinality({words})" for words in self._words())])

    def postings(self, source: str) -> str:
        """Return a query for the postings of the rows of a table: term, scope, passage, hits by field, size."""
        words = " UNION ALL ".join(f"SELECT {place}, unnest({text})" for place, text in enumerate(self._words()))
        fields = range(len(self.searched))
        hits = [f"least(count(*) FILTER (WHERE field = {place}), {MAX_HITS})::smallint AS f{place}" for place in fields]
        return (
            f"SELECT term, {self.scope}, r.rowid, {', '.join(f'f{place}' for place in fields)}, ({self.size})::int "
            f"FROM {source} AS r CROSS JOIN LATERAL "
            f"(SELECT term, {', '.join(hits)} FROM ({words}) AS words (field, term) GROUP BY term) AS counted"
        )

    def _words(self) -> list[str]:
        return [f"string_to_array(r.{name}, ' ')" for name in self.searched]


# FTS5 counts the term of the namespace as part of a row. A namespace is 60 bits of its digest, none is 0.
MEMORY = Index(
    "memory",
    ("rowid", "scope", "author", "labels", "body", "shape"),
    ("author", "labels", "body"),
    "CASE WHEN r.scope LIKE ':%' THEN 0 ELSE ('x' || substr(r.scope, 2, 15))::bit(60)::bigint END",
    extra=1,
)
SPARE_MEMORY = MEMORY._replace(end=SPARE)
_CODE_FIELDS = ("names", "around", "path", "body")
CODE = Index("code", ("rowid", *_CODE_FIELDS), _CODE_FIELDS, f"r.rowid >> {FILE_BITS + PLACE_BITS}")
_SPARED = ("memory_text", "memory_postings", "memory_terms", "memory_days")


def _scope(term: str) -> int:
    """Return the number of a namespace, given its term."""
    return 0 if term.startswith(":") else int(term[1:16], 16)


class PostgresText:
    """The part of the PostgreSQL dialect that indexes memories by words."""

    def index_rows(self, connection: Connection, rows: Sequence[TextRow]) -> None:
        _put_passages(connection, MEMORY, rows)

    def unindex_text(self, connection: Connection, seq: int) -> None:
        _remove_passages(connection, MEMORY, seq)

    def count_text(self, connection: Connection) -> int:
        return _number(connection, f"SELECT count(*) FROM memory_text WHERE rowid % {MAX_PASSAGES} = 0")

    def search_text(
        self,
        connection: Connection,
        terms: Sequence[str],
        scopes: Sequence[str | None] | None,
        limit: int,
        frequencies: Mapping[str, int] | None = None,
    ) -> list[SearchRow]:
        chosen = full_text.affordable(_frequencies(connection, MEMORY, terms) if frequencies is None else frequencies)
        return _search(
            connection, MEMORY, chosen, limit, "scope = ANY(?)" if scopes is not None else "", _wanted(scopes)
        )

    def load_text(self, connection: Connection, pages: Iterable[Sequence[TextRow]]) -> None:
        assert isinstance(connection, PooledConnection)  # noqa: S101 - that of our own transactions
        days: list[tuple[int, str, int, int]] = []

        def with_days() -> Iterator[Sequence[TextRow]]:
            for rows in pages:
                days.extend(named_days(rows))
                yield rows

        _load(connection, MEMORY, with_days())
        connection.copy("memory_days", ("pid", "scope", "first_day", "end_day"), dict.fromkeys(days))

    def session_neighbours(self, connection: Connection, seqs: Sequence[int], reach: int) -> dict[int, tuple[int, ...]]:
        return full_text.session_neighbours(connection, seqs, reach, "array_to_string(ARRAY({}), ',')")

    def term_counts(
        self,
        connection: Connection,
        terms: Sequence[str],
        names: Sequence[str],
        scopes: Sequence[str | None] | None,
        *,
        known: bool = False,
    ) -> TermCounts:
        newest = _number(connection, "SELECT coalesce(max(seq), 0) FROM memories")
        by_term = _frequencies(connection, MEMORY, terms)
        authors = frozenset(_counted(connection, list(names), scopes, 1, " AND p.author > 0"))
        passages = newest
        if scopes is not None:
            nowhere = " OR namespace IS NULL" if None in scopes else ""
            held = f"SELECT 1 FROM memories WHERE namespace = ANY(?){nowhere} LIMIT {MAX_HELD}"
            named = [name for name in scopes if name is not None]
            size = int(next(iter(connection.execute(f"SELECT count(*) FROM ({held}) AS held", (named,))))[0])
            passages = size if size < MAX_HELD else newest
            found = _counted(connection, list(by_term), scopes, full_text.MAX_COUNTED)
            by_term = full_text.in_scope(found, by_term, passages / max(newest, 1))
        if known:
            rare = [term for term, count in by_term.items() if count <= full_text.MAX_LOOKED_AT]
            found = _counted(connection, rare, scopes, full_text.MAX_LOOKED_AT, _OF_KNOWN)
            by_term = {term: found.get(term, 0) if term in rare else count for term, count in by_term.items()}
            by_term = {term: count for term, count in by_term.items() if count}
        return TermCounts(max(passages, *by_term.values(), 1), by_term, authors, frozenset(by_term))

    # --- rebuild ---

    def begin_spare(self, connection: Connection) -> None:
        self.drop_spare(connection)
        for table in _SPARED:
            connection.execute(f"CREATE TABLE {table}{SPARE} (LIKE {table} INCLUDING ALL)")
        connection.execute("INSERT INTO text_totals (name, docs, tokens) VALUES (?, 0, 0)", (MEMORY.name + SPARE,))

    def put_spare(self, connection: Connection, seq: int, rows: Sequence[TextRow]) -> None:
        _remove_passages(connection, SPARE_MEMORY, seq)
        _put_passages(connection, SPARE_MEMORY, rows)

    def use_spare(self, connection: Connection) -> None:
        gone = f"/ {MAX_PASSAGES} NOT IN (SELECT seq FROM memories)"
        _remove(connection, SPARE_MEMORY, f"rowid {gone}")
        connection.execute(f"DELETE FROM memory_days{SPARE} WHERE pid {gone}")
        for table in _SPARED:
            connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.execute(f"ALTER TABLE {table}{SPARE} RENAME TO {table}")
        connection.execute("DELETE FROM text_totals WHERE name = ?", (MEMORY.name,))
        connection.execute("UPDATE text_totals SET name = ? WHERE name = ?", (MEMORY.name, MEMORY.name + SPARE))

    def drop_spare(self, connection: Connection) -> None:
        for table in _SPARED:
            connection.execute(f"DROP TABLE IF EXISTS {table}{SPARE}")
        connection.execute("DELETE FROM text_totals WHERE name = ?", (MEMORY.name + SPARE,))


class PostgresCode:
    """The part of the PostgreSQL dialect that indexes source code."""

    def index_code(self, connection: Connection, rows: Sequence[CodeTextRow]) -> None:
        _put(connection, CODE, rows)

    def load_code(self, connection: Connection, pages: Iterable[Sequence[CodeTextRow]]) -> None:
        assert isinstance(connection, PooledConnection)  # noqa: S101 - that of our own transactions
        _load(connection, CODE, pages)

    def unindex_code(self, connection: Connection, first: int, last: int) -> None:
        _remove(connection, CODE, "rowid BETWEEN ? AND ?", (first, last))

    def index_names(self, connection: Connection, rows: Sequence[tuple[int, str, str]]) -> None:
        if rows:
            connection.executemany("INSERT INTO symbol_text (rowid, names, humps) VALUES (?, ?, ?)", rows)
            postings = list(_names(rows))
            sql = f"INSERT INTO symbol_postings (humps, term, file) SELECT * FROM unnest({_NAME_TYPES})"
            connection.execute(sql, _columns(postings, 3))

    def unindex_names(self, connection: Connection, files: Sequence[int]) -> None:
        if files:
            sql = "DELETE FROM symbol_text WHERE rowid = ANY(?) RETURNING rowid, names, humps"
            postings = list(_names(connection.execute(sql, (list(files),))))
            sql = (
                f"DELETE FROM symbol_postings p USING unnest({_NAME_TYPES}) AS gone (humps, term, file) "
                "WHERE p.humps = gone.humps AND p.term = gone.term AND p.file = gone.file"
            )
            connection.execute(sql, _columns(postings, 3))

    def search_code(
        self,
        connection: Connection,
        terms: Sequence[str],
        within: tuple[int, int] | None,
        limit: int,
        weights: FieldWeights,
        *,
        every: bool = False,
    ) -> list[SearchRow]:
        condition, values = "", []
        if within is not None:
            trees = [place >> (FILE_BITS + PLACE_BITS) for place in within]
            condition, values = "scope BETWEEN ? AND ? AND pid BETWEEN ? AND ?", [*trees, *within]
        return _search(connection, CODE, terms, limit, condition, values, weights=weights, every=every)

    def code_frequencies(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        return _frequencies(connection, CODE, terms)

    def names_from(
        self, connection: Connection, prefix: str, *, humps: bool, limit: int | None
    ) -> list[tuple[str, int]]:
        sql = (
            "SELECT term, count(*) FROM symbol_postings WHERE humps = ? AND term >= ? AND term < ? "
            "GROUP BY term ORDER BY term LIMIT ?"
        )
        # The last code point: every term with the prefix sorts before it.
        rows = connection.execute(sql, (humps, prefix, prefix + "\U0010ffff", limit))
        return [(str(term), int(count)) for term, count in rows]

    def files_with(
        self, connection: Connection, names: Sequence[str], *, humps: bool, within: tuple[int, int] | None, limit: int
    ) -> list[int]:
        scope = "AND file BETWEEN ? AND ? " if within else ""
        sql = (
            f"SELECT DISTINCT file FROM symbol_postings WHERE humps = ? AND term = ANY(?) {scope}ORDER BY file LIMIT ?"
        )
        return [int(row[0]) for row in connection.execute(sql, (humps, list(names), *(within or ()), limit))]

    # --- looking after it ---

    def code_problems(self, connection: Connection, *, thorough: bool = True) -> list[str]:
        problems = index_problems(connection, CODE) if thorough else []
        return [f"full-text index of code: {problem}" for problem in problems]

    def count_code(self, connection: Connection) -> tuple[int, int]:
        pieces = _number(connection, "SELECT count(*) FROM code_text")
        return pieces, _number(connection, "SELECT count(*) FROM symbol_text")

    def clear_code(self, connection: Connection) -> None:
        connection.execute("TRUNCATE code_text, code_postings, code_terms, symbol_text, symbol_postings")
        connection.execute("UPDATE text_totals SET docs = 0, tokens = 0 WHERE name = ?", (CODE.name,))


def index_problems(connection: Connection, index: Index) -> list[str]:
    """Return where the statistics of an index differ from its postings, and its postings from its rows."""
    counted = f"SELECT term, count(*) AS doc FROM {index.table('postings')} GROUP BY term"
    wrong = (
        f"SELECT count(*) FROM ({counted}) AS counted FULL JOIN {index.table('terms')} AS kept USING (term) "
        "WHERE counted.doc IS DISTINCT FROM kept.doc"
    )
    lost = (
        f"SELECT count(*) FROM (SELECT DISTINCT pid FROM {index.table('postings')}) AS counted "
        f"FULL JOIN (SELECT rowid AS pid FROM {index.table('text')} "
        f"WHERE {' || '.join(index.searched)} <> '') AS kept USING (pid) "
        "WHERE kept IS NULL OR counted IS NULL"
    )
    found = ((wrong, "terms with a wrong number of rows"), (lost, "rows without terms, or terms without rows"))
    numbers = ((_number(connection, sql), meaning) for sql, meaning in found)
    return [f"{number:,} {meaning}" for number, meaning in numbers if number]


# --- rows and postings ---


def _put_passages(connection: Connection, index: Index, rows: Sequence[TextRow]) -> None:
    _put(connection, index, rows)
    if days := named_days(rows):
        sql = f"INSERT INTO memory_days{index.end} (pid, scope, first_day, end_day) VALUES (?, ?, ?, ?)"
        connection.executemany(f"{sql} ON CONFLICT DO NOTHING", days)


def _remove_passages(connection: Connection, index: Index, seq: int) -> None:
    numbers = (seq * MAX_PASSAGES, (seq + 1) * MAX_PASSAGES - 1)
    _remove(connection, index, "rowid BETWEEN ? AND ?", numbers)
    connection.execute(f"DELETE FROM memory_days{index.end} WHERE pid BETWEEN ? AND ?", numbers)


def _put(connection: Connection, index: Index, rows: Sequence[Sequence[Any]]) -> None:
    """Add rows with their postings, by one statement: it runs under the write lock."""
    if not rows:
        return
    terms, columns = index.table("terms"), ", ".join(index.stored)
    sql = (
        f"WITH r AS (INSERT INTO {index.table('text')} ({columns}) "
        f"SELECT * FROM unnest(?::bigint[]{', ?::text[]' * (len(index.stored) - 1)}) RETURNING {columns}), "
        f"added AS (INSERT INTO {index.table('postings')} {index.postings('r')} RETURNING term), "
        f"terms AS (INSERT INTO {terms} (term, doc) SELECT term, count(*) FROM added GROUP BY term ORDER BY term "
        f"ON CONFLICT (term) DO UPDATE SET doc = {terms}.doc + excluded.doc) {_total(index, '+')}"
    )
    connection.execute(sql, (*_columns(rows, len(index.stored)), index.name + index.end))


def _remove(connection: Connection, index: Index, condition: str, values: Sequence[Any] = ()) -> None:
    """Remove rows with their postings."""
    terms = index.table("terms")
    sql = (
        f"WITH r AS (DELETE FROM {index.table('text')} WHERE {condition} RETURNING {', '.join(index.stored)}), "
        f"gone AS (DELETE FROM {index.table('postings')} AS p USING ({index.postings('r')}) AS g (term, scope, pid) "
        "WHERE p.term = g.term AND p.scope = g.scope AND p.pid = g.pid RETURNING p.term), "
        "counted AS (SELECT term, count(*) AS doc FROM gone GROUP BY term), "
        f"last AS (DELETE FROM {terms} AS t USING counted AS c WHERE t.term = c.term AND t.doc <= c.doc), "
        f"fewer AS (UPDATE {terms} AS t SET doc = t.doc - c.doc FROM counted AS c "
        f"WHERE t.term = c.term AND t.doc > c.doc) {_total(index, '-')}"
    )
    connection.execute(sql, (*values, index.name + index.end))


def _load(connection: PooledConnection, index: Index, pages: Iterable[Sequence[Sequence[Any]]]) -> None:
    """Fill an empty index with all of its rows; postings are sorted once, after they were written."""
    text, postings = index.table("text"), index.table("postings")
    for rows in pages:
        connection.copy(text, index.stored, rows)
    sql = f"SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '{postings}'::regclass"
    ((name, key),) = connection.execute(f"{sql} AND contype = 'p'")
    connection.execute(f"ALTER TABLE {postings} DROP CONSTRAINT {name}")
    connection.execute(f"INSERT INTO {postings} {index.postings(text)}")
    connection.execute(f"ALTER TABLE {postings} ADD {key}")
    terms = f"INSERT INTO {index.table('terms')} (term, doc) SELECT term, count(*) FROM {postings} GROUP BY term"
    connection.execute(terms)
    connection.execute(_total(index, "+", text), (index.name,))
    # The ANALYZE of a finished copy came before these rows.
    connection.execute(f"ANALYZE {text}, {postings}, {index.table('terms')}")


def _total(index: Index, sign: str, source: str = "r") -> str:
    """Return an update of the totals by the rows of a table; the name of the index is bound."""
    counted = f"SELECT count(*) AS docs, coalesce(sum({index.size}), 0) AS tokens FROM {source} AS r"
    changed = ", ".join(f"{name} = t.{name} {sign} s.{name}" for name in ("docs", "tokens"))
    return f"UPDATE text_totals AS t SET {changed} FROM ({counted}) AS s WHERE t.name = ?"


# --- search ---


def _search(
    connection: Connection,
    index: Index,
    terms: Sequence[str],
    limit: int,
    condition: str,
    values: Sequence[Any],
    *,
    weights: Sequence[float] | None = None,
    every: bool = False,
) -> list[SearchRow]:
    """Return the best rows with any of the terms, or every one, by BM25."""
    if not terms:
        return []
    hits = " + ".join(
        f"{name} * {float(weight)!r}::float8"
        for name, weight in zip(index.searched, weights or [1.0] * 9, strict=False)
    )
    all_of = f"HAVING count(*) = {len(set(terms))} " if every else ""
    sql = (
        f"WITH totals AS (SELECT docs, tokens::float8 / docs AS average FROM text_totals WHERE name = ? AND docs > 0), "
        f"wanted AS MATERIALIZED (SELECT term, ({_IDF})::float8 AS idf, average FROM {index.table('terms')}, totals "
        "WHERE term = ANY(?)) "
        # OFFSET 0: term by term from the index. The planner takes all terms for frequent, and would read all postings.
        f"SELECT pid, sum({_SCORE})::float8 AS score FROM wanted w CROSS JOIN LATERAL ("
        f"SELECT pid, size, {hits} AS hits FROM {index.table('postings')} p "
        f"WHERE p.term = w.term{' AND ' + condition if condition else ''} OFFSET 0) AS found "
        f"GROUP BY pid {all_of}ORDER BY score DESC, pid LIMIT ?"
    )
    rows = connection.execute(sql, (index.name + index.end, list(terms), *values, limit))
    return [(int(pid), float(score)) for pid, score in rows]


def _frequencies(connection: Connection, index: Index, terms: Sequence[str]) -> dict[str, int]:
    """Return by known term the number of rows that contain it, in the order of the terms."""
    found = dict(
        connection.execute(f"SELECT term, doc FROM {index.table('terms')} WHERE term = ANY(?)", (list(terms),))
    )
    return {term: int(found[term]) for term in terms if term in found}


def _counted(
    connection: Connection, terms: list[str], scopes: Sequence[str | None] | None, most: int, condition: str = ""
) -> dict[str, int]:
    """Return by known term how many passages of these namespaces have it, counted up to `most`."""
    scope = " AND p.scope = ANY(?)" if scopes is not None else ""
    found = f"SELECT 1 FROM memory_postings p WHERE p.term = asked.term{scope}{condition} LIMIT {most}"
    sql = f"SELECT term, (SELECT count(*) FROM ({found}) AS found) FROM unnest(?::text[]) AS asked (term)"
    rows = connection.execute(sql, (*_wanted(scopes), terms)) if terms else ()
    return {term: int(count) for term, count in rows if count}


def _wanted(scopes: Sequence[str | None] | None) -> list[Any]:
    return [] if scopes is None else [[_scope(full_text.scope_term(name)) for name in scopes]]


def _names(rows: Iterable[tuple[Any, ...]]) -> Iterable[tuple[int, str, int]]:
    """Return the postings of symbol names: whether they are humps, name and file."""
    for file, names, humps in rows:
        for is_humps, text in ((0, names), (1, humps)):
            for term in dict.fromkeys(text.split()):
                yield is_humps, term, file


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Return rows as columns, which is how one statement takes many of them."""
    return [[row[place] for row in rows] for place in range(width)]


def _number(connection: Connection, sql: str) -> int:
    return int(next(iter(connection.execute(sql)))[0])
