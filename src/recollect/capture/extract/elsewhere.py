"""Elsewhere: pages and searches on the web, sub-agents, tools of other MCP servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.capture import tools
from recollect.capture.extract.failed import failed_use
from recollect.capture.lesson import CONTENT_CHARACTERS, Lesson, Outline, Place, code, line, tag
from recollect.capture.observation import Observation

# What is kept of an answer from elsewhere: enough to know what it was about, and to ask again.
ANSWER_CHARACTERS = 600
ARGUMENT_CHARACTERS = 80


def fetch(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a page said, in short."""
    address = tools.text_field(seen.input, "url") or tools.text_field(seen.input, "prompt")
    if seen.failed:
        return failed_use(seen, place, address, f"Fetching {line(address)}")
    return _asked(seen, f"Fetched {line(address)}", address, ("web",))


def web(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a search on the web found, in short."""
    query = tools.text_field(seen.input, "query")
    if seen.failed:
        return failed_use(seen, place, query, f"Searching the web for {code(query)}")
    return _asked(seen, f"Searched the web for {code(query)}", query, ("web", "search"))


def mcp(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a tool of another server was asked, and answered in short."""
    called = f"{code(seen.tool_name)}({_arguments(seen.input)})"
    if seen.failed:
        return failed_use(seen, place, seen.tool_name, f"Calling {called}")
    lesson = _asked(seen, f"Called {called}", seen.tool_name, ("mcp", tag("server", seen.server)))
    return lesson._replace(importance=0.3)


def other(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return that a tool was used that we know nothing of: noted, and remembered only where it failed."""
    doing = f"Using {code(seen.tool_name)}({_arguments(seen.input)})"
    return failed_use(seen, place, seen.tool_name, doing)


def agent(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a sub-agent reported; the same words as when its own end is told, so that it is kept once."""
    if seen.failed:
        return failed_use(seen, place, tools.text_field(seen.input, "prompt"), "A sub-agent")
    kind = str(seen.input.get("subagent_type") or seen.input.get("agent_type") or "")
    return report(tools.said(seen.output), kind)


def report(text: str, kind: str) -> Lesson:
    """Return the lesson of a sub-agent's last words."""
    if not text.strip():
        return Lesson(told="A sub-agent ended")
    return Lesson(
        told=line(f"A sub-agent reported: {text}"),
        content=f"A sub-agent reported: {text.strip()[:CONTENT_CHARACTERS]}",
        memory_type="context",
        importance=0.5,
        category="report",
        tags=("sub-agent", *((tag("agent", kind),) if kind else ())),
    )


def _asked(seen: Observation, told: str, target: str, tags: tuple[str, ...]) -> Lesson:
    answer = line(tools.said(seen.output), ANSWER_CHARACTERS)
    return Lesson(
        told=line(told),
        content=f"{told}: {answer}" if answer else f"{told}.",
        memory_type="context",
        importance=0.4,
        category=seen.tool,
        tags=tags,
        metadata={"target": line(target)},
        target=line(target),
    )


def _arguments(given: Mapping[str, Any]) -> str:
    """Return arguments in short: texts cut, objects only named."""
    shown = []
    for name, value in list(given.items())[:6]:
        if isinstance(value, str | int | float | bool):
            shown.append(f"{name}={line(str(value), ARGUMENT_CHARACTERS)}")
        else:
            shown.append(f"{name}=…")
    return ", ".join(shown)
