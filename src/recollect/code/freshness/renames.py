"""Renames: what git knows of files that were renamed, and of the states between which a range of commits leads.

Git is asked with nothing from the repository's own settings that could run a program, and never for longer than it may
take; where there is no git, there are no renames, and content has to tell.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from recollect.code.walk import shown
from recollect.errors import InvalidInput

GIT_TIMEOUT_S = 30
# Renames are looked for among as many files; beyond, git compares names alone.
RENAME_LIMIT = 2_000


class Altered(NamedTuple):
    """A file that differs between two commits: its path in each, empty where it is not there."""

    old: str
    new: str


def head(root: str) -> str:
    """Return the commit that is checked out, empty where there is none."""
    told = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    return told.decode("ascii", "replace").strip() if told is not None else ""


def renames(root: str, since: str) -> dict[str, str]:
    """Return old path → new path of files renamed since a commit, committed or staged."""
    found: dict[str, str] = {}
    for ends in ((since, "HEAD"), ("HEAD",)):
        if since or len(ends) == 1:
            for row in _altered(root, *ends, only="R") or ():
                found[row.old] = row.new
    return found


def altered(root: str, span: str) -> tuple[str, str, list[Altered]]:
    """Return the two commits that a range names, and the files that differ between them.

    span: `A..B`, or `A` for everything since A. Raises InvalidInput for what git does not know.
    """
    first, dots, second = span.strip().partition("..")
    ends = [_commit(root, first or "HEAD", span), _commit(root, second.lstrip(".") if dots else "HEAD", span)]
    rows = _altered(root, *ends)
    if rows is None:
        raise InvalidInput(f"git could not compare {span}", hint="Check the repository with `git diff`.", range=span)
    return ends[0], ends[1], rows


def contents(root: str, commit: str, paths: Sequence[str]) -> dict[str, bytes]:
    """Return the files at paths as a commit has them."""
    if not paths:
        return {}
    asked = "".join(f"{commit}:{path}\n" for path in paths if "\n" not in path).encode("utf-8", "surrogateescape")
    told = _git(root, "cat-file", "--batch", given=asked) or b""
    found: dict[str, bytes] = {}
    at = 0
    for path in (path for path in paths if "\n" not in path):
        end = told.find(b"\n", at)
        words = told[at:end].split(b" ")
        if end < 0:
            break
        at = end + 1
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            if words[1] == b"blob":
                found[path] = told[at : at + size]
            at += size + 1
    return found


def _commit(root: str, name: str, span: str) -> str:
    told = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name or 'HEAD'}^{{commit}}")
    if told is None:
        raise InvalidInput(
            f"git knows no commit {name!r}",
            hint="Name commits, branches or tags as git does, such as HEAD~3..HEAD.",
            range=span,
        )
    return told.decode("ascii").strip()


def _altered(root: str, *ends: str, only: str = "") -> list[Altered] | None:
    words = [
        "diff",
        "--name-status",
        "-z",
        "--no-ext-diff",
        f"-l{RENAME_LIMIT}",
        "-M",
        *([f"--diff-filter={only}"] * bool(only)),
    ]
    told = _git(root, *words, *ends, "--")
    if told is None:
        return None
    parts = iter(os.fsdecode(part) for part in told.split(b"\0") if part)
    found: list[Altered] = []
    for status in parts:
        first = shown(next(parts, ""))
        second = shown(next(parts, "")) if status[0] in "RC" else first
        found.append(Altered("" if status[0] in "AC" else first, "" if status[0] == "D" else second))
    return found


def _git(root: str, *words: str, given: bytes | None = None) -> bytes | None:
    """Return what git prints; None where it fails or is not there."""
    command = ["git", "-C", root, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *words]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=given, capture_output=True, check=False, timeout=GIT_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
