"""Help texts: the overview, the commands of a group, and one command. Lines end where the terminal does."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable
from functools import partial

from recollect.operations import Parameter
from recollect.surface.cli.arguments import global_options, kind, metavar, spellings, usage
from recollect.surface.cli.catalog import Section
from recollect.surface.cli.command_table import GLOBAL_OPTIONS, Command, Commands, path_of
from recollect.version import __version__

# Texts start here at the latest; a longer label has its text on the next line.
LABEL_COLUMNS = 26


def command_help(command: Command, table: Commands) -> str:
    """Return the help of one command: usage, purpose, arguments, options, an example and related commands."""
    paths = {row.runs.name: path for path, row in table.by_path.items() if "_" in row.runs.name}
    # Tools have the same texts, with their own names.
    tools = partial(re.compile(rf"`?\b({'|'.join(paths)})\b`?").sub, lambda name: f"`recollect {paths[name[1]]}`")

    parts = [
        f"Usage: {usage(command)}\n",
        *(_filled(tools(paragraph)) + "\n" for paragraph in command.description.split("\n\n")),
        section("Arguments", ((metavar(row), tools(_meaning(row))) for row in command.positionals)),
        section("Options", [*((_spelled(row), tools(_meaning(row))) for row in command.optionals), *_own(command)]),
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
    if kind(parameter) == "truth":  # only the form that changes something
        return {True: words[1], False: words[0]}.get(parameter.default, ", ".join(words))
    return f"{', '.join(words)} {metavar(parameter)}"


def _meaning(parameter: Parameter) -> str:
    parts = [f"do not {parameter.help}" if parameter.default is True else parameter.help]  # shown as --no-NAME
    if parameter.choices:
        parts.append(f"one of: {', '.join(parameter.choices)}")
    if kind(parameter) == "several" and not parameter.required:
        parts.append("repeat it or separate with commas")
    has_default = isinstance(parameter.default, str | int | float) and parameter.default != ""
    if has_default and not isinstance(parameter.default, bool):
        return f"{'; '.join(filter(None, parts))} (default: {parameter.default})"
    return "; ".join(filter(None, parts))


# --- the overview ---


# Every exit code with its meaning; a test holds that each error of the tree has a row.
EXIT_CODES: tuple[tuple[int, str], ...] = (
    (0, "success; for health: no check failed"),
    (1, "internal error: a defect of recollect"),
    (2, "invalid command, option or value"),
    (3, "nothing has that id or name"),
    (4, "conflict: changed by someone else, or exists already"),
    (5, "wrong setting, settings file or installation"),
    (6, "database error; for health: a check failed"),
    (7, "an embedding or language model did not answer"),
    (8, "access refused: no valid access token, or too narrow"),
    (130, "cancelled, for example with Ctrl-C"),
    (141, "broken pipe"),
)

USAGE = "Usage: recollect [global options] COMMAND [arguments and options]\n"

EXAMPLES = (
    'recollect store "We use tabs in Makefiles" --type decision',
    'recollect search "indentation in make"',
    "git diff | recollect review",
)


def overview(table: Commands) -> str:
    """Return the common commands, a line each, with examples: what `recollect` alone prints."""
    common = [row for row in table.sections if row.is_common]
    label = max((len(word) for row in common for word in row.entries), default=0)
    groups = ", ".join(sorted(row.group for row in table.sections if row.group))
    more = [
        f"Groups of further commands: {groups}." if groups else "",
        "`recollect help COMMAND` explains a command or group; `recollect help --all` lists every command.",
    ]
    return "\n".join(
        [
            f"recollect {__version__}: one memory for every AI coding assistant\n",
            *(listing(row, table, label) for row in common),
            section("Examples", ((example, "") for example in EXAMPLES)),
            *(_filled(line) for line in more if line),
            "",
        ]
    )


def overview_with_options(table: Commands) -> str:
    """Return what `recollect --help` prints: the usage, the overview and the global options."""
    return "\n".join([USAGE, overview(table), _options()])


def every_command(table: Commands) -> str:
    """Return what `recollect help --all` prints: every command by section, the global options and the exit codes."""
    codes = ((str(code), meaning) for code, meaning in EXIT_CODES)
    return "\n".join(
        [
            USAGE,
            *(listing(row, table) for row in table.sections),
            _options(),
            section("Exit codes", codes).rstrip("\n"),
            "",
        ]
    )


def _options() -> str:
    rows = ((f"{', '.join(row.flags)} {row.metavar}".strip(), row.help) for row in GLOBAL_OPTIONS)
    return section("Global options (before or after the command)", rows)
