"""Reply: what was answered. In a session the turn after a question, or an assistant's after a person's, belongs to it.

Replies are memories of their own, found by their own words; a long one says much that nobody asked for. So a hit on
the turn before carries the beginning of its reply along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.engine.excerpt import said_at
from recollect.model import Memory, Reply
from recollect.recall.lexical import ASSISTANTS
from recollect.store.protocol import Store
from recollect.text.passages import MAX_PASSAGES, passages

# Hits that get their reply: further down nobody reads on.
MOST = 50


def replies(store: Store, turns: Sequence[Memory], *, as_of: int | None = None) -> dict[str, Reply]:
    """Return the reply to each of these memories that has one, by the memory's id."""
    asked = [turn for turn in turns[:MOST] if turn.session_id is not None and not is_assistant(turn)]
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
    """Tell whether a turn answers the one before it: another speaks, an assistant or because they were asked."""
    if following.namespace != turn.namespace or (as_of is not None and said_at(following) > as_of):
        return False
    another = (following.author or following.source) != (turn.author or turn.source)
    return another and (is_assistant(following) or turn.content.rstrip().endswith("?"))


def is_assistant(turn: Memory) -> bool:
    """Tell whether an assistant said it, by the author's name or else by the source."""
    return turn.author.lower() in ASSISTANTS if turn.author else turn.source == "assistant"


def _reply(turn: Memory) -> Reply:
    from recollect.text.dates import resolved

    return Reply(memory_id=turn.id, text=resolved(passages(turn.content)[0], said_at(turn)), author=turn.author)
