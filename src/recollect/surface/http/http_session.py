"""MCP sessions over HTTP: each has its calls in progress and the events that a client can read again.

    POST ─► call in a thread ─► EventLog ─► stream of events, or one JSON response
                                   ▲
    GET with Last-Event-ID ────────┘  the events after that one, then those still to come

Everything here runs in the event loop, except what says otherwise.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from typing import Any

from recollect.surface.mcp.jsonrpc import Reply, RequestId, encode
from recollect.surface.mcp.server import Peer

# Sessions that were not used for so long end; a client then gets 404 and starts a new one, as the protocol says.
IDLE_S = 1_800.0
# More open sessions than any team has; the one that was idle longest ends.
MAX_SESSIONS = 10_000
# Streams whose events are kept for a client that reconnects.
MAX_STREAMS = 16
# Events of one stream: more than the reports of progress of one call.
MAX_EVENTS = 256
# A comment line keeps proxies from closing a silent stream; most close after 60 s.
KEEPALIVE_S = 15.0
KEEPALIVE = b": keep-alive\n\n"
# How long a client should wait before it reconnects.
RETRY_MS = 1_000


class EventLog:
    """The events of one stream, and the readers that wait for the next one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_complete = False
        self.response: Any | None = None
        self._events: list[bytes] = []
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._events)

    @property
    def has_only_response(self) -> bool:
        """Whether the stream is complete and nothing came before the response."""
        return self.is_complete and len(self._events) <= (self.response is not None)

    def add(self, message: Any) -> None:
        """Add a message; one too many is dropped, except the last, which is the response."""
        if len(self._events) < MAX_EVENTS:
            self._append(b"event: message\n", encode(message))

    def complete(self, message: Any | None) -> None:
        """Add the response, if there is one, and end the stream."""
        self.response = message
        if message is not None:
            self._append(b"event: message\n", encode(message))
        self.is_complete = True
        self._notify()

    def prime(self) -> None:
        """Add an empty event, so that a client has an id to continue from."""
        self._append(b"retry: %d\n" % RETRY_MS, b"")

    async def read(self, after: int = 0, *, keepalive_s: float = KEEPALIVE_S) -> AsyncIterator[bytes]:
        """Yield the events after a number until the stream is complete; comments while there is none."""
        while True:
            while after < len(self._events):
                yield self._events[after]
                after += 1
            if self.is_complete:
                return
            try:
                await asyncio.wait_for(self._changed.wait(), keepalive_s)
            except TimeoutError:
                yield KEEPALIVE

    async def wait(self, seconds: float) -> None:
        """Return when an event was added or the stream is complete, or after so long."""
        if not self._events and not self.is_complete:
            try:
                await asyncio.wait_for(self._changed.wait(), seconds)
            except TimeoutError:
                return

    def _append(self, head: bytes, data: bytes) -> None:
        number = len(self._events) + 1
        self._events.append(b"id: %s-%d\n%sdata: %s\n\n" % (self.name.encode(), number, head, data))
        self._notify()

    def _notify(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


class HttpSession:
    """One client since its `initialize`; owner: the token that began it."""

    def __init__(self, version: str, owner: str) -> None:
        self.id = secrets.token_urlsafe(24)
        self.version = version
        self.owner = owner
        self.used_at = time.monotonic()
        self.standalone: EventLog | None = None
        self._peers: set[Peer] = set()
        self._streams: OrderedDict[str, EventLog] = OrderedDict()

    def peer(self, emit: Callable[[Reply], None]) -> Peer:
        """Return the client for one POST."""
        peer = Peer(emit)
        peer.version = self.version
        self._peers.add(peer)
        return peer

    def forget(self, peer: Peer) -> None:
        """Remove the client of a POST that was answered."""
        self._peers.discard(peer)

    def withdraw(self, request_id: RequestId) -> None:
        """Withdraw a call of any POST of this session."""
        for peer in self._peers:
            peer.withdraw(request_id)

    def stream(self) -> EventLog:
        """Return a new stream whose events are kept for a client that reconnects."""
        log = EventLog(secrets.token_urlsafe(9))
        self._streams[log.name] = log
        while len(self._streams) > MAX_STREAMS:
            self._streams.popitem(last=False)
        return log

    def after(self, event_id: str) -> tuple[EventLog, int] | None:
        """Return the stream of an event and the event's number; None if it is not known."""
        name, _, number = event_id.rpartition("-")
        log = self._streams.get(name)
        if log is None or not number.isascii() or not number.isdigit() or int(number[:9]) > len(log):
            return None
        return log, int(number[:9])

    def end(self) -> None:
        """End all streams and withdraw all calls."""
        for peer in self._peers:
            peer.withdraw()
        for log in (*self._streams.values(), *([self.standalone] if self.standalone else [])):
            log.complete(None)


class HttpSessions:
    """The open sessions of a server."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, HttpSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(self, version: str, owner: str) -> HttpSession:
        """Start a session; those that were idle too long end."""
        session = HttpSession(version, owner)
        self._sessions[session.id] = session
        oldest = next(iter(self._sessions.values()))
        while len(self._sessions) > MAX_SESSIONS or time.monotonic() - oldest.used_at > IDLE_S:
            self.end(oldest)
            oldest = next(iter(self._sessions.values()))
        return session

    def find(self, session_id: str, owner: str) -> HttpSession | None:
        """Return a session of a token, and count it as used; None if there is no such session."""
        session = self._sessions.get(session_id)
        if session is None or session.owner != owner:
            return None
        session.used_at = time.monotonic()
        self._sessions.move_to_end(session_id)
        return session

    def end(self, session: HttpSession) -> None:
        """End a session."""
        self._sessions.pop(session.id, None)
        session.end()

    def end_all(self) -> None:
        """End every session."""
        for session in [*self._sessions.values()]:
            self.end(session)
