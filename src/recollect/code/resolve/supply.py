"""Supply: what a function of a library does with what it is given, by its row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.code.resolve.library import (
    BUILTIN,
    CALLBACKS,
    EVERY,
    EXTERNALS,
    MADE,
    METHODS,
    OBJECT,
    RESULTS,
    TYPES,
    Row,
)
from recollect.code.resolve.members import Told, add_member, derive, lookup
from recollect.code.resolve.values import (
    Bound,
    Class,
    Collection,
    Constant,
    External,
    Function,
    Known,
    Object,
    Overloaded,
    Promised,
    Value,
    Variable,
)
from recollect.code.resolve.world import Given, Site, World

CALLABLE = (Function, Bound, Overloaded, Class, Known)


def supply(world: World, value: External, given: Sequence[Given], site: Site, told: Told) -> None:
    """Do what a function outside the program does."""
    plain = value.name.replace(MADE, "")
    row = EXTERNALS.get(plain)
    if row is not None:
        _carry_out(world, row, None, given, site, told)
        return
    _, _, name = plain.rpartition(".")
    if plain.startswith(BUILTIN):
        made = RESULTS.get(name)
        if made is not None and plain.count(".") == 1:
            told(world.external(f"{BUILTIN}.{made}{MADE}"))
        return
    if name in CALLBACKS:
        _call(world, Row((EVERY,)), None, given, site, world.variable())
    told(world.unknown if MADE in value.name or value is world.unknown else world.external(value.name + MADE))


def supply_known(world: World, value: Known, given: Sequence[Given], site: Site, told: Told) -> None:
    """Do what a method of the language's library does."""
    receiver = value.receiver
    if isinstance(receiver, Collection):
        if receiver.kind in TYPES:
            world.call(site, f"{BUILTIN}.{receiver.kind}.{value.name}", "external")
        _carry_out(world, METHODS["collection"][value.name], receiver, given, site, told)
    elif isinstance(receiver, Promised):
        _carry_out(world, METHODS["promise"][value.name], receiver, given, site, told)
    else:
        _of_function(world, value.name, receiver, given, site, told)


def _of_function(world: World, name: str, function: Value, given: Sequence[Given], site: Site, told: Told) -> None:
    """`f.call(this, …)`, `f.apply(this, […])`, `f.bind(this)`."""
    plain = function.function if isinstance(function, Bound) else function
    receivers = given[0].value if given else world.variable()
    rest = list(given[1:])
    if name == "apply" and rest:
        rest = [Given(rest[0].value, is_spread=True)]
    if name == "bind":
        receivers.use(lambda receiver: told(world.bind(plain, receiver)))
        if not receivers.values:
            told(plain)
        return
    seen: set[Value] = set()

    def call(receiver: Value) -> None:
        if receiver not in seen:
            seen.add(receiver)
            world.apply(world.bind(plain, receiver), rest, site, told)

    receivers.use(call)
    if not receivers.values:
        world.apply(plain, rest, site, told)


def _carry_out(world: World, row: Row, receiver: Value | None, given: Sequence[Given], site: Site, told: Told) -> None:
    returned = world.variable()
    if row.calls:
        _call(world, row, receiver, given, site, returned, told)
    if isinstance(receiver, Collection):
        _put(row, receiver, given)
    giver = _GIVERS.get(row.gives)
    if giver is not None:
        giver(world, receiver, given, site, returned, told, row)


def _put(row: Row, receiver: Collection, given: Sequence[Given]) -> None:
    for place in row.puts:
        if place == EVERY:
            for each in given:
                each.value.flow(receiver.rest)
        elif place < EVERY:
            for each in given:
                each.value.use(lambda value: _elements(value, receiver.rest))
        elif place < len(given):
            key = _key(given, row.key)
            given[place].value.flow(receiver.rest if key is None else receiver.entry(key))


def _key(given: Sequence[Given], place: int | None) -> str | int | None:
    if place is None or place >= len(given):
        return None
    return next((value.value for value in given[place].value.values if isinstance(value, Constant)), None)


def _elements(value: Value, target: Variable) -> None:
    """Let a variable hold the elements of a table; those of a dictionary are its values here."""
    if isinstance(value, Collection):
        value.rest.flow(target)
        value.every(lambda _, each: each.flow(target))


