"""The first-parent line of a repository: which commit was current when, and how files were renamed along it.

One `git log` reads it (0.1 CPU s for 2,300 commits). A commit of a merged branch is placed by its date. Git detects the
renames between neighbouring commits of the line.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from recollect import git
from recollect.code.index.file_walk import shown

# The newest commits of the line: twenty years of a busy project.
MAX_COMMITS = 30_000
# Renames are detected among so many files of a commit.
RENAMES = 400
# Renames of one file that are followed.
MAX_RENAMES = 50

_WORDS = (
    "log", "-z", "--first-parent", "-m", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-textconv",
    "--name-status", f"-l{RENAMES}", f"--max-count={MAX_COMMITS}", "--format=%x01%H %ct",
)  # fmt: skip


class CommitLine:
    """The commits of a line, newest first, and the files that they changed. A place counts commits from the newest."""

    def __init__(self, rows: Iterator[tuple[str, int, Sequence[tuple[str, str]]]]) -> None:
        """rows: commit, time, and its files by their path before (empty: none) and after (empty: deleted)."""
        self.commits: list[str] = []
        self.times: list[int] = []
        self.places: dict[str, int] = {}
        # By path: the place and the other path of each rename, newest first; the newest change.
        self._later: dict[str, list[tuple[int, str]]] = {}
        self._earlier: dict[str, list[tuple[int, str]]] = {}
        self._changed: dict[str, int] = {}
        for place, (commit, at, files) in enumerate(rows):
            self.commits.append(commit)
            # A clock may have gone wrong: times never rise towards the past.
            self.times.append(min(at, self.times[-1]) if self.times else at)
            self.places[commit] = place
            for old, new in files:
                for path in filter(None, (old, new)):
                    self._changed.setdefault(path, place)
                if old and new and old != new:
                    self._later.setdefault(old, []).append((place, new))
                    self._earlier.setdefault(new, []).append((place, old))

    @property
    def paths(self) -> Mapping[str, int]:
        """All paths that ever were, with the place of their newest change."""
        return self._changed

    def place(self, commit: str, at: int) -> int:
        """Return the place of a commit; of one beside the line, that of its time."""
        known = self.places.get(commit)
        return known if known is not None else bisect_left(self.times, -at, key=lambda time: -time)

    def current(self, at: int) -> str:
        """Return the commit that was current at a time; empty before the first."""
        place = bisect_left(self.times, -at, key=lambda time: -time)
        return self.commits[place] if place < len(self.commits) else ""

    def now(self, path: str, place: int) -> str:
        """Return the present path of a file of a commit."""
        for _ in range(MAX_RENAMES):
            # The first rename after the commit; where the file was changed on a branch, the last of all.
            rows = self._later.get(path, [])
            after = next((row for row in reversed(rows) if row[0] < place), None)
            if after is None and rows and self._changed.get(path, place) >= rows[0][0]:
                after = rows[0]
            if after is None:
                return path
            place, path = after
        return path

    def then(self, path: str, place: int) -> str:
        """Return the path that a present file had at a commit."""
        at = -1
        for _ in range(MAX_RENAMES):
            before = next((row for row in self._earlier.get(path, ()) if at < row[0] < place), None)
            if before is None:
                return path
            at, path = before
        return path

    def changed_at(self, path: str) -> int:
        """Return when a file was last changed or deleted; 0 if it is unknown."""
        place = self._changed.get(path)
        return self.times[place] if place is not None else 0


def read_line(repository: git.Repository) -> CommitLine:
    """Return the first-parent line of the checkout; empty where git cannot tell."""
    line = CommitLine(iter(()))
    # Recognising a renamed file that was edited needs its content, which a partial clone may lack.
    for renames in ("--find-renames", "--find-renames=100%"):
        answer = repository.run(*_WORDS, renames, "HEAD", "--")
        if not answer.problem:
            return CommitLine(_rows(answer.output))
        if not answer.problem.startswith(git.UNREADABLE):
            break
    return line


def _rows(output: bytes) -> Iterator[tuple[str, int, list[tuple[str, str]]]]:
    head: list[str] = []
    files: list[tuple[str, str]] = []
    pieces = iter(os.fsdecode(piece).lstrip("\n") for piece in output.split(b"\0"))
    for piece in pieces:
        if piece.startswith("\x01"):
            if head:
                yield head[0], int(head[1]), files
            head, files = piece[1:].split(), []
        elif piece[:1] in ("R", "C"):
            old, new = shown(next(pieces, "")), shown(next(pieces, ""))
            files.append((old if piece[0] == "R" else "", new))
        elif piece:
            path = shown(next(pieces, ""))
            files.append(("" if piece == "A" else path, "" if piece == "D" else path))
    if head:
        yield head[0], int(head[1]), files
