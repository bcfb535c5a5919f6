"""References: what a file uses and where, and what it imports.

A reference that is a path (`a.b.c`) is cut at its last separator into receiver and name. There are more references than
anything else in a file, so the loop over them is written for speed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container

from recollect.code.found import Found, holders
from recollect.code.languages import Language
from recollect.code.nest import Nest
from recollect.code.page import Page, decoded
from recollect.code.symbols import Import, Reference

RECEIVER_CHARACTERS = 80  # a longer one is a chain of calls, which no resolver reads back to its end

KINDS = ("call", "base", "implements", "type", "use")

def references(
    page: Page, language: Language, found: Found, *, nested: Nest, known: Container[str]
) -> list[Reference]:
    """Return the references of a file in its order; a name passed on only if `known`: defined or imported there."""
    text, feeds, edges, owners = page.text, page.line_feeds, nested.edges, nested.owners
    rows: list[Reference] = []
    new = tuple.__new__  # spares the named tuple's constructor, a Python function that is three times as slow
    for start, end, kind in _spans(text, language, found, known):
        receiver, _, name = text[start:end].rpartition(".")
        if receiver:
            start = end - len(name)
            if len(receiver) > 20:
                receiver = _short(receiver)
        line = bisect_left(feeds, start)
        column = start - feeds[line - 1] - 1 if line else start
        rows.append(new(Reference, (name, receiver, kind, line + 1, column, owners[bisect_right(edges, start) - 1])))
    if page.is_ascii:
        return rows
    lines = page.wide_lines()
    return [_decoded(page, row) if row[3] in lines else row for row in rows]


def _spans(text: str, language: Language, found: Found, known: Container[str]) -> list[tuple[int, int, str]]:
    """Return (start, end, kind) of the references worth keeping."""
    spans: list[tuple[int, int, str]] = []
    types = language.types
    for kind in KINDS:
        nodes = found.captures.get(f"reference.{kind}")
        if not nodes:
            continue
        if kind == "use":
            spans += [
                (start, end, kind)
                for node in nodes
                if text[(start := node.start_byte) : (end := node.end_byte)].partition(".")[0] in known
            ]
        elif kind == "type":
            spans += [
                (start, end, kind)
                for node in nodes
                if text[(start := node.start_byte) : (end := node.end_byte)] not in types
            ]
        else:
            spans += [(node.start_byte, node.end_byte, kind) for node in nodes]
    spans.sort()
    return spans


def _decoded(page: Page, row: Reference) -> Reference:
    """Return a reference with characters for bytes."""
    name, receiver, kind, line, column, inside = row
    start = page.line_feeds[line - 2] + 1 if line > 1 else 0
    column = len(page.cut(start, start + column))
    return Reference(decoded(name), decoded(receiver), kind, line, column, inside)


def _short(receiver: str) -> str:
    """Return a receiver on one line, or its beginning where it is long."""
    if len(receiver) > RECEIVER_CHARACTERS:
        receiver = receiver[:RECEIVER_CHARACTERS] + "..."
    return " ".join(receiver.split()) if "\n" in receiver else receiver


def imports(page: Page, found: Found) -> list[Import]:
    """Return the imports of a file in the order of the file.

    A statement's names come from its one module; without names, each of its modules is imported as such. An alias
    belongs to the name or module before it.
    """
    statements = found.spans("import")
    if not statements:
        return []
    parts: list[tuple[int, int, str]] = []
    for role in ("module", "name", "alias", "star"):
        parts += [(start, end, role) for start, end in found.spans(f"import.{role}")]
    parts.sort()
    held: dict[int, list[tuple[str, str]]] = {}
    for (start, end, role), place in zip(parts, holders([part[:2] for part in parts], statements), strict=True):
        held.setdefault(place, []).append((role, page.cut(start, end)))
    held.pop(-1, None)
    rows: list[Import] = []
    for place, pieces in held.items():
        rows += _statement(pieces, page.line(statements[place][0]))
    return rows


def _statement(pieces: list[tuple[str, str]], line: int) -> list[Import]:
    modules: list[list[str | None]] = []
    names: list[list[str | None]] = []
    star = False
    last: list[str | None] = []
    for role, text in pieces:
        if role == "alias":
            last[1:] = [text]
        elif role == "star":
            star = True
        else:
            last = [text, None]
            (modules if role == "module" else names).append(last)
    if not modules:
        modules = [["", None]]
    if names or star:
        module, level = _module(modules[0][0])
        rows = [Import(module, name, alias, level, False, line) for name, alias in names]
        return rows + [Import(module, None, None, level, True, line)] * star
    return [Import(*(named := _module(name))[:1], None, alias, named[1], False, line) for name, alias in modules]


def _module(text: str | None) -> tuple[str, int]:
    """Return a module's name without quotes, and how many dots it began with."""
    plain = (text or "").strip("\"'`<>")
    named = plain.lstrip(".")
    return named, len(plain) - len(named)
