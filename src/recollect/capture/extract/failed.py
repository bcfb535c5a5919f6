"""A tool that failed: what it was to do, and the error, by which it is recognised when it comes again."""

from __future__ import annotations

from recollect.capture import tools
from recollect.capture.fingerprint import failure
from recollect.capture.lesson import Lesson, Place, file_tags, line, tag
from recollect.capture.observation import Observation


def failed_use(seen: Observation, place: Place, about: str, doing: str) -> Lesson:
    """Return the lesson of a use that failed; of one that did not but said nothing usable, only that it happened.

    about: the file or whatever else it was about. doing: what was to be done, as the beginning of a sentence
    """
    is_file = seen.tool in ("read", "edit", "write") and bool(about)
    target = place.absolute(about) if is_file else line(about)
    if not seen.failed:
        return Lesson(told=doing, target=target)
    said = seen.error or tools.said(seen.output)
    found = failure(said, f"{seen.tool_name} {line(about)}")
    told = f"{doing} failed: {line(found.message)}"
    return Lesson(
        told=told,
        content=told,
        memory_type="context",
        importance=0.4,
        category="error",
        tags=("failure", tag("error", found.fingerprint), *(file_tags(place.shown(about)) if is_file else ())),
        metadata={"fingerprint": found.fingerprint},
        target=target,
        outcome="failed",
        fingerprint=found.fingerprint,
        paths=(target,) if is_file else (),
    )
