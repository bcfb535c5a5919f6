"""Explain why a memory was found, from its signals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from recollect.model import Share, Signals
from recollect.text.terms import words_of_terms

if TYPE_CHECKING:
    from recollect.recall.gather import Pool
    from recollect.recall.query import Query

# What a memory may have that some signals are about. author: it has one, and the query names an author.
Trait = Literal["session", "neighbours", "author", "vector"]

# Kinds of evidence: the text for a positive share, the text for a negative one, and the signals that are added up.
# Signals of a kind overlap, so that only their sum means something.
EVIDENCE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "matches words of the query": (
        "matches few words of the query",
        ("words", "words_share", "words_sure", "covered", "covered_squared", "rarest", "pairs", "pairs_sure",
         "change_covered"),
    ),
    "its neighbours match words of the query": (
        "its neighbours match few words of the query",
        (
            "words_near", "words_around", "words_before", "words_after",
            "covered_around", "covered_around_squared", "topic_around",
        ),
    ),
    "close in meaning": (
        "not close in meaning",
        ("cosine", "cosine_relative", "cosine_z", "cosine_alone", "even", "nearest", "both"),
    ),
    "its neighbours are close in meaning": (
        "its neighbours are not close in meaning",
        ("cosine_window", "cosine_before", "cosine_after", "answers_similar", "follows_question"),
    ),
    "its session matches the query": (
        "its session does not match the query",
        ("session_words", "session_cosine", "opens_session"),
    ),
    "said by the person in the query": (
        "not said by the person in the query",
        ("author_named", "author_not_named", "author_of_self"),
    ),
    "its reply matches the query": ("a reply of an assistant", ("reply", "reply_cosine", "reply_words")),
    "has the form of an answer": (
        "does not have the form of an answer",
        ("asks", "first_person", "tells_time", "tells_number", "tells_reason", "tells_name"),
    ),
    "detailed": ("short", ("length", "length_short")),
    # The components (hybrid_score.py): those beside the match, and in the documented profile all nine.
    "similar in meaning": ("not similar in meaning", ("vector",)),
    "matching words": ("missing words", ("token",)),
    "linked to other memories": ("not linked to other memories", ("graph",)),
    "from the time in the query": ("from another time than in the query", ("temporal", "dated")),
    "the query names no time": ("the query names a time", ("timeless",)),
    "its tags match the query": ("its tags do not match the query", ("tags", "labelled")),
    "important": ("not important", ("importance",)),
    "high confidence": ("low confidence", ("confidence",)),
    "read recently": ("not read recently", ("recency",)),
    "written on the current branch": ("written on a branch that is not merged here", ("branch",)),
    "it or its type was used when injected": ("its type was rarely used when injected", ("useful",)),
    "still valid": ("superseded, expired, or its code has changed", ("freshness", "outdated")),
}  # fmt: skip
_KIND: Mapping[str, str] = {name: kind for kind, (_, names) in EVIDENCE.items() for name in names}

# Signals that need something of the memory, and the signal whose evidence they are where it has none of that: without
# neighbours, the words around a passage are its own. None: the signal is the same for all such memories, and no reason.
NEEDS: Mapping[str, tuple[Trait, str | None]] = {
    "session_words": ("session", "words_around"),
    "session_cosine": ("session", "cosine_window"),
    "opens_session": ("session", None),
    **dict.fromkeys(EVIDENCE["its neighbours match words of the query"][1], ("neighbours", "words")),
    **dict.fromkeys(EVIDENCE["its neighbours are close in meaning"][1], ("neighbours", "cosine")),
    **dict.fromkeys(EVIDENCE["said by the person in the query"][1], ("author", None)),
    **dict.fromkeys(EVIDENCE["close in meaning"][1], ("vector", None)),
}

# The documented profile adds up what a memory has of each: a share above 0 does not say that it has much of it.
AMOUNTS: Mapping[str, str] = {
    "important": "importance",
    "high confidence": "confidence",
    "read recently": "recency of use",
}

# Two wordings of one thing have a cosine of 0.47 on average, and from 0.4 on a memory is mostly a paraphrase; everyday
# prompts reach 0.3 against memories about code that have nothing to do with them.
CLOSE = 0.4

LOOSE = "loosely related"
# Words of the query that a reason names: a reader sees the others in the text.
MAX_WORDS = 4

# Shares smaller than this do not decide anything.
LEAST_SHARE = 0.05


def shares_of(
    shares: Mapping[str, float],
    has: Collection[Trait] = ("session", "neighbours", "author", "vector"),
    *,
    least: float = LEAST_SHARE,
    amounts: bool = False,
) -> tuple[Share, ...]:
    """Return the share of each kind of evidence in a score, largest first.

    has: what the memory has; signals about anything else are left out, or count as what they are without it
    amounts: whether shares are amounts of something (the documented profile)
    """
    sums: dict[str, float] = {}
    for signal, share in shares.items():
        meant: str | None = signal
        while meant is not None and meant in NEEDS and NEEDS[meant][0] not in has:
            meant = NEEDS[meant][1]
        if meant is not None:
            sums[_KIND[meant]] = sums.get(_KIND[meant], 0.0) + share
    return tuple(
        Share(meaning=_meaning(kind, share, amounts=amounts), share=round(share, 3))
        for kind, share in sorted(sums.items(), key=lambda row: -abs(row[1]))
        if abs(share) >= least
    )


def _meaning(kind: str, share: float, *, amounts: bool) -> str:
    if share < 0:
        return EVIDENCE[kind][0]
    return AMOUNTS.get(kind, kind) if amounts else kind


def traits(query: Query, pool: Pool, place: int) -> frozenset[Trait]:
    """Return what a passage of a pool and its memory have."""
    passage = pool.passages[place]
    group = passage.session_id or passage.seq
    near = sum((other.session_id or other.seq) == group for other in pool.passages)
    found: dict[Trait, bool] = {
        "session": passage.session_id is not None,
        "neighbours": near > 1,
        "author": bool(passage.author) and not pool.counts.authors.isdisjoint(query.name_terms),
        "vector": passage.pid in (pool.cosines or ()),
    }
    return frozenset(trait for trait, is_there in found.items() if is_there)


def reason(signals: Signals, closeness: float | None = None) -> str:
    """Return the reason why a memory was found, in a few words.

    closeness: the cosine on the scale of the shipped model (calibration.py), where another model made it
    """
    parts: list[str] = []
    if words := signals.matched_terms:
        parts.append(f"matches {', '.join(words[:MAX_WORDS])}{', …' if len(words) > MAX_WORDS else ''}")
    if signals.semantic is not None:
        close = (signals.semantic if closeness is None else closeness) >= CLOSE
        parts += ["close in meaning"] if close else [] if words else [LOOSE]
    if signals.dated:
        parts.append("from the time in the query")
    elif signals.lexical_rank is None and signals.semantic_rank is None:
        parts.append("next to a match")
    return "; ".join(parts) or "next to a match"


def matched_words(query: Query, tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the words of the query that a passage contains, as typed, in order."""
    held, words = set(tokens), words_of_terms(query.text)
    return tuple(dict.fromkeys(words.get(term, term) for term in query.terms if term in held))
