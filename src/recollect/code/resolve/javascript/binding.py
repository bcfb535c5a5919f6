"""Binding: which variable a name means, and which of its values where it is read.

Blocks, hoisting and closures are resolved here, so that a program has one flat set of names per function:

    let x = f;              x = f
    { let x = g; x(); }     x~2 = g; x~2()          a shadow gets a name of its own
    x = h; x();             x@2 = h; x@2()          every write after the first makes a version
    if (c) x = k;           x@3 = k
    x();                    x@4 = x@2 | x@3; x@4()  where ways meet, the versions do
    () => x()               x@* ()                  a closure may run at any time: it sees them all

A variable that closures write to has one set of values, whatever the order: its versions are made equal in the end.
Loops lead the last version of their body back to the one they began with. Labels are taken as the nearest loop.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.code.resolve.program import Assign, Either, Expression, Name, Parameter, Scope, ScopeKind, Statement

Versions = dict["Variable", str]


class Variable:
    """A declared name: its name in the program, the function it belongs to, and the names of its later versions."""

    __slots__ = ("frame", "is_constant", "is_shared", "name", "versions", "writes")

    def __init__(self, name: str, frame: Frame, *, is_constant: bool) -> None:
        self.name = name
        self.frame = frame
        self.is_constant = is_constant
        self.is_shared = False  # written by a closure
        self.writes = 0
        self.versions: list[str] = []

    @property
    def any(self) -> str:
        """The name that stands for all versions."""
        return f"{self.name}@*" if self.versions else self.name


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
    """A scope that is being written: what `Scope` says, still open, and the flow of versions through it."""

    __slots__ = (
        "bases", "block", "body", "counts", "exits", "global_names", "implements", "is_begun", "is_over", "kind",
        "line", "marks", "name", "outer", "outer_names", "parameters", "place", "prefix", "returns", "symbol",
        "versioned", "versions", "ways",
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
        self.versioned: list[Variable] = []
        self.versions: Versions = {}
        self.is_over = False  # nothing after this is reached
        self.is_begun = False  # its body is being read: braces from here on are blocks
        self.ways: list[tuple[int, int, bool]] = []
        self.exits: list[list[Versions]] = []  # versions at the jumps out of each statement around

    # --- names ---

    def fresh(self, name: str) -> str:
        """Return the name itself the first time, `name~2` the second."""
        self.counts[name] = count = self.counts.get(name, 0) + 1
        return name if count == 1 else f"{name}~{count}"

    def numbered(self, word: str) -> str:
        """Return `<word1>`, `<word2>`, …"""
        key = f"<{word}>"
        self.counts[key] = count = self.counts.get(key, 0) + 1
        return f"<{word}{count}>"

    def declare(self, block: Block, name: str, *, is_constant: bool = False) -> Variable:
        """Return the variable of a declaration, the same one for a second declaration in the same block."""
        found = block.names.get(name)
        if found is None:
            found = block.names[name] = Variable(self.fresh(name), self, is_constant=is_constant)
        return found

    def written(self, variable: Variable, *, is_late: bool = False) -> str:
        """Return the name to write to."""
        variable.writes += 1
        if variable.frame is not self:
            variable.is_shared = True
            self.outer_names[variable.name] = None
            return variable.name
        if variable.writes == 1 or variable.is_constant:
            return variable.name
        if is_late:
            variable.is_shared = True
            return variable.name
        return self._next(variable)

    def _next(self, variable: Variable) -> str:
        if not variable.versions:
            self.versioned.append(variable)
        name = f"{variable.name}@{len(variable.versions) + 2}"
        variable.versions.append(name)
        self.versions[variable] = name
        return name

    # --- ways that part and meet ---

    def join(self, ways: Iterable[tuple[Versions, bool]]) -> None:
        """Go on from where several ways meet; those that are over do not get there."""
        every = list(ways)
        live = [versions for versions, is_over in every if not is_over]
        self.is_over = not live
        self.versions = dict(live[0] if live else every[0][0])
        for variable in dict.fromkeys([variable for versions in (*live[1:], self.versions) for variable in versions]):
            names = list(dict.fromkeys([versions.get(variable, variable.name) for versions in live]))
            if len(names) > 1:
                met = self._next(variable)
                self.body.append(Assign(Name(met), Either(tuple([Name(name) for name in names]))))

    def unsure(self, start: int, *, is_repeated: bool = False) -> None:
        """Say that what was written from a place on may not happen, or more than once."""
        if len(self.body) > start:
            self.ways.append((start, len(self.body), is_repeated))

    def lead_back(self, entry: Versions) -> None:
        """Make the versions that a loop began with hold what its body ends with, too."""
        for variable, name in self.versions.items():
            begun = entry.get(variable, variable.name)
            if begun != name and variable.frame is self:
                self.body.append(Assign(Name(begun), Name(name)))

    def jump(self) -> None:
        """Leave the nearest statement that can be left: what holds here holds after it."""
        if self.exits and not self.is_over:
            self.exits[-1].append(dict(self.versions))
        self.is_over = True

    # --- the end ---

    def close(self) -> None:
        """Say what closures see of the variables that have versions."""
        for variable in self.versioned:
            every = tuple([Name(name) for name in (variable.name, *variable.versions)])
            self.body.append(Assign(Name(variable.any), Either(every)))
            if variable.is_shared:
                self.body += [Assign(name, Name(variable.any)) for name in every]

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
            ways=tuple(self.ways),
        )
