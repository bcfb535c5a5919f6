"""Words of a command line → arguments of a command.

    recollect [global options] COMMAND [global options, arguments and options of the command]

One parser is built per run, for the command that was named: its required parameters are positional, the others
options (form.py says how each is written). The value `-` of a text reads standard input.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from recollect.errors import ContentTooLarge, InvalidInput
from recollect.operations import Parameter
from recollect.surface.command import GLOBAL_OPTIONS, YES, Command, GlobalOption, optionals, positionals, question
from recollect.surface.form import Form, flag, form, meant, read

# The parameters that hold prose: theirs is the value `-` that reads standard input. Names, ids and paths are short, and
# `-` may mean something to them.
PROSE = frozenset({"content", "query", "text"})

# More than any export we expect through a pipe; a pipe without end must stop somewhere.
STANDARD_INPUT_BYTES = 256 * 1024 * 1024

StandardInput = Callable[[int], bytes]


def options(command: Command) -> dict[str, Form]:
    """Return every option the command takes with its form, global ones included."""
    found: dict[str, Form] = {}
    for parameter in optionals(command):
        shape = form(parameter)
        found[flag(parameter)] = shape
        if shape.kind == "truth":
            found["--no-" + flag(parameter)[2:]] = shape
    for row in global_options(command):
        found.update(dict.fromkeys(row.flags, Form("path" if row.metavar else "truth")))
    return found


def global_options(command: Command) -> tuple[GlobalOption, ...]:
    """Return the options that are not parameters; --yes where the command asks first."""
    return (*GLOBAL_OPTIONS, YES) if question(command) else GLOBAL_OPTIONS


def split(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the command's name (empty: none was given) and all other words in their order.

    Raises InvalidInput for an option before the command that is not global.
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
                f"{name} is no option of recollect itself",
                hint=meant(name, takes_value) or "Options of a command come after its name.",
                option=name,
            )
        if takes_value[name] and "=" not in word:
            others.extend(value for value in [next(rest, None)] if value is not None)
    return "", others


def has(words: Sequence[str], *flags: str) -> bool:
    """Tell whether one of the flags is among the words before `--`."""
    end = words.index("--") if "--" in words else len(words)
    return any(word in flags for word in words[:end])


class Parser(argparse.ArgumentParser):
    """An argparse parser whose complaints are InvalidInput and whose description keeps its paragraphs."""

    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{self.prog}: {message}", hint=f"`{self.prog} --help` shows how it is called.")


class _Paragraphs(argparse.HelpFormatter):
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(super(_Paragraphs, self)._fill_text(part, width, indent) for part in text.split("\n\n"))


def parser(command: Command) -> Parser:
    """Return the parser of one command, global options included; options that are not given leave no trace."""
    made = Parser(
        prog=f"recollect {command.command}",
        usage=_usage(command).replace("%", "%%"),
        description=command.description,
        formatter_class=_Paragraphs,
        add_help=False,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    by_position = made.add_argument_group("arguments")
    for parameter in positionals(command):
        _add_argument(by_position, parameter)
    by_name = made.add_argument_group("options")
    for parameter in optionals(command):
        _add_option(by_name, parameter)
    everywhere = made.add_argument_group("global options")
    for row in global_options(command):
        settings: dict[str, Any] = {"metavar": row.metavar} if row.metavar else {"action": "store_true"}
        everywhere.add_argument(*row.flags, help=row.help, **settings)
    return made


def _usage(command: Command) -> str:
    """Return what must be written; what can be written is listed below it."""
    words = [_name(row) if row.required else f"[{_name(row)}]" for row in positionals(command)]
    return " ".join(["recollect", command.command, *words, "[options]"])


def _name(parameter: Parameter) -> str:
    return parameter.name.upper() + (" ..." if form(parameter).kind == "several" else "")


def _add_argument(group: argparse._ArgumentGroup, parameter: Parameter) -> None:
    """Add a parameter that is written by position; `several` takes the words that are left."""
    least, most = ("+", "*") if form(parameter).kind == "several" else (None, "?")
    group.add_argument(
        parameter.name,
        metavar=parameter.name.upper(),
        nargs=least if parameter.required else most,
        help=_help(parameter, form(parameter)),
    )


def _add_option(group: argparse._ArgumentGroup, parameter: Parameter) -> None:
    shape = form(parameter)
    settings: dict[str, Any] = {"metavar": _METAVARS.get(shape.kind, parameter.name.split("_")[-1].upper())}
    if shape.kind == "several":
        settings["action"] = "append"
    if shape.kind == "truth":
        settings = {"action": argparse.BooleanOptionalAction}
    group.add_argument(flag(parameter), dest=parameter.name, help=_help(parameter, shape), **settings)


_METAVARS: Mapping[str, str] = {"object": "JSON", "path": "PATH"}


def _help(parameter: Parameter, shape: Form) -> str:
    parts = [parameter.help]
    if shape.choices:
        parts.append(f"one of: {', '.join(shape.choices)}")
    if shape.kind == "several":
        parts.append("repeat or separate with commas")
    if isinstance(parameter.default, str | int | float) and parameter.default not in ("", False):
        parts.append(f"default: {parameter.default}")
    return "; ".join(part for part in parts if part).replace("%", "%%")


def parse(command: Command, words: Sequence[str]) -> dict[str, Any]:
    """Return what the words say, by parameter name, as text; raises InvalidInput, with a suggestion if one is near."""
    values, unknown = parser(command).parse_known_args(list(words))
    if unknown:
        word = unknown[0].partition("=")[0]
        if word.startswith("-") and word != "--":
            known = options(command)
            raise InvalidInput(
                f"recollect {command.command} has no option {word}",
                hint=meant(word, known) or "Text that begins with a dash goes after a lone --.",
                option=word,
            )
        raise InvalidInput(
            f"recollect {command.command} was given one word too many: {word}",
            hint="Put text with spaces in quotes.",
            word=word,
        )
    return vars(values)


def arguments(command: Command, values: Mapping[str, Any], standard_input: StandardInput) -> dict[str, Any]:
    """Return the command's arguments out of parsed `values`, read by the form of each parameter.

    standard_input: gives up to so many bytes; it is read for a text `-`, and for a path `-` where the command takes
    the content itself as well.
    """
    names = {parameter.name for parameter in command.parameters}
    found: dict[str, Any] = {}
    for parameter in command.parameters:
        value = values.get(parameter.name, argparse.SUPPRESS)
        if value is argparse.SUPPRESS:
            continue
        if value == "-" and parameter.name in PROSE:
            found[parameter.name] = _input_text(standard_input)
        elif value == "-" and parameter.name == "path" and "content" in names:
            found["content"] = _input_text(standard_input)
        else:
            found[parameter.name] = read(parameter, value)
    return found


def _input_text(standard_input: StandardInput) -> str:
    """Return standard input as text, without the one newline that ends it, as a shell's $(…) would."""
    raw = standard_input(STANDARD_INPUT_BYTES + 1)
    if len(raw) > STANDARD_INPUT_BYTES:
        raise ContentTooLarge(f"standard input has more than {STANDARD_INPUT_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InvalidInput(
            f"standard input is not UTF-8: byte {problem.start} cannot be read",
            hint="Convert it first, for example with `iconv -t UTF-8`; nothing was written.",
            position=problem.start,
        ) from None
    return text.removesuffix("\n").removesuffix("\r")
