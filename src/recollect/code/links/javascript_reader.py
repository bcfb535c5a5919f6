"""Reader of JavaScript syntax trees: scopes, and which variable a name means.

A program has one flat set of names per function, so a shadow gets a name of its own:

    let x = f;              x = f
    { let x = g; x(); }     x~2 = g; x~2()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.index.page import Page
from recollect.code.links.program import Assign, Expression, Item, Key, Member, ScopeKind, Text
from recollect.code.links.tree_reader import NOTHING, Grammar, ScopeWriter, TreeReader

if TYPE_CHECKING:
    import tree_sitter

Handler = Callable[["Reader", "tree_sitter.Node"], Expression]

OBJECT = "object"  # the kind of a table whose entries are all that it has
DIGITS = frozenset("0123456789")
FIELDS = tuple(
    (
        "alias alternative arguments body condition consequence constructor declaration function index kind left name "
        "object open_tag operator parameter parameters pattern property key return_type right source type "
        "type_arguments value"
    ).split()
)


class Variable(NamedTuple):
    """A declared name: its name in the program, and the function it belongs to."""

    name: str
    frame: Frame


class Block:
    """The names that a pair of braces declares."""

    __slots__ = ("names", "outer")

    def __init__(self, outer: Block | None) -> None:
        self.outer = outer
        self.names: dict[str, Variable] = {}

    def find(self, name: str) -> Variable | None:
        """Return the variable that a name means here; None if undeclared."""
        block: Block | None = self
        while block is not None:
            found = block.names.get(name)
            if found is not None:
                return found
            block = block.outer
        return None


class Frame(ScopeWriter):
    """A scope of JavaScript.

    prefix: of the names of functions inside: an object's name, a namespace's
    counts: of functions without a name, and of names that are taken
    is_begun: its body is being read: braces from here on are blocks
    """

    __slots__ = ("block", "counts", "is_begun", "prefix")

    def __init__(self, kind: ScopeKind, name: str, place: int, parent: Frame | None, block: Block | None) -> None:
        super().__init__(kind, name, place, parent)
        self.block = Block(block)
        self.prefix = ""
        self.counts: dict[str, int] = {}
        self.is_begun = False

    def numbered(self, word: str) -> str:
        """Return `<word1>`, `<word2>`, …"""
        key = f"<{word}>"
        self.counts[key] = count = self.counts.get(key, 0) + 1
        return f"<{word}{count}>"

    def declare(self, block: Block, name: str) -> Variable:
        """Return the variable of a declaration, one per name and block."""
        found = block.names.get(name)
        if found is None:
            self.counts[name] = count = self.counts.get(name, 0) + 1
            found = block.names[name] = Variable(name if count == 1 else f"{name}~{count}", self)
        return found


class Reader(TreeReader[Frame]):
    """A JavaScript file on its way to a program.

    imports: names of modules that are required inside of expressions; exports: name outside, name inside, its block
    hint, label: name of the next function expression without one, and the same with its prefix
    is_used: whether the value of the next assignment is; receiver: what `this` is, where it is no instance
    """

    def __init__(self, page: Page, grammar: Grammar, symbols: dict[tuple[int, str], int]) -> None:
        super().__init__(page, grammar, symbols)
        self.imports: dict[str, str] = {}
        self.exports: list[tuple[str, str, Block]] = []
        self.has_exports = False  # module.exports is used
        self.hint = self.label = ""
        self.is_used = True
        self.receiver: Expression | None = None
        self.module = self.frame = self.opened(Frame("module", "", 0, None, None), None, "")
        self.block = self.frame.block

    def wait(self, read: Callable[[], object]) -> None:
        """Read something later, in the current scope and block."""
        frame, block = self.frame, self.block

        def resume() -> None:
            before = self.enter(frame, block)
            read()
            self.back(before)

        self.queue.append(resume)

    # --- names ---

    def read(self, name: str) -> Expression:
        """Return the value of a name where it stands."""
        variable = self.block.find(name)
        return self.name(name if variable is None else variable.name)

    def written(self, name: str) -> Expression:
        """Return the target of an assignment to a name; an undeclared one is global."""
        variable = self.block.find(name)
        if variable is None:
            if self.frame is not self.module:
                self.frame.global_names[name] = None
            return self.name(name)
        if variable.frame is not self.frame:
            self.frame.outer_names[variable.name] = None
        return self.name(variable.name)

    def write(self, name: str, value: Expression) -> None:
        """Assign a value to the variable that a name means here."""
        self.emit(Assign(self.written(name), value))

    def declare(self, name: str, *, kind: str = "let") -> Variable:
        """Return the variable that a declaration makes; `var` belongs to the function."""
        return self.frame.declare(self.frame.block if kind == "var" else self.block, name)

    # --- scopes ---

    def open(self, kind: ScopeKind, name: str, node: tree_sitter.Node, *, symbol: str = "") -> Frame:
        """Return a new scope inside the current one."""
        return self.opened(Frame(kind, name, len(self.frames), self.frame, self.block), node, symbol or name)

    def enter(self, frame: Frame, block: Block | None = None) -> tuple[Frame, Block]:
        """Go on in another scope; returns where to come back to with `back`."""
        before = (self.frame, self.block)
        self.frame, self.block = frame, block or frame.block
        return before

    def back(self, before: tuple[Frame, Block]) -> None:
        """Return from a scope."""
        self.frame, self.block = before


def item(of: Expression, key: Expression) -> Expression:
    """Return `of[key]`; a key that is a word means a member."""
    if not isinstance(key, Text):
        return Item(of, None, None if key is NOTHING else key)
    return Member(of, key.value) if isinstance(key.value, str) else Item(of, key.value)


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
