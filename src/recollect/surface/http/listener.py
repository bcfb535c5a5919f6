"""Listen for HTTP: addresses, certificates, slow clients and a clean end.

Only this machine can connect by default. Elsewhere every request needs an access token, and without a certificate of
its own the server expects a reverse proxy that ends TLS.
"""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from recollect.errors import ConfigError
from recollect.surface.http.application import Application
from recollect.surface.http.request_guard import Limits, names_of
from recollect.surface.mcp.stdio import LazyEngine, log

if TYPE_CHECKING:
    from recollect.settings import Settings

# The head of a request must arrive within this time.
HEAD_S = 15.0
# Between two requests of one connection.
KEEP_ALIVE_S = 30
# For requests in progress when the server stops; then they are cut.
GRACE_S = 10
# The longest head: the headers of ordinary clients have 1 to 2 KB.
HEAD_BYTES = 32 * 1024
# Connections that wait to be accepted.
BACKLOG = 512


class CuttingProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose request head takes too long to arrive."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._arm()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._arm()
        else:
            self._disarm()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def _arm(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_S, self._cut)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cut(self) -> None:
        self._timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


class HttpServer(uvicorn.Server):
    """A server that ends its event streams when it is told to stop, so that it does not wait for their clients."""

    def __init__(self, config: uvicorn.Config, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._stop = stop

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stop()
        await super().shutdown(sockets)


def serve_http(settings: Settings, *, host: str = "127.0.0.1", port: int = 8_377, require_token: bool = False) -> int:
    """Serve until a signal; returns exit code 0."""
    engine = LazyEngine(settings)
    try:
        is_local = _is_loopback(host)
        tls = _certificate(settings)
        # A wrong setting of the issuer is said at the start, not to the first caller.
        is_issued = bool(settings.oidc_issuer) and engine.engine().access_tokens.oidc is not None
        if not is_local:
            if not is_issued and not engine.engine().access_tokens.list().tokens:
                hint = "Create one first: recollect admin create-token NAME --scope write."
                raise ConfigError(f"listening on {host} needs an access token", hint=hint)
            if not tls:
                log(
                    f"{host} is reachable from other machines and traffic is not encrypted. Set http_certificate_file "
                    "and http_key_file, or put a reverse proxy with TLS in front and listen on 127.0.0.1."
                )
        limits = Limits(
            hosts=names_of(host, settings.http_hosts),
            origins=settings.http_origins,
            needs_token=require_token or not is_local,
            max_bytes=settings.http_max_bytes,
            rate=settings.http_rate if not is_local else 0.0,
        )
        application = Application(engine, limits, toolset=settings.toolset, log=log, issuer=settings.oidc_issuer)
        listening = bound(host, port)
        scheme = "https" if tls else "http"
        shown = f"[{host}]" if ":" in host else host
        log(f"listening on {scheme}://{shown}:{listening.getsockname()[1]} (MCP: /mcp, REST: /api/v1). Ctrl-C ends it.")
        serve_until_signal(application, listening, **tls)
    finally:
        engine.close()
    return 0


def serve_until_signal(application: Application, listening: socket.socket, **tls: Any) -> None:
    """Serve until a signal, then finish the requests in progress."""
    config = uvicorn.Config(
        application.app,
        http=CuttingProtocol,
        loop="asyncio",
        ws="none",
        log_level="error",  # a request that is not HTTP is the caller's mistake: no line in the log for each
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=HEAD_BYTES,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
        **tls,
    )
    # uvicorn raises the signal again when it has stopped; that is the normal end here.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    HttpServer(config, application.mcp.close).run(sockets=[listening])


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises ConfigError if it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)  # clients may connect as soon as the address is printed
    except OSError as problem:
        listening.close()
        hint = "Another program may use the port: choose one with --port, or 0 for any free one."
        raise ConfigError(f"cannot listen on {host} port {port}: {problem.strerror}", hint=hint) from None
    listening.set_inheritable(False)
    return listening


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _certificate(settings: Settings) -> dict[str, Any]:
    """Return the TLS options of the server; empty: none."""
    certificate, key = settings.http_certificate_file, settings.http_key_file
    if bool(certificate) != bool(key):
        raise ConfigError(
            "TLS needs both a certificate and a key", hint="Set http_certificate_file and http_key_file to files."
        )
    if not certificate:
        return {}
    for path in (certificate, key):
        if not Path(path).expanduser().is_file():
            raise ConfigError(
                f"there is no file {path}", hint="http_certificate_file and http_key_file name PEM files."
            )
    return {"ssl_certfile": str(Path(certificate).expanduser()), "ssl_keyfile": str(Path(key).expanduser())}
