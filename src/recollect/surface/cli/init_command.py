"""`recollect init` and `recollect uninit`: list the changes to the files of assistants, ask, and write them.

If the file of one assistant cannot be parsed, that assistant is reported and left alone. The others are changed. The
exit code reports it.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from recollect.errors import ConfigError, InvalidInput, NotFound, RecollectError
from recollect.expected import meant
from recollect.render.quantities import plural
from recollect.render.untrusted import oneline, visible
from recollect.settings import Settings
from recollect.surface.assistants.assistant_table import (
    ASSISTANTS,
    BY_NAME,
    Assistant,
    Scope,
    installed,
    project_folder,
    roots,
)
from recollect.surface.assistants.entry import this_install
from recollect.surface.assistants.init_ledger import Ledger
from recollect.surface.assistants.plan import Change, Work, apply_changes, connect, disconnect
from recollect.surface.cli.output import Output, confirm, has_colour
from recollect.toolset import parse_toolset

Plan = Callable[[Assistant, Scope, Work], list[Change]]
Status = Literal["changed", "unchanged", "would change", "failed"]

_COLOURS: Mapping[str, str] = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


class Task(NamedTuple):
    """One assistant of a run: its planned changes and their outcome."""

    assistant: Assistant
    changes: list[Change]
    status: Status
    error: RecollectError | None = None

    @property
    def edits(self) -> list[Change]:
        """The changes that touch a file of the assistant."""
        return [change for change in self.changes if change.is_edit]


def init(values: Mapping[str, Any], settings: Settings, output: Output) -> int:
    """Connect the named assistants (default: those that are installed)."""
    scope: Scope = values.get("scope", "user")
    work = work_here(settings)
    work = work._replace(install=work.install._replace(toolset=_toolset(values.get("toolset"))))
    chosen = _named(values.get("assistant")) or _detected(work, scope)
    return _run(chosen, scope, work, connect, values, output)


def uninit(values: Mapping[str, Any], settings: Settings, output: Output) -> int:
    """Disconnect the named assistants (default: all whose files have entries of recollect)."""
    scope: Scope = values.get("scope", "user")
    work = work_here(settings)
    chosen = _named(values.get("assistant")) or [row for row in ASSISTANTS if row.parts(scope)]
    return _run(chosen, scope, work, disconnect, values, output)


def work_here(settings: Settings) -> Work:
    """Return the installation, the folders and the ledger of this process; raises ConfigError without a home."""
    home = os.path.expanduser("~")  # noqa: PTH111 - unlike Path.home, it does not mind a user without one
    if not Path(home).is_absolute():
        raise ConfigError("you have no home folder", hint="Set HOME to the folder with your assistants' settings.")
    usual = Path(home) / ".recollect"
    ours = settings.home_path
    where = roots(os.environ, home=Path(home), project=project_folder(Path.cwd()), recollect=ours)
    return Work(this_install("" if ours == usual else str(ours)), where, Ledger(ours))


def _toolset(value: str | None) -> str:
    try:
        return parse_toolset(value) if value is not None else ""
    except ValueError as problem:
        raise InvalidInput(f"--toolset cannot be {value!r}", hint=f"{problem}.".capitalize()) from None


def _named(names: Sequence[str] | None) -> list[Assistant]:
    """Return the assistants of these names, each once, in the order of the table; raises InvalidInput."""
    wanted = [part.strip().lower() for name in names or () for part in name.split(",") if part.strip()]
    for name in wanted:
        if name not in BY_NAME:
            raise InvalidInput(
                f"unknown assistant {name}",
                hint=meant(name, BY_NAME) or f"One of: {', '.join(BY_NAME)}.",
                assistant=name,
            )
    return [row for row in ASSISTANTS if row.name in wanted]


def _detected(work: Work, scope: Scope) -> list[Assistant]:
    found = [row for row in installed(work.where) if row.parts(scope)]
    if not found:
        raise NotFound(
            "no assistant found on this machine",
            hint=f"Name one: recollect init --assistant {next(iter(BY_NAME))}. All names: {', '.join(BY_NAME)}.",
        )
    return found


# --- A run -----------------------------------------------------------------------------------------------------------


def _run(
    chosen: list[Assistant], scope: Scope, work: Work, plan: Plan, values: Mapping[str, Any], output: Output
) -> int:
    if scope == "project" and work.where["project"] == work.where["~"]:
        raise InvalidInput(
            "the home folder is not a project", hint="Change to the folder of a project, or use --scope user."
        )
    is_rehearsal = bool(values.get("dry_run"))
    tasks = [_planned(row, scope, work, plan) for row in chosen]
    has_edits = any(task.edits for task in tasks)
    if not output.as_json and (is_rehearsal or has_edits):
        output.text("".join(_shown(task, in_full=is_rehearsal) for task in tasks))
    if not is_rehearsal:
        if has_edits and not values.get("yes"):
            _ask(tasks)
        tasks = [_done(task, work) for task in tasks]
    _report(tasks, scope, work, plan, output, is_rehearsal=is_rehearsal)
    return max((task.error.exit_status for task in tasks if task.error), default=0)


def _planned(assistant: Assistant, scope: Scope, work: Work, plan: Plan) -> Task:
    try:
        if not assistant.parts(scope):
            raise InvalidInput(f"{assistant.title} cannot be connected per project", hint="Use --scope user.")
        changes = plan(assistant, scope, work)
    except RecollectError as error:
        return Task(assistant, [], "failed", error)
    return Task(assistant, changes, "would change" if any(row.is_edit for row in changes) else "unchanged")


def _done(task: Task, work: Work) -> Task:
    if task.error:
        return task
    try:
        apply_changes(task.changes, work.ledger)
    except RecollectError as error:
        return task._replace(status="failed", error=error)
    return task._replace(status="changed" if task.edits else "unchanged")


def _ask(tasks: list[Task]) -> None:
    """Return when the person agrees; raises Cancelled, or InvalidInput without a terminal."""
    files = plural(sum(len(task.edits) for task in tasks), "file")
    without_terminal = InvalidInput(
        "no terminal to ask for confirmation; nothing was changed",
        hint="Add --yes to confirm, or --dry-run to see the changes.",
    )
    confirm(f"Change {files}? (--dry-run shows the diff)", without_terminal)


# --- What is shown ---------------------------------------------------------------------------------------------------


def diff(change: Change) -> list[str]:
    """Return a file's change as lines of a unified diff, without control characters."""
    before, after = ((raw or b"").decode("utf-8", "replace").splitlines() for raw in (change.before, change.after))
    old, new = ("/dev/null" if raw is None else str(change.path) for raw in (change.before, change.after))
    return [visible(line) for line in difflib.unified_diff(before, after, old, new, lineterm="")]


