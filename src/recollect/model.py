"""The records that travel through recollect, and the closed vocabularies they are written in.

Records are frozen msgspec structs: values that are made once, compared by content and encoded as they are. (Thirty
of them cost 4 ms of CPU to define where dataclasses cost 34: docs/adr/0002.) Three families:

    kept       Memory Node Edge Session Workspace Anchor File
               Usage Judgement                                     one row of a table each
    logged     Change Consolidation                                what happened to the rows
    answered   Stored Recall Hit Page Stats Health …               what an operation gives back

Timestamps are Unix seconds. `rev` is the number of the last logged change that touched a row, `seq` of the one
that created it: together they order, guard and undo everything.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec

MemoryType = Literal["decision", "pattern", "preference", "style", "habit", "insight", "context"]

NodeKind = Literal[
    "File",
    "Package",
    "Function",
    "Method",
    "Class",
    "Interface",
    "Type",
    "Constant",
    "Module",
    "Memory",
    "Endpoint",
    "Test",
]

Relation = Literal[
    # general
    "RELATES_TO", "LEADS_TO", "PART_OF",
    # knowledge
    "REINFORCES", "CONTRADICTS", "EVOLVED_INTO", "DERIVED_FROM", "INVALIDATED_BY",
    # code
    "DEPENDS_ON", "IMPORTS", "EXTENDS", "CALLS", "CONTAINS", "SUPERSEDES", "BLOCKS",
    # structural
    "IMPLEMENTS", "INHERITS",
    # semantic
    "SIMILAR_TO", "PRECEDED_BY", "EXEMPLIFIES", "EXPLAINS", "SHARES_THEME", "SUMMARIZES",
]  # fmt: skip

PatternType = Literal["repeated_search", "file_hotspot", "decision_chain", "tool_preference", "error_loop"]

Source = Literal["user", "assistant", "hook", "import", "consolidation"]

# How recall ranks: by the fitted model, or by the weighted sum that document 002 prints.
ProfileName = Literal["default", "documented"]

CycleType = Literal["decay", "creative", "cluster", "forget"]

Status = Literal["ok", "degraded", "failed"]

Action = Literal["insert", "update", "delete"]

Ratio = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Tokens = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Offset = Annotated[int, msgspec.Meta(ge=0)]

MEMORY_TYPES: tuple[str, ...] = get_args(MemoryType)
NODE_KINDS: tuple[str, ...] = get_args(NodeKind)
RELATIONS: tuple[str, ...] = get_args(Relation)
PATTERN_TYPES: tuple[str, ...] = get_args(PatternType)
SOURCES: tuple[str, ...] = get_args(Source)


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A value with named fields; see the module for the families."""


# --- kept: one row of a table each -----------------------------------------------------------------------------------


class Memory(Record, frozen=True, kw_only=True):
    """Something worth remembering, with where it came from and how long it holds."""

    id: str
    content: str
    memory_type: MemoryType = "context"
    importance: float = 0.5
    confidence: float = 1.0
    access_count: int = 0
    content_hash: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
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


class Node(Record, frozen=True, kw_only=True):
    """A point of the graph: a memory, a file, a symbol, a package."""

    id: str
    kind: NodeKind
    label: str | None = None
    payload: dict[str, Any] = {}
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
    properties: dict[str, Any] = {}
    created_at: int = 0
    rev: int = 0


class Session(Record, frozen=True, kw_only=True):
    """One sitting of an assistant with a person."""

    id: str
    namespace: str | None = None
    started_at: int
    ended_at: int | None = None
    memory_count: int = 0
    summary: str | None = None
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
    """What in the code a memory speaks of, with the normalised hash it was written against."""

    id: str
    memory_id: str
    path: str
    symbol: str | None = None
    hash: str | None = None
    created_at: int = 0
    rev: int = 0


class Tree(Record, frozen=True, kw_only=True):
    """A folder whose source code is indexed, and who is writing to its index until when."""

    id: int
    root: str
    namespace: str | None = None
    fingerprint: str = ""
    indexed_at: int = 0
    owner: str = ""
    claimed_to: int = 0


