"""Questions: the end of a sentence, the form of a question, and whether a text only asks."""

from __future__ import annotations

import re

from recollect.text.lazy_patterns import compiled

# Longer texts state something.
MOST_CHARACTERS = 2_000

SENTENCE = compiled(r"(?<=[.!?。！？])\s+|\n+")
# A sentence that asks by its end, its first words or a tag, also without a question mark.
QUESTION = compiled(
    r"[?:]\W*$"
    r"|^(?:can|could|would|will|shall|should|does|did|is|are|was|were|am|has|what|why|how|which|where|who|isn't"
    r"|aren't|wasn't|doesn't|didn't|shouldn't|wouldn't|couldn't|can't|won't)\b"
    r"|^(?:do|don't|have|haven't) (?:we|you|i|they|the|these|those)\b"
    r"|, (?:right|yeah|yes|correct|no|ok|okay|make sense)\W*$",
    re.IGNORECASE,
)
# Words before a question: "Hi, ", "ok so ", "quick question: ".
_LEAD = compiled(
    r"(?:(?:hi|hello|hey|ok|okay|so|and|but|well|please|quick|question|thanks|thank you|sorry|also|now|then)\b\W*+)*+",
    re.IGNORECASE,
)
_REQUEST = compiled(
    r"(?:(?:can|could|would|will) you (?:please )?+|i(?:'d| would)? (?:want|need|like) you to |let us |let me )?+"
    r"(?:tell me|show me|remind me|(?:explain|describe)(?= (?:how|why|what|where|when|which|who|to me|the|this|it)\b)|"
    r"let me know|give me|look up|find out|do you (?:know|remember|recall)|"
    r"i (?:want|need|would like) to know|i wonder|any idea)\b",
    re.IGNORECASE,
)
_ENDS = compiled(r"\?[\s)\"'”’]*+\Z")


def only_asks(text: str) -> bool:
    """Tell whether every sentence of a text is a question or a request for information."""
    if len(text) > MOST_CHARACTERS:
        return False
    sentences = [part for part in SENTENCE.split(text.strip()) if any(char.isalnum() for char in part)]
    return bool(sentences) and all(_asks(sentence) for sentence in sentences)


def _asks(sentence: str) -> bool:
    start = _LEAD.match(sentence)
    begin = start.end() if start else 0
    # A greeting states nothing either.
    return begin == len(sentence) or bool(_ENDS.search(sentence)) or bool(_REQUEST.match(sentence, begin))
