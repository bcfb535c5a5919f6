"""Found: one thing that a source learnt of a project's past; and what a source is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from recollect.model import MemoryType


class Found(NamedTuple):
    """One thing worth remembering, with where and when it is from.

    key: the same for the same thing, whenever it is found; within its source. rule: which rule found it
    at: since when it holds. replaced_by, ended_at: the key of what took it back, of the same source, and when
    """

    key: str
    rule: str
    content: str
    memory_type: MemoryType
    at: int
    importance: float = 0.5
    title: str | None = None
    author: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    replaced_by: str | None = None
    ended_at: int | None = None


class Source(Protocol):
    """Where a project's past can be read.

    Once the records were read, `left_out` names files that took too long, and `notes` says what git could not give.
    """

    left_out: list[str]
    notes: list[str]

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield what is found below a folder, nothing from before `since`; says how far it is (progress)."""
        ...


def clipped(text: str, most: int) -> str:
    """Return a text within so many characters, cut at the end of a word."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[most // 2 :] else cut).rstrip(" ,;:.-") + "…"
