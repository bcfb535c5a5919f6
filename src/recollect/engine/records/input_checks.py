"""Input checks: each function returns a valid value or raises an error that says what is wrong.

Operations called through a surface have their types checked by the operation table already; the library can be handed
anything, so everything is checked here, once, before a transaction is opened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, cast

import msgspec

from recollect import clock
from recollect.errors import ContentTooLarge, InvalidInput
from recollect.model import MEMORY_TYPES, RELATIONS, SOURCES, MemoryType, Relation, Source
from recollect.text.redaction.name_redaction import holds_secret
from recollect.text.time_arguments import read_moment, without_as_of

MAX_TAGS = 100
MAX_LABEL_CHARACTERS = 200
MAX_QUERY_CHARACTERS = 20_000
# Deeper objects can be stored where the stack is short and then not be read where it is long.
MAX_DEPTH = 64
# The years 1 to 9999 in Unix seconds: beyond them no date can be shown.
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799


def content(value: object, *, max_bytes: int) -> str:
    """Return the text of a memory: not blank, valid Unicode, no NUL, within the size limit."""
    checked = text("content", value)
    size = len(checked.encode())
    if size > max_bytes:
        raise ContentTooLarge(
            f"content is {size:,} bytes; the limit is {max_bytes:,} bytes", size_bytes=size, max_bytes=max_bytes
        )
    return checked


def text(name: str, value: object) -> str:
    """Return text that is not blank, valid Unicode and free of NUL characters."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {_shown(value)}", field=name)
    if not value.strip():
        raise InvalidInput(f"{name} is empty", field=name)
    return storable(name, value)


def label(name: str, value: object) -> str | None:
    """Return a short optional text; blank counts as none."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    checked = text(name, value).strip()
    if len(checked) > MAX_LABEL_CHARACTERS:
        raise InvalidInput(f"{name} is too long: the limit is {MAX_LABEL_CHARACTERS} characters", field=name)
    return checked


def name(field: str, value: object) -> str:
    """Return an id: text without a secret, which could not be replaced in it."""
    checked = text(field, value)
    if holds_secret(checked):
        raise InvalidInput(f"{field} contains a secret", hint="Use another value. Nothing was written.", field=field)
    return checked


def query(value: object) -> str:
    """Return a question: text, cut where no ranking would read on."""
    return text("query", value)[:MAX_QUERY_CHARACTERS]


def question(value: object, as_of: object) -> tuple[str, int | None]:
    """Return a question and the moment it asks about: the given one, or one in its words.

    Words such as "as of March" are not in the question that is returned.
    """
    checked = query(value)
    given = moment("as_of", as_of, last=True)
    if "as of" not in checked.lower():  # most do not say it, and reading dates takes a module
        return checked, given
    rest, said = without_as_of(checked, clock.now())
    return rest, said if given is None else given


def ratio(name: str, value: object) -> float:
    """Return a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} must be a number between 0 and 1, not {_shown(value)}", field=name)
    if not 0 <= value <= 1:
        raise InvalidInput(f"{name} must be between 0 and 1, not {_shown(value)}", field=name)
    return float(value)


def whole(name: str, value: object, *, least: int, most: int) -> int:
    """Return a whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{name} must be a whole number, not {_shown(value)}", field=name)
    if not least <= value <= most:
        raise InvalidInput(f"{name} must be between {least} and {most}, not {_shown(value)}", field=name)
    return value


def moment(name: str, value: object, *, last: bool = False) -> int | None:
    """Return Unix seconds from a number or a text such as 2026-11-15, 2w or yesterday.

    last: of a day, week, month or year, its last second instead of its first
    """
    if value is None or value == "":
        return None
    number = read_moment(value, clock.now(), last=last) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int) or not FIRST_SECOND <= number <= LAST_SECOND:
        hint = "Use 2026-11-15, yesterday, or an age: 30m (minutes), 12h, 2w, 3mo (months)."
        raise InvalidInput(f'{name}: cannot read "{_shown(value)}" as a date', hint=hint, field=name)
    return number


def tags(value: object) -> tuple[str, ...]:
    """Return tags, each a short text, in the given order and each once."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(f"tags must be a list of words, not {_shown(value)}", field="tags")
    given = [label("tags", tag) for tag in value]
    checked = [tag for tag in given if tag]
    if len(checked) < len(given):
        raise InvalidInput("a tag is empty", field="tags")
    if len(checked) > MAX_TAGS:
        raise InvalidInput(f"{len(checked)} tags given; the limit is {MAX_TAGS}", field="tags")
    return tuple(dict.fromkeys(checked))


def several(name: str, value: object) -> list[Any]:
    """Return the members of a list."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(f"{name} must be a list, not {_shown(value)}", field=name)
    return list(value)


def metadata(value: object, *, max_bytes: int) -> dict[str, Any]:
    """Return metadata as plain JSON data with text keys, within the size limit of content."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"metadata must be a JSON object, not {_shown(value)}", field="metadata")
    try:
        encoded = msgspec.json.encode(value)
        plain = msgspec.json.decode(encoded, type=dict[str, Any])
    except (TypeError, ValueError, UnicodeError, RecursionError) as problem:
        raise InvalidInput(f"metadata is not valid JSON: {problem}", field="metadata") from None
    if len(encoded) > max_bytes:
        raise ContentTooLarge(f"metadata is {len(encoded):,} bytes; the limit is {max_bytes:,} bytes")
    if b"\\u0000" in encoded or encoded.count(b"{") + encoded.count(b"[") > MAX_DEPTH:
        _look_into(plain, depth=1)
    return plain


def memory_type(value: object) -> MemoryType:
    """Return one of the seven memory types."""
    return cast(MemoryType, one_of("memory_type", value, MEMORY_TYPES))


def relation(value: object) -> Relation:
    """Return one of the 23 relationship types; lower case is understood."""
    upper = value.upper() if isinstance(value, str) else value
    return cast(Relation, one_of("relationship", upper, RELATIONS))


def source(value: object) -> Source:
    """Return one of the known sources."""
    return cast(Source, one_of("source", value, SOURCES))


def _look_into(value: Any, *, depth: int) -> None:
    """Refuse metadata that is nested too deeply or holds a NUL character."""
    if isinstance(value, str) and "\0" in value:
        raise InvalidInput("metadata contains a NUL character", field="metadata")
    if not isinstance(value, dict | list):
        return
    if depth > MAX_DEPTH:
        raise InvalidInput(f"metadata has more than {MAX_DEPTH} nested levels", field="metadata")
    for inner in (*value, *value.values()) if isinstance(value, dict) else value:
        _look_into(inner, depth=depth + 1)


def _shown(value: object) -> str:
    """Return the start of a value as text; Python itself refuses to print very long numbers."""
    try:
        return "a number that large" if isinstance(value, int) and value.bit_length() > 64 else str(value)[:40]
    except ValueError:  # such a number in a list
        return "a number that large"


def one_of(name: str, value: object, known: Collection[str]) -> str:
    """Return a word of a closed vocabulary."""
    if not isinstance(value, str) or value not in known:
        raise InvalidInput(f"{name} cannot be {value!r}", hint=f"One of: {', '.join(known)}.", field=name)
    return value


def storable(name: str, value: str) -> str:
    """Return text that is valid Unicode and free of NUL characters."""
    if "\0" in value:
        raise InvalidInput(f"{name} contains a NUL character", field=name)
    try:
        value.encode()
    except UnicodeEncodeError as problem:
        raise InvalidInput(f"{name} is not valid Unicode (at character {problem.start})", field=name) from None
    return value
