"""Grammar: a language's parser and query, loaded when the first file of that language comes by."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.languages import BY_NAME, Language

if TYPE_CHECKING:
    import tree_sitter


class Grammar(NamedTuple):
    """What is needed to read a tree; `captures` are the names that the query gives, in the order of its file."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    captures: tuple[str, ...]


@cache
def load(name: str) -> Grammar:
    """Return the grammar of a language. Costs an import and the compilation of the query, once per process."""
    from tree_sitter import Language as Parsed
    from tree_sitter import Query

    language = BY_NAME[name]
    parsed = Parsed(getattr(import_module(language.grammar), language.entry)())
    query = Query(parsed, source(language))
    return Grammar(parsed, query, tuple(query.capture_name(place) for place in range(query.capture_count)))


def source(language: Language) -> str:
    """Return the language's query: its file, and patterns for what its row lists."""
    folder = files("recollect.code").joinpath("queries")
    own = [folder.joinpath(f"{stem}.scm").read_text("utf-8") for stem in language.queries or (language.name,)]
    rows = [
        (language.comments, "comment"),
        (language.strings, "string"),
        (language.blocks, "block"),
        (language.branches, "branch"),
    ]
    added = [f"[{' '.join(types)}] @{capture}" for types, capture in rows if types]
    return "\n".join([*own, *added, "(ERROR) @error", ""])
