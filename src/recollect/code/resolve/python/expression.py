"""Expressions of Python in the small language."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.resolve.program import (
    Argument,
    Assign,
    Awaited,
    Call,
    Code,
    Do,
    Either,
    Elements,
    Entry,
    Expression,
    Item,
    Member,
    Name,
    Opaque,
    Parameter,
    Part,
    Return,
    Spread,
    Super,
    Table,
    Text,
    Use,
    Yield,
)
from recollect.code.resolve.python.writer import DEEPEST, OPAQUE, Writer, is_idle

if TYPE_CHECKING:
    from tree_sitter import Node

STRING = re.compile(r"[rRuUbB]{0,2}(\"\"\"|'''|\"|')(.*)\1", re.DOTALL)
KEY_CHARACTERS = 80  # a longer text is no key
# Types that stand for one of their arguments, and those that hold nothing but themselves.
OPTIONAL = frozenset({"Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "Type", "type"})
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
NOTHING = frozenset({"None", "True", "False", "...", "int", "str", "bytes", "float", "bool", "object", "Any", "self"})


def value(w: Writer, node: Node | None) -> Expression:
    """Return what a node of the tree evaluates to; calls in it are kept, whatever it is."""
    if node is None:
        return OPAQUE
    reader = READERS.get(node.type)
    if w.depth > DEEPEST:
        return OPAQUE
    w.depth += 1
    found = reader(w, node) if reader is not None else _parts(w, node)
    w.depth -= 1
    return found


def _parts(w: Writer, node: Node) -> Expression:
    parts = [part for child in node.named_children if not is_idle(part := value(w, child))]
    return Opaque(tuple(parts)) if parts else OPAQUE


def _identifier(w: Writer, node: Node) -> Expression:
    name = w.text(node)
    return Name(w.renamed.get(name, name) if w.renamed else name)


def _attribute(w: Writer, node: Node) -> Expression:
    of, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if name is None:
        return OPAQUE
    return Member(value(w, of), w.text(name), w.line(node))


def _call(w: Writer, node: Node) -> Expression:
    callee = node.child_by_field_name("function")
    given = node.child_by_field_name("arguments")
    if callee is not None and callee.type == "identifier" and w.text(callee) == "super":
        at = callee.start_point
        w.emit(Do(Call(Name("super"), (), at[0] + 1, at[1])))
        return Super()
    called = value(w, callee)
    at = _called_at(callee) if callee is not None else node
    arguments = tuple(_arguments(w, given)) if given is not None else ()
    return Call(called, arguments, at.start_point[0] + 1, at.start_point[1])


def _called_at(callee: Node) -> Node:
    """Return the node that names what is called: of `a.b.c()` the c."""
    if callee.type == "attribute":
        return callee.child_by_field_name("attribute") or callee
    return callee


def _arguments(w: Writer, node: Node) -> list[Argument]:
    if node.type == "generator_expression":
        return [Argument(value(w, node))]
    found = []
    for child in node.named_children:
        kind = child.type
        if kind == "keyword_argument":
            name, given = child.child_by_field_name("name"), child.child_by_field_name("value")
            found.append(Argument(_passed(w, given), w.text(name) if name is not None else None))
        elif kind in ("list_splat", "dictionary_splat"):
            found.append(Argument(Spread(_parts_of_splat(w, child))))
        elif kind != "comment":
            found.append(Argument(_passed(w, child)))
    return found


def _passed(w: Writer, node: Node | None) -> Expression:
    found = value(w, node)
    if node is not None and isinstance(found, Name) and not w.renamed:
        w.emit(Use(found, w.line(node)))
    return found


def _parts_of_splat(w: Writer, node: Node) -> Expression:
    return value(w, node.named_children[0] if node.named_children else None)


def _subscript(w: Writer, node: Node) -> Expression:
    of = value(w, node.child_by_field_name("value"))
    keys = node.children_by_field_name("subscript")
    if len(keys) == 1 and keys[0].type == "slice":
        return _slice(w, of, keys[0])
    key = constant(w, keys[0]) if len(keys) == 1 else None
    if key is not None:
        return Item(of, key)
    for each in keys[1:]:
        w.effect(value(w, each))
    return Item(of, None, value(w, keys[0]) if keys else None)


def _slice(w: Writer, of: Expression, node: Node) -> Expression:
    """`of[start:stop]`; with a step or anything but numbers it may be any part."""
    ends: list[int | None] = [0, None]
    place, is_known = 0, True
    for child in node.children:
        if child.type == ":":
            place += 1
        elif place > 1 or (number := constant(w, child)) is None or not isinstance(number, int):
            is_known = False
            w.effect(value(w, child))
        else:
            ends[place] = number
    return Part(of, *ends) if is_known else Part(of)


def constant(w: Writer, node: Node) -> str | int | None:
    """Return a constant key, if a node is one."""
    if node.type == "string":
        match = STRING.fullmatch(w.text(node))
        if match and "\\" not in match[2] and len(match[2]) <= KEY_CHARACTERS:
            return match[2]
    elif node.type == "integer":
        text = w.text(node)
        return int(text) if text.isdecimal() and len(text) < 10 else None
    return None


def _string(w: Writer, node: Node) -> Expression:
    if any(child.type == "interpolation" for child in node.named_children):
        return _parts(w, node)
    key = constant(w, node)
    return OPAQUE if key is None else Text(key)


def _integer(w: Writer, node: Node) -> Expression:
    key = constant(w, node)
    return OPAQUE if key is None else Text(key)


def _sequence(w: Writer, node: Node) -> Expression:
    entries, place, is_known = [], 0, True
    for child in node.named_children:
        if child.type == "comment":
            continue
        if child.type == "list_splat":
            entries.append(Entry(None, Spread(_parts_of_splat(w, child))))
            is_known = False
        else:
            entries.append(Entry(place if is_known else None, value(w, child)))
        place += 1
    return Table(tuple(entries), w.line(node), node.start_point[1])


def _dictionary(w: Writer, node: Node) -> Expression:
    entries = []
    for child in node.named_children:
        if child.type == "pair":
            key = child.child_by_field_name("key")
            known = constant(w, key) if key is not None else None
            if known is None and key is not None:
                w.effect(value(w, key))
            entries.append(Entry(known, value(w, child.child_by_field_name("value"))))
        elif child.type == "dictionary_splat":
            entries.append(Entry(None, Spread(_parts_of_splat(w, child))))
    return Table(tuple(entries), w.line(node), node.start_point[1], "dict")


def _comprehension(w: Writer, node: Node) -> Expression:
    before = dict(w.renamed)
    for clause in node.named_children[1:]:
        if clause.type == "for_in_clause":
            of = value(w, clause.child_by_field_name("right"))
            w.comprehensions += 1
            target = clause.child_by_field_name("left")
            if target is not None:
                for name in names(w, target):
                    w.renamed[name] = f"{name}#{w.comprehensions}"
                w.emit(Assign(pattern(w, target), Elements(of)))
        elif clause.type == "if_clause":
            w.effect(_parts(w, clause))
    body = node.child_by_field_name("body")
    if body is not None and body.type == "pair":
        w.effect(value(w, body.child_by_field_name("key")))
        body = body.child_by_field_name("value")
    kind = "dict" if node.type == "dictionary_comprehension" else ""
    made = Table((Entry(None, value(w, body)),), w.line(node), node.start_point[1], kind)
    w.renamed = before
    return made


def names(w: Writer, target: Node) -> list[str]:
    """Return the names that a target binds."""
    if target.type == "identifier":
        return [w.text(target)]
    if target.type in ("attribute", "subscript", "call"):
        return []
    return [name for child in target.named_children for name in names(w, child)]


def pattern(w: Writer, node: Node) -> Expression:
    """Return a target of an assignment."""
    if node.type in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
        children = [child for child in node.named_children if child.type != "comment"]
        entries, after = [], False
        for place, child in enumerate(children):
            if child.type in ("list_splat_pattern", "list_splat"):
                entries.append(Entry(None, Spread(pattern(w, child.named_children[0]))))
                after = True
            else:
                entries.append(Entry(None if after else place, pattern(w, child)))
        return Table(tuple(entries))
    if node.type in ("parenthesized_expression", "as_pattern_target", "list_splat_pattern") and node.named_children:
        return pattern(w, node.named_children[0])
    return value(w, node)


def _lambda(w: Writer, node: Node) -> Expression:
    w.here.lambdas += 1
    draft = w.open("function", f"<lambda{w.here.lambdas}>", w.here.place, -1, w.line(node))
    draft.parameters = parameters(w, node.child_by_field_name("parameters"))
    hidden = {parameter.name for parameter in draft.parameters}

    def body() -> None:
        for name in hidden:
            w.renamed.pop(name, None)
        w.emit(Return(value(w, node.child_by_field_name("body"))))

    w.within(draft, body)
    return Code(draft.place)


def parameters(w: Writer, node: Node | None) -> list[Parameter]:
    """Return the parameters of a function."""
    found: list[Parameter] = []
    is_named = False
    for child in node.named_children if node is not None else ():
        kind = child.type
        if kind in ("keyword_separator", "positional_separator", "comment"):
            is_named = is_named or kind == "keyword_separator"
            continue
        inner = child.child_by_field_name("name") or next(iter(child.named_children), child)
        default = child.child_by_field_name("value")
        declared = child.child_by_field_name("type")
        star = "" if not is_named else "="
        if kind in ("list_splat_pattern", "dictionary_splat_pattern") or inner.type in (
            "list_splat_pattern",
            "dictionary_splat_pattern",
        ):
            splat = child if kind.endswith("splat_pattern") else inner
            star = "**" if splat.type == "dictionary_splat_pattern" else "*"
            is_named = is_named or star == "*"
            inner = next(iter(splat.named_children), splat)
        name = w.text(child if kind == "identifier" else inner)
        found.append(
            Parameter(
                name,
                star,
                value(w, default) if default is not None else None,
                declared_type(w, declared) if declared is not None else None,
            )
        )
    return found


def declared_type(w: Writer, node: Node) -> Expression | None:
    """Return the type that an annotation says, if instances of it can be followed; its names are kept as used."""
    found = _types(w, w.text(node).strip())
    for each in found:
        w.emit(Use(each, w.line(node)))
    return found[0] if len(found) == 1 else Either(tuple(found)) if found else None


def _types(w: Writer, text: str) -> list[Expression]:
    """Return the types that an annotation names: through Optional, unions and quotes, not inside of containers."""
    text = text.strip("\"' \n\t")
    depth, parts, start = 0, [], 0
    for place, character in enumerate(text):
        depth += character in "[(" or -(character in "])")
        if depth == 0 and character == "|":
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    if len(parts) > 1:
        return [each for part in parts for each in _types(w, part)]
    head, bracket, rest = text.partition("[")
    head = head.strip()
    if bracket and head.rpartition(".")[2] in OPTIONAL and rest.endswith("]"):
        inner = rest[:-1].split(",") if "[" not in rest else [rest[:-1]]
        return [each for part in inner for each in _types(w, part)]
    if not DOTTED.fullmatch(head) or head in NOTHING:
        return []
    first, *others = head.split(".")
    found: Expression = Name(first)
    for other in others:
        found = Member(found, other)
    return [found]


def _conditional(w: Writer, node: Node) -> Expression:
    yes, condition, no = [*node.named_children, None, None, None][:3]
    w.effect(value(w, condition))
    return Either((value(w, yes), value(w, no)))


def _either(w: Writer, node: Node) -> Expression:
    return Either((value(w, node.child_by_field_name("left")), value(w, node.child_by_field_name("right"))))


def _binary(w: Writer, node: Node) -> Expression:
    operator = node.child_by_field_name("operator")
    left, right = value(w, node.child_by_field_name("left")), value(w, node.child_by_field_name("right"))
    if operator is not None and operator.type in ("+", "|"):
        return Either((left, right))  # of two lists or dictionaries
    parts = tuple(part for part in (left, right) if not is_idle(part))
    return Opaque(parts) if parts else OPAQUE


def _inner(w: Writer, node: Node) -> Expression:
    return value(w, next((child for child in node.named_children if child.type != "comment"), None))


def _await(w: Writer, node: Node) -> Expression:
    return Awaited(_inner(w, node))


def _yield(w: Writer, node: Node) -> Expression:
    w.here.marks["generator"] = None
    given = _inner(w, node) if node.named_children else OPAQUE
    is_from = any(child.type == "from" for child in node.children)
    w.emit(Yield(Elements(given) if is_from else given))
    return given if is_from else OPAQUE


def _walrus(w: Writer, node: Node) -> Expression:
    name, given = node.child_by_field_name("name"), value(w, node.child_by_field_name("value"))
    if name is None:
        return given
    target = Name(w.text(name))
    w.emit(Assign(target, given))
    return target


def _await_as(w: Writer, node: Node) -> Expression:
    return _inner(w, node)


READERS: dict[str, Callable[[Writer, Node], Expression]] = {
    "identifier": _identifier,
    "attribute": _attribute,
    "call": _call,
    "subscript": _subscript,
    "string": _string,
    "integer": _integer,
    "list": _sequence,
    "tuple": _sequence,
    "set": _sequence,
    "expression_list": _sequence,
    "dictionary": _dictionary,
    "list_comprehension": _comprehension,
    "set_comprehension": _comprehension,
    "dictionary_comprehension": _comprehension,
    "generator_expression": _comprehension,
    "lambda": _lambda,
    "conditional_expression": _conditional,
    "boolean_operator": _either,
    "binary_operator": _binary,
    "parenthesized_expression": _inner,
    "await": _await,
    "yield": _yield,
    "named_expression": _walrus,
    "as_pattern": _await_as,
    "true": lambda w, node: OPAQUE,
    "false": lambda w, node: OPAQUE,
    "none": lambda w, node: OPAQUE,
    "ellipsis": lambda w, node: OPAQUE,
    "float": lambda w, node: OPAQUE,
    "comment": lambda w, node: OPAQUE,
    "type": lambda w, node: OPAQUE,
}
