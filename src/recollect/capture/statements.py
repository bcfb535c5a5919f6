"""Statements: the sentences of a message that state knowledge for later sessions.

    "OK. From now on always use pytest -x, never unittest."   rule        preference
    "In this repo we name branches after their ticket."       rule        style
    "Let's go with Postgres, it is already running."          decision    decision
    "No, the port is 5433, not 5432."                         correction  context
    "The root cause was a missing index."                     cause       insight
    "Keep in mind that staging is rebuilt every night."       fact        context

Questions, guesses, requests, reports and instructions for this turn are no statements. An assistant states causes and
decisions only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from recollect.capture.prose import Sentence, sentences
from recollect.capture.statement_cues import (
    ASSERTS,
    CUES,
    EVERYWHERE,
    LASTING,
    LEAD,
    LEANS,
    NOW,
    OPEN,
    OPENINGS,
    REASON,
    REQUEST,
    ROLE,
    Cue,
    Kind,
)  # fmt: skip
from recollect.model import MemoryType
from recollect.text.questions import QUESTION

Speaker = Literal["user", "assistant"]

# Shorter sentences need their context; longer ones describe a task.
LEAST_WORDS, MOST_CHARACTERS = 4, 400
# A message with more statements is a pasted document.
OF_A_MESSAGE = 5
# General sentences of a longer message describe its task.
SHORT_SENTENCES = 4


class Statement(NamedTuple):
    """A stated sentence, in its author's words.

    everywhere: it is valid for all projects. is_general: no word of it tells its kind
    """

    text: str
    memory_type: MemoryType
    importance: float
    everywhere: bool
    kind: Kind
    is_general: bool = False


def statements(text: str, speaker: Speaker) -> tuple[Statement, ...]:
    """Return the distinct statements of a message in order."""
    if ROLE.search(text, 0, 200):
        return ()
    found: dict[str, Statement] = {}
    for statement in _found(sentences(text), speaker):
        if statement.text not in "\n".join(found):
            found = {text: each for text, each in found.items() if text not in statement.text}
            found[statement.text] = statement
        if len(found) > OF_A_MESSAGE:
            return ()
    return tuple(found.values())


def type_of(text: str) -> MemoryType:
    """Return the type of memory that a text states; context by default."""
    found = [each for each in (*statements(text, "user"), *statements(text, "assistant")) if not each.is_general]
    return found[0].memory_type if found else "context"


def _found(said: list[Sentence], speaker: Speaker) -> Iterator[Statement]:
    cues = [cue for cue in CUES[speaker] if len(said) <= SHORT_SENTENCES or not cue.in_short]
    for place, sentence in enumerate(said):
        before = said[place - 1] if place and not sentence.is_first else None
        read = _read(sentence, before, cues, speaker)
        if read is None:
            continue
        cue, start = read
        plain, text = sentence.plain[start:], sentence.text[start:].strip()
        if LEANS.search(plain):
            if before is None or QUESTION.search(before.plain) or len(before.plain.split()) < LEAST_WORDS:
                continue
            text = f"{before.text[_starts(before.plain)[-1] :].strip()} {text}"
        after = said[place + 1] if place + 1 < len(said) else None
        if after is not None and not after.is_first and REASON.match(after.plain):
            text = f"{text} {after.text.strip()}"
        if len(text) <= MOST_CHARACTERS:
            everywhere = bool(EVERYWHERE.search(plain))
            yield Statement(_tidy(text), cue.memory_type, cue.importance, everywhere, cue.kind, cue.in_short)


def _starts(plain: str) -> list[int]:
    """Return the offsets of a sentence: its start, and after each filler word."""
    starts = [0]
    while (lead := LEAD.match(plain[starts[-1] : starts[-1] + 40])) is not None:
        starts.append(starts[-1] + lead.end())
    return starts


def _read(sentence: Sentence, before: Sentence | None, cues: Sequence[Cue], speaker: Speaker) -> tuple[Cue, int] | None:
    """Return the cue of a sentence and the offset of its statement; None if it states nothing."""
    starts = _starts(sentence.plain)
    plain = sentence.plain[starts[-1] :].rstrip()
    if len(plain) > MOST_CHARACTERS or len(plain.split()) < LEAST_WORDS + 3 * sentence.is_answer:
        return None
    if QUESTION.search(plain) or OPEN.search(plain):
        return None
    cue = next((cue for cue in cues if cue.pattern.search(plain)), None)
    if cue is None:
        return _opened(sentence.plain, starts, before) if speaker == "user" else None
    is_task = not cue.holds and cue.kind not in ("correction", "cause") and bool(NOW.search(plain))
    is_request = not cue.holds and bool(REQUEST.match(plain)) and not LASTING.search(plain)
    return None if is_task or is_request else (cue, starts[-1])


def _opened(plain: str, starts: list[int], before: Sentence | None) -> tuple[Cue, int] | None:
    """Return the cue of a sentence that opens with a correction or note and asserts something."""
    for cue in OPENINGS:
        ends = [start + len(found[0]) for start in starts if (found := cue.pattern.match(plain[start : start + 60]))]
        if not ends and before is not None and len(before.plain.split()) <= LEAST_WORDS:
            ends = [starts[-1]] if cue.pattern.match(f"{before.plain.lstrip()} ") else []
        if ends and ASSERTS.match(plain[ends[-1] :]):
            return cue, ends[-1]
    return None


def _tidy(text: str) -> str:
    """Return a text on one line, capitalised unless it begins with a name."""
    plain = " ".join(text.split())
    first = plain.split(" ", 1)[0].rstrip(",:;").replace("'", "")
    return plain[:1].upper() + plain[1:] if first.isalpha() and first.islower() else plain
