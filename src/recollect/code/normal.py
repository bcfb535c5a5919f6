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

from recollect.code.languages import Layout

Span = tuple[int, int]

BLANK = b" \t\r\n\v\f"
# A line break in a string may become \r\n on another system, so \r is dropped there too.
BLANK_IN_STRING = b"\x01\x02\x03\x04\x05"
IN_STRING = bytes.maketrans(b" \t\n\v\f", BLANK_IN_STRING)
_BREAK = re.compile(rb"[\x01-\x05]*\x03[\x01-\x05]*")

SEPARATED, LINE, BLOCK_ENDS = 0x00, 0x0E, 0x0F
BLOCKS_MOST = 16  # that one mark can close: BLOCK_ENDS + 16 is the last byte below the space

# Neighbours of the same kind must not touch: two words would become one, `- -` would become `--`.
WORD = bytes(byte for byte in range(256) if byte >= 0x80 or chr(byte).isalnum() or byte in b"_$")
# One for each sign: what begins with a plain character is looked for ten times as fast as what begins with a choice.
_SIGNS = tuple(re.compile(rb"\%c[ \t\r\n\v\f](?=[ \t\r\n\v\f]*+\%c)" % (sign, sign)) for sign in b"+-&")
OPENS, CLOSES = b"([{,", b")]},"  # white space after the one and before the other never counts; a comma is both


def _table(within: bytes, of: int) -> bytes:
    """Return what makes `of` of the bytes that are in `within` and nothing of all others."""
    return bytes(of * (byte in within) for byte in range(256))


# For a file as one large number, see `_marked`.
_FULL = _table(BLANK, 255)
_IS_WORD = _table(WORD, 1)
_IS_FEED = _table(b"\n", 1)
_IS_CODE = _table(bytes(set(range(256)) - set(BLANK)), 1)
_IS_BEFORE = _table(bytes(set(range(256)) - set(BLANK + OPENS)), 1)
_IS_AFTER = _table(bytes(set(range(256)) - set(BLANK + CLOSES)), 1)

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
    return _marked(blob, by_line=layout == "lines")


def digest(blob: bytes, start: int, name_start: int, name_end: int, end: int) -> str:
    """Return the hash of the symbol at [start, end) without its own name."""
    rest = blob[start:name_start] + blob[name_end:end]
    return sha256(rest.translate(None, BLANK)).hexdigest()[:HASH_DIGITS]


def _in_markup(found: re.Match[bytes]) -> bytes:
    """Return white space with a line end in the text of an element, as it is shown: nothing at its edges, else one."""
    length = found.end() - found.start()
    is_edge = not found.start() or found.end() == len(found.string)
    return b" " * length if is_edge else IN_STRING[32:33] + b" " * (length - 1)


def _marked(blob: bytearray, *, by_line: bool) -> bytes:
    """Return a file with a mark at the beginning of every run of white space that separates.

    by_line: all do that but those at the inside of a bracket or at a comma, and a line end has a mark of its own; else
    only what stands between two words, or two signs that would become another. White space around the file never does.

    Visiting each run would cost as much as parsing, so the file is taken as one large number, a digit to each byte. A
    run of white space is a run of full digits: adding one to its last digit carries into the digit before the run.
    """
    full = _number(blob, _FULL)
    before = _number(blob, _IS_BEFORE if by_line else _IS_WORD)
    after = _number(blob, _IS_AFTER) if by_line else before
    chosen = (full + ((after << 8) & full)) & before  # the last byte before each run that separates
    starts = chosen >> 8
    whole = int.from_bytes(blob, "big")
    whole ^= whole & (starts * 255)
    if by_line:
        lines = chosen & (full + _number(blob, _IS_FEED)) & _number(blob, _IS_CODE)
        whole |= (lines >> 8) * LINE
    marked = whole.to_bytes(len(blob), "big")
    if by_line:
        return marked
    signs = [match.start() + 1 for sign in _SIGNS for match in sign.finditer(blob)]
    if not signs:
        return marked
    blob = bytearray(marked)
    for place in signs:
        blob[place] = SEPARATED
    return bytes(blob)


def _number(blob: bytearray, table: bytes) -> int:
    return int.from_bytes(blob.translate(table), "big")
