"""Starting other programs: the only module that uses subprocess, which is loaded when the first one starts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from subprocess import Popen as Popen


class Finished(NamedTuple):
    """A program that ended: its exit status, and what it wrote to standard output and standard error."""

    status: int
    output: bytes
    errors: bytes

    @property
    def last_error(self) -> str:
        """The last line of standard error; empty without one."""
        lines = self.errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""


def run(
    command: Sequence[str],
    *,
    timeout_s: float,
    given: bytes = b"",
    folder: Path | str | None = None,
    environment: Mapping[str, str],
) -> Finished:
    """Run a program to its end, with `given` as its input. Raises TimeoutError if it takes too long, else OSError."""
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 - callers build the command; no shell
            command, input=given, capture_output=True, check=False, timeout=timeout_s, cwd=folder, env=environment
        )
    except subprocess.TimeoutExpired as problem:
        raise TimeoutError(str(problem)) from None
    return Finished(done.returncode, done.stdout, done.stderr)


def start(
    command: Sequence[str],
    *,
    takes_input: bool = False,
    errors: IO[bytes] | None = None,
    folder: Path | str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Popen[bytes]:
    """Start a program whose output is a pipe, and its input too if it takes any. Raises OSError.

    errors: the file for its standard error; default: ours
    """
    import subprocess

    source = subprocess.PIPE if takes_input else subprocess.DEVNULL
    return subprocess.Popen(  # noqa: S603 - callers build the command; no shell
        command, stdin=source, stdout=subprocess.PIPE, stderr=errors, cwd=folder, env=environment
    )


def start_detached(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Start a program that outlives this process, without input and output; nothing where the system cannot."""
    if hasattr(os, "posix_spawn"):
        silent = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]
        with suppress(OSError, NotImplementedError):
            os.posix_spawn(command[0], list(command), environment, file_actions=silent, setsid=True)
