"""Lesson: what is stored of an observation, before redaction."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from recollect.model import MemoryType

TAG_CHARACTERS = 120
# The longest content, and the longest line that says what happened.
CONTENT_CHARACTERS = 4_000
TOLD_CHARACTERS = 240
CODE_CHARACTERS = 100


class Defined(NamedTuple):
    """A symbol that a file defines; `parent` is its place in the list, -1 at the top. Lines count from 1."""

    name: str
    qualified: str
    kind: str
    first: int
    last: int
    parent: int = -1


# The symbols of a text, given the path of its file; empty if it is no source code.
Outline = Callable[[str, str], "tuple[Defined, ...]"]


class Place(NamedTuple):
    """The folder of a session and the root of its project; empty if unknown."""

    cwd: str = ""
    root: str = ""

    def absolute(self, path: str) -> str:
        """Return an absolute path, as far as the folder is known."""
        plain = path.replace("\\", "/")
        return posixpath.normpath(plain if plain.startswith("/") else posixpath.join(self.cwd or "/", plain))

    def shown(self, path: str) -> str:
        """Return a path on one line, relative to the root of the project if it lies there."""
        whole = " ".join(self.absolute(path).splitlines())
        for folder in (self.root, self.cwd):
            if folder and whole.startswith(folder.rstrip("/") + "/"):
                return whole[len(folder.rstrip("/")) + 1 :]
        return whole


class Lesson(NamedTuple):
    """The memory of one observation.

    told: what happened, in a line. content: the memory; empty: none
    target: its file, pattern, command or address. outcome, fingerprint: see model.Observed
    paths: its files, as absolute paths
    """

    told: str
    content: str = ""
    memory_type: MemoryType = "context"
    importance: float = 0.5
    category: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    target: str = ""
    outcome: str = ""
    fingerprint: str = ""
    paths: tuple[str, ...] = ()


def file_tags(path: str) -> tuple[str, ...]:
    """Return the tags of a file: its extension, the folder it lies in, and its name."""
    folder, name = posixpath.split(path)
    stem, extension = posixpath.splitext(name)
    parent = posixpath.basename(folder)
    found = (
        ("ext", extension[1:].lower() if stem else ""),
        ("dir", parent),
        ("file", name),
    )
    return tuple(tag(kind, value) for kind, value in found if value)


def tag(kind: str, value: str) -> str:
    """Return a tag of a kind, short and on one line."""
    return f"{kind}:{' '.join(value.split())}"[:TAG_CHARACTERS].rstrip()


def line(text: str, characters: int = TOLD_CHARACTERS) -> str:
    """Return a text on one line, cut where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= characters else flat[: characters - 1].rstrip() + "…"


def code(text: str, characters: int = CODE_CHARACTERS) -> str:
    """Return a text as a piece of code in a sentence."""
    flat = line(text, characters)
    return f"`{flat}`" if "`" not in flat else f"“{flat}”"


def listed(names: list[str], most: int) -> str:
    """Return names on one line, and the number of omitted ones."""
    rest = len(names) - most
    return ", ".join(" ".join(name.splitlines()) for name in names[:most]) + (f" and {rest} more" if rest > 0 else "")
