"""Plans: the changes that connect or disconnect an assistant, file by file, before anything is written.

A plan is computed from the table, the installation and the current files. Carrying it out replaces each file
atomically. A file that changed since is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from recollect.errors import ConfigError, Conflict
from recollect.files import replace_file
from recollect.surface.assistants import entry, json_settings, jsonc, toml
from recollect.surface.assistants.assistant_table import (
    ANSWERS_S,
    CAPTURES_S,
    CLAUDE,
    COPILOT,
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
from recollect.surface.assistants.init_ledger import Ledger, Row
from recollect.surface.assistants.settings_file import content, expect, target, text_of

TOML_PATH = ("mcp_servers", entry.NAME)

# Stands in a hint for whatever the event is called.
_ANY = entry.Event("EVENT", CAPTURES_S)


class Change(NamedTuple):
    """One file before and after (None: no file). `row` is its entry in the ledger (None: no entry).

    original: the file without our entries
    """

    path: Path
    before: bytes | None
    after: bytes | None
    row: Row | None
    original: bytes | None = None
    mode: int | None = None

    @property
    def is_edit(self) -> bool:
        """Whether the file changes; a change without an edit only removes a ledger entry."""
        return self.before != self.after


class Work(NamedTuple):
    """The input of all plans: the installation, the folders and the ledger."""

    install: entry.Install
    where: Roots
    ledger: Ledger


def connect(assistant: Assistant, scope: Scope, work: Work) -> list[Change]:
    """Return the changes that connect an assistant; none if it is connected.

    Raises ConfigError (with path and line) for a file that cannot be parsed, Conflict for a name that is taken.
    """
    return _planned(assistant, scope, work, _put)


def disconnect(assistant: Assistant, scope: Scope, work: Work) -> list[Change]:
    """Return the changes that remove every entry of recollect; raises as `connect` does."""
    return _planned(assistant, scope, work, _take)


class _File(NamedTuple):
    """A file that is planned; known: the ledger has a row for it."""

    path: Path
    assistant: Assistant
    work: Work
    known: bool


Step = Callable[[Part, str | None, _File], str | None]


def _planned(assistant: Assistant, scope: Scope, work: Work, step: Step) -> list[Change]:
    files: dict[Path, list[Part]] = {}
    for part in assistant.parts(scope):
        files.setdefault(target(file_of(part, work.where)), []).append(part)
    found = [_change(path, parts, assistant, scope, work, step) for path, parts in files.items()]
    return [change for change in found if change.is_edit or (change.row is None and work.ledger.row(change.path))]


def _change(path: Path, parts: list[Part], assistant: Assistant, scope: Scope, work: Work, step: Step) -> Change:
    before = content(path)
    known = work.ledger.row(path)
    toolset = work.install.toolset or (known.toolset if known else "")
    install = work.install._replace(toolset=toolset or assistant.toolset)
    file = _File(path, assistant, work._replace(install=install), known is not None)
    try:
        original = work.ledger.original(path, before or b"")
    except LookupError:
        original = _edited(parts, before, file, _take) if known or step is _take else before
    if step is _take:
        return Change(path, before, original, None)
    row = Row(assistant=assistant.name, scope=scope, toolset=toolset)
    mode = next((part.mode for part in parts if isinstance(part, Own)), None)
    return Change(path, before, _edited(parts, before, file, step), row, original, mode)


def _edited(parts: list[Part], before: bytes | None, file: _File, step: Step) -> bytes | None:
    """Return a file after a step for each of its parts; None: no file."""
    mark, text = text_of(file.path, before) if before is not None else ("", None)
    after = text
    try:
        for part in parts:
            after = step(part, after, file)
        _hold(text, after, parts)
    except (jsonc.Malformed, toml.Malformed) as problem:
        place = f"{file.path}:{problem.line}" if problem.line else str(file.path)
        raise ConfigError(
            f"{place}: {problem}",
            hint="Correct the file and run the command again. The file was not changed.",
            path=str(file.path),
            line=problem.line,
        ) from None
    except Conflict as problem:
        raise Conflict(f"{file.path}: {problem.message}", hint=problem.hint, path=str(file.path)) from None
    known = file.work.ledger.row(file.path)
    if step is _take and known is not None and not known.backup and _is_bare(after, parts):
        return None  # init made the file
    return None if after is None else (mark + after).encode()


def _is_bare(text: str | None, parts: list[Part]) -> bool:
    is_json = any(isinstance(part, Server | Hooks) for part in parts)
    return not (text or "").strip() or (is_json and json_settings.is_bare(text or ""))


def _hold(before: str | None, after: str | None, parts: list[Part]) -> None:
    """Return if nothing of others changed; raises Malformed, for a defect of ours must not reach their files."""
    if not any(isinstance(part, Server | Hooks) for part in parts):
        return
    container = next((part.keys for part in parts if isinstance(part, Server)), ())
    if json_settings.foreign(before, container) != json_settings.foreign(after, container):
        raise jsonc.Malformed("the entry of recollect cannot be edited without changing others", before or "", 0)


# --- One part --------------------------------------------------------------------------------------------------------


def _put(part: Part, text: str | None, file: _File) -> str | None:
    install, assistant = file.work.install, file.assistant.name
    if isinstance(part, Server):
        return json_settings.put_server(text, part.keys, entry.SERVERS[part.form](install.server_words()))
    if isinstance(part, Hooks):
        handlers = {
            row.name: entry.HANDLERS[part.handler](install.hook_line(row, assistant), row.seconds)
            for row in part.events
        }
        versioned = json_settings.put_version(text, part.version) if part.version else text
        return json_settings.put_hooks(versioned, handlers, in_groups=part.grouped)
    if isinstance(part, TomlServer):
        return _put_table(text or "", entry.SERVERS[part.form](install.server_words()))
    if text is not None and not _is_own(text, file):
        raise Conflict(
            "the file was written by another program",
            hint=f"Add this command to it: {install.hook_line(part.event or _ANY, assistant)}",
        )
    return _OWN[part.content](install, part)


def _take(part: Part, text: str | None, file: _File) -> str | None:
    if text is None:
        return None
    if isinstance(part, Server):
        return json_settings.take_server(text, part.keys)
    if isinstance(part, Hooks):
        return json_settings.take_version(json_settings.take_hooks(text))
    if isinstance(part, TomlServer):
        return toml.cut(text, TOML_PATH) if entry.starts_recollect(toml.at(toml.parse(text), TOML_PATH)) else text
    return None if _is_own(text, file) else text


def _is_own(text: str, file: _File) -> bool:
    """Return whether a file is ours alone: the ledger says so, it starts our hook, or it is in our home folder."""
    is_with_us = target(file.work.where["recollect"]) in file.path.parents
    return file.known or is_with_us or entry.HOOK_FILE.search(text) is not None


def _put_table(text: str, values: Mapping[str, object]) -> str:
    found = toml.at(toml.parse(text), TOML_PATH)
    if found is None:
        return toml.append(text, TOML_PATH, values)
    if not entry.starts_recollect(found):
        raise Conflict(f"another server is named {entry.NAME}", hint="Rename that server and run the command again.")
    if all(found.get(key) == values[key] for key in json_settings.ESSENTIAL if key in values):
        return text
    kept = {key: row for key, row in found.items() if not isinstance(row, dict)}
    return toml.rewrite(text, TOML_PATH, {**kept, **values})


def _plugin(install: entry.Install, part: Own) -> str:
    return entry.plugin_files(install, CLAUDE)[part.content]


# What the name of a file of our own stands for.
_OWN: Mapping[str, Callable[[entry.Install, Own], str]] = {
    "opencode": lambda install, _part: entry.opencode_plugin(install, ANSWERS_S),
    "copilot": lambda install, _part: entry.hooks_file(install, "copilot", COPILOT, handler="copilot"),
    "cline": lambda install, part: entry.cline_hook(install, "cline", part.event or _ANY),
    ".claude-plugin/plugin.json": _plugin,
    ".claude-plugin/marketplace.json": _plugin,
    "hooks/hooks.json": _plugin,
    ".mcp.json": _plugin,
}


# --- Carrying out ----------------------------------------------------------------------------------------------------


def apply_changes(changes: list[Change], ledger: Ledger) -> None:
    """Write the planned changes; raises Conflict for a file that changed since, ConfigError for an unwritable one."""
    for change in changes:
        try:
            _write(change, ledger)
        except OSError as problem:
            raise ConfigError(
                f"{change.path} cannot be written: {problem.strerror}",
                hint="Check permissions and free space. The file was not changed.",
                path=str(change.path),
            ) from None
    if any(change.row is None for change in changes):
        ledger.tidy()


def _write(change: Change, ledger: Ledger) -> None:
    expect(change.path, change.before)
    if change.row is not None:
        ledger.note(change.path, change.row, change.original, change.after)
        ledger.make_folder(change.path.parent)
    if change.after is not None and change.is_edit:
        replace_file(change.path, change.after, mode=change.mode)
    elif change.after is None:
        change.path.unlink(missing_ok=True)
    if change.row is None:
        ledger.forget(change.path)
