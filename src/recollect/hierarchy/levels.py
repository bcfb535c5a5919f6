"""Levels: the four places where knowledge of a project lies, what each is for, and how much of it fits there."""

from __future__ import annotations

from typing import Literal

from recollect.model import Record

Number = Literal[1, 2, 3, 4]

# Document 004 takes 15,000 tokens for 50 KB, 0.3 a byte, which tokenisers make of code; ours are counted from above
# (engine/token_cost.py), which makes 0.4 of the same code.
TOKENS_PER_BYTE = 0.4


class Level(Record, frozen=True, kw_only=True):
    """One level: its number and name, what it is for, and its budget; no budget means whatever there is.

    max_bytes, max_tokens: both hold. Text in other scripts than ours has more tokens a byte than code
    """

    number: Number
    name: str
    purpose: str
    max_bytes: int | None = None
    max_tokens: int | None = None

    def fits(self, size_bytes: int, tokens: int) -> bool:
        """Tell whether so much fits."""
        by_bytes = self.max_bytes is None or size_bytes <= self.max_bytes
        return by_bytes and (self.max_tokens is None or tokens <= self.max_tokens)


def level(number: Number, max_bytes: int | None = None) -> Level:
    """Return a level with a budget in bytes, and the tokens that so much code has."""
    name, purpose = PURPOSES[number]
    most = None if max_bytes is None else int(max_bytes * TOKENS_PER_BYTE)
    return Level(number=number, name=name, purpose=purpose, max_bytes=max_bytes, max_tokens=most)


PURPOSES: dict[Number, tuple[str, str]] = {
    1: ("immediate context", "files being edited, the definitions they use, and errors; always in the prompt"),
    2: ("working set", "files and memories for the current task"),
    3: ("archive", "everything indexed or stored; fetched on demand"),
    4: ("global knowledge", "project overview: map, layers, patterns and technology; no code"),
}

# In this order knowledge is looked up: what is at hand, what is known of the whole, then the archive.
LOOK_UP_ORDER: tuple[Number, ...] = (1, 2, 4, 3)
