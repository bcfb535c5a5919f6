"""Blocks as compact plain text: what a model reads in a tool's answer and what a pipe gets from the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from recollect.render.block import NOTICE, Block, Facts, Grid, Line, Listing, Quote
from recollect.render.untrusted import MARK, fence, unmarked

# A piece of an answer: a block of our own words, or foreign text, which belongs inside a fence.
Piece = Block | str


def print_plain(blocks: Iterable[Block]) -> str:
    """Return the blocks as text without a final newline; a notice precedes the first fenced text."""
    return "\n".join(fenced(pieces(blocks), plain, NOTICE, ""))


def pieces(blocks: Iterable[Block]) -> Iterator[Piece]:
    """Yield blocks of our own words as they are, and the foreign parts of the others as plain text."""
    for block in blocks:
        if isinstance(block, Quote):
            yield from _quote(block)
        else:
            text = plain(block)
            yield text if MARK in text else block


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


def _quote(block: Quote) -> Iterator[Piece]:
    """Yield our words about a text, then its foreign facts and the text itself, then what is left out."""
    head, facts = block.head, [f"{label}: {value}" for label, value in block.facts]
    lines = [line for line in (head, *facts) if MARK in line]
    own = tuple(fact for fact in block.facts if MARK not in fact[0] + fact[1])
    yield Quote("" if MARK in head else head, own, "")
    yield "\n".join([*lines, "", block.text] if lines else [block.text])
    # An empty line of ours ends the fence: what follows cannot be forged by the text.
    more = f"({block.omitted:,} more characters: get the memory by its id to read them)"
    yield Line(more if block.omitted else "")


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


def _head(block: Quote) -> str:
    lines = ([block.head] if block.head else []) + [f"{label}: {value}" for label, value in block.facts]
    return "\n".join(["", *lines]) if lines else ""


def _listing(block: Listing) -> str:
    return "\n".join(f"{entry.id}  {entry.head}  {entry.text}" for entry in block.entries)


_PRINTERS: Mapping[type, Callable[[Any], str]] = {
    Line: _line,
    Facts: _facts,
    Grid: _grid,
    Quote: _head,
    Listing: _listing,
}
