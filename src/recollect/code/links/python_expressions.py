"""Expressions of Python: operators, calls, tables, comprehensions, targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.code.index.page import decoded
from recollect.code.links import program as ir
from recollect.code.links.python_reader import Handler, Reader
from recollect.code.links.tree_reader import NOTHING, either, first, is_worth, nothing, opaque, wrapped

if TYPE_CHECKING:
    import tree_sitter

PATTERNS = frozenset(("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"))
SPLATS = frozenset(("list_splat_pattern", "list_splat"))
WRAPPED = frozenset(("parenthesized_expression", "as_pattern_target", "dotted_name"))
COMPREHENSIONS = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "generator_expression": "generator",
    "dictionary_comprehension": "dict",
}
LONGEST_KEY = 64  # characters: longer strings are prose
SOME_TEXT = ir.Text("")
QUOTES = frozenset("\"'")


# --- targets ---


def target(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Return a target; parts of a pattern before a star have positions."""
    kind = r.kind(node)
    if kind in PATTERNS:
        parts = [target(r, child) for child in r.children(node)]
        star = next((place for place, part in enumerate(parts) if isinstance(part, ir.Spread)), len(parts))
        return ir.Table(tuple([ir.Entry(place if place < star else None, part) for place, part in enumerate(parts)]))
    if node.named_child_count == 1 and (kind in SPLATS or kind in WRAPPED):
        inner = target(r, node.named_children[0])
        return ir.Spread(inner) if kind in SPLATS else inner
    return r.value(node)


def names_of(r: Reader, node: tree_sitter.Node) -> Iterator[str]:
    """Yield the names that a target binds."""
    kind = r.kind(node)
    if kind == "identifier":
        yield r.cut(node)
    elif kind in PATTERNS or kind in SPLATS or kind in WRAPPED:
        for child in node.named_children:
            yield from names_of(r, child)


