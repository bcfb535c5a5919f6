"""Propose lessons of a project as lines for its instructions file.

    memories, prompts, fixes, commands ─► lessons ─► new to the file ─► section ─► diff ─► shown ─► applied by its id

The id of a proposal is made of the file before and after: an id fits only the diff that was shown, and no longer once
the file has changed. Only lessons of the project are proposed: preferences of one person do not belong into a shared
file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from recollect import clock
from recollect.engine.records.checkout import work_tree
from recollect.engine.records.identity import project_root
from recollect.engine.records.output_file import refuse_elsewhere
from recollect.engine.sessions.observed_events import observed
from recollect.errors import Conflict, InvalidInput, NotFound, StorageError
from recollect.files import read_file, replace_file
from recollect.model import Fix, KnownCommand, Lesson, Memory, Proposal
from recollect.patterns.project_lessons import STATED, corrections, difference, lessons, unsaid, with_lessons
from recollect.patterns.usage_patterns import tool_preferences
from recollect.text.digest import digest
from recollect.text.display import plural, visible

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.store.sql import Store

# Where assistants look for instructions, the one that most of them read first.
FILES = ("AGENTS.md", "CLAUDE.md")
# An instructions file is read in every session; a larger file is none.
MAX_BYTES = 1024 * 1024
# Memories that are read.
LOOKED_AT = 1_000
# Prompts that are read, the latest.
PROMPTS = 3_000
# Sources of stated preferences; transcripts are imported.
STATED_BY = ("user", "assistant", "import")
ID_CHARACTERS = 8


def distil(
    context: Context,
    commands: Callable[[str | None], Sequence[KnownCommand]],
    path: str,
    file: str | None,
    apply: str | None,
    limit: int,
) -> Proposal:
    """Return lines for the instructions of a project; written if `apply` is their id. Raises Conflict.

    commands: returns the commands that worked in a project
    """
    root = _root(path)
    target = _target(root, file)
    before, is_new = _read(target)
    namespace = project_root(root)
    found = _lessons(context.store, namespace, commands(namespace))
    text = before.decode("utf-8")
    # Lessons quote people: one line each, without characters that act instead of being read.
    clean = [msgspec.structs.replace(row, text=_harmless(row.text)) for row in found]
    fresh = set(unsaid(text, [row.text for row in clean]))
    told = list({row.text: row for row in clean if row.text in fresh}.values())
    new = told[:limit]
    after = with_lessons(text, [row.text for row in new]).encode()
    shown = target.relative_to(root).as_posix()
    proposal = Proposal(
        path=str(target),
        diff=difference(text, after.decode(), shown, is_new=is_new),
        lessons=tuple(new),
        id=f"{_mark(before)}-{_mark(after)}",
        known=len(clean) - len(told),
        notes=(f"{plural(len(told) - limit, 'more lesson')} not shown: raise limit to see them",)
        if len(told) > limit
        else (),
    )
    return proposal if apply is None else _applied(context, proposal, apply, target, before, after)


def _applied(context: Context, proposal: Proposal, apply: str, target: Path, before: bytes, after: bytes) -> Proposal:
    if apply.partition("-")[2] == _mark(before):
        # It was written before, or there is nothing to write.
        note = "the file already contains these lessons; nothing was written"
        return msgspec.structs.replace(proposal, notes=(*proposal.notes, note))
    if apply != proposal.id:
        raise Conflict(
            "the proposal is out of date: the file or the memories have changed",
            hint="Run `recollect patterns distil` again and apply the new id.",
            id=proposal.id,
        )
    refuse_elsewhere(context, target)
    _write(target, before, after)
    return msgspec.structs.replace(proposal, applied=True)


def _lessons(store: Store, namespace: str, commands: Sequence[KnownCommand]) -> list[Lesson]:
    now = clock.now()
    where = {"namespace": namespace, "memory_type": STATED, "source": STATED_BY, "superseded_by": None}
    # What was imported from the project is left out: its files say it already.
    stated = [
        row
        for row in store.find(Memory, where, order="-importance", limit=LOOKED_AT)
        if row.holds(now) and row.metadata.get("from") not in ("docs", "adr", "git")
    ]
    fixes = store.find(Fix, {"namespace": namespace}, order="-seen_at", limit=LOOKED_AT)
    kept = {row.id for row in store.get(Memory, list({fix.memory_id for fix in fixes})) if row.superseded_by is None}
    return lessons(
        stated,
        corrections(observed(store, namespace, None, "prompt", PROMPTS)),
        [fix for fix in fixes if fix.memory_id in kept],
        commands,
        tool_preferences(observed(store, namespace, None, "tool")),
    )


def _harmless(text: str) -> str:
    # A comment would hide from people what assistants read, and could end our section.
    return " ".join(visible(text).split()).replace("<!--", "‹!--").replace("-->", "--›")


# --- the file ---


def _root(path: str) -> Path:
    try:
        folder = Path(path).expanduser()
        root = Path(work_tree(str(folder)))
    except (OSError, RuntimeError) as problem:  # an unknown user, or the current folder is gone
        raise InvalidInput(f"{path} is not a usable path: {problem}", field="path") from None
    if not folder.is_dir():
        raise NotFound(f"there is no folder {path}", hint="Give the folder of a project.", path=path)
    return root


def _target(root: Path, file: str | None) -> Path:
    if file is None:
        there = [name for name in FILES if (root / name).is_file()]
        file = there[0] if there else FILES[0]
    name = file.strip()
    if not name or "\0" in name:
        raise InvalidInput("file is empty or contains a NUL character", field="file")
    # Links are followed: CLAUDE.md is often a link to AGENTS.md.
    target = Path(os.path.realpath(root / Path(name).expanduser()))
    if not target.is_relative_to(root):
        hint = "Give a file inside the project, relative to its root."
        raise InvalidInput(f"{file} is outside the project {root}", hint=hint, field="file")
    if target.suffix.lower() not in (".md", ".mdc", ".markdown", ".txt"):
        hint = "For example AGENTS.md, CLAUDE.md or .cursor/rules/project.mdc."
        raise InvalidInput(f"{file} is not an instructions file", hint=hint, field="file")
    return target


def _read(target: Path) -> tuple[bytes, bool]:
    """Return the content of a file, and whether it does not exist yet."""
    try:
        content = read_file(target)
        content.decode("utf-8")
    except FileNotFoundError:
        return b"", True
    except UnicodeDecodeError as problem:
        raise InvalidInput(f"{target.name} is not UTF-8 text (byte {problem.start})", field="file") from None
    except OSError as problem:
        raise InvalidInput(f"{target.name} cannot be read: {problem.strerror}", field="file") from None
    if len(content) > MAX_BYTES:
        raise InvalidInput(f"{target.name} is larger than {MAX_BYTES:,} bytes", field="file")
    return content, False


def _write(target: Path, before: bytes, after: bytes) -> None:
    """Replace a file unless it changed a moment ago; its mode stays."""
    if _read(target)[0] != before:
        hint = "Run `recollect patterns distil` again."
        raise Conflict(f"{target.name} was changed by another program", hint=hint)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, after)
    except OSError as problem:
        raise StorageError(f"{target} cannot be written: {problem.strerror}") from None


def _mark(content: bytes) -> str:
    return digest(content.decode("utf-8"), ID_CHARACTERS)
