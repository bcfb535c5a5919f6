"""The overview: what `recollect` alone prints, what `--help` adds to it, and the list of every command."""

from __future__ import annotations

import textwrap

from recollect.surface.command import GLOBAL_OPTIONS, Commands
from recollect.surface.help import columns, listing, section
from recollect.version import __version__

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
            *(textwrap.fill(line, columns(), break_on_hyphens=False) for line in more if line),
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
