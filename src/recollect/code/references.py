"""References: what a file uses and where.

A reference that is a path (`a.b.c`) is cut at its last separator into receiver and name; where a grammar has no node for
the path, the query captures the name and, as @path, the node whose beginning is the receiver's. There are more
references than anything else in a file, so the loop over them is written for speed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container
from functools import cache

from recollect.code.found import Found, holders
from recollect.code.languages import BY_NAME, Language
from recollect.code.nest import Nest
from recollect.code.page import Page, decoded
from recollect.code.symbols import Reference

RECEIVER_CHARACTERS = 80  # a longer one is a chain of calls, which no resolver reads back to its end
SHORT = 20  # most receivers are no longer than this and on one line

KINDS = ("base", "call", "implements", "type", "use")  # of two that begin at the same place, the first counts
IMPLEMENTS, TYPE = KINDS.index("implements"), KINDS.index("type")

NAME = re.compile(r"[~@$#]?[\w$]+[?!]?")
FIRST = re.compile(r"[^\w$]+")

TYPE_ARGUMENTS = re.compile(r"<[^<>()]*>$")
BACKWARDS = re.compile(r"[\w.:]+$")
BACKWARDS_CHARACTERS = 80

Split = Callable[[str], tuple[str, str]]
Row = tuple[int, int, int]  # start, place of the kind in KINDS, end


def references(
    page: Page, language: Language, found: Found, *, nested: Nest, known: Container[str]
) -> list[Reference]:
    """Return the references of a file in its order; a name passed on only if `known`: defined or imported there."""
    text, feeds, edges, owners, skipped = page.text, page.line_feeds, nested.edges, nested.owners, language.words
    spans = _spans(page, language, found, known)
    paths, split, chains = _paths(found, spans), _splitter(language.name), language.chains
    looks_back = split is not None or bool(paths)
    covered = -1
    ended = set(nested.ended)  # two references that end together are one: a chain of calls begins in one place
    rows: list[Reference] = []
    new = tuple.__new__  # spares the named tuple's constructor, a Python function that is three times as slow
    for start, rank, end in spans:
        if (end in ended and rank != IMPLEMENTS) or (rank == TYPE and start < covered):
            continue
        ended.add(end)
        if split is None:
            receiver, _, name = text[start:end].rpartition(".")
        else:
            receiver, name = split(text[start:end])
        if not name.isidentifier():
            name = _tidy(name)
        if receiver:
            if rank < TYPE and "(" not in receiver:
                covered = end
            start = end - len(name) if split is None else text.rfind(name, start, end)
            if receiver[-1] in chains:
                receiver = receiver.rstrip(chains)
            if len(receiver) > SHORT:
                receiver = _short(receiver)
        elif name in skipped:
            continue
        elif looks_back:
            ended.add(start + len(name))
            if text[start - 1] in ".>:":
                receiver = _short(_before(text, paths, start, split).rstrip(chains))
        line = bisect_left(feeds, start)
        column = start - feeds[line - 1] - 1 if line else start
        row = (name, receiver, KINDS[rank], line + 1, column, owners[bisect_right(edges, start) - 1])
        rows.append(new(Reference, row))
    if page.is_ascii:
        return rows
    lines = page.wide_lines()
    return [_decoded(page, row) if row[3] in lines or not row[1].isascii() else row for row in rows]


def _spans(page: Page, language: Language, found: Found, known: Container[str]) -> list[Row]:
    """Return the references worth keeping."""
    stars = "import.star" in found.captures  # then a type that is not named in an import may still be imported
    spans: list[Row] = []
    text = page.text
    for rank, kind in enumerate(KINDS):
        nodes = found.captures.get(f"reference.{kind}")
        if not nodes:
            continue
        if kind == "use" or (kind == "type" and language.explicit and not stars):
            splits = FIRST.split if language.paths != r"\." else None
            spans += [
                (start, rank, end)
                for node in nodes
                if (path := text[(start := node.start_byte) : (end := node.end_byte)]) in known
                or (not path.isidentifier() and (splits(path, 1)[0] if splits else path.partition(".")[0]) in known)
            ]
        elif kind == "type":
            types = language.types
            spans += [
                (start, rank, end)
                for node in nodes
                if (name := text[(start := node.start_byte) : (end := node.end_byte)]) not in types and len(name) > 1
            ]
        else:
            spans += [(node.start_byte, rank, node.end_byte) for node in nodes]
    spans.sort()
    heads = _heads(language.name)
    if heads:
        spans = [
            span
            for span in spans
            if span[1] not in heads or heads[span[1]].search(text[text.rfind("\n", 0, span[0]) + 1 : span[0]])
        ]
    return spans


def _paths(found: Found, spans: list[Row]) -> dict[int, int]:
    """Return where the receiver begins, by where the name does."""
    paths = found.spans("path")
    if not paths:
        return {}
    places = holders([(start, end) for start, _, end in spans], paths)
    return {span[0]: paths[place][0] for span, place in zip(spans, places, strict=True) if place >= 0}


def _before(text: str, paths: dict[int, int], start: int, split: Split | None) -> str:
    """Return the receiver of a name that was captured without it."""
    if start in paths:
        before = TYPE_ARGUMENTS.sub("", text[paths[start] : start])
    else:  # inside a macro of Rust, where there are tokens and no tree
        match = BACKWARDS.search(text, max(0, start - BACKWARDS_CHARACTERS), start)
        before = match[0] if match else ""
    return split(before)[0] if split else before.rstrip(". \n")


@cache
def _heads(name: str) -> dict[int, re.Pattern[str]]:
    """Return by rank what must stand on the line before such a reference."""
    heads = dict(BY_NAME[name].heads)
    return {
        rank: re.compile(heads[f"reference.{kind}"])
        for rank, kind in enumerate(KINDS)
        if f"reference.{kind}" in heads
    }


@cache
def _splitter(name: str) -> Split | None:
    """Return how a path is cut into receiver and name; None where a dot is all there is."""
    paths = BY_NAME[name].paths
    if paths == r"\.":
        return None
    pattern = re.compile(rf"(.*)(?:{paths})\s*(.*)", re.DOTALL)

    def split(path: str) -> tuple[str, str]:
        if path.endswith(">") and "<" in path:
            path = path[: path.index("<")]
        match = pattern.fullmatch(path)
        return (match[1].rstrip(), match[2]) if match else ("", path)

    return split


def _tidy(name: str) -> str:
    """Return the name itself where a capture holds more: `foo<T>`, `super::x`, a line break before it."""
    match = NAME.search(name)
    return match[0] if match else name.strip()


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
