"""Reader: goes through a syntax tree and writes a program; what a kind of node means is in its neighbours' tables.

A node is read to the expression that it is worth; a statement writes into the scope around it and is worth nothing.
Bodies of functions wait in a queue, so that the stack stays short. What is nested too deeply waits there, too, and is
known by a name until then, so that nothing is lost.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.page import Page, decoded
from recollect.code.resolve import nodes
from recollect.code.resolve.nodes import Grammar
from recollect.code.resolve.program import (
    Assign,
    Call,
    Code,
    Do,
    Expression,
    Member,
    Name,
    Opaque,
    Parameter,
    Scope,
    ScopeKind,
    Statement,
    Super,
    Text,
)

if TYPE_CHECKING:
    import tree_sitter

Handler = Callable[["Reader", "tree_sitter.Node"], Expression]

NOTHING = Opaque()
# Levels of a tree, each of two or three Python calls: well below the thousand that a thread is given.
DEEPEST = 120
# What may be written down twice without being evaluated twice, and does nothing by itself.
PLAIN = (Name, Text, Super, Code)


class Frame:
    """A scope that is being written."""

    __slots__ = (
        "bases", "body", "decorators", "global_names", "kind", "lambdas", "line", "marks", "name", "outer_names",
        "parameters", "parent", "place", "returns", "symbol",
    )  # fmt: skip

    def __init__(self, kind: ScopeKind, name: str, place: int, parent: Frame | None) -> None:
        self.kind, self.name, self.place, self.parent = kind, name, place, parent
        self.symbol, self.line, self.lambdas = -1, 0, 0
        self.parameters: list[Parameter] = []
        self.bases: list[Expression] = []
        self.decorators: list[Expression] = []
        self.body: list[Statement] = []
        self.marks: list[str] = []
        self.outer_names: list[str] = []
        self.global_names: list[str] = []
        self.returns: Expression | None = None

    def scope(self) -> Scope:
        """Return the scope that was written."""
        return Scope(
            self.kind,
            self.name,
            symbol=self.symbol,
            parent=self.parent.place if self.parent else -1,
            parameters=tuple(self.parameters),
            bases=tuple(self.bases),
            decorators=tuple(self.decorators),
            body=tuple(self.body),
            marks=tuple(self.marks),
            outer_names=tuple(self.outer_names),
            global_names=tuple(self.global_names),
            returns=self.returns,
            line=self.line,
        )


class Late(NamedTuple):
    """A part that waits: a body, or what lies too deep, which will be the value of a name."""

    frame: Frame
    node: tree_sitter.Node
    renamed: dict[str, str]
    read: Callable[[Reader, tree_sitter.Node], None]


FIELDS = tuple(
    (
        "alias alternative argument arguments attribute body condition consequence definition function guard "
        "key left module_name name object operator operators parameters return_type right subject subscript "
        "superclasses type value"
    ).split()
)


def grammar(language: tree_sitter.Language, readers: tuple[tuple[str, Handler], ...]) -> Grammar:
    """Return how nodes of the language are read."""
    return nodes.grammar(language, readers, FIELDS, _unknown)


def _unknown(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read what has no handler, a syntax error among them, for what lies in it."""
    return r.parts(node.named_children)


