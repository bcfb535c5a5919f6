"""Metrics of the HTTP server as Prometheus text: requests, latency, store, queued events, missing vectors."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from recollect.surface.http.rest import PREFIX
from recollect.version import __version__

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from recollect.model import Stats

# Upper bounds of latency in seconds: a search takes 10 to 100 ms, an import minutes.
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Key = tuple[str, str, int]


class Metrics:
    """Counts requests by route, method and status. Routes come from a table, so their number is bounded."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self.running = 0
        self._requests: Counter[Key] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def route(self, path: str) -> str:
        """Return the route of a path; what is none is "other"."""
        if path.startswith(PREFIX):
            name = path[len(PREFIX) :]
            return name if name in self._names else "other"
        return path if path in ("/mcp", "/healthz", "/metrics", "/api/v1/openapi.json") else "other"

    def count(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a request that ended."""
        route = self.route(path)
        self._requests[route, method if method in ("GET", "POST", "DELETE") else "other", status] += 1
        buckets = self._buckets.setdefault(route, [0] * (len(BOUNDS) + 1))
        buckets[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return all numbers; gauges: further values by name, each with its help."""
        lines = [
            "# HELP recollect_requests_total Requests by route, method and status",
            "# TYPE recollect_requests_total counter",
        ]
        for (route, method, status), number in sorted(self._requests.items()):
            lines.append(f'recollect_requests_total{{route="{route}",method="{method}",status="{status}"}} {number}')
        lines += ["# HELP recollect_request_seconds Latency by route", "# TYPE recollect_request_seconds histogram"]
        for route, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, number in zip((*map(str, BOUNDS), "+Inf"), buckets, strict=True):
                total += number
                lines.append(f'recollect_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}')
            lines.append(f'recollect_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'recollect_request_seconds_count{{route="{route}"}} {total}')
        every = {
            "build_info": (f"Version {__version__}", 1.0),
            "requests_in_progress": ("Requests in progress", float(self.running)),
            **gauges,
        }
        for name, (help_, value) in every.items():
            lines += [
                f"# HELP recollect_{name} {help_}",
                f"# TYPE recollect_{name} gauge",
                f"recollect_{name} {value:g}",
            ]
        return "\n".join(lines) + "\n"


def gauges(stats: Stats, queued: int, sessions: int) -> dict[str, tuple[str, float]]:
    """Return the numbers of the store as gauges: help and value by name."""
    return {
        "memories": ("Memories", stats.memories),
        "memories_without_vector": ("Memories that wait for their vector", stats.pending_embeddings),
        "code_pieces": ("Indexed pieces of code", stats.code_pieces),
        "code_pieces_without_vector": ("Pieces of code that wait for their vector", stats.pending_code_embeddings),
        "database_bytes": ("Size of the database", stats.database_bytes),
        "queued_hook_events": ("Hook events that wait to be stored", queued),
        "mcp_sessions": ("Open MCP sessions", sessions),
    }


class Measured:
    """ASGI middleware that counts requests, those that are refused too."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 499  # the client was gone before there was a response

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        started = time.monotonic()
        self._metrics.running += 1
        try:
            await self._app(scope, receive, sent)
        except BaseException:
            status = 500 if status == 499 else status
            raise
        finally:
            self._metrics.running -= 1
            self._metrics.count(scope["path"], scope["method"], status, time.monotonic() - started)
