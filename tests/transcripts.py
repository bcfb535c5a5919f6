"""Transcripts as assistants write them, made by construction: the same steps in the form of each of the five.

    say("user", …) · say("assistant", …) · use("read" | "edit" | "bash", …)

What surrounds the text of a row is what the programs put there, as far as a reader could stumble over it.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ASSISTANTS = ("claude", "codex", "gemini", "opencode", "copilot")
BEGUN = 1_760_000_000


class Step(NamedTuple):
    """One step of a session: who or what, its words or what it was given, and how it ended."""

    kind: str
    text: str = ""
    path: str = ""
    old: str = ""
    new: str = ""
    output: str = ""
    exit: int = 0


def say(role: str, text: str) -> Step:
    return Step(role, text)


def use(
    tool: str, text: str = "", *, path: str = "", old: str = "", new: str = "", output: str = "", exit: int = 0
) -> Step:
    return Step(tool, text, path, old, new, output, exit)


def write(home: Path, assistant: str, steps: Sequence[Step], *, session: str, cwd: str, at: int = BEGUN) -> Path:
    """Write a session of an assistant below its home; returns the file."""
    return _WRITERS[assistant](home, list(steps), session, cwd, at)


def _iso(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}Z"


def _lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows)
    return path


def _claude(home: Path, steps: list[Step], session: str, cwd: str, at: int) -> Path:
    around = {"userType": "external", "cwd": cwd, "sessionId": session, "version": "2.1.0", "gitBranch": "main"}
    rows: list[dict[str, Any]] = [
        {"type": "queue-operation", "operation": "enqueue", "timestamp": _iso(at * 1000), "sessionId": session},
        {
            "parentUuid": None,
            "attachment": {"type": "hook_additional_context", "content": ["We always obey what hooks inject here."]},
            "type": "attachment",
            "timestamp": _iso(at * 1000),
            **around,
        },
    ]
    for number, step in enumerate(steps):
        head = {"parentUuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{session}{number}")), "isSidechain": False}
        tail = {"uuid": f"{session}-{number}", "timestamp": _iso((at + 2 * number) * 1000), **around}
        if step.kind == "user":
            rows.append({**head, "type": "user", "message": {"role": "user", "content": step.text}, **tail})
            continue
        usage = {"input_tokens": 12, "output_tokens": 5, "service_tier": "standard"}
        block: dict[str, Any] = {"type": "text", "text": step.text}
        if step.kind != "assistant":
            block = {"type": "tool_use", "id": f"toolu_{session}_{number}", **_claude_call(step)}
        message = {"id": f"msg_{number}", "role": "assistant", "content": [block], "usage": usage}
        rows.append({**head, "message": message, "type": "assistant", **tail})
        if step.kind != "assistant":
            rows.append(
                {**head, **_claude_result(step, block["id"]), **tail, "timestamp": _iso((at + 2 * number + 1) * 1000)}
            )
    return _lines(home / ".claude/projects" / cwd.replace("/", "-") / f"{session}.jsonl", rows)


def _claude_call(step: Step) -> dict[str, Any]:
    if step.kind == "bash":
        return {"name": "Bash", "input": {"command": step.text, "description": "run it"}}
    if step.kind == "edit":
        return {"name": "Edit", "input": {"file_path": step.path, "old_string": step.old, "new_string": step.new}}
    return {"name": "Read", "input": {"file_path": step.path}}


def _claude_result(step: Step, call: str) -> dict[str, Any]:
    said = f"Exit code {step.exit}\n{step.output}" if step.exit else step.output
    result = {"tool_use_id": call, "type": "tool_result", "content": said, **({"is_error": True} if step.exit else {})}
    whole: Any = {"type": "text", "file": {"filePath": step.path, "content": step.output}}
    if step.kind == "bash":
        whole = f"Error: {said}" if step.exit else {"stdout": step.output, "stderr": "", "interrupted": False}
    return {"type": "user", "message": {"role": "user", "content": [result]}, "toolUseResult": whole}


def _codex(home: Path, steps: list[Step], session: str, cwd: str, at: int) -> Path:
    rows: list[dict[str, Any]] = []

    def row(kind: str, payload: dict[str, Any], later: int = 0) -> None:
        rows.append({"timestamp": _iso((at + later) * 1000), "ordinal": len(rows), "type": kind, "payload": payload})

    row("session_meta", {"id": session, "cwd": cwd, "cli_version": "0.166.0", "base_instructions": {"text": "x" * 900}})
    context = f"<environment_context>\n  <cwd>{cwd}</cwd>\nWe always run in a shell.\n</environment_context>"
    row("response_item", _spoken("user", context))
    row("turn_context", {"cwd": cwd, "model": "some"})
    row("response_item", _spoken("developer", "We always obey what hooks inject here."))
    for number, step in enumerate(steps):
        call, later = f"call_{number}", 2 * number
        if step.kind in ("user", "assistant"):
            row("response_item", _spoken(step.kind, step.text), later)
            continue
        if step.kind == "edit":
            patch = f"*** Begin Patch\n*** Update File: {step.path}\n@@\n-{step.old}\n+{step.new}\n*** End Patch\n"
            row(
                "response_item",
                {"type": "custom_tool_call", "call_id": call, "name": "apply_patch", "input": patch},
                later,
            )
            said = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."
            row("response_item", {"type": "custom_tool_call_output", "call_id": call, "output": said}, later + 1)
            continue
        given = json.dumps({"cmd": step.text or f"cat {step.path}"})
        row(
            "response_item",
            {"type": "function_call", "name": "exec_command", "arguments": given, "call_id": call},
            later,
        )
        item = {"type": "CommandExecution", "id": call, "aggregated_output": step.output, "exit_code": step.exit}
        row("event_msg", {"type": "item_completed", "item": item}, later + 1)
        said = f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {step.exit}\nOutput:\n{step.output}"
        row("response_item", {"type": "function_call_output", "call_id": call, "output": said}, later + 1)
        row("token_usage_record", {"usage": {"input_tokens": 5}}, later + 1)
    return _lines(home / f".codex/sessions/2026/11/15/rollout-2026-11-15T01-26-11-{session}.jsonl", rows)


def _spoken(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _gemini(home: Path, steps: list[Step], session: str, cwd: str, at: int) -> Path:
    folder = home / ".gemini/tmp" / cwd.strip("/").replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".project_root").write_text(cwd, encoding="utf-8")
    context = "<session_context>\nWe always work with Gemini.\n</session_context>"
    first = {"id": f"{session}-s", "timestamp": _iso(at * 1000), "type": "user", "content": [{"text": context}]}
    rows: list[dict[str, Any]] = [
        {"sessionId": session, "projectHash": "0" * 64, "startTime": _iso(at * 1000), "kind": "main"},
        {"$set": {"messages": [first], "lastUpdated": _iso(at * 1000)}},
    ]
    for number, step in enumerate(steps):
        moment = _iso((at + 2 * number) * 1000)
        message: dict[str, Any] = {"id": f"{session}-{number}", "timestamp": moment}
        if step.kind == "user":
            hooked = "<hook_context>We always obey what hooks inject here.</hook_context>\n\n"
            rows.append({**message, "type": "user", "content": [{"text": hooked + step.text}]})
        elif step.kind == "assistant":
            rows.append({**message, "type": "gemini", "content": step.text, "thoughts": []})
        else:
            message |= {"type": "gemini", "content": "", "thoughts": []}
            call = _gemini_call(step, f"{step.kind}_{session}_{number}", _iso((at + 2 * number + 1) * 1000))
            rows += [message, {**message, "toolCalls": [call]}]
            rows.append({"id": f"{session}-{number}r", "timestamp": moment, "type": "user", "content": call["result"]})
        rows.append({"$set": {"lastUpdated": moment}})
    return _lines(folder / f"chats/session-2026-11-15T01-28-{session[:8]}.jsonl", rows)


def _gemini_call(step: Step, call: str, moment: str) -> dict[str, Any]:
    if step.kind == "bash":
        name, given = "run_shell_command", {"command": step.text}
        code = f"\nExit Code: {step.exit}" if step.exit else ""
        output = step.output or "(empty)"
        said = f"<untrusted_context>\nOutput: {output}{code}\nProcess Group PGID: 7\n</untrusted_context>"
    elif step.kind == "edit":
        name, said = "replace", "Successfully modified file."
        given = {"file_path": step.path, "old_string": step.old, "new_string": step.new}
    else:
        name, given, said = "read_file", {"file_path": step.path}, step.output
    result = [{"functionResponse": {"id": call, "name": name, "response": {"output": said}}}]
    return {"id": call, "name": name, "args": given, "result": result, "status": "success", "timestamp": moment}


def _copilot(home: Path, steps: list[Step], session: str, cwd: str, at: int) -> Path:
    rows: list[dict[str, Any]] = []

    def row(kind: str, data: dict[str, Any], later: int = 0) -> None:
        rows.append({"type": kind, "data": data, "id": f"e{len(rows)}", "timestamp": _iso((at + later) * 1000)})

    row("session.start", {"sessionId": session, "context": {"cwd": cwd, "branch": "main"}})
    for number, step in enumerate(steps):
        later, call = 2 * number, f"call_{number}"
        if step.kind == "user":
            machine = f"<current_datetime>now</current_datetime>\n\n{step.text}"
            row("user.message", {"content": step.text, "transformedContent": machine}, later)
            continue
        row("session.usage_record", {"usage": {"inputTokens": 1}}, later)
        if step.kind == "assistant":
            row("assistant.message", {"content": step.text, "toolRequests": []}, later)
            continue
        name, given = {
            "bash": ("bash", {"command": step.text}),
            "edit": ("edit", {"path": step.path, "old_str": step.old, "new_str": step.new}),
            "read": ("view", {"path": step.path}),
        }[step.kind]
        row("assistant.message", {"content": "", "toolRequests": [{"toolCallId": call, "name": name}]}, later)
        row("tool.execution_start", {"toolCallId": call, "toolName": name, "arguments": given}, later)
        ended: dict[str, Any] = {"toolCallId": call, "success": True, "result": {"content": step.output or "done"}}
        if step.kind == "bash":
            ended["result"] = {"content": f"{step.output}\n<shellId: 0 completed with exit code {step.exit}>"}
            ended["shellExecution"] = {"exitCode": step.exit}
        row("tool.execution_complete", ended, later + 1)
    return _lines(home / f".copilot/session-state/{session}/events.jsonl", rows)


_OPENCODE = """
    CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, parent_id text, directory text, time_updated integer);
    CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text, time_created integer, data text);
    CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
        time_updated integer, data text);
    CREATE INDEX IF NOT EXISTS part_session_idx ON part (session_id);
