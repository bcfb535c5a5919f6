"""What can be typed after `recollect`: every row of the operation table, and the few commands written by hand.

Both have the same face (`command`, `summary`, `description`, `parameters`), so that parsing, help, the overview and
shell completion are one fold over one list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol

from msgspec import NODEFAULT

from recollect.operations import Operation, Parameter
from recollect.toolset import TOOLSETS


class Command(Protocol):
    """What parsing, help and completion need to know of a command."""

    @property
    def command(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def positional(self) -> tuple[str, ...]: ...


class Handwritten(NamedTuple):
    """A command that is no operation; cli.py holds what it does."""

    command: str
    summary: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    positional: tuple[str, ...] = ()
    asks: bool = False


_ASSISTANT = Parameter("assistant", tuple[str, ...], (), "which assistant; `recollect help init` lists them")
_SCOPE = (
    Parameter("user", bool, False, "in the files of this user, for all projects; the default"),
    Parameter("project", bool, False, "in files of this project, for everybody who works on it"),
    Parameter("dry_run", bool, False, "show what would change and change nothing"),
)
_TOOLSET = Parameter("toolset", str, None, f"groups of tools to list, joined by commas: {', '.join(TOOLSETS)}")

HANDWRITTEN: tuple[Handwritten, ...] = (
    Handwritten(
        "init",
        "Connect assistants: write our server and hooks into their settings.",
        "Connect assistants: write our server and hooks into their settings. Without --assistant, those that are "
        "installed.\n\n"
        "Every change is shown first and nothing else in those files is touched, comments included. Running it again "
        "changes nothing, or brings our entries up to date. Files are copied to the folder backups of the home folder "
        "before; `recollect uninit` takes away exactly what was added.\n\n"
        "Assistants: claude (Claude Code), claude-plugin (the same as a plugin), codex, gemini, opencode, copilot, "
        "vscode, cursor, windsurf, cline, zed, junie, amp.",
        (_ASSISTANT, *_SCOPE, _TOOLSET),
        asks=True,
    ),
    Handwritten(
        "uninit",
        "Disconnect assistants: take our server and hooks out of their settings.",
        "Disconnect assistants: take our server and hooks out of their settings. Without --assistant, all in whose "
        "files something of ours stands.\n\n"
        "Exactly what `recollect init` added is removed, files and folders it made included. Memories stay.",
        (_ASSISTANT, *_SCOPE),
        asks=True,
    ),
    Handwritten(
        "doctor",
        "Prove that recollect works here, and in every assistant that is connected.",
        "Prove that recollect works here, and in every assistant that is connected.\n\n"
        "Its entries must be there and up to date; a payload sent through each hook, started as the assistant starts "
        "it, must arrive; the server, started as the assistant starts it, must answer and list its tools. The exit "
        "code is 5 if something is wrong.",
    ),
    Handwritten(
        "serve",
        "Serve the memory to an assistant over MCP on standard input and output.",
        "Serve the memory to an assistant over MCP on standard input and output. Assistants start this themselves.",
        (_TOOLSET,),
    ),
    Handwritten(
        "watch",
        "Index a project and keep its index up to date while files change, until Ctrl-C.",
        "Index a project and keep its index up to date while files change, until Ctrl-C.\n\n"
        "A saved file is found within a tenth of a second. A server with the setting watch does the same by itself.",
        (Parameter("path", str, ".", "the folder of the project"),),
        ("path",),
    ),
    Handwritten(
        "config",
        "Show each setting, its value and where it was found.",
        "Show each setting, its value and where it was found. Secrets are masked.\n\n"
        "A value is looked for in this order: argument, environment (RECOLLECT_NAME), project file (.recollect.toml), "
        "user file (config.toml in the home folder), default.",
    ),
    Handwritten(
        "completion",
        "Print a script that completes commands, options and choices in a shell.",
        "Print a script that completes commands, options and choices in a shell.\n\n"
        'bash: add `eval "$(recollect completion bash)"` to ~/.bashrc. '
        "zsh: write it to a file named _recollect in a folder of $fpath. "
        "fish: write it to ~/.config/fish/completions/recollect.fish.",
        (Parameter("shell", Literal["bash", "zsh", "fish"], NODEFAULT, "the shell to write for"),),
    ),
    Handwritten("help", "Show how a command is called.", "Show how a command is called: recollect help COMMAND."),
)


class GlobalOption(NamedTuple):
    """An option every command takes, before or after its name; one without a metavar is a flag."""

    flags: tuple[str, ...]
    metavar: str
    help: str


GLOBAL_OPTIONS: tuple[GlobalOption, ...] = (
    GlobalOption(("--json",), "", 'print one line of JSON: the answer, or {"error": …}'),
    GlobalOption(("--home",), "FOLDER", "folder of the database and settings (default: ~/.recollect)"),
    GlobalOption(("--database",), "FILE", "database file (default: recollect.db in the home folder)"),
    GlobalOption(
        ("-v", "--verbose"), "", "say more on standard error: progress, log, the trace of an unexpected error"
    ),
    GlobalOption(("--version",), "", "print the version"),
    GlobalOption(("-h", "--help"), "", "show help"),
)

YES = GlobalOption(("-y", "--yes"), "", "do not ask for confirmation")

# Whether a destructive operation asks first. One memory is not asked about: it is in sight when its id is typed, and
# `recollect undo` brings it back. A namespace is, since nobody sees the thousands of memories behind its name. Weights
# and notes of a context window are set to be replaced. A destructive operation that is not listed asks.
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
    "purge_memories": "Remove for good? Nothing can bring it back.",
    "delete_namespace": "Delete everything in namespace {namespace}?",
}


def question(command: Command) -> str:
    """Return what is asked before the command runs, with its arguments in braces; empty: nothing."""
    if isinstance(command, Handwritten):
        return "Change these files?" if command.asks else ""
    if not isinstance(command, Operation) or not command.destructive:
        return ""
    return QUESTIONS.get(command.name, f"Really {command.command}?")


# How the overview groups commands; what no group names comes last, under `OTHER`.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Remember and recall", ("store", "search", "pack", "get", "list", "update", "delete", "purge", "associate")),
    (
        "Know the code",
        (
            "index",
            "watch",
            "map",
            "code",
            "symbols",
            "symbol",
            "dependencies",
            "impact",
            "review",
            "cycles",
            "dead-code",
            "cross-repo",
            "drift",
            "settle",
        ),
    ),
    (
        "Fill the context window",
        (
            "context-window",
            "context-window-start",
            "context-window-get",
            "context-window-set",
            "context-window-promote",
            "context-window-demote",
            "context-window-clean",
            "context-window-complete",
        ),
    ),
    ("Keep pieces of code", ("store-code", "find-code", "evolve")),
    (
        "Follow links",
        (
            "recall-with-expansion",
            "recall-with-impact",
            "traverse",
            "pagerank",
            "clusters",
            "recompute-centrality",
        ),
    ),
    (
        "Keep projects apart",
        (
            "namespaces",
            "namespace-stats",
            "delete-namespace",
            "workspace-init",
            "workspace-create",
            "workspace-retrieve",
        ),
    ),
    ("Follow sessions", ("sessions", "session", "context", "prompt", "summarize", "ingest")),
    ("Learn from what happened", ("patterns", "insights", "decisions", "commands", "distil")),
    ("Bring in what is known", ("import-history", "import", "export")),
    (
        "Keep it good",
        (
            "consolidate",
            "consolidation-status",
            "consolidate-decay",
            "consolidate-creative",
            "consolidate-cluster",
            "consolidate-forget",
            "restore",
            "usefulness",
        ),
    ),
    ("Look after it", ("stats", "health", "spending", "changes", "undo", "rebuild", "weights")),
    ("Connect and set up", ("init", "uninit", "doctor", "serve", "config", "completion", "help")),
)
OTHER = "Further commands"


# Commands whose name may be followed by a blank instead of a dash: context-window start. Others take words there.
FAMILIES: tuple[str, ...] = ("context-window",)


def of_family(words: Sequence[str], table: Mapping[str, Command]) -> list[str]:
    """Return the words of a command line, with a command of a family that was written as two of them as one."""
    for place, (word, follower) in enumerate(pairwise(words)):
        if word in FAMILIES and f"{word}-{follower}" in table:
            return [*words[:place], f"{word}-{follower}", *words[place + 2 :]]
    return list(words)


def positionals(command: Command) -> tuple[Parameter, ...]:
    """Return the parameters written by position: the required ones, then those the operation names."""
    required = tuple(row for row in command.parameters if row.required)
    return required + tuple(row for row in command.parameters if row.name in command.positional and not row.required)


def optionals(command: Command) -> tuple[Parameter, ...]:
    """Return the parameters written as options."""
    return tuple(row for row in command.parameters if not row.required and row.name not in command.positional)


def commands(operations: Mapping[str, Operation]) -> dict[str, Command]:
    """Return every command by its name: operations in the order of their table, then the handwritten ones."""
    table: dict[str, Command] = {row.command: row for row in operations.values()}
    table.update((row.command, row) for row in HANDWRITTEN)
    return table
