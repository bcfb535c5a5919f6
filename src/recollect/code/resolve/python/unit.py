"""Unit: the program of a Python file."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.code import grammar as grammars
from recollect.code.page import Page, parse
from recollect.code.resolve.program import Unit
from recollect.code.resolve.python.statement import block
from recollect.code.resolve.python.writer import Writer
from recollect.code.symbols import Symbol


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> Unit:
    """Return the program of a Python file.

    symbols: those of the same file, whose places the scopes refer to. Never raises for the content of the file.
    """
    page = Page(source)
    tree = parse(page, grammars.load("python", outline=True).language)
    writer = Writer(page, symbols)
    block(writer, [tree.root_node])
    return Unit("python", tuple([draft.scope() for draft in writer.drafts]), notes=tuple(dict.fromkeys(page.notes)))
