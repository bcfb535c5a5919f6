"""Reader of JavaScript syntax trees: scopes, which variable a name means, and types of TypeScript.

A type is an expression of what it is an instance of: `A | B` is either, `A[]` is a table of any number of them,
`Promise<A>` is A, as every promise is what it gives in the end. A type that leads to no class is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.code.index.symbols import Symbol
from recollect.code.links import program as ir
from recollect.code.links.tree_reader import NOTHING, Block, Handler, TreeReader, Variable, declared, either

if TYPE_CHECKING:
    import tree_sitter

OBJECT = "object"  # the kind of a table whose entries are all that it has


class Reader(TreeReader):
    """A JavaScript file on its way to a program.

    exports: name outside, name inside, its block
    """

    def __init__(self, source: bytes, language: str, readers: Mapping[str, Handler], symbols: Sequence[Symbol]) -> None:
        super().__init__(source, language, readers, symbols)
        self.exports: list[tuple[str, str, Block]] = []
        self.has_exports = False  # module.exports is used

    def read(self, name: str) -> ir.Name:
        """Return the value of a name where it stands."""
        variable = self.block.find(name)
        if variable is not None:
            return self.name(variable.name)
        self.has_exports = self.has_exports or name == "exports"
        return self.name(name)

    def assigned(self, name: str) -> None:
        """Note that a name is given a value: it may belong to a scope around."""
        variable = self.block.find(name)
        if variable is not None and variable.frame is not self.frame:
            self.frame.outer_names[variable.name] = None

    def declare(self, name: str, *, kind: str = "let") -> Variable:
        """Return the variable that a declaration makes; `var` belongs to the function."""
        return self.frame.declare(self.frame.block if kind == "var" else self.block, name)

    def define(self, name: str, value: ir.Expression) -> None:
        """Declare a name and assign its value."""
        self.emit(ir.Assign(self.name(self.declare(name).name), value))


def word(text: str) -> ir.Key:
    """Return the key that a text is: `o["1"]` is `o[1]`."""
    is_number = text.isdecimal() and text.isascii() and len(text) < 16 and (text == "0" or text[0] != "0")
    return int(text) if is_number else text


# --- types ---

# Types that hold one other type and read like it, or like many of it.
SAME = frozenset("Promise PromiseLike Awaited Readonly Partial Required NonNullable Omit Pick Ref".split())
MANY = frozenset("Array ReadonlyArray Set ReadonlySet Iterable Iterator AsyncIterable Generator AsyncGenerator".split())
KEYED = frozenset("Map ReadonlyMap WeakMap Record".split())

Reading = Callable[["Reader", "tree_sitter.Node"], "ir.Expression | None"]


def annotation(r: Reader, node: tree_sitter.Node | None) -> ir.Expression | None:
    """Return the type of an annotation; None where it leads to no class."""
    reading = TYPES.get(r.kind(node)) if node is not None else None
    return reading(r, node) if reading and node is not None else None


def declared_type(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    """Return the type that a declaration is annotated with."""
    return annotation(r, node.child_by_field_id(r.fields.type))


def _named(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    parts = r.cut(node).split(".")
    found: ir.Expression = r.read(parts[0].strip())
    for part in parts[1:]:
        found = ir.Member(found, part.strip())
    return found


def _any_of(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    found = either([annotated for child in node.named_children if (annotated := annotation(r, child)) is not None])
    return None if found is NOTHING else found


def _table(annotated: ir.Expression | None) -> ir.Expression | None:
    return ir.Table((ir.Entry(None, declared(annotated)),)) if annotated is not None else None


def _generic(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    name = r.child(node, r.fields.name)
    inner = r.children(node.child_by_field_id(r.fields.type_arguments))
    text = r.cut(name)
    if text in SAME:
        return annotation(r, inner[0]) if inner else None
    if text in MANY or text in KEYED:
        return _table(annotation(r, inner[-1] if text in KEYED else inner[0])) if inner else None
    return annotation(r, name)


TYPES: dict[str, Reading] = {
    **dict.fromkeys(
        ("type_identifier", "identifier", "nested_type_identifier", "nested_identifier", "member_expression"), _named
    ),
    "generic_type": _generic,
    **dict.fromkeys(("array_type", "tuple_type"), lambda r, node: _table(_any_of(r, node))),
    **dict.fromkeys(
        "union_type intersection_type type_annotation parenthesized_type readonly_type optional_type".split(), _any_of
    ),
}
