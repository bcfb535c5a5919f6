"""Entries: the commands that start our server and our hook, in the format of each assistant.

`hook_words` is the only place that builds the command line of the hook.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from recollect.version import __version__

NAME = "recollect"

# Every hook entry of recollect starts this file, whichever installation wrote it.
HOOK_FILE = re.compile(r"recollect[/\\]+hook\.py")

# How long an assistant waits for a server to start. Ours needs a fraction of a second, more on a busy machine.
START_S = 20


# What a hook may answer: the start of a session, a prompt, a failed tool; empty: it only captures.
Moment = Literal["", "start", "prompt", "tool"]


class Event(NamedTuple):
    """An event of an assistant: its name, the timeout of its hook in seconds, and what the hook may answer."""

    name: str
    seconds: int
    moment: Moment = ""


class Install(NamedTuple):
    """The installation that entries start: its interpreter, command and hook, and its home if not the default."""

    python: str
    command: tuple[str, ...]
    hook: str
    home: str = ""
    toolset: str = ""

    def server_words(self) -> list[str]:
        """Return the command line that serves the memory over MCP; an empty toolset is the server's default."""
        toolset = ["--toolset", self.toolset] if self.toolset else []
        return [*self.command, *(["--home", self.home] if self.home else []), "serve", *toolset]

    def hook_words(self, event: str, assistant: str, moment: Moment = "") -> list[str]:
        """Return the command line of a hook."""
        # The hook reads no settings: another home folder reaches it through the environment.
        prefix = ["env", f"RECOLLECT_HOME={self.home}"] if self.home else []
        return [*prefix, self.python, "-I", "-S", self.hook, event, assistant, *([moment] if moment else [])]

    def hook_line(self, event: Event, assistant: str) -> str:
        """Return the same as one line for a shell."""
        return shlex.join(self.hook_words(event.name, assistant, event.moment))


def this_install(home: str = "") -> Install:
    """Return the running installation; `home`: its home folder unless that is the default."""
    script = Path(sys.executable).with_name(NAME)
    command = (str(script),) if script.is_file() else (sys.executable, "-m", NAME)
    return Install(sys.executable, command, str(Path(__file__).resolve().parents[2] / "hook.py"), home)


# --- Servers ---------------------------------------------------------------------------------------------------------


def _plain(words: list[str]) -> dict[str, Any]:
    return {"command": words[0], "args": words[1:]}


# The format of a server entry, by name. Keys that restate a default are left out, unless the assistant's own tools
# always write them.
SERVERS: Mapping[str, Callable[[list[str]], dict[str, Any]]] = {
    "plain": _plain,
    "stdio": lambda words: {"type": "stdio", **_plain(words)},
    "opencode": lambda words: {"type": "local", "command": words, "enabled": True, "timeout": START_S * 1000},
    "copilot": lambda words: {"type": "local", "tools": ["*"], **_plain(words)},
    "cline": lambda words: {**_plain(words), "disabled": False, "autoApprove": []},
    "codex": lambda words: {**_plain(words), "startup_timeout_sec": START_S},
}


def starts_recollect(value: object) -> bool:
    """Return whether a server entry starts recollect, in any format."""
    if not isinstance(value, Mapping):
        return False
    command, args = value.get("command"), value.get("args", [])
    words = [command] if isinstance(command, str) else command
    if not isinstance(words, list) or not isinstance(args, list):
        return False
    every = [word for word in [*words, *args] if isinstance(word, str)]
    return "serve" in every and any(Path(word).name == NAME for word in every)


# --- Hooks -----------------------------------------------------------------------------------------------------------


Handler = Callable[[str, int], dict[str, Any]]

# The format of one hook, by name, made from its command line and its timeout in seconds.
HANDLERS: Mapping[str, Handler] = {
    "seconds": lambda line, seconds: {"type": "command", "command": line, "timeout": seconds},
    "milliseconds": lambda line, seconds: {
        "name": NAME,
        "type": "command",
        "command": line,
        "timeout": seconds * 1000,
    },
    "copilot": lambda line, seconds: {"type": "command", "bash": line, "timeoutSec": seconds},
    "cursor": lambda line, _seconds: {"command": line},
    "windsurf": lambda line, _seconds: {"command": line, "show_output": False},
}


def is_hook_of_ours(value: object) -> bool:
    """Return whether a hook entry starts our hook."""
    return isinstance(value, Mapping) and any(
        isinstance(value.get(key), str) and HOOK_FILE.search(value[key]) for key in ("command", "bash")
    )


def grouped(handler: dict[str, Any]) -> dict[str, Any]:
    """Return a hook in a group of its own for all tools: the format of Claude Code and of others after it."""
    return {"hooks": [handler]}


# --- Files of our own ------------------------------------------------------------------------------------------------


def pretty(value: object) -> str:
    """Return a JSON file of our own."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def hooks_file(install: Install, assistant: str, events: tuple[Event, ...], *, handler: str) -> str:
    """Return a file with our hooks only, in the format of Copilot CLI."""
    hooks = {row.name: [HANDLERS[handler](install.hook_line(row, assistant), row.seconds)] for row in events}
    return pretty({"version": 1, "hooks": hooks})


def cline_hook(install: Install, assistant: str, event: Event) -> str:
    """Return an executable hook of Cline. It must print JSON: a default where our hook prints nothing."""
    return (
        "#!/bin/sh\n"
        "# Written by `recollect init`; `recollect uninit` removes it.\n"
        f"answer=$({install.hook_line(event, assistant)})\n"
        """[ -n "$answer" ] || answer='{"cancel": false}'\n"""
        "printf '%s\\n' \"$answer\"\n"
    )


def plugin_files(install: Install, events: tuple[Event, ...]) -> dict[str, str]:
    """Return the files of the Claude Code plugin by path; its folder is also a marketplace."""
    about = "One memory for AI coding assistants: recalls decisions, fixes and preferences across sessions."
    hooks = {row.name: [grouped(HANDLERS["seconds"](install.hook_line(row, "claude"), row.seconds))] for row in events}
    return {
        ".claude-plugin/plugin.json": pretty({"name": NAME, "version": __version__, "description": about}),
        ".claude-plugin/marketplace.json": pretty(
            {
                "name": NAME,
                "owner": {"name": NAME},
                "plugins": [{"name": NAME, "source": "./", "description": about, "version": __version__}],
            }
        ),
        "hooks/hooks.json": pretty({"description": about, "hooks": hooks}),
        ".mcp.json": pretty({"mcpServers": {NAME: SERVERS["plain"](install.server_words())}}),
    }


def opencode_plugin(install: Install, seconds: int) -> str:
    """Return the plugin of OpenCode: it passes events to our hook, and the hook's answers to the model.

    A session starts with the first event that names it: session.created may come late, or never when one is resumed.
    """
    words = json.dumps([*install.hook_words("", "")[:-2]])
    plugin = Path(__file__).with_name("opencode_plugin.js").read_text("utf-8")
    return plugin.replace("WORDS", words).replace("PATIENCE_MS", str(seconds * 1000))
