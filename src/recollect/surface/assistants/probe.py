"""Checks that a hook and a server work when they are started as an assistant starts them.

The command lines are read from the files of the assistant, so that the check runs what the assistant will run.
"""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recollect.errors import InvalidInput
from recollect.parsing import parse_json
from recollect.processes import run
from recollect.surface.assistants import jsonc, toml
from recollect.surface.assistants.assistant_table import (
    Assistant,
    Hooks,
    Own,
    Part,
    Roots,
    Scope,
    Server,
    TomlServer,
    file_of,
)
from recollect.surface.assistants.entry import NAME, Install, is_hook_of_ours
from recollect.surface.assistants.plan import TOML_PATH
from recollect.surface.assistants.settings_file import content, target, text_of
from recollect.surface.hooks.hook_socket import HookSocket

# A hook takes a twentieth of a second and a server less than one; a machine under load may take much longer.
TIMEOUT_S = 60
# After a prompt a hook waits a tenth of a second for a server: a busy machine is not a broken hook.
TRIES = 5
# All variables that Codex passes to a server: what works with these works everywhere.
INHERITED = ("HOME", "LANG", "PATH", "SHELL", "TERM")
# The answer that the check's own listener gives to a hook.
CANARY = b'{"recollect": "doctor"}'
# Every toolset lists it.
A_TOOL = "store_memory"

_CLINE = re.compile(r"^answer=\$\((.*)\)$", re.MULTILINE)
_OPENCODE = re.compile(r"^const \[program, \.\.\.words\] = (\[.*\])$", re.MULTILINE)


class Line(NamedTuple):
    """The command line of a hook in a settings file, and its event."""

    event: str
    words: list[str]

    @property
    def answers(self) -> bool:
        """Whether the hook may answer: the moment follows event and assistant."""
        return len(self.words) > 2 and self.words[-3] == self.event


def hook_lines(assistant: Assistant, scope: Scope, where: Roots) -> list[Line]:
    """Return every command line of our hook in the files of an assistant; raises ConfigError, ValueError."""
    return [
        line
        for part in assistant.parts(scope)
        if isinstance(part, Hooks | Own)
        for line in _lines(part, _text(part, where))
    ]


def server_words(assistant: Assistant, scope: Scope, where: Roots) -> list[str] | None:
    """Return the command line of our server in the files of an assistant; None if there is none."""
    for part in assistant.parts(scope):
        text = _text(part, where)
        entry: Any = None
        if isinstance(part, TomlServer):
            entry = toml.at(toml.parse(text), TOML_PATH)
        elif isinstance(part, Server) and text.strip():
            node = jsonc.at(jsonc.parse(text), (*part.keys, NAME))
            entry = node.value if node else None
        elif isinstance(part, Own) and part.content == ".mcp.json" and text:
            entry = toml.at(parse_json(text), ("mcpServers", NAME))
        if isinstance(entry, Mapping):
            command = entry.get("command")
            return [*([command] if isinstance(command, str) else command or []), *entry.get("args", [])]
    return None


def _text(part: Part, where: Roots) -> str:
    path = target(file_of(part, where))
    raw = content(path)
    return "" if raw is None else text_of(path, raw)[1]


def _lines(part: Hooks | Own, text: str) -> Iterator[Line]:
    if isinstance(part, Own) and part.content == "cline":
        event = part.event.name if part.event else ""
        yield from (Line(event, shlex.split(line)) for line in _CLINE.findall(text))
    elif isinstance(part, Own) and part.content == "opencode":
        yield from (
            Line(words[0], [*parse_json(line, kind=list[str]), *words])
            for line in _OPENCODE.findall(text)
            for words in (["session.idle", "opencode"], ["session.created", "opencode", "start"])
        )
    elif text.strip():
        hooks = jsonc.at(jsonc.parse(text), ("hooks",))
        for event, rows in hooks.value.items() if hooks is not None and hooks.kind == "object" else ():
            yield from (Line(event, words) for words in _of_event(rows))


def _of_event(rows: Any) -> Iterator[list[str]]:
    for row in rows if isinstance(rows, list) else ():
        handlers = row.get("hooks", [row]) if isinstance(row, Mapping) else []
        for handler in handlers if isinstance(handlers, list) else ():
            if is_hook_of_ours(handler):
                yield shlex.split(handler.get("command") or handler.get("bash"))


