"""Reads the code part of the graph in bulk: files, symbols, packages, links.

    of every file                 its node, its symbols, CONTAINS, and the links that start in it
    names       n₀ n₁ … | m₀ …    the ids of all nodes, then ids that only a link names
    links       places in names   so a link to something that is gone for a while comes back with it

A file that changed is read again, the others are kept: two counters of the store tell which (CodeStamps).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recollect.graph.arrays import KIND_CODES, RELATION_CODES, Codes, Flags, Links, Places
from recollect.graph.arrays import CodePart as CodePart
from recollect.model import Tree
from recollect.store.code_rows import symbol_keys
from recollect.store.link_rows import SURE, CodeStamps, Crossing, target_node

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Beyond this share of all files, reading all of them costs no more than finding the unchanged ones.
MOST_CHANGED = 0.3

CONTAINS = RELATION_CODES["CONTAINS"]
FILE = KIND_CODES["File"]
# The file number of packages, which belong to no file.
NO_FILE = -1
UNKNOWN = 255  # the code of a kind that is not in NODE_KINDS


# Finds the links from one tree to another, given the ids of all code.
Across = Callable[["Store", Sequence[str]], Sequence[Crossing]]


def load_code(store: Store, known: CodePart | None, across: Across | None = None) -> CodePart | None:
    """Return the current code part: `known` if nothing changed, None without indexed code."""
    now = (store.code_generation(), store.link_generation())
    if known is not None and known.seen == now:
        return known
    stamps = store.code_stamps()
    if not len(stamps.files):
        return None
    trees = store.find(Tree)
    changed = None if known is None else _changed(known.stamps, stamps)
    if known is None or changed is None or len(changed) > MOST_CHANGED * len(stamps.files):
        return _with_packages(store, _read(store, trees, None), stamps, now, across)
    kept = _without(known, {NO_FILE, *changed.tolist()})
    there = set(stamps.files.tolist())
    fresh = _read(store, trees, [file for file in changed.tolist() if file in there])
    return _with_packages(store, _merged(kept, fresh), stamps, now, across)


class _Loose(NamedTuple):
    """A CodePart before its namespaces are numbered."""

    names: list[str]
    kinds: Codes
    spaces: list[str | None]
    files: Places
    links: Links
    owners: Places


def _changed(before: CodeStamps, now: CodeStamps) -> Places:
    """Return the numbers of files that are new, gone or other than they were."""
    state_before = np.stack((before.files, before.read, before.linked), axis=1)
    state_now = np.stack((now.files, now.read, now.linked), axis=1)
    if state_before.shape == state_now.shape and np.array_equal(state_before, state_now):
        return np.empty(0, np.int64)
    rows = {tuple(row) for row in state_before.tolist()} ^ {tuple(row) for row in state_now.tolist()}
    return np.array(sorted({row[0] for row in rows}), np.int64)


def _read(store: Store, trees: list[Tree], files: Collection[int] | None) -> _Loose:
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
    for row in store.file_graphs(files):
        root, first = roots[row.tree], len(names)
        prefix = f"sym:{root}/{row.path}::"
        keys = symbol_keys(row.symbols)
        names.append(f"file:{root}/{row.path}")
        names += [prefix + key for key in keys]
        kinds.append(FILE)
        kinds += bytes([KIND_CODES.get(symbol.kind, UNKNOWN) for symbol in row.symbols])
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
    files_of = np.repeat(*np.array(counts, np.int64).reshape(-1, 2).T)
    ends = np.array(held, np.int32)
    links = Links(np.array(parents, np.int32), ends, np.full(len(held), CONTAINS, np.uint8), np.ones(len(held)))
    owners = files_of[ends]
    if columns:
        further, starting = _unpacked(names, source_table, target_table, columns, spans)
        links, owners = links.joined(further), np.concatenate((owners, starting))
    return _Loose(names, np.frombuffer(bytes(kinds), np.uint8), spaces, files_of, links, owners)


def _unpacked(
    names: list[str],
    sources: list[int],
    targets: list[str],
    columns: list[tuple[bytes, bytes, bytes, bytes]],
    spans: list[tuple[int, int, int, int]],
) -> tuple[Links, Places]:
    """Return the links of many files and the file of each; adds unknown ids to the names."""
    index = {name: number for number, name in enumerate(names)}
    numbers = np.array([index.setdefault(name, len(index)) for name in targets], np.int32)
    names += list(index)[len(names) :]
    file, count, first_source, first_target = np.array(spans, np.int64).T
    source, target, relation, confidence = (b"".join(parts) for parts in zip(*columns, strict=True))
    src = np.array(sources, np.int32)[np.frombuffer(source, np.int32) + np.repeat(first_source, count)]
    dst = numbers[np.frombuffer(target, np.int32) + np.repeat(first_target, count)]
    links = Links(src, dst, np.frombuffer(relation, np.uint8), np.frombuffer(confidence, np.uint8) / SURE)
    there: Flags = src >= 0
    return links.only(there), np.repeat(file, count)[there]


def _without(part: CodePart, files: set[int]) -> _Loose:
    """Return a part without some files; links to their symbols stay, by name."""
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
    links = part.links.only(edges).renumbered(number)
    return _Loose(names, part.kinds[keep], spaces, part.files[keep], links, part.owners[edges])


def _merged(one: _Loose, other: _Loose) -> _Loose:
    """Return two parts without common nodes as one; named nodes of the other are resolved."""
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
        one.links.renumbered(maps[0]).joined(other.links.renumbered(maps[1])),
        np.concatenate((one.owners, other.owners)),
    )


_Link = tuple[str, str, str, float]


def _packages(nodes: list[tuple[str, str, str, str | None]], links: Iterable[_Link]) -> _Loose:
    index = {row[0]: number for number, row in enumerate(nodes)}
    sources, targets, relations, weights = zip(*links, strict=True) if links else ((), (), (), ())
    src, dst = (
        np.array([index.setdefault(name, len(index)) for name in ends], np.int32) for ends in (sources, targets)
    )
    codes = np.array([RELATION_CODES[relation] for relation in relations], np.uint8)
    return _Loose(
        list(index),
        np.full(len(nodes), KIND_CODES["Package"], np.uint8),
        [row[3] for row in nodes],
        np.full(len(nodes), NO_FILE, np.int64),
        Links(src, dst, codes, np.array(weights, np.float64)),
        np.full(len(src), NO_FILE, np.int64),
    )


def _with_packages(
    store: Store, part: _Loose, stamps: CodeStamps, seen: tuple[int, int], across: Across | None
) -> CodePart:
    """Return a part with its packages and the links across trees, which are few and always read."""
    nodes = list({row[0]: row for row in store.package_nodes()}.values())
    crossings = tuple(across(store, part.names[: len(part.kinds)])) if across else ()
    if nodes:
        links: list[_Link] = [(link.src, link.dst, link.relationship, 1.0) for link in store.package_links()]
        surest = {row[:3]: row.confidence for row in sorted(crossings, key=lambda row: row.confidence)}
        part = _merged(part, _packages(nodes, [*links, *((*ends, sure) for ends, sure in surest.items())]))
    scope_of: dict[str | None, int] = {}
    scopes = np.array([scope_of.setdefault(name, len(scope_of)) for name in part.spaces], np.int32)
    return CodePart(
        part.names, part.kinds, scopes, part.files, list(scope_of), part.links, part.owners, stamps, seen, crossings
    )
