"""Stored rows and logged changes: one record for each table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from recollect.model.vocabulary import (
    AccessScope,
    Action,
    ErrandKind,
    Evidence,
    MemoryType,
    NodeKind,
    Record,
    Relation,
    RunType,
    Source,
    Verdict,
)

# What an observed memory records, by its category, in the words that people read.
RECORDED: Mapping[str | None, str] = {
    None: "question",
    "prompt": "prompt",
    "read": "read",
    **dict.fromkeys(("edit", "write", "patch"), "edit"),
    **dict.fromkeys(("find", "search"), "search"),
    "command": "command",
    "error": "error",
    "session": "session summary",
    "compaction": "compaction summary",
    "report": "sub-agent report",
}

# The metadata field of a memory that was read from a shared file.
SHARED = "shared"


class Memory(Record, frozen=True, kw_only=True):
    """A stored fact: its text, type, origin and period of validity.

    created_at, updated_at and the other times: Unix seconds; `created` and `updated` are the same as datetimes
    branch: the git branch it was written on, unless the default branch. head: the commit that was checked out, with a
    plus where the branch had no commit of its own yet
    observed: whether it is evidence of what happened (a prompt, an edit, a command), and not knowledge
    """

    id: str
    content: str
    memory_type: MemoryType = "context"
    importance: float = 0.5
    confidence: float = 1.0
    access_count: int = 0
    content_hash: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}  # noqa: RUF012 - msgspec makes a new one for each
    namespace: str | None = None
    created_at: int = 0
    updated_at: int = 0
    last_accessed_at: int = 0
    category: str | None = None
    title: str | None = None
    author: str | None = None
    source: Source = "user"
    trust: float = 1.0
    session_id: str | None = None
    parent_id: str | None = None
    chunk_index: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    superseded_by: str | None = None
    expires_at: int | None = None
    seq: int = 0
    rev: int = 0
    branch: str | None = None
    head: str | None = None
    observed: bool = False

    @property
    def is_shared(self) -> bool:
        """Whether it was read from a file that the repository shares."""
        return self.source == "import" and SHARED in self.metadata

    @property
    def kind(self) -> str:
        """The type that people read; for an observed memory, the kind of event."""
        return f"{RECORDED.get(self.category, 'event')} (observed)" if self.observed else self.memory_type

    @property
    def said_at(self) -> int:
        """When it was said or began to hold; otherwise when it was stored."""
        return self.created_at if self.valid_from is None else self.valid_from

    def is_expired(self, now: int) -> bool:
        """Tell whether it is archived or expired at a moment."""
        return self.expires_at is not None and self.expires_at <= now

    def holds(self, now: int) -> bool:
        """Tell whether it is neither superseded, ended nor expired at a moment."""
        is_over = self.valid_to is not None and self.valid_to <= now
        return self.superseded_by is None and not is_over and not self.is_expired(now)

    @property
    def created(self) -> datetime:
        """When it was stored, in UTC."""
        return datetime.fromtimestamp(self.created_at, UTC)

    @property
    def updated(self) -> datetime:
        """When it was last changed, in UTC."""
        return datetime.fromtimestamp(self.updated_at, UTC)


class Node(Record, frozen=True, kw_only=True):
    """A point of the graph: a memory, a file, a symbol, a package."""

    id: str
    kind: NodeKind
    label: str | None = None
    payload: dict[str, Any] = {}  # noqa: RUF012 - msgspec makes a new one for each
    centrality: float = 0.0
    memory_id: str | None = None
    namespace: str | None = None
    rev: int = 0


class Edge(Record, frozen=True, kw_only=True):
    """A directed, typed and weighted link between two nodes."""

    id: str
    src: str
    dst: str
    relationship: Relation
    weight: float = 1.0
    properties: dict[str, Any] = {}  # noqa: RUF012 - msgspec makes a new one for each
    created_at: int = 0
    rev: int = 0


class Session(Record, frozen=True, kw_only=True):
    """One conversation of a person with an assistant.

    seen_at: time of its last event. ended_by: what ended it; `silence` after a timeout
    insight_id: the memory that holds its summary. snapshot: its state before the conversation was compacted
    window_at: when its conversation was last compacted; 0: never
    """

    id: str
    namespace: str | None = None
    started_at: int
    ended_at: int | None = None
    memory_count: int = 0
    summary: str | None = None
    rev: int = 0
    assistant: str = ""
    branch: str = ""
    seen_at: int = 0
    ended_by: str = ""
    insight_id: str | None = None
    snapshot: str = ""
    window_at: int = 0

    @property
    def started(self) -> datetime:
        """When it started, in UTC."""
        return datetime.fromtimestamp(self.started_at, UTC)

    @property
    def ended(self) -> datetime | None:
        """When it ended, in UTC; None while it is open."""
        return None if self.ended_at is None else datetime.fromtimestamp(self.ended_at, UTC)


class Observed(Record, frozen=True, kw_only=True):
    """One event of a session, as a hook saw it; `id` is the name of its payload in the spool, and sorts by time.

    mark: the same for two deliveries of one event. event, tool: in our words, whatever the assistant calls them
    target: the file, pattern, command or address. outcome: `ok` or `failed`, empty where neither is proven
    fingerprint: of the error, if it failed. told: what happened in a line. memory_id: what was remembered of it
    """

    id: str
    mark: str
    at: int
    session_id: str | None = None
    namespace: str | None = None
    assistant: str = ""
    event: str
    tool: str = ""
    target: str = ""
    outcome: str = ""
    fingerprint: str = ""
    told: str = ""
    memory_id: str | None = None


class Fix(Record, frozen=True, kw_only=True):
    """A fix of an error: the steps between a failure and the success of the same command.

    id: the observation that failed. fingerprint: of its error. memory_id: the memory with the fix
    """

    id: str
    fingerprint: str
    namespace: str | None = None
    memory_id: str
    error: str = ""
    steps: tuple[str, ...] = ()
    seen_at: int = 0


class Transcript(Record, frozen=True, kw_only=True):
    """The position up to which a transcript of an assistant was read.

    id: its path, with the session where it is one of many. position: a place in the file, or for a session of a
    database when it had last changed. since: what is from before was left out; 0: nothing was
    """

    id: str
    assistant: str
    position: int
    lines: int = 0
    since: int = 0
    read_at: int = 0


class Injection(Record, frozen=True, kw_only=True):
    """A memory that was injected, once per session and context window.

    event: the hook event, by our name. why: the reason. mark: that of the observation (Observed.mark)
    evidence: how it was used, empty while undecided. counted: the evidence that its Usefulness counts
    due: 1 if the two differ
    """

    id: str
    session_id: str
    memory_id: str
    at: int
    event: str
    why: str = ""
    mark: str = ""
    evidence: Evidence = ""
    counted: Evidence = ""
    due: int = 0


class Usefulness(Record, frozen=True, kw_only=True):
    """The use of an injected memory (they share their id), counted by session.

    kind: the kind that is weighed (recall.use.kind_of). given: its confidence as it was set
    pro, con: the weights of the evidence for and against it since then. confidence: the result
    last: the latest evidence that counted, and at: when it was counted
    """

    id: str
    namespace: str | None = None
    kind: str
    offered: int = 0
    used: int = 0
    contradicted: int = 0
    given: float = 1.0
    pro: float = 0.0
    con: float = 0.0
    confidence: float = 1.0
    last: Evidence = ""
    at: int = 0
    rev: int = 0


class Workspace(Record, frozen=True, kw_only=True):
    """The record of a namespace: its name for people and what it is about."""

    id: str
    name: str = ""
    description: str = ""
    created_at: int = 0
    updated_at: int = 0
    rev: int = 0


class Anchor(Record, frozen=True, kw_only=True):
    """A place in the code that a memory mentions, with the normalised hash of the code when it was written.

    path: from the root of its tree. symbol: its qualified name; None: the whole file
    origin: given when the memory was stored, or found in its text. taken_at: when the hash was taken, which is later
    than created_at where the code was not indexed yet; 0: it was not, so far
    kind, sketch: what it is and a digest of its words, by which it is found again after it moved and changed
    """

    id: str
    memory_id: str
    path: str
    symbol: str | None = None
    hash: str | None = None
    created_at: int = 0
    rev: int = 0
    origin: Literal["given", "found"] = "found"
    taken_at: int = 0
    kind: str = ""
    sketch: str = ""


class AnchorState(Record, frozen=True, kw_only=True):
    """The state of an anchor (same id) in the indexed code: derived, never logged.

    path, symbol: where it is now, or was last seen. hash: of what the memory was written against, in the normal form
    of today. file_hash: of the whole file when it was last looked at. since: when the verdict became what it is
    stamp: the generation of the code index it was judged by. different: how much of it differs, 0 to 1
    """

    id: str
    memory_id: str
    verdict: Verdict
    path: str
    symbol: str | None = None
    hash: str = ""
    file_hash: str = ""
    since: int = 0
    stamp: int = 0
    different: float = 0.0


class Mention(Record, frozen=True, kw_only=True):
    """A code name in a memory that no indexed file defines yet; `id` combines both."""

    id: str
    memory_id: str
    name: str


class Tree(Record, frozen=True, kw_only=True):
    """A folder whose source code is indexed, and the current writer of its index."""

    id: int
    root: str
    namespace: str | None = None
    fingerprint: str = ""
    indexed_at: int = 0
    owner: str = ""
    claimed_to: int = 0


class File(Record, frozen=True, kw_only=True):
    """A file of a tree when it was last read; `skipped`: why it is not indexed."""

    id: int
    tree: int
    path: str
    hash: str
    mtime_ns: int
    size_bytes: int
    language: str | None = None
    mark: str = ""
    skipped: str = ""
    notes: tuple[str, ...] = ()
    symbol_count: int = 0
    reference_count: int = 0
    chunk_count: int = 0
    indexed_at: int = 0
    stamp: int = 0


class Usage(Record, frozen=True, kw_only=True):
    """The cost of one language model on one day, and its pause after failures; `id` is day and model.

    calls and tokens are counted before a call and corrected after it, so that no process can exceed the budget.
    """

    id: str
    day: str
    model: str
    calls: int = 0
    tokens: int = 0
    failures: int = 0
    streak: int = 0
    resume_at: int = 0
    failure: str = ""


class Judgement(Record, frozen=True, kw_only=True):
    """A cached verdict of the LLM judge; `id` is the hash of the model and the prompt."""

    id: str
    model: str
    score: float
    reason: str = ""
    judged_at: int = 0


class Errand(Record, frozen=True, kw_only=True):
    """A background job for the language model; `id` is kind and target, so that it is queued once.

    due_at: the earliest start. tries: how often it was started
    """

    id: str
    kind: ErrandKind
    target: str
    made_at: int
    due_at: int
    tries: int = 0


class AccessToken(Record, frozen=True, kw_only=True):
    """An access token for HTTP: what it allows, and the hash of its secret. Never logged, exported or shared.

    hash: SHA-256 of the secret, in hexadecimal. projects: namespaces that it is limited to; empty: all
    expires_at, last_used_at, revoked_at: None if it does not expire, was not used, is not revoked
    """

    id: str
    name: str
    hash: str
    scope: AccessScope
    projects: tuple[str, ...] = ()
    created_at: int
    expires_at: int | None = None
    last_used_at: int | None = None
    revoked_at: int | None = None


class SharedFile(Record, frozen=True, kw_only=True):
    """A file of a shared memory when it was last read or written; the row without a name is for the whole folder.

    name: of the file. key: the id in it, by which it is known in every clone. hash: git's hash of its content, empty
    after it was deleted; of the folder its fingerprint. memory_id: the memory it became
    """

    id: str
    namespace: str
    name: str
    key: str
    hash: str
    memory_id: str = ""
    read_at: int = 0


class TeamWrite(Record, frozen=True, kw_only=True):
    """The latest write of a memory, which has the same id, for the team server.

    write_id: new with each write. project: its name there. remote_id: the memory there, once it was sent
    due_at: the next try. failure: why the last one failed
    """

    id: str
    write_id: str
    project: str
    action: Literal["store", "delete"]
    remote_id: str = ""
    made_at: int
    due_at: int
    tries: int = 0
    sent_at: int = 0
    failure: str = ""


class TokenCall(Record, frozen=True, kw_only=True):
    """A call with an access token: who read or wrote what.

    outcome: ok, or the code of an error. memory_ids: memories in the answer, the first ones. created: new memories
    """

    id: str
    at: int
    token_id: str
    name: str
    operation: str
    project: str = ""
    outcome: str
    memory_ids: tuple[str, ...] = ()
    created: int = 0


# --- logged ----------------------------------------------------------------------------------------------------------


class Change(Record, frozen=True, kw_only=True):
    """One logged mutation of one row: what it was before is all that undoing needs."""

    seq: int
    batch: str
    at: int
    operation: str
    entity: str
    entity_id: str
    action: Action
    before: dict[str, Any] | None = None


class Consolidation(Record, frozen=True, kw_only=True):
    """One run of a consolidation cycle or a scheduled evolution, logged before it begins.

    batch: that of its changes. finished_at: 0 while it runs or if it was stopped. undone_at: 0 if it was not undone
    """

    id: int
    cycle_type: RunType
    run_at: int
    affected_count: int
    batch: str = ""
    finished_at: int = 0
    undone_at: int = 0
