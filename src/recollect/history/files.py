"""Files: what of a project is read besides its commits, and when each file was last changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from recollect import git
from recollect.clock import RECORD_CPU_S, CpuLimitExceeded, cpu_limit
from recollect.files import read_file
from recollect.history.found import Found
from recollect.history.log import commits

# Files that are looked at, and what is read of one: a larger one is generated, or data.
MAX_FILES = 20_000
MAX_BYTES = 512 * 1024
WALKED = 5 * MAX_FILES
# Commits that are looked through for when a file was last changed; before that, the time on disk is as good.
DATED_COMMITS = 5_000

_FOREIGN = frozenset("node_modules vendor third_party dist build target venv site-packages __pycache__".split())


class Text(NamedTuple):
    """A file as it is: its path from the root, what it says, and when it was last changed."""

    path: str
    text: str
    at: int


def paths(root: Path, notes: list[str]) -> list[str]:
    """Return the files of a project, in order: those that are tracked or not ignored, else all that are not foreign.

    notes: receives why git could not list them
    """
    told = ""
    if git.folders(root) is not None:
        answer = git.listed(root)
        told = answer.text
        if answer.problem not in ("", git.MISSING):
            notes.append(f"ignore rules were not applied: {answer.problem}")
    # Somebody's whole home may have been given: what is no repository is not looked through to its end.
    found = told.split("\0") if told else list(islice(_walked(root), WALKED))
    own = (path for path in found if path and _FOREIGN.isdisjoint(path.split("/")[:-1]))
    return sorted(dict.fromkeys(own))[:MAX_FILES]


def texts(root: Path, wanted: list[str]) -> Iterator[Text]:
    """Yield files that are text and small enough, with when each was last changed by a commit, else on disk."""
    dates = _dates(root, set(wanted))  # where git fails, the time on disk is as good
    for path in wanted:
        try:
            file = root / path
            if file.is_symlink():  # the file that it leads to is read by its own name
                continue
            raw = read_file(file, most=MAX_BYTES, within=root)
            if b"\0" in raw[:8192]:
                continue
            yield Text(path, raw.decode("utf-8", "replace"), dates.get(path) or int(file.stat().st_mtime))
        except OSError:
            continue


def found_in(file: Text, read: Callable[[Text], Iterable[Found]], left_out: list[str]) -> list[Found]:
    """Return what a reader finds in a file; nothing, and the file is named in `left_out`, if that takes too long."""
    try:
        with cpu_limit(RECORD_CPU_S):
            return list(read(file))
    except CpuLimitExceeded:
        left_out.append(file.path)
        return []


def _dates(root: Path, wanted: set[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    if not wanted or not (root / ".git").exists():
        return found
    for commit in commits(root, None, most=DATED_COMMITS, notes=[]):
        for file in commit.files:
            if file.path in wanted:
                found.setdefault(file.path, commit.at)
        if len(found) == len(wanted):
            break
    return found


def _walked(root: Path) -> Iterator[str]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in _FOREIGN and not name.startswith("."))
        for name in sorted(files):
            yield os.path.relpath(Path(folder) / name, root).replace(os.sep, "/")
