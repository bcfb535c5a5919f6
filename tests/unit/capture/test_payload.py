"""Payloads of every assistant say the same in our words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests import payloads

from recollect.capture import tools
from recollect.capture.assistants import ASSISTANTS
from recollect.capture.observation import BadPayload, Observation
from recollect.capture.payload import TEXT_CHARACTERS, read

SHELL = {"command": "make test"}


def untrusted(text: str) -> dict[str, Any]:
    return {"llmContent": f"<untrusted_context>\n{text}\n</untrusted_context>", "returnDisplay": ""}


def said(text: str) -> dict[str, str]:
    return {"resultType": "success", "textResultForLlm": text}


FAILED: dict[str, tuple[bytes, str]] = {
    "claude": (payloads.failed("make test", "Exit code 2\nboom"), ""),
    "gemini": (
        payloads.gemini(
            "AfterTool",
            tool_name="run_shell_command",
            tool_input=SHELL,
            tool_response=untrusted("Output: boom\nExit Code: 2\nProcess Group PGID: 7"),
        ),
        "",
    ),
    "copilot": (
        payloads.copilot(
            toolName="bash", toolArgs=SHELL, toolResult=said("boom\n<shellId: 0 completed with exit code 2>")
        ),
        "postToolUse",
    ),
    "opencode": (
        payloads.opencode(
            "tool.execute.after",
            {"tool": "bash", "sessionID": "o-1", "callID": "c", "args": SHELL},
            {"title": "make test", "output": "boom", "metadata": {"exit": 2, "output": "boom"}},
        ),
        "",
    ),
}


@pytest.mark.parametrize("assistant", FAILED)
@pytest.mark.parametrize("is_named", [True, False])
def test_a_failed_command_is_recognised_whoever_ran_it(assistant: str, is_named: bool) -> None:
    raw, event = FAILED[assistant]
    seen = read(raw, event=event, assistant=assistant if is_named else "")
    assert (seen.assistant, seen.event, seen.tool) == (assistant, "tool", "shell")
    assert (seen.failed, seen.exit_code) == (True, 2)
    assert (seen.input, seen.cwd) == (SHELL, payloads.ROOT)


WORKED: dict[str, bytes] = {
    "claude": payloads.ran("make test", "fine"),
    "gemini": payloads.gemini(
        "AfterTool", tool_name="run_shell_command", tool_input=SHELL, tool_response=untrusted("Output: fine")
    ),
    "copilot": payloads.copilot(
        toolName="bash", toolArgs=SHELL, toolResult=said("fine\n<shellId: 1 completed with exit code 0>")
    ),
}


@pytest.mark.parametrize("assistant", WORKED)
def test_a_command_that_worked_is_told_from_one_that_did_not(assistant: str) -> None:
    seen = read(WORKED[assistant], event="postToolUse", assistant=assistant)
    assert (seen.failed, seen.exit_code) == (False, 0)


def test_codex_does_not_say_how_a_command_ended() -> None:
    raw = payloads.codex("PostToolUse", tool_name="Bash", tool_input=SHELL, tool_response="boom", tool_use_id="1")
    seen = read(raw)
    assert (seen.assistant, seen.failed, seen.exit_code, seen.call_id) == ("codex", None, None, "1")


@pytest.mark.parametrize(
    ("raw", "event", "expected"),
    [
        (payloads.claude("SessionStart", source="resume"), "", ("session_start", "", "resume")),
        (payloads.claude("UserPromptSubmit", prompt="raise the tax"), "", ("prompt", "raise the tax", "")),
        (payloads.claude("Stop", last_assistant_message="done"), "", ("turn_end", "done", "")),
        (payloads.claude("PostCompact", compact_summary="so far"), "", ("after_compact", "so far", "")),
        (payloads.claude("PreToolUse", tool_name="Read", tool_input={}), "", ("nothing", "", "")),
        (payloads.claude("BrandNewEvent"), "", ("nothing", "", "")),
        (payloads.gemini("BeforeAgent", prompt="raise the tax"), "", ("prompt", "raise the tax", "")),
        (payloads.gemini("AfterAgent", prompt="raise", prompt_response="done"), "", ("turn_end", "done", "")),
        (payloads.gemini("PreCompress", trigger="auto"), "", ("nothing", "", "auto")),
        (payloads.copilot(prompt="raise the tax"), "userPromptSubmitted", ("prompt", "raise the tax", "")),
        (payloads.copilot(source="new", initialPrompt="x"), "sessionStart", ("session_start", "", "new")),
        (
            payloads.opencode("chat.message", {"sessionID": "o-1"}, {"parts": [{"type": "text", "text": "raise"}]}),
            "",
            ("prompt", "raise", ""),
        ),
        (
            payloads.opencode("event", {"type": "session.idle", "properties": {"sessionID": "o-1"}}),
            "",
            ("turn_end", "", ""),
        ),
    ],
)  # fmt: skip
def test_events_have_one_name(raw: bytes, event: str, expected: tuple[str, str, str]) -> None:
    seen = read(raw, event=event)
    assert (seen.event, seen.text, seen.reason) == expected
    assert seen.session


DOCUMENTED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "cursor": (
        {"hook_event_name": "afterFileEdit", "conversation_id": "k", "workspace_roots": ["/nowhere/shop"],
         "file_path": "/nowhere/shop/a.py", "edits": [{"old_string": "1", "new_string": "2"}]},
        {"tool": "edit", "session": "k", "cwd": "/nowhere/shop"},
    ),
    "windsurf": (
        {"agent_action_name": "post_run_command", "trajectory_id": "w",
         "tool_info": {"command_line": "make", "cwd": "/nowhere/shop"}},
        {"tool": "shell", "session": "w", "cwd": "/nowhere/shop"},
    ),
    "cline": (
        {"hookName": "PostToolUse", "taskId": "t", "workspaceRoots": ["/nowhere/shop"],
         "postToolUse": {"toolName": "read_file", "parameters": {"path": "a.py"}, "result": "x = 1"}},
        {"tool": "read", "session": "t", "cwd": "/nowhere/shop"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("assistant", DOCUMENTED)
def test_payloads_as_documented_are_read(assistant: str) -> None:
    payload, expected = DOCUMENTED[assistant]
    seen = read(json.dumps(payload).encode())
    assert (seen.assistant, seen.event) == (assistant, "tool")
    assert {name: getattr(seen, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("tool", "assistant", "kind", "server"),
    [
        ("mcp__files__list_all", "claude", "mcp", "files"),
        ("mcp_files_list", "gemini", "mcp", "files"),
        ("files-list", "copilot", "mcp", "files"),
        ("files_list", "opencode", "mcp", "files"),
        ("MultiEdit", "claude", "edit", ""),
        ("apply_patch", "codex", "patch", ""),
        ("WebFetch", "claude", "fetch", ""),
        ("web_fetch", "gemini", "fetch", ""),
        ("TodoWrite", "claude", "plan", ""),
        ("Mystery", "claude", "other", ""),
    ],
)
def test_tools_have_one_name(tool: str, assistant: str, kind: str, server: str) -> None:
    assert tools.kind(tool, assistant) == (kind, server)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b"{}", "unknown assistant"),
        (b'{"session_id": 1, "hook_event_name": ""}', "no event name"),
        (b'{"session_id": "1", "hook_event_name": "PostToolUse"}', "no tool name"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_payload_is_refused_with_a_reason(raw: bytes, reason: str) -> None:
    with pytest.raises(BadPayload, match=reason):
        read(raw)


def test_a_byte_order_mark_and_broken_characters_do_no_harm() -> None:
    raw = b"\xef\xbb\xbf" + payloads.claude("UserPromptSubmit", prompt="caf?").replace(b"?", b"\xe9") + b"\r\n"
    assert read(raw).text == "caf�"


def test_texts_are_cut_and_objects_have_a_bottom() -> None:
    deep: Any = "x"
    for _ in range(50):
        deep = {"a": deep}
    seen = read(payloads.used("Read", {"file_path": "a", "deep": deep}, "line\n" * TEXT_CHARACTERS))
    assert isinstance(seen, Observation)
    assert len(seen.output) <= TEXT_CHARACTERS
    assert seen.output.endswith("line\n")
    assert json.dumps(seen.input).count("{") <= 13


def test_every_event_and_field_of_the_table_is_ours() -> None:
    fields = {*Observation._fields, "prompt", "answer", "summary"}
    for row in ASSISTANTS:
        assert row.events
        assert set(row.fields) <= fields, row.name
        assert {"session", "event"} <= set(row.fields), row.name
