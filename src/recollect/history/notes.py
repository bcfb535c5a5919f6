"""Notes: what people left in the code for later: TODO, FIXME, HACK and their kin, each with its comment."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from recollect import progress
from recollect.history.documents import is_document
from recollect.history.files import Text, found_in, paths, texts
from recollect.history.found import Found, clipped

# What is kept of a note; notes of one file; a file with more of them is a test of a tool that looks for them.
NOTE_CHARACTERS = 400
NOTES_OF_A_FILE = 30
# Lines of the same comment that belong to a note.
NOTE_LINES = 5

# A mark and the signs before it, from the first of them on; `_note` tells whether they begin a comment.
_NOTE = re.compile(
    r"(?<![\s*!/#-])(?P<lead>[\s*!/#-]*+)(?P<mark>TODO|FIXME|HACK|XXX|BUG|KLUDGE)\b(?:\((?P<who>[^)]{1,60})\))?[:\s-]*(?P<text>.*)"
)  # fmt: skip
_LINE = re.compile(r"^\s*(?:#|//|\*(?!/)|--|;|%)[\s*!/#-]*(?P<text>\S.*)$")
_SOURCE = re.compile(
    r"\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|java|kt|kts|go|rs|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|ex|exs|hs|lua|zig|sh|bash|sql|"
    r"vue|svelte|m|mm|pl|r|jl|dart|clj|erl|toml|ya?ml|tf|cmake|gradle|proto)$|(?:^|/)(?:Makefile|Dockerfile)$"
)  # fmt: skip
# What a mark means.
_MEANS = {"TODO": "to do", "FIXME": "to fix", "HACK": "hack", "XXX": "doubtful", "BUG": "known bug", "KLUDGE": "hack"}


class Notes:
    """Notes in the code; `most`: how many at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.left_out: list[str] = []
        self.notes: list[str] = []

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield the notes in a project's sources."""
        left = self._most
        wanted = [path for path in paths(root, self.notes) if _SOURCE.search(path) and not is_document(path)]
        for number, file in enumerate(texts(root, wanted)):
            if number % 100 == 0:
                progress.report(number, len(wanted), "reading TODO and FIXME comments")
            if since is not None and file.at < since:
                continue
            for found in found_in(file, _notes, self.left_out):
                if left <= 0:
                    return
                left -= 1
                yield found


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
        # A mark without words says nothing; the same words twice in a file are one note.
        if len(text.split()) < 2 or key in seen:
            continue
        seen.add(key)
        count += 1
        yield Found(
            # Without its line, which moves whenever something above it is edited.
            key=f"{file.path}#{key}",
            rule="note",
            content=f"{note['mark']} ({_MEANS[note['mark']]}) in {file.path}, line {place + 1}: {text}",
            memory_type="context",
            at=file.at,
            importance=0.4 if note["mark"] in ("FIXME", "HACK", "BUG", "KLUDGE") else 0.3,
            tags=("note", note["mark"].lower()),
            metadata={"path": file.path, "line": place + 1, **({"who": note["who"]} if note["who"] else {})},
        )


def _note(line: str) -> re.Match[str] | None:
    """Return the mark of a line that stands in a comment."""
    for found in _NOTE.finditer(line):
        signs, before = found["lead"], line[max(0, found.start() - 3) : found.start()]
        if any(sign in signs for sign in ("#", "*", "//", "--")) or before.endswith((";", "%", '"""')):
            return found
    return None


def _rest(rows: list[str], place: int) -> list[str]:
    """Return the following lines of the same comment."""
    found: list[str] = []
    for line in rows[place : place + NOTE_LINES - 1]:
        more = _LINE.match(line)
        if more is None or _note(line):
            break
        found.append(more["text"].strip())
    return found