def _call(
    world: World, row: Row, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable,
    told: Told | None = None,
) -> None:  # fmt: skip
    """Call the arguments that the row says are called."""
    called = list(_called(row, given))
    passed = _passed(world, row, receiver, [each for each in given if each not in called], returned, told)
    for each in called:
        seen: set[Value] = set()

        def call(value: Value, seen: set[Value] = seen) -> None:
            if value not in seen and isinstance(value, CALLABLE):
                seen.add(value)
                world.apply(value, passed, site._replace(how="callback"), returned.add)

        each.value.use(call)


def _called(row: Row, given: Sequence[Given]) -> Iterator[Given]:
    for place, each in enumerate(given):
        if each.name is not None:
            if each.name in row.calls:
                yield each
        elif EVERY in row.calls or place in row.calls:
            yield each


def _passed(
    world: World, row: Row, receiver: Value | None, others: Sequence[Given], returned: Variable, told: Told | None
) -> list[Given]:
    """Return what the called functions are given."""
    if row.takes == "rest":
        return list(others)
    if row.takes == "promise" and isinstance(receiver, Promised):
        return [Given(_awaited(world, receiver.of))]
    if row.takes == "fulfil":
        kept = world.variable()
        if told is not None:
            told(world.promised(kept))
        return [Given(world.variable(_fulfil(world, kept)))]
    element = world.variable()
    if isinstance(receiver, Collection):
        _elements(receiver, element)
    else:
        for each in others:
            each.value.use(lambda value: _elements(value, element))
    if row.takes == "fold":
        returned.flow(element)
        return [Given(element), Given(element)]
    return [Given(element)] if row.takes == "elements" else []


def _fulfil(world: World, kept: Variable) -> Value:
    """Return a function that puts what it is given into a variable."""
    bag = Collection(world.work)
    bag.rest.flow(kept)
    return world.known("push", bag)


def _awaited(world: World, of: Variable) -> Variable:
    """Return what is there in the end: a promise of a promise is a promise."""
    found = world.variable()
    of.use(lambda value: value.of.flow(found) if isinstance(value, Promised) else found.add(value))
    return found


# --- what comes back ---


def _sources(receiver: Value | None, given: Sequence[Given], world: World) -> Variable:
    if receiver is not None:
        return world.variable(receiver)
    found = world.variable()
    for each in given:
        each.value.flow(found)
    return found


def _listed(world: World, of: Variable) -> Collection:
    made = Collection(world.work)
    of.flow(made.rest)
    return made


def _give_elements(world: World, receiver: Value | None, given: Sequence[Given], site: Site, *more: object) -> None:
    _, told, _ = more
    made = Collection(world.work)
    _sources(receiver, given, world).use(lambda value: world.iterate(value, site, made.rest.add))
    told(made)  # type: ignore[operator]


def _give_each(
    world: World, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable, told: Told, row: Row
) -> None:
    key = _key(given, row.key)
    if key is not None and isinstance(receiver, Collection):
        receiver.entry(key).use(told)
        receiver.rest.use(told)
    else:
        found = world.variable()
        found.use(told)
        _sources(receiver, given, world).use(
            lambda value: (
                _elements(value, found) if isinstance(value, Collection) else world.iterate(value, site, found.add)
            )
        )
    if row.key is not None and len(given) > 1:
        given[1].value.use(told)


def _give_pairs(
    world: World, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable, told: Told, row: Row
) -> None:
    pair, rows = Collection(world.work), Collection(world.work)
    found = world.variable()
    if receiver is not None:
        _elements(receiver, pair.entry(1))
    for place, each in enumerate(given):
        target = pair.entry(place if len(given) > 1 else 1)
        each.value.use(lambda value, target=target: world.iterate(value, site, target.add))  # type: ignore[misc]
    found.flow(pair.entry(1))
    rows.rest.add(pair)
    told(rows)


def _give_attribute(
    world: World, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable, told: Told, row: Row
) -> None:
    """`getattr(x, "name")`, `setattr(x, "name", value)`."""
    name = _key(given, 1)
    if not isinstance(name, str):
        return
    if row.gives == "attribute":
        given[0].value.use(lambda value: lookup(world, value, name, site, told))
        if len(given) > 2:
            given[2].value.use(told)
    elif len(given) > 2:
        given[0].value.use(
            lambda value: given[2].value.flow(
                add_member(world, value, name) if isinstance(value, Class) else world.field(value, name)
            )
        )


def _give_partial(
    world: World, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable, told: Told, row: Row
) -> None:
    """Give a function that is called with what it is given now, and later."""
    if given:
        held = list(given[1:])

        def keep(value: Value) -> None:
            # What is given later is not followed: the first arguments are what callbacks are made of.
            if isinstance(value, Function):
                world.pass_on(value, held)
            elif isinstance(value, Bound) and isinstance(value.function, Function):
                world.pass_on(value.function, held, value.receiver)
            told(value)

        given[0].value.use(keep)


