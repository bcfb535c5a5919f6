"""Decorate: what a function or class is after its decorators.

    @traced        def f      f is what `traced` gives back: most often a function around it
    @sealed        class C    C stays that class, whatever else its decorator can give back

A decorator is one function for all that it ever decorates, so it seems to give back all of it. A function that goes by
what it was given (`@sealed` and `@sealed(deep=True)` are often one function) seems to give back all of its ways. Of a
class most of that is known to be wrong: nearly every decorator of classes gives back the class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.resolve.program import Assign, Call, Code, Name, Return
from recollect.code.resolve.values import Bound, Class, Function, Object, Overloaded
from recollect.code.resolve.world import Asked, Given, Site

if TYPE_CHECKING:
    from recollect.code.resolve.frame import Frame
    from recollect.code.resolve.members import Told
    from recollect.code.resolve.program import Expression
    from recollect.code.resolve.values import Value, Variable
    from recollect.code.resolve.world import Place, World


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
