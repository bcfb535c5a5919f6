"""Token counts of a text, estimated without a tokeniser.

The estimate exceeds that of all common tokenisers on prose and code, so that a budget holds for each of them.
"""

from __future__ import annotations

import math
import re

CHARACTERS_PER_TOKEN = 4
_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]|\n")


def tokens(text: str) -> int:
    """Return an upper estimate of the tokens of `text`."""
    return sum(
        math.ceil(len(piece) / CHARACTERS_PER_TOKEN)
        if piece.isascii() and piece.isalpha()
        else math.ceil(len(piece) / 2)
        for piece in _PIECE.findall(text)
    )
