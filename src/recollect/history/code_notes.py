"""TODO, FIXME, HACK and similar comments in the code."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from recollect.history.change_worth import FLOOR, is_aside, is_reason
from recollect.history.history_record import FileSource, Found, Text, clipped

# A file with more notes tests a tool that finds them.
NOTE_CHARACTERS = 400
NOTES_OF_A_FILE = 30
# Lines of one comment.
NOTE_LINES = 5

# A mark with the signs before it; `_note` tells whether they begin a comment.
_NOTE = re.compile(
    r"(?<![\s*!/#-])(?P<lead>[\s*!/#-]*+)(?P<mark>TODO|FIXME|HACK|XXX|BUG"
    r"|KLUDGE)\b(?:\((?P<who>[^)]{1,60})\))?[:\s-]*(?P<text>.*)"
)  # fmt: skip
_LINE = re.compile(r"^\s*(?:#|//|\*(?!/)|--|;|%)[\s*!/#-]*(?P<text>\S.*)$")
_SOURCE = re.compile(
    r"\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|java|kt|kts|go|rs|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|ex|exs|hs|lua|zig|sh"
    r"|bash|sql|"
    r"vue|svelte|m|mm|pl|r|jl|dart|clj|erl|toml|ya?ml|tf|cmake|gradle|proto)$|(?:^|/)(?:Makefile|Dockerfile)$"
)  # fmt: skip
_MEANS = {"TODO": "to do", "FIXME": "to fix", "HACK": "hack", "XXX": "doubtful", "BUG": "known bug", "KLUDGE": "hack"}


class Notes(FileSource):
    """TODO and FIXME comments."""

    doing = "reading TODO and FIXME comments"
    step = 100

    def wanted(self, names: list[str]) -> list[str]:
        return [name for name in names if _SOURCE.search(name) and not is_aside((name,))]

    def read(self, file: Text) -> Iterator[Found]:
        return _notes(file)


def _notes(file: Text) -> Iterator[Found]:
    rows = file.text.splitlines()
    count = 0
    seen: set[str] = set()
    for place, line in enumerate(rows):
        note = _note(line) if len(line) < 1_000 else None
        if note is None or count == NOTES_OF_A_FILE:
            continue
        text = clipped(" ".join([note["text"].strip(), *_rest(rows, place + 1)]).strip(" */->\"'#"), NOTE_CHARACTERS)
        key = hashlib.sha256(f"{note['mark']} {text}".encode()).hexdigest()[:16]
        # A note has words, and counts once in a file.
        if len(text.split()) < 4 or key in seen or _worth(note["mark"], text) < FLOOR:
            continue
        seen.add(key)
        count += 1
        yield Found(
            # Without its line number, which changes with edits above.
            key=f"{file.path}#{key}",
            rule="note",
            content=f"{note['mark']} ({_MEANS[note['mark']]}) in {file.path}, line {place + 1}: {text}",
            memory_type="context",
            at=file.at,
            importance=0.4 if note["mark"] in ("FIXME", "HACK", "BUG", "KLUDGE") else 0.3,
            tags=("note", note["mark"].lower()),
            metadata={"path": file.path, "line": place + 1, **({"who": note["who"]} if note["who"] else {})},
            worth=_worth(note["mark"], text),
            head=file.sha,
        )


def _worth(mark: str, text: str) -> float:
    """Return what a note is worth: one that gives a reason warns, others only remind."""
    return (0.6 if is_reason(text) else 0.4) + 0.1 * (mark in ("HACK", "KLUDGE", "BUG", "FIXME"))


def _note(line: str) -> re.Match[str] | None:
    """Return the mark in a comment of a line."""
    for found in _NOTE.finditer(line):
        signs, before = found["lead"], line[max(0, found.start() - 3) : found.start()]
        if any(sign in signs for sign in ("#", "*", "//", "--")) or before.endswith((";", "%", '"""')):
            return found
    return None


def _rest(rows: list[str], place: int) -> list[str]:
    """Return the following lines of a comment."""
    found: list[str] = []
    for line in rows[place : place + NOTE_LINES - 1]:
        more = _LINE.match(line)
        if more is None or _note(line):
            break
        found.append(more["text"].strip())
    return found
