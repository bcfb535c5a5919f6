"""Shared files: memories that a repository carries, one small Markdown file each.

    ---
    id: 0197f0a2-…
    kind: decision
    created: 2026-11-16T09:30:00Z
    anchor: src/deploy.py::main
    ---

    We deploy with ansible, because helm needs a cluster.

A field is a line and a list repeats its field, so that git merges line by line. The reader is strict and knows nothing
of YAML: text from a repository is data, whatever it says. Files of other names and unknown fields are ignored.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.files import open_file
from recollect.model import MEMORY_TYPES
from recollect.text.digest import digest
from recollect.text.display import short_id

FOLDER = ".recollect/shared"
# A memory is a few sentences; a folder of them is what a team agreed on.
MAX_BYTES = 64 * 1024
MAX_FILES = 2_000
# Names that are looked at: a folder may hold anything.
MAX_NAMES = 10_000
MAX_LIST = 50
MAX_VALUE_CHARACTERS = 500
SLUG_CHARACTERS = 48
FENCE = "---"
# Fields of one value, then those that repeat: how each is written and read.
SINGLE = ("id", "kind", "created", "title", "author", "supersedes")
SEVERAL = ("tag", "anchor")
TIME = "%Y-%m-%dT%H:%M:%SZ"


class SharedMemory(NamedTuple):
    """A memory as its file says it. id: the same in every clone; created: Unix seconds"""

    id: str
    kind: str
    content: str
    created: int
    title: str = ""
    author: str = ""
    supersedes: str = ""
    tags: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()


class Found(NamedTuple):
    """A file of the folder: its name, git's hash of it, and the memory, or why it is skipped."""

    name: str
    hash: str
    memory: SharedMemory | None
    problem: str = ""


# --- writing ---


def to_text(shared: SharedMemory) -> str:
    """Return the content of a file; the same memory gives the same bytes."""
    values = {
        "id": shared.id,
        "kind": shared.kind,
        "created": time.strftime(TIME, time.gmtime(shared.created)),
        "title": shared.title,
        "author": shared.author,
        "supersedes": shared.supersedes,
    }
    rows = [(name, value) for name, value in values.items() if value]
    rows += [("tag", tag) for tag in shared.tags] + [("anchor", anchor) for anchor in shared.anchors]
    head = "\n".join(f"{name}: {' '.join(value.split())}" for name, value in rows)
    return f"{FENCE}\n{head}\n{FENCE}\n\n{normal(shared.content)}\n"


def file_name(shared: SharedMemory) -> str:
    """Return the name of a new file: words of the title or text, and the beginning of the id."""
    head = shared.title or shared.content.strip().partition("\n")[0]
    words = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in head.lower())
    slug = ""
    for word in words.split():
        longer = f"{slug}-{word}".strip("-")
        if len(longer) > SLUG_CHARACTERS:
            break
        slug = longer
    return f"{slug or 'memory'}-{short_id(shared.id).lower()}.md"


def normal(content: str) -> str:
    """Return text as a file holds it: with plain line ends and no blank lines around it."""
    return content.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def blob_hash(content: bytes) -> str:
    """Return git's hash of a file."""
    import hashlib  # here, not above: a hook that finds nothing new does without its 4 ms

    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


# --- reading ---


def listing(root: Path) -> list[os.DirEntry[str]]:
    """Return the files of shared memories in a repository, by name; none where the folder is a link."""
    folder = root / FOLDER
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in islice(entries, MAX_NAMES) if _is_name(entry.name)]
    except OSError:
        return []
    if os.path.realpath(folder) != os.path.join(os.path.realpath(root), *FOLDER.split("/")):  # noqa: PTH118
        return []
    return sorted(found, key=lambda entry: entry.name)[:MAX_FILES]


def _is_name(name: str) -> bool:
    """Tell whether a file has the name of a shared memory: small letters, digits, dots and hyphens."""
    letters = name.removesuffix(".md").replace("-", "").replace(".", "").replace("_", "")
    return (
        name.endswith(".md") and name[0].isalnum() and len(name) <= 120 and letters.isascii() and letters.isalnum()
        and name == name.lower()
    )  # fmt: skip


