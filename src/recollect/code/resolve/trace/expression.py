"""Expression: what each kind of expression is worth in a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recollect.code.resolve import program as p
from recollect.code.resolve.trace import outside
from recollect.code.resolve.trace.thing import (
    NONE,
    Class,
    Closure,
    Constant,
    Context,
    Names,
    Site,
    Thing,
    Values,
    keys,
    put,
    union,
)

if TYPE_CHECKING:
    from recollect.code.resolve.trace.run import Run


def above(run: Run, context: Context) -> Values:
    """Return what `super` means: what the home of the method inherits from."""
    return context.home.parents if context.home is not None else NONE


def code(run: Run, context: Context, place: int) -> Closure:
    """Return a function or class where it is defined."""
    path = context.place[0]
    scope = run.units[path].scopes[place]
    if scope.kind == "function":
        is_arrow = "arrow" in scope.marks
        made = Closure((path, place), scope, context.names, context.this if is_arrow else NONE, context.home)
        made.properties["prototype"] = (Thing(),)
        return made
    return class_(run, context, scope, place)


def class_(run: Run, context: Context, scope: p.Scope, place: int) -> Class:
    path = context.place[0]
    made = Class((path, place), scope, context.names, context.this)
    known = known_class(run, context, made)
    if known is not None:
        return known
    made.bases = union([run.value(context, base) for base in scope.bases])
    made.parents = made.bases
    prototype = Thing("prototype", union([run.read(base, "prototype", None) for base in made.bases]))
    made.properties["prototype"] = (prototype,)
    prototype.properties["constructor"] = (made,)
    run.places.add((path, place))
    inner = Context((path, place), Names(context.names), (prototype,), prototype, [], [])
    for statement in scope.body:
        if isinstance(statement, p.Assign) and isinstance(statement.target, p.Name):
            define(run, inner, made, prototype, statement.target.name, run.value(inner, statement.value))
        else:
            run.statement(inner, statement, is_weak=False)
    return made


def known_class(run: Run, context: Context, made: Class) -> Class | None:
    """Return a class that was made already in the same call of the function around."""
    key = f"%class{made.place[1]}"
    found = context.names.known.get(key)
    if found:
        first = found[0]
        return first if isinstance(first, Class) else None
    context.names.known[key] = (made,)
    return None


def define(run: Run, context: Context, made: Class, prototype: Thing, name: str, values: Values) -> None:
    """Put a member of a class where it belongs."""
    for value in values:
        if isinstance(value, Closure) and value.kind == "function" and "arrow" not in value.scope.marks:
            value.home = made if "static" in value.scope.marks else prototype
            if "constructor" in value.scope.marks:
                made.properties["%constructor"] = (value,)
            elif "static" in value.scope.marks:
                put(made, name, (value,))
            elif name in prototype.properties and "setter" in value.scope.marks:
                put(prototype, name, (value,))
            else:
                prototype.properties[name] = (value,)
        else:
            put(prototype, name, (value,))
            put(made, name, (value,))


def table(run: Run, context: Context, entries: tuple[p.Entry, ...]) -> Thing:
    is_array = all(isinstance(entry.key, int) or isinstance(entry.value, p.Spread) for entry in entries)
    made = Thing("array" if is_array else "object", NONE)
    for entry in entries:
        found = run.value(context, entry.value)
        if isinstance(entry.value, p.Spread):
            spread(run, made, found)
        elif entry.key is None:
            made.any = union([made.any, found])
        else:
            made.properties[entry.key] = found
        for value in found:
            if isinstance(value, Closure) and value.kind == "function" and value.home is None:
                value.home = made
    return made


def spread(run: Run, made: Thing, values: Values) -> None:
    """Put all entries of values into a table."""
    for value in values:
        if value.kind in ("array", "object", "module"):
            for key, found in value.properties.items():
                if isinstance(key, int) and made.kind == "array":
                    made.any = union([made.any, found])
                elif key != "%path":
                    made.properties[key] = found
            made.any = union([made.any, value.any])
        else:
            made.any = union([made.any, run.elements(value, None)])


def _name(run: Run, context: Context, expression: p.Name) -> Values:
    found = context.names.find(expression.name)
    return found if found is not None else outside.named(run, expression.name)


def _member(run: Run, context: Context, expression: p.Member) -> Values:
    site = Site(context.place, expression.line, 0)
    return union([run.read(each, expression.name, site) for each in run.value(context, expression.of)])


def _item(run: Run, context: Context, expression: p.Item) -> Values:
    by = run.value(context, expression.by) if expression.by is not None else NONE
    wanted = [expression.key] if expression.key is not None else keys(by)
    return union([run.read(each, one, None) for each in run.value(context, expression.of) for one in wanted])


def _either(run: Run, context: Context, expression: p.Either | p.Opaque) -> Values:
    parts = expression.options if isinstance(expression, p.Either) else expression.parts
    run.weak += 1
    found = union([run.value(context, part) for part in parts])
    run.weak -= 1
    return found if isinstance(expression, p.Either) else NONE


def _elements(run: Run, context: Context, expression: p.Elements) -> Values:
    site = Site(context.place, 0, 0)
    return union([run.elements(each, site) for each in run.value(context, expression.of)])


READINGS: dict[type, Callable[[Run, Context, Any], Values]] = {
    p.Name: _name,
    p.Member: _member,
    p.Item: _item,
    p.Call: lambda run, context, expression: run.call(context, expression),
    p.Code: lambda run, context, expression: (code(run, context, expression.scope),),
    p.Table: lambda run, context, expression: (table(run, context, expression.entries),),
    p.Text: lambda run, context, expression: (Constant(expression.value),),
    p.Either: _either,
    p.Opaque: _either,
    p.This: lambda run, context, expression: context.this,
    p.Super: lambda run, context, expression: above(run, context),
    p.Elements: _elements,
    p.Awaited: lambda run, context, expression: union(
        [outside.awaited(each) for each in run.value(context, expression.of)]
    ),
    p.Cast: lambda run, context, expression: run.value(context, expression.of),
    p.Spread: lambda run, context, expression: run.value(context, expression.of),
}
