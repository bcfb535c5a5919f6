"""Sources: where the past of a project is read, as a table; a new one is a row and a class with one method."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.history.decisions import Decisions
from recollect.history.documents import Documents
from recollect.history.found import Source
from recollect.history.git import Git
from recollect.history.notes import Notes

# By the name that `--only` takes: what makes the source, given how many things it may tell.
SOURCES: Mapping[str, Callable[[int], Source]] = {
    "git": Git,
    "adr": Decisions,
    "docs": Documents,
    "notes": Notes,
}
