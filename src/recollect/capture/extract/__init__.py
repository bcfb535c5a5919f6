"""Extract: from an observation to its lesson, by what was used; one file for each family of tools.

Read                → context,  node of the file, ext: dir: file:      what it defines and is for, not its text
Glob                → pattern,  glob: discovery
Grep                → pattern,  pattern: search
Edit, Write, patch  → decision, node of the file, ext: dir: file:      what changed, in words
shell               → context,  cmd:, and error: where it failed
fetch, web, agents, MCP servers → context
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.capture.extract.command import shell
from recollect.capture.extract.edit import edit, patch, write
from recollect.capture.extract.elsewhere import agent, fetch, mcp, other, web
from recollect.capture.extract.look import find, read, search
from recollect.capture.extract.talk import compacted, prompt, reported, turn
from recollect.capture.lesson import Lesson, Outline, Place
from recollect.capture.observation import Observation

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
    """Return what to store of an observation; for an event without text, that it happened."""
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
