"""Reader of Python syntax trees: scopes, expressions and targets.

The trees are those of the parser of this interpreter (`ast`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from recollect.code.links import program as ir
from recollect.code.links.python_types import parsed, type_of
from recollect.code.links.tree_reader import NOTHING, ProgramWriter, ScopeWriter, either, is_worth, opaque

COMPREHENSIONS = {
    ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator", ast.DictComp: "dict",
}  # fmt: skip
LONGEST_KEY = 62  # characters: longer strings are prose
LARGEST_KEY = 1_000_000_000
SOME_TEXT = ir.Text("")


class Reader(ProgramWriter):
    """A Python file on its way to a program.

    renamed: variables of comprehensions
    used: paths of names that are read, each with the node that it ends with
    symbols: places in the list of symbols by first line and name
    """

    def __init__(self, text: str, symbols: Mapping[tuple[int, str], int]) -> None:
        super().__init__()
        self.lines = None if text.isascii() else text.split("\n")
        self.symbols = symbols
        self.renamed: dict[str, str] = {}
        self.used: list[tuple[ast.expr, tuple[str, ...]]] = []
        self.frame = ScopeWriter("module", "", 0, None)
        self.frames.append(self.frame)

    def value(self, node: ast.expr) -> ir.Expression:
        """Return what an expression is worth, and write what it does."""
        return _READERS.get(type(node), _parts)(self, node)

    def place(self, line: int, column: int) -> tuple[int, int]:
        """Return a line and a column, which the tree counts in bytes, in characters."""
        if self.lines is None or line > len(self.lines) or self.lines[line - 1].isascii():
            return line, column
        return line, len(self.lines[line - 1].encode()[:column].decode("utf-8", "ignore"))

    def wait(self, read: Callable[[], object], frame: ScopeWriter) -> None:
        """Read something later, as part of a scope."""
        renamed = self.renamed
        if renamed:
            own = {parameter.name for parameter in frame.parameters}
            renamed = {name: other for name, other in renamed.items() if name not in own}

        def resume() -> None:
            self.frame, self.renamed = frame, renamed
            read()

        self.queue.append(resume)

    def name(self, name: str) -> ir.Name:
        """Return the expression of a name; the same one for the same name."""
        name = self.renamed.get(name, name) if self.renamed else name
        return self.names.get(name) or super().name(name)

    def open(self, kind: ir.ScopeKind, name: str, node: ast.AST | None) -> ScopeWriter:
        """Return a new scope inside the current one, with its line and its symbol."""
        frame = ScopeWriter(kind, name, len(self.frames), self.frame)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            frame.line = node.lineno
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            frame.symbol = self.symbols.get((first, name), self.symbols.get((node.lineno, name), -1))
        self.frames.append(frame)
        return frame


def annotation(r: Reader, node: ast.expr | None) -> ir.Expression | None:
    """Return the type of an annotation, whose names are uses."""
    if node is None:
        return None
    _note(r, node)
    return type_of(node)


def _note(r: Reader, node: ast.AST) -> None:
    """Note the names in a type; those in a text have its line."""
    first = len(r.used)
    if isinstance(node, ast.Name | ast.Attribute):
        r.value(node)
    elif isinstance(node, ast.Constant):
        inner = parsed(node.value) if isinstance(node.value, str) else None
        if inner is not None:
            _note(r, inner)
            r.used[first:] = [(node, path) for _, path in r.used[first:]]
    else:
        for each in ast.iter_child_nodes(node):
            _note(r, each)


# --- targets ---


def target(r: Reader, node: ast.expr) -> ir.Expression:
    """Return a target; parts of a pattern before a star have positions."""
    if isinstance(node, ast.Tuple | ast.List):
        parts = [target(r, child) for child in node.elts]
        star = next((place for place, part in enumerate(parts) if isinstance(part, ir.Spread)), len(parts))
        return ir.Table(tuple([ir.Entry(place if place < star else None, part) for place, part in enumerate(parts)]))
    return ir.Spread(target(r, node.value)) if isinstance(node, ast.Starred) else r.value(node)


def _comprehension(r: Reader, node: Any) -> ir.Expression:
    """Read a comprehension, whose variables are its own."""
    before = r.renamed
    for each in node.generators:
        source = r.value(each.iter)
        r.temporaries += 1
        names = [inner.id for inner in ast.walk(each.target) if isinstance(inner, ast.Name)]
        r.renamed = {**r.renamed, **{name: f"{name}%{r.temporaries}" for name in names}}
        r.emit(ir.Assign(target(r, each.target), ir.Elements(source)))
        for condition in each.ifs:
            r.do(r.value(condition))
    if isinstance(node, ast.DictComp):
        r.do(r.value(node.key))
    entry = r.value(node.value if isinstance(node, ast.DictComp) else node.elt)
    r.renamed = before
    held = (ir.Entry(None, entry),) if entry is not NOTHING else ()
    return ir.Table(held, COMPREHENSIONS[type(node)])


# --- names, members, items and calls ---


def _name(r: Reader, node: ast.Name) -> ir.Expression:
    if type(node.ctx) is ast.Load and node.id not in r.renamed:
        r.used.append((node, (node.id,)))
    return r.name(node.id)


def _constant(r: Reader, node: ast.Constant) -> ir.Expression:
    """Read a constant: a short string or a number may be a key."""
    value = node.value
    if type(value) is str:
        return ir.Text(value) if len(value) <= LONGEST_KEY and value.isprintable() else SOME_TEXT
    if type(value) is int:
        return ir.Text(value) if value < LARGEST_KEY else NOTHING
    return SOME_TEXT if isinstance(value, bytes) else NOTHING


def _format(r: Reader, node: ast.JoinedStr) -> ir.Expression:
    for each in node.values:
        if isinstance(each, ast.FormattedValue):
            r.do(_parts(r, each))
    return SOME_TEXT


def _attribute(r: Reader, node: ast.Attribute) -> ir.Expression:
    of, used = r.value(node.value), r.used
    if used and used[-1][0] is node.value and type(node.ctx) is ast.Load:
        used[-1] = (node, (*used[-1][1], node.attr))
    return ir.Member(of, node.attr, node.end_lineno or node.lineno)


def _subscript(r: Reader, node: ast.Subscript) -> ir.Expression:
    """Read `of[key]` and `of[from:to]`."""
    of, at = r.value(node.value), node.slice
    if isinstance(at, ast.Slice):  # a part of a table counts as the table
        r.do(_parts(r, at))
        return of
    if isinstance(at, ast.Tuple):
        r.do(_parts(r, at))
        return ir.Item(of)
    key = r.value(at)
    if isinstance(key, ir.Text) and key.value != "":
        return ir.Item(of, key.value)
    key = r.kept(key) if is_worth(key) else key
    return ir.Item(of, None, key if isinstance(key, ir.Name) else None)


def _call(r: Reader, node: ast.Call) -> ir.Expression:
    """Read a call; `super()` is what the class around inherits."""
    function = node.func
    callee = r.value(function)
    if r.used and r.used[-1][0] is function:  # what is called is linked as a call
        _, path = r.used.pop()
        r.used += [(function, path[:-1])] if len(path) > 1 else []
    line, column = function.lineno, function.col_offset
    if type(function) is ast.Attribute:
        line = function.end_lineno or line
        column = (function.end_col_offset or 0) - len(function.attr.encode())
    found = ir.Call(callee, _arguments(r, node), *r.place(line, column))
    if type(callee) is ir.Name and callee.name == "super":
        r.emit(ir.Do(found))
        return ir.Super()
    return found


def _arguments(r: Reader, node: ast.Call) -> tuple[ir.Argument, ...]:
    found = [ir.Argument(r.value(each)) for each in node.args]
    for keyword in node.keywords:
        value = r.value(keyword.value)
        found.append(ir.Argument(ir.Spread(value), "**") if keyword.arg is None else ir.Argument(value, keyword.arg))
    return tuple(found)


# --- operators ---


def _parts(r: Reader, node: ast.AST) -> ir.Expression:
    """Read an operator, or whatever has no reader: its operands are evaluated."""
    return opaque([r.value(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)])


def _binary(r: Reader, node: ast.BinOp) -> ir.Expression:
    """Read an operator, long chains in a loop; a text stays one."""
    operands: list[ast.expr] = []
    at: ast.expr = node
    while isinstance(at, ast.BinOp):
        operands.append(at.right)
        at = at.left
    values = [r.value(each) for each in (at, *reversed(operands))]
    is_text = values[0] == SOME_TEXT and not any(is_worth(value) for value in values)
    return SOME_TEXT if is_text else opaque(values)


def _conditional(r: Reader, node: ast.IfExp) -> ir.Expression:
    r.do(r.value(node.test))
    return either([r.value(node.body), r.value(node.orelse)])


def _yield(r: Reader, node: ast.Yield | ast.YieldFrom) -> ir.Expression:
    """Read `yield x` and `yield from x`: what is sent in is not followed."""
    if "generator" not in r.frame.marks:
        r.frame.marks.append("generator")
    if node.value is None:
        return NOTHING
    value = r.value(node.value)
    if isinstance(node, ast.YieldFrom):
        value = ir.Elements(value)
    r.emit(ir.Yield(value))
    return NOTHING


def _walrus(r: Reader, node: ast.NamedExpr) -> ir.Expression:
    name = r.name(node.target.id)
    r.emit(ir.Assign(name, r.value(node.value)))
    return name


# --- tables ---


def _sequence(r: Reader, node: ast.List | ast.Tuple | ast.Set) -> ir.Expression:
    entries: list[ir.Entry] = []
    place: int | None = 0
    for child in node.elts:
        if isinstance(child, ast.Starred):
            place = None
        entries.append(ir.Entry(place, r.value(child)))
        place = place + 1 if place is not None else None
    return ir.Table(_followed(r, entries), type(node).__name__.lower())


def _dictionary(r: Reader, node: ast.Dict) -> ir.Expression:
    entries: list[ir.Entry] = []
    for name, value in zip(node.keys, node.values, strict=True):
        if name is None:
            entries.append(ir.Entry(None, ir.Spread(r.value(value))))
        else:
            key = r.value(name)
            r.do(key)
            known = key.value if isinstance(key, ir.Text) and key.value != "" else None
            entries.append(ir.Entry(known, r.value(value)))
    return ir.Table(_followed(r, entries), "dict")


def _followed(r: Reader, entries: list[ir.Entry]) -> tuple[ir.Entry, ...]:
    """Return the tracked entries of a table; constants are data."""
    for each in entries:
        if isinstance(each.value, ir.Opaque):
            r.do(each.value)
    return tuple([each for each in entries if not isinstance(each.value, ir.Opaque | ir.Text)])


# --- functions without a name ---


def _lambda(r: Reader, node: ast.Lambda) -> ir.Expression:
    """Read a lambda, which is named by its number in the scope around."""
    frame = r.open("function", r.frame.numbered("lambda"), None)
    frame.line = node.lineno
    parameters(r, frame, node.args)
    r.wait(lambda: r.emit(ir.Return(r.value(node.body))), frame)
    return ir.Code(frame.place)


def parameters(r: Reader, frame: ScopeWriter, listed: ast.arguments) -> None:
    """Read the parameters of a function, with their defaults and types."""
    plain = [*listed.posonlyargs, *listed.args]
    defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(listed.defaults)), *listed.defaults]
    rows = [("", each, default) for each, default in zip(plain, defaults, strict=True)]
    rows += [("*", listed.vararg, None)] if listed.vararg else []
    rows += [("=", each, default) for each, default in zip(listed.kwonlyargs, listed.kw_defaults, strict=True)]
    rows += [("**", listed.kwarg, None)] if listed.kwarg else []
    for kind, each, default in rows:
        annotated = annotation(r, each.annotation)
        value = r.value(default) if default is not None else NOTHING
        frame.parameters.append(ir.Parameter(each.arg, kind, None if value is NOTHING else value, annotated))


_READERS: dict[type, Callable[[Reader, Any], ir.Expression]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.JoinedStr: _format,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.BoolOp: lambda r, node: either([r.value(each) for each in node.values]),
    ast.IfExp: _conditional,
    ast.Await: lambda r, node: r.value(node.value),
    ast.Starred: lambda r, node: ir.Spread(r.value(node.value)),
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.NamedExpr: _walrus,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dictionary,
    ast.Lambda: _lambda,
    **dict.fromkeys(COMPREHENSIONS, _comprehension),
}
