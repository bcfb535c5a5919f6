"""One command line, from its words to its exit code.

    words ──find──► command ──parse──► arguments ──operation──► record ──► output

Every operation is a command; builtin_commands.py has the others. Every failure is one RecollectError with its exit code
(help.py lists them). A stack trace is shown only with -v.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

from msgspec import structs

from recollect.errors import Cancelled, InvalidInput, RecollectError, StorageError
from recollect.model import Health, Record
from recollect.operations import Operation
from recollect.render import acknowledged
from recollect.render.untrusted import oneline, visible
from recollect.settings import Settings, load
from recollect.surface.cli.arguments import arguments, as_typed, find, has, parse, piped, reworded, split
from recollect.surface.cli.builtin_commands import WRITTEN
from recollect.surface.cli.catalog import Section
from recollect.surface.cli.command_table import Command, Commands, commands, question
from recollect.surface.cli.output import Output, OutputClosed, confirm, log_to_stderr, waiting
from recollect.surface.hooks.hook_output import printed
from recollect.version import __version__

# What a process that dies of SIGPIPE would leave: 128 + 13.
OUTPUT_CLOSED = 141


class Backend(NamedTuple):
    """The backend of the command line: the operations, and a function that opens the engine."""

    operations: Callable[[], Mapping[str, Operation]]
    open_engine: Callable[[Settings], AbstractContextManager[Any]]


def run(words: Sequence[str], backend: Backend) -> int:
    """Run one command line and return its exit code; never raises."""
    output = Output(as_json=has(words, "--json"), full=has(words, "--full"))
    try:
        try:
            return _run(words, backend, output)
        except (OutputClosed, RecollectError):
            raise
        except KeyboardInterrupt:
            raise Cancelled("cancelled") from None
        except Exception as problem:
            raise _unexpected(problem, with_trace=has(words, "-v", "--verbose")) from None
    except OutputClosed:
        return OUTPUT_CLOSED
    except RecollectError as error:
        return _fail(error, output)


def _fail(error: RecollectError, output: Output) -> int:
    with suppress(OutputClosed, RecollectError):  # the output is closed
        output.error(error)
    return error.exit_status


def _unexpected(problem: Exception, *, with_trace: bool) -> RecollectError:
    if with_trace:
        import traceback

        sys.stderr.write(visible("".join(traceback.format_exception(problem))))
    if isinstance(problem, UnicodeEncodeError):  # bytes of an argument or a variable that are not UTF-8
        return InvalidInput("an argument, path or environment variable is not valid UTF-8")
    return RecollectError(
        f"internal error: {type(problem).__name__}: {problem}",
        hint="This is a defect of recollect. Please report it with the output of -v.",
        exception=type(problem).__name__,
    )


def _run(words: Sequence[str], backend: Backend, output: Output) -> int:
    name, others = split(words)
    if has(others, "--version"):
        return _version(output)
    # An assistant waits for the first answer of `serve`: the operations are loaded after that.
    wants_help = has(others, "-h", "--help")
    table = commands({} if name == "serve" and not wants_help else backend.operations())
    if not name:
        return _overview(table, output, with_options=wants_help)
    command, rest = find(name, others, table)
    if wants_help or not isinstance(command, Command):
        return _help(command, table, output)
    try:
        values = parse(command, rest)
        if command.path == "help":
            return _asked_help(values, table, output)
        settings = _settings(values)
        given = arguments(command, values, _standard_input)
        if isinstance(command.runs, Operation):
            return _operate(command, command.runs, values, given, settings, backend, output)
        return WRITTEN[command.path]({**values, **given}, settings, table, output)
    except RecollectError as error:
        raise reworded(error, command) from None


def _overview(table: Commands, output: Output, *, with_options: bool) -> int:
    from recollect.surface.cli.help import overview, overview_with_options

    output.text(overview_with_options(table) if with_options else overview(table))
    return 0


def _asked_help(values: Mapping[str, Any], table: Commands, output: Output) -> int:
    """Show what `recollect help` was asked for: every command, a command, a group, or the overview."""
    words = values.get("command", [])
    if values.get("all"):
        from recollect.surface.cli.help import every_command

        output.text(every_command(table))
        return 0
    if not words:
        return _overview(table, output, with_options=True)
    return _help(find(words[0], [*words[1:], "--help"], table)[0], table, output)


def _help(wanted: Command | Section, table: Commands, output: Output) -> int:
    from recollect.surface.cli.help import command_help, group_help

    output.text(command_help(wanted, table) if isinstance(wanted, Command) else group_help(wanted, table))
    return 0


def _version(output: Output) -> int:
    if output.as_json:
        output.line({"version": __version__})
    else:
        output.text(f"recollect {__version__}\n")
    return 0


def _settings(values: Mapping[str, Any]) -> Settings:
    """Return the settings, with the global options as arguments and -v as a log level."""
    level = "info" if values.get("verbose") else None
    settings = load({"home": values.get("home"), "database": values.get("database"), "log_level": level})
    if settings.log_level != "warning":  # Python prints warnings by itself; logging is loaded only to change that
        log_to_stderr(settings.log_level)
    for error in settings.ignored:
        import logging

        logging.getLogger("recollect").warning(oneline(f"{error.code}: {error.message}. {error.hint}", 500))
    return settings


def _operate(
    command: Command,
    operation: Operation,
    values: Mapping[str, Any],
    given: dict[str, Any],
    settings: Settings,
    backend: Backend,
    output: Output,
) -> int:
    given |= piped(operation.name, given, _standard_input)
    _confirm(command, given, has_consent=bool(values.get("yes") or given.get("dry_run")))
    with waiting(lines=bool(values.get("verbose"))), backend.open_engine(settings) as engine:
        record = operation.call(engine, given)
    said = None if output.as_json else printed(operation.name, given, record)
    if said is None:
        shown = acknowledged(record, operation.name, read_only=operation.read_only)
        if notes := getattr(shown, "notes", ()):
            shown = structs.replace(shown, notes=tuple(as_typed(note, command) for note in notes))
        output.record(record if output.as_json else shown)
    else:
        output.raw(said)
    return _status(record)


def _standard_input(limit: int) -> bytes:
    return b"" if sys.stdin is None else sys.stdin.buffer.read(limit)


def _status(record: Record) -> int:
    """Return the exit code of an answer: 0 unless a health check failed."""
    return StorageError.exit_status if isinstance(record, Health) and record.status == "failed" else 0


def _confirm(command: Command, given: Mapping[str, Any], *, has_consent: bool) -> None:
    """Return if the caller agrees, by --yes or by answering now. Raises InvalidInput without a terminal."""
    asked = question(command)
    if not asked or has_consent:
        return
    without_terminal = InvalidInput(
        f"{command.path} asks for confirmation, and there is no terminal to ask at",
        hint="Add --yes to confirm. Nothing was changed.",
    )
    confirm(asked.format_map({name: oneline(str(value), 200) for name, value in given.items()}), without_terminal)
