"""Mask: a file with its strings and comments out of the way, so that what is left is code and nothing but code.

    x := "a{b" // {        ►       x := \"\"\"\"\"

Every character stays where it is. A string becomes quotes, a comment becomes blanks but keeps its line feeds. A file is
masked with a line feed before it, so that an offset there is one more than in the file, and a line always follows a
line feed: expressions that begin with a plain character skip what does not.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from recollect.code.found import Span
from recollect.code.gather import MOST_SYMBOLS, Definition
from recollect.code.page import Page

LINE_COMMENT = r"//[^\n]*+"
BLOCK_COMMENT = r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/"
DOUBLE = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
# What begins none of the literals of its language, and all that follows it: looking for the end of one after the other
# would take the square of the file's length. It is the last that is found, so looking at that one is enough.
OPEN = r"/\*.*|[\"'`].*"


class Unsure(Exception):
    """What a text says cannot be told without parsing it."""


class Literals(NamedTuple):
    """What is no code in a language, as patterns of which the first that matches counts."""

    comments: tuple[str, ...]
    strings: tuple[str, ...]


# By language. A character of Go may be four bytes of UTF-8, or an escape.
LITERALS: dict[str, Literals] = {
    "go": Literals(
        (LINE_COMMENT, BLOCK_COMMENT), (DOUBLE, r"`[^`]*+`", r"'(?:\\[^\n][^'\n]{0,9}|[^'\\\n]{1,4})'")
    ),
}  # fmt: skip


@cache
def _literal(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds the literals of a language, and what a whole one looks like."""
    row = LITERALS[language]
    known = "|".join((*row.comments, *row.strings))
    return re.compile(f"{known}|{OPEN}", re.DOTALL), re.compile(known, re.DOTALL)


class Mask:
    """The comments and strings of a page, and its code with a line feed before it. Raises Unsure."""

    __slots__ = ("code", "comments", "strings")

    def __init__(self, page: Page, language: str) -> None:
        text = page.text
        literal, whole = _literal(language)
        spans = [match.span() for match in literal.finditer(text)]
        if spans and not whole.fullmatch(text, *spans[-1]):
            raise Unsure
        self.comments = [span for span in spans if text[span[0]] == "/"]
        self.strings = [span for span in spans if text[span[0]] != "/"]
        blob = bytearray(page.source)
        for start, end in self.strings:
            blob[start:end] = b'"' * (end - start)
        for start, end in self.comments:
            lines = blob[start:end].split(b"\n")
            blob[start:end] = b"\n".join([b" " * len(line) for line in lines])
        if not blob.isascii() or b"\r" in blob or b"\f" in blob or b"\v" in blob:
            raise Unsure
        self.code = "\n" + blob.decode("ascii")


BRACES = re.compile(r"[{}]")


def blocks(code: str) -> dict[int, int]:
    """Return where each brace is closed. Raises Unsure where brackets do not match."""
    if code.count("(") != code.count(")") or code.count("[") != code.count("]"):
        raise Unsure
    closes: dict[int, int] = {}
    stack: list[int] = []
    for match in BRACES.finditer(code):
        place = match.start()
        if code[place] == "{":
            stack.append(place)
        elif stack:
            closes[stack.pop()] = place
        else:
            raise Unsure
    if stack:
        raise Unsure
    return closes


@cache
def _words(words: tuple[str, ...]) -> list[re.Pattern[str]]:
    # Each with an expression of its own: one that begins with plain letters is looked for ten times as fast as one
    # with a choice.
    return [re.compile(rf"{word}\b(?<![\w$]{word})") for word in words]


def branches(code: str, words: tuple[str, ...]) -> list[int]:
    """Return where the words of a language stand in the file that choose or repeat."""
    return sorted([match.start() - 1 for word in _words(words) for match in word.finditer(code)])


class Reading:
    """What was found in a file, as recollect.code.found.Captured. Raises Unsure for what has too many definitions."""

    __slots__ = ("_spans", "_starts", "definitions")

    def __init__(self, mask: Mask, definitions: list[Definition], branches: list[int], packages: list[Span]) -> None:
        if len(definitions) > MOST_SYMBOLS:
            raise Unsure
        self.definitions = definitions
        self._spans = {"comment": mask.comments, "string": mask.strings, "package": packages}
        self._starts = {"branch": branches}

    def spans(self, name: str) -> list[Span]:
        return self._spans.get(name, [])

    def starts(self, name: str) -> list[int]:
        return self._starts.get(name, [])

    def ends(self, _name: str) -> list[int]:
        return []

    def errors(self, _page: Page) -> list[str]:
        return []  # what looks like one is not accepted
