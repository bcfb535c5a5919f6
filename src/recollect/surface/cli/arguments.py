"""Words of a command line → arguments of a command.

    recollect [global options] COMMAND [global options, arguments and options of the command]

Required parameters are written by position, the others as options, by the type of the parameter:

    text, number        --title TITLE
    one of a few        --type TYPE
    several             --tags a --tags b  or --tags a,b; a value with a comma as JSON: --tags '["a,b"]'
    truth value         --flag, --no-flag
    object              --metadata '{"ticket": 7}'

The value `-` of a text reads standard input. Values stay text here; the operation checks them, as for every surface.
"""

from __future__ import annotations

import os
import stat
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from recollect.errors import ContentTooLarge, InvalidInput, RecollectError
from recollect.expected import meant, shown, wrong_value
from recollect.operations import WORDS, Parameter, public
from recollect.parsing import parse_json
from recollect.surface.cli.catalog import CATALOG, Section
from recollect.surface.cli.command_table import (
    GLOBAL_OPTIONS,
    YES,
    Command,
    Commands,
    GlobalOption,
    path_of,
    question,
    unknown_in,
)

# The parameters that hold prose: the value `-` reads standard input for them, and several words need quotes. Names, ids
# and paths are short, and `-` may mean something there.
PROSE = frozenset({"content", "query", "text", "task", "description"})

# More than any export through a pipe; an endless pipe must stop somewhere.
STANDARD_INPUT_BYTES = 256 * 1024 * 1024

# Short forms of the options that people type most.
SHORT: Mapping[str, str] = {"limit": "-n", "project": "-p", "type": "-t"}

StandardInput = Callable[[int], bytes]


# --- how a parameter is written ---


Kind = Literal["text", "path", "choice", "several", "truth", "object"]


def kind(parameter: Parameter) -> Kind:
    """Return how a parameter is written, by its type without Annotated, Optional and unset."""
    found = _kind(parameter.type)
    return "path" if found == "text" and parameter.name.split("_")[-1] in ("path", "file", "directory") else found


def _kind(annotation: Any) -> Kind:
    if hasattr(annotation, "__metadata__"):
        return _kind(annotation.__origin__)
    origin = get_origin(annotation)
    if origin is Literal:
        return "choice"
    if origin in (Union, types.UnionType):
        # The first that is not plain text: text can always be written in it too.
        members = [_kind(member) for member in get_args(annotation) if member not in (type(None), msgspec.UnsetType)]
        return next((found for found in members if found != "text"), "text")
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return "object"
    return _KINDS.get(origin or annotation, "text")


_KINDS: Mapping[Any, Kind] = {
    bool: "truth",
    dict: "object",
    Mapping: "object",
    tuple: "several",
    list: "several",
    set: "several",
    frozenset: "several",
    Sequence: "several",
}


# The word for a value in usage lines, where the parameter's own name is not clear.
_METAVARS: Mapping[str, str] = {
    "content": "TEXT",
    "memory_id": "ID",
    "memory_ids": "ID",
    "session_id": "ID",
    "limit": "N",
    "offset": "N",
    "since": "DATE",
    "until": "DATE",
    "as_of": "DATE",
    "valid_from": "DATE",
}


def flag(parameter: Parameter) -> str:
    """Return a parameter's option: `--min-score` of min_score."""
    return "--" + parameter.name.replace("_", "-")


def metavar(parameter: Parameter) -> str:
    """Return the word for a parameter's value in usage lines."""
    if parameter.name in _METAVARS:
        return _METAVARS[parameter.name]
    if parameter.required:
        return parameter.name.upper()
    return {"object": "JSON", "path": "PATH"}.get(kind(parameter), parameter.name.split("_")[-1].upper())


def read(parameter: Parameter, value: Any) -> Any:
    """Return the argument of a parameter from its text; raises InvalidInput if it has another form."""
    shape = kind(parameter)
    if shape == "object":
        return _object(parameter, value)
    if shape == "several":
        value = [part for text in value for part in _parts(text)]
    if parameter.choices:
        for word in value if shape == "several" else [value]:
            if word not in parameter.choices:
                raise wrong_value(parameter.name, parameter.type, word, choices=parameter.choices)
    return value


