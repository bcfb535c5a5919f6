"""Records that operations return."""

from __future__ import annotations

from typing import Literal

from recollect.model.row import Change, Edge, Memory, TokenCall, Usage, Usefulness
from recollect.model.vocabulary import (
    AccessScope,
    BranchStanding,
    HistorySource,
    ProfileName,
    Record,
    Relation,
    Settlement,
    Status,
    TokenState,
    Verdict,
)


class Amendment(Record, frozen=True, kw_only=True):
    """An older memory that a new one changes: their relation, whether the older is superseded, and why."""

    memory_id: str
    relationship: Relation
    superseded: bool
    why: str


class Stored(Record, frozen=True, kw_only=True):
    """A stored memory: a new one, or the duplicate it was merged into.

    redacted: the kinds of secrets that were replaced before it was stored, one for each
    amends: the older memories that it changes, contradicts or ends
    """

    memory: Memory
    created: bool
    merged: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    amends: tuple[Amendment, ...] = ()


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


class Share(Record, frozen=True, kw_only=True):
    """The share of one kind of evidence in a hit's score; it may be negative."""

    meaning: str
    share: float


class Signals(Record, frozen=True, kw_only=True):
    """Why a memory was found: its rank in each search, its cosine, the words it matches, and what each signal added.

    matched_terms: words of the query, as typed. dated: it is from the time in the query, or names a day of it
    """

    lexical_rank: int | None = None
    semantic: float | None = None
    semantic_rank: int | None = None
    matched_terms: tuple[str, ...] = ()
    dated: bool = False
    shares: tuple[Share, ...] = ()


class Judged(Record, frozen=True, kw_only=True):
    """A language model's score for a hit, its reason, and the search score that it replaced."""

    model: str
    score: float
    reason: str
    replaced: float


class Excerpt(Record, frozen=True, kw_only=True):
    """The passage of a memory that matched: where in its content it begins and ends."""

    start: int
    end: int


class Moment(Record, frozen=True, kw_only=True):
    """A relative time in a memory, such as "yesterday": its words, where they end, and the date they mean."""

    words: str
    end: int
    means: str


class Reply(Record, frozen=True, kw_only=True):
    """The reply that follows a hit in its session: its beginning, with dates for relative times."""

    memory_id: str
    text: str
    author: str | None = None


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


class Branched(Record, frozen=True, kw_only=True):
    """The branch that a memory was written on, as seen from the one that is checked out.

    standing: here: the same branch; merged: its work is part of this one; elsewhere: it is not; unknown: git
    or the repository is missing. note: that, in words
    """

    name: str
    standing: BranchStanding
    note: str


class Hit(Record, frozen=True, kw_only=True):
    """A recalled memory with its score and the reason it is here.

    passage: what of it matched; times: what its words for times mean, in the passage or in all of a short memory
    reply: the turn that answers it. folded: memories that say the same and are not hits of their own
    freshness: whether its code has changed. branch: where it was written, unless on the default branch
    use: how it was used when injected, if requested. origin: team for one of the team server, else empty
    """

    memory: Memory
    score: float
    reason: str
    signals: Signals
    superseded_by: str | None = None
    judged: Judged | None = None
    passage: Excerpt | None = None
    times: tuple[Moment, ...] = ()
    reply: Reply | None = None
    folded: tuple[str, ...] = ()
    freshness: Freshness = Freshness()
    branch: Branched | None = None
    use: str = ""
    origin: str = ""

    def told(self, start: int, end: int) -> str:
        """Return a part of the content with what its words for times mean in brackets: `yesterday [2023-05-07]`."""
        text, done = "", start
        for moment in self.times:
            if done < moment.end <= end:
                text += f"{self.memory.content[done : moment.end]} [{moment.means}]"
                done = moment.end
        return text + self.memory.content[done:end]


class CodeHit(Record, frozen=True, kw_only=True):
    """A place in the code that answers a question: path from the root, lines, and the symbol that it is or lies in.

    score: how likely it is right, 0 to 1. shares: what each kind of evidence added, where that was asked for
    """

    path: str
    start_line: int
    end_line: int
    language: str
    score: float
    reason: str = ""
    symbol: str = ""
    kind: str = ""
    signature: str = ""
    doc: str = ""
    root: str = ""
    namespace: str | None = None
    shares: tuple[Share, ...] = ()


class Recall(Record, frozen=True, kw_only=True):
    """The answer to a query; `notes` say what was degraded while answering.

    places: where in indexed code the question leads, if it concerns code
    """

    query: str
    hits: tuple[Hit, ...]
    mode: Literal["hybrid", "lexical"]
    notes: tuple[str, ...] = ()
    places: tuple[CodeHit, ...] = ()


class PackedMemory(Record, frozen=True, kw_only=True):
    """A memory in a pack: which, how relevant, how many tokens, and what of it was taken, with the reply to it."""

    memory_id: str
    score: float
    tokens: int
    text: str
    reply_id: str | None = None


class Packed(Record, frozen=True, kw_only=True):
    """The best context for a task within a budget of tokens, as one text and by source: memories, places in code."""

    task: str
    text: str
    tokens: int
    budget: int
    sources: tuple[PackedMemory, ...]
    notes: tuple[str, ...] = ()
    places: tuple[CodeHit, ...] = ()


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


class ScoringWeights(Record, frozen=True, kw_only=True):
    """The weights of recall in force for a namespace, or for all: their profile, and for whom they were set.

    source: namespace or global where they were set, else default. The weights sum to 1.
    """

    profile: ProfileName
    weights: dict[str, float]
    source: Literal["namespace", "global", "default"]
    namespace: str | None = None


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
    """Every namespace with its number of memories, largest first; null is the memories without one."""

    namespaces: tuple[NamespaceCount, ...]


class NamespaceCount(Record, frozen=True, kw_only=True):
    namespace: str | None
    memories: int


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


class Undone(Record, frozen=True, kw_only=True):
    """The changes that an undo reverted; it is a batch itself, so undoing it restores the change.

    purged: changes of the batch that cannot be reverted, since their data was purged
    """

    undone: str
    restored: int
    batch: str
    purged: int = 0


class History(Record, frozen=True, kw_only=True):
    """Logged changes, newest first."""

    changes: tuple[Change, ...]
    total: int


# --- shared memories and trusted repositories ---


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


# --- access tokens: none of these has a hash; a secret is in the answer to its creation alone ---


class TokenView(Record, frozen=True, kw_only=True):
    """An access token as people see it.

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
