"""Extract symbols, references and imports from the bytes of a file, in every language.

    bytes ─► page ─► tree ─► matches of the query ─► definitions, nested ─► symbols
                                                  └► references, imports

The query visits the tree once; Python code touches only captured nodes. Search needs only symbols, the outline: its
query captures less and takes two thirds of the time.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from recollect.code.index import doc_comments, endpoints, normal_form
from recollect.code.index.captures import Captures, Marks, Span
from recollect.code.index.definitions import TYPES, Definition, Nest, gather, nest
from recollect.code.index.import_statements import imports
from recollect.code.index.languages import Language
from recollect.code.index.page import Page, decoded, load
from recollect.code.index.references import references
from recollect.code.index.symbol_properties import Branches, Exposure, Trial, kind_of
from recollect.code.index.symbols import Extracted, Outline, Symbol

if TYPE_CHECKING:
    from recollect.code.index.document_outline import Sections
    from recollect.code.index.markdown_outline import Headings
    from recollect.code.index.python_outline import Scan

SIGNATURE_CHARACTERS = 400
CONSTANT_CHARACTERS = 120  # a short value is shown

# Keywords before the node of a definition that belong to its signature.
KEYWORDS = re.compile(
    r"\b(?:(?:export|default|declare|abstract|async|const|let|var|type|public|private|protected|local)[ \t]+)+$"
)
# Languages whose outline is read from lines, and the function that does it, loaded with the first file of its language.
# It returns None where only a tree gives a certain answer.
BY_TEXT = {
    "python": "python_outline.scan",
    "markdown": "markdown_outline.headings",
    "rst": "document_outline.sections",
    "asciidoc": "document_outline.sections",
}
# Without a grammar of their own.
LINES_ONLY = frozenset({"rst", "asciidoc"})
TRAIL = " \t\r\n:;,{="  # between a signature and its body


def extract(source: bytes, path: str, language: Language) -> Extracted:
    """Return what a file defines, uses and imports.

    path: from the root of the project, with slashes; it decides what is a test. Never raises for the content of a file:
    the notes say what could not be read.
    """
    if language.name in LINES_ONLY:
        seen = outline(source, path, language)
        return Extracted(seen.symbols, [], [], seen.notes)
    page = Page(source)
    found = Captures(page, load(language.name), language.deepest)
    symbols, nested = _captured_symbols(page, language, found, path)
    imported = imports(page, language, found)
    known = {symbol.name for symbol in symbols if symbol.kind != "Test"}
    known.update([each.alias or each.name or each.module for each in imported])
    used = references(page, language, found, nested=nested, known=known)
    return Extracted(symbols, used, imported, page.notes, nested.package)


def outline(source: bytes, path: str, language: Language, *, registered: bool = True) -> Outline:
    """Return what a file defines: the symbols and notes of `extract`, without what it uses and imports.

    registered: also find handlers that a call registers, for which some files must be parsed
    """
    page = Page(source)
    name = BY_TEXT.get(language.name)
    needs_tree = registered and name is not None and endpoints.may_call(page, language, path)
    scanned = _reader(name)(page, language) if name and not needs_tree else None
    if scanned:
        nested = nest(page, language, (), scanned.definitions)
        return Outline(_symbols(page, language, scanned.marks, nested=nested, path=path), page.notes)
    found = Captures(page, load(language.name, outline=True), language.deepest)
    return Outline(_captured_symbols(page, language, found, path)[0], page.notes)


@cache
def _reader(name: str) -> Callable[[Page, Language], Scan | Headings | Sections | None]:
    module, _, function = name.partition(".")
    reader: Callable[[Page, Language], Scan | Headings | Sections | None]
    reader = getattr(import_module(f"{__package__}.{module}"), function)
    return reader


def _captured_symbols(page: Page, language: Language, found: Captures, path: str) -> tuple[list[Symbol], Nest]:
    marks = found.marks()
    every = gather(page, language, found) + endpoints.called(page, language, path, found)
    if found.captures.get("error"):
        every += _lost(page, language, every, marks, found)
    nested = nest(page, language, marks.packages, every)
    return _symbols(page, language, marks, nested=nested, path=path), nested


def _lost(page: Page, language: Language, every: list[Definition], marks: Marks, found: Captures) -> list[Definition]:
    """Return the definitions that a syntax error hides, and note how many."""
    from recollect.code.index.lines_of_definitions import lost

    missed = lost(page, language.name, every, sorted([*marks.comments, *marks.strings]))
    page.notes += found.errors(page, len(missed))
    return missed


def _symbols(page: Page, language: Language, marks: Marks, *, nested: Nest, path: str) -> list[Symbol]:
    comments = marks.comments
    blob = normal_form.normalise(page.source, marks, language.layout)
    branches = Branches(page, marks.branches)
    comment_starts = [start for start, _ in comments]
    comment_ends = {end: start for start, end in comments}
    exposure = Exposure(page, language, marks, nested)
    trial = Trial(language.name, path)
    feeds, is_by_line = page.line_feeds, language.layout == "lines" or language.document
    symbols = []
    for each in nested.definitions:
        start, end = each.whole, each.end
        first, last = bisect_left(feeds, start) + 1, bisect_left(feeds, end - 1) + 1
        decorators = tuple([page.cut(*span).strip("@#[]") for span in each.decorators]) if each.decorators else ()
        signature = _signature(page, each, comments, comment_starts, is_by_line=is_by_line)
        is_test = trial.passes(each, decorators)
        endpoint = _endpoint(language, each, decorators) if decorators else each.endpoint
        row = (
            each.name,
            each.qualified,
            kind_of(each, signature, language.name, is_test=is_test, endpoint=endpoint),
            signature,
            _doc(page, each, language.docstrings, decorators, comment_ends),
            exposure.of(each),
            decorators,
            each.parent.place if each.parent else -1,
            first,
            last,
            page.original(start) if page.returns else start,
            page.original(end) if page.returns else end,
            branches.score(start, end, last - first + 1),
            is_test,
            endpoint,
            normal_form.digest(blob, start, each.name_start, each.name_end, end),
        )
        symbols.append(tuple.__new__(Symbol, row))
    return symbols


def _doc(
    page: Page, each: Definition, docstrings: str | None, decorators: tuple[str, ...], comments: dict[int, int]
) -> str:
    """Return the docstring, in languages that have them, or the comment above."""
    said = ""
    if docstrings is not None:
        said = doc_comments.docstring(page, each.body, docstrings) or (
            doc_comments.decorated(decorators) if decorators else ""
        )
    if comments and not said:
        said = doc_comments.above(page, each.whole, comments)
        if not said and each.start > each.whole:
            said = doc_comments.above(page, each.start, comments)
    return said


def _endpoint(language: Language, each: Definition, decorators: tuple[str, ...]) -> str | None:
    """Return the endpoint of a decorated function; a type keeps the prefix for its members."""
    prefix = (each.parent.endpoint or "") if each.parent else ""
    is_type = each.kind in TYPES
    each.endpoint = endpoints.decorated(language.name, decorators, prefix, is_type=is_type)
    return None if is_type else each.endpoint


def _signature(page: Page, each: Definition, comments: Sequence[Span], starts: list[int], *, is_by_line: bool) -> str:
    """Return a definition up to its body on one line, without comments and decorators; of a value one line."""
    start, end = each.start, each.body
    whole = page.text
    if start > 1 and whole[start - 1] == " " and whole[start - 2].isalpha():
        before = KEYWORDS.search(whole, max(0, start - 60), start)
        start = before.start() if before else start
    if end - start > SIGNATURE_CHARACTERS:
        end = start + SIGNATURE_CHARACTERS
    if each.kind == "Constant" or each.kind == "Type" or (end == each.end and is_by_line):
        feed = whole.find("\n", start, end)
        end = min(feed if feed > 0 else end, start + CONSTANT_CHARACTERS)
    text = whole[start:end]
    cuts: Sequence[Span] = []
    if starts and (first := bisect_left(starts, start)) < len(starts) and starts[first] < end:
        cuts = comments[first : bisect_left(starts, end, first)]
    if each.decorators and each.decorators[-1][1] > start:
        cuts = sorted([*cuts, *[span for span in each.decorators if span[0] >= start]])
    for begin, after in reversed(cuts):
        text = text[: begin - start] + text[after - start :]
    if not page.is_ascii:
        text = decoded(text)
    text = text.rstrip(TRAIL)
    if text.endswith(("=>", "; end")):
        text = text[:-5].rstrip(TRAIL) if text[-1] == "d" else text[:-2].rstrip(TRAIL)
    return " ".join(text.split()) if cuts or "\n" in text or "  " in text else text
