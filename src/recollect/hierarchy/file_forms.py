"""Forms of a file in a level: whole, part or outline; and the conversion of items between them.

whole      every line
part       def load(path):            relevant symbols in full …
               …
              41  def save(path)      … line, signature and documentation of the others
outline       12  class Cache         line, signature and first sentence of documentation of all symbols
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from recollect.engine import Sources, SymbolRow, size, tokens
from recollect.errors import NotFound
from recollect.hierarchy.model import Form, Item
from recollect.hierarchy.policies import TOKENS_PER_BYTE

if TYPE_CHECKING:
    from recollect.engine import Engine

# The prefix of a memory's name.
MEMORY = "memory:"

# Maximum length of a signature and of a sentence of documentation.
SIGNATURE_CHARACTERS = 160
SENTENCE_CHARACTERS = 120
# An outline is short: a test file may have hundreds of symbols.
OUTLINE_BYTES = 800
# Lines in the outline of a file without symbols.
PLAIN_LINES = 20
# The share of a part for wanted symbols; the rest is for the lines of the others.
WANTED_SHARE = 0.8
# Kinds of symbols that are not shown: the module is the file itself.
SILENT = frozenset({"Module"})


class Text(NamedTuple):
    """A text with its size; of a part also the names and lines of the symbols in full."""

    text: str
    size_bytes: int
    tokens: int
    symbols: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()


def measured(text: str, rows: Sequence[SymbolRow] = ()) -> Text:
    """Return a text with its size and the symbols that it holds in full."""
    names, lines = (row.qualified for row in rows), ((row.start_line, row.end_line) for row in rows)
    return Text(text, size(text), tokens(text), tuple(names), tuple(lines))


def outline(text: str, rows: Sequence[SymbolRow]) -> Text:
    """Return the signatures and documentation of a file's symbols, outermost first if there are too many.

    A file without symbols is shown by its first lines.
    """
    shown = [place for place, row in enumerate(rows) if row.kind not in SILENT]
    if not shown:
        lines = text.split("\n")
        more = len(lines) - PLAIN_LINES
        return measured("\n".join([*lines[:PLAIN_LINES], *([f"… {more:,} more lines"] if more > 0 else [])]))
    line_of = {place: _line(rows, place) for place in shown}
    room = OUTLINE_BYTES
    kept: list[int] = []
    for place in sorted(shown, key=lambda place: (sum(1 for _ in _around(rows, place)), place)):
        room -= size(line_of[place]) + 1
        if room < 0:
            break
        kept.append(place)
    more = len(shown) - len(kept)
    return measured(
        "\n".join([line_of[place] for place in sorted(kept)] + ([f"… {more:,} more symbols"] if more else []))
    )


def part(text: str, rows: Sequence[SymbolRow], wanted: Collection[str], max_bytes: int) -> Text:
    """Return the wanted symbols of a file in full, as many as fit, and lines for the others in their places.

    Wanted symbols take most of the room, then lines of the others, outermost first, then others in full.
    wanted: qualified names, most important first
    """
    places = [place for place, row in enumerate(rows) if row.kind not in SILENT]
    if not places:
        return measured(first_lines(text, max_bytes))
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
    """The symbols of a file that are shown in full or as a line, within a number of bytes."""

    def __init__(self, lines: Sequence[str], rows: Sequence[SymbolRow], max_bytes: int) -> None:
        self._lines, self._rows = lines, rows
        self._room = max_bytes + 1  # the last line has no end of line
        self._full: set[int] = set()
        self._lined: set[int] = set()

    def take(self, place: int, leave: int = 0) -> None:
        """Show a symbol in full if that leaves enough room and no enclosing symbol is shown."""
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
        """Show a symbol as a line if there is room."""
        cost = size(_line(self._rows, place)) + 1
        if place not in self._full and not self._is_inside(place) and cost <= self._room:
            self._lined.add(place)
            self._room -= cost

    def made(self) -> Text:
        """Return the chosen symbols in the order of the file."""
        shown = "\n".join(_woven(self._lines, self._rows, self._full, self._lined))
        return measured(shown, [self._rows[place] for place in sorted(self._full)])

    def _is_inside(self, place: int) -> bool:
        return any(around in self._full for around in _around(self._rows, place))

    def _cost(self, place: int) -> int:
        return size(_body(self._lines, self._rows[place])) + 1


def part_of(text: str, rows: Sequence[SymbolRow], names: Collection[str], max_bytes: int) -> str:
    """Return a stored part again: these symbols in full; of a file without symbols its first lines."""
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
    """Yield symbols in full or as a line, in the order of the file."""
    for place, row in enumerate(rows):
        if place in full:
            yield _body(lines, row)
        elif place in lined:
            yield _line(rows, place)


def _around(rows: Sequence[SymbolRow], place: int) -> Iterator[int]:
    """Yield the indexes of the enclosing symbols, innermost first."""
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
    about = _short(row.doc.strip().partition("\n")[0], SENTENCE_CHARACTERS) if row.doc else ""
    return f"{row.start_line:>5}  {'  ' * depth}{signature}" + (f"  — {about}" if about else "")


def _short(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def first_lines(text: str, max_bytes: int) -> str:
    """Return as many lines from the start of a text as fit, and the number of the others."""
    kept: list[str] = []
    room = max_bytes
    lines = text.split("\n")
    for number, line in enumerate(lines):
        room -= size(line) + 1
        if room < 0:
            return "\n".join([*kept, f"… {len(lines) - number:,} more lines"])
        kept.append(line)
    return text


def new_item(
    name: str, level: Literal[1, 2], why: str, now: int, *, symbols: tuple[str, ...] = (), is_pinned: bool = False
) -> Item:
    """Return an item without its form and size yet."""
    return Item(
        name=name,
        level=level,
        form="whole",
        size_bytes=0,
        tokens=0,
        why=why,
        placed_at=now,
        used_at=now,
        symbols=symbols,
        is_pinned=is_pinned,
    )


def text_item(name: str, text: str, why: str, now: int) -> Item:
    """Return a text as an item of level 1."""
    return msgspec.structs.replace(_with(new_item(name, 1, why, now), measured(text), "text", 1), text=text)


class ItemForms:
    """The texts and forms of a project's files and memories; each file is read once."""

    def __init__(self, engine: Engine, sources: Sources) -> None:
        self._engine = engine
        self._sources = sources
        self._texts: dict[str, str] = {}

    def text(self, name: str) -> str:
        """Return the whole text of a file or a memory. Raises NotFound."""
        if name not in self._texts:
            self._texts[name] = self._read(name)
        return self._texts[name]

    def _read(self, name: str) -> str:
        if name.startswith(MEMORY):
            return self._engine.memories.get(name.removeprefix(MEMORY)).content
        return self._sources.text(name)

    def shown(self, item: Item) -> str:
        """Return the text of an item in its form. Raises NotFound."""
        if item.form == "text":
            return item.text
        if item.form in ("whole", "memory"):
            return self.text(item.name)
        rows = self._sources.symbols(item.name)
        if item.form == "outline":
            return outline(self.text(item.name), rows).text
        return part_of(self.text(item.name), rows, item.symbols, item.size_bytes)

    def made(self, item: Item, form: Form, level: Literal[1, 2], max_bytes: int = 0) -> Item | None:
        """Return an item in another form and level; None if it no longer exists. max_bytes: of a part"""
        if item.form == "text":
            return msgspec.structs.replace(item, level=level)
        try:
            text = self.text(item.name)
        except NotFound:
            return None
        if item.name.startswith(MEMORY):
            return _with(item, measured(text), "memory", level)
        if form == "whole":
            return _with(item, measured(text), form, level)
        rows = self._sources.symbols(item.name)
        if form == "outline":
            return _with(item, outline(text, rows), form, level)
        return _with(item, self._part(text, rows, item.symbols, max_bytes), form, level)

    def _part(self, text: str, rows: list[SymbolRow], wanted: tuple[str, ...], max_bytes: int) -> Text:
        """Return a part within a number of bytes, and within the tokens of so many bytes."""
        max_tokens, most = int(max_bytes * TOKENS_PER_BYTE), max_bytes
        made = part(text, rows, wanted, most)
        while made.tokens > max_tokens and most > 0:
            # Shrink by the excess and 2 % more: other symbols have other tokens.
            most = int(most * max_tokens / made.tokens * 0.98)
            made = part(text, rows, wanted, most)
        return made

    def whole(self, item: Item) -> Item | None:
        """Return an item as a whole in level 2."""
        return self.made(item, "whole", 2)

    def part(self, item: Item, max_bytes: int) -> Item | None:
        """Return an item as a part in its level."""
        return self.made(item, "part", item.level, max_bytes)

    def outline(self, item: Item) -> Item | None:
        """Return an item as an outline in its level."""
        return self.made(item, "outline", item.level)


def _with(item: Item, text: Text, form: Form, level: Literal[1, 2]) -> Item:
    return msgspec.structs.replace(
        item,
        level=level,
        form=form,
        size_bytes=text.size_bytes,
        tokens=text.tokens,
        symbols=text.symbols or item.symbols,
        lines=text.lines,
    )
