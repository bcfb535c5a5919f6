"""Read: from the bytes of a file to its program.

tree ─► statements, expressions ─► frames ─► scopes
             │        ▲
             └► queue ┘   bodies of functions, and what lies too deep
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.code import grammar as grammars
from recollect.code.languages import detect
from recollect.code.page import Page, parse
from recollect.code.resolve.javascript import classes, expression, function, markup, module, statement
from recollect.code.resolve.javascript.reader import Function, Handler, Late, Reader, grammar
from recollect.code.resolve.nodes import by_end
from recollect.code.resolve.program import Assign, Name, Unit
from recollect.code.symbols import Symbol

LANGUAGES = ("javascript", "typescript", "tsx")
HEAD_BYTES = 128  # a first line that names an interpreter
READERS: tuple[tuple[str, Handler], ...] = tuple(
    {
        **expression.READERS,
        **function.READERS,
        **classes.READERS,
        **statement.READERS,
        **module.READERS,
        **markup.READERS,
    }.items()
)


def unit(source: bytes, path: str, symbols: Sequence[Symbol], language: str = "") -> Unit:
    """Return the program of a JavaScript, TypeScript or TSX file.

    symbols: those of the same file, whose places the scopes refer to
    language: where it is not the one that the path says
    Never raises for the content of the file.
    """
    if not language:
        found = detect(path, source[:HEAD_BYTES])
        language = found.name if found is not None and found.name in LANGUAGES else LANGUAGES[0]
    page = Page(source)
    parsed = grammars.parsed(language)
    tree = parse(page, language)
    reader = Reader(page, grammar(parsed, READERS), by_end(page, symbols))
    reader.value(tree.root_node)
    while reader.queue:
        waiting = reader.queue.popleft()
        if isinstance(waiting, Function):
            function.body(reader, waiting)
        else:
            _late(reader, waiting)
    module.close(reader)
    return Unit(language, tuple([frame.scope() for frame in reader.frames]), notes=tuple(page.notes))


def _late(reader: Reader, waiting: Late) -> None:
    """Read what lay too deep, in its own scope."""
    before = reader.enter(waiting.frame, waiting.block)
    reader.emit(Assign(Name(waiting.name), reader.value(waiting.node)))
    reader.back(before)
