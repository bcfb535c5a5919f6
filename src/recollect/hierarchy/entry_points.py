"""Entry points of a project: commands, scripts, main functions and endpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.files import read_file
from recollect.hierarchy.layers import is_secondary
from recollect.parsing import parse_json, parse_toml

if TYPE_CHECKING:
    from recollect.engine import Project

# How many of each are listed; further endpoints are counted.
MOST_COMMANDS, MOST_MAINS, MOST_ENDPOINTS = 30, 12, 40
_TARGET = re.compile(r"(?m)^([A-Za-z][\w-]*):(?!=)[^\n#]*(?:##\s*([^\n]+))?$")


def entry_points(project: Project) -> str:
    """Return the entry points, one a line; empty if there are none."""
    commands = list(dict.fromkeys(_commands(project)))
    mains = list(_mains(project))
    endpoints = list(_endpoints(project))
    shown = [
        *commands[:MOST_COMMANDS],
        *mains[:MOST_MAINS],
        *([f"Endpoints ({len(endpoints)}):"] if endpoints else []),
        *endpoints[:MOST_ENDPOINTS],
    ]
    hidden = max(len(endpoints) - MOST_ENDPOINTS, 0)
    return "\n".join([*shown, *([f"… {hidden} more endpoints"] if hidden else [])])


def _commands(project: Project) -> Iterator[str]:
    """Yield the commands of manifests, and the targets of the Makefile."""
    for row in project.packages:
        folder = project.root / row.folder
        if row.manifest.endswith("pyproject.toml"):
            manifest = _toml(folder / "pyproject.toml")
            scripts = (manifest.get("project") or {}).get("scripts") or {}
            poetry = ((manifest.get("tool") or {}).get("poetry") or {}).get("scripts") or {}
            for name, target in {**poetry, **scripts}.items():
                yield f"command {name} → {target} ({row.manifest})"
        elif row.manifest.endswith("package.json"):
            manifest = _json(folder / "package.json")
            commands = manifest.get("bin")
            if isinstance(commands, str):
                commands = {row.label: commands}
            for name, target in (commands or {}).items():
                yield f"command {name} → {target} ({row.manifest})"
            if not row.folder:
                names = ", ".join(manifest.get("scripts") or {})
                yield from [f"npm scripts: {names} (package.json)"] if names else []
    targets = _TARGET.findall(_text(project.root / "Makefile"))
    if targets:
        labels = dict.fromkeys(f"{name} ({about.strip()})" if about else name for name, about in targets)
        yield f"make targets: {', '.join(labels)}"


def _mains(project: Project) -> Iterator[str]:
    for path, rows in project.symbols.items():
        if project.code[path].is_test or is_secondary(path):
            continue
        is_main = path.endswith(("/__main__.py", "/main.go")) or path in ("main.go", "__main__.py")
        for row in rows:
            if row.parent < 0 and row.name == "main" and row.kind == "Function":
                yield f"main: {path}:{row.start_line}"
                is_main = False
        if is_main:
            yield f"main: {path}"


def _endpoints(project: Project) -> Iterator[str]:
    """Yield the HTTP endpoints of known frameworks."""
    for path, rows in project.symbols.items():
        if project.code[path].is_test or is_secondary(path):
            continue
        seen = {f"  {row.endpoint} → {row.qualified} ({path}:{row.start_line})": None for row in rows if row.endpoint}
        yield from seen


def _text(path: Path) -> str:
    try:
        return read_file(path, within=path.parent).decode("utf-8", "replace")
    except OSError:
        return ""


def _toml(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(_text(path).encode())
    except InvalidInput:
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        parsed = parse_json(_text(path) or "{}")
    except InvalidInput:
        return {}
    return parsed if isinstance(parsed, dict) else {}
