"""Page: a source file's text with its lines, and the tree that was parsed from it.

Trees count in bytes. The text is therefore kept as one character per byte, so that offsets of the tree are offsets of
the text, and cut pieces are decoded only in files that have anything but ASCII.
"""

from __future__ import annotations

import codecs
import time
from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import tree_sitter

CHUNK_BYTES = 1 << 16  # the clock is read once per chunk: about every 12 ms of parsing
PARSE_SECONDS = 5.0  # some 25 MB of ordinary code; what takes longer is garbage or generated
SIXTEEN_BIT = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Page:
    """A file's bytes, cut by offset."""

    __slots__ = ("is_ascii", "line_feeds", "notes", "source", "text")

    def __init__(self, source: bytes) -> None:
        self.notes: list[str] = []
        encoding = SIXTEEN_BIT.get(source[:2])
        if encoding:
            source = source[2:].decode(encoding, "replace").encode()
            self.notes.append("UTF-16: converted to UTF-8, byte offsets are those of the converted text")
        self.source = source
        self.is_ascii = source.isascii()
        if not self.is_ascii and not _is_utf8(source):
            self.notes.append("not UTF-8: undecodable bytes are replaced")
        self.text = source.decode("latin-1")
        self.line_feeds: list[int] = (np.frombuffer(source, np.uint8) == 10).nonzero()[0].tolist()

    def cut(self, start: int, end: int) -> str:
        """Return the text between two offsets."""
        text = self.text[start:end]
        return text if self.is_ascii else decoded(text)

    def wide_lines(self) -> set[int]:
        """Return the numbers of the lines that have anything but ASCII."""
        wide = np.flatnonzero(np.frombuffer(self.source, np.uint8) >= 0x80)
        return set((np.searchsorted(np.array(self.line_feeds, np.int64), wide) + 1).tolist())

    def line(self, offset: int) -> int:
        """Return the number of the line that holds an offset; the first line is 1."""
        return bisect_left(self.line_feeds, offset) + 1

    def indent(self, offset: int) -> int:
        """Return how many white space characters the line of an offset begins with."""
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return len(line) - len(line.lstrip())


def parse(page: Page, language: tree_sitter.Language) -> tree_sitter.Tree:
    """Return the tree of a page; of a page that takes too long, the tree of what was read in time, with a note.

    The library's own progress callback crashes before Python 3.14, so the clock is read where it asks for more text.
    """
    from tree_sitter import Parser

    parser = Parser(language)
    source = page.source
    if len(source) <= CHUNK_BYTES:
        return parser.parse(source)
    deadline = time.monotonic() + PARSE_SECONDS
    whole = memoryview(source)
    # The library never lets go of a chunk; a released view is a few bytes, whatever it was a view of.
    views: list[memoryview] = []
    late = False

    def read(offset: int, _point: object) -> memoryview | bytes:
        nonlocal late
        late = late or time.monotonic() > deadline
        if late:
            return b""
        views.append(whole[offset : offset + CHUNK_BYTES])
        return views[-1]

    tree = parser.parse(read)
    for view in views:
        view.release()
    if late:
        page.notes.append(f"parsing stopped after {PARSE_SECONDS:g} seconds: later symbols are missing")
    return tree


def decoded(text: str) -> str:
    """Return what bytes that were kept as characters say in UTF-8."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "replace")


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
