"""Programs of Python files: the entry of the front end, functions and classes.

tree ─► statements, expressions ─► scopes
             │        ▲
             └► queue ┘   bodies of functions, and what lies too deep
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.code.index import page as grammars
from recollect.code.index.page import Page, parse
from recollect.code.index.symbols import Symbol
from recollect.code.links import (
    python_expressions,
    python_statements,
)
from recollect.code.links.program import (
    Assign,
    Call,
    Code,
    Expression,
    Import,
    Item,
    Member,
    Name,
    Parameter,
    Return,
    Unit,
    Use,
)
from recollect.code.links.python_expressions import arguments
from recollect.code.links.python_reader import FIELDS, Frame, Handler, Reader
from recollect.code.links.python_statements import block
from recollect.code.links.python_types import annotation
from recollect.code.links.tree_reader import NOTHING, by_end, grammar

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


def function(r: Reader, node: tree_sitter.Node, decorators: Iterable[tree_sitter.Node] = ()) -> Expression:
    """Read `def`: the function is given to its name, its body waits."""
    own, body = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.body)
    name = r.cut(own) if own is not None else ""
    frame = r.open("function", name, node)
    in_class = r.frame.kind == "class"
    _decorate(r, frame, decorators)
    if node.child_count and r.text.startswith("async", node.start_byte):
        frame.marks.append("async")
    if in_class:
        _bind(frame, name)
    _parameters(r, frame, node.child_by_field_id(r.fields.parameters))
    frame.returns = annotation(r, node.child_by_field_id(r.fields.return_type), frame)
    if body is not None:
        _wait(r, frame, body, block)
    if OVERLOAD not in frame.marks:
        r.emit(Assign(r.name(name), Code(frame.place)))
    return NOTHING


def _bind(frame: Frame, name: str) -> None:
    """Mark how a function of a class is bound."""
    if "static" not in frame.marks and frame.parent is not None:
        frame.marks.append("self")
    if name in CONSTRUCTORS:
        frame.marks.append("constructor")
    if name in OF_CLASS and "classmethod" not in frame.marks:
        frame.marks.append("classmethod")


def _wait(r: Reader, frame: Frame, body: tree_sitter.Node, read: Callable[[Reader, tree_sitter.Node], object]) -> None:
    before = r.renamed
    if before:
        own = {parameter.name for parameter in frame.parameters}
        r.renamed = {name: other for name, other in before.items() if name not in own}
    r.wait(partial(read, r, body), frame)
    r.renamed = before


def _decorate(r: Reader, frame: Frame, decorators: Iterable[tree_sitter.Node]) -> None:
    for decorator in decorators:
        for child in decorator.named_children:
            if r.kind(child) == "comment":
                continue
            last = r.cut(child).rpartition(".")[2]
            if last == OVERLOAD or (last in MARKS and frame.kind == "function"):
                frame.marks.append(MARKS.get(last, last))
            else:
                frame.decorators.append(r.value(child))


# --- parameters ---


def _parameters(r: Reader, frame: Frame, node: tree_sitter.Node | None) -> None:
    if node is None:
        return
    kind = ""
    for child in node.named_children:
        of = r.kind(child)
        if of == "keyword_separator":
            kind = "="
        elif of not in ("comment", "positional_separator"):
            found = _parameter(r, frame, child, kind)
            if found is not None:
                frame.parameters.append(found)
                kind = "=" if found.kind == "*" else kind


def _parameter(r: Reader, frame: Frame, node: tree_sitter.Node, kind: str) -> Parameter | None:
    of = r.kind(node)
    annotated = annotation(r, node.child_by_field_id(r.fields.type), frame) if of.startswith("typed") else None
    default = node.child_by_field_id(r.fields.value)
    value = r.value(default) if default is not None else None
    if value is NOTHING:
        value = None
    named = node.child_by_field_id(r.fields.name) or node
    while r.kind(named) not in ("identifier", "list_splat_pattern", "dictionary_splat_pattern"):
        children = named.named_children
        if not children:
            return None
        named = children[0]
    star = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}.get(r.kind(named), "")
    if star:
        children = named.named_children
        if not children:
            return None
        named = children[0]
    return Parameter(r.cut(named), star or kind, value, annotated)


def lambda_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a lambda, which is named by its number in the scope around."""
    body = node.child_by_field_id(r.fields.body)
    r.frame.lambdas += 1
    frame = r.open("function", f"<lambda{r.frame.lambdas}>", node)
    _parameters(r, frame, node.child_by_field_id(r.fields.parameters))
    if body is not None:
        _wait(r, frame, body, _returned)
    return Code(frame.place)


