"""Resolve the manifests of a tree to packages, with inherited values filled in.

    same folder, same ecosystem       one package: pyproject.toml, setup.cfg and requirements.txt belong together
    ${property}, managed entries      from a workspace, a catalog or a parent: the manifests above, nearest first
    path of a dependency              an absolute path: it may lie in another tree
    members of a workspace            patterns of folders

A pure function, so an incremental index equals a fresh one.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.manifests.families import family, unpack
from recollect.code.manifests.manifest import NONE, Dependency, Ecosystem, Manifest, Scope, normal
from recollect.store.code_rows import DependencyRow, PackageRow

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Ecosystems in which a folder may hold several packages, each with its own file.
MANY: frozenset[Ecosystem] = frozenset({"gem", "nuget"})
# Levels of properties and of parents; circles end here.
MAX_ROUNDS = 8

# Limits of a member pattern: folders and choices.
MAX_PARTS = 12
MAX_CHOICES = 32
MAX_CHARACTERS = 400  # of a pattern; the library that matches it takes quadratic time for brackets without an end

_BRACE = re.compile(r"\{([^{}]*)\}")
_PROPERTY = re.compile(r"\$\{([^{}$]+)\}")


class Kept(NamedTuple):
    """A manifest of a tree with its path and the mark of its file."""

    path: str
    mark: str
    manifest: Manifest


def settle(store: Store, tree: int, root: str, owner: str, *, lease_s: int) -> None:
    """Update the packages of a claimed tree, if any of its manifests changed."""
    if store.packages_settled(tree):
        return
    rows = [Kept(path, mark, unpack(content)) for path, mark, content in store.manifests(tree)]
    store.put_packages(tree, owner, packages(tree, root, rows), lease_s=lease_s)


def packages(tree: int, root: str, rows: Iterable[Kept]) -> list[PackageRow]:
    """Return the packages of the manifests of a tree, by folder."""
    every = _Manifests(root, sorted(rows))
    found = [
        _package(every, tree, folder, ecosystem, group)
        for (ecosystem, folder), kept in every.places.items()
        for group in _groups(ecosystem, kept)
    ]
    wanted = [row for row in found if row.name or row.dependencies]
    return sorted(_filled(wanted, root), key=lambda row: (row.folder, row.ecosystem, row.name, row.manifest))


class _Manifests:
    """All manifests of a tree by ecosystem and folder, each group by priority."""

    def __init__(self, root: str, rows: Sequence[Kept]) -> None:
        self.root = root
        self.places: dict[tuple[Ecosystem, str], list[Kept]] = defaultdict(list)
        # Inherited values are needed for each dependency, and projects have up to ten thousands.
        self._known: dict[tuple[Ecosystem, str], dict[str, str]] = {}
        self._managed: dict[tuple[Ecosystem, str], dict[str, tuple[str, Dependency]]] = {}
        for kept in rows:
            self.places[kept.manifest.ecosystem, _folder(kept)].append(kept)
        for group in self.places.values():
            group.sort(key=_rank)

    def above(self, ecosystem: Ecosystem, folder: str) -> Iterator[tuple[str, Manifest]]:
        """Yield the manifests that apply to a folder, with their folders: its own first, then those above."""
        for _ in range(MAX_ROUNDS):
            group = self.places.get((ecosystem, folder), [])
            yield from ((folder, kept.manifest) for kept in group)
            parent = next((kept.manifest.parent for kept in group if kept.manifest.parent), "")
            if parent == NONE:
                return
            higher = _within(folder, parent) if parent else self._next(ecosystem, folder)
            if higher is None or higher == folder:
                return
            folder = higher

    def _next(self, ecosystem: Ecosystem, folder: str) -> str | None:
        """Return the nearest folder above that has a manifest of the ecosystem."""
        while folder:
            folder = folder.rpartition("/")[0]
            if (ecosystem, folder) in self.places:
                return folder
        return None

    def expanded(self, ecosystem: Ecosystem, folder: str, said: str) -> str:
        """Return a text with its properties filled in; empty if one is unknown."""
        if "${" not in said:
            return said
        known = self._properties(ecosystem, folder)
        for _ in range(MAX_ROUNDS):
            said = _PROPERTY.sub(lambda match: known.get(match[1], match[0]), said)
            # Properties that name each other twice would double with every round.
            if "${" not in said or len(said) > 1_000:
                break
        return "" if "${" in said else said

    def managed(self, ecosystem: Ecosystem, folder: str, key: str) -> tuple[str, Dependency] | None:
        """Return the managed entry of a name in the manifests above, and its folder."""
        place = ecosystem, folder
        if place not in self._managed:
            found = self._managed[place] = {}
            for higher, manifest in self.above(ecosystem, folder):
                for name, row in manifest.managed:
                    found.setdefault(normal(ecosystem, name), (higher, row))
        return self._managed[place].get(normal(ecosystem, key))

    def _properties(self, ecosystem: Ecosystem, folder: str) -> dict[str, str]:
        place = ecosystem, folder
        if place not in self._known:
            found = self._known[place] = {}
            for _, manifest in self.above(ecosystem, folder):
                for name, value in manifest.properties:
                    found.setdefault(name, value)
        return self._known[place]

    def build_root(self, ecosystem: Ecosystem, folder: str) -> str:
        """Return the folder of the workspace that a folder belongs to, the tree's if there is none."""
        return next((place for place, manifest in self.above(ecosystem, folder) if manifest.members), "")

    def workspace(self, ecosystem: Ecosystem, folder: str) -> str | None:
        """Return the nearest folder above whose workspace names this one as a member."""
        higher = folder
        while higher:
            higher = higher.rpartition("/")[0]
            group = self.places.get((ecosystem, higher), [])
            patterns = [pattern for kept in group for pattern in kept.manifest.members]
            if patterns and _is_member(posixpath.relpath(folder, higher or "."), patterns):
                return higher
        return None


