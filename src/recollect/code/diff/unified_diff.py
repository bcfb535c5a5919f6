"""Parse a unified diff, written by git or another tool, into files and hunks.

    diff --git a/x b/y     extended header of git: modes, renames, copies, blobs, binary
    --- a/x                the plain header, which is all that other tools write
    +++ b/y
    @@ -1,3 +1,4 @@        a hunk; the numbers say how many lines belong to it

A truncated, mangled or very long diff is read as far as possible, with notes. A combined diff (of a merge) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from recollect.code.index.file_walk import shown
from recollect.errors import InvalidInput

Status = Literal["changed", "added", "deleted", "renamed", "copied"]

# Characters of a diff that are read: reading more takes seconds.
MAX_CHARACTERS = 32_000_000
# Files of a diff that are reviewed; the others are counted.
MAX_FILES = 2_000
# Notes about oddities; a mangled diff has one on every line.
MAX_NOTES = 20

# Prefixes that git writes before paths, also with diff.mnemonicPrefix.
PREFIXES = ("a/", "b/", "c/", "i/", "o/", "w/", "1/", "2/")
NOWHERE = "/dev/null"

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_COMBINED = re.compile(r"^(?:diff --(?:cc|combined) |@@@+ -)", re.MULTILINE)
_BLOBS = re.compile(r"index ([0-9a-f]{1,64})\.\.([0-9a-f]{1,64})")
_OCTAL = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
# A path of a plain header is followed by a tab and a time, or by a time alone.
_TIME = re.compile(r"\t.*$|(?<!\s)\s++\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")


class Hunk(NamedTuple):
    """Changed lines with context: each begins with a blank, a minus or a plus.

    old_start, new_start: number of the first line on each side, from 1; 0 for none
    old_bare, new_bare: the last line of the side has no line feed
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]
    old_bare: bool = False
    new_bare: bool = False

    def side(self, *, new: bool) -> list[str]:
        """Return the lines of one side, without the sign before them."""
        other = "-" if new else "+"
        return [line[1:] for line in self.lines if line[:1] != other]


class FileDiff(NamedTuple):
    """One file of a diff; paths begin at the root and are empty on a side without the file.

    old_blob, new_blob: git's names of the two contents, if given; all zeros for none
    """

    old: str
    new: str
    status: Status = "changed"
    hunks: tuple[Hunk, ...] = ()
    is_binary: bool = False
    old_blob: str = ""
    new_blob: str = ""

    @property
    def path(self) -> str:
        """The path now, or before if the file is deleted."""
        return self.new or self.old


class Diff(NamedTuple):
    """The files of a diff in order, and notes about problems."""

    files: tuple[FileDiff, ...]
    notes: tuple[str, ...] = ()


def parse(text: str) -> Diff:
    """Return the files of a diff; none for an empty text. Raises InvalidInput for other text."""
    if not text.strip():
        return Diff(())
    notes: list[str] = []
    text = text.encode("utf-8", "replace").decode()  # half a character of another encoding is no character
    if len(text) > MAX_CHARACTERS:
        text = text[: text.rfind("\n", 0, MAX_CHARACTERS) + 1]
        notes.append(f"the diff is longer than {MAX_CHARACTERS:,} characters: the rest was skipped")
    if _COMBINED.search(text):
        raise InvalidInput(
            "this is a combined diff of a merge commit",
            hint="Compare with one parent: `git diff HEAD^1 HEAD` or `git show --first-parent -m`.",
            field="diff",
        )
    reader = _Reader(text, notes)
    files = list(reader.files())
    if not files:
        raise InvalidInput(
            "this is not a unified diff: no file names and no hunks",
            hint="Pipe in a diff: `git diff | recollect review` or `diff -u old new | recollect review`.",
            field="diff",
        )
    if len(files) > MAX_FILES:
        notes.append(f"{len(files):,} files differ: only the first {MAX_FILES:,} were reviewed")
    more = len(notes) - MAX_NOTES
    kept = notes if more <= 0 else [*notes[:MAX_NOTES], f"and {more:,} similar notes"]
    return Diff(tuple(files[:MAX_FILES]), tuple(kept))


class _Header:
    """The header of a file."""

    def __init__(self, words: str = "") -> None:
        self.words = words  # after `diff --git `
        self.old = self.new = ""
        self.old_blob = self.new_blob = ""
        self.renamed: list[str] = []
        self.copied: list[str] = []
        self.is_new = self.is_deleted = self.is_binary = False


