"""The state of the solver: frames, values that are made once, calls that were found."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from recollect.code.links.flow_values import (
    MOST_STEPS,
    Bound,
    Class,
    Collection,
    Constant,
    Declared,
    External,
    Fixed,
    Frame,
    Function,
    Known,
    Module,
    Object,
    Overloaded,
    SuperProxy,
    Value,
    Variable,
    Work,
)
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

    frame: Frame
    line: int = 0
    column: int = 0
    how: str = ""
    is_implied: bool = False
    receivers: Variable | None = None
    is_call: bool = False
    entered: dict[tuple[Function, int], Sequence[Given]] | None = None

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

    value: Variable
    name: str | None = None
    is_spread: bool = False
    declared: Expression | None = None


class Asked(NamedTuple):
    """A call as written by a name, unresolved if it gets no callee."""

    site: Site
    callee: Name | Member
    values: Variable


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

    def __init__(
        self,
        units: Mapping[str, Unit],
        modules: Modules,
        faces: Container[str] = frozenset(),
        most_steps: int = MOST_STEPS,
    ) -> None:
        self.units, self.modules, self.faces = units, modules, faces
        self.work = Work(most_steps)
        self.frames: dict[Place, Frame] = {}
        self.codes: dict[Place, Function | Class] = {}
        self.inner: dict[str, dict[int, list[int]]] = {}  # by file and scope, the scopes inside
        self.parts: dict[Function, list[Frame]] = {}  # blocks and classes that a function's code is written in
        self.made: dict[CallSite, dict[Place | str, str]] = {}  # callees, and how each was found first
        self.read: dict[tuple[Place, Place | str, int], None] = {}  # members of declared types and other libraries
        self.counts: dict[CallSite, int] = {}  # of calls of Java outside, how many arguments they have
        self.asked: list[Asked] = []
        self.classes: list[Class] = []
        self.functions: list[Function] = []
        self.is_ordered = False  # whether the orders in which classes inherit are fixed
        # Variables that hold an instance of their declared type if nothing else is known of them: with the type.
        self.declared: list[tuple[Variable, Variable]] = []
        # Items whose key is an expression, with the action to take if no key becomes known.
        self.keyed: list[tuple[Variable, Callable[[], None]]] = []
        self.dispatched: list[tuple[Declared, str, Site, Callable[[Value], None]]] = []
        self.defined: dict[Place, Variable] = {}  # functions and classes whose decorators were called
        self.uses: list[tuple[Frame, Use, Variable]] = []
        self.outside: dict[tuple[str, str], Variable] = {}  # names that a file uses and does not bind
        self.visible: dict[tuple[tuple[str, ...], str], Variable] = {}  # those that need no import, by who offers them
        # Functions of other stages, set by the solver.
        self.apply: Callable[..., None]
        self.evaluate: Callable[[Expression, Frame], Variable]
        self.iterate: Callable[[Value, Site, Callable[[Value], None]], None]
        self.pass_on: Callable[..., None]
        self.schedule_body: Callable[[Function], None]
        # What classes were asked for: the class, the one after which its bases are asked, and the name.
        self.inherited: dict[tuple[Class, Class | None, str], Variable] = {}
        self.assigned: set[Key] = set()  # names of fields that something is assigned to
        self.unassigned: dict[Key, list[tuple[Value, Callable[[Value], None]]]] = {}  # who asked for all others
        self.offered: set[str] = set()  # names that files bind at their top or export
        self.climbed: dict[tuple[Value, str], Variable] = {}  # what prototypes were asked for
        self.signatures: dict[Function, Signature] = {}  # of functions with overloads
        self._make_room()

    def _make_room(self) -> None:
        """Make the tables of values that exist once."""
        self.nothing: Variable = Fixed(self.work)
        self.fixed = Interned[Value, Variable](partial(Fixed, self.work))
        self.module = Interned[tuple[str, ...], Module](Module)
        self.external = Interned[str, External](lambda name: External(name, name.replace(MADE, "")))
        self.unknown = self.external[UNKNOWN]  # something outside of which nothing is known
        self.text = Interned[str | int, Variable](lambda value: Fixed(self.work, Constant(value)))
        self._bound = Interned[tuple[Function | Overloaded, Value], Bound](lambda key: Bound(*key))
        self.known = Interned[tuple[str, Value], Known](lambda key: Known(*key))
        self.super_proxy = Interned[tuple[Class, Value], SuperProxy](lambda key: SuperProxy(*key))
        self._overloaded = Interned[tuple[Function, ...], Overloaded](Overloaded)
        self.of_type = Interned[Class, Declared](Declared)
        self._objects = Interned[Function, Object](Object)
        self._prototypes: dict[Function, Collection] = {}
        self.collection = Interned[object, Collection](lambda _: Collection(self.work))

    def dissolve(self) -> None:
        """Break all reference cycles, so that memory is freed at once."""
        self.work.dissolve()
        for frame in self.frames.values():
            frame.function = frame.owner = frame.parent = None
            frame.module = None  # type: ignore[assignment]
        for each in self.classes:
            each.instance = None  # type: ignore[assignment]
            each.bases, each.subclasses, each.order = [], [], []
        self.__dict__.clear()

    # --- values, each made once ---

    def variable(self, *values: Value) -> Variable:
        """Return a new variable that holds these values."""
        made = Variable(self.work)
        for value in values:
            made.add(value)
        return made

    def bind(self, value: Value, receiver: Value) -> Value:
        """Return a function that is called on a receiver; anything else as it is."""
        if not isinstance(value, Function | Overloaded):
            return value
        if isinstance(receiver, Bound):  # a function is one object, whatever it is called on
            receiver = receiver.function
        return self._bound[value, receiver]

    def overloaded(self, functions: Sequence[Function]) -> Function | Overloaded:
        """Return functions of one name as one value."""
        return functions[0] if len(functions) == 1 else self._overloaded[tuple(functions)]

    def instance(self, of: Class | Function) -> Object:
        """Return the instance of a class or constructor function."""
        return of.instance if isinstance(of, Class) else self._objects[of]

    def prototype(self, of: Function) -> Variable:
        """Return what instances of a function inherit from."""
        if of not in self._prototypes:
            made = self._prototypes[of] = Collection(self.work, OBJECT)
            self.field(of, "prototype").add(made)
            made.entry("constructor").add(of)
        return of.fields["prototype"]

    def ask(self, value: Value, name: Key, sink: Callable[[Value], None]) -> None:
        """Send what is assigned to a field, now and later; most names are those of methods alone."""
        if name in self.assigned:
            self.field(value, name).use(sink)
        else:
            self.unassigned.setdefault(name, []).append((value, sink))

    def field(self, value: Value, name: Key) -> Variable:
        """Return the variable of a field that is assigned to, made if it is new."""
        if isinstance(value, Collection):
            return value.entry(name)
        if name not in self.assigned:
            self.assigned.add(name)
            for asked, sink in self.unassigned.pop(name, ()):
                self.field(asked, name).use(sink)
        found = value.fields.get(name)
        if found is None:
            found = value.fields[name] = Variable(self.work)
            if isinstance(value, Object) and isinstance(value.of, Class):
                for function in value.of.assigners.pop(name, ()):
                    self.schedule_body(function)
                    if function.owner is value.of and "static" not in function.scope.marks:
                        is_of_class = "classmethod" in function.scope.marks
                        self.receivers(function).add(value.of if is_of_class else value)
                # What is assigned in a method of a base is a field of every heir.
                for base in value.of.bases:
                    self.field(base.instance, name).flow(found)
        return found

    def receivers(self, function: Function) -> Variable:
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

    def expect(self, site: Site, callee: Expression, values: Variable) -> None:
        """Keep what a call means as it is written; one in a summary or without a name is not missed."""
        if isinstance(callee, Name | Member) and not site.is_implied and site.frame.path not in self.faces:
            self.asked.append(Asked(site, callee, values))
