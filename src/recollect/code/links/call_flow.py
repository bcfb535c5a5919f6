"""Calls: which function is called, which parameter gets which argument, what comes back; decorators.

What is decorated stays itself, whatever its decorators return: who calls it means it, and not a wrapper.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from recollect.code.links import flow_values as fv
from recollect.code.links.library_calls import supply, supply_known
from recollect.code.links.library_table import CALLED
from recollect.code.links.member_lookup import WHOLE, Sink, lookup
from recollect.code.links.overload_choice import Signature, choose
from recollect.code.links.program import Call, Expression, Key, Member, Name, Table
from recollect.code.links.solver_state import IMPLICIT, Given, Place, Site, State

SELF = "self"  # a mark: the first parameter is what the function is called on


def apply(state: State, value: fv.Value, given: Sequence[Given], site: Site, sink: Sink, is_new: bool = False) -> None:
    """Call a value; results go to the sink, now and as more becomes known."""
    call((call, state, given, site, sink, is_new), value)


def call(taker: fv.Taker, value: fv.Value) -> None:
    """Call a value, as the user of a variable."""
    caller = CALLERS.get(type(value))
    if caller is not None:
        _, state, given, site, sink, is_new = taker
        caller(state, value, given, site, sink, is_new)


def _call_function(
    state: State, value: fv.Function | fv.Bound, given: Sequence[Given], site: Site, sink: Sink, is_new: bool
) -> None:
    function, receiver = (value.function, value.receiver) if isinstance(value, fv.Bound) else (value, None)
    if isinstance(function, fv.Overloaded):
        for each in chosen(state, function.functions, given, site):
            enter(state, each, given, receiver, site, sink)
    elif is_new:
        _construct(state, function, given, site, sink)
    else:
        enter(state, function, given, receiver, site, sink)


def _call_module(state: State, value: fv.Module, given: Sequence[Given], site: Site, sink: Sink, is_new: bool) -> None:
    """Call what a file offers as itself."""
    for path in value.paths:
        frame = state.frames.get((path, 0))
        if frame is not None and WHOLE in frame.exports:
            frame.exports[WHOLE].use(lambda each: apply(state, each, given, site, sink, is_new=is_new))


def _call_external(
    state: State, value: fv.External, given: Sequence[Given], site: Site, sink: Sink, is_new: bool
) -> None:
    state.call(site, value.plain, site.how or "external")
    if state.units[site.frame.path].language == "java":
        state.counts[site.caller, site.line, site.column] = len(given)
    supply(state, value, given, site, sink)


def _call_object(
    state: State, value: fv.Object | fv.Declared, given: Sequence[Given], site: Site, sink: Sink, is_new: bool
) -> None:
    if isinstance(value.of, fv.Class):
        lookup(state, value, CALLED, site, lambda each: apply(state, each, given, site, sink))


def enter(
    state: State, function: fv.Function, given: Sequence[Given], receiver: fv.Value | None, site: Site, sink: Sink
) -> None:
    """Call one function."""
    if IMPLICIT not in function.scope.marks:
        state.call(site, (function.path, function.place), site.how or how(function, receiver, site))
    if site.is_call:
        entered = (function, id(given))
        if site.entered is None:
            site.entered = {}
        if entered in site.entered:  # on another receiver: what is given and what comes back is the same
            if receiver is not None:
                receive(state, function, receiver)
            return
        site.entered[entered] = given
    pass_on(state, function, given, receiver)
    if sink is not fv.ignore:
        _answer(state, function, sink)


def _answer(state: State, function: fv.Function, sink: Sink) -> None:
    """Send what a called function returns to the sink; a promise is what it gives in the end."""
    if "generator" in function.scope.marks:
        made = state.collection[function]
        if not made.fields:
            function.yields.flow(made.rest)
            made.entry("#returned")
        sink(made)
    else:
        function.returns.use(sink)


def how(function: fv.Function, receiver: fv.Value | None, site: Site) -> str:
    """Return the kind of evidence for a call."""
    if isinstance(receiver, fv.Object | fv.Declared) and function.owner is not None:
        of = receiver.of
        return "method" if of is function.owner else "inherited"
    if isinstance(receiver, fv.Class):
        return "method"
    return "direct" if function.path == site.frame.path else "import"


def pass_on(state: State, function: fv.Function, given: Sequence[Given], receiver: fv.Value | None) -> None:
    """Give arguments to parameters."""
    if function.is_lazy:
        state.schedule_body(function)
    place = receive(state, function, receiver) if receiver is not None else 0
    for each in given:
        if not each.is_spread:
            _take(state, function, place if each.name is None else each.name, each.value)
            place += each.name is None


def receive(state: State, function: fv.Function, receiver: fv.Value) -> int:
    """Add a receiver of a function; returns how many parameters it takes."""
    if SELF not in function.scope.marks:
        function.this.add(receiver)
        return 0
    shape = function.shape
    if shape.plain:
        function.frame.names[shape.plain[0]].add(receiver)
    elif shape.rest is not None:
        state.collection[function, shape.rest].entry(0).add(receiver)
    return 1


def _take(state: State, function: fv.Function, key: Key, value: fv.Variable) -> None:
    """Let a parameter take an argument, by its position or its name."""
    shape, names = function.shape, function.frame.names
    if isinstance(key, int):
        if key < len(shape.plain):
            value.flow(names[shape.plain[key]])
        elif shape.rest is not None:
            value.flow(state.collection[function, shape.rest].entry(key - len(shape.plain)))
    elif key in shape.by_name:
        value.flow(names[key])
    elif shape.others is not None:
        value.flow(state.collection[function, shape.others].entry(key))


# --- making instances ---


def _construct(state: State, function: fv.Function, given: Sequence[Given], site: Site, sink: Sink) -> None:
    """Call a function with `new`."""
    made = state.instance(function)
    enter(state, function, given, made, site.found(site.how or "constructor"), fv.ignore)
    sink(made)


def make(state: State, of: fv.Class, given: Sequence[Given], site: Site, sink: Sink) -> None:
    """Make an instance of a class."""
    of.is_made = True
    made = of.instance
    sink(made)
    _initialise(state, of.order, made)
    site = site.found(site.how or "constructor")
    if not _constructed(state, of.order, given, made, site) and IMPLICIT not in of.scope.marks:
        state.call(site, (of.path, of.place), "constructor")


def _initialise(state: State, orders: Sequence[fv.Class], made: fv.Value) -> None:
    """Run on an instance what its classes run without a call."""
    for function in [each for of in orders for each in of.initial]:
        state.schedule_body(function)
        function.this.add(made)


def _constructed(state: State, orders: Sequence[fv.Class], given: Sequence[Given], made: fv.Value, site: Site) -> bool:
    """Run the first constructor of some classes; returns whether there is one."""
    for each in orders:
        if each.constructors:
            for function in chosen(state, each.constructors, given, site):
                enter(state, function, given, made, site, fv.ignore)
            return True
    return False


def _construct_base(state: State, value: fv.SuperProxy, given: Sequence[Given], site: Site) -> None:
    """Run the constructor of what a class derives from: `super(…)`."""
    orders = value.of.order
    _initialise(state, orders[1:], value.receiver)
    if not _constructed(state, orders[1:], given, value.receiver, site.found("super")):
        for base in value.of.bases:
            state.call(site, (base.path, base.place), "super")


# --- overloads ---


def chosen(state: State, functions: Sequence[fv.Function], given: Sequence[Given], site: Site) -> Sequence[fv.Function]:
    """Return the functions that a call means, of several of one name."""
    if len(functions) < 2 or functions[0].scope.arity < 0:
        return functions
    types = [_type(state, each.declared, site.frame) for each in given]
    signatures = [state.signatures.get(function) or _signature(state, function) for function in functions]
    return [functions[place] for place in choose(signatures, types)] or functions


def _signature(state: State, function: fv.Function) -> Signature:
    takes = [_type(state, parameter.declared, function.frame) for parameter in function.scope.parameters]
    found = Signature(tuple(takes), any(parameter.kind == "*" for parameter in function.scope.parameters))
    state.signatures[function] = found
    return found


def _type(state: State, declared: Expression | None, frame: fv.Frame) -> Hashable:
    """Return a type for overload choice: a class, else its written name."""
    if isinstance(declared, Table):
        return declared.kind
    if isinstance(declared, Call):
        return _returned_type(state, declared, frame)
    if not isinstance(declared, Name | Member):
        return None
    found = state.evaluate(declared, frame).values
    return next((value for value in found if isinstance(value, fv.Class)), declared.name)


def _returned_type(state: State, call: Call, frame: fv.Frame) -> Hashable:
    """Return the type that a method of a known class is declared to return; None if overloads differ."""
    if not isinstance(call.callee, Member):
        return None
    owner, name = _type(state, call.callee.of, frame), call.callee.name
    orders = owner.order if isinstance(owner, fv.Class) else ()
    found = next((each.overloads[name] for each in orders if name in each.overloads), ())
    types = {_type(state, function.scope.returns, function.frame) for function in found}
    return types.pop() if len(types) == 1 else None


CALLERS: dict[type[fv.Value], Callable[..., None]] = {
    fv.Function: _call_function,
    fv.Bound: _call_function,
    fv.Overloaded: _call_function,
    fv.Class: lambda state, value, given, site, sink, is_new: make(state, value, given, site, sink),
    fv.Module: _call_module,
    fv.External: _call_external,
    fv.Known: lambda state, value, given, site, sink, is_new: supply_known(state, value, given, site, sink),
    fv.Object: _call_object,
    fv.Declared: _call_object,
    fv.SuperProxy: lambda state, value, given, site, sink, is_new: _construct_base(state, value, given, site),
}


def defined(state: State, place: Place, frame: fv.Frame) -> fv.Variable:
    """Return a function or class, whose decorators are called: the first with it, each other with what comes back."""
    found = state.defined.get(place)
    if found is None:
        value = state.codes[place]
        given = found = state.defined[place] = state.variable(value)
        for decorator in reversed(value.scope.decorators):
            applied, result = state.evaluate(decorator, frame), state.variable()
            site = Site(frame, value.scope.line, 0, "decorator")
            state.expect(site, decorator, applied)
            applied.use(partial(_decorate, state, given, result, site))
            given = result
    return found


def _decorate(state: State, given: fv.Variable, result: fv.Variable, site: Site, value: fv.Value) -> None:
    """Call a decorator; one outside the program most often returns what it is given, or something like it."""
    if not isinstance(value, fv.Function | fv.Bound | fv.Class | fv.Object):
        given.flow(result)
    # A class with decorators is what a decorator gave back elsewhere, and decorates nothing.
    if not (type(value) is fv.Class and value.scope.decorators):
        state.apply(value, [Given(given)], site, result.add)
