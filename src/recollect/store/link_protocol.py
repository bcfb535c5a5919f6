"""What a store keeps of links in source code: programs, and the edges that were found in them.

Like the rest of the index it is derived. What a file uses is kept with that file, packed, and names what it leads to by
ids that outlive an edit of either end:

    edges    sources   [ "Server.start", "" … ]          keys of symbols of this file; "" is the file itself
             targets   [ "s" + path::key, "f" + path, "=" + any other node id … ]
             columns   source, target, relation, confidence
    sites    columns   edge, line, column, how, confidence       every place in the file that makes the edge
             externals, ambiguous and unresolved names with their places

The key of a symbol is its qualified name, with a number if it is not the first of that name in its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from recollect.store.code_protocol import CodeStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Confidence is kept in hundredths.
SURE = 100


class Edges(msgspec.Struct, frozen=True, array_like=True):
    """Links of one file; columns are arrays of 32-bit numbers, or of bytes, in the order of this machine."""

    sources: list[str]
    targets: list[str]
    source: bytes = b""  # 32 bits: place in sources
    target: bytes = b""  # 32 bits: place in targets
    relation: bytes = b""  # 8 bits: place in model.RELATIONS
    confidence: bytes = b""  # 8 bits: hundredths


class OutsideSite(msgspec.Struct, frozen=True, array_like=True):
    """A use of something outside of the tree: by which symbol of the file, of what, how related, at which lines."""

    source: str
    name: str
    relation: str
    lines: tuple[int, ...]


class AmbiguousSite(msgspec.Struct, frozen=True, array_like=True):
    """A use that may mean several things: the name as written, and the targets it may mean (as of Edges.targets)."""

    source: str
    name: str
    candidates: tuple[str, ...]
    line: int
    column: int = 0
    how: str = ""
    total: int = 0


class UnresolvedSite(msgspec.Struct, frozen=True, array_like=True):
    """A use of which nothing is known but the name."""

    source: str
    name: str
    line: int
    column: int = 0
    why: str = ""


class Sites(msgspec.Struct, frozen=True, array_like=True):
    """Where the links of a file stand in it, and what did not become a link."""

    edge: bytes = b""  # 32 bits: place in the columns of Edges
    line: bytes = b""  # 32 bits
    column: bytes = b""  # 32 bits
    how: bytes = b""  # 8 bits: place in hows
    confidence: bytes = b""  # 8 bits: hundredths
    hows: tuple[str, ...] = ()
    outside: tuple[OutsideSite, ...] = ()
    ambiguous: tuple[AmbiguousSite, ...] = ()
    unresolved: tuple[UnresolvedSite, ...] = ()


class Program(NamedTuple):
    """A file's program, ready to be kept: number, path, hash of the content, what is known of it without reading it,
    as much of it as others can see, and all of it."""

    file: int
    path: str
    hash: str
    outline: bytes
    face: bytes
    content: bytes


class KnownProgram(NamedTuple):
    """What is known of a file's program: its number, the hash it is known by, what others need of it, and its size."""

    file: int
    hash: str
    outline: bytes
    size_bytes: int


class Links(NamedTuple):
    """A file's links, packed, ready to be kept; the digest is that of everything they were made from."""

    file: int
    digest: str
    edges: bytes
    sites: bytes


class LinkedTree(NamedTuple):
    """How a tree was linked: by which rules, in which state of the index, when."""

    fingerprint: str
    generation: int
    linked_at: int


class CodeStamps(NamedTuple):
    """Every indexed file by number with two counters: what was read of it, and its links, as they last changed."""

    files: NDArray[np.int64]
    read: NDArray[np.int64]
    linked: NDArray[np.int64]


class FileGraph(NamedTuple):
    """A file as the graph reads it: the symbols in order as (qualified name, kind, parent), and its links if any."""

    file: int
    path: str
    tree: int
    symbols: list[SymbolPoint]
    edges: Edges | None


class SymbolPoint(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """As much of a kept symbol as makes a node; fields as of SymbolRow, those in between are skipped over."""

    name: str
    qualified: str
    kind: str
    signature: msgspec.Raw
    doc: msgspec.Raw
    visibility: msgspec.Raw
    decorators: msgspec.Raw
    parent: int


class LinkStore(CodeStore, Protocol):
    """A store that keeps links in source code too."""

    def linked_tree(self, tree: int) -> LinkedTree | None:
        """Return how a tree was linked last; None if it never was."""
        ...

    def known_programs(self, tree: int) -> dict[str, KnownProgram]:
        """Return by path what is known of the programs of a tree; files that are gone may be among them."""
        ...

    def packed_symbols(self, files: Sequence[int]) -> dict[int, bytes]:
        """Return the symbols of files as they are kept, by their number."""
        ...

    def programs(self, files: Sequence[int], *, faces: bool = False) -> dict[int, bytes]:
        """Return programs by the number of their file, or as much of them as others can see."""
        ...

    def put_programs(
        self, tree: int, owner: str, programs: Sequence[Program], *, lease_s: int, gone: Sequence[int] = ()
    ) -> None:
        """Keep programs of a claimed tree, and forget some with their links. Raises Conflict if the claim was lost."""
        ...

    def link_digests(self, tree: int) -> dict[int, str]:
        """Return by file the digest of what its links were made from."""
        ...

    def put_links(self, tree: int, owner: str, links: Sequence[Links], *, lease_s: int) -> None:
        """Keep the links of files; equal ones count as unchanged. Raises Conflict if the claim was lost."""
        ...

    def put_linked_tree(self, tree: int, owner: str, linked: LinkedTree) -> None:
        """Keep how a claimed tree was linked. Raises Conflict if the claim was lost."""
        ...

    def file_edges(self, files: Sequence[int]) -> dict[int, Edges]:
        """Return the links of files by their number."""
        ...

    def file_sites(self, files: Sequence[int]) -> dict[int, Sites]:
        """Return where the links of files stand, by their number."""
        ...

    def files_linking(self, tree: int, target: str, limit: int) -> list[int]:
        """Return files of a tree that may have links to a target, given as of Edges.targets; all that do are named."""
        ...

    def files_mentioning(self, tree: int, texts: Sequence[str], limit: int) -> list[int]:
        """Return files of a tree among whose sites one of these texts stands, as a name or a part of one."""
        ...

    def link_generation(self) -> int:
        """Return a number that stays the same as long as no links change."""
        ...

    def code_stamps(self) -> CodeStamps:
        """Return by which counters every indexed file was last changed, in the order of their numbers."""
        ...

    def file_graphs(self, files: Iterable[int] | None = None) -> Iterable[FileGraph]:
        """Yield files as the graph reads them, in the order of their numbers; None means all."""
        ...


def target_node(root: str, target: str) -> str:
    """Return the id in the graph of a target as links keep it."""
    kind, rest = target[0], target[1:]
    return f"sym:{root}/{rest}" if kind == "s" else f"file:{root}/{rest}" if kind == "f" else rest
