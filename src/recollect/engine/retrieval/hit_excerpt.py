"""Excerpt: which part of a memory matched, and the dates that its relative times mean."""

from __future__ import annotations

from recollect.model import Excerpt, Memory, Moment
from recollect.store.protocol import Passage
from recollect.text.passages import MAX_PASSAGES, passages

# Up to here a memory is shown whole, and times are worked out in all of it: about 500 tokens.
WHOLE_CHARACTERS = 2_000


def said_at(memory: Memory) -> int:
    """Return when a memory was said or began to hold; otherwise when it was stored."""
    return memory.created_at if memory.valid_from is None else memory.valid_from


def excerpt(memory: Memory, pid: int) -> Excerpt:
    """Return where a passage stands in its memory, as far as the memory still has it."""
    parts = passages(memory.content)
    part = min(pid % MAX_PASSAGES, len(parts) - 1)
    start = sum(map(len, parts[:part]))
    return Excerpt(start=start, end=start + len(parts[part]))


def moments(memory: Memory, passage: Passage, shown: Excerpt) -> tuple[Moment, ...]:
    """Return the times that only the moment of a memory tells, in the order of its words."""
    # What was found when the passage was stored saves looking again: most name no time.
    if passage.shape.times == () and passage.shape.parts == 1:
        return ()
    from recollect.text.dates import mentions

    first = 0 if len(memory.content) <= WHOLE_CHARACTERS else shown.start
    text = (
        memory.content if first == 0 and len(memory.content) <= WHOLE_CHARACTERS else memory.content[first : shown.end]
    )
    return tuple(
        Moment(words=span.words, end=first + span.stop, means=span.label())
        for span in mentions(text, said_at(memory))
        if span.relative
    )
