"""Normal form of a source file, from which the hashes of symbols are taken.

A symbol's hash survives new comments, white space and line breaks. Quotes, commas and parentheses that a formatter
changes are handled by token values (recollect.code.anchors.code_sketch), which visit every node and are made for
anchored symbols only. Here the bytes are rewritten once per file, at their own offsets:

    comment                      ► spaces
    white space in a string      ► other bytes, which stay; around line ends in the text of JSX it is not shown
    end of an indented block     ► a mark that says how many blocks end (Python, Haskell)
    white space that separates   ► a mark: `return x`, `a - -b`, `foo (1)` and line ends where those count (Ruby)

A symbol's normal form is then its slice without white space and without its own name, so that a renamed symbol keeps
its hash. Docstrings stay: programs read them. Not seen: a line end that alone separates two expressions (`f()` and
`(x)` on two lines of Python or JavaScript), which formatters move freely.
"""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256

from recollect.code.index.captures import Marks
from recollect.code.index.languages import Layout

BLANK = b" \t\r\n\v\f"
# A line break in a string may become \r\n on another system, so \r is dropped there too.
BLANK_IN_STRING = b"\x01\x02\x03\x04\x05"
IN_STRING = bytes.maketrans(b" \t\n\v\f", BLANK_IN_STRING)
_BREAK = re.compile(rb"(?<![\x01-\x05])[\x01-\x05]*\x03[\x01-\x05]*")

SEPARATED, LINE, BLOCK_ENDS = 0x00, 0x0E, 0x0F
BLOCKS_MOST = 16  # that one mark can close: BLOCK_ENDS + 16 is the last byte below the space

# White space counts between two words, and between two signs that would become another: `return x`, `a - -b`. Where
# line ends are part of the code, it counts everywhere but inside of a bracket and beside a comma. What follows a mark
# (\x00, \x0e) is the rest of a run that has one.
_WORD = rb"[\w$\x80-\xff]"
_OPENS, _CLOSES = rb"[^ \t\r\n\v\f(\[{,\x00\x0e]", rb"[^ \t\r\n\v\f)\]},]"
_WHITE, _ON_LINE = rb"[ \t\r\n\v\f]*+", rb"[ \t\r\v\f]*+"

Replaced = tuple[bytes, re.Pattern[bytes], bytes]


def _first(blank: bytes, before: bytes, after: bytes, mark: int) -> Replaced:
    """Return the first character of white space, where it counts, and its mark.

    One expression for each: what begins with a plain character is found ten times as fast as what begins with a choice.
    """
    return blank, re.compile(b"%b(?<=%b%b)(?=%b)" % (blank, before, blank, after)), bytes([mark])


_BLANKS = [bytes([byte]) for byte in BLANK]
_BY_WORD: list[Replaced] = [
    *[_first(blank, _WORD, _WHITE + _WORD, SEPARATED) for blank in _BLANKS],
    *[
        (sign, re.compile(rb"\%b[ \t\r\n\v\f](?=%b\%b)" % (sign, _WHITE, sign)), sign + b"\0")
        for sign in (b"+", b"-", b"&")
    ],
]
_BY_LINE: list[Replaced] = [
    *[_first(blank, _OPENS, _ON_LINE + _CLOSES, SEPARATED) for blank in _BLANKS if blank != b"\n"],
    *[_first(blank, _OPENS, _ON_LINE + b"\n" + _WHITE + _CLOSES, LINE) for blank in _BLANKS if blank != b"\n"],
    _first(b"\n", _OPENS, _WHITE + _CLOSES, LINE),
]

HASH_DIGITS = 16  # 64 bits: no collisions among the symbols of one project


def normalise(source: bytes, marks: Marks, layout: Layout) -> bytes:
    """Return the normal form of a file, as long as the file."""
    blob = bytearray(source)
    for start, end in marks.comments:
        blob[start:end] = b" " * (end - start)
    in_string = source.translate(IN_STRING)
    for start, end in marks.strings:
        blob[start:end] = in_string[start:end]
    for start, end in marks.directives:
        blob[start:end] = in_string[start:end].rstrip(BLANK_IN_STRING).ljust(end - start)
    for start, end in marks.markup:
        blob[start:end] = _BREAK.sub(_in_markup, in_string[start:end])
    for end, count in Counter(marks.blocks).items():
        if end < len(blob) and blob[end] in BLANK:
            blob[end] = BLOCK_ENDS + min(count, BLOCKS_MOST)
    return _marked(bytes(blob), by_line=layout == "lines")


def digest(blob: bytes, start: int, name_start: int, name_end: int, end: int) -> str:
    """Return the hash of the symbol at [start, end) without its own name."""
    rest = blob[start:name_start] + blob[name_end:end]
    return sha256(rest.translate(None, BLANK)).hexdigest()[:HASH_DIGITS]


def _in_markup(found: re.Match[bytes]) -> bytes:
    """Return white space with a line end in the text of an element as it is shown: none at its edges, else one."""
    length = found.end() - found.start()
    is_edge = not found.start() or found.end() == len(found.string)
    return b" " * length if is_edge else IN_STRING[32:33] + b" " * (length - 1)


def _marked(blob: bytes, *, by_line: bool) -> bytes:
    """Return a file with a mark at the beginning of every run of white space that counts.

    by_line: a run with a line end has a mark of its own. White space around the file never counts.
    """
    for first, pattern, mark in _BY_LINE if by_line else _BY_WORD:
        if first in blob:
            blob = pattern.sub(mark, blob)
    return blob
