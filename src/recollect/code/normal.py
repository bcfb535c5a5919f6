"""Normal form: the source with all that does not matter to what it does made deletable, in place.

A symbol's hash must survive a formatter and a new comment, and nothing else. Tokens tell exactly, but visiting every
token from Python would cost as much as parsing. So the bytes are rewritten once per file, each at its own offset:

    comment            ► spaces
    space in a string  ► another byte, which stays
    run of white space ► spaces, but for its first byte where the run separates: `return x`, `a - -b`
    line break         ► in languages where lines or indentation count, a mark that says what the next line does

A symbol's normal form is then its slice without white space, however symbols nest. Docstrings stay: programs read them.
The symbol's own name is left out, so that a renamed symbol is found again by its hash.

    def f(a):          def\0f(a):›return\0a        › one level in
        return a  # x
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.code.languages import Layout

Span = tuple[int, int]

BLANK = b" \t\r\n\v\f"
# A line break in a string may become \r\n on another system, so \r is dropped there too.
IN_STRING = bytes.maketrans(b" \t\n\v\f", b"\x01\x02\x03\x04\x05")

SEPARATED, LINE, DEEPER, BACK = 0x00, 0x0E, 0x0F, 0x10
BACK_MOST = 0x0F  # levels that one mark can close: BACK + 15 is the last byte below the space

# Neighbours of one of these classes must not touch: two words would become one, `- -` would become `--`.
SPACE, OTHER, WORD, PLUS, MINUS, AMPERSAND = range(6)
CLASSES = bytes(
    SPACE if byte in BLANK
    else WORD if byte >= 0x80 or chr(byte).isalnum() or byte in b"_$"
    else {ord("+"): PLUS, ord("-"): MINUS, ord("&"): AMPERSAND}.get(byte, OTHER)
    for byte in range(256)
)  # fmt: skip
OPENING, CLOSING = b"([{", b")]}"
BRACKETS = {  # one table for languages whose blocks are in braces, where lines count inside them
    layout: bytes(
        1 if byte in opening else 255 if byte in closing else 0 for byte in range(256)
    )
    for layout, opening, closing in (("indent", b"([{", b")]}"), ("lines", b"([", b")]"))
}

HASH_DIGITS = 16  # 64 bits: among the symbols of one project, two equal hashes of different code are not expected


class Normal(NamedTuple):
    """The rewritten bytes, and where each line of code begins and how far it is indented."""

    blob: bytes
    line_starts: NDArray[np.int64]
    indents: NDArray[np.int64]


def normalise(source: bytes, comments: Iterable[Span], strings: Iterable[Span], layout: Layout) -> Normal:
    """Return the normal form of a file, as long as the file, from the spans of its comments and strings."""
    blob = bytearray(source)
    for start, end in comments:
        blob[start:end] = b" " * (end - start)
    for start, end in strings:
        blob[start:end] = blob[start:end].translate(IN_STRING)
    classes = np.frombuffer(blob.translate(CLASSES), np.uint8)
    starts, ends = _runs(classes == SPACE)
    before, after = classes[starts - 1], classes[ends]
    view = np.frombuffer(blob, np.uint8)
    breaks, line_starts, indents = _lines(view, starts, ends)
    if layout == "lines":
        brackets = _brackets(view, starts, ends)
        view[starts[~brackets]] = SEPARATED
    else:
        view[starts[(before == after) & (before >= WORD)]] = SEPARATED
    if layout != "free":
        _mark_lines(view, breaks, indents, layout)
    return Normal(bytes(blob), line_starts, indents)


def digest(blob: bytes, start: int, end: int, name: Span) -> str:
    """Return the hash of the symbol at [start, end) whose own name is at `name`."""
    rest = blob[start : name[0]] + blob[name[1] : end]
    return hashlib.sha256(rest.translate(None, BLANK)).hexdigest()[:HASH_DIGITS]


def _runs(is_space: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and end of every run of white space between two other bytes."""
    edges = np.flatnonzero(is_space[1:] != is_space[:-1]) + 1
    if len(is_space) and is_space[0]:
        edges = edges[1:]
    if len(edges) % 2:
        edges = edges[:-1]
    return edges[::2], edges[1::2]


def _lines(
    view: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the runs that hold a line break, as (start, where the next line's code begins, its indentation)."""
    feeds = np.flatnonzero(view == 10)
    if not len(feeds) or not len(starts):
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, nothing
    run = np.searchsorted(starts, feeds, side="right") - 1
    last = np.flatnonzero((run >= 0) & (np.append(run[1:], len(starts)) != run))
    feeds, run = feeds[last], run[last]
    inside = feeds < ends[run]  # not the line breaks at the end of the file
    feeds, run = feeds[inside], run[inside]
    return starts[run], ends[run], ends[run] - feeds - 1


def _brackets(
    view: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which runs touch the inside of a bracket or a comma, where white space never counts."""
    before, after = view[starts - 1], view[ends]
    return np.isin(before, np.frombuffer(b"([{,", np.uint8)) | np.isin(after, np.frombuffer(b")]},", np.uint8))


def _mark_lines(
    view: NDArray[np.uint8], breaks: NDArray[np.int64], indents: NDArray[np.int64], layout: Layout
) -> None:
    """Put a mark at each line break that ends a statement: not inside brackets, not after a backslash."""
    deltas = np.frombuffer(view.tobytes().translate(BRACKETS[layout]), np.int8)
    places = np.flatnonzero(deltas != 0)
    depth = np.append(0, np.cumsum(deltas[places], dtype=np.int64))[np.searchsorted(places, breaks)]
    ends_statement = (depth <= 0) & (view[breaks - 1] != ord("\\"))
    breaks = breaks[ends_statement]
    if layout == "lines":
        view[breaks] = LINE
    else:
        view[breaks] = _levels(indents[ends_statement].tolist())


def _levels(indents: list[int]) -> list[int]:
    """Return for each line whether it stays, goes one level in, or how many levels it goes back."""
    marks = []
    stack = [0]
    for indent in indents:
        if indent == stack[-1]:
            marks.append(LINE)
        elif indent > stack[-1]:
            stack.append(indent)
            marks.append(DEEPER)
        else:
            open_before = len(stack)
            while stack[-1] > indent:
                stack.pop()
            marks.append(BACK + min(open_before - len(stack), BACK_MOST))
            if stack[-1] < indent:  # between two levels: broken code, or the continuation of a statement
                stack.append(indent)
    return marks
