"""Found: what readers yield of another program's memory; and what a reader is.

Keys hold within one source: `parent`, `session`, `replaced_by`, `src` and `dst` name what was or will be yielded under
that key. `part` is what the source itself calls the kind of record, for the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from recollect.model import MemoryType

_NOTHING: Mapping[str, Any] = {}


class Remembered(NamedTuple):
    """Something that the source remembers, and that becomes a memory.

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
    """A session that the source knows of."""

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
    """A point of the source's graph that is no memory: a file, a symbol."""

    part: str
    key: str
    kind: str
    label: str | None = None
    project: str | None = None
    beside: Mapping[str, Any] = _NOTHING


class Linked(NamedTuple):
    """A relation between two things; name: as the source calls it."""

    part: str
    src: str
    dst: str
    name: str
    at: int | None = None
    weight: float = 1.0
    properties: Mapping[str, Any] = _NOTHING


class Left(NamedTuple):
    """What the source has and what is not taken over, with the reason."""

    part: str
    why: str
    rows: int = 1


Found = Remembered | Sat | Noded | Linked | Left


class Reader(Protocol):
    """The memory of another program, open for reading.

    program: whose it is, in words. kept_ids: its keys are ids that hold everywhere, so that memories keep them
    """

    program: str
    kept_ids: bool

    def read(self) -> Iterator[Found]:
        """Yield everything there is: sessions, then memories, then nodes, then links; the same each time."""
        ...

    def close(self) -> None: ...
