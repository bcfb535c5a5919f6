"""Links in source code as a store has them: programs, and the edges that were found in them.

Links are derived, like the rest of the index. They are stored packed with the file that contains the use, and name
their targets by ids that outlive an edit of either end:

    edges    sources   [ "Server.start", "" … ]          keys of symbols of this file; "" is the file itself
             targets   [ "s" + path::key, "f" + path, "=" + any other node id … ]
             columns   source, target, relation, confidence
    sites    columns   edge, line, column, how, confidence       every place in the file that makes the edge
             externals, ambiguous and unresolved names with their places

The key of a symbol is its qualified name, with a number if it is not the first of that name in its file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Before an alias: other texts of a file's sites are no aliases, and a search for one does not find them.
ALIAS = "\x02"
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
    """A use of something outside of the tree: by which symbol of the file, of what, how related, at which lines.

    count: of arguments, where overloads differ by it
    """

    source: str
    name: str
    relation: str
    lines: tuple[int, ...]
    count: int = -1


class AmbiguousSite(msgspec.Struct, frozen=True, array_like=True):
    """A use with several candidates: the name as written, and the possible targets (as in Edges.targets)."""

    source: str
    name: str
    candidates: tuple[str, ...]
    line: int
    column: int = 0
    how: str = ""
    total: int = 0


class UnresolvedSite(msgspec.Struct, frozen=True, array_like=True):
    """A use of which only the name is known."""

    source: str
    name: str
    line: int
    column: int = 0
    why: str = ""


class Sites(msgspec.Struct, frozen=True, array_like=True):
    """The places of the links of a file, and the uses that did not become a link.

    aliases: names that no symbol of the file has, marked, and the target (as in Edges.targets) that each stands for
    """

    edge: bytes = b""  # 32 bits: place in the columns of Edges
    line: bytes = b""  # 32 bits
    column: bytes = b""  # 32 bits
    how: bytes = b""  # 8 bits: place in hows
    confidence: bytes = b""  # 8 bits: hundredths
    hows: tuple[str, ...] = ()
    outside: tuple[OutsideSite, ...] = ()
    ambiguous: tuple[AmbiguousSite, ...] = ()
    unresolved: tuple[UnresolvedSite, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()


class Program(NamedTuple):
    """A file's program, ready to be stored: its outline, the part that other files can see (face), and all of it."""

    file: int
    path: str
    hash: str
    outline: bytes
    face: bytes
    content: bytes


class KnownProgram(NamedTuple):
    """A stored program: the number and hash of its file, its outline and its size."""

    file: int
    hash: str
    outline: bytes
    size_bytes: int


class Links(NamedTuple):
    """A file's packed links, ready to be stored; the digest covers everything they were made from."""

    file: int
    digest: str
    edges: bytes
    sites: bytes


class LinkedTree(NamedTuple):
    """The linking of a tree: rules, state of the index, time."""

    fingerprint: str
    generation: int
    linked_at: int


class CodeStamps(NamedTuple):
    """Every indexed file by number, with the counters of its last read and of its last change of links."""

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
    """The fields of a SymbolRow that make a node; those in between are not decoded."""

    name: str
    qualified: str
    kind: str
    signature: msgspec.Raw
    doc: msgspec.Raw
    visibility: msgspec.Raw
    decorators: msgspec.Raw
    parent: int


class Crossing(NamedTuple):
    """A use of a symbol by another tree: nodes, relationship, confidence, lines, the name as used, its file."""

    src: str
    dst: str
    relation: str
    confidence: float
    lines: tuple[int, ...]
    name: str
    file: int


def target_node(root: str, target: str) -> str:
    """Return the graph id of a target of a link."""
    kind, rest = target[0], target[1:]
    return f"sym:{root}/{rest}" if kind == "s" else f"file:{root}/{rest}" if kind == "f" else rest
