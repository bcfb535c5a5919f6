"""Evaluation: expressions and statements of a program as variables and the flow between them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable

from recollect.code.links import flow_values as fv
from recollect.code.links import program as ir
from recollect.code.links.call_flow import apply, call, defined
from recollect.code.links.library_calls import elements
from recollect.code.links.library_table import BUILTIN, ELEMENT, INDEXED, ITERATED, OBJECT
from recollect.code.links.member_lookup import WHOLE, Sink, add_member, derives, look_up, lookup, of_file, of_files
from recollect.code.links.solver_state import Given, Site, State

# A callee that is a stored value.
VARIABLE = frozenset((ir.Item, ir.Call, ir.Either, ir.Elements))
# Languages in which a name may come from anything outside that is imported as a whole.
STARRED = frozenset({"python", "rust", "go"})
ARROW = "arrow"  # a mark: the function has no `this` of its own


def evaluate(state: State, expression: ir.Expression, frame: fv.Frame) -> fv.Variable:
    """Return the variable that holds what an expression may be."""
    return _EVALUATORS[type(expression)](state, expression, frame)


def fill(state: State, target: fv.Variable, expression: ir.Expression, frame: fv.Frame) -> None:
    """Let a variable hold what an expression may be; calls and members need no variable of their own for that."""
    if type(expression) is ir.Call:
        _made(state, expression, frame, target.add)
    elif type(expression) is ir.Member:
        _accessed(state, expression, frame, target.add)
    else:
        _EVALUATORS[type(expression)](state, expression, frame).flow(target)


def do(state: State, expression: ir.Expression, frame: fv.Frame) -> None:
    """Evaluate an expression whose value is not used."""
    if type(expression) is ir.Call:
        _made(state, expression, frame, fv.ignore)
    else:
        _EVALUATORS[type(expression)](state, expression, frame)


def _name(state: State, expression: ir.Name, frame: fv.Frame) -> fv.Variable:
    """Return the variable that a name means in a scope."""
    name = expression.name
    found = frame.find(name)
    if found is not None:
        return found
    module = frame.module
    key = (module.path, name)
    known = state.outside.get(key)
    if known is None:
        known = state.variable()
        if not _imported(state, name, frame, known.add):
            seen = state.modules.visible(frame.path, name)
            outer = _outer_stars(state, name, frame) if not seen and (frame.stars or module.stars) else []
            known = state.variable(*outer) if outer else _visible(state, seen, name, module)
        state.outside[key] = known
    return known


def _visible(state: State, paths: tuple[str, ...], name: str, module: fv.Frame) -> fv.Variable:
    """Return a name that is seen without an import: one variable for all files that see the same files."""
    known = state.visible.get((paths, name))
    if known is None:
        known = state.visible[paths, name] = state.variable()
        offered = [of_file(state, path, name, Site(module), known.add) for path in paths]
        if not any(offered):
            known.add(state.external[f"{BUILTIN}.{name}"])
    return known


def _outer_stars(state: State, name: str, frame: fv.Frame) -> list[fv.Value]:
    """Return what an unknown name may mean where a file imports all of something outside the program.

    In Rust and Go a name that begins small may be a variable of a function, which is not always bound.
    """
    language = state.units[frame.path].language
    if language not in STARRED or (hasattr(builtins, name) if language == "python" else not name[:1].isupper()):
        return []
    stars = dict.fromkeys((star.module, star.level) for star in (*frame.stars, *frame.module.stars))
    return [
        state.external[f"{module}.{name}"]
        for module, level in stars
        if not state.modules.find(frame.path, module, level)
    ]


def _imported(state: State, name: str, frame: fv.Frame, sink: Sink) -> bool:
    """Find a name in the files that are imported as a whole."""
    module = frame.module
    site = Site(module)
    found = False
    asked: dict[str, bool] = {}
    is_offered = name in state.offered or WHOLE in state.offered
    for star in [*frame.stars, *(module.stars if module is not frame else ())] if is_offered else ():
        if star.is_export:
            continue
        for path in state.modules.find(frame.path, star.module, star.level):
            found = of_file(state, path, name, site, sink, asked) or found
    return found


def _member(state: State, expression: ir.Member, frame: fv.Frame) -> fv.Variable:
    found = fv.Variable(state.work)
    _accessed(state, expression, frame, found.add)
    return found


def _accessed(state: State, expression: ir.Member, frame: fv.Frame, sink: Sink) -> None:
    """Ask for a member; what it is goes to the sink."""
    name, called = expression.name, expression.of
    of = _EVALUATORS[type(called)](state, called, frame)
    of.use((look_up, state, name, Site(frame, expression.line, 0, "", False, of), sink))


def _item(state: State, expression: ir.Item, frame: fv.Frame) -> fv.Variable:
    of, found, key = evaluate(state, expression.of, frame), state.variable(), expression.key
    site = Site(frame)
    keys = evaluate(state, expression.by, frame) if expression.by is not None else None

    def sink(value: fv.Value) -> None:
        if isinstance(value, fv.Collection):
            if key is None and keys is not None:
                value.rest.flow(found)
                keys.use(lambda each: value.entry(each.value).flow(found) if isinstance(each, fv.Constant) else None)
                state.keyed.append((keys, lambda: elements(value, found)))
            else:
                elements(value, found, key)
        elif isinstance(key, str) and not isinstance(value, fv.Constant):
            lookup(state, value, key, site, found.add)
        elif isinstance(value, fv.Object | fv.Declared):
            lookup(state, value, INDEXED, site, lambda each: apply(state, each, (), site, found.add))
        elif isinstance(value, fv.External):
            iterate(state, value, site, found.add)

    of.use(sink)
    return found


def _call(state: State, expression: ir.Call, frame: fv.Frame) -> fv.Variable:
    found = fv.Variable(state.work)
    _made(state, expression, frame, found.add)
    return found


def _made(state: State, expression: ir.Call, frame: fv.Frame, sink: Sink) -> None:
    """Make a call; results go to the sink."""
    called = expression.callee
    callee = _EVALUATORS[type(called)](state, called, frame)
    given = [_given(state, each, frame) for each in expression.arguments]
    how = _how_written(called, frame)
    site = Site(frame, expression.line, expression.column, how, expression.is_implied, None, True)
    state.expect(site, called, callee)
    callee.use((call, state, given, site, sink, expression.is_new))


def _given(state: State, argument: ir.Argument, frame: fv.Frame) -> Given:
    value = argument.value
    if type(value) is ir.Spread:
        return Given(evaluate(state, value.of, frame), argument.name, True, argument.declared)
    return Given(_EVALUATORS[type(value)](state, value, frame), argument.name, False, argument.declared)


def _how_written(callee: ir.Expression, frame: fv.Frame) -> str:
    """Return the evidence that the form of a call gives: `super`, or a variable."""
    kind = type(callee)
    if kind is ir.Member:
        return "super" if type(callee.of) is ir.Super else ""  # type: ignore[union-attr]
    if kind is ir.Name:
        for parameter in frame.function.scope.parameters if frame.function is not None else ():
            if parameter.name == callee.name:  # type: ignore[union-attr]
                return "value"
        return ""
    return "value" if kind in VARIABLE else ""


def _table(state: State, expression: ir.Table, frame: fv.Frame) -> fv.Variable:
    made = fv.Collection(state.work, expression.kind)
    for entry in expression.entries:
        value = entry.value
        if isinstance(value, ir.Spread):
            evaluate(state, value.of, frame).use(lambda each: _pour(state, each, made, frame))
        elif entry.key is None:
            fill(state, made.rest, value, frame)
        else:
            fill(state, made.entry(entry.key), value, frame)
            if type(value) is ir.Code and made.kind == OBJECT:
                _hold(state, value, made, frame)
    return fv.Fixed(state.work, made)


def _hold(state: State, code: ir.Code, holder: fv.Value, frame: fv.Frame) -> None:
    """Let a function that is put into an object be called on it."""
    function = state.codes.get((frame.path, code.scope))
    if isinstance(function, fv.Function) and ARROW not in function.scope.marks and not function.is_lazy:
        function.this.add(holder)


def _hold_member(state: State, target: ir.Member, code: ir.Code, frame: fv.Frame) -> None:
    """Let a function be called on what it is a member of: `A.prototype.f = function …` on what A makes."""
    of = target.of
    if isinstance(of, ir.Member) and of.name == "prototype":
        evaluate(state, of.of, frame).use(
            lambda each: (
                _hold(state, code, state.instance(each), frame) if isinstance(each, fv.Class | fv.Function) else None
            )
        )
    else:
        evaluate(state, of, frame).use(lambda each: _hold(state, code, each, frame))


def _pour(state: State, source: fv.Value, target: fv.Collection, frame: fv.Frame) -> None:
    """Add all entries of one table to another without their positions."""
    if isinstance(source, fv.Collection):
        source.rest.flow(target.rest)
        source.every(lambda key, each: each.flow(target.entry(key) if isinstance(key, str) else target.rest))
    else:
        iterate(state, source, Site(frame), target.rest.add)


def _either(state: State, expression: ir.Either, frame: fv.Frame) -> fv.Variable:
    found = state.variable()
    for option in expression.options:
        fill(state, found, option, frame)
    return found


def _this(state: State, expression: ir.This, frame: fv.Frame) -> fv.Variable:
    function = frame.function
    while function is not None and ARROW in function.scope.marks:
        around = function.frame.parent
        function = around.function if around else None
        frame = around or frame
    if function is not None and (frame.scope.kind not in ("class", "interface") or function.frame is frame):
        return function.this
    return state.fixed[frame.owner.instance] if frame.owner is not None else state.nothing


def _super(state: State, expression: ir.Super, frame: fv.Frame) -> fv.Variable:
    found, owner = state.variable(), frame.owner
    function = frame.function
    while function is not None and function.owner is None and function.frame.parent is not None:
        function = function.frame.parent.function
    if owner is None:
        return found
    receivers = state.receivers(function) if function is not None else _this(state, ir.This(), frame)
    receivers.use(lambda value: found.add(state.super_proxy[owner, value]))
    return found


def _instance(state: State, expression: ir.Instance, frame: fv.Frame) -> fv.Variable:
    found = state.variable()
    state.declared.append((found, evaluate(state, expression.of, frame)))
    return found


def _elements(state: State, expression: ir.Elements, frame: fv.Frame) -> fv.Variable:
    found, site = state.variable(), Site(frame, is_implied=True)
    evaluate(state, expression.of, frame).use(lambda value: iterate(state, value, site, found.add))
    return found


def iterate(state: State, value: fv.Value, site: Site, sink: Sink) -> None:
    """Send what iterating over a value yields to the sink; an iterator of the program is not stepped through."""

    def step(iterator: fv.Value) -> None:
        if isinstance(iterator, fv.Collection) and iterator.kind != OBJECT:
            iterate(state, iterator, site, sink)

    if isinstance(value, fv.Collection) and value.kind not in ("dict", OBJECT):
        value.rest.use(sink)
        value.every(lambda key, each: each.use(sink) if isinstance(key, int) else None)
    elif isinstance(value, fv.Object | fv.Declared) or (isinstance(value, fv.Collection) and value.kind == OBJECT):
        for name in ITERATED:
            lookup(state, value, name, site, lambda each: apply(state, each, (), site, step))
    elif isinstance(value, fv.External) and value.name[0] != "<":
        lookup(state, value, ELEMENT, site, sink)


def _opaque(state: State, expression: ir.Opaque, frame: fv.Frame) -> fv.Variable:
    for part in expression.parts:
        do(state, part, frame)
    return state.nothing


def _cast(state: State, expression: ir.Cast, frame: fv.Frame) -> fv.Variable:
    found, to = state.variable(), evaluate(state, expression.to, frame)

    def sink(value: fv.Value) -> None:
        of = value.of if isinstance(value, fv.Object | fv.Declared) else None
        wanted = [each for each in to.values if isinstance(each, fv.Class)]
        if isinstance(value, fv.External) and to.values:
            return  # the declared type is more precise
        if isinstance(value, fv.Collection) and wanted and all(each.scope.kind == "class" for each in wanted):
            return  # a table may do for an interface, but is no object of a class
        if not isinstance(of, fv.Class) or not wanted or any(derives(of, each) for each in wanted):
            found.add(value)

    evaluate(state, expression.of, frame).use(sink)
    to.use(lambda value: found.add(value) if isinstance(value, fv.External) else None)
    state.declared.append((found, to))
    return found


_EVALUATORS: dict[type, Callable[..., fv.Variable]] = {
    ir.Name: _name,
    ir.Member: _member,
    ir.Item: _item,
    ir.Call: _call,
    ir.Code: lambda state, expression, frame: defined(state, (frame.path, expression.scope), frame),
    ir.Table: _table,
    ir.Text: lambda state, expression, frame: state.text[expression.value],
    ir.Either: _either,
    ir.This: _this,
    ir.Super: _super,
    ir.Instance: _instance,
    ir.Elements: _elements,
    ir.Spread: lambda state, expression, frame: evaluate(state, expression.of, frame),
    ir.Opaque: _opaque,
    ir.Cast: _cast,
}


def assign(state: State, target: ir.Expression, value: fv.Variable, frame: fv.Frame) -> None:
    """Let a target hold what a variable holds."""
    if isinstance(target, ir.Name):
        value.flow(_named(target.name, frame))
    elif isinstance(target, ir.Member):
        at(state, target, frame, value.flow)
    elif isinstance(target, ir.Item):
        _assign_item(state, target, value, frame)
    elif isinstance(target, ir.Table):
        _take_apart(state, target, value, frame)
    elif isinstance(target, ir.Spread):
        assign(state, target.of, value, frame)
    else:
        evaluate(state, target, frame)


def at(state: State, target: ir.Member, frame: fv.Frame, sink: Callable[[fv.Variable], None]) -> None:
    """Send the variables that an assigned member means to the sink."""
    name = target.name

    def on(value: fv.Value) -> None:
        if isinstance(value, fv.Class):
            sink(add_member(state, value, name))
        elif isinstance(value, fv.Bound):
            sink(state.field(value.function, name))
        elif isinstance(value, fv.Module):
            for path in value.paths:
                module = state.frames.get((path, 0))
                if module is not None:
                    sink(module.name(name))
        elif not isinstance(value, fv.External | fv.Constant | fv.Declared | fv.Named):
            if isinstance(value, fv.Function) and name == "prototype":
                state.prototype(value)
            sink(state.field(value, name))

    evaluate(state, target.of, frame).use(on)


def _assign_item(state: State, target: ir.Item, value: fv.Variable, frame: fv.Frame) -> None:
    key = target.key

    def on(of: fv.Value) -> None:
        if isinstance(of, fv.Collection):
            value.flow(of.rest if key is None else of.entry(key))
        elif isinstance(key, str) and isinstance(of, fv.Object | fv.Function):
            value.flow(state.field(of, key))

    evaluate(state, target.of, frame).use(on)


def _take_apart(state: State, target: ir.Table, value: fv.Variable, frame: fv.Frame) -> None:
    """Assign the entries or members of a value to the parts of a pattern."""
    site = Site(frame)
    for entry in target.entries:
        part, key = state.variable(), entry.key
        rest = isinstance(entry.value, ir.Spread)

        def on(of: fv.Value, part: fv.Variable = part, key: str | int | None = key, rest: bool = rest) -> None:
            if isinstance(of, fv.Collection) and not rest:
                elements(of, part, key)
            elif rest:
                part.add(of)
            elif isinstance(key, str):
                lookup(state, of, key, site, part.add)
            else:
                iterate(state, of, site, part.add)

        value.use(on)
        assign(state, entry.value, part, frame)


# --- statements ---


def run(state: State, frame: fv.Frame, statements: Iterable[ir.Statement] | None = None) -> None:
    """Evaluate the body of a scope, or some statements of it."""
    for statement in frame.scope.body if statements is None else statements:
        _EXECUTORS[type(statement)](state, statement, frame)


def _run_assign(state: State, statement: ir.Assign, frame: fv.Frame) -> None:
    target, value = statement.target, statement.value
    code = state.codes[frame.path, value.scope] if type(value) is ir.Code else None
    if code is not None and type(target) is ir.Name and not code.scope.decorators:
        _named(target.name, frame).add(code)
    elif type(value) is ir.Instance:
        _run_declaration(state, target, evaluate(state, value.of, frame), frame)
    elif type(target) is ir.Name:
        fill(state, _named(target.name, frame), value, frame)
    else:
        assign(state, target, evaluate(state, value, frame), frame)
        if type(value) is ir.Code and type(target) is ir.Member:
            _hold_member(state, target, value, frame)


def _named(name: str, frame: fv.Frame) -> fv.Variable:
    """Return the variable that is assigned to under a name: one of the file, if nothing around binds it."""
    return frame.find(name) or frame.module.name(name)


def _run_return(state: State, statement: ir.Return | ir.Yield, frame: fv.Frame) -> None:
    function = frame.function
    if function is None:
        do(state, statement.value, frame)
    else:
        fill(state, function.returns if isinstance(statement, ir.Return) else function.yields, statement.value, frame)


def _run_export(state: State, statement: ir.Export, frame: fv.Frame) -> None:
    fill(state, frame.module.exports[statement.name], statement.value, frame)


def _run_use(state: State, statement: ir.Use, frame: fv.Frame) -> None:
    state.uses.append((frame, statement, evaluate(state, statement.value, frame)))


def _run_declaration(state: State, target: ir.Expression, declared: fv.Variable, frame: fv.Frame) -> None:
    """Assume the declared type of a target if nothing better becomes known."""
    if isinstance(target, ir.Member):
        at(state, target, frame, lambda variable: state.declared.append((variable, declared)))
    elif isinstance(target, ir.Name):
        state.declared.append((_named(target.name, frame), declared))


def bring_in(state: State, imported: ir.Import, frame: fv.Frame) -> None:
    """Bind an imported name; star imports are searched when a name is looked up."""
    paths = state.modules.find(frame.path, imported.module, imported.level)
    name = imported.alias or imported.name
    if not name or (imported.name == fv.STAR and not (imported.is_export and imported.alias)):
        return
    target = frame.module.exports[name] if imported.is_export else frame.name(name)
    if imported.name is not None and imported.name != fv.STAR:
        _bring_name(state, imported, frame, target, paths)
    elif not imported.is_whole:
        _bring_path(state, imported, frame, target, paths)
    elif paths:
        target.add(state.module[paths])
    else:
        target.add(state.external[imported.module])


def _bring_name(
    state: State, imported: ir.Import, frame: fv.Frame, target: fv.Variable, paths: tuple[str, ...]
) -> None:
    """`from a import b`: what a offers as b, or else the module a.b; in a itself, first the module."""
    site, name = Site(frame, imported.line), imported.name or ""
    joined = f"{imported.module}.{name}" if imported.module else name
    is_below = frame.path in paths and bool(state.modules.find(frame.path, joined, imported.level))
    if not is_below and of_files(state, paths, name, site, target.add):
        return
    if below := state.modules.find(frame.path, joined, imported.level):
        target.add(state.module[below])
    elif not paths:
        target.add(state.external[joined])


def _bring_path(
    state: State, imported: ir.Import, frame: fv.Frame, target: fv.Variable, paths: tuple[str, ...]
) -> None:
    """`import a.b.c` binds a, through which b and c are found."""
    parts = imported.module.split(".")
    top = state.modules.find(frame.path, parts[0], imported.level)
    if top:
        target.add(state.module[top])
    elif not paths:
        target.add(state.external[parts[0]])
        return
    if not top:  # folders that are no packages
        within = state.collection[frame.module, parts[0]]
        target.add(within)
        for part in parts[1:-1]:
            below = state.collection[within, part]
            within.entry(part).add(below)
            within = below
        within.entry(parts[-1]).add(state.module[paths])


_EXECUTORS: dict[type, Callable[..., None]] = {
    ir.Assign: _run_assign,
    ir.Do: lambda state, statement, frame: do(state, statement.value, frame),
    ir.Return: _run_return,
    ir.Yield: _run_return,
    ir.Import: bring_in,
    ir.Export: _run_export,
    ir.Use: _run_use,
}
