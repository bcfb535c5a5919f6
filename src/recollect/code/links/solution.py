"""Solution: what solving found, as records of places in the programs.

Calls are kept by the place in the code that makes them. Files that were given as summaries have no rows of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from recollect.code.links import flow_values as fv
from recollect.code.links import program as ir
from recollect.code.links.library_table import BUILTIN, ELEMENT, MADE, UNKNOWN
from recollect.code.links.member_lookup import renamed
from recollect.code.links.solver_state import IMPLICIT, CallSite, Place, Site, State

# Methods that texts, tables, files and the like have: the only method of the program with such a name is seldom meant.
COMMON = frozenset(
    """add all any append apply bind call capitalize catch clear close concat copy count decode discard encode end
    entries enumerate every extend fill filter find findIndex finally flat flatMap flush forEach format fromkeys
    get group has includes index indexOf insert intersection isalnum isalpha isdigit islower issubset isupper
    items join keys lastIndexOf length ljust log lower lstrip map match next open partition pop popitem popleft
    push read readline readlines reduce remove replace result return reverse rfind rjust rpartition rsplit rstrip
    run search seek send set setdefault shift size slice some sort splice split splitlines start startswith
    endswith stop strip sub submit substring tell test then throw title toLowerCase toString toUpperCase translate
    trim union unshift update upper values wait write writelines zfill""".split()
)
# Languages with containers of a standard library, whose elements have a type that is not read; its names.
CONTAINERS = frozenset({"rust", "cpp", "csharp", "kotlin", "scala", "swift"})
STANDARD = (BUILTIN, "std::", "System.", "kotlin.", "scala.", "java.")
# Most methods of one name that a call may mean.
MOST_CANDIDATES = 25

# How surely a call leads where it was found to lead, by how that was found.
CONFIDENCE: Mapping[str, float] = {
    "direct": 0.99,  # the name is defined in the same file
    "import": 0.98,  # the name was imported from where it is defined
    "constructor": 0.98,
    "super": 0.95,
    "method": 0.95,  # of the class that the receiver was seen to be made of
    "inherited": 0.93,
    "property": 0.9,
    "decorator": 0.9,
    "value": 0.85,  # a function that was passed, stored or returned: some of its ways may never be taken
    "callback": 0.8,  # given to a library, which calls it as far as is known
    "declared": 0.75,  # by the declared type of the receiver alone
    "external": 0.9,
}


class OpenCall(NamedTuple):
    """An unresolved call: its name, and the functions it may mean."""

    caller: Place
    name: str
    line: int
    column: int
    candidates: tuple[Place, ...] = ()


class Derivation(NamedTuple):
    """A class and a base or interface; an external base is a dotted name."""

    derived: Place
    base: Place | str
    implements: bool


class Used(NamedTuple):
    """A name that stands in a type or is passed on; an external one is a dotted name."""

    user: Place
    used: Place | str
    line: int


class Solution(NamedTuple):
    """Everything that was found.

    sites: by place of a call, the callees, each with the kind of evidence
    given: how many arguments such a call has, where these decide
    aliases: names of files for what is defined under another name
    is_coarse: too many values flowed: what is not found stays unresolved
    """

    sites: Mapping[CallSite, Mapping[Place | str, str]]
    given: Mapping[CallSite, int]
    open_calls: tuple[OpenCall, ...]
    derivations: tuple[Derivation, ...]
    uses: tuple[Used, ...]
    aliases: tuple[tuple[str, str, Place], ...]
    is_coarse: bool = False


def answer(state: State) -> Solution:
    """Return what a solved state says."""
    scopes = {path: unit.scopes for path, unit in state.units.items()}
    aliases = [(path, *row) for path in state.units if path not in state.faces for row in renamed(state, path)]
    return Solution(
        {site: callees for site, callees in state.made.items() if IMPLICIT not in scopes[site[0][0]][site[0][1]].marks},
        state.counts,
        tuple(sorted(_open(state))),
        tuple(_derivations(state)),
        tuple(dict.fromkeys(_uses(state))),
        tuple(aliases),
        state.work.is_coarse,
    )


def _open(state: State) -> Iterator[OpenCall]:
    """Yield the unresolved calls; candidates have the name of the call alone."""
    methods: dict[str, list[fv.Function]] = {}
    for function in state.functions:
        if function.owner is not None and IMPLICIT not in function.scope.marks:
            methods.setdefault(function.scope.name, []).append(function)
    most, is_coarse = state.work.limits[fv.Collection], state.work.is_coarse
    for site, callee, values in state.asked:
        known = values.values
        # Where not all values were followed, a receiver may be more than is known.
        is_full = len(known) >= most or (is_coarse and type(callee) is ir.Member) or _is_element(state, site, known)
        if not is_full and (_is_known(state, site, known) or (site.caller, site.line, site.column) in state.made):
            continue
        candidates = methods.get(callee.name, []) if type(callee) is ir.Member else []
        is_few = (2 if callee.name in COMMON else 1) <= len(candidates) <= MOST_CANDIDATES
        places = tuple(sorted([(each.path, each.place) for each in candidates])) if is_few else ()
        yield OpenCall(site.caller, ir.as_written(callee.name), site.line, site.column, places)


def _is_known(state: State, site: Site, known: Iterable[fv.Value]) -> bool:
    """Tell whether something is known of what is called; in Rust the name of a variant is enough."""
    named = [type(each) is fv.Named for each in known]
    return not all(named) or (bool(named) and state.units[site.frame.path].language == "rust")


def _is_element(state: State, site: Site, known: Iterable[fv.Value]) -> bool:
    """Tell whether a call may be on an object of the program that something outside holds, as a container does."""
    names = [each.name if isinstance(each, fv.External) else "" for each in known]
    if any(f".{ELEMENT}." in name for name in names):
        return True
    is_read = state.units[site.frame.path].language in CONTAINERS
    return is_read and all(name.startswith(STANDARD) for name in names) and any(name.count(MADE) > 1 for name in names)


def _derivations(state: State) -> Iterator[Derivation]:
    """Yield classes with their bases, and methods with those that they override."""
    for each in state.classes:
        if each.path in state.faces:
            continue
        place = (each.path, each.place)
        around = each.frame.parent or each.frame
        implemented = {value for base in each.scope.implements for value in state.evaluate(base, around).values}
        for known in each.bases:
            yield Derivation(place, (known.path, known.place), known in implemented or not each.scope.bases)
        yield from _overrides(each)
        for outer in each.outer_bases:
            yield Derivation(place, outer.name, outer in implemented)


def _overrides(of: fv.Class) -> Iterator[Derivation]:
    """Yield the methods of a class with those of its bases that they override, the nearest of each."""
    for name, variable in of.frame.names.items() if of.bases else ():
        own = [each for each in variable.values if isinstance(each, fv.Function) and each.scope.symbol >= 0]
        for function in own if len(own) == 1 and "constructor" not in own[0].scope.marks else ():
            having = [base for base in of.order[1:] if name in base.frame.names]
            bases = ((base, value) for base in having for value in base.frame.names[name].values)
            above = next(((base, value) for base, value in bases if isinstance(value, fv.Function)), None)
            if above is not None and above[1] is not function:
                is_interface = above[0].scope.kind == "interface"
                yield Derivation((function.path, function.place), (above[1].path, above[1].place), is_interface)


def _uses(state: State) -> Iterator[Used]:
    read = {each: None for each in state.read if each[0][0] not in state.faces}
    for (caller, line, _), callees in state.made.items() if read else ():
        for callee in callees:
            read.pop((caller, callee, line), None)
    yield from [Used(*each) for each in read]
    for frame, use, variable in state.uses:
        path = frame.path
        if path in state.faces:
            continue
        user = (path, ~use.symbol) if use.symbol >= 0 else (path, frame.place)
        found: list[Place | str] = []
        value, values = use.value, tuple(variable.values)
        while not found:
            # The declared type of a constant is not what is named.
            is_typed = any(isinstance(each, fv.Named) for each in values)
            plain = [each for each in values if not (is_typed and isinstance(each, fv.Declared))]
            found += [used for each in plain if (used := _used(each, frame)) is not None]
            found += _constants(state, value, values, frame) if not found else ()
            if not isinstance(value, ir.Member):
                break
            value = value.of
            values = tuple(state.evaluate(value, frame).values) if not found else ()
        owner = frame.owner if frame.owner is not None and frame.owner.frame is frame else None
        bases = [_used(each, frame) for each in (*owner.bases, *owner.outer_bases)] if owner is not None else ()
        yield from [Used(user, each, use.line) for each in found if each not in bases]


def _constants(state: State, value: ir.Expression, values: Sequence[fv.Value], frame: fv.Frame) -> list[Place]:
    """Return the constants that a name or a member means; what is imported or exported may have a second name."""
    if not isinstance(value, ir.Name | ir.Member):
        return []
    named = [each for each in values if isinstance(each, fv.Named)]
    if isinstance(value, ir.Name) and not named:
        named = [each for each in _of_classes(value.name, frame) if isinstance(each, fv.Named)]
    same = [each for each in named if each.name == value.name]
    if not same and isinstance(value, ir.Member):
        of = state.evaluate(value.of, frame).values
        named = named if all(isinstance(each, fv.Module) for each in of) else []
        for each in [each for each in of if isinstance(each, fv.Named)]:
            held = state.frames[each.path, 0].names.get(f"{each.name}.{value.name}")
            named += [each for each in held.values if isinstance(each, fv.Named)] if held is not None else []
    return [(each.path, each.place) for each in same or named]


def _of_classes(name: str, frame: fv.Frame | None) -> tuple[fv.Value, ...]:
    """Return what a name means in the nearest class around that has it."""
    while frame is not None:
        for each in frame.owner.order if frame.owner is not None and frame.owner.frame is frame else ():
            if name in each.frame.names:
                return tuple(each.frame.names[name].values)
        frame = frame.parent if frame.is_class or name not in frame.names else None
    return ()


def _used(value: fv.Value, frame: fv.Frame) -> Place | str | None:
    """Return what a value is; the name of an unknown type counts where a file imports all of something outside."""
    of = value.of if isinstance(value, fv.Declared) else value.function if isinstance(value, fv.Bound) else value
    if isinstance(of, fv.Class | fv.Function):
        return of.path, of.place
    if not isinstance(of, fv.External) or of.name.startswith(UNKNOWN) or of.name[-2:] == MADE:
        return None
    is_type = frame.module.stars and of.name[len(BUILTIN) + 1 :][:1].isupper()
    return of.plain if is_type or not of.name.startswith(BUILTIN) else None
