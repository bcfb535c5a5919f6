"""Cut a file into chunks, the units of search.

    class Server:            ┐ the head of a class, up to its first method
        port = 80            ┘
        def start(self):     ┐ a function or method; one of more than MAX_LINES lines in several pieces
            ...              ┘
    ROUTES = {...}           ┐ what lies between
    main()                   ┘

Chunks are whole lines, do not overlap and together hold every line that is not blank. A short chunk joins its
neighbour: comments and heads join the chunk below, a one-line method joins the chunk above.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.code.index.page import line_feeds
from recollect.code.index.symbols import Symbol, is_declared

# A longer chunk is cut: 60 lines are about 600 words, what a vector can represent.
MAX_LINES = 60
# Shorter chunks say too little by themselves: a property, a closing line, an import.
MIN_LINES = 4
# Short neighbours join up to this length.
JOINED_LINES = 24
# A line may be a megabyte long: a chunk is cut off here. 60 ordinary lines have a few kB.
MAX_BYTES = 65_536

# Kinds that make a chunk of their own: code that is called, and what holds such code.
CALLED = frozenset({"Function", "Method", "Test", "Endpoint"})
HOLDERS = frozenset({"Class", "Interface", "Module", "Type", "Package"})


class Chunk(NamedTuple):
    """A chunk: its lines (from 1, both included), its bytes, and the symbols that begin in it.

    symbols: places in the file's list. around: place of the innermost symbol around the first line, -1 for none.
    """

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    symbols: tuple[int, ...]
    around: int


def chunks(source: bytes, symbols: Sequence[Symbol]) -> list[Chunk]:
    """Return the chunks of a file, in order; symbols: by their first lines, parents first."""
    ends = [-1, *line_feeds(source)]  # of lines, and of one before the first
    if source and not source.endswith(b"\n"):
        ends.append(len(source) - 1)
    pieces = _divided(_joined(_intervals(source, symbols, ends)))
    owned = _owned(symbols, [first for first, _ in pieces])
    found: list[Chunk] = []
    new = tuple.__new__  # spares the constructor, a Python function
    last = -1
    for (first, after), inside in zip(pieces, owned, strict=True):
        begin = ends[first - 1] + 1
        end = min(ends[after - 1] + 1, begin + MAX_BYTES)
        if inside or not source[begin:end].isspace():
            around = _around(symbols, last, first) if last >= 0 else -1
            found.append(new(Chunk, (first, after - 1, begin, end, inside, around)))
        last = inside[-1] if inside else last
    return found


def _intervals(source: bytes, symbols: Sequence[Symbol], ends: list[int]) -> list[tuple[int, int, bool]]:
    """Return (first line, line after, whether it is called code) between all cuts, without blank edges."""
    cuts = {1: False}
    inner: set[int] = set()  # symbols inside of functions are part of these
    for place, symbol in enumerate(symbols):
        kind = symbol.kind
        if symbol.parent in inner:
            inner.add(place)
        elif kind in CALLED:
            inner.add(place)
            cuts[symbol.start_line] = True
            cuts.setdefault(symbol.end_line + 1, False)
        elif kind in HOLDERS and not is_declared(source, symbol):
            cuts[symbol.start_line] = False
            cuts.setdefault(symbol.end_line + 1, False)
    count = len(ends) - 1
    starts = sorted([line for line in cuts if line <= count])
    found = []
    for first, after in zip(starts, [*starts[1:], count + 1], strict=bool(starts)):
        begin = first
        while begin < after and ends[begin] - ends[begin - 1] == 1:
            begin += 1
        while after > begin and ends[after - 1] - ends[after - 2] == 1:
            after -= 1
        if after > begin:
            found.append((begin, after, cuts[first]))
    return found


def _joined(intervals: list[tuple[int, int, bool]]) -> list[tuple[int, int]]:
    """Return (first line, line after); short heads and gaps join the next, short functions the last."""
    found: list[tuple[int, int]] = []
    waiting = 0  # first line of a short head or gap
    may_join = False  # whether the last piece ends with called code
    for first, after, is_called in intervals:
        is_short = after - first < MIN_LINES
        if is_short and not is_called and after - (waiting or first) < JOINED_LINES:
            waiting = waiting or first
            continue
        if is_short and not waiting and may_join and after - found[-1][0] <= JOINED_LINES:
            found[-1] = (found[-1][0], after)
            continue
        found.append((waiting or first, after))
        waiting, may_join = 0, is_called
    if waiting:
        after = intervals[-1][1]
        if found and may_join and after - found[-1][0] <= JOINED_LINES:
            found[-1] = (found[-1][0], after)
        else:
            found.append((waiting, after))
    return found


def _divided(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the chunks; one that is too long is cut into equal parts."""
    found = []
    for first, after in pieces:
        count = -(-(after - first) // MAX_LINES)
        if count <= 1:
            found.append((first, after))
        else:
            edges = [first + (after - first) * part // count for part in range(count + 1)]
            found.extend(pairwise(edges))
    return found


def _owned(symbols: Sequence[Symbol], starts: list[int]) -> list[tuple[int, ...]]:
    """Return for each chunk the places of the symbols that begin in it."""
    owned: list[tuple[int, ...]] = []
    lines = [symbol.start_line for symbol in symbols]
    first = 0
    for after in starts[1:]:
        last = bisect_left(lines, after, first)
        owned.append(tuple(range(first, last)))
        first = last
    if starts:
        owned.append(tuple(range(first, len(lines))))
    return owned


def _around(symbols: Sequence[Symbol], last: int, line: int) -> int:
    """Return the innermost symbol around `line`, -1 for none; last: the last symbol that begins above it."""
    while last >= 0 and symbols[last].end_line < line:
        last = symbols[last].parent
    return last
