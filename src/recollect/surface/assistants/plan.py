"""Plans: the changes that connect or disconnect an assistant, file by file, before anything is written.

A plan is computed from the table, the installation and the current files. Carrying it out replaces each file
atomically. A file that changed since is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from recollect.errors import ConfigError, Conflict
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
from recollect.surface.assistants.json_settings import Draft
from recollect.surface.assistants.settings_file import content, expect, put, target, text_of

TOML_PATH = ("mcp_servers", entry.NAME)

# Stands in a hint for whatever the event is called.
_ANY = entry.Event("EVENT", CAPTURES_S)


class Change(NamedTuple):
    """One file before and after (None: no file). `row` is its entry in the ledger (None: no entry)."""

    path: Path
    before: bytes | None
    after: bytes | None
    row: Row | None
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


Step = Callable[[Part, Draft, Assistant, Work, Path], Draft]


def _planned(assistant: Assistant, scope: Scope, work: Work, step: Step) -> list[Change]:
    files: dict[Path, list[Part]] = {}
    for part in assistant.parts(scope):
        files.setdefault(target(file_of(part, work.where)), []).append(part)
    found = [_change(path, parts, assistant, scope, work, step) for path, parts in files.items()]
    return [change for change in found if change.is_edit or (change.row is None and work.ledger.row(change.path))]


def _change(path: Path, parts: list[Part], assistant: Assistant, scope: Scope, work: Work, step: Step) -> Change:
    before = content(path)
    mark, text = text_of(path, before) if before is not None else ("", None)
    known = work.ledger.row(path)
    fresh = Row(assistant=assistant.name, scope=scope, made=before is None)
    row = known if known and before is not None else fresh
    if known and before is None:
        row = msgspec.structs.replace(fresh, backup=known.backup)
    row = msgspec.structs.replace(row, toolset=work.install.toolset or row.toolset)
    install = work.install._replace(toolset=row.toolset or assistant.toolset)
    work = work._replace(install=install)
    draft = Draft(text, row, known=known is not None)
    try:
        for part in parts:
            draft = step(part, draft, assistant, work, path)
        _hold(text, draft.text, parts)
    except (jsonc.Malformed, toml.Malformed) as problem:
        place = f"{path}:{problem.line}" if problem.line else str(path)
        raise ConfigError(
            f"{place}: {problem}",
            hint="Correct the file and run the command again. The file was not changed.",
            path=str(path),
            line=problem.line,
        ) from None
    except Conflict as problem:
        raise Conflict(f"{path}: {problem.message}", hint=problem.hint, path=str(path)) from None
    after = None if draft.text is None else (mark + draft.text).encode()
    mode = next((part.mode for part in parts if isinstance(part, Own)), None)
    return Change(path, before, after, draft.row if step is _put else None, mode)


def _hold(before: str | None, after: str | None, parts: list[Part]) -> None:
    """Return if nothing of others changed; raises Malformed, for a defect of ours must not reach their files."""
    if not any(isinstance(part, Server | Hooks) for part in parts):
        return
    container = next((part.keys for part in parts if isinstance(part, Server)), ())
    if json_settings.foreign(before, container) != json_settings.foreign(after, container):
        raise jsonc.Malformed("the entry of recollect cannot be edited without changing others", before or "", 0)


# --- One part --------------------------------------------------------------------------------------------------------


def _put(part: Part, draft: Draft, assistant: Assistant, work: Work, path: Path) -> Draft:
    if isinstance(part, Server):
        return json_settings.put_server(draft, part.keys, entry.SERVERS[part.form](work.install.server_words()))
    if isinstance(part, Hooks):
        handlers = {
            row.name: entry.HANDLERS[part.handler](work.install.hook_line(row, assistant.name), row.seconds)
            for row in part.events
        }
        versioned = json_settings.put_version(draft, part.version) if part.version else draft
        return json_settings.put_hooks(versioned, handlers, in_groups=part.grouped)
    if isinstance(part, TomlServer):
        return _put_table(draft, entry.SERVERS[part.form](work.install.server_words()))
    if draft.text is not None and not _is_own(draft, path, work):
        raise Conflict(
            "the file was written by another program",
            hint=f"Add this command to it: {work.install.hook_line(part.event or _ANY, assistant.name)}",
        )
    return draft._replace(text=_OWN[part.content](work.install, part))


def _take(part: Part, draft: Draft, _assistant: Assistant, work: Work, path: Path) -> Draft:
    if draft.text is None:
        return draft
    if isinstance(part, Server):
        return json_settings.take_server(draft, part.keys)
    if isinstance(part, Hooks):
        return json_settings.take_version(json_settings.take_hooks(draft))
    if isinstance(part, TomlServer):
        return _take_table(draft)
    return draft._replace(text=None) if _is_own(draft, path, work) else draft


def _is_own(draft: Draft, path: Path, work: Work) -> bool:
    """Return whether a file is ours alone: the ledger says so, it starts our hook, or it is in our home folder."""
    is_with_us = target(work.where["recollect"]) in path.parents
    return draft.known or is_with_us or entry.HOOK_FILE.search(draft.text or "") is not None


def _put_table(draft: Draft, values: Mapping[str, object]) -> Draft:
    text = draft.text or ""
    found = toml.at(toml.parse(text), TOML_PATH)
    if found is None:
        after, added = toml.append(text, TOML_PATH, values)
        return draft._replace(text=after, row=msgspec.structs.replace(draft.row, text=added))
    if not entry.starts_recollect(found):
        raise Conflict(f"another server is named {entry.NAME}", hint="Rename that server and run the command again.")
    if all(found.get(key) == values[key] for key in json_settings.ESSENTIAL if key in values):
        return draft
    kept = {key: row for key, row in found.items() if not isinstance(row, dict)}
    after, was = toml.rewrite(text, TOML_PATH, {**kept, **values})
    if draft.row.text or draft.row.replaced:
        return draft._replace(text=after)
    return draft._replace(text=after, row=msgspec.structs.replace(draft.row, replaced=((TOML_PATH, was),)))


def _take_table(draft: Draft) -> Draft:
    text = draft.text or ""
    found = toml.at(toml.parse(text), TOML_PATH)
    if found is None or not entry.starts_recollect(found) or (draft.known and not _wrote_table(draft.row)):
        return draft
    if draft.row.replaced:
        return draft._replace(text=toml.restore(text, TOML_PATH, draft.row.replaced[0][1]))
    after = toml.cut(text, TOML_PATH, draft.row.text)
    return draft._replace(text=None if draft.row.made and not after.strip() else after)


def _wrote_table(row: Row) -> bool:
    return bool(row.text or row.replaced)


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
        ledger.note(change.path, change.row, change.before)
        ledger.make_folder(change.path.parent)
    if change.after is not None and change.is_edit:
        put(change.path, change.after, mode=change.mode)
    elif change.after is None:
        change.path.unlink(missing_ok=True)
    if change.row is None:
        ledger.forget(change.path)
