"""Solver: from the programs of some files to who calls, derives from, imports and uses what.

    programs ─► frames ─► what files and classes say ─► order of base classes ─► bodies of functions
                                                            │
              assumptions: methods without known callers, declared types ─┘  until nothing changes

Values flow from where they are made to where they are called. A call on an unknown value stays unresolved.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, cast

from recollect.code.links import call_flow, evaluation
from recollect.code.links import program as ir
from recollect.code.links.flow_values import (
    MOST_STEPS,
    STAR,
    Bound,
    Class,
    Collection,
    Constant,
    Declared,
    External,
    Frame,
    Function,
    Module,
    Named,
    Object,
    Value,
    Variable,
)
from recollect.code.links.library_table import BUILTIN, MADE, UNKNOWN
from recollect.code.links.member_lookup import arrange, ask_again, derive, derives, dispatch, renamed, subclasses
from recollect.code.links.module_finder import Modules
from recollect.code.links.solver_state import Place, Site, State


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector of garbage; it goes on afterwards if it did before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# Methods that texts, tables, files and the like have: the only method of the program with such a name is seldom meant.
COMMON = frozenset(
    """add all any append apply bind call capitalize catch clear close concat copy count decode discard encode end
    entries enumerate every extend fill filter find findIndex finally flat flatMap flush forEach format fromkeys
    get group has includes index indexOf insert intersection isalnum isalpha isdigit islower issubset isupper
    items join keys lastIndexOf length ljust log lower lstrip map match next open partition pop popitem popleft
    push read readline readlines reduce remove replace result return reverse rfind rjust rpartition rsplit rstrip
    run search seek send set setdefault shift size slice some sort splice split splitlines start startswith
    endswith stop strip sub submit substring tell test then throw title toLowerCase toString toUpperCase translate
    trim union unshift update upper values wait write writelines zfill""".split()
)


def defer_body(state: State, function: Function) -> None:
    """Let a function wait until it is needed."""
    function.is_lazy = True
    owner = function.frame.owner
    if owner is not None:
        for statement in function.scope.body:
            if isinstance(statement, ir.Assign) and isinstance(statement.target, ir.Member):
                owner.assigners.setdefault(statement.target.name, []).append(function)
                state.assigned.add(statement.target.name)


def schedule_body(state: State, prepare: Callable[[Function], None], function: Function) -> None:
    """Evaluate a function body when the queue is empty."""
    if not function.is_lazy:
        return
    function.is_lazy = False
    around: Frame | None = function.frame
    while around is not None:
        around.fill()
        around = around.parent

    def read() -> None:
        prepare(function)
        if not _is_told(state, function):
            for frame in (function.frame, *state.parts.get(function, ())):
                evaluation.run(state, frame)

    state.work.later.append(read)


def _is_told(state: State, function: Function) -> bool:
    """Take the declared result of a function for all that other files see of it, where it leaves nothing open.

    In Python alone: elsewhere a parameter of a type looks like a type outside, and containers are often classes.
    """
    scope = function.scope
    if scope.returns is None or "generator" in scope.marks or state.units[function.path].language != "python":
        return False
    if any(type(each) is ir.Assign and type(each.target) is ir.Member for each in scope.body):
        return False
    _, types = state.declared[-1]
    told = [value for each in types.values if (value := _only(state, each)) is not None]
    if not told or len(told) < len(types.values):
        return False
    for value in told:
        function.returns.add(value)
    return True


def _only(state: State, declared: Value) -> Value | None:
    """Return the only value that something of a declared type can be."""
    if isinstance(declared, Class):
        is_open = declared.subclasses or declared.scope.kind == "interface" or "abstract" in declared.scope.marks
        return None if is_open else declared.instance
    if isinstance(declared, External) and MADE not in declared.name:
        return state.external[declared.name + MADE]
    return declared if isinstance(declared, Collection) else None


# Calls of a chain, each on what the one before is declared to return, that are followed.
MOST_CHAINED = 12
# Values that only name things.
PLAIN: frozenset[type] = frozenset((ir.Code, ir.Name, ir.Member))
# Types of Go that fit an interface; more were not made for it.
MOST_SHAPED = 12
# Most methods of one name that a call may mean.
MOST_CANDIDATES = 25

# How surely a call leads where it was found to lead, by how that was found.
CONFIDENCE: Mapping[str, float] = {
    "direct": 0.99,  # the name is defined in the same file
    "import": 0.98,  # the name was imported from where it is defined
    "constructor": 0.98,
    "super": 0.95,
    "method": 0.95,  # of the class that the receiver was seen to be made of
    "inherited": 0.93,
    "property": 0.9,
    "decorator": 0.9,
    "value": 0.85,  # a function that was passed, stored or returned: some of its ways may never be taken
    "callback": 0.8,  # given to a library, which calls it as far as is known
    "declared": 0.75,  # by the declared type of the receiver alone
    "external": 0.9,
}


class CallEdge(NamedTuple):
    """A call: caller, callee (external: dotted name), place, kind of evidence, arguments where these decide."""

    caller: Place
    callee: Place | str
    line: int
    column: int
    how: str
    given: int = -1

    @property
    def confidence(self) -> float:
        """The confidence in this call."""
        return CONFIDENCE[self.how]


class OpenCall(NamedTuple):
    """An unresolved call: its name, and the functions it may mean."""

    caller: Place
    name: str
    line: int
    column: int
    candidates: tuple[Place, ...] = ()


class Derivation(NamedTuple):
    """A class and a base or interface; an external base is a dotted name."""

    derived: Place
    base: Place | str
    implements: bool


class Used(NamedTuple):
    """A name that stands in a type or is passed on; an external one is a dotted name."""

    user: Place
    used: Place | str
    line: int


class Solution(NamedTuple):
    """Everything that was found, in a fixed order."""

    calls: tuple[CallEdge, ...]
    ambiguous: tuple[OpenCall, ...]
    unresolved: tuple[OpenCall, ...]
    derivations: tuple[Derivation, ...]
    uses: tuple[Used, ...]
    aliases: tuple[tuple[str, str, Place], ...]  # names of files for what is defined under another name
    is_coarse: bool = False  # too many values flowed: what is not found stays unresolved


def solve(
    units: Mapping[str, ir.Unit], modules: Modules, faces: Container[str] = frozenset(), most_steps: int = MOST_STEPS
) -> Solution:
    """Return the calls, base classes and uses of some programs.

    faces: files given as summaries: only needed; their function bodies are evaluated on first call
    most_steps: values that are handed on before the programs are solved coarsely
    """
    with uncollected():
        state = State(dict(sorted(units.items())), modules, faces, most_steps)
        try:
            return _answer(_solved(state))
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
            kind = type(statement)
            if kind is ir.Export:
                top.exports.setdefault(cast(ir.Export, statement).name, state.variable())
            elif kind is ir.Import:
                _offer(state, cast(ir.Import, statement), state.frames[path, place], top)
        state.offered.update(scope.global_names)
    for each in unit.constants:
        state.frames[path, each.scope].name(each.name).add(Named(path, ~each.symbol, each.name))
    state.offered.update(top.names, top.exports)


def _offer(state: State, imported: ir.Import, frame: Frame, top: Frame) -> None:
    """Record re-exports and star imports."""
    if imported.name == STAR:
        frame.stars += (imported,)
    if imported.is_export:
        top.exports.setdefault(imported.alias or imported.name or "", state.variable())
        if imported.name == STAR:
            top.exports.setdefault(STAR, state.variable())


def _frame(state: State, path: str, unit: ir.Unit, place: int) -> Frame:
    known = state.frames.get((path, place))
    if known is not None:
        return known
    scope = unit.scopes[place]
    around = scope.parent if place and 0 <= scope.parent < len(unit.scopes) and scope.parent != place else -1
    parent = _frame(state, path, unit, around) if around >= 0 else None
    frame = state.frames[path, place] = Frame(state.work, path, place, scope, parent)
    if frame.function is not None and scope.kind != "function":
        state.parts.setdefault(frame.function, []).append(frame)
    if scope.kind in ("class", "interface"):
        value = Class(path, place, scope, frame)
        frame.owner = value
        state.codes[path, place] = value
        state.classes.append(value)
        frame.fill()
    elif scope.kind == "function":
        owner = frame.owner if parent is not None and parent.scope.kind in ("class", "interface") else None
        function = Function(path, place, scope, frame, owner)
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
    for frame in state.frames.values():
        if frame.function is None:
            evaluation.run(state, frame, _is_plain)


def _is_plain(statement: ir.Statement) -> bool:
    """Tell whether a statement only binds names: these come before any call."""
    kind = type(statement)
    if kind is ir.Import or kind is ir.Use:
        return True
    return (kind is ir.Assign or kind is ir.Export) and type(statement.value) in PLAIN  # type: ignore[union-attr]


def _implement(state: State) -> None:
    """Let types of Go derive from the interfaces whose methods they have."""
    go = [each for each in state.classes if state.units[each.path].language == "go" and each.frame.names]
    having: dict[str, list[Class]] = {}
    for each in go:
        for name in each.frame.names if each.scope.kind == "class" else ():
            having.setdefault(name, []).append(each)
    for base in go:
        names = base.frame.names.keys()
        rarest = min([having.get(name, []) for name in names], key=len) if base.scope.kind == "interface" else ()
        fitting = [each for each in rarest if names <= each.frame.names.keys()]
        for each in fitting if len(fitting) <= MOST_SHAPED else ():
            derive(state, each, base)


def _members(state: State, of: Class) -> None:
    """Sort the functions of a class: constructors, initialisers, overloads."""
    scopes = state.units[of.path].scopes
    bound = {
        each.value.scope
        for each in of.scope.body
        if isinstance(each, ir.Assign)
        and isinstance(each.value, ir.Code)
        and isinstance(each.target, ir.Name | ir.Member)
    }
    for place in state.inner[of.path].get(of.place, ()):
        scope = scopes[place]
        if scope.kind != "function":
            continue
        function = state.codes.get((of.path, place))
        if not isinstance(function, Function):
            continue
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
            evaluation.run(state, frame, lambda statement: not _is_plain(statement))
        elif path not in state.faces:
            evaluation.run(state, frame)


def _parameters(state: State, function: Function) -> None:
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
    for decorated, result in tuple(state.decorations):
        if not result.values:  # a decorator without a known result returns what it is given
            decorated.flow(result)
    state.work.run()
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


def _receive(state: State, method: Function, owner: Class) -> None:
    """Assume that a method without known callers is called on its own class, and on those that inherit it."""
    receivers = state.receivers(method)
    if not receivers.values:
        is_of_class = "classmethod" in method.scope.marks
        for each in (owner, *subclasses(owner)):
            having = next((base for base in each.order if method.scope.name in base.frame.names), owner)
            if having is owner:
                receivers.add(each if is_of_class else each.instance)


def _unlock(state: State) -> None:
    """Let an item whose key stays unknown be any entry."""
    for keys, sink in tuple(state.keyed):
        if not any(isinstance(value, Constant) for value in keys.values):
            sink()


def _is_seen(value: Declared, site: Site) -> bool:
    """Tell whether a site has objects of a declared type."""
    for each in site.receivers.values if site.receivers is not None else ():
        if isinstance(each, Object) and isinstance(each.of, Class) and derives(each.of, value.of):
            return True
        if isinstance(each, Function) and "functional" in each.scope.marks:
            return True
    return False


def _declare(state: State) -> None:
    # What comes from outside the program and is declared to be of a class of the program is of that class.
    for variable, types in tuple(state.declared):
        is_known = any(type(each) not in (External, Named) for each in variable.values)
        is_object = any(isinstance(each, Object) for each in variable.values)
        for value in tuple(types.values) if is_object or not is_known else ():
            if isinstance(value, Class):
                variable.add(state.of_type[value])
            elif isinstance(value, Collection) and not is_known:  # a list of something: that it is one, what is in it
                variable.add(value)
            elif isinstance(value, External) and MADE not in value.name and (is_object or _is_unknown(variable)):
                variable.add(state.external[value.name + MADE])


def _is_unknown(variable: Variable) -> bool:
    """Tell whether a variable holds nothing but the names of constants."""
    return all(type(each) is Named for each in variable.values)


# --- the answer ---


def _answer(state: State) -> Solution:
    called = {
        CallEdge(*key, how if how in CONFIDENCE else "value", state.counts.get((caller, *key[2:]), -1)): None
        for key, how in state.made.items()
        if _is_written(state, caller := key[0])
    }
    ambiguous, unresolved = _open(state)
    return Solution(
        tuple(sorted(called, key=_by_place)),
        tuple(sorted(ambiguous)),
        tuple(sorted(unresolved)),
        tuple(sorted(_derivations(state), key=lambda each: (each.derived, *_known_first(each.base), each.implements))),
        tuple(sorted(set(_uses(state)), key=lambda each: (each.user, *_known_first(each.used), each.line))),
        tuple(
            sorted([(path, *row) for path in state.units if path not in state.faces for row in renamed(state, path)])
        ),
        state.work.is_coarse,
    )


def _by_place(edge: CallEdge) -> tuple[object, ...]:
    return (edge.caller, edge.line, edge.column, *_known_first(edge.callee), edge.how)


def _known_first(target: Place | str) -> tuple[bool, Place | str]:
    return type(target) is str, target


def _is_written(state: State, place: Place) -> bool:
    scope = state.units[place[0]].scopes[place[1]]
    return "implicit" not in scope.marks and place[0] not in state.faces


def _open(state: State) -> tuple[list[OpenCall], list[OpenCall]]:
    """Return the unresolved calls: with candidates, which have the name of the call alone, and without."""
    methods: dict[str, list[Function]] = {}
    for function in state.functions:
        if function.owner is not None and "implicit" not in function.scope.marks:
            methods.setdefault(function.scope.name, []).append(function)
    answered = {(caller, line, column) for caller, _, line, column in state.made}
    ambiguous, unresolved = [], []
    for each in state.asked:
        site, callee, known = each.site, each.callee, each.values.values
        if site.is_implied or not isinstance(callee, ir.Name | ir.Member):
            continue
        # Where not all values were followed, a receiver may be more than is known.
        is_full = len(known) >= state.work.limits[Collection] or (
            state.work.is_coarse and isinstance(callee, ir.Member)
        )
        is_variant = bool(known) and state.units[site.frame.path].language == "rust"
        if (not is_full and (is_variant or not _is_unknown(each.values))) or site.frame.path in state.faces:
            continue
        if (site.caller, site.line, site.column) in answered and not is_full:
            continue
        candidates = methods.get(callee.name, []) if isinstance(callee, ir.Member) else []
        found = OpenCall(site.caller, ir.as_written(callee.name), site.line, site.column)
        if (2 if callee.name in COMMON else 1) <= len(candidates) <= MOST_CANDIDATES:
            places = tuple(sorted([(each.path, each.place) for each in candidates]))
            ambiguous.append(found._replace(candidates=places))
        else:
            unresolved.append(found)
    return ambiguous, unresolved


def _derivations(state: State) -> Iterator[Derivation]:
    for each in state.classes:
        if each.path in state.faces:
            continue
        place = (each.path, each.place)
        around = each.frame.parent or each.frame
        implemented = {
            value for base in each.scope.implements for value in evaluation.evaluate(state, base, around).values
        }
        for known in each.bases:
            yield Derivation(place, (known.path, known.place), known in implemented or not each.scope.bases)
        yield from _overrides(each)
        for outer in each.outer_bases:
            yield Derivation(place, outer.name, outer in implemented)


def _overrides(of: Class) -> Iterator[Derivation]:
    """Yield the methods of a class with those of its bases that they override, the nearest of each."""
    for name, variable in of.frame.names.items() if of.bases else ():
        own = [each for each in variable.values if isinstance(each, Function) and each.scope.symbol >= 0]
        for function in own if len(own) == 1 and "constructor" not in own[0].scope.marks else ():
            bases = (
                (base, value)
                for base in of.order[1:]
                if name in base.frame.names
                for value in base.frame.names[name].values
            )
            above = next(((base, value) for base, value in bases if isinstance(value, Function)), None)
            if above is not None and above[1] is not function:
                is_interface = above[0].scope.kind == "interface"
                yield Derivation((function.path, function.place), (above[1].path, above[1].place), is_interface)


def _uses(state: State) -> Iterator[Used]:
    called = {(caller, callee, line) for caller, callee, line, _ in state.made}
    yield from [Used(*each) for each in state.read if each not in called and each[0][0] not in state.faces]
    for frame, use, variable in state.uses:
        path = frame.path
        if path in state.faces:
            continue
        user = (path, ~use.symbol) if use.symbol >= 0 else (path, frame.place)
        found: list[Place | str] = []
        value, values = use.value, tuple(variable.values)
        while not found:
            found += [used for each in values if (used := _used(each)) is not None]
            found += _constants(state, value, values, frame) if not found else ()
            if not isinstance(value, ir.Member):
                break
            value = value.of
            values = tuple(evaluation.evaluate(state, value, frame).values) if not found else ()
        owner = frame.owner if frame.owner is not None and frame.owner.frame is frame else None
        bases = [*map(_used, (*owner.bases, *owner.outer_bases))] if owner is not None else ()
        yield from [Used(user, each, use.line) for each in found if each not in bases]


def _constants(state: State, value: ir.Expression, values: Sequence[Value], frame: Frame) -> list[Place]:
    """Return the constants that a name or a member means; what is imported or exported may have a second name."""
    if not isinstance(value, ir.Name | ir.Member):
        return []
    named = [each for each in values if isinstance(each, Named)]
    if isinstance(value, ir.Name) and not named:
        named = [each for each in _of_classes(value.name, frame) if isinstance(each, Named)]
    same = [each for each in named if each.name == value.name]
    if not same and isinstance(value, ir.Member):
        of = evaluation.evaluate(state, value.of, frame).values
        named = named if all(isinstance(each, Module) for each in of) else []
        for each in [each for each in of if isinstance(each, Named)]:
            held = state.frames[each.path, 0].names.get(f"{each.name}.{value.name}")
            named += [each for each in held.values if isinstance(each, Named)] if held is not None else []
    return [(each.path, each.place) for each in same or named]


def _of_classes(name: str, frame: Frame | None) -> tuple[Value, ...]:
    """Return what a name means in the nearest class around that has it."""
    while frame is not None:
        for each in frame.owner.order if frame.owner is not None and frame.owner.frame is frame else ():
            if name in each.frame.names:
                return tuple(each.frame.names[name].values)
        frame = frame.parent if frame.is_class or name not in frame.names else None
    return ()


def _used(value: Value) -> Place | str | None:
    of = value.of if isinstance(value, Declared) else value.function if isinstance(value, Bound) else value
    if isinstance(of, Class | Function):
        return of.path, of.place
    is_known = isinstance(of, External) and not of.name.startswith((BUILTIN, UNKNOWN)) and of.name[-2:] != MADE
    return of.plain if isinstance(of, External) and is_known else None
