"""Course: what holds at one place of a body, where the order of its statements is known.

    f = a               f@1 = a
    f()                 f@1()               not b
    if c:
        f = b           f@2 = b
    f()                 f@3 = f@1 | f@2     where ways meet, so do the versions
    d["k"] = f
    d["k"]()            f@3()               what was just stored is what is found, whatever was there before

Only the body itself is read so. A function inside it runs at any time: it sees all that a name is ever given. What was
stored in a table or an object is known until the next call, which may store something else there.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recollect.code.resolve.frame import add_targets
from recollect.code.resolve.program import Assign, Expression, Import, Item, Member, Name, Scope
from recollect.code.resolve.values import Variable

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from recollect.code.resolve.frame import Frame
    from recollect.code.resolve.program import Statement, Unit
    from recollect.code.resolve.values import Work

Way = tuple[int, int, bool]  # first statement, the one after the last, whether it may happen more than once

# A mark of a scope whose statements do not all stand in their order.
UNORDERED = "unordered"


class _Open:
    """A way that is being gone: what held when it began, and the versions that come around in a loop."""

    __slots__ = ("before", "end", "looped")

    def __init__(self, end: int, before: dict[str, Variable], looped: dict[str, Variable] | None) -> None:
        self.end, self.before, self.looped = end, before, looped


class Course:
    """The place in a body that its reading has come to. A body may be read twice, each time for other statements."""

    __slots__ = (
        "_at",
        "_every",
        "_made",
        "_names",
        "_open",
        "_scope",
        "_stored",
        "_ways",
        "_work",
        "is_running",
        "now",
    )

    def __init__(self, work: Work, frame: Frame, shared: frozenset[str]) -> None:
        self._work, self._scope, self._every = work, frame.scope, frame.names
        body = frame.scope.body
        assigned = _targets(body)
        self._names: frozenset[str] = frozenset()
        if len(assigned) > len(set(assigned)):
            # A parameter may hold whatever is passed at any time, an import is what the file brings in: one value.
            plain = {parameter.name for parameter in frame.scope.parameters} | shared
            plain |= {each.alias or each.name or "" for each in body if isinstance(each, Import)}
            counts = Counter(assigned)
            self._names = frozenset(name for name, count in counts.items() if count > 1 and name not in plain)
        self._made: dict[tuple[int, str, str], Variable] = {}
        self.restart()

    def restart(self) -> None:
        """Go back to the beginning."""
        self._ways: list[Way] = sorted(self._scope.ways, key=lambda way: (-way[0], way[1]))  # the last comes first
        self._open: list[_Open] = []
        self._at = -1
        self._stored: dict[Hashable, Variable] = {}
        self.now: dict[str, Variable] = {}
        self.is_running = False

    def begin(self) -> None:
        """Go to the next statement."""
        self._at += 1
        while self._open and self._open[-1].end <= self._at:
            self._close(self._open.pop())
        while self._ways and self._ways[-1][0] == self._at:
            self._enter(*self._ways.pop())
        self.is_running = True

    def end(self) -> None:
        """Leave a statement: what is evaluated now belongs to no place."""
        self.is_running = False

    def _version(self, name: str, what: str) -> tuple[Variable, bool]:
        """Return the version of a name that is made here, and whether it is new."""
        key = (self._at, name, what)
        found = self._made.get(key)
        if found is not None:
            return found, False
        found = self._made[key] = Variable(self._work)
        return found, True

    # --- ways ---

    def _enter(self, start: int, end: int, is_repeated: bool) -> None:
        self._stored.clear()
        before = dict(self.now)
        if not is_repeated or not self._names:
            self._open.append(_Open(end, before, None))
            return
        inside = {*_targets(self._scope.body[start:end])} & self._names
        looped = {}
        for name in sorted(inside):
            looped[name], is_new = self._version(name, f"loop to {end}")
            if name in self.now and is_new:
                self.now[name].flow(looped[name])
        self.now.update(looped)
        self._open.append(_Open(end, before, looped))

    def _close(self, way: _Open) -> None:
        self._stored.clear()
        if way.looped is not None:
            self.now.update(way.looped)
            return
        for name, variable in list(self.now.items()):
            before = way.before.get(name)
            if before is not None and before is not variable:
                self.now[name], is_new = self._version(name, f"met {len(self._open)}")
                if is_new:
                    before.flow(self.now[name])
                    variable.flow(self.now[name])

    # --- names ---

    def read(self, name: str) -> Variable | None:
        """Return what a name of this scope holds here; None where that is all it is ever given."""
        return self.now.get(name) if self.is_running else None

    def assign(self, name: str, value: Variable | None) -> bool:
        """Let a name hold something else from here on; returns False for a name that is not followed by place."""
        if not self.is_running or name not in self._names:
            return False
        version, is_new = self._version(name, "")
        self.now[name] = version
        if value is not None:
            value.flow(version)
        if is_new:
            version.flow(self._every[name])
            for way in self._open:
                if way.looped is not None and name in way.looped:
                    version.flow(way.looped[name])
        return True

    def pass_by(self, statement: Statement) -> None:
        """Let the targets of a statement hold what it gives them when it is read."""
        for name in _targets((statement,)):
            self.assign(name, None)
        if not isinstance(statement, Assign):
            self.forget()

    # --- what was stored ---

    def store(self, target: Expression, value: Variable) -> None:
        """Note what was stored in a member or an item; the same member of anything else may be the same place."""
        key = self._path(target)
        last = key[-2:] if isinstance(key, tuple) else None
        for other in list(self._stored):
            if last is None or (isinstance(other, tuple) and other[-2:] == last):
                del self._stored[other]
        if key is not None:
            self._stored[key] = value

    def stored(self, of: Expression) -> Variable | None:
        """Return what was just stored in a member or an item."""
        if not self._stored or not self.is_running:
            return None
        key = self._path(of)
        return self._stored.get(key) if key is not None else None

    def forget(self) -> None:
        """Forget what was stored: something was called."""
        self._stored.clear()

    def _path(self, of: Expression) -> tuple[Hashable, ...] | None:
        if isinstance(of, Name):
            return (of.name, id(self.now.get(of.name)))
        if isinstance(of, Member):
            path = self._path(of.of)
            return (*path, ".", of.name) if path is not None else None
        if isinstance(of, Item) and of.key is not None:
            path = self._path(of.of)
            return (*path, str(type(of.key)), of.key) if path is not None else None
        return None


def course(work: Work, frame: Frame, unit: Unit) -> Course | None:
    """Return the course of a body; None where its order is not known."""
    if not unit.is_ordered or UNORDERED in frame.scope.marks:
        return None
    module = frame.module
    if module.shared is None:
        module.shared = _shared(unit.scopes)
    return Course(work, frame, module.shared)


def _shared(scopes: tuple[Scope, ...]) -> frozenset[str]:
    """Return the names that functions assign to in scopes around them."""
    return frozenset(name for scope in scopes for name in (*scope.global_names, *scope.outer_names))


def _targets(body: Sequence[Statement]) -> list[str]:
    """Return the names that statements assign to, as often as they do."""
    found: list[str] = []
    for statement in body:
        if type(statement) is Assign:
            add_targets(statement.target, found)
    return found
