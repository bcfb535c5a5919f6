"""Which functions of a project each of its tests runs: a plugin of pytest, loaded by path, that needs nothing but it.

    RECOLLECT_TRACE=out.json RECOLLECT_TRACE_BELOW=/project/src python -m pytest -p traced …

Functions are told as `path:line` of their first line. What a fixture of a module or a session runs is counted for the
first test that asks for it; other processes are not seen.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

BELOW = os.environ.get("RECOLLECT_TRACE_BELOW", "")
OUT = os.environ.get("RECOLLECT_TRACE", "")

ran: dict[str, list[str]] = {}
_names: dict[CodeType, str | None] = {}
_now: set[str] = set()


def _seen(frame: FrameType, _event: str, _argument: Any) -> None:
    """Note a function that begins. Returning nothing, it hears of no line in it: the cheapest way to be told."""
    code = frame.f_code
    if code not in _names:
        path = os.path.realpath(code.co_filename)
        inside = path.startswith(BELOW + os.sep) and not code.co_name.startswith("<")
        _names[code] = f"{path[len(BELOW) + 1 :]}:{code.co_firstlineno}" if inside else None
    name = _names[code]
    if name is not None:
        _now.add(name)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _now.clear()
    threading.settrace(_seen)
    sys.settrace(_seen)
    yield
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]
    ran[item.nodeid] = sorted(_now)


def pytest_sessionfinish() -> None:
    if OUT:
        Path(OUT).write_text(json.dumps(ran), encoding="utf-8")
