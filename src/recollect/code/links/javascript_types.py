"""Types of TypeScript as expressions of what they are instances of.

`A | B` is either, `Promise<A>` is A (`await` of what is no promise gives it as it is), `A[]` is a table of any number
of them. A type that leads to no class is None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.links.program import Entry, Expression, Member, Table
from recollect.code.links.tree_reader import NOTHING, declared, either

if TYPE_CHECKING:
    import tree_sitter

    from recollect.code.links.javascript_reader import Reader

# Types that hold one other type and read like it, or like many of it.
SAME = frozenset("Promise PromiseLike Awaited Readonly Partial Required NonNullable Omit Pick Ref".split())
MANY = frozenset("Array ReadonlyArray Set ReadonlySet Iterable Iterator AsyncIterable Generator AsyncGenerator".split())
KEYED = frozenset("Map ReadonlyMap WeakMap Record".split())

Reading = Callable[["Reader", "tree_sitter.Node"], "Expression | None"]


def annotation(r: Reader, node: tree_sitter.Node) -> Expression | None:
    """Return the type of an annotation; None where it leads to no class."""
    reading = TYPES.get(r.kind(node))
    return reading(r, node) if reading else None


def _name(r: Reader, node: tree_sitter.Node) -> Expression | None:
    return r.read(r.cut(node))


def _nested(r: Reader, node: tree_sitter.Node) -> Expression | None:
    parts = r.cut(node).split(".")
    found: Expression = r.read(parts[0].strip())
    for part in parts[1:]:
        found = Member(found, part.strip())
    return found


def _inner(r: Reader, node: tree_sitter.Node) -> Expression | None:
    children = node.named_children
    return annotation(r, children[0]) if children else None


def _any_of(r: Reader, node: tree_sitter.Node) -> Expression | None:
    found = either([annotated for child in node.named_children if (annotated := annotation(r, child)) is not None])
    return None if found is NOTHING else found


def _table(annotated: Expression | None) -> Expression | None:
    return Table((Entry(None, declared(annotated)),)) if annotated is not None else None


def _generic(r: Reader, node: tree_sitter.Node) -> Expression | None:
    name = r.child(node, r.fields.name)
    inner = r.children(node.child_by_field_id(r.fields.type_arguments))
    text = r.cut(name)
    if text in SAME:
        return annotation(r, inner[0]) if inner else None
    if text in MANY or text in KEYED:
        return _table(annotation(r, inner[-1] if text in KEYED else inner[0])) if inner else None
    return annotation(r, name)


TYPES: dict[str, Reading] = {
    "type_identifier": _name,
    "identifier": _name,
    "nested_type_identifier": _nested,
    "nested_identifier": _nested,
    "member_expression": _nested,
    "generic_type": _generic,
    "type_annotation": _inner,
    "parenthesized_type": _inner,
    "readonly_type": _inner,
    "optional_type": _inner,
    "array_type": lambda r, node: _table(_any_of(r, node)),
    "tuple_type": lambda r, node: _table(_any_of(r, node)),
    "union_type": _any_of,
    "intersection_type": _any_of,
}
