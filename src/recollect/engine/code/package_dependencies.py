"""Dependencies between the packages of indexed projects, limited to one project or package if asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from recollect.code.code_records import CrossRepo, ExternalPackage, PackageLink, PackageView
from recollect.code.manifests.manifest import NORMAL
from recollect.code.manifests.version_ranges import clash, fits
from recollect.model import Tree
from recollect.store.code_rows import DependencyRow, PackageRow, package_node
from recollect.store.package_tables import PackageIndex

# Names that are shown of many: of users of an external package, of further places of a name.
MAX_NAMES = 5
# What no code of a package uses (see manifests.manifest) is nothing that repositories share.
UNUSED = "indirect"


class Wanted(NamedTuple):
    """A query: trees and package (None: all), the given namespace, the limit."""

    trees: tuple[int, ...] | None
    namespace: str | None
    package: str | None
    limit: int


class _Need(NamedTuple):
    """A dependency of an indexed package, and the indexed packages that meet it, best first."""

    row: PackageRow
    needed: DependencyRow
    met_by: list[PackageRow]


def cross_repo(shelf: PackageIndex, trees: Sequence[Tree], wanted: Wanted) -> CrossRepo:
    """Return the requested part of the package dependencies."""
    needs = [
        _Need(row, needed, shelf.providers(row, needed))
        for row in shelf.rows
        for needed in row.dependencies
        if needed.scope != UNUSED
    ]
    chosen = [row for row in shelf.rows if _is_wanted(shelf, row, wanted)]
    keys = {id(row) for row in chosen}
    met = [need for need in needs if need.met_by and keys & {id(need.row), id(need.met_by[0])}]
    links = sorted((_link(shelf, need) for need in met), key=_link_order)
    externals = sorted(_externals(needs, chosen, wanted), key=_external_order)
    return CrossRepo(
        namespace=wanted.namespace,
        package=wanted.package,
        packages=tuple(_views(shelf, trees, chosen[: wanted.limit], needs)),
        links=tuple(links[: wanted.limit]),
        externals=tuple(externals[: wanted.limit]),
        trees=len({row.tree for row in chosen}),
        packages_total=len(chosen),
        links_total=len(links),
        across_total=sum(link.across for link in links),
        externals_total=len(externals),
        conflicts=sum(row.conflict for row in externals),
        notes=tuple(_circle(shelf, met)),
    )


def known_names(shelf: PackageIndex) -> list[str]:
    """Return the names of all packages that are indexed or needed."""
    names = [row.label for row in shelf.rows]
    return list(dict.fromkeys([*names, *(needed.label for row in shelf.rows for needed in row.dependencies)]))


def _is_wanted(shelf: PackageIndex, row: PackageRow, wanted: Wanted) -> bool:
    if wanted.trees is not None and row.tree not in wanted.trees:
        return False
    return wanted.package is None or _is_named(wanted.package, row.ecosystem, row.name, row.label, shelf.node(row))


def _is_named(asked: str, ecosystem: str, name: str, label: str, node: str) -> bool:
    compared = NORMAL[ecosystem](asked) if ecosystem in NORMAL else asked  # type: ignore[index]
    return asked in (label, node) or (bool(name) and compared == name)


# --- packages ---


def _views(
    shelf: PackageIndex, trees: Iterable[Tree], chosen: Iterable[PackageRow], needs: Iterable[_Need]
) -> Iterator[PackageView]:
    namespaces = {tree.id: tree.namespace for tree in trees}
    met: Counter[int] = Counter()
    external: Counter[int] = Counter()
    users: dict[int, set[int]] = defaultdict(set)
    for need in _distinct(needs):
        (met if need.met_by else external)[id(need.row)] += 1
        if need.met_by:
            users[id(need.met_by[0])].add(id(need.row))
    for row in chosen:
        yield PackageView(
            id=shelf.node(row),
            name=row.label,
            ecosystem=row.ecosystem,
            root=shelf.roots[row.tree],
            folder=row.folder,
            manifest=row.manifest,
            version=row.version,
            namespace=namespaces.get(row.tree),
            workspace=row.workspace,
            mark=row.mark,
            needs=met[id(row)],
            needed_by=len(users[id(row)]),
            externals=external[id(row)],
        )


def _distinct(needs: Iterable[_Need]) -> Iterator[_Need]:
    """Yield what each package needs once, whatever it needs it for."""
    seen: set[tuple[int, str, str]] = set()
    for need in needs:
        key = (id(need.row), need.needed.name, need.needed.local if not need.needed.name else "")
        if key not in seen:
            seen.add(key)
            yield need


# --- links ---


def _link(shelf: PackageIndex, need: _Need) -> PackageLink:
    row, needed, (target, *others) = need.row, need.needed, need.met_by
    return PackageLink(
        source=row.label,
        source_root=shelf.roots[row.tree],
        source_folder=row.folder,
        target=target.label,
        target_root=shelf.roots[target.tree],
        target_folder=target.folder,
        ecosystem=row.ecosystem,
        scope=needed.scope,
        range=needed.range,
        version=target.version,
        across=row.tree != target.tree,
        fits=fits(row.ecosystem, target.version, needed.range) if needed.range and target.version else None,
        others=tuple(shelf.place(other) for other in others[:MAX_NAMES]),
    )


def _link_order(link: PackageLink) -> tuple[object, ...]:
    return not link.across, link.source_root, link.source_folder, link.source, link.target, link.scope


def _circle(shelf: PackageIndex, met: Iterable[_Need]) -> Iterator[str]:
    """Yield a sentence about packages that need each other at run time, if there are any."""
    sorter: TopologicalSorter[tuple[str, str]] = TopologicalSorter()
    for need in met:
        if need.needed.scope in ("runtime", "optional"):
            target = need.met_by[0]
            sorter.add((shelf.place(need.row), need.row.label), (shelf.place(target), target.label))
    try:
        sorter.prepare()
    except CycleError as problem:
        names = [label for _, label in reversed(problem.args[1])]
        yield "Circular dependency: " + " → ".join(names[: 2 * MAX_NAMES]) + "."


# --- what is not indexed ---


def _externals(needs: Iterable[_Need], chosen: Iterable[PackageRow], wanted: Wanted) -> Iterator[ExternalPackage]:
    """Yield the packages that are needed and not indexed; shared ones count with all who share them."""
    groups: dict[tuple[str, str], list[_Need]] = defaultdict(list)
    for need in needs:
        if not need.met_by and need.needed.name:
            groups[need.row.ecosystem, need.needed.name].append(need)
    keys = {id(row) for row in chosen}
    for (ecosystem, name), group in groups.items():
        label, node = group[0].needed.label, package_node(ecosystem, name)
        is_asked_for = wanted.package is not None and _is_named(wanted.package, ecosystem, name, label, node)
        if not is_asked_for and not keys & {id(need.row) for need in group}:
            continue
        ranges = Counter(need.needed.range or "any" for need in group)
        users = {id(need.row): need.row for need in group}
        yield ExternalPackage(
            id=node,
            name=label,
            ecosystem=ecosystem,
            packages=len(users),
            trees=len({row.tree for row in users.values()}),
            ranges=dict(ranges.most_common()),
            conflict=clash(ecosystem, {need.needed.range for need in group}),
            users=tuple(row.label for row in list(users.values())[:MAX_NAMES]),
        )


def _external_order(row: ExternalPackage) -> tuple[object, ...]:
    return not row.conflict, -row.trees, -row.packages, row.ecosystem, row.name
