"""Text that somebody else wrote, made harmless to show.

A memory can hold anything: terminal escapes, bidirectional overrides, characters no person sees but a model reads,
sentences that give orders. None of that is removed when it is stored; what is *shown* passes through here:

    visible   control and invisible characters become readable escapes (\\x1b), and secrets marks: they are not stored,
              but code is shown from its files, and a database may be older than what is known as a secret today
    inline    the same on one line, so that a tag or a title cannot pretend to be a line of ours
    fence     a marker line the text does not contain, so that quoted text cannot end its own quotation
"""

from __future__ import annotations

import re

from recollect.text.harmless import visible as visible

# Tilde, not backtick: memories of code are full of backtick fences, and each would lengthen ours.
FENCE_CHARACTER = "~"
FENCE_LENGTH = 3

_FENCE_RUN = re.compile(FENCE_CHARACTER + "+")


def inline(text: str, limit: int = 0) -> str:
    """Return `text` visible and on one line, cut to `limit` characters where one is given."""
    line = " ".join(visible(text).split())
    return clip(line, limit) if limit else line


def clip(text: str, limit: int) -> str:
    """Return `text`, or its beginning and an ellipsis: `limit` characters at most."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def fence(text: str) -> str:
    """Return a marker longer than any run of its character in `text`: no line of `text` can be taken for it."""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=0)
    return FENCE_CHARACTER * max(FENCE_LENGTH, longest + 1)
