"""Nodes: how those of a syntax tree are read, by the numbers of their kinds; and which symbol a definition is.

What a node is called costs a text each time it is asked; its number costs nothing. So handlers lie in a list by number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.code.index.page import Page
from recollect.code.index.symbols import Symbol
from recollect.code.resolve.program import Expression

if TYPE_CHECKING:
    import tree_sitter

ERROR_KIND = 0xFFFF  # the number of a node that is a syntax error; those of a grammar count from 0

# (a reader of the language, a node) → what the node is worth
Handler = Callable[[Any, "tree_sitter.Node"], Expression]


class Fields:
    """The numbers of a grammar's fields, as attributes by their names."""

    def __init__(self, language: tree_sitter.Language, names: Sequence[str]) -> None:
        for name in names:
            setattr(self, name, language.field_id_for_name(name) or 0)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> int: ...


class Grammar(NamedTuple):
    """How nodes of a language are read: a handler and a name by number of kind, and numbers of fields."""

    handlers: list[Handler]
    kinds: list[str]
    fields: Fields


@cache
def grammar(
    language: tree_sitter.Language,
    readers: tuple[tuple[str, Handler], ...],
    fields: tuple[str, ...],
    unknown: Handler,
) -> Grammar:
    """Return the table of a language, made once per process; `unknown` reads what has no handler, and errors."""
    kinds = [language.node_kind_for_id(place) or "" for place in range(language.node_kind_count)]
    named = [language.node_kind_is_named(place) for place in range(language.node_kind_count)]
    table = dict(readers)
    handlers = [table.get(kind, unknown) if known else unknown for kind, known in zip(kinds, named, strict=True)]
    beyond = ERROR_KIND + 1 - len(kinds)
    return Grammar(handlers + [unknown] * beyond, kinds + ["ERROR"] * beyond, Fields(language, fields))


def by_end(page: Page, symbols: Sequence[Symbol]) -> dict[tuple[int, str], int]:
    """Return the symbols by where they end and what they are called; of several that agree the innermost."""
    return {
        (_plain(page, symbol.end_byte) if page.returns else symbol.end_byte, symbol.name): place
        for place, symbol in enumerate(symbols)
    }


def _plain(page: Page, offset: int) -> int:
    """Return where an offset of the file is in the text, which has no \\r: what `Page.original` came from."""
    low, high = 0, offset
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if page.original(middle) < offset else (low, middle)
    return low