class File(Record, frozen=True, kw_only=True):
    """A file of a tree as it was last seen; `skipped` says why it was not indexed, empty if it was."""

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
    """What one language model cost on one day, and until when it is left alone after failures; `id` is day and model.

    calls and tokens are counted before a call and put right after it, so that no process can exceed the budget.
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
    """What a language model once said of a memory and a question; `id` is the hash of the model and all it was told."""

    id: str
    model: str
    score: float
    reason: str = ""
    judged_at: int = 0


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
    """One run of a consolidation cycle."""

    id: int
    cycle_type: CycleType
    run_at: int
    affected_count: int


# --- answered: what operations give back -----------------------------------------------------------------------------


class Stored(Record, frozen=True, kw_only=True):
    """What storing a memory did: a new memory, or the duplicate it was merged into."""

    memory: Memory
    created: bool
    merged: tuple[str, ...] = ()


class Deleted(Record, frozen=True, kw_only=True):
    """How much an operation removed, and the batch that brings it back."""

    deleted: int
    batch: str


class MemoryPage(Record, frozen=True, kw_only=True):
    """Some memories of a longer list; ask again with `offset` for more."""

    memories: tuple[Memory, ...]
    total: int
    offset: int = 0


class Share(Record, frozen=True, kw_only=True):
    """What one kind of evidence added to a hit's score, or took from it."""

    meaning: str
    share: float


class Signals(Record, frozen=True, kw_only=True):
    """Why a memory was found: its rank in each arm, its cosine, the terms it shares, and what each signal added.

    dated: it is from the time that the question names, or names a day of it
    """

    lexical_rank: int | None = None
    semantic: float | None = None
    semantic_rank: int | None = None
    matched_terms: tuple[str, ...] = ()
    dated: bool = False
    shares: tuple[Share, ...] = ()


class Judged(Record, frozen=True, kw_only=True):
    """What a language model said of a hit: its relevance, why, and the relevance that its judgement replaced."""

    model: str
    score: float
    reason: str
    replaced: float


class Excerpt(Record, frozen=True, kw_only=True):
    """The passage of a memory that matched: where in its content it begins and ends."""

    start: int
    end: int


class Moment(Record, frozen=True, kw_only=True):
    """Words in a memory that name a time only for whoever knows when they were said: where they end, what they mean."""

    words: str
    end: int
    means: str


class Reply(Record, frozen=True, kw_only=True):
    """What somebody else said next in the session of a hit: its beginning, times worked out."""

    memory_id: str
    text: str
    author: str | None = None


class Hit(Record, frozen=True, kw_only=True):
    """A recalled memory with its score and the reason it is here.

    passage: what of it matched; times: what its words for times mean, in the passage or in all of a short memory
    reply: the turn that answers it. folded: memories that say the same and are not hits of their own
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


class Linked(Record, frozen=True, kw_only=True):
    """The edge between two memories, and whether it is new."""

    edge: Edge
    created: bool


class ScoringWeights(Record, frozen=True, kw_only=True):
    """The weights of recall in force for a namespace, or for all: their profile, and for whom they were set.

    source: namespace or global where they were set, default where nobody did. The weights sum to 1.
    """

    profile: ProfileName
    weights: dict[str, float]
    source: Literal["namespace", "global", "default"]
    namespace: str | None = None


class NamespaceStats(Record, frozen=True, kw_only=True):
    """What one namespace holds."""

    namespace: str | None
    memories: int
    nodes: int
    edges: int
    sessions: int
    by_type: dict[str, int] = {}
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
    """What language models cost today (UTC) in all processes, what they may cost, and whether the model is left alone.

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


class Stats(Record, frozen=True, kw_only=True):
    """Counts of everything stored, and the size on disk."""

    memories: int
    embeddings: int
    pending_embeddings: int
    nodes: int
    edges: int
    sessions: int
    workspaces: int
    namespaces: int
    changes: int
    by_type: dict[str, int] = {}
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


class Check(Record, frozen=True, kw_only=True):
    """One thing health looked at: ok, degraded (works, but less well) or failed, and how to mend it."""

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


class Imported(Record, frozen=True, kw_only=True):
    """What an import did: how many rows were new, known already or merged as duplicates, and the batch to undo it."""

    lines: int
    created: int
    known: int
    merged: int
    batch: str


class Rebuilt(Record, frozen=True, kw_only=True):
    """What a rebuild made anew; code_vectors_dropped: vectors of code that is nowhere any more."""

    text_rows: int
    vectors_dropped: int
    vectors_made: int
    vectors_pending: int
    code_vectors_dropped: int = 0


class Undone(Record, frozen=True, kw_only=True):
    """What an undo put back; it is a batch itself, so undoing it brings the change back."""

    undone: str
    restored: int
    batch: str


class History(Record, frozen=True, kw_only=True):
    """Logged changes, newest first."""

    changes: tuple[Change, ...]
    total: int
