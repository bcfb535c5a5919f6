"""MCP over streamable HTTP: one path for POST, GET and DELETE, in both generations of the protocol.

    POST initialize             a session begins; its id is in the header Mcp-Session-Id
    POST request                JSON if it is answered at once, else a stream of events that ends with the response
    POST notification           202
    GET, DELETE                 a stream for the session, or of events after Last-Event-ID; end of the session
    POST of 2026-07-28          no session; headers repeat version, method and name; closing the stream cancels

A call goes on if a client of a session disconnects: it can reconnect and read the rest.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response, StreamingResponse

from recollect.surface.http.http_session import EventLog, HttpSession, HttpSessions
from recollect.surface.mcp.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Message,
    ProtocolError,
    Reply,
    decode,
    encode,
    failure,
    is_id,
)
from recollect.surface.mcp.server import (
    MODERN,
    SUPPORTED,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Peer,
    Server,
    answer,
    calls,
)

if TYPE_CHECKING:
    from starlette.requests import Request

HEADER_MISMATCH = -32020
SESSION_NOT_FOUND = -32001

SESSION_HEADER = "mcp-session-id"
VERSION_HEADER = "mcp-protocol-version"
# The version that supports resuming from an empty first event.
PRIMED = "2025-11-25"
# A call that takes longer is answered as a stream, which proxies keep open.
JSON_S = 1.0

JSON, EVENTS = "application/json", "text/event-stream"
STREAM_HEADERS = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}
# The parameter that the header Mcp-Name repeats, by method.
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
# HTTP status by JSON-RPC error, for requests of the modern generation.
STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}

Run = Callable[[Callable[[], Any]], Awaitable[Any]]


class McpEndpoint:
    """Answers the requests of one path.

    server: returns the MCP server for a request. owner: returns the token of a request. run: calls a function in a
    thread.
    """

    def __init__(self, server: Callable[[Request], Server], owner: Callable[[Request], str], run: Run) -> None:
        self.sessions = HttpSessions()
        self._server = server
        self._owner = owner
        self._run = run
        self._tasks: set[asyncio.Task[None]] = set()

    async def handle(self, request: Request) -> Response:
        """Return the response to a request of any method."""
        if request.method == "POST":
            return await self._post(request)
        session = self._session(request)
        if isinstance(session, Response):
            return session
        if request.method == "DELETE":
            self.sessions.end(session)
            return Response(status_code=204)
        return self._get(request, session)

    def close(self) -> None:
        """End every stream, so that a server can stop."""
        self.sessions.end_all()

    # --- GET ---

    def _get(self, request: Request, session: HttpSession) -> Response:
        if not _accepts(request, EVENTS):
            return _refused(406, INVALID_REQUEST, f"GET needs the header Accept: {EVENTS}")
        last = request.headers.get("last-event-id")
        if last is not None:
            found = session.after(last)
            if found is None:
                return _refused(404, INVALID_REQUEST, "The events after that one are no longer kept")
            return _streamed(found[0].read(found[1]))
        if session.standalone is not None:
            return _refused(409, INVALID_REQUEST, "This session has a stream already")
        session.standalone = session.stream()
        if session.version >= PRIMED:
            session.standalone.prime()
        return _streamed(self._standing(session, session.standalone))

    async def _standing(self, session: HttpSession, log: EventLog) -> AsyncIterator[bytes]:
        try:
            async for event in log.read():
                yield event
        finally:
            session.standalone = None

    # --- POST ---

    async def _post(self, request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            return _refused(415, INVALID_REQUEST, f"POST needs the header Content-Type: {JSON}")
        if not _accepts(request, JSON) or not _accepts(request, EVENTS):
            return _refused(406, INVALID_REQUEST, f"POST needs the header Accept: {JSON}, {EVENTS}")
        try:
            message = decode(await request.body())
        except ProtocolError as problem:
            return _failed(problem, 400)
        if _is_modern(request, message):
            return await self._post_modern(request, message)
        return await self._post_in_session(request, message)

    async def _post_in_session(self, request: Request, message: Message) -> Response:
        begins = isinstance(message, dict) and message.get("method") == "initialize"
        session: HttpSession | None = None
        if not begins:
            found = self._session(request)
            if isinstance(found, Response):
                return found
            session = found
        log = session.stream() if session else EventLog("")
        peer = session.peer(_from_thread(log.add)) if session else Peer(_ignored)
        if session and _cancels(message):
            session.withdraw(message["params"]["requestId"])
        self._start(request, peer, message, log, lambda: session.forget(peer) if session else None)
        await log.wait(JSON_S)
        if log.has_only_response:
            return self._whole(log, peer if begins else None, request)
        if session and session.version >= PRIMED and len(log) == 0:
            log.prime()
        return _streamed(log.read())

    def _whole(self, log: EventLog, began: Peer | None, request: Request) -> Response:
        """Return the response as JSON; began: the client of an `initialize`, which gets a session."""
        if log.response is None:
            return Response(status_code=202)
        headers = {}
        if began is not None and began.version:
            headers[SESSION_HEADER] = self.sessions.begin(began.version, self._owner(request)).id
        status = 400 if isinstance(log.response, dict) and log.response.get("id", 0) is None else 200
        return Response(encode(log.response), status, headers, JSON)

    async def _post_modern(self, request: Request, message: Message) -> Response:
        try:
            _check_headers(request, message)
        except ProtocolError as problem:
            given = message.get("id") if isinstance(message, dict) else None
            return _failed(problem, STATUS.get(problem.code, 400), given if is_id(given) else None)
        log = EventLog("")
        peer = Peer(_from_thread(log.add))
        self._start(request, peer, message, log, lambda: None)
        await log.wait(JSON_S)
        if not log.has_only_response:
            return _streamed(_until_closed(log, peer))
        if log.response is None:
            return Response(status_code=202)
        error = log.response.get("error") if isinstance(log.response, dict) else None
        return Response(encode(log.response), STATUS.get(error["code"], 200) if error else 200, media_type=JSON)

    def _start(self, request: Request, peer: Peer, message: Message, log: EventLog, done: Callable[[], None]) -> None:
        """Answer a message in a thread; the log gets the response."""
        server = self._server(request)
        peer.expect(*calls(message))

        async def answered() -> None:
            reply: Reply | list[Reply] | None = None
            try:
                # Calls can fill all threads of the operations; a handshake or a list must not wait for them.
                run = self._run if calls(message) else asyncio.to_thread
                reply = await run(lambda: answer(server, peer, message))
            finally:
                peer.settle(*calls(message))
                done()
                log.complete(reply)

        task = asyncio.create_task(answered())
        self._tasks.add(task)  # the loop itself keeps no reference
        task.add_done_callback(self._tasks.discard)

    def _session(self, request: Request) -> HttpSession | Response:
        """Return the session of a request, or the response that refuses it."""
        version = request.headers.get(VERSION_HEADER)
        if version is not None and version not in SUPPORTED:
            return _refused(400, INVALID_REQUEST, f"Unsupported protocol version; supported: {', '.join(SUPPORTED)}")
        given = request.headers.get(SESSION_HEADER)
        if given is None:
            return _refused(400, INVALID_REQUEST, "The header Mcp-Session-Id is missing; send initialize first")
        session = self.sessions.find(given, self._owner(request))
        return session or _refused(404, SESSION_NOT_FOUND, "The session is unknown or has ended; send initialize again")


async def _until_closed(log: EventLog, peer: Peer) -> AsyncIterator[bytes]:
    """Yield the events of a call; a client that closes the stream withdraws the call."""
    try:
        async for event in log.read():
            yield event
    finally:
        if not log.is_complete:
            peer.withdraw()


def _is_modern(request: Request, message: Message) -> bool:
    if request.headers.get(VERSION_HEADER) == MODERN:
        return True
    return isinstance(message, dict) and (
        _meta(message).get(VERSION_KEY) == MODERN or _method(message) == "server/discover"
    )


def _check_headers(request: Request, message: Message) -> None:
    """Raise ProtocolError if the headers, by which proxies route, do not repeat the body."""
    if not isinstance(message, dict):
        raise ProtocolError(INVALID_REQUEST, "The body is one request or notification")
    if "id" not in message:
        return
    for header in (VERSION_HEADER, "mcp-method", "mcp-name"):
        if len(request.headers.getlist(header)) > 1:
            raise ProtocolError(HEADER_MISMATCH, f"The header {header} appears more than once")
    method, params = _method(message), message.get("params")
    expected = {VERSION_HEADER: _meta(message).get(VERSION_KEY), "mcp-method": method}
    if method in NAMED and isinstance(params, dict) and params.get(NAMED[method]) is not None:
        expected["mcp-name"] = params[NAMED[method]]
    for header, value in expected.items():
        if _decoded(request.headers.get(header)) != value:
            raise ProtocolError(HEADER_MISMATCH, f"The header {header} does not match the body")


def _decoded(value: str | None) -> str | None:
    """Return the value of a header; text that is not ASCII is sent as =?base64?…?=."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _meta(message: Mapping[str, Any]) -> Mapping[str, Any]:
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def _method(message: Mapping[str, Any]) -> str:
    method = message.get("method")
    return method if isinstance(method, str) else ""