def _folder(kept: Kept) -> str:
    folder = kept.path.rpartition("/")[0]
    for _ in range(kept.manifest.up):
        folder = folder.rpartition("/")[0]
    return folder


def _rank(kept: Kept) -> tuple[int, str]:
    kind = family(kept.path)
    return (kind.rank if kind else 0, kept.path)


def _groups(ecosystem: Ecosystem, kept: Sequence[Kept]) -> Iterator[list[Kept]]:
    """Yield the manifests of a folder by their package; those without a name belong to the first."""
    if ecosystem not in MANY:
        yield list(kept)
        return
    named = [row for row in kept if row.manifest.name]
    nameless = [row for row in kept if not row.manifest.name]
    yield named[:1] + nameless
    yield from ([row] for row in named[1:])


def _package(every: _Manifests, tree: int, folder: str, ecosystem: Ecosystem, group: Sequence[Kept]) -> PackageRow:
    first = next((kept for kept in group if kept.manifest.name), group[0])
    label = every.expanded(ecosystem, folder, first.manifest.name)
    version = next((kept.manifest.version for kept in group if kept.manifest.version), "")
    name = normal(ecosystem, label)
    rows: dict[tuple[str, str, str], DependencyRow] = {}
    for kept in group:
        for dependency in _heard(ecosystem, kept, first):
            row = _dependency(every, ecosystem, folder, dependency)
            # A package that names itself means its own extras.
            if row and (row.name != name or not name) and row.local != _absolute(every.root, folder):
                rows.setdefault((row.name, row.local if not row.name else "", row.scope), row)
    return PackageRow(
        tree=tree,
        folder=folder,
        ecosystem=ecosystem,
        name=name,
        label=label or posixpath.basename(folder) or posixpath.basename(every.root.rstrip("/")) or every.root,
        version=every.expanded(ecosystem, folder, version),
        manifest=first.path,
        mark=first.mark,
        workspace=every.workspace(ecosystem, folder),
        provides=tuple(dict.fromkeys(pair for kept in group for pair in kept.manifest.provides)),
        dependencies=tuple(rows.values()),
    )


def _heard(ecosystem: Ecosystem, kept: Kept, first: Kept) -> Iterator[Dependency]:
    """Yield the dependencies of a manifest; a Gemfile beside a gemspec lists development dependencies."""
    is_for_work = ecosystem == "gem" and kept is not first and bool(first.manifest.name)
    said = {row.name for row in first.manifest.dependencies}
    for row in kept.manifest.dependencies:
        if not is_for_work:
            yield row
        elif row.name not in said:
            yield row._replace(scope="dev")


