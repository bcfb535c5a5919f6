"""The server ends when it should, says nothing about it on the way, and leaves no process behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest
from tests.waiting import PATIENCE_S

SERVER = str(Path(__file__).with_name("awkward_server.py"))
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'

# Shortens every wait for calls that will not end by themselves.
HASTE = {"GRACE_S": "0.2", "LAST_S": "0.2"}
GO = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def rest(pipe: IO[bytes]) -> bytes:
    """Return what still comes through `pipe` until everybody who could write to it is gone."""
    found = b""
    while select.select([pipe], [], [], PATIENCE_S)[0]:
        chunk = os.read(pipe.fileno(), 65_536)
        if not chunk:
            return found
        found += chunk
    raise AssertionError(f"somebody still holds the pipe, having said {found!r}")


def test_the_end_of_the_input_ends_the_server_which_closes_the_engine(connect: Any) -> None:
    line = connect()
    assert line.ask("ping")["result"] == {}
    line.hang_up()
    assert line.end() == 0
    assert line.receive() is None
    assert line.errors() == "recollect: closed\n"


def test_a_call_in_flight_when_the_input_ends_is_still_answered(connect: Any, make_fifo: Any) -> None:
    line, started, go = connect(), make_fifo("started"), make_fifo("go")
    line.call("wait", "slow", started=started.path, go=go.path)
    started.wait()
    line.hang_up()
    go.go()
    assert line.receive()["result"]["structuredContent"]["text"] == "waited"
    assert line.end() == 0


def test_a_call_that_goes_on_after_the_input_ended_is_withdrawn(connect: Any, make_fifo: Any) -> None:
    line, started, stopped = connect(GRACE_S="0.2"), make_fifo("started"), make_fifo("stopped")
    line.call("loop", "endless", started=started.path, stopped=stopped.path)
    started.wait()
    line.hang_up()
    assert stopped.wait() == b"stopped"
    assert line.receive() is None
    assert line.end() == 0
    assert line.errors() == "recollect: closed\n"


def test_a_call_that_is_deaf_to_everything_does_not_hold_the_process(connect: Any, make_fifo: Any) -> None:
    line, started, never = connect(**HASTE), make_fifo("started"), make_fifo("never")
    line.call("wait", "stuck", started=started.path, go=never.path)
    started.wait()
    line.hang_up()
    assert line.end() == 0


@pytest.mark.parametrize("number", GO)
def test_a_signal_ends_an_idle_server_well(connect: Any, number: int) -> None:
    line = connect()
    assert line.ask("ping")["result"] == {}
    line.process.send_signal(number)
    assert line.end() == 0
    assert line.errors() == "recollect: closed\n"


def test_a_signal_withdraws_what_is_in_flight(connect: Any, make_fifo: Any) -> None:
    line, started, stopped = connect(LAST_S="600"), make_fifo("started"), make_fifo("stopped")
    line.call("loop", "endless", started=started.path, stopped=stopped.path)
    started.wait()
    line.process.send_signal(signal.SIGTERM)
    assert stopped.wait() == b"stopped"
    assert line.end() == 0
    assert line.receive() is None


def test_a_signal_ends_a_server_with_a_call_that_is_deaf_to_everything(connect: Any, make_fifo: Any) -> None:
    line, started, never = connect(**HASTE), make_fifo("started"), make_fifo("never")
    line.call("wait", "stuck", started=started.path, go=never.path)
    started.wait()
    line.process.send_signal(signal.SIGTERM)
    assert line.end() in (0, -signal.SIGALRM)


@pytest.mark.parametrize("method", ["tools/call", "x" * 2_000_000])
def test_a_signal_ends_a_server_whose_client_reads_nothing(connect: Any, method: str) -> None:
    line = connect(LAST_S="0.2")
    # More than a pipe holds comes back, and nobody takes it: a worker, or the loop itself, is stuck in writing.
    params = {"name": "echo", "arguments": {"text": "x" * 2_000_000}}
    line.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert line.process.stdout is not None
    assert select.select([line.process.stdout], [], [], PATIENCE_S)[0]
    line.process.send_signal(signal.SIGTERM)
    assert line.end() in (0, -signal.SIGALRM)


def test_a_client_that_stops_reading_ends_the_server_quietly(connect: Any) -> None:
    line = connect()
    assert line.ask("ping")["result"] == {}
    line.process.stdout.close()
    line.send(PING)
    assert line.end() == 0
    assert line.errors() == "recollect: closed\n"


def test_a_client_that_stops_reading_during_a_call_ends_the_server_quietly(connect: Any, make_fifo: Any) -> None:
    line, started, go = connect(), make_fifo("started"), make_fifo("go")
    line.call("wait", "slow", started=started.path, go=go.path)
    started.wait()
    line.process.stdout.close()
    go.go()
    assert line.end() == 0
    assert line.errors() == "recollect: closed\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_streams_that_are_not_there_are_a_good_end(closed: str) -> None:
    script = f'exec "$0" "$@" {closed}'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable, SERVER], input=PING, capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


ORPHAN = """
import os, subprocess, sys
subprocess.Popen([sys.executable, sys.argv[1]])
os.read(int(sys.argv[2]), 1)
os._exit(0)
"""


def test_a_server_whose_parent_died_ends_though_its_input_stays_open() -> None:
    source, sink = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHAN, SERVER, str(source)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[source],
        env=os.environ | {"PARENT_S": "0.05", "QUIET_S": "0.05"},
        stderr=subprocess.DEVNULL,
    )
    with parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(PING)
        parent.stdin.flush()
        assert b'"result":{}' in parent.stdout.readline()
        os.write(sink, b".")  # the parent ends now; this test still holds the server's input open
        assert rest(parent.stdout) == b""  # which comes to an end when the server does
    os.close(source)
    os.close(sink)


KILLED = """
import subprocess, sys, signal
server = subprocess.Popen([sys.executable, sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=1)
server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n')
server.stdin.flush()
server.stdout.readline()
print("answered", flush=True)
signal.pause()
"""


def test_a_server_whose_client_is_killed_ends() -> None:
    client = subprocess.Popen(
        [sys.executable, "-c", KILLED, SERVER], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True
    )
    with client:
        assert client.stdout is not None
        assert client.stdout.readline() == b"answered\n"
        client.kill()
        # The server inherited this pipe as its standard error: it ends when the server does.
        assert rest(client.stdout) == b"recollect: closed\n"
