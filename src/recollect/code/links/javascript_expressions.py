"""Expressions of JavaScript: operators, calls, objects, and elements of JSX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.index.page import decoded
from recollect.code.links.javascript_functions import TRANSPARENT, bind, bound, key, label_of, method_entry
from recollect.code.links.javascript_modules import dynamic_import, required
from recollect.code.links.javascript_reader import OBJECT, Frame, Handler, Reader, item, number, word
from recollect.code.links.javascript_types import annotation, declared
from recollect.code.links.program import (
    Argument,
    Assign,
    Awaited,
    Call,
    Cast,
    Either,
    Elements,
    Entry,
    Expression,
    Member,
    Name,
    Parameter,
    Spread,
    Super,
    Table,
    Text,
    This,
    Yield,
)
from recollect.code.links.tree_reader import NOTHING, ScopeWriter, nothing, opaque

if TYPE_CHECKING:
    import tree_sitter

    from recollect.code.links.tree_reader import Block

LONGEST_KEY = 64  # characters: longer strings are prose
EITHER = ("||", "??")
PATTERNS = ("array_pattern", "object_pattern")


# --- names and constants ----------------------------------------------------------------------------------------------


def identifier(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a name."""
    name = r.text[node.start_byte : node.end_byte]
    if not r.is_ascii:
        name = decoded(name)
    block: Block | None = r.block
    while block is not None:  # Block.find, without a call for what is read most
        variable = block.names.get(name)
        if variable is not None:
            return r.name(variable.name)
        block = block.outer
    if name == "exports":
        r.has_exports = True
    elif name == "arguments" and r.frame is not r.module:
        _arguments(r)
    return r.name(name)


def _arguments(r: Reader) -> None:
    """Make `arguments` a variable of the enclosing function."""
    frame: ScopeWriter = r.frame
    while "arrow" in frame.marks and frame.parent is not None:
        frame = frame.parent
    if not isinstance(frame, Frame) or frame.kind != "function" or "arguments" in frame.block.names:
        return
    frame.declare(frame.block, "arguments")
    entries = [Entry(place, Name(each.name)) for place, each in enumerate(frame.parameters) if each.kind == ""]
    rest = [Entry(None, Spread(Name(each.name))) for each in frame.parameters if each.kind == "*"]
    if not rest:
        frame.parameters.append(Parameter("%rest", "*"))
        rest = [Entry(None, Spread(Name("%rest")))]
    frame.body.append(Assign(Name("arguments"), Table((*entries, *rest))))


