"""Grammar: a language's parser and query, loaded when the first file of that language comes by."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.languages import BY_NAME, Language

if TYPE_CHECKING:
    import tree_sitter


# What a pattern captures that is of no use to symbols. A pattern that captures nothing else is left out of an outline.
USES = re.compile(r"@(?:reference\.\w+|import(?:\.\w+)?|path)(?![\w.])")
QUERIES = Path(__file__).with_name("queries")
CAPTURE = re.compile(r"@[\w.]+")


class Grammar(NamedTuple):
    """What is needed to read a tree; `captures` are the names that the query gives, in the order of its file."""

    name: str
    language: tree_sitter.Language
    query: tree_sitter.Query
    captures: tuple[str, ...]


@cache
def load(name: str, *, outline: bool = False) -> Grammar:
    """Return the grammar of a language. Costs an import and the compilation of the query, once per process.

    outline: the query finds what symbols are made of and neither references nor imports
    """
    from tree_sitter import Query

    language = BY_NAME[name]
    parsed = _parsed(language.grammar, language.entry)
    query = Query(parsed, outlined(source(language)) if outline else source(language))
    return Grammar(name, parsed, query, tuple(query.capture_name(place) for place in range(query.capture_count)))


def parsed(name: str) -> tree_sitter.Language:
    """Return a language for a parser without its query, which takes most of the loading time."""
    language = BY_NAME[name]
    return _parsed(language.grammar, language.entry)


@cache
def _parsed(module: str, entry: str) -> tree_sitter.Language:
    from tree_sitter import Language as Parsed

    return Parsed(getattr(import_module(module), entry)())


def source(language: Language) -> str:
    """Return the language's query: its file, and patterns for what its row lists. A pattern is one line."""
    own = [(QUERIES / f"{stem}.scm").read_text("utf-8") for stem in language.queries or (language.name,)]
    rows = [
        (language.comments, "comment"),
        (language.strings, "string"),
        (language.directives, "directive"),
        (language.markup, "markup"),
        (language.blocks, "block"),
        (language.branches, "branch"),
    ]
    added = [f"[{' '.join(types)}] @{capture}" for types, capture in rows if types]
    return "\n".join([*own, *added, "(ERROR) @error", ""])


def outlined(query: str) -> str:
    """Return a query without the patterns that only find references and imports."""
    return "\n".join(line for line in query.splitlines() if not _is_use(line))


def _is_use(line: str) -> bool:
    captures = CAPTURE.findall(line)
    return bool(captures) and not line.startswith(";") and all(USES.fullmatch(capture) for capture in captures)
