"""Assistants: their names, their events, and where their payloads hold each field; payload.py reads the table.

An event without a row is ignored; Gemini's PreCompress has none because it fires before every request. A path such as
`tool_response.llmContent` leads through objects; the first of several that holds a value counts.
Seen in real payloads: Claude Code, Codex, Gemini CLI, OpenCode, Copilot CLI. From their documentation: Cursor,
Windsurf, Cline, VS Code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from recollect.capture.observation import EventName


class Event(NamedTuple):
    """Our name of an event; `tool` and `failed` if the event implies them."""

    name: EventName
    tool: str = ""
    failed: bool | None = None


class Assistant(NamedTuple):
    """An assistant: its events, the paths of the fields of an observation, and how to recognise it.

    keys: a payload with one of these is its own. transcript: a part of the path of its transcripts
    """

    name: str
    events: Mapping[str, Event]
    fields: Mapping[str, tuple[str, ...]]
    keys: tuple[str, ...] = ()
    transcript: str = ""


TOOL = Event("tool")
FAILED = Event("tool", failed=True)

# Claude Code's names, which others have adopted.
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "event": ("hook_event_name",),
    "session": ("session_id",),
    "cwd": ("cwd",),
    "tool_name": ("tool_name",),
    "server": ("mcp_server.name", "mcp_context.server_name"),
    "call_id": ("tool_use_id",),
    "input": ("tool_input",),
    "output": ("tool_response", "tool_output"),
    "error": ("error",),
    "agent": ("agent_id",),
    "agent_type": ("agent_type",),
    "reason": ("source", "reason", "trigger"),
    "prompt": ("prompt",),
    "answer": ("last_assistant_message",),
    "summary": ("compact_summary",),
}

_CLAUDE: Mapping[str, Event] = {
    "SessionStart": Event("session_start"),
    "SessionEnd": Event("session_end"),
    "UserPromptSubmit": Event("prompt"),
    "PostToolUse": TOOL,
    "PostToolUseFailure": FAILED,
    "Stop": Event("turn_end"),
    "StopFailure": Event("turn_end", failed=True),
    "SubagentStop": Event("agent_end"),
    "PreCompact": Event("before_compact"),
    "PostCompact": Event("after_compact"),
}

ASSISTANTS: tuple[Assistant, ...] = (
    Assistant("claude", _CLAUDE, _FIELDS, transcript="/.claude/"),
    # No failure event and no exit code: transcript_tail.py finds the code in the transcript.
    Assistant(
        "codex", _CLAUDE, {**_FIELDS, "transcript": ("transcript_path",)}, keys=("turn_id",), transcript="/.codex/"
    ),
    Assistant(
        "gemini",
        {
            "SessionStart": Event("session_start"),
            "SessionEnd": Event("session_end"),
            "BeforeAgent": Event("prompt"),
            "AfterAgent": Event("turn_end"),
            "AfterTool": TOOL,
        },
        {
            **_FIELDS,
            "answer": ("prompt_response",),
            "error": ("tool_response.error.message", "tool_response.error", "error"),
        },
        keys=("mcp_context", "prompt_response"),
        transcript="/.gemini/",
    ),
    Assistant(
        "copilot",
        {
            "sessionStart": Event("session_start"),
            "sessionEnd": Event("session_end"),
            "userPromptSubmitted": Event("prompt"),
            "postToolUse": TOOL,
            "postToolUseFailure": FAILED,
            "agentStop": Event("turn_end"),
            "subagentStop": Event("agent_end"),
            "preCompact": Event("before_compact"),
        },
        {
            "event": ("hookEventName", "hook_event_name"),
            "session": ("sessionId",),
            "cwd": ("cwd",),
            "tool_name": ("toolName",),
            "call_id": ("toolCallId",),
            "input": ("toolArgs",),
            "output": ("toolResult",),
            "error": ("error.message", "error"),
            "reason": ("source", "reason", "stopReason"),
            "prompt": ("prompt",),
            # The end of a turn does not tell the answer: transcript_tail.py finds it there.
            "transcript": ("transcriptPath",),
        },
        keys=("sessionId",),
        transcript="/.copilot/",
    ),
    # Its plugin hands over {hook, input, output, directory}; the short names n, i and o mean the same.
    Assistant(
        "opencode",
        {
            "session.created": Event("session_start"),
            "session.deleted": Event("session_end"),
            "session.idle": Event("turn_end"),
            "session.compacted": Event("after_compact"),
            "chat.message": Event("prompt"),
            "tool.execute.after": TOOL,
            "experimental.session.compacting": Event("before_compact"),
            "compacting": Event("before_compact"),
        },
        {
            "event": ("input.event.type", "input.type", "hook"),
            "session": ("input.sessionID", "input.properties.sessionID", "input.event.properties.sessionID"),
            "cwd": ("directory", "input.properties.info.directory", "input.event.properties.info.directory"),
            "tool_name": ("input.tool",),
            "call_id": ("input.callID",),
            "input": ("input.args", "output.args"),
            "output": ("output",),
            "prompt": ("output.parts",),
            "answer": ("output.answer",),
        },
        keys=("hook", "n"),
    ),
    Assistant(
        "cursor",
        {
            "sessionStart": Event("session_start"),
            "sessionEnd": Event("session_end"),
            "beforeSubmitPrompt": Event("prompt"),
            "postToolUse": TOOL,
            "postToolUseFailure": FAILED,
            # The same uses as postToolUse tells, in other words: install one or the other.
            "afterShellExecution": Event("tool", "Bash"),
            "afterMCPExecution": TOOL,
            "afterFileEdit": Event("tool", "Edit"),
            "beforeReadFile": Event("tool", "Read"),
            "subagentStop": Event("agent_end"),
            "afterAgentResponse": Event("turn_end"),
            "preCompact": Event("before_compact"),
            "stop": Event("turn_end"),
        },
        {
            **_FIELDS,
            "session": ("conversation_id", "session_id"),
            "cwd": ("cwd", "workspace_roots.0"),
            "input": ("tool_input", "."),
            "output": ("tool_response", "tool_output", "output", "result_json", "content"),
            "error": ("error_message", "error"),
            "answer": ("text", "last_assistant_message"),
            "call_id": ("tool_use_id", "tool_call_id"),
        },
        keys=("conversation_id", "generation_id", "cursor_version"),
    ),
    Assistant(
        "windsurf",
        {
            "pre_user_prompt": Event("prompt"),
            "post_read_code": Event("tool", "Read"),
            "post_write_code": Event("tool", "Edit"),
            "post_run_command": Event("tool", "Bash"),
            "post_mcp_tool_use": TOOL,
            "post_cascade_response": Event("turn_end"),
        },
        {
            "event": ("agent_action_name",),
            "session": ("trajectory_id",),
            "cwd": ("tool_info.cwd", "cwd"),
            "tool_name": ("tool_info.mcp_tool_name",),
            "server": ("tool_info.mcp_server_name",),
            "call_id": ("execution_id",),
            "input": ("tool_info.mcp_tool_arguments", "tool_info"),
            "output": ("tool_info.mcp_result", "tool_info.output"),
            "prompt": ("tool_info.user_prompt",),
            "answer": ("tool_info.response",),
        },
        keys=("agent_action_name", "trajectory_id"),
    ),
    Assistant(
        "cline",
        {
            "TaskStart": Event("session_start"),
            "TaskResume": Event("session_start"),
            "TaskCancel": Event("session_end"),
            "TaskComplete": Event("session_end"),
            "UserPromptSubmit": Event("prompt"),
            "PostToolUse": TOOL,
            "PreCompact": Event("before_compact"),
        },
        {
            "event": ("hookName",),
            "session": ("taskId",),
            "cwd": ("workspaceRoots.0", "cwd"),
            "tool_name": ("postToolUse.toolName", "postToolUse.tool"),
            "input": ("postToolUse.parameters",),
            "output": ("postToolUse.result",),
            "prompt": ("userPromptSubmit.prompt",),
            "reason": ("hookName",),
        },
        keys=("hookName", "clineVersion", "taskId"),
    ),
    Assistant("vscode", _CLAUDE, _FIELDS),
)

BY_NAME: Mapping[str, Assistant] = {row.name: row for row in ASSISTANTS}

# Other names on the command line of a hook.
ALIASES: Mapping[str, str] = {
    "claude-code": "claude",
    "claudecode": "claude",
    "gemini-cli": "gemini",
    "copilot-cli": "copilot",
    "github-copilot": "copilot",
    "vs-code": "vscode",
    "codex-cli": "codex",
}


def named(name: str) -> Assistant | None:
    """Return the assistant of this name."""
    return BY_NAME.get(ALIASES.get(name.lower(), name.lower()))


def recognised(payload: Mapping[str, object]) -> Assistant | None:
    """Return the assistant of a payload by its fields; several share the form of Claude Code."""
    transcript = payload.get("transcript_path") or payload.get("transcriptPath")
    if isinstance(transcript, str):
        path = transcript.replace("\\", "/")
        for row in ASSISTANTS:
            if row.transcript and row.transcript in path:
                return row
    for row in ASSISTANTS:
        if any(key in payload for key in row.keys):
            return row
    return BY_NAME["claude"] if "hook_event_name" in payload and "session_id" in payload else None
