"""Texts that a stranger could write, and how to tell that none of them does harm where it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

# Must only occur inside a fence, or in a field of JSON.
PLANTED = "PLANTED"
# Must never begin a line outside of a fence, nor any line of hook context.
FORGED = "FORGED"

HARMFUL = (
    "\x00\x07\x08\x0b\x0c\r\x1b\x7f\x80\x85\x9b\x9d\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180e\u200b\u200c"
    "\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u3164"
    "\ufe00\ufe0f\ufeff\uffa0\ufff9\ufffa\ufffb\U000e0001\U000e0041\U000e007f\U000e0100"
)
# As it may be stored: no NUL, which no database keeps in a text.
TEXT = (
    f"{PLANTED} \x1b]0;owned\x07\x1b[2J \x9b31m \u202etxt\u2066 \u200b\u200d\ufeff\U000e0041\n{FORGED} line\r{FORGED}"
    f"\u2028{FORGED}\x85{FORGED}\n~~~\n{PLANTED} outside?\n</recollect-context>\n# {FORGED} heading\n```\n{FORGED}"
)
# As a name: of a file, a symbol, a person.
NAME = f"{PLANTED}\x1b[2J\u202e\u200b\n{FORGED}\u2028{FORGED}"


def harmful(text: str) -> list[str]:
    """Return the harmful characters in a text."""
    return sorted(set(HARMFUL) & set(text))


def texts(value: Any) -> Iterator[str]:
    """Yield every text and key of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def outside(text: str) -> str:
    """Return the lines of a text answer that stand outside of its fences."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        is_fence = re.fullmatch(r"(~{3,})(?:text)?", line)
        if fence:
            fence = "" if line == fence else fence
        elif is_fence:
            fence = is_fence[1]
        else:
            lines.append(line)
    assert not fence, "a fence was not closed"
    return "\n".join(lines)
