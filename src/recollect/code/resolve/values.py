"""Values: what a variable may hold while a program is solved, and the variables themselves.

A variable holds a set of values and hands each new one on, once, to whoever uses it: another variable, or a function
that does what the value means there (a call is made, a member is looked up). Sets only grow, so the order in which
files are read changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.resolve.program import Assign, Name, Return

if TYPE_CHECKING:
    from recollect.code.resolve.frame import Frame
    from recollect.code.resolve.program import Key, Scope

User = Callable[["Value"], None]


def ignore(value: Value) -> None:
    """Be told what nobody wants to know."""


# A variable that may hold more than this holds anything: whoever calls it calls nothing in particular.
MOST_VALUES = 40


class Value:
    """Something that a variable can hold; two are the same only if they are the same object.

    fields: made when they are first asked for, since most values never have any
    """

    __slots__ = ("fields",)

    if TYPE_CHECKING:
        fields: dict[Key, Variable]
    else:

        def __getattr__(self, name: str) -> dict[Key, Variable]:
            if name != "fields":
                raise AttributeError(name)
            made = self.fields = {}
            return made


class Shape(NamedTuple):
    """What a function takes: by position, by name, and what is left over of either.

    returned: parameters that it gives back as they are: a caller gets what it gave, not what anybody ever gave
    """

    plain: tuple[str, ...]
    by_name: frozenset[str]
    rest: str | None
    others: str | None
    returned: frozenset[str] = frozenset()


def shape(scope: Scope) -> Shape:
    """Return what a function takes."""
    parameters = scope.parameters
    return Shape(
        tuple([each.name for each in parameters if each.kind == ""]),
        frozenset([each.name for each in parameters if each.kind in ("", "=")]),
        next((each.name for each in parameters if each.kind == "*"), None),
        next((each.name for each in parameters if each.kind == "**"), None),
        _returned(scope),
    )


def _returned(scope: Scope) -> frozenset[str]:
    """Return the parameters that a function returns and never assigns to."""
    if "generator" in scope.marks or "async" in scope.marks:
        return frozenset()
    names = {each.value.name for each in scope.body if isinstance(each, Return) and isinstance(each.value, Name)}
    if names:
        names &= {each.name for each in scope.parameters if each.kind in ("", "=")}
        names -= {each.target.name for each in scope.body if isinstance(each, Assign) and isinstance(each.target, Name)}
    return frozenset(names)


_OF_FUNCTION = frozenset(("this", "returns", "yields"))


class Function(Value):
    """A function, wherever it is called from.

    this: what it is called on; returns, yields: what it gives back; defaults: of its parameters
    is_asleep: nobody asked yet for what it does, see `asleep`
    """

    __slots__ = (
        "_shape", "defaults", "frame", "is_asleep", "owner", "path", "place", "returns", "scope", "this", "yields",
    )  # fmt: skip

    def __init__(self, path: str, place: int, scope: Scope, frame: Frame, owner: Class | None) -> None:
        self.path, self.place, self.scope, self.frame, self.owner = path, place, scope, frame, owner
        self.is_asleep = False
        self._shape: Shape | None = None

    if TYPE_CHECKING:
        this: Variable
        returns: Variable
        yields: Variable
        defaults: dict[str, Variable]
    else:

        def __getattr__(self, name: str) -> object:
            """Make what is asked for the first time: most functions are never called here, and few do all of it."""
            if name in _OF_FUNCTION:
                made = Variable(self.frame.work)
            elif name in ("fields", "defaults"):
                made = {}
            else:
                raise AttributeError(name)
            setattr(self, name, made)
            return made

    @property
    def shape(self) -> Shape:
        """What it takes."""
        found = self._shape
        if found is None:
            found = self._shape = shape(self.scope)
        return found


class Class(Value):
    """A class or interface.

    bases: the classes it derives from, in order, as far as they are known; outer_bases: names of those outside
    constructors, initial: what runs when an instance is made, by a call and without one
    overloads: functions of one name that are told apart by what they take
    lookups: who asked for a member that was not there, by its name; is_made: whether an instance is made anywhere
    giving: functions that are asleep, by the attributes that they give something to
    """

    __slots__ = (
        "base_places", "bases", "constructors", "frame", "giving", "heirs", "initial", "instance", "is_made",
        "lookups", "order", "outer_bases", "overloads", "path", "place", "scope",
    )  # fmt: skip

    def __init__(self, path: str, place: int, scope: Scope, frame: Frame) -> None:
        self.path, self.place, self.scope, self.frame = path, place, scope, frame
        self.bases: list[Class] = []
        self.base_places: dict[Class, int] = {}  # where each stands in the head of the class
        self.outer_bases: list[External] = []
        self.heirs: list[Class] = []
        self.constructors: list[Function] = []
        self.initial: list[Function] = []
        self.overloads: dict[str, list[Function]] = {}
        self.giving: dict[Key, list[Function]] = {}
        self.lookups: dict[str, dict[tuple[Class, Class | None, str], None]] = {}
        self.order: list[Class] = [self]
        self.instance = Object(self)
        self.is_made = False


class Object(Value):
    """Any instance of a class, or of a function that was called with `new`."""

    __slots__ = ("of",)

    def __init__(self, of: Class | Function) -> None:
        self.of = of


class Declared(Value):
    """Something of which only the declared type is known."""

    __slots__ = ("of",)

    def __init__(self, of: Class) -> None:
        self.of = of


class Bound(Value):
    """A function together with what it is called on."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Function | Overloaded, receiver: Value) -> None:
        self.function, self.receiver = function, receiver


