"""The tables of the code index: trees, files, symbols and chunks.

A transaction writes a batch of files together with the claim of its writer and the state of the tree, so that the index
and its state cannot differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from recollect import clock
from recollect.errors import Conflict
from recollect.model import File, Tree
from recollect.store.code_rows import (
    FILE_BITS,
    MAX_PLACES,
    PLACE_BITS,
    ChunkSpan,
    CodeTotals,
    FoundSymbol,
    IndexedFile,
    SymbolRow,
    Touched,
    files_of_tree,
    places_of_file,
    symbol_nodes,
)
from recollect.store.dialect import Connection
from recollect.store.full_text import marks
from recollect.store.package_tables import drop_packages, keep_manifests
from recollect.store.row_queries import Rows, chunks, increment, read_setting, renew_claim, upsert
from recollect.store.tables import TABLES

# Tables whose rows belong to files, and the column that says to which.
_OF_FILES = (("file_contents", "file"), ("file_programs", "file"), ("file_links", "file"), ("files", "id"))
_PUT_FILE = upsert("files", TABLES[File].columns)

# More than a tree of a gigabyte needs; later writes merge the rest.
MERGES_MOST = 200

_symbols = msgspec.msgpack.Decoder(list[SymbolRow])
_spans = msgspec.msgpack.Decoder(list[ChunkSpan])


class CodeFiles(Rows):
    """The part of a store that writes the code index and reads it by number."""

    # --- claims ---

    def claim_tree(
        self, root: str, namespace: str | None, *, owner: str, fingerprint: str, lease_s: int
    ) -> Tree | None:
        """Return the tree at `root`, created if it is new, claimed by `owner`; None while another owner holds it.

        A claim expires after `lease_s` seconds without a write. With a fingerprint other than that of the last index,
        every file of the tree counts as unread.
        """
        now = clock.now()
        with self._dialect.errors(), self._dialect.write() as connection:
            sql = "SELECT id, owner, claimed_to, fingerprint FROM trees WHERE root = ?"
            found = list(connection.execute(sql, (root,)))
            if not found:
                connection.execute(
                    "INSERT INTO trees (root, namespace, fingerprint) VALUES (?, ?, ?)", (root, namespace, fingerprint)
                )
                found = list(connection.execute(sql, (root,)))
            ((tree, holder, claimed_to, indexed_by),) = found
            if holder not in ("", owner) and claimed_to > now and not clock.has_ended(holder):
                return None
            if indexed_by != fingerprint:
                # Unread, not removed: files stay searchable until they are read again.
                connection.execute("UPDATE files SET hash = '', mtime_ns = -1 WHERE tree = ?", (tree,))
            connection.execute(
                "UPDATE trees SET namespace = ?, fingerprint = ?, owner = ?, claimed_to = ? WHERE id = ?",
                (namespace, fingerprint, owner, now + lease_s, tree),
            )
        return self.get(Tree, [tree])[0]

    def release_tree(self, tree: int, owner: str, *, is_complete: bool) -> None:
        """End a claim; is_complete: the tree counts as indexed now."""
        indexed = ", indexed_at = ?" if is_complete else ""
        values = [clock.now(), tree, owner] if is_complete else [tree, owner]
        with self._dialect.errors(), self._dialect.write() as connection:
            sql = f"UPDATE trees SET owner = '', claimed_to = 0{indexed} WHERE id = ? AND owner = ?"
            connection.execute(sql, values)

    # --- writing ---

    def write_files(
        self,
        tree: int,
        owner: str,
        *,
        files: Sequence[IndexedFile] = (),
        touched: Sequence[Touched] = (),
        gone: Sequence[str] = (),
        lease_s: int,
    ) -> None:
        """Store, touch and remove files of a claimed tree, all or nothing. Raises Conflict if the claim was lost."""
        with self._dialect.errors(), self._dialect.write() as connection:
            renew_claim(connection, tree, owner, lease_s)
            stamp = increment(connection, "code_stamp")
            _touch(connection, tree, touched)
            known = _numbers(connection, tree, [*(file.path for file in files), *gone])
            self._forget(connection, [known[path][0] for path in gone if path in known])
            self._put(connection, tree, files, known, stamp)
            manifests = {file.path: file.manifest for file in files if file.manifest}
            keep_manifests(connection, tree, [number for number, _ in known.values()], manifests)

    def _put(
        self,
        connection: Connection,
        tree: int,
        files: Sequence[IndexedFile],
        known: dict[str, tuple[int, int]],
        stamp: int,
    ) -> None:
        """Insert files, or replace their rows."""
        next_id = _next_number(connection, tree)
        now = clock.now()
        rows, contents, names, texts = [], [], [], []
        for file in files:
            number, had = known.get(file.path, (next_id, 0))
            next_id += number == next_id
            if had:
                self._dialect.unindex_code(connection, *places_of_file(number))
            rows.append(_file_row(number, tree, file, now, stamp))
            if file.skipped:
                continue
            contents.append((number, file.symbols, file.chunks))
            names.append((number, file.names, file.humps))
            first = number << PLACE_BITS
            texts += [
                (first + place, defined, around, file.path_terms, body)
                for place, (defined, around, body) in enumerate(file.texts[:MAX_PLACES])
            ]
        self._dialect.index_code(connection, texts)
        replaced = [known[file.path][0] for file in files if file.path in known]
        _delete(connection, "file_contents", replaced)
        self._dialect.unindex_names(connection, replaced)
        connection.executemany(_PUT_FILE, rows)
        connection.executemany("INSERT INTO file_contents (file, symbols, chunks) VALUES (?, ?, ?)", contents)
        self._dialect.index_names(connection, names)

    def merge_code_text(self) -> None:
        """Merge the full-text segments of many writes, so that later small writes do not have to."""
        for _ in range(MERGES_MOST):
            with self._dialect.errors(), self._dialect.write() as connection:
                if not self._dialect.merge_code(connection):
                    return

    def _forget(self, connection: Connection, numbers: list[int]) -> None:
        for number in numbers:
            self._dialect.unindex_code(connection, *places_of_file(number))
        self._dialect.unindex_names(connection, numbers)
        # Links, too: another file may get the number and must not inherit them.
        for table, key in _OF_FILES:
            _delete(connection, table, numbers, key=key)

    def drop_trees(self, trees: Sequence[int]) -> int:
        """Remove trees with all their rows; returns the number of files."""
        dropped = 0
        for tree in trees:
            with self._dialect.errors(), self._dialect.write() as connection:
                first, last = files_of_tree(tree)
                numbers = [int(row[0]) for row in connection.execute("SELECT id FROM files WHERE tree = ?", (tree,))]
                self._dialect.unindex_code(connection, first << PLACE_BITS, ((last + 1) << PLACE_BITS) - 1)
                self._dialect.unindex_names(connection, numbers)
                for table, key in _OF_FILES:
                    connection.execute(f"DELETE FROM {table} WHERE {key} BETWEEN ? AND ?", (first, last))
                connection.execute("DELETE FROM linked_trees WHERE tree = ?", (tree,))
                drop_packages(connection, tree)
                connection.execute("DELETE FROM trees WHERE id = ?", (tree,))
                increment(connection, "code_stamp")
                dropped += len(numbers)
        return dropped

    # --- reading by number ---

    def known_files(self, tree: int, at: Sequence[str] | None = None) -> dict[str, tuple[int, int, str]]:
        """Return path → (mtime_ns, size_bytes, hash) of every file of a tree, skipped ones included.

        at: only files at or below these paths
        """
        sql = "SELECT path, mtime_ns, size_bytes, hash FROM files WHERE tree = ?"
        if at is None:
            rows = self._rows(sql, (tree,))
        else:
            # All paths below "a/" sort between "a/" and "a0", since 0 follows the slash.
            below = " AND (path = ? OR (path >= ? AND path < ?))"
            rows = [row for path in at for row in self._rows(sql + below, (tree, path, path + "/", path + "0"))]
        return {path: (mtime, size, known) for path, mtime, size, known in rows}

    def code_totals(self, trees: Sequence[int] | None = None) -> CodeTotals:
        """Return the totals of trees; default: all trees."""
        scope = "1 = 1" if trees is None else f"tree IN ({marks(trees)})"
        sql = (
            "SELECT language, skipped, count(*), sum(size_bytes), sum(symbol_count), sum(chunk_count) "
            f"FROM files WHERE {scope} GROUP BY language, skipped"
        )
        rows = self._rows(sql, list(trees or ()))
        indexed = [row for row in rows if not row[1]]
        files, size, symbols, chunk_count = (sum(int(row[column]) for row in indexed) for column in range(2, 6))
        skipped: Counter[str] = Counter()
        for row in rows:
            if row[1]:
                skipped[row[1]] += row[2]
        languages = Counter({str(row[0]): int(row[2]) for row in indexed})
        return CodeTotals(files, size, symbols, chunk_count, dict(languages.most_common()), dict(skipped.most_common()))

    def file_contents(self, files: Sequence[int]) -> dict[int, tuple[list[SymbolRow], list[ChunkSpan]]]:
        """Return the symbols and chunks of files by file number."""
        rows = self._in_chunks("SELECT file, symbols, chunks FROM file_contents WHERE file", files)
        return {file: (_symbols.decode(symbols), _spans.decode(spans)) for file, symbols, spans in rows}

    def symbols(self, ids: Sequence[int]) -> list[FoundSymbol]:
        """Return the symbols with these numbers, in this order; unknown ones are left out."""
        numbers = list(dict.fromkeys(symbol >> PLACE_BITS for symbol in ids))
        contents = self.file_contents(numbers)
        files = {file.id: file for file in self.get(File, numbers)}
        trees = self._trees_of(files.values())
        found = []
        for symbol in ids:
            number, place = symbol >> PLACE_BITS, symbol % MAX_PLACES
            rows = contents.get(number, ([], []))[0]
            if number in files and place < len(rows):
                file = files[number]
                tree = trees[file.tree]
                node = symbol_nodes(tree.root, file.path, rows)[place]
                found.append(FoundSymbol(symbol, node, rows[place], file, tree))
        return found

    def code_generation(self) -> int:
        """Return a number that changes with any indexed file, as a cache key."""
        with self._dialect.errors():
            return int(read_setting(self._connection(), "code_stamp") or 0)

    def _trees_of(self, files: Iterable[File]) -> dict[int, Tree]:
        return {tree.id: tree for tree in self.get(Tree, list({file.tree for file in files}))}


def _file_row(number: int, tree: int, file: IndexedFile, now: int, stamp: int) -> tuple[Any, ...]:
    notes = msgspec.json.encode(file.notes).decode() if file.notes else "[]"
    return (
        number,
        tree,
        file.path,
        file.hash,
        file.mtime_ns,
        file.size_bytes,
        file.language,
        file.mark,
        file.skipped,
        notes,
        file.symbol_count,
        0,  # references: none are known until the file is linked
        min(len(file.texts), MAX_PLACES),
        now,
        stamp,
    )


def _numbers(connection: Connection, tree: int, paths: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return path → (number, chunk count) of known files."""
    found: dict[str, tuple[int, int]] = {}
    for chunk in chunks(paths):
        sql = f"SELECT path, id, chunk_count FROM files WHERE tree = ? AND path IN ({marks(chunk)})"
        found.update((path, (number, count)) for path, number, count in connection.execute(sql, (tree, *chunk)))
    return found


def _next_number(connection: Connection, tree: int) -> int:
    first, last = files_of_tree(tree)
    sql = "SELECT coalesce(max(id), ?) FROM files WHERE id BETWEEN ? AND ?"
    number = int(next(iter(connection.execute(sql, (first, first, last))))[0]) + 1
    if number > last:
        raise Conflict(
            f"the project has more than {1 << FILE_BITS:,} files",
            hint="Rebuild the index: `recollect index --force`.",
            tree=tree,
        )
    return number


def _touch(connection: Connection, tree: int, touched: Sequence[Touched]) -> None:
    rows = [(file.mtime_ns, file.size_bytes, tree, file.path) for file in touched]
    if rows:
        connection.executemany("UPDATE files SET mtime_ns = ?, size_bytes = ? WHERE tree = ? AND path = ?", rows)


def _delete(connection: Connection, table: str, numbers: list[int], *, key: str = "file") -> None:
    if numbers:
        connection.executemany(f"DELETE FROM {table} WHERE {key} = ?", [(number,) for number in numbers])
