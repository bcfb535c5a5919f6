"""Full text in SQLite: memories, the days that texts name, chunks of code by their terms, and the names of symbols.

    memory_text          every passage of every memory, by rowid = seq * 1024 + its place
    memory_days          the days that passages name, by the same number
    memory_text_spare, memory_days_spare
                         the same while a rebuild fills them; they replace the others when they are complete

    code_text            a row per chunk; a tree is a range of its rowids, so that a search of one tree reads no other
    symbol_text          a row per file with the names of its symbols; its vocabulary is the list of all names

The next rebuild drops spare tables that were left unfinished.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from recollect.store import full_text
from recollect.store.code_rows import FieldWeights
from recollect.store.dialect import CodeTextRow, Connection, SearchRow, TextRow
from recollect.store.full_text import any_of, frequencies_of
from recollect.store.passage_search import named_days
from recollect.text.passages import MAX_PASSAGES

TEXT = "memory_text"
DAYS = "memory_days"
# What the name of a spare table ends with.
SPARE = "_spare"


class SqliteText:
    """The part of the SQLite dialect that indexes memories by words."""

    def index_rows(self, connection: Connection, rows: Sequence[TextRow]) -> None:
        _put(connection, "", rows)

    def unindex_text(self, connection: Connection, seq: int) -> None:
        _remove(connection, "", seq)

    def count_text(self, connection: Connection) -> int:
        sql = f"SELECT count(*) FROM {TEXT}_docsize WHERE id % {MAX_PASSAGES} = 0"
        return int(next(iter(connection.execute(sql)))[0])

    # --- rebuild ---

    def begin_spare(self, connection: Connection) -> None:
        self.drop_spare(connection)
        for table in (TEXT, DAYS):
            (create,) = next(iter(connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,))))
            connection.execute(create.replace(table, table + SPARE, 1))

    def put_spare(self, connection: Connection, seq: int, rows: Sequence[TextRow]) -> None:
        _remove(connection, SPARE, seq)
        _put(connection, SPARE, rows)

    def use_spare(self, connection: Connection) -> None:
        gone = f"/ {MAX_PASSAGES} NOT IN (SELECT seq FROM memories)"
        orphans = list(connection.execute(f"SELECT id FROM {TEXT}{SPARE}_docsize WHERE id {gone}"))
        connection.executemany(f"DELETE FROM {TEXT}{SPARE} WHERE rowid = ?", orphans)
        connection.execute(f"DELETE FROM {DAYS}{SPARE} WHERE pid {gone}")
        _drop(connection, "")
        for table in (TEXT, DAYS):
            connection.execute(f"ALTER TABLE {table}{SPARE} RENAME TO {table}")

    def drop_spare(self, connection: Connection) -> None:
        if list(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (TEXT + SPARE,))):
            _drop(connection, SPARE)


def _put(connection: Connection, end: str, rows: Sequence[TextRow]) -> None:
    """Write passages, and the days they name, to the tables with this suffix."""
    sql = f"INSERT INTO {TEXT}{end} (rowid, scope, author, labels, body, shape) VALUES (?, ?, ?, ?, ?, ?)"
    connection.executemany(sql, rows)
    if days := named_days(rows):
        sql = f"INSERT OR IGNORE INTO {DAYS}{end} (pid, scope, first_day, end_day) VALUES (?, ?, ?, ?)"
        connection.executemany(sql, days)


def _remove(connection: Connection, end: str, seq: int) -> None:
    first = seq * MAX_PASSAGES
    for table, key in ((TEXT, "rowid"), (DAYS, "pid")):
        sql = f"DELETE FROM {table}{end} WHERE {key} BETWEEN ? AND ?"
        connection.execute(sql, (first, first + MAX_PASSAGES - 1))


def _drop(connection: Connection, end: str) -> None:
    """Drop the tables with this suffix. SQLite cannot open a damaged index that lacks these three rows."""
    connection.execute(f"INSERT OR IGNORE INTO {TEXT}{end}_config VALUES ('version', 4)")
    connection.execute(f"INSERT OR IGNORE INTO {TEXT}{end}_data VALUES (1, x''), (10, x'00000000000000')")
    connection.execute(f"DROP TABLE {TEXT}{end}")
    connection.execute(f"DROP TABLE IF EXISTS {DAYS}{end}")


def newest_is_found(connection: Connection) -> bool:
    """Return whether a search by namespace finds the last indexed memory: a quick check of a large index."""
    for seq, scope in list(connection.execute(f"SELECT rowid, scope FROM {TEXT} ORDER BY rowid DESC LIMIT 1")):
        found = connection.execute(
            f"SELECT 1 FROM {TEXT} WHERE {TEXT} MATCH ? AND rowid = ?",
            (f"scope : {full_text.any_of([scope])}", seq),
        )
        return bool(list(found))
    return True


# Pages of the full text that are merged in one transaction: a tenth of a second under the lock.
MERGED_PAGES = 1_000


class SqliteCode:
    """The part of the SQLite dialect that indexes source code."""

    def index_code(self, connection: Connection, rows: Sequence[CodeTextRow]) -> None:
        connection.executemany("INSERT INTO code_text (rowid, names, around, path, body) VALUES (?, ?, ?, ?, ?)", rows)

    def unindex_code(self, connection: Connection, first: int, last: int) -> None:
        connection.execute("DELETE FROM code_text WHERE rowid BETWEEN ? AND ?", (first, last))

    def merge_code(self, connection: Connection) -> bool:
        changes = "SELECT total_changes()"
        ((before,),) = connection.execute(changes)
        connection.execute("INSERT INTO code_text (code_text, rank) VALUES ('merge', ?)", (MERGED_PAGES,))
        ((after,),) = connection.execute(changes)
        return bool(after - before > 1)  # one change is the command itself

    def index_names(self, connection: Connection, rows: Sequence[tuple[int, str, str]]) -> None:
        connection.executemany("INSERT INTO symbol_text (rowid, names, humps) VALUES (?, ?, ?)", rows)

    def unindex_names(self, connection: Connection, files: Sequence[int]) -> None:
        if files:
            connection.executemany("DELETE FROM symbol_text WHERE rowid = ?", [(file,) for file in files])

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
        if not terms:
            return []
        scope = "AND rowid BETWEEN ? AND ? " if within else ""
        sql = (
            f"SELECT rowid, bm25(code_text, {', '.join(str(float(weight)) for weight in weights)}) AS distance "
            f"FROM code_text WHERE code_text MATCH ? {scope}ORDER BY distance LIMIT ?"
        )
        values = (any_of(terms, " AND " if every else " OR "), *(within or ()), limit)
        return [(int(chunk), -float(distance)) for chunk, distance in connection.execute(sql, values)]

    def code_frequencies(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        return frequencies_of(connection, terms, "code_terms")

    def names_from(
        self, connection: Connection, prefix: str, *, humps: bool, limit: int | None
    ) -> list[tuple[str, int]]:
        sql = "SELECT term, doc FROM symbol_names WHERE term >= ? AND term < ? AND col = ? LIMIT ?"
        # The last code point: every term with the prefix sorts before it.
        bounds = (prefix, prefix + "\U0010ffff", "humps" if humps else "names", -1 if limit is None else limit)
        return [(str(term), int(count)) for term, count in connection.execute(sql, bounds)]

    def files_with(
        self, connection: Connection, names: Sequence[str], *, humps: bool, within: tuple[int, int] | None, limit: int
    ) -> list[int]:
        if not names:
            return []
        scope = "AND rowid BETWEEN ? AND ? " if within else ""
        sql = f"SELECT rowid FROM symbol_text WHERE symbol_text MATCH ? {scope}LIMIT ?"
        match = f"{'humps' if humps else 'names'} : ({any_of(names)})"
        return [int(row[0]) for row in connection.execute(sql, (match, *(within or ()), limit))]

    # --- looking after it ---

    def code_problems(self, connection: Connection, *, thorough: bool = True) -> list[str]:
        look = "INSERT INTO {0} ({0}) VALUES ('integrity-check')" if thorough else "SELECT rowid FROM {0} LIMIT 1"
        problems = []
        for table in ("code_text", "symbol_text"):
            try:
                list(connection.execute(look.format(table)))
            except sqlite3.DatabaseError as problem:
                problems.append(f"full-text index of code, {table}: {problem}")
        return problems

    def count_code(self, connection: Connection) -> tuple[int, int]:
        sql = "SELECT (SELECT count(*) FROM code_text_docsize), (SELECT count(*) FROM symbol_text_docsize)"
        pieces, files = next(iter(connection.execute(sql)))
        return int(pieces), int(files)

    def clear_code(self, connection: Connection) -> None:
        # Deleting rows reads the index first, which fails if it is damaged: the tables are dropped and made again.
        for table in ("code_text", "symbol_text"):
            settings = list(connection.execute(f"SELECT k, v FROM {table}_config WHERE k <> 'version'"))
            connection.execute(f"INSERT OR IGNORE INTO {table}_config VALUES ('version', 4)")
            connection.execute(f"INSERT OR IGNORE INTO {table}_data VALUES (1, x''), (10, x'00000000000000')")
            (create,) = next(iter(connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,))))
            connection.execute(f"DROP TABLE {table}")
            connection.execute(create)
            for key, value in settings:
                connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", (key, value))
