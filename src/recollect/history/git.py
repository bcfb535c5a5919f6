"""Git: what the commits of a project teach, one by one and all together.

    commit ─► noise? ─► what it says, why ─► Found
       └────► tally ─► files that change together, hot files, who knows what ─► Found

Commits come newest first, so that whoever took something back is known before what was taken back: that is told with
both. A revert that was reverted itself took nothing back in the end.
"""

from __future__ import annotations

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
from recollect.history.rules import FIX, REVERT, SUBJECT, kind, reasons, told
from recollect.history.tally import Tally

# Files that are named with a commit; a commit is about the first few of its files or about none in particular.
NAMED_FILES = 6
# A reason that is repeated with what was taken back.
REASON_CHARACTERS = 300
# Of the commits that only have a first line, the newest are told, as many as this share of all: old ones without a word
# of explanation help nobody.
PLAIN_SHARE = 1 / 3
# Progress is reported after so many commits.
STEP = 200

_ADDRESS = re.compile(r"\s*<?\S+@\S+>?\s*")


class Undone(NamedTuple):
    """Who took something back: the commit, when, and why as far as it says."""

    sha: str
    at: int
    why: str


class Git:
    """The commits of what is checked out; `most`: how many of them are told, beside what they say together."""

    def __init__(self, most: int) -> None:
        self._most = most

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield what the commits teach, newest first, then what they say together."""
        total = log.count(root, since)
        if not total:
            return
        tally = Tally(log.tracked(root))
        history = _History(self._most)
        for number, commit in enumerate(log.commits(root, since)):
            if number % STEP == 0:
                progress.report(number, total, "reading commits")
            named = commit._replace(author=_name(commit.author))
            message = read(commit.message)
            if noise(commit, message):
                continue
            tally.add(named, is_fix=kind(message) == FIX or message.kind == "fix")
            yield from history.of(named, message)
        yield from tally.found()


class _History:
    """What is known of the commits that went by."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._plain_left = int(most * PLAIN_SHARE)
        self._undone: dict[str, Undone] = {}
        self._undone_subjects: dict[str, Undone] = {}

    def of(self, commit: Commit, message: Message) -> Iterator[Found]:
        by = self._taken_back(commit, message)
        if message.is_revert and by is None:
            why = clipped(" ".join(_why(message)), REASON_CHARACTERS)
            undone = Undone(commit.sha, commit.at, why)
            if message.undoes:
                self._undone[message.undoes[:7]] = undone
            elif message.undoes_subject:
                self._undone_subjects[message.undoes_subject] = undone
        is_plain = not message.body and kind(message) in (SUBJECT, FIX) and by is None
        if self._left <= 0 or (is_plain and self._plain_left <= 0):
            return
        self._left -= 1
        self._plain_left -= is_plain
        yield _found(commit, message, by)

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
    return clipped(" ".join(_ADDRESS.sub(" ", author).split()) or author.partition("@")[0].strip("<> "), 100)


def _day(at: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))