class Overloaded(Value):
    """Several functions of one name, told apart by what they take."""

    __slots__ = ("functions",)

    def __init__(self, functions: tuple[Function, ...]) -> None:
        self.functions = functions


class Module(Value):
    """A file as a value."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class External(Value):
    """Something outside the program, by its dotted name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Collection(Value):
    """A table made at one place: entries by key, and those whose key nobody knows. `parents` are its prototypes.

    kind: what the language calls such a table
    """

    __slots__ = ("kind", "parents", "rest", "waiting", "work")

    def __init__(self, work: Work, kind: str = "") -> None:
        self.work, self.kind, self.fields = work, kind, {}
        self.rest = Variable(work)
        self.parents: Variable | None = None
        self.waiting: list[Callable[[Key, Variable], None]] = []  # who wants every entry, also those to come

    def entry(self, key: Key) -> Variable:
        """Return the variable of one entry."""
        found = self.fields.get(key)
        if found is None:
            found = self.fields[key] = Variable(self.work)
            for told in self.waiting:
                told(key, found)
        return found

    def every(self, told: Callable[[Key, Variable], None]) -> None:
        """Call `told` for every entry with a known key, now and later."""
        self.waiting.append(told)
        for key, variable in list(self.fields.items()):
            told(key, variable)


class Promised(Value):
    """A promise of what a variable holds."""

    __slots__ = ("of",)

    def __init__(self, of: Variable) -> None:
        self.of = of


class Heritage(Value):
    """`super`: what a class inherits, asked for by one of its instances."""

    __slots__ = ("of", "receiver")

    def __init__(self, of: Class, receiver: Value) -> None:
        self.of, self.receiver = of, receiver


class Constant(Value):
    """A text or a number that may be a key."""

    __slots__ = ("value",)

    def __init__(self, value: Key) -> None:
        self.value = value


class Known(Value):
    """A method of the language's own library on a value: `append` of a list, `then` of a promise, `bind`."""

    __slots__ = ("name", "receiver")

    def __init__(self, name: str, receiver: Value) -> None:
        self.name, self.receiver = name, receiver


class Work:
    """Values that were added to variables and not handed on yet, and all variables that were ever made."""

    __slots__ = ("later", "made", "waiting")

    def __init__(self) -> None:
        self.later: deque[Callable[[], None]] = deque()  # what is done when nothing waits to be handed on
        # A variable, a value of it, and how many used it when the value came: whoever came later has it already.
        self.waiting: deque[tuple[Variable, Value, int]] = deque()
        self.made: list[Variable] = []

    def hand_on(self) -> None:
        """Hand on until nothing is left to hand on."""
        waiting = self.waiting
        take, wait = waiting.popleft, waiting.append
        while waiting:
            variable, value, count = take()
            for user in variable.users[:count]:
                if type(user) is not Variable:
                    user(value)  # type: ignore[operator]
                    continue
                # What `Variable.add` does, without the call: most of what is handed on goes from variable to variable.
                values = user.values
                if not values:
                    user.values = (value,)
                elif type(values) is tuple:
                    if values[0] is value:
                        continue
                    user.values = {values[0]: None, value: None}
                elif value not in values and len(values) < MOST_VALUES:
                    values[value] = None  # type: ignore[index]
                else:
                    continue
                users = user.users
                if users:
                    wait((user, value, len(users)))

    def run(self) -> None:
        """Hand on, and do what was put off, until nothing is left of either."""
        self.hand_on()
        while self.later:
            self.later.popleft()()
            self.hand_on()

    def dissolve(self) -> None:
        """Let all variables go of each other: what they make are circles, which only the collector would find."""
        for variable in self.made:
            variable.users = variable.values = ()
        self.made.clear()
        self.waiting.clear()
        self.later.clear()


class Variable:
    """A place that holds values.

    values: a set that keeps the order in which they came; most hold none or one, for which a tuple is made much faster
    users: who is told of each: what takes a value, or a variable that is to hold the same
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
        elif value not in values and len(values) < MOST_VALUES:
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
            for value in values if type(values) is tuple else tuple(values):
                user(value)

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


class Nothing(Variable):
    """A place that holds nothing, for ever."""

    __slots__ = ()

    def add(self, value: Value) -> None:
        """Add nothing."""

    def use(self, user: User) -> None:
        """Call nobody."""

    def flow(self, target: Variable) -> None:
        """Give nothing."""


class Fixed(Variable):
    """A place that holds one value, for ever: nobody has to wait for more."""

    __slots__ = ()

    def __init__(self, work: Work, value: Value) -> None:
        super().__init__(work)
        self.values = (value,)

    def add(self, value: Value) -> None:
        """Add nothing."""

    def use(self, user: User) -> None:
        """Call `user` with the value, now."""
        for value in self.values:
            user(value)

    def flow(self, target: Variable) -> None:
        """Give the value, now."""
        for value in self.values:
            target.add(value)
