"""Records of a source file: symbols, references and imports.

A file of ten thousand lines yields tens of thousands of these, so they are named tuples, the cheapest records of
Python. Lines count from 1, columns (in characters) and bytes from 0. Ends are exclusive, but `end_line` is the last
line of the symbol.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from recollect.model import NodeKind

Visibility = Literal["public", "protected", "internal", "private"]
# word: a call without brackets, or a variable
ReferenceKind = Literal["call", "base", "implements", "use", "type", "word"]


class Symbol(NamedTuple):
    """A definition, from its first decorator to its last byte.

    Two symbols of a file may share a qualified name: overloads, a property and its setter, a redefinition.
    """

    name: str
    qualified: str  # through all parents and the declared package: `Server.start`, `net::Server::start`
    kind: NodeKind
    signature: str  # on one line, without body and decorators
    doc: str  # the first paragraph of the docstring or of the comment above
    visibility: Visibility
    decorators: tuple[str, ...]  # as written, without `@` or `#[ ]`
    parent: int  # place of the enclosing symbol in the list, -1 at the top
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    complexity: float  # see symbol_properties.level
    test: bool  # a test itself, not merely code of a test folder
    endpoint: str | None  # "GET /users/{id}"
    hash: str  # of the code without comments, white space and the symbol's own name, see normal_form.digest


def is_declared(source: bytes, symbol: Symbol) -> bool:
    """Tell whether a symbol is a module that is another file: `mod server;` of Rust."""
    return symbol.kind == "Module" and source[symbol.end_byte - 1 : symbol.end_byte] == b";"


class Reference(NamedTuple):
    """A name used: called, derived from, implemented, passed on, or named as a type."""

    name: str
    receiver: str  # text before the name, or "": `self.store` of `self.store.get()`
    kind: ReferenceKind
    line: int
    column: int
    inside: int  # place of the innermost symbol around it, -1 at the top of the file


class Import(NamedTuple):
    """One imported name; `from a import b, c` makes two."""

    module: str
    name: str | None  # None: the module itself
    alias: str | None
    level: int  # leading dots of a relative import in Python, else 0
    star: bool
    line: int


class Outline(NamedTuple):
    """The symbols of a file; notes: what could not be read."""

    symbols: list[Symbol]
    notes: list[str]


class Extracted(NamedTuple):
    """Symbols, references and imports of a file; notes: what could not be read."""

    symbols: list[Symbol]
    references: list[Reference]
    imports: list[Import]
    notes: list[str]
    package: str = ""  # the package or namespace that the file declares
