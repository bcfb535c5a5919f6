"""A `recollect serve --http` process on a free port of this machine, and plain requests to it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

import msgspec
from tests.waiting import PATIENCE_S as PATIENCE_S

COMMAND = str(Path(sys.executable).with_name("recollect"))
MCP_HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class Answer(NamedTuple):
    """A response: its status, headers in lower case, and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The answer; a call that takes long is answered by the last event of a stream."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            return self.events[-1][1]
        return msgspec.json.decode(self.body)

    @property
    def code(self) -> str:
        """The code of an error."""
        code: str = self.json["error"]["code"]
        return code

    @property
    def events(self) -> list[tuple[str, Any]]:
        """The events of a stream that ended: id and data."""
        found = []
        for part in self.body.split(b"\n\n"):
            fields = dict(line.split(b": ", 1) for line in part.splitlines() if b": " in line[1:])
            if b"id" in fields:
                data = fields.get(b"data", b"").strip()
                found.append((fields[b"id"].decode(), msgspec.json.decode(data) if data else None))
        return found


class HttpProcess:
    """The server process; leaving its block ends it with SIGTERM."""

    def __init__(
        self, home: Path, *options: str, command: tuple[str, ...] = (COMMAND,), cwd: Path | None = None, **settings: str
    ) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        self.process = subprocess.Popen(
            [*command, "serve", "--http", "--port", "0", *options],
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            cwd=cwd or home.parent,
            env={**own, "RECOLLECT_HOME": str(home), "RECOLLECT_EMBED_PROVIDER": "off", **settings},
        )
        assert self.process.stderr is not None
        self.remarks: list[str] = []
        while line := self.process.stderr.readline().decode():
            self.remarks.append(line)
            if found := re.search(r"listening on https?://(\S+):(\d+)", line):
                self.host, self.port = found[1], int(found[2])
                break
        else:
            self.process.wait(PATIENCE_S)
            raise AssertionError(f"the server did not start: {''.join(self.remarks)}")

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.end() == 0

    def end(self) -> int:
        """End the server; returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        assert self.process.stderr is not None
        if not self.process.stderr.closed:
            self.remarks += [self.process.stderr.read().decode()]
            self.process.stderr.close()
        return self.process.wait(PATIENCE_S)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, *, token: str = ""
    ) -> Answer:
        """Send one request on a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        try:
            sent = dict(headers or {})
            content = body if isinstance(body, bytes) or body is None else msgspec.json.encode(body)
            if content is not None and not any(name.lower() == "content-type" for name in sent):
                sent["content-type"] = "application/json"
            if token:
                sent["authorization"] = f"Bearer {token}"
            connection.request(method, path, content, sent)
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, told, response.read())
        finally:
            connection.close()

    def get(self, name: str, /, *, token: str = "", **arguments: Any) -> Answer:
        """Call a read-only operation."""
        return self.ask("GET", f"/api/v1/{name}?{urlencode(arguments, doseq=True)}", token=token)

    def post(self, name: str, /, *, token: str = "", **arguments: Any) -> Answer:
        """Call any operation."""
        return self.ask("POST", f"/api/v1/{name}", arguments, token=token)

    def mcp(self, message: Any, *, session: str = "", token: str = "", project: str = "", **headers: str) -> Answer:
        """Post a message of MCP; project: the one that the client works in."""
        sent = {**MCP_HEADERS, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if session:
            sent["mcp-session-id"] = session
        path = f"/mcp?{urlencode({'project': project})}" if project else "/mcp"
        return self.ask("POST", path, message, sent, token=token)

    def begin(self, version: str = "2025-11-25") -> str:
        """Begin an MCP session; returns its id."""
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = self.mcp({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        assert answer.status == 200, answer
        session = answer.headers["mcp-session-id"]
        done = self.mcp({"jsonrpc": "2.0", "method": "notifications/initialized"}, session=session)
        assert (done.status, done.body) == (202, b"")
        return session


def create_token(home: Path, name: str, *options: str) -> str:
    """Create an access token with the command line; returns its secret."""
    done = subprocess.run(
        [COMMAND, "admin", "create-token", name, *options, "--json"],
        capture_output=True,
        check=True,
        env={**os.environ, "RECOLLECT_HOME": str(home)},
    )
    secret: str = msgspec.json.decode(done.stdout)["secret"]
    return secret
