"""Programs of Python files: the entry of the front end, statements, functions and classes.

    tree ─► statements, expressions ─► scopes
                 │        ▲
                 └► queue ┘   bodies of functions and classes

Order and conditions do not matter. The interpreter's own parser reads the file, so a file of a newer Python has no
program here, and is read like a language without a front end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from recollect.code.index.symbols import Symbol
from recollect.code.links import program as ir
from recollect.code.links.named_uses import with_noted_uses
from recollect.code.links.python_expressions import Reader, annotation, parameters, target
from recollect.code.links.tree_reader import NOTHING, ScopeWriter, declared, either, opaque
from recollect.parsing import parse_python

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
STAR = "*"
LEAVE_ARGUMENTS = (ir.Argument(NOTHING),) * 3


def statements(r: Reader, body: Iterable[ast.stmt]) -> None:
    """Read statements one after the other."""
    for each in body:
        reader = _READERS.get(type(each))
        if reader is not None:
            reader(r, each)


# --- imports ---


def _import(r: Reader, node: ast.Import) -> None:
    for each in node.names:
        if each.asname:
            r.emit(ir.Import(each.name, None, each.asname, line=each.lineno))
        else:
            top, _, below = each.name.partition(".")
            r.emit(ir.Import(each.name, None, top, line=each.lineno, is_whole=not below))


def _import_from(r: Reader, node: ast.ImportFrom) -> None:
    for each in node.names if node.module != "__future__" else ():
        alias = None if each.name == STAR else each.asname or each.name
        r.emit(ir.Import(node.module or "", each.name, alias, node.level, each.lineno))


# --- assignments ---


def _assign(r: Reader, node: ast.Assign) -> None:
    value = r.value(node.value)
    if len(node.targets) > 1:
        value = r.kept(value)
    for each in node.targets:
        to = target(r, each)
        if value is not NOTHING or isinstance(to, ir.Name | ir.Table):
            r.emit(ir.Assign(to, value))


def _annotated_assign(r: Reader, node: ast.AnnAssign) -> None:
    value = r.value(node.value) if node.value is not None else NOTHING
    to = target(r, node.target)
    if value is not NOTHING or (node.value is not None and isinstance(to, ir.Name)):
        r.emit(ir.Assign(to, value))
    type_ = annotation(r, node.annotation)
    known = declared(type_) if type_ is not None else None
    if known is not None and (isinstance(known, ir.Instance) or value is NOTHING):
        r.emit(ir.Assign(to, known))


def _augmented_assign(r: Reader, node: ast.AugAssign) -> None:
    """Read `a += b`: what a was, or b."""
    if isinstance(node.target, ast.Name):
        r.used.append((node.target, (node.target.id,)))
    value, to = r.value(node.value), target(r, node.target)
    if value is not NOTHING:
        r.emit(ir.Assign(to, either([to, value])))


def _return(r: Reader, node: ast.Return) -> None:
    value = r.value(node.value) if node.value is not None else NOTHING
    if value is not NOTHING:
        r.emit(ir.Return(value))


def _raise(r: Reader, node: ast.Raise) -> None:
    """Read `raise X`: a class is made an instance of."""
    for child in (node.exc, node.cause):
        if child is not None:
            value = r.value(child)
            if isinstance(child, ast.Name | ast.Attribute):
                place = r.place(child.lineno, child.col_offset)
                value = ir.Call(value, (), *place, is_new=True, is_implied=True)
            r.do(value)


def _type_alias(r: Reader, node: Any) -> None:
    found = annotation(r, node.value)
    if found is not None:
        r.emit(ir.Assign(r.name(node.name.id), found))


# --- control flow ---


def _if(r: Reader, node: ast.If) -> None:
    """Read a condition with its branches; a chain of `elif` nests in the tree."""
    branch: ast.If | None = node
    while branch is not None:
        r.do(r.value(branch.test))
        statements(r, branch.body)
        inner = branch.orelse[0] if len(branch.orelse) == 1 else None
        if isinstance(inner, ast.If):
            branch = inner
        else:
            statements(r, branch.orelse)
            branch = None


def _while(r: Reader, node: ast.While) -> None:
    r.do(r.value(node.test))
    statements(r, [*node.body, *node.orelse])


def _for(r: Reader, node: ast.For | ast.AsyncFor) -> None:
    source = r.kept(r.value(node.iter))
    r.emit(ir.Assign(target(r, node.target), ir.Elements(source)))
    statements(r, [*node.body, *node.orelse])


def _try(r: Reader, node: ast.Try) -> None:
    statements(r, node.body)
    for each in node.handlers:
        listed = each.type.elts if isinstance(each.type, ast.Tuple) else [each.type]
        types = [r.value(one) for one in listed if isinstance(one, ast.Name | ast.Attribute)]
        if each.name and types:
            r.emit(ir.Assign(r.name(each.name), declared(either(types))))
        statements(r, each.body)
    statements(r, [*node.orelse, *node.finalbody])


def _with(r: Reader, node: ast.With | ast.AsyncWith) -> None:
    """Read `with a as b`: what entering a gives is b."""
    enter, leave = ("__aenter__", "__aexit__") if isinstance(node, ast.AsyncWith) else ("__enter__", "__exit__")
    for each in node.items:
        line, column = r.place(each.context_expr.lineno, each.context_expr.col_offset)
        held = r.kept(r.value(each.context_expr))
        if held is NOTHING:
            continue
        entered = ir.Call(ir.Member(held, enter, line), (), line, column, is_implied=True)
        if each.optional_vars is not None:
            r.emit(ir.Assign(target(r, each.optional_vars), entered))
        else:
            r.do(entered)
        r.do(ir.Call(ir.Member(held, leave, line), LEAVE_ARGUMENTS, line, column, is_implied=True))
    statements(r, node.body)


def _match(r: Reader, node: ast.Match) -> None:
    r.do(r.value(node.subject))
    for case in node.cases:
        for each in ast.walk(case.pattern):
            if isinstance(each, ast.MatchValue | ast.MatchClass):
                r.value(each.cls if isinstance(each, ast.MatchClass) else each.value)
        if case.guard is not None:
            r.do(r.value(case.guard))
        statements(r, case.body)


# --- functions ---


def _function(r: Reader, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Read `def`: the function is given to its name, its body waits."""
    frame = r.open("function", node.name, node)
    _decorate(r, frame, node.decorator_list)
    if isinstance(node, ast.AsyncFunctionDef):
        frame.marks.append("async")
    if r.frame.kind == "class":
        _bind(frame, node.name)
    parameters(r, frame, node.args)
    frame.returns = annotation(r, node.returns)
    r.wait(partial(statements, r, node.body), frame)
    if OVERLOAD not in frame.marks:
        r.emit(ir.Assign(r.name(node.name), ir.Code(frame.place)))


