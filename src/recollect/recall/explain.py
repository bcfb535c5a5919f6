"""Explain why a memory was found, from its signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.model import Share, Signals
from recollect.text.tokens import words_of_terms

if TYPE_CHECKING:
    from recollect.recall.query import Query

# Kinds of evidence: the text for a positive share, the text for a negative one, and the signals that are added up.
# Signals of a kind overlap, so that only their sum means something.
EVIDENCE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "matches words of the query": (
        "matches few words of the query",
        ("words", "words_share", "words_share_squared", "covered", "covered_squared", "rarest", "pairs"),
    ),
    "its neighbours match words of the query": (
        "its neighbours match few words of the query",
        (
            "words_near", "words_around", "words_before", "words_after",
            "covered_around", "covered_around_squared", "topic_around",
        ),
    ),
    "close in meaning": ("not close in meaning", ("cosine", "cosine_relative", "cosine_z", "cosine_alone", "both")),
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
        ("author_named", "author_not_named", "author_of_self", "first_person"),
    ),
    "its reply matches the query": ("a reply of an assistant", ("reply", "reply_cosine", "reply_words")),
    "has the form of an answer": (
        "does not have the form of an answer",
        ("asks", "tells_time", "tells_number", "tells_reason", "tells_name", "dated"),
    ),
    "detailed": ("short", ("length", "length_short")),
    # The components (components.py): what a memory is worth beside its match, and in the documented profile all nine.
    "similar in meaning": ("not similar in meaning", ("vector",)),
    "matching words": ("missing words", ("token",)),
    "linked to other memories": ("not linked to other memories", ("graph",)),
    "from the time in the query": ("from another time than in the query", ("temporal",)),
    "the query names no time": ("the query names a time", ("timeless",)),
    "its tags match the query": ("its tags do not match the query", ("tags", "labelled")),
    "important": ("not important", ("importance",)),
    "high confidence": ("low confidence", ("confidence",)),
    "read recently": ("not read recently", ("recency",)),
    "written on the current branch": ("written on a branch that is not merged here", ("branch",)),
    "it or its type was used when injected": ("its type was rarely used when injected", ("useful",)),
    "still valid": ("superseded, expired, or its code has changed", ("freshness",)),
}  # fmt: skip

# Two wordings of one thing have a cosine of 0.47 on average, and from 0.4 on a memory is mostly a paraphrase; everyday
# prompts reach 0.3 against memories about code that have nothing to do with them.
CLOSE = 0.4

# Words of the query that a reason names: a reader sees the others in the text.
MAX_WORDS = 4

# Shares smaller than this do not decide anything.
LEAST_SHARE = 0.05


def shares_of(shares: Mapping[str, float], *, least: float = LEAST_SHARE) -> tuple[Share, ...]:
    """Return what each kind of evidence added to a score or took from it, largest first; from `least` on."""
    sums = [
        (sum(shares.get(name, 0.0) for name in names), positive, negative)
        for positive, (negative, names) in EVIDENCE.items()
    ]
    return tuple(
        Share(meaning=positive if share > 0 else negative, share=round(share, 3))
        for share, positive, negative in sorted(sums, key=lambda row: -abs(row[0]))
        if abs(share) >= least
    )


def reason(signals: Signals, closeness: float | None = None) -> str:
    """Return in a few words why a memory was found; ranks and cosines are in its signals.

    closeness: the cosine on the scale of the shipped model (ruler.py), where another model made it
    """
    parts: list[str] = []
    if words := signals.matched_terms:
        parts.append(f"matches {', '.join(words[:MAX_WORDS])}{', …' if len(words) > MAX_WORDS else ''}")
    if signals.semantic is not None:
        close = (signals.semantic if closeness is None else closeness) >= CLOSE
        parts += ["close in meaning"] if close else [] if words else ["loosely related"]
    if signals.dated:
        parts.append("from the time in the query")
    elif signals.lexical_rank is None and signals.semantic_rank is None:
        parts.append("next to a match")
    return "; ".join(parts) or "next to a match"


def matched_words(query: Query, tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the words of the query whose terms a passage contains, as they were typed, in their order."""
    held, words = set(tokens), words_of_terms(query.text)
    return tuple(dict.fromkeys(words.get(term, term) for term in query.terms if term in held))
