"""How an answer is shown, by its record's type: JSON for programs, text for models and pipes, Markdown for pages.

    to_data(answer)       plain data for a surface that encodes it itself
    to_json(answer)       the same as one line of JSON
    to_text(record)       compact plain text
    to_markdown(record)   the same as Markdown
    error_to_data(error)  {"error": {…}}, the one error shape
    error_to_json(error)  the same as one line of JSON
    error_to_text(error)  message, hint and code

Text remembered from elsewhere is untrusted: text answers fence it as data that cannot end its own fence. In every form
harmful characters are readable escapes (text/harmless.py) and secrets are replaced once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.errors import RecollectError
from recollect.model import Record
from recollect.text.harmless import escaped_value, oneline
from recollect.text.redact import redact_value, secrets

if TYPE_CHECKING:
    from recollect.render.block import Block

__all__ = [
    "error_to_data",
    "error_to_json",
    "error_to_text",
    "to_blocks",
    "to_data",
    "to_json",
    "to_markdown",
    "to_text",
]

# An error echoes what it was given: this much of each text says which value is meant, a megabyte says no more.
ECHOED_CHARACTERS = 1_000
# Members of a list or an object in the details of an error: more than any that we make ourselves.
ECHOED_MEMBERS = 100
# How deep the details of an error are told.
ECHOED_DEPTH = 8

# The printers are loaded when something is printed: a command that answers in JSON needs none of them (10 ms).


def to_json(answer: Any) -> bytes:
    """Return an answer as one line of JSON, every field of a record in the order of its definition."""
    return msgspec.json.encode(to_data(answer))


def to_data(answer: Any) -> Any:
    """Return an answer as plain data that may leave: harmful characters escaped and secrets replaced."""
    encoded = msgspec.json.encode(answer, enc_hook=str)
    data = msgspec.json.decode(encoded)
    if secrets(encoded):
        data = redact_value(data).value
    return escaped_value(data)


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


def error_to_data(error: RecollectError) -> dict[str, Any]:
    """Return the error as plain data: texts on one line and cut, secrets replaced, whatever its details hold."""
    return {"error": redact_value(_echoed(error.as_dict())).value}


def error_to_json(error: RecollectError) -> bytes:
    """Return the error as one line of JSON."""
    return msgspec.json.encode(error_to_data(error))


def error_to_text(error: RecollectError) -> str:
    """Return the error's message, hint and code, a line each."""
    message, hint = (oneline(text, ECHOED_CHARACTERS) for text in (error.message, error.hint))
    return f"error: {message}\nhint: {hint}\ncode: {error.code}"


def _echoed(value: Any, depth: int = ECHOED_DEPTH) -> Any:
    """Return a value as plain data with harmless texts, cut in length, breadth and depth."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping | list | tuple | set | frozenset) and not depth:
        return "…"
    if isinstance(value, Mapping):
        members = islice(value.items(), ECHOED_MEMBERS)
        return {oneline(str(key), ECHOED_CHARACTERS): _echoed(item, depth - 1) for key, item in members}
    if isinstance(value, list | tuple | set | frozenset):
        return [_echoed(item, depth - 1) for item in islice(value, ECHOED_MEMBERS)]
    return oneline(str(value), ECHOED_CHARACTERS)
