"""`recollect doctor`: checks recollect and every connected assistant, and says how to fix what is wrong.

recollect       the home folder is writable, the database works, a hook finds a memory without a server
an assistant    its entries are up to date, each hook delivers and answers, the MCP server answers
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from recollect.errors import ConfigError, ProviderError, RecollectError
from recollect.files import private_folder
from recollect.render.block import Block, Grid, Line, Tone
from recollect.render.quantities import plural
from recollect.render.untrusted import oneline
from recollect.settings import Settings
from recollect.surface.assistants import probe
from recollect.surface.assistants.assistant_table import ASSISTANTS, Assistant, Scope, file_of
from recollect.surface.assistants.plan import Work, connect, disconnect
from recollect.surface.assistants.settings_file import target
from recollect.surface.cli.init_command import work_here
from recollect.surface.cli.output import Output

Status = Literal["ok", "warning", "problem"]
TONES: Mapping[Status, Tone] = {"ok": "good", "warning": "weak", "problem": "bad"}

SCOPES: tuple[Scope, ...] = ("user", "project")

# A project's files come with the repository: their commands run only if this installation wrote them.
FOREIGN = "not started: the project's file names a program of another installation"


class Check(NamedTuple):
    """One check: its subject, name, status and result, and what to do about it."""

    subject: str
    name: str
    status: Status
    found: str
    remedy: str = ""


Servers = dict[tuple[str, ...], tuple[str, int]]


def doctor(settings: Settings, output: Output) -> int:
    """Run and show all checks; return the exit code of ConfigError if one found a problem."""
    checks = all_checks(settings)
    _show(checks, output)
    return ConfigError.exit_status if any(row.status == "problem" for row in checks) else 0


def all_checks(settings: Settings) -> list[Check]:
    """Return the results of all checks."""
    work = work_here(settings)
    checks = [_home(settings), _database(settings), _alone(work)]
    checks += _team(settings)
    ours = len(checks)
    servers: Servers = {}  # most assistants start the same server: it is checked once
    for assistant, scope in _connected(work):
        checks += _assistant(assistant, scope, work, servers)
    if len(checks) == ours:
        checks.append(Check("assistants", "connected", "warning", "no assistant is connected", "Run `recollect init`."))
    return [*checks, *_doubled(checks)]


def _show(checks: list[Check], output: Output) -> None:
    is_well = all(row.status != "problem" for row in checks)
    if output.as_json:
        rows = [row._asdict() for row in checks]
        output.line({"status": "ok" if is_well else "problem", "checks": rows})
        return
    cells = tuple((row.status, row.subject, row.name, oneline(row.found)) for row in checks)
    blocks: list[Block] = [
        Grid(("status", "subject", "check", "result"), cells, tuple(TONES[row.status] for row in checks))
    ]
    blocks += [
        Line(f"{row.subject} {row.name}: {oneline(row.remedy)}", TONES[row.status])
        for row in checks
        if row.status != "ok"
    ]
    blocks.append(_verdict(checks))
    output.blocks(blocks)


def _verdict(checks: list[Check]) -> Line:
    found = Counter(row.status for row in checks)
    if found["problem"]:
        return Line(f"{plural(found['problem'], 'problem')}, {plural(found['warning'], 'warning')}.", "bad")
    if found["warning"]:
        return Line(f"Works, with {plural(found['warning'], 'warning')}.", "weak")
    return Line("All checks passed.", "good")


# --- recollect itself -------------------------------------------------------------------------------------------------


def _home(settings: Settings) -> Check:
    folder = settings.home_path
    try:
        private_folder(folder)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"recollect doctor")
    except OSError as problem:
        remedy = f"Make {folder} writable, or set RECOLLECT_HOME to a folder that you can write to."
        return Check("recollect", "home", "problem", f"{folder}: {problem.strerror}", remedy)
    return Check("recollect", "home", "ok", f"{folder} is writable")


def _database(settings: Settings) -> Check:
    from recollect.engine import Engine

    try:
        with Engine(settings) as engine:
            health = engine.admin.health()
            place = engine.store.describe().location
    except RecollectError as error:
        return Check("recollect", "database", "problem", error.message, error.hint)
    bad = [row for row in health.checks if row.status != "ok"]
    if not bad:
        return Check("recollect", "database", "ok", f"{place} works")
    status: Status = "problem" if health.status == "failed" else "warning"
    told = "; ".join(f"{row.name}: {row.detail}" for row in bad)
    remedy = " ".join(row.mend for row in bad) or "Run `recollect health` for details."
    return Check("recollect", "database", status, told, remedy)


def _team(settings: Settings) -> list[Check]:
    """Return what is wrong with memories that this repository shares, and whether the team server gets ours."""
    from recollect.engine import Engine

    checks: list[Check] = []
    try:
        with Engine(settings) as engine:
            engine.scope.enter(os.getcwd())  # noqa: PTH109 - as text
            if wrong := engine.sharing.standing(engine.scope.current() or ""):
                remedy = "Run `recollect trust` if you trust it, and correct files that are skipped."
                checks.append(Check("repository", "shared memories", "warning", "; ".join(wrong), remedy))
            if settings.team_url:
                engine.team.send()
                waiting, failure = engine.team.waiting()
                if waiting:
                    found = f"{plural(waiting, 'write')} not sent yet: {failure}"
                    checks.append(Check("team server", "outbox", "warning", found, "They are sent by themselves."))
                for project in list(engine.team.client.projects.values())[:1]:
                    engine.team.client.recall({"query": "doctor", "project": project, "limit": 1})
                checks.append(Check("team server", "connection", "ok", "answers"))
    except ProviderError as error:
        checks.append(Check("team server", "connection", "problem", error.message, "Check team_url and team_token."))
    except RecollectError as error:
        checks.append(Check("team server", "connection", "problem", error.message, error.hint))
    return checks


def _alone(work: Work) -> Check:
    wrong = probe.check_without_server(work.install, os.environ)
    if not wrong:
        return Check("recollect", "hooks", "ok", "answer with and without a running server")
    remedy = "Install recollect and its dependencies into one environment, for example with pipx or uv."
    return Check("recollect", "hooks", "warning", wrong, remedy)


# --- Assistants ------------------------------------------------------------------------------------------------------


def _connected(work: Work) -> Iterator[tuple[Assistant, Scope]]:
    """Yield the assistants whose files have entries of recollect, or had some and cannot be parsed now."""
    is_project = work.where["project"] != work.where["~"]
    for scope in SCOPES if is_project else SCOPES[:1]:
        for assistant in ASSISTANTS:
            try:
                is_there = bool(disconnect(assistant, scope, work))
            except RecollectError:
                is_there = any(work.ledger.row(path) for path in _files(assistant, scope, work))
            if is_there:
                yield assistant, scope


def _files(assistant: Assistant, scope: Scope, work: Work) -> list[Any]:
    return [target(file_of(part, work.where)) for part in assistant.parts(scope)]


def _assistant(assistant: Assistant, scope: Scope, work: Work, servers: Servers) -> list[Check]:
    subject = assistant.name if scope == "user" else f"{assistant.name} (project)"
    again = f"Run `recollect init --assistant {assistant.name}{' --scope project' if scope == 'project' else ''}`."

    def check(name: str, look: Callable[[], str], found: str) -> Check:
        try:
            wrong = look()
        except RecollectError as error:
            return Check(subject, name, "problem", error.message, error.hint)
        except ValueError as problem:
            return Check(subject, name, "problem", str(problem), again)
        return Check(subject, name, "problem", wrong, again) if wrong else Check(subject, name, "ok", found)

    checks = [check("entries", lambda: _entries(assistant, scope, work), "up to date")]
    try:
        lines = probe.hook_lines(assistant, scope, work.where)
        words = probe.server_words(assistant, scope, work.where)
    except (RecollectError, ValueError):  # the first check says that the file cannot be read
        return checks
    if lines:
        answering = sum(line.answers for line in lines)
        told = f"{plural(len(lines), 'hook')} deliver" + (f", {answering} of them answer" if answering else "")
        checks.append(check("hooks", lambda: _hooks(lines, scope, work), told))
    if words and scope == "project" and not probe.is_own(words, work.install):
        checks.append(check("server", lambda: f"{FOREIGN}: {words[0]}", ""))
    elif words:
        if tuple(words) not in servers:
            servers[tuple(words)] = probe.check_server(words, os.environ)
        wrong, tools = servers[tuple(words)]
        checks.append(check("server", lambda: wrong, f"answers and lists {tools} tools"))
    return checks


def _entries(assistant: Assistant, scope: Scope, work: Work) -> str:
    edits = [change.path for change in connect(assistant, scope, work) if change.is_edit]
    return f"missing or outdated in {', '.join(map(str, edits))}" if edits else ""


def _hooks(lines: list[probe.Line], scope: Scope, work: Work) -> str:
    """Return what is wrong with the first hook that fails; empty if all work."""
    for line in lines:
        if scope == "project" and not probe.is_own(line.words, work.install):
            return f"{FOREIGN}: hook of {line.event}"
        if probe.home_of(line) != work.install.home:
            return f"the hook of {line.event} uses another home folder: {probe.home_of(line) or '~/.recollect'}"
        wrong = probe.check_hook(line, os.environ)
        if wrong:
            return wrong
    return ""


def _doubled(checks: list[Check]) -> list[Check]:
    """Return a warning if Claude Code is connected twice: every event would be captured twice."""
    if {"claude", "claude-plugin"} <= {row.subject for row in checks}:
        remedy = "Run `recollect uninit --assistant claude` to keep the plugin, or `--assistant claude-plugin`."
        return [Check("claude", "once", "warning", "connected twice: by its settings and by the plugin", remedy)]
    return []