class _Reader:
    """Reads the lines of a diff once."""

    def __init__(self, text: str, notes: list[str]) -> None:
        # Only a line feed ends a line: other line ends may be part of one.
        self.lines = text.split("\n")
        self.at = 0
        self.notes = notes

    def files(self) -> Iterator[FileDiff]:
        """Yield the files; text between them, such as a commit message, is skipped."""
        while self.at < len(self.lines):
            line = self._head()
            if line.startswith("diff --git "):
                yield self._file(self._git_header(line[11:]))
            elif line.startswith("--- ") and self._head(1).startswith("+++ "):
                yield self._file(self._plain_header(_Header()))
            elif line.startswith("* Unmerged path "):
                self.notes.append(f"{line[16:]} has unresolved conflicts: skipped")
                self.at += 1
            else:
                self.at += 1

    def _head(self, ahead: int = 0) -> str:
        """Return a line of a header without a \\r at its end."""
        place = self.at + ahead
        return self.lines[place].rstrip("\r") if place < len(self.lines) else ""

    def _git_header(self, words: str) -> _Header:
        header = _Header(words)
        self.at += 1
        while self.at < len(self.lines):
            line = self._head()
            if line.startswith("--- ") and self._head(1).startswith("+++ "):
                return self._plain_header(header)
            if not self._extended(header, line):
                break
            self.at += 1
        return header

    def _extended(self, header: _Header, line: str) -> bool:
        """Read one line of an extended header; return whether it was one."""
        blobs = _BLOBS.match(line)
        if blobs:
            header.old_blob, header.new_blob = blobs.groups()
        elif line.startswith(("rename from ", "rename to ")):
            header.renamed.append(_path(line.partition("rename ")[2].partition(" ")[2]))
        elif line.startswith(("copy from ", "copy to ")):
            header.copied.append(_path(line.partition("copy ")[2].partition(" ")[2]))
        elif line.startswith("new file mode "):
            header.is_new = True
        elif line.startswith("deleted file mode "):
            header.is_deleted = True
        elif line.startswith(("Binary files ", "GIT binary patch")):
            header.is_binary = True
            if line.startswith("GIT"):
                self._pass_binary()
        else:
            return line.startswith(("similarity index ", "dissimilarity index "))
        return True

    def _pass_binary(self) -> None:
        """Skip to the last line of a binary patch, before the next header."""
        while self.at + 1 < len(self.lines) and not self._head(1).startswith(("diff --git ", "--- ")):
            self.at += 1

    def _plain_header(self, header: _Header) -> _Header:
        header.old, header.new = (_path(_TIME.sub("", self._head(ahead)[4:])) for ahead in (0, 1))
        self.at += 2
        return header

    def _file(self, header: _Header) -> FileDiff:
        old, new = _sides(header)
        hunks = tuple(self._hunks(new or old))
        status: Status = "changed"
        if header.is_new or not old:
            old, status = "", "added"
        elif header.is_deleted or not new:
            new, status = "", "deleted"
        elif header.copied:
            status = "copied"
        elif header.renamed or old != new:
            status = "renamed"
        return FileDiff(shown(old), shown(new), status, hunks, header.is_binary, header.old_blob, header.new_blob)

    def _hunks(self, path: str) -> Iterator[Hunk]:
        while self.at < len(self.lines):
            line = self._head()
            if line.startswith("Binary files ") and line.endswith(" differ"):
                self.at += 1
                continue
            head = _HUNK.match(line)
            if head is None:
                return
            self.at += 1
            yield self._hunk(head, path)

    def _hunk(self, head: re.Match[str], path: str) -> Hunk:
        old_start, new_start = int(head[1]), int(head[3])
        old_left, new_left = (1 if count is None else int(count) for count in (head[2], head[4]))
        lines: list[str] = []
        bare = {"-": False, "+": False}
        while self.at < len(self.lines):
            line = self.lines[self.at]
            sign = line[:1]
            if sign == "\\":  # "\ No newline at end of file" is about the line before
                last = lines[-1][:1] if lines else ""
                bare.update(dict.fromkeys("-+" if last == " " else last, True))
            elif old_left <= 0 and new_left <= 0:
                break
            elif sign in (" ", "-", "+"):
                lines.append(line)
                old_left -= sign != "+"
                new_left -= sign != "-"
            elif line in ("", "\r") and self.at + 1 < len(self.lines):  # a blank line that lost its sign
                lines.append(" " + line)
                old_left, new_left = old_left - 1, new_left - 1
            else:
                break
            self.at += 1
        if old_left > 0 or new_left > 0:
            self.notes.append(f"{path}: the hunk at line {new_start} is truncated")
        return Hunk(old_start, new_start, tuple(lines), bare["-"], bare["+"])


def _sides(header: _Header) -> tuple[str, str]:
    """Return the paths of both sides without prefixes; empty for no file."""
    moved = header.renamed or header.copied
    if len(moved) == 2:
        return moved[0], moved[1]
    old, new = header.old, header.new
    if not old and not new:
        old, new = _named(header.words)
    old, new = ("" if side == NOWHERE else side for side in (old, new))
    first, second = old or new, new or old
    prefixed = all(side.startswith(PREFIXES) for side in (first, second))
    # Without prefixes both sides are the same path, which may begin with a/.
    if prefixed and (first[:2] != second[:2] or not (old and new)):
        old, new = old[2:], new[2:]
    return ("" if header.is_new else old), ("" if header.is_deleted else new)


def _named(words: str) -> tuple[str, str]:
    """Return the two paths after `diff --git`, which are equal if nothing else names them."""
    quoted = re.fullmatch(r'("(?:\\.|[^"\\])*"|\S+) ("(?:\\.|[^"\\])*"|\S+)', words)
    if quoted:
        return _path(quoted[1]), _path(quoted[2])
    half = len(words) // 2
    return words[:half], words[half + 1 :]


def _path(text: str) -> str:
    """Return a file name; git quotes names with special characters."""
    text = text.strip("\r")
    if not (text.startswith('"') and text.endswith('"') and len(text) > 1):
        return text
    raw = text[1:-1].encode("utf-8", "surrogateescape")
    return _OCTAL.sub(_unescaped, raw).decode("utf-8", "surrogateescape")


def _unescaped(match: re.Match[bytes]) -> bytes:
    found = match[1]
    return bytes([int(found, 8) & 255]) if len(found) == 3 else _ESCAPES.get(found, found)
