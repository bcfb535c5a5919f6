"""Explain: a memory as a hit, with the reason for its rank, score parts, the passage, dates, and the reply to it.

In a session, the turn after a question, or an assistant's turn after a person's, is its reply. Replies are memories of
their own; a long one says much besides the answer. So a hit on the turn before shows the beginning of its reply.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from recollect.model import Excerpt, Hit, Memory, Moment, Reply, Share, Signals
from recollect.recall.lexical import ASSISTANTS
from recollect.text.dates import mentions, resolved
from recollect.text.passages import MAX_PASSAGES, passages
from recollect.text.terms import words_of_terms

if TYPE_CHECKING:
    from recollect.recall.gather import Pool
    from recollect.recall.query import Query
    from recollect.recall.score import Ranking, Selected
    from recollect.store.sql import Store
    from recollect.store.store_values import Passage

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
# Up to here a memory is shown whole, and times are worked out in all of it: about 500 tokens.
WHOLE_CHARACTERS = 2_000
# Hits that show their reply.
MOST_REPLIES = 50


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


def _is_beside(pool: Pool, passage: Passage) -> bool:
    """Tell whether a passage was found by another one of its session or memory, which matches."""
    if passage.pid in pool.lexical or passage.pid in pool.semantic:
        return False
    group = passage.session_id or passage.seq
    near = (other.pid for other in pool.passages if (other.session_id or other.seq) == group)
    return any(pid != passage.pid and (pid in pool.lexical or pid in pool.semantic) for pid in near)


def reason(signals: Signals, closeness: float | None = None, *, is_beside: bool = False) -> str:
    """Return the reason why a memory was found, in a few words.

    is_beside: whether it does not match, but a passage near it does
    closeness: the cosine on the scale of the shipped model (similarity_calibration.py), where another model made it
    """
    parts: list[str] = []
    if words := signals.matched_terms:
        parts.append(f"matches {', '.join(words[:MAX_WORDS])}{', …' if len(words) > MAX_WORDS else ''}")
    if signals.semantic is not None:
        close = (signals.semantic if closeness is None else closeness) >= CLOSE
        parts += ["close in meaning"] if close else [] if words else [LOOSE]
    if signals.dated:
        parts.append("from the time in the query")
    elif is_beside:
        parts.append("next to a match")
    return "; ".join(parts) or LOOSE


def matched_words(query: Query, tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the words of the query that a passage contains, as typed, in order."""
    held, words = set(tokens), words_of_terms(query.text)
    return tuple(dict.fromkeys(words.get(term, term) for term in query.terms if term in held))


def explained(memory: Memory, chosen: Selected, ranking: Ranking, newer: str | None, *, explain: bool) -> Hit:
    """Return a memory as a hit, with the reason for its rank.

    newer: the memory that replaces it. explain: whether to show how the score was computed
    """
    pool, passage = ranking.pool, ranking.pool.passages[chosen.place]
    signals = Signals(
        lexical_rank=pool.lexical.get(passage.pid),
        semantic=round(pool.cosines[passage.pid], 4) if pool.cosines and passage.pid in pool.cosines else None,
        semantic_rank=pool.semantic.get(passage.pid),
        matched_terms=matched_words(ranking.query, passage.tokens),
        dated="dated" in ranking.fitted.shares and bool(ranking.fitted.shares["dated"][chosen.place] > 0),
        shares=shares_of(
            {name: float(column[chosen.place]) for name, column in ranking.scored.shares.items()},
            traits(ranking.query, pool, chosen.place),
            least=ranking.profile.least_share,
            amounts=not ranking.profile.fitted,
        )
        if explain
        else (),
    )
    part = excerpt(memory, passage.pid)
    return Hit(
        memory=memory,
        score=chosen.relevance,
        reason=reason(signals, ranking.closeness.get(passage.pid), is_beside=_is_beside(pool, passage)),
        signals=signals,
        superseded_by=newer,
        passage=part,
        times=moments(memory, passage, part),
        branch=ranking.branches.get(memory.id),
    )


def excerpt(memory: Memory, pid: int) -> Excerpt:
    """Return the range of a passage in its memory, as far as the memory still has it."""
    parts = passages(memory.content)
    part = min(pid % MAX_PASSAGES, len(parts) - 1)
    start = sum(map(len, parts[:part]))
    return Excerpt(start=start, end=start + len(parts[part]))


def moments(memory: Memory, passage: Passage, shown: Excerpt) -> tuple[Moment, ...]:
    """Return the relative times in a memory with their dates, in the order of its words."""
    # Most passages name no time, which was found out when they were stored.
    if passage.shape.times == () and passage.shape.parts == 1:
        return ()
    is_whole = len(memory.content) <= WHOLE_CHARACTERS
    first = 0 if is_whole else shown.start
    text = memory.content if is_whole else memory.content[first : shown.end]
    return tuple(
        Moment(words=span.words, end=first + span.stop, means=span.label())
        for span in mentions(text, memory.said_at)
        if span.relative
    )


def passage_text(memory: Memory, pid: int) -> str:
    """Return the text of a passage, as far as the memory still has it."""
    part = excerpt(memory, pid)
    return memory.content[part.start : part.end]


def replies(store: Store, turns: Sequence[Memory], *, as_of: int | None = None) -> dict[str, Reply]:
    """Return the reply to each of these memories that has one, by the memory's id."""
    asked = [turn for turn in turns[:MOST_REPLIES] if turn.session_id is not None and not is_assistant(turn)]
    near = store.neighbours([turn.seq * MAX_PASSAGES for turn in asked], 1) if asked else {}
    after = {turn.seq: next((seq for seq in near.get(turn.seq, ()) if seq > turn.seq), None) for turn in asked}
    wanted = tuple({seq for seq in after.values() if seq is not None})
    found: Mapping[int | None, Memory] = (
        {memory.seq: memory for memory in store.find(Memory, {"seq": wanted})} if wanted else {}
    )
    return {
        turn.id: _reply(following)
        for turn in asked
        if (following := found.get(after[turn.seq])) is not None and _answers(following, turn, as_of)
    }


def _answers(following: Memory, turn: Memory, as_of: int | None) -> bool:
    """Tell whether a turn answers the one before it: by another author, an assistant or after a question."""
    if following.namespace != turn.namespace or (as_of is not None and following.said_at > as_of):
        return False
    another = (following.author or following.source) != (turn.author or turn.source)
    return another and (is_assistant(following) or turn.content.rstrip().endswith("?"))


def is_assistant(turn: Memory) -> bool:
    """Tell whether an assistant said it, by the author's name or else by the source."""
    return turn.author.lower() in ASSISTANTS if turn.author else turn.source == "assistant"


def _reply(turn: Memory) -> Reply:
    return Reply(memory_id=turn.id, text=resolved(passages(turn.content)[0], turn.said_at), author=turn.author)
