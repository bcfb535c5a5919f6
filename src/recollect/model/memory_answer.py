"""Answers about memories: what was stored, changed, shared, or is no longer true."""

from __future__ import annotations

from recollect.model.row import Change, Edge, Memory
from recollect.model.vocabulary import Record, Relation, Settlement, Verdict


class Amendment(Record, frozen=True, kw_only=True):
    """An older memory that a new one changes: their relation, whether the older is superseded, why, and its words."""

    memory_id: str
    relationship: Relation
    superseded: bool
    why: str
    text: str = ""


class Stored(Record, frozen=True, kw_only=True):
    """A stored memory: a new one, or the duplicate it was merged into.

    redacted: the kinds of secrets that were replaced before it was stored, one for each
    amends: the older memories that it changes, contradicts or ends
    new_project: it is the first memory of the project that its caller named
    """

    memory: Memory
    created: bool
    merged: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    amends: tuple[Amendment, ...] = ()
    new_project: bool = False


class Deleted(Record, frozen=True, kw_only=True):
    """The number of items deleted or restored, and the batch that undoes it."""

    deleted: int
    batch: str
    restored: int = 0


class Purge(Record, frozen=True, kw_only=True):
    """The memories that were purged, or would be with dry_run.

    memories: those asked for. along: their parts, and summaries that repeat them. changes: entries of the log that were
    emptied. others: derived rows, as observations and cached judgements, that were dropped or emptied
    elsewhere: memories that have some of the same words, now or in the log, and were left as they are
    scrubbed: no byte of it is left in the files of the store; if not, notes say why, and purging again tries again
    """

    memories: tuple[str, ...]
    along: tuple[str, ...] = ()
    changes: int = 0
    others: int = 0
    elsewhere: tuple[str, ...] = ()
    scrubbed: bool = False
    dry_run: bool = False
    notes: tuple[str, ...] = ()


class MemoryPage(Record, frozen=True, kw_only=True):
    """Some memories of a longer list; ask again with `offset` for more."""

    memories: tuple[Memory, ...]
    total: int
    offset: int = 0


class Anchored(Record, frozen=True, kw_only=True):
    """A place in the code that a memory mentions, and whether it changed.

    now_path, now_symbol: where it is now, if that is another place. since: when it became so, as far as was noticed
    late: the code was not indexed when the memory was written, so that it is compared with what it was at taken_at
    different: how much of it has changed, 0 to 1
    """

    path: str
    verdict: Verdict
    symbol: str | None = None
    now_path: str | None = None
    now_symbol: str | None = None
    since: int | None = None
    taken_at: int | None = None
    late: bool = False
    different: float = 0.0


class Freshness(Record, frozen=True, kw_only=True):
    """Whether the code that a memory mentions has changed: the verdict, a note, and each anchor."""

    verdict: Verdict = "unanchored"
    note: str = ""
    anchors: tuple[Anchored, ...] = ()


class MemoryView(Memory, frozen=True, kw_only=True):
    """One memory in full, and whether the code that it mentions has changed."""

    freshness: Freshness = Freshness()


class Drifted(Record, frozen=True, kw_only=True):
    """A memory whose code is no longer what it was written against."""

    memory: Memory
    freshness: Freshness


class OlderCode(Record, frozen=True, kw_only=True):
    """A file, how many dated records of history describe its earlier code, and code of how many is gone."""

    path: str
    memories: int
    gone: int = 0


class Drift(Record, frozen=True, kw_only=True):
    """The memories that changes of the code made doubtful, latest first; each waits to be kept, updated or retired.

    imported: how many of them come from a project's history; they are listed last
    older: files whose earlier code imported history describes; nothing waits there
    """

    memories: tuple[Drifted, ...]
    total: int
    imported: int = 0
    older: tuple[OlderCode, ...] = ()
    notes: tuple[str, ...] = ()


class Settled(Record, frozen=True, kw_only=True):
    """A settled memory: the action, its freshness now, and the batch for undo."""

    memory: Memory
    action: Settlement
    freshness: Freshness
    batch: str


class Linked(Record, frozen=True, kw_only=True):
    """The edge between two memories, and whether it is new."""

    edge: Edge
    created: bool


class Undone(Record, frozen=True, kw_only=True):
    """The changes that an undo reverted; it is a batch itself, so undoing it restores the change.

    purged: changes of the batch that cannot be reverted, since their data was purged
    operation: what made the batch. memories: what the undo did to the first memories of the batch, by id
    """

    undone: str
    restored: int
    batch: str
    purged: int = 0
    operation: str = ""
    memories: dict[str, str] = {}  # noqa: RUF012 - msgspec makes a new one for each


class History(Record, frozen=True, kw_only=True):
    """Logged changes, newest first, and the headlines of their memories by id."""

    changes: tuple[Change, ...]
    total: int
    headlines: dict[str, str] = {}  # noqa: RUF012 - msgspec makes a new one for each


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
