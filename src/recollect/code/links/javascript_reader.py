"""Reader of JavaScript syntax trees: scopes, and which variable a name means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.index.page import Page
from recollect.code.links.program import Assign, Expression, Item, Key, Member, ScopeKind, Text
from recollect.code.links.tree_reader import NOTHING, Block, BlockFrame, BlockReader, Grammar, Variable

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


class Frame(BlockFrame):
    """A scope of JavaScript.

    prefix: of the names of functions inside: an object's name, a namespace's
    is_begun: its body is being read: braces from here on are blocks
    """

    __slots__ = ("is_begun", "prefix")

    def __init__(self, kind: ScopeKind, name: str, place: int, parent: Frame | None, block: Block | None) -> None:
        super().__init__(kind, name, place, parent, block)
        self.prefix = ""
        self.is_begun = False


class Reader(BlockReader[Frame]):
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
