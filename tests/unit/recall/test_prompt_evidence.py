"""Relevance for a prompt that a hook answers alone: words, vectors, and both."""

from __future__ import annotations

import pytest

from recollect.recall import PACK_RELEVANCE
from recollect.recall.lexical import Likely, likely
from recollect.recall.prompt_evidence import relevant
from recollect.recall.query import understand
from recollect.store.store_values import Passage
from recollect.text.passages import MAX_PASSAGES

from .pools import apart, counted, passage

PROMPT = "how does a caller prove who he is?"
NOTES = (
    "Customers send their key in the header X-Tide-Key",
    "Alerts go through an outbox table that a worker reads",
    "A caller of the gateway waits two seconds at most",
)


def judged(rows: list[Passage], cosines: dict[int, float], prompt: str = PROMPT) -> Likely:
    query = understand(prompt)
    return relevant(query, rows, likely(query, rows, counted(rows)), cosines)


def told(rows: list[Passage], cosines: dict[int, float], prompt: str = PROMPT) -> list[int]:
    found = judged(rows, cosines, prompt)
    return [row.seq for row, value in zip(rows, found.relevance, strict=True) if value >= PACK_RELEVANCE]


@pytest.mark.parametrize(
    ("cosines", "expected"),
    [
        ((0.60, 0.15, 0.15), [1]),  # far nearer than the others: no shared word is needed
        ((0.38, 0.15, 0.37), [3]),  # as near as another, which shares a word
        ((0.30, 0.15, 0.15), []),
        ((0.15, 0.15, 0.15), []),
        ((0.15, 0.15, 0.45), [3]),
    ],
)
def test_a_memory_must_be_near_and_nearer_than_others(cosines: tuple[float, ...], expected: list[int]) -> None:
    rows = apart(*NOTES)
    assert told(rows, {row.pid: cosine for row, cosine in zip(rows, cosines, strict=True)}) == expected


def test_among_many_memories_one_must_be_nearer() -> None:
    rows = apart(*NOTES)
    few = {row.pid: cosine for row, cosine in zip(rows, (0.15, 0.15, 0.36), strict=True)}
    many = {**few, **{number * MAX_PASSAGES: 0.15 for number in range(10, 400)}}
    assert (told(rows, few), told(rows, many)) == ([3], [])


def test_without_vectors_words_decide_as_before() -> None:
    rows = apart(*NOTES)
    assert told(rows, {}) == []
    assert told(rows, {}, "which header has the key of customers?") == [1]


def test_a_memory_without_a_vector_is_judged_by_its_words() -> None:
    rows = apart(*NOTES)
    others = {row.pid: 0.1 for row in rows[1:]}
    assert told(rows, others, "which header has the key of customers?") == [1]


def test_passages_of_one_memory_do_not_compete() -> None:
    rows = [passage(1, NOTES[0]), passage(1, NOTES[0], part=1), passage(2, NOTES[1])]
    alone = judged([rows[0], rows[2]], {rows[0].pid: 0.6, rows[2].pid: 0.2})
    both = judged(rows, {rows[0].pid: 0.6, rows[1].pid: 0.6, rows[2].pid: 0.2})
    assert both.relevance[0] == pytest.approx(alone.relevance[0], abs=0.02)


def test_courtesy_is_not_answered() -> None:
    rows = apart(*NOTES)
    assert told(rows, {rows[0].pid: 0.7, rows[1].pid: 0.1}, "thank you very much, well done!") == []
