"""The diff of a work tree or of a range of commits, and contents by the names git gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from recollect import git
from recollect.code.diff.work_tree import snapshot
from recollect.errors import InvalidInput
from recollect.text.display import plural

# Files that are compared to find renames; beyond, git compares names alone.
RENAME_LIMIT = 2_000
# The form of a diff.
PLAIN = (
    "-p", "-r", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--src-prefix=a/", "--dst-prefix=b/",
    "--unified=3", "--find-renames", f"-l{RENAME_LIMIT}", "--submodule=short", "--ignore-submodules=dirty",
)  # fmt: skip
# Files that are compared where the content of others is missing.
MAX_FILES = 2_000

_BLOB = re.compile(r"(?!0+$)[0-9a-f]{4,64}")


def working_diff(root: Path, since: str = "HEAD") -> tuple[str, tuple[str, ...]]:
    """Return how the tracked files of a work tree differ from a commit, and notes.

    Raises InvalidInput where there is no repository or no such commit.
    """
    with snapshot(folders(root)) as (repository, notes):
        commit = commit_named(repository, since)
        text, missing = _compared(repository, "diff-index", "--cached", commit)
    told = git.listed(root, kinds=("-o",))
    unknown = told.output.count(b"\0")
    note = f"{plural(unknown, 'untracked file')} not reviewed: add with `git add -N`"
    late = f"untracked files were not listed: {told.problem}"
    return text, (*notes, *missing, *([note] if unknown else []), *([late] if told.problem else []))


def range_diff(root: Path, span: str) -> tuple[str, tuple[str, ...]]:
    """Return what a range names: `A..B`, `A...B` from where they parted, or `A` alone up to the work tree."""
    first, dots, second = re.fullmatch(r"(.*?)(\.{2,3}|$)(.*)", span.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
    if not dots:
        return working_diff(root, first)
    with git.opened(folders(root)) as repository:
        ends = [commit_named(repository, name or "HEAD") for name in (first, second)]
        if dots == "...":
            ends[0] = repository.run("merge-base", *ends).text.strip() or ends[0]
        return _compared(repository, "diff-tree", *ends)


def _compared(repository: git.Repository, *words: str) -> tuple[str, tuple[str, ...]]:
    """Return a diff; files whose contents the repository lacks are left out, with a note."""
    told = repository.run(*words, *PLAIN, "--")
    if not told.problem.startswith(git.UNREADABLE):
        return _answer(told), ()
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
    """Yield paths with the names of the contents that they have on both sides."""
    parts = iter(text.split("\0"))
    for part in parts:
        words = part.split(" ")
        if len(words) == 5 and part.startswith(":"):
            yield next(parts, ""), [name for name in words[2:4] if name.strip("0")]


def blobs(root: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return contents by what git calls them, in full or shortened; unknown ones are left out."""
    wanted = [name for name in dict.fromkeys(names) if _BLOB.fullmatch(name)]
    where = git.folders(root)
    if not wanted or where is None:
        return {}
    with git.opened(where) as repository:
        return repository.blobs(wanted)[0]


def folders(root: Path | str) -> git.Folders:
    """Return the git folders of a work tree. Raises InvalidInput where there are none."""
    found = git.folders(root)
    if found is None:
        hint = "Pipe in a diff instead: `diff -u old new | recollect review`."
        raise InvalidInput(f"{root} is not a git repository", hint=hint, field="range")
    return found


def commit_named(repository: git.Repository, name: str) -> str:
    """Return the full name of a commit. Raises InvalidInput for what git does not know."""
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name.strip() or 'HEAD'}^{{commit}}")
    told = repository.run(*words)
    if told.is_refused:
        hint = "Use commits, branches or tags, for example HEAD~3..HEAD."
        raise InvalidInput(f"no commit {name!r} in this repository", hint=hint, field="range")
    return _answer(told).strip()


def _answer(told: git.Answer) -> str:
    if told.problem:
        hint = "Check the repository with `git diff`."
        raise InvalidInput(f"git diff failed: {told.problem}", hint=hint, field="range")
    return told.text
