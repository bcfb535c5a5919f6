"""Observations, prompts and summaries of sessions, in the form that claude-mem and codemem (sessions) share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from recollect.importing.fields import Fields
from recollect.importing.import_records import Found, Left, Remembered
from recollect.importing.import_source import Reader
from recollect.model import MemoryType

# Our type of memory by their kind of observation.
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
# The fields of a summary, and their labels in the memory.
ANSWERS = {
    "request": "Asked for",
    "investigated": "Looked into",
    "learned": "Learnt",
    "completed": "Done",
    "next_steps": "Next",
    "notes": "Notes",
}
# As low as that of prompts that hooks capture.
PROMPT_IMPORTANCE = 0.3
_FILES = ("files_read", "files_modified", "files_edited")


class Setting(NamedTuple):
    """The key, session, project and time of a row."""

    key: str
    session: str | None
    project: str | None
    at: int | None


def observation(part: str, fields: Fields, where: Setting, *, body: str, kind: str, **more: Any) -> Found:
    """Return an observation as a memory: text, then facts; concepts are tags, files metadata.

    body, kind: the fields that hold the text and the kind
    """
    title, subtitle, text = fields.text("title"), fields.text("subtitle"), fields.text(body)
    narrative, facts, sort = fields.text("narrative"), fields.names("facts"), fields.text(kind)
    # One of them often repeats another.
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
        **where._asdict(),
        content="\n".join(said) or str(title),
        title=title,
        category=sort,
        memory_type=TYPES.get(sort or "", "context"),
        tags=tags,
        metadata={**more.pop("metadata", {}), **kept, **_files(fields)},
        **more,
        beside=fields.rest(),
    )


def summary(part: str, fields: Fields, where: Setting, **more: Any) -> Found:
    """Return the summary of a session as an insight."""
    answers = {name: fields.text(name) for name in ANSWERS}
    said = [f"{ANSWERS[name]}: {answer}" for name, answer in answers.items() if answer]
    if not said:
        return Left(part, "it is empty")
    return Remembered(
        part=part,
        **where._asdict(),
        content="\n".join(said),
        category="session_summary",
        memory_type="insight",
        metadata={**more.pop("metadata", {}), **_files(fields)},
        beside=fields.rest(),
    )


def prompt(part: str, fields: Fields, where: Setting, **more: Any) -> Found:
    """Return a prompt as a memory."""
    text = fields.text("prompt_text")
    if text is None:
        return Left(part, "it is empty")
    return Remembered(
        part=part,
        **where._asdict(),
        content=text,
        category="prompt",
        observed=True,
        importance=PROMPT_IMPORTANCE,
        metadata=more.pop("metadata", {}),
        beside=fields.rest(),
    )


def _files(fields: Fields) -> dict[str, list[str]]:
    found = {name: list(fields.names(name)) for name in _FILES}
    return {name: files for name, files in found.items() if files}


class TableReader(Reader):
    """A reader of a database, or of an export whose lists hold the rows of its tables.

    tables: why each table is not read; empty: it is read. lists: the name of a table's list, where it differs
    """

    tables: Mapping[str, str] = {}
    lists: Mapping[str, str] = {}

    def rows(self, table: str) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a table; none if it is missing."""
        if self.source.database is not None:
            yield from self.database.rows(table) if table in self.database.tables else ()
            return
        rows = self.source.first.get(self.lists.get(table, table))
        yield from (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()

    def rest(self) -> Iterator[Left]:
        """Yield the tables or lists that are not read."""
        if self.source.database is not None:
            yield from self.database.others(self.tables)
            return
        tables = {name: table for table, name in self.lists.items()}
        for name, rows in self.source.first.items():
            why = self.tables.get(tables.get(name, name), "unknown list")
            if isinstance(rows, list) and rows and why:
                yield Left(name, why, len(rows))
