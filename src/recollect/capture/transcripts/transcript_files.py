"""The assistants whose transcripts can be read, as a table: where they lie, and who reads them.

Transcripts ─► books: one for each file or session, the latest first ─► steps: turns, and how far that is
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from recollect.capture.transcripts import claude, codex, copilot, gemini, opencode
from recollect.capture.transcripts.transcript_turn import Line, Reading, Turn, first_line, lines
from recollect.errors import InvalidInput
from recollect.files import open_file, read_file

# So many lines without a turn are told as a step, so that progress is seen and kept.
STEP_LINES = 2_000

LineReader = Callable[[Line, Reading], Iterator[Turn]]


class Transcripts(NamedTuple):
    """One assistant: its name, patterns of its files below a home folder, and the reader of a line.

    Without a reader of lines the files are databases of OpenCode.
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

    size: how far it can be read: bytes, or for a session of a database when it last changed. at: when it was last
    written, in Unix seconds
    """

    assistant: str
    path: Path
    size: int
    at: int
    sitting: opencode.Sitting | None = None

    @property
    def id(self) -> str:
        """What this transcript is called, the same whenever it is read."""
        return str(self.path) if self.sitting is None else f"{self.path}#{self.sitting.session}"


class Step(NamedTuple):
    """A turn, or none; and where reading may begin again once it is written down: a place, and the lines before."""

    turn: Turn | None
    position: int
    number: int


def books(assistant: str, home: Path) -> list[Book]:
    """Return the transcripts of an assistant below a home folder, the latest first."""
    row = BY_NAME[assistant]
    found: list[Book] = []
    for path in sorted({path for pattern in row.patterns for path in _matching(home, pattern)}):
        try:
            known = path.stat()
        except OSError:
            continue
        if row.turns is None:
            sittings = opencode.sittings(path)
            found += [Book(assistant, path, each.changed, each.changed // 1000, each) for each in sittings]
        elif known.st_size:
            found.append(Book(assistant, path, known.st_size, int(known.st_mtime)))
    return sorted(found, key=lambda book: (-book.at, book.id))


def _matching(home: Path, pattern: str) -> list[Path]:
    try:
        return [path for path in home.glob(pattern) if path.is_file()]
    except OSError:  # a folder that we may not look into
        return []


def steps(book: Book, position: int = 0, number: int = 0) -> Iterator[Step]:
    """Yield the turns of a transcript after a place, each with where to go on; the last step says how far it was read.

    A line that is no row of its assistant is passed over. Raises OSError.
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
        # Of several turns of one line only the last one ends it.
        for turn in told[:-1]:
            yield Step(turn, position, number)
        yield Step(told[-1] if told else None, *where)
        position, number = where
    yield Step(None, *(reading.resume(last) if last is not None else (position, number)))


def _begun(book: Book, reader: LineReader | None) -> Reading:
    """Return what is known before the first line that is read: by where the file lies, and by its first row."""
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


# What is read of a chat of Gemini CLI to find its folder.
HEAD_BYTES = 64 << 10
# How that stands in what Gemini CLI tells the model first.
_WORKSPACE = re.compile(r"Workspace Directories:\*\*\\n\s*- ([^\\\"\n]{1,4096})")


def _cwd_of(book: Book) -> str:
    """Return the folder of a project of Gemini CLI: written beside its sessions, or in what a session begins with."""
    if book.assistant != "gemini":
        return ""
    try:
        return read_file(book.path.parent.parent / ".project_root", most=HEAD_BYTES).decode("utf-8").strip()
    except (OSError, ValueError):
        with open_file(book.path) as file:
            found = _WORKSPACE.search(file.read(HEAD_BYTES).decode("utf-8", "replace"))
        return found[1].strip() if found else ""
