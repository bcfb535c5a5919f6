"""Programs of Python files: the entry of the front end, functions and classes.

tree ─► statements, expressions ─► scopes
             │        ▲
             └► queue ┘   bodies of functions, and what lies too deep
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.code.index import page as grammars
from recollect.code.index.page import Page, parse
from recollect.code.index.symbols import Symbol
from recollect.code.links import program as ir
from recollect.code.links import python_expressions, python_statements
from recollect.code.links.python_expressions import arguments
from recollect.code.links.python_reader import FIELDS, Frame, Handler, Reader
from recollect.code.links.python_types import annotation
from recollect.code.links.tree_reader import NOTHING, by_end, grammar, statements

if TYPE_CHECKING:
    import tree_sitter

CONSTRUCTORS = ("__init__", "__new__")
# Methods that are class methods without a decorator.
OF_CLASS = ("__new__", "__init_subclass__", "__class_getitem__")
# Decorators by their last word: how they change what a function is bound to. They are not called.
MARKS = {
    "staticmethod": "static",
    "classmethod": "classmethod",
    "property": "property",
    "cached_property": "property",
    "setter": "setter",
    "deleter": "setter",
    "abstractmethod": "abstract",
    "abstractproperty": "property",
    "abstractclassmethod": "classmethod",
    "abstractstaticmethod": "static",
}
OVERLOAD = "overload"
# Bases and decorators, by their last word, that make a constructor out of the fields of a class.
RECORDS = frozenset("NamedTuple dataclass Struct BaseModel define frozen attrs".split())
SELF = "self"


def function(r: Reader, node: tree_sitter.Node, decorators: Iterable[tree_sitter.Node] = ()) -> ir.Expression:
    """Read `def`: the function is given to its name, its body waits."""
    name, body = r.field_text(node, r.fields.name), node.child_by_field_id(r.fields.body)
    frame = r.open("function", name, node)
    _decorate(r, frame, decorators)
    if r.text.startswith("async", node.start_byte):
        frame.marks.append("async")
    if r.frame.kind == "class":
        _bind(frame, name)
    _parameters(r, frame, node.child_by_field_id(r.fields.parameters))
    frame.returns = annotation(r, node.child_by_field_id(r.fields.return_type), frame)
    if body is not None:
        r.wait(partial(statements, r, body), frame)
    if OVERLOAD not in frame.marks:
        r.emit(ir.Assign(r.name(name), ir.Code(frame.place)))
    return NOTHING


def _bind(frame: Frame, name: str) -> None:
    """Mark how a function of a class is bound."""
    if "static" not in frame.marks and frame.parent is not None:
        frame.marks.append("self")
    if name in CONSTRUCTORS:
        frame.marks.append("constructor")
    if name in OF_CLASS and "classmethod" not in frame.marks:
        frame.marks.append("classmethod")


def _decorate(r: Reader, frame: Frame, decorators: Iterable[tree_sitter.Node]) -> None:
    for child in [child for decorator in decorators for child in r.children(decorator)]:
        last = r.cut(child).rpartition(".")[2]
        if last == OVERLOAD or (last in MARKS and frame.kind == "function"):
            frame.marks.append(MARKS.get(last, last))
        else:
            frame.decorators.append(r.value(child))


# --- parameters ---


STARS = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}


def _parameters(r: Reader, frame: Frame, node: tree_sitter.Node | None) -> None:
    kind = ""
    for child in r.children(node):
        if r.kind(child) == "keyword_separator":
            kind = "="
        elif r.kind(child) != "positional_separator":
            found = _parameter(r, frame, child, kind)
            frame.parameters.append(found)
            kind = "=" if found.kind == "*" else kind


def _parameter(r: Reader, frame: Frame, node: tree_sitter.Node, kind: str) -> ir.Parameter:
    annotated = annotation(r, node.child_by_field_id(r.fields.type), frame)
    value = r.maybe(node.child_by_field_id(r.fields.value))
    named = node.child_by_field_id(r.fields.name) or node
    while r.kind(named) != "identifier" and named.named_child_count:
        kind = STARS.get(r.kind(named), kind)
        named = named.named_children[0]
    return ir.Parameter(r.cut(named), kind, None if value is NOTHING else value, annotated)


def lambda_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a lambda, which is named by its number in the scope around."""
    body = r.child(node, r.fields.body)
    r.frame.lambdas += 1
    frame = r.open("function", f"<lambda{r.frame.lambdas}>", node)
    _parameters(r, frame, node.child_by_field_id(r.fields.parameters))
    r.wait(lambda: r.emit(ir.Return(r.value(body))), frame)
    return ir.Code(frame.place)


