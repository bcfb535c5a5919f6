"""The commits that wrote the lines which a diff changes, by `git blame` of the old side.

A line counts only if git has the same text there: a diff may be of another state than the commit asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect import git
from recollect.code.diff.unified_diff import FileDiff, Hunk

# Files and places in one that are asked about: a diff of more is a rewrite, and blame takes about 0.1 s a file.
MOST_FILES, MOST_PLACES = 20, 40
# A long history may keep git busy; the review goes on without it.
TIMEOUT_S = 10.0
# Shorter lines (a bracket, `else:`, `return x`) are alike everywhere and were written for no reason of their own.
TELLING = 6

_HEADER = re.compile(rb"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_OBJECT = re.compile(r"[0-9a-f]{40,64}")


class Origin(NamedTuple):
    """A commit, a file, and how many of the file's changed lines the commit wrote."""

    commit: str
    path: str
    lines: int
    total: int


def line_origins(root: Path, since: str, files: Sequence[FileDiff]) -> list[Origin]:
    """Return the commits that wrote the changed lines of files; none where git cannot tell.

    since: the commit of the old side
    """
    where = git.folders(root)
    asked = [(file, dict(_removed(file.hunks))) for file in files if file.old and not file.is_binary]
    asked = [(file, lines) for file, lines in asked if lines][:MOST_FILES]
    if where is None or not asked:
        return []
    found: list[Origin] = []
    with git.opened(where) as repository:
        named = repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{since}^{{commit}}").text
        commit = named.strip()
        for file, lines in asked if _OBJECT.fullmatch(commit) else ():
            places = [word for first, last in _places(lines) for word in ("-L", f"{first},{last}")]
            words = ("blame", "--porcelain", "-w", "--no-textconv", *places[: 2 * MOST_PLACES], commit, "--", file.old)
            answer = repository.run(*words, timeout_s=TIMEOUT_S)
            if answer.problem.startswith(git.LATE):
                break
            found += _counted(file.path, answer.output, lines)
    return found


def _removed(hunks: Iterable[Hunk]) -> Iterator[tuple[int, str]]:
    """Yield the telling lines that hunks remove, by their number on the old side."""
    for hunk in hunks:
        number = hunk.old_start
        for line in hunk.lines:
            if line[:1] == "-" and len(re.sub(r"\W", "", line)) >= TELLING:
                yield number, line[1:]
            number += line[:1] != "+"


def _places(lines: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of adjacent lines."""
    first = last = 0
    for number in sorted(lines):
        if number != last + 1:
            if first:
                yield first, last
            first = number
        last = number
    if first:
        yield first, last


def _counted(path: str, output: bytes, lines: dict[int, str]) -> list[Origin]:
    counts: dict[str, int] = {}
    commit, number = "", 0
    for line in output.split(b"\n"):
        header = _HEADER.fullmatch(line)
        if header:
            commit, number = header[1].decode(), int(header[2])
            continue
        text = line[1:].decode("utf-8", "replace").rstrip("\r")
        if line[:1] == b"\t" and text == lines.get(number, "").rstrip("\r"):
            counts[commit] = counts.get(commit, 0) + 1
    return [Origin(name, path, count, len(lines)) for name, count in counts.items()]
