"""*.csproj and its kin, packages.config and Directory.Packages.props: projects of .NET."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.code.manifests.manifest import Dependency, Manifest, Scope
from recollect.code.manifests.markup import children, parsed, word

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def project(path: str, source: str) -> Manifest:
    """Return what a project file says. Its name is that of its package, its assembly or its file."""
    root = parsed(source)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    assembly = _property(root, "AssemblyName")
    name = _property(root, "PackageId") or assembly or stem
    namespace = _property(root, "RootNamespace") or assembly or stem
    return Manifest(
        "nuget",
        name,
        _property(root, "Version") or _property(root, "VersionPrefix"),
        (*_packages(root), *_projects(root)),
        provides=((namespace, "."),),
    )


def versions(_path: str, source: str) -> Manifest:
    """Return what a Directory.Packages.props says: the versions of packages for all projects below."""
    rows = (
        (_name(row), word(row, "Version") or row.get("Version", "")) for row in _items(parsed(source), "PackageVersion")
    )
    return Manifest("nuget", managed=tuple((name, Dependency(name, version.strip())) for name, version in rows if name))


def config(_path: str, source: str) -> Manifest:
    """Return what a packages.config says, the older way to name packages."""
    found = []
    for row in children(parsed(source), "package"):
        scope: Scope = "dev" if row.get("developmentDependency", "").lower() == "true" else "runtime"
        if name := row.get("id", "").strip():
            found.append(Dependency(name, row.get("version", "").strip(), scope))
    return Manifest("nuget", dependencies=tuple(found))


def _property(root: Element, name: str) -> str:
    """Return a property; one that is computed from others is not one that is said."""
    value = word(root, "PropertyGroup", name)
    return "" if "$(" in value else value


def _items(root: Element, kind: str) -> Iterator[Element]:
    yield from children(root, "ItemGroup", kind)
    yield from children(root, "Choose", "When", "ItemGroup", kind)


def _name(row: Element) -> str:
    return (row.get("Include") or row.get("Update") or "").strip()


def _packages(root: Element) -> Iterator[Dependency]:
    for row in _items(root, "PackageReference"):
        name = _name(row)
        version = (row.get("VersionOverride") or row.get("Version") or word(row, "Version")).strip()
        private = (row.get("PrivateAssets") or word(row, "PrivateAssets")).lower() == "all"
        if name and "$(" not in name:
            said = "" if "$(" in version else version
            yield Dependency(name, said, "dev" if private else "runtime", managed="" if version else name)


def _projects(root: Element) -> Iterator[Dependency]:
    for row in _items(root, "ProjectReference"):
        path = _name(row).replace("\\", "/")
        if path and "$(" not in path:
            folder, _, file = path.rpartition("/")
            yield Dependency(file.rpartition(".")[0], path=folder or ".")
