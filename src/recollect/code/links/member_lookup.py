"""Members: what `value.name` means by the kind of value, and the order of base classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from recollect.code.links.flow_values import (
    Bound,
    Class,
    Collection,
    Constant,
    Declared,
    External,
    Frame,
    Function,
    Heritage,
    Known,
    Module,
    Object,
    Overloaded,
    Promised,
    Value,
    Variable,
)
from recollect.code.links.library_table import BUILTIN, METHODS, OBJECT
from recollect.code.links.program import Scope
from recollect.code.links.solver_state import Site, World

# A chain of classes longer than this is a mistake, most likely a class that derives from itself.
DEEPEST = 200


def arrange(classes: Iterable[Class]) -> None:
    """Give some classes their order: a class and its bases, nearest first, each before its own bases.

    Bases stand in the order they are written. Where no such order exists (the program is wrong, or its language knows
    none), depth first.
    """
    known: dict[Class, list[Class] | None] = {}
    for each in classes:
        each.order = _merged(each, known, 0) or _depth_first(each)


def derives(one: Class, other: Class) -> bool:
    """Tell whether a class is another one or derives from it."""
    return one is other or other in one.order


def heirs(of: Class) -> list[Class]:
    """Return all classes that derive from one, nearest first, without itself."""
    found: dict[Class, None] = {}
    waiting = list(of.heirs)
    while waiting:
        heir = waiting.pop(0)
        if heir not in found and heir is not of:
            found[heir] = None
            waiting += heir.heirs
    return list(found)


def _merged(of: Class, known: dict[Class, list[Class] | None], depth: int) -> list[Class] | None:
    """Return the order by C3, None if there is none."""
    if of in known:
        return known[of]
    known[of] = None  # what derives from itself has none
    if depth > DEEPEST:
        return None
    lists: list[list[Class]] = []
    for base in of.bases:
        found = _merged(base, known, depth + 1)
        if found is None:
            return None
        lists.append(list(found))
    lists.append(list(of.bases))
    merged = [of]
    while any(lists):
        head = next((each[0] for each in lists if each and not _is_in_tail(each[0], lists)), None)
        if head is None:
            return None
        merged.append(head)
        for each in lists:
            if each and each[0] is head:
                del each[0]
    known[of] = merged
    return merged


def _is_in_tail(one: Class, lists: Iterable[list[Class]]) -> bool:
    return any(one in each[1:] for each in lists)


def _depth_first(of: Class) -> list[Class]:
    found: dict[Class, None] = {}
    waiting = [of]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = None
            waiting += reversed(one.bases)
    return list(found)


Told = Callable[[Value], None]
Asked = tuple[Class, Class | None, str]
# Bases that a class may still get when it is known where all others are: more come from a function that makes classes.
MOST_LATE = 4

WHOLE, DEFAULT = "=", "default"  # what a file offers as itself, and what it offers first
FUNCTIONAL = "functional"
# Names between dots of what lies outside; longer ones are made by programs that go round in circles.
MOST_PARTS = 7
# Families of languages in which a file that imports all of another does not offer it in turn.
KEPT = frozenset({"java", "csharp", "go", "haskell", "elixir"})
AFTER_ALL = 1 << 30  # the place of a base that the head of a class does not name


def lookup(world: World, value: Value, name: str, site: Site, told: Told) -> None:
    """Tell what a member of a value is, now and whenever more becomes known."""
    finder = FINDERS.get(type(value))
    if finder is not None:
        finder(world, value, name, site, told)


def _of_module(world: World, value: Module, name: str, site: Site, told: Told) -> None:
    of_file(world, value.path, name, site, told)


def of_file(world: World, path: str, name: str, site: Site, told: Told, asked: dict[str, bool] | None = None) -> bool:
    """Tell what a file offers under a name; returns whether it offers anything of that name.

    asked: what files have answered so far. Files that import all of each other are asked once each, not once for every
    way that leads there.
    """
    asked = {} if asked is None else asked
    if path not in asked:
        asked[path] = False  # for whoever asks while it asks others
        asked[path] = _offered(world, path, name, site, told, asked)
    return asked[path]


def _offered(world: World, path: str, name: str, site: Site, told: Told, asked: dict[str, bool]) -> bool:
    frame = world.frames.get((path, 0))
    if frame is None:
        return False
    if frame.exports:
        return _exported(world, frame, name, site, told, asked)
    if name in frame.names:
        frame.names[name].use(told)
        return True
    if world.modules.family(path) not in KEPT and _starred(world, frame, name, site, told, asked):
        return True
    below = world.modules.find(path, name, 1)
    for file in below:
        if file != path:
            told(world.module(file))
    return bool(below)


def _exported(world: World, frame: Frame, name: str, site: Site, told: Told, asked: dict[str, bool]) -> bool:
    offered = frame.exports
    if name in offered:
        offered[name].use(told)
        return True
    if WHOLE in offered:
        if name == DEFAULT:
            offered[WHOLE].use(told)
        else:
            offered[WHOLE].use(lambda value: lookup(world, value, name, site, told))
        return True
    if _starred(world, frame, name, site, told, asked):
        return True
    if name == DEFAULT:
        told(world.module(frame.path))
    return name == DEFAULT


def _starred(world: World, frame: Frame, name: str, site: Site, told: Told, asked: dict[str, bool]) -> bool:
    found = False
    for star in frame.stars:
        if frame.exports and not star.is_export:
            continue
        for path in world.modules.find(frame.path, star.module, star.level):
            found = of_file(world, path, name, site, told, asked) or found
    return found


# --- classes ---


def _of_class(world: World, value: Class, name: str, site: Site, told: Told) -> None:
    inherited(world, value, name, lambda found: _through_class(world, value, found, told))
    world.field(value, name).use(told)


def _through_class(world: World, of: Class, found: Value, told: Told) -> None:
    is_of_class = isinstance(found, Function) and "classmethod" in found.scope.marks
    told(world.bind(found, of) if is_of_class else found)


def inherited(world: World, of: Class, name: str, told: Told, after: Class | None = None) -> None:
    """Tell what the first class that has a member says, of a class and those it derives from in their order.

    after: only those classes are asked that come after this one. Whoever asks the same hears the same: it is looked for
    once, and again when more is known of the classes.
    """
    asked = (of, after, name)
    found = world.inherited.get(asked)
    if found is None:
        found = world.inherited[asked] = world.variable()
        _look(world, asked, found)
    found.use(told)


def _look(world: World, asked: Asked, found: Variable) -> None:
    of, after, name = asked
    orders = of.order
    if after is not None:
        orders = orders[orders.index(after) + 1 :] if after in orders else after.order[1:]
        orders = orders or after.order[1:]
    for place, each in enumerate(orders):
        if name in each.overloads:
            found.add(world.overloaded(_overloads(orders[place:], name)))
            return
        if name in each.frame.names:
            each.frame.names[name].flow(found)
            return
    for each in orders:
        for outer in each.outer_bases:
            found.add(world.external(f"{outer.name}.{name}"))
        each.lookups.setdefault(name, {})[asked] = None


def _overloads(orders: list[Class], name: str) -> list[Function]:
    """Return all functions of a name that a class has, without those that are overridden."""
    found: list[Function] = []
    for each in orders:
        own = each.overloads.get(name, [])
        if own and "constructor" in own[0].scope.marks:
            return own  # nobody inherits them
        nearer = tuple(found)
        for function in own:
            known = next((other for other in nearer if _overrides(other.scope, function.scope)), None)
            if known is None:
                found.append(function)
            elif "abstract" in known.scope.marks and "abstract" not in function.scope.marks:
                found[found.index(known)] = function
    return found


def _overrides(nearer: Scope, further: Scope) -> bool:
    """Tell whether a function replaces one of a class further up: its types are the same, or not said there."""
    if len(nearer.parameters) != len(further.parameters):
        return False
    return all(
        own.kind == other.kind and (other.declared is None or own.declared == other.declared)
        for own, other in zip(nearer.parameters, further.parameters, strict=True)
    )


def derive(world: World, heir: Class, base: Value, place: int = AFTER_ALL) -> None:
    """Let a class derive from what its base turned out to be; bases become known in any order."""
    is_late = world.is_ordered and len(heir.bases) + len(heir.outer_bases) >= MOST_LATE
    if isinstance(base, External):
        if base not in heir.outer_bases and not is_late:
            heir.outer_bases.append(base)
            ask_again(world, heir)
    elif isinstance(base, Class) and base not in heir.bases and base is not heir and not is_late:
        heir.bases.append(base)
        heir.base_places[base] = place
        heir.bases.sort(key=heir.base_places.__getitem__)
        base.heirs.append(heir)
        if world.is_ordered:
            changed = (heir, *heirs(heir))
            arrange(changed)
            for each in changed:
                ask_again(world, each)


def ask_again(world: World, of: Class) -> None:
    """Look again for the members of a class that were not there."""
    waiting, of.lookups = of.lookups, {}
    for each in waiting.values():
        for asked in each:
            _look(world, asked, world.inherited[asked])


def add_member(world: World, of: Class, name: str) -> Variable:
    """Return the variable of a member that is assigned to a class from outside; whoever missed it hears of it."""
    is_new = name not in of.frame.names
    variable = of.frame.name(name)
    if is_new:
        for each in (of, *heirs(of)):
            for asked in each.lookups.pop(name, ()):
                _look(world, asked, world.inherited[asked])
    return variable


def _of_object(world: World, value: Object, name: str, site: Site, told: Told) -> None:
    world.field(value, name).use(told)
    of = value.of
    if isinstance(of, Class):
        inherited(world, of, name, lambda found: _on(world, found, value, of, site, told))
    else:
        world.prototype(of).use(lambda parent: _of_parent(world, parent, name, value, site, told))


def _on(world: World, found: Value, receiver: Value, of: Class, site: Site, told: Told) -> None:
    """Tell what a member of a class is to one of its instances."""
    if isinstance(found, Function):
        marks = found.scope.marks
        if "property" in marks:
            world.apply(world.bind(found, receiver), (), site.found("property"), told)
            return
        if "setter" in marks:
            return
        if "static" in marks:
            told(found)
            return
        if "classmethod" in marks:
            told(world.bind(found, of))
            return
        if found.owner is None:  # a plain function that was assigned to the class
            told(world.bind(found, receiver))
            return
    told(world.bind(found, receiver))


def _of_parent(world: World, parent: Value, name: str, receiver: Value, site: Site, told: Told) -> None:
    """Tell what a value inherits from its prototype.

    A prototype is asked once for a name, whoever inherits from it: it may inherit from many, and from itself.
    """
    known = world.climbed.get((parent, name))
    if known is None:
        known = world.climbed[parent, name] = world.variable()
        lookup(world, parent, name, site, _unbound(known))
    known.use(lambda value: told(world.bind(value, receiver)))


def _unbound(found: Variable) -> Told:
    return lambda value: found.add(value.function if isinstance(value, Bound) else value)


def _of_declared(world: World, value: Declared, name: str, site: Site, told: Told) -> None:
    world.field(value.of.instance, name).use(told)
    world.dispatched.append((value, name, site, told))


def dispatch(world: World, value: Declared, name: str, site: Site, told: Told) -> None:
    """Tell what a member is of something whose declared class alone is known.

    Those classes count that are made somewhere; if none is, all that have the member in full; if none has, its own.
    """
    candidates = [value.of, *heirs(value.of)]
    having = [each for each in candidates if _has_in_full(each, name)]
    chosen = [each for each in having if each.is_made] or having or [value.of]
    for each in chosen:
        inherited(world, each, name, partial(_on_instance, world, each, site, told))


def _on_instance(world: World, of: Class, site: Site, told: Told, found: Value) -> None:
    _on(world, found, of.instance, of, site, told)


def _has_in_full(of: Class, name: str) -> bool:
    """Tell whether an instance of a class can have the member: the class is none of those nobody can make."""
    if of.scope.kind == "interface" or "abstract" in of.scope.marks:
        return False
    for each in of.order:
        for function in each.overloads.get(name, ()):
            if "abstract" not in function.scope.marks:
                return True
        if name in each.frame.names and name not in each.overloads:
            return True
    return False


def _of_heritage(world: World, value: Heritage, name: str, site: Site, told: Told) -> None:
    of = value.receiver
    receiving = of.of if isinstance(of, Object | Declared) else of
    asked = receiving if isinstance(receiving, Class) and value.of in receiving.order else value.of
    inherited(world, asked, name, lambda found: _on(world, found, of, value.of, site, told), after=value.of)
    for base in value.of.outer_bases:
        told(world.external(f"{base.name}.{name}"))


# --- everything else ---


def _of_function(world: World, value: Value, name: str, site: Site, told: Told) -> None:
    function = value.function if isinstance(value, Bound) else value
    if isinstance(function, Function) and FUNCTIONAL in function.scope.marks:
        told(value)
        return
    if name in METHODS["function"]:
        told(world.known(name, value))
    if name == "prototype" and isinstance(function, Function):
        world.prototype(function)
    world.field(function, name).use(lambda found: told(world.bind(found, value)))


def _of_collection(world: World, value: Collection, name: str, site: Site, told: Told) -> None:
    if value.kind != OBJECT and name in METHODS["collection"]:
        told(world.known(name, value))
    value.entry(name).use(lambda found: _accessed(world, found, value, site, told))
    # What was put in under an unknown key may be this member, and hardly ever is: it is left out, since everything that
    # is called on such an object would call all of it.
    if value.parents is not None:
        value.parents.use(lambda parent: _of_parent(world, parent, name, value, site, told))


def _accessed(world: World, found: Value, receiver: Value, site: Site, told: Told) -> None:
    if isinstance(found, Function) and "property" in found.scope.marks:
        world.apply(world.bind(found, receiver), (), site.found("property"), told)
    elif not (isinstance(found, Function) and "setter" in found.scope.marks):
        told(world.bind(found, receiver))


def _of_promise(world: World, value: Promised, name: str, site: Site, told: Told) -> None:
    if name in METHODS["promise"]:
        told(world.known(name, value))


def _of_external(world: World, value: External, name: str, site: Site, told: Told) -> None:
    if value is world.unknown or value.name.count(".") >= MOST_PARTS:
        told(world.unknown)
    else:
        told(world.external(f"{value.name}.{name}"))


def _of_constant(world: World, value: Constant, name: str, site: Site, told: Told) -> None:
    if world.units[site.frame.path].language == "python":
        told(world.external(f"{BUILTIN}.{type(value.value).__name__}.{name}"))


def _of_known(world: World, value: Known, name: str, site: Site, told: Told) -> None:
    if name in METHODS["function"]:
        told(world.known(name, value))


FINDERS: dict[type[Value], Callable[..., None]] = {
    Module: _of_module,
    Class: _of_class,
    Object: _of_object,
    Declared: _of_declared,
    Heritage: _of_heritage,
    Function: _of_function,
    Bound: _of_function,
    Overloaded: _of_function,
    Collection: _of_collection,
    Promised: _of_promise,
    External: _of_external,
    Known: _of_known,
    Constant: _of_constant,
}
