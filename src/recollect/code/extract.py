"""Extract: from the bytes of a file to its symbols, references and imports; one loop for all languages.

    bytes ─► page ─► tree ─► matches of the query ─► definitions, nested ─► symbols
                                                  └► references, imports

The tree is visited once, by the query; Python touches only what the query found.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container

from recollect.code import complexity, doc, normal
from recollect.code.found import Found, Span
from recollect.code.grammar import load
from recollect.code.languages import Language
from recollect.code.nest import Definition, Nest, nest
from recollect.code.page import Page
from recollect.code.symbols import Extracted, Import, Reference, Symbol
from recollect.code.visibility import Exposure

RECEIVER_CHARACTERS = 80  # a longer one is a chain of calls, which no resolver reads back to its end
SIGNATURE_CHARACTERS = 400
CONSTANT_CHARACTERS = 120  # a constant's value is shown where it is short


def extract(source: bytes, path: str, language: Language) -> Extracted:
    """Return what a file defines, uses and imports.

    Never raises for the content of the file: what could not be read is said in the notes.
    """
    page = Page(source)
    found = Found(page, load(language.name))
    nested = nest(page, language, found)
    symbols = _symbols(page, language, found, nested)
    imports = _imports(page, found)
    known = {symbol.name for symbol in symbols}
    known.update(each.alias or each.name or each.module for each in imports)
    references = _references(page, language, found, nested, known)
    return Extracted(symbols, references, imports, page.notes + found.errors(page), nested.package)


def _symbols(page: Page, language: Language, found: Found, nested: Nest) -> list[Symbol]:
    definitions = nested.definitions
    comments = found.spans("comment")
    form = normal.normalise(page.source, comments, found.spans("string"), language.layout)
    depths = complexity.depths([(each.start, each.end) for each in definitions], form.line_starts, form.indents)
    branches = [start for start, _ in found.spans("branch")]
    comment_starts = [start for start, _ in comments]
    comment_ends = {end: start for start, end in comments}
    exposure = Exposure(page, language, found)
    symbols = []
    for each, depth in zip(definitions, depths, strict=True):
        head = _head(page, each, comments, comment_starts)
        first, last = page.line(each.whole), page.line(each.end - 1)
        symbols.append(
            Symbol(
                each.name,
                each.qualified,
                each.kind,
                _signature(page, each, comments, comment_starts),
                doc.docstring(page, each.body) or doc.above(page, each.whole, comment_ends),
                exposure.of(each, head),
                tuple([page.cut(*span) for span in each.decorators]),
                each.parent.place if each.parent else -1,
                first,
                last,
                each.whole,
                each.end,
                complexity.score(
                    lines=last - first + 1,
                    branches=bisect_left(branches, each.end) - bisect_left(branches, each.start),
                    depth=depth,
                ),
                False,
                None,
                normal.digest(form.blob, each.whole, each.end, (each.name_start, each.name_end)),
            )
        )
    return symbols


def _head(page: Page, each: Definition, comments: list[Span], starts: list[int]) -> str:
    return page.text[each.start : each.name_start]


def _signature(page: Page, each: Definition, comments: list[Span], starts: list[int]) -> str:
    """Return the definition up to its body on one line, without comments and decorators."""
    start, end = each.start, min(each.body, each.start + SIGNATURE_CHARACTERS)
    return " ".join(page.cut(start, end).split()).rstrip(" :{")


def _imports(page: Page, found: Found) -> list[Import]:
    imports = []
    for _, matches in found.of("import"):
        for match in matches:
            parts = {name: page.cut(nodes[0].start_byte, nodes[0].end_byte) for name, nodes in match.items() if name != "import"}
            module = parts.get("module", "").strip("\"'`<>")
            level = len(module) - len(module.lstrip("."))
            line = page.line(match["import"][0].start_byte)
            imports.append(Import(module[level:], parts.get("name"), parts.get("alias"), level, "star" in parts, line))
    return sorted(imports, key=lambda each: each.line)


def _references(
    page: Page, language: Language, found: Found, nested: Nest, known: Container[str]
) -> list[Reference]:
    rows = []
    make = tuple.__new__
    for role, matches in found.of("reference"):
        kind = role.partition(".")[2]
        for match in matches:
            node = match[role][0]
            start = node.start_byte
            name = page.cut(start, node.end_byte)
            receiver = ""
            if "receiver" in match:
                node = match["receiver"][0]
                receiver = page.cut(node.start_byte, node.end_byte)
            if kind == "use" and (receiver or name) not in known or kind == "type" and name in language.types:
                continue
            line = page.line(start)
            inside = nested.owners[bisect_right(nested.edges, start) - 1]
            rows.append(make(Reference, (name, receiver, kind, line, page.column(start, line), inside)))
    return rows
