"""Execute: statements of a program as flow between variables: what targets hold, what files bring in and offer."""

from __future__ import annotations

from collections.abc import Callable

from recollect.code.resolve.evaluate import do, evaluate, iterate
from recollect.code.resolve.frame import STAR, Frame
from recollect.code.resolve.members import add_member, lookup, of_file
from recollect.code.resolve.program import (
    Assign,
    Do,
    Export,
    Expression,
    Import,
    Instance,
    Item,
    Member,
    Name,
    Return,
    Spread,
    Statement,
    Table,
    Use,
    Yield,
)
from recollect.code.resolve.values import (
    Bound,
    Class,
    Collection,
    Constant,
    Declared,
    External,
    Function,
    Module,
    Object,
    Promised,
    Value,
    Variable,
    ignore,
)
from recollect.code.resolve.world import Given, Site, World


def assign(world: World, target: Expression, value: Variable, frame: Frame) -> None:
    """Let a target hold what a variable holds."""
    if isinstance(target, Name):
        found = frame.find(target.name)
        value.flow(found if found is not None else frame.module.name(target.name))
    elif isinstance(target, Member):
        at(world, target, frame, value.flow)
    elif isinstance(target, Item):
        _assign_item(world, target, value, frame)
    elif isinstance(target, Table):
        _take_apart(world, target, value, frame)
    elif isinstance(target, Spread):
        assign(world, target.of, value, frame)
    else:
        evaluate(world, target, frame)


def at(world: World, target: Member, frame: Frame, told: Callable[[Variable], None]) -> None:
    """Tell the variables that a member as a target means."""
    name, site = target.name, Site(frame, target.line)

    def on(value: Value) -> None:
        if isinstance(value, Class):
            told(add_member(world, value, name))
        elif isinstance(value, Bound):
            told(world.field(value.function, name))
        elif isinstance(value, Module):
            module = world.frames.get((value.path, 0))
            if module is not None:
                told(module.name(name))
        elif not isinstance(value, External | Constant | Promised | Declared):
            if isinstance(value, Function) and name == "prototype":
                world.prototype(value)
            told(world.field(value, name))
            if isinstance(value, Object) and isinstance(value.of, Class):
                _set(world, value, name, site, told)

    evaluate(world, target.of, frame).use(on)


def _set(world: World, value: Object, name: str, site: Site, told: Callable[[Variable], None]) -> None:
    """Call the setter of a property that is assigned to."""
    of = value.of
    if not isinstance(of, Class):
        return
    for each in of.order:
        if name in each.frame.names:

            def setter(found: Value) -> None:
                if isinstance(found, Function) and "setter" in found.scope.marks:
                    passed = world.variable()
                    told(passed)
                    world.apply(world.bind(found, value), [Given(passed)], site.found("property"), ignore)

            each.frame.names[name].use(setter)
            return


def _assign_item(world: World, target: Item, value: Variable, frame: Frame) -> None:
    key, site = target.key, Site(frame)

    def on(of: Value) -> None:
        if isinstance(of, Collection):
            value.flow(of.rest if key is None else of.entry(key))
        elif isinstance(of, Class) and isinstance(key, str):
            value.flow(add_member(world, of, key))
        elif isinstance(key, str) and isinstance(of, Object | Function):
            value.flow(world.field(of, key))
        elif isinstance(of, Object):
            lookup(world, of, "__setitem__", site, lambda each: world.apply(each, (), site, ignore))

    evaluate(world, target.of, frame).use(on)


def _take_apart(world: World, target: Table, value: Variable, frame: Frame) -> None:
    """Let the parts of a pattern hold the entries of a table, or the members of whatever else it is."""
    site = Site(frame)
    for entry in target.entries:
        part, key = world.variable(), entry.key
        rest = isinstance(entry.value, Spread)

        def on(of: Value, part: Variable = part, key: str | int | None = key, rest: bool = rest) -> None:
            if isinstance(of, Collection) and not rest:
                of.rest.flow(part)
                if key is None:
                    of.every(lambda _, each: each.flow(part))
                else:
                    of.entry(key).flow(part)
            elif rest:
                part.add(of)
            elif isinstance(key, str):
                lookup(world, of, key, site, part.add)
            else:
                iterate(world, of, site, part.add)

        value.use(on)
        assign(world, entry.value, part, frame)


# --- statements ---


