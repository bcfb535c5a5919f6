"""The table of operations: every typed method marked with `@operation` is one row.

    engine noun method ──@operation──►  Operation  ──►  MCP tool · CLI command · HTTP route · reference row · test case

The decorator only marks; calling the method stays a plain call. A row has its parameters (name, type, default, help,
read from the signature and the docstring's `name: help` lines or `HELP`), the record type of its answer and its hints,
and validates arguments. Modules with operations do not postpone annotations, so that reading a signature costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin

import msgspec

from recollect.errors import InvalidInput
from recollect.expected import meant, wrong_value
from recollect.model import Record

Method = TypeVar("Method", bound=Callable[..., Any])

# One word per idea on every surface: the public name of a parameter by its name in Python. The Python name, which is
# often the documented one, is accepted too.
WORDS: Mapping[str, str] = {
    "k": "limit",
    "max_results": "limit",
    "max_memories": "limit",
    "memory_type": "type",
    "namespace": "project",
    "from_": "from",
    "global_": "global",
}

# The help of parameters that mean the same in most operations, by public name: a docstring describes the others, and
# those that mean something else.
HELP: Mapping[str, str] = {
    "all_projects": "search all projects",
    "as_of": "state at the end of a date, or 2w ago",
    "assistant": "such as claude or codex, if unclear",
    "event": "event name, if the payload has none",
    "kinds": "only nodes of these kinds",
    "limit": "maximum number of results",
    "memory_id": "the memory's id",
    "min_confidence": "minimum confidence, 0 to 1",
    "min_score": "minimum relevance, 0 to 1",
    "observed": "include prompts, edits, commands and summaries",
    "offset": "number of results to skip",
    "plan": "run only this plan, by its id from a preview",
    "preview": "show the plan, change nothing",
    "project": "project path or name; default: all projects",
    "relationships": "only these relationships",
    "since": "date, age like 2w, or yesterday",
    "tags": "must have all of these tags",
    "type": "only this type",
}


class Mark(NamedTuple):
    """The arguments of the decorator; the rest is read from the method itself."""

    name: str
    command: str
    read_only: bool
    destructive: bool
    idempotent: bool
    aliases: tuple[str, ...]
    positional: tuple[str, ...]
    listed: tuple[str, ...] | None


def operation(
    name: str,
    command: str,
    *,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    aliases: tuple[str, ...] = (),
    positional: tuple[str, ...] = (),
    listed: tuple[str, ...] | None = None,
) -> Callable[[Method], Method]:
    """Mark a method as an operation.

    name: the tool's name; command: the CLI command's name.
    read_only: it changes no file and nothing that is kept. Derived state does not count: any operation may process
    queued hook events, bring indexes, vectors and caches up to date, and count how often a memory was read.
    destructive: it may remove or replace something that `undo` cannot bring back, or remove much at once.
    idempotent: calling it again with the same arguments changes nothing more, whatever it logs.
    aliases: further tool names from the documents; positional: optional parameters that a command line takes by
    position, after the required ones.
    listed: the optional parameters that the tool's definition names, since a model pays for each; None: all. The
    others are accepted too.
    """

    def mark(method: Method) -> Method:
        method.__operation__ = Mark(  # type: ignore[attr-defined]
            name, command, read_only, destructive, idempotent or read_only, aliases, positional, listed
        )
        return method

    return mark


class Parameter(NamedTuple):
    """One argument of an operation; `required` ones are positional on the command line."""

    name: str
    type: Any
    default: Any
    help: str

    @property
    def required(self) -> bool:
        return self.default is msgspec.NODEFAULT

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words of it, or of its members; empty if any are allowed."""
        return choices(self.type)


def choices(annotation: Any) -> tuple[str, ...]:
    """Return the words that a type allows, in Annotated, Optional and collections too."""
    if hasattr(annotation, "__metadata__"):
        return choices(annotation.__origin__)
    if get_origin(annotation) is Literal:
        return tuple(str(value) for value in get_args(annotation))
    return tuple(word for member in get_args(annotation) for word in choices(member))


