"""The first thing a person reads: what there is to type, grouped by purpose, and what an exit code means."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping

from recollect.surface.command import GLOBAL_OPTIONS, GROUPS, OTHER, Command
from recollect.version import __version__

# Every exit code with its meaning; a test holds that each error of the tree has a row.
EXIT_CODES: tuple[tuple[int, str], ...] = (
    (0, "done; for health: works, perhaps less well than it could"),
    (1, "a defect of recollect"),
    (2, "the command or a value in it cannot be used"),
    (3, "nothing has that id or name"),
    (4, "it changed meanwhile, or is there already"),
    (5, "a setting, a settings file or the installation is wrong"),
    (6, "the database said no; for health: a check failed"),
    (7, "an embedding or language model outside did not answer"),
    (130, "cancelled, for example with Ctrl-C"),
    (141, "whoever read the output went away"),
)

_EXAMPLES = """\
Try it:
  recollect store "We use tabs in Makefiles" --memory-type decision --tags make,style
  recollect search "indentation in make"
  git log -1 --format=%B | recollect store - --memory-type insight
"""


def overview(commands: Mapping[str, Command]) -> str:
    """Return the commands by purpose, a line each, with examples: what `recollect` alone prints."""
    more = "`recollect help COMMAND` explains one; `recollect --help` adds global options and exit codes.\n"
    return "\n".join(
        [f"recollect {__version__}: one memory for every AI coding assistant\n", *_groups(commands), _EXAMPLES, more]
    )


def full_help(commands: Mapping[str, Command]) -> str:
    """Return what `recollect --help` prints: the overview's commands, the global options and the exit codes."""
    options = [(f"{', '.join(row.flags)} {row.metavar}".strip(), row.help) for row in GLOBAL_OPTIONS]
    codes = [(str(code), meaning) for code, meaning in EXIT_CODES]
    return "\n".join(
        [
            "usage: recollect [global options] COMMAND [arguments and options]\n",
            *_groups(commands),
            _section("Global options (before or after the command)", options, wrap=True),
            _section("Exit codes", codes, wrap=True),
            _EXAMPLES,
        ]
    )


def _groups(commands: Mapping[str, Command]) -> Iterator[str]:
    named = {name for _title, names in GROUPS for name in names}
    for title, names in (*GROUPS, (OTHER, tuple(name for name in commands if name not in named))):
        rows = [(name, _first_sentence(commands[name].summary)) for name in names if name in commands]
        if rows:
            yield _section(title, rows)


def _section(title: str, rows: list[tuple[str, str]], *, wrap: bool = False) -> str:
    label = max(len(name) for name, _text in rows)
    room = max(20, shutil.get_terminal_size().columns - label - 4)
    indent = "\n" + " " * (label + 4)
    lines = (f"  {name.ljust(label)}  {indent.join(_lines(text, room, wrap))}" for name, text in rows)
    return "\n".join([f"{title}:", *lines, ""])


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".")


def _lines(text: str, room: int, wrap: bool) -> list[str]:
    if wrap:
        return textwrap.wrap(text, room)
    return [text if len(text) <= room else text[: room - 1].rstrip() + "…"]
