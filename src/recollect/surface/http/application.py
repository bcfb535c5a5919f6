"""The HTTP application: routes and the middleware around them.

    Measured ─► RequestGuard ─► /mcp · /api/v1/NAME · /api/v1/openapi.json · /healthz · /metrics · /.well-known/…

Operations run in threads, so one that takes long does not hold up others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import Route

from recollect.errors import Forbidden, MethodNotAllowed, NotFound, RecollectError
from recollect.surface.http import rest
from recollect.surface.http.mcp_http import McpEndpoint
from recollect.surface.http.metrics import CONTENT_TYPE, Measured, Metrics, gauges
from recollect.surface.http.request_guard import OPEN, Browser, Limits, RequestGuard
from recollect.surface.http.rest import JSON, error_response
from recollect.surface.mcp.server import Server
from recollect.surface.mcp.stdio import LazyEngine, Workers, listed
from recollect.version import __version__

if TYPE_CHECKING:
    from starlette.requests import Request

    from recollect.engine import Grant
    from recollect.model import Record
    from recollect.operations import Operation

Result = TypeVar("Result")

# Operations at a time. SQLite has one writer; reads of numpy and SQLite leave the interpreter to others.
THREADS = 16
# Callers whose MCP server is kept: it holds the list of tools.
MAX_SERVERS = 200


class Application:
    """One engine behind HTTP; `app` is the ASGI application."""

    def __init__(
        self,
        engine: LazyEngine,
        limits: Limits,
        *,
        toolset: str,
        log: Callable[[str], None],
        browser: Browser | None = None,
        issuer: str = "",
    ) -> None:
        """issuer: address of the OIDC issuer whose tokens are accepted"""
        from recollect.engine import LOCAL_GRANT

        self._engine = engine
        self._table = engine.operations()
        self._toolset = toolset
        self._log = log
        self._issuer = issuer
        self._workers = Workers(THREADS)
        self._servers: dict[tuple[Grant, str], Server] = {}
        self.metrics = Metrics(self._table)
        self.mcp = McpEndpoint(self._server, lambda request: self._grant(request).token_id, self.run)
        middleware = [Middleware(Measured, metrics=self.metrics)]
        if limits.origins:
            allowed = ["Authorization", "Content-Type", "Last-Event-ID", "Mcp-Session-Id", "Mcp-Protocol-Version"]
            middleware.append(
                Middleware(
                    CORSMiddleware,
                    allow_origins=limits.origins,
                    allow_methods=["GET", "POST", "DELETE"],
                    allow_headers=[*allowed, "Mcp-Method", "Mcp-Name"],
                    expose_headers=["Mcp-Session-Id"],
                )
            )
        middleware.append(
            Middleware(RequestGuard, limits=limits, check=self._check, local=LOCAL_GRANT, run=self.run, browser=browser)
        )
        self.app = Starlette(
            routes=[
                Route("/mcp", self.mcp.handle, methods=["GET", "POST", "DELETE"]),
                *rest.routes(self._table, self._call),
                Route("/api/v1/openapi.json", self._document, methods=["GET"]),
                Route("/healthz", self._health, methods=["GET"]),
                Route("/metrics", self._metrics_page, methods=["GET"]),
                Route(OPEN[1], self._resource, methods=["GET"]),
                *(browser.routes() if browser is not None else ()),
            ],
            middleware=middleware,
            exception_handlers={RecollectError: _known, HTTPException: _http, Exception: self._unexpected},
            lifespan=self._lifespan,
        )

    async def run(self, function: Callable[[], Result]) -> Result:
        """Call a function in a thread, of which there are THREADS."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def finish(set_outcome: Callable[[Any], None], outcome: Any) -> None:
            if not future.done():  # the client is gone
                set_outcome(outcome)

        def job() -> None:
            try:
                outcome: tuple[Callable[[Any], None], Any] = future.set_result, function()
            except BaseException as problem:
                outcome = future.set_exception, problem
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(finish, *outcome)

        self._workers.submit(job)
        return await future

    # --- operations ---

    async def _call(self, request: Request, row: Operation, arguments: Mapping[str, Any]) -> Record:
        grant = self._grant(request)

        def operate() -> Record:
            with self._engine.engine().context.writing_as("user"):  # a program of a person, not a model
                return self._operate(grant, row, arguments)

        return await self.run(operate)

    def _operate(self, grant: Grant, row: Operation, arguments: Mapping[str, Any], project: str = "") -> Record:
        """Call an operation as far as a grant permits; project: where it works."""
        from recollect.engine import call_as

        engine = self._engine.engine()
        with engine.scope.within(project):
            return call_as(grant, engine, row, arguments)

    def _check(self, secret: str) -> Grant:
        return self._engine.engine().access_tokens.check(secret)

    def _grant(self, request: Request) -> Grant:
        grant: Grant = request.scope["state"]["grant"]
        return grant

    def _server(self, request: Request) -> Server:
        """Return the MCP server for a caller; `?project=` names the project that it works in."""
        grant, project = self._grant(request), request.query_params.get("project", "")
        key = (grant, project)
        if key not in self._servers:
            if len(self._servers) >= MAX_SERVERS:
                self._servers.clear()
            self._servers[key] = Server(
                self._engine.operations,
                lambda row, arguments: self._operate(grant, row, arguments, project),
                toolset=self._toolset,
                listed=listed,
                titles=True,
                log=self._log,
            )
        return self._servers[key]

    # --- other pages ---

    @cached_property
    def _openapi(self) -> bytes:
        from recollect.surface.http.openapi import document

        return msgspec.json.encode(document(self._table))

    async def _document(self, request: Request) -> Response:
        return Response(self._openapi, media_type=JSON)

    async def _health(self, request: Request) -> Response:
        from recollect.model import Workspace

        await self.run(lambda: self._engine.engine().store.count(Workspace))
        return Response(msgspec.json.encode({"status": "ok", "version": __version__}), media_type=JSON)

    async def _metrics_page(self, request: Request) -> Response:
        if self._grant(request).projects:
            raise Forbidden("metrics are about all projects", hint="Use a token without projects.")
        engine = self._engine.engine()
        stats = await self.run(engine.admin.stats)
        numbers = gauges(stats, engine.capture.spool.waiting(), len(self.mcp.sessions))
        return Response(self.metrics.text(numbers), media_type=CONTENT_TYPE)

    async def _resource(self, request: Request) -> Response:
        """Tell OAuth-aware clients what protects this server (RFC 9728): tokens of people, and of an issuer."""
        data = {
            "resource": f"{request.url.scheme}://{request.headers.get('host', '')}/mcp",
            "resource_name": "recollect",
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["read", "write", "admin"],
        }
        if self._issuer:
            data["authorization_servers"] = [self._issuer]
        return Response(msgspec.json.encode(data), media_type=JSON)

    # --- start, end, errors ---

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        await self.run(self._engine.warm_up)
        yield
        self.mcp.close()

    async def _unexpected(self, request: Request, problem: Exception) -> Response:
        self._log(f"{request.method} {request.url.path}: {type(problem).__name__}: {problem}")
        return error_response(RecollectError("the request failed"))


async def _known(_request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RecollectError)  # noqa: S101 - it is registered for these
    return error_response(problem)


async def _http(request: Request, problem: Exception) -> Response:
    """Return what Starlette itself refuses in the shape of every error."""
    status = problem.status_code if isinstance(problem, HTTPException) else 500
    if status == 405:
        allowed = problem.headers or {} if isinstance(problem, HTTPException) else {}
        hint = f"Use {allowed.get('Allow', 'POST')}."
        response = error_response(MethodNotAllowed(f"{request.url.path} does not take {request.method}", hint=hint))
        response.headers.update(allowed)
        return response
    return error_response(NotFound(f"there is no {request.url.path}", hint="GET /api/v1/openapi.json lists all paths."))
