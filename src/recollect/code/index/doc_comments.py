"""The documentation of a symbol: its docstring, or the comment directly above."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from recollect.code.index.captures import Span
from recollect.code.index.page import Page

DOC_CHARACTERS = 400  # a first paragraph; the rest is in the source

QUOTE = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")
SAID = re.compile(r"(?:type)?doc\s+(?:~[sS])?(\"\"\"|\")(.*?)\1", re.DOTALL)
# Marks at the beginning and end of a comment line: `///`, `/**`, ` * `, `#`, `--`, `{-|`.
BEFORE = re.compile(r"\s*(?:<!--|/\*[*!]*|\*+(?!/)|//[/!]*|#+!?|--\[=*\[|--+\s*[|^]?|\{-\s*[|^]?|;+)?")
AFTER = re.compile(r"(?:(?<!\*)\*++/|-->|-\}|\]=*+\])$")
ENDS = frozenset("/>}]")  # the last characters of such marks: most lines have none
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# A line that begins the formal part of a doc comment.
FORMAL = re.compile(
    r"<(?:remarks|param|returns|example|exception|see)\b|@\w+|:\w[^:]*+:|\\(?:param|returns?)\b|[-=*#~/]{3,}"
)
FORMAL_FIRST = frozenset("<@:\\-=*#~/")  # the first characters of such lines: most begin with a letter
# Comments for tools and lawyers, not about the code below.
PRAGMA = re.compile(
    r"\W*!/|\W*+(?:eslint|ts-|prettier-|istanbul|c8 |v8 |noqa|type: ?ignore|pylint|pragma|nolint|go:|(?<=\+)build|"
    r"clang-format|NOLINT|swiftlint|rubocop|phpcs|(?<=@)formatter|SPDX-|Copyright|frozen_string_literal)"
)


def docstring(page: Page, body: int, before: str) -> str:
    """Return the first paragraph of the string that a body begins with, or "".

    before: pattern of the text before that string.
    """
    text = page.text
    if before:
        head = re.compile(before).match(text, body)
        if not head:
            return ""
        body = head.end()
    elif text[body : body + 1] not in ('"', "'", "r", "R", "u", "U"):
        return ""
    match = QUOTE.match(text, body)
    if not match:
        return ""
    start, quote = match.end(), match[1]
    end = text.find(quote, start)
    while end > 0 and text[end - 1] == "\\":
        end = text.find(quote, end + 1)
    if end < 0:
        return ""
    return _paragraph(page.cut(start, end).strip().split("\n\n", 1)[0].splitlines())


def decorated(decorators: Iterable[str]) -> str:
    """Return the first paragraph of a documentation decorator: `@doc "…"` in Elixir."""
    for decorator in decorators:
        match = SAID.match(decorator)
        if match:
            return _paragraph(match[2].strip().split("\n\n", 1)[0].splitlines())
    return ""


def above(page: Page, start: int, comments: Mapping[int, int]) -> str:
    """Return the first paragraph of the comments that end on the line before `start`.

    comments: end → start.
    """
    text = page.text
    line = text.rfind("\n", 0, start) + 1
    spans: list[Span] = []
    while line > 0:
        # A comment ends before its line break or after it, depending on the grammar.
        begin = comments.get(line - 1)
        if begin is None:
            begin = comments.get(line)
            if begin is None:
                break
        first = text.rfind("\n", 0, begin) + 1
        if (first < begin and not text[first:begin].isspace()) or PRAGMA.match(text, begin):
            break
        spans.append((begin, line))
        line = first
    return _paragraph(_said(page, reversed(spans))) if spans else ""


def _said(page: Page, spans: Iterable[Span]) -> Iterator[str]:
    """Yield the lines of comments without their marks."""
    for start, end in spans:
        yield from _unmarked(page.cut(start, end).rstrip("\r\n") + "\n")


def comment(text: str) -> str:
    """Return the first paragraph of a comment, without its marks."""
    return _paragraph(_unmarked(text))


def _unmarked(text: str) -> Iterator[str]:
    for line in text.splitlines():
        said = line[BEFORE.match(line).end() :]  # type: ignore[union-attr] # matches ""
        yield AFTER.sub("", said.rstrip()) if said.rstrip()[-1:] in ENDS else said


def _paragraph(lines: Iterable[str]) -> str:
    """Return the lines up to the first blank or formal one as one line, at most DOC_CHARACTERS long."""
    said: list[str] = []
    for line in lines:
        plain = line.strip()
        is_formal = plain[:1] in FORMAL_FIRST and FORMAL.match(plain) is not None
        if "<" in plain:
            plain = TAG.sub("", plain).strip()
        if plain and not is_formal:
            said.append(plain)
        elif said:
            break
    joined = " ".join(said)
    return joined if len(joined) <= DOC_CHARACTERS else joined[: DOC_CHARACTERS - 1].rstrip() + "…"
