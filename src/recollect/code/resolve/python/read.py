"""Read: from the bytes of a file to its program.

tree ─► statements, expressions ─► frames ─► scopes
             │        ▲
             └► queue ┘   bodies of functions, and what lies too deep
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.code import grammar as grammars
from recollect.code.page import Page, parse
from recollect.code.resolve.nodes import by_end
from recollect.code.resolve.program import Assign, Code, Import, Member, Name, Unit, Use
from recollect.code.resolve.python import comprehension, define, expression, imports, pattern, statement
from recollect.code.resolve.python.define import SELF
from recollect.code.resolve.python.reader import Handler, Reader, grammar
from recollect.code.symbols import Symbol

READERS: tuple[tuple[str, Handler], ...] = tuple(
    {
        **expression.READERS,
        **comprehension.READERS,
        **define.READERS,
        **statement.READERS,
        **imports.READERS,
        **pattern.READERS,
    }.items()
)


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> Unit:
    """Return the program of a Python file.

    symbols: those of the same file, whose places the scopes refer to
    Never raises for the content of the file.
    """
    page = Page(source)
    parsed = grammars.parsed("python")
    tree = parse(page, "python")
    reader = Reader(page, grammar(parsed, READERS), by_end(page, symbols))
    reader.value(tree.root_node)
    while reader.queue:
        waiting = reader.queue.popleft()
        reader.frame, reader.renamed = waiting.frame, waiting.renamed
        waiting.read(reader, waiting.node)
    _use(reader)
    scopes = tuple([frame.scope() for frame in reader.frames])
    return Unit("python", scopes, notes=tuple(page.notes))


def _use(reader: Reader) -> None:
    """Write that functions are used where they are passed on: those of the file, imported ones, and methods of self."""
    top = {SELF}
    for each in reader.frames[0].body:
        if isinstance(each, Import):
            top.add(each.alias or each.name or "")
        elif isinstance(each, Assign) and isinstance(each.target, Name) and isinstance(each.value, Code):
            top.add(each.target.name)
    used: set[tuple[int, str, str]] = set()
    for frame, value, node in reader.passed:
        of, name = (value.of, value.name) if isinstance(value, Member) else (value, "")
        if not isinstance(of, Name) or of.name not in top or (of.name == SELF and not name):
            continue
        key = (frame.place, of.name, name)
        if key not in used:
            used.add(key)
            frame.body.append(Use(value, reader.line(node)))
