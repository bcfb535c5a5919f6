"""The outline of a Markdown file from its lines, without a tree.

Every repository has documents, and parsing them costs more than parsing most code. An outline needs only headings:
lines that begin with hashes outside of code and HTML blocks. A file that is not certain is left to the parser.

    # One          ┐ a section reaches to the next heading
    ## Two    ┐    │ of its level or above
    text      ┘    ┘

Left to the parser, since it is rare: headings in lists and quotations, indented ones, underlined ones of several lines,
code that is indented less than its fence, HTML without a blank line after it.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import NamedTuple

from recollect.code.index.captures import Marks
from recollect.code.index.definitions import MOST_KEYS, Definition
from recollect.code.index.languages import Language
from recollect.code.index.page import Page

# The relevant lines. The text starts with an added line feed: a pattern that begins with a plain character is fast.
LINE = re.compile(
    rb"\n([ \t]*+)(?:(#{1,6})(?=[ \t\n]|$)[ \t]*+([^\n]*+)|(`{3,}+(?=[^`\n]*+(?:\n|$))|~{3,}+)([^\n]*+)|(<)[^\n]*+"
    rb"|([=-])\7*+[ \t]*+(?=\n|$)|((?:[>*+-]|\d{1,9}[.)])(?:[>*+-]|\d{1,9}[.)]|[ \t])*+(?:#|```|~~~)"
    rb"|>[> \t]*+(?:=+|-+)[ \t]*+(?=\n|$)))"
)
INDENT, HASHES, TITLE, FENCE, INFO, TAG, UNDERLINE, NESTED = range(1, 9)  # groups of it
HEADING = re.compile(rb"#{1,6}(?=[ \t]|$)")
# A paragraph of one line that can be nothing else.
PLAIN = re.compile(rb"(?:(?<=\n)|(?<!.))\n(?!``)[A-Za-z`][^\n|]*(?<![ \t])\n", re.DOTALL)
FRONT = re.compile(rb"\n(---|\+\+\+)[ \t]*\n(?:[^\n]*\n)*?\1[ \t]*(?=\n)")
# HTML blocks that may contain blank lines; all others but comments end at the next blank line.
RAW = re.compile(rb"<(?:script|pre|style|textarea)\b|<\?|<!(?!--)", re.IGNORECASE)
BLANK_LINE = re.compile(rb"\n[ \t]*(?=\n|$)")


class Unsure(Exception):
    """The document has to be parsed."""


class Fence(NamedTuple):
    """An open block of code: its indentation, its marks, and where its content begins."""

    indent: bytes
    marks: bytes
    start: int


class Headings:
    """The sections of a document. Raises Unsure."""

    __slots__ = ("_blank", "_blind", "_closed", "_open", "_source", "definitions")

    marks = Marks()  # nothing in a document hides or closes code

    def __init__(self, source: bytes) -> None:
        self._source = b"\n" + source  # so that an offset here is one more than in the file
        self._open: list[tuple[int, Definition | None]] = []  # level and section
        self._blind = 0  # until here it is HTML
        self._blank = self._closed = 0  # offsets of the next blank line and the end of the next comment, once known
        self.definitions: list[Definition] = []
        front = FRONT.match(self._source)
        if source.startswith((b"---", b"+++")) and not front:
            raise Unsure
        self._follow(front.end() if front else 0)
        self._end(0, len(source))
        if len(self.definitions) > MOST_KEYS:
            raise Unsure

    def _follow(self, start: int) -> None:
        """Read the lines that matter."""
        fence: Fence | None = None
        for match in LINE.finditer(self._source, start):
            if fence:
                fence = self._inside(fence, match)
                continue
            which = match.lastindex
            if which == TAG:
                self._html(match.start(TAG))
            elif which == UNDERLINE:
                self._underline(match)
            elif match.start() < self._blind or which == NESTED:
                raise Unsure
            elif which == TITLE:
                self._heading(match)
            else:
                if b"\t" in match[INDENT]:
                    raise Unsure
                fence = Fence(match[INDENT], match[FENCE], match.end())
        if fence:
            raise Unsure

    def _inside(self, fence: Fence, match: re.Match[bytes]) -> Fence | None:
        """Return the block that is still open after one of its lines."""
        marks, indent = match[FENCE], match[INDENT]
        if not marks or not marks.startswith(fence.marks) or match[INFO].strip():
            if fence.indent and not indent:
                raise Unsure  # its list may end here, and the code with it
            return fence
        if not fence.indent:
            return fence if len(indent) > 3 or b"\t" in indent else None
        # In a list. A line with less indentation ends the list, and the code with it.
        less = re.compile(rb"\n(?!%b)[ \t]*[^ \t\n]" % fence.indent)
        if indent != fence.indent or less.search(self._source, fence.start, match.start()):
            raise Unsure
        return None

    def _heading(self, match: re.Match[bytes]) -> None:
        level, begin = len(match[HASHES]), match.start()  # of the line, in the file
        title = match[TITLE].rstrip(b" \t")
        # The grammar does not see a heading at the end of a file without a line feed.
        if match[INDENT] or b"\t" in match[0] or match.end() == len(self._source):
            raise Unsure
        self._end(level, begin)
        section = None
        if title:
            start = match.start(TITLE) - 1
            section = Definition(begin, begin, "Module", "", (start, start + len(title)), begin)
            self.definitions.append(section)
        self._open.append((level, section))

    def _end(self, level: int, end: int) -> None:
        """End the sections of a level and below."""
        while self._open and self._open[-1][0] >= level:
            section = self._open.pop()[1]
            if section:
                section.end = section.body = end

    def _html(self, start: int) -> None:
        """Remember the end of HTML that may begin here."""
        source = self._source
        if RAW.match(source, start):
            raise Unsure
        # An end that was found for a line above and lies below this one is still right.
        if source.startswith(b"<!--", start):
            if start > self._closed:
                self._closed = source.find(b"-->", start)
            end = source.find(b"\n", self._closed)
            if self._closed < 0 or end < 0:
                raise Unsure
            self._blind = max(self._blind, end)
            return
        if start >= self._blank:
            blank = BLANK_LINE.search(source, start)
            self._blank = blank.start() if blank else len(source)
        self._blind = max(self._blind, self._blank)

    def _underline(self, match: re.Match[bytes]) -> None:
        """Add the heading that an underline makes of the line before. Raises Unsure for doubtful ones."""
        source, start = self._source, match.start()
        before = source.rfind(b"\n", 0, start)
        line = source[before + 1 : start]
        if not line.strip() or HEADING.match(line):
            return  # a rule
        if match[INDENT] or match.end() == len(source) or before < self._blind or not PLAIN.match(source, before):
            raise Unsure
        self.definitions.append(Definition(before, match.end(), "Module", "", (before, start - 1), match.end()))


def headings(page: Page, _language: Language) -> Headings | None:
    """Return the sections of a page; None if it has to be parsed."""
    if b"\r" in page.source or page.source.startswith(BOM_UTF8):
        return None
    try:
        return Headings(page.source)
    except Unsure:
        return None
