"""Expressions of JavaScript: operators, calls, objects, and elements of JSX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.links import program as ir
from recollect.code.links.javascript_functions import IDENTIFIERS, bind, function, key
from recollect.code.links.javascript_reader import OBJECT, Reader, annotation, word
from recollect.code.links.tree_reader import NOTHING, SHARED, Handler, declared, either, first, nothing, opaque

if TYPE_CHECKING:
    import tree_sitter

LONGEST_KEY = 64  # characters: longer strings are prose
SETTLED = frozenset(("then", "catch", "finally"))  # methods of promises: they call what they are given


# --- names and constants ---


def string(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a string; a long one is no key."""
    if node.end_byte - node.start_byte > LONGEST_KEY:
        return NOTHING
    return ir.Text(word(r.cut(node)[1:-1]))


def template(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a template: a string where nothing is put into it."""
    inner = [child for child in node.named_children if r.kind(child) == "template_substitution"]
    return r.parts(inner) if inner else string(r, node)


# --- members and calls ---


def member(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a.b`; `module.exports` is the variable `exports`, which every file has that uses it."""
    of, name = r.child(node, r.fields.object), r.child(node, r.fields.property)
    text = r.cut(name)
    if text == "exports" and r.cut(of) == "module" and r.block.find("module") is None:
        r.has_exports = True
        return r.name("exports")
    return ir.Member(r.value(of), text, r.line(name))


def subscript(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a[b]`; a key that is a word means a member."""
    of, key = r.value(r.child(node, r.fields.object)), r.value(r.child(node, r.fields.index))
    if not isinstance(key, ir.Text):
        return ir.Item(of, None, None if key is NOTHING else key)
    return ir.Member(of, key.value) if isinstance(key.value, str) else ir.Item(of, key.value)


def call(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a call."""
    callee, given = r.child(node, r.fields.function), node.child_by_field_id(r.fields.arguments)
    kind = r.kinds[callee.kind_id]
    is_required = kind == "identifier" and r.cut(callee) == "require" and r.block.find("require") is None
    module = _module(r, given) if kind == "import" or is_required else None
    if module is not None:
        return module
    called = r.value(callee)
    if isinstance(called, ir.Member) and called.name in SETTLED:
        called = ir.Member(r.kept(called.of), called.name, called.line)
    line, column = r.place(_called(r, callee, kind) or given or node)
    if given is not None and r.kinds[given.kind_id] == "template_string":  # the strings, then what stands between them
        inner = [first(r, each) for each in given.named_children if r.kind(each) == "template_substitution"]
        return ir.Call(called, (ir.Argument(NOTHING), *[ir.Argument(value) for value in inner]), line, column)
    found = ir.Call(called, arguments(r, given), line, column)
    if isinstance(called, ir.Member) and called.name in SETTLED:
        settled = (ir.Argument(called.of),)
        return either([found, *[ir.Call(each.value, settled, line, column) for each in found.arguments]])
    return found


def _module(r: Reader, given: tree_sitter.Node | None) -> ir.Name | None:
    """Return a module that is required; it is imported once, under a name that no source can have."""
    nodes = r.children(given)
    if not nodes or r.kind(nodes[0]) != "string":
        return None
    name = r.cut(nodes[0])[1:-1]
    if f"%{name}" not in r.names:
        r.module.body.append(ir.Import(name, alias=f"%{name}", line=r.line(nodes[0])))
    return r.name(f"%{name}")


def _called(r: Reader, node: tree_sitter.Node, kind: str) -> tree_sitter.Node | None:
    """Return the name that is called; None for a callee without one."""
    if kind == "identifier":
        return node
    return node.child_by_field_id(r.fields.property) if kind == "member_expression" else None


def arguments(r: Reader, node: tree_sitter.Node | None) -> tuple[ir.Argument, ...]:
    """Return the arguments of a call."""
    return tuple([ir.Argument(r.value(each)) for each in r.children(node)])


def new(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `new A()`."""
    made, given = r.child(node, r.fields.constructor), node.child_by_field_id(r.fields.arguments)
    line, column = r.place(_called(r, made, r.kind(made)) or given or node)
    return ir.Call(r.value(made), arguments(r, given), line, column, is_new=True)


# --- objects and arrays ---


def array(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an array or its pattern; what comes after a spread has no place that is known."""
    entries: list[ir.Entry] = []
    place: int | None = 0
    for child in node.children:  # with the commas: holes count
        if not child.is_named:
            place = place + 1 if place is not None and child.type == "," else place
        elif r.kind(child) != "comment":
            value = r.value(child)
            place = None if isinstance(value, ir.Spread) else place
            if not isinstance(value, ir.Text):  # constants are data
                entries.append(ir.Entry(place, value))
    return ir.Table(tuple(entries), "array")


def object_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an object or its pattern."""
    found = [_property(r, child, r.kind(child)) for child in r.children(node)]
    kept = [entry for entry in found if entry is not None and not isinstance(entry.value, ir.Text)]
    return ir.Table(tuple(kept), OBJECT)


def _property(r: Reader, node: tree_sitter.Node, kind: str) -> ir.Entry | None:
    """Return an entry of an object; None for a setter."""
    if kind in ("pair", "pair_pattern"):
        return ir.Entry(key(r, r.child(node, r.fields.key)), r.value(r.child(node, r.fields.value)))
    if kind == "method_definition":
        name = r.child(node, r.fields.name)
        at = key(r, name)
        code = function(r, node, r.cut(name) if at is None else str(at))
        return None if "setter" in r.frames[code.scope].marks else ir.Entry(at, code)
    if kind.startswith(("spread", "rest")):
        return ir.Entry(None, r.value(node))
    return ir.Entry(word(r.field_text(node, r.fields.left) or r.cut(node)), r.value(node))


# --- assignment ---


def assignment(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a = b`; it is worth what is assigned."""
    value = r.kept(r.value(r.child(node, r.fields.right)))
    bind(r, r.child(node, r.fields.left), value)
    return value


def augmented(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a ||= b`, which may assign; `a += b` gives no function."""
    if r.field_text(node, r.fields.operator) not in ("||=", "&&=", "??="):
        return r.parts(node.named_children)
    return either((r.value(r.child(node, r.fields.left)), assignment(r, node)))


# --- operators ---


def binary(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an operator."""
    sign = r.field_text(node, r.fields.operator)
    left, right = r.value(r.child(node, r.fields.left)), r.value(r.child(node, r.fields.right))
    if sign == "&&":  # what is falsy is no function
        r.do(left)
        return right
    return either((left, right)) if sign in ("||", "??") else opaque((left, right))


def sequence(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a, b`, which is worth its last part."""
    nodes = r.children(node)
    for child in nodes[:-1]:
        r.do(r.value(child))
    return r.value(nodes[-1]) if nodes else NOTHING


def yield_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `yield a` and `yield* a`."""
    if node.named_child_count:
        value = first(r, node)
        is_all = "*" in r.text[node.start_byte : node.named_children[0].start_byte]
        r.emit(ir.Yield(ir.Elements(value) if is_all else value))
    return NOTHING


def cast(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a as B`, `a satisfies B` and `<B>a`."""
    nodes = r.children(node)
    if r.kind(node) == "type_assertion":
        nodes.reverse()
    found = r.value(nodes[0])
    to = annotation(r, nodes[1]) if len(nodes) > 1 else None
    if to is None:
        return found
    return declared(to) if found is NOTHING else ir.Cast(found, to)


# --- elements ---

CONTAINERS = ("jsx_expression", "jsx_element", "jsx_self_closing_element")


def element(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an element with what it contains."""
    tag = node.child_by_field_id(r.fields.open_tag) or node
    children = [r.value(child) for child in node.named_children if tag is not node and r.kind(child) in CONTAINERS]
    name = tag.child_by_field_id(r.fields.name)
    entries = [entry for child in tag.named_children if (entry := _attribute(r, child)) is not None]
    if children:
        entries.append(ir.Entry("children", ir.Table(tuple([ir.Entry(None, each) for each in children]))))
    line, column = r.place(tag)
    if name is not None and (not r.cut(name)[:1].islower() or "." in r.cut(name)):
        properties = ir.Table(tuple(entries), OBJECT)
        return ir.Call(r.value(name), (ir.Argument(properties),), line, column)
    for entry in entries:
        if isinstance(entry.key, str) and entry.key[:2] == "on" and entry.key[2:3].isupper():
            listened = (ir.Argument(ir.Text(entry.key[2:].lower())), ir.Argument(entry.value))
            r.do(ir.Call(ir.Member(NOTHING, "addEventListener"), listened, line, column))
        else:
            r.do(entry.value)
    return NOTHING


def _attribute(r: Reader, node: tree_sitter.Node) -> ir.Entry | None:
    if r.kind(node) == "jsx_attribute" and node.named_children:
        nodes = node.named_children
        return ir.Entry(r.cut(nodes[0]), r.maybe(nodes[1] if len(nodes) > 1 else None))
    value = r.value(node) if r.kind(node) == "jsx_expression" else NOTHING
    return ir.Entry(None, value) if isinstance(value, ir.Spread) else None


READERS: dict[str, Handler] = {
    **SHARED,
    **dict.fromkeys(IDENTIFIERS, lambda r, node: r.read(r.cut(node))),
    "string": string,
    "number": lambda r, node: ir.Text(word(r.cut(node))),
    "template_string": template,
    **dict.fromkeys(("type_annotation", "type_parameters"), nothing),
    "member_expression": member,
    "subscript_expression": subscript,
    "call_expression": call,
    "new_expression": new,
    **dict.fromkeys(("spread_element", "rest_pattern"), lambda r, node: ir.Spread(first(r, node))),
    **dict.fromkeys(("non_null_expression", "instantiation_expression", "jsx_expression", "await_expression"), first),
    **dict.fromkeys(("array", "array_pattern"), array),
    **dict.fromkeys(("object", "object_pattern"), object_),
    "assignment_expression": assignment,
    "augmented_assignment_expression": augmented,
    "binary_expression": binary,
    "sequence_expression": sequence,
    "yield_expression": yield_,
    **dict.fromkeys(("as_expression", "satisfies_expression", "type_assertion"), cast),
    **dict.fromkeys(("jsx_element", "jsx_self_closing_element", "jsx_fragment"), element),
}
