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
from recollect.code.links.member_lookup import Sink, add_member, derive, lookup
from recollect.code.links.solver_state import Given, Site, State


class LibraryCall(NamedTuple):
    """A call of a library function: receiver, arguments, what its callbacks return, sink."""

    state: State
    row: Row
    receiver: Value | None
    given: Sequence[Given]
    site: Site
    returned: Variable
    sink: Sink

    @property
    def first(self) -> Variable:
        """Its first argument."""
        return self.given[0].value if self.given else self.state.variable()

    def table(self, part: str = "") -> Collection:
        """Return the table that the call gives: one per call site, so that `x = x.map(f)` ends."""
        site = self.site
        if not site.line:
            return Collection(self.state.work)
        return self.state.collection((site.frame, site.line, site.column, self.row.gives, part))


def give(call: LibraryCall) -> None:
    """Send the result to the sink."""
    giver = GIVERS.get(call.row.gives)
    if giver is not None:
        giver(call)


def key_of(given: Sequence[Given], place: int | None) -> str | int | None:
    """Return the constant at an argument; None if there is none."""
    if place is None or place >= len(given):
        return None
    return next((value.value for value in given[place].value.values if isinstance(value, Constant)), None)


def elements(value: Value, target: Variable) -> None:
    """Add the elements of a table, or values of a dictionary, to a variable."""
    if isinstance(value, Collection):
        value.rest.flow(target)
        value.every(lambda _, each: each.flow(target))


def awaited(state: State, of: Variable) -> Variable:
    """Return the awaited value: a promise of a promise is a promise."""
    found = state.variable()
    of.use(lambda value: value.of.flow(found) if isinstance(value, Promised) else found.add(value))
    return found


def _sources(call: LibraryCall) -> Variable:
    if call.receiver is not None:
        return call.state.variable(call.receiver)
    found = call.state.variable()
    for each in call.given:
        each.value.flow(found)
    return found


def _listed(call: LibraryCall) -> Collection:
    made = call.table()
    call.returned.flow(made.rest)
    return made


# --- as it is ---


def _returns(call: LibraryCall) -> None:
    call.returned.use(call.sink)


def _list(call: LibraryCall) -> None:
    call.sink(_listed(call))


def _flat(call: LibraryCall) -> None:
    made = call.table()
    call.returned.use(lambda value: elements(value, made.rest) if isinstance(value, Collection) else None)
    call.sink(made)


def _list_or_elements(call: LibraryCall) -> None:
    made = _listed(call)
    call.first.use(lambda value: call.state.iterate(value, call.site, made.rest.add))
    call.sink(made)


def _receiver(call: LibraryCall) -> None:
    if call.receiver is not None:
        call.sink(call.receiver)


def _first(call: LibraryCall) -> None:
    call.first.use(call.sink)


def _second(call: LibraryCall) -> None:
    if len(call.given) > 1:
        call.given[1].value.use(call.sink)


def _same(call: LibraryCall) -> None:
    """Give a decorator that gives back what it decorates."""
    call.sink(call.state.known("same", call.state.collection("same")))


# --- tables ---


def _all(call: LibraryCall) -> None:
    made = call.table()
    for place, each in enumerate(call.given):
        each.value.flow(made.entry(place))
    call.sink(made)


def _elements(call: LibraryCall) -> None:
    made = call.table()
    _sources(call).use(lambda value: call.state.iterate(value, call.site, made.rest.add))
    call.sink(made)


def _each(call: LibraryCall) -> None:
    key, receiver = key_of(call.given, call.row.key), call.receiver
    if key is not None and isinstance(receiver, Collection):
        receiver.entry(key).use(call.sink)
        receiver.rest.use(call.sink)
    else:
        found = call.state.variable()
        found.use(call.sink)

        def take(value: Value) -> None:
            if isinstance(value, Collection):
                elements(value, found)
            else:
                call.state.iterate(value, call.site, found.add)

        _sources(call).use(take)
    if call.row.key is not None and len(call.given) > 1:
        call.given[1].value.use(call.sink)


def _pairs(call: LibraryCall) -> None:
    pair, rows = call.table("pair"), call.table()
    if call.receiver is not None:
        elements(call.receiver, pair.entry(1))
    for place, each in enumerate(call.given):
        _fill(call, each.value, pair.entry(place if len(call.given) > 1 else 1))
    rows.rest.add(pair)
    call.sink(rows)


def _fill(call: LibraryCall, source: Variable, target: Variable) -> None:
    source.use(lambda value: call.state.iterate(value, call.site, target.add))


def _step(call: LibraryCall) -> None:
    made = call.table()
    if isinstance(call.receiver, Collection):
        elements(call.receiver, made.entry("value"))
    call.sink(made)


# --- promises ---


