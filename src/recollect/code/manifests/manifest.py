"""What one manifest says, in the same words for every ecosystem."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from recollect.errors import InvalidInput
from recollect.parsing import parse_toml

Ecosystem = Literal["cargo", "composer", "gem", "go", "maven", "npm", "nuget", "pypi"]
# indirect: named only so that all agree on its version (go.mod); no code of the package uses it.
Scope = Literal["runtime", "dev", "build", "optional", "peer", "indirect"]

# The parent of a manifest that inherits from no other.
NONE = "."


class Dependency(NamedTuple):
    """A package that is needed.

    name: as written. range: the versions that will do, in the words of the ecosystem, empty for any.
    path: where it lies, from the folder of the manifest, if it lies beside; `:a:b` from the root of a Gradle build.
    managed: the name under which a manifest further up says the rest.
    """

    name: str
    range: str = ""
    scope: Scope = "runtime"
    path: str = ""
    managed: str = ""


class Manifest(NamedTuple):
    """What a manifest says; everything may be missing. A name or a version may hold ${properties} still.

    managed: dependencies as they are to be for the manifests below, by name. members: patterns of folders whose
    packages belong to this one's workspace. provides: what can be imported, and where it lies from the folder of the
    manifest (empty: to be looked for). parent: the folder of the manifest it inherits from, if that is not just the
    next one above.
    up: how many folders above its own the folder is that it speaks of.
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


# --- reading what anybody may have written ---


def toml(source: str) -> dict[str, Any]:
    """Return the tables of a TOML text; raises ValueError."""
    try:
        return parse_toml(source.encode())
    except InvalidInput as problem:
        raise ValueError(problem.message) from None


def table(value: Any, *keys: str) -> dict[str, Any]:
    """Return the table that is found below some keys; whatever else is there counts as an empty one."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text(value: Any) -> str:
    """Return a text without blanks around it; whatever else it is counts as an empty one."""
    return value.strip() if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """Return the texts of a list that say something; a text alone is a list of one."""
    values = value if isinstance(value, list | tuple) else [value]
    return [found for item in values if (found := text(item))]


def _as_it_is(name: str) -> str:
    return name


def _pypi(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _cargo(name: str) -> str:
    return name.replace("_", "-").lower()


# How the registries compare names. npm, Go, Maven and RubyGems tell capitals apart; those of npm are all small today.
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
    """Return the name by which the registry of an ecosystem knows a package, however it was written."""
    return NORMAL[ecosystem](name.strip())
