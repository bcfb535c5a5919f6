"""References of a file: the names it uses, with their receivers.

A path (`a.b.c`) is cut at its last separator into receiver and name. If a grammar has no node for the path, the query
captures the name and, as @path, the node that begins with the receiver. References outnumber everything else in a file,
so the loop over them is written for speed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Set
from functools import cache
from itertools import repeat

from recollect.code.index.captures import Captures, holders
from recollect.code.index.definitions import Nest
from recollect.code.index.languages import BY_NAME, Language
from recollect.code.index.page import Page, decoded
from recollect.code.index.symbols import Reference

RECEIVER_CHARACTERS = 80  # a longer one is a chain of calls, whose arguments are left out
CHAIN_CHARACTERS = 4_000  # a chain that is longer with its arguments is generated
PATH_CHARACTERS = 1_000  # of a longer path the two ends are read: each call of a chain is a path
SHORT = 20  # most receivers are no longer than this and on one line

# Of two references at one offset the first kind counts.
KINDS = ("base", "call", "implements", "type", "use", "word")
IMPLEMENTS = KINDS.index("implements")

# The text has one character per byte; those above ASCII count as letters.
NAME = re.compile(r"[~@$#]?[\w$\x80-\xff]+[?!]?")
NO_NAME = re.compile(r"[^\w$\x80-\xff]+")

TYPE_ARGUMENTS = re.compile(r"<[^<>()]*>$")
BRACKET = re.compile(r"([()])")
BACKWARDS = re.compile(r"[\w.:]+$")
BACKWARDS_CHARACTERS = 80
AFTER_PATH = (".", ">", ":")  # last characters of separators `.`, `->`, `::` and of type arguments

Split = Callable[[str], tuple[str, str]]
Row = tuple[int, int, int]  # start, place of the kind in KINDS, end


def references(page: Page, language: Language, found: Captures, *, nested: Nest, known: Set[str]) -> list[Reference]:
    """Return the references of a file in order; known: names defined or imported, the only ones kept as uses."""
    if not page.is_ascii:
        known = {name.encode().decode("latin-1") for name in known}
    text, feeds, edges, owners = page.text, page.line_feeds, nested.edges, nested.owners
    spans = _spans(page, language, found, nested=nested, known=known)
    split, chains = _splitter(language.name), language.chains
    before = _receivers(page, found, spans, split)
    rows: list[Reference] = []
    new = tuple.__new__  # spares the named tuple's constructor, a Python function that is three times as slow
    for start, rank, end in spans:
        path = text[start:end] if end - start < PATH_CHARACTERS else _ends(text, start, end)
        if split is None:
            receiver, _, name = path.rpartition(".")
        else:
            receiver, name = split(path)
        if not name.isidentifier():
            name = _tidy(name)
        if receiver:
            start = end - len(name) if split is None else text.rfind(name, start, end)
        elif before:
            receiver = before.get(start, "")
        if receiver and (len(receiver) > SHORT or receiver[-1] in chains):
            receiver = _short(receiver.rstrip(chains))
        line = bisect_left(feeds, start)
        column = start - feeds[line - 1] - 1 if line else start
        row = (name, receiver, KINDS[rank], line + 1, column, owners[bisect_right(edges, start) - 1])
        rows.append(new(Reference, row))
    if page.is_ascii:
        return rows
    lines = page.wide_lines()
    return [_decoded(page, row) if row[3] in lines or not row[1].isascii() else row for row in rows]


def _ends(text: str, start: int, end: int) -> str:
    """Return the beginning and the end of a long path."""
    half = PATH_CHARACTERS // 2
    return text[start : start + half] + text[end - half : end]


def _spans(page: Page, language: Language, found: Captures, *, nested: Nest, known: Set[str]) -> list[Row]:
    """Return the references worth keeping, in the order of the file."""
    spans: list[Row] = []
    for rank, kind in enumerate(KINDS):
        nodes = found.captures.get(f"reference.{kind}")
        if nodes:
            spans += _of_kind(page, language, found, rank=rank, known=known)
    spans.sort()
    heads = _heads(language.name)
    if heads:
        text = page.text
        spans = [
            span
            for span in spans
            if span[1] not in heads or heads[span[1]].search(text[text.rfind("\n", 0, span[0]) + 1 : span[0]])
        ]
    # Two that end together are one: a defined name is no reference, a type that is called is captured twice.
    ended = nested.ended - {end for _, rank, end in spans if rank == IMPLEMENTS}
    if language.paths != r"\.":
        ended |= _before_arguments(page.text, spans)
    return [span for span in spans if not (span[2] in ended or ended.add(span[2]))]  # type: ignore[func-returns-value]


def _before_arguments(text: str, spans: list[Row]) -> set[int]:
    """Return the ends of names captured with type arguments: `Cache` of `detail::Cache<Point>`."""
    return {text.find("<", start, end) for start, _, end in spans if text[end - 1] == ">"}


def _of_kind(page: Page, language: Language, found: Captures, *, rank: int, known: Set[str]) -> list[Row]:
    text, kind = page.text, KINDS[rank]
    nodes = found.captures[f"reference.{kind}"]
    # A star import may import a type that no import names.
    if kind == "use" and not language.qualifies:  # other files of the folder define names, too
        return [(node.start_byte, rank, node.end_byte) for node in nodes]
    if kind == "use" or (kind == "type" and language.explicit and "import.star" not in found.captures):
        return [
            (start, rank, end)
            for node in nodes
            if (path := text[(start := node.start_byte) : (end := node.end_byte)]) in known
            or (not path.isidentifier() and ("::" in path or NO_NAME.split(path, 1)[0] in known))
        ]
    if kind == "type":
        types = language.types
        return [
            (start, rank, end)
            for node in nodes
            if (name := text[(start := node.start_byte) : (end := node.end_byte)]) not in types
            and len(name) > 1  # a type parameter
            and text[end : end + 1] != "."  # only qualifies another
        ]
    skipped = language.words
    if not skipped:
        return [(node.start_byte, rank, node.end_byte) for node in nodes]
    return [
        (start, rank, end) for node in nodes if text[(start := node.start_byte) : (end := node.end_byte)] not in skipped
    ]


def _receivers(page: Page, found: Captures, spans: list[Row], split: Split | None) -> dict[int, str]:
    """Return the receivers of names that were captured without them, by the start of the name."""
    paths = found.spans("path")
    if not paths and split is None:
        return {}
    text = page.text
    names = [(start, end) for start, _, end in spans if text[start - 1 : start] in AFTER_PATH]
    places = holders(names, paths) if paths else repeat(-1)
    receivers = {}
    for (start, _), place in zip(names, places, strict=False):
        if place >= 0:
            before = TYPE_ARGUMENTS.sub("", text[paths[place][0] : start])
        else:  # inside a macro of Rust, where there are tokens and no tree
            match = BACKWARDS.search(text, max(0, start - BACKWARDS_CHARACTERS), start)
            before = match[0] if match else ""
        receivers[start] = split(before)[0] if split else before.rstrip(". \n")
    return receivers


@cache
def _heads(name: str) -> dict[int, re.Pattern[str]]:
    """Return by rank the pattern of the text on the line before such a reference."""
    heads = dict(BY_NAME[name].heads)
    return {
        rank: re.compile(heads[f"reference.{kind}"]) for rank, kind in enumerate(KINDS) if f"reference.{kind}" in heads
    }


@cache
def _splitter(name: str) -> Split | None:
    """Return the function that cuts a path into receiver and name; None if the separator is a dot."""
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
    """Return the name in a capture that holds more: `foo<T>`, `super::x`, a line break."""
    match = NAME.search(name)
    return match[0] if match else name.strip()


def _decoded(page: Page, row: Reference) -> Reference:
    """Return a reference decoded from UTF-8."""
    name, receiver, kind, line, column, inside = row
    start = page.line_feeds[line - 2] + 1 if line > 1 else 0
    column = len(page.cut(start, start + column))
    return Reference(decoded(name), decoded(receiver), kind, line, column, inside)


def _short(receiver: str) -> str:
    """Return a receiver on one line; a long one without the arguments of its calls, cut if it is still long."""
    if RECEIVER_CHARACTERS < len(receiver) <= CHAIN_CHARACTERS:
        receiver = _without_arguments(receiver)
    if len(receiver) > RECEIVER_CHARACTERS:
        receiver = receiver[:RECEIVER_CHARACTERS] + "..."
    return " ".join(receiver.split()) if "\n" in receiver else receiver


def _without_arguments(receiver: str) -> str:
    """Return a chain of calls with empty brackets; as it is where brackets do not match."""
    kept, depth = [], 0
    for part in BRACKET.split(receiver):
        depth -= part == ")"
        if depth == 0:
            kept.append(part)
        depth += part == "("
    return "".join(kept) if depth == 0 else receiver
