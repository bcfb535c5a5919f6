"""pom.xml: Maven projects. What a parent says is filled in by `settle`, which knows where the parent lies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.code.manifests.manifest import NONE, Dependency, Manifest, Scope
from recollect.code.manifests.markup import children, parsed, plain, word

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

SCOPES: dict[str, Scope] = {"test": "dev", "provided": "build", "system": "build"}


def pom(_path: str, source: str) -> Manifest | None:
    """Return what a pom.xml says; None for XML that is no project."""
    project = parsed(source)
    if plain(project) != "project":
        return None
    parent = next(children(project, "parent"), None)
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
            for row in map(_dependency, children(project, "dependencyManagement", "dependencies", "dependency"))
        ),
        members=tuple(_modules(project)),
        properties=tuple((key, value) for key, value in properties.items() if value and value != f"${{{key}}}"),
        parent=_parent(parent),
    )


def _parent(parent: Element | None) -> str:
    if parent is None:
        return NONE
    if next(children(parent, "relativePath"), None) is None:
        return ".."
    path = word(parent, "relativePath")
    # An empty path says that the parent is not beside, but in a registry.
    return path.removesuffix("/pom.xml") if path else NONE


def _modules(project: Element) -> Iterator[str]:
    for path in (("modules", "module"), ("profiles", "profile", "modules", "module")):
        for module in children(project, *path):
            if name := (module.text or "").strip().removesuffix("/pom.xml"):
                yield name


def _dependencies(project: Element) -> Iterator[Dependency]:
    for path in (("dependencies",), ("profiles", "profile", "dependencies")):
        for row in children(project, *path, "dependency"):
            if word(row, "artifactId"):
                yield _dependency(row)
    for row in children(project, "build", "plugins", "plugin"):
        group = word(row, "groupId") or "org.apache.maven.plugins"
        if artifact := word(row, "artifactId"):
            yield Dependency(f"{group}:{artifact}", word(row, "version"), "build")


def _dependency(row: Element) -> Dependency:
    name, version = f"{word(row, 'groupId')}:{word(row, 'artifactId')}", word(row, "version")
    scope = SCOPES.get(word(row, "scope"), "runtime")
    if scope == "runtime" and word(row, "optional") == "true":
        scope = "optional"
    return Dependency(name, version, scope, managed="" if version else name)
