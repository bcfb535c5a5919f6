"""Parsing of hook payloads into Observations, by the table of assistants.

It uses the standard library only: a hook that answers by itself loads it, and start-up time counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from recollect.capture import tools
from recollect.capture.assistants import Assistant, Event, named, recognised
from recollect.capture.observation import BadPayload, Observation
from recollect.errors import InvalidInput
from recollect.parsing import limited
from recollect.text.lazy_patterns import compiled
from recollect.text.redaction.name_redaction import without_secrets

# Longer texts are cut.
TEXT_CHARACTERS = 400_000
# Deeper values are dropped.
DEPTH = 12
LABEL_CHARACTERS = 200

# Short names of OpenCode's plugin.
_SHORT = {"n": "hook", "i": "input", "o": "output"}


def read(raw: bytes, *, event: str = "", assistant: str = "", at: int = 0) -> Observation:
    """Return the event in a payload. Raises BadPayload.

    event, assistant: from the hook's command line; the payload takes precedence
    at: when the hook ran, in Unix seconds
    """
    payload = _decoded(raw)
    row = named(assistant) or recognised(payload)
    if row is None:
        raise BadPayload("unknown assistant: neither the payload nor the hook's command line names one")
    if row.name == "opencode":
        payload = {_SHORT.get(key, key): value for key, value in payload.items()}
    called = _text(_found(payload, row, "event")) or event
    known = row.events.get(called) or _spelt(row, called)
    if known is None:
        # Events of a newer version are no error.
        known = Event("nothing") if called else None
    if known is None:
        raise BadPayload(f"no event name in the payload of {row.name} or on the hook's command line")
    return _observation(payload, row, known, at)


def _decoded(raw: bytes) -> dict[str, Any]:
    try:
        value = _json(raw.decode())
    except ValueError:
        try:  # some payloads have invalid UTF-8, a byte order mark, or several lines
            value = _json(raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").strip())
        except ValueError as problem:
            raise BadPayload(f"not JSON: {problem}") from None
    if not isinstance(value, dict):
        raise BadPayload("not a JSON object")
    return {str(key): _bounded(item, 0) for key, item in value.items()}


def _json(text: str) -> Any:
    """Return the value of a JSON text; raises ValueError."""
    try:
        return limited(lambda: json.loads(text, parse_constant=_no_number), "its JSON")
    except InvalidInput as problem:
        raise ValueError(problem.message) from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _bounded(value: Any, depth: int) -> Any:
    """Return a JSON value with bounded lengths and depth, and without NUL."""
    if isinstance(value, str):
        cut = value if len(value) <= TEXT_CHARACTERS else value[: value.rfind("\n", 0, TEXT_CHARACTERS) + 1]
        return (cut or value[:TEXT_CHARACTERS]).replace("\0", "�").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {str(k): _bounded(v, depth + 1) for k, v in value.items()} if depth < DEPTH else {}
    if isinstance(value, list):
        return [_bounded(item, depth + 1) for item in value] if depth < DEPTH else []
    return value


def _observation(payload: Mapping[str, Any], row: Assistant, event: Event, at: int) -> Observation:
    seen = Observation(
        assistant=row.name,
        event=event.name,
        session=_label(_found(payload, row, "session")),
        cwd=_text(_found(payload, row, "cwd"))[:4096],
        at=at,
        reason=_text(_found(payload, row, "reason"))[:LABEL_CHARACTERS],
        agent=_label(_found(payload, row, "agent")),
        agent_type=_label(_found(payload, row, "agent_type")),
        call_id=_label(_found(payload, row, "call_id")),
        failed=event.failed,
        error=_error(_found(payload, row, "error")),
        transcript=_text(_found(payload, row, "transcript"))[:4096],
    )
    if event.name == "tool":
        return _with_tool(seen, payload, row, event)
    source = {"prompt": "prompt", "after_compact": "summary"}.get(event.name, "answer")
    return seen._replace(text=tools.said(_found(payload, row, source)))


def _with_tool(seen: Observation, payload: Mapping[str, Any], row: Assistant, event: Event) -> Observation:
    name = event.tool or _text(_found(payload, row, "tool_name"))
    if not name:
        raise BadPayload(f"no tool name in the payload of {row.name}")
    given = _found(payload, row, "input")
    if isinstance(given, str):  # an object as text, or the free text of a patch
        given = _object(given) or {"input": given}
    output = _found(payload, row, "output")
    if isinstance(output, str) and output.startswith(("{", "[")):
        output = _object(output) or output
    kind, server = tools.kind(name, row.name)
    server = _text(_found(payload, row, "server")) or server
    seen = seen._replace(
        tool="mcp" if server and kind == "other" else kind,
        tool_name=_label(name),
        server=_label(server),
        input=given if isinstance(given, dict) else {},
        output=output,
    )
    return with_outcome(seen)


# --- how it ended ---

# How assistants write the exit code before or after a command's output.
_EXITS: Mapping[str, re.Pattern[str]] = {
    "claude": compiled(r"\A(?:Error: )?Exit code:? (\d{1,3})\b"),
    "codex": compiled(r"\A(?:(?:Chunk ID|Wall time): .*\n){0,2}(?:Process exited with code|Exit code:) (-?\d{1,3})\b"),
    "gemini": compiled(
        r"(?m)^Exit Code: (-?\d{1,3})(?:\n+(?:Signal|Background PIDs|Process Group PGID): .*)*+(?:\s*</\w+>)?\s*\Z"
    ),
    "copilot": compiled(r"<(?:shellId: \S+ completed with|exited with|command) exit code (-?\d{1,3})>\s*\Z"),
    "cline": compiled(r"(?m)^(?:Command failed with exit code|Exit code:?) (-?\d{1,3})\b"),
}
# Assistants that omit the exit code of a success.
_SILENT = frozenset({"claude", "gemini"})


def with_outcome(seen: Observation) -> Observation:
    """Return the observation with its outcome, as far as the payload has it."""
    output = seen.output if isinstance(seen.output, dict) else {}
    refused = output.get("isError") is True or output.get("resultType") in ("failure", "rejected", "denied")
    failed = True if seen.failed or refused or seen.error else seen.failed
    if seen.tool != "shell":
        return seen._replace(failed=bool(failed), exit_code=None)
    exit_code = _exit_code(seen, output)
    if exit_code is None and failed is None and seen.assistant in _SILENT and output.get("interrupted") is not True:
        exit_code = 0
    return seen._replace(failed=failed) if exit_code is None else with_exit_code(seen, exit_code)


def with_exit_code(seen: Observation, code: int) -> Observation:
    """Return the run of a command with its exit code, and the outcome that it proves."""
    # Lazy: answers to prompts do not need it.
    from recollect.capture.outcome import by_exit_code

    return seen._replace(exit_code=code, failed=by_exit_code(tools.text_field(seen.input, "command"), code))


def _exit_code(seen: Observation, output: Mapping[str, Any]) -> int | None:
    metadata = output.get("metadata")
    for holder in (output, metadata if isinstance(metadata, dict) else {}):
        for key in ("exit", "exit_code", "exitCode", "returncode", "code"):
            code = holder.get(key)
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    return written_exit_code(seen.assistant, seen.error or tools.said(seen.output))


def written_exit_code(assistant: str, text: str) -> int | None:
    """Return the exit code that an assistant wrote around a command's output; None if it wrote none."""
    pattern = _EXITS.get(assistant)
    found = pattern.search(text) if pattern else None
    return int(found[1]) if found else None


# --- looking into a payload ---


def _found(payload: Mapping[str, Any], row: Assistant, field: str) -> Any:
    """Return the value of a field from the first of its paths that has one."""
    for path in row.fields.get(field, ()):
        value: Any = payload
        for step in path.split(".") if path != "." else ():
            if isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            else:
                value = None
        if value not in (None, "", [], {}):
            return value
    return None


def _spelt(row: Assistant, called: str) -> Event | None:
    """Return the event of a name in another spelling: command lines replace dots."""
    bare = re.sub(r"[^a-z]", "", called.lower())
    return next((event for name, event in row.events.items() if re.sub(r"[^a-z]", "", name.lower()) == bare), None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _label(value: Any) -> str:
    """Return an id or a name without secrets; cut afterwards, since half a key is not recognised."""
    return without_secrets(_text(value))[:LABEL_CHARACTERS]


def _error(value: Any) -> str:
    return value if isinstance(value, str) else tools.said(value)


def _object(text: str) -> Any:
    try:
        value = _json(text)
    except ValueError:
        return None
    return _bounded(value, 0) if isinstance(value, dict | list) else None
