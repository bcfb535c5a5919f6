"""Headings of Markdown, reStructuredText and AsciiDoc documents, read line by line without a tree.

# Title        Markdown          Title     Markdown, reStructuredText; every mark that comes new is a level below
== Title       AsciiDoc          =====
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

Form = Literal["markdown", "rst", "asciidoc"]

FORMS: Mapping[str, Form] = {
    **dict.fromkeys((".md", ".mdx", ".markdown", ".mdown"), "markdown"),
    **dict.fromkeys((".rst", ".rest", ".txt"), "rst"),
    **dict.fromkeys((".adoc", ".asciidoc"), "asciidoc"),
}
# A longer line is a paragraph.
TITLE_CHARACTERS = 300

_MARKDOWN = re.compile(r" {0,3}(#{1,6})[ \t]++(\S.*)")
_ASCIIDOC = re.compile(r"(={1,6})[ \t]++(\S.*)")
_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1++[ \t]*+")
_FENCE = re.compile(r"\s*+(```|~~~)")
_BLOCK = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|\+{4,}|/{4,}|_{4,}|```|--)[ \t]*+(?:\w*+)")


class Heading(NamedTuple):
    """A heading: its first line, how many lines it has, its depth from 1, and its title."""

    line: int
    lines: int
    depth: int
    title: str


def form_of(path: str) -> Form:
    """Return how the headings of a document are written, by the name of its file; Markdown if it has no extension."""
    name = path.rpartition("/")[2].lower()
    return FORMS.get(name[name.rfind(".") :] if "." in name else "", "markdown")


def headings(rows: Sequence[str], form: Form) -> Iterator[Heading]:
    """Yield the headings of a document, given as lines."""
    levels: dict[str, int] = {}
    read = _READERS[form]
    block = ""
    place = 0
    while place < len(rows):
        block, is_code = _block(rows[place], block, form)
        found = None if is_code else read(rows, place, levels)
        if found is not None:
            yield found
        place = place + 1 if found is None else found.line + found.lines


def _block(line: str, block: str, form: Form) -> tuple[str, bool]:
    """Return the mark of the code block that is open after a line, and whether the line belongs to one."""
    if form == "rst":  # its code is indented
        return "", False
    marked = (_FENCE.match if form == "markdown" else _BLOCK.fullmatch)(line)
    if not marked:
        return block, bool(block)
    if not block:
        return marked[1], True
    return ("" if marked[1] == block else block), True


def _markdown(rows: Sequence[str], place: int, _levels: dict[str, int]) -> Heading | None:
    line = rows[place]
    if marked := _MARKDOWN.fullmatch(line):
        return Heading(place, 1, len(marked[1]), marked[2].rstrip().rstrip("#").rstrip() or "#")
    under = _underline(rows, place + 1)
    if under not in ("=", "-") or line[:1].isspace() or not _is_title(line):
        return None
    return Heading(place, 2, 1 if under == "=" else 2, line.strip())


def _rst(rows: Sequence[str], place: int, levels: dict[str, int]) -> Heading | None:
    over = _underline(rows, place)
    at = place + bool(over)
    line = rows[at] if at < len(rows) else ""
    under = _underline(rows, at + 1)
    if not under or not _is_title(line) or (over and over != under) or (not over and line[:1].isspace()):
        return None
    # A title stands alone: what follows other text is a table or a quotation.
    if len(rows[at + 1].rstrip()) < len(line.rstrip()) - 1 or (place and rows[place - 1].strip()):
        return None
    depth = levels.setdefault(over + under, len(levels) + 1)
    return Heading(place, 2 + bool(over), depth, line.strip())


def _asciidoc(rows: Sequence[str], place: int, _levels: dict[str, int]) -> Heading | None:
    marked = _ASCIIDOC.fullmatch(rows[place]) or _MARKDOWN.fullmatch(rows[place])
    return Heading(place, 1, len(marked[1]), marked[2].strip()) if marked else None


def _underline(rows: Sequence[str], place: int) -> str:
    """Return the mark of which a line consists, "" if it is none."""
    line = rows[place] if place < len(rows) else ""
    marked = _UNDERLINE.fullmatch(line) if len(line) <= TITLE_CHARACTERS else None
    return marked[1] if marked else ""


def _is_title(line: str) -> bool:
    return bool(line.strip()) and len(line) <= TITLE_CHARACTERS and not _UNDERLINE.fullmatch(line)


_READERS: Mapping[Form, Callable[[Sequence[str], int, dict[str, int]], Heading | None]] = {
    "markdown": _markdown,
    "rst": _rst,
    "asciidoc": _asciidoc,
}
