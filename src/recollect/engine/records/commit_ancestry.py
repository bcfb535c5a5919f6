"""Commit ancestry: ask git whether a commit, or all that it changed, is part of another's history.

Git is never asked for longer than a recall may take, and fetches nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from recollect.git import Folders, opened

# Asking git takes some milliseconds; a repository on a drive that hangs must not hang a recall.
GIT_TIMEOUT_S = 3.0
# Files of a branch that are compared, and commits that are searched for them: more is not a feature branch.
MAX_FILES = 300
MAX_COMMITS = 1_000


def part_of(common: Path, head: str, commits: Sequence[str]) -> dict[str, bool]:
    """Return whether commits are part of the history of `head`; {} where git fails.

    A commit that the repository does not have any more is part of nothing.
    """
    told = git(common, "cat-file", "--batch-check=%(objectname) %(objecttype)", given=(head, *commits))
    if told is None:
        return {}
    there = {name for name, _, kind in (line.partition(" ") for line in told.split("\n")) if kind == "commit"}
    if head not in there:
        return {}
    asked = [commit for commit in commits if commit in there]
    # What is left of their histories without that of `head` begins with those that are not part of it.
    left = git(common, "rev-list", "--stdin", given=(*asked, f"^{head}")) if asked else ""
    if left is None:
        return {}
    outside = set(left.split("\n"))
    return {commit: commit in there and commit not in outside for commit in commits}


def is_held(common: Path, head: str, commit: str) -> bool:
    """Tell whether the history of `head` once had every file as a branch changed it up to a commit.

    So it is after the branch was squashed or rebased to be merged. Only the names of contents are compared.
    """
    base = (git(common, "merge-base", head, commit) or "").strip()
    if not base:
        return False
    raw = ("--raw", "-r", "-z", "--no-renames", "--no-abbrev")
    changed = set(_contents(git(common, "diff-tree", *raw, base, commit) or ""))
    if len(changed) > MAX_FILES:
        return False
    paths = sorted({path for path, _ in changed})
    words = ("log", *raw, "--format=", f"--max-count={MAX_COMMITS}", f"{base}..{head}", "--", *paths)
    return changed <= set(_contents(git(common, *words) or ""))


def is_on_a_branch(common: Path, commit: str) -> bool:
    """Tell whether there is a branch whose history has a commit."""
    return bool(git(common, "for-each-ref", "--count=1", "--format=x", f"--contains={commit}", "refs/heads"))


def _contents(told: str) -> Iterator[tuple[str, str]]:
    """Yield the files of raw differences, each with the hash of its new content."""
    parts = iter(told.split("\0"))
    for part in parts:
        words = part.strip().split(" ")
        if words[0].startswith(":") and len(words) == 5:
            yield next(parts, ""), words[3]


def git(common: Path, *words: str, given: Collection[str] = ()) -> str | None:
    """Return what git prints; None where it fails, takes too long or is not there."""
    with opened(Folders(common.parent, common, common)) as repository:
        told = repository.run(*words, given="".join(f"{row}\n" for row in given).encode(), timeout_s=GIT_TIMEOUT_S)
    return told.text if not told.problem else None
