"""The table: every assistant, how it is detected, which files connect it, and what its user must do.

A path begins with the name of a root: `~` home, `config` the settings folder (XDG), `code` the user folder of VS Code,
`claude` and `codex` the folders of those programs, `recollect` our home, `project` the project. Of several paths the
first that exists is used, else the first.

Tested with the program itself: Claude Code, Codex, Gemini CLI, OpenCode, Copilot CLI. From documentation: the others.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from recollect.surface.assistants.entry import Event, Moment

Scope = Literal["user", "project"]

# An answer may wait for a busy database, and the conversation waits for the answer.
ANSWERS_S = 10
# A capture writes one small file; if that takes longer, the machine hangs.
CAPTURES_S = 5
# Claude Code ends hooks of SessionEnd after 1.5 seconds, Codex after 1 (3 at most).
LAST_S = 1


# For assistants that show the model a tool when it searches for it. Seen: 17 more tools cost no character of a request
# of Codex 0.166 and 530 characters, their names, in Claude Code 2.1.
ON_DEMAND = "core,code,sessions"


class Server(NamedTuple):
    """Our MCP server, as a member of an object in a JSON file; `keys` lead to that object."""

    paths: tuple[str, ...]
    keys: tuple[str, ...] = ("mcpServers",)
    form: str = "plain"


class TomlServer(NamedTuple):
    """Our MCP server, as a table of a TOML file."""

    paths: tuple[str, ...]
    form: str = "codex"


class Hooks(NamedTuple):
    """Our hooks, as items of arrays below `hooks` in a JSON file; `version`: one the file must name."""

    paths: tuple[str, ...]
    events: tuple[Event, ...]
    handler: str
    grouped: bool = True
    version: int = 0


class Own(NamedTuple):
    """A file that is ours alone; `content` names how it is made (plan.py), `event` the one it listens to."""

    paths: tuple[str, ...]
    content: str
    event: Event | None = None
    mode: int = 0o644


Part = Server | TomlServer | Hooks | Own


class Assistant(NamedTuple):
    """One assistant. `programs` and `folders` show that it is installed; `steps` are printed after init.

    on_request: another way to connect one of the others, never chosen automatically
    toolset: the groups of tools that its server lists; empty: the default
    """

    name: str
    title: str
    programs: tuple[str, ...]
    folders: tuple[str, ...]
    user: tuple[Part, ...]
    project: tuple[Part, ...]
    steps: tuple[str, ...] = ()
    user_steps: tuple[str, ...] = ()
    project_steps: tuple[str, ...] = ()
    undo_steps: tuple[str, ...] = ()
    on_request: bool = False
    toolset: str = ""

    def parts(self, scope: Scope) -> tuple[Part, ...]:
        """Return the files that connect it for a user, or for everyone in a project."""
        return self.user if scope == "user" else self.project

    def all_steps(self, scope: Scope) -> tuple[str, ...]:
        """Return the steps that its user must do."""
        return (*self.steps, *(self.user_steps if scope == "user" else self.project_steps))


def _events(captures: str, *, start: str = "", prompt: str = "", tool: str = "", last: str = "") -> tuple[Event, ...]:
    """Return events with their timeouts: those that are answered, captured, and captured at the end of a session."""
    rows: tuple[tuple[str, int, Moment], ...] = (
        (start, ANSWERS_S, "start"),
        (prompt, ANSWERS_S, "prompt"),
        (tool, ANSWERS_S, "tool"),
        (captures, CAPTURES_S, ""),
        (last, LAST_S, ""),
    )
    return tuple(Event(name, seconds, moment) for names, seconds, moment in rows for name in names.split())


# A known fix is most useful at PostToolUseFailure. PreToolUse adds nothing to PostToolUse. Stop gets no answer, which
# would make the agent continue. SessionEnd gets none, which would be an error.
CLAUDE = _events(
    "PostToolUse SubagentStop PreCompact PostCompact Stop StopFailure",
    start="SessionStart",
    prompt="UserPromptSubmit",
    tool="PostToolUseFailure",
    last="SessionEnd",
)
# The others report a failure like any use of a tool: only its output shows it.
CODEX = _events(
    "SubagentStop PreCompact PostCompact Stop",
    start="SessionStart",
    prompt="UserPromptSubmit",
    tool="PostToolUse",
    last="SessionEnd",
)
# PreCompress fires before every request to the model and carries no information.
GEMINI = _events("AfterAgent SessionEnd", start="SessionStart", prompt="BeforeAgent", tool="AfterTool")
COPILOT = _events(
    "agentStop sessionEnd",
    start="sessionStart",
    prompt="userPromptSubmitted",
    tool="postToolUse postToolUseFailure",
)
# beforeSubmitPrompt can block a prompt but not add to it.
CURSOR = _events(
    "beforeSubmitPrompt subagentStop preCompact stop sessionEnd",
    start="sessionStart",
    tool="postToolUse postToolUseFailure",
)
WINDSURF = _events(
    "pre_user_prompt post_read_code post_write_code post_run_command post_mcp_tool_use post_cascade_response"
)
CLINE = _events(
    "TaskCancel TaskComplete PreCompact", start="TaskStart TaskResume", prompt="UserPromptSubmit", tool="PostToolUse"
)

_PLUGIN = (".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "hooks/hooks.json", ".mcp.json")
_CLINE_SERVERS = "code/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

ASSISTANTS: tuple[Assistant, ...] = (
    Assistant(
        "claude",
        "Claude Code",
        ("claude",),
        ("claude", "~/.claude.json"),
        (Server(("claude.json",), form="stdio"), Hooks(("claude/settings.json",), CLAUDE, "seconds")),
        (Server(("project/.mcp.json",), form="stdio"), Hooks(("project/.claude/settings.json",), CLAUDE, "seconds")),
        project_steps=("Start Claude Code here and approve the server recollect when it asks.",),
        toolset=ON_DEMAND,
    ),
    Assistant(
        "claude-plugin",
        "Claude Code (as a plugin)",
        (),
        (),
        tuple(Own((f"recollect/claude-plugin/{name}",), name) for name in _PLUGIN),
        (),
        user_steps=(
            "Run: claude plugin marketplace add {recollect}/claude-plugin",
            "Run: claude plugin install recollect@recollect",
            "Use either the plugin or `recollect init --assistant claude`, not both.",
        ),
        undo_steps=("Run: claude plugin uninstall recollect@recollect && claude plugin marketplace remove recollect",),
        on_request=True,
        toolset=ON_DEMAND,
    ),
    Assistant(
        "codex",
        "Codex",
        ("codex",),
        ("codex",),
        (TomlServer(("codex/config.toml",)), Hooks(("codex/hooks.json",), CODEX, "seconds")),
        (TomlServer(("project/.codex/config.toml",)), Hooks(("project/.codex/hooks.json",), CODEX, "seconds")),
        steps=("Start Codex and trust the new hooks when it asks, or with /hooks. Until then it runs none.",),
        project_steps=("Trust the project in Codex. Otherwise it ignores the folder .codex.",),
        toolset=ON_DEMAND,
    ),
    Assistant(
        "gemini",
        "Gemini CLI",
        ("gemini",),
        ("~/.gemini",),
        (Server(("~/.gemini/settings.json",)), Hooks(("~/.gemini/settings.json",), GEMINI, "milliseconds")),
        (Server(("project/.gemini/settings.json",)), Hooks(("project/.gemini/settings.json",), GEMINI, "milliseconds")),
        steps=("Trust your project folders in Gemini CLI. In other folders it starts no servers and no hooks.",),
    ),
    Assistant(
        "opencode",
        "OpenCode",
        ("opencode",),
        ("config/opencode",),
        (
            Server(("config/opencode/opencode.json", "config/opencode/opencode.jsonc"), ("mcp",), "opencode"),
            Own(("config/opencode/plugins/recollect.js",), "opencode"),
        ),
        (
            Server(("project/opencode.json", "project/opencode.jsonc"), ("mcp",), "opencode"),
            Own(("project/.opencode/plugins/recollect.js",), "opencode"),
        ),
    ),
    Assistant(
        "copilot",
        "Copilot CLI",
        ("copilot",),
        ("~/.copilot",),
        (
            Server(("~/.copilot/mcp-config.json",), form="copilot"),
            Own(("~/.copilot/hooks/recollect.json",), "copilot"),
        ),
        (
            Server(("project/.github/mcp.json",), form="copilot"),
            Own(("project/.github/hooks/recollect.json",), "copilot"),
        ),
        project_steps=("Trust this folder in Copilot CLI. In other folders it silently ignores servers and hooks.",),
    ),
    Assistant(
        "vscode",
        "VS Code",
        ("code",),
        ("code",),
        (Server(("code/mcp.json",), ("servers",), "stdio"),),
        (Server(("project/.vscode/mcp.json",), ("servers",), "stdio"),),
        steps=("Trust the server recollect when VS Code asks. VS Code gets tools, no hooks.",),
    ),
    Assistant(
        "cursor",
        "Cursor",
        ("cursor", "cursor-agent"),
        ("~/.cursor",),
        (Server(("~/.cursor/mcp.json",)), Hooks(("~/.cursor/hooks.json",), CURSOR, "cursor", False, 1)),
        (Server(("project/.cursor/mcp.json",)), Hooks(("project/.cursor/hooks.json",), CURSOR, "cursor", False, 1)),
        steps=("Turn on the server recollect in Cursor's settings (Tools & MCP) if it is off.",),
    ),
    Assistant(
        "windsurf",
        "Windsurf",
        ("windsurf",),
        ("~/.codeium/windsurf",),
        (
            Server(("~/.codeium/windsurf/mcp_config.json",)),
            Hooks(("~/.codeium/windsurf/hooks.json",), WINDSURF, "windsurf", False),
        ),
        (Hooks(("project/.windsurf/hooks.json",), WINDSURF, "windsurf", False),),
        steps=("Press Refresh in Windsurf's list of MCP servers, or restart Windsurf.",),
        project_steps=("Windsurf has servers per user only: also run `recollect init --assistant windsurf`.",),
    ),
    Assistant(
        "cline",
        "Cline",
        (),
        ("code/globalStorage/saoudrizwan.claude-dev",),
        (
            Server((_CLINE_SERVERS,), form="cline"),
            *(Own((f"~/Documents/Cline/Hooks/{row.name}",), "cline", row, 0o755) for row in CLINE),
        ),
        tuple(Own((f"project/.clinerules/hooks/{row.name}",), "cline", row, 0o755) for row in CLINE),
        steps=("Turn on hooks in Cline's settings (Features) if they are off.",),
        project_steps=("Cline has servers per user only: also run `recollect init --assistant cline`.",),
    ),
    Assistant(
        "zed",
        "Zed",
        ("zed", "zeditor"),
        ("config/zed",),
        (Server(("config/zed/settings.json",), ("context_servers",)),),
        (Server(("project/.zed/settings.json",), ("context_servers",)),),
        steps=("Zed has no hooks; it gets tools only.",),
    ),
    Assistant(
        "junie",
        "Junie",
        ("junie",),
        ("~/.junie",),
        (Server(("~/.junie/mcp/mcp.json",)),),
        (Server(("project/.junie/mcp/mcp.json",)),),
        steps=("Junie has no hooks; it gets tools only.",),
    ),
    Assistant(
        "amp",
        "Amp",
        ("amp",),
        ("config/amp",),
        (Server(("config/amp/settings.json",), ("amp.mcpServers",)),),
        (Server(("project/.amp/settings.json",), ("amp.mcpServers",)),),
        steps=("Amp has hooks for its own plugins only; it gets tools only.",),
        project_steps=("Approve the server recollect when Amp asks.",),
    ),
)

BY_NAME = {row.name: row for row in ASSISTANTS}


# --- on this machine ---


Roots = Mapping[str, Path]


def roots(environment: Mapping[str, str], *, home: Path, project: Path, recollect: Path) -> Roots:
    """Return the folder that each root of the table stands for.

    environment: XDG_CONFIG_HOME, CLAUDE_CONFIG_DIR and CODEX_HOME are used, as by the programs themselves
    """

    def given(name: str, usual: Path) -> Path:
        return Path(environment[name]) if environment.get(name) else usual

    config = given("XDG_CONFIG_HOME", home / ".config")
    code = home / "Library" / "Application Support" if sys.platform == "darwin" else config
    return {
        "~": home,
        "config": config,
        "code": code / "Code" / "User",
        "claude": given("CLAUDE_CONFIG_DIR", home / ".claude"),
        "claude.json": given("CLAUDE_CONFIG_DIR", home) / ".claude.json",
        "codex": given("CODEX_HOME", home / ".codex"),
        "recollect": recollect,
        "project": project,
    }


def place(path: str, where: Roots) -> Path:
    """Return a path of the table on this machine."""
    root, _slash, rest = path.partition("/")
    return where[root] / rest if rest else where[root]


def file_of(part: Part, where: Roots) -> Path:
    """Return the file of a part: the first of its paths that exists, else the first."""
    found = [place(path, where) for path in part.paths]
    return next((path for path in found if path.exists()), found[0])


def is_installed(assistant: Assistant, where: Roots) -> bool:
    """Return whether an assistant is installed: its program is on PATH, or its folder exists."""
    if assistant.on_request:
        return False
    return any(shutil.which(name) for name in assistant.programs) or any(
        place(path, where).exists() for path in assistant.folders
    )


def installed(where: Roots) -> list[Assistant]:
    """Return the installed assistants, in the order of the table."""
    return [row for row in ASSISTANTS if is_installed(row, where)]


def project_folder(folder: Path) -> Path:
    """Return the root of the git work tree that contains a folder, or the folder itself."""
    return next((path for path in (folder, *folder.parents) if (path / ".git").exists()), folder)
