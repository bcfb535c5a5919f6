"""Hit context: what a hit shows besides its memory: score parts, the passage, dates, and the reply to it.

In a session, the turn after a question, or an assistant's turn after a person's, is its reply. Replies are memories of
their own; a long one says much besides the answer. So a hit on the turn before shows the beginning of its reply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.engine.records.memory_rows import said_at
from recollect.model import Excerpt, Hit, Memory, Moment, Reply, Signals
from recollect.recall.explain import matched_words, reason, shares_of, traits
from recollect.recall.lexical import ASSISTANTS
from recollect.text.dates import mentions, resolved
from recollect.text.passages import MAX_PASSAGES, passages

if TYPE_CHECKING:
    from recollect.recall.score import Ranking
    from recollect.recall.select import Selected
    from recollect.store.sql import Store
    from recollect.store.store_values import Passage

# Up to here a memory is shown whole, and times are worked out in all of it: about 500 tokens.
WHOLE_CHARACTERS = 2_000
# Hits that show their reply.
MOST_REPLIES = 50


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
        reason=reason(signals, ranking.closeness.get(passage.pid)),
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
        for span in mentions(text, said_at(memory))
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
    if following.namespace != turn.namespace or (as_of is not None and said_at(following) > as_of):
        return False
    another = (following.author or following.source) != (turn.author or turn.source)
    return another and (is_assistant(following) or turn.content.rstrip().endswith("?"))


def is_assistant(turn: Memory) -> bool:
    """Tell whether an assistant said it, by the author's name or else by the source."""
    return turn.author.lower() in ASSISTANTS if turn.author else turn.source == "assistant"


def _reply(turn: Memory) -> Reply:
    return Reply(memory_id=turn.id, text=resolved(passages(turn.content)[0], said_at(turn)), author=turn.author)