def is_own(words: list[str], install: Install) -> bool:
    """Return whether a command line starts the hook or the server of this installation.

    A project's files come with the repository: `doctor` must not run commands that they name.
    """
    hook = install.hook_words("", "")[:-2]
    server = install._replace(toolset="").server_words()
    more = words[len(server) :]
    is_server = words[: len(server)] == server and (not more or (more[0] == "--toolset" and len(more) == 2))
    return is_server or words[: len(hook)] == hook


def home_of(line: Line) -> str:
    """Return the home folder that a command line sets; empty for the default."""
    head = line.words[:2]
    return head[1].partition("=")[2] if head[:1] == ["env"] and head[1:] else ""


def check_hook(line: Line, environment: Mapping[str, str]) -> str:
    """Send a payload through a hook in a shell, into a temporary spool; return what is wrong, or an empty text.

    A hook that may answer must print what our listener answers to that payload, in one of several tries.
    """
    wrong = ""
    for _ in range(TRIES):
        wrong, is_silent = _try_hook(line, environment)
        if not is_silent:
            break
    return wrong


def _try_hook(line: Line, environment: Mapping[str, str]) -> tuple[str, bool]:
    """Run a hook once; return what is wrong, and whether it only did not print the answer."""
    words = line.words[2:] if home_of(line) else line.words
    payload = json.dumps({"hook_event_name": line.event, "note": "recollect doctor"}).encode()
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        listener = HookSocket(Path(folder), lambda asked, *_: CANARY if asked == payload else b"", lambda _: None)
        listens = line.answers and listener.start()
        if line.answers and not listens:
            words = words[:-1]  # without a listener the hook would start an engine, which empties the spool
        try:
            done = run(
                ["/bin/sh", "-c", shlex.join(words)],
                given=payload,
                timeout_s=TIMEOUT_S,
                environment={**environment, "RECOLLECT_HOME": folder},
            )
        except OSError as problem:
            return f"the hook of {line.event} did not start: {problem}", False
        finally:
            listener.stop()
        if done.status:
            reason = done.last_error or "no message"
            return f"the hook of {line.event} failed with exit code {done.status}: {reason}", False
        arrived = [path.read_bytes() for path in Path(folder, "spool", "new").glob("*")]
    if arrived != [payload]:
        return f"the hook of {line.event} did not deliver its event", False
    wanted = CANARY if listens else b""
    if done.output.strip() == wanted:
        return "", False
    return f"the hook of {line.event} did not print its answer", True


def check_without_server(install: Install, environment: Mapping[str, str]) -> str:
    """Let a hook find a memory without a server; return what is wrong, or an empty text.

    Its interpreter runs isolated and must find our packages itself.
    """
    from recollect.engine import Engine

    known = "The doctor of recollect looks whether a hook finds this sentence."
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        with Engine(home=folder, embed_provider="off") as engine:
            engine.memories.store(known, namespace=folder)
        payload = {"session_id": "doctor", "cwd": folder, "prompt": known, "hook_event_name": "UserPromptSubmit"}
        try:
            done = run(
                install._replace(home=folder).hook_words("UserPromptSubmit", "claude", "prompt"),
                given=json.dumps(payload).encode(),
                timeout_s=TIMEOUT_S,
                environment=environment,
            )
        except OSError as problem:
            return f"the hook did not start: {problem}"
    return "" if known.encode() in done.output else "hooks answer only while a server runs"


def check_server(words: list[str], environment: Mapping[str, str]) -> tuple[str, int]:
    """Start a server and list its tools; return what is wrong (or an empty text) and the number of tools."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    try:
        done = run(
            words,
            given="".join(json.dumps(row) + "\n" for row in messages).encode(),
            timeout_s=TIMEOUT_S,
            environment={name: environment[name] for name in INHERITED if name in environment},
        )
    except OSError as problem:
        return f"the server did not start: {problem}", 0
    answers = _answers(done.output)
    if 1 not in answers:
        return f"the server did not answer: {done.last_error or f'exit code {done.status}'}", 0
    tools = [row.get("name") for row in answers.get(2, {}).get("tools", [])]
    return "" if A_TOOL in tools else f"the server does not list {A_TOOL}", len(tools)


def _answers(output: bytes) -> dict[int, Any]:
    """Return the results of a server's answers by the id of the request."""
    found: dict[Any, Any] = {}
    for line in output.splitlines():
        try:
            message = parse_json(line)
        except InvalidInput:
            continue
        if isinstance(message, Mapping) and isinstance(message.get("result"), Mapping):
            found[message.get("id")] = message["result"]
    return found