# --- classes ---


def class_(r: Reader, node: tree_sitter.Node, decorators: Iterable[tree_sitter.Node] = ()) -> ir.Expression:
    """Read `class`."""
    name, body = r.field_text(node, r.fields.name), node.child_by_field_id(r.fields.body)
    bases = node.child_by_field_id(r.fields.superclasses)
    frame = r.open("class", name, node)
    _decorate(r, frame, decorators)
    passed = len(r.passed)
    for each in arguments(r, bases) if bases is not None else ():
        if each.name is None:
            frame.bases.append(each.value.of if isinstance(each.value, ir.Item) else each.value)
        elif each.name == "metaclass" and isinstance(each.value, ir.Name) and each.value.name == "ABCMeta":
            frame.marks.append("abstract")
        else:
            r.do(each.value)
    del r.passed[passed:]  # a base is no use of it, but what it is
    if body is not None:
        read = _record if _is_record(frame) else statements
        r.wait(partial(read, r, body), frame)
    r.emit(ir.Assign(r.name(name), ir.Code(frame.place)))
    return NOTHING


def _is_record(frame: Frame) -> bool:
    """Tell whether a class gets its constructor from its fields."""
    named = [*frame.bases, *(each.callee if isinstance(each, ir.Call) else each for each in frame.decorators)]
    return any(isinstance(each, ir.Name | ir.Member) and each.name in RECORDS for each in named)


def _record(r: Reader, node: tree_sitter.Node) -> None:
    """Read the body of a record, and write its constructor, which sets the fields."""
    statements(r, node)
    fields = [name for child in node.named_children if (name := _field(r, child))]
    if not fields or any(each.name in CONSTRUCTORS and each.parent is r.frame for each in r.frames):
        return
    made = r.open("function", CONSTRUCTORS[0], None)
    made.marks += ["self", "constructor"]
    made.parameters += [ir.Parameter(name) for name in (SELF, *fields)]
    made.body += [ir.Assign(ir.Member(ir.Name(SELF), name), ir.Name(name)) for name in fields]
    r.emit(ir.Assign(ir.Name(CONSTRUCTORS[0]), ir.Code(made.place)))


def _field(r: Reader, node: tree_sitter.Node) -> str:
    """Return the field that a statement of a record declares, or ""."""
    inner = node.named_children[0] if r.kind(node) == "expression_statement" and node.named_children else node
    if r.kind(inner) != "assignment":
        return ""
    name, annotated = r.child(inner, r.fields.left), r.field_text(inner, r.fields.type)
    return r.cut(name) if annotated and r.kind(name) == "identifier" and "ClassVar" not in annotated else ""


def decorated(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a function or class with its decorators."""
    definition = r.child(node, r.fields.definition)
    read = class_ if r.kind(definition) == "class_definition" else function
    return read(r, definition, [child for child in node.named_children if r.kind(child) == "decorator"])


READERS: tuple[tuple[str, Handler], ...] = tuple(
    {
        **python_expressions.READERS,
        **python_statements.READERS,
        "function_definition": function,
        "class_definition": class_,
        "decorated_definition": decorated,
        "lambda": lambda_,
    }.items()
)


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> ir.Unit:
    """Return the program of a Python file.

    symbols: those of the same file, whose places the scopes refer to
    Never raises for the content of the file.
    """
    page = Page(source)
    parsed = grammars.parsed("python")
    tree = parse(page, "python")
    reader = Reader(page, grammar(parsed, READERS, FIELDS), by_end(page, symbols))
    reader.read_tree(tree.root_node)
    _use(reader)
    scopes = tuple([frame.scope() for frame in reader.frames])
    return ir.Unit("python", scopes, notes=tuple(page.notes))


def _use(reader: Reader) -> None:
    """Record uses of functions that are passed on."""
    top = {SELF}
    for each in reader.frames[0].body:
        if isinstance(each, ir.Import):
            top.add(each.alias or each.name or "")
        elif isinstance(each, ir.Assign) and isinstance(each.target, ir.Name) and isinstance(each.value, ir.Code):
            top.add(each.target.name)
    used: set[tuple[int, str, str]] = set()
    for frame, value, node in reader.passed:
        of, name = (value.of, value.name) if isinstance(value, ir.Member) else (value, "")
        if not isinstance(of, ir.Name) or of.name not in top or (of.name == SELF and not name):
            continue
        key = (frame.place, of.name, name)
        if key not in used:
            used.add(key)
            frame.body.append(ir.Use(value, reader.line(node)))
