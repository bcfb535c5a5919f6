"""Hook payloads of five assistants for the sessions of bench/told.py.

Each class writes what one assistant passes to its hooks for the same step: the fields, the names of the tools and the
places of exit codes differ. Codex and Copilot also write their transcript, since the exit codes of Codex and the final
answers of Copilot are only there.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recollect import clock


class Payload(NamedTuple):
    """What a hook gets: its input and the words on its command line."""

    raw: bytes
    event: str
    assistant: str


class Talk:
    """One session of an assistant, in Claude Code's shape; the others override what differs."""

    assistant = "claude"
    folder = ".claude/projects/-project"
    names: Mapping[str, str] = {
        "start": "SessionStart",
        "prompt": "UserPromptSubmit",
        "stop": "Stop",
        "end": "SessionEnd",
        "tool": "PostToolUse",
    }

    def __init__(self, session: str, root: Path, home: Path) -> None:
        self.session = session
        self.root = root
        self.transcript = home / self.folder / f"rollout-{session}.jsonl"
        self.calls = 0

    def start(self) -> Payload:
        """Return the start of the session."""
        return self._event("start", source="startup")

    def prompt(self, text: str) -> Payload:
        """Return a prompt of the user."""
        return self._event("prompt", prompt=text)

    def stop(self, answer: str) -> Payload:
        """Return the end of a turn with the assistant's final answer."""
        return self._event("stop", stop_hook_active=False, last_assistant_message=answer)

    def end(self) -> Payload:
        """Return the end of the session."""
        return self._event("end", reason="other")

    def read(self, path: str, text: str) -> Payload:
        """Return a file that was read."""
        lines = text.count("\n") + 1
        where = str(self.root / path)
        file = {"filePath": where, "content": text, "numLines": lines, "startLine": 1, "totalLines": lines}
        return self._tool("Read", {"file_path": where}, {"type": "text", "file": file})

    def edit(self, path: str, old: str, new: str, before: str) -> Payload:
        """Return an edit of a file; before: its whole text until now."""
        where = str(self.root / path)
        given = {"file_path": where, "old_string": old, "new_string": new, "replace_all": False}
        response = {"filePath": where, "oldString": old, "newString": new, "originalFile": before}
        return self._tool("Edit", given, {**response, "structuredPatch": [], "userModified": False})

    def write(self, path: str, text: str) -> Payload:
        """Return a new file."""
        where = str(self.root / path)
        response: dict[str, Any] = {
            "type": "create",
            "filePath": where,
            "content": text,
            "structuredPatch": [],
            "originalFile": None,
        }
        return self._tool("Write", {"file_path": where, "content": text}, response)

    def run(self, command: str, exit_code: int, output: str) -> Payload:
        """Return a command that ended."""
        given = {"command": command, "description": "Run a command"}
        if exit_code == 0:
            return self._tool("Bash", given, {"stdout": output, "stderr": "", "interrupted": False, "isImage": False})
        fields = {"tool_name": "Bash", "tool_input": given, "tool_use_id": self._call(), "is_interrupt": False}
        error = output if output.startswith("Exit code") else f"Exit code {exit_code}\n{output}"
        return self._payload("PostToolUseFailure", {**fields, "error": error})

    # --- shapes ---

    def _call(self) -> str:
        self.calls += 1
        return f"{self.session}-call-{self.calls}"

    def _tool(self, name: str, given: Any, response: Any) -> Payload:
        return self._event("tool", tool_name=name, tool_input=given, tool_response=response, tool_use_id=self._call())

    def _event(self, name: str, **fields: Any) -> Payload:
        return self._payload(self.names[name], fields)

    def _payload(self, event: str, fields: Mapping[str, Any]) -> Payload:
        identity = {"session_id": self.session, "transcript_path": str(self.transcript), "cwd": str(self.root)}
        return self._sent({**identity, "hook_event_name": event, **fields}, event)

    def _sent(self, whole: Mapping[str, Any], event: str) -> Payload:
        return Payload(json.dumps(whole).encode(), event, self.assistant)

    def _log(self, kind: str, payload: Any, key: str = "payload") -> None:
        """Append a row to the transcript."""
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        row = {"timestamp": _stamp(), "type": kind, key: payload}
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class Codex(Talk):
    """Codex: reads by shell, edits by patch; the exit code is in the rollout file only."""

    assistant = "codex"
    folder = ".codex/sessions/2026/10/01"

    def start(self) -> Payload:
        self._log("session_meta", {"session_id": self.session, "id": self.session, "cwd": str(self.root)})
        return super().start()

    def prompt(self, text: str) -> Payload:
        content = [{"type": "input_text", "text": text}]
        self._log("response_item", {"type": "message", "role": "user", "content": content})
        return super().prompt(text)

    def stop(self, answer: str) -> Payload:
        content = [{"type": "output_text", "text": answer}]
        self._log("response_item", {"type": "message", "role": "assistant", "content": content})
        return super().stop(answer)

    def read(self, path: str, text: str) -> Payload:
        return self.run(f"sed -n '1,200p' {path}", 0, text)

    def edit(self, path: str, old: str, new: str, before: str) -> Payload:
        minus, plus = (["-" + line for line in old.split("\n")], ["+" + line for line in new.split("\n")])
        return self._patch([f"*** Update File: {path}", "@@", *minus, *plus])

    def write(self, path: str, text: str) -> Payload:
        return self._patch([f"*** Add File: {path}", *("+" + line for line in text.split("\n"))])

    def run(self, command: str, exit_code: int, output: str) -> Payload:
        call = self._call()
        item = {
            "type": "CommandExecution",
            "id": call,
            "command": ["/bin/bash", "-lc", command],
            "cwd": f"file://{self.root}",
            "status": "failed" if exit_code else "completed",
            "aggregated_output": output,
            "exit_code": exit_code,
        }
        arguments = json.dumps({"cmd": command})
        called = {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call}
        self._log("response_item", called)
        self._log("event_msg", {"type": "item_completed", "thread_id": self.session, "item": item})
        fields = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": output, "tool_use_id": call}
        sent = self._payload("PostToolUse", fields)
        told = f"Process exited with code {exit_code}\nOutput:\n{output}"
        self._log("response_item", {"type": "function_call_output", "call_id": call, "output": told})
        return sent

    def _patch(self, lines: list[str]) -> Payload:
        text = "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])
        return self._tool("apply_patch", {"command": text}, "Done")

    def _payload(self, event: str, fields: Mapping[str, Any]) -> Payload:
        return super()._payload(event, {"model": "m", "permission_mode": "default", "turn_id": "t-1", **fields})


