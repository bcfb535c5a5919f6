"""The tables of packages, and packages as a graph: which package satisfies a dependency."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from recollect.model import Tree
from recollect.store.code_rows import (
    FILE_BITS,
    DependencyRow,
    PackageLink,
    PackageRow,
    file_node,
    files_of_tree,
    package_node,
)
from recollect.store.dialect import Connection
from recollect.store.full_text import marks
from recollect.store.row_queries import Rows, increment, renew_claim

_COLUMNS = ("id", *PackageRow._fields[1:])
_PUT = f"INSERT INTO packages ({', '.join(_COLUMNS)}) VALUES ({marks(_COLUMNS)})"

_encode = msgspec.msgpack.Encoder().encode
_provides = msgspec.msgpack.Decoder(tuple[tuple[str, str], ...])
_dependencies = msgspec.msgpack.Decoder(tuple[DependencyRow, ...])

# The ecosystem of a file by its language, for folders with manifests of several ecosystems.
SPOKEN: Mapping[str, str] = {
    "python": "pypi", "rust": "cargo", "go": "go", "php": "composer", "ruby": "gem", "csharp": "nuget",
    "javascript": "npm", "typescript": "npm", "tsx": "npm", "css": "npm", "html": "npm",
    "java": "maven", "kotlin": "maven", "scala": "maven",
}  # fmt: skip


def keep_manifests(connection: Connection, tree: int, stale: Iterable[int], manifests: Mapping[str, bytes]) -> None:
    """Replace the manifests of a tree after its files were written; a change marks its packages as out of date.

    stale: numbers of files that were replaced or removed. manifests: the content of the current ones, by path
    """
    sql = "SELECT file FROM manifests WHERE file BETWEEN ? AND ?"
    known = {int(row[0]) for row in connection.execute(sql, files_of_tree(tree))}
    gone = [(number,) for number in stale if number in known]
    if gone:
        connection.executemany("DELETE FROM manifests WHERE file = ?", gone)
    if manifests:
        put = "INSERT INTO manifests (file, content) SELECT id, ? FROM files WHERE tree = ? AND path = ?"
        connection.executemany(put, [(content, tree, path) for path, content in manifests.items()])
    if gone or manifests:
        connection.execute("DELETE FROM settled_trees WHERE tree = ?", (tree,))


def drop_packages(connection: Connection, tree: int) -> None:
    """Remove the packages and manifests of a tree."""
    for table, key in (("manifests", "file"), ("packages", "id")):
        connection.execute(f"DELETE FROM {table} WHERE {key} BETWEEN ? AND ?", files_of_tree(tree))
    connection.execute("DELETE FROM settled_trees WHERE tree = ?", (tree,))


class Packages(Rows):
    """The part of a store that has packages."""

    def manifests(self, tree: int) -> list[tuple[str, str, bytes]]:
        """Return path, mark and content of every manifest of a tree, by path."""
        sql = (
            "SELECT f.path, f.mark, m.content FROM manifests m JOIN files f ON f.id = m.file "
            "WHERE m.file BETWEEN ? AND ? ORDER BY f.path"
        )
        return [(path, mark, content) for path, mark, content in self._rows(sql, files_of_tree(tree))]

    def packages_settled(self, tree: int) -> bool:
        """Return whether the packages of a tree are up to date with its manifests."""
        return bool(self._rows("SELECT tree FROM settled_trees WHERE tree = ?", (tree,)))

    def put_packages(self, tree: int, owner: str, packages: Sequence[PackageRow], *, lease_s: int) -> None:
        """Replace the packages of a claimed tree, all or nothing. Raises Conflict if the claim was lost."""
        with self._dialect.errors(), self._dialect.write() as connection:
            renew_claim(connection, tree, owner, lease_s)
            first, last = files_of_tree(tree)
            connection.execute("DELETE FROM packages WHERE id BETWEEN ? AND ?", (first, last))
            connection.executemany(_PUT, [_row(first + place, row) for place, row in enumerate(packages)])
            connection.execute("DELETE FROM settled_trees WHERE tree = ?", (tree,))
            connection.execute("INSERT INTO settled_trees (tree) VALUES (?)", (tree,))
            increment(connection, "code_stamp")

    def packages(self, trees: Sequence[int] | None = None) -> list[PackageRow]:
        """Return the packages of trees (default: all trees), ordered by tree and folder."""
        sql = f"SELECT {', '.join(_COLUMNS)} FROM packages WHERE id BETWEEN ? AND ? ORDER BY id"
        # All numbers of trees, where none is named.
        bounds = [(0, 2**62)] if trees is None else [files_of_tree(tree) for tree in trees]
        return [
            PackageRow._make((row[0] >> FILE_BITS, *row[1:9], _provides.decode(row[9]), _dependencies.decode(row[10])))
            for bound in bounds
            for row in self._rows(sql, bound)
        ]

    # --- as a graph ---

    def package_nodes(self) -> Iterator[tuple[str, str, str, str | None]]:
        """Yield (node id, kind, label, namespace) of every package of the trees and of their dependencies.

        A package has the namespace of the trees that contain it. A package that is not indexed, or in trees of several
        namespaces, has none.
        """
        index = PackageIndex(self.packages(), self.find(Tree))
        seen: set[str] = set()
        for row in index.rows:
            for node, label in [(index.node(row), row.label), *_needed(index, row)]:
                if node not in seen:
                    seen.add(node)
                    yield node, "Package", label, index.namespace(node)

    def package_links(self) -> Iterator[PackageLink]:
        """Yield the links that start at the packages of the trees."""
        index = PackageIndex(self.packages(), self.find(Tree))
        seen: set[tuple[str, str, str]] = set()
        for link in (link for row in index.rows for link in _links(index, row)):
            # Work trees of one repository repeat each other.
            if (link.src, link.dst, link.scope) not in seen:
                seen.add((link.src, link.dst, link.scope))
                yield link
        for tree in dict.fromkeys(row.tree for row in index.rows):
            yield from self._files(index, tree)

    def _files(self, index: PackageIndex, tree: int) -> Iterator[PackageLink]:
        sql = "SELECT path, language FROM files WHERE id BETWEEN ? AND ? AND skipped = '' ORDER BY id"
        for path, language in self._rows(sql, files_of_tree(tree)):
            row = index.owner(tree, path, language)
            if row is not None:
                yield PackageLink(index.node(row), file_node(index.roots[tree], path), "CONTAINS")


class PackageIndex:
    """Packages by name and folder: which one satisfies a dependency, and which one a file belongs to."""

    def __init__(self, rows: Iterable[PackageRow], trees: Iterable[Tree]) -> None:
        known = {tree.id: tree for tree in trees}
        self.roots = {number: tree.root for number, tree in known.items()}
        self.rows = [row for row in rows if row.tree in known]
        self._by_name: dict[tuple[str, str], list[PackageRow]] = defaultdict(list)
        self._by_place: dict[tuple[str, str], list[PackageRow]] = defaultdict(list)
        self._by_folder: dict[tuple[int, str], list[PackageRow]] = defaultdict(list)
        self._namespaces: dict[str, set[str | None]] = defaultdict(set)
        for row in self.rows:
            if row.name:
                self._by_name[row.ecosystem, row.name].append(row)
            self._by_place[row.ecosystem, self.place(row)].append(row)
            self._by_folder[row.tree, row.folder].append(row)
            self._namespaces[self.node(row)].add(known[row.tree].namespace)

    def place(self, row: PackageRow) -> str:
        """Return the absolute folder of a package."""
        return posixpath.normpath(f"{self.roots[row.tree]}/{row.folder}")

    def node(self, row: PackageRow) -> str:
        """Return the id of a package in the graph."""
        return package_node(row.ecosystem, row.name, self.place(row))

    def namespace(self, node: str) -> str | None:
        """Return the namespace of the trees with a package; None if they differ."""
        found = self._namespaces.get(node, set())
        return next(iter(found)) if len(found) == 1 else None

    def providers(self, row: PackageRow, needed: DependencyRow) -> list[PackageRow]:
        """Return the indexed packages that may satisfy a dependency, best first; empty if none is indexed.

        The folder that the manifest names comes first, then the same tree, then own code before vendored code, then
        the folder nearest to the root of its tree.
        """
        beside = self._by_place.get((row.ecosystem, needed.local), []) if needed.local else []
        named = self._by_name.get((row.ecosystem, needed.name), []) if needed.name else []
        if any(other.name == needed.name for other in beside):
            beside = [other for other in beside if other.name == needed.name]
        rest = sorted((other for other in named if other not in beside), key=lambda other: _distance(row, other))
        return [other for other in (*beside, *rest) if other is not row]

    def target(self, row: PackageRow, needed: DependencyRow) -> str:
        """Return the id of the package that satisfies a dependency, indexed or not; empty if unknown."""
        for other in self.providers(row, needed):
            return self.node(other)
        return package_node(row.ecosystem, needed.name) if needed.name else ""

    def member_of(self, row: PackageRow) -> PackageRow | None:
        """Return the root package of the workspace of a package, if there is one."""
        if row.workspace is None:
            return None
        held = self._by_folder.get((row.tree, row.workspace), [])
        return next((other for other in held if other.ecosystem == row.ecosystem and other is not row), None)

    def owner(self, tree: int, path: str, language: str | None) -> PackageRow | None:
        """Return the package of a file: the nearest in the ecosystem of its language, else the nearest."""
        ecosystem = SPOKEN.get(language or "")
        nearest, folder = None, path
        while folder:
            folder = folder.rpartition("/")[0]
            for row in self._by_folder.get((tree, folder), []):
                if row.ecosystem == ecosystem:
                    return row
                nearest = nearest or row
        return nearest


def _distance(row: PackageRow, other: PackageRow) -> tuple[bool, bool, int, int, str]:
    return other.tree != row.tree, bool(other.mark), other.folder.count("/"), other.tree, other.folder


def _needed(index: PackageIndex, row: PackageRow) -> Iterator[tuple[str, str]]:
    for needed in row.dependencies:
        node = index.target(row, needed)
        if node:
            provider = next(iter(index.providers(row, needed)), None)
            yield node, provider.label if provider else needed.label


def _links(index: PackageIndex, row: PackageRow) -> Iterator[PackageLink]:
    node = index.node(row)
    workspace = index.member_of(row)
    if workspace is not None and index.node(workspace) != node:
        yield PackageLink(index.node(workspace), node, "CONTAINS")
    for needed in row.dependencies:
        target = index.target(row, needed)
        if target and target != node:
            yield PackageLink(node, target, "DEPENDS_ON", needed.scope, needed.range)


def _row(number: int, row: PackageRow) -> tuple[object, ...]:
    return (number, *row[1:9], _encode(row.provides), _encode(row.dependencies))
