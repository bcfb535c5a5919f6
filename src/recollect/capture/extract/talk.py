"""Talk: what was asked, what a sub-agent reported, what was summed up when a conversation was compacted."""

from __future__ import annotations

from recollect.capture.extract.elsewhere import report
from recollect.capture.lesson import CONTENT_CHARACTERS, Lesson, Outline, Place, line
from recollect.capture.observation import Observation

# As document 002 has it: a prompt says what was wanted, not what is so.
PROMPT_IMPORTANCE = 0.3
# What is kept of an answer for the summary of its session: its beginning, and its end, which says what is left to do.
ANSWER_CHARACTERS = 400
ANSWER_END_CHARACTERS = 200


def prompt(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what somebody asked for."""
    return Lesson(
        told=line(seen.text),
        content=seen.text[:CONTENT_CHARACTERS],
        memory_type="context",
        importance=PROMPT_IMPORTANCE,
        category="prompt",
        tags=("prompt",),
        metadata={"source": "UserPromptSubmit"},
    )


def reported(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a sub-agent said last."""
    return report(seen.text, seen.agent_type)


def compacted(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the assistant's own summary of what is no longer in its window."""
    if not seen.text:
        return Lesson(told="The conversation was compacted")
    return Lesson(
        told=line(seen.text),
        content=f"Summary of the conversation so far: {seen.text[:CONTENT_CHARACTERS]}",
        memory_type="insight",
        importance=0.5,
        category="compaction",
        tags=("summary", "compaction"),
    )


def turn(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return how a turn ended: kept for the summary of the session, no memory of its own."""
    text = " ".join(seen.text.split())
    if len(text) > ANSWER_CHARACTERS + ANSWER_END_CHARACTERS:
        text = f"{line(text, ANSWER_CHARACTERS)} {text[-ANSWER_END_CHARACTERS:].partition(' ')[2]}"
    return Lesson(told=text, outcome="failed" if seen.failed else "")
