"""Constants: which one a name or a member means, found when all values have flowed."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.code.links import program as ir
from recollect.code.links.flow_values import STAR, Class, Declared, Frame, Module, Object
from recollect.code.links.solver_state import Place, State

# Files through which a constant is offered further.
DEEPEST = 8


class Constants:
    """The constants of all files, by the scope that holds them and their name."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._held: dict[tuple[str, int, str], Place] = {}
        self._bound: dict[str, dict[str, list[ir.Statement]]] = {}
        for path, unit in state.units.items():
            for each in unit.constants:
                self._held.setdefault((path, each.scope, each.name), (path, ~each.symbol))

    def meant(self, value: ir.Expression, frame: Frame) -> list[Place]:
        """Return the constants that an expression may mean."""
        if not self._held:
            return []
        if isinstance(value, ir.Name):
            return list(dict.fromkeys(self._named(value.name, frame)))
        return list(dict.fromkeys(self._member(value, frame))) if isinstance(value, ir.Member) else []

    def _named(self, name: str, frame: Frame) -> Iterator[Place]:
        around: Frame | None = frame
        while around is not None:
            if around.owner is not None and around is around.owner.frame:
                if found := self._of_class(around.owner, name):
                    yield found
                    return
            elif around.parent is not None and name in around.names:
                return
            around = around.parent
        offered = list(self._offered(frame.path, name, 0))
        yield from offered
        for path in self._state.modules.visible(frame.path, name) if not offered else ():
            if (path, 0, name) in self._held:
                yield self._held[path, 0, name]

    def _of_class(self, of: Class, name: str) -> Place | None:
        return next((place for each in of.order if (place := self._held.get((each.path, each.place, name)))), None)

    def _member(self, value: ir.Member, frame: Frame) -> Iterator[Place]:
        for of in self._state.evaluate(value.of, frame).values:
            if isinstance(of, Module):
                for path in of.paths:
                    yield from self._offered(path, value.name, 0)
                continue
            of = of.of if isinstance(of, Object | Declared) else of
            if isinstance(of, Class) and (found := self._of_class(of, value.name)):
                yield found

    def _offered(self, path: str, name: str, depth: int) -> Iterator[Place]:
        """Yield the constants that a file binds or offers under a name."""
        if (path, 0, name) in self._held:
            yield self._held[path, 0, name]
            return
        frame = self._state.frames.get((path, 0))
        if frame is None or depth > DEEPEST:
            return
        bound = self._bindings(path)
        for each in (*bound.get(name, ()), *bound.get(STAR, ())):
            if isinstance(each, ir.Import):
                asked = name if each.name == STAR else each.name or ""
                for other in self._state.modules.find(path, each.module, each.level):
                    if other != path:
                        yield from self._offered(other, asked, depth + 1)
            elif isinstance(each, ir.Assign | ir.Export):
                of = each.value
                if isinstance(of, ir.Member):
                    yield from self._member(of, frame)
                elif isinstance(of, ir.Name) and of.name != name:
                    yield from self._offered(path, of.name, depth + 1)

    def _bindings(self, path: str) -> dict[str, list[ir.Statement]]:
        """Return by name the statements at the top of a file that give it a value from elsewhere."""
        found = self._bound.get(path)
        if found is None:
            found = self._bound[path] = {}
            for each in self._state.units[path].scopes[0].body:
                if isinstance(each, ir.Import):
                    name = STAR if each.name == STAR and not each.alias else each.alias or each.name or ""
                    found.setdefault(name, []).append(each)
                elif isinstance(each, ir.Export):
                    found.setdefault(each.name, []).append(each)
                elif (
                    isinstance(each, ir.Assign)
                    and isinstance(each.target, ir.Name)
                    and isinstance(each.value, ir.Member)
                ):
                    found.setdefault(each.target.name, []).append(each)
        return found
