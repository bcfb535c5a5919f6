"""A real HTTP service on this machine that answers as told, faults included, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.waiting import PATIENCE_S, until


class Asked(NamedTuple):
    """One request as the service saw it."""

    path: str
    headers: dict[str, str]
    body: Any


class Reply(NamedTuple):
    """One answer: a body with its status and headers, sent whole, cut, never, drop by drop or without an end."""

    body: bytes | dict[str, Any] = b""
    status: int = 200
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    fault: str = ""  # cut, drop, silence, drip, endless

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Service(ThreadingHTTPServer):
    """Answers with `replies` in order, then with `answer(body)` for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.asked: list[Asked] = []
        self.replies: list[Reply] = []
        self.answer: Callable[[Any], dict[str, Any] | Reply] = lambda body: {"echo": body}
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def reply(self, body: Any) -> Reply:
        """Return the answer to a request."""
        if self.replies:
            return self.replies.pop(0)
        answer = self.answer(body)
        return answer if isinstance(answer, Reply) else Reply(answer)

    def heard(self, count: int) -> int:
        """Return how many requests were read, once so many were: a client may give up before its request is read."""
        until(lambda: len(self.asked) >= count)
        return len(self.asked)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that gives up in the middle is what many of these tests are about."""


class _Conversation(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(Asked(self.path, dict(self.headers), body))
        reply = self.server.reply(body)
        if reply.fault == "silence":
            self.server.closing.wait(PATIENCE_S)
        if reply.fault in ("silence", "drop"):
            self.close_connection = True
            return
        self.send_response(reply.status)
        missing = 10 if reply.fault == "cut" else 0
        if reply.fault not in ("drip", "endless"):
            self.send_header("Content-Length", str(len(reply.content) + missing))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.content)
        while reply.fault in ("drip", "endless") and not self.server.closing.is_set():
            self.wfile.write(b" " if reply.fault == "drip" else b" " * 2**20)
            self.server.closing.wait(0.01 if reply.fault == "drip" else 0)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving() -> Iterator[Service]:
    """Run a service for a block."""
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()