def _cancels(message: Message) -> bool:
    if not isinstance(message, dict) or _method(message) != "notifications/cancelled":
        return False
    params = message.get("params")
    return isinstance(params, dict) and is_id(params.get("requestId"))


def _accepts(request: Request, kind: str) -> bool:
    given = [part.partition(";")[0].strip().lower() for part in request.headers.get("accept", "").split(",")]
    return any(accepted in given for accepted in (kind, "*/*", kind.partition("/")[0] + "/*"))


def _from_thread(add: Callable[[Any], None]) -> Callable[[Reply], None]:
    """Return a function that calls `add` in the event loop, from any thread."""
    loop = asyncio.get_running_loop()
    return lambda message: _scheduled(loop, add, message)


def _scheduled(loop: asyncio.AbstractEventLoop, add: Callable[[Any], None], message: Reply) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(add, message)


def _ignored(_message: Reply) -> None:
    """Drop a notification: there is no stream for it."""


def _streamed(events: AsyncIterator[bytes]) -> Response:
    return StreamingResponse(events, headers=STREAM_HEADERS, media_type=EVENTS)


def _refused(status: int, code: int, message: str) -> Response:
    return _failed(ProtocolError(code, message), status)


def _failed(problem: ProtocolError, status: int, request_id: str | int | None = None) -> Response:
    return JSONResponse(failure(problem, request_id), status)
