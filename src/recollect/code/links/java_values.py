"""Expressions of Java, each with its type where the file declares it.

Types are followed as far as one file can tell: they choose between overloads, say what a lambda takes, and find the
rows of the library. The solver finds the runtime type of an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.links.java_types import ARRAY, CLASS, FIELD, Type, text, type_of
from recollect.code.links.java_writer import DEEPEST, NOTHING, OPAQUE, Reader, Value, Writer, is_idle, is_pure
from recollect.code.links.program import (  # fmt: skip
    Argument,
    Assign,
    Call,
    Cast,
    Code,
    Either,
    Entry,
    Expression,
    Item,
    Key,
    Member,
    Name,
    Opaque,
    Super,
    Table,
    Use,
)

if TYPE_CHECKING:
    from tree_sitter import Node

# The type of a function that is a value: what it returns.
FUNCTION = "->"
COMMENTS = frozenset({"line_comment", "block_comment"})
FUNCTIONS = frozenset({"lambda_expression", "method_reference"})
STRING = Type("String")
BOOLEAN = Type("boolean")
INT = Type("int")
# The same few types stand everywhere.
SIMPLE = {name: Name(name) for name in "int long double float boolean char byte short String".split()}
COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


def value(w: Writer, node: Node | None) -> Value:
    """Return an expression; one nested too deep is nothing."""
    if node is None or w.depth >= DEEPEST:
        return NOTHING
    reader = w.tables.values.get(node.type)
    w.depth += 1
    found = reader(w, node) if reader else whole(w, node)
    w.depth -= 1
    return found


def whole(w: Writer, node: Node) -> Value:
    """Return an untracked value that evaluates its parts."""
    parts = [value(w, each).code for each in node.named_children]
    busy = tuple([part for part in parts if not is_pure(part)])
    return Value(Opaque(busy)) if busy else NOTHING


def position(node: Node) -> tuple[int, int]:
    """Return the line, from 1, and the column of a node."""
    point = node.start_point
    return point[0] + 1, point[1]


# --- types ------------------------------------------------------------------------------------------------------------


def class_named(w: Writer, type: Type | None) -> Expression | None:
    """Return the class of a type; None for primitives, arrays and the library."""
    type = w.solid(type)
    if type is None or type.name in (ARRAY, CLASS, FUNCTION) or w.is_library(type.name):
        return None
    return w.reference(type.name)


def type_code(w: Writer, type: Type | None) -> Expression | None:
    """Return a type as an expression: a class, a name, or a table for arrays."""
    if type is None:
        return None
    name = type.name
    if name in SIMPLE:
        return SIMPLE[name]
    type = w.solid(type)
    if type is None or name in (CLASS, FUNCTION):
        return None
    if type.name == ARRAY:
        return Table((Entry(None, type_code(w, type.element()) or OPAQUE),))
    return w.reference(type.name)


def held_class(w: Writer, type: Type | None) -> Expression | None:
    """Return the class that a variable is declared to hold, library included."""
    type = w.solid(type)
    if type is None or type.name in (ARRAY, CLASS, FUNCTION, "Object") or w.is_final(type):
        return None
    return w.reference(type.name)


def cast(w: Writer, code: Expression, type: Type | None, known: Type | None = None) -> Expression:
    """Return a value cast to a declared type, unless it was just made."""
    if isinstance(code, Code | Table) or (isinstance(code, Call) and code.is_new):
        return code
    if known is not None and known == type and isinstance(code, Name):
        return code
    to = held_class(w, type)
    return Cast(code, to) if to is not None else code


# --- names ------------------------------------------------------------------------------------------------------------


def named(w: Writer, name: str) -> Value:
    """Return what a simple name stands for: a variable, a field, or a class."""
    for frame in reversed(w.frames):
        if frame.shape is None:
            local = frame.local(name)
            if local is not None:
                return Value(OPAQUE if w.is_final(local.type) else Name(local.name), local.type)
            continue
        field = w.find_field(frame.shape, name)
        if field is not None and w.is_final(field.type):
            return Value(OPAQUE, field.type)
        if field is not None:
            owner = w.receiver(frame.shape, is_static=field.is_static)
            return Value(Member(owner, FIELD + name), w.solid(field.type))
    is_class = w.find_class(name) is not None or name in w.imported or (name[:1].isupper() and not name.isupper())
    if is_class and name not in w.statics:
        return Value(w.reference(name), Type(CLASS, (Type(name),)))
    unknown = w.unknown(name, FIELD + name)
    if unknown is None:
        return Value(w.reference(name), Type(CLASS, (Type(name),)) if name[:1].isupper() else None)
    return Value(Either((unknown, Name(name))) if name[:1].isupper() else unknown)


def _identifier(w: Writer, node: Node) -> Value:
    return named(w, text(w.page, node))


def _this(w: Writer, node: Node) -> Value:
    around = w.class_around()
    return Value(w.this(), Type(around.name) if around and around.reference is not None else None)


def _super(w: Writer, node: Node) -> Value:
    return Value(Super())


def _in_full(w: Writer, node: Node) -> Value | None:
    """Return the class of a path that begins with a package: `java.util.List`."""
    path = text(w.page, node)
    head = path.partition(".")[0]
    if not head[:1].islower() or not all(part.isidentifier() for part in path.split(".")):
        return None
    parts = path.split(".")
    cut = next((place for place, part in enumerate(parts) if part[:1].isupper()), 0)
    if not cut or _is_variable(w, head):
        return None
    if len(parts) > cut + 1:
        return None  # a member of the class: what is left of it comes here again
    return Value(w.named_in_full(path), Type(CLASS, (Type(path),)))


def _is_variable(w: Writer, name: str) -> bool:
    """Tell whether a name is a local variable or a field of this file."""
    return any(
        frame.local(name) is not None if frame.shape is None else w.find_field(frame.shape, name) is not None
        for frame in w.frames
    )


def _field_access(w: Writer, node: Node) -> Value:
    object_node, field_node = node.child_by_field_name("object"), node.child_by_field_name("field")
    if object_node is None or field_node is None:
        return whole(w, node)
    if field_node.type == "this":
        shape = w.find_class(text(w.page, object_node))
        return Value(w.this(shape), Type(shape.name)) if shape else NOTHING
    if object_node.type in ("field_access", "identifier"):
        found = _in_full(w, node)
        if found is not None:
            return found
    owner = value(w, object_node)
    name = text(w.page, field_node)
    if owner.type is not None and owner.type.name == ARRAY:
        return Value(owner.code if name == "clone" else OPAQUE, INT)
    type = _member_type(w, owner.type, name)
    is_class = type is not None and type.name == CLASS
    if w.is_final(type):
        w.do(owner.code)
        return Value(OPAQUE, type)
    return Value(Member(owner.code, name if is_class else FIELD + name, position(field_node)[0]), type)


def _member_type(w: Writer, owner: Type | None, name: str) -> Type | None:
    is_class = owner is not None and owner.name == CLASS
    inner = owner.element() if owner is not None and is_class else owner
    shape = w.find_class(inner.name) if inner is not None else None
    if shape is None:
        return Type(CLASS, (Type(f"{inner.name}.{name}"),)) if is_class and inner and _is_type(name) else None
    field = w.find_field(shape, name)
    if field is not None:
        return field.type
    return Type(CLASS, (Type(f"{inner.name}.{name}"),)) if inner and name in shape.classes else None


def _is_type(name: str) -> bool:
    """Tell whether a name is written as types are, and not as constants are."""
    return name[:1].isupper() and not name.isupper()


# --- parts ------------------------------------------------------------------------------------------------------------


def _typed(type: Type) -> Reader:
    def reader(w: Writer, node: Node) -> Value:
        return Value(OPAQUE, type)

    return reader


def _whole_of(type: Type) -> Reader:
    def reader(w: Writer, node: Node) -> Value:
        return Value(whole(w, node).code, type)

    return reader


def _parenthesized(w: Writer, node: Node) -> Value:
    inner = [each for each in node.named_children if "comment" not in each.type]
    return value(w, inner[0]) if len(inner) == 1 else whole(w, node)


def _binary(w: Writer, node: Node) -> Value:
    """Return an operation; long sums are read in a loop."""
    levels: list[Node] = []
    first: Node | None = node
    while first is not None and first.type == "binary_expression":
        levels.append(first)
        first = first.child_by_field_name("left")
    left = value(w, first)
    parts = [left.code]
    type = left.type
    for level in reversed(levels):
        right = value(w, level.child_by_field_name("right"))
        parts.append(right.code)
        operator = level.child_by_field_name("operator")
        if operator is not None and operator.type in COMPARISONS:
            type = BOOLEAN
        else:
            type = STRING if STRING in (type, right.type) else _wider(type, right.type)
    busy = tuple([part for part in parts if not is_pure(part)])
    return Value(Opaque(busy) if busy else OPAQUE, type)


def _wider(left: Type | None, right: Type | None) -> Type | None:
    for name in ("double", "float", "long"):
        if Type(name) in (left, right):
            return Type(name)
    return left if left == right else (INT if left is not None and right is not None else None)


def _unary(w: Writer, node: Node) -> Value:
    inner = value(w, node.child_by_field_name("operand"))
    return Value(OPAQUE if is_pure(inner.code) else Opaque((inner.code,)), inner.type)


def _ternary(w: Writer, node: Node) -> Value:
    w.do(value(w, node.child_by_field_name("condition")).code)
    first = value(w, node.child_by_field_name("consequence"))
    second = value(w, node.child_by_field_name("alternative"))
    busy = tuple(each.code for each in (first, second) if not is_idle(each.code))
    return Value(Either(busy) if busy else OPAQUE, first.type or second.type)


def _cast(w: Writer, node: Node) -> Value:
    types = [type_of(w.page, each) for each in node.children_by_field_name("type")]
    inner = node.child_by_field_name("value")
    target = types[0] if types else None
    found = value_for(w, inner, target)
    if is_idle(found.code):
        return Value(OPAQUE, target)
    return Value(cast(w, found.code, target), target)


def _instanceof(w: Writer, node: Node) -> Value:
    left = value(w, node.child_by_field_name("left"))
    w.do(left.code)
    right, name = node.child_by_field_name("right"), node.child_by_field_name("name")
    pattern = node.child_by_field_name("pattern")
    if right is not None and name is not None:
        bind(w, text(w.page, name), left.code, type_of(w.page, right))
    elif pattern is not None:
        take_apart(w, pattern, left)
    elif right is not None:
        use(w, type_of(w.page, right), right)
    return Value(OPAQUE, BOOLEAN)


def bind(w: Writer, name: str, code: Expression, type: Type | None) -> None:
    """Declare a local variable that holds a value as one of a type."""
    unique = w.function().declare(name, w.solid(type))
    if w.is_final(type):
        w.do(code)
    elif not is_idle(code) or class_named(w, type) is not None:
        w.emit(Assign(Name(unique), cast(w, code, type)))


def take_apart(w: Writer, pattern: Node, matched: Value) -> None:
    """Declare what a pattern binds: `Circle c`, `Point(int x, var y)`."""
    for each in (pattern,) if pattern.type in PATTERNS else pattern.named_children:
        inner = [child for child in each.named_children if child.type != "modifiers"]
        if each.type == "type_pattern" and len(inner) == 2:
            bind(w, text(w.page, inner[1]), matched.code, type_of(w.page, inner[0]))
        elif each.type == "record_pattern" and inner:
            _take_record_apart(w, inner, matched)


def _take_record_apart(w: Writer, inner: list[Node], matched: Value) -> None:
    type = type_of(w.page, inner[0])
    shape = w.find_class(type.name) if type else None
    fields = list(shape.fields) if shape else []
    whole_record = cast(w, matched.code, type)
    components = inner[-1].named_children if inner[-1].type == "record_pattern_body" else ()
    for place, component in enumerate(components):
        known = place < len(fields)
        code: Expression = Member(whole_record, FIELD + fields[place]) if known else OPAQUE
        parts = component.named_children
        if component.type == "record_pattern_component" and len(parts) == 2:
            written = type_of(w.page, parts[0])
            bind(
                w,
                text(w.page, parts[1]),
                code,
                written or (shape.fields[fields[place]].type if shape and known else None),
            )
        else:
            take_apart(w, component, Value(code))


PATTERNS = frozenset({"type_pattern", "record_pattern"})


def use(w: Writer, type: Type | None, node: Node) -> None:
    """Note that a type is named."""
    named_class = class_named(w, type)
    if named_class is not None:
        w.emit(Use(named_class, position(node)[0]))


def _class_literal(w: Writer, node: Node) -> Value:
    type = type_of(w.page, node.named_children[0]) if node.named_children else None
    use(w, type, node)
    # In full: a program may have a class of its own that is called Class.
    return Value(class_named(w, type) or OPAQUE, Type("java.lang.Class", (type,)))


# --- arrays and assignments -------------------------------------------------------------------------------------------


def key_of(w: Writer, node: Node | None) -> Key | None:
    """Return the constant that a key is written as."""
    if node is None:
        return None
    if node.type == "decimal_integer_literal":
        written = text(w.page, node).replace("_", "").rstrip("lL")
        return int(written) if written.isdigit() and len(written) < 10 else None
    return text(w.page, node) if node.type in ("string_literal", "character_literal") else None


def _array_access(w: Writer, node: Node) -> Value:
    array = value(w, node.child_by_field_name("array"))
    index = node.child_by_field_name("index")
    w.do(value(w, index).code)
    element = array.type.element() if array.type and array.type.name == ARRAY else None
    return Value(cast(w, Item(array.code, key_of(w, index)), element), element)


def _array_creation(w: Writer, node: Node) -> Value:
    element = type_of(w.page, node.child_by_field_name("type"))
    written = node.child_by_field_name("value")
    depth = sum(
        text(w.page, each).count("[") for each in node.children if each.type in ("dimensions", "dimensions_expr")
    )
    type = element
    for _ in range(depth):
        type = Type(ARRAY, (type,))
    for each in node.named_children:
        if each.type == "dimensions_expr":
            w.do(whole(w, each).code)
    return array(w, written, type) if written else Value(Table((), *position(node)), type)


def array(w: Writer, node: Node, type: Type | None) -> Value:
    """Return the array that a list in braces makes, given its type."""
    element = type.element() if type else None
    entries: list[Entry] = []
    for place, each in enumerate(child for child in node.named_children if "comment" not in child.type):
        found = array(w, each, element) if each.type == "array_initializer" else value_for(w, each, element)
        if not is_idle(found.code):
            entries.append(Entry(place, found.code))
    return Value(Table(tuple(entries), *position(node)), type)


def _assignment(w: Writer, node: Node) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return whole(w, node)
    target = value(w, left)
    if target.type is not None and right.type == "array_initializer":
        given = array(w, right, target.type)
    else:
        given = value_for(w, right, target.type)
    plain = target.code.of if isinstance(target.code, Cast) else target.code
    operator = node.child_by_field_name("operator")
    if (operator is not None and operator.type != "=") or w.is_final(target.type):
        w.do(given.code)
        return Value(OPAQUE, target.type)
    if not is_idle(given.code) and isinstance(plain, Name | Member | Item):
        w.emit(Assign(plain, cast(w, given.code, target.type, given.type)))
    else:
        w.do(given.code)
    return Value(given.code if not isinstance(given.code, Call) else plain, target.type)


# --- calls ------------------------------------------------------------------------------------------------------------


def value_for(w: Writer, node: Node | None, target: Type | None) -> Value:
    """Return an expression where a type is expected, which a lambda needs."""
    if node is not None and node.type in FUNCTIONS:
        return w.tables.function(w, node, target, None)
    if node is not None and node.type == "array_initializer":
        return array(w, node, target)
    return value(w, node)


def arguments(w: Writer, values: list[Value]) -> tuple[Argument, ...]:
    """Return values as the arguments of a call."""
    return tuple([Argument(each.code, None, type_code(w, each.type)) for each in values])


def written(node: Node | None) -> list[Node]:
    """Return the arguments that are written in a call."""
    if node is None or node.named_child_count == 0:
        return []
    return [each for each in node.named_children if each.type not in COMMENTS]


def _type_named(w: Writer, node: Node) -> Value:
    type = type_of(w.page, node)
    if type is None:
        return NOTHING
    return Value(w.reference(type.name), Type(CLASS, (type,)))


READERS: dict[str, Reader] = {
    "identifier": _identifier,
    "this": _this,
    "super": _super,
    "field_access": _field_access,
    "scoped_identifier": _field_access,
    "array_creation_expression": _array_creation,
    "array_access": _array_access,
    "assignment_expression": _assignment,
    "cast_expression": _cast,
    "instanceof_expression": _instanceof,
    "ternary_expression": _ternary,
    "parenthesized_expression": _parenthesized,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "update_expression": _whole_of(INT),
    "class_literal": _class_literal,
    "type_identifier": _type_named,
    "scoped_type_identifier": _type_named,
    "generic_type": _type_named,
    "array_type": lambda w, node: NOTHING,
    "string_literal": _typed(STRING),
    "template_expression": _whole_of(STRING),
    "character_literal": _typed(Type("char")),
    "true": _typed(BOOLEAN),
    "false": _typed(BOOLEAN),
    "null_literal": _typed(Type(FUNCTION)),
    "decimal_integer_literal": lambda w, node: Value(OPAQUE, Type("long") if text(w.page, node)[-1:] in "lL" else INT),
    "hex_integer_literal": lambda w, node: Value(OPAQUE, Type("long") if text(w.page, node)[-1:] in "lL" else INT),
    "octal_integer_literal": _typed(INT),
    "binary_integer_literal": _typed(INT),
    "decimal_floating_point_literal": lambda w, node: Value(
        OPAQUE, Type("float") if text(w.page, node)[-1:] in "fF" else Type("double")
    ),
    "hex_floating_point_literal": _typed(Type("double")),
    "line_comment": lambda w, node: NOTHING,
    "block_comment": lambda w, node: NOTHING,
    "modifiers": lambda w, node: NOTHING,
}
