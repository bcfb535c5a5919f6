"""From what was solved to the links of each file: places in programs become keys of symbols.

calls       CALLS         a call that only the name speaks for is no link: it is kept as one that may mean something
heirs       INHERITS, IMPLEMENTS; EXTENDS between interfaces
imports     IMPORTS       from file to file
uses        DEPENDS_ON    types, and functions that are passed on
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from recollect.code.resolve.link_groups import Group, Plan
from recollect.code.resolve.link_pack import Loose, Site
from recollect.code.resolve.program import Unit
from recollect.code.resolve.solve import CallEdge, Heir, OpenCall, Solution, solve
from recollect.code.resolve.translate import read_program
from recollect.code.resolve.world import Place
from recollect.store.link_protocol import AmbiguousSite, OutsideSite, UnresolvedSite

# What deriving, importing and using are worth: they are written down, and only what a name means may be mistaken.
HEIR_CONFIDENCE = 0.98
IMPORT_CONFIDENCE = 1.0
USE_CONFIDENCE = 0.9
# A call by which nothing but a name speaks for its target.
NAME_ONLY = "name only"
# Functions that a use may mean that are kept; more say nothing.
MOST_CANDIDATES = 25


class Found(NamedTuple):
    """The links of one file, and what did not become one."""

    sites: list[Site]
    loose: Loose


def solved(programs: Mapping[str, bytes], plan: Plan, group: Group) -> dict[str, Found]:
    """Return the links of the members of a group; a member without a program has none."""
    units: dict[str, Unit] = {}
    keys: dict[str, list[str]] = {}
    for path, content in programs.items():
        units[path], keys[path] = read_program(content)
    is_whole = not group.needed
    solution = solve(units, plan.modules, None if is_whole else frozenset(group.members))
    return _Places(units, keys, plan, group).found(solution)


class _Places:
    """Places in programs as keys of symbols."""

    def __init__(self, units: Mapping[str, Unit], keys: Mapping[str, list[str]], plan: Plan, group: Group) -> None:
        self._units, self._keys, self._plan = units, keys, plan
        self._files = {path: Found([], Loose([], [], [])) for path in group.members}

    def key(self, place: Place) -> str:
        """Return the key of the symbol that a scope is, or lies in; "" for the file itself."""
        path, number = place
        scopes = self._units[path].scopes
        while number > 0:
            symbol = scopes[number].symbol
            if 0 <= symbol < len(self._keys[path]):
                return self._keys[path][symbol]
            number = scopes[number].parent
        return ""

    def target(self, place: Place) -> str:
        """Return a place as links name it."""
        key = self.key(place)
        return f"s{place[0]}::{key}" if key else f"f{place[0]}"

    def found(self, solution: Solution) -> dict[str, Found]:
        """Return the links of every file."""
        for call in solution.calls:
            self._call(call)
        for heir in solution.heirs:
            self._heir(heir)
        for row in solution.imports:
            self._import(row.importer, row.imported, row.line, is_external=row.is_external)
        for use in solution.uses:
            self._link(use.user, self.target(use.used), "DEPENDS_ON", use.line, "name", USE_CONFIDENCE)
        for opened in (*solution.ambiguous, *solution.unresolved):
            self._open(opened)
        return self._files

    def _call(self, call: CallEdge) -> None:
        # What a front end evaluates twice has its place in the code only once.
        if not call.line or call.caller[0] not in self._files:
            return
        if isinstance(call.callee, str):
            site = OutsideSite(self.key(call.caller), call.callee, "CALLS", call.line, call.column, call.how)
            self._files[call.caller[0]].loose.outside.append(site)
        elif call.how == NAME_ONLY:
            name = self._units[call.callee[0]].scopes[call.callee[1]].name
            self._open(OpenCall(call.caller, name, call.line, call.column, (call.callee,)))
        else:
            target = self.target(call.callee)
            self._link(call.caller, target, "CALLS", call.line, call.how, call.confidence, call.column)

    def _heir(self, heir: Heir) -> None:
        if heir.heir[0] not in self._files:
            return
        scope = self._units[heir.heir[0]].scopes[heir.heir[1]]
        relation = "IMPLEMENTS" if heir.implements else "INHERITS"
        if isinstance(heir.base, str):
            site = OutsideSite(self.key(heir.heir), heir.base, relation, scope.line)
            self._files[heir.heir[0]].loose.outside.append(site)
            return
        base = self._units[heir.base[0]].scopes[heir.base[1]]
        if base.kind == "interface":
            relation = "EXTENDS" if scope.kind == "interface" else "IMPLEMENTS"
        self._link(heir.heir, self.target(heir.base), relation, scope.line, "name", HEIR_CONFIDENCE)

    def _import(self, importer: str, imported: str, line: int, *, is_external: bool) -> None:
        if not line or importer not in self._files:
            return
        if not is_external:
            self._link((importer, 0), f"f{imported}", "IMPORTS", line, "import", IMPORT_CONFIDENCE)
            return
        crossed = self._plan.crossed.get((self._plan.modules.family(importer), imported))
        if crossed:
            self._link((importer, 0), f"={crossed}", "IMPORTS", line, "package", IMPORT_CONFIDENCE)
        self._files[importer].loose.outside.append(OutsideSite("", imported, "IMPORTS", line))

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
        # A function that calls itself is no dependency of it; a call says so, a type that names itself says nothing.
        if own != target or relation == "CALLS":
            self._files[source[0]].sites.append(Site(key, target, relation, line, column, how, confidence))
