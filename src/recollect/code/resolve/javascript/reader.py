"""Reader: goes through a syntax tree and writes a program; what a kind of node means is in its neighbours' tables.

A node is read to the expression that it is worth; a statement writes into the scope around it and is worth nothing.
Bodies of functions wait in a queue until the scope around them is written: by then all of its names are known. What is
nested too deeply for the stack waits there, too, and is known by a name until then, so that nothing is lost.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.page import Page, decoded
from recollect.code.resolve import nodes
from recollect.code.resolve.javascript.binding import Block, Frame, Variable
from recollect.code.resolve.nodes import Grammar
from recollect.code.resolve.program import (
    Assign,
    Code,
    Do,
    Expression,
    Item,
    Key,
    Member,
    Name,
    Opaque,
    ScopeKind,
    Statement,
    Super,
    Text,
    This,
)

if TYPE_CHECKING:
    import tree_sitter

Handler = Callable[["Reader", "tree_sitter.Node"], Expression]

NOTHING = Opaque()
OBJECT = "object"  # the kind of a table whose entries are all that it has
# Levels of a tree, each of two or three Python calls: well below the thousand that a thread is given.
DEEPEST = 120
DIGITS = frozenset("0123456789")
# What may be written down twice without being evaluated twice.
PLAIN = (Name, Text, This, Super, Code)


class Function(NamedTuple):
    """A body that waits: `fields` are initial values that its instance gets first."""

    frame: Frame
    node: tree_sitter.Node
    fields: tuple[tuple[str, tree_sitter.Node], ...] = ()


class Late(NamedTuple):
    """A part that waits because it lies too deep; `name` will be its value."""

    frame: Frame
    block: Block
    node: tree_sitter.Node
    name: str


FIELDS = tuple(
    (
        "alias alternative argument arguments attribute body condition consequence constructor declaration decorator "
        "finalizer function handler increment index initializer kind label left module name object open_tag operator "
        "parameter parameters pattern property key return_type right source superclass type type_arguments value"
    ).split()
)


def grammar(language: tree_sitter.Language, readers: tuple[tuple[str, Handler], ...]) -> Grammar:
    """Return how nodes of the language are read."""
    return nodes.grammar(language, readers, FIELDS, _unknown)


def _unknown(r: Reader, node: tree_sitter.Node) -> Expression:
    return r.parts(node.named_children)


class Reader:
    """A file on its way to a program."""

    def __init__(self, page: Page, grammar: Grammar, symbols: dict[tuple[int, str], int]) -> None:
        self.page = page
        self.text = page.text
        self.is_ascii = page.is_ascii
        self.line_feeds = page.line_feeds
        self.handlers = grammar.handlers
        self.kinds = grammar.kinds
        self.fields = grammar.fields
        self.symbols = symbols
        self.frames: list[Frame] = []
        self.names: dict[str, Name] = {}
        self.queue: deque[Function | Late] = deque()
        self.depth = 0
        self.temporaries = 0
        self.imports: dict[str, str] = {}
        self.exports: list[tuple[str, str, Block]] = []
        self.has_exports = False  # module.exports is used
        self.hint = ""  # what the next function expression without a name is called
        self.label = ""  # … and the prefix of its name in this program
        self.is_used = True  # whether the value of the next assignment is
        self.receiver: Expression | None = None  # what `this` is, where it is no instance
        self.module = self.frame = self.open("module", "", None)
        self.block = self.frame.block

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
        begin = self.line_feeds[row - 1] + 1 if row else 0
        return row + 1, start - begin if self.is_ascii else len(decoded(self.text[begin:start]))

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

    def parts(self, nodes: Iterable[tree_sitter.Node]) -> Expression:
        """Return a value that nobody follows, of parts that are evaluated."""
        found = [part for node in nodes for part in worth(self.value(node))]
        return Opaque(tuple(found)) if found else NOTHING

    def later(self, node: tree_sitter.Node) -> Expression:
        """Return a name for what will be read when the stack is short again."""
        name = self.temporary()
        self.queue.append(Late(self.frame, self.block, node, name))
        return Name(name)

    # --- writing ---

    def emit(self, statement: Statement) -> None:
        """Write a statement into the scope around."""
        self.frame.body.append(statement)

    def do(self, value: Expression) -> None:
        """Write an expression whose value is not used."""
        if is_worth(value):
            self.frame.body.append(Do(value))

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
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = Name(name)
        return found

    # --- names ---

    def read(self, name: str) -> Expression:
        """Return the value of a name where it stands."""
        variable = self.block.find(name)
        return self.name(name if variable is None else variable.name)

    def write(self, name: str, value: Expression) -> None:
        """Give a value to the variable that a name means here; one that nothing declares belongs to all."""
        variable = self.block.find(name)
        if variable is None:
            if self.frame is not self.module:
                self.frame.global_names[name] = None
            self.emit(Assign(self.name(name), value))
        else:
            self.emit(Assign(self.name(self.frame.written(variable)), value))

    def declare(self, name: str, *, kind: str = "let", block: Block | None = None) -> Variable:
        """Return the variable that a declaration makes; `var` belongs to the function."""
        place = block or (self.frame.block if kind == "var" else self.block)
        return self.frame.declare(place, name)

    # --- scopes ---

    def open(self, kind: ScopeKind, name: str, node: tree_sitter.Node | None, *, symbol: str = "") -> Frame:
        """Return a new scope inside the current one."""
        outer = self.frame if self.frames else None
        frame = Frame(kind, name, place=len(self.frames), outer=outer, block=self.block if self.frames else None)
        if node is not None:
            frame.line = self.line(node)
            frame.symbol = self.symbols.get((node.end_byte, symbol or name), -1)
        self.frames.append(frame)
        return frame

    def enter(self, frame: Frame, block: Block | None = None) -> tuple[Frame, Block]:
        """Go on in another scope; returns where to come back to with `back`."""
        before = (self.frame, self.block)
        self.frame, self.block = frame, block or frame.block
        return before

    def back(self, before: tuple[Frame, Block]) -> None:
        """Return from a scope."""
        self.frame, self.block = before


def worth(value: Expression) -> tuple[Expression, ...]:
    """Return the parts of a value that nobody follows which may do something when they are evaluated."""
    if isinstance(value, Opaque):
        return value.parts
    return (value,) if is_worth(value) else ()


def is_worth(value: Expression) -> bool:
    """Return whether evaluating a value may do something: a name, a constant and a function by themselves do not."""
    if isinstance(value, Opaque):
        return bool(value.parts)
    return not isinstance(value, PLAIN)


def item(of: Expression, key: Expression) -> Expression:
    """Return `of[key]`: a member where the key is a word, since objects and tables are the same."""
    if isinstance(key, Text):
        return property_of(of, key.value)
    return Item(of, None, None if key is NOTHING else key)


def property_of(of: Expression, key: Key | None) -> Expression:
    """Return a property by its key."""
    return Member(of, key) if isinstance(key, str) else Item(of, key)


def number(text: str) -> Key | None:
    """Return a whole number as it would be as a key; None for others."""
    try:
        return int(text, 0) if text.isalnum() and (text[0] != "0" or len(text) == 1 or text[1] in "xXbBoO") else None
    except ValueError:
        return None


def word(text: str) -> Key:
    """Return the key that a string is: `o["1"]` is `o[1]`."""
    if text[:1] in DIGITS and text.isdecimal() and text.isascii() and (text == "0" or text[0] != "0"):
        return int(text)
    return text
