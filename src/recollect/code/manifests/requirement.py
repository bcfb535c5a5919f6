"""Lines that ask for a Python package: `name[extra] >=1,<2; marker`, and what requirement files add to that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from recollect.code.manifests.manifest import Dependency, Manifest, Scope

_NAMED = re.compile(r"^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$", re.DOTALL)
_EGG = re.compile(r"[#&]egg=([\w.-]+)")
# Options of a line, and how they are cut off: --hash=…, --config-settings …
_OPTIONS = re.compile(r"\s--?\w[\w-]*[= ].*$", re.DOTALL)
# What the name of a requirement file says about when it is needed.
SCOPES: tuple[tuple[re.Pattern[str], Scope], ...] = (
    (re.compile(r"dev|test|lint|doc|ci|typing|mypy|check|example|bench"), "dev"),
    (re.compile(r"build"), "build"),
    (re.compile(r"optional|extra"), "optional"),
)


def requirement(line: str, scope: Scope = "runtime") -> Dependency | None:
    """Return what a line of PEP 508 asks for; None if it names no package."""
    found = _NAMED.match(line.strip())
    if not found:
        return None
    name, rest = found[1], found[2].partition(";")[0].strip()
    if rest.startswith("@"):
        address = rest[1:].strip()
        return Dependency(name, scope=scope, path=_local(address))
    wanted = rest.strip("() ")
    # What follows a name is a comparison or nothing; anything else was no requirement.
    return Dependency(name, wanted, scope) if not wanted or wanted[0] in "=<>!~" else None


def requirements_of(lines: Iterable[str], scope: Scope = "runtime") -> Iterator[Dependency]:
    """Yield what the lines ask for that ask for something."""
    for line in lines:
        found = requirement(line, scope)
        if found:
            yield found


def requirement_file(path: str, source: str) -> Manifest:
    """Return what a requirements file says; other files that it names are read as such, if they look like it."""
    *folders, name = path.split("/")
    in_folder = bool(folders) and folders[-1] == "requirements"
    said = name if in_folder else name.replace("requirements", "")
    scope: Scope = next((scope for pattern, scope in SCOPES if pattern.search(said)), "runtime")
    found = []
    for line in re.sub(r"\\\r?\n", " ", source).splitlines():
        line = re.sub(r"(?:^|\s)#.*$", "", line).strip()
        needed = _line(line, scope)
        if needed:
            found.append(needed)
    return Manifest("pypi", dependencies=tuple(found), up=int(in_folder))


def _line(line: str, scope: Scope) -> Dependency | None:
    if editable := re.match(r"(?:-e|--editable)[\s=]+(.*)$", line):
        target = re.sub(r"\[[^\[\]]*+\]$", "", editable[1].strip().strip("\"'"))
        if "://" in target:
            egg = _EGG.search(target)
            return Dependency(egg[1], scope=scope) if egg else None
        return Dependency("", scope=scope, path=target)
    if line.startswith("-") or not line:
        return None
    if line.startswith(("./", "../", "file:")):
        # A wheel or an archive is no folder with a manifest.
        return (
            None if line.endswith((".whl", ".gz", ".zip")) else Dependency("", scope=scope, path=_local(line) or line)
        )
    if "://" in line.partition("@")[0]:
        egg = _EGG.search(line)
        return Dependency(egg[1], scope=scope) if egg else None
    return requirement(_OPTIONS.sub("", line), scope)


def _local(address: str) -> str:
    """Return the path that an address stands for, empty if it leads elsewhere."""
    path = re.sub(r"^file:(?://(?:localhost)?)?", "", address) if address.startswith("file:") else ""
    return path.partition("#")[0]
