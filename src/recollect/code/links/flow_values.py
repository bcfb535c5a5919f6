"""Values that variables may hold while programs are solved, the variables, and the scopes with their names.

A variable holds a set of values and passes each new one on, once, to its users: another variable, or a function that
does what the value means there (makes a call, looks up a member). Sets only grow, so the order in which files are read
changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.code.links.program import Assign, Expression, Import, Name, Scope, Spread, Table

if TYPE_CHECKING:
    from recollect.code.links.program import Key

# Takes the values of a variable: a function, or the first of a tuple, which is given the tuple, too: it has no closure.
Taker = tuple[Callable[..., None], *tuple[Any, ...]]
User = Callable[["Value"], None] | Taker


def ignore(value: Value) -> None:
    """Discard a value."""


# A variable with more values may hold anything, so calls of it mean nothing: more than the functions that a call may
# lead to (`file_links.MOST_OVERRIDES`). Tables are fewer. Constants and what lies outside are one more than the
# functions outside that a call may lead to (`file_links.MOST_OUTSIDE`).
MOST_VALUES, MOST_TABLES, MOST_PLAIN = 36, 12, 4
# Values that are handed on for one group; the largest groups of real projects need a tenth. Beyond that variables take
# few values, and beyond the double nothing is handed on: the group is solved coarsely, and says so.
MOST_STEPS = 5_000_000
FEW_VALUES = 4


class Value:
    """A value that a variable can hold, compared by identity.

    fields: made on first access, since most values never have any. By a property: with a `__getattr__`, every access
    to any attribute of a value takes four times as long.
    """

    __slots__ = ("_fields",)

    @property
    def fields(self) -> dict[Key, Variable]:
        """The variables of its fields."""
        try:
            return self._fields
        except AttributeError:
            self._fields: dict[Key, Variable] = {}
            return self._fields


class Shape(NamedTuple):
    """The parameters of a function: by position, by name, and the rest."""

    plain: tuple[str, ...]
    by_name: frozenset[str]
    rest: str | None
    others: str | None


def shape(scope: Scope) -> Shape:
    """Return what a function takes."""
    parameters = scope.parameters
    return Shape(
        tuple([each.name for each in parameters if each.kind == ""]),
        frozenset([each.name for each in parameters if each.kind in ("", "=")]),
        next((each.name for each in parameters if each.kind == "*"), None),
        next((each.name for each in parameters if each.kind == "**"), None),
    )


class Function(Value):
    """A function, wherever it is called from; what most functions never need is made on first access.

    this: what it is called on; returns, yields: what it gives back
    is_lazy: its body is not evaluated yet
    """

    __slots__ = (
        "_returns", "_shape", "_this", "_yields", "frame", "is_lazy", "owner", "path", "place", "scope",
    )  # fmt: skip

    def __init__(self, path: str, place: int, scope: Scope, frame: Frame, owner: Class | None) -> None:
        self.path, self.place, self.scope, self.frame, self.owner = path, place, scope, frame, owner
        self.is_lazy = False
        self._this: Variable | None = None
        self._returns: Variable | None = None
        self._yields: Variable | None = None
        self._shape: Shape | None = None

    def _made(self, slot: str) -> Variable:
        made = Variable(self.frame.work)
        setattr(self, slot, made)
        return made

    if TYPE_CHECKING:
        this: Variable
        returns: Variable
        yields: Variable
    else:
        this = property(lambda self: self._this or self._made("_this"))
        returns = property(lambda self: self._returns or self._made("_returns"))
        yields = property(lambda self: self._yields or self._made("_yields"))

    @property
    def shape(self) -> Shape:
        """Parameters that it takes."""
        self._shape = self._shape or shape(self.scope)
        return self._shape


class Class(Value):
    """A class or interface.

    bases: the classes it derives from, in order, as far as they are known; outer_bases: names of those outside
    constructors, initial: what runs when an instance is made, by a call and without one
    overloads: functions of one name with different parameters
    lookups: who asked for a member that was not there, by its name; is_made: whether an instance is made anywhere
    assigners: functions not evaluated yet, by the attributes that they assign
    """

    __slots__ = (
        "assigners", "base_places", "bases", "constructors", "frame", "initial", "instance", "is_made", "lookups",
        "order", "outer_bases", "overloads", "path", "place", "scope", "subclasses",
    )  # fmt: skip

    def __init__(self, path: str, place: int, scope: Scope, frame: Frame) -> None:
        self.path, self.place, self.scope, self.frame = path, place, scope, frame
        self.bases: list[Class] = []
        self.base_places: dict[Class, int] = {}  # where each stands in the head of the class
        self.outer_bases: list[External] = []
        self.subclasses: list[Class] = []
        self.constructors: list[Function] = []
        self.initial: list[Function] = []
        self.overloads: dict[str, list[Function]] = {}
        self.assigners: dict[Key, list[Function]] = {}
        self.lookups: dict[str, dict[tuple[Class, Class | None, str], None]] = {}
        self.order: list[Class] = [self]
        self.instance = Object(self)
        self.is_made = False


@dataclass(eq=False, slots=True)
class Object(Value):
    """Any instance of a class, or of a function that was called with `new`."""

    of: Class | Function


@dataclass(eq=False, slots=True)
class Declared(Value):
    """Something of which only the declared type is known."""

    of: Class


@dataclass(eq=False, slots=True)
class Bound(Value):
    """A function together with what it is called on."""

    function: Function | Overloaded
    receiver: Value


@dataclass(eq=False, slots=True)
class Overloaded(Value):
    """Several functions of one name with different parameters."""

    functions: tuple[Function, ...]


@dataclass(eq=False, slots=True)
class Module(Value):
    """A file as a value, or all files of a package."""

    paths: tuple[str, ...]


class External(Value):
    """Something outside the program, by its dotted name; plain: without marks of what was made.

    members, result: what its members and its calls are, made when they are first asked for
    """

    __slots__ = ("members", "name", "plain", "result")

    def __init__(self, name: str, plain: str) -> None:
        self.name, self.plain = name, plain
        self.members: dict[str, External] = {}
        self.result: External | None = None


class Collection(Value):
    """A table made at one place: entries by key, others in `rest`; `parents` are prototypes.

    kind: what the language calls such a table
    """

    __slots__ = ("kind", "parents", "rest", "waiting", "work")

    def __init__(self, work: Work, kind: str = "") -> None:
        self.work, self.kind = work, kind
        self._fields = {}
        self.rest = Variable(work)
        self.parents: Variable | None = None
        self.waiting: list[Callable[[Key, Variable], None]] = []  # sinks of every entry, present and future

    @property
    def is_filled(self) -> bool:
        """Whether something is known to be in it."""
        return bool(self.rest.values) or any(each.values for each in self._fields.values())

    def entry(self, key: Key) -> Variable:
        """Return the variable of one entry."""
        found = self._fields.get(key)
        if found is None:
            found = self._fields[key] = Variable(self.work)
            for sink in self.waiting:
                sink(key, found)
        return found

    def every(self, sink: Callable[[Key, Variable], None]) -> None:
        """Send every entry with a known key to a sink, now and later."""
        self.waiting.append(sink)
        for key, variable in list(self._fields.items()):
            sink(key, variable)


@dataclass(eq=False, slots=True)
class SuperProxy(Value):
    """`super`: what a class inherits, asked for by one of its instances."""

    of: Class
    receiver: Value


@dataclass(eq=False, slots=True)
class Constant(Value):
    """A text or a number that may be a key."""

    value: Key


@dataclass(eq=False, slots=True)
class Named(Value):
    """A symbol without a scope of its own, such as a constant; `place`: in its file, below the scopes."""

    path: str
    place: int
    name: str


@dataclass(eq=False, slots=True)
class Known(Value):
    """A library method bound to a value: `append` of a list, `bind` of a function."""

    name: str
    receiver: Value


_CALLED = frozenset((Function, Class, Object, Declared, Bound, Overloaded))


class Work:
    """The queue of new values, and all variables.

    limits: how many values a variable has at most when it takes one of a kind
    steps: values that were handed on; most_steps: before it is done coarsely
    """

    __slots__ = ("later", "limits", "made", "most_steps", "steps", "waiting")

    def __init__(self, most_steps: int = MOST_STEPS) -> None:
        self.limits = dict.fromkeys(_CALLED, MOST_VALUES) | dict.fromkeys((External, Constant, Named), MOST_PLAIN)
        self.limits |= dict.fromkeys((Collection, Module, SuperProxy, Known), MOST_TABLES)
        self.steps, self.most_steps = 0, most_steps
        self.later: deque[Callable[[], None]] = deque()  # what is done when nothing waits to be handed on
        # A variable, a new value, and how many users it had then: later users have the value already.
        self.waiting: deque[tuple[Variable, Value, int]] = deque()
        self.made: list[Variable] = []

    def hand_on(self) -> None:
        """Hand on until nothing is left to hand on."""
        waiting, steps, limits = self.waiting, self.steps, self.limits
        take, wait = waiting.popleft, waiting.append
        while waiting:
            variable, value, count = take()
            steps += count
            if steps > self.most_steps:
                self._coarsen(steps)
            for user in variable.users[:count]:
                if type(user) is not Variable:
                    user[0](user, value) if type(user) is tuple else user(value)  # type: ignore[operator]
                    continue
                # What `Variable.add` does, without the call: most of what is handed on goes from variable to variable.
                values = user.values
                if not values:
                    user.values = (value,)
                elif type(values) is tuple:
                    if values[0] is value:
                        continue
                    user.values = {values[0]: None, value: None}
                elif value not in values and len(values) < limits[type(value)]:
                    values[value] = None  # type: ignore[index]
                else:
                    continue
                users = user.users
                if users:
                    wait((user, value, len(users)))
        self.steps = steps

    @property
    def is_coarse(self) -> bool:
        """Whether there was too much to hand on."""
        return self.steps > self.most_steps

    def _coarsen(self, steps: int) -> None:
        """Let variables take few values from now on; beyond the double, hand on nothing more."""
        self.limits.update(dict.fromkeys(self.limits, FEW_VALUES))
        if steps > 2 * self.most_steps:
            self.waiting.clear()
            self.later.clear()

    def run(self) -> None:
        """Hand on, and do what was put off, until nothing is left of either."""
        self.hand_on()
        while self.later:
            self.later.popleft()()
            self.hand_on()

    def dissolve(self) -> None:
        """Break the reference cycles of all variables, so that memory is freed at once."""
        for variable in self.made:
            variable.users = variable.values = ()
        self.made.clear()
        self.waiting.clear()
        self.later.clear()


class Variable:
    """A place that holds values.

    values: a set that keeps the order in which they came; most hold none or one, for which a tuple is made much faster
    users: receivers of each value: a function, or a variable that holds the same
    """

    __slots__ = ("users", "values", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.values: tuple[Value, ...] | dict[Value, None] = ()
        self.users: tuple[()] | list[User | Variable] = ()
        work.made.append(self)

    def add(self, value: Value) -> None:
        """Add a value, unless it is known or there are too many already."""
        values = self.values
        if not values:
            self.values = (value,)
        elif type(values) is tuple:
            if values[0] is value:
                return
            self.values = {values[0]: None, value: None}
        elif value not in values and len(values) < self.work.limits[type(value)]:
            values[value] = None  # type: ignore[index]
        else:
            return
        users = self.users
        if users:
            self.work.waiting.append((self, value, len(users)))

    def use(self, user: User) -> None:
        """Call `user` once with every value, now and later."""
        users = self.users
        if users:
            users.append(user)
        else:
            self.users = [user]
        values = self.values
        if values:
            take = user[0] if type(user) is tuple else None
            for value in values if type(values) is tuple else tuple(values):
                user(value) if take is None else take(user, value)  # type: ignore[operator]

    def flow(self, target: Variable) -> None:
        """Let another variable hold all that this one holds."""
        if target is self or type(target) is not Variable:
            return  # what is fixed takes nothing
        users = self.users
        if users:
            users.append(target)
        else:
            self.users = [target]
        values = self.values
        if values:
            for value in values if type(values) is tuple else tuple(values):
                target.add(value)


class Fixed(Variable):
    """A variable that always holds the same: one value or none."""

    __slots__ = ()

    def __init__(self, work: Work, *values: Value) -> None:
        super().__init__(work)
        self.values = values

    def add(self, value: Value) -> None:
        """Add nothing."""

    def use(self, user: User) -> None:
        """Call `user` with what it holds, now."""
        for value in self.values:
            user[0](user, value) if type(user) is tuple else user(value)  # type: ignore[operator]

    def flow(self, target: Variable) -> None:
        """Give what it holds, now."""
        for value in self.values:
            target.add(value)


STAR = "*"


class Frame:
    """A scope with its names, its parent, its function and its class.

    stars: imports of everything from elsewhere, in which names that are nowhere else are looked for
    exports: what the file exports, where it does so explicitly
    caller: the function around as a place, or the file; module: the frame of the whole file
    is_odd: some names of it belong to scopes around
    """

    __slots__ = (
        "caller", "exports", "function", "is_class", "is_filled", "is_odd", "module", "names", "owner", "parent",
        "path", "place", "scope", "stars", "work",
    )  # fmt: skip

    def __init__(self, work: Work, path: str, place: int, scope: Scope, parent: Frame | None) -> None:
        self.work, self.path, self.place, self.scope, self.parent = work, path, place, scope, parent
        self.names: dict[str, Variable] = {}
        self.function: Function | None = parent.function if parent else None
        self.owner: Class | None = parent.owner if parent else None
        self.caller: tuple[str, int] = parent.caller if parent else (path, 0)
        self.module: Frame = parent.module if parent else self
        self.is_class = scope.kind in ("class", "interface") and "module" not in scope.marks
        self.is_odd = bool(scope.global_names or scope.outer_names)
        self.is_filled = False
        self.stars: tuple[Import, ...] = ()
        self.exports: dict[str, Variable] = parent.exports if parent else {}

    def fill(self) -> None:
        """Make the variables of all bound names, once."""
        if self.is_filled:
            return
        self.is_filled = True
        names, work = self.names, self.work
        for name in bound(self.scope):
            if name not in names:
                names[name] = Variable(work)

    def name(self, name: Key) -> Variable:
        """Return the variable of a name of this scope, made if new."""
        found = self.names.get(str(name))
        if found is None:
            found = self.names[str(name)] = Variable(self.work)
        return found

    def find(self, name: str) -> Variable | None:
        """Return the variable that a name means here; None if no scope binds it.

        The names of a class are seen by its body alone, not by the functions in it; those of a module by all in it.
        """
        if self.is_odd and name in self.scope.global_names:
            return self.module.name(name)
        found = None if self.is_odd and name in self.scope.outer_names else self.names.get(name)
        frame = self.parent
        while found is None and frame is not None:
            if not frame.is_class and not (frame.is_odd and name in frame.scope.outer_names):
                is_global = frame.is_odd and name in frame.scope.global_names
                found = frame.module.name(name) if is_global else frame.names.get(name)
            frame = frame.parent
        return found


def bound(scope: Scope) -> list[str]:
    """Return the names that a scope binds."""
    found: list[str] = []
    for statement in scope.body:
        if type(statement) is Assign:
            add_targets(statement.target, found)
        elif type(statement) is Import:
            found += _imported_names(statement)
    elsewhere = {*scope.global_names, *scope.outer_names}
    if elsewhere:
        found = [name for name in found if name not in elsewhere]
    return [*[parameter.name for parameter in scope.parameters], *found]


def _imported_names(statement: Import) -> tuple[str, ...]:
    name = statement.alias or statement.name
    return (name,) if name and statement.name != STAR and not statement.is_export else ()


def add_targets(target: Expression, found: list[str]) -> None:
    """Add the names that a target means to a list."""
    kind = type(target)
    if kind is Name:
        found.append(target.name)  # type: ignore[union-attr]
    elif isinstance(target, Spread):
        add_targets(target.of, found)
    elif isinstance(target, Table):
        for entry in target.entries:
            add_targets(entry.value, found)
