"""Asking: whether a text only asks for something, and states nothing."""

from __future__ import annotations

import re

# Longer texts state something somewhere.
MOST_CHARACTERS = 2_000

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
# What may stand before a question: "Hi, ", "ok so ", "quick question: ".
_LEAD = re.compile(
    r"(?:(?:hi|hello|hey|ok|okay|so|and|but|well|please|quick|question|thanks|thank you|sorry|also|now|then)\b\W*+)*+",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:(?:can|could|would|will) you (?:please )?+|i(?:'d| would)? (?:want|need|like) you to |let us |let me )?+"
    r"(?:tell me|show me|remind me|(?:explain|describe)(?= (?:how|why|what|where|when|which|who|to me|the|this|it)\b)|"
    r"let me know|give me|look up|find out|do you (?:know|remember|recall)|"
    r"i (?:want|need|would like) to know|i wonder|any idea)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\?[\s)\"'”’]*+\Z")


def only_asks(text: str) -> bool:
    """Tell whether every sentence of a text is a question or a request for information."""
    if len(text) > MOST_CHARACTERS:
        return False
    sentences = [part for part in _SENTENCE.split(text.strip()) if any(char.isalnum() for char in part)]
    return bool(sentences) and all(_asks(sentence) for sentence in sentences)


def _asks(sentence: str) -> bool:
    start = _LEAD.match(sentence)
    begin = start.end() if start else 0
    # A greeting alone states nothing either.
    return begin == len(sentence) or bool(_ENDS.search(sentence)) or bool(_REQUEST.match(sentence, begin))
