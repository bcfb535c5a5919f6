"""Expressions and statements of Java.

Order and conditions do not matter; blocks do, since each has names of its own. A lambda is a function whose members all
mean the function itself; a method reference is the lambda that it abbreviates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from recollect.code.links import program as ir
from recollect.code.links.java_reader import (
    FIELD,
    OBJECT,
    Reader,
    array_of,
    declarator_type,
    is_container,
    is_plain,
    type_of,
)
from recollect.code.links.overload_choice import UNWRAPPED
from recollect.code.links.tree_reader import (
    NOTHING,
    SHARED,
    Handler,
    declared,
    first,
    nothing,
    opaque,
    scoped,
    statements,
)

if TYPE_CHECKING:
    import tree_sitter

CONSTRUCTOR = "<init>"
LAMBDA = "<lambda>"
# Methods of library classes that make a container of their arguments.
MAKERS = frozenset(("of", "asList", "ofNullable", "completedFuture", "entry"))


def arguments(r: Reader, node: tree_sitter.Node | None) -> tuple[ir.Argument, ...]:
    """Return the arguments of a call, with the types that they are written with."""
    return tuple([ir.Argument(r.value(each), None, written_type(r, each)) for each in r.children(node)])


def base(r: Reader, node: tree_sitter.Node) -> str:
    """Return the name of a type without its arguments."""
    return r.cut(node.named_children[0] if r.kind(node) == "generic_type" else node)


# --- names ---


def identifier(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a name: of a variable, a field or a class."""
    name = r.cut(node)
    found = r.find(name)
    if found is not None:
        return NOTHING if is_plain(r.type_of(name)) else found
    is_class = r.type_of(f"<{name}>") is not None or name in r.imported or (name[:1].isupper() and not name.isupper())
    if is_class and name not in r.statics:
        return r.reference(name)
    inherited = r.inherited(name, FIELD + name)
    if inherited is None:
        return r.reference(name)
    return ir.Either((inherited, r.name(name))) if name[:1].isupper() else inherited


