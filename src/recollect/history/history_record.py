"""Records of a project's history, and sources that find them in its files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from recollect import git, progress
from recollect.clock import RECORD_CPU_S, CpuLimitExceeded, cpu_limit
from recollect.files import read_file
from recollect.history.commit_log import commits
from recollect.model import MemoryType


class Found(NamedTuple):
    """A record of the history, with its origin and time.

    key: stable within its source. rule: the rule that found it. at: since when it is valid
    worth: how much it is worth to be remembered, from 0 to 1, when not all can be. head: the commit it was written at
    group, release: records that may become one if there are too many, and the name and date of their release
    refers: issues, pull requests and commits that it names; the same change in two sources names the same
    pull: the pull request that made the change
    replaced_by, ended_at: the key of the record that reverted it, and when
    """

    key: str
    rule: str
    content: str
    memory_type: MemoryType
    at: int
    importance: float = 0.5
    title: str | None = None
    author: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    replaced_by: str | None = None
    ended_at: int | None = None
    worth: float = 0.5
    head: str | None = None
    group: str = ""
    release: str = ""
    refers: tuple[str, ...] = ()
    pull: str = ""


class Landed(NamedTuple):
    """A commit by which a pull request or an issue is known: its hash and files."""

    sha: str
    files: tuple[str, ...]


class Source:
    """A place where a project's history is read.

    Afterwards `left_out` names files that took too long, and `notes` says what git could not give.
    """

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self.notes: list[str] = []
        # Commits by the issues and pull requests that they name, and by their hash.
        self.landed: dict[str, Landed] = {}

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield the records below a folder, none from before `since`; reports progress."""
        raise NotImplementedError


def clipped(text: str, most: int) -> str:
    """Return a text of at most so many characters, cut at the end of a word."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[most // 2 :] else cut).rstrip(" ,;:.-") + "…"


def moment(text: str) -> int:
    """Return the moment of an ISO date, in UTC where it names no zone; 0 if it is none."""
    try:
        found = datetime.fromisoformat(text[:40])
        return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0


# Larger files are generated, or data.
MAX_FILES = 20_000
MAX_BYTES = 4 * 1024 * 1024
WALKED = 5 * MAX_FILES
# Commits that are searched for the last change of a file; older files have their time on disk.
DATED_COMMITS = 5_000

_FOREIGN = frozenset("node_modules vendor third_party dist build target venv site-packages __pycache__".split())


class Text(NamedTuple):
    """A file: its path from the root, its text, and when and by which commit it was last changed."""

    path: str
    text: str
    at: int
    sha: str | None = None


def paths(root: Path, notes: list[str]) -> list[str]:
    """Return the sorted files of a project: not ignored by git, or all but foreign ones.

    notes: receives why git could not list them
    """
    told = ""
    if git.folders(root) is not None:
        answer = git.listed(root)
        told = answer.text
        if answer.problem not in ("", git.MISSING):
            notes.append(f"ignore rules were not applied: {answer.problem}")
    # A folder that is no repository may be a whole home, so the walk is bounded.
    found = told.split("\0") if told else list(islice(_walked(root), WALKED))
    own = (path for path in found if path and _FOREIGN.isdisjoint(path.split("/")[:-1]))
    return sorted(dict.fromkeys(own))[:MAX_FILES]


def texts(root: Path, wanted: list[str]) -> Iterator[Text]:
    """Yield the small text files, each with the time of its last commit or on disk."""
    dates = _dates(root, set(wanted))
    for path in wanted:
        try:
            file = root / path
            if file.is_symlink():  # its target is read by its own name
                continue
            raw = read_file(file, most=MAX_BYTES, within=root)
            if b"\0" in raw[:8192]:
                continue
            at, sha = dates.get(path) or (int(file.stat().st_mtime), None)
            yield Text(path, raw.decode("utf-8", "replace"), at, sha)
        except OSError:
            continue


def _dates(root: Path, wanted: set[str]) -> dict[str, tuple[int, str | None]]:
    found: dict[str, tuple[int, str | None]] = {}
    if not wanted or not (root / ".git").exists():
        return found
    for commit in commits(root, None, most=DATED_COMMITS, notes=[]):
        for file in commit.files:
            if file.path in wanted:
                found.setdefault(file.path, (commit.at, commit.sha))
        if len(found) == len(wanted):
            break
    return found


def _walked(root: Path) -> Iterator[str]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in _FOREIGN and not name.startswith("."))
        for name in sorted(files):
            yield os.path.relpath(Path(folder) / name, root).replace(os.sep, "/")


class FileSource(Source):
    """A source that reads some files of a project, each within a limit of CPU time."""

    doing = ""

    def wanted(self, names: list[str]) -> list[str]:
        """Return the files to read, in order, of all files of a project."""
        raise NotImplementedError

    def read(self, file: Text) -> Iterable[Found]:
        """Return the records of a file."""
        raise NotImplementedError

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        wanted = self.wanted(paths(root, self.notes))
        for number, file in enumerate(texts(root, wanted)):
            progress.report(number, len(wanted), self.doing)
            for found in self._found_in(file):
                if since is None or found.at >= since:
                    yield found

    def _found_in(self, file: Text) -> list[Found]:
        try:
            with cpu_limit(RECORD_CPU_S):
                return list(self.read(file))
        except CpuLimitExceeded:
            self.left_out.append(file.path)
            return []
