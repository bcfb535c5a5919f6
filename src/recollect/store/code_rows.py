"""The code index of a store: its rows, and the ids of its symbols in the graph.

The index is derived from files and can be rebuilt, so nothing of it is logged. A tree is an indexed folder. The numbers
of its files, symbols and chunks contain each other, so that all rows of a file or a tree are adjacent, and no table
needs a column, an index or a join to find them:

    file   = tree << 24 | number        16 million files a tree
    symbol = file << 20 | place         place of the symbol in its file
    chunk  = file << 20 | place         place of the chunk in its file

Symbols and chunks are stored packed, one blob of each per file (docs/adr/0007 has the numbers), like the programs and
links of recollect.store.link_rows.

Packages come from the manifests of a tree. As a graph:

    pkg:npm:@acme/core                  a package with a name, wherever it lies, indexed or not
    pkg:gem:/home/me/app                one without a name, by the folder of its manifest
    ── DEPENDS_ON ──►  package          with scope and range
    ── CONTAINS ──►    file, package    the files whose nearest manifest is its own; the members of its workspace
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from recollect.model import File, Tree

FILE_BITS = 24
PLACE_BITS = 20
# Symbols and chunks beyond this are left out; a file of two megabytes does not come near it.
MAX_PLACES = 1 << PLACE_BITS

# Files whose full text a rebuild dropped: no content has such a hash, so `index` reads them again.
UNREAD = {"hash": "", "skipped": ""}


class IndexedFile(NamedTuple):
    """A file that was read, ready to be stored. `skipped` is why it was not indexed; then the rest is empty.

    symbols, chunks: packed (msgpack) lists, see SymbolRow and ChunkSpan.
    names, humps: the names of its symbols in lower case, and their first letters, separated by blanks.
    texts: for each chunk the search terms of the names it defines, of the names around it, and of its text.
    manifest: the packed content of a manifest, also of a skipped file.
    """

    path: str
    hash: str
    mtime_ns: int
    size_bytes: int
    language: str | None = None
    mark: str = ""
    skipped: str = ""
    notes: tuple[str, ...] = ()
    symbol_count: int = 0
    symbols: bytes = b""
    chunks: bytes = b""
    names: str = ""
    humps: str = ""
    path_terms: str = ""
    texts: tuple[tuple[str, str, str], ...] = ()
    manifest: bytes = b""


class Touched(NamedTuple):
    """A file with a new modification time and the same content."""

    path: str
    mtime_ns: int
    size_bytes: int


class SymbolRow(NamedTuple):
    """A symbol as it is kept; fields as of recollect.code.index.symbols.Symbol."""

    name: str
    qualified: str
    kind: str
    signature: str
    doc: str
    visibility: str
    decorators: tuple[str, ...]
    parent: int
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    complexity: float
    test: bool
    endpoint: str | None
    hash: str


class ChunkSpan(NamedTuple):
    """A chunk of a file: its lines, the places of the symbols that begin in it and of the one around it, its hash."""

    start_line: int
    end_line: int
    symbols: tuple[int, ...]
    around: int
    hash: bytes


class FoundSymbol(NamedTuple):
    """A symbol with its number, its id in the graph, its file and its tree."""

    id: int
    node: str
    symbol: SymbolRow
    file: File
    tree: Tree


class ChunkRow(NamedTuple):
    """A chunk of a file as ranking sees it: where, what it defines, and its search terms by field."""

    id: int
    file: File
    tree: Tree
    start_line: int
    end_line: int
    symbols: tuple[SymbolRow, ...]
    around: SymbolRow | None
    hash: bytes
    names: list[str]
    around_terms: list[str]
    path_terms: list[str]
    body: list[str]


class CodeScope(NamedTuple):
    """The scope of a code search. Empty means everywhere.

    trees: numbers of trees; languages: names; below: prefixes of paths from the root.
    """

    trees: tuple[int, ...] | None = None
    languages: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def is_narrowed(self) -> bool:
        """Whether it restricts more than the tree."""
        return bool(self.languages or self.below)

    def allows(self, language: str | None, path: str) -> bool:
        """Return whether a file of one of the trees is in the scope."""
        if self.languages and language not in self.languages:
            return False
        return not self.below or path.startswith(self.below)


class CodeMatch(NamedTuple):
    """A chunk found by a search, with its score; higher is better."""

    id: int
    score: float


class FieldWeights(NamedTuple):
    """The weight of a term in the names a chunk defines, in those around it, in its path and in its text."""

    names: float = 1.0
    around: float = 1.0
    path: float = 1.0
    body: float = 1.0


class CodeTotals(NamedTuple):
    """Totals of the index: files by language, skipped files by reason, bytes, symbols and chunks."""

    files: int
    size_bytes: int
    symbols: int
    chunks: int
    languages: dict[str, int]
    skipped: dict[str, int]


class LackingVector(NamedTuple):
    """A chunk without a vector: its hash, and one of the chunks with that hash."""

    hash: bytes
    chunk: int


class DependencyRow(NamedTuple):
    """A dependency of a package.

    name: normalized as by its registry; empty if only the folder is known. label: as written.
    local: its absolute folder, if the manifest gives one.
    """

    name: str
    label: str
    range: str
    scope: str
    local: str


class PackageRow(NamedTuple):
    """A package of a tree.

    name: normalized as by its registry; may be empty. label: as written, or the name of its folder.
    folder, manifest: relative to the root. mark: that of the manifest file. workspace: the folder of its workspace.
    provides: importable names and their folders, as far as the manifest names them.
    """

    tree: int
    folder: str
    ecosystem: str
    name: str
    label: str
    version: str
    manifest: str
    mark: str
    workspace: str | None
    provides: tuple[tuple[str, str], ...]
    dependencies: tuple[DependencyRow, ...]


class PackageLink(NamedTuple):
    """A link that starts at a package."""

    src: str
    dst: str
    relationship: str
    scope: str = ""
    range: str = ""


def files_of_tree(tree: int) -> tuple[int, int]:
    """Return the lowest and the highest number a file of the tree can have."""
    return tree << FILE_BITS, ((tree + 1) << FILE_BITS) - 1


def places_of_file(file: int) -> tuple[int, int]:
    """Return the lowest and the highest number a symbol or chunk of the file can have."""
    return file << PLACE_BITS, ((file + 1) << PLACE_BITS) - 1


def file_node(root: str, path: str) -> str:
    """Return the id of a file in the graph."""
    return f"file:{root}/{path}"


class Qualified(Protocol):
    """Anything that has the qualified name of a symbol."""

    @property
    def qualified(self) -> str:
        """The name through all parents."""
        ...


def symbol_keys(symbols: Iterable[Qualified]) -> list[str]:
    """Return a key for each symbol of a file, unique in it and stable across edits that keep the name."""
    keys: list[str] = []
    seen: dict[str, int] = {}
    for symbol in symbols:
        qualified = symbol.qualified
        count = seen[qualified] = seen.get(qualified, 0) + 1
        keys.append(qualified if count == 1 else f"{qualified}#{count}")
    return keys


def symbol_nodes(root: str, path: str, symbols: Sequence[SymbolRow]) -> list[str]:
    """Return the ids of a file's symbols in the graph; they outlive an edit that keeps the symbol's name."""
    return [f"sym:{root}/{path}::{key}" for key in symbol_keys(symbols)]


def package_node(ecosystem: str, name: str, place: str = "") -> str:
    """Return the id of a package in the graph: by its name, or by the absolute folder of its manifest without one."""
    return f"pkg:{ecosystem}:{name or place}"