class Gemini(Talk):
    """Gemini CLI: exit codes are in the text of the output."""

    assistant = "gemini"
    folder = ".gemini/tmp/project/chats"
    names: Mapping[str, str] = {
        "start": "SessionStart",
        "prompt": "BeforeAgent",
        "stop": "AfterAgent",
        "end": "SessionEnd",
        "tool": "AfterTool",
    }

    def prompt(self, text: str) -> Payload:
        self.asked = text
        return super().prompt(text)

    def stop(self, answer: str) -> Payload:
        return self._event("stop", prompt=self.asked, prompt_response=answer, stop_hook_active=False)

    def end(self) -> Payload:
        return self._event("end", reason="exit")

    def read(self, path: str, text: str) -> Payload:
        return self._tool("read_file", {"file_path": str(self.root / path)}, {"llmContent": text, "returnDisplay": ""})

    def edit(self, path: str, old: str, new: str, before: str) -> Payload:
        where = str(self.root / path)
        given = {"file_path": where, "instruction": "change", "old_string": old, "new_string": new}
        shown = {"fileName": path, "filePath": where, "originalContent": before, "newContent": before.replace(old, new)}
        told = f"Successfully modified file: {where}"
        return self._tool("replace", given, {"llmContent": told, "returnDisplay": shown})

    def write(self, path: str, text: str) -> Payload:
        where = str(self.root / path)
        shown = {"fileName": path, "filePath": where, "originalContent": "", "newContent": text}
        told = f"Successfully created and wrote to new file: {where}."
        given = {"file_path": where, "content": text}
        return self._tool("write_file", given, {"llmContent": told, "returnDisplay": shown})

    def run(self, command: str, exit_code: int, output: str) -> Payload:
        ended = f"\nExit Code: {exit_code}" if exit_code else ""
        lines = f"Output: {output or '(empty)'}{ended}\nProcess Group PGID: 17412"
        told = f"<untrusted_context>\n{lines}\n</untrusted_context>"
        shown = f"Command exited with code: {exit_code}" if exit_code else output
        given = {"command": command, "description": "run"}
        return self._tool("run_shell_command", given, {"llmContent": told, "returnDisplay": shown})

    def _payload(self, event: str, fields: Mapping[str, Any]) -> Payload:
        return super()._payload(event, {"timestamp": _stamp(), **fields})


