"""Calls of library functions: which arguments they call, keep and give back, by their row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from recollect.code.links.flow_values import (
    Bound,
    Class,
    Collection,
    Constant,
    External,
    Function,
    Known,
    Overloaded,
    Promised,
    Value,
    Variable,
)
from recollect.code.links.library_table import (
    BUILTIN,
    CALLBACKS,
    EVERY,
    EXTERNALS,
    MADE,
    METHODS,
    OBJECT,
    OF_TEXTS,
    RESULTS,
    TEXTS,
    TYPES,
    Row,
)
from recollect.code.links.member_lookup import Told, add_member, derive, lookup
from recollect.code.links.solver_state import Given, Site, World


class Deed(NamedTuple):
    """A function of a library at work: on what, with what, what those it called returned, and who wants the result."""

    world: World
    row: Row
    receiver: Value | None
    given: Sequence[Given]
    site: Site
    returned: Variable
    told: Told

    @property
    def first(self) -> Variable:
        """Its first argument."""
        return self.given[0].value if self.given else self.world.variable()


def give(deed: Deed) -> None:
    """Tell what comes back."""
    giver = GIVERS.get(deed.row.gives)
    if giver is not None:
        giver(deed)


def key_of(given: Sequence[Given], place: int | None) -> str | int | None:
    """Return an argument that is a constant; None if it is not, or not there."""
    if place is None or place >= len(given):
        return None
    return next((value.value for value in given[place].value.values if isinstance(value, Constant)), None)


def elements(value: Value, target: Variable) -> None:
    """Let a variable hold the elements of a table; those of a dictionary are its values here."""
    if isinstance(value, Collection):
        value.rest.flow(target)
        value.every(lambda _, each: each.flow(target))


def awaited(world: World, of: Variable) -> Variable:
    """Return what is there in the end: a promise of a promise is a promise."""
    found = world.variable()
    of.use(lambda value: value.of.flow(found) if isinstance(value, Promised) else found.add(value))
    return found


def _sources(deed: Deed) -> Variable:
    if deed.receiver is not None:
        return deed.world.variable(deed.receiver)
    found = deed.world.variable()
    for each in deed.given:
        each.value.flow(found)
    return found


def _listed(deed: Deed) -> Collection:
    made = Collection(deed.world.work)
    deed.returned.flow(made.rest)
    return made


# --- as it is ---


def _returns(deed: Deed) -> None:
    deed.returned.use(deed.told)


def _list(deed: Deed) -> None:
    deed.told(_listed(deed))


def _list_or_elements(deed: Deed) -> None:
    made = _listed(deed)
    deed.first.use(lambda value: deed.world.iterate(value, deed.site, made.rest.add))
    deed.told(made)


def _receiver(deed: Deed) -> None:
    if deed.receiver is not None:
        deed.told(deed.receiver)


def _first(deed: Deed) -> None:
    deed.first.use(deed.told)


def _second(deed: Deed) -> None:
    if len(deed.given) > 1:
        deed.given[1].value.use(deed.told)


def _same(deed: Deed) -> None:
    """Give a decorator that gives back what it decorates."""
    deed.told(deed.world.known("same", deed.world.collection("same")))


# --- tables ---


def _all(deed: Deed) -> None:
    made = Collection(deed.world.work)
    for place, each in enumerate(deed.given):
        each.value.flow(made.entry(place))
    deed.told(made)


def _elements(deed: Deed) -> None:
    made = Collection(deed.world.work)
    _sources(deed).use(lambda value: deed.world.iterate(value, deed.site, made.rest.add))
    deed.told(made)


def _each(deed: Deed) -> None:
    key, receiver = key_of(deed.given, deed.row.key), deed.receiver
    if key is not None and isinstance(receiver, Collection):
        receiver.entry(key).use(deed.told)
        receiver.rest.use(deed.told)
    else:
        found = deed.world.variable()
        found.use(deed.told)

        def take(value: Value) -> None:
            if isinstance(value, Collection):
                elements(value, found)
            else:
                deed.world.iterate(value, deed.site, found.add)

        _sources(deed).use(take)
    if deed.row.key is not None and len(deed.given) > 1:
        deed.given[1].value.use(deed.told)


def _pairs(deed: Deed) -> None:
    pair, rows = Collection(deed.world.work), Collection(deed.world.work)
    if deed.receiver is not None:
        elements(deed.receiver, pair.entry(1))
    for place, each in enumerate(deed.given):
        _fill(deed, each.value, pair.entry(place if len(deed.given) > 1 else 1))
    rows.rest.add(pair)
    deed.told(rows)


def _fill(deed: Deed, source: Variable, target: Variable) -> None:
    source.use(lambda value: deed.world.iterate(value, deed.site, target.add))


def _step(deed: Deed) -> None:
    made = Collection(deed.world.work)
    if isinstance(deed.receiver, Collection):
        elements(deed.receiver, made.entry("value"))
    deed.told(made)


# --- promises ---


def _promise(deed: Deed) -> None:
    deed.told(deed.world.promised(awaited(deed.world, deed.returned)))


def _promise_of_first(deed: Deed) -> None:
    deed.told(deed.world.promised(awaited(deed.world, deed.first)))


def _promise_of_several(deed: Deed) -> None:
    world = deed.world
    made, kept = Collection(world.work), world.variable()

    def every(value: Value) -> None:
        if isinstance(value, Collection):
            value.every(lambda key, each: awaited(world, each).flow(made.entry(key)))
            awaited(world, value.rest).flow(made.rest)
        elif isinstance(value, Promised):
            awaited(world, value.of).flow(made.rest)

    for each in deed.given:
        each.value.use(every)
    if deed.row.gives == "promise of all":
        kept.add(made)
    else:
        elements(made, kept)
    deed.told(world.promised(kept))


def _awaited(deed: Deed) -> None:
    source = deed.receiver.of if isinstance(deed.receiver, Promised) else deed.first
    awaited(deed.world, awaited(deed.world, source)).use(deed.told)


# --- attributes, and functions with some of their arguments ---


def _attribute(deed: Deed) -> None:
    """`getattr(x, "name")`."""
    name = key_of(deed.given, 1)
    if isinstance(name, str):
        deed.first.use(lambda value: lookup(deed.world, value, name, deed.site, deed.told))
        if len(deed.given) > 2:
            deed.given[2].value.use(deed.told)


def _assign_attribute(deed: Deed) -> None:
    """`setattr(x, "name", value)`."""
    name = key_of(deed.given, 1)
    if isinstance(name, str) and len(deed.given) > 2:
        deed.first.use(lambda value: deed.given[2].value.flow(_place(deed.world, value, name)))


def _partial(deed: Deed) -> None:
    """Give a function that was given some arguments already; those it is given later come in their place."""
    held = list(deed.given[1:])

    def keep(value: Value) -> None:
        if isinstance(value, Function):
            deed.world.pass_on(value, held)
        elif isinstance(value, Bound) and isinstance(value.function, Function):
            deed.world.pass_on(value.function, held, value.receiver)
        deed.told(value)

    if deed.given:
        deed.first.use(keep)


# --- prototypes ---


def _create(deed: Deed) -> None:
    if deed.given:
        made = Collection(deed.world.work, OBJECT)
        made.parents = deed.first
        deed.told(made)


def _set_prototype(deed: Deed) -> None:
    if len(deed.given) > 1:
        deed.first.use(lambda value: _inherit(deed.world, value, deed.given[1].value))
        deed.first.use(deed.told)


def _assign(deed: Deed) -> None:
    def assign(value: Value) -> None:
        for each in deed.given[1:]:
            _assign_all(deed.world, each.value, value)

    deed.first.use(assign)
    deed.first.use(deed.told)


def _derived(deed: Deed) -> None:
    if len(deed.given) > 1:
        deed.first.use(lambda value: _derive(deed.world, value, deed.given[1].value))


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


GIVERS: dict[str, Callable[[Deed], None]] = {
    "returns": _returns,
    "list": _list,
    "list or elements": _list_or_elements,
    "receiver": _receiver,
    "promise or receiver": _receiver,
    "first": _first,
    "second": _second,
    "same": _same,
    "all": _all,
    "elements": _elements,
    "each": _each,
    "pairs": _pairs,
    "step": _step,
    "promise": _promise,
    "promise of first": _promise_of_first,
    "promise of all": _promise_of_several,
    "promise of each": _promise_of_several,
    "awaited": _awaited,
    "attribute": _attribute,
    "assign attribute": _assign_attribute,
    "partial": _partial,
    "create": _create,
    "set prototype": _set_prototype,
    "assign": _assign,
    "inherit": _derived,
}


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
        _call_arguments(world, Row((EVERY,)), None, given, site, world.variable())
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
        _function_method(world, value.name, receiver, given, site, told)


def _function_method(world: World, name: str, function: Value, given: Sequence[Given], site: Site, told: Told) -> None:
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
        _call_arguments(world, row, receiver, given, site, returned, told)
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


def _call_arguments(
    world: World, row: Row, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable,
    told: Told | None = None,
) -> None:  # fmt: skip
    """Call the arguments that the row says are called."""
    called = list(_called_arguments(row, given))
    passed = _passed(world, row, receiver, [each for each in given if each not in called], returned, told)
    for each in called:
        seen: set[Value] = set()

        def call(value: Value, seen: set[Value] = seen) -> None:
            if value not in seen and isinstance(value, CALLABLE):
                seen.add(value)
                world.apply(value, passed, site.found("callback"), returned.add)

        each.value.use(call)


def _called_arguments(row: Row, given: Sequence[Given]) -> Iterator[Given]:
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
