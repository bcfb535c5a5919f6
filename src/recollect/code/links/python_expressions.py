"""Expressions of Python: operators, calls, tables, comprehensions, targets, imports by text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from recollect.code.index.page import decoded
from recollect.code.links.program import (
    Argument,
    Assign,
    Awaited,
    Call,
    Do,
    Either,
    Elements,
    Entry,
    Expression,
    Import,
    Item,
    Key,
    Member,
    Name,
    Opaque,
    Spread,
    Super,
    Table,
    Text,
    Yield,
)
from recollect.code.links.python_reader import Handler, Reader
from recollect.code.links.tree_reader import NOTHING, is_worth, nothing, opaque

if TYPE_CHECKING:
    import tree_sitter

PATTERNS = frozenset(("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"))
SPLATS = frozenset(("list_splat_pattern", "list_splat"))
WRAPPED = frozenset(("parenthesized_expression", "as_pattern_target", "dotted_name"))


def target(r: Reader, node: tree_sitter.Node) -> Expression:
    """Return a target; parts of a pattern before a star have positions."""
    kind = r.kind(node)
    if kind in PATTERNS:
        return _pattern(r, node)
    if kind in SPLATS:
        return Spread(_inner_target(r, node))
    if kind in WRAPPED and node.named_child_count == 1:
        return _inner_target(r, node)
    return r.value(node)


def _inner_target(r: Reader, node: tree_sitter.Node) -> Expression:
    children = node.named_children
    return target(r, children[0]) if children else r.value(node)


def _pattern(r: Reader, node: tree_sitter.Node) -> Table:
    parts = [target(r, child) for child in node.named_children if r.kind(child) != "comment"]
    star = next((place for place, part in enumerate(parts) if isinstance(part, Spread)), len(parts))
    return Table(tuple([Entry(place if place < star else None, part) for place, part in enumerate(parts)]))


def names_of(r: Reader, node: tree_sitter.Node) -> Iterator[str]:
    """Yield the names that a target binds."""
    kind = r.kind(node)
    if kind == "identifier":
        yield r.cut(node)
    elif kind in PATTERNS or kind in SPLATS or kind in WRAPPED:
        for child in node.named_children:
            yield from names_of(r, child)


STAR = "*"


def import_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `import a.b, c as d`."""
    for child in node.named_children:
        module, alias = _named(r, child)
        if alias:
            r.emit(Import(module, None, alias, line=r.line(child)))
        elif module:
            top, _, below = module.partition(".")
            r.emit(Import(module, None, top, line=r.line(child), is_whole=not below))
    return NOTHING


