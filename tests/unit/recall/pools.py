"""Pools made by hand: passages, how frequent their terms are, and what is measured on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from recollect.recall.query import understand
from recollect.recall.score import measure
from recollect.store.store_values import Passage, TermCounts
from recollect.text.passage_features import shape
from recollect.text.passages import MAX_PASSAGES
from recollect.text.terms import terms


def passage(
    number: int,
    text: str,
    *,
    part: int = 0,
    session: str | None = None,
    author: str = "",
    at: int = 0,
    eligible: bool = True,
    looked: bool = True,
) -> Passage:
    """A passage of memory `number`, as a store would give it; not looked at for times if it is of the first version."""
    by = terms(author)
    return Passage(
        number * MAX_PASSAGES + part,
        f"m{number}",
        session,
        at,
        tuple(by),
        by + terms(text),
        shape(text, at=at if looked else None),
        eligible,
    )


def talk(*texts: str, session: str | None = "s", first: int = 1) -> list[Passage]:
    """The turns of one session, one memory each."""
    return [passage(number, text, session=session) for number, text in enumerate(texts, first)]


def apart(*texts: str) -> list[Passage]:
    """Memories that have nothing to do with each other."""
    return talk(*texts, session=None)


def counted(passages: Sequence[Passage]) -> TermCounts:
    """The counts of a store that holds these passages and no others."""
    held = Counter(term for row in passages for term in set(row.tokens))
    names = frozenset(name for row in passages for name in row.author)
    return TermCounts(len(passages), held, names, frozenset(held))


def signals(
    question: str,
    passages: Sequence[Passage],
    cosines: Mapping[int, float] | None = None,
    *,
    counts: TermCounts | None = None,
    now: int = 0,
    uneven: Mapping[int, float] | None = None,
) -> dict[str, list[float]]:
    """What is measured for a question, each signal as a list over the passages."""
    measured = measure(understand(question, now=now), passages, counts or counted(passages), cosines, uneven)
    return {name: column.tolist() for name, column in measured.items()}
