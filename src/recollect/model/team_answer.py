"""Answers about shared memories, trusted repositories and calls with access tokens."""

from __future__ import annotations

from recollect.model.row import TokenCall
from recollect.model.vocabulary import Record


class SharedEntry(Record, frozen=True, kw_only=True):
    """A memory and its file. path: from the root of the repository. written: whether the file changed"""

    memory_id: str
    path: str
    title: str
    written: bool


class Shared(Record, frozen=True, kw_only=True):
    """The files that memories were shared as, below the root of a repository."""

    root: str
    files: tuple[SharedEntry, ...]
    notes: tuple[str, ...] = ()


class SharedRead(Record, frozen=True, kw_only=True):
    """The outcome of reading shared files: how many became memories, changed or were retired; skipped: which, and why.

    batch: undoes it. total: files that the repository shares
    """

    created: int = 0
    changed: int = 0
    retired: int = 0
    total: int = 0
    skipped: tuple[str, ...] = ()
    batch: str = ""


class RepositoryTrust(Record, frozen=True, kw_only=True):
    """Whether a repository is trusted: its folder, first commit and origin, and what was read of it."""

    root: str
    trusted: bool
    commit: str = ""
    origin: str = ""
    read: SharedRead = SharedRead()
    notes: tuple[str, ...] = ()


class TokenCallPage(Record, frozen=True, kw_only=True):
    """Calls with access tokens, the latest first."""

    calls: tuple[TokenCall, ...]
    total: int
    offset: int = 0
