"""JSON-RPC 2.0 on bytes: decode what came, encode what goes, and the one shape of a protocol error.

Both directions always give something that can be sent: what cannot be decoded is a ProtocolError, what cannot be
encoded becomes one.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import msgspec

from recollect.errors import InvalidInput
from recollect.parsing import parse_json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

# What a message may echo of a request: enough to see which one was meant.
ECHOED_CHARACTERS = 500

Message = Any  # a decoded JSON value of which nothing is known yet
Reply = dict[str, Any]
RequestId = str | int


class ProtocolError(Exception):
    """A message that is answered with a JSON-RPC error: its code, its text and, where it helps, data."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def is_id(value: object) -> TypeGuard[RequestId]:
    """Tell whether `value` can identify a request: text or a whole number."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def decode(line: bytes | bytearray) -> Message:
    """Return the JSON value in `line`; raises ProtocolError with PARSE_ERROR for anything else."""
    try:
        return parse_json(line, what="the message")
    except InvalidInput as problem:
        raise ProtocolError(PARSE_ERROR, f"Parse error: {problem.message}") from None


def encode(message: Message) -> bytes:
    """Return `message` as JSON on one line, without its end; one that cannot be encoded becomes an error response."""
    try:
        return msgspec.json.encode(message, enc_hook=str)
    except (TypeError, ValueError, RecursionError) as problem:
        request_id = message.get("id") if isinstance(message, dict) else None
        error = ProtocolError(INTERNAL_ERROR, f"The answer cannot be written as JSON ({type(problem).__name__})")
        return msgspec.json.encode(failure(error, request_id))


def success(request_id: RequestId, result: dict[str, Any]) -> Reply:
    """Return the response that carries a result."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def failure(problem: ProtocolError, request_id: RequestId | None = None) -> Reply:
    """Return the response that carries an error; its id is null where the request's could not be read."""
    from recollect.render.untrusted import oneline  # loaded where something failed: a server starts without it

    error: dict[str, Any] = {"code": problem.code, "message": oneline(str(problem), ECHOED_CHARACTERS)}
    if problem.data is not None:
        error["data"] = problem.data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def notification(method: str, params: dict[str, Any]) -> Reply:
    """Return a message that wants no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
