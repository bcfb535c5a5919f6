"""Evaluate: expressions and statements of a program as variables and the flow between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from recollect.code.resolve.decorate import defined
from recollect.code.resolve.frame import Frame
from recollect.code.resolve.inherit import derives
from recollect.code.resolve.members import FINDERS, Told, lookup, of_file
from recollect.code.resolve.outside import BUILTIN, INDEXED, ITERATED, NEXT, OBJECT, RESULT, STEPPED
from recollect.code.resolve.program import (
    Argument,
    Awaited,
    Call,
    Cast,
    Code,
    Either,
    Elements,
    Expression,
    Instance,
    Item,
    Member,
    Name,
    Opaque,
    Spread,
    Super,
    Table,
    Text,
    This,
)
from recollect.code.resolve.values import (
    Class,
    Collection,
    Constant,
    Declared,
    External,
    Fixed,
    Object,
    Promised,
    Value,
    Variable,
    ignore,
)
from recollect.code.resolve.world import Asked, Given, Site, World

# What is called has a name, which is told if nothing is found.
NAMED = frozenset((Name, Member))
# What is called is whatever it holds.
VARIABLE = frozenset((Item, Call, Either, Elements))
ARROW = "arrow"  # a mark: the function has no `this` of its own


def evaluate(world: World, expression: Expression, frame: Frame) -> Variable:
    """Return the variable that holds what an expression may be."""
    return _EVALUATORS[type(expression)](world, expression, frame)


def do(world: World, expression: Expression, frame: Frame) -> None:
    """Evaluate an expression whose value nobody wants."""
    kind = type(expression)
    if kind is Call:
        _made(world, cast(Call, expression), frame, ignore)
    elif kind is Opaque:
        for part in cast(Opaque, expression).parts:
            do(world, part, frame)
    else:
        _EVALUATORS[kind](world, expression, frame)


def _name(world: World, expression: Name, frame: Frame) -> Variable:
    """Return the variable that a name means in a scope."""
    name = expression.name
    found = frame.find(name)
    if found is not None:
        return found
    module = frame.module
    key = (module.path, name)
    known = world.outside.get(key)
    if known is None:
        known = world.outside[key] = world.variable()
        if not _elsewhere(world, name, frame, known.add):
            known.add(world.external(f"{BUILTIN}.{name}"))
    return known


def _elsewhere(world: World, name: str, frame: Frame, told: Told) -> bool:
    """Tell what a name means that the file does not bind: imported with a star, or visible without an import."""
    module = frame.module
    site = Site(module)
    found = False
    asked: dict[str, bool] = {}
    for star in [*frame.stars, *(module.stars if module is not frame else ())]:
        if star.is_export:
            continue
        for path in world.modules.find(frame.path, star.module, star.level):
            found = of_file(world, path, name, site, told, asked) or found
    if not found:
        for path in world.modules.visible(frame.path, name):
            found = of_file(world, path, name, site, told) or found
    return found


def _member(world: World, expression: Member, frame: Frame) -> Variable:
    called = expression.of
    of, found = _EVALUATORS[type(called)](world, called, frame), Variable(world.work)
    site = Site(frame, expression.line, 0, "", False, of)
    of.use(partial(_looked_up, world, expression.name, site, found.add))
    return found


def _looked_up(world: World, name: str, site: Site, told: Told, value: Value) -> None:
    finder = FINDERS.get(type(value))
    if finder is not None:
        finder(world, value, name, site, told)


def once(user: Told) -> Told:
    """Return a user of several variables that hears of every value once."""
    seen: set[Value] = set()

    def told(value: Value) -> None:
        if value not in seen:
            seen.add(value)
            user(value)

    return told


def _item(world: World, expression: Item, frame: Frame) -> Variable:
    of, found, key = evaluate(world, expression.of, frame), world.variable(), expression.key
    site = Site(frame)
    keys = evaluate(world, expression.by, frame) if expression.by is not None else None

    def told(value: Value) -> None:
        if isinstance(value, Collection):
            value.rest.flow(found)
            if key is None and keys is not None:
                keys.use(lambda each: value.entry(each.value).flow(found) if isinstance(each, Constant) else None)
                world.keyed.append((keys, lambda: value.every(lambda _, each: each.flow(found))))
            elif key is None:
                value.every(lambda _, each: each.flow(found))
            else:
                value.entry(key).flow(found)
                if value.parents is not None and isinstance(key, str):
                    lookup(world, value, key, site, found.add)
        elif isinstance(key, str) and not isinstance(value, Constant | Promised):
            lookup(world, value, key, site, found.add)
        elif isinstance(value, Object | Declared):
            lookup(world, value, INDEXED, site, lambda each: world.apply(each, (), site, found.add))

    of.use(told)
    return found


def _call(world: World, expression: Call, frame: Frame) -> Variable:
    found = Variable(world.work)
    _made(world, expression, frame, found.add)
    return found


def _made(world: World, expression: Call, frame: Frame, told: Told) -> None:
    """Make a call; tell what comes back."""
    called = expression.callee
    callee = _EVALUATORS[type(called)](world, called, frame)
    given = [_given(world, each, frame) for each in expression.arguments]
    how = _said(called, frame)
    site = Site(frame, expression.line, expression.column, how, expression.is_implied, None, True)
    if not site.is_implied and type(called) in NAMED:
        world.asked.append(Asked(site, called, callee))
    callee.use(partial(_applied, world, given, site, told, expression.is_new))


def _applied(world: World, given: Sequence[Given], site: Site, told: Told, is_new: bool, value: Value) -> None:
    caller = world.callers.get(type(value))
    if caller is not None:
        caller(world, value, given, site, told, is_new)


def _given(world: World, argument: Argument, frame: Frame) -> Given:
    value = argument.value
    if type(value) is Spread:
        return Given(evaluate(world, value.of, frame), argument.name, True, argument.declared)
    return Given(_EVALUATORS[type(value)](world, value, frame), argument.name, False, argument.declared)


def _said(callee: Expression, frame: Frame) -> str:
    """Return how a call is known where its form alone says it: through `super`, or through a variable."""
    kind = type(callee)
    if kind is Member:
        return "super" if type(callee.of) is Super else ""  # type: ignore[union-attr]
    if kind is Name:
        if frame.function is not None:
            name = callee.name  # type: ignore[union-attr]
            for parameter in frame.function.scope.parameters:
                if parameter.name == name:
                    return "value" if frame.find(name) is not None else ""
        return ""
    return "value" if kind in VARIABLE else ""


def _code(world: World, expression: Code, frame: Frame) -> Variable:
    return defined(world, (frame.path, expression.scope), frame)


def _table(world: World, expression: Table, frame: Frame) -> Variable:
    made = Collection(world.work, expression.kind)
    for entry in expression.entries:
        value = entry.value
        if isinstance(value, Spread):
            evaluate(world, value.of, frame).use(lambda each: _pour(world, each, made, frame))
        elif entry.key is None:
            evaluate(world, value, frame).flow(made.rest)
        else:
            evaluate(world, value, frame).flow(made.entry(entry.key))
    return Fixed(world.work, made)


def _pour(world: World, source: Value, target: Collection, frame: Frame) -> None:
    """Add all entries of one table to another; positions are lost, names are kept."""
    if isinstance(source, Collection):
        source.rest.flow(target.rest)
        source.every(lambda key, each: each.flow(target.entry(key) if isinstance(key, str) else target.rest))
    else:
        iterate(world, source, Site(frame), target.rest.add)


def _text(world: World, expression: Text, frame: Frame) -> Variable:
    return world.text(expression.value)


def _either(world: World, expression: Either, frame: Frame) -> Variable:
    found = world.variable()
    for option in expression.options:
        evaluate(world, option, frame).flow(found)
    return found


def _this(world: World, expression: This, frame: Frame) -> Variable:
    function = frame.function
    while function is not None and ARROW in function.scope.marks:
        around = function.frame.parent
        function = around.function if around else None
        frame = around or frame
    if function is not None and (frame.scope.kind not in ("class", "interface") or function.frame is frame):
        return function.this
    return world.fixed(frame.owner.instance) if frame.owner is not None else world.nothing


def _super(world: World, expression: Super, frame: Frame) -> Variable:
    found, owner = world.variable(), frame.owner
    function = frame.function
    while function is not None and function.owner is None and function.frame.parent is not None:
        function = function.frame.parent.function
    if owner is None:
        return found
    receivers = world.receivers(function) if function is not None else _this(world, This(), frame)
    receivers.use(lambda value: found.add(world.heritage(owner, value)))
    return found


def _instance(world: World, expression: Instance, frame: Frame) -> Variable:
    found = world.variable()
    world.declared.append((found, evaluate(world, expression.of, frame)))
    return found


def _elements(world: World, expression: Elements, frame: Frame) -> Variable:
    found, site = world.variable(), Site(frame, is_implied=True)
    evaluate(world, expression.of, frame).use(lambda value: iterate(world, value, site, found.add))
    return found


def iterate(world: World, value: Value, site: Site, told: Told) -> None:
    """Tell what iterating over a value yields: of a table what has a position or no known key."""
    if isinstance(value, Collection) and value.kind != "dict":
        value.rest.use(told)
        value.every(lambda key, each: each.use(told) if isinstance(key, int) else None)
    if isinstance(value, Object | Declared) or (isinstance(value, Collection) and value.kind == OBJECT):
        step = once(lambda iterator: _step(world, iterator, site, told))
        for name in ITERATED:
            lookup(world, value, name, site, lambda each: world.apply(each, (), site, step))


def _step(world: World, iterator: Value, site: Site, told: Told) -> None:
    """Tell what comes out of an iterator: by itself, or as the `value` of what its next step gives."""
    if isinstance(iterator, Collection) and iterator.kind != OBJECT:
        iterate(world, iterator, site, told)
        return
    lookup(world, iterator, STEPPED, site, lambda each: world.apply(each, (), site, told))
    result = once(lambda found: lookup(world, found, RESULT, site, told))
    lookup(world, iterator, NEXT, site, lambda each: world.apply(each, (), site, result))


def _spread(world: World, expression: Spread, frame: Frame) -> Variable:
    return evaluate(world, expression.of, frame)


def _opaque(world: World, expression: Opaque, frame: Frame) -> Variable:
    for part in expression.parts:
        do(world, part, frame)
    return world.nothing


def _awaited(world: World, expression: Awaited, frame: Frame) -> Variable:
    found = world.variable()

    def told(value: Value) -> None:
        if isinstance(value, Promised):
            value.of.use(heard)
        else:
            found.add(value)

    heard = once(told)  # a function that awaits itself promises its own promise
    evaluate(world, expression.of, frame).use(heard)
    return found


def _cast(world: World, expression: Cast, frame: Frame) -> Variable:
    found, to = world.variable(), evaluate(world, expression.to, frame)

    def told(value: Value) -> None:
        of = value.of if isinstance(value, Object | Declared) else None
        wanted = [each for each in to.values if isinstance(each, Class)]
        if isinstance(value, External) and to.values:
            return  # what it is declared to be says more
        if isinstance(value, Collection) and wanted and all(each.scope.kind == "class" for each in wanted):
            return  # a table may do for an interface, but is no object of a class
        if not isinstance(of, Class) or not wanted or any(derives(of, each) for each in wanted):
            found.add(value)

    evaluate(world, expression.of, frame).use(told)
    to.use(lambda value: found.add(value) if isinstance(value, External) else None)
    world.declared.append((found, to))
    return found


_EVALUATORS: dict[type, Callable[..., Variable]] = {
    Name: _name,
    Member: _member,
    Item: _item,
    Call: _call,
    Code: _code,
    Table: _table,
    Text: _text,
    Either: _either,
    This: _this,
    Super: _super,
    Instance: _instance,
    Elements: _elements,
    Spread: _spread,
    Opaque: _opaque,
    Awaited: _awaited,
    Cast: _cast,
}
