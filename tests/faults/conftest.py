"""A server process over a table of awkward operations, and a client that sees every byte of it."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.waiting import PATIENCE_S

from recollect.engine.models import embedding_queue, llm

SERVER = Path(__file__).with_name("awkward_server.py")


@pytest.fixture(autouse=True)
def _long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a provider that failed alone for the rest of the test, however long that takes on a busy machine."""
    for module in (embedding_queue, llm):
        monkeypatch.setattr(module, "FIRST_PAUSE_S", PATIENCE_S)


class Line:
    """One client on the pipes of a server process."""

    def __init__(self, command: list[str], **environment: str) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | environment,
            start_new_session=True,
        )
        self._seen = b""

    def send(self, *messages: Any) -> None:
        """Send messages, each on a line; bytes as they are."""
        assert self.process.stdin is not None
        for message in messages:
            raw = message if isinstance(message, bytes) else msgspec.json.encode(message) + b"\n"
            self.process.stdin.write(raw)
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Return the next message; None at the end of the output."""
        while b"\n" not in self._seen:
            chunk = self._read()
            if not chunk:
                assert not self._seen, f"half a line: {self._seen!r}"
                return None
            self._seen += chunk
        line, _, self._seen = self._seen.partition(b"\n")
        return msgspec.json.decode(line)

    def ask(self, method: str, request_id: Any = "ask", **params: Any) -> Any:
        """Send a request and return the whole reply, which must be the next message."""
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        reply = self.receive()
        assert reply["id"] == request_id
        return reply

    def call(self, tool: str, request_id: Any, /, **arguments: Any) -> None:
        """Send a tool call without waiting for its answer."""
        params = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params})

    def hang_up(self) -> None:
        """Close the server's input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def end(self) -> int:
        """Wait for the process, make sure that it left nothing behind, and return its exit status."""
        status = self.process.wait(PATIENCE_S)
        with pytest.raises(ProcessLookupError):
            os.killpg(self.process.pid, 0)
        return status

    def errors(self) -> str:
        """Return what the process, which has ended, wrote to standard error."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def close(self) -> None:
        """Let go of everything; a process that is still there is killed."""
        self.process.kill()
        self.process.wait(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _read(self) -> bytes:
        assert self.process.stdout is not None
        source = self.process.stdout.fileno()
        assert select.select([source], [], [], PATIENCE_S)[0], "the server says nothing"
        return os.read(source, 65_536)


class Fifo:
    """A named pipe by which a test and an operation in the server wait for each other."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = str(path)
        # Open for both, so that neither opening nor writing ever waits for the other side.
        self._end = os.open(path, os.O_RDWR)

    def wait(self) -> bytes:
        """Return what the operation wrote, once it has."""
        assert select.select([self._end], [], [], PATIENCE_S)[0], f"nothing came through {self.path}"
        return os.read(self._end, 4096)

    def go(self, times: int = 1) -> None:
        """Let that many operations that wait here go on."""
        os.write(self._end, b"." * times)

    def close(self) -> None:
        os.close(self._end)


@pytest.fixture
def make_fifo(tmp_path: Path) -> Iterator[Callable[[str], Fifo]]:
    made: list[Fifo] = []

    def make(name: str) -> Fifo:
        made.append(Fifo(tmp_path / name))
        return made[-1]

    yield make
    for fifo in made:
        fifo.close()


@pytest.fixture
def connect() -> Iterator[Callable[..., Line]]:
    """Starts a server of the awkward table; keywords are environment variables that shorten its patience."""
    lines: list[Line] = []

    def make(**environment: str) -> Line:
        lines.append(Line([sys.executable, str(SERVER)], **environment))
        return lines[-1]

    yield make
    for line in lines:
        line.close()


@pytest.fixture(scope="module")
def patient() -> Iterator[Line]:
    """One server for a whole file of tests, none of which may end it."""
    line = Line([sys.executable, str(SERVER)])
    try:
        yield line
        line.hang_up()
        assert line.end() == 0
    finally:
        line.close()