def _dependency(every: _Manifests, ecosystem: Ecosystem, folder: str, row: Dependency) -> DependencyRow | None:
    """Return a dependency with inherited values; None if its name is unknown."""
    place, name, wanted, scope, path = folder, row.name, row.range, row.scope, row.path
    found = every.managed(ecosystem, folder, row.managed) if row.managed else None
    if found:
        place, said = found
        name, wanted, path = said.name, wanted or said.range, said.path
        scope = _narrower(scope, said.scope)
    label = every.expanded(ecosystem, folder, name)
    if path.startswith(":"):
        place, path = every.build_root(ecosystem, folder), path[1:].replace(":", "/") or "."
    if not label and not path:
        return None
    return DependencyRow(
        name=normal(ecosystem, label),
        label=label or posixpath.basename(path.rstrip("/")) or path,
        range=every.expanded(ecosystem, folder, wanted),
        scope=scope,
        local=_absolute(every.root, place, path) if path else "",
    )


def _narrower(scope: Scope, managed: Scope) -> Scope:
    """Return the scope of a managed dependency: its own scope has priority."""
    return managed if scope == "runtime" else scope


def _filled(rows: Sequence[PackageRow], root: str) -> Iterator[PackageRow]:
    """Yield packages with names for local dependencies of which only the path is given."""
    at: dict[tuple[str, str], list[PackageRow]] = defaultdict(list)
    for row in rows:
        at[row.ecosystem, _absolute(root, row.folder)].append(row)
    for row in rows:
        dependencies = []
        for needed in row.dependencies:
            beside = at.get((row.ecosystem, needed.local), []) if needed.local else []
            meant = next((other for other in beside if needed.name in (other.name, _stem(other))), None)
            meant = meant or next(iter(beside), None)
            if meant is not None:
                needed = needed._replace(name=meant.name, label=meant.label)
            dependencies.append(needed)
        yield row._replace(dependencies=tuple(dependencies))


def _stem(row: PackageRow) -> str:
    """Return the stem of a package's manifest, in lower case."""
    return posixpath.splitext(posixpath.basename(row.manifest))[0].lower()


# --- paths and patterns ---


def _absolute(root: str, folder: str, path: str = ".") -> str:
    return posixpath.normpath(posixpath.join(root, folder, path))


def _within(folder: str, path: str) -> str | None:
    """Return the folder at a relative path; None outside of the tree."""
    found = posixpath.normpath(posixpath.join(folder, path))
    return None if found.startswith(("..", "/")) else "" if found == "." else found


def _is_member(path: str, patterns: Iterable[str]) -> bool:
    """Tell whether patterns match a folder: the last match decides, and a `!` excludes."""
    is_member = False
    for pattern in patterns:
        if any(_fits(tuple(path.split("/")), parts) for parts in _parts(pattern.removeprefix("!"))):
            is_member = not pattern.startswith("!")
    return is_member


@lru_cache(maxsize=4096)
def _parts(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Return the folders of a pattern, for every choice in braces."""
    choices = [pattern[:MAX_CHARACTERS]]
    while (brace := _BRACE.search(choices[0])) and len(choices) <= MAX_CHOICES:
        choices = [
            _BRACE.sub(lambda _, one=word: one.strip(), choice, count=1)  # type: ignore[misc]
            for choice in choices
            for word in brace[1].split(",")[:MAX_CHOICES]
        ]
    parts = (tuple(posixpath.normpath(choice).split("/")) for choice in choices)
    return tuple(names for names in parts if len(names) <= MAX_PARTS)


def _fits(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Tell whether a path matches; after a mismatch only the last `**` takes one more folder."""
    at, part = 0, 0
    again: tuple[int, int] | None = None
    while at < len(path):
        if part < len(pattern) and pattern[part] == "**":
            part += 1
            again = (at, part)
        elif part < len(pattern) and fnmatchcase(path[at], pattern[part]):
            at, part = at + 1, part + 1
        elif again is not None:
            at, part = again = (again[0] + 1, again[1])
        else:
            return False
    return all(name == "**" for name in pattern[part:])
