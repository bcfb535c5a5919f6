"""The commands that are no operations; command.py declares their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.render.untrusted import oneline
from recollect.settings import Settings, load
from recollect.surface.command import Commands
from recollect.surface.output import Output, log_harmless

Written = Callable[[Mapping[str, Any], Settings, Commands, Output], int]

# Stands for a secret, whatever its length.
MASK = "********"


def _init(values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.surface.connecting import init

    return init(values, settings, output)


def _uninit(values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.surface.connecting import uninit

    return uninit(values, settings, output)


def _doctor(_values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.surface.doctor import doctor

    return doctor(settings, output)


def _serve(values: Mapping[str, Any], settings: Settings, _table: Commands, _output: Output) -> int:
    from recollect.surface.stdio import main

    if "toolset" in values:
        given = {row.setting.name: row.value for row in settings.rows() if row.source == "argument"}
        settings = load({**given, "toolset": values["toolset"]})
    return main(settings)


def _watch(values: Mapping[str, Any], settings: Settings, _table: Commands, output: Output) -> int:
    from recollect.engine import Engine
    from recollect.surface.watching import follow

    log_harmless(settings.log_level)
    with Engine(settings) as engine:
        follow(engine, str(values.get("path", ".")), output, lines=bool(values.get("verbose")))
    return 0


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

        cells = tuple((row.name, oneline(str(value)), oneline(source)) for row, value, source in rows)
        output.blocks([Grid(("setting", "value", "source"), cells)])
    return 0


def _completion(values: Mapping[str, Any], _settings: Settings, table: Commands, output: Output) -> int:
    from recollect.surface.completion import script

    output.text(script(values["shell"], table))
    return 0


WRITTEN: Mapping[str, Written] = {
    "init": _init,
    "uninit": _uninit,
    "doctor": _doctor,
    "serve": _serve,
    "watch": _watch,
    "config": _config,
    "completion": _completion,
}
