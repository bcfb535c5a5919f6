"""Members: what `value.name` means by the kind of value, and the order of base classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from recollect.code.links import flow_values as fv
from recollect.code.links.library_table import BUILTIN, MADE, METHODS, OBJECT, OF_FUNCTIONS
from recollect.code.links.program import Scope
from recollect.code.links.solver_state import Place, Site, State

# Bases that are looked at; more are a mistake, most likely classes that derive from each other.
DEEPEST = 200


def arrange(classes: Iterable[fv.Class]) -> None:
    """Set the order of base classes: nearest first, each after all that derive from it."""
    for each in classes:
        each.order = _ordered(each)


def _ordered(of: fv.Class) -> list[fv.Class]:
    """Return a class and its bases depth first; of a base that is met twice the last place counts."""
    met: list[fv.Class] = []
    waiting = [of]
    while waiting and len(met) < DEEPEST:
        one = waiting.pop()
        met.append(one)
        waiting += [base for base in reversed(one.bases) if base is not of]
    return list(reversed(dict.fromkeys(reversed(met))))


def derives(one: fv.Class, other: fv.Class) -> bool:
    """Tell whether a class is another one or derives from it."""
    return one is other or other in one.order


def subclasses(of: fv.Class) -> list[fv.Class]:
    """Return all classes that derive from one, nearest first, without itself."""
    found: dict[fv.Class, None] = {}
    waiting = list(of.subclasses)
    while waiting:
        derived = waiting.pop(0)
        if derived not in found and derived is not of:
            found[derived] = None
            waiting += derived.subclasses
    return list(found)


Sink = Callable[[fv.Value], None]
Asked = tuple[fv.Class, fv.Class | None, str]
# Bases that a class may still get when it is known where all others are: more come from a function that makes classes.
MOST_LATE = 4

WHOLE, DEFAULT = "=", "default"  # what a file offers as itself, and what it offers first
# Languages in which not every variable of a loop or pattern is read, and nothing built in begins small and has members.
UNREAD = frozenset({"go", "rust"})
FUNCTIONAL = "functional"
# Names between dots of what lies outside; longer ones are made by programs that go round in circles.
MOST_PARTS = 16
# Families of languages in which a file that imports all of another does not offer it in turn.
KEPT = frozenset({"java", "csharp", "go", "haskell", "elixir"})
# Functions that one name may stand for; a variable that holds more is no second name.
MOST_RENAMED = 3
AFTER_ALL = 1 << 30  # the place of a base that the head of a class does not name


def lookup(state: State, value: fv.Value, name: str, site: Site, sink: Sink) -> None:
    """Send a member of a value, now and as more becomes known."""
    look_up((look_up, state, name, site, sink), value)


def look_up(taker: fv.Taker, value: fv.Value) -> None:
    """Send a member of a value, as the user of a variable."""
    finder = FINDERS.get(type(value))
    if finder is not None:
        _, state, name, site, sink = taker
        finder(state, value, name, site, sink)


def of_files(state: State, paths: Sequence[str], name: str, site: Site, sink: Sink) -> bool:
    """Send what some files offer under a name; those that define it come first. Returns whether one does."""
    frames = [state.frames.get((path, 0)) for path in paths] if len(paths) > 1 else ()
    defining = [frame.path for frame in frames if frame is not None and name in frame.names]
    offered = [of_file(state, path, name, site, sink) for path in defining or paths]
    return any(offered)


def of_file(state: State, path: str, name: str, site: Site, sink: Sink, asked: dict[str, bool] | None = None) -> bool:
    """Send what a file exports under a name; returns whether it exports it.

    asked: what files have answered so far. Files that import all of each other are asked once each, not once for every
    way that leads there.
    """
    asked = {} if asked is None else asked
    if path not in asked:
        asked[path] = False  # while it asks others
        asked[path] = _offered(state, path, name, site, sink, asked)
    return asked[path]


def _offered(state: State, path: str, name: str, site: Site, sink: Sink, asked: dict[str, bool]) -> bool:
    frame = state.frames.get((path, 0))
    if frame is None:
        return False
    if frame.exports:
        return _exported(state, frame, name, site, sink, asked)
    if name in frame.names:
        frame.names[name].use(sink)
        if site.frame.module is not frame:  # what a file takes from itself may be in what it takes as a whole
            return True
    if state.modules.family(path) not in KEPT and _starred(state, frame, name, site, sink, asked):
        return True
    below = state.modules.find(path, name, 1)
    for file in below:
        if file != path:
            sink(state.module[file,])
    return bool(below)


def _exported(state: State, frame: fv.Frame, name: str, site: Site, sink: Sink, asked: dict[str, bool]) -> bool:
    offered = frame.exports
    if name in offered:
        offered[name].use(sink)
        return True
    if WHOLE in offered:
        if name == DEFAULT:
            offered[WHOLE].use(sink)
        else:
            offered[WHOLE].use(lambda value: lookup(state, value, name, site, sink))
        return True
    if _starred(state, frame, name, site, sink, asked):
        return True
    if name == DEFAULT:
        sink(state.module[frame.path,])
    return name == DEFAULT


def _starred(state: State, frame: fv.Frame, name: str, site: Site, sink: Sink, asked: dict[str, bool]) -> bool:
    found = False
    if name not in state.offered and WHOLE not in state.offered:
        return found
    for star in frame.stars:
        if frame.exports and not star.is_export:
            continue
        for path in state.modules.find(frame.path, star.module, star.level):
            found = of_file(state, path, name, site, sink, asked) or found
    return found


def renamed(state: State, path: str) -> Iterator[tuple[str, Place]]:
    """Yield the names of a file for functions and classes that are defined under another: `export { f as g }`."""
    frame = state.frames[path, 0]
    defined = {state.units[path].scopes[place].name for place in state.inner[path].get(0, ())}
    offered = [*(frame.exports or frame.names).items()]
    for value in frame.exports[WHOLE].values if WHOLE in frame.exports else ():  # module.exports = { … }
        offered += [(str(key), each) for key, each in value.fields.items()]
        offered.append((DEFAULT, state.fixed[value]))
    for name, variable in offered:
        known = [value for value in variable.values if isinstance(value, fv.Class | fv.Function)]
        if name not in defined and len(known) <= MOST_RENAMED:
            yield from [(name, (of.path, of.place)) for of in known if of.scope.name != name]


# --- classes ---


def _of_class(state: State, value: fv.Class, name: str, site: Site, sink: Sink) -> None:
    def through(found: fv.Value) -> None:
        is_of_class = isinstance(found, fv.Function) and "classmethod" in found.scope.marks
        sink(state.bind(found, value) if is_of_class else found)

    inherited(state, value, name, through)


def inherited(state: State, of: fv.Class, name: str, sink: fv.User, after: fv.Class | None = None) -> None:
    """Send the member of the first class in the order of bases.

    after: only classes after this one are asked. A lookup is done once, and again when more is known of the classes.
    """
    asked = (of, after, name)
    found = state.inherited.get(asked)
    if found is None:
        found = state.inherited[asked] = state.variable()
        _look(state, asked, found)
    found.use(sink)


def _look(state: State, asked: Asked, found: fv.Variable) -> None:
    of, after, name = asked
    orders = of.order
    if after is not None:
        orders = orders[orders.index(after) + 1 :] if after in orders else after.order[1:]
        orders = orders or after.order[1:]
    for place, each in enumerate(orders):
        if name in each.overloads:
            found.add(state.overloaded(_overloads(orders[place:], name)))
            return
        if name in each.frame.names:
            each.frame.names[name].flow(found)
            return
    for each in orders:
        for outer in each.outer_bases:
            found.add(state.external[f"{outer.name}.{name}"])
        each.lookups.setdefault(name, {})[asked] = None


def _overloads(orders: list[fv.Class], name: str) -> list[fv.Function]:
    """Return the functions of a name without overridden ones."""
    found: list[fv.Function] = []
    for each in orders:
        own = each.overloads.get(name, [])
        if own and "constructor" in own[0].scope.marks:
            return own  # constructors are not inherited
        nearer = tuple(found)
        for function in own:
            known = next((other for other in nearer if _overrides(other.scope, function.scope)), None)
            if known is None:
                found.append(function)
            elif "abstract" in known.scope.marks and "abstract" not in function.scope.marks:
                found[found.index(known)] = function
    return found


def _overrides(nearer: Scope, further: Scope) -> bool:
    """Tell whether a function overrides one of a base: same or undeclared types."""
    if len(nearer.parameters) != len(further.parameters):
        return False
    return all(
        own.kind == other.kind and (other.declared is None or own.declared == other.declared)
        for own, other in zip(nearer.parameters, further.parameters, strict=True)
    )


def derive(state: State, derived: fv.Class, base: fv.Value, place: int = AFTER_ALL) -> None:
    """Add a base to a class; bases become known in any order."""
    is_late = state.is_ordered and len(derived.bases) + len(derived.outer_bases) >= MOST_LATE
    if isinstance(base, fv.External):
        if base not in derived.outer_bases and not is_late:
            derived.outer_bases.append(base)
            ask_again(state, derived)
    elif isinstance(base, fv.Class) and base not in derived.bases and base is not derived and not is_late:
        derived.bases.append(base)
        derived.base_places[base] = place
        derived.bases.sort(key=derived.base_places.__getitem__)
        base.subclasses.append(derived)
        if state.is_ordered:
            changed = (derived, *subclasses(derived))
            arrange(changed)
            for each in changed:
                ask_again(state, each)


def ask_again(state: State, of: fv.Class) -> None:
    """Repeat the failed lookups of a class."""
    waiting, of.lookups = of.lookups, {}
    for each in waiting.values():
        for asked in each:
            _look(state, asked, state.inherited[asked])


def add_member(state: State, of: fv.Class, name: str) -> fv.Variable:
    """Return the variable of a member assigned from outside; failed lookups are repeated."""
    is_new = name not in of.frame.names
    variable = of.frame.name(name)
    if is_new:
        for each in (of, *subclasses(of)):
            for asked in each.lookups.pop(name, ()):
                _look(state, asked, state.inherited[asked])
    return variable


def _of_object(state: State, value: fv.Object, name: str, site: Site, sink: Sink) -> None:
    state.ask(value, name, sink)
    of = value.of
    if isinstance(of, fv.Class):
        inherited(state, of, name, (_on, state, value, of, site, sink))
    else:
        state.prototype(of).use(lambda parent: _of_parent(state, parent, name, value, site, sink))


def _on(taker: fv.Taker, found: fv.Value) -> None:
    """Send a member of a class as an instance sees it."""
    _, state, receiver, of, site, sink = taker
    marks = found.scope.marks if isinstance(found, fv.Function) else ()
    if "classmethod" in marks:
        sink(state.bind(found, of))
    elif "static" in marks and "property" not in marks:
        sink(found)
    else:
        _accessed(state, found, receiver, site, sink)


def _of_parent(state: State, parent: fv.Value, name: str, receiver: fv.Value, site: Site, sink: Sink) -> None:
    """Send what a value inherits from its prototype.

    A prototype is asked once per name, for all its heirs: it may inherit from many, and from itself.
    """
    known = state.climbed.get((parent, name))
    if known is None:
        known = made = state.climbed[parent, name] = state.variable()
        lookup(state, parent, name, site, lambda each: made.add(each.function if isinstance(each, fv.Bound) else each))
    known.use(lambda value: sink(state.bind(value, receiver)))


def _of_declared(state: State, value: fv.Declared, name: str, site: Site, sink: Sink) -> None:
    state.ask(value.of.instance, name, sink)
    state.dispatched.append((value, name, site, sink))
    if site.line:  # the declared method is used, whichever objects are known
        inherited(state, value.of, name, partial(_use, state, site))


def _use(state: State, site: Site, found: fv.Value) -> None:
    if isinstance(found, fv.Function):
        state.read[site.caller, (found.path, found.place), site.line] = None


def dispatch(state: State, value: fv.Declared, name: str, site: Site, sink: Sink) -> None:
    """Send a member of a value of which only the declared class is known.

    Those classes count that are made somewhere; if none is, all that have the member in full; if none has, its own.
    """
    candidates = [value.of, *subclasses(value.of)]
    having = [each for each in candidates if _has_in_full(each, name)]
    chosen = [each for each in having if each.is_made] or having or [value.of]
    for each in chosen:
        inherited(state, each, name, (_on, state, each.instance, each, site, sink))


def _has_in_full(of: fv.Class, name: str) -> bool:
    """Tell whether instances have the member: the class is not abstract."""
    if of.scope.kind == "interface" or "abstract" in of.scope.marks:
        return False
    for each in of.order:
        for function in each.overloads.get(name, ()):
            if "abstract" not in function.scope.marks:
                return True
        if name in each.frame.names and name not in each.overloads:
            return True
    return False


def _of_super(state: State, value: fv.SuperProxy, name: str, site: Site, sink: Sink) -> None:
    of = value.receiver
    receiving = of.of if isinstance(of, fv.Object | fv.Declared) else of
    asked = receiving if isinstance(receiving, fv.Class) and value.of in receiving.order else value.of
    inherited(state, asked, name, (_on, state, of, value.of, site, sink), after=value.of)
    for base in value.of.outer_bases:
        sink(state.external[f"{base.name}.{name}"])


# --- everything else ---


def is_functional(value: fv.Value) -> bool:
    """Tell whether a value is a lambda of Java: an object with one method."""
    return isinstance(value, fv.Function) and FUNCTIONAL in value.scope.marks


def _of_function(state: State, value: fv.Value, name: str, site: Site, sink: Sink) -> None:
    function = value.function if isinstance(value, fv.Bound) else value
    if is_functional(function):
        sink(value)
        return
    if name in OF_FUNCTIONS:
        sink(state.known[name, value])
    if name == "prototype" and isinstance(function, fv.Function):
        state.prototype(function)
    state.ask(function, name, lambda found: sink(state.bind(found, value)))


def _of_collection(state: State, value: fv.Collection, name: str, site: Site, sink: Sink) -> None:
    if value.kind != OBJECT and name in METHODS:
        sink(state.known[name, value])
    value.entry(name).use(lambda found: _accessed(state, found, value, site, sink))
    # What was put in under an unknown key may be this member, and hardly ever is: it is left out, since everything that
    # is called on such an object would call all of it.
    if value.parents is not None:
        value.parents.use(lambda parent: _of_parent(state, parent, name, value, site, sink))


def _accessed(state: State, found: fv.Value, receiver: fv.Value, site: Site, sink: Sink) -> None:
    marks = found.scope.marks if type(found) is fv.Function else ()
    if "property" in marks:
        state.apply(state.bind(found, receiver), (), site.found("property"), sink)
    elif "setter" not in marks:
        sink(state.bind(found, receiver))


def _of_external(state: State, value: fv.External, name: str, site: Site, sink: Sink) -> None:
    first, _, rest = value.name.partition(".") if value.name[0] == "<" else ("", "", "")
    is_small = first == BUILTIN and rest.isidentifier() and rest[0].islower()
    if is_small and state.units[site.frame.path].language in UNREAD:
        return
    found = value.members.get(name)
    if found is None:
        is_unknown = value is state.unknown or value.name.count(".") >= MOST_PARTS
        found = value.members[name] = state.unknown if is_unknown else state.external[f"{value.name}.{name}"]
    if site.line and not first and MADE in value.name and name.isidentifier() and found is not state.unknown:
        state.read[site.caller, found.plain, site.line] = None
    sink(found)


def _of_constant(state: State, value: fv.Constant, name: str, site: Site, sink: Sink) -> None:
    if state.units[site.frame.path].language == "python":
        sink(state.external[f"{BUILTIN}.{type(value.value).__name__}.{name}"])


FINDERS: dict[type[fv.Value], Callable[..., object]] = {
    fv.Module: lambda state, value, name, site, sink: of_files(state, value.paths, name, site, sink),
    fv.Class: _of_class,
    fv.Object: _of_object,
    fv.Declared: _of_declared,
    fv.SuperProxy: _of_super,
    fv.Function: _of_function,
    fv.Bound: _of_function,
    fv.Overloaded: _of_function,
    fv.Collection: _of_collection,
    fv.External: _of_external,
    fv.Constant: _of_constant,
}
