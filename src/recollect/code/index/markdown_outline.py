"""Headings: the outline of a Markdown file from its lines, without a tree.

Every repository has documents, and parsing them costs more than parsing most code. All that an
outline needs of them is headings, and a heading is a line that begins with hashes, unless it stands in a block of code
or of HTML. As with Python (`scan`), a file is read that way wherever it is certain what a parser would say.

    # One          ┐ a section reaches to the next heading
    ## Two    ┐    │ of its level or above
    text      ┘    ┘

Not accepted, since it is rare: headings in lists and quotations, indented ones, underlined ones of several lines, code
that is indented less than its fence, HTML without a blank line before what follows.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import NamedTuple

from recollect.code.index.captures import Marks
from recollect.code.index.definitions import MOST_KEYS, Definition
from recollect.code.index.languages import Language
from recollect.code.index.page import Page

# What the lines that matter begin with; all others are passed over. A file is searched with a line feed before it: an
# expression that begins with a plain character skips what does not.
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
# HTML that goes on over blank lines is not read, but for comments; all other ends at the next blank line.
RAW = re.compile(rb"<(?:script|pre|style|textarea)\b|<\?|<!(?!--)", re.IGNORECASE)
BLANK_LINE = re.compile(rb"\n[ \t]*(?=\n|$)")


class Unsure(Exception):
    """What a document says cannot be told without parsing it."""


class Fence(NamedTuple):
    """A block of code that is open: how far it is indented, what closes it, and where its content begins."""

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
        self._blank = self._closed = 0  # where the next blank line is, and the end of the next comment, once looked for
        self.definitions: list[Definition] = []
        front = FRONT.match(self._source)
        if source.startswith((b"---", b"+++")) and not front:
            raise Unsure
        self._follow(front.end() if front else 0)
        self._end(0, len(source))
        if len(self.definitions) > MOST_KEYS:
            raise Unsure

    def _follow(self, start: int) -> None:
        """Follow the lines that matter."""
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
        """Return what is still open after a line in a block of code."""
        marks, indent = match[FENCE], match[INDENT]
        if not marks or not marks.startswith(fence.marks) or match[INFO].strip():
            if fence.indent and not indent:
                raise Unsure  # its list may end here, and the code with it
            return fence
        if not fence.indent:
            return fence if len(indent) > 3 or b"\t" in indent else None
        # In a list. What is indented less ends the list, and the code with it.
        less = re.compile(rb"\n(?!%b)[ \t]*[^ \t\n]" % fence.indent)
        if indent != fence.indent or less.search(self._source, fence.start, match.start()):
            raise Unsure
        return None

    def _heading(self, match: re.Match[bytes]) -> None:
        level, begin = len(match[HASHES]), match.start()  # of the line, in the file
        title = match[TITLE].rstrip(b" \t")
        # The grammar does not see a heading that the file ends with, if it ends without a line feed.
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
        """Take note of how far HTML reaches that may begin here."""
        source = self._source
        if RAW.match(source, start):
            raise Unsure
        # What was found for a line above and lies below this one is what would be found for this one.
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
        """Take the heading that a line makes of the one before; refuse what may be one and is not plain."""
        source, start = self._source, match.start()
        before = source.rfind(b"\n", 0, start)
        line = source[before + 1 : start]
        if not line.strip() or HEADING.match(line):
            return  # a rule
        if match[INDENT] or match.end() == len(source) or before < self._blind or not PLAIN.match(source, before):
            raise Unsure
        self.definitions.append(Definition(before, match.end(), "Module", "", (before, start - 1), match.end()))


def headings(page: Page, _language: Language) -> Headings | None:
    """Return the sections of a page, or None where a tree is needed to be certain."""
    if b"\r" in page.source or page.source.startswith(BOM_UTF8):
        return None
    try:
        return Headings(page.source)
    except Unsure:
        return None
