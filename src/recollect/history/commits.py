"""Records of the commits of a project, one by one and as statistics.

    commit ─► noise? ─► message, reasons ─► Found
       └────► tally ─► files that change together, hot files, experts ─► Found

Commits come newest first, so a revert is known before the commit that it reverts: both records say so. A reverted
revert does not count.
"""

from __future__ import annotations

import heapq
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recollect import progress
from recollect.history import commit_log
from recollect.history.co_changes import Tally
from recollect.history.commit_log import Commit
from recollect.history.commit_message import FIX, REVERT, Message, kind, noise, plain_subject, read, reasons, told
from recollect.history.history_record import Found, Source, clipped

# Files that are named with a commit.
NAMED_FILES = 6
# The reason of a revert that is repeated with the reverted commit.
REASON_CHARACTERS = 300
# How much less a commit without a body is worth when not all fit.
PLAIN = 0.25
# Commits per report of progress.
STEP = 200


class Revert(NamedTuple):
    """A revert: its commit, time and reason."""

    sha: str
    at: int
    why: str


class Git(Source):
    """The commits of the checkout; `most` counts commits, not their statistics."""

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield the records of commits, newest first, then the statistics."""
        total = commit_log.count(root, since, notes=self.notes)
        if not total:
            return
        tally = Tally(commit_log.tracked(root))
        history = _History(self._most)
        for number, commit in enumerate(commit_log.commits(root, since, notes=self.notes)):
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
    """The most informative commits, and the reverts among those that were read."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._best: list[tuple[float, int, Found]] = []
        self._number = 0
        self._reverts: dict[str, Revert] = {}
        self._reverts_by_subject: dict[str, Revert] = {}

    def add(self, commit: Commit, message: Message) -> None:
        by = self._reverted_by(commit, message)
        if message.is_revert and by is None:
            why = clipped(" ".join(_why(message)), REASON_CHARACTERS)
            revert = Revert(commit.sha, commit.at, why)
            if message.undoes:
                self._reverts[message.undoes[:7]] = revert
            elif message.undoes_subject:
                self._reverts_by_subject[message.undoes_subject] = revert
        found = _found(commit, message, by)
        # A reverted commit is worth as much as its revert.
        worth = found.importance if by is None else REVERT.importance
        self._number -= 1  # of two of the same worth the newer one, which came first
        row = (worth - PLAIN * (not message.body), self._number, found)
        if len(self._best) < self._most:
            heapq.heappush(self._best, row)
        else:
            heapq.heappushpop(self._best, row)

    def best(self) -> list[Found]:
        """Return the records, newest first."""
        return [row[2] for row in sorted(self._best, key=lambda row: -row[1])]

    def _reverted_by(self, commit: Commit, message: Message) -> Revert | None:
        by = self._reverts.pop(commit.sha[:7], None)
        return by or self._reverts_by_subject.pop(plain_subject(message.subject), None)


def _found(commit: Commit, message: Message, by: Revert | None) -> Found:
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
    """Return the reasons of a revert, or its text without the formula."""
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
    """Return a name without an email address."""
    words = [word for word in author.split() if "@" not in word[1:-1]]
    return clipped(" ".join(words) or author.partition("@")[0].strip("<> "), 100)


def _day(at: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))
