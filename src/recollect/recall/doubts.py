"""Doubts: memories that a newer one may have replaced, which are told with it and not as plain facts.

    newer ── CONTRADICTS, weighted by its probability ──► older        written by engine/memory/amendments.py

Of two memories with such a link the one that was stated last is the newer, whatever the direction of the link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

# The least probability of a change from which the older statement is no plain fact. Of 649 changes in 2,247 pairs that
# the classifier was not trained on 478 reach it, and 128 other pairs; from 0.5 on 501 and 150 do, and in a real store
# fewer notes change (docs/adr/0077, 0083).
POSSIBLE = 0.6
# Older memories that are told with a newer one.
MOST_EARLIER = 2


class Version(Protocol):
    """A memory as it is told."""

    @property
    def id(self) -> str: ...
    @property
    def superseded_by(self) -> str | None: ...
    @property
    def said_at(self) -> int: ...
    @property
    def metadata(self) -> Mapping[str, object]: ...


V = TypeVar("V", bound=Version)


def newer_versions(links: Iterable[tuple[str, str]], read: Callable[[list[str]], Mapping[str, V]]) -> dict[str, V]:
    """Return, by the id of an older memory, the newer one that may have replaced it, or what has replaced that.

    links: pairs of ids, the newer one first unless the other one was stated again; the most probable come last.
    read: returns memories by id
    """
    links, rows = list(links), dict[str, V]()
    wanted = {name for link in links for name in link}
    while wanted:
        rows.update(read(sorted(wanted)))
        replacing = {by for name in wanted if name in rows and (by := rows[name].superseded_by)}
        wanted = replacing - rows.keys()
    found: dict[str, V] = {}
    for one, other in links:
        if one not in rows or other not in rows:
            continue
        newer, older = rows[one], rows[other]
        if _stated_at(older) > _stated_at(newer):
            newer, older = older, newer
        last = _last(newer, rows)
        if last is not None and last.id != older.id:
            found[older.id] = last
    return found


def _stated_at(row: Version) -> int:
    """Return when a memory was stated for the last time."""
    again = row.metadata.get("last_stated_at")
    return max(row.said_at, again if isinstance(again, int) else 0)


def _last(row: V, rows: Mapping[str, V]) -> V | None:
    """Return what has replaced a memory in the end; None if that is unknown."""
    seen = set[str]()
    while row.superseded_by is not None and row.id not in seen:
        seen.add(row.id)
        if row.superseded_by not in rows:
            return None
        row = rows[row.superseded_by]
    return row if row.superseded_by is None else None


def together(ids: Iterable[str], newer: Mapping[str, Version]) -> dict[str, list[str]]:
    """Return which memories are told, in order, each with the older ones that are told with it."""
    told: dict[str, list[str]] = {}
    for name in ids:
        last, seen = name, {name}
        while last in newer and newer[last].id not in seen:
            last = newer[last].id
            seen.add(last)
        earlier = told.setdefault(last, [])
        if last != name:
            earlier.append(name)
    return told


def earlier_text(texts: Sequence[str]) -> str:
    """Return how older statements are told beside the newer one; empty for none."""
    return f"earlier, may no longer hold: {'; '.join(texts[:MOST_EARLIER])}" if texts else ""
