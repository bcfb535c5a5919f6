"""Normal form: the source with all that does not matter to what it does made deletable, in place.

A symbol's hash survives new comments, white space and line breaks. Quotes, commas and parentheses that a formatter
changes are left to token values (recollect.code.anchors.code_sketch): they need a visit of every node, which costs more
than parsing and is made for anchored symbols alone. Here the bytes are rewritten once per file, at their own offsets:

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
from collections.abc import Collection, Iterable
from hashlib import sha256

from recollect.code.index.languages import Layout

Span = tuple[int, int]

BLANK = b" \t\r\n\v\f"
# A line break in a string may become \r\n on another system, so \r is dropped there too.
BLANK_IN_STRING = b"\x01\x02\x03\x04\x05"
IN_STRING = bytes.maketrans(b" \t\n\v\f", BLANK_IN_STRING)
_BREAK = re.compile(rb"(?<![\x01-\x05])[\x01-\x05]*\x03[\x01-\x05]*")

SEPARATED, FEED, LINE, BLOCK_ENDS = 0x00, 0x0A, 0x0E, 0x0F
BLOCKS_MOST = 16  # that one mark can close: BLOCK_ENDS + 16 is the last byte below the space

# Neighbours of the same kind must not touch: two words would become one, `- -` would become `--`.
WORD = bytes(byte for byte in range(256) if byte >= 0x80 or chr(byte).isalnum() or byte in b"_$")
# One for each sign: what begins with a plain character is looked for ten times as fast as what begins with a choice,
# and a plain character alone ten times as fast as that.
_SIGNS = {sign: re.compile(rb"\%c[ \t\r\n\v\f](?=[ \t\r\n\v\f]*+\%c)" % (sign, sign)) for sign in b"+-&"}
OPENS, CLOSES = b"([{,", b")]},"  # white space after the one and before the other never counts; a comma is both


# For a file as one large number, see `_marked`: what is said of each byte. One translation says it all: making a number
# of a file takes four times as long as shifting one.
_BEFORE, _AFTER, _FEED, _CODE, _WHITE = 1, 2, 4, 8, 128


def _digits(before: bytes, after: bytes) -> bytes:
    """Return what is said of each byte, given those that white space counts after and before."""
    said = bytearray(256)
    for byte in range(256):
        said[byte] = _BEFORE * (byte in before) | _AFTER * (byte in after) | _CODE
    for byte in BLANK:
        said[byte] = _WHITE | _FEED * (byte == FEED)
    return bytes(said)


_VISIBLE = bytes(set(range(256)) - set(BLANK))
_BY_WORD = _digits(WORD, WORD)
_BY_LINE = _digits(bytes(set(_VISIBLE) - set(OPENS)), bytes(set(_VISIBLE) - set(CLOSES)))
# One in every digit, for files of up to this length; beyond it is made anew.
_ONES_BYTES = 1 << 16
_ONES = int.from_bytes(b"\1" * _ONES_BYTES, "big")

HASH_DIGITS = 16  # 64 bits: among the symbols of one project, two equal hashes of different code are not expected


def normalise(
    source: bytes,
    *,
    comments: Iterable[Span],
    strings: Iterable[Span],
    directives: Iterable[Span],
    markup: Iterable[Span],
    blocks: Collection[int],
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
    for end, count in Counter(blocks).items() if blocks else ():
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
    length = len(blob)
    ones = _ONES >> 8 * (_ONES_BYTES - length) if length <= _ONES_BYTES else int.from_bytes(b"\1" * length, "big")
    said = int.from_bytes(blob.translate(_BY_LINE if by_line else _BY_WORD), "big")
    full = ((said >> 7) & ones) * 255  # the bits from here on as in the table above
    before = said & ones
    after = (said >> 1) & ones if by_line else before
    chosen = (full + ((after << 8) & full)) & before  # the last byte before each run that separates
    starts = chosen >> 8
    whole = int.from_bytes(blob, "big")
    whole ^= whole & (starts * 255)
    if by_line:
        lines = chosen & (full + ((said >> 2) & ones)) & (said >> 3)
        whole |= (lines >> 8) * LINE
    marked = whole.to_bytes(len(blob), "big")
    if by_line:
        return marked
    signs = [match.start() + 1 for sign, twice in _SIGNS.items() if sign in blob for match in twice.finditer(blob)]
    if not signs:
        return marked
    blob = bytearray(marked)
    for place in signs:
        blob[place] = SEPARATED
    return bytes(blob)
