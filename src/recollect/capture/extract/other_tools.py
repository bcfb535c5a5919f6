"""Lessons of failed tools, web pages and searches, sub-agents, MCP tools, prompts and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.capture import tools
from recollect.capture.error_fingerprint import failure
from recollect.capture.observation import Observation
from recollect.capture.observation_lesson import CONTENT_CHARACTERS, Lesson, Outline, Place, code, file_tags, line, tag


def failed_use(seen: Observation, place: Place, about: str, doing: str) -> Lesson:
    """Return the lesson of a failed use; of a successful one, only that it happened.

    about: its file or subject. doing: the action, as the beginning of a sentence
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
        importance=0.4,
        category="error",
        tags=("failure", tag("error", found.fingerprint), *(file_tags(place.shown(about)) if is_file else ())),
        metadata={"fingerprint": found.fingerprint},
        target=target,
        outcome="failed",
        fingerprint=found.fingerprint,
        paths=(target,) if is_file else (),
    )


# What is kept of an answer of the web or of another server.
ANSWER_CHARACTERS = 600
ARGUMENT_CHARACTERS = 80


def fetch(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the beginning of a page."""
    address = tools.text_field(seen.input, "url") or tools.text_field(seen.input, "prompt")
    if seen.failed:
        return failed_use(seen, place, address, f"Fetching {line(address)}")
    return _asked(seen, f"Fetched {line(address)}", address, ("web",))


def web(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the beginning of web search results."""
    query = tools.text_field(seen.input, "query")
    if seen.failed:
        return failed_use(seen, place, query, f"Searching the web for {code(query)}")
    return _asked(seen, f"Searched the web for {code(query)}", query, ("web", "search"))


def mcp(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the call of an MCP tool and the beginning of its answer."""
    called = f"{code(seen.tool_name)}({_arguments(seen.input)})"
    if seen.failed:
        return failed_use(seen, place, seen.tool_name, f"Calling {called}")
    lesson = _asked(seen, f"Called {called}", seen.tool_name, ("mcp", tag("server", seen.server)))
    return lesson._replace(importance=0.3)


def other(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the use of an unknown tool, which is remembered only if it failed."""
    doing = f"Using {code(seen.tool_name)}({_arguments(seen.input)})"
    return failed_use(seen, place, seen.tool_name, doing)


def agent(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the report of a sub-agent, worded like `reported`, so that it is kept once."""
    if seen.failed:
        return failed_use(seen, place, tools.text_field(seen.input, "prompt"), "A sub-agent")
    kind = str(seen.input.get("subagent_type") or seen.input.get("agent_type") or "")
    return report(tools.said(seen.output), kind)


def report(text: str, kind: str) -> Lesson:
    """Return the lesson of a sub-agent's report."""
    if not text.strip():
        return Lesson(told="A sub-agent ended")
    return Lesson(
        told=line(f"A sub-agent reported: {text}"),
        content=f"A sub-agent reported: {text.strip()[:CONTENT_CHARACTERS]}",
        category="report",
        tags=("sub-agent", *((tag("agent", kind),) if kind else ())),
    )


def _asked(seen: Observation, told: str, target: str, tags: tuple[str, ...]) -> Lesson:
    answer = line(tools.said(seen.output), ANSWER_CHARACTERS)
    return Lesson(
        told=line(told),
        content=f"{told}: {answer}" if answer else f"{told}.",
        importance=0.4,
        category=seen.tool,
        tags=tags,
        metadata={"target": line(target)},
        target=line(target),
    )


def _arguments(given: Mapping[str, Any]) -> str:
    """Return arguments with texts cut and objects omitted."""
    shown = []
    for name, value in list(given.items())[:6]:
        if isinstance(value, str | int | float | bool):
            shown.append(f"{name}={line(str(value), ARGUMENT_CHARACTERS)}")
        else:
            shown.append(f"{name}=…")
    return ", ".join(shown)


# As in document 002.
PROMPT_IMPORTANCE = 0.3
# What the summary of a session keeps of an answer: its beginning, and its end, which names open tasks.
TURN_CHARACTERS = 400
TURN_END_CHARACTERS = 200


def prompt(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return a prompt."""
    return Lesson(
        told=line(seen.text),
        content=seen.text[:CONTENT_CHARACTERS],
        importance=PROMPT_IMPORTANCE,
        category="prompt",
        tags=("prompt",),
        metadata={"source": "UserPromptSubmit"},
    )


def reported(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the final report of a sub-agent."""
    return report(seen.text, seen.agent_type)


def compacted(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the assistant's own summary of a compacted conversation."""
    if not seen.text:
        return Lesson(told="The conversation was compacted")
    return Lesson(
        told=line(seen.text),
        content=f"Summary of the conversation so far: {seen.text[:CONTENT_CHARACTERS]}",
        memory_type="insight",
        category="compaction",
        tags=("summary", "compaction"),
    )


def turn(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the answer of a turn, for the summary of its session only."""
    text = " ".join(seen.text.split())
    if len(text) > TURN_CHARACTERS + TURN_END_CHARACTERS:
        text = f"{line(text, TURN_CHARACTERS)} {text[-TURN_END_CHARACTERS:].partition(' ')[2]}"
    return Lesson(told=text, outcome="failed" if seen.failed else "")
