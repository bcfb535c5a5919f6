"""The commands that are not operations; command_table.py declares their parameters."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.render.quantities import plural
from recollect.render.untrusted import oneline
from recollect.settings import Settings, load
from recollect.surface.cli.command_table import Commands
from recollect.surface.cli.output import Output, log_to_stderr, waiting

if TYPE_CHECKING:
    from recollect.code.code_records import Indexed
    from recollect.engine import Engine

Written = Callable[[Mapping[str, Any], Settings, Commands, Output], int]

# Stands for a secret, whatever its length.
MASK = "********"


def _init(values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.surface.cli.init_command import init

    return init(values, settings, output)


def _uninit(values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.surface.cli.init_command import uninit

    return uninit(values, settings, output)


def _doctor(_values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.surface.cli.doctor import doctor

    return doctor(settings, output)


def _serve(values: Mapping[str, Any], settings: Settings, _table: Commands, _output: Output) -> int:
    if "toolset" in values:
        given = {row.setting.name: row.value for row in settings.rows() if row.source == "argument"}
        settings = load({**given, "toolset": values["toolset"]})
    options: dict[str, Any] = {name: values[name] for name in ("host", "port", "require_token") if name in values}
    if "port" in options:
        options["port"] = _port(options["port"])
    if values.get("http"):
        from recollect.surface.http.listener import serve_http

        return serve_http(settings, **options)
    if options:
        name = next(iter(options)).replace("_", "-")
        raise InvalidInput(f"--{name} needs --http", hint="Run `recollect serve --http`.")
    from recollect.surface.mcp.stdio import main

    return main(settings)


def _viz(values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.surface.dashboard.viz_server import serve_dashboard

    options = {**values, "port": _port(values["port"])} if "port" in values else values
    return serve_dashboard(settings, output, **options)


def _port(given: object) -> int:
    port = int(text) if (text := str(given)).isascii() and text.isdigit() and len(text) < 6 else -1
    if not 0 <= port <= 65_535:
        raise InvalidInput(f"port cannot be {oneline(text)}", hint="port is a number from 0 to 65535.", argument="port")
    return port


def _watch(values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.engine import Engine

    log_to_stderr(settings.log_level)
    with Engine(settings) as engine:
        _follow(engine, str(values.get("path", ".")), output, lines=bool(values.get("verbose")))
    return 0


def _follow(engine: Engine, path: str, output: Output, *, lines: bool) -> None:
    """Index a project and keep the index up to date until Ctrl-C, which is the normal end."""
    with suppress(KeyboardInterrupt), ExitStack() as indexing:
        indexing.enter_context(waiting(lines=lines))
        updates = 0

        def told(done: Indexed) -> None:
            nonlocal updates
            indexing.close()  # ends the progress bar of the first, long update; from here on Ctrl-C ends the watch
            updates += 1
            if output.as_json:
                output.record(done)
            elif updates == 1:
                found = plural(done.files, "file")
                output.text(f"Watching {oneline(done.root)}: {found} indexed. Press Ctrl-C to stop.\n")
            else:
                removed = f", {plural(done.removed, 'file')} removed" if done.removed else ""
                output.text(f"{plural(done.read, 'file')} updated{removed} ({done.cpu_s * 1000:.0f} ms)\n")

        engine.code.watch(path, told, threading.Event())


def _config(_values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    rows = [
        (row.setting, MASK if row.setting.secret and row.value else row.value, row.source) for row in settings.rows()
    ]
    if output.as_json:
        shown = [{"name": row.name, "value": value, "source": source, "help": row.help} for row, value, source in rows]
        ignored = [error.as_dict() for error in settings.ignored]
        output.line({"settings": shown, "ignored": ignored})
    else:
        from recollect.render.block import Grid

        cells = tuple((row.name, oneline(_written(value)), oneline(source)) for row, value, source in rows)
        output.blocks([Grid(("setting", "value", "source"), cells)])
    return 0


def _written(value: object) -> str:
    """Return the value of a setting as a person would write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _migrate(values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.engine import migrate

    if not values.get("to"):
        raise InvalidInput("migrate needs a target", hint="Name it: recollect migrate --to postgresql://HOST/DATABASE")
    with waiting(lines=bool(values.get("verbose"))):
        done = migrate(settings, str(values["to"]))
    if output.as_json:
        told = [dict(zip(("table", "rows", "sha256"), row, strict=True)) for row in done.tables]
        output.line({"source": done.source, "target": done.target, "tables": told})
    else:
        rows = sum(number for _, number, _ in done.tables)
        tables = {name: number for name, number, _ in done.tables}
        output.text(
            f"Copied {plural(tables['memories'], 'memory')} ({plural(rows, 'row')} in {len(tables)} tables) "
            f"to {oneline(done.target)}.\nBoth databases have the same rows, by number and hash.\n"
        )
    return 0


def _completion(values: Mapping[str, Any], _settings: Settings, table: Commands, output: Output) -> int:
    from recollect.surface.cli.completion import script

    output.text(script(values["shell"], table))
    return 0


WRITTEN: Mapping[str, Written] = {
    "init": _init,
    "uninit": _uninit,
    "doctor": _doctor,
    "serve": _serve,
    "viz": _viz,
    "watch": _watch,
    "config": _config,
    "migrate": _migrate,
    "completion": _completion,
}