def import_from(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `from ..a import b as c, d` and `from a import *`."""
    source = node.child_by_field_id(r.fields.module_name)
    if source is None:
        return NOTHING
    text = r.cut(source).replace(" ", "")
    module = text.lstrip(".")
    level = len(text) - len(module)
    for child in node.named_children:
        if child.start_byte <= source.start_byte:
            continue
        if r.kind(child) == "wildcard_import":
            r.emit(Import(module, STAR, None, level, r.line(child)))
        elif r.kind(child) in ("dotted_name", "aliased_import"):
            name, alias = _named(r, child)
            if name:
                r.emit(Import(module, name, alias or name, level, r.line(child)))
    return NOTHING


def _named(r: Reader, node: tree_sitter.Node) -> tuple[str, str]:
    """Return a name and its alias, "" where there is none."""
    if r.kind(node) == "aliased_import":
        name, alias = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.alias)
        return (r.cut(name) if name is not None else "", r.cut(alias) if alias is not None else "")
    return (r.cut(node).replace(" ", "") if r.kind(node) == "dotted_name" else "", "")


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
    entry = _comprehended(r, body) if body is not None else NOTHING
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


def _comprehended(r: Reader, node: tree_sitter.Node) -> Expression:
    if r.kind(node) != "pair":
        return r.value(node)
    key, value = node.child_by_field_id(r.fields.key), node.child_by_field_id(r.fields.value)
    if key is not None:
        r.do(r.value(key))
    return r.value(value) if value is not None else NOTHING


LONGEST_KEY = 64  # characters: longer strings are prose
SOME_TEXT = Text("")
QUOTES = frozenset("\"'")
LARGEST_INDEX = 1 << 31
# Operands of one operator that are followed; a longer sum is text or numbers.
MOST_OPERANDS = 6
OPERATORS = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__", "%": "__mod__",
    "**": "__pow__", "@": "__matmul__", "&": "__and__", "|": "__or__", "^": "__xor__", "<<": "__lshift__",
    ">>": "__rshift__",
}  # fmt: skip
COMMENT = "comment"
FEW_ENTRIES = 16  # of constants; a longer table of them is data


# --- names and constants ---


def identifier(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a name."""
    name = r.text[node.start_byte : node.end_byte]
    if not r.is_ascii:
        name = decoded(name)
    if r.renamed:
        name = r.renamed.get(name, name)
    found = r.names.get(name)
    if found is None:
        found = r.names[name] = Name(name)
    return found


def string(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a string: its text if it may be a key, else its parts."""
    start, end = node.start_byte, node.end_byte
    quote = r.text[start]
    if quote in QUOTES and end - start <= LONGEST_KEY:
        text = r.text[start + 1 : end - 1]
        if "\\" not in text and quote not in text and r.text[end - 1] == quote and end - start > 1:
            return Text(text if r.is_ascii else decoded(text))
    if r.text[start] in "fFrRtT":
        inner = [child for child in node.named_children if r.kind(child) == "interpolation"]
        if inner:
            for child in inner:
                r.do(r.parts(child.named_children))
            return SOME_TEXT
    if end - start > LONGEST_KEY or r.text[start] in "bB":
        return SOME_TEXT
    parts = [child for child in node.named_children if r.kind(child) == "string_content"]
    text = r.cut(parts[0]) if len(parts) == 1 else ""
    return SOME_TEXT if "\\" in text else Text(text)


def concatenated(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read strings that stand one after the other."""
    found = [r.value(child) for child in node.named_children if r.kind(child) == "string"]
    text = "".join([str(each.value) for each in found if isinstance(each, Text)])
    is_known = len(text) <= LONGEST_KEY and all(isinstance(each, Text) and each.value for each in found)
    return Text(text) if is_known else SOME_TEXT


def integer(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a whole number."""
    found = index_of(r.cut(node))
    return Text(found) if found is not None else NOTHING


def index_of(text: str) -> int | None:
    """Return a number that can be an index."""
    try:
        found = int(text, 0)
    except ValueError:
        return None
    return found if abs(found) < LARGEST_INDEX else None


# --- members, items and calls ---


def attribute(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `of.name`."""
    of, name = node.child_by_field_id(r.fields.object), node.child_by_field_id(r.fields.attribute)
    if of is None or name is None:
        return r.parts(node.named_children)
    return Member(r.value(of), r.cut(name), r.line(name))


def subscript(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `of[key]` and `of[from:to]`."""
    named = node.named_children
    if not named:
        return NOTHING
    of, keys = r.value(named[0]), named[1:]
    if len(keys) != 1:
        r.do(r.parts(keys))
        return Item(of)
    key = r.value(keys[0])
    if r.kind(keys[0]) == "slice":  # a part of a table counts as the table
        r.do(key)
        return of
    if isinstance(key, Text) and key.value != "":
        return Item(of, key.value)
    key = r.kept(key) if is_worth(key) else key
    return Item(of, None, key if isinstance(key, Name) else None)


def call(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a call; `super()` is what the class around inherits."""
    function, given = node.child_by_field_id(r.fields.function), node.child_by_field_id(r.fields.arguments)
    if function is None:
        return r.parts(node.named_children)
    callee = r.value(function)
    name = function
    if r.kind(function) == "attribute":
        name = function.child_by_field_id(r.fields.attribute) or function
    line, column = r.place(name)
    found = Call(callee, tuple(arguments(r, given)) if given is not None else (), line, column)
    if isinstance(callee, Name) and callee.name == "super":
        r.emit(Do(found))
        return Super()
    return found


def arguments(r: Reader, node: tree_sitter.Node) -> Iterable[Argument]:
    """Return the arguments of a call."""
    kinds = r.kinds
    if kinds[node.kind_id] != "argument_list":
        return [Argument(r.value(node))]  # f(x for x in y)
    found = []
    for child in node.named_children:
        kind = kinds[child.kind_id]
        if kind == "keyword_argument":
            name, value = child.child_by_field_id(r.fields.name), child.child_by_field_id(r.fields.value)
            if name is not None and value is not None:
                found.append(Argument(r.passed_on(value), r.cut(name)))
        elif kind == "list_splat":
            found.append(Argument(Spread(r.parts_of(child))))
        elif kind == "dictionary_splat":
            found.append(Argument(Spread(r.parts_of(child)), "**"))
        elif kind != COMMENT:
            found.append(Argument(r.passed_on(child)))
    return found


# --- operators ---


def conditional(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a if c else b`."""
    named = [child for child in node.named_children if r.kind(child) != COMMENT]
    if len(named) != 3:
        return r.parts(named)
    r.do(r.value(named[1]))
    return either([r.value(named[0]), r.value(named[2])])


def boolean(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a or b`, `a and b`; long chains in a loop."""
    operands = []
    at: tree_sitter.Node | None = node
    while at is not None and r.kind(at) == "boolean_operator":
        right = at.child_by_field_id(r.fields.right)
        if right is not None:
            operands.append(right)
        at = at.child_by_field_id(r.fields.left)
    if at is not None:
        operands.append(at)
    return either([r.value(each) for each in reversed(operands)])


def either(options: list[Expression]) -> Expression:
    """Return a choice of several values, without untracked ones."""
    kept: list[Expression] = []
    for option in options:
        if option is not NOTHING and option not in kept:
            kept.append(option)
    if len(kept) > 1:
        return Either(tuple(kept))
    return kept[0] if kept else NOTHING


def binary(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a + b` as a method call; long sums are only evaluated."""
    operands: list[tuple[str, tree_sitter.Node]] = []
    at: tree_sitter.Node | None = node
    while at is not None and r.kind(at) == "binary_operator":
        right, operator = at.child_by_field_id(r.fields.right), at.child_by_field_id(r.fields.operator)
        if right is None or operator is None:
            return r.parts(at.named_children)
        operands.append((r.cut(operator), right))
        at = at.child_by_field_id(r.fields.left)
    if at is None:
        return NOTHING
    operands.reverse()
    found = r.value(at)
    if len(operands) > MOST_OPERANDS:
        return opaque([found, *[r.value(right) for _, right in operands]])
    for sign, operand in operands:
        found = _operated(r, found, sign, r.value(operand), at)
    return found


def _operated(r: Reader, left: Expression, operator: str, right: Expression, node: tree_sitter.Node) -> Expression:
    if isinstance(left, Text | Opaque) or isinstance(right, Text | Opaque):
        return SOME_TEXT if left == SOME_TEXT and not is_worth(right) else opaque([left, right])
    if isinstance(left, Table) and isinstance(right, Table):
        return Table((Entry(None, Spread(left)), Entry(None, Spread(right))), kind=left.kind)
    line, column = r.place(node)
    name = OPERATORS.get(operator, "__add__")
    return Call(Member(left, name, line), (Argument(right),), line, column, is_implied=True)


def inner(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read what stands in parentheses."""
    return r.parts_of(node)


def await_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `await x`."""
    return Awaited(r.parts_of(node))


def yield_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `yield x` and `yield from x`: what is sent in is not followed."""
    if "generator" not in r.frame.marks:
        r.frame.marks.append("generator")
    named = node.named_children
    if not named:
        return NOTHING
    value = r.value(named[0])
    if any(not child.is_named and r.cut(child) == "from" for child in node.children):
        value = r.kept(value)
        r.emit(Yield(Elements(value)))
        return Awaited(value)
    r.emit(Yield(value))
    return NOTHING


def walrus(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `(a := b)`."""
    target, value = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.value)
    if target is None or value is None:
        return r.parts(node.named_children)
    name = r.name(r.cut(target))
    r.emit(Assign(name, r.value(value)))
    return name


# --- tables ---


def sequence(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a list, a tuple or a set."""
    entries: list[Entry] = []
    place: int | None = 0
    kinds = r.kinds
    kind = kinds[node.kind_id]
    for child in node.named_children:
        of = kinds[child.kind_id]
        if of == "list_splat":
            entries.append(Entry(None, Spread(r.parts_of(child))))
            place = None
        elif of != COMMENT:
            entries.append(Entry(place, r.passed_on(child)))
            place = place + 1 if place is not None else None
    line, column = r.place(node)
    return Table(_followed(r, entries), line, column, "tuple" if kind == "expression_list" else kind)


def dictionary(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a dictionary."""
    entries: list[Entry] = []
    for child in node.named_children:
        kind = r.kind(child)
        if kind == "dictionary_splat":
            entries.append(Entry(None, Spread(r.parts_of(child))))
        elif kind == "pair":
            key, value = child.child_by_field_id(r.fields.key), child.child_by_field_id(r.fields.value)
            if key is not None and value is not None:
                entries.append(Entry(_key(r, key), r.passed_on(value)))
    line, column = r.place(node)
    return Table(_followed(r, entries), line, column, "dict")


def _key(r: Reader, node: tree_sitter.Node) -> Key | None:
    found = r.value(node)
    r.do(found)
    return found.value if isinstance(found, Text) and found.value != "" else None


def _followed(r: Reader, entries: list[Entry]) -> tuple[Entry, ...]:
    """Return the tracked entries of a table; a long table of constants is data."""
    kept = [each for each in entries if not isinstance(each.value, Opaque)]
    for each in entries:
        if isinstance(each.value, Opaque):
            r.do(each.value)
    if len(kept) > FEW_ENTRIES and all(isinstance(each.value, Text) for each in kept):
        return ()
    return tuple(kept)


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
    "parenthesized_expression": inner,
    "await": await_,
    "yield": yield_,
    "named_expression": walrus,
    **dict.fromkeys(("list", "tuple", "set", "expression_list"), sequence),
    "dictionary": dictionary,
    **dict.fromkeys(KINDS, comprehension),
    "import_statement": import_,
    "import_from_statement": import_from,
    "future_import_statement": nothing,
}
