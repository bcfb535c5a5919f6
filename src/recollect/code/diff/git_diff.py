"""Diffs of a work tree or a range of commits, file contents and renames, from git.

If git is missing or fails there are no renames.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect import git
from recollect.code.diff.work_tree import snapshot
from recollect.code.index.file_walk import shown
from recollect.errors import InvalidInput
from recollect.text.display import plural

# Files that are compared to find renames; for more, git compares names only.
RENAME_LIMIT = 2_000
# The format of a diff.
PLAIN = (
    "-p", "-r", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--src-prefix=a/", "--dst-prefix=b/",
    "--unified=3", "--find-renames", f"-l{RENAME_LIMIT}", "--submodule=short", "--ignore-submodules=dirty",
)  # fmt: skip
# Files that are compared if the content of others is missing.
MAX_FILES = 2_000

_BLOB = re.compile(r"(?!0+$)[0-9a-f]{4,64}")


def working_diff(root: Path, since: str = "HEAD") -> tuple[str, tuple[str, ...]]:
    """Return the diff of the tracked files of a work tree since a commit, and notes.

    Raises InvalidInput if there is no repository or no such commit.
    """
    with snapshot(folders(root)) as (repository, notes):
        commit = commit_named(repository, since)
        text, missing = _compared(repository, "diff-index", "--cached", commit)
    result = git.listed(root, kinds=("-o",))
    unknown = result.output.count(b"\0")
    note = f"{plural(unknown, 'untracked file')} not reviewed: add with `git add -N`"
    late = f"untracked files were not listed: {result.problem}"
    return text, (*notes, *missing, *([note] if unknown else []), *([late] if result.problem else []))


def range_diff(root: Path, span: str) -> tuple[str, tuple[str, ...]]:
    """Return the diff of a range: `A..B`, `A...B` from the merge base, or `A` up to the work tree."""
    first, dots, second = re.fullmatch(r"(.*?)(\.{2,3}|$)(.*)", span.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
    if not dots:
        return working_diff(root, first)
    with git.opened(folders(root)) as repository:
        ends = [commit_named(repository, name or "HEAD") for name in (first, second)]
        if dots == "...":
            ends[0] = repository.run("merge-base", *ends).text.strip() or ends[0]
        return _compared(repository, "diff-tree", *ends)


def _compared(repository: git.Repository, *words: str) -> tuple[str, tuple[str, ...]]:
    """Return a diff without files whose contents are missing, and a note about these."""
    result = repository.run(*words, *PLAIN, "--")
    if not result.problem.startswith(git.UNREADABLE):
        return _answer(result), ()
    rows = list(_raw(_answer(repository.run(*words, "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--"))))
    asked = "".join(f"{name}\n" for name in dict.fromkeys(name for _, names in rows for name in names)).encode()
    known = repository.run("cat-file", "--batch-check", given=asked).text
    missing = {line.split(" ")[0] for line in known.splitlines() if line.endswith(" missing")}
    paths = [path for path, names in rows if missing.isdisjoint(names)]
    note = f"{plural(len(rows) - len(paths), 'file')} not compared: git has no content for them (a partial clone?)"
    shown = paths[:MAX_FILES]
    text = _answer(repository.run(*words, *PLAIN, "--", *shown)) if shown else ""
    return text, (note,)


def _raw(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield paths with the blobs of both sides."""
    parts = iter(text.split("\0"))
    for part in parts:
        words = part.split(" ")
        if len(words) == 5 and part.startswith(":"):
            yield next(parts, ""), [name for name in words[2:4] if name.strip("0")]


def blobs(root: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return the contents of blobs by name, in full or shortened, without unknown ones."""
    wanted = [name for name in dict.fromkeys(names) if _BLOB.fullmatch(name)]
    where = git.folders(root)
    if not wanted or where is None:
        return {}
    with git.opened(where) as repository:
        return repository.blobs(wanted)[0]


def folders(root: Path | str) -> git.Folders:
    """Return the git folders of a work tree. Raises InvalidInput if there are none."""
    found = git.folders(root)
    if found is None:
        hint = "Pipe in a diff instead: `diff -u old new | recollect review`."
        raise InvalidInput(f"{root} is not a git repository", hint=hint, field="range")
    return found


def commit_named(repository: git.Repository, name: str) -> str:
    """Return the full name of a commit. Raises InvalidInput for an unknown one."""
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name.strip() or 'HEAD'}^{{commit}}")
    result = repository.run(*words)
    if result.is_refused:
        hint = "Use commits, branches or tags, for example HEAD~3..HEAD."
        if name in ("", "HEAD"):
            raise InvalidInput("this repository has no commit yet", hint="Commit what changes are compared with.")
        raise InvalidInput(f"no commit {name!r} in this repository", hint=hint, field="range")
    return _answer(result).strip()


def _answer(result: git.Answer) -> str:
    if result.problem:
        hint = "Check the repository with `git diff`."
        raise InvalidInput(f"git diff failed: {result.problem}", hint=hint, field="range")
    return result.text


GIT_TIMEOUT_S = 30


class Altered(NamedTuple):
    """A file that differs between two commits: its path in each, or empty."""

    old: str
    new: str


def head(root: str) -> str:
    """Return the commit that is checked out, or empty."""
    result = git.run(root, "rev-parse", "--verify", "--quiet", "HEAD", timeout_s=GIT_TIMEOUT_S)
    return result.text.strip() if not result.problem else ""


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
    """Return the two commits of a range, and the files that differ between them.

    span: `A..B`, or `A` for everything since A. Raises InvalidInput for an unknown commit.
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
    """Return the contents of files in a commit, by path."""
    where = git.folders(root)
    if where is None:
        return {}
    names = {f"{commit}:{path}": path for path in paths}
    with git.opened(where) as repository:
        found, _ = repository.blobs(names, timeout_s=GIT_TIMEOUT_S)
    return {names[name]: content for name, content in found.items()}


def _altered(repository: git.Repository, *words: str, only: str = "") -> tuple[list[Altered], str]:
    """Return the files that differ, and the problem of git or empty."""
    result = git.Answer(b"")
    # Finding an edited and renamed file needs its content, which a partial clone may lack.
    for likeness in ("-M", "-M100%"):
        options = ["--name-status", "-z", "--no-ext-diff", f"-l{RENAME_LIMIT}", likeness]
        options += [f"--diff-filter={only}"] * bool(only)
        result = repository.run(words[0], *options, *words[1:], "--", timeout_s=GIT_TIMEOUT_S)
        if not result.problem.startswith(git.UNREADABLE):
            break
    parts = iter(os.fsdecode(part) for part in result.output.split(b"\0") if part)
    found: list[Altered] = []
    for status in parts if not result.problem else ():
        first = shown(next(parts, ""))
        second = shown(next(parts, "")) if status[0] in "RC" else first
        found.append(Altered("" if status[0] in "AC" else first, "" if status[0] == "D" else second))
    return found, result.problem