class Operation:
    """One row of the table: everything a surface needs to offer and call a capability."""

    def __init__(
        self, noun: str, method: Callable[..., Any], mark: Mark, owner: Callable[[Any], Any] | None = None
    ) -> None:
        """Create a row for a marked method; owner: creates the noun, given an engine that does not have it."""
        self.noun = noun
        self._owner = owner
        self.method = method.__name__
        self.name = mark.name
        self.command = mark.command
        self.read_only = mark.read_only
        self.destructive = mark.destructive
        self.idempotent = mark.idempotent
        self.aliases = mark.aliases
        self.positional = mark.positional
        self.listed = mark.listed
        self.returns: type[Record] = method.__annotations__["return"]
        self._method = method

    def __repr__(self) -> str:
        return f"Operation({self.name})"

    @cached_property
    def _documentation(self) -> tuple[str, str, dict[str, str]]:
        return _read_docstring(self._method.__doc__ or "", tuple(map(public, _parameter_names(self._method))))

    @property
    def summary(self) -> str:
        """The first sentence of the docstring, without its full stop."""
        return self._documentation[0]

    @property
    def description(self) -> str:
        """The docstring without its parameter lines."""
        return self._documentation[1]

    @property
    def tool_description(self) -> str:
        """The first paragraph of the docstring, for models."""
        return self.description.partition("\n\n")[0]

    def lists(self, name: str) -> bool:
        """Return whether the tool's definition has a parameter."""
        return self.listed is None or name in self.listed

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in the order of the signature."""
        method, helps = self._method, self._documentation[2]
        names = _parameter_names(method)
        positional_defaults = method.__defaults__ or ()
        count = method.__code__.co_argcount
        defaults = dict(zip(names[count - 1 - len(positional_defaults) : count - 1], positional_defaults, strict=True))
        defaults |= method.__kwdefaults__ or {}
        return tuple(
            Parameter(
                public(name),
                method.__annotations__[name],
                defaults.get(name, msgspec.NODEFAULT),
                helps.get(public(name)) or HELP.get(public(name), ""),
            )
            for name in names
        )

    @cached_property
    def arguments_type(self) -> type[msgspec.Struct]:
        """A struct whose fields are the parameters: it validates arguments and describes them as JSON Schema."""
        fields = [
            (row.name, Annotated[row.type, msgspec.Meta(description=row.help)], row.default) for row in self.parameters
        ]
        return msgspec.defstruct(self.name, fields, kw_only=True, frozen=True, forbid_unknown_fields=True)

    def accept(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return `arguments` as valid keyword arguments of the method, defaults left out.

        Text is converted to a number or truth value where one is expected, since shells and models write both as text.
        Raises InvalidInput with the name of the wrong argument.
        """
        given = {public(name): value for name, value in arguments.items()}
        if len(given) < len(arguments):
            twice = next(name for name in arguments if public(name) != name and public(name) in arguments)
            raise InvalidInput(
                f"{public(twice)} was given twice, also as {twice}", hint=f"Use {public(twice)} alone.", argument=twice
            )
        arguments = given
        try:
            value = msgspec.convert(arguments, self.arguments_type, strict=False)
        except (msgspec.ValidationError, UnicodeEncodeError):
            raise self._refused(arguments) from None
        keywords = {public(name): name for name in _parameter_names(self._method)}
        return {keywords[name]: getattr(value, name) for name in arguments}

    def _refused(self, given: Mapping[str, Any]) -> InvalidInput:
        """Return the error for the first argument that is unknown, wrong or missing."""
        known = {row.name: row for row in self.parameters}
        every = (
            "Arguments: " + (", ".join(name + "?" * (not row.required) for name, row in known.items()) or "none") + "."
        )
        for name, value in given.items():
            if name not in known:
                hint = f"{meant(name, known)} {every}".strip()
                return InvalidInput(f'{self.name} has no argument "{name}"', hint=hint, argument=name)
            row = known[name]
            try:
                msgspec.convert(value, row.type, strict=False)
            except (msgspec.ValidationError, UnicodeEncodeError):
                return wrong_value(name, row.type, value, choices=row.choices, help_=row.help)
        missing = ", ".join(name for name, row in known.items() if row.required and name not in given)
        return InvalidInput(f"{self.name} needs {missing}", hint=every, operation=self.name)

    def call(self, engine: Any, arguments: Mapping[str, Any]) -> Record:
        """Validate `arguments` and call the method on the engine's noun."""
        noun = getattr(engine, self.noun) if self._owner is None else self._owner(engine)
        answer: Record = getattr(noun, self.method)(**self.accept(arguments))
        return answer


def collect(nouns: Mapping[str, type], *, on_top: bool = False) -> dict[str, Operation]:
    """Return the table of every marked method of the nouns, by operation name, in order of definition.

    on_top: the nouns are not part of the engine and are created from it for each call
    """
    table: dict[str, Operation] = {}
    for noun, owner in nouns.items():
        for member in vars(owner).values():
            mark = getattr(member, "__operation__", None)
            if mark is not None:
                table[mark.name] = Operation(noun, member, mark, owner if on_top else None)
    return table


def by_tool_name(table: Mapping[str, Operation]) -> dict[str, Operation]:
    """Return the table by tool name, aliases included."""
    named = dict(table)
    for row in table.values():
        named.update(dict.fromkeys(row.aliases, row))
    return named


def public(name: str) -> str:
    """Return the public name of a parameter."""
    return WORDS.get(name, name)


def _parameter_names(method: Callable[..., Any]) -> tuple[str, ...]:
    code = method.__code__
    return tuple(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])


def _read_docstring(text: str, names: tuple[str, ...]) -> tuple[str, str, dict[str, str]]:
    """Split a docstring into its summary, its prose, and the help of each parameter (`name: help`, may continue)."""
    prose: list[str] = []
    helps: dict[str, str] = {}
    current = ""
    for raw in text.strip().splitlines():
        line = raw.strip()
        head = re.match(r"(\w+): (.*)", line)
        if head and public(head[1]) in names:
            current = public(head[1])
            helps[current] = head[2]
        elif current and line:
            helps[current] += " " + line
        else:
            current = ""
            prose.append(line)
    joined = re.sub(r"\n{2,}", "\n\n", "\n".join(prose)).strip()
    paragraphs = [" ".join(part.split()) for part in joined.split("\n\n") if part.strip()]
    summary = paragraphs[0].partition(". ")[0].removesuffix(".") if paragraphs else ""
    return summary, "\n\n".join(paragraphs), helps