def _promised(call: LibraryCall, of: Variable) -> None:
    kept = call.table("promise").rest
    awaited(call.state, of).flow(kept)
    call.sink(call.state.promised(kept))


def _promise(call: LibraryCall) -> None:
    _promised(call, call.returned)


def _promise_of_first(call: LibraryCall) -> None:
    _promised(call, call.first)


def _promise_of_several(call: LibraryCall) -> None:
    state = call.state
    made, kept = call.table(), state.variable()

    def every(value: Value) -> None:
        if isinstance(value, Collection):
            value.every(lambda key, each: awaited(state, each).flow(made.entry(key)))
            awaited(state, value.rest).flow(made.rest)
        elif isinstance(value, Promised):
            awaited(state, value.of).flow(made.rest)

    for each in call.given:
        each.value.use(every)
    if call.row.gives == "promise of all":
        kept.add(made)
    else:
        elements(made, kept)
    call.sink(state.promised(kept))


def _awaited(call: LibraryCall) -> None:
    source = call.receiver.of if isinstance(call.receiver, Promised) else call.first
    awaited(call.state, awaited(call.state, source)).use(call.sink)


# --- attributes, and functions with some of their arguments ---


def _attribute(call: LibraryCall) -> None:
    """`getattr(x, "name")`."""
    name = key_of(call.given, 1)
    if isinstance(name, str):
        call.first.use(lambda value: lookup(call.state, value, name, call.site, call.sink))
        if len(call.given) > 2:
            call.given[2].value.use(call.sink)


def _assign_attribute(call: LibraryCall) -> None:
    """`setattr(x, "name", value)`."""
    name = key_of(call.given, 1)
    if isinstance(name, str) and len(call.given) > 2:
        call.first.use(lambda value: call.given[2].value.flow(_place(call.state, value, name)))


def _partial(call: LibraryCall) -> None:
    """Give a function with some arguments bound; later ones come in their place."""
    held = list(call.given[1:])

    def keep(value: Value) -> None:
        if isinstance(value, Function):
            call.state.pass_on(value, held)
        elif isinstance(value, Bound) and isinstance(value.function, Function):
            call.state.pass_on(value.function, held, value.receiver)
        call.sink(value)

    if call.given:
        call.first.use(keep)


# --- prototypes ---


def _create(call: LibraryCall) -> None:
    if call.given:
        made = Collection(call.state.work, OBJECT)
        made.parents = call.first
        call.sink(made)


def _set_prototype(call: LibraryCall) -> None:
    if len(call.given) > 1:
        call.first.use(lambda value: _inherit(call.state, value, call.given[1].value))
        call.first.use(call.sink)


def _assign(call: LibraryCall) -> None:
    def assign(value: Value) -> None:
        for each in call.given[1:]:
            _assign_all(call.state, each.value, value)

    call.first.use(assign)
    call.first.use(call.sink)


def _derived(call: LibraryCall) -> None:
    if len(call.given) > 1:
        call.first.use(lambda value: _derive(call.state, value, call.given[1].value))


def _inherit(state: State, value: Value, parents: Variable) -> None:
    if isinstance(value, Collection):
        if value.parents is None:
            value.parents = state.variable()
        parents.flow(value.parents)
    elif isinstance(value, Class):
        parents.use(lambda base: derive(state, value, base))


def _derive(state: State, derived: Value, bases: Variable) -> None:
    if isinstance(derived, Class):
        bases.use(lambda base: derive(state, derived, base))
    elif isinstance(derived, Function):

        def on(base: Value) -> None:
            if isinstance(base, Function):
                state.prototype(derived).use(lambda value: _inherit(state, value, state.prototype(base)))

        bases.use(on)


def _assign_all(state: State, sources: Variable, target: Value) -> None:
    def copy(source: Value) -> None:
        if isinstance(source, Collection):
            source.every(lambda key, each: each.flow(_place(state, target, key)))

    sources.use(copy)


def _place(state: State, target: Value, key: str | int) -> Variable:
    return add_member(state, target, str(key)) if isinstance(target, Class) else state.field(target, key)


def _returns_or_each(call: LibraryCall) -> None:
    """Give what the container holds, or what is made for it, which it then holds."""
    if isinstance(call.receiver, Collection):
        call.returned.flow(call.receiver.rest)
    _each(call)


