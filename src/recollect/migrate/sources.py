"""Sources: whose memory can be read, as a table; a new one is a row and a class with a reader.

A source may come in several forms, such as a database and an export of it; each form can tell by a look whether
something is of its kind. Asked for `auto`, the first that says so reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.migrate.basic_memory import BasicMemory
from recollect.migrate.claude_mem import ClaudeMem
from recollect.migrate.codemem import Codemem, CodememLines
from recollect.migrate.codemem_sessions import CodememSessions
from recollect.migrate.episodic import Episodic
from recollect.migrate.found import Reader
from recollect.migrate.look import Look, look
from recollect.migrate.markdown import Markdown
from recollect.migrate.memory_lib import MemoryLib
from recollect.migrate.memory_service import MemoryService
from recollect.migrate.reference import Reference


class Form(NamedTuple):
    """One form in which a program keeps memories: how to tell it, and what reads it."""

    source: str
    fits: Callable[[Look], bool]
    reader: Callable[[Look], Reader]


# In the order in which they are asked: what can only be one thing first, what could be anything last.
FORMS: tuple[Form, ...] = (
    Form("claude-mem", ClaudeMem.fits, ClaudeMem),
    Form("codemem", CodememSessions.fits, CodememSessions),
    Form("mcp-memory-service", MemoryService.fits, MemoryService),
    Form("memory_lib", MemoryLib.fits, MemoryLib),
    Form("codemem", Codemem.fits, Codemem),
    Form("server-memory", Reference.fits, Reference),
    Form("codemem", CodememLines.fits, CodememLines),
    Form("episodic", Episodic.fits, Episodic),
    Form("basic-memory", BasicMemory.fits, BasicMemory),
    Form("markdown", Markdown.fits, Markdown),
)

NAMES: tuple[str, ...] = tuple(dict.fromkeys(form.source for form in FORMS))


class Opened(NamedTuple):
    """A source that was found at a path, open for reading."""

    source: str
    reader: Reader


@contextmanager
def opened(path: Path, source: str) -> Iterator[Opened | None]:
    """Open what lies at a path; with `auto`, None where it may be lines of ours.

    Raises InvalidInput where it is not what it is said to be, and says what it looks like instead.
    """
    found = look(path)
    try:
        form = _form(found, source)
        if form is None:
            _refuse_unknown(found)
            yield None
            return
        reader = form.reader(found)
        try:
            yield Opened(form.source, reader)
        finally:
            reader.close()
    finally:
        if found.database is not None:
            found.database.close()


def _form(found: Look, source: str) -> Form | None:
    asked = [form for form in FORMS if source in ("auto", form.source)]
    fitting = next((form for form in asked if form.fits(found)), None)
    if fitting is not None or source == "auto":
        return fitting
    if found.kind == "folder" and source in ("basic-memory", "markdown"):
        return asked[0]  # which says that there is nothing in it
    other = next((form.source for form in FORMS if form.fits(found)), None)
    raise InvalidInput(
        f"{found.path} is not from {source}" + (f", but looks like {other}" if other else ""),
        hint=f"Use --from {other}. Nothing was imported." if other else _HINTS[found.kind],
        path=str(found.path),
        looks_like=other,
    )


def _refuse_unknown(found: Look) -> None:
    """Refuse what can be no lines of ours either."""
    if found.has("changes", "batch"):
        hint = "Export it with `recollect export --database FILE` and import the export."
        raise InvalidInput(f"{found.path} is a recollect database", hint=hint, path=str(found.path))
    if found.kind in ("database", "document", "folder"):
        raise InvalidInput(f"nothing to import in {found.path}", hint=_HINTS[found.kind], path=str(found.path))


_HINTS: Mapping[str, str] = {
    "database": "Its tables match no supported tool; the version may be too old or too new. Nothing was imported.",
    "lines": "Its first line is not a known record. Nothing was imported.",
    "document": "It contains no known records. Nothing was imported.",
    "folder": "The folder contains no Markdown and no known database.",
    "page": "Use --from markdown to import a single page.",
    "unknown": "It is not a database or JSON, or it is truncated. Nothing was imported.",
}
