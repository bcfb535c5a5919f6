"""Defaults that the environment may change: a value that is given wins, then the setting, then what is documented.

Signatures show the documented number. It is of a type of its own, so that a number that is given can be told from the
one that is not, even where they are equal.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

Value = TypeVar("Value", int, float)


class _Whole(int):
    """A documented whole number."""


class _Number(float):
    """A documented number."""


def documented(value: Value) -> Value:
    """Return a number marked as the documented default."""
    return cast(Value, _Whole(value) if isinstance(value, int) else _Number(value))


def settled(**given: Any) -> dict[str, Any]:
    """Return the values by the name of their setting, with what the setting says in place of documented defaults."""
    open_names = [name for name, value in given.items() if isinstance(value, _Whole | _Number)]
    if open_names:
        from recollect.engine.library_store import configured

        given |= configured(*open_names)
    return given


def number(name: str, value: object, least: float, most: float = float("inf")) -> float:
    """Return a number within its bounds. Raises ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        bounds = f"of at least {least:g}" if most == float("inf") else f"from {least:g} to {most:g}"
        raise ValueError(f"{name} must be a number {bounds}, not {value!r}")
    return value


def whole(name: str, value: object, least: int) -> int:
    """Return a whole number that is large enough. Raises ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return value
