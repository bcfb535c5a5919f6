"""Cargo.toml: Rust crates and workspaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recollect.code.manifests.manifest import Dependency, Manifest, Scope, table, text, texts, toml

# Tables of dependencies and their scopes; Cargo still reads the names with an underscore.
TABLES: tuple[tuple[str, Scope], ...] = (
    ("dependencies", "runtime"),
    ("dev-dependencies", "dev"),
    ("dev_dependencies", "dev"),
    ("build-dependencies", "build"),
    ("build_dependencies", "build"),
)


def cargo(_path: str, source: str) -> Manifest:
    """Return the manifest of a Cargo.toml."""
    content = toml(source)
    package, workspace = table(content, "package"), table(content, "workspace")
    name, version = text(package.get("name")), package.get("version")
    inherited = isinstance(version, dict) and version.get("workspace") is True
    return Manifest(
        "cargo",
        name,
        "${version}" if inherited else text(version),
        tuple(_dependencies(content)),
        managed=tuple((key, _dependency(key, row, "runtime")) for key, row in table(workspace, "dependencies").items()),
        members=tuple(texts(workspace.get("members", []))),
        provides=_crate(name, table(content, "lib")),
        properties=tuple(
            ("version", said) for said in texts(table(workspace, "package").get("version", [])) if workspace
        ),
        parent=text(package.get("workspace")),
    )


def _crate(name: str, library: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the name by which other crates import this one, and the file it begins in."""
    imported = text(library.get("name")) or name.replace("-", "_")
    return ((imported, text(library.get("path")) or "src/lib.rs"),) if name else ()


def _dependencies(content: dict[str, Any]) -> Iterator[Dependency]:
    for place in (content, *(row for row in table(content, "target").values() if isinstance(row, dict))):
        for key, scope in TABLES:
            for name, row in table(place, key).items():
                yield _dependency(name, row, scope)


def _dependency(name: str, row: Any, scope: Scope) -> Dependency:
    if not isinstance(row, dict):
        return Dependency(name, text(row), scope)
    if row.get("optional") is True and scope == "runtime":
        scope = "optional"
    if row.get("workspace") is True:
        return Dependency(name, scope=scope, managed=name)
    return Dependency(text(row.get("package")) or name, text(row.get("version")), scope, text(row.get("path")))
