"""Answers about a store: statistics, health, spending, imports and exports, access tokens."""

from __future__ import annotations

from recollect.model.row import TokenCall, Usage, Usefulness
from recollect.model.vocabulary import AccessScope, HistorySource, Record, Status, TokenState


class NamespaceStats(Record, frozen=True, kw_only=True):
    """The contents of one namespace."""

    namespace: str | None
    memories: int
    nodes: int
    edges: int
    sessions: int
    by_type: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    oldest_at: int | None = None
    newest_at: int | None = None


class NamespaceList(Record, frozen=True, kw_only=True):
    """Every namespace with its memories and indexed files, most memories first; null is the memories without one."""

    namespaces: tuple[NamespaceCount, ...]


class NamespaceCount(Record, frozen=True, kw_only=True):
    namespace: str | None
    memories: int
    files: int = 0


class WorkspaceView(Record, frozen=True, kw_only=True):
    """A workspace as people see it: ISO times and its number of memories."""

    id: str
    name: str
    description: str
    created_at: str
    updated_at: str
    memory_count: int


class WorkspaceAnswer(Record, frozen=True, kw_only=True):
    """A workspace, and whether this call created it."""

    workspace: WorkspaceView
    created: bool


class Spending(Record, frozen=True, kw_only=True):
    """Language model usage today (UTC) in all processes, its limits, and the pause after a failure.

    paused_s: seconds until it is asked again after it failed
    """

    model: str
    day: str
    calls: int
    tokens: int
    failures: int
    max_calls: int
    max_tokens: int
    paused_s: int = 0
    last_failure: str = ""


class Spendings(Record, frozen=True, kw_only=True):
    """Language model usage: today for each configured model, and the last days, newest first.

    waiting: queued jobs by kind
    """

    today: tuple[Spending, ...] = ()
    days: tuple[Usage, ...] = ()
    waiting: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each


class IndexedFolder(Record, frozen=True, kw_only=True):
    """A folder whose code is indexed, its project, and when the index was last updated; 0: not finished."""

    root: str
    namespace: str | None
    indexed_at: int


class Stats(Record, frozen=True, kw_only=True):
    """Counts of everything stored, and the size on disk.

    offered, used, contradicted: how often memories were injected, used and contradicted
    indexed: the folders whose code is indexed, those updated last first, at most 100
    """

    memories: int
    embeddings: int
    pending_embeddings: int
    nodes: int
    edges: int
    sessions: int
    workspaces: int
    namespaces: int
    changes: int
    by_type: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    code_files: int = 0
    code_symbols: int = 0
    code_pieces: int = 0
    code_embeddings: int = 0
    pending_code_embeddings: int = 0
    database: str = ""
    database_bytes: int = 0
    schema_version: int = 0
    embedding_model: str = ""
    language_model: Spending | None = None
    offered: int = 0
    used: int = 0
    contradicted: int = 0
    indexed: tuple[IndexedFolder, ...] = ()


class MemoryUse(Record, frozen=True, kw_only=True):
    """The use of one memory: injected, used and contradicted, as counts and as text; label: its title."""

    counts: Usefulness
    told: str
    label: str = ""


class UsefulnessReport(Record, frozen=True, kw_only=True):
    """The use and contradiction of injected memories, and the weights learnt from that for a project.

    share: of the injected memories, the share that is known to be used. weights: logits added to a kind of memory when
    it may be injected. enough: the number of injections until there are weights
    memories: the ones that were used or contradicted most, or the requested one
    reset: the number of memories whose counts were deleted; batch: undoes that
    """

    namespace: str | None = None
    offered: int = 0
    used: int = 0
    contradicted: int = 0
    share: float = 0.0
    weights: dict[str, float] = {}  # noqa: RUF012 - msgspec makes a new one for each
    enough: int = 0
    memories: tuple[MemoryUse, ...] = ()
    reset: int = 0
    batch: str = ""


class Check(Record, frozen=True, kw_only=True):
    """One health check: ok, degraded or failed, its finding, and how to fix it."""

    name: str
    status: Status
    detail: str
    mend: str = ""


class Health(Record, frozen=True, kw_only=True):
    """The worst status of all checks, and the checks."""

    status: Status
    version: str
    checks: tuple[Check, ...]


class Exported(Record, frozen=True, kw_only=True):
    """An export: written to `path`, or given back as `content` when no path was named."""

    lines: int
    memories: int
    path: str | None = None
    content: str | None = None


class ImportedPart(Record, frozen=True, kw_only=True):
    """One table or list of another program: how many records it had, how many were imported, and why not the others.

    became: what they are here: memories, sessions, nodes or links; empty: nothing. left: why some were not taken, and
    how many
    """

    name: str
    found: int
    became: str = ""
    taken: int = 0
    left: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each


class Imported(Record, frozen=True, kw_only=True):
    """The result of an import: rows that were new, known or merged as duplicates, and the batch to undo it.

    redacted: the number of replaced secrets, by kind. source, program: the tool it was imported from, as --from names
    it and in words. updated: rows that changed since the last import. refused: rows that were deleted here before, and
    stay deleted. beside: fields without a counterpart, kept in metadata, with the number of rows that have them
    """

    lines: int
    created: int
    known: int
    merged: int
    batch: str
    redacted: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    source: str = "recollect"
    program: str = "recollect"
    updated: int = 0
    refused: int = 0
    dry_run: bool = False
    parts: tuple[ImportedPart, ...] = ()
    beside: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each


class LearntFrom(Record, frozen=True, kw_only=True):
    """The result for one source: records found, how many of the kept ones were new, changed or known, and their rules.

    refused: those that were deleted before, and stay deleted
    """

    source: HistorySource
    found: int
    created: int = 0
    updated: int = 0
    known: int = 0
    refused: int = 0
    rules: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each


class Learnt(Record, frozen=True, kw_only=True):
    """Memories imported from a project's history, by source, with a few examples, and the batch to undo it.

    limit: the most memories of a project; of more records, those of most worth were kept. merged: records that said the
    same as another one. dry_run: nothing was written. redacted: the number of replaced secrets, by kind
    """

    namespace: str
    sources: tuple[LearntFrom, ...]
    limit: int = 0
    merged: int = 0
    examples: tuple[str, ...] = ()
    batch: str = ""
    dry_run: bool = False
    redacted: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    notes: tuple[str, ...] = ()


class Rebuilt(Record, frozen=True, kw_only=True):
    """The rebuilt parts; code_vectors_dropped: embeddings of code that no longer exists."""

    text_rows: int
    vectors_dropped: int
    vectors_made: int
    vectors_pending: int
    code_vectors_dropped: int = 0


class TokenView(Record, frozen=True, kw_only=True):
    """An access token as people see it: without its hash; the secret is in the answer to its creation alone.

    projects: those it is limited to; empty: all projects. state: whether it can be used now
    """

    id: str
    name: str
    scope: AccessScope
    projects: tuple[str, ...] = ()
    state: TokenState = "active"
    created_at: int
    expires_at: int | None = None
    last_used_at: int | None = None
    revoked_at: int | None = None


class TokenCreated(Record, frozen=True, kw_only=True):
    """A new access token and its secret, which is shown this once."""

    token: TokenView
    secret: str


class TokenPage(Record, frozen=True, kw_only=True):
    """Access tokens, the newest first."""

    tokens: tuple[TokenView, ...]


class TokenCallPage(Record, frozen=True, kw_only=True):
    """Calls with access tokens, the latest first."""

    calls: tuple[TokenCall, ...]
    total: int
    offset: int = 0
