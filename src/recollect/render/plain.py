"""Blocks as compact plain text: what a model reads in a tool's answer and what a pipe gets from the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recollect.render.block import NOTICE, Block, Facts, Grid, Line, Listing, Quote, is_fenced
from recollect.render.untrusted import fence


def print_plain(blocks: Iterable[Block]) -> str:
    """Return the blocks as text without a final newline; a notice precedes the first fenced text."""
    pieces: list[str] = []
    warned = False
    for block in blocks:
        if is_fenced(block) and not warned:
            pieces.append(NOTICE)
            warned = True
        pieces.append(_PRINTERS[type(block)](block))
    return "\n".join(piece for piece in pieces if piece)


def _line(block: Line) -> str:
    return block.text


def _facts(block: Facts) -> str:
    return "\n".join(f"{label}: {value}" for label, value in block.rows)


def _grid(block: Grid) -> str:
    lines = (block.columns, *block.rows)
    widths = [max(len(line[column]) for line in lines) for column in range(len(block.columns))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _quote(block: Quote) -> str:
    mark = fence(block.text)
    lines = ["", block.head, *(f"{label}: {value}" for label, value in block.facts), mark, block.text, mark]
    if block.omitted:
        lines.append(f"({block.omitted:,} more characters: get the memory by its id to read them)")
    return "\n".join(lines)


def _listing(block: Listing) -> str:
    body = "\n".join(f"{entry.id}  {entry.head}  {entry.text}" for entry in block.entries)
    mark = fence(body)
    return f"{mark}\n{body}\n{mark}" if block.fenced else body


_PRINTERS: Mapping[type, Callable[[Any], str]] = {
    Line: _line,
    Facts: _facts,
    Grid: _grid,
    Quote: _quote,
    Listing: _listing,
}
