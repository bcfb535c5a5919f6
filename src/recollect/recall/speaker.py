"""Speaker: who said a passage, and to whom, which decides what it is ranked by.

Without numpy: the process that answers prompts by words alone uses this, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.store.protocol import Passage

# The names that assistants have in transcripts, and their terms.
ASSISTANTS = frozenset("assistant ai agent bot model chatbot claude codex copilot gemini".split())
_TERMS = frozenset(term for name in ASSISTANTS for term in terms(name))


class Spoken(NamedTuple):
    """Which passages are notes, and which are replies of an assistant to a person. The others are talk."""

    note: list[bool]
    reply: list[bool]


def spoken(passages: Sequence[Passage]) -> Spoken:
    """Return what each passage is. Talk is a turn between people, or a part of a long text."""
    assistant = [not _TERMS.isdisjoint(passage.author) for passage in passages]
    turn = [bool(passage.author) and passage.session_id is not None for passage in passages]
    with_assistant = {row.session_id for row, helps in zip(passages, assistant, strict=True) if helps}
    rows = list(zip(passages, assistant, turn, strict=True))
    with_person = {row.session_id for row, helps, is_turn in rows if is_turn and not helps}
    return Spoken(
        note=[row.session_id in with_assistant or not (is_turn or row.shape.parts > 1) for row, _, is_turn in rows],
        reply=[is_turn and helps and row.session_id in with_person for row, helps, is_turn in rows],
    )


def answered(passages: Sequence[Passage], reply: Sequence[bool]) -> Iterator[tuple[int, list[int]]]:
    """Yield the place of each reply with the places of the turn that it answers."""
    turns: dict[str | None, list[int]] = {}
    for place, passage in enumerate(passages):
        turn = turns.setdefault(passage.session_id, [])
        if reply[place]:
            yield place, turn
            continue
        if turn and passages[turn[0]].memory_id != passage.memory_id:
            turn.clear()
        turn.append(place)
