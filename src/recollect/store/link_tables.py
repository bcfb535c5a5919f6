"""The tables of code links: programs, edges with their sites, and linked trees.

A transaction writes a batch of files under the claim of the tree's writer, as for the files themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from recollect.store import link_rows
from recollect.store.code_rows import files_of_tree
from recollect.store.full_text import marks
from recollect.store.row_queries import Rows, chunks, claim_lost, increment, read_setting, renew_claim, upsert

_edges = msgspec.msgpack.Decoder(link_rows.Edges)
_sites = msgspec.msgpack.Decoder(link_rows.Sites)
_points = msgspec.msgpack.Decoder(list[link_rows.SymbolPoint])

_PUT_PROGRAM = upsert("file_programs", link_rows.Program._fields)
_PUT_LINKS = upsert("file_links", ("file", "stamp", "digest", "edges", "sites"))
_PUT_TREE = upsert("linked_trees", ("tree", *link_rows.LinkedTree._fields))


class CodeLinks(Rows):
    """The part of a store that writes and reads links of source code."""

    # --- writing ---

    def put_programs(
        self, tree: int, owner: str, programs: Sequence[link_rows.Program], *, lease_s: int, gone: Sequence[int] = ()
    ) -> None:
        """Store programs of a claimed tree; remove some with their links. Raises Conflict if the claim was lost."""
        with self._dialect.errors(), self._dialect.write() as connection:
            renew_claim(connection, tree, owner, lease_s)
            for table in ("file_programs", "file_links"):
                connection.executemany(f"DELETE FROM {table} WHERE file = ?", [(number,) for number in gone])
            if gone:
                increment(connection, "link_stamp")
            connection.executemany(_PUT_PROGRAM, programs)

    def put_links(self, tree: int, owner: str, links: Sequence[link_rows.Links], *, lease_s: int) -> None:
        """Store the links of files; equal ones count as unchanged. Raises Conflict if the claim was lost."""
        with self._dialect.errors(), self._dialect.write() as connection:
            renew_claim(connection, tree, owner, lease_s)
            known: dict[int, tuple[int, bytes, bytes]] = {}
            for chunk in chunks([row.file for row in links]):
                sql = f"SELECT file, stamp, edges, sites FROM file_links WHERE file IN ({marks(chunk)})"
                known.update((row[0], row[1:]) for row in connection.execute(sql, chunk))
            # A stamp tells holders of the graph what to read again: nothing if only the digest differs.
            stamps = {
                row.file: known[row.file][0]
                for row in links
                if row.file in known and known[row.file][1:] == (row.edges, row.sites)
            }
            stamp = increment(connection, "link_stamp") if len(stamps) < len(links) else 0
            rows = [(row.file, stamps.get(row.file, stamp), row.digest, row.edges, row.sites) for row in links]
            connection.executemany(_PUT_LINKS, rows)

    def put_linked_tree(self, tree: int, owner: str, linked: link_rows.LinkedTree) -> None:
        """Store how a claimed tree was linked. Raises Conflict if the claim was lost."""
        with self._dialect.errors(), self._dialect.write() as connection:
            sql = "SELECT 1 FROM trees WHERE id = ? AND owner = ?"
            if not list(connection.execute(sql, (tree, owner))):
                raise claim_lost(tree)
            connection.execute(_PUT_TREE, (tree, *linked))

    # --- reading ---

    def linked_tree(self, tree: int) -> link_rows.LinkedTree | None:
        """Return how a tree was last linked; None if it never was."""
        sql = "SELECT fingerprint, generation, linked_at FROM linked_trees WHERE tree = ?"
        return next((link_rows.LinkedTree(*row) for row in self._rows(sql, (tree,))), None)

    def known_programs(self, tree: int) -> dict[str, link_rows.KnownProgram]:
        """Return the stored programs of a tree by path, possibly with some of deleted files."""
        sql = "SELECT path, file, hash, outline, length(content) FROM file_programs WHERE file BETWEEN ? AND ?"
        return {row[0]: link_rows.KnownProgram(*row[1:]) for row in self._rows(sql, files_of_tree(tree))}

    def link_digests(self, tree: int) -> dict[int, str]:
        """Return the digest of the links by file number."""
        sql = "SELECT file, digest FROM file_links WHERE file BETWEEN ? AND ?"
        return dict(self._rows(sql, files_of_tree(tree)))

    def packed_symbols(self, files: Sequence[int]) -> dict[int, bytes]:
        """Return the packed symbols of files, by file number."""
        return dict(self._in_chunks("SELECT file, symbols FROM file_contents WHERE file", files))

    def programs(self, files: Sequence[int], *, faces: bool = False) -> dict[int, bytes]:
        """Return programs by file number; faces: only the part that other files can see."""
        return dict(
            self._in_chunks(f"SELECT file, {'face' if faces else 'content'} FROM file_programs WHERE file", files)
        )

    def file_edges(self, files: Sequence[int]) -> dict[int, link_rows.Edges]:
        """Return the links of files by file number."""
        rows = self._in_chunks("SELECT file, edges FROM file_links WHERE file", files)
        return {file: _edges.decode(content) for file, content in rows}

    def file_sites(self, files: Sequence[int]) -> dict[int, link_rows.Sites]:
        """Return the places of the links of files, by file number."""
        rows = self._in_chunks("SELECT file, sites FROM file_links WHERE file", files)
        return {file: _sites.decode(content) for file, content in rows}

    def files_linking(self, tree: int, targets: Sequence[str], limit: int) -> list[int]:
        """Return files of a tree that may link to a target (as in Edges.targets): all that do, and maybe more."""
        return self._holding("edges", tree, targets, limit)

    def files_mentioning(self, tree: int, texts: Sequence[str], limit: int) -> list[int]:
        """Return files of a tree whose sites contain one of these texts, as a name or a part of one."""
        return self._holding("sites", tree, texts, limit)

    def _holding(self, column: str, tree: int, texts: Sequence[str], limit: int) -> list[int]:
        # A packed list contains texts unchanged: searching for their bytes avoids unpacking it.
        found: dict[int, None] = {}
        for chunk in chunks([text.encode("utf-8", "surrogatepass") for text in texts]):
            some = " OR ".join([f"instr({column}, ?) > 0"] * len(chunk))
            sql = f"SELECT file FROM file_links WHERE file BETWEEN ? AND ? AND ({some}) LIMIT ?"
            rows = self._rows(sql, (*files_of_tree(tree), *chunk, limit))
            found.update((int(row[0]), None) for row in rows)
        return list(found)[:limit]

    def link_generation(self) -> int:
        """Return a number that changes with any links, as a cache key."""
        with self._dialect.errors():
            return int(read_setting(self._connection(), "link_stamp") or 0)

    def code_stamps(self) -> link_rows.CodeStamps:
        """Return the change counters of every indexed file, in the order of their numbers."""
        import numpy as np

        sql = (
            "SELECT f.id, f.stamp, coalesce(l.stamp, 0) FROM files f LEFT JOIN file_links l ON l.file = f.id ORDER BY 1"
        )
        rows = np.array(self._rows(sql), np.int64).reshape(-1, 3)
        return link_rows.CodeStamps(rows[:, 0], rows[:, 1], rows[:, 2])

    def file_graphs(self, files: Iterable[int] | None = None) -> Iterator[link_rows.FileGraph]:
        """Yield files as the graph reads them, in the order of their numbers; default: all files."""
        columns = (
            "SELECT f.id, f.path, f.tree, c.symbols, l.edges FROM files f JOIN file_contents c ON c.file = f.id "
            "LEFT JOIN file_links l ON l.file = f.id "
        )
        with self._dialect.errors():
            if files is None:
                rows = self._connection().execute(columns + "ORDER BY f.id")
            else:
                rows = self._in_chunks(columns + "WHERE f.id", list(files), " ORDER BY f.id")
            for number, path, tree, symbols, edges in rows:
                yield link_rows.FileGraph(
                    number, path, tree, _points.decode(symbols), None if edges is None else _edges.decode(edges)
                )
