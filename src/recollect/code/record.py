"""What operations on source code answer with; records as of recollect.model."""

from __future__ import annotations

from typing import Literal

from recollect.model import CodeHit, NodeKind, Record


class Indexed(Record, frozen=True, kw_only=True):
    """What indexing a tree of source code did, and how much of it is indexed now.

    read, unchanged, removed: files, by what this run did with them. skipped: files that are not indexed, by reason
    vectors_made: vectors of code that this run made
    """

    root: str
    namespace: str | None
    files: int
    symbols: int
    chunks: int
    size_bytes: int
    read: int
    unchanged: int
    removed: int
    read_bytes: int
    cpu_s: float = 0.0
    languages: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    skipped: dict[str, int] = {}  # noqa: RUF012
    vectors_made: int = 0
    notes: tuple[str, ...] = ()


class SymbolHit(Record, frozen=True, kw_only=True):
    """A symbol of the code: what and where it is, and how it was found."""

    id: str
    name: str
    qualified: str
    kind: NodeKind
    path: str
    start_line: int
    end_line: int
    language: str
    signature: str = ""
    doc: str = ""
    visibility: str = "public"
    root: str = ""
    namespace: str | None = None
    match: Literal["exact", "prefix", "humps", "fuzzy"] = "exact"


class SymbolList(Record, frozen=True, kw_only=True):
    """Symbols that a name may mean, best first; `notes` say what was missing while looking."""

    query: str
    symbols: tuple[SymbolHit, ...]
    notes: tuple[str, ...] = ()


class SymbolView(Record, frozen=True, kw_only=True):
    """All that is known of one symbol.

    parent: its owner; children: what it holds. others: further symbols that the same words may mean
    """

    symbol: SymbolHit
    decorators: tuple[str, ...] = ()
    complexity: Literal["low", "medium", "high"] = "low"
    is_test: bool = False
    endpoint: str | None = None
    hash: str = ""
    parent: SymbolHit | None = None
    children: tuple[SymbolHit, ...] = ()
    others: tuple[SymbolHit, ...] = ()


class CodeHits(Record, frozen=True, kw_only=True):
    """Places in the code, best first, one per file; `notes` say what was degraded or missing."""

    query: str
    hits: tuple[CodeHit, ...]
    mode: Literal["hybrid", "lexical"] = "lexical"
    notes: tuple[str, ...] = ()


class PackageView(Record, frozen=True, kw_only=True):
    """A package of an indexed tree, and how much hangs on it.

    folder, manifest: from the root. workspace: folder of the workspace it is a member of. mark: vendored or generated
    needs: indexed packages that it needs. needed_by: indexed packages that need it. externals: what else it needs
    """

    id: str
    name: str
    ecosystem: str
    root: str
    folder: str
    manifest: str
    version: str = ""
    namespace: str | None = None
    workspace: str | None = None
    mark: str = ""
    needs: int = 0
    needed_by: int = 0
    externals: int = 0


class PackageLink(Record, frozen=True, kw_only=True):
    """One indexed package needs another one.

    across: they lie in different trees. fits: whether the version there is within the range, if known
    others: further places that hold a package of the wanted name
    """

    source: str
    source_root: str
    source_folder: str
    target: str
    target_root: str
    target_folder: str
    ecosystem: str
    scope: str
    range: str = ""
    version: str = ""
    across: bool = False
    fits: bool | None = None
    others: tuple[str, ...] = ()


class ExternalPackage(Record, frozen=True, kw_only=True):
    """A package that is needed and not indexed: by how many packages and trees, in which ranges.

    conflict: two of the ranges let no version through together. users: some of the packages
    """

    id: str
    name: str
    ecosystem: str
    packages: int
    trees: int
    ranges: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    conflict: bool = False
    users: tuple[str, ...] = ()


class CrossRepo(Record, frozen=True, kw_only=True):
    """Which packages indexed trees hold, which of them need which, and what they need of others.

    trees: how many hold one of the packages. conflicts: external packages whose ranges exclude each other
    """

    namespace: str | None
    package: str | None
    packages: tuple[PackageView, ...]
    links: tuple[PackageLink, ...]
    externals: tuple[ExternalPackage, ...]
    trees: int = 0
    packages_total: int = 0
    links_total: int = 0
    across_total: int = 0
    externals_total: int = 0
    conflicts: int = 0
    notes: tuple[str, ...] = ()
