"""Answers as JSON for programs, as brief data and text for models, and as blocks for a terminal.

    to_data(answer)       all fields as plain data, for a surface that encodes it itself
    to_json(answer)       the same as one line of JSON
    to_brief(record)      the fields that a model uses, as plain data within a token budget
    to_text(record)       compact plain text, within a budget where one is given
    acknowledged(record)  the answer of an operation without the content that its caller sent
    error_to_data(error)  {"error": {…}}, the one error shape
    error_to_json(error)  the same as one line of JSON
    error_to_text(error)  message, hint and code

Stored text is untrusted: text answers fence it as data that cannot end its own fence. In every form harmful characters
are readable escapes (text/display.py), and secrets are redacted again.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.errors import RecollectError
from recollect.model import Memory, Record, TokenCreated
from recollect.text.display import escaped_value, is_harmless, oneline
from recollect.text.redaction.redact import redact_value, secrets

if TYPE_CHECKING:
    from recollect.render.block import Block

# How much of each text an error repeats: enough to recognize the value.
ECHOED_CHARACTERS = 1_000
# Members of a list or an object in the details of an error: more than any of our own have.
ECHOED_MEMBERS = 100
# Levels of nesting in the details of an error.
ECHOED_DEPTH = 8

# Printers are imported when they are used: a command that answers in JSON needs none of them (10 ms).


def acknowledged(record: Record, operation: str, *, read_only: bool) -> Record:
    """Return the answer to show for an operation: a changed memory is acknowledged, not repeated."""
    if read_only or not isinstance(record, Memory):
        return record
    from recollect.render.memory_text import Changed

    return Changed(memory=record, operation=operation)


def to_json(answer: Any) -> bytes:
    """Return an answer as one line of JSON, every field of a record in the order of its definition."""
    return msgspec.json.encode(to_data(answer))


def to_data(answer: Any, tokens: int = 0) -> Any:
    """Return an answer as plain data with harmful characters escaped and secrets redacted.

    tokens: a budget; longer texts and lists are cut, and `more` says so. 0: no budget
    """
    encoded = msgspec.json.encode(answer, enc_hook=str)
    data = msgspec.json.decode(encoded)
    if secrets(encoded):
        data = redact_value(data).value
    # One look at all of it: escaping each of a million values takes a second.
    data = _with_secret(answer, data if is_harmless(encoded) else escaped_value(data))
    if not tokens:
        return data
    from recollect.render.fit import fit_data

    return fit_data(data, tokens, "raise tokens")


def to_brief(record: Record, now: int | None = None, tokens: int = 0) -> dict[str, Any]:
    """Return the fields that a model uses as plain data within a token budget, with ages if `now` is given."""
    from recollect.render.brief import brief, how_to_get_more
    from recollect.render.fit import fit_data
    from recollect.render.untrusted import unmarked

    data: dict[str, Any] = unmarked(fit_data(brief(record, now), tokens, how_to_get_more(type(record))))
    data = redact_value(data).value if secrets(msgspec.json.encode(data)) else data
    return _with_secret(record, data)


def _with_secret(answer: Any, data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an answer; a new access token with its secret, which is redacted everywhere else."""
    return {**data, "secret": escaped_value(answer.secret)} if isinstance(answer, TokenCreated) else data


def to_blocks(record: Record, now: int | None = None, *, full: bool = False) -> list[Block]:
    """Return a record as blocks, for a surface that draws them; full: with details."""
    from recollect.render.block import chosen
    from recollect.render.record_table import SHOWN, show_fields

    return chosen(SHOWN.get(type(record), show_fields)(record, now), full=full)


def to_text(record: Record, now: int | None = None, *, full: bool = False, tokens: int = 0) -> str:
    """Return a record as compact plain text without a final newline, with ages where `now` is given.

    full: with details. tokens: a budget, 0: none
    """
    from recollect.render.block import print_plain

    blocks = to_blocks(record, now, full=full)
    if not tokens:
        return print_plain(blocks)
    from recollect.render.brief import how_to_get_more
    from recollect.render.fit import cut_blocks, fit
    from recollect.text.token_count import tokens as cost

    how = how_to_get_more(type(record))
    return fit(lambda cut: print_plain(cut_blocks(blocks, cut, how)), cost, tokens)


def error_to_data(error: RecollectError) -> dict[str, Any]:
    """Return the error as plain data, with texts on one line and cut, and secrets redacted."""
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
