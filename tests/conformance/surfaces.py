"""One operation called through every surface: the library, the command line, MCP and REST, each as its callers would.

A call takes a row of the operation table, the arguments as a program gives them and the words as a person types them,
and returns the answer as JSON, or {"error": …}. All of them work on the home of the environment.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import msgspec
from tests.command_lines import run as run  # a command line in this process

from recollect import Engine
from recollect.errors import RecollectError
from recollect.model import Source
from recollect.operations import Operation
from recollect.render import error_to_json, to_json
from recollect.render.block import NOTICE
from recollect.settings import Settings, load
from recollect.surface.mcp.jsonrpc import decode, encode
from recollect.surface.mcp.server import Peer, Server, answer
from recollect.surface.mcp.stdio import LazyEngine


class Surface(Protocol):
    def __call__(self, row: Operation, arguments: Mapping[str, Any], words: Sequence[str]) -> Any: ...


def library(row: Operation, arguments: Mapping[str, Any], words: Sequence[str], *, writes_as: Source = "user") -> Any:
    try:
        with Engine() as engine:
            engine.context.writes_as = writes_as
            return msgspec.json.decode(to_json(row.call(engine, arguments)))
    except RecollectError as error:
        return msgspec.json.decode(error_to_json(error))


def command_line(row: Operation, arguments: Mapping[str, Any], words: Sequence[str]) -> Any:
    status, out, _ = run(row.command, "--json", *words)
    (line,) = out.splitlines()
    told = msgspec.json.decode(line)
    failed = "error" in told or told.get("status") == "failed"
    assert (status != 0) == failed, f"exit {status} with {line[:200]!r}"
    if "error" in told:
        assert status == EXITS[told["error"]["code"]]
    return told


def mcp(row: Operation, arguments: Mapping[str, Any], words: Sequence[str]) -> Any:
    return tool(row.name, {**arguments, "detail": "full"})


def tool(name: str, arguments: Mapping[str, Any]) -> Any:
    """Call a tool by its name and return its answer as data."""
    result = called(name, arguments)
    told = dict(result["structuredContent"])
    assert result["isError"] == ("error" in told)
    assert result["isError"] or next(iter(told.items())) == ("notice", NOTICE)
    assert result["content"][0]["text"]
    told.pop("notice", None)
    return told


def called(name: str, arguments: Mapping[str, Any], settings: Settings | None = None) -> dict[str, Any]:
    """Call a tool by its name, over the bytes of both directions; returns the whole result."""
    return asked("tools/call", settings, name=name, arguments=arguments)


def asked(method: str, settings: Settings | None = None, **params: Any) -> dict[str, Any]:
    """Send one request to a server of its own, over the bytes of both directions; returns the result."""
    backing = LazyEngine(settings or load())
    logged: list[str] = []
    server = Server(backing.operations, backing.call, log=logged.append)
    request = encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    try:
        reply = decode(encode(answer(server, Peer(lambda message: None), decode(request))))
    finally:
        backing.close()
    assert logged == []
    result: dict[str, Any] = reply["result"]
    return result


def rest(row: Operation, arguments: Mapping[str, Any], words: Sequence[str]) -> Any:
    """Call an operation over HTTP: one POST to a server of its own, without a socket."""
    from recollect.surface.http.application import Application
    from recollect.surface.http.request_guard import Limits
    from recollect.surface.http.rest import status_of

    backing = LazyEngine(load())
    logged: list[str] = []
    try:
        application = Application(backing, Limits(hosts=()), toolset="core", log=logged.append)
        application.run = _inline  # type: ignore[method-assign] # in the thread whose clock and ids a test replaces
        content = json.dumps(arguments, default=str).encode()
        status, body = asyncio.run(_posted(application.app, f"/api/v1/{row.name}", content))
    finally:
        backing.close()
    assert logged == []
    told = msgspec.json.decode(body)
    if "error" in told:
        kind = KINDS[told["error"]["code"]]
        assert status == status_of(kind("wrong"))
    else:
        assert status == 200
    told.pop("next_cursor", None)
    return told


async def _inline(function: Callable[[], Any]) -> Any:
    return function()


async def _posted(app: Any, path: str, body: bytes) -> tuple[int, bytes]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers, "scheme": "http"}
    await app({**scope, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "root_path": ""}, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def _kinds(kind: type[RecollectError]) -> dict[str, type[RecollectError]]:
    found = {kind.code: kind}
    for child in kind.__subclasses__():
        found |= _kinds(child)
    return found


KINDS = _kinds(RecollectError)


EXITS = {code: kind.exit_status for code, kind in KINDS.items()}

# What a tool call is: the library as an assistant uses it.
ASSISTANT: Surface = partial(library, writes_as="assistant")
SURFACES: dict[str, Surface] = {"library": library, "command line": command_line, "mcp": mcp, "rest": rest}
