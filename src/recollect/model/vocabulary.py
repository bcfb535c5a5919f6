"""Closed vocabularies of the records, and their base class."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

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

# How an injected memory was used. The first three say nothing: not decided yet, from before evidence was collected, or
# injected in this session before.
Evidence = Literal[
    "",
    "before",
    "again",
    "unused",
    "touched",
    "gone",
    "cited",
    "ran",
    "fixed",
    "returned",
    "amended",
    "retired",
    "useless",
]

Source = Literal["user", "assistant", "hook", "import", "consolidation"]

# Sources of history: commits, changelogs, ADRs and documents of a project, exported pull requests and issues, and
# transcripts of assistants.
TranscriptSource = Literal["claude", "codex", "gemini", "opencode", "copilot"]
HistorySource = Literal["git", "changelog", "adr", "docs", "threads", TranscriptSource]
# One of them, or the transcripts of all assistants.
HistoryChoice = Literal[HistorySource, "transcripts"]

# The programs whose memories can be imported; auto: detect it.
ImportSource = Literal[
    "auto",
    "recollect",
    "memory_lib",
    "episodic",
    "codemem",
    "server-memory",
    "claude-mem",
    "mcp-memory-service",
    "basic-memory",
    "markdown",
]

# The state of the code that a memory mentions. unverified: it could not be compared with the code as it was when the
# memory was written. unanchored: it mentions no indexed code.
Verdict = Literal["fresh", "changed", "moved", "gone", "unverified", "unanchored"]

# The relation of the branch that a memory was written on to the current one.
BranchStanding = Literal["here", "merged", "elsewhere", "unknown"]

# What can be done with a memory whose code changed: keep it, update it, or retire it.
Settlement = Literal["keep", "update", "retire"]

# How recall ranks: by the fitted model, or by the weighted sum that document 002 prints.
ProfileName = Literal["default", "documented"]

CycleType = Literal["decay", "creative", "cluster", "forget"]

# An entry in the log of consolidation: a cycle, or a scheduled evolution of coding memories.
RunType = Literal["decay", "creative", "cluster", "forget", "evolve"]

# Background jobs for the language model: shorten an observation, summarise a session.
ErrandKind = Literal["compress", "summarise"]

# What an access token allows: each includes the ones before it.
AccessScope = Literal["read", "write", "admin"]
TokenState = Literal["active", "expired", "revoked"]

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
IMPORT_SOURCES: tuple[str, ...] = get_args(ImportSource)
HISTORY_SOURCES: tuple[HistorySource, ...] = get_args(HistorySource)
TRANSCRIPT_SOURCES: tuple[TranscriptSource, ...] = get_args(TranscriptSource)


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The base class of all records."""
