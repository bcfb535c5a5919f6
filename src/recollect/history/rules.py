"""Rules: what kind of knowledge a message holds, and which of its sentences say why.

The first rule that fits names a commit: a change that breaks something, an approach that was turned down, a reason
that was given, an error that was mended, or simply what was done.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.history.found import clipped
from recollect.history.message import Message
from recollect.model import MemoryType

# What is kept of a body: a decision with its reasons fits, a log that was pasted does not.
BODY_CHARACTERS = 1_200
# A first line that is longer is a paragraph.
SUBJECT_CHARACTERS = 200

_REJECTED = re.compile(
    r"\binstead of\b|\brather than\b|\bdecided (?:against|not to)\b|\balternative(?:s|ly)?\b|\bconsidered\b|\babandon"
    r"|\brejected\b|\bdid(?: not|n't) work\b|\bdoes(?: not|n't) work\b|\bturned? out\b|\bwe could\b.{0,120}\bbut\b"
    r"|\btried\b.{0,120}\bbut\b|\bnot an option\b|\bnot worth\b|\bin favou?r of\b",
    re.IGNORECASE | re.DOTALL,
)
_REASON = re.compile(
    r"\bbecause\b|\bso that\b|\bin order to\b|\bto (?:avoid|prevent|ensure|make sure|allow|keep|support|match)\b"
    r"|\botherwise\b|\bdue to\b|\bthe reason\b|\b(?:the|this) (?:problem|issue|bug|cause)\b|\broot cause\b|\bthis way\b"
    r"|\bthat way\b|\bthis (?:allows|makes|means|avoids|fixes|ensures|prevents|lets)\b|\bdecided\b|\bchose\b|\bprefer\b"
    r"|\bno longer\b|\bsince (?:we|it|this|the|that|there)\b|\bas (?:we|it|this|the) (?:is|was|are|can|do|does|would)\b"
    r"|\bcaused? (?:by|a|the)\b|\bleads? to\b|\bwould (?:fail|break|crash|raise|be)\b|\bwithout this\b"
    r"|\bneed(?:s|ed)? to\b",
    re.IGNORECASE,
)
_FIX = re.compile(r"\b(?:fix\w*|bug|crash\w*|regression|leak\w*|race|deadlock|broken|incorrect|wrong)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(`A-Z*-])|\n\s*\n|\n(?=\s*[*\-•] )")


class Kind(NamedTuple):
    """What a commit teaches: the rule that says so, the type of its memory, and how much it matters."""

    rule: str
    memory_type: MemoryType
    importance: float


BREAKING = Kind("breaking", "decision", 0.75)
REVERT = Kind("revert", "decision", 0.7)
REJECTED = Kind("rejected", "decision", 0.65)
REASON = Kind("reason", "decision", 0.6)
FIX = Kind("fix", "insight", 0.5)
CHANGE = Kind("change", "context", 0.4)
SUBJECT = Kind("subject", "context", 0.3)


def kind(message: Message) -> Kind:
    """Return what a commit teaches, by what it says."""
    if message.is_revert:
        return REVERT
    if message.is_breaking:
        return BREAKING
    text = f"{message.subject}\n{message.body}"
    if message.body and _REJECTED.search(text):
        return REJECTED
    if _REASON.search(text):
        return REASON
    if message.kind == "fix" or _FIX.search(message.subject):
        return FIX
    return CHANGE if message.body else SUBJECT


def told(message: Message) -> str:
    """Return a message as it is remembered: whole if it is short, else how it begins and what it says of reasons."""
    subject = clipped(message.subject, SUBJECT_CHARACTERS)
    if len(message.body) <= BODY_CHARACTERS:
        return f"{subject}\n\n{message.body}" if message.body else subject
    parts = [part.strip() for part in _SENTENCE.split(message.body) if part and part.strip()]
    chosen: set[int] = set()
    room = BODY_CHARACTERS
    ranked = sorted(range(len(parts)), key=lambda place: (not is_reason(parts[place]) and place > 1, place))
    for place in ranked:
        if len(parts[place]) < room:
            chosen.add(place)
            room -= len(parts[place]) + 1
    body = " ".join(parts[place] for place in sorted(chosen)) or clipped(message.body, BODY_CHARACTERS)
    return f"{subject}\n\n{body}"


def reasons(text: str) -> list[str]:
    """Return the sentences that say why, in order."""
    return [" ".join(part.split()) for part in _SENTENCE.split(text) if part and is_reason(part)]


def is_reason(sentence: str) -> bool:
    """Tell whether a sentence gives a reason, or turns something down."""
    return bool(_REASON.search(sentence) or _REJECTED.search(sentence))
