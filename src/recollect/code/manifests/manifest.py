"""Records of a manifest, the same for every ecosystem, and helpers to read untrusted values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from recollect.errors import InvalidInput
from recollect.parsing import parse_toml

Ecosystem = Literal["cargo", "composer", "gem", "go", "maven", "npm", "nuget", "pypi"]
# indirect: pins a version (go.mod); no code of the package uses it.
Scope = Literal["runtime", "dev", "build", "optional", "peer", "indirect"]

# The parent of a manifest that inherits from no other.
NONE = "."


class Dependency(NamedTuple):
    """A dependency.

    name: as written. range: allowed versions, in the syntax of the ecosystem, empty for any.
    path: its local folder, from the folder of the manifest; `:a:b` from the root of a Gradle build.
    managed: the name of its entry in a manifest further up.
    """

    name: str
    range: str = ""
    scope: Scope = "runtime"
    path: str = ""
    managed: str = ""


class Manifest(NamedTuple):
    """A manifest; every field may be empty. A name or a version may still hold ${properties}.

    managed: dependencies for the manifests below, by name. members: patterns of the folders in its workspace
    provides: importable names and their places from the folder of the manifest (empty: unknown). parent: the folder of
    the manifest it inherits from, if that is not the next one above. up: folders from its own to its subject
    """

    ecosystem: Ecosystem
    name: str = ""
    version: str = ""
    dependencies: tuple[Dependency, ...] = ()
    managed: tuple[tuple[str, Dependency], ...] = ()
    members: tuple[str, ...] = ()
    provides: tuple[tuple[str, str], ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    parent: str = ""
    up: int = 0
    notes: tuple[str, ...] = ()


# --- untrusted values ---


def toml(source: str) -> dict[str, Any]:
    """Return the tables of a TOML text; raises ValueError."""
    try:
        return parse_toml(source.encode())
    except InvalidInput as problem:
        raise ValueError(problem.message) from None


def table(value: Any, *keys: str) -> dict[str, Any]:
    """Return the table below some keys; empty for any other value."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text(value: Any) -> str:
    """Return a text without blanks around it; empty for any other value."""
    return value.strip() if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """Return the non-empty texts of a list; a text alone is a list of one."""
    values = value if isinstance(value, list | tuple) else [value]
    return [found for item in values if (found := text(item))]


def _as_it_is(name: str) -> str:
    return name


def _pypi(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _cargo(name: str) -> str:
    return name.replace("_", "-").lower()


# How registries compare names. npm, Go, Maven and RubyGems are case-sensitive.
NORMAL: Mapping[Ecosystem, Callable[[str], str]] = {
    "cargo": _cargo,
    "composer": str.lower,
    "gem": _as_it_is,
    "go": _as_it_is,
    "maven": _as_it_is,
    "npm": _as_it_is,
    "nuget": str.lower,
    "pypi": _pypi,
}


def normal(ecosystem: Ecosystem, name: str) -> str:
    """Return the normalised name of a package in the registry of an ecosystem."""
    return NORMAL[ecosystem](name.strip())