class Copilot(Talk):
    """Copilot CLI: the event is on the command line only, the final answer in the transcript only."""

    assistant = "copilot"
    folder = ".copilot/session-state"

    def __init__(self, session: str, root: Path, home: Path) -> None:
        super().__init__(session, root, home)
        self.transcript = home / self.folder / session / "events.jsonl"

    def start(self) -> Payload:
        context = {"cwd": str(self.root), "gitRoot": str(self.root)}
        self._log("session.start", {"sessionId": self.session, "context": context}, "data")
        return self._copilot("sessionStart", source="new")

    def prompt(self, text: str) -> Payload:
        self._log("user.message", {"content": text}, "data")
        return self._copilot("userPromptSubmitted", prompt=text)

    def stop(self, answer: str) -> Payload:
        self._log("assistant.message", {"content": answer, "toolRequests": []}, "data")
        return self._copilot("agentStop", transcriptPath=str(self.transcript), stopReason="end_turn")

    def end(self) -> Payload:
        return self._copilot("sessionEnd", reason="complete")

    def read(self, path: str, text: str) -> Payload:
        return self._used("view", {"path": str(self.root / path)}, text)

    def edit(self, path: str, old: str, new: str, before: str) -> Payload:
        return self._used("edit", {"path": str(self.root / path), "old_str": old, "new_str": new}, "Edited.")

    def write(self, path: str, text: str) -> Payload:
        return self._used("create", {"path": str(self.root / path), "file_text": text}, "Created.")

    def run(self, command: str, exit_code: int, output: str) -> Payload:
        told = f"{output}\n<shellId: {self.calls} completed with exit code {exit_code}>"
        return self._used("bash", {"command": command, "description": "run"}, told)

    def _used(self, tool: str, given: Any, told: str) -> Payload:
        self._call()
        return self._copilot(
            "postToolUse", toolName=tool, toolArgs=given, toolResult={"resultType": "success", "textResultForLlm": told}
        )

    def _copilot(self, event: str, **fields: Any) -> Payload:
        whole = {"sessionId": self.session, "timestamp": clock.now() * 1000 + self.calls, "cwd": str(self.root)}
        return self._sent({**whole, **fields}, event)


class OpenCode(Talk):
    """OpenCode: a plugin passes events on; there is no final answer in them."""

    assistant = "opencode"

    def start(self) -> Payload:
        return self._about("session.created", {"info": {"id": self.session, "directory": str(self.root)}})

    def prompt(self, text: str) -> Payload:
        output = {"message": {"role": "user"}, "parts": [{"type": "text", "text": text}]}
        return self._plugin("chat.message", {"sessionID": self.session}, output)

    def stop(self, answer: str) -> Payload:
        return self._about("session.idle", {})

    def end(self) -> Payload:
        return self._about("session.deleted", {})

    def read(self, path: str, text: str) -> Payload:
        rows = "\n".join(f"{number}: {line}" for number, line in enumerate(text.splitlines(), 1))
        told = f"<path>{self.root / path}</path>\n<type>file</type>\n<content>\n{rows}\n</content>"
        return self._used("read", {"filePath": str(self.root / path)}, told, {"truncated": False})

    def edit(self, path: str, old: str, new: str, before: str) -> Payload:
        given = {"filePath": str(self.root / path), "oldString": old, "newString": new}
        return self._used("edit", given, "Edit applied successfully.", {"truncated": False})

    def write(self, path: str, text: str) -> Payload:
        where = str(self.root / path)
        return self._used("write", {"filePath": where, "content": text}, "Wrote file successfully.", {"exists": False})

    def run(self, command: str, exit_code: int, output: str) -> Payload:
        told = output or "(no output)"
        return self._used("bash", {"command": command, "description": "run"}, told, {"output": told, "exit": exit_code})

    def _used(self, tool: str, given: Any, told: str, metadata: Any) -> Payload:
        call = {"tool": tool, "sessionID": self.session, "callID": self._call(), "args": given}
        return self._plugin("tool.execute.after", call, {"title": tool, "output": told, "metadata": metadata})

    def _about(self, event: str, properties: Mapping[str, Any]) -> Payload:
        given = {"type": event, "properties": {"sessionID": self.session, **properties}}
        return self._plugin("event", given, None, event)

    def _plugin(self, hook: str, given: Any, output: Any, event: str = "") -> Payload:
        whole = {"hook": hook, "input": given, "output": output, "directory": str(self.root)}
        return self._sent(whole, event or hook)


ASSISTANTS: Mapping[str, type[Talk]] = {kind.assistant: kind for kind in (Talk, Codex, Gemini, Copilot, OpenCode)}


def _stamp() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(clock.now()))