def _give_prototype(
    world: World, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable, told: Told, row: Row
) -> None:
    """`Object.create`, `Object.setPrototypeOf`, `Object.assign`, `util.inherits`."""
    if row.gives == "create" and given:
        made = Collection(world.work, OBJECT)
        made.parents = given[0].value
        told(made)
    elif row.gives == "set prototype" and len(given) > 1:
        given[0].value.use(lambda value: _inherit(world, value, given[1].value))
        given[0].value.use(told)
    elif row.gives == "assign" and given:
        given[0].value.use(lambda value: [_assign_all(world, each.value, value) for each in given[1:]] and None)
        given[0].value.use(told)
    elif row.gives == "inherit" and len(given) > 1:
        given[0].value.use(lambda value: _derive(world, value, given[1].value))


def _inherit(world: World, value: Value, parents: Variable) -> None:
    if isinstance(value, Collection):
        if value.parents is None:
            value.parents = world.variable()
        parents.flow(value.parents)
    elif isinstance(value, Class):
        parents.use(lambda base: derive(world, value, base))


def _derive(world: World, heir: Value, bases: Variable) -> None:
    if isinstance(heir, Class):
        bases.use(lambda base: derive(world, heir, base))
    elif isinstance(heir, Function):

        def on(base: Value) -> None:
            if isinstance(base, Function):
                world.prototype(heir).use(lambda value: _inherit(world, value, world.prototype(base)))

        bases.use(on)


def _assign_all(world: World, sources: Variable, target: Value) -> None:
    def copy(source: Value) -> None:
        if isinstance(source, Collection):
            source.every(lambda key, each: each.flow(_place(world, target, key)))

    sources.use(copy)


def _place(world: World, target: Value, key: str | int) -> Variable:
    return add_member(world, target, str(key)) if isinstance(target, Class) else world.field(target, key)


def _give_plain(
    world: World, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable, told: Told, row: Row
) -> None:
    """The rest: what is given as it is, promises, and what was returned."""
    first = given[0].value if given else world.variable()
    match row.gives:
        case "returns":
            returned.use(told)
        case "list":
            told(_listed(world, returned))
        case "list or elements":
            made = _listed(world, returned)
            first.use(lambda value: world.iterate(value, site, made.rest.add))
            told(made)
        case "receiver" | "promise or receiver":
            if receiver is not None:
                told(receiver)
        case "first":
            first.use(told)
        case "second":
            if len(given) > 1:
                given[1].value.use(told)
        case "all":
            made = Collection(world.work)
            for place, each in enumerate(given):
                each.value.flow(made.entry(place))
            told(made)
        case "promise":
            told(world.promised(_awaited(world, returned)))
        case "promise of first":
            told(world.promised(_awaited(world, first)))
        case "promise of all" | "promise of each":
            _promise_all(world, given, row, told)
        case "awaited":
            source = receiver.of if isinstance(receiver, Promised) else _awaited(world, first)
            _awaited(world, source).use(told)
        case "same":
            told(world.known("same", world.collection("same")))
        case "step":
            made = Collection(world.work)
            if isinstance(receiver, Collection):
                _elements(receiver, made.entry("value"))
            told(made)


def _promise_all(world: World, given: Sequence[Given], row: Row, told: Told) -> None:
    made, kept = Collection(world.work), world.variable()

    def every(value: Value) -> None:
        if isinstance(value, Collection):
            value.every(lambda key, each: _awaited(world, each).flow(made.entry(key)))
            _awaited(world, value.rest).flow(made.rest)
        elif isinstance(value, Promised):
            _awaited(world, value.of).flow(made.rest)

    for each in given:
        each.value.use(every)
    if row.gives == "promise of all":
        kept.add(made)
    else:
        _elements(made, kept)
    told(world.promised(kept))


_GIVERS = {
    **dict.fromkeys(
        "returns list receiver first second all promise awaited same step".split()
        + ["list or elements", "promise or receiver", "promise of first", "promise of all", "promise of each"],
        _give_plain,
    ),
    "elements": _give_elements,
    "each": _give_each,
    "pairs": _give_pairs,
    "attribute": _give_attribute,
    "assign attribute": _give_attribute,
    "partial": _give_partial,
    **dict.fromkeys(["create", "set prototype", "assign", "inherit"], _give_prototype),
}
__all__ = ["Object", "supply", "supply_known"]
