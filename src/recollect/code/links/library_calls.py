"""Calls of library functions: which arguments they call, keep and give back, by their row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from recollect.code.links import flow_values as fv
from recollect.code.links import library_table as library
from recollect.code.links.member_lookup import Sink
from recollect.code.links.program import Key
from recollect.code.links.solver_state import Given, Site, State

CALLABLE = (fv.Function, fv.Bound, fv.Overloaded, fv.Class, fv.Known)
# Calls of a chain on something outside whose results are followed: builders are rarely longer.
MOST_MADE = 10


class LibraryCall(NamedTuple):
    """A call of a library function: receiver, arguments, what its callbacks return, sink."""

    state: State
    row: library.Row
    receiver: fv.Value | None
    given: Sequence[Given]
    site: Site
    returned: fv.Variable
    sink: Sink

    def argument(self, place: int) -> fv.Variable:
        """Return the argument at a place; an empty variable if there is none."""
        return self.given[place].value if place < len(self.given) else self.state.variable()

    def table(self, part: str = "") -> fv.Collection:
        """Return the table that the call gives: one per call site, so that `x = x.map(f)` ends."""
        site = self.site
        key = (site.frame, site.line, site.column, self.row.gives, part)
        return self.state.collection[key] if site.line else fv.Collection(self.state.work)

    def contents(self, of: Sequence[Given], target: fv.Variable) -> None:
        """Add the elements of the receiver, else of some arguments, to a variable."""
        if self.receiver is not None:
            elements(self.receiver, target)
        else:
            for each in of:
                self.iterate(each.value, target)

    def iterate(self, source: fv.Variable, target: fv.Variable) -> None:
        """Add what iterating over some values yields to a variable."""
        source.use(lambda value: self.state.iterate(value, self.site, target.add))


def key_of(given: Sequence[Given], place: int | None) -> str | int | None:
    """Return the constant at an argument; None if there is none."""
    if place is None or place >= len(given):
        return None
    return next((value.value for value in given[place].value.values if isinstance(value, fv.Constant)), None)


def elements(value: fv.Value, target: fv.Variable, key: Key | None = None) -> None:
    """Add the elements of a table, or values of a dictionary, to a variable; those of one key, if it is given."""
    if isinstance(value, fv.Collection):
        value.rest.flow(target)
        if key is None:
            value.every(lambda _, each: each.flow(target))
        else:
            value.entry(key).flow(target)


# --- what calls give ---


def _list(call: LibraryCall) -> None:
    made = call.table()
    call.returned.flow(made.rest)
    call.sink(made)


def _flat(call: LibraryCall) -> None:
    made = call.table()
    call.returned.use(lambda value: elements(value, made.rest))
    call.sink(made)


def _elements(call: LibraryCall) -> None:
    made = call.table()
    call.contents(call.given, made.rest)
    call.sink(made)


def _each(call: LibraryCall) -> None:
    key, found = key_of(call.given, call.row.key), call.state.variable()
    found.use(call.sink)
    if key is not None and call.receiver is not None:
        elements(call.receiver, found, key)
    else:
        call.contents(call.given, found)
    if call.row.key is not None:
        call.argument(1).use(call.sink)
    if call.row.calls and not call.row.takes:  # what is made for the container if it is not there
        call.returned.use(call.sink)


def _pairs(call: LibraryCall) -> None:
    pair, rows = call.table("pair"), call.table()
    if call.receiver is not None:
        elements(call.receiver, pair.entry(1))
    for place, each in enumerate(call.given):
        call.iterate(each.value, pair.entry(place if len(call.given) > 1 else 1))
    rows.rest.add(pair)
    call.sink(rows)


def _partial(call: LibraryCall) -> None:
    """Give a function with some arguments bound; later ones come in their place."""

    def keep(value: fv.Value) -> None:
        function = value.function if isinstance(value, fv.Bound) else value
        if isinstance(function, fv.Function):
            call.state.pass_on(function, list(call.given[1:]), value.receiver if isinstance(value, fv.Bound) else None)
        call.sink(value)

    call.argument(0).use(keep)


def _create(call: LibraryCall) -> None:
    """`Object.create(parent)`."""
    made = fv.Collection(call.state.work, library.OBJECT)
    made.parents = call.argument(0)
    call.sink(made)


GIVERS: dict[str, Callable[[LibraryCall], None]] = {
    "list": _list,
    "flat": _flat,
    "receiver": lambda call: call.sink(call.receiver) if call.receiver is not None else None,
    "first": lambda call: call.argument(0).use(call.sink),
    "second": lambda call: call.argument(1).use(call.sink),
    "create": _create,
    "elements": _elements,
    "each": _each,
    "pairs": _pairs,
    "partial": _partial,
}


# --- calls ---


def supply(state: State, value: fv.External, given: Sequence[Given], site: Site, sink: Sink) -> None:
    """Do what a function outside the program does."""
    plain = value.plain
    row = library.EXTERNALS.get(plain)
    if row is not None:
        _carry_out(LibraryCall(state, row, None, given, site, state.variable(), sink))
        return
    # What a name gives that nothing defines is not known, unless it may be a class of a package imported as a whole.
    is_class = site.frame.module.stars and plain[len(library.BUILTIN) + 1 :][:1].isupper()
    if plain.startswith(library.BUILTIN) and not is_class and state.units[site.frame.path].language != "python":
        return
    if plain.rpartition(".")[2] in library.CALLBACKS:
        _carry_out(LibraryCall(state, library.Row((library.EVERY,)), None, given, site, state.variable(), sink))
    if value.result is None:
        is_unknown = value.name.count(library.MADE) >= MOST_MADE or value is state.unknown
        value.result = state.unknown if is_unknown else state.external[value.name + library.MADE]
    sink(value.result)


def supply_known(state: State, value: fv.Known, given: Sequence[Given], site: Site, sink: Sink) -> None:
    """Do what a method of the language's library does."""
    receiver = value.receiver
    if isinstance(receiver, fv.Collection):
        row = library.METHODS[value.name]
        _carry_out(LibraryCall(state, row, receiver, given, site, state.variable(), sink))
    else:
        _function_method(state, value.name, receiver, given, site, sink)


