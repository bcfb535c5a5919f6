"""Calls: which function is called, which parameter gets which argument, what comes back; decorators.

A decorator is one function for all that it decorates, so it seems to give back all of it. Nearly every decorator of
classes gives back the class: a class stays itself unless its decorator does nothing but wrap it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

from recollect.code.links.flow_values import (
    Bound,
    Class,
    Collection,
    Declared,
    External,
    Function,
    Heritage,
    Known,
    Module,
    Object,
    Overloaded,
    Value,
    Variable,
    ignore,
)
from recollect.code.links.library_calls import supply, supply_known
from recollect.code.links.library_table import BUILTIN, CALLED
from recollect.code.links.member_lookup import WHOLE, Told, derives, lookup
from recollect.code.links.overload_choice import Array, Signature, meant
from recollect.code.links.program import Assign, Call, Code, Expression, Member, Name, Return, Table
from recollect.code.links.solver_state import Asked, Given, Site, World

if TYPE_CHECKING:
    from recollect.code.links.flow_values import Frame
    from recollect.code.links.solver_state import Place

IMPLICIT = "implicit"
SELF = "self"  # a mark: the first parameter is what the function is called on


def apply(world: World, value: Value, given: Sequence[Given], site: Site, told: Told, *, is_new: bool = False) -> None:
    """Call a value; tell what comes back, now and whenever more becomes known."""
    caller = CALLERS.get(type(value))
    if caller is not None:
        caller(world, value, given, site, told, is_new)


def _call_function(world: World, value: Function, given: Sequence[Given], site: Site, told: Told, is_new: bool) -> None:
    if is_new:
        _construct(world, value, given, site, told)
    else:
        enter(world, value, given, None, site, told)


def _call_overloaded(
    world: World, value: Overloaded, given: Sequence[Given], site: Site, told: Told, is_new: bool
) -> None:
    for function in chosen(world, value.functions, given, site):
        enter(world, function, given, None, site, told)


def _call_class(world: World, value: Class, given: Sequence[Given], site: Site, told: Told, is_new: bool) -> None:
    make(world, value, given, site, told)


def _call_module(world: World, value: Module, given: Sequence[Given], site: Site, told: Told, is_new: bool) -> None:
    """Call what a file offers as itself."""
    frame = world.frames.get((value.path, 0))
    if frame is not None and WHOLE in frame.exports:
        frame.exports[WHOLE].use(lambda each: apply(world, each, given, site, told, is_new=is_new))


def _call_external(world: World, value: External, given: Sequence[Given], site: Site, told: Told, is_new: bool) -> None:
    world.call(site, value.name, site.how or "external")
    supply(world, value, given, site, told)


def _call_known(world: World, value: Known, given: Sequence[Given], site: Site, told: Told, is_new: bool) -> None:
    supply_known(world, value, given, site, told)


def _call_object(
    world: World, value: Object | Declared, given: Sequence[Given], site: Site, told: Told, is_new: bool
) -> None:
    if isinstance(value.of, Class):
        lookup(world, value, CALLED, site, lambda each: apply(world, each, given, site, told))


def _call_super(world: World, value: Heritage, given: Sequence[Given], site: Site, told: Told, is_new: bool) -> None:
    _construct_base(world, value, given, site)


def _call_bound(world: World, value: Bound, given: Sequence[Given], site: Site, told: Told, is_new: bool) -> None:
    function, receiver = value.function, value.receiver
    if isinstance(function, Overloaded):
        for each in chosen(world, function.functions, given, site):
            enter(world, each, given, receiver, site, told)
    elif is_new:
        _construct(world, function, given, site, told)
    else:
        enter(world, function, given, receiver, site, told)


def enter(
    world: World, function: Function, given: Sequence[Given], receiver: Value | None, site: Site, told: Told
) -> None:
    """Call one function."""
    if IMPLICIT not in function.scope.marks:
        world.call(site, (function.path, function.place), site.how or how(function, receiver, site))
    if site.is_call:
        entered = (function, id(given))
        if site.entered is None:
            site.entered = {}
        if entered in site.entered:  # on another receiver: what is given and what comes back is the same
            if receiver is not None:
                receive(world, function, receiver)
                _give_receiver_back(function, receiver, told)
            return
        site.entered[entered] = given
    pass_on(world, function, given, receiver)
    if told is not ignore:
        _answer(world, function, given, receiver, told)


def _answer(world: World, function: Function, given: Sequence[Given], receiver: Value | None, told: Told) -> None:
    """Tell what a function that was called gives back."""
    marks = function.scope.marks
    if "generator" in marks:
        made = world.collection(function)
        if not made.fields:
            function.yields.flow(made.rest)
            made.entry("#returned")
        told(made)
    elif "async" in marks:
        told(world.promised(function.returns))
    else:
        function.returns.use(told)
        if function.shape.returned:
            _give_back(world, function, given, receiver, told)


def _give_back(world: World, function: Function, given: Sequence[Given], receiver: Value | None, told: Told) -> None:
    """Tell what a call gives to parameters that are returned as they are."""
    shape, names = function.shape, function.frame.names
    place = 1 if receiver is not None and SELF in function.scope.marks else 0
    if receiver is not None:
        _give_receiver_back(function, receiver, told)
    for name in shape.returned:
        at = shape.plain.index(name) - place if name in shape.plain else -1
        if at < 0 and place and shape.plain[0] == name:
            continue
        if any(each.is_spread for each in given):
            names[name].use(told)
            continue
        by_place = [each for each in given if each.name is None]
        found = next((each for each in given if each.name == name), None)
        if found is None and 0 <= at < len(by_place):
            found = by_place[at]
        if found is not None:
            found.value.use(told)
        else:
            default(world, function, name).use(told)


def default(world: World, function: Function, name: str) -> Variable:
    """Return what a parameter is if nothing is given for it."""
    found = function.defaults.get(name)
    if found is None:
        said = next((each.default for each in function.scope.parameters if each.name == name), None)
        around = function.frame.parent or function.frame
        found = world.evaluate(said, around) if said is not None else world.variable()
        function.defaults[name] = found
    return found


def _give_receiver_back(function: Function, receiver: Value, told: Told) -> None:
    shape = function.shape
    if SELF in function.scope.marks and shape.plain and shape.plain[0] in shape.returned:
        told(receiver)


def how(function: Function, receiver: Value | None, site: Site) -> str:
    """Return how a call is known to lead to a function."""
    if isinstance(receiver, Object | Declared) and function.owner is not None:
        of = receiver.of
        return "method" if of is function.owner else "inherited"
    if isinstance(receiver, Class):
        return "method"
    return "direct" if function.path == site.frame.path else "import"


def pass_on(world: World, function: Function, given: Sequence[Given], receiver: Value | None) -> None:
    """Give arguments to parameters."""
    if function.is_asleep:
        world.wake(function)
    taking = Taking(world, function)
    place = 0
    if receiver is not None:
        place = receive(world, function, receiver)
    for each in given:
        if each.is_spread:
            each.value.use(_spread(world, taking, place))
        elif each.name is not None:
            taking.named(each.name, each.value)
        else:
            taking.at(place, each.value)
            place += 1


def receive(world: World, function: Function, receiver: Value) -> int:
    """Let a function be called on something; returns how many of its parameters that takes."""
    if SELF not in function.scope.marks:
        function.this.add(receiver)
        return 0
    shape = function.shape
    if shape.plain:
        function.frame.names[shape.plain[0]].add(receiver)
    elif shape.rest is not None:
        world.collection((function, shape.rest)).entry(0).add(receiver)
    return 1


class Taking:
    """A function while it takes arguments."""

    __slots__ = ("function", "names", "shape", "world")

    def __init__(self, world: World, function: Function) -> None:
        self.world, self.function, self.names = world, function, function.frame.names
        self.shape = function.shape

    def at(self, place: int, value: Variable) -> None:
        """Take an argument by its position."""
        plain, rest = self.shape.plain, self.shape.rest
        if place < len(plain):
            value.flow(self.names[plain[place]])
        elif rest is not None:
            value.flow(self.world.collection((self.function, rest)).entry(place - len(plain)))

    def named(self, name: str, value: Variable) -> None:
        """Take an argument by its name."""
        if name in self.shape.by_name:
            value.flow(self.names[name])
        elif self.shape.others is not None:
            value.flow(self.world.collection((self.function, self.shape.others)).entry(name))


def _spread(world: World, taking: Taking, first: int) -> Told:
    def spread(value: Value) -> None:
        if not isinstance(value, Collection) or (value, taking.function, first) in world.spread:
            return
        world.spread.add((value, taking.function, first))
        value.every(lambda key, each: taking.at(first + key, each) if isinstance(key, int) else taking.named(key, each))
        for place in range(first, len(taking.shape.plain) + 1):
            taking.at(place, value.rest)

    return spread


# --- making instances ---


def _construct(world: World, function: Value, given: Sequence[Given], site: Site, told: Told) -> None:
    """Call a function with `new`."""
    if not isinstance(function, Function):
        return
    made = world.instance(function)
    enter(world, function, given, made, site.found(site.how or "constructor"), ignore)
    told(made)


def make(world: World, of: Class, given: Sequence[Given], site: Site, told: Told) -> None:
    """Make an instance of a class."""
    of.is_made = True
    made = of.instance
    told(made)
    for each in of.order:
        for function in each.initial:
            if function.is_asleep:
                world.wake(function)
            function.this.add(made)
    site = site.found(site.how or "constructor")
    if not _constructed(world, of.order, given, made, site) and IMPLICIT not in of.scope.marks:
        world.call(site, (of.path, of.place), "constructor")
        if world.units[of.path].language == "python":
            _construct_outside(world, of, site)


def _construct_outside(world: World, of: Class, site: Site) -> None:
    """Call the constructor that a class has from outside the program; those of builtin classes do nothing."""
    for outer in [outer for each in of.order for outer in each.outer_bases]:
        if not outer.name.startswith(BUILTIN):
            world.call(site, f"{outer.name}.__init__", "constructor")


def _constructed(world: World, orders: Sequence[Class], given: Sequence[Given], made: Value, site: Site) -> bool:
    """Run the constructor that the first of some classes has; returns whether there is one."""
    for each in orders:
        if each.constructors:
            for function in chosen(world, each.constructors, given, site):
                enter(world, function, given, made, site, ignore)
            return True
    return False


def _construct_base(world: World, value: Heritage, given: Sequence[Given], site: Site) -> None:
    """Run the constructor of what a class derives from: `super(…)`."""
    orders = value.of.order
    for function in [each for base in orders[1:] for each in base.initial]:
        if function.is_asleep:
            world.wake(function)
        function.this.add(value.receiver)
    if not _constructed(world, orders[1:], given, value.receiver, site.found("super")):
        for base in value.of.bases:
            world.call(site, (base.path, base.place), "super")


# --- overloads ---


def chosen(world: World, functions: Sequence[Function], given: Sequence[Given], site: Site) -> Sequence[Function]:
    """Return the functions that a call means, of several of one name."""
    if len(functions) < 2 or functions[0].scope.arity < 0:
        return functions
    types = [type_of(world, each.declared, site) for each in given]
    signatures = [
        Signature(
            tuple([_parameter(world, parameter.declared, function) for parameter in function.scope.parameters]),
            any(parameter.kind == "*" for parameter in function.scope.parameters),
        )
        for function in functions
    ]
    return [functions[place] for place in meant(signatures, types, _derives)] or functions


def _parameter(world: World, declared: Expression | None, function: Function) -> Hashable:
    return type_of(world, declared, Site(function.frame))


def _derives(one: Hashable, other: Hashable) -> bool:
    return isinstance(one, Class) and isinstance(other, Class) and derives(one, other)


def type_of(world: World, declared: Expression | None, site: Site) -> Hashable:
    """Return a type as overloads are compared by: a class of the program, else its written name."""
    if declared is None:
        return None
    if isinstance(declared, Table):
        return Array(type_of(world, declared.entries[0].value, site) if declared.entries else None)
    for value in world.evaluate(declared, site.frame).values:
        if isinstance(value, Class):
            return value
    if isinstance(declared, Name | Member):
        return declared.name
    return None


CALLERS: dict[type[Value], Callable[..., None]] = {
    Function: _call_function,
    Bound: _call_bound,
    Overloaded: _call_overloaded,
    Class: _call_class,
    Module: _call_module,
    External: _call_external,
    Known: _call_known,
    Object: _call_object,
    Declared: _call_object,
    Heritage: _call_super,
}


def defined(world: World, place: Place, frame: Frame) -> Variable:
    """Return what a function or class is after its decorators."""
    found = world.defined.get(place)
    if found is None:
        value = world.codes[place]
        found = world.defined[place] = world.variable(value)
        for decorator in reversed(value.scope.decorators):
            applied = world.evaluate(decorator, frame)
            result = world.variable()
            site = Site(frame, value.scope.line, 0, "decorator")
            world.asked.append(Asked(site, decorator, applied))
            give_back = _of_class if isinstance(value, Class) else _of_function
            applied.use(_decorating(world, decorator, found, site, give_back(world, found, result)))
            world.dressed.append((found, result))
            found = world.defined[place] = result
    return found


def _decorating(
    world: World, decorator: Expression, decorated: Variable, site: Site, give_back: Callable[[Value], Told]
) -> Told:
    """Return what happens to something with every value that its decorator may be."""

    def told(value: Value) -> None:
        # What decorators gave back before is none: a call of one with its options alone gives back none of that.
        if isinstance(decorator, Call) and _is_dressed(value):
            return
        world.decorated.setdefault(value, {}).update(dict.fromkeys(decorated.values))
        world.apply(value, [Given(decorated)], site, give_back(value))

    return told


def _of_function(world: World, decorated: Variable, result: Variable) -> Callable[[Value], Told]:
    """Return what becomes of a function, by its decorator and what that gives back."""

    def by(decorator: Value) -> Told:
        # What a decorator outside the program gives back is most often what it was given, or stands for it.
        if not isinstance(decorator, Function | Bound | Class | Object):
            decorated.flow(result)
        others = world.decorated[decorator]

        def told(found: Value) -> None:
            if found in decorated.values or not (found in others or _is_dressed(found)):
                result.add(found)

        return told

    return by


def _of_class(world: World, decorated: Variable, result: Variable) -> Callable[[Value], Told]:
    """Return what becomes of a class: it stays one, unless its decorator does nothing but put a function around it."""

    def by(decorator: Value) -> Told:
        stays = not isinstance(decorator, Class) and not _puts_around(decorator)
        if stays:
            decorated.flow(result)
        others = world.decorated[decorator]

        def told(found: Value) -> None:
            if stays and isinstance(found, Function | Bound | Overloaded):
                return
            if found in decorated.values or not (found in others or _is_dressed(found)):
                result.add(found)

        return told

    return by


def _is_dressed(value: Value) -> bool:
    """Tell whether a value is a class with decorators: what gives back one gives back what it was given."""
    return type(value) is Class and bool(value.scope.decorators)


def _puts_around(decorator: Value) -> bool:
    """Tell whether a function gives back nothing but functions and classes that are written in it."""
    function = decorator.function if isinstance(decorator, Bound) else decorator
    if not isinstance(function, Function):
        return False
    body = function.scope.body
    inside = {
        each.target.name
        for each in body
        if isinstance(each, Assign) and isinstance(each.target, Name) and isinstance(each.value, Code)
    }
    returned = [each.value for each in body if isinstance(each, Return)]
    return bool(returned) and all(isinstance(each, Name) and each.name in inside for each in returned)
