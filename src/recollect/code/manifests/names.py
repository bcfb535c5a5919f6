"""When two names mean the same package, and who speaks which language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from recollect.code.manifests.manifest import Ecosystem


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
