"""Definitions of a file whose grammar fails, read from its lines.

A syntax error makes tree-sitter lose what stands in and after it: one new construct of a language can hide most of a
file. Lines that begin like a definition are compared with what the tree has. A missing one ends where the indentation
does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache

from recollect.code.index.captures import Span
from recollect.code.index.definitions import Definition
from recollect.code.index.page import Page
from recollect.model import NodeKind

# Keyword → kind of what it defines.
KINDS: dict[str, NodeKind] = {
    **dict.fromkeys("fun func fn function def defp defmacro sub".split(), "Function"),
    **dict.fromkeys("class struct union enum object record actor extension defmodule".split(), "Class"),
    **dict.fromkeys("interface trait protocol".split(), "Interface"),
    **dict.fromkeys("type typealias".split(), "Type"),
    **dict.fromkeys("mod module namespace".split(), "Module"),
}
# Language → keywords that begin a definition. Languages whose functions have no keyword have their types here.
KEYWORDS = {
    "kotlin": "fun class interface object typealias",
    "swift": "func class struct enum protocol actor extension typealias",
    "rust": "fn struct enum union trait mod type",
    "go": "func type",
    "javascript": "function class",
    "typescript": "function class interface type enum namespace",
    "tsx": "function class interface type enum namespace",
    "python": "def class",
    "ruby": "def class module",
    "php": "function class interface trait enum",
    "scala": "def class object trait enum",
    "java": "class interface enum record",
    "csharp": "class interface struct enum record namespace",
    "elixir": "def defp defmacro defmodule",
    "lua": "function",
    "zig": "fn",
    "c": "struct enum union",
    "cpp": "struct class enum union namespace",
}
MODIFIERS = (
    "abstract actual annotation async case companion const data declare default enum expect export external extern "
    "fileprivate final implicit infix inline inner internal lateinit lazy local mutating native nonisolated open "
    "operator override partial private protected pub public readonly sealed static suspend synchronized tailrec unsafe "
    "value virtual"
).split()
# At the beginning of a line: a type, a name and parameters, then a body on this line or the next.
C_FUNCTION = re.compile(
    r"^[A-Za-z_][\w \t*&:<>,]{0,120}?[ \t*&]([A-Za-z_]\w*)[ \t]*\((?=[^;\n]{0,400}\)[^;)\n]{0,40}?\n?\{)", re.MULTILINE
)
C_LANGUAGES = frozenset({"c", "cpp"})
NO_FUNCTIONS = frozenset("if for while switch return else do sizeof defined".split())
# In C a type can also be named without defining it; a word in capitals before the name is a macro.
C_MACRO = r"(?:[A-Z][A-Z0-9_]{2,40}[ \t]++)?"
C_BODY = r"(?=[ \t]*+(?:final[ \t]*+)?(?:[:{<][^;\\\n]{0,300})?$)"
CLOSES = ("}", ")", "]", "end")
INDENT = re.compile(r"[ \t]*+")


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of a line that begins a definition: its keyword and its name."""
    keywords = "|".join(sorted(KEYWORDS[language].split(), key=len, reverse=True))
    modifiers = "|".join(MODIFIERS)
    macro, body = (C_MACRO, C_BODY) if language in C_LANGUAGES else ("", "")
    return re.compile(
        rf"^[ \t]*+(?:(?:{modifiers})(?:\([\w:]{{1,40}}\))?[ \t]++(?=[\w(]))*?({keywords})[ \t]++{macro}"
        rf"(?:(?:<[^<>\n]{{0,80}}>|\([^()\n]{{0,80}}\))[ \t]*+)?(?:[\w<>?]{{1,80}}[.:]{{1,2}})*+([A-Za-z_$]\w*+){body}",
        re.MULTILINE,
    )


def lost(page: Page, language: str, known: Sequence[Definition], skipped: Sequence[Span]) -> list[Definition]:
    """Return definitions that the lines of a file show and its tree lacks.

    skipped: comments and strings, in the order of the file
    """
    if language not in KEYWORDS:
        return []
    names = {each.name_start for each in known}
    starts = [start for start, _ in skipped]
    found: dict[int, Definition] = {}
    for kind, line, name in _lines(page, language):
        before = bisect_right(starts, name[0]) - 1
        if name[0] in names or (before >= 0 and skipped[before][1] > name[0]):
            continue
        feed = page.text.find("\n", name[1])
        end_of_line = feed if feed >= 0 else len(page.text)
        start = INDENT.match(page.text, line).end()  # type: ignore[union-attr]
        found[line] = Definition(start, end_of_line, kind, "", name, end_of_line)
    _set_ends(page.text, found)
    return list(found.values())


def _lines(page: Page, language: str) -> list[tuple[NodeKind, int, Span]]:
    """Return kind, start of the line and name of each line that looks like a definition."""
    seen_types = (seen for seen in _pattern(language).finditer(page.text) if seen[2] not in KINDS)
    every = [(KINDS[seen[1]], seen.start(), seen.span(2)) for seen in seen_types]
    if language in C_LANGUAGES:
        functions = (seen for seen in C_FUNCTION.finditer(page.text) if seen[1] not in NO_FUNCTIONS)
        every += [("Function", seen.start(), seen.span(1)) for seen in functions]
    return every


def _set_ends(text: str, found: dict[int, Definition]) -> None:
    """Set where the definitions end: before the next line that is not deeper, or with its closing bracket."""
    opened: list[tuple[int, Definition]] = []
    line = last = 0
    while line < len(text):
        feed = text.find("\n", line)
        end = feed if feed >= 0 else len(text)
        start = INDENT.match(text, line).end()  # type: ignore[union-attr]
        if start < end and text[start] not in "\r\n":
            indent = start - line
            while opened and opened[-1][0] >= indent:
                is_closed = opened[-1][0] == indent and text.startswith(CLOSES, start)
                opened.pop()[1].end = end if is_closed else last
            last = end
            if line in found:
                opened.append((indent, found[line]))
        line = end + 1
    for _, each in opened:
        each.end = last
