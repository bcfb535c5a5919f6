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
        self._bound: dict[str, dict[str, list[ir.Statement]]] = {}
        self._held: dict[tuple[str, int, str], Place] = {}
        for path, unit in state.units.items():
            for each in unit.constants:
                self._held.setdefault((path, each.scope, each.name), (path, ~each.symbol))

    def meant(self, value: ir.Expression, frame: Frame) -> list[Place]:
        """Return the constants that an expression may mean."""
        if isinstance(value, ir.Name):
            return list(dict.fromkeys(self._named(value.name, frame)))
        return list(dict.fromkeys(self._member(value, frame))) if isinstance(value, ir.Member) else []

    def _named(self, name: str, frame: Frame) -> Iterator[Place]:
        around: Frame | None = frame
        while around is not None and around.parent is not None:
            if around.owner is not None and around is around.owner.frame:
                if found := self._of_class(around.owner, name):
                    yield found
                    return
            elif name in around.names:
                return
            around = around.parent
        offered = list(self._offered(frame.path, name))
        visible = self._state.modules.visible(frame.path, name) if not offered else ()
        yield from offered or [self._held[path, 0, name] for path in visible if (path, 0, name) in self._held]

    def _of_class(self, of: Class, name: str) -> Place | None:
        return next((place for each in of.order if (place := self._held.get((each.path, each.place, name)))), None)

    def _member(self, value: ir.Member, frame: Frame) -> Iterator[Place]:
        for of in self._state.evaluate(value.of, frame).values:
            for path in of.paths if isinstance(of, Module) else ():
                yield from self._offered(path, value.name)
            owner = of.of if isinstance(of, Object | Declared) else of
            if isinstance(owner, Class) and (found := self._of_class(owner, value.name)):
                yield found

    def _offered(self, path: str, name: str, depth: int = 0) -> Iterator[Place]:
        """Yield the constants that a file binds or offers under a name."""
        frame = self._state.frames.get((path, 0))
        if (path, 0, name) in self._held:
            yield self._held[path, 0, name]
        elif frame is not None and depth < DEEPEST:
            bound = self._bindings(path)
            for each in (*bound.get(name, ()), *bound.get(STAR, ())):
                if isinstance(each, ir.Import):
                    asked = name if each.name == STAR else each.name or ""
                    for other in self._state.modules.find(path, each.module, each.level):
                        yield from self._offered(other, asked, depth + 1) if other != path else ()
                elif isinstance(each.value, ir.Member):
                    yield from self._member(each.value, frame)
                elif isinstance(each.value, ir.Name) and each.value.name != name:
                    yield from self._offered(path, each.value.name, depth + 1)

    def _bindings(self, path: str) -> dict[str, list[ir.Statement]]:
        """Return by name the statements at the top of a file that give it a value from elsewhere."""
        if path not in self._bound:
            found: dict[str, list[ir.Statement]] = {}
            for each in self._state.units[path].scopes[0].body:
                if isinstance(each, ir.Import | ir.Export):
                    name = (each.alias or each.name or "") if isinstance(each, ir.Import) else each.name
                    found.setdefault(name, []).append(each)
                elif isinstance(each, ir.Assign) and isinstance(each.target, ir.Name):
                    found.setdefault(each.target.name, []).append(each)
            self._bound[path] = found
        return self._bound[path]
