"""Version ranges: whether a version is within a range, and whether ranges exclude each other.

    ^1.2   ~1.2   ~=1.2   ~> 1.2   1.x   ==1.*   >=1,<2   1.0 - 2.0   1 || 2   [1.0,2.0)   v1.2.3

A range becomes the span from its lowest to its highest version; ranges joined with `||` become one span around all of
them. So every reported conflict is real, but some conflicts are missed. Unknown syntax gives no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

# Numbers of a version that are compared. NuGet has four, the others three.
PARTS = 4
# Longer texts are no ranges, and huge numbers are slow to convert.
MAX_CHARACTERS = 200

# The operator of a version without one.
BARE: Mapping[str, str] = {
    "cargo": "^", "composer": "=", "gem": "=", "go": ">=", "maven": ">=", "npm": "=", "nuget": ">=", "pypi": "=",
}  # fmt: skip
# A version of fewer numbers means all that begin so.
PARTIAL = frozenset({"cargo", "npm"})
# With ~ the last written number may grow, instead of all after the second.
LAST_GROWS = frozenset({"composer", "gem"})

_TERM = re.compile(
    r"(\^|~>|~=|~|={1,3}|>=|<=|!=|<|>)?\s*[vV]?(\d+(?:\.\d+)*)?((?:\.?[xX*+])*)([-+.]?[0-9A-Za-z][\w.+-]*)?"
)
_BRACKETS = re.compile(r"^([\[(\]])([^,\[\]()]*+)(,)?+([^,\[\]()]*+)([\])\[])$")
_BETWEEN = re.compile(r"[, \t]*+")
_HYPHEN = re.compile(r"^\s*(\S+)\s+-\s+(\S+)\s*$")

Version = tuple[int, ...]


class Span(NamedTuple):
    """Versions from `low` to just below `high`; None is no end."""

    low: Version
    high: Version | None


EVERYTHING = Span((0,) * PARTS, None)


def span(ecosystem: str, text: str) -> Span | None:
    """Return the versions of a range; None for unknown syntax."""
    text = text.strip()
    if not text or text in ("*", "latest", "x"):
        return EVERYTHING
    if len(text) > MAX_CHARACTERS:
        return None
    spans = [_bracketed(part) or _every(ecosystem, part) for part in re.split(r"\|\|?", text)]
    known = [found for found in spans if found is not None]
    if len(known) < len(spans):
        return None
    ends = [found.high for found in known if found.high is not None]
    return Span(min(found.low for found in known), max(ends) if len(ends) == len(known) else None)


def clash(ecosystem: str, ranges: Iterable[str]) -> bool:
    """Tell whether two of the ranges have no version in common. Unknown syntax does not count."""
    spans = [found for text in ranges if (found := span(ecosystem, text)) is not None]
    ends = [found.high for found in spans if found.high is not None]
    # If each two spans overlap, all do.
    return bool(ends) and max(found.low for found in spans) >= min(ends)


def fits(ecosystem: str, version: str, text: str) -> bool | None:
    """Tell whether a version is within a range; None if either has unknown syntax."""
    found, plain = span(ecosystem, text), re.fullmatch(r"[vV]?(\d+(?:\.\d+)*)", version.strip())
    if found is None or plain is None or len(version) > MAX_CHARACTERS:
        return None
    number = _padded(plain[1])
    return found.low <= number and (found.high is None or number < found.high)


def _every(ecosystem: str, text: str) -> Span | None:
    """Return the intersection of the terms of a range."""
    hyphen = _HYPHEN.match(text)
    if hyphen:
        text = f">={hyphen[1]} <={hyphen[2]}"
    found = EVERYTHING
    rest = text.strip().strip("()")
    place = 0
    while place < len(rest):
        term = _TERM.match(rest, place)
        if term is None or not term[0] or (term[4] and term[4][0] == "."):
            return None
        one = _term(ecosystem, term[1] or "", term[2] or "", bool(term[3]))
        if one is None:
            return None
        ends = [high for high in (found.high, one.high) if high is not None]
        found = Span(max(found.low, one.low), min(ends) if ends else None)
        place = _BETWEEN.match(rest, term.end()).end()  # type: ignore[union-attr] # matches ""
    return found


def _term(ecosystem: str, operator: str, number: str, is_prefix: bool) -> Span | None:
    if not number:
        return EVERYTHING if is_prefix else None
    low, written = _padded(number), number.count(".") + 1
    operator = operator or BARE.get(ecosystem, "=")
    if operator == "!=":
        return EVERYTHING
    if is_prefix or (operator.strip("=") == "" and ecosystem in PARTIAL and written < 3):
        return Span(low, _next(low, written))
    if operator in (">", ">="):
        return Span(low if operator == ">=" else _next(low, PARTS), None)
    if operator in ("<", "<="):
        return Span(EVERYTHING.low, low if operator == "<" else _next(low, PARTS))
    if operator == "^":
        significant = next((place for place, part in enumerate(low[:written], 1) if part), written)
        return Span(low, _next(low, significant))
    if operator in ("~=", "~>") or (operator == "~" and ecosystem in LAST_GROWS):
        is_npm = ecosystem == "npm"
        return Span(low, _next(low, min(written, 2) if is_npm else max(written - 1, 1)))
    if operator == "~":
        return Span(low, _next(low, min(written, 2)))
    return Span(low, _next(low, PARTS))


def _bracketed(text: str) -> Span | None:
    """Return the versions of an interval of Maven or NuGet; None for other text."""
    found = _BRACKETS.match(text.strip())
    if found is None:
        return None
    opening, first, comma, second, closing = (part or "" for part in found.groups())
    numbers = [re.match(r"\s*[vV]?(\d+(?:\.\d+)*)", part) for part in (first, second)]
    low = _padded(numbers[0][1]) if numbers[0] else EVERYTHING.low
    if not comma:
        return Span(low, _next(low, PARTS)) if numbers[0] else None
    if numbers[0] and opening != "[":
        low = _next(low, PARTS)
    if not numbers[1]:
        return Span(low, None)
    high = _padded(numbers[1][1])
    return Span(low, _next(high, PARTS) if closing == "]" else high)


def _padded(number: str) -> Version:
    parts = [int(part) for part in number.split(".")[:PARTS]]
    return (*parts, *([0] * (PARTS - len(parts))))


def _next(version: Version, place: int) -> Version:
    """Return the lowest version that is higher in one of its first numbers."""
    place = min(place, PARTS)
    return (*version[: place - 1], version[place - 1] + 1, *([0] * (PARTS - place)))
