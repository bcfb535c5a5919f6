"""How an answer is shown, by its record's type: JSON for programs, text for models and pipes, Markdown for pages.

    to_json(record)       one line, exactly the record
    to_text(record)       compact plain text
    to_markdown(record)   the same as Markdown
    error_to_json(error)  {"error": {…}}, the one error shape
    error_to_text(error)  message, hint and code
    without_secrets(…)    anything else that is given out

Text remembered from elsewhere is untrusted: it is fenced as data that cannot end its own fence, introduced as data and
not as instructions, and its control characters are shown, not obeyed. JSON carries it unchanged. Neither carries a
secret: what is answered is looked through once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.errors import RecollectError
from recollect.model import Record
from recollect.render.untrusted import inline, visible
from recollect.text.redact import redact_value, secrets

if TYPE_CHECKING:
    from recollect.render.block import Block

__all__ = ["error_to_json", "error_to_text", "to_blocks", "to_json", "to_markdown", "to_text", "without_secrets"]

# The printers are loaded when something is printed: a command that answers in JSON needs none of them (10 ms).


def to_json(record: Record) -> bytes:
    """Return the record as one line of JSON, every field in the order of its definition."""
    encoded = msgspec.json.encode(record)
    return msgspec.json.encode(_without_secrets(encoded)) if secrets(encoded) else encoded


def without_secrets(value: Any) -> Any:
    """Return an answer or a part of one as it may be given out: itself, or as plain data with its secrets replaced."""
    try:
        encoded = msgspec.json.encode(value, enc_hook=str)
    except (ValueError, RecursionError):
        return value  # it cannot be written down, so it cannot be given out either
    return _without_secrets(encoded) if secrets(encoded) else value


def _without_secrets(encoded: bytes) -> Any:
    return redact_value(msgspec.json.decode(encoded)).value


def to_blocks(record: Record, now: int | None = None) -> list[Block]:
    """Return what is shown of `record`, for a surface that draws it itself; ages are told where `now` is given."""
    from recollect.render.record import SHOWN, show_fields

    return SHOWN.get(type(record), show_fields)(record, now)


def to_text(record: Record, now: int | None = None) -> str:
    """Return the record as compact plain text without a final newline; ages are told where `now` is given."""
    from recollect.render.plain import print_plain

    return print_plain(to_blocks(record, now))


def to_markdown(record: Record, now: int | None = None) -> str:
    """Return the record as Markdown without a final newline; ages are told where `now` is given."""
    from recollect.render.markdown import print_markdown

    return print_markdown(to_blocks(record, now))


def error_to_json(error: RecollectError) -> bytes:
    """Return the error as one line of JSON, whatever its message and details hold."""
    return msgspec.json.encode(without_secrets({"error": _encodable(error.as_dict())}))


def error_to_text(error: RecollectError) -> str:
    """Return the error's message, hint and code, a line each."""
    return f"error: {inline(error.message)}\nhint: {inline(error.hint)}\ncode: {error.code}"


def _encodable(value: Any) -> Any:
    """Return `value` with text that UTF-8 cannot carry escaped and with unknown objects as text."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {visible(str(key)): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_encodable(item) for item in value]
    return _encodable(str(value))
