"""MCP over HTTP: sessions, streams that can be resumed, progress, cancellation, and the official client."""

from __future__ import annotations

import asyncio
import http.client
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.http_server import MCP_HEADERS, PATIENCE_S, HttpProcess
from tests.trees import write

from recollect.capabilities import OPERATIONS
from recollect.surface.mcp.server import HANDSHAKE, MODERN, VERSION_KEY

MODES = {"auto": MODERN, "legacy": HANDSHAKE[0], MODERN: MODERN}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpProcess]:
    with HttpProcess(tmp_path_factory.mktemp("mcp") / "home", "--toolset", "all") as process:
        yield process


def call(name: str, arguments: dict[str, Any], number: int = 1, token: str = "") -> dict[str, Any]:
    meta = {"_meta": {"progressToken": token}} if token else {}
    params = {"name": name, "arguments": arguments, **meta}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


# --- the official client ---


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_lists_calls_and_hears_of_progress(server: HttpProcess, mode: str, tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp")
    write(tmp_path, {f"m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(30)})
    heard: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(done)

    async def talk() -> None:
        async with mcp.Client(f"{server.url}/mcp", mode=mode, read_timeout_seconds=PATIENCE_S) as client:
            assert client.protocol_version == MODES[mode]
            assert [tool.name for tool in (await client.list_tools()).tools] == list(OPERATIONS)
            stored = await client.call_tool("store_memory", {"content": f"Mode {mode} uses port 8377"})
            assert not stored.is_error
            found = await client.call_tool("recall_memory", {"query": f"which port does mode {mode} use?"})
            assert "8377" in found.content[0].text
            wrong = await client.call_tool("recall_memory", {})
            assert wrong.is_error
            done = await client.call_tool("index_codebase", {"path": str(tmp_path)}, progress_callback=progress)
            assert not done.is_error

    asyncio.run(talk())
    assert heard


# --- sessions ---


def test_a_session_begins_answers_and_ends(server: HttpProcess) -> None:
    session = server.begin()
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert server.mcp(ping, session=session).json == {"jsonrpc": "2.0", "id": 1, "result": {}}
    headers = {"mcp-session-id": session}
    assert server.ask("DELETE", "/mcp", headers=headers).status == 204
    assert server.mcp(ping, session=session).status == 404
    assert server.ask("DELETE", "/mcp", headers=headers).status == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 400),  # no session
        ({"mcp_session_id": "unknown"}, 404),
        ({"mcp_protocol_version": "1999-01-01"}, 400),
        ({"accept": "application/json"}, 406),
        ({"content_type": "text/plain"}, 415),
    ],
)
def test_a_request_without_what_the_protocol_needs_is_refused(
    server: HttpProcess, headers: dict[str, str], status: int
) -> None:
    answer = server.mcp({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **headers)
    assert answer.status == status
    assert answer.json["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"null", b'{"jsonrpc": "1.0"}', b"\xff", b"[" * 100_000])
def test_what_is_no_message_gets_an_error_and_no_trace(server: HttpProcess, body: bytes) -> None:
    session = server.begin()
    answer = server.mcp(body, session=session)
    assert answer.status in (200, 400)
    assert "error" in answer.json
    assert b"Traceback" not in answer.body


# --- streams ---


def test_a_call_with_progress_is_a_stream_that_can_be_read_again(server: HttpProcess, tmp_path: Path) -> None:
    write(tmp_path, {f"m{number}.py": f"def g{number}():\n    return {number}\n" for number in range(40)})
    session = server.begin()
    answer = server.mcp(call("index_codebase", {"path": str(tmp_path)}, token="p"), session=session)
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = answer.events
    *reports, (_, response) = [event for event in events if event[1] is not None]
    assert reports
    assert {report["params"]["progressToken"] for _, report in reports} == {"p"}
    assert response["result"]["isError"] is False
    first = events[0][0]
    headers = {"accept": "text/event-stream", "mcp-session-id": session, "last-event-id": first}
    assert server.ask("GET", "/mcp", headers=headers).events == events[1:]
    unknown = server.ask("GET", "/mcp", headers={**headers, "last-event-id": "unknown-1"})
    assert unknown.status == 404


def test_a_cancelled_call_stops_and_gets_no_response(server: HttpProcess, tmp_path: Path) -> None:
    write(tmp_path, {f"p{number % 40}/m{number}.py": f"def h{number}():\n    return 1\n" for number in range(4000)})
    session = server.begin()
    line = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE_S)
    message = msgspec.json.encode(call("index_codebase", {"path": str(tmp_path)}, 5, token="p"))
    line.request("POST", "/mcp", message, {**MCP_HEADERS, "mcp-session-id": session})
    response = line.getresponse()
    assert response.readline().startswith(b"id: ")  # the first report
    told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    assert server.mcp(told, session=session).status == 202
    rest = response.read()
    line.close()
    assert b'"result"' not in rest
    assert server.mcp({"jsonrpc": "2.0", "id": 6, "method": "ping"}, session=session).status == 200


def test_a_session_has_one_standing_stream_which_ends_with_it(server: HttpProcess) -> None:
    session = server.begin()
    headers = {"accept": "text/event-stream", "mcp-session-id": session}
    standing = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE_S)
    standing.request("GET", "/mcp", headers=headers)
    response = standing.getresponse()
    assert response.readline().startswith(b"id: ")
    assert server.ask("GET", "/mcp", headers=headers).status == 409
    server.ask("DELETE", "/mcp", headers={"mcp-session-id": session})
    response.read()  # ends
    standing.close()


def test_sessions_of_many_clients_do_not_mix(server: HttpProcess) -> None:
    answers: dict[int, Any] = {}

    def talk(number: int) -> None:
        session = server.begin()
        told = server.mcp(
            call("store_memory", {"content": f"Client {number}", "project": f"c{number}"}), session=session
        )
        assert told.json["result"]["isError"] is False
        listed = call("list_memories", {"project": f"c{number}", "detail": "full"}, 2)
        answers[number] = server.mcp(listed, session=session).json["result"]["structuredContent"]["memories"]

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert {number: [row["content"] for row in rows] for number, rows in answers.items()} == {
        number: [f"Client {number}"] for number in range(8)
    }


# --- the modern generation ---


def modern(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    meta = {VERSION_KEY: MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**(params or {}), "_meta": meta}}


def test_a_modern_request_needs_no_session(server: HttpProcess) -> None:
    headers = {"mcp_protocol_version": MODERN, "mcp_method": "tools/call", "mcp_name": "stats"}
    answer = server.mcp(modern("tools/call", {"name": "stats"}), **headers)
    assert answer.status == 200
    assert answer.json["result"]["resultType"] == "complete"
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "message", "status", "code"),
    [
        ({"mcp_method": "ping"}, modern("tools/list"), 400, -32020),
        ({"mcp_method": "tools/call", "mcp_name": "health"}, modern("tools/call", {"name": "stats"}), 400, -32020),
        ({"mcp_method": "no/such"}, modern("no/such"), 404, -32601),
    ],
)
def test_headers_of_a_modern_request_must_repeat_the_body(
    server: HttpProcess, headers: dict[str, str], message: dict[str, Any], status: int, code: int
) -> None:
    answer = server.mcp(message, mcp_protocol_version=MODERN, **headers)
    assert (answer.status, answer.json["error"]["code"]) == (status, code)


def test_a_server_that_stops_ends_its_streams(tmp_path: Path) -> None:
    with HttpProcess(tmp_path / "home") as process:
        session = process.begin()
        standing = http.client.HTTPConnection(process.host, process.port, timeout=PATIENCE_S)
        standing.request("GET", "/mcp", headers={"accept": "text/event-stream", "mcp-session-id": session})
        response = standing.getresponse()
        response.readline()
        assert process.end() == 0
        response.read()
        standing.close()


def test_a_raw_list_of_messages_is_only_for_the_version_that_has_it(server: HttpProcess) -> None:
    session = server.begin("2025-03-26")
    both = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in (1, 2)]
    assert [reply["id"] for reply in server.mcp(both, session=session).json] == [1, 2]
    assert "error" in server.mcp(both, session=server.begin()).json
