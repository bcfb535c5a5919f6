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