def _parts(value: str) -> list[str]:
    if value.startswith('["'):
        with suppress(InvalidInput):
            parts: list[str] = parse_json(value, kind=list[str])
            return parts
    return [part.strip() for part in value.split(",") if part.strip()]


def _object(parameter: Parameter, value: str) -> Any:
    try:
        return parse_json(value, what=parameter.name)
    except InvalidInput as problem:
        raise InvalidInput(
            problem.message,
            hint=f'Write it as JSON in quotes: {flag(parameter)} \'{{"key": "value"}}\'.',
            argument=parameter.name,
        ) from None


# --- options ---


class Option(NamedTuple):
    """One spelling of an option: the value it fills, how, and whether help leaves it out."""

    name: str
    kind: Literal["value", "several", "flag"]
    value: bool = True
    is_hidden: bool = False


def options(command: Command) -> dict[str, Option]:
    """Return every spelling of every option that the command takes, global ones included."""
    found: dict[str, Option] = {}
    for parameter in command.optionals:
        found |= spellings(parameter)
    for parameter in command.positionals:  # `--query x` is understood too
        hidden = {word: row._replace(is_hidden=True) for word, row in spellings(parameter).items()}
        found = {**hidden, **found}
    for row in global_options(command):
        name = row.flags[-1].removeprefix("--")
        found |= dict.fromkeys(row.flags, Option(name, "value" if row.metavar else "flag"))
    return found


def spellings(parameter: Parameter) -> dict[str, Option]:
    """Return the spellings of a parameter: its short form, its option, and its older names."""
    shape = kind(parameter)
    name, option = parameter.name, flag(parameter)
    if shape == "truth":
        return {option: Option(name, "flag"), "--no-" + option[2:]: Option(name, "flag", value=False)}
    row = Option(name, "several" if shape == "several" else "value")
    words = {SHORT[name]: row} if name in SHORT else {}
    older = ("--" + old.replace("_", "-") for old, word in WORDS.items() if word == name and not old.endswith("_"))
    return {**words, option: row, **dict.fromkeys(older, row._replace(is_hidden=True))}


def global_options(command: Command) -> tuple[GlobalOption, ...]:
    """Return the options that are not parameters; --yes where the command asks first."""
    return (*GLOBAL_OPTIONS, YES) if question(command) else GLOBAL_OPTIONS


# --- which command ---------------------------------------------------------------------------------------------------


