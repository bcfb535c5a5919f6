"""Solver: from the programs of some files to who calls, derives from, imports and uses what.

    programs ─► frames ─► what files and classes say ─► order of base classes ─► bodies of functions
                                                            │
              assumptions: methods without known callers, declared types ─┘  until nothing changes

Values flow from where they are made to where they are called. A call on an unknown value stays unresolved.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import cast

from recollect.code.links import call_flow, evaluation
from recollect.code.links import flow_values as fv
from recollect.code.links import program as ir
from recollect.code.links.library_table import MADE
from recollect.code.links.member_lookup import arrange, ask_again, derive, derives, dispatch, is_functional, subclasses
from recollect.code.links.module_finder import Modules
from recollect.code.links.solution import Solution, answer
from recollect.code.links.solver_state import Site, State


def defer_body(state: State, function: fv.Function) -> None:
    """Let a function wait until it is needed."""
    function.is_lazy = True
    owner = function.frame.owner
    if owner is not None:
        for statement in function.scope.body:
            if type(statement) is ir.Assign and type(statement.target) is ir.Member:
                owner.assigners.setdefault(statement.target.name, []).append(function)
                state.assigned.add(statement.target.name)


def schedule_body(state: State, prepare: Callable[[fv.Function], None], function: fv.Function) -> None:
    """Evaluate a function body when the queue is empty."""
    if not function.is_lazy:
        return
    function.is_lazy = False
    around: fv.Frame | None = function.frame
    while around is not None:
        around.fill()
        around = around.parent

    def read() -> None:
        prepare(function)
        for frame in (function.frame, *state.parts.get(function, ())):
            evaluation.run(state, frame)

    state.work.later.append(read)


# Calls of a chain, each on what the one before is declared to return, that are followed.
MOST_CHAINED = 12
# Values that only name things.
PLAIN: frozenset[type] = frozenset((ir.Code, ir.Name, ir.Member))
SHAPED = "shaped"  # a mark: a type that fits an interface by its methods, or such an interface
# Types that fit an interface; more were not made for it.
MOST_SHAPED = 12


def solve(
    units: Mapping[str, ir.Unit], modules: Modules, faces: Container[str] = frozenset(), most_steps: int = fv.MOST_STEPS
) -> Solution:
    """Return the calls, base classes and uses of some programs.

    faces: files given as summaries: only needed; their function bodies are evaluated on first call
    most_steps: values that are handed on before the programs are solved coarsely
    """
    state = State(dict(sorted(units.items())), modules, faces, most_steps)
    try:
        return answer(_solved(state))
    finally:
        state.dissolve()


def _solved(state: State) -> State:
    """Return the state after all values have flowed."""
    state.apply = partial(call_flow.apply, state)
    state.evaluate = partial(evaluation.evaluate, state)
    state.iterate = partial(evaluation.iterate, state)
    state.pass_on = lambda function, given, receiver=None: call_flow.pass_on(state, function, given, receiver)
    state.schedule_body = partial(schedule_body, state, partial(_parameters, state))
    for path, unit in state.units.items():
        _build(state, path, unit)
    _outlines(state)
    state.work.hand_on()
    _implement(state)
    arrange(state.classes)
    state.is_ordered = True
    for each in state.classes:
        ask_again(state, each)
    _bodies(state)
    state.work.run()
    _assume(state)
    return state


# --- frames ---


def _build(state: State, path: str, unit: ir.Unit) -> None:
    inner = state.inner[path] = {}
    for place, scope in enumerate(unit.scopes):
        _frame(state, path, unit, place)
        inner.setdefault(scope.parent, []).append(place)
    top = state.frames.get((path, 0))
    if top is None:
        return
    for place, scope in enumerate(unit.scopes):
        for statement in scope.body:
            if type(statement) is ir.Export:
                top.exports.setdefault(statement.name, state.variable())
            elif type(statement) is ir.Import:
                _offer(state, statement, state.frames[path, place], top)
        state.offered.update(scope.global_names)
    for each in unit.constants:
        state.frames[path, each.scope].name(each.name).add(fv.Named(path, ~each.symbol, each.name))
    state.offered.update(top.names, top.exports)


def _offer(state: State, imported: ir.Import, frame: fv.Frame, top: fv.Frame) -> None:
    """Record re-exports and star imports."""
    if imported.name == fv.STAR:
        frame.stars += (imported,)
    if imported.is_export:
        top.exports.setdefault(imported.alias or imported.name or "", state.variable())
        if imported.name == fv.STAR:
            top.exports.setdefault(fv.STAR, state.variable())


def _frame(state: State, path: str, unit: ir.Unit, place: int) -> fv.Frame:
    known = state.frames.get((path, place))
    if known is not None:
        return known
    scope = unit.scopes[place]
    around = scope.parent if place and 0 <= scope.parent < len(unit.scopes) and scope.parent != place else -1
    parent = (state.frames.get((path, around)) or _frame(state, path, unit, around)) if around >= 0 else None
    frame = state.frames[path, place] = fv.Frame(state.work, path, place, scope, parent)
    if frame.function is not None and scope.kind != "function":
        state.parts.setdefault(frame.function, []).append(frame)
    if scope.kind in ("class", "interface"):
        value = fv.Class(path, place, scope, frame)
        frame.owner = value
        state.codes[path, place] = value
        state.classes.append(value)
        frame.fill()
    elif scope.kind == "function":
        owner = frame.owner if parent is not None and parent.scope.kind in ("class", "interface") else None
        function = fv.Function(path, place, scope, frame, owner)
        frame.function, frame.caller = function, (path, place)
        state.codes[path, place] = function
        state.functions.append(function)
        if path in state.faces:
            defer_body(state, function)
        else:
            frame.fill()
    else:
        frame.fill()
    return frame


# --- files and classes ---


def _outlines(state: State) -> None:
    for each in state.classes:
        _members(state, each)
        for place, base in enumerate((*each.scope.bases, *each.scope.implements)):
            around = each.frame.parent or each.frame
            evaluation.evaluate(state, base, around).use(partial(derive, state, each, place=place))
        if ir.IMPLEMENTED in each.scope.marks:
            each.frame.name(ir.IMPLEMENTED).use(partial(derive, state, each))
    for frame in state.frames.values():
        if frame.function is None:
            evaluation.run(state, frame, [each for each in frame.scope.body if _is_plain(each)])


def _is_plain(statement: ir.Statement) -> bool:
    """Tell whether a statement only binds names: these come before any call."""
    kind = type(statement)
    if kind is ir.Import or kind is ir.Use:
        return True
    return (kind is ir.Assign or kind is ir.Export) and type(statement.value) in PLAIN  # type: ignore[union-attr]


def _implement(state: State) -> None:
    """Let types derive from the interfaces whose methods they have, where the language says that they do."""
    shaped = [each for each in state.classes if SHAPED in each.scope.marks and each.frame.names]
    having: dict[str, list[fv.Class]] = {}
    for each in shaped:
        for name in each.frame.names if each.scope.kind == "class" else ():
            having.setdefault(name, []).append(each)
    for base in shaped:
        names = base.frame.names.keys()
        rarest = min([having.get(name, []) for name in names], key=len) if base.scope.kind == "interface" else ()
        fitting = [each for each in rarest if names <= each.frame.names.keys()]
        for each in fitting if len(fitting) <= MOST_SHAPED else ():
            derive(state, each, base)


def _members(state: State, of: fv.Class) -> None:
    """Sort the functions of a class: constructors, initialisers, overloads."""
    scopes = state.units[of.path].scopes
    bound = {
        each.value.scope
        for each in of.scope.body
        if type(each) is ir.Assign and type(each.value) is ir.Code and isinstance(each.target, ir.Name | ir.Member)
    }
    for place in state.inner[of.path].get(of.place, ()):
        scope = scopes[place]
        if scope.kind != "function":
            continue
        function = cast(fv.Function, state.codes[of.path, place])
        is_constructor = "constructor" in scope.marks
        if is_constructor:
            of.constructors.append(function)
        if place not in bound:
            if not is_constructor and "static" not in scope.marks:
                of.initial.append(function)
        elif scope.arity >= 0:
            of.overloads.setdefault(scope.name, []).append(function)


# --- functions ---


def _bodies(state: State) -> None:
    for function in state.functions:
        if not function.is_lazy:
            _parameters(state, function)
    for (path, _), frame in state.frames.items():
        around = frame.function
        if around is None:
            evaluation.run(state, frame, [each for each in frame.scope.body if not _is_plain(each)])
        elif path not in state.faces:
            evaluation.run(state, frame)


def _parameters(state: State, function: fv.Function) -> None:
    """Give parameters their defaults, collections and declared types; and what is returned its own."""
    frame = function.frame
    for parameter in function.scope.parameters:
        variable = frame.names[parameter.name]
        if parameter.kind in ("*", "**"):
            variable.add(state.collection[function, parameter.name])
        if parameter.default is not None:
            evaluation.evaluate(state, parameter.default, frame.parent or frame).flow(variable)
        if parameter.declared is not None and parameter.kind not in ("*", "**"):
            state.declared.append((variable, evaluation.evaluate(state, parameter.declared, frame)))
    if function.scope.returns is not None and "generator" not in function.scope.marks:
        state.declared.append((function.returns, evaluation.evaluate(state, function.scope.returns, frame)))


# --- what nothing is known of ---


def _assume(state: State) -> None:
    """Assume what is not known: receivers of methods, values of declared types."""
    _unlock(state)
    for each in state.functions:
        if each.owner is not None and not each.is_lazy and "static" not in each.scope.marks:
            _receive(state, each, each.owner)
    _declare(state)
    state.work.run()
    for _ in range(MOST_CHAINED):
        waiting, state.dispatched = state.dispatched, []
        for value, name, site, sink in waiting:
            if not _is_seen(value, site):
                dispatch(state, value, name, site.found(site.how or "declared"), sink)
        state.work.run()


def _receive(state: State, method: fv.Function, owner: fv.Class) -> None:
    """Assume that a method without known callers is called on its own class, and on those that inherit it."""
    receivers = state.receivers(method)
    if not receivers.values:
        is_of_class, name = "classmethod" in method.scope.marks, method.scope.name
        for each in (owner, *subclasses(owner)) if owner.subclasses else (owner,):
            if next((base for base in each.order if name in base.frame.names), owner) is owner:
                receivers.add(each if is_of_class else each.instance)


def _unlock(state: State) -> None:
    """Let an item whose key stays unknown be any entry."""
    for keys, sink in tuple(state.keyed):
        if not any(isinstance(value, fv.Constant) for value in keys.values):
            sink()


def _is_seen(value: fv.Declared, site: Site) -> bool:
    """Tell whether a site has objects of a declared type."""
    seen = site.receivers.values if site.receivers is not None else ()
    made = [each.of for each in seen if isinstance(each, fv.Object)]
    return any(map(is_functional, seen)) or any(isinstance(of, fv.Class) and derives(of, value.of) for of in made)


def _declare(state: State) -> None:
    # What comes from outside the program and is declared to be of a class of the program is of that class.
    for variable, types in tuple(state.declared):
        known = [each for each in variable.values if type(each) not in (fv.External, fv.Named)]
        is_object = any(isinstance(each, fv.Object) or is_functional(each) for each in known)
        for value in tuple(types.values):
            if isinstance(value, fv.Collection):  # a list of something: that it is one, what is in it
                if not any(not isinstance(each, fv.Collection) or each.is_filled for each in known):
                    variable.add(value)
            elif known and not is_object:
                continue
            elif isinstance(value, fv.Class):
                variable.add(state.of_type[value])
            elif isinstance(value, fv.External) and MADE not in value.name:
                variable.add(state.external[value.name + MADE])