def _returned(r: Reader, node: tree_sitter.Node) -> None:
    r.emit(Return(r.value(node)))


# --- classes ---


def class_(r: Reader, node: tree_sitter.Node, decorators: Iterable[tree_sitter.Node] = ()) -> Expression:
    """Read `class`."""
    own, body = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.body)
    bases = node.child_by_field_id(r.fields.superclasses)
    name = r.cut(own) if own is not None else ""
    frame = r.open("class", name, node)
    _decorate(r, frame, decorators)
    passed = len(r.passed)
    for each in arguments(r, bases) if bases is not None else ():
        if each.name is None:
            frame.bases.append(_plain(each.value))
        elif each.name == "metaclass" and isinstance(each.value, Name) and each.value.name == "ABCMeta":
            frame.marks.append("abstract")
        else:
            r.do(each.value)
    del r.passed[passed:]  # a base is no use of it, but what it is
    if body is not None:
        read = _record if _is_record(frame) else block
        r.wait(partial(read, r, body), frame)
    r.emit(Assign(r.name(name), Code(frame.place)))
    return NOTHING


def _is_record(frame: Frame) -> bool:
    """Tell whether a class gets its constructor from its fields."""
    named = [*frame.bases, *(each.callee if isinstance(each, Call) else each for each in frame.decorators)]
    return any(isinstance(each, Name | Member) and each.name in RECORDS for each in named)


def _record(r: Reader, node: tree_sitter.Node) -> None:
    """Read the body of a record, and write its constructor, which sets the fields."""
    block(r, node)
    fields = [name for child in node.named_children if (name := _field(r, child))]
    if not fields or any(each.name in CONSTRUCTORS and each.parent is r.frame for each in r.frames):
        return
    made = r.open("function", CONSTRUCTORS[0], None)
    made.marks += ["self", "constructor"]
    made.parameters += [Parameter(name) for name in (SELF, *fields)]
    made.body += [Assign(Member(Name(SELF), name), Name(name)) for name in fields]
    r.emit(Assign(Name(CONSTRUCTORS[0]), Code(made.place)))


def _field(r: Reader, node: tree_sitter.Node) -> str:
    """Return the field that a statement of a record declares, or ""."""
    inner = node.named_children[0] if r.kind(node) == "expression_statement" and node.named_children else node
    if r.kind(inner) != "assignment":
        return ""
    name, annotated = inner.child_by_field_id(r.fields.left), inner.child_by_field_id(r.fields.type)
    if name is None or annotated is None or r.kind(name) != "identifier" or "ClassVar" in r.cut(annotated):
        return ""
    return r.cut(name)


def _plain(base: Expression) -> Expression:
    """Return a base without what it is a base of: `Generic[T]` is Generic."""
    return base.of if isinstance(base, Item) else base


def decorated(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a function or class with its decorators."""
    definition = node.child_by_field_id(r.fields.definition)
    decorators = [child for child in node.named_children if r.kind(child) == "decorator"]
    if definition is None:
        return r.parts(node.named_children)
    return (
        class_(r, definition, decorators)
        if r.kind(definition) == "class_definition"
        else function(r, definition, decorators)
    )


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


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> Unit:
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
    return Unit("python", scopes, notes=tuple(page.notes))


def _use(reader: Reader) -> None:
    """Record uses of functions that are passed on."""
    top = {SELF}
    for each in reader.frames[0].body:
        if isinstance(each, Import):
            top.add(each.alias or each.name or "")
        elif isinstance(each, Assign) and isinstance(each.target, Name) and isinstance(each.value, Code):
            top.add(each.target.name)
    used: set[tuple[int, str, str]] = set()
    for frame, value, node in reader.passed:
        of, name = (value.of, value.name) if isinstance(value, Member) else (value, "")
        if not isinstance(of, Name) or of.name not in top or (of.name == SELF and not name):
            continue
        key = (frame.place, of.name, name)
        if key not in used:
            used.add(key)
            frame.body.append(Use(value, reader.line(node)))
