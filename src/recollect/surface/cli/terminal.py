"""Blocks on a terminal: colours, tables, wrapped text.

Text is bright, facts about it are dim. There is no markup: every part is a `Text`, so that brackets in a memory stay
brackets; control characters are escaped (text/display.py). There are no fences: quoted text is indented. Colours
follow NO_COLOR and the capabilities of the terminal.
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
# For encodings without these signs.
PLAIN_MARKS: Mapping[Tone, str] = {"": "", "good": "+ ", "weak": "! ", "bad": "x "}

_UNTONED: Tone = ""

# Of several texts each shows its beginning, so that a search hit has three lines with its head.
BRIEF_LINES = 2
# Columns whose cells do not wrap, however narrow the terminal is.
WHOLE = frozenset({"status", "setting", "memories"})


def draw(blocks: list[Block], stream: IO[str], width: int | None = None, *, full: bool = False) -> None:
    """Draw the blocks on the stream, `width` columns wide (default: the terminal's own); full: no text is cut."""
    console = Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
    quotes = sum(isinstance(block, Quote) for block in blocks)
    for block in map(unmarked, blocks):
        _DRAWN[type(block)](console, block, quotes > 1 and not full)


def _marks(console: Console) -> Mapping[Tone, str]:
    return PLAIN_MARKS if console.options.ascii_only else MARKS


def _line(console: Console, block: Line, _brief: bool) -> None:
    console.print(Text(_marks(console)[block.tone] + block.text, style=STYLES[block.tone]))


def _facts(console: Console, block: Facts, _brief: bool) -> None:
    if block.rows:
        console.print(_table(block.rows))


def _table(rows: tuple[tuple[str, str], ...], style: str = "") -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(style=style, overflow="fold")
    for label, value in rows:
        table.add_row(Text(label), Text(value))
    return table


def _grid(console: Console, block: Grid, _brief: bool) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in block.columns:
        table.add_column(Text(column), overflow="fold", no_wrap=column in WHOLE)
    marks = _marks(console)
    tones = block.tones or tuple(_UNTONED for _row in block.rows)
    for row, tone in zip(block.rows, tones, strict=True):
        first = Text(marks[tone] + row[0], style=STYLES[tone])
        table.add_row(first, *(Text(cell) for cell in row[1:]))
    console.print(table)


def _quote(console: Console, block: Quote, brief: bool) -> None:
    """Draw the head dim and the text below it; of several, two lines of text from where they matched."""
    _cut(console, Text(block.head, style="dim"), brief)
    if block.facts and not brief:
        console.print(_table(block.facts, "dim"))
    lines = Text(_beginning(block) if brief else block.text).wrap(console, max(20, console.width - 2))
    shown = lines[:BRIEF_LINES] if brief else lines
    if brief and len(shown) < len(lines):
        shown[-1].append(" …")
        shown[-1].truncate(max(20, console.width - 2), overflow="ellipsis")
    for line in shown:
        line.rstrip()
        console.print(Padding(line, (0, 0, 0, 2)))
    if block.omitted and not brief:
        console.print(Text(f"  … {block.omitted:,} more characters: recollect get shows all of a memory", style="dim"))


def _beginning(block: Quote) -> str:
    """Return the text from where it matched, as one paragraph."""
    return " ".join(("… " + block.text[block.focus :] if block.focus else block.text).split())


def _cut(console: Console, line: Text, brief: bool) -> None:
    if brief:
        line.truncate(console.width, overflow="ellipsis")
    if line.plain:
        console.print(line)


def _listing(console: Console, block: Listing, _brief: bool) -> None:
    for entry in block.entries:
        _cut(console, Text(entry.text, style="bold"), brief=True)
        _cut(console, Text(entry.id, style="cyan") + Text("  " + entry.head, style="dim"), brief=True)


_DRAWN: Mapping[type, Callable[[Console, Any, bool], None]] = {
    Line: _line,
    Facts: _facts,
    Grid: _grid,
    Quote: _quote,
    Listing: _listing,
}
