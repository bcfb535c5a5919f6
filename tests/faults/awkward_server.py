"""Run as a program: an MCP server on pipes whose operations wait, print, fail and refuse to stop."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from recollect.model import Record
from recollect.operations import collect, operation
from recollect.progress import report
from recollect.surface.mcp import stdio
from recollect.surface.mcp.server import Server


class Said(Record, frozen=True, kw_only=True):
    text: str = ""


def pull(path: str) -> None:
    """Wait until somebody writes one byte to a named pipe."""
    with Path(path).open("rb", buffering=0) as pipe:
        pipe.read(1)


def push(path: str, text: str) -> None:
    """Write to a named pipe that a test holds open."""
    if path:
        with Path(path).open("wb", buffering=0) as pipe:
            pipe.write(text.encode())


class Awkward:
    @operation("echo", "echo")
    def echo(self, text: str) -> Said:
        """Say it back."""
        return Said(text=text)

    @operation("wait", "wait")
    def wait(self, started: str, go: str) -> Said:
        """Say that it started, then wait for a byte, deaf to everything else."""
        push(started, "started")
        pull(go)
        return Said(text="waited")

    @operation("loop", "loop")
    def loop(self, started: str, stopped: str = "") -> Said:
        """Report for ever; say when that was cut short."""
        push(started, "started")
        step = 0
        try:
            while True:
                step += 1
                report(step)
        finally:
            push(stopped, "stopped")

    @operation("shout", "shout")
    def shout(self) -> Said:
        """Print in every way there is, and read what there is."""
        print("shout: print")
        sys.stdout.flush()
        os.write(1, b"shout: descriptor\n")
        subprocess.run(["sh", "-c", "echo shout: child; cat"], check=True)
        return Said(text=sys.stdin.read())

    @operation("defect", "defect")
    def defect(self) -> Said:
        """Fail."""
        raise ZeroDivisionError("a defect")


class Engine:
    awkward = Awkward()


def warm_up() -> None:
    push(os.environ.get("AWKWARD_WARM", ""), "warm")
    if "AWKWARD_COLD" in os.environ:
        raise ZeroDivisionError("cold")


def close() -> None:
    """Say that the engine would be closed now, however long that takes on a busy machine."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    stdio.log("closed")


# Only a test that shortens them is about these times.
stdio.GRACE_S = stdio.LAST_S = 600.0
for name in ("GRACE_S", "LAST_S", "QUIET_S", "PARENT_S"):
    if name in os.environ:
        setattr(stdio, name, float(os.environ[name]))

table = collect({"awkward": Awkward})
server = Server(
    lambda: table,
    lambda row, given: row.call(Engine, given),
    toolset="all",
    log=stdio.log,
)
sys.exit(stdio.serve(server, warm_up=warm_up, close=close))
