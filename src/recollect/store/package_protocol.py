"""What a store keeps of packages: what manifests say, and the packages of each tree that come of it.

Derived like the rest of the code index. As a graph:

    pkg:npm:@acme/core                  a package with a name, wherever it lies, indexed or not
    pkg:gem:/home/me/app                one without a name, by the folder of its manifest
    ── DEPENDS_ON ──►  package          with scope and range
    ── CONTAINS ──►    file, package    the files whose nearest manifest is its own; the members of its workspace
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol


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


class PackageStore(Protocol):
    """The part of a store that keeps packages."""

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


def package_node(ecosystem: str, name: str, place: str = "") -> str:
    """Return the id of a package in the graph: by its name, or by the absolute folder of its manifest without one."""
    return f"pkg:{ecosystem}:{name or place}"