def _function_method(
    state: State, name: str, function: fv.Value, given: Sequence[Given], site: Site, sink: Sink
) -> None:
    """`f.call(this, …)`, `f.apply(this, […])`, `f.bind(this)`."""
    plain = function.function if isinstance(function, fv.Bound) else function
    receivers = given[0].value if given else state.variable()
    rest = list(given[1:])
    if name == "apply" and rest:
        rest = [Given(rest[0].value, is_spread=True)]

    def call(bound: fv.Value) -> None:
        if name == "bind":
            sink(bound)
        else:
            state.apply(bound, rest, site, sink)

    receivers.use(lambda receiver: call(state.bind(plain, receiver)))
    if not receivers.values:
        call(plain)


def _carry_out(call: LibraryCall) -> None:
    row = call.row
    if row.calls:
        _call_arguments(call)
    if isinstance(call.receiver, fv.Collection):
        _put(row, call.receiver, call.given)
    if row.gives:
        GIVERS[row.gives](call)


def _put(row: library.Row, receiver: fv.Collection, given: Sequence[Given]) -> None:
    for place in row.puts:
        if place == library.EVERY:
            for each in given:
                each.value.flow(receiver.rest)
        elif place < library.EVERY:
            for each in given:
                each.value.use(lambda value: elements(value, receiver.rest))
        elif place < len(given):
            key = key_of(given, row.key)
            given[place].value.flow(receiver.rest if key is None else receiver.entry(key))


def _call_arguments(call: LibraryCall) -> None:
    """Call the arguments that the row names."""
    calls = call.row.calls
    called = [
        each
        for place, each in enumerate(call.given)
        if (each.name in calls if each.name is not None else library.EVERY in calls or place in calls)
    ]
    passed = _passed(call, [each for each in call.given if each not in called])

    def apply(value: fv.Value) -> None:
        if isinstance(value, CALLABLE):
            call.state.apply(value, passed, call.site.found("callback"), call.returned.add)

    for each in called:
        each.value.use(apply)


def _passed(call: LibraryCall, others: Sequence[Given]) -> list[Given]:
    """Return what the called functions are given."""
    if call.row.takes == "rest":
        return list(others)
    element = call.state.variable()
    call.contents(others, element)
    if call.row.takes == "folded":
        begun = others[-1] if len(others) > (call.receiver is None) else Given(element)
        return [begun, Given(element)]
    return [Given(element)] if call.row.takes == "elements" else []
