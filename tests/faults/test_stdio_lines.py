"""Whatever comes down the pipe, the server lives, and what goes back is JSON-RPC and nothing else."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.waiting import PATIENCE_S

from recollect.surface.mcp.jsonrpc import INVALID_REQUEST, PARSE_ERROR
from recollect.surface.mcp.stdio import LINE_BYTES

SERVER = str(Path(__file__).with_name("awkward_server.py"))
PING = b'{"jsonrpc":"2.0","id":"ping","method":"ping"}'
PONG = {"jsonrpc": "2.0", "id": "ping", "result": {}}


def run(raw: bytes) -> tuple[int, list[Any]]:
    """Return the exit status and the messages of a server that gets these bytes and no more."""
    done = subprocess.run([sys.executable, SERVER], input=raw, capture_output=True, timeout=PATIENCE_S, check=False)
    return done.returncode, [msgspec.json.decode(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    "raw",
    [
        b"nonsense",
        b"{",
        b'{"jsonrpc":"2.0","id":1,"method":"ping"',
        b"\x00",
        b"\x00" * 1000,
        b"\xff\xfe\x00",
        b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
        b"\xef\xbb\xbf" + PING,
        PING + b"\x00",
        PING + PING,
        b"[" * 50_000,
        b"GET / HTTP/1.1\r",
        b"Content-Length: 52\r",
    ],
)
def test_a_line_that_is_no_json_is_a_parse_error_and_no_more(patient: Any, raw: bytes) -> None:
    patient.send(raw + b"\n" + PING + b"\n")
    refusal = patient.receive()
    assert refusal["error"]["code"] == PARSE_ERROR
    assert refusal["id"] is None
    assert patient.receive() == PONG


@pytest.mark.parametrize("raw", [b"5", b"null", b"[]", b"[" + PING + b"]", b'"ping"', b"{}", b'{"id":{}}'])
def test_json_that_is_no_message_is_an_invalid_request_and_no_more(patient: Any, raw: bytes) -> None:
    patient.send(raw + b"\n" + PING + b"\n")
    assert patient.receive()["error"]["code"] == INVALID_REQUEST
    assert patient.receive() == PONG


def test_blank_lines_and_foreign_line_ends_are_nothing(patient: Any) -> None:
    patient.send(b"\n\r\n  \t\n\n" + PING + b"\r\n")
    assert patient.receive() == PONG


def test_a_line_beyond_the_bound_is_dropped_and_the_next_is_answered(patient: Any) -> None:
    chunk = b"x" * 1_048_576
    for _ in range(LINE_BYTES // len(chunk)):
        patient.send(chunk)
    patient.send(b'"}\n' + PING + b"\n")
    assert patient.receive()["error"]["code"] == PARSE_ERROR
    assert patient.receive() == PONG


def test_a_large_message_is_answered_whole(patient: Any) -> None:
    patient.call("echo", 1, text="x" * 5_000_000, tokens=10_000_000)
    assert len(patient.receive()["result"]["structuredContent"]["text"]) == 5_000_000


def test_the_last_line_needs_no_line_end() -> None:
    assert run(PING) == (0, [PONG])


@pytest.mark.parametrize("raw", [b'{"jsonrpc":"2.0","id":', b"\xff", b'{"'])
def test_half_a_line_at_the_end_is_a_parse_error_and_a_good_end(raw: bytes) -> None:
    status, messages = run(PING + b"\n" + raw)
    assert status == 0
    assert messages[0] == PONG
    assert messages[1]["error"]["code"] == PARSE_ERROR


def test_no_input_at_all_is_a_good_end() -> None:
    assert run(b"") == (0, [])
    assert run(b"\n") == (0, [])


@pytest.mark.promise("E28")
def test_what_operations_and_their_children_print_goes_to_standard_error(connect: Any) -> None:
    line = connect()
    line.call("shout", 1)
    reply = line.receive()
    assert reply["id"] == 1
    assert set(reply["result"]["structuredContent"]) == {"notice"}
    assert line.ask("ping")["result"] == {}
    line.hang_up()
    assert line.end() == 0
    assert line.receive() is None
    errors = line.errors()
    assert all(f"shout: {way}" in errors for way in ("print", "descriptor", "child"))


@pytest.mark.promise("E28")
def test_a_defect_is_logged_to_standard_error_and_answered(connect: Any) -> None:
    line = connect()
    line.call("defect", 1)
    assert line.receive()["result"]["structuredContent"]["error"]["code"] == "INTERNAL_ERROR"
    line.hang_up()
    assert line.end() == 0
    assert "ZeroDivisionError" in line.errors()


# Lines that are nearly right: the words of the protocol in the wrong places, and whole requests cut and spliced.
WORDS = st.sampled_from(
    """
    jsonrpc 2.0 id method params result error ping initialize server/discover tools/list tools/call name arguments echo
    defect cursor notifications/cancelled requestId _meta progressToken io.modelcontextprotocol/protocolVersion
    protocolVersion 2026-07-28 2025-03-26
    """.split()
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5), max_leaves=8
)
SHAPED = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": st.integers(0, 3) | st.text(max_size=2), "method": WORDS},
    optional={"params": VALUES},
)
MESSAGES = (VALUES | SHAPED | st.lists(SHAPED, max_size=3)).map(msgspec.json.encode)
CUT = st.tuples(MESSAGES, st.integers(0, 60), st.binary(max_size=3)).map(lambda part: part[0][: part[1]] + part[2])
LINES = st.lists(MESSAGES | CUT | st.binary(max_size=30), max_size=8)
numbers = itertools.count()


@settings(max_examples=80)
@given(lines=LINES)
def test_any_lines_leave_a_server_that_answers(patient: Any, lines: list[bytes]) -> None:
    request_id = f"after-{next(numbers)}"
    patient.send(b"\n".join(lines) + b"\n", {"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    while (message := patient.receive())["id" if isinstance(message, dict) else 0] != request_id:
        for reply in message if isinstance(message, list) else [message]:
            assert reply["jsonrpc"] == "2.0"
            assert ("result" in reply) != ("error" in reply)
