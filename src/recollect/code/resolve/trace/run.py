"""Run: a small program run from the top of its files, with every value told apart.

Solving asks what may flow where, whenever; it cannot tell `box.f = a; box.f()` from `box.f()` before it, nor one call
of a function from another. A run can, as far as it goes: statements one after the other, every call with its own
arguments, every object by itself. What may not happen adds to what was there in place of replacing it, and what may
repeat is run twice. It ends, without an answer, when it becomes long: real programs are solved, not run.

A run knows JavaScript. What it found about a function counts if all calls of that function were part of it: see
`narrow`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from recollect.code.resolve import program as p
from recollect.code.resolve.program import Expression, Key, Unit
from recollect.code.resolve.trace import outside
from recollect.code.resolve.trace.expression import READINGS, above
from recollect.code.resolve.trace.thing import (
    NONE,
    Bound,
    Class,
    Closure,
    Constant,
    Context,
    Long,
    Names,
    Native,
    Place,
    Site,
    Thing,
    Unknown,
    Values,
    keys,
    put,
    union,
)

Find = Callable[[str, str], tuple[str, ...]]

# Expressions that are evaluated: a few milliseconds. Programs that need more are not small.
STEPS = 20_000
# Calls inside of each other, and of one function by itself: what goes deeper is not followed.
DEEPEST = 24
ROUNDS = 2

ITERATOR = "[Symbol.iterator]"


class Traced(NamedTuple):
    """What a run found: callees by site, and scopes that were run.

    vague: sites where something unknown may be called, too
    open: functions that were not run with all that they may be called with
    """

    calls: dict[Site, dict[Place, None]]
    vague: frozenset[Site]
    run: frozenset[Place]
    open: frozenset[Place]


def trace(units: Mapping[str, Unit], find: Find) -> Traced | None:
    """Return what running all files, in the order of their paths, found; None if that takes too long.

    find: from a file and the module that it imports to the files which that means
    """
    run = Run(units, find)
    try:
        for path in sorted(units):
            run.module(path)
    except (Long, RecursionError):  # expressions nest as deep as somebody wrote them
        return None
    calls: dict[Site, dict[Place, None]] = {}
    for site, callees in run.calls.items():
        calls.setdefault(site._replace(place=_function(units, site.place)), {}).update(callees)
    vague = frozenset([site._replace(place=_function(units, site.place)) for site in run.vague])
    return Traced(calls, vague, frozenset(run.places), frozenset(run.open))


def _function(units: Mapping[str, Unit], place: Place) -> Place:
    """Return the function or file that runs what stands in a scope: a class has no code of its own."""
    path, at = place
    scopes = units[path].scopes
    while scopes[at].kind in ("class", "interface"):
        at = max(scopes[at].parent, 0)
    return path, at


class Run:
    """A run in progress."""

    def __init__(self, units: Mapping[str, Unit], find: Find) -> None:
        self.units, self.find = units, find
        self.calls: dict[Site, dict[Place, None]] = {}
        self.places: set[Place] = set()
        self.open: set[Place] = set()
        self.vague: set[Site] = set()
        self.modules: dict[str, Context] = {}
        self.exports: dict[str, dict[str, Values]] = {}
        self.steps = 0
        self.stack: list[Place] = []
        self.weak = 0
        self.unknown = Unknown()
        self.globals: dict[str, Values] = {}

    # --- files ---

    def module(self, path: str) -> Context:
        """Run a file, once."""
        found = self.modules.get(path)
        if found is None:
            found = self.modules[path] = Context((path, 0), Names(), NONE, None, [], [])
            self.exports[path] = {}
            self.places.add((path, 0))
            self.body(found, self.units[path].scopes[0])
        return found

    def offered(self, path: str, name: str, seen: frozenset[str] = frozenset()) -> Values | None:
        """Return what a file offers under a name, also on behalf of others; None if it does not."""
        if path in seen:
            return None
        self.module(path)
        exports = self.exports[path]
        context = self.modules[path]
        for statement in self.units[path].scopes[0].body:
            if isinstance(statement, p.Export) and statement.name == name:
                if isinstance(statement.value, p.Name):  # whatever it is by now
                    return context.names.find(statement.value.name) or NONE
                return exports.get(name, NONE)
            if isinstance(statement, p.Import) and statement.is_export:
                found = self.passed_on(path, statement, name, seen | {path})
                if found is not None:
                    return found
        whole = exports.get("=")
        if whole is None:
            return None
        return whole if name == "default" else union([self.read(each, name, None) for each in whole])

    def passed_on(self, path: str, statement: p.Import, name: str, seen: frozenset[str]) -> Values | None:
        """Return what `export … from` offers under a name; None if nothing."""
        if statement.name != "*":
            return self.imported(path, statement) if (statement.alias or statement.name) == name else None
        if name == "default":
            return None
        found = [self.offered(other, name, seen) for other in self.find(path, statement.module) if other in self.units]
        return next((each for each in found if each is not None), None)

    def imported(self, path: str, statement: p.Import) -> Values:
        """Return what an import brings in."""
        files = [file for file in self.find(path, statement.module) if file in self.units]
        if not files:
            return outside.module(self, statement.module, statement.name)
        found: list[Values] = []
        for file in files:
            if statement.name is None:
                self.module(file)
                whole = self.exports[file].get("=")
                found.append(whole if whole is not None else (self.namespace(file),))
            else:
                found.append(self.offered(file, statement.name) or NONE)
        return union(found)

    def namespace(self, path: str) -> Thing:
        """Return a file as an object."""
        made = Thing("module")
        made.properties["%path"] = (Constant(path),)
        return made

    # --- statements ---

    def body(self, context: Context, scope: p.Scope) -> None:
        """Run the statements of a scope; parts that may repeat twice."""
        weak = [False] * len(scope.body)
        for start, end, _ in scope.ways:
            for place in range(start, min(end, len(weak))):
                weak[place] = True
        for place, statement in enumerate(scope.body):
            self.statement(context, statement, is_weak=weak[place])
        for start, end, is_repeated in scope.ways:
            if is_repeated:
                for statement in scope.body[start : min(end, len(weak))]:
                    self.statement(context, statement, is_weak=True)

    def statement(self, context: Context, statement: p.Statement, *, is_weak: bool) -> None:
        """Run one statement."""
        self.weak += is_weak
        match statement:
            case p.Assign(target, value):
                if not is_declared(value):
                    self.assign(context, target, self.value(context, value))
            case p.Return(value):
                context.returned.append(self.value(context, value))
            case p.Yield(value):
                context.yielded.append(self.value(context, value))
            case p.Do(value) | p.Use(value):
                self.value(context, value)
            case p.Export(name, value):
                found = self.value(context, value)
                self.exports[context.place[0]][name] = found
            case p.Import():
                self.bring_in(context, statement)
        self.weak -= is_weak

    def bring_in(self, context: Context, statement: p.Import) -> None:
        """Run an import."""
        path = context.place[0]
        for file in self.find(path, statement.module):
            if file in self.units:
                self.module(file)
        name = statement.alias or statement.name
        if name and not statement.is_export and name != "*":
            context.names.live[name] = lambda: self.imported(path, statement)

    def assign(self, context: Context, target: Expression, values: Values) -> None:
        """Give values to what a target means."""
        match target:
            case p.Name(name):
                self.name(context, name, values)
            case p.Member(of, name):
                self.write(self.value(context, of), name, values, context)
            case p.Item(of, key):
                by = self.value(context, target.by) if target.by is not None else NONE
                owners = self.value(context, of)
                for each in [key] if key is not None else keys(by):
                    self.write(owners, each, values, context)
            case p.Table(entries):
                self.take_apart(context, entries, values)

    def name(self, context: Context, name: str, values: Values) -> None:
        """Give values to a name."""
        path, place = context.place
        scope = self.units[path].scopes[place]
        names = context.names
        if name in scope.outer_names or name in scope.global_names:
            names = names.owner(name)
        if name in scope.outer_names or (self.weak and name in names.known):
            values = union([names.known.get(name, NONE), values])
        names.known[name] = values

    def take_apart(self, context: Context, entries: tuple[p.Entry, ...], values: Values) -> None:
        """Give the parts of values to the targets in a pattern."""
        taken = [entry.key for entry in entries if entry.key is not None]
        for entry in entries:
            if isinstance(entry.value, p.Spread):
                self.assign(context, entry.value.of, (self.rest(values, taken),))
            elif entry.key is None:
                self.assign(context, entry.value, union([self.every(value) for value in values]))
            else:
                found = union([self.read(value, entry.key, None) for value in values])
                if isinstance(entry.key, int) and not found:
                    found = union([self.elements(value, None, entry.key) for value in values])
                self.assign(context, entry.value, found)

    def rest(self, values: Values, taken: list[Key]) -> Thing:
        """Return what is left of values when some keys are taken; places count anew."""
        made = Thing("array" if any(isinstance(key, int) for key in taken) or not taken else "object")
        first = max([key for key in taken if isinstance(key, int)], default=-1) + 1
        for value in values:
            for key, found in value.properties.items():
                if isinstance(key, int) and made.kind == "array":
                    if key >= first:
                        put(made, key - first, found)
                elif key not in taken:
                    put(made, key, found)
            made.any = union([made.any, value.any])
        return made

    # --- properties ---

    def read(self, of: Thing, key: Key | None, site: Site | None) -> Values:
        """Return a property of a value, with what it inherits; a getter is called."""
        if isinstance(of, Unknown):
            return (of,)
        if of.kind == "module":
            path = keys(of.properties["%path"])[0]
            return self.offered(str(path), str(key)) or NONE
        if key is None:
            return self.every(of)
        found = self.lookup(of, key, frozenset())
        if found is None:
            return outside.member(self, of, key)
        got: list[Values] = []
        for each in found:
            if isinstance(each, Closure) and "property" in each.scope.marks and each.kind == "function":
                got.append(self.enter(each, (of,), (), site))
            else:
                got.append((each,))
        return union(got)

    def lookup(self, of: Thing, key: Key, seen: frozenset[int]) -> Values | None:
        """Return what is found by a key on a value or the nearest that it inherits from; None if nothing is."""
        if id(of) in seen:
            return None
        own = of.properties.get(key)
        if own is not None:
            return union([own, of.any]) if isinstance(key, int) else own
        if of.any and (isinstance(key, int) or of.kind == "object"):
            return of.any
        found = [each for parent in of.parents if (each := self.lookup(parent, key, seen | {id(of)})) is not None]
        return union(found) if found else None

    def every(self, of: Thing) -> Values:
        """Return all properties of a value."""
        if isinstance(of, Unknown):
            return (of,)
        return union([of.any, *of.properties.values()])

    def write(self, owners: Values, key: Key | None, values: Values, context: Context) -> None:
        """Give a property to values: in place of the old one, if it is certain which, and that it happens."""
        for owner in owners:
            if isinstance(owner, Unknown | Constant):
                continue
            found = self.lookup(owner, key, frozenset()) if key is not None else None
            setters = [each for each in found or () if isinstance(each, Closure) and "setter" in each.scope.marks]
            for setter in setters:
                self.enter(setter, (owner,), (values,), Site(context.place, 0, 0))
            if setters:
                continue
            if key is None:
                owner.any = union([owner.any, values])
            elif len(owners) == 1 and not self.weak:
                owner.properties[key] = values
            else:
                put(owner, key, values)

    # --- expressions ---

    def value(self, context: Context, expression: Expression) -> Values:
        """Return what an expression may be."""
        self.steps += 1
        if self.steps > STEPS:
            raise Long
        reading = READINGS.get(type(expression))
        return reading(self, context, expression) if reading is not None else (self.unknown,)

    def elements(self, of: Thing, site: Site | None, place: int | None = None) -> Values:
        """Return what iterating over a value gives."""
        if isinstance(of, Unknown):
            return (of,)
        iterator = self.lookup(of, ITERATOR, frozenset())
        if iterator:
            made = union([self.enter(each, (of,), (), site) for each in iterator if isinstance(each, Closure)])
            return union([self.drawn(each, site) for each in made])
        if of.kind in ("generator", "iterator"):
            return self.drawn(of, site)
        if place is not None and place in of.properties:
            return of.properties[place]
        found = [values for key, values in of.properties.items() if isinstance(key, int)]
        return union([of.any, *found])

    def drawn(self, iterator: Thing, site: Site | None) -> Values:
        """Return what is drawn from an iterator: what it yields, or what its `next` gives."""
        if iterator.kind in ("generator", "array"):
            return union([iterator.any, *[v for key, v in iterator.properties.items() if isinstance(key, int)]])
        following = self.lookup(iterator, "next", frozenset()) or NONE
        steps = union([self.enter(each, (iterator,), (), site) for each in following if isinstance(each, Closure)])
        return union([self.read(step, "value", None) for step in steps])

    # --- calls ---

    def call(self, context: Context, call: p.Call) -> Values:
        """Return what a call gives."""
        site = Site(context.place, call.line, call.column)
        callee = call.callee
        pairs: list[tuple[Thing, Values]] = []
        if isinstance(callee, p.Super):
            pairs = [(each, context.this) for each in self.constructors(context)]
        elif isinstance(callee, p.Member) and isinstance(callee.of, p.Super):
            found = union([self.read(each, callee.name, None) for each in above(self, context)])
            pairs = [(each, context.this) for each in found]
        elif isinstance(callee, p.Member | p.Item):
            owners = self.value(context, callee.of)
            names: list[Key | None] = [callee.name] if isinstance(callee, p.Member) else [callee.key]
            if isinstance(callee, p.Item) and callee.key is None and callee.by is not None:
                names = keys(self.value(context, callee.by))
            pairs = [(each, (owner,)) for owner in owners for name in names for each in self.read(owner, name, site)]
        else:
            pairs = [(each, NONE) for each in self.value(context, callee)]
        if any(isinstance(each, Unknown) for each, _ in pairs):
            self.vague.add(site)
        given = self.arguments(context, call)
        is_many = len(pairs) > 1
        self.weak += is_many
        results = [
            self.construct(each, given, site) if call.is_new else self.apply(each, this, given, site)
            for each, this in pairs
        ]
        self.weak -= is_many
        return union(results)

    def constructors(self, context: Context) -> Values:
        """Return the classes that `super(…)` calls."""
        home = context.home
        own = home.properties.get("constructor", NONE) if home is not None else NONE
        return union([each.bases for each in own if isinstance(each, Class)])

    def arguments(self, context: Context, call: p.Call) -> tuple[Values, ...]:
        found: list[Values] = []
        for argument in call.arguments:
            values = self.value(context, argument.value)
            if isinstance(argument.value, p.Spread):
                places = max([key for each in values for key in each.properties if isinstance(key, int)], default=-1)
                wanted: list[int | None] = [*range(places + 1)] if places >= 0 else [None]
                found += [union([self.elements(each, None, place) for each in values]) for place in wanted]
            else:
                found.append(values)
        return tuple(found)

    def apply(self, callee: Thing, this: Values, given: tuple[Values, ...], site: Site | None) -> Values:
        """Return what calling a value gives."""
        if isinstance(callee, Class):  # super(…)
            self.initialise(callee, this, given, site)
            return this
        if isinstance(callee, Closure):
            return self.enter(callee, this, given, site)
        if isinstance(callee, Bound):
            return self.apply(callee.function, callee.receiver, (*callee.arguments, *given), site)
        if isinstance(callee, Native):
            return outside.call(self, callee, this, given, site)
        if isinstance(callee, Unknown):
            self.escape(given)
            return (callee,)
        return NONE

    def escape(self, given: tuple[Values, ...]) -> None:
        """Remember the functions that something unknown may call from now on."""
        waiting = [value for values in given for value in values]
        seen: set[int] = set()
        while waiting:
            value = waiting.pop()
            if id(value) in seen or isinstance(value, Unknown | Constant):
                continue
            seen.add(id(value))
            if isinstance(value, Closure):
                self.open.add(value.place)
            waiting += [each for values in (value.any, *value.properties.values()) for each in values]

    def construct(self, callee: Thing, given: tuple[Values, ...], site: Site | None) -> Values:
        """Return what `new` makes."""
        if isinstance(callee, Bound):
            return self.construct(callee.function, (*callee.arguments, *given), site)
        if not isinstance(callee, Closure):
            return self.apply(callee, NONE, given, site)
        made = Thing("object", self.read(callee, "prototype", None))
        if isinstance(callee, Class):
            self.initialise(callee, (made,), given, site)
            return (made,)
        returned = self.enter(callee, (made,), given, site)
        others = tuple([each for each in returned if not isinstance(each, Constant | Unknown)])
        return others or (made,)

    def initialise(self, of: Class, this: Values, given: tuple[Values, ...], site: Site | None) -> None:
        """Call the constructor that a class has or inherits."""
        own = of.properties.get("%constructor")
        if own:
            for each in own:
                if isinstance(each, Closure):
                    self.enter(each, this, given, site)
            return
        for base in of.bases:
            if isinstance(base, Class):
                self.initialise(base, this, given, site)
            else:
                self.apply(base, this, given, site)

    def enter(self, callee: Closure, this: Values, given: tuple[Values, ...], site: Site | None) -> Values:
        """Call a function of the program."""
        if site is not None:
            self.calls.setdefault(site, {})[callee.place] = None
        if len(self.stack) > DEEPEST or self.stack.count(callee.place) >= ROUNDS:
            self.open.add(callee.place)
            return NONE
        scope = callee.scope
        names = Names(callee.around)
        self.stack.append(callee.place)
        self.places.add(callee.place)
        receiver = callee.this if "arrow" in scope.marks else this
        context = Context(callee.place, names, receiver, callee.home, [], [])
        self.bind(context, scope, given)
        self.body(context, scope)
        self.stack.pop()
        returned = union(context.returned)
        if "generator" in scope.marks:
            made = Thing("generator")
            made.any = union(context.yielded)
            return (made,)
        return (outside.promise(returned),) if "async" in scope.marks else returned

    def bind(self, context: Context, scope: p.Scope, given: tuple[Values, ...]) -> None:
        """Give the arguments of a call to the parameters of a function."""
        for place, parameter in enumerate(scope.parameters):
            if parameter.kind == "*":
                rest = Thing("array")
                rest.properties = dict(enumerate(given[place:]))
                context.names.known[parameter.name] = (rest,)
                break
            values = given[place] if place < len(given) else NONE
            if place >= len(given) and parameter.default is not None:
                values = self.value(context, parameter.default)
            context.names.known[parameter.name] = values


def is_declared(value: Expression) -> bool:
    """Return whether a value only says of what type something is; a run knows what it is."""
    match value:
        case p.Instance():
            return True
        case p.Either(options):
            return any(is_declared(option) for option in options)
        case p.Table(entries):
            return any(is_declared(entry.value) for entry in entries)
    return False