def fingerprint(entries: list[os.DirEntry[str]]) -> str:
    """Return a hash that changes when a file is added, removed or written; no file is opened."""
    rows = []
    for entry in entries:
        try:
            seen = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        rows.append((entry.name, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino))
    return digest(repr(rows), 64)


def read_all(entries: list[os.DirEntry[str]]) -> Iterator[Found]:
    """Yield every file; one that cannot be read does not stop the others. An id counts once."""
    names: dict[str, str] = {}
    for entry in entries:
        found = _read(entry)
        if found.memory is not None and (first := names.setdefault(found.memory.id, entry.name)) != entry.name:
            found = Found(entry.name, "", None, f"has the same id as {first}")
        yield found


def _read(entry: os.DirEntry[str]) -> Found:
    try:
        with open_file(entry.path, follows=False) as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as problem:
        return Found(entry.name, "", None, f"cannot be read: {problem.strerror}")
    if len(raw) > MAX_BYTES:
        return Found(entry.name, "", None, f"is larger than {MAX_BYTES // 1024} KB")
    # A checkout on Windows may have other line ends; the repository has these.
    content = raw.replace(b"\r\n", b"\n")
    try:
        return Found(entry.name, blob_hash(content), parse(content))
    except InvalidInput as problem:
        return Found(entry.name, "", None, problem.message)


def parse(raw: bytes) -> SharedMemory:
    """Return the memory that a file holds. Raises InvalidInput, which says what is wrong."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise InvalidInput("is not UTF-8 text") from None
    if "\0" in text:
        raise InvalidInput("contains a NUL character")
    lines = text.split("\n")
    starts = {line.split(" ")[0] for line in lines if line.startswith(("<<<<<<<", ">>>>>>>"))}
    if starts >= {"<<<<<<<", ">>>>>>>"}:
        raise InvalidInput("has a merge conflict")
    if lines[0] != FENCE or FENCE not in lines[1:]:
        raise InvalidInput(f"has no fields between two lines of {FENCE}")
    end = lines.index(FENCE, 1)
    return _memory(_fields(lines[1:end]), normal("\n".join(lines[end + 1 :])))


def _fields(lines: list[str]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 2):
        name, colon, value = line.partition(":")
        if not colon or not name.isidentifier():
            raise InvalidInput(f"line {number} is not a field")
        if len(value) > MAX_VALUE_CHARACTERS:
            raise InvalidInput(f"{name} is longer than {MAX_VALUE_CHARACTERS} characters")
        if name in SINGLE and name in fields:
            raise InvalidInput(f"{name} occurs twice")
        if name in (*SINGLE, *SEVERAL) and value.strip():
            fields.setdefault(name, []).append(value.strip())
        if len(fields.get(name, ())) > MAX_LIST:
            raise InvalidInput(f"has more than {MAX_LIST} fields named {name}")
    return fields


def _memory(fields: dict[str, list[str]], content: str) -> SharedMemory:
    one = {name: fields.get(name, [""])[0] for name in SINGLE}
    if not content.strip():
        raise InvalidInput("has no text")
    for name in ("id", "supersedes"):
        if not _is_key(one[name]) and (one[name] or name == "id"):
            raise InvalidInput(f"has no valid {name}")
    if one["kind"] not in MEMORY_TYPES:
        raise InvalidInput(f"kind is not one of {', '.join(MEMORY_TYPES)}")
    return SharedMemory(
        id=one["id"],
        kind=one["kind"],
        content=content,
        created=_time(one["created"]),
        title=one["title"],
        author=one["author"],
        supersedes=one["supersedes"],
        tags=tuple(fields.get("tag", ())),
        anchors=tuple(fields.get("anchor", ())),
    )


def _is_key(text: str) -> bool:
    letters = text.replace("-", "").replace("_", "")
    return 8 <= len(text) <= 64 and letters.isascii() and letters.isalnum()


def _time(text: str) -> int:
    import calendar

    try:
        return calendar.timegm(time.strptime(text, TIME))
    except ValueError:
        raise InvalidInput("created is not a time like 2026-11-16T09:30:00Z") from None
