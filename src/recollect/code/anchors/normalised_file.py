"""A file as anchors compare it: its symbols with hashes and sketches, and a hash of the whole.

The index has the hashes of symbols. Sketches and the hash of a whole file are computed from disk for the few files that
memories are anchored to.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.anchors.code_sketch import sketch, values
from recollect.code.index.captures import Captures
from recollect.code.index.extract import outline
from recollect.code.index.file_walk import real
from recollect.code.index.languages import BY_NAME, detect
from recollect.code.index.normal_form import BLANK, HASH_DIGITS, normalise
from recollect.code.index.page import Page, load, parse
from recollect.files import read_file
from recollect.store.code_rows import SymbolRow

if TYPE_CHECKING:
    from tree_sitter import Node

# Shorter content is not distinctive (`return None`): such a symbol is followed by its name or within its file only. An
# ordinary getter has 40 to 70 bytes.
TELLING_BYTES = 80
# Bytes whose tree is walked for token values: half a second of CPU. Longer text is split into words.
MAX_WALKED = 300_000
# Trees in the cache: a tree has some ten times the size of its text.
TREES = 16


_WORD = re.compile(rb"\w+")
# Comments of most languages, and sometimes more: words only decide whether code is worth an exact comparison.
_COMMENT = re.compile(rb"(?:#|//|/\*|^[ \t]*\*)[^\n]*", re.MULTILINE)


class Spot(NamedTuple):
    """A symbol as anchors follow it: all definitions of one qualified name in a file (overloads) are one.

    order: its place among the others of its file; size_bytes: of its text, white space included
    """

    path: str
    symbol: str
    name: str
    kind: str
    hash: str
    order: int
    size_bytes: int


class Form:
    """A file: its symbols, the hash of its bytes, its normal form with its hash, and sketches; each when first used.

    kind: its language; a file of an unknown one has no symbols. registered: as of `outline`
    """

    def __init__(self, path: str, content: bytes, *, registered: bool = True) -> None:
        language = detect(path, content[:8192])
        self.path = path
        self.kind = language.name if language is not None else ""
        self.content = content
        self._registered = registered
        self._sketches: dict[str | None, str] = {}
        self._words: dict[str | None, str] = {}

    @cached_property
    def source(self) -> bytes:
        """Its text, without \\r before a line feed; of an unknown language its words."""
        return Page(self.content).source if self.kind else b" ".join(self.content.split())

    @cached_property
    def file_hash(self) -> str:
        """The hash of its bytes."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def blob(self) -> bytes:
        """Its normal form."""
        if not self.kind:
            return self.source
        language = BY_NAME[self.kind]
        marks = Captures(Page(self.content), load(self.kind, outline=True), language.deepest).marks()
        return normalise(self.source, marks, language.layout)

    @cached_property
    def hash(self) -> str:
        """The hash of its normal form."""
        return digest(self.blob.translate(None, BLANK) if self.kind else self.blob)

    @cached_property
    def rows(self) -> tuple[SymbolRow, ...]:
        """Its symbols, with offsets in `source`."""
        if not self.kind:
            return ()
        content = self.content
        found = outline(content, self.path, BY_NAME[self.kind], registered=self._registered)
        rows = (SymbolRow(*symbol) for symbol in found.symbols)
        return tuple(_in_form(row, content) for row in rows) if b"\r\n" in content else tuple(rows)

    def spots(self) -> dict[str, Spot]:
        """Return its symbols by qualified name."""
        return self._spots

    @cached_property
    def _spots(self) -> dict[str, Spot]:
        return spots(self.path, self.rows)

    def sketch_of(self, symbol: str | None) -> str:
        """Return the sketch of a symbol by its qualified name, or of the whole file."""
        if symbol not in self._sketches:
            rows = [row for row in self.rows if row.qualified == symbol]
            spans = [(row.start_byte, row.end_byte) for row in rows] if symbol is not None else [(0, len(self.source))]
            words = [word for span in spans for word in self._values(*span)]
            self._sketches[symbol] = sketch(words, rows[0].name if rows else "")
        return self._sketches[symbol]

    def text_of(self, symbol: str | None) -> bytes:
        """Return the text of a symbol, or of the whole file."""
        if symbol is None:
            return self.source
        return b"\n".join(self.source[row.start_byte : row.end_byte] for row in self.rows if row.qualified == symbol)

    def words_of(self, symbol: str | None) -> str:
        """Return a sketch of the words of a symbol, or of the whole file, without comments: fast, and not exact."""
        if symbol not in self._words:
            name = next((row.name for row in self.rows if row.qualified == symbol), "") if symbol is not None else ""
            self._words[symbol] = sketch(_WORD.findall(_COMMENT.sub(b"", self.text_of(symbol))), name)
        return self._words[symbol]

    def is_same(self, other: Form, symbol: str | None) -> bool:
        """Tell whether a symbol, or the whole file, differs from another only in its format."""
        return self.sketch_of(symbol) == other.sketch_of(symbol) != ""

    def _values(self, start: int, end: int) -> list[bytes]:
        if not self.kind or end - start > MAX_WALKED:
            return self.source[start:end].split()
        return values(self.source, _root(self.source, self.kind), BY_NAME[self.kind], start, end)


def read(root: str, path: str, max_bytes: int) -> bytes | None:
    """Return the bytes of a regular file of a tree; None if it is a link, too large or unreadable."""
    file = Path(root, real(path))
    try:
        return None if file.is_symlink() else read_file(file, most=max_bytes, within=root)
    except OSError:
        return None


def form(path: str, source: bytes) -> Form:
    """Return the form of a file."""
    return Form(path, source)


def spots(path: str, rows: Iterable[SymbolRow]) -> dict[str, Spot]:
    """Return the symbols of a file by qualified name."""
    grouped: dict[str, list[SymbolRow]] = {}
    for row in rows:
        grouped.setdefault(row.qualified, []).append(row)
    return {
        symbol: Spot(
            path,
            symbol,
            group[0].name,
            group[0].kind,
            combined([row.hash for row in group]),
            order,
            sum(row.end_byte - row.start_byte for row in group),
        )
        for order, (symbol, group) in enumerate(grouped.items())
    }


def combined(hashes: Sequence[str]) -> str:
    """Return one hash for all definitions of a name."""
    return hashes[0] if len(hashes) == 1 else digest("\0".join(hashes).encode())


def digest(blob: bytes) -> str:
    """Return the hash of a normal form."""
    return hashlib.sha256(blob).hexdigest()[:HASH_DIGITS]


def overlap(one: Mapping[str, Spot], other: Mapping[str, Spot]) -> float:
    """Return the share of symbols that two files have in common, by name and content; 0 to 1."""
    if not one or not other:
        return 0.0
    first, second = ({(spot.name, spot.hash) for spot in side.values()} for side in (one, other))
    return len(first & second) / max(len(first), len(second))


@lru_cache(maxsize=TREES)
def _root(source: bytes, language: str) -> Node:
    return parse(Page(source), language).root_node


def _in_form(row: SymbolRow, source: bytes) -> SymbolRow:
    """Return a symbol with its offsets in the text of a page, which has no \\r before a line feed."""
    start, end = (offset - source.count(b"\r\n", 0, offset) for offset in (row.start_byte, row.end_byte))
    return row._replace(start_byte=start, end_byte=end)
