"""Lessons from observations, by tool or event."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.capture.extract.file_tools import edit, find, patch, read, search, write
from recollect.capture.extract.other_tools import agent, compacted, fetch, mcp, other, prompt, reported, turn, web
from recollect.capture.extract.shell_tool import shell
from recollect.capture.observation import Observation
from recollect.capture.observation_lesson import Lesson, Outline, Place

Extractor = Callable[[Observation, Place, Outline], Lesson]

_TOOLS: Mapping[str, Extractor] = {
    "read": read,
    "find": find,
    "search": search,
    "edit": edit,
    "write": write,
    "patch": patch,
    "shell": shell,
    "fetch": fetch,
    "web": web,
    "agent": agent,
    "mcp": mcp,
    "other": other,
}
_EVENTS: Mapping[str, Extractor] = {
    "prompt": prompt,
    "agent_end": reported,
    "after_compact": compacted,
    "turn_end": turn,
}


def lesson(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the lesson of an observation; of an event without text, that it happened."""
    extractor = _TOOLS.get(seen.tool) if seen.event == "tool" else _EVENTS.get(seen.event)
    if extractor is None:
        return Lesson(told=seen.reason)
    learnt = extractor(seen, place, outline)
    if seen.event != "tool":
        return learnt
    if not learnt.outcome:
        learnt = learnt._replace(outcome="" if seen.failed is None else "failed" if seen.failed else "ok")
    metadata = {"tool": seen.tool_name, **learnt.metadata}
    return learnt._replace(metadata=metadata) if learnt.content else learnt
