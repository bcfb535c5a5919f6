"""Tasks with the files they turned out to need: labelled issues, and commits of a repository's past.

A commit is a task whose description is its message and whose files are those it changed, as they were before it. Its
message was written after the work, so it names more than whoever begins would know; it does so for every method alike.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from code_search import git_folder, git_text

Lines = tuple[int, int]

# How many files a task may need: one file is what issues are about, and a change of more than this is no single task.
LEAST_FILES, MOST_FILES = 2, 8
# A message says what is to be done if it has this many words; of a longer one than this much is read.
LEAST_WORDS, MOST_CHARACTERS = 6, 4_000
# Commits that are looked at, newest first: a hundred tasks of one repository lie within a few years.
DEPTH = 1_500

# What ends in one of these is source code that somebody edits by hand.
CODE = tuple(
    ".py .pyi .pyx .js .jsx .ts .tsx .mjs .go .rs .java .kt .scala .c .h .cc .cpp .hpp .cs .rb .php .swift .ex .exs"
    " .hs .lua .zig .sh .bash".split()
)
# Nobody starts such work with a description of it.
_ROUTINE = re.compile(r"^(?:revert|merge|bump|release|version|update changelog|\[pre-commit|chore\(deps|blacken)", re.I)
# Lines of a message that say who, not what; and where to read more.
_TRAILER = re.compile(
    r"^(?:[A-Z][\w-]*-by|Change-Id|References|Fixes|Closes|Refs?|cc|Co-authored-by)\b.*$", re.I | re.M
)
_LINK = re.compile(r"https?://\S+")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.M)


class Task(NamedTuple):
    """What somebody is to do, on which commit, and what it turned out to need.

    files: the files that were changed, each with the lines that were, as they were before; none where only functions
           are known
    functions: `path:Class.method` of what was changed, where the label says so
    """

    id: str
    source: str
    commit: str
    text: str
    files: dict[str, tuple[Lines, ...]]
    functions: tuple[str, ...] = ()


def issues(labels: dict[str, Any]) -> list[Task]:
    """Return the tasks of a label file."""
    return [
        Task(
            row["id"],
            row["source"],
            row["commit"],
            row["text"],
            dict.fromkeys(row["files"], ()),
            tuple(row.get("functions", ())),
        )
        for row in labels["instances"]
    ]


def commits(checkout: Path, count: int, seed: int) -> list[Task]:
    """Return tasks of a repository's past, in order of time, so that an index can follow; always the same ones."""
    git = git_folder(checkout)
    if git is None:
        return []
    fit = list(_fit(git))
    chosen = random.Random(seed).sample(fit, min(count, len(fit)))
    made = (_task(git, checkout.name, sha, text) for sha, text in sorted(chosen, key=fit.index, reverse=True))
    return [task for task in made if task is not None]


def _fit(git: Path) -> Iterator[tuple[str, str]]:
    """Yield the commits that can be tasks, with their messages."""
    told = git_text(
        git, "log", "--no-merges", f"-{DEPTH}", "--name-status", "--no-renames", "--format=%x1e%H%x1f%B%x1f"
    )
    for part in told.split("\x1e")[1:]:
        sha, message, names = part.split("\x1f", 2)
        changed = [line.split("\t", 1) for line in names.strip().splitlines() if "\t" in line]
        files = [path for how, path in changed if how == "M" and path.endswith(CODE)]
        text = _description(message)
        if (
            LEAST_FILES <= len(files) <= MOST_FILES
            and len(text.split()) >= LEAST_WORDS
            and not _ROUTINE.match(message)
            and sum(path.endswith(CODE) for _, path in changed) <= 2 * MOST_FILES
        ):
            yield sha, text


def _description(message: str) -> str:
    return _LINK.sub("", _TRAILER.sub("", message)).strip()[:MOST_CHARACTERS]


def _task(git: Path, name: str, sha: str, text: str) -> Task | None:
    parent = git_text(git, "rev-parse", f"{sha}^").strip()
    diff = git_text(git, "diff", "-U0", "--no-renames", "--no-ext-diff", "--diff-filter=M", parent, sha)
    files = {path: lines for path, lines in _changed(diff) if path.endswith(CODE)}
    return Task(f"{name}@{sha[:10]}", name, parent, text, files) if parent and files else None


def _changed(diff: str) -> Iterator[tuple[str, tuple[Lines, ...]]]:
    """Yield the files of a diff with the lines that were changed; what was only added counts where it came in."""
    for part in re.split(r"^diff --git ", diff, flags=re.M)[1:]:
        named = re.search(r"^--- a/(.+)$", part, re.M)
        if named:
            yield named[1], tuple(_lines(_HUNK.findall(part)))


def _lines(hunks: Sequence[tuple[str, str]]) -> Iterator[Lines]:
    for first, count in hunks:
        start = int(first)
        yield start, start + max(int(count or 1), 1) - 1
