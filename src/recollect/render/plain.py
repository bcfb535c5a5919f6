"""Blocks as compact plain text: what a model reads in a tool's answer and what a pipe gets from the command line.

Foreign text stands in one fence wherever it can. Inside the fence our lines begin in the first column, and every line
of a quoted text is indented, so that no text can pretend to be a line of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from recollect.render.block import NOTICE, Block, Facts, Grid, Line, Listing, Quote
from recollect.render.untrusted import MARK, fence, unmarked

# A piece of an answer: a block of our own words, or foreign text, which belongs inside a fence.
Piece = Block | str

INDENT = "  "


def print_plain(blocks: Iterable[Block]) -> str:
    """Return the blocks as text without a final newline; a notice precedes the first fenced text."""
    return "\n".join(fenced(pieces(blocks), plain, NOTICE, ""))


def pieces(blocks: Iterable[Block]) -> Iterator[Piece]:
    """Yield blocks of our own words as they are, and the others as plain text.

    What stands between two foreign blocks goes into their fence: a fence for each would cost more than the words.
    """
    shown = [(block, plain(block)) for block in blocks]
    foreign = [place for place, (block, text) in enumerate(shown) if MARK in text or isinstance(block, Quote)]
    first, last = (foreign[0], foreign[-1]) if foreign else (len(shown), -1)
    for place, (block, text) in enumerate(shown):
        yield text if first <= place <= last else block


def fenced(parts: Iterable[Piece], show: Callable[[Block], str], notice: str, info: str) -> Iterator[str]:
    """Yield what is printed of the pieces, neighbouring foreign texts in one fence; `info` follows its first line."""
    for is_foreign, group in groupby(parts, key=lambda part: isinstance(part, str)):
        if not is_foreign:
            yield from (unmarked(text) for block in group if (text := show(block)))  # type: ignore[arg-type]
            continue
        body = unmarked("\n".join(group))  # type: ignore[arg-type]
        mark = fence(body)
        if notice:
            yield notice
            notice = ""
        yield f"{mark}{info}\n{body}\n{mark}"


def plain(block: Block) -> str:
    """Return a block as plain text, marks included."""
    return _PRINTERS[type(block)](block)


def omission(block: Quote) -> str:
    """Return how much of a quoted text is not shown; empty if all of it is."""
    return f" (+{block.omitted:,} characters)" if block.omitted else ""


def _quote(block: Quote) -> str:
    lines = [block.head] if block.head else []
    lines += [f"{label}: {value}" for label, value in block.facts]
    lines += [INDENT + line if line else "" for line in (block.text + omission(block)).split("\n")]
    return "\n".join(lines)


def _line(block: Line) -> str:
    return block.text


def _facts(block: Facts) -> str:
    return "\n".join(f"{label}: {value}" for label, value in block.rows)


def _grid(block: Grid) -> str:
    lines = (block.columns, *block.rows)
    bare = unmarked(lines)
    widths = [max(len(line[column]) for line in bare) for column in range(len(block.columns))]
    text = "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in bare
    )
    return MARK + text if bare != lines else text


def _listing(block: Listing) -> str:
    return "\n".join("  ".join(part for part in entry if part) for entry in block.entries)


_PRINTERS: Mapping[type, Callable[[Any], str]] = {
    Line: _line,
    Facts: _facts,
    Grid: _grid,
    Quote: _quote,
    Listing: _listing,
}
