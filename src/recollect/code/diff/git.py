"""Git: the diff of a work tree or of a range of commits, and contents by what git calls them.

Git is asked with nothing from the repository's own settings that could run a program or change how a diff looks, and
never for longer than it may take.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from recollect.errors import InvalidInput

GIT_TIMEOUT_S = 60
# Files that are compared to find renames; beyond, git compares names alone.
RENAME_LIMIT = 2_000
# What a diff looks like whatever the settings of the repository and its owner are.
PLAIN = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--src-prefix=a/", "--dst-prefix=b/",
    "--unified=3", "--find-renames", f"-l{RENAME_LIMIT}", "--submodule=short", "--ignore-submodules=dirty",
)  # fmt: skip

_BLOB = re.compile(r"(?!0+$)[0-9a-f]{4,64}")


def working_diff(root: Path, since: str = "HEAD") -> tuple[str, tuple[str, ...]]:
    """Return how the files of a work tree differ from a commit, and notes: files git does not know are not in it.

    Raises InvalidInput where there is no repository or no such commit.
    """
    commit = _commit(root, since)
    text = _answer(root, "diff", *PLAIN, commit, "--")
    told = _git(root, "ls-files", "--others", "--exclude-standard", "-z") or b""
    unknown = told.count(b"\0")
    note = f"{unknown:,} new file{'s' * (unknown != 1)} that git does not track yet not looked at: `git add -N` them"
    return text, (note,) if unknown else ()


def range_diff(root: Path, span: str) -> tuple[str, tuple[str, ...]]:
    """Return what a range names: `A..B`, `A...B` from where they parted, or `A` alone up to the work tree."""
    first, dots, second = re.fullmatch(r"(.*?)(\.{2,3}|$)(.*)", span.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
    if not dots:
        return working_diff(root, first)
    ends = [_commit(root, name or "HEAD") for name in (first, second)]
    if dots == "...":
        ends[0] = (_git(root, "merge-base", *ends) or ends[0].encode()).decode().strip()
    return _answer(root, "diff", *PLAIN, *ends, "--"), ()


def blobs(root: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return contents by what git calls them, in full or shortened; unknown ones are left out."""
    wanted = [name for name in dict.fromkeys(names) if _BLOB.fullmatch(name)]
    if not wanted:
        return {}
    told = _git(root, "cat-file", "--batch", given="".join(f"{name}\n" for name in wanted).encode()) or b""
    found: dict[str, bytes] = {}
    at = 0
    for name in wanted:
        end = told.find(b"\n", at)
        if end < 0:
            break
        words = told[at:end].split(b" ")
        at = end + 1
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            if words[1] == b"blob":
                found[name] = told[at : at + size]
            at += size + 1
    return found


def _commit(root: Path, name: str) -> str:
    told = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name.strip() or 'HEAD'}^{{commit}}")
    if told is None:
        is_tree = _git(root, "rev-parse", "--git-dir") is not None
        raise InvalidInput(
            f"git knows no commit {name!r}" if is_tree else f"{root} is no git work tree",
            hint="Name commits, branches or tags as git does, such as HEAD~3..HEAD."
            if is_tree
            else "Pipe a diff in instead: `diff -u old new | recollect review`.",
            field="range",
        )
    return told.decode("ascii", "replace").strip()


def _answer(root: Path, *words: str) -> str:
    told = _git(root, *words)
    if told is None:
        raise InvalidInput("git could not compare this", hint="Check the repository with `git diff`.", field="range")
    return told.decode("utf-8", "replace")


def _git(root: Path, *words: str, given: bytes | None = None) -> bytes | None:
    """Return what git prints; None where it fails or is not there."""
    command = ["git", "-C", str(root), "--literal-pathspecs", "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=given, capture_output=True, check=False, timeout=GIT_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
