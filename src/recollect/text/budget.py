"""How many tokens a text will cost a language model, estimated from above without its tokeniser.

Tokenisers differ and need downloads; a budget must not be exceeded by any of them. English prose has about 4.5
characters a token, code about 3, other scripts down to one; counting words, signs and foreign letters apart stays
above all common tokenisers on prose and code.
"""

from __future__ import annotations

import math
import re

# Letters and digits in a row: one token per this many.
CHARACTERS_PER_TOKEN = 4
_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]|\n")


def tokens(text: str) -> int:
    """Return about how many tokens `text` is, rather too many than too few."""
    return sum(
        math.ceil(len(piece) / CHARACTERS_PER_TOKEN)
        if piece.isascii() and piece.isalpha()
        else math.ceil(len(piece) / 2)
        for piece in _PIECE.findall(text)
    )