def split(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the first word that is no option (empty: none) and all other words in their order.

    Raises InvalidInput for an option before it that is not global.
    """
    takes_value = {option: bool(row.metavar) for row in GLOBAL_OPTIONS for option in row.flags}
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            return word, [*others, *rest]
        others.append(word)
        name = word.partition("=")[0]
        if name not in takes_value:
            raise InvalidInput(
                f"recollect has no option {shown(name)}",
                hint=meant(name, takes_value) or "Write the options of a command after its name.",
                option=name,
            )
        if takes_value[name] and "=" not in word:
            others.extend(value for value in [next(rest, None)] if value is not None)
    return "", others


def has(words: Sequence[str], *flags: str) -> bool:
    """Return whether one of the flags is among the words before `--`."""
    end = words.index("--") if "--" in words else len(words)
    return any(word in flags for word in words[:end])


def find(name: str, others: Sequence[str], table: Commands) -> tuple[Command | Section, list[str]]:
    """Return the command or group that the words name, and the words left for it; raises InvalidInput.

    A group's name may be an older name of one of its commands too: `recollect consolidate` runs `consolidate run`.
    """
    group, command = table.group(name), table.named(name)
    if group is None:
        if command is None:
            raise table.unknown(name)
        return command, list(others)
    try:
        word, rest = split(others)
    except InvalidInput:  # an option of the command that has the group's name
        word, rest = "", list(others)
    if word in group.entries:
        return table.by_path[f"{group.group} {word}"], rest
    if command is None and word:
        raise unknown_in(group, word)
    if command is None or (not word and (command.required or has(others, "-h", "--help"))):
        return group, list(others)
    return command, list(others)


# --- its arguments ---------------------------------------------------------------------------------------------------


def parse(command: Command, words: Sequence[str]) -> dict[str, Any]:
    """Return what the words say, by parameter name, as text; raises InvalidInput with what to type instead."""
    known = options(command)
    values: dict[str, Any] = {}
    loose: list[str] = []
    several = ""  # the last option that takes several values
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            loose += reversed(rest)
            break
        if not _is_option(word):
            loose.append(word)
            continue
        name, given = _attached(word, known)
        option = known.get(name)
        if option is None:
            raise _unknown_option(command, name, known)
        value = _value(name, option, given, rest, known)
        if option.kind == "several":
            values.setdefault(option.name, []).append(value)
            several = name
        else:
            values[option.name] = value
    found, left = _by_position(command, loose, values)
    if left:
        raise _unexpected(command, left[0], loose, several)
    return values | found


def _is_option(word: str) -> bool:
    """Return whether a word is an option: not a lone dash, a negative number or a text that begins with a dash."""
    name = word.partition("=")[0]
    return name.startswith("-") and name != "-" and not name[1].isdigit() and not any(map(str.isspace, name))


def _attached(word: str, known: Mapping[str, Option]) -> tuple[str, str | None]:
    """Return the option of a word and the value written in the same word: --limit=5, -n5."""
    short = known.get(word[:2])
    if short is not None and short.kind != "flag" and len(word) > 2:
        return word[:2], word[2:].removeprefix("=")
    name, sign, value = word.partition("=")
    return name, value if sign else None


def _value(name: str, option: Option, given: str | None, rest: list[str], known: Mapping[str, Option]) -> Any:
    if option.kind == "flag":
        if given is not None:
            no = "--no-" + name.removeprefix("--")
            raise InvalidInput(f"{name} takes no value", hint=f"Use {name}{f' or {no}' if no in known else ''}.")
        return option.value
    if given is None and (not rest or rest[-1].partition("=")[0] in known):
        raise InvalidInput(f"{name} needs a value", hint=f"Write {name} VALUE or {name}=VALUE.", option=name)
    return rest.pop() if given is None else given


def _by_position(command: Command, loose: Sequence[str], values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments written by position and the words that are left; raises InvalidInput if one is missing."""
    found: dict[str, Any] = {}
    left = list(loose)
    for parameter in command.positionals:
        if parameter.name in values:
            continue
        if kind(parameter) == "several":
            found |= {parameter.name: left} if left else {}
            left = []
        elif left:
            found[parameter.name] = left.pop(0)
        if parameter.required and parameter.name not in found:
            raise _missing(command, parameter)
    return found, left


def usage(command: Command) -> str:
    """Return what must be written for a command; help lists below it what can be written."""
    words = []
    for row in command.positionals:
        word = metavar(row) + " ..." * (kind(row) == "several")
        words.append(word if row.required else f"[{word}]")
    return " ".join(["recollect", command.path, *words, *["[options]"] * bool(command.optionals)])


def _missing(command: Command, parameter: Parameter) -> InvalidInput:
    word = metavar(parameter)
    article = "an" if word[0] in "AEIOU" else "a"
    hint = f"For example: recollect {command.example}" if command.example else f"See `recollect help {command.path}`."
    return InvalidInput(f"{command.path} needs {article} {word}", hint=hint, missing=parameter.name)


def _unexpected(command: Command, word: str, loose: Sequence[str], several: str) -> InvalidInput:
    hint = f"Usage: {usage(command)} (see `recollect help {command.path}`)"
    if several:
        hint = f"Separate several values with commas: {several} a,b"
    elif command.positionals and command.positionals[0].name in PROSE:
        text = " ".join(loose).replace('"', "'")
        hint = f"Put the {metavar(command.positionals[0]).lower()} in quotes: recollect {command.path} {shown(text)}"
    return InvalidInput(f"unexpected argument {shown(word)}", hint=hint, word=word)


def _unknown_option(command: Command, name: str, known: Mapping[str, Option]) -> InvalidInput:
    visible = [word for word, row in known.items() if word.startswith("--") and not row.is_hidden]
    hint = meant(name, visible)
    if not name.startswith("--"):
        hint = f"{hint} Text that begins with a dash goes after a lone --.".strip()
    return InvalidInput(
        f"{command.path} has no option {shown(name)}",
        hint=hint or f"Its options: {', '.join(flag(row) for row in command.optionals) or 'none'}.",
        option=name,
    )


def arguments(command: Command, values: Mapping[str, Any], standard_input: StandardInput) -> dict[str, Any]:
    """Return the command's arguments out of parsed `values`, read by the form of each parameter.

    standard_input: returns up to so many bytes. It is read for a text `-`, and for a path `-` where the command takes
    the content itself as well.
    """
    names = {parameter.name for parameter in command.parameters}
    found: dict[str, Any] = {}
    for parameter in command.parameters:
        if parameter.name not in values:
            continue
        value = values[parameter.name]
        if value == "-" and parameter.name in PROSE:
            found[parameter.name] = _input_text(standard_input)
        elif value == "-" and parameter.name == "path" and "content" in names:
            found["content"] = _input_text(standard_input)
        else:
            found[parameter.name] = read(parameter, value)
    return found


def as_typed(text: str, command: Command) -> str:
    """Return a text with tools and parameters as they are typed here: `recollect code`, --all-projects."""
    rows = ((row.runs, path_of(section, word)) for section in CATALOG for word, row in section.entries.items())
    known = {name: f"`recollect {path}`" for name, path in rows}
    known |= {row.name: flag(row) for row in command.optionals}
    words = []
    for word in text.split(" "):
        name = word.strip("`.,;:()").removesuffix("=true")
        is_name = "_" in name and name in known
        words.append(word.replace("=true", "").replace("`", "").replace(name, known[name]) if is_name else word)
    return " ".join(words)


def reworded(error: RecollectError, command: Command) -> RecollectError:
    """Return the error with its argument and tools spelled as on this command line: --importance, `recollect code`."""
    error.hint = as_typed(error.hint, command)
    name = error.details.get("argument") or error.details.get("field")
    for parameter in command.parameters:
        if isinstance(name, str) and parameter.name == public(name):
            spelled = metavar(parameter) if parameter in command.positionals else flag(parameter)
            error.message = _respelled(error.message, name, spelled)
            error.hint = _respelled(error.hint, name, spelled)
    return error


def _respelled(text: str, name: str, spelled: str) -> str:
    return spelled + text[len(name) :] if text.startswith((f"{name} ", f"{name}:")) else text


def _input_bytes(standard_input: StandardInput) -> bytes:
    raw = standard_input(STANDARD_INPUT_BYTES + 1)
    if len(raw) > STANDARD_INPUT_BYTES:
        raise ContentTooLarge(f"standard input has more than {STANDARD_INPUT_BYTES:,} bytes")
    return raw


def _input_text(standard_input: StandardInput) -> str:
    """Return standard input as text, without the one newline that ends it, as a shell's $(…) would."""
    raw = _input_bytes(standard_input)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InvalidInput(
            f"standard input is not valid UTF-8 at byte {problem.start}",
            hint="Convert it first, for example with `iconv -t UTF-8`. Nothing was changed.",
            position=problem.start,
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


# --- a pipe as an argument: `git diff | recollect review` ---

# Only a pipe or a file counts. A socket does not: some programs start commands with one and never write to it.


class Piped(NamedTuple):
    """The parameter of an operation that standard input fills, unless one of the others is given."""

    parameter: str
    others: frozenset[str]


PIPED: Mapping[str, Piped] = {
    "review_diff": Piped("diff", frozenset({"range"})),
    "ingest": Piped("payload", frozenset()),
    "session_context": Piped("payload", frozenset({"project"})),
    "submit_prompt": Piped("payload", frozenset()),
    "summarize_session": Piped("payload", frozenset({"session_id", "project"})),
}


def piped(operation: str, given: Mapping[str, Any], standard_input: StandardInput) -> dict[str, str]:
    """Return the argument that standard input fills, if any; `-` in its place asks for it."""
    row = PIPED.get(operation)
    if row is None:
        return {}
    asked = given.get(row.parameter) == "-"
    if not asked and (row.parameter in given or row.others & given.keys() or not is_piped()):
        return {}
    # A diff has the encodings of its files, which may be several.
    return {row.parameter: _input_bytes(standard_input).decode("utf-8", "replace")}


def is_piped() -> bool:
    """Return whether standard input is a pipe or a file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # closed, or replaced by something without a file
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)