class Reader:
    """A file on its way to a program."""

    def __init__(self, page: Page, grammar: Grammar, symbols: dict[tuple[int, str], int]) -> None:
        self.text = page.text
        self.is_ascii = page.is_ascii
        self.line_feeds = page.line_feeds
        self.wide = set() if page.is_ascii else page.wide_lines()
        self.handlers = grammar.handlers
        self.kinds = grammar.kinds
        self.fields = grammar.fields
        self.symbols = symbols
        self.frames: list[Frame] = []
        self.names: dict[str, Name] = {}
        self.queue: deque[Late] = deque()
        self.depth = 0
        self.temporaries = 0
        self.passed: list[tuple[Frame, Name | Member, tree_sitter.Node]] = []
        self.renamed: dict[str, str] = {}  # variables of comprehensions, which nobody else sees
        self.frame = self.open("module", "", None)

    # --- the tree ---

    def cut(self, node: tree_sitter.Node) -> str:
        """Return the text of a node."""
        text = self.text[node.start_byte : node.end_byte]
        return text if self.is_ascii else decoded(text)

    def line(self, node: tree_sitter.Node) -> int:
        """Return the line of a node; cheaper than `node.start_point`."""
        return bisect_left(self.line_feeds, node.start_byte) + 1

    def place(self, node: tree_sitter.Node) -> tuple[int, int]:
        """Return the line and the column of a node, in characters."""
        start = node.start_byte
        row = bisect_left(self.line_feeds, start)
        first = self.line_feeds[row - 1] + 1 if row else 0
        if row + 1 in self.wide:
            return row + 1, len(decoded(self.text[first:start]))
        return row + 1, start - first

    def kind(self, node: tree_sitter.Node) -> str:
        """Return what a node is called in the grammar; cheaper than `node.type`."""
        return self.kinds[node.kind_id]

    def value(self, node: tree_sitter.Node) -> Expression:
        """Return what a node is worth, and write what it does."""
        depth = self.depth
        if depth > DEEPEST:
            return self.later(node)
        self.depth = depth + 1
        found = self.handlers[node.kind_id](self, node)
        self.depth = depth
        return found

    def passed_on(self, node: tree_sitter.Node) -> Expression:
        """Return what a node is worth that somebody else gets: a name alone may be of a function, which is used so."""
        found = self.value(node)
        if isinstance(found, Name | Member):
            self.passed.append((self.frame, found, node))
        return found

    def parts(self, nodes: Iterable[tree_sitter.Node]) -> Expression:
        """Return a value that nobody follows, of parts that are evaluated."""
        return opaque([self.value(node) for node in nodes])

    def parts_of(self, node: tree_sitter.Node) -> Expression:
        """Return what the only child of a node is worth."""
        named = [child for child in node.named_children if self.kinds[child.kind_id] != "comment"]
        return self.value(named[0]) if len(named) == 1 else self.parts(named)

    def later(self, node: tree_sitter.Node) -> Expression:
        """Return a name for what will be read when the stack is short again."""
        name = Name(self.temporary())

        def read(r: Reader, node: tree_sitter.Node) -> None:
            r.emit(Assign(name, r.value(node)))

        self.wait(self.frame, node, read)
        return name

    def wait(self, frame: Frame, node: tree_sitter.Node, read: Callable[[Reader, tree_sitter.Node], None]) -> None:
        """Read a node later, as part of a scope."""
        self.queue.append(Late(frame, node, self.renamed, read))

    # --- writing ---

    def emit(self, statement: Statement) -> None:
        """Write a statement into the scope around."""
        self.frame.body.append(statement)

    def do(self, value: Expression) -> None:
        """Write an expression whose value is not used."""
        if is_worth(value):
            self.frame.body.append(Do(value))

    def emit_call(self, call: Call) -> None:
        """Write a call whose value is something else."""
        self.frame.body.append(Do(call))

    def temporary(self) -> str:
        """Return a name that no source can have."""
        self.temporaries += 1
        return f"%{self.temporaries}"

    def kept(self, value: Expression) -> Expression:
        """Return a value that can be used more than once: a name for it, unless it is plain."""
        if isinstance(value, PLAIN) or value is NOTHING:
            return value
        name = Name(self.temporary())
        self.emit(Assign(name, value))
        return name

    def name(self, name: str) -> Name:
        """Return the expression of a name; the same one for the same name."""
        if self.renamed:
            name = self.renamed.get(name, name)
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = Name(name)
        return found

    # --- scopes ---

    def open(self, kind: ScopeKind, name: str, node: tree_sitter.Node | None) -> Frame:
        """Return a new scope inside the current one."""
        frame = Frame(kind, name, len(self.frames), self.frame if self.frames else None)
        if node is not None:
            frame.line = self.line(node)
            frame.symbol = self.symbols.get((node.end_byte, name), -1)
        self.frames.append(frame)
        return frame


def opaque(values: Iterable[Expression]) -> Expression:
    """Return a value that nobody follows, of those that may do something when they are evaluated."""
    found: list[Expression] = []
    for value in values:
        if isinstance(value, Opaque):
            found += value.parts
        elif not isinstance(value, PLAIN):
            found.append(value)
    return Opaque(tuple(found)) if found else NOTHING


def is_worth(value: Expression) -> bool:
    """Return whether evaluating a value may do something: a name, a constant and a function by themselves do not."""
    if isinstance(value, Opaque):
        return bool(value.parts)
    return not isinstance(value, PLAIN)
