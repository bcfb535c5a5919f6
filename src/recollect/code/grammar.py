"""Grammar: a language's parser and query, loaded when the first file of that language comes by."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.languages import BY_NAME, Language

if TYPE_CHECKING:
    import tree_sitter

CAPTURE = re.compile(r"@([a-z_.]+)")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|;[^\n]*')
# What a pattern is for: the one of its captures that is on this list. The others describe it.
ROLES = ("definition", "scope", "reference", "import", "package", "decorator", "access", "export", "documentation")
ADDED = ("comment", "string", "branch", "error")


class Grammar(NamedTuple):
    """What is needed to read a tree; `roles` says what each pattern of the query is for."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    roles: tuple[str, ...]


@cache
def load(name: str) -> Grammar:
    """Return the grammar of a language. Costs an import and the compilation of the query, once per process."""
    from tree_sitter import Language as Parsed
    from tree_sitter import Query

    language = BY_NAME[name]
    parsed = Parsed(getattr(import_module(language.grammar), language.entry)())
    query = Query(parsed, source(language))
    text = source(language).encode()
    patterns = [
        text[query.start_byte_for_pattern(place) : query.end_byte_for_pattern(place)].decode()
        for place in range(query.pattern_count)
    ]
    return Grammar(parsed, query, tuple(map(role, patterns)))


def source(language: Language) -> str:
    """Return the language's query: its file, and patterns for what its row lists."""
    own = files("recollect.code").joinpath("queries", f"{language.query or language.name}.scm").read_text("utf-8")
    rows = [
        (" ".join(language.comments), "comment"),
        (" ".join(language.strings), "string"),
        (" ".join(language.branches), "branch"),
    ]
    added = [f"[{types}] @{capture}" for types, capture in rows if types]
    return "\n".join([own, *added, "(ERROR) @error", "(MISSING) @error", ""])


def role(pattern: str) -> str:
    """Return what a pattern of a query file is for: `definition.class`, `reference.call`, `import` …"""
    captures = CAPTURE.findall(QUOTED.sub("", pattern))
    return next(name for name in captures if name.split(".")[0] in ROLES + ADDED)
