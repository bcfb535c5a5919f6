"""Observation: one event of a session in our own words, whatever assistant it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

EventName = Literal[
    "session_start",  # begun, resumed, cleared, compacted: `reason` says which
    "session_end",
    "prompt",
    "tool",  # a tool was used; `failed` says how that ended
    "turn_end",  # the assistant has finished its answer
    "agent_end",  # a sub-agent has finished
    "before_compact",
    "after_compact",
    "nothing",  # known, and of no use here
]

ToolName = Literal[
    "read", "find", "search", "edit", "write", "patch", "shell", "fetch", "web", "agent", "mcp", "plan", "other", ""
]

TOOLS: tuple[str, ...] = ToolName.__args__  # type: ignore[attr-defined]


class BadPayload(Exception):
    """What was spooled is no event of a hook; the message says why."""


class Observation(NamedTuple):
    """One event; texts are as the assistant gave them, cut where they are absurdly long.

    session: the assistant's own id of it. tool: what kind of tool, tool_name: what the assistant calls it
    call_id: tells one use of a tool from another. exit_code: of a command, where the payload tells it
    error: what a failed tool said. failed: None where the payload does not tell
    agent: the sub-agent it happened in. text: what was asked, answered or summed up. reason: why it began or ended
    transcript: the session file, where it holds an exit code or an answer that the payload does not
    """

    assistant: str
    event: EventName
    session: str = ""
    cwd: str = ""
    at: int = 0
    tool: ToolName = ""
    tool_name: str = ""
    server: str = ""
    call_id: str = ""
    input: Mapping[str, Any] = {}
    output: Any = None
    error: str = ""
    exit_code: int | None = None
    failed: bool | None = None
    agent: str = ""
    agent_type: str = ""
    text: str = ""
    reason: str = ""
    transcript: str = ""