def _bind(frame: ScopeWriter, name: str) -> None:
    """Mark how a function of a class is bound."""
    if "static" not in frame.marks:
        frame.marks.append(SELF)
    if name in CONSTRUCTORS:
        frame.marks.append("constructor")
    if name in OF_CLASS and "classmethod" not in frame.marks:
        frame.marks.append("classmethod")


def _decorate(r: Reader, frame: ScopeWriter, decorators: Iterable[ast.expr]) -> None:
    for each in decorators:
        last = each.attr if isinstance(each, ast.Attribute) else each.id if isinstance(each, ast.Name) else ""
        if last == OVERLOAD or (last in MARKS and frame.kind == "function"):
            r.value(each)
            frame.marks.append(MARKS.get(last, last))
        else:
            frame.decorators.append(r.value(each))


# --- classes ---


def _class(r: Reader, node: ast.ClassDef) -> None:
    frame = r.open("class", node.name, node)
    _decorate(r, frame, node.decorator_list)
    for base in [r.value(each) for each in node.bases]:
        frame.bases.append(base.of if isinstance(base, ir.Item) else base)
    for keyword in node.keywords:
        value = r.value(keyword.value)
        if keyword.arg == "metaclass" and value == ir.Name("ABCMeta"):
            frame.marks.append("abstract")
        else:
            r.do(value)
    r.wait(partial(_record if _is_record(frame) else statements, r, node.body), frame)
    r.emit(ir.Assign(r.name(node.name), ir.Code(frame.place)))


def _is_record(frame: ScopeWriter) -> bool:
    """Tell whether a class gets its constructor from its fields."""
    named = [*frame.bases, *(each.callee if isinstance(each, ir.Call) else each for each in frame.decorators)]
    return any(isinstance(each, ir.Name | ir.Member) and each.name in RECORDS for each in named)


def _record(r: Reader, body: Sequence[ast.stmt]) -> None:
    """Read the body of a record, and write its constructor, which sets the fields."""
    statements(r, body)
    fields = [name for each in body if (name := _field(each))]
    if not fields or any(each.name in CONSTRUCTORS and each.parent is r.frame for each in r.frames):
        return
    made = r.open("function", CONSTRUCTORS[0], None)
    made.marks += [SELF, "constructor"]
    made.parameters += [ir.Parameter(name) for name in (SELF, *fields)]
    made.body += [ir.Assign(ir.Member(ir.Name(SELF), name), ir.Name(name)) for name in fields]
    r.emit(ir.Assign(ir.Name(CONSTRUCTORS[0]), ir.Code(made.place)))


def _field(node: ast.stmt) -> str:
    """Return the field that a statement of a record declares, or ""."""
    if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
        return ""
    return "" if "ClassVar" in ast.unparse(node.annotation) else node.target.id


_READERS: dict[type, Callable[[Reader, Any], object]] = {
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Expr: lambda r, node: r.do(r.value(node.value)),
    ast.Delete: lambda r, node: r.do(opaque([r.value(each) for each in node.targets])),
    ast.Assert: lambda r, node: r.do(opaque([r.value(each) for each in (node.test, node.msg) if each])),
    ast.Global: lambda r, node: r.frame.global_names.update(dict.fromkeys(node.names)),
    ast.Nonlocal: lambda r, node: r.frame.outer_names.update(dict.fromkeys(node.names)),
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
if hasattr(ast, "TypeAlias"):  # from Python 3.12 on
    _READERS[ast.TypeAlias] = _type_alias


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> ir.Unit:
    """Return the program of a Python file.

    symbols: those of the same file, whose places the scopes refer to
    Raises Unparsed for what the parser of this interpreter does not accept.
    """
    text = source.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    reader = Reader(text, {(symbol.start_line, symbol.name): place for place, symbol in enumerate(symbols)})
    try:
        statements(reader, parse_python(text).body)
        while reader.queue:
            reader.queue.popleft()()
    except (ValueError, RecursionError) as problem:
        raise ir.Unparsed(str(problem)) from problem
    found = ir.Unit("python", tuple([frame.scope() for frame in reader.frames]))
    return with_noted_uses(found, symbols, [(names, node.lineno) for node, names in reader.used])
