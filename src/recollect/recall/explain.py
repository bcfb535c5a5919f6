"""Explain: why a memory was found, in words that are true of its signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.model import Share, Signals

# Kinds of evidence, in words for people: what it says when it speaks for a memory and when against it, and the signals
# it is made of. Signals of a kind overlap, so that only their sum means something.
EVIDENCE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "shares words with the question": (
        "shares few words with the question",
        ("words", "covered", "covered_squared", "rarest", "pairs"),
    ),
    "the words of the question stand around it": (
        "few words of the question stand around it",
        (
            "words_near", "words_around", "words_before", "words_after",
            "covered_around", "covered_around_squared", "topic_around",
        ),
    ),
    "close in meaning": ("not close in meaning", ("cosine", "cosine_relative", "cosine_z", "both")),
    "what stands around it is close in meaning": (
        "what stands around it is not close in meaning",
        ("cosine_window", "cosine_before", "cosine_after", "answers_similar", "follows_question"),
    ),
    "its session is about this": (
        "its session is about something else",
        ("session_words", "session_cosine", "opens_session"),
    ),
    "said by the one who is asked about": (
        "not said by the one who is asked about",
        ("author_named", "author_not_named", "author_of_self", "first_person"),
    ),
    "has the form of the answer": (
        "does not have the form of the answer",
        ("asks", "tells_time", "tells_number", "tells_reason", "tells_name", "dated"),
    ),
    "says much": ("says little", ("length", "length_short")),
    # The components (components.py): what a memory is worth beside its match, and in the documented profile all nine.
    "closeness in meaning": ("distance in meaning", ("vector",)),
    "shared words": ("words that are missing", ("token",)),
    "its place among linked memories": ("not linked to other memories", ("graph",)),
    "from about the time that is asked about": ("from another time than is asked about", ("temporal",)),
    "no time is asked about": ("a time is asked about", ("timeless",)),
    "its tags are named in the question": ("its tags are not named in the question", ("tags", "labelled")),
    "its importance": ("its lack of importance", ("importance",)),
    "its confidence": ("its lack of confidence", ("confidence",)),
    "was read again lately": ("was not read again lately", ("recency",)),
    "written on the branch that is checked out": ("written on a branch that is not merged here", ("branch",)),
    "was used when it was told, or its kind was": ("its kind was seldom used when it was told", ("useful",)),
    "still holds": ("was replaced, has ended, or the code it speaks of changed", ("freshness",)),
}  # fmt: skip

# Two wordings of one thing have a cosine of 0.47 on average, and from 0.4 on a memory is mostly a paraphrase; everyday
# prompts reach 0.3 against memories about code that have nothing to do with them.
CLOSE = 0.4

# Shares smaller than this do not decide anything.
LEAST_SHARE = 0.05


def shares_of(shares: Mapping[str, float], *, least: float = LEAST_SHARE) -> tuple[Share, ...]:
    """Return what each kind of evidence added to a score or took from it, largest first; from `least` on."""
    sums = [
        (sum(shares.get(name, 0.0) for name in names), speaks_for, against)
        for speaks_for, (against, names) in EVIDENCE.items()
    ]
    return tuple(
        Share(meaning=speaks_for if share > 0 else against, share=round(share, 3))
        for share, speaks_for, against in sorted(sums, key=lambda row: -abs(row[0]))
        if abs(share) >= least
    )


def reason(signals: Signals, closeness: float | None = None) -> str:
    """Return one line that says which arms found it, at which rank, and by which terms.

    closeness: the cosine on the scale of the shipped model (ruler.py), where another model made it
    """
    parts: list[str] = []
    if signals.matched_terms:
        parts.append(f"shares the terms {', '.join(signals.matched_terms)}")
    if signals.semantic is not None:
        rank = f", rank {signals.semantic_rank}" if signals.semantic_rank is not None else ""
        close = (signals.semantic if closeness is None else closeness) >= CLOSE
        meaning = "close in meaning" if close else "loosely related"
        parts.append(f"{meaning} (cosine {signals.semantic:.2f}{rank})")
    if signals.dated:
        parts.append("from the time that is asked about")
    elif signals.lexical_rank is None and signals.semantic_rank is None:
        parts.append("stands beside what was found")
    return "; ".join(parts) or "stands beside what was found"


def matched_terms(query_terms: Sequence[str], tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the question's terms that a passage holds, in the question's order."""
    held = set(tokens)
    return tuple(term for term in query_terms if term in held)
