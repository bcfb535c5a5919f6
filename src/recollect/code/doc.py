"""Doc: what the author says about a symbol, in a docstring or in the comment directly above."""

from __future__ import annotations

import re
from collections.abc import Mapping

from recollect.code.page import Page

DOC_CHARACTERS = 400  # a first paragraph; the rest is in the source

QUOTE = re.compile(r"[rRuUbB]{0,2}(\"\"\"|'''|\"|')")
# What a comment line begins or ends with that is not said: `///`, `/**`, ` * `, `#`, `--`, `"""`, `{-|`.
BEFORE = re.compile(r"\s*(?:/\*[*!]*|\*+(?!/)|//[/!]*|#+!?|--\[\[|--+\s*\|?|\{-\s*\|?|;+|\"{3}|'{3})?[ \t]?")
AFTER = re.compile(r"\s*(?:\*+/|-\}|\]\]|\"{3}|'{3})?\s*$")
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# A line that begins the formal part of a doc comment: the sentence is over.
FORMAL = re.compile(r"(?:@\w+|:\w+[^:]*:|\\(?:param|return)\b|-{3,}|={3,})")
# Comments for tools, not about the code below.
PRAGMA = re.compile(
    r"\W*(?:eslint|ts-|@ts-|prettier-|istanbul|c8 |v8 |noqa|type: ?ignore|pylint|pragma|nolint|go:|\+build|"
    r"clang-format|NOLINT|swiftlint|rubocop|phpcs|@formatter|spell|SPDX-|Copyright|frozen_string_literal)"
)


def docstring(page: Page, body: int) -> str:
    """Return the first paragraph of the string that a body begins with, or ""."""
    match = QUOTE.match(page.text, body)
    if not match:
        return ""
    quote = match[1]
    end = page.text.find(quote, match.end())
    while end > 0 and page.text[end - 1] == "\\":
        end = page.text.find(quote, end + 1)
    return paragraph(page.cut(match.end(), end) if end > 0 else "")


def above(page: Page, start: int, comments: Mapping[int, int]) -> str:
    """Return the first paragraph of the comments whose last line is the line before `start`.

    comments: where a comment ends → where it begins.
    """
    pieces: list[str] = []
    text = page.text
    line = text.rfind("\n", 0, start) + 1
    while line > 0:
        # A comment may end before its line break, before the \r of it, or after it, depending on the grammar.
        begin = next((comments[end] for end in (line - 1, line, line - 2) if end in comments), None)
        if begin is None:
            break
        first = text.rfind("\n", 0, begin) + 1
        if text[first:begin].strip() or PRAGMA.match(text, begin):
            break
        pieces.append(page.cut(begin, line))
        line = first
    return paragraph("\n".join(piece.rstrip("\r\n") for piece in reversed(pieces)))


def paragraph(text: str) -> str:
    """Return the first paragraph on one line, without comment marks, at most DOC_CHARACTERS long."""
    said: list[str] = []
    for line in text.splitlines():
        plain = AFTER.sub("", line[BEFORE.match(line).end() :]).strip()  # type: ignore[union-attr] # matches ""
        if "<" in plain:
            plain = TAG.sub("", plain).strip()
        if plain and not FORMAL.match(plain):
            said.append(plain)
        elif said:
            break
    joined = " ".join(" ".join(said).split())
    return joined if len(joined) <= DOC_CHARACTERS else joined[: DOC_CHARACTERS - 1].rstrip() + "…"
