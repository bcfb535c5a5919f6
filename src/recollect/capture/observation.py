"""Observation: one event of a session, the same for all assistants."""

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
    """A spooled payload is no event of a hook; the message says why."""


class Observation(NamedTuple):
    """One event, with the texts of the assistant.

    session, tool_name, call_id: the assistant's own names. tool: the kind of tool
    exit_code, failed: None if unknown. error: output of a failed tool. agent: the sub-agent, if any
    text: a prompt, answer or summary. reason: why a session began or ended
    transcript: the session file, if it holds an exit code or answer that the payload lacks
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
