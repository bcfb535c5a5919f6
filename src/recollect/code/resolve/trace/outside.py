"""Outside: what JavaScript's own objects do with values, as far as functions go through them.

A row is a name and what it does: `array.map` calls its first argument with the elements and gives an array of what that
returned. Whatever has no row gives nothing that can be called, except what comes from outside, which nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.resolve.trace.thing import (
    NONE,
    Bound,
    Closure,
    Constant,
    Native,
    Thing,
    Unknown,
    Values,
    union,
)

if TYPE_CHECKING:
    from recollect.code.resolve.program import Key
    from recollect.code.resolve.trace.run import Run
    from recollect.code.resolve.trace.thing import Site

Arguments = tuple[Values, ...]
Does = Callable[["Run", Values, Arguments, "Site | None"], Values]


def named(run: Run, name: str) -> Values:
    """Return what a name means that no file declares."""
    found = run.globals.get(name)
    if found is None:
        known = name in OBJECTS or f".{name}" in ROWS
        found = run.globals[name] = (Native(name),) if known else NONE if name == "undefined" else (run.unknown,)
    return found


def module(run: Run, name: str, what: str | None) -> Values:
    """Return what a module of others offers."""
    if name.removeprefix("node:") == "util":
        return named(run, "util") if what is None or what == "default" else (Native(f"util.{what}"),)
    return (run.unknown,)


def member(run: Run, of: Thing, key: Key) -> Values:
    """Return a property that a value has by what it is."""
    if isinstance(of, Native):
        return (Native(f"{of.name}.{key}"),) if f"{of.name}.{key}" in ROWS or of.name in OBJECTS else NONE
    if isinstance(of, Closure | Bound) and f"function.{key}" in ROWS:
        return (Native(f"function.{key}", (of,)),)
    if f"{of.kind}.{key}" in ROWS:
        return (Native(f"{of.kind}.{key}", (of,)),)
    return NONE


def call(run: Run, callee: Native, this: Values, given: Arguments, site: Site | None) -> Values:
    """Return what calling something of the language gives."""
    does = ROWS.get(callee.name) or ROWS.get(f".{callee.name}")
    if does is None:
        return NONE
    return does(run, callee.receiver or this, given, site)


def promise(values: Values) -> Thing:
    """Return a promise of values."""
    made = Thing("promise")
    made.any = union([awaited(value) for value in values])
    return made


def awaited(value: Thing) -> Values:
    """Return what awaiting a value gives."""
    return value.any if value.kind == "promise" else (value,)


def _array(values: Values = NONE) -> Thing:
    made = Thing("array")
    made.any = values
    return made


def _argument(given: Arguments, place: int) -> Values:
    return given[place] if place < len(given) else NONE


def _calls(run: Run, functions: Values, this: Values, given: Arguments, site: Site | None) -> Values:
    """Return what calling functions gives: any number of times, so nothing they do is certain."""
    run.weak += 1
    found = union([run.apply(each, this, given, site) for each in functions])
    run.weak -= 1
    return found


def _elements(run: Run, this: Values, site: Site | None = None) -> Values:
    return union([run.elements(each, None) for each in this])


# --- functions --------------------------------------------------------------------------------------------------------


def _call(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return union([run.apply(each, _argument(given, 0), given[1:], site) for each in this])


def _apply(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    lists = _argument(given, 1)
    last = max([key for each in lists for key in each.properties if isinstance(key, int)], default=-1)
    spread = [union([run.elements(each, None, place) for each in lists]) for place in range(last + 1)]
    spread = spread or [_elements(run, lists)]
    return union([run.apply(each, _argument(given, 0), tuple(spread), site) for each in this])


def _bind(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return tuple([Bound(each, _argument(given, 0), given[1:]) for each in this])


# --- arrays -----------------------------------------------------------------------------------------------------------


def _each(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return _calls(run, _argument(given, 0), _argument(given, 1), (_elements(run, this), NONE, this), site)


def _map(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return (_array(_each(run, this, given, site)),)


def _flat_map(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    found = _each(run, this, given, site)
    return (_array(union([_elements(run, (each,)) or (each,) for each in found])),)


def _kept(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    _each(run, this, given, site)
    return (_array(_elements(run, this)),)


def _found(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    _each(run, this, given, site)
    return _elements(run, this)


def _nothing(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    _each(run, this, given, site)
    return NONE


def _reduce(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    elements = _elements(run, this)
    before = union([_argument(given, 1), elements if len(given) < 2 else NONE])
    once = _calls(run, _argument(given, 0), NONE, (before, elements, NONE, this), site)
    again = _calls(run, _argument(given, 0), NONE, (once, elements, NONE, this), site)
    return union([before, once, again])


def _push(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    for owner in this:
        places = [key for key in owner.properties if isinstance(key, int)]
        if owner.any or run.weak or len(this) > 1:
            owner.any = union([owner.any, *given])
        else:
            for place, values in enumerate(given, max(places, default=-1) + 1):
                owner.properties[place] = values
    return NONE


def _insert(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    for owner in this:
        owner.any = union([owner.any, _elements(run, (owner,)), *given])
        owner.properties = {key: values for key, values in owner.properties.items() if not isinstance(key, int)}
    return NONE


def _splice(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    before = _elements(run, this)
    _insert(run, this, given[2:], site)
    return (_array(before),)


def _all(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return _elements(run, this)


def _slice(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    first = _argument(given, 0)
    start = first[0].value if len(first) == 1 and isinstance(first[0], Constant) else 0 if not given else None
    if not isinstance(start, int) or len(this) != 1 or this[0].any or (len(given) > 1 and not _whole(given[1])):
        return (_array(_elements(run, this)),)
    made = Thing("array")
    places = [key for key in this[0].properties if isinstance(key, int)]
    end = given[1][0].value if len(given) > 1 and isinstance(given[1][0], Constant) else len(places)
    for place in places:
        if isinstance(end, int) and start <= place < end:
            made.properties[place - start] = this[0].properties[place]
    return (made,)


def _whole(values: Values) -> bool:
    return len(values) == 1 and isinstance(values[0], Constant) and isinstance(values[0].value, int)


def _concat(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    others = [_elements(run, (each,)) or (each,) for values in given for each in values]
    return (_array(union([_elements(run, this), *others])),)


def _copy(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return this


def _from(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    elements = _elements(run, _argument(given, 0))
    if len(given) < 2:
        return (_array(elements),)
    return (_array(_calls(run, given[1], _argument(given, 2), (elements,), site)),)


def _of(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    made = Thing("array")
    made.properties = dict(enumerate(given))
    return (made,)


def _sort(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    elements = _elements(run, this)
    _calls(run, _argument(given, 0), NONE, (elements, elements), site)
    return this


# --- objects ----------------------------------------------------------------------------------------------------------


def _assign(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    targets = _argument(given, 0)
    for values in given[1:]:
        for source in values:
            if source.kind == "prototype" or isinstance(source, Unknown):  # methods of a class are not enumerable
                continue
            for target in targets:
                for key, found in source.properties.items():
                    if len(targets) == len(values) == 1 and not run.weak:
                        target.properties[key] = found
                    else:
                        target.properties[key] = union([target.properties.get(key, NONE), found])
                target.any = union([target.any, source.any])
    return targets


def _create(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return (Thing("object", _argument(given, 0)),)


def _inherit(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    for target in _argument(given, 0):
        target.parents = _argument(given, 1)
    return _argument(given, 0)


def _inherits(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    above = union([run.read(each, "prototype", None) for each in _argument(given, 1)])
    for function in _argument(given, 0):
        for prototype in run.read(function, "prototype", None):
            prototype.parents = above
    return NONE


def _values(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return (_array(union([run.every(each) for each in _argument(given, 0)])),)


def _entries(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    pairs: list[Thing] = []
    for each in _argument(given, 0) or this:
        for key, found in [*each.properties.items(), (None, each.any)]:
            pair = Thing("array")
            pair.properties = {0: (Constant(key),) if key is not None else NONE, 1: found}
            pairs.append(pair)
    return (_array(tuple(pairs)),)


def _define(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    """Object.defineProperty(o, "k", { value, get })."""
    for target in _argument(given, 0):
        for name in _argument(given, 1):
            if isinstance(name, Constant):
                for row in _argument(given, 2):
                    found = union([row.properties.get("value", NONE), _got(run, row, target, site)])
                    target.properties[name.value] = found
    return _argument(given, 0)


def _got(run: Run, row: Thing, target: Thing, site: Site | None) -> Values:
    getters = row.properties.get("get", NONE)
    return union([run.apply(each, (target,), (), None) for each in getters])


def _itself(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return _argument(given, 0)


def _own_prototype(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return union([each.parents for each in _argument(given, 0)])


# --- promises ---------------------------------------------------------------------------------------------------------


def _then(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    settled = union([awaited(each) for each in this])
    found = _calls(run, _argument(given, 0), NONE, (settled,), site)
    failed = _calls(run, _argument(given, 1), NONE, (), site)
    return (promise(union([found, failed])),)


def _catch(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    failed = _calls(run, _argument(given, 0), NONE, (), site)
    return (promise(union([failed, *[awaited(each) for each in this]])),)


def _finally(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    _calls(run, _argument(given, 0), NONE, (), site)
    return this


def _new_promise(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    made = Thing("promise")
    resolve = Native("resolve!", (made,))
    _calls(run, _argument(given, 0), NONE, ((resolve,), (Native("reject!"),)), site)
    return (made,)


def _resolve(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    for made in this:
        made.any = union([made.any, *[awaited(each) for each in _argument(given, 0)]])
    return NONE


def _resolved(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return (promise(_argument(given, 0)),)


def _together(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    made = Thing("array")
    for each in _argument(given, 0):
        made.any = union([made.any, *[awaited(value) for value in each.any]])
        for key, values in each.properties.items():
            made.properties[key] = union([awaited(value) for value in values])
    return (promise((made,)),)


def _first(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return (promise(_elements(run, _argument(given, 0))),)


# --- maps, sets, generators -------------------------------------------------------------------------------------------


def _new(kind: str) -> Does:
    def does(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
        made = Thing(kind)
        elements = _elements(run, _argument(given, 0))
        made.any = elements if kind == "set" else union([run.read(each, 1, None) for each in elements])
        return (made,)

    return does


def _set(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    names = _argument(given, 0)
    for owner in this:
        if len(names) == 1 and isinstance(names[0], Constant):
            key = names[0].value
            is_sure = len(this) == 1 and not run.weak
            owner.properties[key] = union([NONE if is_sure else owner.properties.get(key, NONE), _argument(given, 1)])
        else:
            owner.any = union([owner.any, _argument(given, 1)])
    return this


def _get(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    names = _argument(given, 0)
    found: list[Values] = []
    for owner in this:
        if len(names) == 1 and isinstance(names[0], Constant):
            found += [owner.properties.get(names[0].value, NONE), owner.any]
        else:
            found.append(run.every(owner))
    return union(found)


def _add(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    for owner in this:
        owner.any = union([owner.any, *given])
    return this


def _for_each_value(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return _calls(run, _argument(given, 0), NONE, (union([run.every(each) for each in this]), NONE, this), site)


def _all_values(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    return (_array(union([run.every(each) for each in this])),)


def _next(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    made = Thing()
    made.properties["value"] = union([each.any for each in this])
    return (made,)


# --- the rest ---------------------------------------------------------------------------------------------------------


def _later(run: Run, this: Values, given: Arguments, site: Site | None) -> Values:
    """setTimeout(f, ms, …arguments)."""
    return _calls(run, _argument(given, 0), NONE, given[2:], site)


OBJECTS = frozenset(
    "Object Array Promise Reflect Map Set WeakMap Function Number String Math JSON console util".split()
)

ROWS: dict[str, Does] = {
    "function.call": _call,
    "function.apply": _apply,
    "function.bind": _bind,
    **{f"array.{name}": _found for name in ("find", "findLast")},
    **{f"array.{name}": _nothing for name in ("forEach", "some", "every", "findIndex", "findLastIndex")},
    **{f"array.{name}": _all for name in ("pop", "shift", "at")},
    **{f"array.{name}": _copy for name in ("reverse", "flat", "fill", "values", "toReversed")},
    **{f"array.{name}": _reduce for name in ("reduce", "reduceRight")},
    "array.map": _map,
    "array.flatMap": _flat_map,
    "array.filter": _kept,
    "array.push": _push,
    "array.unshift": _insert,
    "array.splice": _splice,
    "array.slice": _slice,
    "array.concat": _concat,
    "array.sort": _sort,
    "array.entries": _entries,
    "Array.from": _from,
    "Array.of": _of,
    "Object.assign": _assign,
    "Object.create": _create,
    "Object.setPrototypeOf": _inherit,
    "Reflect.setPrototypeOf": _inherit,
    "Object.getPrototypeOf": _own_prototype,
    "Object.values": _values,
    "Object.entries": _entries,
    "Object.fromEntries": _values,
    "Object.freeze": _itself,
    "Object.seal": _itself,
    "Object.defineProperty": _define,
    "util.inherits": _inherits,
    "util.promisify": _itself,
    "promise.then": _then,
    "promise.catch": _catch,
    "promise.finally": _finally,
    "Promise.resolve": _resolved,
    **{f"Promise.{name}": _together for name in ("all", "allSettled")},
    **{f"Promise.{name}": _first for name in ("race", "any")},
    ".Promise": _new_promise,
    "resolve!": _resolve,
    **{f".{name}": _new("map") for name in ("Map", "WeakMap")},
    **{f".{name}": _new("set") for name in ("Set", "WeakSet")},
    "map.set": _set,
    "map.get": _get,
    "map.forEach": _for_each_value,
    "map.values": _all_values,
    "set.add": _add,
    "set.forEach": _for_each_value,
    "set.values": _all_values,
    "generator.next": _next,
    "generator.return": _next,
    **{f".{name}": _later for name in ("setTimeout", "setInterval", "setImmediate", "queueMicrotask")},
    "process.nextTick": _later,
}
