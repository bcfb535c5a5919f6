"""Manifests in XML: pom.xml of Maven; project files, packages.config and Directory.Packages.props of .NET."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.code.manifests.manifest import NONE, Dependency, Manifest, Scope

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def parsed(source: str) -> Element:
    """Return the root of an untrusted document. Raises ValueError for a document type, or for no XML.

    Only a document type can declare entities, which expand or name other files.
    """
    from xml.etree import ElementTree

    if "<!DOCTYPE" in source or "<!ENTITY" in source:
        raise ValueError("it has a document type declaration, which is not supported")
    try:
        # The text is decoded already; its declared encoding may be wrong now.
        return ElementTree.fromstring(source.lstrip("\ufeff \t\r\n"))  # noqa: S314 - no entities, see above
    except ElementTree.ParseError as problem:
        raise ValueError(f"not XML: {problem}") from None


def plain(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children(element: Element | None, path: str) -> list[Element]:
    """Return the elements at a path of names, in any namespace."""
    return element.findall("/".join(f"{{*}}{name}" for name in path.split("/"))) if element is not None else []


def word(element: Element | None, path: str) -> str:
    """Return the text of the first element at a path, without blanks around it; empty for none."""
    found = next(iter(children(element, path)), None)
    return (found.text or "").strip() if found is not None else ""


SCOPES: dict[str, Scope] = {"test": "dev", "provided": "build", "system": "build"}


def pom(_path: str, source: str) -> Manifest | None:
    """Return the manifest of a pom.xml; None for other XML. `package_resolution` adds what it inherits."""
    project = parsed(source)
    if plain(project) != "project":
        return None
    parent = project.find("{*}parent")
    group = word(project, "groupId") or word(parent, "groupId") or "${group}"
    version = word(project, "version") or word(parent, "version")
    artifact = word(project, "artifactId")
    properties = {plain(row): (row.text or "").strip() for place in children(project, "properties") for row in place}
    properties |= {f"{prefix}version": version for prefix in ("project.", "pom.", "")}
    properties |= {f"{prefix}groupId": group for prefix in ("project.", "pom.", "")}
    properties |= {"project.artifactId": artifact, "group": group, "project.parent.version": word(parent, "version")}
    return Manifest(
        "maven",
        f"{group}:{artifact}" if artifact else "",
        version,
        tuple(_dependencies(project)),
        managed=tuple(
            (row.name, row)
            for row in map(_dependency, children(project, "dependencyManagement/dependencies/dependency"))
        ),
        members=tuple(_modules(project)),
        properties=tuple((key, value) for key, value in properties.items() if value and value != f"${{{key}}}"),
        parent=_parent(parent),
    )


def _parent(parent: Element | None) -> str:
    if parent is None:
        return NONE
    if not children(parent, "relativePath"):
        return ".."
    path = word(parent, "relativePath")
    # An empty path means that the parent is in a registry.
    return path.removesuffix("/pom.xml") if path else NONE


def _modules(project: Element) -> Iterator[str]:
    for path in ("modules/module", "profiles/profile/modules/module"):
        for module in children(project, path):
            if name := (module.text or "").strip().removesuffix("/pom.xml"):
                yield name


def _dependencies(project: Element) -> Iterator[Dependency]:
    for path in ("dependencies/dependency", "profiles/profile/dependencies/dependency"):
        for row in children(project, path):
            if word(row, "artifactId"):
                yield _dependency(row)
    for row in children(project, "build/plugins/plugin"):
        group = word(row, "groupId") or "org.apache.maven.plugins"
        if artifact := word(row, "artifactId"):
            yield Dependency(f"{group}:{artifact}", word(row, "version"), "build")


def _dependency(row: Element) -> Dependency:
    name, version = f"{word(row, 'groupId')}:{word(row, 'artifactId')}", word(row, "version")
    scope = SCOPES.get(word(row, "scope"), "runtime")
    if scope == "runtime" and word(row, "optional") == "true":
        scope = "optional"
    return Dependency(name, version, scope, managed="" if version else name)


def project(path: str, source: str) -> Manifest:
    """Return the manifest of a project file. Its name is that of its package, its assembly or its file."""
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
    """Return the manifest of a Directory.Packages.props: versions of packages for all projects below."""
    rows = (
        (_name(row), word(row, "Version") or row.get("Version", "")) for row in _items(parsed(source), "PackageVersion")
    )
    return Manifest("nuget", managed=tuple((name, Dependency(name, version.strip())) for name, version in rows if name))


def config(_path: str, source: str) -> Manifest:
    """Return the manifest of a packages.config, the older format."""
    found = []
    for row in children(parsed(source), "package"):
        scope: Scope = "dev" if row.get("developmentDependency", "").lower() == "true" else "runtime"
        if name := row.get("id", "").strip():
            found.append(Dependency(name, row.get("version", "").strip(), scope))
    return Manifest("nuget", dependencies=tuple(found))


def _property(root: Element, name: str) -> str:
    """Return a property; empty for one that is computed from others."""
    value = word(root, f"PropertyGroup/{name}")
    return "" if "$(" in value else value


def _items(root: Element, kind: str) -> Iterator[Element]:
    yield from children(root, f"ItemGroup/{kind}")
    yield from children(root, f"Choose/When/ItemGroup/{kind}")


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
