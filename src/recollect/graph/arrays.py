"""The graph as arrays: numbered nodes, and edges as four columns.

    edges, ordered by where they start      src      0  0  0  2  2  5 …
                                            dst      3  7  1  0  5  2 …
                                            relation, weight     the same length
    leaving node n                          src[starts[n] : starts[n + 1]]  (compressed sparse rows)

A `Graph` is one state of the graph and never changes; load.py makes a new one from it. A weight that is not a positive
number counts as 0: such a link can be walked along but lends no importance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.model import NODE_KINDS, RELATIONS
from recollect.store.link_rows import CodeStamps, Crossing

Ints = NDArray[np.int32]
Places = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.uint8]
Flags = NDArray[np.bool_]

# A link counts as much as a million ordinary ones at most: an infinite weight must not swallow every other.
MAX_WEIGHT = 1e6

KIND_CODES: dict[str, int] = {name: code for code, name in enumerate(NODE_KINDS)}
RELATION_CODES: dict[str, int] = {name: code for code, name in enumerate(RELATIONS)}


class Points(NamedTuple):
    """The nodes as columns; `kinds` are places in NODE_KINDS, `scopes` places in `namespaces`."""

    ids: list[str]
    kinds: Codes
    scopes: Ints
    memory_ids: list[str | None]
    namespaces: list[str | None]


class Links(NamedTuple):
    """Edges as columns; `relations` are places in RELATIONS."""

    src: Ints
    dst: Ints
    relations: Codes
    weights: Floats

    def only(self, keep: Flags) -> Links:
        """Return some of the edges."""
        return Links(self.src[keep], self.dst[keep], self.relations[keep], self.weights[keep])

    def joined(self, other: Links) -> Links:
        """Return these edges and others behind them."""
        return Links(
            np.concatenate((self.src, other.src)),
            np.concatenate((self.dst, other.dst)),
            np.concatenate((self.relations, other.relations)),
            np.concatenate((self.weights, other.weights)),
        )

    def renumbered(self, number: Ints) -> Links:
        """Return the edges by new numbers of their nodes; a node with -1 loses its edges."""
        moved = self._replace(src=number[self.src], dst=number[self.dst])
        there = (moved.src >= 0) & (moved.dst >= 0)
        return moved if there.all() else moved.only(there)


class CodePart(NamedTuple):
    """The code part of a graph: files, symbols, packages and their links.

    names: the ids of all nodes, then those that only a link names. files, owners: the number of the file that a node
    belongs to, that a link starts in. seen: the state of the store it shows. crossings: links from one tree to another
    """

    names: list[str]
    kinds: Codes
    scopes: Ints
    files: Places
    namespaces: list[str | None]
    links: Links
    owners: Places
    stamps: CodeStamps
    seen: tuple[int, int]
    crossings: tuple[Crossing, ...] = ()

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.kinds)


class Rows(NamedTuple):
    """Compressed rows: node n has `ends[starts[n]:starts[n + 1]]`, by the edges in `edges`."""

    starts: Places
    ends: Ints
    edges: Places

    def leaving(self, nodes: Places) -> tuple[Places, Places]:
        """Return the node and the position of every entry of these nodes, in order."""
        return entries(self.starts, nodes)


class Weighted(NamedTuple):
    """Compressed rows with a weight for each entry."""

    starts: Places
    ends: Ints
    weights: Floats


class Graph:
    """One state of the graph."""

    def __init__(self, points: Points, links: Links, *, seen: tuple[int, int] = (-1, -1)) -> None:
        """Make a graph from edges in any order; `seen` is the state of the store."""
        self.points = points
        order = ordered(links.src)
        self.src, self.dst = links.src[order], links.dst[order]
        self.relations = links.relations[order]
        self.weights = strengths(links.weights[order])
        self.seen = seen
        # The parts it was joined from: memories, and code. Without code, the graph itself and None.
        self.rows: Graph = self
        self.code: CodePart | None = None

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.points.ids)

    @property
    def links(self) -> Links:
        """The edges as columns."""
        return Links(self.src, self.dst, self.relations, self.weights)

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of every node by its id."""
        return {name: number for number, name in enumerate(self.points.ids)}

    @cached_property
    def of_memory(self) -> dict[str, list[int]]:
        """The numbers of the nodes that stand for or belong to each memory."""
        found: dict[str, list[int]] = {}
        for number, memory_id in enumerate(self.points.memory_ids):
            if memory_id is not None:
                found.setdefault(memory_id, []).append(number)
        return found

    @cached_property
    def outgoing(self) -> Rows:
        """The targets of every node's edges."""
        return Rows(row_starts(self.src, self.size), self.dst, np.arange(len(self.src)))

    @cached_property
    def incoming(self) -> Rows:
        """The sources of the edges to every node."""
        order = ordered(self.dst)
        return Rows(row_starts(self.dst, self.size), self.src[order], order)

    @cached_property
    def undirected(self) -> Weighted:
        """The links without direction and self loops, parallel edges added up."""
        apart = self.src != self.dst
        low = np.minimum(self.src[apart], self.dst[apart]).astype(np.int64)
        high = np.maximum(self.src[apart], self.dst[apart]).astype(np.int64)
        pairs, weights = added_up(low * self.size + high, self.weights[apart])
        low, high = (pairs // max(self.size, 1)).astype(np.int32), (pairs % max(self.size, 1)).astype(np.int32)
        src, dst = np.concatenate((low, high)), np.concatenate((high, low))
        order = ordered(src)
        return Weighted(row_starts(src, self.size), dst[order], np.concatenate((weights, weights))[order])

    def within(self, sieve: Sieve) -> Graph:
        """Return the part of the graph that passes a sieve, renumbered."""
        keep = sieve.nodes if sieve.nodes is not None else np.ones(self.size, np.bool_)
        number = np.cumsum(keep, dtype=np.int32) - 1
        edges = keep[self.src] & keep[self.dst]
        if sieve.relations is not None:
            edges &= sieve.relations[self.relations]
        kept = np.flatnonzero(keep).tolist()
        points = Points(
            [self.points.ids[place] for place in kept],
            self.points.kinds[keep],
            self.points.scopes[keep],
            [self.points.memory_ids[place] for place in kept],
            self.points.namespaces,
        )
        return Graph(points, self.links.only(edges).renumbered(number), seen=self.seen)

    def related_by(self, relations: Iterable[str]) -> Flags:
        """Return which edges have one of these relationships."""
        return code_flags(RELATION_CODES, relations)[self.relations]

    def only(self, keep: Flags) -> Graph:
        """Return a graph with the same nodes and some of the edges."""
        return Graph(self.points, self.links.only(keep))


class Sieve(NamedTuple):
    """The nodes and relationships that a walk may use; None: all.

    against: the relationships that may be walked against their direction, where those are others
    """

    nodes: Flags | None = None
    relations: Flags | None = None
    against: Flags | None = None

    def passing(self, targets: Ints, relations: Codes, *, forwards: bool) -> Flags | None:
        """Return which steps to these targets by these relationships are allowed; None: all."""
        allowed = self.relations if forwards or self.against is None else self.against
        flags = self.nodes[targets] if self.nodes is not None else None
        if allowed is None:
            return flags
        return allowed[relations] if flags is None else flags & allowed[relations]


EVERYTHING = Sieve()


def sieve(
    graph: Graph,
    *,
    kinds: Collection[str] = (),
    relations: Collection[str] = (),
    namespace: str | None = None,
) -> Sieve:
    """Return the sieve for these kinds of nodes and relationships; empty means all.

    A namespace lets through its own nodes and those that belong to none, unless they are memories: a package that
    several projects use is part of each, a memory without a namespace is not.
    """
    nodes: Flags | None = None
    if kinds:
        nodes = code_flags(KIND_CODES, kinds)[graph.points.kinds]
    if namespace is not None:
        own = np.array([name == namespace for name in graph.points.namespaces], np.bool_)
        nobody = np.array([name is None for name in graph.points.namespaces], np.bool_)
        shared = graph.points.kinds != KIND_CODES["Memory"]
        inside: Flags = own[graph.points.scopes] | (nobody[graph.points.scopes] & shared)
        nodes = inside if nodes is None else nodes & inside
    return Sieve(nodes, code_flags(RELATION_CODES, relations) if relations else None)


def code_flags(codes: dict[str, int], names: Iterable[str]) -> Flags:
    """Return which codes belong to the names, by code; a byte holds any code."""
    chosen = np.zeros(256, np.bool_)
    chosen[[codes[name] for name in names]] = True
    return chosen


def ordered(keys: NDArray[np.integer]) -> Places:
    """Return the stable order of whole numbers that are not negative.

    Where there is room, each key carries its place in its lower bits: a plain sort uses the wide registers and does the
    work of a stable argsort in a third of its time.
    """
    width = len(keys).bit_length()
    if not len(keys) or int(keys.max()).bit_length() + width > 63:
        return np.argsort(keys, kind="stable")
    placed = np.arange(len(keys), dtype=np.int64)
    placed |= keys.astype(np.int64) << width
    placed.sort()
    placed &= (1 << width) - 1
    return placed


def entries(starts: Places, nodes: Places) -> tuple[Places, Places]:
    """Return the row and the position of every entry of some rows, in order."""
    counts = starts[nodes + 1] - starts[nodes]
    before = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(starts[nodes] - before, counts)
    return np.repeat(np.arange(len(nodes)), counts), places


def row_starts(keys: NDArray[np.integer], size: int) -> Places:
    """Return where the row of each node starts once the keys are in order."""
    starts = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=size), out=starts[1:])
    return starts


def added_up(keys: Places, weights: Floats) -> tuple[Places, Floats]:
    """Return every key once, in order, with the sum of its weights."""
    order = ordered(keys)
    keys, weights = keys[order], weights[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.empty(0, np.int64)
    return keys[first], np.add.reduceat(weights, first) if len(first) else weights[:0]


def strengths(weights: NDArray[np.floating]) -> Floats:
    """Return weights as strengths: finite and not negative."""
    clean = np.nan_to_num(weights.astype(np.float64), nan=0.0, posinf=MAX_WEIGHT, neginf=0.0)
    return np.clip(clean, 0.0, MAX_WEIGHT)
