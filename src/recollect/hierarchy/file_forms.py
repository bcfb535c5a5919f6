"""Forms of a file in a level: whole, part or outline; and the conversion of items between them.

whole      every line
part       import os                                 imports …
           … lines 2–40: load, parse …               … a mark for each cut, with the names in it …
           def save(path):                           … and the pieces that match best
outline       12  class Cache                        line, signature and first sentence of documentation of all symbols
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from recollect.engine import Sources, SymbolRow, code_terms, size, tokens
from recollect.errors import NotFound
from recollect.hierarchy.model import Form, Item
from recollect.hierarchy.policies import ESTIMATED_PER_BYTE

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
# A longer run of lines of one symbol is divided into pieces of about this many; and the lines at the end of a file.
PIECE_LINES, END_LINES = 24, 10
# Points of the first wanted symbol, beside about 3 for a rare term; and the characters of a typical piece.
WANTED, TYPICAL = 6.0, 1500
# Room for the mark of a cut, and the names that it lists at most.
MARK_BYTES, MARK_NAMES = 60, 4
# Imports are looked for in the first lines, and take at most this share of a part.
IMPORT_LINES, IMPORT_SHARE = 120, 0.3
# Kinds of symbols that are not shown: the module is the file itself.
SILENT = frozenset({"Module"})


_IMPORT = re.compile(
    r"\s*(?:import|from|use|using|package|include|require|require_relative|#include|extern crate)\b|"
    r"\s*(?:const|let|var) [^=]{1,200}= ?require\(|\}? ?from ['\"]"
)


class Text(NamedTuple):
    """A text with its size; of a part also the names of its symbols and its lines."""

    text: str
    size_bytes: int
    tokens: int
    symbols: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()


def measured(text: str) -> Text:
    """Return a text with its size."""
    return Text(text, size(text), tokens(text))


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


def part(
    text: str,
    rows: Sequence[SymbolRow],
    wanted: Sequence[str],
    max_bytes: int,
    terms: Collection[str] = (),
    *,
    with_end: bool = False,
    beside: Sequence[tuple[int, int]] = (),
) -> Text:
    """Return the imports of a file and the pieces that match best, with a mark for each cut.

    Without anything to match, the first pieces. Each piece has the lines of one symbol.
    wanted: qualified names, most important first. terms: search terms of the question
    with_end: the end comes second: new tests are added at the end of a file
    beside: the lines of another part, which has the imports; they are left out
    """
    lines = text.split("\n")
    pieces = list(_pieces(lines, rows))
    order = _best_pieces(lines, rows, pieces, wanted, terms)
    if with_end:
        end = [piece for piece in pieces if piece.end > len(lines) - END_LINES]
        order = [*order[:1], *reversed(end), *order[1:]]
    order = [piece for piece in order if not any(first <= piece.start and piece.end <= last for first, last in beside)]
    head = _Piece(1, 0, -1) if beside else _imports(lines, max_bytes)
    room = max_bytes - sum(size(line) + 1 for line in lines[head.start - 1 : head.end])
    chosen = [head] if head.end else []
    for piece in order:
        cost = size("\n".join(lines[piece.start - 1 : piece.end])) + MARK_BYTES
        if cost <= room and piece not in chosen:
            room -= cost
            chosen.append(piece)
    made = _rendered(lines, rows, chosen)
    while made.size_bytes > max_bytes and chosen:
        chosen.pop()
        made = _rendered(lines, rows, chosen)
    return made if made.size_bytes <= max_bytes else measured("")


class _Piece(NamedTuple):
    """Lines of a file, from 1; `place` is the innermost symbol that has them, -1 for none."""

    start: int
    end: int
    place: int


def _pieces(lines: Sequence[str], rows: Sequence[SymbolRow]) -> Iterator[_Piece]:
    """Yield a file as runs of lines of one innermost symbol; long runs are divided."""
    owner = [-1] * (len(lines) + 2)
    shown = [place for place, row in enumerate(rows) if row.kind not in SILENT]
    for place in sorted(shown, key=lambda place: (rows[place].start_line, -rows[place].end_line)):
        first, last = rows[place].start_line, min(rows[place].end_line, len(lines))
        owner[first : last + 1] = [place] * max(0, last + 1 - first)
    for line in range(2, len(lines) + 1):
        if not lines[line - 1].strip():
            owner[line] = owner[line - 1]  # what is added behind a symbol comes in here
    start = 1
    for line in range(1, len(lines) + 1):
        if line == len(lines) or owner[line + 1] != owner[line]:
            count = max(1, round((line + 1 - start) / PIECE_LINES))
            bounds = [start + (line + 1 - start) * number // count for number in range(count + 1)]
            yield from (_Piece(first, after - 1, owner[line]) for first, after in pairwise(bounds))
            start = line + 1


def _best_pieces(
    lines: Sequence[str],
    rows: Sequence[SymbolRow],
    pieces: Sequence[_Piece],
    wanted: Sequence[str],
    terms: Collection[str],
) -> list[_Piece]:
    """Return the pieces, best match first, then those around it; in their order if nothing is asked for."""
    if not wanted and not terms:
        return list(pieces)
    texts = ["\n".join(lines[piece.start - 1 : piece.end]) for piece in pieces]
    held = [set(code_terms(text)).intersection(terms) for text in texts]
    counts = Counter(term for found in held for term in found)
    order = {name: number for number, name in reversed(list(enumerate(wanted)))}
    scores: list[float] = []
    for piece, text, found in zip(pieces, texts, held, strict=True):
        score = sum(math.log(1 + len(pieces) / counts[term]) for term in found) / math.sqrt(1 + len(text) / TYPICAL)
        names = [rows[place].qualified for place in (piece.place, *_around(rows, piece.place))] if rows else []
        ranks = [(order[name], depth) for depth, name in enumerate(names) if piece.place >= 0 and name in order]
        scores.append(score + max((WANTED / (1 + rank / 2 + depth) for rank, depth in ranks), default=0.0))
    best = max(range(len(pieces)), key=lambda place: scores[place])
    ranked = sorted(range(len(pieces)), key=lambda place: (-scores[place], abs(place - best), place))
    return [pieces[place] for place in ranked]


def _imports(lines: Sequence[str], max_bytes: int) -> _Piece:
    """Return the import lines at the start of a file, as far as they take a part of the room; else no lines."""
    found = [number for number, line in enumerate(lines[:IMPORT_LINES], 1) if _IMPORT.match(line)]
    if not found:
        return _Piece(1, 0, -1)
    room, end = int(max_bytes * IMPORT_SHARE), found[0] - 1
    for number in range(found[0], found[-1] + 1):
        room -= size(lines[number - 1]) + 1
        if room < 0:
            break
        end = number
    return _Piece(found[0], end, -1) if end >= found[0] else _Piece(1, 0, -1)


def _rendered(lines: Sequence[str], rows: Sequence[SymbolRow], chosen: Sequence[_Piece]) -> Text:
    """Return pieces in the order of the file, and a mark for each cut."""
    ranges = _merged((piece.start, piece.end) for piece in chosen)
    names = dict.fromkeys(rows[piece.place].qualified for piece in chosen if piece.place >= 0)
    text = _with_marks(lines, rows, ranges)
    return Text(text, size(text), tokens(text), tuple(names), tuple(ranges))


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, joined where they touch."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _with_marks(lines: Sequence[str], rows: Sequence[SymbolRow], ranges: Sequence[tuple[int, int]]) -> str:
    shown: list[str] = []
    after = 1
    for start, end in (*ranges, (len(lines) + 1, len(lines) + 1)):
        if start > after and any(line.strip() for line in lines[after - 1 : start - 1]):
            shown.append(_mark(rows, after, start - 1))
        shown += lines[start - 1 : end]
        after = end + 1
    return "\n".join(shown)


def _mark(rows: Sequence[SymbolRow], start: int, end: int) -> str:
    """Return the mark of a cut: its lines, and the names of the symbols that begin there."""
    names = [row.name for row in rows if start <= row.start_line <= end and row.kind not in SILENT]
    more = f" and {len(names) - MARK_NAMES} more" if len(names) > MARK_NAMES else ""
    told = shortened(", ".join(names[:MARK_NAMES]), MARK_BYTES) + more if names else ""
    where = f"lines {start}–{end}" if end > start else f"line {start}"
    return f"… {where}{f': {told}' if told else ''} …"


def part_of(text: str, rows: Sequence[SymbolRow], item: Item) -> str:
    """Return a stored part again: its lines, or its symbols if the file has changed since."""
    lines = text.split("\n")
    if size(text) == item.of_bytes and item.lines and item.lines[-1][1] <= len(lines):
        return _with_marks(lines, rows, item.lines)
    return part(text, rows, item.symbols, item.size_bytes).text


def _around(rows: Sequence[SymbolRow], place: int) -> Iterator[int]:
    """Yield the indexes of the enclosing symbols, innermost first."""
    owner = rows[place].parent
    while owner >= 0:
        yield owner
        owner = rows[owner].parent


def _line(rows: Sequence[SymbolRow], place: int) -> str:
    row = rows[place]
    depth = sum(rows[around].kind not in SILENT for around in _around(rows, place))
    signature = shortened(row.signature or row.qualified, SIGNATURE_CHARACTERS)
    about = shortened(row.doc.strip().partition("\n")[0], SENTENCE_CHARACTERS) if row.doc else ""
    return f"{row.start_line:>5}  {'  ' * depth}{signature}" + (f"  — {about}" if about else "")


def shortened(text: str, most: int) -> str:
    """Return a text on one line, truncated."""
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
        return part_of(self.text(item.name), rows, item)

    def joined(self, one: Item, two: Item) -> str:
        """Return what levels 1 and 2 have of one file: the whole, or the lines of both parts. Raises NotFound."""
        if one == two or (one.form, two.form) != ("part", "part"):
            return self.shown(two)
        lines = tuple(_merged((*one.lines, *two.lines)))
        return self.shown(msgspec.structs.replace(two, lines=lines, size_bytes=one.size_bytes + two.size_bytes))

    def made(
        self,
        item: Item,
        form: Form,
        level: Literal[1, 2],
        max_bytes: int = 0,
        terms: Collection[str] = (),
        beside: Sequence[tuple[int, int]] = (),
    ) -> Item | None:
        """Return an item in another form and level; None if it no longer exists.

        max_bytes, terms, beside: of a part, its size, the terms it should match, and the lines it leaves out
        """
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
        # The part is within a number of bytes, and within the tokens of so many bytes of code.
        max_tokens, is_test = int(max_bytes * ESTIMATED_PER_BYTE), self._sources.files[item.name].is_test
        made = part(text, rows, item.symbols, max_bytes, terms, with_end=is_test, beside=beside)
        while made.tokens > max_tokens and max_bytes > 0:
            # Shrink by the excess and 2 % more: other symbols have other tokens.
            max_bytes = int(max_bytes * max_tokens / made.tokens * 0.98)
            made = part(text, rows, item.symbols, max_bytes, terms, with_end=is_test, beside=beside)
        return msgspec.structs.replace(_with(item, made, form, level), of_bytes=size(text))


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
