"""Transcripts of each assistant: where they lie, which reader they have, and their turns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from recollect.capture.transcripts import claude, codex, copilot, gemini, opencode
from recollect.capture.transcripts.transcript_turn import Line, Reading, Turn, first_line, lines
from recollect.errors import InvalidInput
from recollect.files import open_file, read_file

# After so many lines without a turn a step records the position.
STEP_LINES = 2_000

LineReader = Callable[[Line, Reading], Iterator[Turn]]


class Transcripts(NamedTuple):
    """An assistant: its name, patterns of its files below the home folder, and its reader.

    Without a reader the files are databases of OpenCode.
    """

    name: str
    patterns: tuple[str, ...]
    turns: LineReader | None


TRANSCRIPTS: tuple[Transcripts, ...] = (
    Transcripts(
        "claude",
        (".claude/projects/*/*.jsonl", ".claude/projects/*/*/subagents/*.jsonl", ".config/claude/projects/*/*.jsonl"),
        claude.turns,
    ),
    Transcripts(
        "codex", (".codex/sessions/**/rollout-*.jsonl", ".codex/archived_sessions/**/rollout-*.jsonl"), codex.turns
    ),
    Transcripts("gemini", (".gemini/tmp/*/chats/session-*.jsonl",), gemini.turns),
    Transcripts("opencode", (".local/share/opencode/opencode.db",), None),
    Transcripts("copilot", (".copilot/session-state/*/events.jsonl",), copilot.turns),
)
BY_NAME = {row.name: row for row in TRANSCRIPTS}


class Book(NamedTuple):
    """One transcript: a file, or a session of a database.

    size: its bytes, or when a session of a database last changed. at: its last write, in Unix seconds
    """

    assistant: str
    path: Path
    size: int
    at: int
    sitting: opencode.StoredSession | None = None

    @property
    def id(self) -> str:
        """Return the stable id of this transcript."""
        return str(self.path) if self.sitting is None else f"{self.path}#{self.sitting.session}"


class Step(NamedTuple):
    """A turn or None, and the offset and line number to resume at."""

    turn: Turn | None
    position: int
    number: int


def books(assistant: str, home: Path) -> list[Book]:
    """Return the transcripts of an assistant, latest first."""
    row = BY_NAME[assistant]
    found: list[Book] = []
    for path in sorted({path for pattern in row.patterns for path in _matching(home, pattern)}):
        try:
            known = path.stat()
        except OSError:
            continue
        if row.turns is None:
            sessions = opencode.stored_sessions(path)
            found += [Book(assistant, path, each.changed, each.changed // 1000, each) for each in sessions]
        elif known.st_size:
            found.append(Book(assistant, path, known.st_size, int(known.st_mtime)))
    return sorted(found, key=lambda book: (-book.at, book.id))


def _matching(home: Path, pattern: str) -> list[Path]:
    try:
        return [path for path in home.glob(pattern) if path.is_file()]
    except OSError:  # a folder without permission
        return []


def steps(book: Book, position: int = 0, number: int = 0) -> Iterator[Step]:
    """Yield the turns of a transcript after an offset; the last step says how far it was read.

    Invalid lines are skipped. Raises OSError.
    """
    if book.sitting is not None:
        for turn in opencode.turns(book.path, book.sitting):
            yield Step(turn, 0, 0)
        yield Step(None, book.size, 0)
        return
    reader = BY_NAME[book.assistant].turns
    assert reader is not None  # noqa: S101 - only databases have none
    reading = _begun(book, reader if position else None)
    last: Line | None = None
    silent = 0
    for line in lines(book.path, position, number):
        last = line
        try:
            told = list(reader(line, reading))
        except InvalidInput:
            told = []
        silent += 1
        if not told and silent < STEP_LINES:
            continue
        silent = 0
        where = reading.resume(line)
        # Only the last turn of a line completes it.
        for turn in told[:-1]:
            yield Step(turn, position, number)
        yield Step(told[-1] if told else None, *where)
        position, number = where
    yield Step(None, *(reading.resume(last) if last is not None else (position, number)))


def _begun(book: Book, reader: LineReader | None) -> Reading:
    """Return the state before the first line, from the path and the first row."""
    reading = Reading(book.assistant, session=_session_of(book.path, book.assistant), cwd=_cwd_of(book))
    if reader is not None:
        try:
            raw = first_line(book.path)
            list(reader(Line(raw, 1, 0, len(raw)), reading))
        except InvalidInput:
            pass
        reading.calls.clear()
    return reading


def _session_of(path: Path, assistant: str) -> str:
    return path.parent.name if assistant == "copilot" else path.stem


# What is read of a chat of Gemini CLI to find its workspace.
HEAD_BYTES = 64 << 10
_WORKSPACE = re.compile(r"Workspace Directories:\*\*\\n\s*- ([^\\\"\n]{1,4096})")


def _cwd_of(book: Book) -> str:
    """Return the workspace of Gemini CLI: from a file beside its sessions, or from the chat."""
    if book.assistant != "gemini":
        return ""
    try:
        return read_file(book.path.parent.parent / ".project_root", most=HEAD_BYTES).decode("utf-8").strip()
    except (OSError, ValueError):
        with open_file(book.path) as file:
            found = _WORKSPACE.search(file.read(HEAD_BYTES).decode("utf-8", "replace"))
        return found[1].strip() if found else ""
