"""A program reduced to what decides who calls whom: one small language that every source language is translated to.

    def outer(f):                    Scope(kind="function", name="outer", parameters=(Parameter("f"),), body=(
        g = f                            Assign(Name("g"), Name("f")),
        return g(1).run                  Return(Member(Call(Name("g"), (Argument(Text(1)),), line=3), "run")),
                                     ))

Only the flow of values is kept: no conditions, no arithmetic. What has no value worth following, such as the sum of two
calls, is an `Opaque` that still holds the calls. Everything is a struct written as an array, so that a program is kept
as a few kilobytes and read back in a millisecond.

The order of statements does not count: a variable holds all that it is ever given.

Adding a language is a function `source → Unit`; nothing that solves programs knows which language they were.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

Key = str | int

SHADOW = re.compile(r"~\d+$")

# A member of a type with this mark: what other files say that it implements.
IMPLEMENTED = "<implemented>"
CASE = "case"  # a mark: the function is the code of a test, which only its framework calls

ScopeKind = Literal["module", "class", "interface", "function"]


class _Part(msgspec.Struct, frozen=True, array_like=True, gc=False, omit_defaults=True):
    """A part of a program."""


# --- expressions ------------------------------------------------------------------------------------------------------


class Name(_Part, frozen=True, tag=0):
    """The value of a variable: parameter, local, enclosing function, module, builtin."""

    name: str


class Member(_Part, frozen=True, tag=1):
    """`of.name`, `of->name`, `of::name`."""

    of: Expression
    name: str
    line: int = 0


class Item(_Part, frozen=True, tag=2):
    """`of[key]`; a computed key is None, and `by` is its expression."""

    of: Expression
    key: Key | None = None
    by: Expression | None = None


class Call(_Part, frozen=True, tag=3):
    """`callee(arguments)`; `is_new` where the language says so (`new Server()`).

    line, column: of the name that is called, counted like those of references: lines from 1, characters from 0.
    is_implied: the language calls without its being written (`raise A`, `a + b`): an edge where a function of the
        program answers it, and silence where none does.
    """

    callee: Expression
    arguments: tuple[Argument, ...] = ()
    line: int = 0
    column: int = 0
    is_new: bool = False
    is_implied: bool = False


class Code(_Part, frozen=True, tag=4):
    """The function or class that is defined here: its place in `Unit.scopes`.

    A lambda is an expression, a named function a `Code` assigned to its name.
    """

    scope: int


class Table(_Part, frozen=True, tag=5):
    """A list, tuple, dictionary or object; as a target, a pattern.

    A None key stands for any; a `Spread` value brings all entries of another table. As a target, a `Spread` takes what
    is left over.
    kind: the builtin type it is an instance of, by the name its language has for it; iterating over a "dict" gives keys
    """

    entries: tuple[Entry, ...]
    kind: str = ""


class Text(_Part, frozen=True, tag=6):
    """A constant that may be a key or attribute name; "": unknown text."""

    value: Key


class Either(_Part, frozen=True, tag=7):
    """One of several: `a if c else b`, `a or b`, `a ?? b`."""

    options: tuple[Expression, ...]


class This(_Part, frozen=True, tag=8):
    """The receiver of the enclosing method, where the language has a word for it."""


class Super(_Part, frozen=True, tag=9):
    """The base of the class around: `super()`, `super`, `base`."""


class Instance(_Part, frozen=True, tag=10):
    """A value of a declared type."""

    of: Expression


class Elements(_Part, frozen=True, tag=11):
    """The values that iterating over a value yields."""

    of: Expression


class Spread(_Part, frozen=True, tag=12):
    """All entries of a table inside another: `*a`, `**a`, `...a`."""

    of: Expression


class Opaque(_Part, frozen=True, tag=13):
    """A value that is not tracked, with parts that are evaluated: `f() + g()`."""

    parts: tuple[Expression, ...] = ()


class Cast(_Part, frozen=True, tag=14):
    """A value cast to a type: `(Foo) x`, `Foo x = f()`.

    Its values are those of `of` that can be of the type: instances of the class or of what derives from it, functions,
    and what is of no known class. Where nothing is known of `of`, it is an instance of the type, as declared.
    """

    of: Expression
    to: Expression


Expression = (
    Name | Member | Item | Call | Code | Table | Text | Either | This | Super | Instance | Elements | Spread | Opaque
    | Cast
)  # fmt: skip


class Argument(_Part, frozen=True):
    """An argument of a call: by position, by name, or a `Spread`.

    declared: the type that the value has where it is written; overloads are chosen by that, whatever it turns out to be
    """

    value: Expression
    name: str | None = None
    declared: Expression | None = None


class Entry(_Part, frozen=True):
    """An entry of a table."""

    key: Key | None
    value: Expression


# --- statements -------------------------------------------------------------------------------------------------------


class Assign(_Part, frozen=True, tag=0):
    """An assignment to a `Name`, `Member`, `Item`, or `Table` of these."""

    target: Expression
    value: Expression


class Return(_Part, frozen=True, tag=1):
    """A value that the function around returns."""

    value: Expression


class Yield(_Part, frozen=True, tag=2):
    """A value that the generator around yields."""

    value: Expression


class Do(_Part, frozen=True, tag=3):
    """An expression whose value is not used."""

    value: Expression


class Import(_Part, frozen=True, tag=4):
    """A name brought in from another file; `alias` is the name it gets here.

    name: None for the module itself; `*` for all it offers. `import a.b` without alias binds `a` (Python) and loads
    a.b: the front end says so with alias "a", module "a.b" and `is_whole` False; with an alias the value is a.b itself.
    is_export: what is imported is offered to others at once: `export { x } from "./a"`, `pub use`.
    """

    module: str
    name: str | None = None
    alias: str | None = None
    level: int = 0
    line: int = 0
    is_whole: bool = True
    is_export: bool = False


class Export(_Part, frozen=True, tag=5):
    """An export; "default" and "=" (module.exports) are names, too."""

    name: str
    value: Expression


class Use(_Part, frozen=True, tag=6):
    """A use of a name, in a type or passed on; `symbol`: a constant that uses it, default: the scope does."""

    value: Expression
    line: int = 0
    symbol: int = -1


Statement = Assign | Return | Yield | Do | Import | Export | Use


# --- scopes -----------------------------------------------------------------------------------------------------------


class Parameter(_Part, frozen=True):
    """A parameter; `kind`: "" plain, "*" rest, "**" rest by name, "=" keyword only.

    declared: its declared type.
    """

    name: str
    kind: str = ""
    default: Expression | None = None
    declared: Expression | None = None


class Scope(_Part, frozen=True):
    """A module, class or function without the scopes inside of it.

    symbol: place in the file's list of symbols, -1 for what is no symbol (a lambda, the module itself)
    parent: place of the scope around it, -1 for the module
    marks: what changes how it is bound: "static", "classmethod", "property", "setter", "abstract", "constructor",
        "async", "generator", "self" (its first parameter is the receiver), "functional" (an object with one method:
        any member of it is the function itself), "module" (a class that is a module: what is inside sees its names),
        "implicit" (not written, as the accessors of a record: calls go through it and make no edge of their own),
        "shaped" (a type derives from interfaces by having their methods)
    outer_names: names that belong to the scope around (`nonlocal`), global_names: to the module (`global`)
    returns: the declared type of what it returns
    arity: how many arguments it takes, where overloads differ by that; else -1
    """

    kind: ScopeKind
    name: str
    symbol: int = -1
    parent: int = -1
    parameters: tuple[Parameter, ...] = ()
    bases: tuple[Expression, ...] = ()
    implements: tuple[Expression, ...] = ()
    decorators: tuple[Expression, ...] = ()
    body: tuple[Statement, ...] = ()
    marks: tuple[str, ...] = ()
    outer_names: tuple[str, ...] = ()
    global_names: tuple[str, ...] = ()
    returns: Expression | None = None
    arity: int = -1
    line: int = 0


class Constant(_Part, frozen=True):
    """A symbol without a scope of its own: a constant, a name of a type; its place, and the scope that holds it."""

    name: str
    symbol: int
    scope: int = 0


class Unit(_Part, frozen=True):
    """The program of one file; the first scope is the module.

    package: what the file declares it belongs to
    """

    language: str
    scopes: tuple[Scope, ...]
    package: str = ""
    constants: tuple[Constant, ...] = ()


class Unparsed(Exception):
    """A front end cannot parse a file; the message says why."""


def as_written(name: str) -> str:
    """Return a name as the source has it: front ends number shadows (`x~2`)."""
    return SHADOW.sub("", name)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[Unit, list[str]]).decode


def packed(unit: Unit, keys: Sequence[str] = ()) -> bytes:
    """Return a program and the keys of its symbols as bytes."""
    return _encode((unit, keys))


def read_program(content: bytes) -> tuple[Unit, list[str]]:
    """Return a program and the keys of its symbols from bytes."""
    return _decode(content)
