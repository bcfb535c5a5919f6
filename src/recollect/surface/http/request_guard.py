"""Checks that every request must pass before it reaches a route: host, origin, size, rate and token.

    request ─► Host, Origin ─► rate ─► body within its limits ─► token ─► route ─► response within its time

Browsers send the name that a page was loaded from as Host: a page of a foreign site that resolves to this machine (DNS
rebinding) names its own. A browser adds an Origin to requests of a page; programs send none.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from starlette.datastructures import Headers

from recollect.errors import (
    ContentTooLarge,
    Forbidden,
    RecollectError,
    RequestTimeout,
    TooManyRequests,
    Unauthorized,
)
from recollect.surface.http.rest import error_response

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from recollect.engine import Grant

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# A body must arrive, and a part of a response be taken, within this time.
SLOW_S = 30.0
# Requests in progress; each holds its body.
MAX_CONCURRENT = 256
# Wrong tokens from one address within a minute.
MAX_WRONG = 30
# Callers whose rate is known; one that is forgotten starts with a full budget.
MAX_CALLERS = 10_000
# A caller that was quiet may send this many seconds' worth of requests at once.
BURST_S = 4.0
# Paths that need no token: they tell nothing about memories.
OPEN = ("/healthz", "/.well-known/oauth-protected-resource")


class Limits(NamedTuple):
    """Limits of a server.

    hosts: names under which it is reached; empty: any. origins: of pages of other sites that may call it
    rate: requests per second of a caller; 0: no limit
    """

    hosts: tuple[str, ...]
    origins: tuple[str, ...] = ()
    needs_token: bool = False
    max_bytes: int = 16 * 1024 * 1024
    rate: float = 0.0
    slow_s: float = SLOW_S


class Browser(Protocol):
    """Pages for a browser: routes, the grant of a request, paths that need none, and the answer to a refused one."""

    open_paths: tuple[str, ...]

    def routes(self) -> list[Route]: ...

    def grant_of(self, headers: Headers) -> Grant | None: ...

    def refusal(self, problem: RecollectError, accept: str) -> Response: ...


class Rates:
    """Requests that each caller may still send, as a bucket that fills steadily."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str, now: float) -> float:
        """Take one request of a caller; returns how many seconds it must wait, 0 if none."""
        left, at = self._buckets.pop(caller, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        is_allowed = left >= 1
        self._buckets[caller] = (left - 1 if is_allowed else left, now)
        if len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        return 0.0 if is_allowed else (1 - left) / self._rate


class RequestGuard:
    """ASGI middleware that refuses requests; those that pass have their grant in `scope["state"]`."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        limits: Limits,
        check: Callable[[str], Grant],
        local: Grant,
        run: Callable[..., Any],
        browser: Browser | None = None,
    ) -> None:
        """check: returns what a secret permits, or raises Unauthorized. local: the grant of a caller without one."""
        self._browser = browser
        self._app = app
        self._limits = limits
        self._check = check
        self._local = local
        self._run = run
        self._running = 0
        self._rates = Rates(limits.rate, max(1.0, limits.rate * BURST_S)) if limits.rate else None
        self._wrong = Rates(MAX_WRONG / 60, MAX_WRONG)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._running += 1
        try:
            await self._guarded(scope, receive, _Sender(send, self._limits.slow_s))
        finally:
            self._running -= 1

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        address = (scope.get("client") or ("",))[0]
        try:
            self._check_names(headers, scope)
            self._check_rate(address)
            body = await _body(headers, receive, self._limits)
            grant = await self._grant(headers, address, scope["path"])
        except _Disconnected:
            return
        except RecollectError as problem:
            await self._refuse(problem, scope, send)
            return
        scope.setdefault("state", {})["grant"] = grant
        await self._app(scope, _replayed(body, receive), send)

    def _check_names(self, headers: Headers, scope: Scope) -> None:
        host = headers.get("host", "")
        if self._limits.hosts and _name(host) not in self._limits.hosts:
            hint = "Use the address that `recollect serve --http` printed, or add the name to the setting http_hosts."
            raise _WrongHost(f"this server is not known as {host or 'nothing'}", hint=hint)
        origin = headers.get("origin")
        if origin is None or origin in self._limits.origins or origin == f"{scope['scheme']}://{host}":
            return
        hint = "Add the origin to the setting http_origins if its pages may read your memories."
        raise Forbidden(f"pages of {origin} may not call this server", hint=hint)

    def _check_rate(self, address: str) -> None:
        if self._running > MAX_CONCURRENT:
            raise TooManyRequests(f"{MAX_CONCURRENT} requests are in progress", retry_after_s=1)
        wait_s = self._rates.take(address, time.monotonic()) if self._rates else 0.0
        if wait_s:
            raise TooManyRequests(
                f"more than {self._limits.rate:g} requests per second", retry_after_s=round(wait_s + 0.5)
            )

    async def _grant(self, headers: Headers, address: str, path: str) -> Grant:
        """Return what the caller may do."""
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        if not scheme and self._browser is not None:
            if (found := self._browser.grant_of(headers)) is not None:
                return found
            if path in self._browser.open_paths:
                return self._local
        if not scheme:
            if self._limits.needs_token and path not in OPEN:
                raise Unauthorized("this server needs an access token")
            return self._local
        if scheme.lower() != "bearer":
            raise Unauthorized(f"the authorization scheme {scheme} is not supported")
        try:
            grant: Grant = await self._run(lambda: self._check(secret.strip()))
        except Unauthorized:
            if self._wrong.take(address, time.monotonic()):
                raise TooManyRequests("too many wrong tokens", retry_after_s=60) from None
            raise
        return grant

    async def _refuse(self, problem: RecollectError, scope: Scope, send: Send) -> None:
        accept = Headers(scope=scope).get("accept", "")
        response = error_response(problem) if self._browser is None else self._browser.refusal(problem, accept)
        if isinstance(problem, _WrongHost):
            response.status_code = 421
        if isinstance(problem, Unauthorized):
            base = f"{scope['scheme']}://{Headers(scope=scope).get('host', '')}"
            response.headers["www-authenticate"] = f'Bearer resource_metadata="{base}{OPEN[1]}"'
        if isinstance(problem, TooManyRequests):
            response.headers["retry-after"] = str(problem.details.get("retry_after_s", 1))
        response.headers["connection"] = "close"  # the rest of the body is not read
        await response(scope, _nothing, send)


class _WrongHost(Forbidden):
    """The Host header names another server."""

    code = Forbidden.code


class _Disconnected(Exception):
    """The client closed the connection before its request was complete."""


class _Sender:
    """Sends the parts of a response; a client that does not take one in time is disconnected."""

    def __init__(self, send: Send, slow_s: float) -> None:
        self._send = send
        self._slow_s = slow_s

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            add_security_headers(message)
        async with asyncio.timeout(self._slow_s):  # the server closes the connection on the exception
            await self._send(message)


def add_security_headers(message: MutableMapping[str, Any]) -> None:
    """Add headers that keep browsers from guessing types, framing and caching answers."""
    message["headers"] = [
        *message.get("headers", ()),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", b"no-referrer"),
    ]


async def _body(headers: Headers, receive: Receive, limits: Limits) -> bytes:
    """Return the body of a request; raises if it is too large or too slow."""
    too_large = ContentTooLarge(
        f"a request has at most {limits.max_bytes} bytes", hint="Split it, or raise http_max_bytes."
    )
    declared = headers.get("content-length", "")
    if declared.isdigit() and int(declared[:18]) > limits.max_bytes:
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.slow_s):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _Disconnected
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > limits.max_bytes:
                    raise too_large
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise RequestTimeout(f"the request took longer than {limits.slow_s:g} s to arrive") from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body, then waits for the client to disconnect."""
    given = False

    async def next_message() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def _name(host: str) -> str:
    """Return a Host header without its port, in lower case."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def names_of(host: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return the names under which a server that listens on `host` is reached; empty: any address of this machine."""
    given = tuple(name.lower() for name in others)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return (*LOOPBACK, host.lower(), *given) if host == "localhost" else (host.lower(), *given)
    if address.is_loopback:
        return (*LOOPBACK, *given)
    if address.is_unspecified:
        return (*LOOPBACK, *given) if given else ()
    return (f"[{address}]" if address.version == 6 else str(address), *given)
