"""From what was solved to the links of each file: places in programs become keys of symbols.

calls       CALLS         a call resolved by its name alone is no link: it is kept as one that may mean something
derivations INHERITS, IMPLEMENTS; EXTENDS between interfaces
imports     IMPORTS       from file to file
uses        DEPENDS_ON    types, and functions that are passed on
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from recollect.code.links.link_pack import Loose, Site
from recollect.code.links.member_lookup import FUNCTIONAL
from recollect.code.links.module_finder import Modules
from recollect.code.links.program import CASE, Import, Scope, Unit, as_written, read_program
from recollect.code.links.solution import CONFIDENCE, Derivation, OpenCall, Solution
from recollect.code.links.solver import solve
from recollect.code.links.solver_state import CallSite, Place
from recollect.store.link_rows import ALIAS, AmbiguousSite, OutsideSite, UnresolvedSite

# What deriving, importing and using are worth: they are written down, and only what a name means may be mistaken.
HEIR_CONFIDENCE = 0.98
# A method and the one it overrides: it has to follow a changed signature, not a changed body.
OVERRIDE_CONFIDENCE = 0.6
IMPORT_CONFIDENCE = 1.0
USE_CONFIDENCE = 0.9
# Functions that one call is linked with; where more flow to it, it is not known what it calls. Methods of one name in
# different classes override each other: each of them is called on some receiver.
MOST_CALLEES, MOST_OVERRIDES = 8, 32
# Functions of other libraries that one call may lead to; more are all that ever flows there.
MOST_OUTSIDE = 3
MOST_CHARACTERS = 200
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
    faces = frozenset(needed)
    for path, content in programs.items():
        units[path], keys[path] = (_read_face if path in faces else read_program)(content)
    solution = solve(units, modules, faces=faces)
    found = _Places(units, keys, modules, members).found(solution)
    return {path: each._replace(is_coarse=solution.is_coarse) for path, each in found.items()}


_read_face = lru_cache(500)(read_program)  # most often the next group needs the same ones


class _Places:
    """Places in programs as keys of symbols."""

    def __init__(
        self, units: Mapping[str, Unit], keys: Mapping[str, list[str]], modules: Modules, members: Iterable[str]
    ) -> None:
        self._units, self._keys, self._modules = units, keys, modules
        self._files = {path: Found([], Loose([], [], [], [])) for path in members}
        self._known: dict[Place, str] = {}
        self._targets: dict[Place, str] = {}
        self._outside: dict[CallSite, list[str]] = {}

    def key(self, place: Place) -> str:
        """Return the key of the symbol around a scope; "" for the file."""
        path, number = place
        if number < 0:  # a symbol that is no scope
            return self._keys[path][~number]
        known = self._known.get(place) if number > 0 else ""
        if known is None:
            scope, keys = self._scope(place), self._keys[path]
            if 0 <= scope.symbol < len(keys):
                known = keys[scope.symbol]
            else:
                known = self.key((path, scope.parent)) if scope.parent != number else ""
            self._known[place] = known
        return known

    def target(self, place: Place) -> str:
        """Return a place as links name it."""
        known = self._targets.get(place)
        if known is None:
            key = self.key(place)
            known = self._targets[place] = f"s{place[0]}::{key}" if key else f"f{place[0]}"
        return known

    def found(self, solution: Solution) -> dict[str, Found]:
        """Return the links of every file."""
        for site, callees in solution.sites.items():
            if site[1]:  # what a front end evaluates twice has its place in the code only once
                self._calls(site, callees)
        for derived in solution.derivations:
            self._derivation(derived)
        for use in solution.uses:
            self._link(use.user, use.used, "DEPENDS_ON", use.line, "name", USE_CONFIDENCE)
        for path, name, place in solution.aliases:
            self._alias(path, name, self.target(place))
        for opened in solution.open_calls:
            self._open(opened)
        self._outside_calls(solution.given)
        for path, found in self._files.items():
            if path in self._units:
                self._imports(path, {site.target[1:].partition("::")[0] for site in found.sites})
        return self._files

    def _calls(self, site: CallSite, callees: Mapping[Place | str, str]) -> None:
        """Link a caller with the targets of one call; more targets mean less confidence."""
        caller, line, column = site
        outside = [callee for callee in callees if type(callee) is str]
        if outside:
            self._outside[site] = outside
            if len(outside) == len(callees):
                return
        inside = [place for place in callees if type(place) is tuple and not self._is_part(caller, place)]
        # Several of one name are one or another of them; `with Server() as s` calls three functions, and all of them.
        names = [self._scope(place).name for place in inside]
        if len(inside) > 1:
            owners = {(place[0], self._scope(place).parent) for place in inside}
            most = MOST_OVERRIDES if len(set(names)) == 1 and len(owners) == len(inside) else MOST_CALLEES
            if len(inside) > most or (len(owners) < len(inside) and self._are_overloads(inside)):
                inside.sort()
                self._open(OpenCall(caller, self._scope(inside[0]).name, line, column, tuple(inside)))
                return
        for name, place in zip(names, inside, strict=True):
            how = callees[place]
            self._link(caller, place, "CALLS", line, how, CONFIDENCE[how] / names.count(name) ** 0.5, column)

    def _scope(self, place: Place) -> Scope:
        return self._units[place[0]].scopes[place[1]]

    def _is_part(self, caller: Place, callee: Place) -> bool:
        """Tell whether a function belongs to its caller (`rows.map(row => …)`), to a test or to an interface."""
        scope = self._scope(callee)
        is_own = FUNCTIONAL in scope.marks or self.target(callee) == self.target(caller)
        return CASE in scope.marks or (is_own and callee[1] > 0 and scope.symbol < 0)

    def _are_overloads(self, places: Iterable[Place]) -> bool:
        """Tell whether several overloads of one class are left that the arguments do not tell apart."""
        scopes = [(place[0], self._scope(place)) for place in places]
        counts = Counter((path, scope.parent, scope.name) for path, scope in scopes if scope.arity >= 0)
        return max(counts.values(), default=0) > 1

    def _outside_calls(self, given: Mapping[CallSite, int]) -> None:
        """Record calls of other libraries; of too many targets those with the fewest parts."""
        lines: dict[tuple[str, str, str, int], list[int]] = {}
        for site, names in self._outside.items():
            caller, line, _ = site
            first = names
            if len(names) > 1:  # `x = x.next()` in a loop: the first is meant
                first = [name for name in names if not any(name.startswith(f"{other}.") for other in names)]
            for name in sorted(first, key=lambda name: name.count("."))[:MOST_OUTSIDE]:
                key = (caller[0], self.key(caller), name[:MOST_CHARACTERS], given.get(site, -1))
                lines.setdefault(key, []).append(line)
        for (path, source, name, count), at in lines.items():
            self._files[path].loose.outside.append(OutsideSite(source, name, "CALLS", tuple(sorted(set(at))), count))

    def _derivation(self, derived: Derivation) -> None:
        if derived.derived[0] not in self._files:
            return
        scope = self._scope(derived.derived)
        relation = "IMPLEMENTS" if derived.implements else "INHERITS"
        if not isinstance(derived.base, str) and self._scope(derived.base).kind == "interface":
            relation = "EXTENDS" if scope.kind == "interface" else "IMPLEMENTS"
        sure = OVERRIDE_CONFIDENCE if scope.kind == "function" else HEIR_CONFIDENCE
        self._link(derived.derived, derived.base, relation, scope.line, "name", sure)

    def _imports(self, path: str, used: set[str]) -> None:
        """Link a file with imported files; of a package, with those it uses."""
        for scope in self._units[path].scopes:
            for each in scope.body:
                if type(each) is not Import or not each.line:
                    continue
                found = self._imported(path, each)
                if len(found) > 1:
                    offering = [other for other in found if each.name in self._modules.files[other].names]
                    found = tuple(offering or [other for other in found if other in used])
                for other in found:
                    if other != path:
                        self._link((path, 0), (other, 0), "IMPORTS", each.line, "import", IMPORT_CONFIDENCE)
                if not found:
                    is_module = each.name is None or (each.name == "*" and self._modules.family(path) not in STARRED)
                    name = each.module if is_module else f"{each.module}.{each.name}"
                    self._link((path, 0), name, "IMPORTS", each.line, "import", IMPORT_CONFIDENCE)

    def _imported(self, path: str, each: Import) -> tuple[str, ...]:
        """Return the files of an import; the imported name may be a submodule."""
        below = () if each.name in (None, "*") else self._modules.inside(path, each.module, each.name or "", each.level)
        return below or self._modules.find(path, each.module, each.level)

    def _alias(self, path: str, name: str, target: str) -> None:
        """Link a constant with the function that it is; a name without a symbol is kept for other trees."""
        found = self._files.get(path)
        if found is not None and name in self._keys[path]:
            found.sites.append(Site(name, target, "DEPENDS_ON", 0, 0, "name", USE_CONFIDENCE))
        elif found is not None and target[0] == "s":
            found.loose.aliases.append((ALIAS + as_written(name), target))

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
        self, source: Place, used: Place | str, relation: str, line: int, how: str, confidence: float, column: int = 0
    ) -> None:
        if source[0] not in self._files:
            return
        found, key = self._files[source[0]], self.key(source)
        if isinstance(used, str):
            found.loose.outside.append(OutsideSite(key, used[:MOST_CHARACTERS], relation, (line,)))
            return
        target = self.target(used)
        # Recursion is kept as a call; a type that names itself is no link.
        if relation == "CALLS" or self.target(source) != target:
            found.sites.append(Site(key, target, relation, line, column, how, confidence))
