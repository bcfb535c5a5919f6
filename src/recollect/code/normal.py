"""Normal form: the source with all that does not matter to what it does made deletable, in place.

A symbol's hash must survive a formatter and a new comment, and nothing else. Tokens tell exactly, but visiting every
token from Python would cost as much as parsing. So the bytes are rewritten once per file, each at its own offset:

    comment                      ► spaces
    white space in a string      ► other bytes, which stay; around line ends in the text of JSX it is not shown
    end of an indented block     ► a mark that says how many blocks end (Python, Haskell)
    white space that separates   ► a mark: `return x`, `a - -b`, `foo (1)` and line ends where those count (Ruby)

A symbol's normal form is then its slice without white space, however symbols nest. Docstrings stay: programs read them.
The symbol's own name is left out, so that a renamed symbol is found again by its hash. Not seen: a line end that alone
separates two expressions (`f()` and `(x)` on two lines of Python or JavaScript), which formatters move freely.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from recollect.code.languages import Layout

Span = tuple[int, int]

BLANK = b" \t\r\n\v\f"
# A line break in a string may become \r\n on another system, so \r is dropped there too.
BLANK_IN_STRING = b"\x01\x02\x03\x04\x05"
IN_STRING = bytes.maketrans(b" \t\n\v\f", BLANK_IN_STRING)
_BREAK = re.compile(rb"[\x01-\x05]*\x03[\x01-\x05]*")

SEPARATED, LINE, BLOCK_ENDS = 0x00, 0x0E, 0x0F
BLOCKS_MOST = 16  # that one mark can close: BLOCK_ENDS + 16 is the last byte below the space

# Neighbours of one of these classes must not touch: two words would become one, `- -` would become `--`.
SPACE, OTHER, WORD, PLUS, MINUS, AMPERSAND = range(6)
CLASSES = bytes(
    SPACE if byte in BLANK
    else WORD if byte >= 0x80 or chr(byte).isalnum() or byte in b"_$"
    else {ord("+"): PLUS, ord("-"): MINUS, ord("&"): AMPERSAND}.get(byte, OTHER)
    for byte in range(256)
)  # fmt: skip
OPENS, CLOSES = 1, 2  # white space after the one and before the other never counts; a comma is both
EDGES = bytes(OPENS * (byte in b"([{,") + CLOSES * (byte in b")]},") for byte in range(256))

HASH_DIGITS = 16  # 64 bits: among the symbols of one project, two equal hashes of different code are not expected


def normalise(
    source: bytes,
    *,
    comments: Iterable[Span],
    strings: Iterable[Span],
    directives: Iterable[Span],
    markup: Iterable[Span],
    blocks: Iterable[int],
    layout: Layout,
) -> bytes:
    """Return the normal form of a file, as long as the file, from what was found in it; blocks: where they end."""
    blob = bytearray(source)
    for start, end in comments:
        blob[start:end] = b" " * (end - start)
    in_string = source.translate(IN_STRING)
    for start, end in strings:
        blob[start:end] = in_string[start:end]
    for start, end in directives:
        blob[start:end] = in_string[start:end].rstrip(BLANK_IN_STRING).ljust(end - start)
    for start, end in markup:
        blob[start:end] = _BREAK.sub(_in_markup, in_string[start:end])
    for end, count in Counter(blocks).items():
        if end < len(blob) and blob[end] in BLANK:
            blob[end] = BLOCK_ENDS + min(count, BLOCKS_MOST)
    classes = np.frombuffer(blob.translate(CLASSES), np.uint8)
    starts, ends = _runs(classes == SPACE)
    view = np.frombuffer(blob, np.uint8)
    if not len(starts):
        return bytes(blob)
    if layout == "lines":
        _keep_lines(view, starts, ends)
    else:
        before = classes[starts - 1]
        view[starts[(before == classes[ends]) & (before >= WORD)]] = SEPARATED
    return bytes(blob)


def digest(blob: bytes, start: int, name_start: int, name_end: int, end: int) -> str:
    """Return the hash of the symbol at [start, end) without its own name."""
    rest = blob[start:name_start] + blob[name_end:end]
    return sha256(rest.translate(None, BLANK)).hexdigest()[:HASH_DIGITS]


def _in_markup(found: re.Match[bytes]) -> bytes:
    """Return white space with a line end in the text of an element, as it is shown: nothing at its edges, else one."""
    length = found.end() - found.start()
    is_edge = not found.start() or found.end() == len(found.string)
    return b" " * length if is_edge else IN_STRING[32:33] + b" " * (length - 1)


def _runs(is_space: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and end of every run of white space between two other bytes."""
    edges = (is_space[1:] != is_space[:-1]).nonzero()[0] + 1
    if len(is_space) and is_space[0]:
        edges = edges[1:]
    paired = len(edges) // 2 * 2
    return edges[:paired:2], edges[1:paired:2]


def _keep_lines(view: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
    """Keep one mark per run, another for a line end; none at the inside of a bracket or at a comma."""
    edges = np.frombuffer(view.tobytes().translate(EDGES), np.uint8)
    kept = ((edges[starts - 1] & OPENS) | (edges[ends] & CLOSES)) == 0
    marks = np.full(len(starts), SEPARATED, np.uint8)
    feeds = np.flatnonzero(view == 10)
    runs = np.searchsorted(starts, feeds, side="right") - 1
    between = (runs >= 0) & (feeds < ends[runs])  # not the line ends around the file
    marks[runs[between]] = LINE
    view[starts[kept]] = marks[kept]
