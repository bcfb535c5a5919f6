"""Validation of arguments, and defaults that settings may change: a given value wins, then the setting.

Signatures show the documented number. It has a type of its own, which distinguishes it from an equal number that the
caller gives.
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
    """Return the values by the name of their setting; settings replace documented defaults."""
    open_names = [name for name, value in given.items() if isinstance(value, _Whole | _Number)]
    if open_names:
        from recollect.engine import configured

        given |= configured(*open_names)
    return given


def number(name: str, value: object, least: float, most: float = float("inf")) -> float:
    """Return a number within its bounds. Raises ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        bounds = f"of at least {least:g}" if most == float("inf") else f"from {least:g} to {most:g}"
        raise ValueError(f"{name} must be a number {bounds}, not {value!r}")
    return value


def whole(name: str, value: object, least: int) -> int:
    """Return a whole number of at least `least`. Raises ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return value


def required(name: str, value: object) -> str:
    """Return a non-empty text. Raises ValueError otherwise."""
    if not isinstance(value, str) or not value.strip():
        problem = "None" if value is None else "empty" if isinstance(value, str) else f"not text: {value!r:.40}"
        raise ValueError(f"{name} is {problem}")
    return value
