"""Supply: what a function of a library does with what it is given, by its row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.code.resolve.giving import Deed, awaited, elements, give, key_of
from recollect.code.resolve.members import Told
from recollect.code.resolve.outside import (
    BUILTIN,
    CALLBACKS,
    EVERY,
    EXTERNALS,
    MADE,
    METHODS,
    OF_TEXTS,
    RESULTS,
    TEXTS,
    TYPES,
    Row,
)
from recollect.code.resolve.values import (
    Bound,
    Class,
    Collection,
    External,
    Function,
    Known,
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
        _give_builtin(world, plain, told)
        return
    if name in CALLBACKS:
        _call(world, Row((EVERY,)), None, given, site, world.variable())
    told(world.unknown if MADE in value.name or value is world.unknown else world.external(value.name + MADE))


def _give_builtin(world: World, name: str, told: Told) -> None:
    """Tell what a builtin function gives that has no row: a text, a number, or texts in a list."""
    _, first, *rest = name.split(".")
    made = RESULTS.get(first)
    if not rest and made is not None:
        told(world.external(f"{BUILTIN}.{made}{MADE}"))
    elif len(rest) == 1 and first in TEXTS and rest[0] in OF_TEXTS:
        kind = OF_TEXTS[rest[0]]
        text = world.external(f"{BUILTIN}.{first if kind in ('', 'list') else kind}{MADE}")
        if kind != "list":
            told(text)
            return
        made_list = world.collection((BUILTIN, first))
        made_list.rest.add(text)
        told(made_list)


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
    give(Deed(world, row, receiver, given, site, returned, told))


def _put(row: Row, receiver: Collection, given: Sequence[Given]) -> None:
    for place in row.puts:
        if place == EVERY:
            for each in given:
                each.value.flow(receiver.rest)
        elif place < EVERY:
            for each in given:
                each.value.use(lambda value: elements(value, receiver.rest))
        elif place < len(given):
            key = key_of(given, row.key)
            given[place].value.flow(receiver.rest if key is None else receiver.entry(key))


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
                world.apply(value, passed, site.found("callback"), returned.add)

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
        return [Given(awaited(world, receiver.of))]
    if row.takes == "fulfil":
        kept = world.variable()
        if told is not None:
            told(world.promised(kept))
        return [Given(world.variable(_fulfil(world, kept)))]
    element = world.variable()
    if isinstance(receiver, Collection):
        elements(receiver, element)
    else:
        for each in others:
            each.value.use(lambda value: elements(value, element))
    if row.takes == "fold":
        returned.flow(element)
        return [Given(element), Given(element)]
    return [Given(element)] if row.takes == "elements" else []


def _fulfil(world: World, kept: Variable) -> Value:
    """Return a function that puts what it is given into a variable."""
    bag = Collection(world.work)
    bag.rest.flow(kept)
    return world.known("push", bag)
