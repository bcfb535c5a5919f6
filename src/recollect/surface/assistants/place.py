"""Paths: the folders that the roots of the table stand for, and the assistants that are installed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from recollect.surface.assistants.table import ASSISTANTS, Assistant, Part

Roots = Mapping[str, Path]


def roots(environment: Mapping[str, str], *, home: Path, project: Path, recollect: Path) -> Roots:
    """Return the folder that each root of the table stands for.

    environment: XDG_CONFIG_HOME, CLAUDE_CONFIG_DIR and CODEX_HOME are used, as by the programs themselves
    """

    def given(name: str, usual: Path) -> Path:
        return Path(environment[name]) if environment.get(name) else usual

    config = given("XDG_CONFIG_HOME", home / ".config")
    code = home / "Library" / "Application Support" if sys.platform == "darwin" else config
    return {
        "~": home,
        "config": config,
        "code": code / "Code" / "User",
        "claude": given("CLAUDE_CONFIG_DIR", home / ".claude"),
        "claude.json": given("CLAUDE_CONFIG_DIR", home) / ".claude.json",
        "codex": given("CODEX_HOME", home / ".codex"),
        "recollect": recollect,
        "project": project,
    }


def place(path: str, where: Roots) -> Path:
    """Return a path of the table on this machine."""
    root, _slash, rest = path.partition("/")
    return where[root] / rest if rest else where[root]


def file_of(part: Part, where: Roots) -> Path:
    """Return the file of a part: the first of its paths that exists, else the first."""
    found = [place(path, where) for path in part.paths]
    return next((path for path in found if path.exists()), found[0])


def is_installed(assistant: Assistant, where: Roots) -> bool:
    """Return whether an assistant is installed: its program is on PATH, or its folder exists."""
    if assistant.on_request:
        return False
    return any(shutil.which(name) for name in assistant.programs) or any(
        place(path, where).exists() for path in assistant.folders
    )


def installed(where: Roots) -> list[Assistant]:
    """Return the installed assistants, in the order of the table."""
    return [row for row in ASSISTANTS if is_installed(row, where)]


def project_folder(folder: Path) -> Path:
    """Return the root of the git work tree that contains a folder, or the folder itself."""
    return next((path for path in (folder, *folder.parents) if (path / ".git").exists()), folder)
