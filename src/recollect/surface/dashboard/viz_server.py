"""`recollect viz`: the HTTP server on this machine with the dashboard, for one browser session.

Nothing in an address reaches the file system: a route exists for each file of FILES and for no other. Without a session
every path answers 401 with the same plain page.

    address with a ticket ─► used once, within TICKET_S ─► cookie ─► grant, until the process ends

The ticket may stay in the history of the browser and of the terminal; after its use it opens nothing. The cookie is not
readable by scripts and is not sent with requests of other sites.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
import webbrowser
from collections.abc import Awaitable, Callable
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from recollect.engine import LOCAL_GRANT
from recollect.errors import Forbidden, RecollectError, Unauthorized
from recollect.render import to_json
from recollect.surface.cli.doctor import all_checks
from recollect.surface.http.application import Application
from recollect.surface.http.listener import bound, serve_until_signal
from recollect.surface.http.request_guard import Limits, names_of
from recollect.surface.http.rest import JSON, error_response, status_of
from recollect.surface.mcp.stdio import LazyEngine, log, project_folder
from recollect.version import __version__

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.requests import Request

    from recollect.engine import Grant
    from recollect.settings import Settings
    from recollect.surface.cli.output import Output


OPEN_PATH = "/open"
# Every file that is served, below /static.
VIEWS = ("briefing", "camera", "drawing", "graph", "health", "map", "memory", "scene", "search", "sessions", "welcome")
OTHERS = ("app.js", "api.js", "dom.js", "format.js", "style.css", "icon.svg", "views/graph.css")
FILES = (*OTHERS, *(f"views/{name}.js" for name in VIEWS))
TYPES = {"html": "text/html; charset=utf-8", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The page of /open leads on by itself: a redirect would count as a request of the site that the link was on, and the
# browser would not send a strict cookie with it.
OPENED = (
    b'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>recollect</title>'
    b'<link rel="icon" href="data:,">'
)
REFUSED = (
    b'<!doctype html><html lang="en"><meta charset="utf-8"><title>401</title><h1>401</h1>'
    b"<p>This page needs the address that the command printed. It works once. Run the command again for a new one.</p>"
)
# Long enough to copy the address to a browser.
TICKET_S = 300
RANDOM_BYTES = 32
# Browsers send cookies of one host to all its ports: the port in the name keeps two servers apart.
COOKIE = "recollect_{port}"


class BrowserSession:
    """The one session of a dashboard process."""

    def __init__(self, grant: Grant, port: int) -> None:
        self.grant = grant
        self.ticket = secrets.token_urlsafe(RANDOM_BYTES)
        self._expires = time.monotonic() + TICKET_S
        self._name = COOKIE.format(port=port)
        self._secret = secrets.token_urlsafe(RANDOM_BYTES)
        self._is_used = False

    def redeem(self, ticket: str) -> str:
        """Return the Set-Cookie header for a valid ticket, which is used up by this; empty if it is not valid."""
        if not _same(ticket, self.ticket) or self._is_used or time.monotonic() > self._expires:
            return ""
        self._is_used = True
        return f"{self._name}={self._secret}; Path=/; HttpOnly; SameSite=Strict"

    def grant_of(self, headers: Headers) -> Grant | None:
        """Return the rights of a request by its cookie; None without a valid one."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._name)
        except CookieError:
            return None
        return self.grant if found is not None and _same(found.value, self._secret) else None


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())


class Dashboard:
    """The routes of the dashboard, and who may use them."""

    open_paths: tuple[str, ...] = (OPEN_PATH,)

    def __init__(self, session: BrowserSession, folder: str, check_installation: Callable[[], list[Any]]) -> None:
        """folder: of the project that the dashboard was started in; empty: none. check_installation: as doctor does."""
        self.session = session
        self._folder = folder
        self._check_installation = check_installation

    def grant_of(self, headers: Headers) -> Grant | None:
        """Return the rights of a request by its cookie."""
        return self.session.grant_of(headers)

    def routes(self) -> list[Route]:
        """Return a route per file, and those of the session."""
        folder = files("recollect.surface.dashboard").joinpath("static")
        found = [Route(f"/static/{name}", _file(folder.joinpath(name).read_bytes(), name)) for name in FILES]
        doctor = Route("/doctor.json", self._doctor, methods=["POST"])
        page = Route("/", _file(folder.joinpath("index.html").read_bytes(), "index.html"))
        return [Route(OPEN_PATH, self._open), Route("/session.json", self._about), doctor, page, *found]

    async def _open(self, request: Request) -> Response:
        cookie = self.session.redeem(request.query_params.get("t", ""))
        if not cookie:
            return self.refusal(Unauthorized("the address was used or is too old"), request.headers.get("accept", ""))
        return Response(OPENED, media_type=TYPES["html"], headers={**_headers(), "set-cookie": cookie})

    async def _about(self, request: Request) -> Response:
        """Tell the page what its session may do."""
        about = {"version": __version__, "scope": self.session.grant.scope, "folder": self._folder}
        return Response(msgspec.json.encode(about), media_type=JSON, headers=_headers())

    async def _doctor(self, request: Request) -> Response:
        """Answer the checks of `recollect doctor`. They start programs, so that a reader may not ask for them."""
        if self.session.grant.scope != "admin":
            return error_response(Forbidden("the session is read-only", hint="Run `recollect doctor`."))
        checks = await run_in_threadpool(self._check_installation)
        body = {"checks": [row._asdict() for row in checks]}
        return Response(to_json(body), media_type=JSON, headers=_headers())

    def refusal(self, problem: RecollectError, accept: str) -> Response:
        """Return the answer to a refused request: a plain page for a browser, JSON for a program."""
        if "text/html" not in accept:
            return error_response(problem)
        body = REFUSED if isinstance(problem, Unauthorized) else problem.message.encode("ascii", "replace")
        kind = TYPES["html"] if isinstance(problem, Unauthorized) else "text/plain"
        return Response(body, status_of(problem), media_type=kind, headers=_headers())


def _headers() -> dict[str, str]:
    return {"content-security-policy": POLICY, "cache-control": "no-store"}


def _file(content: bytes, name: str) -> Callable[[Request], Awaitable[Response]]:
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"content-security-policy": POLICY, "cache-control": "private, no-cache", "etag": tag}
    kind = TYPES[name.rpartition(".")[2]]

    async def endpoint(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return endpoint


HOST = "127.0.0.1"


def serve_dashboard(
    settings: Settings, output: Output, *, port: int = 0, no_browser: bool = False, read_only: bool = False
) -> int:
    """Serve the dashboard until Ctrl-C; returns exit code 0."""
    engine = LazyEngine(settings)
    try:
        listening = bound(HOST, port)
        number = listening.getsockname()[1]
        session = BrowserSession(LOCAL_GRANT._replace(scope="read") if read_only else LOCAL_GRANT, number)
        dashboard = Dashboard(session, project_folder(), lambda: all_checks(settings))
        limits = Limits(hosts=names_of(HOST, ()), needs_token=True, max_bytes=settings.http_max_bytes)
        application = Application(engine, limits, toolset=settings.toolset, log=log, browser=dashboard)
        address = f"http://{HOST}:{number}{OPEN_PATH}?t={session.ticket}"
        output.text(f"Dashboard: {address}\nThe address works once. Press Ctrl-C to stop.\n")
        if not no_browser:
            webbrowser.open(address)
        serve_until_signal(application, listening)
    finally:
        engine.close()
    return 0