def comprehension(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a comprehension, whose variables are its own."""
    before = r.renamed
    for child in node.named_children:
        if r.kind(child) == "for_in_clause":
            left, source = r.child(child, r.fields.left), r.value(r.child(child, r.fields.right))
            r.temporaries += 1
            r.renamed = {**r.renamed, **{name: f"{name}%{r.temporaries}" for name in names_of(r, left)}}
            r.emit(ir.Assign(target(r, left), ir.Elements(source)))
        elif r.kind(child) == "if_clause":
            r.do(r.parts(child.named_children))
    body = r.child(node, r.fields.body)
    if r.kind(body) == "pair":
        r.do(r.maybe(body.child_by_field_id(r.fields.key)))
        body = r.child(body, r.fields.value)
    entry = r.value(body)
    r.renamed = before
    held = (ir.Entry(None, entry),) if entry is not NOTHING else ()
    return ir.Table(held, COMPREHENSIONS[r.kind(node)])


# --- names and constants ---


def identifier(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a name."""
    name = r.text[node.start_byte : node.end_byte]
    if not r.is_ascii:
        name = decoded(name)
    if r.renamed:
        name = r.renamed.get(name, name)
    found = r.names.get(name)
    if found is None:
        found = r.names[name] = ir.Name(name)
    return found


def string(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a string: its text if it may be a key, else its parts."""
    start, end = node.start_byte, node.end_byte
    quote = r.text[start]
    if quote in QUOTES and 1 < end - start <= LONGEST_KEY:
        text = r.text[start + 1 : end - 1]
        if "\\" not in text and quote not in text and r.text[end - 1] == quote:
            return ir.Text(text if r.is_ascii else decoded(text))
    for child in node.named_children if quote in "fFrRtT" else ():
        if r.kind(child) == "interpolation":
            r.do(r.parts(child.named_children))
    return SOME_TEXT


def concatenated(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read strings that stand one after the other."""
    found = [r.value(child) for child in r.children(node)]
    text = "".join([str(each.value) for each in found if isinstance(each, ir.Text)])
    is_known = len(text) <= LONGEST_KEY and all(isinstance(each, ir.Text) and each.value for each in found)
    return ir.Text(text) if is_known else SOME_TEXT


def integer(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a whole number, if it can be an index."""
    text = r.cut(node)
    return ir.Text(int(text)) if text.isdecimal() and len(text) < 10 and (text == "0" or text[0] != "0") else NOTHING


# --- members, items and calls ---


def attribute(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `of.name`."""
    name = r.child(node, r.fields.attribute)
    return ir.Member(r.value(r.child(node, r.fields.object)), r.cut(name), r.line(name))


def subscript(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `of[key]` and `of[from:to]`."""
    named, *keys = node.named_children
    of = r.value(named)
    if len(keys) != 1:
        r.do(r.parts(keys))
        return ir.Item(of)
    key = r.value(keys[0])
    if r.kind(keys[0]) == "slice":  # a part of a table counts as the table
        r.do(key)
        return of
    if isinstance(key, ir.Text) and key.value != "":
        return ir.Item(of, key.value)
    key = r.kept(key) if is_worth(key) else key
    return ir.Item(of, None, key if isinstance(key, ir.Name) else None)


def call(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a call; `super()` is what the class around inherits."""
    function, given = r.child(node, r.fields.function), node.child_by_field_id(r.fields.arguments)
    callee = r.value(function)
    name = function.child_by_field_id(r.fields.attribute) or function
    found = ir.Call(callee, tuple(arguments(r, given)) if given is not None else (), *r.place(name))
    if isinstance(callee, ir.Name) and callee.name == "super":
        r.emit(ir.Do(found))
        return ir.Super()
    return found


def arguments(r: Reader, node: tree_sitter.Node) -> list[ir.Argument]:
    """Return the arguments of a call."""
    kinds = r.kinds
    if kinds[node.kind_id] != "argument_list":
        return [ir.Argument(r.value(node))]  # f(x for x in y)
    found = []
    for child in r.children(node):
        kind = kinds[child.kind_id]
        if kind == "keyword_argument":
            name, value = r.child(child, r.fields.name), r.child(child, r.fields.value)
            found.append(ir.Argument(r.passed_on(value), r.cut(name)))
        elif kind == "list_splat":
            found.append(ir.Argument(ir.Spread(first(r, child))))
        elif kind == "dictionary_splat":
            found.append(ir.Argument(ir.Spread(first(r, child)), "**"))
        else:
            found.append(ir.Argument(r.passed_on(child)))
    return found


# --- operators ---


def conditional(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a if c else b`."""
    yes, condition, *no = r.children(node)
    r.do(r.value(condition))
    return either([r.value(each) for each in (yes, *no)])


def boolean(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a or b`, `a and b`; long chains in a loop."""
    operands = []
    at = node
    while r.kind(at) == "boolean_operator":
        operands.append(r.child(at, r.fields.right))
        at = r.child(at, r.fields.left)
    return either([r.value(each) for each in (at, *reversed(operands))])


def binary(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an operator: its operands are evaluated, long chains in a loop; a text stays one."""
    operands: list[tree_sitter.Node] = []
    at = node
    while r.kind(at) == "binary_operator":
        operands.append(r.child(at, r.fields.right))
        at = r.child(at, r.fields.left)
    first_value, rest = r.value(at), [r.value(each) for each in reversed(operands)]
    is_text = first_value == SOME_TEXT and not any(is_worth(value) for value in rest)
    return SOME_TEXT if is_text else opaque([first_value, *rest])


def yield_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `yield x` and `yield from x`: what is sent in is not followed."""
    if "generator" not in r.frame.marks:
        r.frame.marks.append("generator")
    if not node.named_child_count:
        return NOTHING
    value = first(r, node)
    if any(not child.is_named and r.cut(child) == "from" for child in node.children):
        value = r.kept(value)
        r.emit(ir.Yield(ir.Elements(value)))
        return ir.Awaited(value)
    r.emit(ir.Yield(value))
    return NOTHING


def walrus(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `(a := b)`."""
    name = r.name(r.cut(r.child(node, r.fields.name)))
    r.emit(ir.Assign(name, r.value(r.child(node, r.fields.value))))
    return name


# --- tables ---


def sequence(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a list, a tuple or a set."""
    entries: list[ir.Entry] = []
    place: int | None = 0
    for child in r.children(node):
        if r.kind(child) == "list_splat":
            entries.append(ir.Entry(None, ir.Spread(first(r, child))))
            place = None
        else:
            entries.append(ir.Entry(place, r.passed_on(child)))
            place = place + 1 if place is not None else None
    kind = r.kind(node)
    return ir.Table(_followed(r, entries), "tuple" if kind == "expression_list" else kind)


def dictionary(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a dictionary."""
    entries: list[ir.Entry] = []
    for child in r.children(node):
        if r.kind(child) == "dictionary_splat":
            entries.append(ir.Entry(None, ir.Spread(first(r, child))))
        elif r.kind(child) == "pair":
            key = r.value(r.child(child, r.fields.key))
            r.do(key)
            name = key.value if isinstance(key, ir.Text) and key.value != "" else None
            entries.append(ir.Entry(name, r.passed_on(r.child(child, r.fields.value))))
    return ir.Table(_followed(r, entries), "dict")


def _followed(r: Reader, entries: list[ir.Entry]) -> tuple[ir.Entry, ...]:
    """Return the tracked entries of a table; constants are data."""
    for each in entries:
        if isinstance(each.value, ir.Opaque):
            r.do(each.value)
    return tuple([each for each in entries if not isinstance(each.value, ir.Opaque | ir.Text)])


READERS: dict[str, Handler] = {
    "identifier": identifier,
    "keyword_identifier": identifier,
    "string": string,
    "concatenated_string": concatenated,
    "integer": integer,
    **dict.fromkeys(("float", "true", "false", "none", "ellipsis", "comment", "line_continuation"), nothing),
    "attribute": attribute,
    "subscript": subscript,
    "call": call,
    "conditional_expression": conditional,
    "boolean_operator": boolean,
    "binary_operator": binary,
    "parenthesized_expression": first,
    "await": wrapped(ir.Awaited),
    "yield": yield_,
    "named_expression": walrus,
    **dict.fromkeys(("list", "tuple", "set", "expression_list"), sequence),
    "dictionary": dictionary,
    **dict.fromkeys(COMPREHENSIONS, comprehension),
}
