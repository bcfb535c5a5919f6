"""What git knows of renamed files, and of the two states that a range of commits names.

Where git is missing or fails there are no renames, and content has to tell.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from recollect import git
from recollect.code.diff.git import commit_named, folders
from recollect.code.diff.work_tree import snapshot
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
    told = git.run(root, "rev-parse", "--verify", "--quiet", "HEAD", timeout_s=GIT_TIMEOUT_S)
    return told.text.strip() if not told.problem else ""


def renames(root: str, since: str) -> dict[str, str]:
    """Return old path → new path of files renamed since a commit, committed or staged."""
    where = git.folders(root)
    if where is None:
        return {}
    found: list[Altered] = []
    with snapshot(where) as (repository, _):
        if since:
            found += _altered(repository, "diff-tree", "-r", since, "HEAD", only="R")[0]
        found += _altered(repository, "diff-index", "--cached", "HEAD", only="R")[0]
    return {row.old: row.new for row in found}


def altered(root: str, span: str) -> tuple[str, str, list[Altered]]:
    """Return the two commits that a range names, and the files that differ between them.

    span: `A..B`, or `A` for everything since A. Raises InvalidInput for what git does not know.
    """
    first, dots, second = span.strip().partition("..")
    with git.opened(folders(root)) as repository:
        ends = [commit_named(repository, name) for name in (first, second.lstrip(".") if dots else "HEAD")]
        rows, problem = _altered(repository, "diff-tree", "-r", *ends)
    if problem:
        hint = "Check the repository with `git diff`."
        raise InvalidInput(f"git diff {span} failed: {problem}", hint=hint, range=span)
    return ends[0], ends[1], rows


def contents(root: str, commit: str, paths: Sequence[str]) -> dict[str, bytes]:
    """Return the files at paths as a commit has them."""
    where = git.folders(root)
    if where is None:
        return {}
    names = {f"{commit}:{path}": path for path in paths}
    with git.opened(where) as repository:
        found, _ = repository.blobs(names, timeout_s=GIT_TIMEOUT_S)
    return {names[name]: content for name, content in found.items()}


def _altered(repository: git.Repository, *words: str, only: str = "") -> tuple[list[Altered], str]:
    """Return the files that differ, and why git could not tell."""
    told = git.Answer(b"")
    # Recognising a renamed file that was edited needs its content, which a partial clone may lack.
    for likeness in ("-M", "-M100%"):
        options = ["--name-status", "-z", "--no-ext-diff", f"-l{RENAME_LIMIT}", likeness]
        options += [f"--diff-filter={only}"] * bool(only)
        told = repository.run(words[0], *options, *words[1:], "--", timeout_s=GIT_TIMEOUT_S)
        if not told.problem.startswith(git.UNREADABLE):
            break
    parts = iter(os.fsdecode(part) for part in told.output.split(b"\0") if part)
    found: list[Altered] = []
    for status in parts if not told.problem else ():
        first = shown(next(parts, ""))
        second = shown(next(parts, "")) if status[0] in "RC" else first
        found.append(Altered("" if status[0] in "AC" else first, "" if status[0] == "D" else second))
    return found, told.problem
