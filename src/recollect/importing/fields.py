"""Fields of a row: a reader takes those that it maps, the others stay in `rest`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.parsing import parse_json

# A number beyond this is a time in milliseconds: in seconds it would be the year 5138.
_MILLISECONDS = 100_000_000_000
# Beyond year 9999 no date can be shown.
_LATEST = 253_402_300_799
# Longer bytes are vectors or images; only their length is kept.
_MAX_BYTES = 256


class Fields:
    """The values of a row by name."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self._row = dict(row)

    def take(self, name: str) -> Any:
        """Remove and return a value; None if missing."""
        return self._row.pop(name, None)

    def drop(self, *names: str) -> None:
        """Remove fields that are redundant or computed here."""
        for name in names:
            self._row.pop(name, None)

    def text(self, name: str) -> str | None:
        """Take a text that is not blank, or return None; other values stay."""
        value = self._row.get(name)
        if value is not None and not isinstance(value, str):
            return None
        self._row.pop(name, None)
        return clean(value) if value and value.strip() else None

    def time(self, name: str) -> int | None:
        """Take a time as Unix seconds; other values stay."""
        value = self._row.get(name)
        found = moment(value)
        if found is not None or value is None:
            self._row.pop(name, None)
        return found

    def ratio(self, name: str, default: float) -> float:
        """Take a number from 0 to 1; one beyond is clamped and stays."""
        value = self._row.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            return default
        if 0 <= value <= 1:
            self._row.pop(name)
        return min(max(float(value), 0.0), 1.0)

    def count(self, name: str) -> int:
        """Take a count; 0 if missing."""
        value = self._row.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
            return 0
        self._row.pop(name)
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """Take short texts: a list, a JSON list, or words between commas."""
        value = self._row.get(name)
        found = listed(value)
        if found or not value:
            self._row.pop(name, None)
        return found

    def object(self, name: str) -> dict[str, Any]:
        """Take a JSON object, given as such or as text; other values stay."""
        value = self._row.get(name)
        if isinstance(value, str | bytes) and value:
            try:
                value = parse_json(value)
            except InvalidInput:
                return {}
        if value is None or isinstance(value, dict):
            self._row.pop(name, None)
            return plain(value) if value else {}
        return {}

    def rest(self) -> dict[str, Any]:
        """Return the remaining fields that are not empty."""
        return {name: plain(value) for name, value in self._row.items() if value not in (None, "", [], {}, "[]", "{}")}


def moment(value: object) -> int | None:
    """Return a time as Unix seconds, from seconds, milliseconds or an ISO 8601 date (UTC unless it says)."""
    if isinstance(value, str):
        value = _read_time(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    seconds = value / 1000 if abs(value) > _MILLISECONDS else value
    return int(seconds) if -62_135_596_800 <= seconds <= _LATEST else None


def _read_time(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def listed(value: object) -> tuple[str, ...]:
    """Return the distinct texts of a list, of a JSON list, or between commas."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = parse_json(value)
        except InvalidInput:
            return ()
    parts: Iterable[object] = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
    texts = (clean(part).strip() for part in parts if isinstance(part, str))
    return tuple(dict.fromkeys(part for part in texts if part))


def clean(text: str) -> str:
    """Return a text that a database accepts: no NUL, no lone surrogates."""
    whole = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return whole.encode("utf-8", "replace").decode("utf-8")


def plain(value: Any) -> Any:
    """Return a value that JSON can represent."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bytes):
        return value.hex() if len(value) <= _MAX_BYTES else f"{len(value)} bytes"
    if isinstance(value, dict):
        return {clean(str(name)): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)
    return value
