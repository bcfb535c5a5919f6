"""Blocks drawn for a person at a terminal: colours, tables, text that wraps where the window ends.

Nothing here is markup: every piece is a `Text`, so that brackets in a memory stay brackets; control characters are
made visible (text/harmless.py). There are no fences: quoted text is drawn apart. Colours follow NO_COLOR and what the
terminal can do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import IO, Any

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recollect.render.block import Block, Facts, Grid, Line, Listing, Quote, Tone
from recollect.render.untrusted import unmarked

STYLES: Mapping[Tone, str] = {"": "", "good": "green", "weak": "yellow", "bad": "bold red"}
MARKS: Mapping[Tone, str] = {"": "", "good": "✔ ", "weak": "! ", "bad": "✘ "}
# Where the terminal's encoding has no such signs.
PLAIN_MARKS: Mapping[Tone, str] = {"": "", "good": "+ ", "weak": "! ", "bad": "x "}

_UNTOLD: Tone = ""

# Of several memories on one screen each shows its beginning; a single one is shown whole.
QUOTED_LINES = 6
# Columns whose cells stay in one piece, however narrow the terminal is.
WHOLE = frozenset({"status", "setting", "memories"})


def draw(blocks: list[Block], stream: IO[str], width: int | None = None) -> None:
    """Draw the blocks on the stream, `width` columns wide (default: the terminal's own)."""
    console = Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
    quotes = sum(isinstance(block, Quote) for block in blocks)
    for block in map(unmarked, blocks):
        _DRAWN[type(block)](console, block, quotes > 1)


def _marks(console: Console) -> Mapping[Tone, str]:
    return PLAIN_MARKS if console.options.ascii_only else MARKS


def _line(console: Console, block: Line, _brief: bool) -> None:
    console.print(Text(_marks(console)[block.tone] + block.text, style=STYLES[block.tone]))


def _facts(console: Console, block: Facts, _brief: bool) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in block.rows:
        table.add_row(Text(label), Text(value))
    console.print(table)


def _grid(console: Console, block: Grid, _brief: bool) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in block.columns:
        table.add_column(Text(column), overflow="fold", no_wrap=column in WHOLE)
    marks = _marks(console)
    tones = block.tones or tuple(_UNTOLD for _row in block.rows)
    for row, tone in zip(block.rows, tones, strict=True):
        first = Text(marks[tone] + row[0], style=STYLES[tone])
        table.add_row(first, *(Text(cell) for cell in row[1:]))
    console.print(table)


def _quote(console: Console, block: Quote, brief: bool) -> None:
    console.print()
    console.print(Text(block.head, style="bold cyan"))
    lines = Text(block.text).wrap(console, max(20, console.width - 4))
    shown = lines[:QUOTED_LINES] if brief else lines
    body = Text("\n").join([Text("│ ", style="dim") + line for line in shown])
    if len(shown) < len(lines) or block.omitted:
        body.append("\n… `recollect get` with the id shows all", style="dim")
    console.print(Padding(body, (0, 0, 0, 2)))
    _particulars(console, block)


def _particulars(console: Console, block: Quote) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    for label, value in block.facts:
        table.add_row(Text(label), Text(value))
    console.print(Padding(table, (0, 0, 0, 2)))


def _listing(console: Console, block: Listing, _brief: bool) -> None:
    for entry in block.entries:
        text = Text(entry.text, style="bold")
        head = Text(entry.id, style="cyan") + Text("  " + entry.head, style="dim")
        console.print()
        for line in (text, head):
            line.truncate(console.width, overflow="ellipsis")
            console.print(line)


_DRAWN: Mapping[type, Callable[[Console, Any, bool], None]] = {
    Line: _line,
    Facts: _facts,
    Grid: _grid,
    Quote: _quote,
    Listing: _listing,
}
