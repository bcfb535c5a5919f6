"""The state of the solver: frames, values that are made once, calls that were found."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import TypeVar

import msgspec

from recollect.code.links import flow_values as fv
from recollect.code.links.library_table import MADE, OBJECT, UNKNOWN
from recollect.code.links.module_finder import Modules
from recollect.code.links.overload_choice import Signature
from recollect.code.links.program import Expression, Key, Member, Name, Unit, Use

# (path of the file, place of the scope in its program)
Place = tuple[str, int]
# (the function around a call, line, column)
CallSite = tuple[Place, int, int]
IMPLICIT = "implicit"  # a mark: not written in the source, so that calls of it and in it are none


class Site(msgspec.Struct):
    """A place in the code: scope, line, column; of a member its receivers.

    is_call: whether it is one; entered: then, the functions that were called here, with what they were given
    """

    frame: fv.Frame
    line: int = 0
    column: int = 0
    how: str = ""
    is_implied: bool = False
    receivers: fv.Variable | None = None
    is_call: bool = False
    entered: dict[tuple[fv.Function, int], Sequence[Given]] | None = None

    @property
    def caller(self) -> Place:
        """The function around, or the file."""
        return self.frame.caller

    def found(self, how: str) -> Site:
        """Return the same place as one where something is known in another way."""
        if self.is_call and self.entered is None:
            self.entered = {}
        return Site(
            self.frame, self.line, self.column, how, self.is_implied, self.receivers, self.is_call, self.entered
        )


class Given(msgspec.Struct):
    """An evaluated argument: value, name, whether spread, declared type."""

    value: fv.Variable
    name: str | None = None
    is_spread: bool = False
    declared: Expression | None = None


K = TypeVar("K")
V = TypeVar("V")


class Interned(dict[K, V]):
    """Values by key, each made on first access."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        made = self[key] = self._make(key)
        return made


