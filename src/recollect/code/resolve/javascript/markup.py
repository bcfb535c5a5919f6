"""Markup: an element of JSX calls its component with its properties; one that HTML knows calls what listens to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.resolve.javascript.reader import NOTHING, OBJECT, Handler, Reader
from recollect.code.resolve.program import Argument, Call, Entry, Expression, Member, Spread, Table, Text

if TYPE_CHECKING:
    import tree_sitter

CONTAINERS = ("jsx_expression", "jsx_element", "jsx_self_closing_element")


def element(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an element with what it contains."""
    tag = node.child_by_field_id(r.fields.open_tag) or node
    children = [r.value(child) for child in node.named_children if tag is not node and r.kind(child) in CONTAINERS]
    name = tag.child_by_field_id(r.fields.name)
    entries = [entry for child in tag.named_children if (entry := _property(r, child)) is not None]
    if children:
        entries.append(Entry("children", Table(tuple([Entry(place, each) for place, each in enumerate(children)]))))
    line, column = r.place(tag)
    properties = Table(tuple(entries), line, column, OBJECT)
    text = r.cut(name) if name is not None else ""
    if text and (not text[0].islower() or "." in text):
        return Call(r.value(name) if name is not None else NOTHING, (Argument(properties),), line, column)
    for entry in entries:
        if isinstance(entry.key, str) and entry.key[:2] == "on" and entry.key[2:3].isupper():
            listened = (Argument(Text(entry.key[2:].lower())), Argument(entry.value))
            r.do(Call(Member(NOTHING, "addEventListener"), listened, line, column))
        else:
            r.do(entry.value)
    return NOTHING


def _property(r: Reader, node: tree_sitter.Node) -> Entry | None:
    kind = r.kind(node)
    if kind == "jsx_attribute":
        nodes = node.named_children
        return Entry(r.cut(nodes[0]), r.value(nodes[1]) if len(nodes) > 1 else NOTHING) if nodes else None
    if kind == "jsx_expression":
        value = r.value(node)
        return Entry(None, value) if isinstance(value, Spread) else None
    return None


def expression(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read what stands in braces."""
    for child in node.named_children:
        if r.kind(child) != "comment":
            return r.value(child)
    return NOTHING


READERS: dict[str, Handler] = {
    "jsx_element": element,
    "jsx_self_closing_element": element,
    "jsx_fragment": element,
    "jsx_expression": expression,
}
