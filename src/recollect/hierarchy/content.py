"""Content: what a file looks like in a level: whole, the symbols that matter and an outline of the rest, or an outline.

whole      every line
part       def load(path):            the symbols that matter in full …
               …
              41  def save(path)      … of all others where they are, their signature and what they say of themselves
outline       12  class Cache         signatures and the first sentence of their documentation, from the index
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from recollect.engine.code.indexed_project import SymbolRow
from recollect.engine.library_store import size, tokens

# What of a signature and of a sentence of documentation is shown.
SIGNATURE_CHARACTERS = 160
SENTENCE_CHARACTERS = 120
# An outline must be short and leave room for others: a test file may have hundreds of symbols.
OUTLINE_BYTES = 800
# Of a file without symbols an outline has this many lines.
PLAIN_LINES = 20
# The share of a part that what is wanted may take: the lines of the others say where it stands.
WANTED_SHARE = 0.8
# Kinds of symbols that say nothing by their first line: a file that is a module, and the values of names.
SILENT = frozenset({"Module"})


class Text(NamedTuple):
    """A text with what it takes; of a part the names of the symbols that are there in full, and their lines."""

    text: str
    size_bytes: int
    tokens: int
    symbols: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()


def measured(text: str, rows: Sequence[SymbolRow] = ()) -> Text:
    """Return a text with what it takes, and what of its file it holds in full."""
    names, lines = (row.qualified for row in rows), ((row.start_line, row.end_line) for row in rows)
    return Text(text, size(text), tokens(text), tuple(names), tuple(lines))


def outline(text: str, rows: Sequence[SymbolRow]) -> Text:
    """Return the signatures of a file's symbols with what they say of themselves; of one without symbols its head.

    Of a file with very many the outermost are shown: so many as are read at a glance.
    """
    shown = [place for place, row in enumerate(rows) if row.kind not in SILENT]
    if not shown:
        lines = text.split("\n")
        more = len(lines) - PLAIN_LINES
        return measured("\n".join([*lines[:PLAIN_LINES], *([f"… {more:,} more lines"] if more > 0 else [])]))
    told = {place: _line(rows, place) for place in shown}
    room = OUTLINE_BYTES
    kept: list[int] = []
    for place in sorted(shown, key=lambda place: (sum(1 for _ in _around(rows, place)), place)):
        room -= size(told[place]) + 1
        if room < 0:
            break
        kept.append(place)
    more = len(shown) - len(kept)
    return measured("\n".join([told[place] for place in sorted(kept)] + ([f"… {more:,} more symbols"] if more else [])))


def part(text: str, rows: Sequence[SymbolRow], wanted: Collection[str], max_bytes: int) -> Text:
    """Return the symbols of a file that matter, as many as fit, and the outline of the others in their places.

    What is wanted takes most of the room, then come lines for the others, outermost first, then others in full.
    wanted: qualified names, most important first
    """
    places = [place for place, row in enumerate(rows) if row.kind not in SILENT]
    if not places:
        return measured(_cut(text, max_bytes))
    choice = _Choice(text.split("\n"), rows, max_bytes)
    order = {name: number for number, name in reversed(list(enumerate(wanted)))}
    named = sorted(
        (place for place in places if rows[place].qualified in order), key=lambda p: order[rows[p].qualified]
    )
    for place in named:
        choice.take(place, leave=int(max_bytes * (1 - WANTED_SHARE)))
    for place in sorted(places, key=lambda place: (sum(1 for _ in _around(rows, place)), place)):
        choice.mention(place)
    for place in places:
        choice.take(place)
    return choice.made()


class _Choice:
    """What of a file is shown in full and what is mentioned, within a number of bytes."""

    def __init__(self, lines: Sequence[str], rows: Sequence[SymbolRow], max_bytes: int) -> None:
        self._lines, self._rows = lines, rows
        self._room = max_bytes + 1  # the last line has no end of line
        self._full: set[int] = set()
        self._lined: set[int] = set()

    def take(self, place: int, leave: int = 0) -> None:
        """Show a symbol in full, if that leaves so much room and it is not there with its owner."""
        if place in self._full or self._is_inside(place):
            return
        inside = {other for other in (*self._full, *self._lined) if place in _around(self._rows, other)} | {place}
        cost = self._cost(place) - sum(self._cost(other) for other in inside & self._full)
        cost -= sum(size(_line(self._rows, other)) + 1 for other in inside & self._lined)
        if cost <= self._room - leave:
            self._full = self._full - inside | {place}
            self._lined -= inside
            self._room -= cost

    def mention(self, place: int) -> None:
        """Show a symbol as a line, if there is room."""
        cost = size(_line(self._rows, place)) + 1
        if place not in self._full and not self._is_inside(place) and cost <= self._room:
            self._lined.add(place)
            self._room -= cost

    def made(self) -> Text:
        """Return what was chosen, in the order of the file."""
        shown = "\n".join(_woven(self._lines, self._rows, self._full, self._lined))
        return measured(shown, [self._rows[place] for place in sorted(self._full)])

    def _is_inside(self, place: int) -> bool:
        return any(around in self._full for around in _around(self._rows, place))

    def _cost(self, place: int) -> int:
        return size(_body(self._lines, self._rows[place])) + 1


def part_of(text: str, rows: Sequence[SymbolRow], names: Collection[str], max_bytes: int) -> str:
    """Return a part as it was made once: these symbols in full; of a file without symbols as much as fits."""
    full = {place for place, row in enumerate(rows) if row.qualified in names}
    if not full:
        return part(text, rows, (), max_bytes).text
    choice = _Choice(text.split("\n"), rows, max_bytes)
    places = [place for place, row in enumerate(rows) if row.kind not in SILENT]
    for place in sorted(full):
        choice.take(place)
    for place in sorted(places, key=lambda place: (sum(1 for _ in _around(rows, place)), place)):
        choice.mention(place)
    return choice.made().text


def _woven(
    lines: Sequence[str], rows: Sequence[SymbolRow], full: Collection[int], lined: Collection[int]
) -> Iterator[str]:
    """Yield some symbols in full and a line for each of some others, in the order of the file."""
    for place, row in enumerate(rows):
        if place in full:
            yield _body(lines, row)
        elif place in lined:
            yield _line(rows, place)


def _around(rows: Sequence[SymbolRow], place: int) -> Iterator[int]:
    """Yield the places of the symbols that one lies in, innermost first."""
    owner = rows[place].parent
    while owner >= 0:
        yield owner
        owner = rows[owner].parent


def _body(lines: Sequence[str], row: SymbolRow) -> str:
    return "\n".join(lines[row.start_line - 1 : row.end_line])


def _line(rows: Sequence[SymbolRow], place: int) -> str:
    row = rows[place]
    depth = sum(rows[around].kind not in SILENT for around in _around(rows, place))
    signature = _short(row.signature or row.qualified, SIGNATURE_CHARACTERS)
    said = _short(row.doc.strip().partition("\n")[0], SENTENCE_CHARACTERS) if row.doc else ""
    return f"{row.start_line:>5}  {'  ' * depth}{signature}" + (f"  — {said}" if said else "")


def _short(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def _cut(text: str, max_bytes: int) -> str:
    """Return as many whole lines from the beginning of a text as fit."""
    kept: list[str] = []
    room = max_bytes
    lines = text.split("\n")
    for number, line in enumerate(lines):
        room -= size(line) + 1
        if room < 0:
            return "\n".join([*kept, f"… {len(lines) - number:,} more lines"])
        kept.append(line)
    return text