def field_access(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a.b`: a field, a class in another, a class named in full, or `Shop.this`."""
    of, field = r.child(node, r.fields.object), r.child(node, r.fields.field)
    name, path = r.cut(field), r.cut(of)
    if r.kind(field) == "this":
        return next((each.owner for each in r.around() if each.frame.name == path), NOTHING)
    if _is_package(r, path):
        return r.named_in_full(f"{path}.{name}") if name[:1].isupper() else NOTHING
    is_class = name[:1].isupper() and not name.isupper() and path.rpartition(".")[2][:1].isupper()
    if is_class:
        return ir.Member(r.value(of), name)
    return ir.Member(r.value(of), FIELD + name, r.line(field))


def _is_package(r: Reader, path: str) -> bool:
    """Tell whether a path names a package: no variable of the file begins it."""
    head, *rest = path.split(".")
    is_lower = all(part.isidentifier() and part[:1].islower() for part in (head, *rest))
    return is_lower and bool(rest) and head != "this" and r.block.find(head) is None


# --- types of arguments, by which overloads are chosen ---


def written_type(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    """Return the type of an expression as far as its text says it."""
    reading = WRITTEN.get(r.kind(node))
    return r.name(reading) if isinstance(reading, str) else reading(r, node) if reading is not None else None


def _type_of_name(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    """Return the type of a variable; that of `Long` is that of its constants."""
    name = r.cut(node)
    return r.type_of(name) or (r.name(name) if name in UNWRAPPED or name == "String" else None)


def _type_of_member(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    """Return the type of `Long.MAX_VALUE`, or of what a method returns."""
    of, name = node.child_by_field_id(r.fields.object), r.field_text(node, r.fields.name)
    if name in TEXTS:
        return r.name("String")
    if of is not None and r.kind(of) != "this":  # members of texts and numbers mostly give their like
        owner = written_type(r, of)
        if owner is None or is_plain(owner):
            return owner
        return None if isinstance(owner, ir.Table) or not name else ir.Call(ir.Member(owner, name))
    return r.type_of(f"{name}()")


def _type_of_element(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    array = written_type(r, node.named_children[0])
    held = array.entries[0].value if isinstance(array, ir.Table) and array.entries else None
    return held.of if isinstance(held, ir.Instance) else held


def _type_of_sum(r: Reader, node: tree_sitter.Node) -> ir.Expression | None:
    if r.field_text(node, r.fields.operator) not in "+-*/%":
        return r.name("boolean")
    types = [written_type(r, each) for each in r.children(node)]
    return r.name("String") if r.name("String") in types else types[0] if types and types[0] == types[-1] else None


# Methods that give a text, whatever they are called on.
TEXTS = frozenset(("toString", "getName", "getSimpleName"))
# By kind of expression, its type or what reads it.
WRITTEN: dict[str, str | Callable[[Reader, tree_sitter.Node], ir.Expression | None]] = {
    "string_literal": "String",
    "character_literal": "char",
    "true": "boolean",
    "false": "boolean",
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "class_literal": "Class",
    "identifier": _type_of_name,
    "this": lambda r, node: next((r.classes[each.frame.place] for each in r.around()), None),
    "object_creation_expression": lambda r, node: type_of(r, node.child_by_field_id(r.fields.type)),
    "cast_expression": lambda r, node: type_of(r, node.child_by_field_id(r.fields.type)),
    "array_creation_expression": lambda r, node: declarator_type(r, node, node),
    "method_invocation": _type_of_member,
    "field_access": _type_of_member,
    "parenthesized_expression": lambda r, node: written_type(r, node.named_children[0]),
    "binary_expression": _type_of_sum,
    "array_access": _type_of_element,
}


# --- calls ---


def invocation(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a call of a method."""
    of, named = node.child_by_field_id(r.fields.object), r.child(node, r.fields.name)
    given = node.child_by_field_id(r.fields.arguments)
    name = r.cut(named)
    if of is None:
        own = r.find(f"{name}()") or r.inherited(name, name) or r.name(name)
        return ir.Call(own, arguments(r, given), *r.place(named))
    if name in MAKERS and r.kind(of) == "identifier" and is_container(r, r.cut(of)):
        return ir.Table(tuple([ir.Entry(None, each.value) for each in arguments(r, given)]))
    is_of_super = any(r.kind(child) == "super" for child in node.named_children[1:2])
    owner = r.reference(r.cut(of)) if is_of_super else r.value(of)
    line, column = r.place(named)
    if owner is NOTHING:  # a text or a number: its methods are of the library
        return opaque([each.value for each in arguments(r, given)])
    return ir.Call(ir.Member(owner, name, line), arguments(r, given), line, column)


def creation(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `new A()`, with the class that is written with it."""
    made, given = r.child(node, r.fields.type), node.child_by_field_id(r.fields.arguments)
    outer, last, name = node.named_children[0], node.named_children[-1], base(r, made)
    callee: ir.Expression
    if r.kind(last) == "class_body":
        callee = anonymous(r, last, r.reference(name))
    elif outer.start_byte < made.start_byte and "annotation" not in r.kind(outer):  # `outer.new Inner()`
        callee = ir.Member(r.value(outer), name)
    elif is_container(r, name):
        return ir.Table(tuple([ir.Entry(None, ir.Spread(each.value)) for each in arguments(r, given)]))
    else:
        callee = r.reference(name)
    return ir.Call(callee, arguments(r, given), *r.place(made), is_new=True)


def anonymous(r: Reader, body: tree_sitter.Node, of: ir.Expression) -> ir.Expression:
    """Return the class that is written with `new`, or with a constant of an enum."""
    own = r.value(body)
    if isinstance(own, ir.Code):
        r.frames[own.scope].bases.append(of)
    return own


def constructor_call(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `this(…)` and `super(…)`."""
    line, column = r.place(node)
    owner = ir.Super() if r.field_text(node, r.fields.constructor) == "super" else ir.This()
    given = arguments(r, node.child_by_field_id(r.fields.arguments))
    return ir.Call(ir.Member(owner, CONSTRUCTOR, line), given, line, column)


# --- functions that are values ---


def lambda_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a lambda, whose body waits."""
    frame = r.open("function", node, LAMBDA)
    frame.marks += ["functional", "arrow"]
    r.wait(partial(function_body, r, node, node.child_by_field_id(r.fields.parameters)), frame)
    return ir.Code(frame.place)


def function_body(r: Reader, node: tree_sitter.Node, listed: tree_sitter.Node | None) -> None:
    """Read the parameters and the body of a function; what a lambda is worth is returned."""
    _parameters(r, listed)
    value = r.maybe(node.child_by_field_id(r.fields.body))
    if value is not NOTHING:
        r.emit(ir.Return(value))


REST = ir.Parameter("rest", "*")
ALL = ir.Argument(ir.Spread(ir.Name("rest")))


def reference(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `Task::run`, `this::go` and `Task::new` as lambdas."""
    found: ir.Expression
    owner, last = node.children[0], node.children[-1]
    line, column = r.place(last)
    frame = r.open("function", node, LAMBDA)
    frame.marks += ["functional", "arrow"]
    frame.parameters.append(REST)
    with r.inside(frame):
        if last.type == "new":
            made = type_of(r, owner)
            is_class = made is not None and not isinstance(made, ir.Table)
            found = ir.Call(made or NOTHING, (ALL,), line, column, is_new=True) if is_class else NOTHING
        else:
            of, name = r.value(owner), r.cut(last)
            found = ir.Call(ir.Member(of, name, line), (ALL,), line, column)
            last_name = r.cut(owner).rpartition(".")[2]
            if last_name[:1].isupper() and r.block.find(last_name) is None:  # static, or called on its first argument
                first = r.name("first")
                frame.parameters.insert(0, ir.Parameter(first.name, "", None, of))
                on_first = ir.Call(ir.Member(ir.Cast(first, of), name, line), (ALL,), line, column)
                found = ir.Either((ir.Call(found.callee, (ir.Argument(first), ALL), line, column), on_first))
        r.emit(ir.Return(found))
    return ir.Code(frame.place)


def _parameters(r: Reader, node: tree_sitter.Node | None) -> None:
    """Read the parameters of a function, or the only one of a lambda, into the scope."""
    is_only = node is not None and r.kind(node) == "identifier"
    for each in [node] if node is not None and is_only else r.children(node):
        if r.kind(each) == "identifier":
            _parameter(r, r.cut(each), "", None)
        elif r.kind(each) == "formal_parameter":
            _parameter(r, r.field_text(each, r.fields.name), "", declarator_type(r, each, each))
        elif r.kind(each) == "spread_parameter":
            inner = [child for child in each.named_children if r.kind(child) != "modifiers"]
            many = array_of(type_of(r, inner[0]))
            name = _parameter(r, r.field_text(inner[-1], r.fields.name), "*", many)
            if not is_plain(many):
                r.emit(ir.Assign(name, many))


def _parameter(r: Reader, name: str, kind: str, type: ir.Expression | None) -> ir.Name:
    variable = r.frame.declare(r.frame.block, name, type)
    r.frame.parameters.append(ir.Parameter(variable.name, kind, None, type))
    return r.name(variable.name)


# --- other expressions ---


def cast(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `(Foo) a`."""
    return as_type(r.maybe(node.child_by_field_id(r.fields.value)), type_of(r, node.child_by_field_id(r.fields.type)))


def as_type(value: ir.Expression, type: ir.Expression | None) -> ir.Expression:
    """Return a value that is declared to be of a type."""
    if type in (None, OBJECT) or is_plain(type) or (isinstance(value, ir.Call) and value.is_new):
        return value
    if value is NOTHING or isinstance(type, ir.Table):
        known = declared(type)
        return known if value is NOTHING else ir.Either((value, known))
    return ir.Cast(value, type)


def instance_of(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a instanceof Foo f`."""
    value, right = r.maybe(node.child_by_field_id(r.fields.left)), node.child_by_field_id(r.fields.right)
    name = r.field_text(node, r.fields.name)
    if name:
        type = type_of(r, right)
        _bind(r, name, as_type(value, type), type)
        return NOTHING
    return opaque([value, r.parts(node.named_children[1:])])  # a pattern


def array_access(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a[b]`."""
    of, index = r.children(node)[:2]
    r.do(r.value(index))
    value = r.value(of)
    return NOTHING if value is NOTHING else ir.Item(value)


def array_creation(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `new Foo[3]` and `new Foo[] {a, b}`."""
    r.do(r.parts([each for each in node.named_children if r.kind(each) == "dimensions_expr"]))
    value = node.child_by_field_id(r.fields.value)
    return r.value(value) if value is not None else ir.Table(())


def array(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read the elements of an array."""
    values = [value for each in r.children(node) if (value := r.value(each)) is not NOTHING]
    return ir.Table(tuple([ir.Entry(None, value) for value in values]))


def assignment(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a = b`; it is worth what is assigned."""
    left, right = r.child(node, r.fields.left), r.child(node, r.fields.right)
    if r.field_text(node, r.fields.operator) != "=":
        return r.parts(node.named_children)
    target, value = r.value(left), r.value(right)
    if not isinstance(target, ir.Name | ir.Member | ir.Item) or value is NOTHING:
        return opaque([target, value])
    kept = r.kept(value)
    r.emit(ir.Assign(target, kept))
    return kept


# --- statements ---


def declaration(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `Foo a = b, c`."""
    for each in node.children_by_field_id(r.fields.declarator):
        value, type = each.child_by_field_id(r.fields.value), declarator_type(r, node, each)
        found = as_type(r.maybe(value), type)
        if value is not None and type is None:
            type = written_type(r, value)
        _bind(r, r.field_text(each, r.fields.name), found, type)
    return NOTHING


def _bind(r: Reader, name: str, value: ir.Expression, type: ir.Expression | None) -> ir.Expression:
    """Return a local variable of a type after giving it a value."""
    variable = r.name(r.frame.declare(r.block, name, type).name)
    if is_plain(type):
        r.do(value)
    elif value is not NOTHING:
        r.emit(ir.Assign(variable, value))
    return variable


def return_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `return a`."""
    value = first(r, node)
    if is_plain(r.frame.returns):
        r.do(value)
    elif value is not NOTHING:
        r.emit(ir.Return(value))
    return NOTHING


def for_each(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `for (Foo foo : all)`."""
    source = r.kept(r.maybe(node.child_by_field_id(r.fields.value)))
    type, found = type_of(r, node.child_by_field_id(r.fields.type)), source
    if source is not NOTHING:  # a table, or an object with an iterator of its own
        iterator = _implied(r, node, source, "iterator")
        r.do(_implied(r, node, iterator, "hasNext"))
        found = ir.Either((ir.Elements(source), _implied(r, node, iterator, "next")))
    _bind(r, r.field_text(node, r.fields.name), as_type(found, type), type)
    return r.maybe(node.child_by_field_id(r.fields.body))


def _implied(r: Reader, node: tree_sitter.Node, of: ir.Expression, name: str) -> ir.Call:
    """Return a call that the language adds."""
    line, column = r.place(node)
    return ir.Call(ir.Member(of, name, line), (), line, column, is_implied=True)


def resource(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a resource, which is closed in the end."""
    value, name = node.child_by_field_id(r.fields.value), r.field_text(node, r.fields.name)
    type = type_of(r, node.child_by_field_id(r.fields.type))
    held = _bind(r, name, as_type(r.maybe(value), type), type) if name else first(r, node)
    r.do(_implied(r, node, held, "close"))
    return NOTHING


def caught(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read the parameter of a handler."""
    types = next((each for each in node.named_children if r.kind(each) == "catch_type"), None)
    return _declared(r, r.field_text(node, r.fields.name), types)


def _declared(r: Reader, name: str, type: tree_sitter.Node | None) -> ir.Expression:
    """Declare a variable of which only the type is known."""
    found = type_of(r, type)
    return _bind(r, name, as_type(NOTHING, found), found)


def label(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `case A a`; a constant of an enum is no variable here, but a member of what is switched."""
    above, of = node.parent, None
    while above is not None and of is None:
        of, above = above.child_by_field_name("condition"), above.parent
    for each in [each for each in node.named_children if r.kind(each) == "identifier"]:
        r.emit(ir.Use(ir.Member(first(r, of) if of else NOTHING, r.cut(each)), r.line(each)))
    return r.parts([each for each in node.named_children if r.kind(each) != "identifier"])


def pattern(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `Circle c` in a pattern: a variable of that type."""
    parts = r.children(node)
    return _declared(r, r.cut(parts[-1]), parts[-2]) if len(parts) > 1 else NOTHING


READERS: dict[str, Handler] = {
    **SHARED,
    **dict.fromkeys(("identifier", "type_identifier"), identifier),
    **dict.fromkeys(("field_access", "scoped_identifier"), field_access),
    "method_invocation": invocation,
    "object_creation_expression": creation,
    "explicit_constructor_invocation": constructor_call,
    "lambda_expression": lambda_,
    "method_reference": reference,
    "cast_expression": cast,
    "instanceof_expression": instance_of,
    "array_access": array_access,
    "array_creation_expression": array_creation,
    "array_initializer": array,
    "assignment_expression": assignment,
    "switch_label": label,
    **dict.fromkeys(("type_pattern", "record_pattern_component"), pattern),
    "local_variable_declaration": declaration,
    "return_statement": return_,
    "enhanced_for_statement": scoped(for_each),
    "resource": resource,
    "catch_formal_parameter": caught,
    **dict.fromkeys(("constructor_body", "switch_block_statement_group"), statements),
    **dict.fromkeys(
        "block switch_block switch_rule try_with_resources_statement catch_clause".split(), scoped(statements)
    ),
    **dict.fromkeys(
        "modifiers break_statement continue_statement class_literal generic_type array_type".split(), nothing
    ),
}