GIVERS: dict[str, Callable[[LibraryCall], None]] = {
    "returns": _returns,
    "returns or each": _returns_or_each,
    "list": _list,
    "flat": _flat,
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


def supply(state: State, value: External, given: Sequence[Given], site: Site, sink: Sink) -> None:
    """Do what a function outside the program does."""
    plain = value.name.replace(MADE, "")
    row = EXTERNALS.get(plain)
    if row is not None:
        _carry_out(state, row, None, given, site, sink)
        return
    _, _, name = plain.rpartition(".")
    if plain.startswith(BUILTIN):
        _give_builtin(state, plain, sink)
        return
    if name in CALLBACKS:
        _call_arguments(state, Row((EVERY,)), None, given, site, state.variable())
    sink(state.unknown if MADE in value.name or value is state.unknown else state.external(value.name + MADE))


def _give_builtin(state: State, name: str, sink: Sink) -> None:
    """Send the result of a builtin without a row: texts and numbers."""
    _, first, *rest = name.split(".")
    made = RESULTS.get(first)
    if not rest and made is not None:
        sink(state.external(f"{BUILTIN}.{made}{MADE}"))
    elif len(rest) == 1 and first in TEXTS and rest[0] in OF_TEXTS:
        kind = OF_TEXTS[rest[0]]
        text = state.external(f"{BUILTIN}.{first if kind in ('', 'list') else kind}{MADE}")
        if kind != "list":
            sink(text)
            return
        made_list = state.collection((BUILTIN, first))
        made_list.rest.add(text)
        sink(made_list)


def supply_known(state: State, value: Known, given: Sequence[Given], site: Site, sink: Sink) -> None:
    """Do what a method of the language's library does."""
    receiver = value.receiver
    if isinstance(receiver, Collection):
        if receiver.kind in TYPES:
            state.call(site, f"{BUILTIN}.{receiver.kind}.{value.name}", "external")
        _carry_out(state, METHODS["collection"][value.name], receiver, given, site, sink)
    elif isinstance(receiver, Promised):
        _carry_out(state, METHODS["promise"][value.name], receiver, given, site, sink)
    else:
        _function_method(state, value.name, receiver, given, site, sink)


def _function_method(state: State, name: str, function: Value, given: Sequence[Given], site: Site, sink: Sink) -> None:
    """`f.call(this, …)`, `f.apply(this, […])`, `f.bind(this)`."""
    plain = function.function if isinstance(function, Bound) else function
    receivers = given[0].value if given else state.variable()
    rest = list(given[1:])
    if name == "apply" and rest:
        rest = [Given(rest[0].value, is_spread=True)]
    if name == "bind":
        receivers.use(lambda receiver: sink(state.bind(plain, receiver)))
        if not receivers.values:
            sink(plain)
        return
    seen: set[Value] = set()

    def call(receiver: Value) -> None:
        if receiver not in seen:
            seen.add(receiver)
            state.apply(state.bind(plain, receiver), rest, site, sink)

    receivers.use(call)
    if not receivers.values:
        state.apply(plain, rest, site, sink)


def _carry_out(state: State, row: Row, receiver: Value | None, given: Sequence[Given], site: Site, sink: Sink) -> None:
    returned = state.variable()
    if row.calls:
        _call_arguments(state, row, receiver, given, site, returned, sink)
    if isinstance(receiver, Collection):
        _put(row, receiver, given)
    give(LibraryCall(state, row, receiver, given, site, returned, sink))


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
    state: State, row: Row, receiver: Value | None, given: Sequence[Given], site: Site, returned: Variable,
    sink: Sink | None = None,
) -> None:  # fmt: skip
    """Call the arguments that the row names."""
    called = list(_called_arguments(row, given))
    passed = _passed(state, row, receiver, [each for each in given if each not in called], returned, sink)
    for each in called:
        seen: set[Value] = set()

        def call(value: Value, seen: set[Value] = seen) -> None:
            if value not in seen and isinstance(value, CALLABLE):
                seen.add(value)
                state.apply(value, passed, site.found("callback"), returned.add)

        each.value.use(call)


def _called_arguments(row: Row, given: Sequence[Given]) -> Iterator[Given]:
    for place, each in enumerate(given):
        if each.name is not None:
            if each.name in row.calls:
                yield each
        elif EVERY in row.calls or place in row.calls:
            yield each


def _passed(
    state: State, row: Row, receiver: Value | None, others: Sequence[Given], returned: Variable, sink: Sink | None
) -> list[Given]:
    """Return what the called functions are given."""
    if row.takes == "rest":
        return list(others)
    if row.takes == "promise" and isinstance(receiver, Promised):
        return [Given(awaited(state, receiver.of))]
    if row.takes == "fulfil":
        kept = state.variable()
        if sink is not None:
            sink(state.promised(kept))
        return [Given(state.variable(_fulfil(state, kept)))]
    element = state.variable()
    if isinstance(receiver, Collection):
        elements(receiver, element)
    else:
        for each in others:
            each.value.use(lambda value: elements(value, element))
    if row.takes == "fold":
        returned.flow(element)
        return [Given(element), Given(element)]
    return [Given(element)] if row.takes == "elements" else []


def _fulfil(state: State, kept: Variable) -> Value:
    """Return a function that puts what it is given into a variable."""
    bag = Collection(state.work)
    bag.rest.flow(kept)
    return state.known("push", bag)