class State:
    """The state of solving: frames, interned values, found calls, deferred work."""

    def __init__(self, units: Mapping[str, Unit], modules: Modules, faces: Container[str], most_steps: int) -> None:
        self.units, self.modules, self.faces = units, modules, faces
        self.work = fv.Work(most_steps)
        self.frames: dict[Place, fv.Frame] = {}
        self.codes: dict[Place, fv.Function | fv.Class] = {}
        self.inner: dict[str, dict[int, list[int]]] = {}  # by file and scope, the scopes inside
        self.parts: dict[fv.Function, list[fv.Frame]] = {}  # blocks and classes that a function's code is written in
        self.made: dict[CallSite, dict[Place | str, str]] = {}  # callees, and how each was found first
        self.read: dict[tuple[Place, Place | str, int], None] = {}  # members of declared types and other libraries
        self.counts: dict[CallSite, int] = {}  # of calls of Java outside, how many arguments they have
        # Calls as written by a name, with what it means; one that gets no callee is unresolved.
        self.asked: list[tuple[Site, Name | Member, fv.Variable]] = []
        self.classes: list[fv.Class] = []
        self.functions: list[fv.Function] = []
        self.is_ordered = False  # whether the orders in which classes inherit are fixed
        # Variables that hold an instance of their declared type if nothing else is known of them: with the type.
        self.declared: list[tuple[fv.Variable, fv.Variable]] = []
        # Items whose key is an expression, with the action to take if no key becomes known.
        self.keyed: list[tuple[fv.Variable, Callable[[], None]]] = []
        self.dispatched: list[tuple[fv.Declared, str, Site, Callable[[fv.Value], None]]] = []
        self.defined: dict[Place, fv.Variable] = {}  # functions and classes whose decorators were called
        self.uses: list[tuple[fv.Frame, Use, fv.Variable]] = []
        self.outside: dict[tuple[str, str], fv.Variable] = {}  # names that a file uses and does not bind
        # Those that need no import, by who offers them.
        self.visible: dict[tuple[tuple[str, ...], str], fv.Variable] = {}
        # Functions of other stages, set by the solver.
        self.apply: Callable[..., None]
        self.evaluate: Callable[[Expression, fv.Frame], fv.Variable]
        self.iterate: Callable[[fv.Value, Site, Callable[[fv.Value], None]], None]
        self.pass_on: Callable[..., None]
        self.schedule_body: Callable[[fv.Function], None]
        # What classes were asked for: the class, the one after which its bases are asked, and the name.
        self.inherited: dict[tuple[fv.Class, fv.Class | None, str], fv.Variable] = {}
        self.assigned: set[Key] = set()  # names of fields that something is assigned to
        self.unassigned: dict[Key, list[tuple[fv.Value, Callable[[fv.Value], None]]]] = {}  # who asked for all others
        self.offered: set[str] = set()  # names that files bind at their top or export
        self.climbed: dict[tuple[fv.Value, str], fv.Variable] = {}  # what prototypes were asked for
        self.signatures: dict[fv.Function, Signature] = {}  # of functions with overloads
        self._make_room()

    def _make_room(self) -> None:
        """Make the tables of values that exist once."""
        self.nothing: fv.Variable = fv.Fixed(self.work)
        self.fixed = Interned[fv.Value, fv.Variable](partial(fv.Fixed, self.work))
        self.module = Interned[tuple[str, ...], fv.Module](fv.Module)
        self.external = Interned[str, fv.External](lambda name: fv.External(name, name.replace(MADE, "")))
        self.unknown = self.external[UNKNOWN]  # something outside of which nothing is known
        self.text = Interned[str | int, fv.Variable](lambda value: fv.Fixed(self.work, fv.Constant(value)))
        self._bound = Interned[tuple[fv.Function | fv.Overloaded, fv.Value], fv.Bound](lambda key: fv.Bound(*key))
        self.known = Interned[tuple[str, fv.Value], fv.Known](lambda key: fv.Known(*key))
        self.super_proxy = Interned[tuple[fv.Class, fv.Value], fv.SuperProxy](lambda key: fv.SuperProxy(*key))
        self._overloaded = Interned[tuple[fv.Function, ...], fv.Overloaded](fv.Overloaded)
        self.of_type = Interned[fv.Class, fv.Declared](fv.Declared)
        self._objects = Interned[fv.Function, fv.Object](fv.Object)
        self._prototypes: dict[fv.Function, fv.Collection] = {}
        self.collection = Interned[object, fv.Collection](lambda _: fv.Collection(self.work))

    def dissolve(self) -> None:
        """Break all reference cycles, so that memory is freed at once."""
        self.work.dissolve()
        for frame in self.frames.values():
            frame.function = frame.owner = frame.parent = None
            frame.module = None  # type: ignore[assignment]
        for each in self.classes:
            each.instance = None  # type: ignore[assignment]
            each.bases, each.subclasses, each.order, each.constructors, each.initial = [], [], [], [], []
            each.overloads, each.assigners, each.lookups = {}, {}, {}
        self.__dict__.clear()

    # --- values, each made once ---

    def variable(self, *values: fv.Value) -> fv.Variable:
        """Return a new variable that holds these values."""
        made = fv.Variable(self.work)
        for value in values:
            made.add(value)
        return made

    def bind(self, value: fv.Value, receiver: fv.Value) -> fv.Value:
        """Return a function that is called on a receiver; anything else as it is."""
        if type(value) is not fv.Function and type(value) is not fv.Overloaded:
            return value
        if type(receiver) is fv.Bound:  # a function is one object, whatever it is called on
            receiver = receiver.function
        return self._bound[value, receiver]

    def overloaded(self, functions: Sequence[fv.Function]) -> fv.Function | fv.Overloaded:
        """Return functions of one name as one value."""
        return functions[0] if len(functions) == 1 else self._overloaded[tuple(functions)]

    def instance(self, of: fv.Class | fv.Function) -> fv.Object:
        """Return the instance of a class or constructor function."""
        return of.instance if isinstance(of, fv.Class) else self._objects[of]

    def prototype(self, of: fv.Function) -> fv.Variable:
        """Return what instances of a function inherit from."""
        if of not in self._prototypes:
            made = self._prototypes[of] = fv.Collection(self.work, OBJECT)
            self.field(of, "prototype").add(made)
            made.entry("constructor").add(of)
        return of.fields["prototype"]

    def ask(self, value: fv.Value, name: Key, sink: Callable[[fv.Value], None]) -> None:
        """Send what is assigned to a field, now and later; most names are those of methods alone."""
        if name in self.assigned:
            self.field(value, name).use(sink)
        else:
            self.unassigned.setdefault(name, []).append((value, sink))

    def field(self, value: fv.Value, name: Key) -> fv.Variable:
        """Return the variable of a field that is assigned to, made if it is new."""
        if isinstance(value, fv.Collection):
            return value.entry(name)
        if name not in self.assigned:
            self.assigned.add(name)
            for asked, sink in self.unassigned.pop(name, ()):
                self.field(asked, name).use(sink)
        found = value.fields.get(name)
        if found is None:
            found = value.fields[name] = fv.Variable(self.work)
            if isinstance(value, fv.Object) and isinstance(value.of, fv.Class):
                for function in value.of.assigners.pop(name, ()):
                    self.schedule_body(function)
                    if function.owner is value.of and "static" not in function.scope.marks:
                        is_of_class = "classmethod" in function.scope.marks
                        self.receivers(function).add(value.of if is_of_class else value)
                # What is assigned in a method of a base is a field of every heir.
                for base in value.of.bases:
                    self.field(base.instance, name).flow(found)
        return found

    def receivers(self, function: fv.Function) -> fv.Variable:
        """Return the receivers of a method: its first parameter, or `this`."""
        parameters = function.scope.parameters
        if "self" in function.scope.marks and parameters:
            return function.frame.names[parameters[0].name]
        return function.this

    # --- what was found ---

    def call(self, site: Site, callee: Place | str, how: str) -> None:
        """Keep a call; the first way it was found counts."""
        frame = site.frame
        if frame.path in self.faces or (type(callee) is str and (site.is_implied or callee.startswith(UNKNOWN))):
            return
        key = (frame.caller, site.line, site.column)
        callees = self.made.get(key)
        if callees is None:
            self.made[key] = {callee: how}
        elif callee not in callees:
            callees[callee] = how

    def expect(self, site: Site, callee: Expression, values: fv.Variable) -> None:
        """Keep what a call means as it is written; one in a summary or without a name is not missed."""
        is_named = type(callee) is Name or type(callee) is Member
        if is_named and not site.is_implied and site.frame.path not in self.faces:
            self.asked.append((site, callee, values))  # type: ignore[arg-type]
