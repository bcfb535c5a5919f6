"""Parsers of untrusted JSON, TOML and Python, with a limit on nesting.

Parsers, and most code that walks their values, are recursive: 200,000 brackets would end in a RecursionError somewhere.
Documents nested deeper than any real one are refused here, before anything is written.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.errors import InvalidInput

if TYPE_CHECKING:
    import ast

# Real documents have fewer than 30 levels; Python's own stack holds about 1,000 calls.
MAX_DEPTH = 100

# Python's reader of TOML takes quadratic time for the parts of a dotted key: 3 s of CPU for 50,000. People write five.
_LONG_KEY = re.compile(rb"""(?<![\w"'.-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){64}""")

T = TypeVar("T")


def parse_json(raw: bytes | bytearray | str, *, what: str = "the text", kind: Any = Any) -> Any:
    """Return the value of a JSON text; raises InvalidInput.

    kind: the type the value must have. what: names the text in the error
    """
    import msgspec

    try:
        return limited(lambda: msgspec.json.decode(raw, type=kind), what)
    except (msgspec.MsgspecError, ValueError) as problem:
        raise InvalidInput(f"{what} is not JSON: {problem}") from None


def parse_toml(raw: bytes, *, what: str = "the text") -> dict[str, Any]:
    """Return the tables of a TOML text; raises InvalidInput."""
    import tomllib

    if _LONG_KEY.search(raw):
        raise _too_deep(what)
    try:
        return limited(lambda: tomllib.loads(raw.decode()), what)
    except ValueError as problem:  # not UTF-8, not TOML, or a number of more digits than Python reads
        raise InvalidInput(f"{what} is not TOML: {problem}") from None


def parse_python(source: str | bytes) -> ast.Module:
    """Return the syntax tree of a Python file; raises ValueError if this interpreter cannot parse it."""
    import ast

    version = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the style of other people's code
            return ast.parse(source)
    except SyntaxError as problem:
        raise ValueError(f"{version} cannot parse it (line {problem.lineno}: {problem.msg})") from None
    except (RecursionError, MemoryError) as problem:
        raise ValueError(f"{version} cannot parse it ({problem})") from None


def limited(parse: Callable[[], T], what: str) -> T:
    """Return what `parse` returns; raises InvalidInput if that is nested too deeply."""
    try:
        value = parse()
    except RecursionError:
        raise _too_deep(what) from None
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = _inner(level)
        if not level:
            return value
    raise _too_deep(what)


def _inner(values: Iterable[Any]) -> list[Any]:
    """Return the members of objects, arrays and records that can have members themselves."""
    members: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            members += value.values()
        elif isinstance(value, list | tuple):
            members += value
        elif names := getattr(value, "__struct_fields__", ()):
            members += [getattr(value, name) for name in names]
    return [member for member in members if not isinstance(member, str | int | float | None)]


def _too_deep(what: str) -> InvalidInput:
    return InvalidInput(
        f"{what} has more than {MAX_DEPTH} nested levels", hint="Use fewer nested levels. Nothing was written."
    )
