"""Told: observations, prompts and summaries of sessions, as claude-mem and the codemem that watches sessions keep them.

Both have the same fields: a title, a narrative, facts, concepts, files; a summary is six answers to six questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from recollect.migrate.fields import Fields
from recollect.migrate.found import Found, Left, Remembered
from recollect.model import MemoryType

# What their kinds of observations are in our words.
TYPES: Mapping[str, MemoryType] = {
    "decision": "decision",
    "preference": "preference",
    "bugfix": "insight",
    "discovery": "insight",
    "exploration": "insight",
    "security_alert": "insight",
    "security_note": "insight",
    "session_summary": "insight",
    "pattern": "pattern",
    "refactor": "context",
    "feature": "context",
    "change": "context",
}
# Of a summary: the field, and what stands before its answer.
ANSWERS = {
    "request": "Asked for",
    "investigated": "Looked into",
    "learned": "Learnt",
    "completed": "Done",
    "next_steps": "Next",
    "notes": "Notes",
}
# Words of a person are worth less than what came of them, like the prompts that hooks keep.
PROMPT_IMPORTANCE = 0.3
_FILES = ("files_read", "files_modified", "files_edited")


class Setting(NamedTuple):
    """What a row is part of: its key, its session, its project and when it was."""

    key: str
    session: str | None
    project: str | None
    at: int | None


def observation(part: str, fields: Fields, where: Setting, *, body: str, kind: str, **more: Any) -> Found:
    """Return an observation as a memory: what it tells, then its facts; concepts are tags, files metadata.

    body: the field that holds the text. kind: the field that says what sort it is
    """
    title, subtitle, text = fields.text("title"), fields.text("subtitle"), fields.text(body)
    narrative, facts, sort = fields.text("narrative"), fields.names("facts"), fields.text(kind)
    # One of them is often the same text again.
    whole = dict.fromkeys(each for each in (subtitle, narrative, text) if each)
    said = [each for each in whole if not any(each != other and each in other for other in whole)]
    said += [f"- {fact}" for fact in facts if not any(fact in each for each in whole)]
    if not said and title is None:
        return Left(part, "it is empty")
    concepts = fields.names("concepts")
    tags = tuple(dict.fromkeys((*concepts, *more.pop("tags", ()))))
    kept = {**({"subtitle": subtitle} if subtitle else {}), **({"facts": list(facts)} if facts else {})}
    return Remembered(
        part=part,
        key=where.key,
        content="\n".join(said) or str(title),
        at=where.at,
        title=title,
        category=sort,
        memory_type=TYPES.get(sort or "", "context"),
        tags=tags,
        project=where.project,
        session=where.session,
        metadata={**more.pop("metadata", {}), **kept, **_files(fields)},
        **more,
        beside=fields.rest(),
    )


def summary(part: str, fields: Fields, where: Setting, **more: Any) -> Found:
    """Return the summary of a session as an insight: every question that has an answer, in order."""
    answers = {name: fields.text(name) for name in ANSWERS}
    said = [f"{ANSWERS[name]}: {answer}" for name, answer in answers.items() if answer]
    if not said:
        return Left(part, "it is empty")
    return Remembered(
        part=part,
        key=where.key,
        content="\n".join(said),
        at=where.at,
        category="session_summary",
        memory_type="insight",
        project=where.project,
        session=where.session,
        metadata={**more.pop("metadata", {}), **_files(fields)},
        beside=fields.rest(),
    )


def prompt(part: str, fields: Fields, where: Setting, **more: Any) -> Found:
    """Return what a person asked as a memory."""
    text = fields.text("prompt_text")
    if text is None:
        return Left(part, "it is empty")
    return Remembered(
        part=part,
        key=where.key,
        content=text,
        at=where.at,
        category="prompt",
        observed=True,
        importance=PROMPT_IMPORTANCE,
        project=where.project,
        session=where.session,
        metadata=more.pop("metadata", {}),
        beside=fields.rest(),
    )


def _files(fields: Fields) -> dict[str, list[str]]:
    found = {name: list(fields.names(name)) for name in _FILES}
    return {name: files for name, files in found.items() if files}
