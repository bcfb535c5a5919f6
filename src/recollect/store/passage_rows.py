"""Passages to and from rows of the full text, the same in every database."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from recollect.model import Memory
from recollect.store import full_text
from recollect.store.dialect import Connection, TextRow
from recollect.store.store_values import Passage
from recollect.store.tables import STANDING_COLUMNS, standing
from recollect.text.passage_features import shape, unpacked
from recollect.text.passages import MAX_PASSAGES, head
from recollect.text.passages import passages as passages_of
from recollect.text.terms import given_tags, terms

# Passages whose terms are cached: a recall reads some hundred, mostly those of the last one. 6 KB each.
TOKEN_CACHE = 2_048


def text_rows(memory: Memory) -> list[TextRow]:
    """Return the full-text rows of a memory; the slow part of indexing, without a connection."""
    scope, author = full_text.scope_term(memory.namespace), " ".join(terms(memory.author or ""))
    labels = " ".join(
        terms(" ".join(part for part in (memory.title, memory.category, *given_tags(memory.tags)) if part))
    )
    parts = passages_of(memory.content)
    # A line of a list of changes is about something else than its neighbours: it is ranked like a note.
    count = 1 if head(memory.content) else len(parts)
    said = memory.created_at if memory.valid_from is None else memory.valid_from
    return [
        (
            memory.seq * MAX_PASSAGES + part,
            scope,
            author,
            labels,
            " ".join(terms(passage)),
            shape(passage, parts=count, at=said).packed(),
        )
        for part, passage in enumerate(parts)
    ]


def named_days(rows: Sequence[TextRow]) -> list[tuple[int, str, int, int]]:
    """Return the days that passages name: passage, scope, first day and end."""
    return [(pid, scope, *day) for pid, scope, *_, facts in rows for day in unpacked(facts).times or ()]


def passages(connection: Connection, pids: Sequence[int]) -> list[Passage]:
    """Return the passages with these numbers, in order."""
    rows = full_text.passage_rows(connection, pids, STANDING_COLUMNS)
    return [
        Passage(
            pid,
            memory_id,
            session_id,
            at,
            _names(author),
            _tokens(author, labels, body),
            unpacked(facts),
            True,
            standing(tuple(told)),
        )
        for pid, memory_id, session_id, at, author, labels, body, facts, *told in rows
    ]


@lru_cache(maxsize=TOKEN_CACHE)
def _tokens(author: str, labels: str, body: str) -> list[str]:
    """Return the terms of a passage; the list is shared and must not be changed."""
    return f"{author} {labels} {body}".split()


@lru_cache(maxsize=TOKEN_CACHE)
def _names(author: str) -> tuple[str, ...]:
    return tuple(author.split())
