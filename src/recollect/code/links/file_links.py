"""From what was solved to the links of each file: places in programs become keys of symbols.

calls       CALLS         a call resolved by its name alone is no link: it is kept as one that may mean something
derivations INHERITS, IMPLEMENTS; EXTENDS between interfaces
imports     IMPORTS       from file to file
uses        DEPENDS_ON    types, and functions that are passed on
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from recollect.code.links.file_programs import read_program
from recollect.code.links.link_pack import Loose, Site
from recollect.code.links.module_finder import FILE, Modules
from recollect.code.links.program import Import, Unit
from recollect.code.links.solver import CallEdge, Derivation, OpenCall, Solution, solve, uncollected
from recollect.code.links.solver_state import Place
from recollect.store.link_rows import AmbiguousSite, OutsideSite, UnresolvedSite

# What deriving, importing and using are worth: they are written down, and only what a name means may be mistaken.
HEIR_CONFIDENCE = 0.98
IMPORT_CONFIDENCE = 1.0
USE_CONFIDENCE = 0.9
# A call whose only evidence is the name of its target.
NAME_ONLY = "name only"
# Functions that one call is linked with; where more flow to it, it is not known what it calls. Methods of one name in
# different classes override each other: each of them is called on some receiver.
MOST_CALLEES, MOST_OVERRIDES = 8, 32
# Functions of other libraries that one call may lead to; more are all that ever flows there.
MOST_OUTSIDE = 3
MOST_CHARACTERS = 200
# Between a module and a module in it, where a name that is imported may be one.
SEPARATORS = {"python": ".", "rust": "::"}
# Families of languages whose `import a.*` brings in names that the code then uses without `a`.
STARRED = frozenset({"python", "rust", "java"})
# Functions that a use may mean that are kept: those of a table that one call goes through are rarely more.
MOST_CANDIDATES = 100


class Found(NamedTuple):
    """The links of one file, and what did not become one; `is_coarse`: values were not followed to their end."""

    sites: list[Site]
    loose: Loose
    is_coarse: bool = False


def solved(
    programs: Mapping[str, bytes], modules: Modules, members: Iterable[str], needed: Iterable[str]
) -> dict[str, Found]:
    """Return the links of the members of a group, in their order."""
    units: dict[str, Unit] = {}
    keys: dict[str, list[str]] = {}
    with uncollected():
        for path, content in programs.items():
            units[path], keys[path] = read_program(content)
        solution = solve(units, modules, faces=frozenset(needed))
        found = _Places(units, keys, modules, members).found(solution)
        return {path: each._replace(is_coarse=solution.is_coarse) for path, each in found.items()}


def _by_site(calls: Iterable[CallEdge]) -> list[list[CallEdge]]:
    """Return calls by the places in the code that make them."""
    sites: dict[tuple[Place, int, int], list[CallEdge]] = {}
    for call in calls:
        sites.setdefault((call.caller, call.line, call.column), []).append(call)
    return list(sites.values())


class _Places:
    """Places in programs as keys of symbols."""

    def __init__(
        self, units: Mapping[str, Unit], keys: Mapping[str, list[str]], modules: Modules, members: Iterable[str]
    ) -> None:
        self._units, self._keys, self._modules = units, keys, modules
        self._files = {path: Found([], Loose([], [], [])) for path in members}
        self._known: dict[Place, str] = {}
        self._outside: dict[tuple[Place, int, int], list[str]] = {}

    def key(self, place: Place) -> str:
        """Return the key of the symbol around a scope; "" for the file."""
        known = self._known.get(place)
        if known is None:
            path, number = place
            scope = self._units[path].scopes[number]
            keys = self._keys[path]
            if number <= 0:
                known = ""
            elif 0 <= scope.symbol < len(keys):
                known = keys[scope.symbol]
            else:
                known = self.key((path, max(scope.parent, 0))) if scope.parent != number else ""
            self._known[place] = known
        return known

    def target(self, place: Place) -> str:
        """Return a place as links name it."""
        key = self.key(place)
        return f"s{place[0]}::{key}" if key else f"f{place[0]}"

    def found(self, solution: Solution) -> dict[str, Found]:
        """Return the links of every file."""
        for calls in _by_site(solution.calls):
            self._calls(calls)
        for derived in solution.derivations:
            self._derivation(derived)
        for use in solution.uses:
            self._link(use.user, self.target(use.used), "DEPENDS_ON", use.line, "name", USE_CONFIDENCE)
        for opened in (*solution.ambiguous, *solution.unresolved):
            self._open(opened)
        self._outside_calls()
        for path, found in self._files.items():
            if path in self._units:
                self._imports(path, {site.target[1:].partition("::")[0] for site in found.sites})
        return self._files

    def _calls(self, calls: list[CallEdge]) -> None:
        """Link a caller with the targets of one call; more targets mean less confidence."""
        caller, line, column = calls[0].caller, calls[0].line, calls[0].column
        # What a front end evaluates twice has its place in the code only once.
        if not line or caller[0] not in self._files:
            return
        outside = [call.callee for call in calls if isinstance(call.callee, str)]
        if outside:
            self._outside[caller, line, column] = outside
        inside = [call for call in calls if not isinstance(call.callee, str) and not self._is_part(caller, call.callee)]
        if not inside:
            return
        only, callee = inside[0], inside[0].callee
        if len(inside) == 1 and not isinstance(callee, str) and only.how != NAME_ONLY:
            self._link(caller, self.target(callee), "CALLS", line, only.how, only.confidence, column)
            return
        # Several of one name are one or another of them; `with Server() as s` calls three functions, and all of them.
        names = Counter(self._name(call) for call in inside)
        most = MOST_OVERRIDES if len(names) == 1 and self._is_overridden(inside) else MOST_CALLEES
        if len(inside) > most or inside[0].how == NAME_ONLY or self._are_overloads(inside):
            places = tuple(call.callee for call in inside if not isinstance(call.callee, str))
            name = self._units[places[0][0]].scopes[places[0][1]].name
            self._open(OpenCall(caller, name, line, column, places))
            return
        for call in inside:
            if not isinstance(call.callee, str):
                confidence = call.confidence / names[self._name(call)] ** 0.5
                self._link(caller, self.target(call.callee), "CALLS", line, call.how, confidence, column)

    def _is_part(self, caller: Place, callee: Place) -> bool:
        """Tell whether a function without a name belongs to its caller: `rows.map(row => …)` is no recursion."""
        is_nameless = callee[1] > 0 and self._units[callee[0]].scopes[callee[1]].symbol < 0
        return is_nameless and self.target(callee) == self.target(caller)

    def _are_overloads(self, calls: list[CallEdge]) -> bool:
        """Tell whether several overloads of one class are left that the arguments do not tell apart."""
        places = [call.callee for call in calls if not isinstance(call.callee, str)]
        scopes = [(path, self._units[path].scopes[number]) for path, number in places]
        counts = Counter((path, scope.parent, scope.name) for path, scope in scopes if scope.arity >= 0)
        return max(counts.values(), default=0) > 1

    def _is_overridden(self, calls: list[CallEdge]) -> bool:
        """Tell whether functions of one name belong to one class each."""
        places = [call.callee for call in calls if not isinstance(call.callee, str)]
        return len({(path, self._units[path].scopes[place].parent) for path, place in places}) == len(places)

    def _name(self, call: CallEdge) -> str:
        return call.callee if isinstance(call.callee, str) else self._units[call.callee[0]].scopes[call.callee[1]].name

    def _outside_calls(self) -> None:
        """Record calls of other libraries, unless a call has too many targets."""
        lines: dict[tuple[str, str, str], list[int]] = {}
        for (caller, line, _), names in self._outside.items():
            if len(names) <= MOST_OUTSIDE:
                for name in names:
                    lines.setdefault((caller[0], self.key(caller), name[:MOST_CHARACTERS]), []).append(line)
        for (path, key, name), at in lines.items():
            self._files[path].loose.outside.append(OutsideSite(key, name, "CALLS", tuple(sorted(set(at)))))

    def _derivation(self, derived: Derivation) -> None:
        if derived.derived[0] not in self._files:
            return
        scope = self._units[derived.derived[0]].scopes[derived.derived[1]]
        relation = "IMPLEMENTS" if derived.implements else "INHERITS"
        if isinstance(derived.base, str):
            site = OutsideSite(self.key(derived.derived), derived.base, relation, (scope.line,))
            self._files[derived.derived[0]].loose.outside.append(site)
            return
        base = self._units[derived.base[0]].scopes[derived.base[1]]
        if base.kind == "interface":
            relation = "EXTENDS" if scope.kind == "interface" else "IMPLEMENTS"
        self._link(derived.derived, self.target(derived.base), relation, scope.line, "name", HEIR_CONFIDENCE)

    def _imports(self, path: str, used: set[str]) -> None:
        """Link a file with imported files; of a package, with those it uses."""
        for scope in self._units[path].scopes:
            for each in scope.body:
                if not isinstance(each, Import) or not each.line:
                    continue
                found = self._imported(path, each)
                if len(found) > 1:
                    offering = [other for other in found if each.name in self._modules.files[other].names]
                    found = tuple(offering or [other for other in found if other in used])
                for other in found:
                    if other != path:
                        self._link((path, 0), f"f{other}", "IMPORTS", each.line, "import", IMPORT_CONFIDENCE)
                if not found and not each.module.startswith(FILE):
                    self._imported_from_outside(path, each)

    def _imported(self, path: str, each: Import) -> tuple[str, ...]:
        """Return the files of an import; the imported name may be a submodule."""
        modules = self._modules
        if each.name not in (None, "*"):
            joint = SEPARATORS.get(modules.family(path))
            inner = f"{each.module}{joint}{each.name}" if each.module else each.name
            below = modules.find(path, inner, each.level) if joint and inner else ()
            if below:
                return below
        return modules.find(path, each.module, each.level)

    def _imported_from_outside(self, path: str, each: Import) -> None:
        is_module = each.name is None or (each.name == "*" and self._modules.family(path) not in STARRED)
        name = each.module if is_module else f"{each.module}.{each.name}"
        self._files[path].loose.outside.append(OutsideSite("", name, "IMPORTS", (each.line,)))

    def _open(self, call: OpenCall) -> None:
        if not call.line or call.caller[0] not in self._files:
            return
        key, loose = self.key(call.caller), self._files[call.caller[0]].loose
        if not call.candidates:
            loose.unresolved.append(UnresolvedSite(key, call.name, call.line, call.column))
            return
        found = tuple(dict.fromkeys(self.target(place) for place in call.candidates))
        loose.ambiguous.append(
            AmbiguousSite(key, call.name, found[:MOST_CANDIDATES], call.line, call.column, total=len(found))
        )

    def _link(
        self, source: Place, target: str, relation: str, line: int, how: str, confidence: float, column: int = 0
    ) -> None:
        if source[0] not in self._files:
            return
        key = self.key(source)
        own = f"s{source[0]}::{key}" if key else f"f{source[0]}"
        # Recursion is kept as a call; a type that names itself is no link.
        if own != target or relation == "CALLS":
            self._files[source[0]].sites.append(Site(key, target, relation, line, column, how, confidence))
