"""JSON-RPC 2.0 on bytes: decode, encode, responses and protocol errors.

A message that cannot be decoded raises ProtocolError; one that cannot be encoded becomes an error response.
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

# How much of a request an error repeats: enough to recognize it.
ECHOED_CHARACTERS = 500

Message = Any  # a decoded JSON value, not yet checked
Reply = dict[str, Any]
RequestId = str | int


class ProtocolError(Exception):
    """A JSON-RPC error: its code, text and optional data."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def is_id(value: object) -> TypeGuard[RequestId]:
    """Return whether `value` can identify a request: text or a whole number."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def decode(line: bytes | bytearray) -> Message:
    """Return the JSON value in `line`; raises ProtocolError with PARSE_ERROR for anything else."""
    try:
        return parse_json(line, what="the message")
    except InvalidInput as problem:
        raise ProtocolError(PARSE_ERROR, f"Parse error: {problem.message}") from None


def encode(message: Message) -> bytes:
    """Return `message` as one line of JSON without a newline; one that cannot be encoded becomes an error response."""
    try:
        return msgspec.json.encode(message, enc_hook=str)
    except (TypeError, ValueError, RecursionError) as problem:
        request_id = message.get("id") if isinstance(message, dict) else None
        error = ProtocolError(INTERNAL_ERROR, f"The answer cannot be written as JSON ({type(problem).__name__})")
        return msgspec.json.encode(failure(error, request_id))


def success(request_id: RequestId, result: dict[str, Any]) -> Reply:
    """Return the response with a result."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def failure(problem: ProtocolError, request_id: RequestId | None = None) -> Reply:
    """Return the response with an error; its id is null if that of the request could not be read."""
    from recollect.render.untrusted import oneline  # not needed to start a server

    error: dict[str, Any] = {"code": problem.code, "message": oneline(str(problem), ECHOED_CHARACTERS)}
    if problem.data is not None:
        error["data"] = problem.data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def notification(method: str, params: dict[str, Any]) -> Reply:
    """Return a message without a response."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
