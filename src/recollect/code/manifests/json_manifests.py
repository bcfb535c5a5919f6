"""package.json and pnpm-workspace.yaml of npm, yarn, pnpm and bun; composer.json of PHP."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from recollect.code.manifests.manifest import Dependency, Manifest, Scope, table, text, texts

TABLES: tuple[tuple[str, Scope], ...] = (
    ("optionalDependencies", "optional"),
    ("dependencies", "runtime"),
    ("peerDependencies", "peer"),
    ("devDependencies", "dev"),
)
# Fields that name the entry file of a package, the nearest to its source first.
ENTRIES = ("source", "types", "typings", "module", "main")

# A quoted or bare scalar at the end of a line of YAML, without the comment after it.
_SCALAR = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^#'"\s][^#]*+))\s*+(?:#.*)?$""")
_PAIR = re.compile(r"""^(\s*)(?:"([^"]+)"|'([^']+)'|([^\s:#'"-][^:#]*+))\s*+:(?:\s++(.*))?$""")


def package(_path: str, source: str) -> Manifest:
    """Return the manifest of a package.json."""
    content = table(json.loads(source))
    workspaces = content.get("workspaces", [])
    if isinstance(workspaces, dict):
        workspaces = workspaces.get("packages", [])
    name = text(content.get("name"))
    return Manifest(
        "npm",
        name,
        text(content.get("version")),
        tuple(_dependencies(content)),
        members=tuple(texts(workspaces)),
        provides=tuple((name, entry) for entry in dict.fromkeys(_entries(content))) or ((name, ""),) if name else (),
    )


def _entries(content: dict[str, Any]) -> Iterator[str]:
    for key in ENTRIES:
        yield from texts(content.get(key, []))
    exports = content.get("exports")
    if isinstance(exports, dict) and "." in exports:
        exports = exports["."]
    elif isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        return
    yield from _conditions(exports, 0)


def _conditions(value: Any, depth: int) -> Iterator[str]:
    """Yield the files of conditional exports, in order; they are nested two or three deep at most."""
    if isinstance(value, dict) and depth < 5:
        for inner in value.values():
            yield from _conditions(inner, depth + 1)
    elif isinstance(value, list) and depth < 5:
        for inner in value:
            yield from _conditions(inner, depth + 1)
    else:
        yield from texts(value)


def _dependencies(content: dict[str, Any]) -> Iterator[Dependency]:
    optional_peers = {
        name for name, row in table(content, "peerDependenciesMeta").items() if table(row).get("optional") is True
    }
    for key, scope in TABLES:
        for name, wanted in table(content, key).items():
            if isinstance(wanted, str):
                yield dependency(
                    name, wanted.strip(), "optional" if scope == "peer" and name in optional_peers else scope
                )


def dependency(name: str, wanted: str, scope: Scope) -> Dependency:
    """Return the dependency of an entry: a range, an alias of a package, a local folder, or a catalog entry."""
    kind, colon, rest = wanted.partition(":")
    if not colon:
        # A path may have no protocol; nothing else begins with a dot or a slash.
        return (
            Dependency(name, path=wanted, scope=scope) if wanted[:1] in (".", "/") else Dependency(name, wanted, scope)
        )
    if kind in ("file", "link", "portal"):
        return Dependency(name, scope=scope, path=rest or ".")
    if kind == "npm":
        renamed, _, version = rest.rpartition("@") if "@" in rest[1:] else (rest, "", "")
        return Dependency(renamed, version, scope)
    if kind == "catalog":
        return Dependency(name, scope=scope, managed=f"{rest.strip() or 'default'}:{name}")
    # workspace:* means any version; other protocols (git, http) have no range.
    is_range = kind == "workspace" and rest not in ("*", "^", "~")
    return Dependency(name, rest if is_range else "", scope, rest if is_range and rest.startswith(".") else "")


def pnpm(_path: str, source: str) -> Manifest:
    """Return the manifest of a pnpm-workspace.yaml: members and catalogs."""
    members: list[str] = []
    catalogs: list[tuple[str, Dependency]] = []
    section, catalog = "", "default"
    for line in source.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pair = _PAIR.match(line)
        if pair and not pair[1]:
            section, catalog = _first(pair, 2, 3, 4), "default"
        elif section == "packages" and (item := re.match(r"\s*+-(\s.*)", line)):
            members += texts(_scalar(item[1]))
        elif pair and section in ("catalog", "catalogs"):
            name, value = _first(pair, 2, 3, 4), _scalar(pair[5] or "")
            if not value and section == "catalogs":
                catalog = name
            elif value:
                catalogs.append((f"{catalog}:{name}", dependency(name, value, "runtime")))
    return Manifest("npm", managed=tuple(catalogs), members=tuple(members))


def _scalar(words: str) -> str:
    found = _SCALAR.match(words)
    return _first(found, 1, 2, 3) if found else ""


def _first(found: re.Match[str], *groups: int) -> str:
    return next((found[group].rstrip() for group in groups if found[group]), "")


COMPOSER_TABLES: tuple[tuple[str, Scope], ...] = (("require", "runtime"), ("require-dev", "dev"))


def composer(_path: str, source: str) -> Manifest:
    """Return the manifest of a composer.json."""
    content = table(json.loads(source))
    return Manifest(
        "composer",
        text(content.get("name")),
        text(content.get("version")),
        tuple(
            Dependency(name, text(wanted), scope)
            for key, scope in COMPOSER_TABLES
            for name, wanted in table(content, key).items()
            # Packages have a vendor; PHP itself, extensions and parts of Composer have none.
            if "/" in name
        ),
        provides=tuple(_namespaces(content)),
    )


def _namespaces(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for standard in ("psr-4", "psr-0"):
        for name, folders in table(content, "autoload", standard).items():
            for folder in texts(folders) or [""]:
                if name:
                    yield name.strip("\\"), folder.strip("/") or "."
