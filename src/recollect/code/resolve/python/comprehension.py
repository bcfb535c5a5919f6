"""Comprehension: a table of what an expression gives for all elements of another.

Its variables are its own: they get names that nothing else has. What it does is written before the statement around.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.resolve.program import Assign, Elements, Entry, Expression, Table
from recollect.code.resolve.python.reader import NOTHING, Handler, Reader
from recollect.code.resolve.python.target import names_of, target

if TYPE_CHECKING:
    import tree_sitter

KINDS = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "generator_expression": "generator",
    "dictionary_comprehension": "dict",
}


def comprehension(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a comprehension."""
    body = node.child_by_field_id(r.fields.body)
    before = r.renamed
    for child in node.named_children:
        kind = r.kind(child)
        if kind == "for_in_clause":
            _for(r, child)
        elif kind == "if_clause":
            r.do(r.parts(child.named_children))
    kind = KINDS[r.kind(node)]
    entry = _value(r, body) if body is not None else NOTHING
    r.renamed = before
    line, column = r.place(node)
    return Table((Entry(None, entry),) if entry is not NOTHING else (), line, column, kind)


def _for(r: Reader, node: tree_sitter.Node) -> None:
    left, right = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
    if left is None or right is None:
        r.do(r.parts(node.named_children))
        return
    source = r.value(right)
    r.temporaries += 1
    r.renamed = {**r.renamed, **{name: f"{name}%{r.temporaries}" for name in names_of(r, left)}}
    r.emit(Assign(target(r, left), Elements(source)))


def _value(r: Reader, node: tree_sitter.Node) -> Expression:
    if r.kind(node) != "pair":
        return r.value(node)
    key, value = node.child_by_field_id(r.fields.key), node.child_by_field_id(r.fields.value)
    if key is not None:
        r.do(r.value(key))
    return r.value(value) if value is not None else NOTHING


READERS: dict[str, Handler] = dict.fromkeys(KINDS, comprehension)
