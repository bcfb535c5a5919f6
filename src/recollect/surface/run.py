"""One command line, from its words to its exit code.

    words ──split──► command ──parse──► arguments ──operation──► record ──► output

Every operation is a command by itself; handwritten.py has the others. Whatever goes wrong is one RecollectError with
its exit code (overview.py lists them); a traceback is shown only with -v.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

from recollect.errors import Cancelled, InvalidInput, RecollectError, StorageError
from recollect.model import Health, Record
from recollect.operations import Operation
from recollect.render.untrusted import oneline, visible
from recollect.settings import Settings, load
from recollect.surface.arguments import arguments, has, parse, parser, split
from recollect.surface.command import FAMILIES, Command, commands, of_family, question
from recollect.surface.form import meant
from recollect.surface.handwritten import WRITTEN
from recollect.surface.hooked import printed
from recollect.surface.output import Output, ReaderGone, is_terminal, log_harmless
from recollect.surface.pipe import piped
from recollect.surface.waiting import waiting
from recollect.version import __version__

# What a process that dies of SIGPIPE would leave: 128 + 13.
READER_GONE = 141


class Offer(NamedTuple):
    """What the command line works on: the table of operations, and what opens the engine they are called on."""

    operations: Callable[[], Mapping[str, Operation]]
    open_engine: Callable[[Settings], AbstractContextManager[Any]]


def run(words: Sequence[str], offer: Offer) -> int:
    """Run one command line and return its exit code; never raises."""
    output = Output(as_json=has(words, "--json"))
    try:
        try:
            return _run(words, offer, output)
        except (ReaderGone, RecollectError):
            raise
        except KeyboardInterrupt:
            raise Cancelled("cancelled") from None
        except Exception as problem:
            raise _unexpected(problem, with_trace=has(words, "-v", "--verbose")) from None
    except ReaderGone:
        return READER_GONE
    except RecollectError as error:
        return _fail(error, output)


def _fail(error: RecollectError, output: Output) -> int:
    with suppress(ReaderGone, RecollectError):  # nobody left to tell
        output.error(error)
    return error.exit_status


def _unexpected(problem: Exception, *, with_trace: bool) -> RecollectError:
    if with_trace:
        import traceback

        sys.stderr.write(visible("".join(traceback.format_exception(problem))))
    if isinstance(problem, UnicodeEncodeError):  # bytes of a shell word or a variable that are no UTF-8
        return InvalidInput("a word, path or variable of this call is not valid UTF-8")
    return RecollectError(
        f"unexpected {type(problem).__name__}: {problem}",
        hint="This is a defect of recollect. Please report it with what -v prints.",
        exception=type(problem).__name__,
    )


def _run(words: Sequence[str], offer: Offer, output: Output) -> int:
    name, others = split(words)
    if has(others, "--version"):
        return _version(output)
    # An assistant waits for the first answer of `serve`: what it offers is loaded after that.
    table = commands({} if name == "serve" else offer.operations())
    name, others = split(of_family(words, table)) if name in FAMILIES or name == "help" else (name, others)
    if name == "help":
        name, others = next(((word, ["--help"]) for word in others if not word.startswith("-")), ("", ["--help"]))
    wants_help = has(others, "-h", "--help")
    if not name:
        from recollect.surface.overview import full_help, overview

        output.text(full_help(table) if wants_help else overview(table))
        return 0
    command = _find(name, table)
    if wants_help:
        output.text(parser(command).format_help())
        return 0
    values = parse(command, others)
    settings = _settings(values)
    if isinstance(command, Operation):
        return _operate(command, values, settings, offer, output)
    return WRITTEN[command.command](values, settings, table, output)


def _version(output: Output) -> int:
    if output.as_json:
        output.line({"version": __version__})
    else:
        output.text(f"recollect {__version__}\n")
    return 0


def _find(name: str, table: Mapping[str, Command]) -> Command:
    """Return the command of that name; raises InvalidInput that suggests the nearest, also for a tool's name."""
    command = table.get(name)
    if command is None:
        by_tool = {row.name: row.command for row in table.values() if isinstance(row, Operation)}
        suggestion = f"Did you mean {by_tool[name]}?" if name in by_tool else meant(name, table)
        raise InvalidInput(
            f"there is no command {name}",
            hint=suggestion or "`recollect` alone lists all commands.",
            command=name,
        )
    return command


def _settings(values: Mapping[str, Any]) -> Settings:
    """Return the settings in force: global options are arguments to them, and -v a log level."""
    level = "info" if values.get("verbose") else None
    settings = load({"home": values.get("home"), "database": values.get("database"), "log_level": level})
    if settings.log_level != "warning":  # Python prints warnings by itself; logging is loaded only to change that
        log_harmless(settings.log_level)
    for error in settings.ignored:
        import logging

        logging.getLogger("recollect").warning(oneline(f"{error.code}: {error.message}. {error.hint}", 500))
    return settings


def _operate(operation: Operation, values: Mapping[str, Any], settings: Settings, offer: Offer, output: Output) -> int:
    given = arguments(operation, values, _standard_input)
    given |= piped(operation.command, given, _standard_input)
    _confirm(operation, given, has_consent=bool(values.get("yes") or given.get("dry_run")))
    with waiting(lines=bool(values.get("verbose"))), offer.open_engine(settings) as engine:
        record = operation.call(engine, given)
    said = None if output.as_json else printed(operation.command, given, record)
    if said is None:
        output.record(record)
    else:
        output.raw(said)
    return _status(record)


def _standard_input(limit: int) -> bytes:
    return b"" if sys.stdin is None else sys.stdin.buffer.read(limit)


def _status(record: Record) -> int:
    """Return the exit code of an answer: only failed health is more than 0."""
    return StorageError.exit_status if isinstance(record, Health) and record.status == "failed" else 0


def _confirm(operation: Operation, given: Mapping[str, Any], *, has_consent: bool) -> None:
    """Return when the caller wants it: said so, or says so now. Raises InvalidInput where nobody can be asked."""
    asked = question(operation)
    if not asked or has_consent:
        return
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise InvalidInput(
            f"{operation.command} needs a confirmation and there is no terminal to ask at",
            hint="Add --yes if you mean it; nothing was changed.",
        )
    sys.stderr.write(asked.format_map({name: oneline(str(value), 200) for name, value in given.items()}) + " [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Cancelled("not confirmed", hint="Nothing was changed.")
