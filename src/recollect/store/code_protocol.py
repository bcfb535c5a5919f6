"""What a store keeps of source code, and what may be asked of it besides what recollect.store.protocol says.

A module of its own, since only what works on code needs it and loading it costs two milliseconds.

The index is derived from files and can always be made again, so nothing of it is logged. A tree is a folder that was
indexed; its files, their symbols and the pieces they are searched by have numbers that contain each other, so that all
rows of a file or a tree lie side by side and no table needs a column, an index or a join to find them:

    file   = tree << 24 | number        16 million files a tree
    symbol = file << 20 | place         place of the symbol in its file
    chunk  = file << 20 | place         place of the piece in its file

Symbols and pieces are kept packed, one blob of each per file (docs/adr/0007 has the numbers); so are the programs and
links that recollect.store.link_protocol speaks of.

Packages come from the manifests of a tree. As a graph:

    pkg:npm:@acme/core                  a package with a name, wherever it lies, indexed or not
    pkg:gem:/home/me/app                one without a name, by the folder of its manifest
    ── DEPENDS_ON ──►  package          with scope and range
    ── CONTAINS ──►    file, package    the files whose nearest manifest is its own; the members of its workspace
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from recollect.model import File, Tree
from recollect.store.protocol import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE_BITS = 24
PLACE_BITS = 20
# What has no place in its number is left out; a file of two megabytes does not come near it.
MAX_PLACES = 1 << PLACE_BITS

# Files whose full text was thrown away by a rebuild: no content has such a hash, so that `index` reads them anew.
UNREAD = {"hash": "", "skipped": ""}


class IndexedFile(NamedTuple):
    """A file that was read, ready to be kept. `skipped` says why it was not indexed; then nothing else was read of it.

    symbols, chunks: packed (msgpack) lists, see SymbolRow and ChunkSpan.
    names, humps: the names of its symbols in lower case, and their first letters, separated by blanks.
    texts: of each piece the search terms of the names defined in it, of the names around it, and of its text.
    manifest: what it says if it is a manifest, packed; read of a skipped file, too.
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
    """A file whose content is as it was though its time changed."""

    path: str
    mtime_ns: int
    size_bytes: int


class SymbolRow(NamedTuple):
    """A symbol as it is kept; fields as of recollect.code.symbols.Symbol."""

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
    """A piece of a file: its lines, the places of the symbols that begin in it, of the one around it, and its hash."""

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
    """A piece of a file as ranking sees it: where, what it defines, and its search terms by field."""

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
    """Where code is searched. Empty means everywhere.

    trees: numbers of trees; languages: names; below: beginnings of paths from the root.
    """

    trees: tuple[int, ...] | None = None
    languages: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def is_narrowed(self) -> bool:
        """Tell whether more than the tree decides."""
        return bool(self.languages or self.below)

    def allows(self, language: str | None, path: str) -> bool:
        """Tell whether a file of the right tree is meant."""
        if self.languages and language not in self.languages:
            return False
        return not self.below or path.startswith(self.below)


class CodeMatch(NamedTuple):
    """A piece found by a search and how well it matched; higher is better."""

    id: int
    score: float


class FieldWeights(NamedTuple):
    """How much a term counts in the names a piece defines, in those around it, in its path and in its text."""

    names: float = 1.0
    around: float = 1.0
    path: float = 1.0
    body: float = 1.0


class CodeTotals(NamedTuple):
    """How much is indexed: files by language, the skipped ones by reason, their bytes and what was found in them."""

    files: int
    size_bytes: int
    symbols: int
    chunks: int
    languages: dict[str, int]
    skipped: dict[str, int]


class LackingVector(NamedTuple):
    """A piece without a vector: its hash, and one of the pieces that have it."""

    hash: bytes
    chunk: int


class DependencyRow(NamedTuple):
    """A package that another one needs.

    name: as its registry compares names; empty where only the place is known. label: as it is written.
    local: the absolute folder it lies in, if its manifest says that it lies beside.
    """

    name: str
    label: str
    range: str
    scope: str
    local: str


