"""The sources of history by name; a table, so that a new source is a row and a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.history.changelogs import Changelogs
from recollect.history.commits import Git
from recollect.history.history_record import Source
from recollect.history.project_documents import Decisions, Documents

# By the name that `--only` takes. Of two records of one change, as full, that of the source named first is kept.
SOURCES: Mapping[str, Callable[[], Source]] = {"git": Git, "changelog": Changelogs, "adr": Decisions, "docs": Documents}