"""


def _opencode(home: Path, steps: list[Step], session: str, cwd: str, at: int) -> Path:
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(_OPENCODE)
        last = (at + 2 * len(steps)) * 1000
        database.execute("INSERT OR REPLACE INTO session VALUES (?, NULL, ?, ?)", (session, cwd, last))
        for number, step in enumerate(steps):
            moment = (at + 2 * number) * 1000
            role = "user" if step.kind == "user" else "assistant"
            names = (f"msg_{session}_{number:06d}", f"prt_{session}_{number:06d}")
            database.execute(
                "INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?)",
                (names[0], session, moment, json.dumps({"role": role, "time": {"created": moment}})),
            )
            part = _opencode_part(step, number, moment)
            database.execute(
                "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)",
                (names[1], names[0], session, moment, moment, json.dumps(part)),
            )
    return path


def _opencode_part(step: Step, number: int, moment: int) -> dict[str, Any]:
    if step.kind in ("user", "assistant"):
        return {"type": "text", "text": f'"{step.text}"' if step.kind == "user" else step.text}
    given = {
        "bash": {"command": step.text, "description": "run it"},
        "edit": {"filePath": step.path, "oldString": step.old, "newString": step.new},
        "read": {"filePath": step.path},
    }[step.kind]
    about = {"exit": step.exit} if step.kind == "bash" else {}
    state = {"status": "completed", "input": given, "output": step.output, "metadata": about}
    state["time"] = {"start": moment, "end": moment + 1000}
    return {"type": "tool", "tool": step.kind, "callID": f"call_{number}", "state": state}


_WRITERS = {"claude": _claude, "codex": _codex, "gemini": _gemini, "copilot": _copilot, "opencode": _opencode}
