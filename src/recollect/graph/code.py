"""The code part of the graph: files, symbols and packages as nodes, and the links between them, read in bulk.

    of every file                 its node, its symbols, CONTAINS, and the links that start in it
    names       n₀ n₁ … | m₀ …    the ids of all nodes, then ids that are named by a link and are not there (yet)
    edges       places in names   so a link to something that is gone for a while comes back with it

A file that changed is read again, the others are kept: two counters of the store tell which (CodeStamps).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import KIND_CODES, RELATION_CODES, Codes, Flags, Floats, Ints, Places
from recollect.model import Tree
from recollect.store.code_protocol import PackageLink, symbol_keys
from recollect.store.link_protocol import SURE, CodeStamps, LinkStore, target_node

# Beyond this part of all files, reading all of them costs no more than finding out what stays.
MOST_CHANGED = 0.3

CONTAINS = RELATION_CODES["CONTAINS"]
FILE = KIND_CODES["File"]
# What belongs to no file: packages.
NO_FILE = -1


class CodePart(NamedTuple):
    """Files and symbols as nodes, and the links between them; never changed once made.

    files, owners: the number of the file that a node belongs to, that a link starts in
    seen: the state of the store it shows
    """

    names: list[str]
    kinds: Codes
    scopes: Ints
    files: Places
    namespaces: list[str | None]
    src: Ints
    dst: Ints
    relations: Codes
    weights: Floats
    owners: Places
    stamps: CodeStamps
    seen: tuple[int, int]

    @property
    def size(self) -> int:
        """How many nodes there are; further names are of what is not there."""
        return len(self.kinds)


def load_code(store: LinkStore, known: CodePart | None) -> CodePart | None:
    """Return the code part as the store holds it now; the known one if nothing changed, None if no code is indexed."""
    now = (store.code_generation(), store.link_generation())
    if known is not None and known.seen == now:
        return known
    stamps = store.code_stamps()
    if not len(stamps.files):
        return None
    trees = store.find(Tree)
    changed = None if known is None else _changed(known.stamps, stamps)
    if known is None or changed is None or len(changed) > MOST_CHANGED * len(stamps.files):
        return _with_packages(store, _read(store, trees, None), stamps, now)
    kept = _without(known, {NO_FILE, *changed.tolist()})
    there = set(stamps.files.tolist())
    fresh = _read(store, trees, [file for file in changed.tolist() if file in there])
    return _with_packages(store, _merged(kept, fresh), stamps, now)


class _Loose(NamedTuple):
    """Columns of a part on their way: as of CodePart."""

    names: list[str]
    kinds: Codes
    spaces: list[str | None]
    files: Places
    src: Ints
    dst: Ints
    relations: Codes
    weights: Floats
    owners: Places


def _changed(before: CodeStamps, now: CodeStamps) -> Places:
    """Return the numbers of files that are new, gone or other than they were."""
    state_before = np.stack((before.files, before.read, before.linked), axis=1)
    state_now = np.stack((now.files, now.read, now.linked), axis=1)
    if state_before.shape == state_now.shape and np.array_equal(state_before, state_now):
        return np.empty(0, np.int64)
    rows = {tuple(row) for row in state_before.tolist()} ^ {tuple(row) for row in state_now.tolist()}
    return np.array(sorted({row[0] for row in rows}), np.int64)


def _read(store: LinkStore, trees: list[Tree], files: Collection[int] | None) -> _Loose:
    """Return the part that some files make up, or all of them.

    Python touches every node and every target of a file once; links stay bytes until all are there.
    """
    roots = {tree.id: tree.root for tree in trees}
    spaces_of = {tree.id: tree.namespace for tree in trees}
    names: list[str] = []
    kinds = bytearray()
    spaces: list[str | None] = []
    counts: list[tuple[int, int]] = []
    parents: list[int] = []
    held: list[int] = []
    source_table: list[int] = []
    target_table: list[str] = []
    columns: list[tuple[bytes, bytes, bytes, bytes]] = []
    spans: list[tuple[int, int, int, int]] = []
    unknown = 255
    for row in store.file_graphs(files):
        root, first = roots[row.tree], len(names)
        prefix = f"sym:{root}/{row.path}::"
        keys = symbol_keys(row.symbols)
        names.append(f"file:{root}/{row.path}")
        names += [prefix + key for key in keys]
        kinds.append(FILE)
        kinds += bytes([KIND_CODES.get(symbol.kind, unknown) for symbol in row.symbols])
        parents += [first + 1 + symbol.parent for symbol in row.symbols]
        held += range(first + 1, len(names))
        counts.append((row.file, len(names) - first))
        spaces += [spaces_of[row.tree]] * (len(names) - first)
        if row.edges is not None and row.edges.relation:
            edges = row.edges
            place = {key: first + 1 + number for number, key in enumerate(keys)}
            place[""] = first
            spans.append((row.file, len(edges.relation), len(source_table), len(target_table)))
            source_table += [place.get(key, -1) for key in edges.sources]
            target_table += [target_node(root, target) for target in edges.targets]
            columns.append((edges.source, edges.target, edges.relation, edges.confidence))
    files_of = np.repeat(*_pair(counts)) if counts else np.empty(0, np.int64)
    links = _columns(names, source_table, target_table, columns, spans)
    contained = np.array(parents, np.int32), np.array(held, np.int32)
    return _Loose(
        names,
        np.frombuffer(bytes(kinds), np.uint8),
        spaces,
        files_of,
        np.concatenate((contained[0], links.src)),
        np.concatenate((contained[1], links.dst)),
        np.concatenate((np.full(len(held), CONTAINS, np.uint8), links.relations)),
        np.concatenate((np.ones(len(held)), links.weights)),
        np.concatenate((files_of[contained[1]], links.owners)),
    )


class _Columns(NamedTuple):
    src: Ints
    dst: Ints
    relations: Codes
    weights: Floats
    owners: Places


def _columns(
    names: list[str],
    sources: list[int],
    targets: list[str],
    columns: list[tuple[bytes, bytes, bytes, bytes]],
    spans: list[tuple[int, int, int, int]],
) -> _Columns:
    """Return the links of many files as one; ids that no node has are added to the names."""
    if not columns:
        empty = np.empty(0, np.int32)
        return _Columns(empty, empty, np.empty(0, np.uint8), np.empty(0), np.empty(0, np.int64))
    index = {name: number for number, name in enumerate(names)}
    numbers = np.array([index.setdefault(name, len(index)) for name in targets], np.int32)
    names += list(index)[len(names) :]
    file, count, first_source, first_target = np.array(spans, np.int64).T
    source, target, relation, confidence = (b"".join(parts) for parts in zip(*columns, strict=True))
    src = np.array(sources, np.int32)[np.frombuffer(source, np.int32) + np.repeat(first_source, count)]
    dst = numbers[np.frombuffer(target, np.int32) + np.repeat(first_target, count)]
    there = src >= 0
    return _Columns(
        src[there],
        dst[there],
        np.frombuffer(relation, np.uint8)[there],
        (np.frombuffer(confidence, np.uint8) / SURE)[there],
        np.repeat(file, count)[there],
    )


def _pair(counts: list[tuple[int, int]]) -> tuple[Places, Places]:
    values = np.array(counts, np.int64)
    return values[:, 0], values[:, 1]


def _without(part: CodePart, files: set[int]) -> _Loose:
    """Return a part without some files; links to what they held stay, as links to what is not there."""
    gone = np.array(sorted(files), np.int64)
    keep: Flags = ~np.isin(part.files, gone)
    names = [name for name, kept in zip(part.names, keep.tolist(), strict=False) if kept]
    spaces = [part.namespaces[scope] for scope in part.scopes[keep].tolist()]
    edges: Flags = ~np.isin(part.owners, gone)
    # Names of nodes that are kept come first, then all others in their order.
    number = np.empty(len(part.names), np.int32)
    nodes = np.concatenate((keep, np.zeros(len(part.names) - part.size, np.bool_)))
    number[nodes] = np.arange(int(keep.sum()), dtype=np.int32)
    others = np.flatnonzero(~nodes)
    number[others] = np.arange(len(names), len(part.names), dtype=np.int32)
    names += [part.names[place] for place in others.tolist()]
    return _Loose(
        names,
        part.kinds[keep],
        spaces,
        part.files[keep],
        number[part.src[edges]],
        number[part.dst[edges]],
        part.relations[edges],
        part.weights[edges],
        part.owners[edges],
    )


def _merged(one: _Loose, other: _Loose) -> _Loose:
    """Return two parts that share no node as one; a name that one misses and the other has is that node."""
    nodes = one.names[: len(one.kinds)] + other.names[: len(other.kinds)]
    index = {name: number for number, name in enumerate(nodes)}
    maps = [
        np.array([index.setdefault(name, len(index)) for name in part.names], np.int32).reshape(-1)
        for part in (one, other)
    ]
    return _Loose(
        list(index),
        np.concatenate((one.kinds, other.kinds)),
        one.spaces + other.spaces,
        np.concatenate((one.files, other.files)),
        np.concatenate((maps[0][one.src], maps[1][other.src])),
        np.concatenate((maps[0][one.dst], maps[1][other.dst])),
        np.concatenate((one.relations, other.relations)),
        np.concatenate((one.weights, other.weights)),
        np.concatenate((one.owners, other.owners)),
    )


def _packages(nodes: list[tuple[str, str, str, str | None]], links: list[PackageLink]) -> _Loose:
    index = {row[0]: number for number, row in enumerate(nodes)}
    src, dst = (
        np.array([index.setdefault(name, len(index)) for name in ends], np.int32)
        for ends in ([link.src for link in links], [link.dst for link in links])
    )
    return _Loose(
        list(index),
        np.full(len(nodes), KIND_CODES["Package"], np.uint8),
        [row[3] for row in nodes],
        np.full(len(nodes), NO_FILE, np.int64),
        src,
        dst,
        np.array([RELATION_CODES[link.relationship] for link in links], np.uint8),
        np.ones(len(links)),
        np.full(len(links), NO_FILE, np.int64),
    )


def _with_packages(store: LinkStore, part: _Loose, stamps: CodeStamps, seen: tuple[int, int]) -> CodePart:
    """Return a part with the packages that its files belong to; there are few of them, so they are always read."""
    nodes = list({row[0]: row for row in store.package_nodes()}.values())
    if nodes:
        part = _merged(part, _packages(nodes, list(store.package_links())))
    scope_of: dict[str | None, int] = {}
    scopes = np.array([scope_of.setdefault(name, len(scope_of)) for name in part.spaces], np.int32)
    return CodePart(
        part.names,
        part.kinds,
        scopes,
        part.files,
        list(scope_of),
        part.src,
        part.dst,
        part.relations,
        part.weights,
        part.owners,
        stamps,
        seen,
    )
