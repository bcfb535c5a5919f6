"""Lessons from observations, by tool or event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from recollect.capture.observation import Observation
from recollect.capture.observation_lesson import Lesson, Outline, Place

Extractor = Callable[[Observation, Place, Outline], Lesson]

_EVENTS = frozenset({"tool", "prompt", "agent_end", "after_compact", "turn_end"})


@cache
def _extractors() -> Mapping[str, Extractor]:
    """Return the extractors by tool or event; loaded late, since the start of a session has nothing to extract."""
    from recollect.capture.extract.file_tools import edit, find, patch, read, search, write
    from recollect.capture.extract.other_tools import agent, compacted, fetch, mcp, other, prompt, reported, turn, web
    from recollect.capture.extract.shell_tool import shell

    tools = (read, find, search, edit, write, patch, shell, fetch, web, agent, mcp, other, prompt)
    events = {"agent_end": reported, "after_compact": compacted, "turn_end": turn}
    return {**{extractor.__name__: extractor for extractor in tools}, **events}


def lesson(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the lesson of an observation; of an event without text, that it happened."""
    name = seen.tool if seen.event == "tool" else seen.event
    extractor = _extractors().get(name) if seen.event in _EVENTS else None
    if extractor is None:
        return Lesson(told=seen.reason)
    learnt = extractor(seen, place, outline)
    if seen.event != "tool":
        return learnt
    if not learnt.outcome:
        learnt = learnt._replace(outcome="" if seen.failed is None else "failed" if seen.failed else "ok")
    metadata = {"tool": seen.tool_name, **learnt.metadata}
    return learnt._replace(metadata=metadata) if learnt.content else learnt
