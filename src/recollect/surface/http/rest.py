"""REST: every operation as a route, /api/v1/NAME.

    GET   read-only operations; arguments in the query, a list by repeating its name
    POST  every operation; arguments as a JSON object

An answer is the record that the command prints with --json. Lists that continue have `next_cursor`; give it back as
`cursor`. Errors have one shape on every surface: {"error": {code, message, hint, retryable, details}}.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, get_origin

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from recollect import errors
from recollect.parsing import parse_json

if TYPE_CHECKING:
    from starlette.requests import Request

    from recollect.model import Record
    from recollect.operations import Operation, Parameter

JSON = "application/json"
PREFIX = "/api/v1/"
# The first class that fits counts. What is not listed is a defect of ours.
STATUS: tuple[tuple[type[errors.RecollectError], int], ...] = (
    (errors.Unauthorized, 401),
    (errors.Forbidden, 403),
    (errors.TooManyRequests, 429),
    (errors.RequestTimeout, 408),
    (errors.Cancelled, 503),
    (errors.MethodNotAllowed, 405),
    (errors.ContentTooLarge, 413),
    (errors.InvalidInput, 400),
    (errors.NotFound, 404),
    (errors.Conflict, 409),
    (errors.StoreFull, 507),
    (errors.StorageError, 503),
    (errors.ProviderError, 502),
)

Call = Callable[["Request", "Operation", Mapping[str, Any]], Awaitable["Record"]]


def status_of(problem: errors.RecollectError) -> int:
    """Return the HTTP status of an error."""
    return next((status for kind, status in STATUS if isinstance(problem, kind)), 500)


def error_response(problem: errors.RecollectError) -> Response:
    """Return an error as a response."""
    from recollect.render import error_to_json

    return Response(error_to_json(problem), status_of(problem), media_type=JSON)


def routes(table: Mapping[str, Operation], call: Call) -> list[Route]:
    """Return a route per operation."""
    return [
        Route(f"{PREFIX}{row.name}", _endpoint(row, call), methods=["GET", "POST"] if row.read_only else ["POST"])
        for row in table.values()
    ]


def _endpoint(row: Operation, call: Call) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        given = (
            _from_query(request, row)
            if request.method in ("GET", "HEAD")
            else _from_body(await request.body(), request)
        )
        arguments = _turned(row, given)
        record = await call(request, row, arguments)
        return _answer(request, row, arguments, record)

    return endpoint


def _from_query(request: Request, row: Operation) -> dict[str, Any]:
    lists = {part.name for part in row.parameters if _is_list(part)}
    query = request.query_params
    arguments: dict[str, Any] = {}
    for name in query:
        values = query.getlist(name)
        if len(values) > 1 and name not in lists:
            raise errors.InvalidInput(f"{name} was given more than once", hint=f"Give {name} once.", argument=name)
        arguments[name] = values if name in lists else values[0]
    return arguments


def _from_body(body: bytes, request: Request) -> dict[str, Any]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and kind != JSON:
        raise errors.InvalidInput("the body must be JSON", hint=f"Send the header Content-Type: {JSON}.")
    given = parse_json(body, what="the body") if body else {}
    if not isinstance(given, dict):
        raise errors.InvalidInput("the body must be a JSON object", hint='Send the arguments as {"name": value}.')
    return given


def _is_list(part: Parameter) -> bool:
    """Return whether a parameter takes several values, perhaps none."""
    return any(get_origin(kind) is tuple for kind in (part.type, *getattr(part.type, "__args__", ())))


# --- pages ---


def is_paged(row: Operation) -> bool:
    """Return whether an operation lists in pages."""
    return {"limit", "offset"} <= {part.name for part in row.parameters}


def _turned(row: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with the cursor, if there is one, turned into an offset."""
    if "cursor" not in arguments or not is_paged(row):
        return arguments
    if "offset" in arguments:
        raise errors.InvalidInput("cursor does not go with offset", hint="Give one of them.", argument="cursor")
    rest = {name: value for name, value in arguments.items() if name != "cursor"}
    return {**rest, "offset": _offset(str(arguments["cursor"]), row)}


def _cursor(offset: int, row: Operation) -> str:
    return base64.urlsafe_b64encode(f"{row.name}:{offset}".encode()).decode().rstrip("=")


def _offset(cursor: str, row: Operation) -> int:
    try:
        name, _, offset = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(":")
    except ValueError:
        name, offset = "", ""
    if name != row.name or not offset.isascii() or not offset.isdigit() or len(offset) > 9:
        raise errors.InvalidInput(
            "that is no cursor of this list", hint="Give next_cursor of the page before.", argument="cursor"
        )
    return int(offset)


def _next(row: Operation, arguments: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """Return the cursor of the next page; None after the last."""
    if not is_paged(row):
        return None
    total = data.get("total")
    shown = max((len(value) for value in data.values() if isinstance(value, list)), default=0)
    end = int(arguments.get("offset", 0)) + shown
    return _cursor(end, row) if shown and isinstance(total, int) and end < total else None


def _answer(request: Request, row: Operation, arguments: Mapping[str, Any], record: Record) -> Response:
    from recollect.render import to_data

    data = to_data(record)
    cursor = _next(row, arguments, data)
    if cursor is not None:
        data = {**data, "next_cursor": cursor}
    body = msgspec.json.encode(data)
    headers = {"cache-control": "no-store" if not row.read_only else "private, no-cache"}
    if cursor is not None:
        headers["link"] = (
            f'<{request.url.include_query_params(cursor=cursor).replace(scheme="", netloc="")}>; rel="next"'
        )
    if request.method in ("GET", "HEAD"):
        headers["etag"] = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        if headers["etag"] in _tags(request):
            return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=JSON)


def _tags(request: Request) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
