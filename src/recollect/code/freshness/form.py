"""Form: a file on disk as comparisons see it: its symbols with their hashes and sketches, and a hash of all of it.

The index has the hashes of symbols; what else is needed, a sketch and the hash of a whole file, is read from the file
when a memory is anchored to it or its place is looked for, which happens to few of thousands of files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.code.extract import outline
from recollect.code.found import Found
from recollect.code.freshness.sketch import sketch
from recollect.code.grammar import load
from recollect.code.languages import Language, detect
from recollect.code.normal import BLANK, HASH_DIGITS, normalise
from recollect.code.page import Page
from recollect.code.walk import real
from recollect.files import read_file
from recollect.store.code_protocol import SymbolRow

# Content of fewer bytes says nothing by itself (`return None`): such a symbol is followed by its name or within its
# file only. An ordinary getter has 40 to 70.
TELLING_BYTES = 80


class Spot(NamedTuple):
    """A symbol as it is followed: all definitions of one qualified name in one file (overloads) are one.

    order: its place among the others of its file; size_bytes: of its text, white space included
    """

    path: str
    symbol: str
    name: str
    kind: str
    hash: str
    order: int
    size_bytes: int


class Form(NamedTuple):
    """A file read: hashes of its bytes and of its normal form, that form, and its symbols."""

    path: str
    file_hash: str
    hash: str
    kind: str
    blob: bytes
    rows: tuple[SymbolRow, ...]

    def spots(self) -> dict[str, Spot]:
        """Return its symbols by qualified name."""
        return spots(self.path, self.rows)

    def sketch_of(self, symbol: str | None) -> str:
        """Return the sketch of a symbol by its qualified name, or of the whole file."""
        if symbol is None:
            return sketch(self.blob)
        rows = [row for row in self.rows if row.qualified == symbol]
        text = b"\n".join(self.blob[row.start_byte : row.end_byte] for row in rows)
        return sketch(text, rows[0].name if rows else "")


def read(root: str, path: str, max_bytes: int) -> bytes | None:
    """Return the bytes of a file of a tree; None for what is no plain file, too large, or not to be read."""
    file = Path(root, real(path))
    try:
        return None if file.is_symlink() else read_file(file, most=max_bytes, within=root)
    except OSError:
        return None


def form(path: str, source: bytes) -> Form:
    """Return a file as it is compared; one of no known language has no symbols, and white space does not count."""
    file_hash = hashlib.sha256(source).hexdigest()
    language = detect(path, source[:8192])
    if language is None:
        blob = b" ".join(source.split())
        return Form(path, file_hash, digest(blob), "", blob, ())
    blob = _normal(source, language)
    rows = tuple(SymbolRow(*symbol) for symbol in outline(source, path, language).symbols)
    if b"\r\n" in source:
        rows = tuple(_in_form(row, source) for row in rows)
    return Form(path, file_hash, digest(blob.translate(None, BLANK)), language.name, blob, rows)


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
    """Return one hash for the definitions of a name; where there is one, its own."""
    return hashes[0] if len(hashes) == 1 else digest("\0".join(hashes).encode())


def digest(blob: bytes) -> str:
    """Return the hash of a normal form."""
    return hashlib.sha256(blob).hexdigest()[:HASH_DIGITS]


def overlap(one: Mapping[str, Spot], other: Mapping[str, Spot]) -> float:
    """Return how many symbols two files share by name and content, of those of the larger one; 0 to 1."""
    if not one or not other:
        return 0.0
    first, second = ({(spot.name, spot.hash) for spot in side.values()} for side in (one, other))
    return len(first & second) / max(len(first), len(second))


def _normal(source: bytes, language: Language) -> bytes:
    page = Page(source)
    found = Found(page, load(language.name, outline=True), language.deepest)
    return normalise(
        page.source,
        comments=found.spans("comment"),
        strings=found.spans("string"),
        directives=found.spans("directive"),
        markup=found.spans("markup"),
        blocks=found.ends("block"),
        layout=language.layout,
    )


def _in_form(row: SymbolRow, source: bytes) -> SymbolRow:
    """Return a symbol with its offsets in the normal form, which has no \\r before a line feed."""
    start, end = (offset - source.count(b"\r\n", 0, offset) for offset in (row.start_byte, row.end_byte))
    return row._replace(start_byte=start, end_byte=end)
