"""A JSON file of conversations becomes a database of ours, in its place; as it was it stays beside.

    JSON file, locked ─► its turns ─► a new database beside it ─► copy of the file ─► the database takes its place

Whatever stops it before the last step leaves the file as it was. What is no turn of a conversation stays in the copy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect.engine.older_library import BATCH, put_in_place
from recollect.engine.shelf import Shelf
from recollect.errors import InvalidInput, StoreForeign
from recollect.files import open_file
from recollect.importing.episodic import turns
from recollect.importing.import_source import document

# What a JSON document begins with; a database begins with a word.
OPENINGS = (b"[", b"{")

Turns = Sequence[Mapping[str, Any]]
Rows = Callable[[Turns], Iterator[Mapping[str, Any]]]


class Adopted(NamedTuple):
    """Where the file is kept as it was, and how much of it was no turn of a conversation."""

    saved: Path
    left: int


def adopt_document(path: str | Path, namespace: str, rows: Rows) -> Adopted | None:
    """Make the file at a path a database of ours if it is a JSON file of conversations; else None.

    rows: what is kept of its turns. Raises StoreForeign for JSON of another kind.
    """
    file = Path(path).expanduser().absolute()
    if not _is_document(file):
        return None
    with _locked(file):
        if not _is_document(file):
            return None  # another process was faster
        try:
            found, left = turns(document(file))
        except InvalidInput as problem:
            raise StoreForeign(problem.message, path=str(file)) from problem
        if left and not found:
            raise StoreForeign(f"{file} is JSON, but not a conversation memory file", path=str(file))
        return Adopted(put_in_place(file, lambda made: _fill(made, namespace, rows(found))), left)


def _fill(made: Path, namespace: str, rows: Iterator[Mapping[str, Any]]) -> None:
    shelf = Shelf(made, namespace)
    try:
        waiting = list(rows)
        for start in range(0, len(waiting), BATCH):
            shelf.add(waiting[start : start + BATCH])
    finally:
        shelf.close()


def _is_document(path: Path) -> bool:
    try:
        with open_file(path) as file:
            return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(OPENINGS)
    except OSError:
        return False  # whoever opens it says what is wrong


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep others from taking the same file over at the same time."""
    with open_file(path) as file:
        if sys.platform != "win32":
            import fcntl

            with suppress(OSError):  # a file system without locks: two at once leave one of two equal databases
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
