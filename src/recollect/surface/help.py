"""Help texts: one command, or the commands of a group. Lines end where the terminal does; nothing is cut."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable

from recollect.operations import Parameter
from recollect.surface.arguments import global_options, spellings, usage
from recollect.surface.catalog import Section
from recollect.surface.command import GLOBAL_OPTIONS, Command, Commands, path_of
from recollect.surface.form import form, metavar

# Texts start here at the latest; a longer label has its text on the next line.
LABEL_COLUMNS = 26


def command_help(command: Command) -> str:
    """Return the help of one command: usage, purpose, arguments, options, an example and related commands."""
    parts = [
        f"Usage: {usage(command)}\n",
        *(_filled(paragraph) + "\n" for paragraph in command.description.split("\n\n")),
        section("Arguments", ((metavar(row), _meaning(row)) for row in command.positionals)),
        section("Options", [*((_spelled(row), _meaning(row)) for row in command.optionals), *_own(command)]),
        section("Example", [(f"recollect {command.example}", "")] if command.example else ()),
        _filled("Global options: " + ", ".join(row.flags[-1] for row in GLOBAL_OPTIONS) + " (see `recollect --help`)"),
        _filled(f"See also: {', '.join(command.related)}") if command.related else "",
    ]
    return "\n".join(part for part in parts if part).rstrip("\n") + "\n"


def group_help(group: Section, table: Commands) -> str:
    """Return the commands of a group, a line each."""
    return (
        f"Usage: recollect {group.group} COMMAND [arguments and options]\n\n"
        f"{listing(group, table)}\n`recollect help {group.group} COMMAND` explains a command.\n"
    )


def listing(rows: Section, table: Commands, label: int = 0) -> str:
    """Return the commands of a section with their summaries, under its title; label: the least width of the names."""
    paths = (path_of(rows, word) for word in rows.entries)
    return section(rows.title, ((path, table.by_path[path].summary) for path in paths), label)


def section(title: str, rows: Iterable[tuple[str, str]], label: int = 0) -> str:
    """Return labels with their texts in two columns under a title; empty where there are none."""
    found = list(rows)
    if not found:
        return ""
    width = columns()
    label = min(LABEL_COLUMNS, max(label, *(len(name) for name, _text in found))) + 4
    lines = [f"{title}:"]
    for name, text in found:
        shown = textwrap.wrap(text, max(20, width - label))
        fits = len(name) + 4 <= label and shown
        lines.append(f"  {name}".ljust(label) + shown.pop(0) if fits else f"  {name}")
        lines += (" " * label + line for line in shown)
    return "\n".join(lines) + "\n"


def columns() -> int:
    """Return the width of the terminal; 80 where there is none."""
    return shutil.get_terminal_size().columns


def _filled(text: str) -> str:
    return textwrap.fill(text, columns(), break_on_hyphens=False)


def _own(command: Command) -> list[tuple[str, str]]:
    """Return the options that only this command has and that are no parameters."""
    return [(", ".join(row.flags), row.help) for row in global_options(command) if row not in GLOBAL_OPTIONS]


def _spelled(parameter: Parameter) -> str:
    words = [word for word, row in spellings(parameter).items() if not row.is_hidden]
    if form(parameter).kind == "truth":  # only the form that changes something
        return {True: words[1], False: words[0]}.get(parameter.default, ", ".join(words))
    return f"{', '.join(words)} {metavar(parameter)}"


def _meaning(parameter: Parameter) -> str:
    shape = form(parameter)
    parts = [parameter.help]
    if shape.choices:
        parts.append(f"one of: {', '.join(shape.choices)}")
    if shape.kind == "several" and not parameter.required:
        parts.append("repeat it or separate with commas")
    has_default = isinstance(parameter.default, str | int | float) and parameter.default != ""
    if has_default and not isinstance(parameter.default, bool):
        return f"{'; '.join(filter(None, parts))} (default: {parameter.default})"
    return "; ".join(filter(None, parts))