def this(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `this`."""
    return r.receiver or This()


def super_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `super`."""
    return Super()


def string(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a string; a long one is no key."""
    if node.end_byte - node.start_byte > LONGEST_KEY:
        return NOTHING
    return Text(word(r.cut(node)[1:-1]))


def number_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a number; only whole ones are keys."""
    found = number(r.cut(node))
    return Text(found) if found is not None else NOTHING


def template(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a template: a string where nothing is put into it."""
    inner = [child for child in node.named_children if r.kind(child) == "template_substitution"]
    return r.parts(inner) if inner else string(r, node)


# --- members and calls ------------------------------------------------------------------------------------------------


def member(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a.b`; `module.exports` is the variable `exports`, which every file has that uses it."""
    of, name = node.child_by_field_id(r.fields.object), node.child_by_field_id(r.fields.property)
    if of is None or name is None:
        return r.parts(node.named_children)
    text = r.cut(name)
    if text == "exports" and r.cut(of) == "module" and r.block.find("module") is None:
        r.has_exports = True
        return r.name("exports")
    return Member(r.value(of), text, r.line(name))


def subscript(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a[b]`."""
    of, index = node.child_by_field_id(r.fields.object), node.child_by_field_id(r.fields.index)
    if of is None or index is None:
        return r.parts(node.named_children)
    found = r.value(of)
    return item(found, r.value(index))


def call(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a call; a lone function argument is named after the assigned variable."""
    hint = r.hint
    if hint:
        r.hint = r.label = ""
    callee, given = node.child_by_field_id(r.fields.function), node.child_by_field_id(r.fields.arguments)
    if callee is None:
        return r.parts(node.named_children)
    kind = r.kinds[callee.kind_id]
    if kind == "import":
        return dynamic_import(r, given)
    if kind == "identifier" and r.cut(callee) == "require" and given is not None:
        module = required(r, given)
        if module is not None:
            return module
    called = r.value(callee)
    line, column = r.place(_called(r, callee, kind) or given or node)
    if given is not None and r.kinds[given.kind_id] == "template_string":  # the strings, then what stands between them
        inner = [first(r, each) for each in given.named_children if r.kind(each) == "template_substitution"]
        return Call(called, (Argument(NOTHING), *[Argument(value) for value in inner]), line, column)
    return Call(called, arguments(r, given, hint), line, column)


def _called(r: Reader, node: tree_sitter.Node, kind: str) -> tree_sitter.Node | None:
    """Return the name that is called; None for a callee without one."""
    if kind == "identifier":
        return node
    return node.child_by_field_id(r.fields.property) if kind == "member_expression" else None


def arguments(r: Reader, node: tree_sitter.Node | None, hint: str = "") -> tuple[Argument, ...]:
    """Return the arguments of a call."""
    if node is None:
        return ()
    nodes = node.named_children
    if not nodes:
        return ()
    if hint and sum([_is_anonymous(r, child) for child in nodes]) != 1:
        hint = ""
    kinds, value = r.kinds, r.value
    return tuple(
        [
            Argument(bound(r, child, hint) if hint and _is_anonymous(r, child) else value(child))
            for child in nodes
            if kinds[child.kind_id] != "comment"
        ]
    )


def _is_anonymous(r: Reader, node: tree_sitter.Node) -> bool:
    kind = r.kind(node)
    return kind in ("function_expression", "class") and node.child_by_field_id(r.fields.name) is None


def new(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `new A()`."""
    made, given = node.child_by_field_id(r.fields.constructor), node.child_by_field_id(r.fields.arguments)
    if made is None:
        return r.parts(node.named_children)
    called = r.value(made)
    line, column = r.place(_called(r, made, r.kind(made)) or given or node)
    return Call(called, arguments(r, given), line, column, is_new=True)


def spread(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `...a`."""
    return Spread(first(r, node))


def first(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read what has one part that counts."""
    for child in node.named_children:
        if r.kind(child) != "comment":
            return r.value(child)
    return NOTHING


# --- objects and arrays -----------------------------------------------------------------------------------------------


def array(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an array; what comes after a spread has no place that is known."""
    entries: list[Entry] = []
    place: int | None = 0
    for child in node.children:
        if not child.is_named:
            place = place + 1 if place is not None and child.type == "," else place
        elif r.kind(child) != "comment":
            value = r.value(child)
            if isinstance(value, Spread):
                place = None
            entries.append(Entry(place, value))
    return Table(tuple(entries), *r.place(node), "array")


def object_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an object; of two entries with one key the last counts."""
    prefix, r.hint, r.label = f"{r.label}." if r.label else "", "", ""
    entries: dict[object, Entry] = {}
    for child in node.named_children:
        kind = r.kind(child)
        found: Entry | None = None
        if kind == "pair":
            found = _pair(r, child, prefix)
        elif kind == "shorthand_property_identifier":
            name = r.cut(child)
            found = Entry(word(name), identifier(r, child))
        elif kind == "method_definition":
            found = method_entry(r, child, prefix)
        elif kind == "spread_element":
            found = Entry(None, spread(r, child))
        elif kind != "comment":
            r.do(r.value(child))
        if found is not None:
            entries[len(entries) if found.key is None else f"={found.key}"] = found
    return Table(tuple(entries.values()), *r.place(node), OBJECT)


def _pair(r: Reader, node: tree_sitter.Node, prefix: str) -> Entry | None:
    name, value = node.child_by_field_id(r.fields.key), node.child_by_field_id(r.fields.value)
    if name is None or value is None:
        return None
    at = key(r, name)
    shown = str(at) if at is not None else r.cut(name)
    return Entry(at, bound(r, value, shown, prefix + shown))


# --- assignment -------------------------------------------------------------------------------------------------------


def assignment(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a = b`; it is worth what is assigned."""
    is_used, r.is_used = r.is_used, True
    left, right = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
    if left is None or right is None:
        return r.parts(node.named_children)
    while r.kind(left) in TRANSPARENT and left.named_child_count:
        left = left.named_children[0]
    kind = r.kind(left)
    text = r.cut(left) if kind in ("identifier", "member_expression") else ""
    label = label_of(text)
    value = bound(r, right, label.rpartition(".")[2], label, is_variable=kind == "identifier")
    value = r.kept(value) if is_used else value
    if kind == "identifier":
        if text == "exports" and r.block.find(text) is None:
            r.has_exports = True
        r.write(text, value)
    else:
        bind(r, left, value)
    return value if is_used else NOTHING


def augmented(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a ||= b`, which may assign; `a += b` gives no function."""
    left, right = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
    if left is None or right is None:
        return r.parts(node.named_children)
    operator = r.text[left.end_byte : right.start_byte].strip()
    if operator not in ("||=", "&&=", "??="):
        return r.parts((left, right))
    text = r.cut(left)
    old = r.value(left)
    value = r.kept(bound(r, right, label_of(text).rpartition(".")[2], label_of(text)))
    if r.kind(left) == "identifier":
        r.write(text, Either((old, value)))
        return r.read(text)
    r.emit(Assign(old, value))
    return Either((old, value))


# --- operators --------------------------------------------------------------------------------------------------------


def binary(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an operator; long chains are read in a loop."""
    chain: list[tuple[str, tree_sitter.Node]] = []
    at: tree_sitter.Node | None = node
    while at is not None and r.kind(at) == "binary_expression":
        left, right = at.child_by_field_id(r.fields.left), at.child_by_field_id(r.fields.right)
        if left is None or right is None:
            break
        chain.append((_operator(r, at, left, right), right))
        at = left
    value = r.value(at) if at is not None and at is not node else NOTHING
    operands: list[Expression] | None = None  # of operators that are not logical, gathered: a chain can have thousands
    for operator, right in reversed(chain):
        if operator in ("&&", *EITHER):
            value, operands = _logical(r, operator, _computed(operands, value), right), None
        else:
            operands = [value] if operands is None else operands
            operands.append(r.value(right))
    return _computed(operands, value)


def _computed(operands: list[Expression] | None, value: Expression) -> Expression:
    """Return the result of operands; None: no operator, the value itself."""
    return value if operands is None else opaque(operands)


def _operator(r: Reader, node: tree_sitter.Node, left: tree_sitter.Node, right: tree_sitter.Node) -> str:
    between = r.text[left.end_byte : right.start_byte].strip()
    if len(between) <= 10:  # `instanceof` is the longest
        return between
    operator = node.child_by_field_id(r.fields.operator)
    return r.cut(operator) if operator is not None else ""


def _logical(r: Reader, operator: str, left: Expression, node: tree_sitter.Node) -> Expression:
    right = r.value(node)
    if operator == "&&":  # what is falsy is no function
        r.do(left)
        return right
    if left is NOTHING or isinstance(left, Text):
        return right
    return Either((left, right))


def ternary(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a ? b : c`."""
    fields = r.fields
    asked = node.child_by_field_id(fields.condition)
    yes, no = node.child_by_field_id(fields.consequence), node.child_by_field_id(fields.alternative)
    if asked is None or yes is None or no is None:
        return r.parts(node.named_children)
    r.do(r.value(asked))
    options = tuple([each for each in (r.value(yes), r.value(no)) if each is not NOTHING])
    if len(options) < 2:
        return options[0] if options else NOTHING
    return Either(options)


def sequence(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a, b`, which is worth its last part."""
    value: Expression = NOTHING
    for child in node.named_children:
        if r.kind(child) != "comment":
            r.do(value)
            value = r.value(child)
    return value


def await_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `await a`."""
    return Awaited(first(r, node))


def yield_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `yield a` and `yield* a`."""
    if node.named_child_count:
        value = first(r, node)
        is_all = "*" in r.text[node.start_byte : node.named_children[0].start_byte]
        r.emit(Yield(Elements(value) if is_all else value))
    return NOTHING


def cast(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a as B`, `a satisfies B` and `<B>a`."""
    nodes = node.named_children
    if len(nodes) < 2:
        return first(r, node)
    value, annotated = (nodes[1], nodes[0]) if r.kind(node) == "type_assertion" else (nodes[0], nodes[1])
    if r.kind(annotated) == "type_arguments" and annotated.named_child_count:
        annotated = annotated.named_children[0]
    found = r.value(value)
    to = annotation(r, annotated) if r.kind(annotated) != "const" else None
    if to is None:
        return found
    return declared(to) if found is NOTHING else Cast(found, to)


CONTAINERS = ("jsx_expression", "jsx_element", "jsx_self_closing_element")


def element(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an element with what it contains."""
    tag = node.child_by_field_id(r.fields.open_tag) or node
    children = [r.value(child) for child in node.named_children if tag is not node and r.kind(child) in CONTAINERS]
    name = tag.child_by_field_id(r.fields.name)
    entries = [entry for child in tag.named_children if (entry := _attribute(r, child)) is not None]
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


def _attribute(r: Reader, node: tree_sitter.Node) -> Entry | None:
    kind = r.kind(node)
    if kind == "jsx_attribute":
        nodes = node.named_children
        return Entry(r.cut(nodes[0]), r.value(nodes[1]) if len(nodes) > 1 else NOTHING) if nodes else None
    if kind == "jsx_expression":
        value = r.value(node)
        return Entry(None, value) if isinstance(value, Spread) else None
    return None


def braces(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read what stands in braces."""
    for child in node.named_children:
        if r.kind(child) != "comment":
            return r.value(child)
    return NOTHING


READERS: dict[str, Handler] = {
    "identifier": identifier,
    "shorthand_property_identifier": identifier,
    "this": this,
    "super": super_,
    "string": string,
    "number": number_,
    "template_string": template,
    **dict.fromkeys(
        "regex true false null undefined comment meta_property property_identifier private_property_identifier "
        "type_annotation type_arguments type_parameters statement_identifier import hash_bang_line".split(),
        nothing,
    ),
    "member_expression": member,
    "subscript_expression": subscript,
    "call_expression": call,
    "new_expression": new,
    "spread_element": spread,
    "parenthesized_expression": first,
    "non_null_expression": first,
    "instantiation_expression": first,
    "array": array,
    "object": object_,
    "assignment_expression": assignment,
    "augmented_assignment_expression": augmented,
    "binary_expression": binary,
    "ternary_expression": ternary,
    "sequence_expression": sequence,
    "await_expression": await_,
    "yield_expression": yield_,
    "as_expression": cast,
    "satisfies_expression": cast,
    "type_assertion": cast,
    "jsx_element": element,
    "jsx_self_closing_element": element,
    "jsx_fragment": element,
    "jsx_expression": braces,
}
