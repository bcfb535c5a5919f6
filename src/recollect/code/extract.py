"""Extract: from the bytes of a file to its symbols, references and imports; one loop for all languages.

    bytes ─► page ─► tree ─► matches of the query ─► definitions, nested ─► symbols
                                                  └► references, imports

The tree is visited once, by the query; Python touches only what the query found.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import cast

from recollect.code import doc, normal
from recollect.code.complexity import Branches
from recollect.code.found import Found, Span
from recollect.code.grammar import load
from recollect.code.languages import Language
from recollect.code.gather import Definition, gather
from recollect.code.imports import imports
from recollect.code.nest import Nest, nest
from recollect.code.page import Page
from recollect.code.references import references
from recollect.code.symbols import Extracted, Symbol
from recollect.code.visibility import Exposure
from recollect.model import NodeKind

SIGNATURE_CHARACTERS = 400
CONSTANT_CHARACTERS = 120  # a constant's value is shown where it is short


def extract(source: bytes, path: str, language: Language) -> Extracted:
    """Return what a file defines, uses and imports.

    Never raises for the content of the file: what could not be read is said in the notes.
    """
    page = Page(source)
    found = Found(page, load(language.name), language.deepest)
    nested = nest(page, language, found, gather(page, language, found))
    symbols = _symbols(page, language, found, nested)
    imported = imports(page, language, found)
    known = {symbol.name for symbol in symbols}
    known.update([each.alias or each.name or each.module for each in imported])
    used = references(page, language, found, nested=nested, known=known)
    return Extracted(symbols, used, imported, page.notes + found.errors(page), nested.package)


def _symbols(page: Page, language: Language, found: Found, nested: Nest) -> list[Symbol]:
    comments = found.unsorted("comment")
    blob = normal.normalise(
        page.source,
        comments=comments,
        strings=found.unsorted("string"),
        blocks=found.unsorted("block"),
        layout=language.layout,
    )
    branches = Branches(page, found.spans("branch"))
    comment_ends = {end: start for start, end in comments}
    exposure = Exposure(page, language, found)
    feeds, docstrings = page.line_feeds, language.docstrings
    symbols = []
    for each in nested.definitions:
        start, end = each.whole, each.end
        first, last = bisect_left(feeds, start) + 1, bisect_left(feeds, end - 1) + 1
        row = (
            each.name,
            each.qualified,
            each.kind,
            _signature(page, each),
            (docstrings and doc.docstring(page, each.body)) or doc.above(page, start, comment_ends),
            exposure.of(each),
            tuple([page.cut(*span) for span in each.decorators]) if each.decorators else (),
            each.parent.place if each.parent else -1,
            first,
            last,
            start,
            end,
            branches.score(start, end, last - first + 1),
            False,
            None,
            normal.digest(blob, start, each.name_start, each.name_end, end),
        )
        symbols.append(tuple.__new__(Symbol, row))
    return symbols


def _signature(page: Page, each: Definition) -> str:
    """Return the definition up to its body on one line, without comments and decorators."""
    start, end = each.start, each.body
    if end - start > SIGNATURE_CHARACTERS:
        end = start + SIGNATURE_CHARACTERS
    text = page.cut(start, end).rstrip(" :{\r\n\t")
    return " ".join(text.split()) if "\n" in text else text