def _shown(task: Task, *, in_full: bool) -> str:
    """Return the changes to an assistant's files: whole diffs, or a line for each file."""
    if not task.edits:
        return ""
    if not in_full:
        return "\n".join([f"{task.assistant.title}:", *map(_size, task.edits), ""]) + "\n"
    colours = _COLOURS if has_colour(sys.stdout) else {}
    lines = [f"{task.assistant.title}:"]
    for change in task.edits:
        for line in diff(change) or [f"  {oneline(str(change.path))} (white space only)"]:
            colour = colours.get(line[:1], "")
            lines.append(f"{colour}{line}\x1b[0m" if colour else line)
    return "\n".join([*lines, ""]) + "\n"


def _size(change: Change) -> str:
    path = f"  {oneline(str(change.path))}"
    if change.after is None:
        return f"{path} (deleted)"
    lines = [line[:1] for line in diff(change)[2:]]
    counts = f"+{lines.count('+')} −{lines.count('-')} lines"
    return f"{path} (new file, {lines.count('+')} lines)" if change.before is None else f"{path} ({counts})"


def _steps(task: Task, scope: Scope, work: Work, plan: Plan) -> list[str]:
    """Return what the person must do after an assistant was connected or disconnected."""
    if task.error or (plan is disconnect and not task.edits):
        return []
    steps = task.assistant.all_steps(scope) if plan is connect else task.assistant.undo_steps
    return [step.format(recollect=work.where["recollect"]) for step in steps]


def _report(tasks: list[Task], scope: Scope, work: Work, plan: Plan, output: Output, *, is_rehearsal: bool) -> None:
    steps = [_steps(task, scope, work, plan) for task in tasks]
    if output.as_json:
        rows = [_as_dict(task, left) for task, left in zip(tasks, steps, strict=True)]
        output.line({"scope": scope, "dry_run": is_rehearsal, "assistants": rows})
        return
    is_brief = plan is disconnect  # most assistants of the table were never connected: no line for them
    lines = [_line(task, plan) for task in tasks if not (is_brief and task.status == "unchanged")]
    output.text("\n".join(lines or ["No assistant is connected: nothing to remove."]) + "\n")
    told = [f"  {task.assistant.title}: {step}" for task, left in zip(tasks, steps, strict=True) for step in left]
    if is_rehearsal:
        return
    if plan is connect:
        told += _next(is_changed=any(task.status == "changed" for task in tasks))
    if told:
        output.text("\n".join(["\nNext steps:", *told]) + "\n")


def _next(*, is_changed: bool) -> list[str]:
    """Return the next commands after assistants were connected; they are shown, never run."""
    restart = ["  Restart your assistants: they read their settings when they start."] if is_changed else []
    return [
        *restart,
        "  recollect doctor            check that the hooks and the MCP server work",
        "  recollect import-history .  import this project's git log, documents and past sessions",
        "  recollect index .           index this project's code",
    ]


def _as_dict(task: Task, steps: list[str]) -> dict[str, Any]:
    files = [
        {
            "path": str(change.path),
            "change": "create" if change.before is None else "remove" if change.after is None else "edit",
            "diff": "\n".join(diff(change)),
        }
        for change in task.edits
    ]
    error = {"error": task.error.as_dict()} if task.error else {}
    return {"assistant": task.assistant.name, "status": task.status, "files": files, "steps": steps, **error}


_DONE: Mapping[tuple[Plan, Status], str] = {
    (connect, "changed"): "connected",
    (connect, "unchanged"): "already connected",
    (connect, "would change"): "would be connected",
    (disconnect, "changed"): "disconnected",
    (disconnect, "unchanged"): "was not connected",
    (disconnect, "would change"): "would be disconnected",
}


def _line(task: Task, plan: Plan) -> str:
    if task.error:
        message, hint = oneline(task.error.message), oneline(task.error.hint)
        return f"{task.assistant.title}: {message}\n  hint: {hint} [{task.error.code}]"
    return f"{task.assistant.title}: {_DONE[plan, task.status]}"
