"""The `recollect` command: `main` answers `--version` itself and loads run.py for anything else."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.operations import Operation
    from recollect.settings import Settings

# What a shell reports for a process that Ctrl-C ended: 128 + 2.
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (default: the process's own) and return its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    if words == ["--version"]:  # installers and editors ask this: answer before loading anything
        sys.stdout.write(f"recollect {__version__}\n")
        return 0
    try:
        from recollect.surface.cli.run import Backend, run

        return run(words, Backend(_operations, _open_engine))
    except KeyboardInterrupt:  # while loading, or a second one while the first is being reported
        return INTERRUPTED


def _operations() -> Mapping[str, Operation]:
    from recollect.capabilities import OPERATIONS

    return OPERATIONS


def _open_engine(settings: Settings) -> AbstractContextManager[Any]:
    from recollect.engine import Engine

    engine = Engine(settings)
    engine.scope.enter(_folder())
    return engine


def _folder() -> str:
    """Return the folder that the command runs in; empty if it is gone, a home folder or the root."""
    import os

    try:
        folder = os.getcwd()  # noqa: PTH109 - pathlib is not loaded yet
    except OSError:
        return ""
    return "" if folder in (os.path.realpath(os.path.expanduser("~")), "/") else folder  # noqa: PTH111
