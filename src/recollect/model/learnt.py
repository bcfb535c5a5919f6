"""What was learnt of a project's past."""

from __future__ import annotations

from recollect.model.vocabulary import HistorySource, Record


class LearntFrom(Record, frozen=True, kw_only=True):
    """What one source taught: how many things it told, how many of them were new, changed or known, and by which rules.

    refused: those that somebody deleted before, and that stay so
    """

    source: HistorySource
    found: int
    created: int = 0
    updated: int = 0
    known: int = 0
    refused: int = 0
    rules: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each


class Learnt(Record, frozen=True, kw_only=True):
    """What the past of a project taught, source by source, with a few examples, and the batch to undo it.

    dry_run: nothing was written. redacted: how many secrets were replaced, by kind
    """

    namespace: str
    sources: tuple[LearntFrom, ...]
    examples: tuple[str, ...] = ()
    batch: str = ""
    dry_run: bool = False
    redacted: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    notes: tuple[str, ...] = ()
