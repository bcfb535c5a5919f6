"""Entry points of a project: commands, scripts, main functions and endpoints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.hierarchy.layers import own_symbols
from recollect.parsing import parse_json, parse_toml

if TYPE_CHECKING:
    from recollect.engine import Project

# How many of each are listed; further endpoints are counted.
MOST_COMMANDS, MOST_MAINS, MOST_ENDPOINTS = 30, 12, 40
_TARGET = re.compile(r"(?m)^([A-Za-z][\w-]*):(?!=)[^\n#]*(?:##\s*([^\n]+))?$")


def entry_points(project: Project) -> str:
    """Return the entry points, one a line; empty if there are none."""
    endpoints = list(_endpoints(project))
    shown = [*islice(dict.fromkeys(_commands(project)), MOST_COMMANDS), *islice(_mains(project), MOST_MAINS)]
    shown += [f"Endpoints ({len(endpoints)}):", *endpoints[:MOST_ENDPOINTS]] if endpoints else []
    hidden = len(endpoints) - MOST_ENDPOINTS
    return "\n".join([*shown, *([f"… {hidden} more endpoints"] if hidden > 0 else [])])


def _commands(project: Project) -> Iterator[str]:
    """Yield the commands of manifests, and the targets of the Makefile."""
    for row in project.packages:
        if row.manifest.endswith("pyproject.toml"):
            manifest = _manifest(lambda text: parse_toml(text.encode()), project.text(row.manifest))
            scripts = (manifest.get("project") or {}).get("scripts") or {}
            poetry = ((manifest.get("tool") or {}).get("poetry") or {}).get("scripts") or {}
            for name, target in {**poetry, **scripts}.items():
                yield f"command {name} → {target} ({row.manifest})"
        elif row.manifest.endswith("package.json"):
            manifest = _manifest(parse_json, project.text(row.manifest))
            commands = manifest.get("bin")
            if isinstance(commands, str):
                commands = {row.label: commands}
            for name, target in (commands or {}).items():
                yield f"command {name} → {target} ({row.manifest})"
            if not row.folder:
                names = ", ".join(manifest.get("scripts") or {})
                yield from [f"npm scripts: {names} (package.json)"] if names else []
    targets = _TARGET.findall(project.text("Makefile"))
    if targets:
        labels = dict.fromkeys(f"{name} ({about.strip()})" if about else name for name, about in targets)
        yield f"make targets: {', '.join(labels)}"


def _mains(project: Project) -> Iterator[str]:
    for path, rows in own_symbols(project).items():
        mains = [row for row in rows if row.parent < 0 and row.name == "main" and row.kind == "Function"]
        yield from (f"main: {path}:{row.start_line}" for row in mains)
        if not mains and PurePosixPath(path).name in ("__main__.py", "main.go"):
            yield f"main: {path}"


def _endpoints(project: Project) -> Iterator[str]:
    """Yield the HTTP endpoints of known frameworks."""
    for path, rows in own_symbols(project).items():
        found = (f"  {row.endpoint} → {row.qualified} ({path}:{row.start_line})" for row in rows if row.endpoint)
        yield from dict.fromkeys(found)


def _manifest(parse: Callable[[str], Any], text: str) -> dict[str, Any]:
    """Return a manifest as a dictionary; empty if it cannot be parsed."""
    with suppress(InvalidInput):
        parsed = parse(text)
        return parsed if isinstance(parsed, dict) else {}
    return {}
