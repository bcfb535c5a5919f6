"""Reader of Python syntax trees: scopes, variables of comprehensions, names that are passed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.index.page import Page
from recollect.code.links import program as ir
from recollect.code.links.tree_reader import Grammar, ScopeWriter, TreeReader

if TYPE_CHECKING:
    import tree_sitter

Handler = Callable[["Reader", "tree_sitter.Node"], ir.Expression]

FIELDS = tuple(
    (
        "alias alternative arguments attribute body definition function key left module_name name object operator "
        "parameters return_type right superclasses type value"
    ).split()
)


class Frame(ScopeWriter):
    """A scope of Python; `lambdas`: how many functions without a name it has."""

    __slots__ = ("lambdas",)

    def __init__(self, kind: ir.ScopeKind, name: str, place: int, parent: Frame | None) -> None:
        super().__init__(kind, name, place, parent)
        self.lambdas = 0


class Reader(TreeReader[Frame]):
    """A Python file on its way to a program.

    renamed: variables of comprehensions
    passed: names that are passed on: of a function this is a use
    """

    def __init__(self, page: Page, grammar: Grammar, symbols: dict[tuple[int, str], int]) -> None:
        super().__init__(page, grammar, symbols)
        self.passed: list[tuple[Frame, ir.Name | ir.Member, tree_sitter.Node]] = []
        self.renamed: dict[str, str] = {}
        self.frame = self.opened(Frame("module", "", 0, None), None, "")

    def passed_on(self, node: tree_sitter.Node) -> ir.Expression:
        """Return the value of a node that is passed on."""
        found = self.value(node)
        if isinstance(found, ir.Name | ir.Member):
            self.passed.append((self.frame, found, node))
        return found

    def wait(self, read: Callable[[], object], frame: Frame | None = None) -> None:
        """Read something later, as part of a scope; default: the current one."""
        target, renamed = frame or self.frame, self.renamed
        if renamed:
            own = {parameter.name for parameter in target.parameters} if frame else ()
            renamed = {name: other for name, other in renamed.items() if name not in own}

        def resume() -> None:
            self.frame, self.renamed = target, renamed
            read()

        self.queue.append(resume)

    def name(self, name: str) -> ir.Name:
        """Return the expression of a name; the same one for the same name."""
        return super().name(self.renamed.get(name, name) if self.renamed else name)

    def open(self, kind: ir.ScopeKind, name: str, node: tree_sitter.Node | None) -> Frame:
        """Return a new scope inside the current one."""
        return self.opened(Frame(kind, name, len(self.frames), self.frame), node, name)
