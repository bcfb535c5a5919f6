"""Writer: the scopes of a Python file while they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recollect.code.page import Page
from recollect.code.resolve.program import Do, Expression, Import, Opaque, Parameter, Scope, ScopeKind, Statement, Table
from recollect.code.symbols import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

# Inside each other; the deepest of three million lines of published code is 40, and Python itself refuses 100 blocks.
DEEPEST = 120

OPAQUE = Opaque()


class Draft:
    """A scope that is being written."""

    def __init__(self, kind: ScopeKind, name: str, place: int, parent: int, symbol: int, line: int) -> None:
        self.kind, self.name, self.place, self.parent, self.symbol, self.line = kind, name, place, parent, symbol, line
        self.parameters: list[Parameter] = []
        self.bases: list[Expression] = []
        self.decorators: list[Expression] = []
        self.body: list[Statement] = []
        self.marks: dict[str, None] = {}
        self.outer: list[str] = []
        self.globals: list[str] = []
        self.returns: Expression | None = None
        self.lambdas = 0
        # Imports of a name count once, however often a function repeats them.
        self.imported: set[Import] = set()

    def scope(self) -> Scope:
        """Return it as it is now."""
        return Scope(
            self.kind,
            self.name,
            self.symbol,
            self.parent,
            tuple(self.parameters),
            tuple(self.bases),
            (),
            tuple(self.decorators),
            tuple(self.body),
            tuple(self.marks),
            tuple(self.outer),
            tuple(self.globals),
            self.returns,
            -1,
            self.line,
        )


class Writer:
    """A file, the scopes that are written of it, and the one that is written now."""

    def __init__(self, page: Page, symbols: Sequence[Symbol]) -> None:
        self.page = page
        self.drafts: list[Draft] = []
        self.here = self.open("module", "", -1, -1, 1)
        self.depth = 0
        self.renamed: dict[str, str] = {}  # variables of comprehensions, which are nobody else's
        self.comprehensions = 0
        self._places = {(symbol.end_byte, symbol.name): place for place, symbol in enumerate(symbols)}

    def open(self, kind: ScopeKind, name: str, parent: int, symbol: int, line: int) -> Draft:
        """Return a new scope."""
        draft = Draft(kind, name, len(self.drafts), parent, symbol, line)
        self.drafts.append(draft)
        return draft

    def emit(self, statement: Statement) -> None:
        """Add a statement to the scope that is written now."""
        self.here.body.append(statement)

    def effect(self, value: Expression) -> None:
        """Keep an expression for the calls in it, if there are any."""
        if not is_idle(value):
            self.emit(Do(value))

    def text(self, node: Node) -> str:
        """Return what a node says."""
        return self.page.cut(node.start_byte, node.end_byte)

    def line(self, node: Node) -> int:
        """Return the line of a node."""
        return node.start_point[0] + 1

    def symbol(self, node: Node, name: str) -> int:
        """Return the place of the symbol that a definition makes."""
        end = self.page.original(node.end_byte) if self.page.returns else node.end_byte
        return self._places.get((end, name), -1)

    def within(self, draft: Draft, work: Callable[[], None]) -> None:
        """Write something in another scope."""
        before, renamed = self.here, self.renamed
        self.here, self.renamed = draft, dict(renamed)
        work()
        self.here, self.renamed = before, renamed


def is_idle(value: Expression) -> bool:
    """Tell whether evaluating an expression does nothing that anybody follows."""
    if isinstance(value, Opaque):
        return all(is_idle(part) for part in value.parts)
    if isinstance(value, Table):
        return all(is_idle(entry.value) for entry in value.entries)
    return type(value).__name__ in ("Name", "Text", "This", "Super", "Code")
