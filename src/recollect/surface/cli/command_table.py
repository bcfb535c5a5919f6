"""Commands: the catalog joined with the operations and the few commands written by hand.

    recollect graph traverse 1f0c9a2e
              └ path ──────┘

A path is one word, or a group and a word. Parsing, help and shell completion all use this table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import NODEFAULT

from recollect.errors import InvalidInput
from recollect.expected import meant, nearest, shown
from recollect.operations import Operation, Parameter
from recollect.surface.cli.catalog import CATALOG, GROUP_ALIASES, SYNONYMS, Entry, Section
from recollect.toolset import TOOLSETS


class Handwritten(NamedTuple):
    """A command that is not an operation; builtin_commands.py runs it."""

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    positional: tuple[str, ...] = ()
    asks: bool = False

    @property
    def summary(self) -> str:
        """The first sentence of the description, as for an operation."""
        return self.description.partition(". ")[0].partition(".\n")[0]


_CONNECTION = (
    Parameter("assistant", tuple[str, ...], (), "assistants to change (default: all that are found)"),
    Parameter(
        "scope",
        Literal["user", "project"],
        "user",
        "user: your own settings, for all projects; project: files of this project, for everybody who works on it",
    ),
    Parameter("dry_run", bool, False, "show the changes without making them"),
)
_TOOLSET = Parameter("toolset", str, None, f"groups of tools to list, separated by commas: {', '.join(TOOLSETS)}")

HANDWRITTEN: tuple[Handwritten, ...] = (
    Handwritten(
        "init",
        "Connect coding assistants to recollect. It adds the MCP server and the hooks to their settings.\n\n"
        "It shows every change first and asks. It keeps everything else in those files, comments included, and copies "
        "each file to the backups folder of the home folder. Running it again updates the entries. `recollect uninit` "
        "removes them.\n\n"
        "Assistants: claude (Claude Code), claude-plugin (Claude Code, as a plugin), codex, gemini, opencode, copilot, "
        "vscode, cursor, windsurf, cline, zed, junie, amp.",
        (*_CONNECTION, _TOOLSET),
        asks=True,
    ),
    Handwritten(
        "uninit",
        "Disconnect assistants from recollect. It removes what `recollect init` added, including the files and folders "
        "that it created. Memories stay.",
        _CONNECTION,
        asks=True,
    ),
    Handwritten(
        "doctor",
        "Check the installation and every connected assistant. For each assistant, it checks that the settings are up "
        "to date, that the hooks deliver an event, and that the MCP server starts and lists its tools.\n\n"
        "The exit code is 5 if a check fails.",
    ),
    Handwritten(
        "serve",
        "Start the MCP server, over standard streams or HTTP. Assistants start it themselves.\n\n"
        "With --http it serves MCP at /mcp and every operation at /api/v1 until you press Ctrl-C; "
        "/api/v1/openapi.json describes them. Only this machine can connect unless --host names another address. "
        "Other machines need an access token: `recollect admin create-token`.",
        (
            _TOOLSET,
            Parameter("http", bool, False, "serve HTTP"),
            Parameter("host", str, "127.0.0.1", "address to listen on, with --http"),
            Parameter("port", int, 8_377, "port, with --http; 0: any free one"),
            Parameter("require_token", bool, False, "ask for an access token on this machine, too"),
        ),
    ),
    Handwritten(
        "viz",
        "Open the dashboard: search, briefing, sessions, health. It also shows the graph and a map of the memories.\n\n"
        "It serves on this machine only, until you press Ctrl-C. The printed address works once, within 5 minutes; the "
        "browser session ends with the command.",
        (
            Parameter("port", int, 0, "port; 0: any free one"),
            Parameter("no_browser", bool, False, "print the address only"),
            Parameter("read_only", bool, False, "show everything, change nothing"),
        ),
    ),
    Handwritten(
        "watch",
        "Index a project and update the index as files change. Press Ctrl-C to stop.\n\n"
        "The MCP server does the same if the setting `watch` is on.",
        (Parameter("path", str, ".", "the folder of the project"),),
        ("path",),
    ),
    Handwritten(
        "config",
        "Show every setting, its value and its source. Secrets are masked.\n\n"
        "A value comes from the first of: argument, environment variable (RECOLLECT_NAME), project file "
        "(.recollect.toml), user file (config.toml in the home folder), default. To change a setting, edit one of "
        "these files: `watch = true`.",
    ),
    Handwritten(
        "migrate",
        "Copy all memories into another database. It is a file or a PostgreSQL server, and must be empty.\n\n"
        "It compares both sides by the number and hash of their rows. An interrupted copy continues when you run it "
        "again. The source stays as it is: set RECOLLECT_DATABASE_URL or RECOLLECT_DATABASE to use the target.",
        (Parameter("to", str, None, "the target: a file, or postgresql://USER:PASSWORD@HOST/DATABASE"),),
    ),
    Handwritten(
        "completion",
        "Print a shell completion script. It completes commands, options and choices.\n\n"
        'bash: add `eval "$(recollect completion bash)"` to ~/.bashrc. '
        "zsh: save it as _recollect in a folder of $fpath. "
        "fish: save it as ~/.config/fish/completions/recollect.fish.",
        (Parameter("shell", Literal["bash", "zsh", "fish"], NODEFAULT, "the shell"),),
    ),
    Handwritten(
        "help",
        "Show how to use a command. For a group, it lists the commands.",
        (
            Parameter("command", tuple[str, ...], (), "the command or group"),
            Parameter("all", bool, False, "list every command"),
        ),
        ("command",),
    ),
)


class Command(NamedTuple):
    """A command of `recollect`, and the operation it runs."""

    path: str
    runs: Operation | Handwritten
    example: str = ""
    related: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        return self.runs.summary

    @property
    def description(self) -> str:
        return self.runs.description

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.runs.parameters

    @property
    def required(self) -> tuple[Parameter, ...]:
        return tuple(row for row in self.parameters if row.required)

    @property
    def positionals(self) -> tuple[Parameter, ...]:
        """The parameters written by position: the required ones, then those that the operation names."""
        named = (row for row in self.parameters if row.name in self.runs.positional and not row.required)
        return (*self.required, *named)

    @property
    def optionals(self) -> tuple[Parameter, ...]:
        """The parameters written as options."""
        return tuple(row for row in self.parameters if not row.required and row.name not in self.runs.positional)


class GlobalOption(NamedTuple):
    """An option every command takes, before or after its name; one without a metavar is a flag."""

    flags: tuple[str, ...]
    metavar: str
    help: str


GLOBAL_OPTIONS: tuple[GlobalOption, ...] = (
    GlobalOption(("--json",), "", 'print the answer as one line of JSON; errors as {"error": …}'),
    GlobalOption(("--full",), "", "show every detail of the answer"),
    GlobalOption(("--home",), "FOLDER", "folder of the database and settings (default: ~/.recollect)"),
    GlobalOption(("--database",), "FILE", "database file, or postgresql://… (default: recollect.db in home)"),
    GlobalOption(("-v", "--verbose"), "", "print progress, log messages and stack traces to standard error"),
    GlobalOption(("--version",), "", "print the version"),
    GlobalOption(("-h", "--help"), "", "show help"),
)

YES = GlobalOption(("-y", "--yes"), "", "do not ask for confirmation")

# Whether a destructive operation asks first. Deleting one memory does not: `recollect undo` restores it. Deleting a
# project does, since it may have thousands of memories. Weights and notes of a context window are meant to be replaced.
# Revoking a token must be quick, and a new one is easily made.
# A destructive operation that is not listed asks.
QUESTIONS: Mapping[str, str] = {
    "delete_memory": "",
    "undo": "",
    "export_memories": "",
    "set_scoring_weights": "",
    "context_window_start": "",
    "context_window_set": "",
    "context_window_demote": "",
    "context_window_clean": "",
    "context_window_complete": "",
    "revoke_token": "",
    "purge_memories": "Remove permanently? This cannot be undone.",
    "delete_namespace": "Delete everything in project {project}?",
}


def question(command: Command) -> str:
    """Return what the command asks before it runs, with its arguments in braces; empty: nothing."""
    if isinstance(command.runs, Handwritten):
        return "Change these files?" if command.runs.asks else ""
    if not command.runs.destructive:
        return ""
    return QUESTIONS.get(command.runs.name, f"Run {command.path}?")


class Commands(NamedTuple):
    """Every command by its path, and the hidden names that lead to one."""

    by_path: Mapping[str, Command]
    aliases: Mapping[str, str]
    sections: tuple[Section, ...]

    def group(self, name: str) -> Section | None:
        """Return the section of a group, by its name or an older one."""
        wanted = GROUP_ALIASES.get(name, name)
        return next((row for row in self.sections if row.group == wanted), None)

    def named(self, name: str) -> Command | None:
        """Return the command of a path or a hidden name."""
        return self.by_path.get(self.aliases.get(name, name))

    def unknown(self, name: str) -> InvalidInput:
        """Return the error for a word that is no command, with the command that was probably meant."""
        known = {**{path: path for path in self.by_path}, **self.aliases, **SYNONYMS}
        known |= {row.group: row.group for row in self.sections if row.group}
        near = nearest(name.lower(), known)
        hint = f"Did you mean `recollect {known[near]}`?" if near else "`recollect help --all` lists every command."
        return InvalidInput(f"there is no command {shown(name)}", hint=hint, command=name)


def unknown_in(group: Section, word: str) -> InvalidInput:
    """Return the error for a word that is no command of a group."""
    hint = f"{meant(word, group.entries)} Commands of {group.group}: {', '.join(group.entries)}.".strip()
    return InvalidInput(f"{group.group} has no command {shown(word)}", hint=hint, command=word)


def path_of(section: Section, word: str) -> str:
    """Return what is typed for a command of a section."""
    return f"{section.group} {word}".strip()


def commands(operations: Mapping[str, Operation], catalog: Sequence[Section] = CATALOG) -> Commands:
    """Return the commands of the catalog that these operations can run; one it does not name keeps its own name."""
    targets: dict[str, Operation | Handwritten] = {**operations, **{row.name: row for row in HANDWRITTEN}}
    named = {entry.runs for section in catalog for entry in section.entries.values()}
    others = {row.command: Entry(name) for name, row in operations.items() if name not in named}
    sections = []
    for section in (*catalog, Section("Other", others)):
        entries = {word: entry for word, entry in section.entries.items() if entry.runs in targets}
        if entries:
            sections.append(section._replace(entries=entries))
    found = (
        Command(path_of(section, word), targets[entry.runs], entry.example, _related(section, word))
        for section in sections
        for word, entry in section.entries.items()
    )
    by_path = {row.path: row for row in found}
    aliases = {
        name: path
        for path, row in by_path.items()
        if isinstance(row.runs, Operation)
        for name in (row.runs.command, row.runs.name, *row.runs.aliases)
        if name not in by_path
    }
    return Commands(by_path, aliases, tuple(sections))


def _related(section: Section, word: str) -> tuple[str, ...]:
    """Return the commands to look at next; in a group, the others of the group."""
    if section.group:
        return tuple(path_of(section, other) for other in section.entries if other != word)
    return section.entries[word].related
