"""Blocks as compact plain text, for the answers of MCP tools and for commands whose output is not a terminal.

Inside the fence our lines begin in the first column and every line of a quoted text is indented, so that no text can
imitate a line of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recollect.render.block import NOTICE, Block, Facts, Grid, Line, Listing, Quote
from recollect.render.untrusted import MARK, fence, unmarked

INDENT = "  "


def print_plain(blocks: Iterable[Block]) -> str:
    """Return the blocks as text without a final newline, untrusted text in a fence.

    One fence spans from the first block with untrusted text to the last: a fence for each would cost more tokens.
    """
    shown = [(plain(block), isinstance(block, Quote)) for block in blocks]
    texts = [text for text, _ in shown]
    foreign = [place for place, (text, is_quote) in enumerate(shown) if is_quote or MARK in text]
    first, end = (foreign[0], foreign[-1] + 1) if foreign else (len(texts), len(texts))
    before, after = ([unmarked(text) for text in part if text] for part in (texts[:first], texts[end:]))
    body = unmarked("\n".join(texts[first:end]))
    mark = fence(body)
    quoted = [NOTICE, f"{mark}\n{body}\n{mark}"] if foreign else []
    return "\n".join([*before, *quoted, *after])


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
