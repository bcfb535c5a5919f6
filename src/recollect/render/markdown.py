"""Blocks as Markdown, for places that show it: values become code spans, memories become fenced code blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recollect.render.block import NOTICE, Block, Facts, Grid, Line, Listing
from recollect.render.plain import fenced, pieces

_BACKTICKS = re.compile("`+")


def print_markdown(blocks: Iterable[Block]) -> str:
    """Return the blocks as Markdown without a final newline; a notice precedes the first fenced text."""
    shown = fenced(pieces(blocks), lambda block: _PRINTERS[type(block)](block), f"> {NOTICE}", "text")
    return "\n\n".join(shown)


def _code(text: str) -> str:
    """Return `text` as a code span whose delimiter is longer than any run of backticks in it."""
    if not text:
        return ""
    mark = "`" * (max((len(run) for run in _BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{mark}{pad}{text}{pad}{mark}"


def _bullets(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {label}: {_code(value)}" for label, value in rows)


def _line(block: Line) -> str:
    return block.text


def _facts(block: Facts) -> str:
    return _bullets(block.rows)


def _grid(block: Grid) -> str:
    head = f"| {' | '.join(block.columns)} |\n|{'---|' * len(block.columns)}"
    # A pipe ends a cell even inside a code span, unless escaped.
    rows = ("| " + " | ".join(_code(cell).replace("|", "\\|") for cell in row) + " |" for row in block.rows)
    return "\n".join((head, *rows))


def _listing(block: Listing) -> str:
    return "\n".join(f"- {_code(entry.id)} {_code(entry.head)} {_code(entry.text)}" for entry in block.entries)


_PRINTERS: Mapping[type, Callable[[Any], str]] = {
    Line: _line,
    Facts: _facts,
    Grid: _grid,
    Listing: _listing,
}
