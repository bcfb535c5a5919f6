"""Names of JavaScript: which variable a name means. A program has one flat set of names per function.

let x = f;              x = f
{ let x = g; x(); }     x~2 = g; x~2()          a shadow gets a name of its own
"""

from __future__ import annotations

from recollect.code.resolve.program import Expression, Parameter, Scope, ScopeKind, Statement


class Variable:
    """A declared name: its name in the program, and the function it belongs to."""

    __slots__ = ("frame", "name")

    def __init__(self, name: str, frame: Frame) -> None:
        self.name, self.frame = name, frame


class Block:
    """The names that a pair of braces declares."""

    __slots__ = ("frame", "names", "outer")

    def __init__(self, outer: Block | None, frame: Frame) -> None:
        self.outer = outer
        self.frame = frame
        self.names: dict[str, Variable] = {}

    def find(self, name: str) -> Variable | None:
        """Return the variable that a name means here; None where nothing in the file declares it."""
        block: Block | None = self
        while block is not None:
            found = block.names.get(name)
            if found is not None:
                return found
            block = block.outer
        return None


class Frame:
    """A scope that is being written: what `Scope` says, still open."""

    __slots__ = (
        "bases", "block", "body", "counts", "global_names", "implements", "is_begun", "kind", "line", "marks", "name",
        "outer", "outer_names", "parameters", "place", "prefix", "returns", "symbol",
    )  # fmt: skip

    def __init__(self, kind: ScopeKind, name: str, *, place: int, outer: Frame | None, block: Block | None) -> None:
        self.kind: ScopeKind = kind
        self.name = name
        self.place = place
        self.outer = outer
        self.block = Block(block, self)
        self.symbol = -1
        self.line = 0
        self.parameters: list[Parameter] = []
        self.bases: list[Expression] = []
        self.implements: list[Expression] = []
        self.marks: tuple[str, ...] = ()
        self.returns: Expression | None = None
        self.body: list[Statement] = []
        self.outer_names: dict[str, None] = {}
        self.global_names: dict[str, None] = {}
        self.prefix = ""  # of the names of functions inside: an object's name, a namespace's
        self.counts: dict[str, int] = {}  # of functions without a name, and of names that are taken
        self.is_begun = False  # its body is being read: braces from here on are blocks

    def numbered(self, word: str) -> str:
        """Return `<word1>`, `<word2>`, …"""
        key = f"<{word}>"
        self.counts[key] = count = self.counts.get(key, 0) + 1
        return f"<{word}{count}>"

    def declare(self, block: Block, name: str) -> Variable:
        """Return the variable of a declaration, the same one for a second declaration in the same block."""
        found = block.names.get(name)
        if found is None:
            self.counts[name] = count = self.counts.get(name, 0) + 1
            found = block.names[name] = Variable(name if count == 1 else f"{name}~{count}", self)
        return found

    def written(self, variable: Variable) -> str:
        """Return the name to write to; a variable of a function around is noted as such."""
        if variable.frame is not self:
            self.outer_names[variable.name] = None
        return variable.name

    def scope(self) -> Scope:
        """Return the scope as written."""
        return Scope(
            kind=self.kind,
            name=self.name,
            symbol=self.symbol,
            parent=self.outer.place if self.outer else -1,
            parameters=tuple(self.parameters),
            bases=tuple(self.bases),
            implements=tuple(self.implements),
            body=tuple(self.body),
            marks=self.marks,
            outer_names=tuple(self.outer_names),
            global_names=tuple(self.global_names),
            returns=self.returns,
            line=self.line,
        )
