"""Query arguments: a checked question, and the relevance that an answer needs."""

from __future__ import annotations

from typing import NamedTuple

from recollect.recall import PACK_RELEVANCE as PACK_RELEVANCE
from recollect.store.store_values import Filter

# A search shows what may be relevant; below this score, hits are noise that any query would find.
SEARCH_RELEVANCE = 0.05
# It shows nothing unless the question is answered with this probability. Of the held-out half of bench/notes, 35 of
# 100 questions without an answer get nothing, for four right answers in a hundred (docs/adr/0082).
ANSWERED = 0.25


class Asked(NamedTuple):
    """A checked question: its words, how many hits, the least relevance, which memories, as of when.

    hides_weak: nothing is an answer unless the best hit is likely to be one
    observed: whether observed memories are searched beside the known ones; else only where no known one answers
    near: what the caller named the project by; a folder of it says from which work tree the question is asked
    archived: whether what is archived or has expired may answer
    unasked: whether it is injected into a session: relevance is then how likely it is useful there
    pool: how many passages each arm of the search contributes; None: as many as usual
    stated: if stated preferences alone are asked about, the cosine of one that may answer by its meaning
    rerank: whether a configured cross-encoder may reorder the answer
    leave_out: signals and stages that do not count
    """

    text: str
    limit: int
    least: float
    where: Filter | None
    as_of: int | None
    explain: bool
    near: str | None = None
    archived: bool = False
    unasked: bool = False
    pool: int | None = None
    hides_weak: bool = False
    observed: bool = False
    stated: float = 0.0
    rerank: bool = False
    leave_out: frozenset[str] = frozenset()
