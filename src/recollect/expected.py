"""Expected values in words, and the errors for wrong arguments.

Annotated[int, Meta(ge=1, le=1000)] | None   →   "a whole number from 1 to 1,000"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from msgspec import inspect

# An error quotes this much of a value: enough to recognize it.
SHOWN_CHARACTERS = 60

_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")


def expected(
    annotation: Any,
    *,
    choice: Callable[[tuple[Any, ...]], str] | None = None,
    record: Callable[[type], str] | None = None,
) -> str:
    """Return the values of a type in words; null is left out.

    choice, record: how to write a list of words and a record; default: the words, and "an object"
    """
    from msgspec import inspect

    rows: Mapping[type, Callable[[Any], str]] = {
        inspect.StrType: lambda kind: "text",
        inspect.BoolType: lambda kind: "true or false",
        inspect.IntType: lambda kind: "a whole number" + _range(kind),
        inspect.FloatType: lambda kind: "a number" + _range(kind),
        inspect.LiteralType: lambda kind: (choice or _choice)(kind.values),
        inspect.UnionType: lambda kind: " or ".join(
            dict.fromkeys(words(part) for part in kind.types if not isinstance(part, inspect.NoneType))
        ),
        inspect.VarTupleType: lambda kind: f"a list of {words(kind.item_type)}",
        inspect.ListType: lambda kind: f"a list of {words(kind.item_type)}",
        inspect.TupleType: lambda kind: " and ".join(map(words, kind.item_types)),
        inspect.StructType: lambda kind: record(kind.cls) if record else "an object",
        inspect.DictType: lambda kind: "an object",
        inspect.AnyType: lambda kind: "anything",
        inspect.NoneType: lambda kind: "null",
    }

    def words(kind: inspect.Type) -> str:
        return rows[type(kind)](kind)

    return words(inspect.type_info(annotation))


def _range(kind: Any) -> str:
    low, high = (kind.ge if kind.ge is not None else kind.gt), (kind.le if kind.le is not None else kind.lt)
    return (f" from {_plain(low)}" if low is not None else "") + (f" to {_plain(high)}" if high is not None else "")


def _plain(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) else str(bound)


def _choice(values: tuple[Any, ...]) -> str:
    return "one of " + ", ".join(map(str, values))


def wrong_value(
    name: str, annotation: Any, value: Any, *, choices: tuple[str, ...] = (), help_: str = ""
) -> InvalidInput:
    """Return the error for an argument whose value does not fit its type.

    choices: the allowed words of the value, or of its members; help_: what the argument means
    """
    if choices:
        members = value if isinstance(value, list | tuple | set | frozenset) else (value,)
        wrong = next((member for member in members if str(member) not in choices), value)
        near = meant(wrong, choices) if isinstance(wrong, str) else ""
        hint = " ".join(part for part in (near, f"Allowed: {', '.join(choices)}.") if part)
        return InvalidInput(f"{name} cannot be {shown(wrong)}", hint=hint, argument=name)
    return InvalidInput(
        f"{name} must be {expected(annotation)}, not {shown(value)}",
        hint=f"{name}: {help_}." if help_ else "",
        argument=name,
    )


def shown(value: Any) -> str:
    """Return a value as an error quotes it: numbers bare, text in quotes and cut, anything else by its kind."""
    if isinstance(value, str):
        cut = value[:SHOWN_CHARACTERS] + "…" * (len(value) > SHOWN_CHARACTERS)
        return value if _NUMBER.fullmatch(value) else f'"{cut}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 64:  # Python refuses to print very long ones
        return "a number that large"
    if isinstance(value, int | float):
        return str(value)
    return "an object" if isinstance(value, Mapping) else "a list" if isinstance(value, list | tuple) else "that"


def meant(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests the known word nearest to `word`; empty: none is near."""
    near = nearest(word, known)
    return f"Did you mean {near}?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word nearest to `word`; empty: none is near."""
    from difflib import get_close_matches

    bare = {name.lstrip("-"): name for name in known}  # dashes would make all options look alike
    near = get_close_matches(word[:SHOWN_CHARACTERS].lstrip("-"), bare, 1)
    return bare[near[0]] if near else ""