def run(world: World, frame: Frame, wanted: Callable[[Statement], bool] | None = None) -> None:
    """Evaluate the body of a scope; `wanted` selects statements, default: all."""
    for statement in frame.scope.body:
        if wanted is None or wanted(statement):
            _EXECUTORS[type(statement)](world, statement, frame)


def _assign(world: World, statement: Assign, frame: Frame) -> None:
    if type(statement.value) is Instance:
        _declare(world, statement.target, evaluate(world, statement.value.of, frame), frame)
    else:
        assign(world, statement.target, evaluate(world, statement.value, frame), frame)


def _do(world: World, statement: Do, frame: Frame) -> None:
    do(world, statement.value, frame)


def _give_back(world: World, statement: Return | Yield, frame: Frame) -> None:
    value, function = evaluate(world, statement.value, frame), frame.function
    if function is not None and not _is_given_back(statement, function):
        value.flow(function.returns if isinstance(statement, Return) else function.yields)


def _export(world: World, statement: Export, frame: Frame) -> None:
    evaluate(world, statement.value, frame).flow(frame.module.exports[statement.name])


def _use(world: World, statement: Use, frame: Frame) -> None:
    world.uses.append((Site(frame, statement.line), evaluate(world, statement.value, frame)))


def _is_given_back(statement: Return | Yield, function: Function) -> bool:
    """Tell whether a parameter is returned as it is: whoever calls gets what it gave, see `calls.enter`."""
    value = statement.value
    return isinstance(statement, Return) and isinstance(value, Name) and value.name in function.shape.returned


def _declare(world: World, target: Expression, declared: Variable, frame: Frame) -> None:
    """Let a target hold an instance of its declared type if nothing better becomes known."""
    if isinstance(target, Member):
        at(world, target, frame, lambda variable: world.declared.append((variable, declared)))
    elif isinstance(target, Name):
        found = frame.find(target.name) or frame.module.name(target.name)
        world.declared.append((found, declared))
    else:
        held = world.variable()
        world.declared.append((held, declared))
        assign(world, target, held, frame)


def bring_in(world: World, imported: Import, frame: Frame) -> None:
    """Let a name hold what is imported; what a star brings is looked through when a name is asked for."""
    paths = world.modules.find(frame.path, imported.module, imported.level)
    world.imports.append((frame.path, imported, paths))
    name = imported.alias or imported.name
    if not name or (imported.name == STAR and not (imported.is_export and imported.alias)):
        return
    target = frame.module.exports[name] if imported.is_export else frame.name(name)
    if imported.name is not None and imported.name != STAR:
        _bring_name(world, imported, frame, target, paths)
    elif not imported.is_whole:
        _bring_path(world, imported, frame, target, paths)
    elif paths:
        for path in paths:
            target.add(world.module(path))
    else:
        target.add(world.external(imported.module))


def _bring_name(world: World, imported: Import, frame: Frame, target: Variable, paths: tuple[str, ...]) -> None:
    """`from a import b`: what a offers as b, or else the module a.b."""
    site, name = Site(frame, imported.line), imported.name or ""
    offered = [of_file(world, path, name, site, target.add) for path in paths]
    if any(offered):
        return
    joined = f"{imported.module}.{name}" if imported.module else name
    below = world.modules.find(frame.path, joined, imported.level)
    for path in below:
        target.add(world.module(path))
    if not below and not paths:
        target.add(world.external(joined))


def _bring_path(world: World, imported: Import, frame: Frame, target: Variable, paths: tuple[str, ...]) -> None:
    """`import a.b.c` binds a, through which b and c are found."""
    parts = imported.module.split(".")
    top = world.modules.find(frame.path, parts[0], imported.level)
    for path in top:
        target.add(world.module(path))
    if not top and not paths:
        target.add(world.external(parts[0]))
        return
    if not top:  # folders that are no packages
        within = world.collection((frame.module, parts[0]))
        target.add(within)
        for part in parts[1:-1]:
            below = world.collection((within, part))
            within.entry(part).add(below)
            within = below
        for path in paths:
            within.entry(parts[-1]).add(world.module(path))


_EXECUTORS: dict[type, Callable[..., None]] = {
    Assign: _assign,
    Do: _do,
    Return: _give_back,
    Yield: _give_back,
    Import: bring_in,
    Export: _export,
    Use: _use,
}
