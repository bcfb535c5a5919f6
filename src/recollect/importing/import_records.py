"""Records that readers yield of another program's memory.

Keys hold within one source: `parent`, `session`, `replaced_by`, `src` and `dst` name records that are yielded under
that key. `part` is the source's own name for the kind of record, for the report.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from recollect.model import RELATIONS, MemoryType, Relation

_NOTHING: Mapping[str, Any] = {}


class Remembered(NamedTuple):
    """A record that becomes a memory.

    at: when it was written; None: the source does not say. project: as the source names it
    metadata: what the source itself keeps as such. beside: its fields that have no place here
    """

    part: str
    key: str
    content: str
    at: int | None
    memory_type: MemoryType = "context"
    importance: float = 0.5
    confidence: float = 1.0
    access_count: int = 0
    tags: tuple[str, ...] = ()
    title: str | None = None
    category: str | None = None
    author: str | None = None
    updated_at: int | None = None
    accessed_at: int | None = None
    ended_at: int | None = None
    expires_at: int | None = None
    project: str | None = None
    session: str | None = None
    parent: str | None = None
    place: int | None = None
    replaced_by: str | None = None
    observed: bool = False
    metadata: Mapping[str, Any] = _NOTHING
    beside: Mapping[str, Any] = _NOTHING


class Sat(NamedTuple):
    """A session of the source."""

    part: str
    key: str
    started_at: int
    ended_at: int | None = None
    project: str | None = None
    summary: str | None = None
    assistant: str = ""
    branch: str = ""
    memory_count: int = 0
    beside: Mapping[str, Any] = _NOTHING


class Noded(NamedTuple):
    """A node of the source's graph that is no memory: a file, a symbol."""

    part: str
    key: str
    kind: str
    label: str | None = None
    project: str | None = None
    beside: Mapping[str, Any] = _NOTHING


class Linked(NamedTuple):
    """A relation between two records; name: as the source calls it."""

    part: str
    src: str
    dst: str
    name: str
    at: int | None = None
    weight: float = 1.0
    properties: Mapping[str, Any] = _NOTHING


class Left(NamedTuple):
    """Rows that are not imported, and why."""

    part: str
    why: str
    rows: int = 1


Found = Remembered | Sat | Noded | Linked | Left


# Synonyms of our relations; every other name becomes RELATES_TO and keeps its own word.
SAME: Mapping[str, Relation] = {
    "RELATED": "RELATES_TO",
    "RELATED_TO": "RELATES_TO",
    "LINKS_TO": "RELATES_TO",
    "CAUSES": "LEADS_TO",
    "CAUSED": "LEADS_TO",
    "REQUIRES": "DEPENDS_ON",
    "SUPPORTS": "REINFORCES",
    "REPLACES": "SUPERSEDES",
    "FOLLOWS": "PRECEDED_BY",
    "INHERITS_FROM": "INHERITS",
    "BELONGS_TO": "PART_OF",
    "SIMILAR": "SIMILAR_TO",
    "SEMANTIC": "SIMILAR_TO",
    "DOCUMENTS": "EXPLAINS",
    "BASED_ON": "DERIVED_FROM",
}


def relation(name: str) -> Relation:
    """Return the relation that a name means in any spelling; RELATES_TO if it is unknown."""
    spelt = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    word = re.sub(r"[\W_]+", "_", spelt).strip("_").upper()
    return cast(Relation, word) if word in RELATIONS else SAME.get(word, "RELATES_TO")