class PackageRow(NamedTuple):
    """A package of a tree.

    name: as its registry compares names; empty for one without. label: as it is written, or the name of its folder.
    folder, manifest: from the root. mark: of its manifest, as of a file. workspace: the folder of the one it is in.
    provides: what can be imported, and where it lies from the folder, as far as manifests say.
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


class CodeStore(Store, Protocol):
    """A store that keeps source code too."""

    def claim_tree(
        self, root: str, namespace: str | None, *, owner: str, fingerprint: str, lease_s: int
    ) -> Tree | None:
        """Return the tree at `root`, made if it is new, for `owner` alone to write; None while another one does.

        A claim ends by itself after `lease_s` seconds without a write. A fingerprint other than the one the tree was
        indexed by makes every file of it unread.
        """
        ...

    def release_tree(self, tree: int, owner: str, *, is_complete: bool) -> None:
        """End a claim; `is_complete` stamps the tree as indexed now."""
        ...

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
        """Keep, touch and forget files of a claimed tree, all or nothing. Raises Conflict if the claim was lost."""
        ...

    def merge_code_text(self) -> None:
        """Merge what many writes have added to the full text, so that none of the next small ones has to."""
        ...

    def drop_trees(self, trees: Sequence[int]) -> int:
        """Forget trees with all that is known of them; returns how many files that were."""
        ...

    def known_files(self, tree: int, at: Sequence[str] | None = None) -> dict[str, tuple[int, int, str]]:
        """Return path → (mtime_ns, size_bytes, hash) of every file of a tree, the skipped ones too.

        at: only what lies at or below these paths
        """
        ...

    def code_totals(self, trees: Sequence[int] | None = None) -> CodeTotals:
        """Return how much of trees is indexed."""
        ...

    def file_contents(self, files: Sequence[int]) -> dict[int, tuple[list[SymbolRow], list[ChunkSpan]]]:
        """Return the symbols and pieces of files by their number."""
        ...

    def symbols(self, ids: Sequence[int]) -> list[FoundSymbol]:
        """Return the symbols with these numbers, in the order asked; unknown ones are left out."""
        ...

    def symbols_named(self, names: Sequence[str], scope: CodeScope, limit: int) -> list[FoundSymbol]:
        """Return symbols with one of these names, whatever their case, of at most `limit` files."""
        ...

    def symbol_names(self, prefix: str = "", *, humps: bool = False, limit: int | None = None) -> list[tuple[str, int]]:
        """Return the names (in lower case) that begin with `prefix`, or their humps, with their number of files."""
        ...

    def names_with_humps(self, humps: Sequence[str], scope: CodeScope, limit: int) -> list[FoundSymbol]:
        """Return symbols whose parts begin with these letters (gun: getUserName), of at most `limit` files."""
        ...

    def search_code_text(
        self, terms: Sequence[str], scope: CodeScope, limit: int, *, weights: FieldWeights = ..., postings: int = ...
    ) -> list[CodeMatch]:
        """Return the pieces that hold any of the terms, best BM25 first.

        The rarest terms are taken until their pieces add up to `postings`; the others tell least and cost most. Where
        all are too frequent for that, pieces that hold them all are returned, if there are enough.
        """
        ...

    def chunk_rows(self, ids: Iterable[int]) -> list[ChunkRow]:
        """Return these pieces, in the order asked; unknown ones are left out."""
        ...

    def code_term_counts(self, terms: Sequence[str]) -> tuple[int, Mapping[str, int]]:
        """Return how many pieces there are, and how many hold each term."""
        ...

    def code_generation(self) -> int:
        """Return a number that stays the same exactly as long as no indexed file changes."""
        ...

    def put_code_vectors(self, model: str, vectors: Iterable[tuple[bytes, NDArray[np.float32]]]) -> int:
        """Keep vectors of pieces by their hash; returns how many were kept."""
        ...

    def lacking_code_vectors(self, model: str, limit: int, files: Sequence[int] | None = None) -> list[LackingVector]:
        """Return pieces without a vector of `model`, those of the files named first if any are, else newest first."""
        ...

    def code_vector_coverage(self, model: str, trees: Sequence[int] | None = None) -> tuple[int, int]:
        """Return how many different pieces of trees have a vector of `model`, and how many have none."""
        ...

    def drop_code_vectors(self, *, unused_only: bool) -> int:
        """Throw away vectors of pieces: all, or those of no piece any more; returns how many."""
        ...

    def search_code_vectors(
        self, model: str, query: NDArray[np.float32], scope: CodeScope, limit: int
    ) -> list[CodeMatch]:
        """Return the pieces nearest to `query` by cosine."""
        ...

    def code_cosines(self, model: str, query: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of these pieces that has a vector of `model`."""
        ...

    # --- packages ---

    def manifests(self, tree: int) -> list[tuple[str, str, bytes]]:
        """Return path, mark and content of every manifest of a tree, by path."""
        ...

    def packages_settled(self, tree: int) -> bool:
        """Tell whether the packages of a tree are what its manifests say."""
        ...

    def put_packages(self, tree: int, owner: str, packages: Sequence[PackageRow], *, lease_s: int) -> None:
        """Keep these as the packages of a claimed tree, all or nothing. Raises Conflict if the claim was lost."""
        ...

    def packages(self, trees: Sequence[int] | None = None) -> list[PackageRow]:
        """Return the packages of trees, of all if none are named, by tree and folder."""
        ...

    def package_nodes(self, trees: Sequence[int] | None = None) -> Iterator[tuple[str, str, str, str | None]]:
        """Yield (node id, kind, label, namespace) of every package of trees and of every package those need.

        A package belongs to the namespace of the trees that hold it; one that is not indexed, or held by trees of
        several namespaces, to none.
        """
        ...

    def package_links(self, trees: Sequence[int] | None = None) -> Iterator[PackageLink]:
        """Yield the links that start at the packages of trees."""
        ...


def files_of_tree(tree: int) -> tuple[int, int]:
    """Return the lowest and the highest number a file of the tree can have."""
    return tree << FILE_BITS, ((tree + 1) << FILE_BITS) - 1


def places_of_file(file: int) -> tuple[int, int]:
    """Return the lowest and the highest number a symbol or piece of the file can have."""
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
    """Return the keys of a file's symbols: what tells them apart in it, and outlives an edit that keeps their name."""
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
