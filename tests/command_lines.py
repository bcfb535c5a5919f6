"""Command lines without a process each: in this process, or many in one process of their own.

A process costs a quarter of a second of CPU before it does anything. Where the process itself is not what is tested,
many commands share one. They see the same environment and folder, and an empty standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from recollect.surface.cli import main


class Done(NamedTuple):
    """A command that has ended: its exit status, and what it wrote to both streams."""

    status: int
    out: str
    error: str


def run(*words: str, stdin: bytes | None = None) -> tuple[int, bytes, bytes]:
    """Run a command line in this process; returns its exit status and what it wrote to both streams.

    stdin: what it reads; default: the standard input of this process
    """
    written = TextIOWrapper(BytesIO(), encoding="utf-8"), TextIOWrapper(BytesIO(), encoding="utf-8")
    kept = sys.stdin, sys.stdout, sys.stderr
    if stdin is not None:
        sys.stdin = TextIOWrapper(BytesIO(stdin), encoding="utf-8")
    sys.stdout, sys.stderr = written
    try:
        status = main(list(words))
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
    for stream in written:
        stream.flush()
    out, error = (stream.buffer.getvalue() for stream in written)  # type: ignore[attr-defined]
    return status, out, error


def run_all(lines: Sequence[Sequence[str]], *, cwd: Path, timeout_s: float, **environment: str) -> list[Done]:
    """Run command lines one after the other in one process; returns what became of each."""
    done = subprocess.run(
        [sys.executable, __file__, json.dumps(lines)],
        cwd=cwd,
        env={**os.environ, "RECOLLECT_EMBED_PROVIDER": "off", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout_s,
        check=False,
    )
    found = [Done(*json.loads(line)) for line in done.stdout.splitlines()]
    assert len(found) == len(lines), (found[-1:], done.stderr.decode())
    return found


if __name__ == "__main__":
    for words in json.loads(sys.argv[1]):
        status, out, error = run(*words)
        told = [status, out.decode("utf-8", "replace"), error.decode("utf-8", "replace")]
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
