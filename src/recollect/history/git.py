"""Git: what the commits of a project teach, one by one and all together.

    commit ─► noise? ─► what it says, why ─► Found
       └────► tally ─► files that change together, hot files, who knows what ─► Found

Commits come newest first, so that whoever took something back is known before what was taken back: that is told with
both. A revert that was reverted itself took nothing back in the end.
"""

from __future__ import annotations

import heapq
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recollect import progress
from recollect.history import log
from recollect.history.found import Found, clipped
from recollect.history.log import Commit
from recollect.history.message import Message, noise, plain_subject, read
from recollect.history.rules import FIX, REVERT, kind, reasons, told
from recollect.history.tally import Tally

# Files that are named with a commit; a commit is about the first few of its files or about none in particular.
NAMED_FILES = 6
# A reason that is repeated with what was taken back.
REASON_CHARACTERS = 300
# What a commit is worth less among others that only has a first line: where there is not room for all, old ones without
# a word of explanation help nobody.
PLAIN = 0.25
# Progress is reported after so many commits.
STEP = 200


class Undone(NamedTuple):
    """Who took something back: the commit, when, and why as far as it says."""

    sha: str
    at: int
    why: str


class Git:
    """The commits of what is checked out; `most`: how many of them are told, beside what they say together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.left_out: list[str] = []
        self.notes: list[str] = []

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield what the commits teach, newest first, then what they say together."""
        total = log.count(root, since, notes=self.notes)
        if not total:
            return
        tally = Tally(log.tracked(root))
        history = _History(self._most)
        for number, commit in enumerate(log.commits(root, since, notes=self.notes)):
            if number % STEP == 0:
                progress.report(number, total, "reading commits")
            named = commit._replace(author=_name(commit.author))
            message = read(commit.message)
            if noise(commit, message):
                continue
            tally.add(named, is_fix=kind(message) == FIX or message.kind == "fix")
            history.add(named, message)
        yield from history.best()
        yield from tally.found()


class _History:
    """What is known of the commits that went by, and the best of them: those that say most, of those the newest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._best: list[tuple[float, int, Found]] = []
        self._number = 0
        self._undone: dict[str, Undone] = {}
        self._undone_subjects: dict[str, Undone] = {}

    def add(self, commit: Commit, message: Message) -> None:
        by = self._taken_back(commit, message)
        if message.is_revert and by is None:
            why = clipped(" ".join(_why(message)), REASON_CHARACTERS)
            undone = Undone(commit.sha, commit.at, why)
            if message.undoes:
                self._undone[message.undoes[:7]] = undone
            elif message.undoes_subject:
                self._undone_subjects[message.undoes_subject] = undone
        found = _found(commit, message, by)
        # What was taken back is as worth knowing as who took it back.
        worth = found.importance if by is None else REVERT.importance
        self._number -= 1  # of two that are worth the same the newer one, which came first
        row = (worth - PLAIN * (not message.body), self._number, found)
        if len(self._best) < self._most:
            heapq.heappush(self._best, row)
        else:
            heapq.heappushpop(self._best, row)

    def best(self) -> list[Found]:
        """Return what is told, newest first: what took something back before what it took back."""
        return [row[2] for row in sorted(self._best, key=lambda row: -row[1])]

    def _taken_back(self, commit: Commit, message: Message) -> Undone | None:
        by = self._undone.pop(commit.sha[:7], None)
        return by or self._undone_subjects.pop(plain_subject(message.subject), None)


def _found(commit: Commit, message: Message, by: Undone | None) -> Found:
    what = kind(message)
    lines = [told(message)]
    if by is not None:
        because = f": {by.why}" if by.why else "."
        lines.append(f"It was reverted by commit {by.sha[:12]} on {_day(by.at)}{because}")
    lines.append(_provenance(commit))
    about: dict[str, object] = {"sha": commit.sha, "files": [file.path for file in commit.files[:NAMED_FILES]]}
    about |= {"reverts": message.undoes or message.undoes_subject} if message.is_revert else {}
    about |= {"reverted_by": by.sha} if by is not None else {}
    about |= {"issues": list(message.issues)} if message.issues else {}
    return Found(
        key=f"commit:{commit.sha}",
        rule=what.rule,
        content="\n\n".join(lines),
        memory_type=what.memory_type,
        at=commit.at,
        importance=what.importance,
        author=commit.author or None,
        tags=("git", *(("revert",) if what == REVERT else ()), *(("reverted",) if by is not None else ())),
        metadata=about,
        replaced_by=f"commit:{by.sha}" if by is not None else None,
        ended_at=by.at if by is not None else None,
    )


def _why(message: Message) -> list[str]:
    """Return why something was taken back: what is given as a reason, or else all that is said but the formula."""
    rest = [
        line
        for line in message.body.splitlines()
        if line.strip() and not re.match(r"\s*(?:this )?reverts? ", line, re.IGNORECASE)
    ]
    text = "\n".join(rest)
    return reasons(text) or ([" ".join(text.split())] if text else [])


def _provenance(commit: Commit) -> str:
    paths = [file.path for file in commit.files]
    more = f" and {len(paths) - NAMED_FILES} more" if len(paths) > NAMED_FILES else ""
    files = f"; files: {', '.join(paths[:NAMED_FILES])}{more}" if paths else ""
    return f"Commit {commit.sha[:12]} of {_day(commit.at)}{files}"


def _name(author: str) -> str:
    """Return somebody's name without an address."""
    words = [word for word in author.split() if "@" not in word[1:-1]]
    return clipped(" ".join(words) or author.partition("@")[0].strip("<> "), 100)


def _day(at: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))
