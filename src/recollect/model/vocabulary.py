"""The closed vocabularies that records are written in, and what every record is."""

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

# What was made of a memory that was put before an assistant. The first three say nothing: it is open, from before
# anybody looked, or the memory was told in this session already.
Evidence = Literal[
    "", "before", "again", "unused", "touched", "gone", "cited", "ran", "fixed", "returned", "amended", "retired"
]

Source = Literal["user", "assistant", "hook", "import", "consolidation"]

# Where the past is read: of a project its commits, its records of decisions, its documents, notes in its code; and what
# assistants wrote down of their sessions.
TranscriptSource = Literal["claude", "codex", "gemini", "opencode", "copilot"]
HistorySource = Literal["git", "adr", "docs", "notes", TranscriptSource]
# What can be asked for: one of them, or the transcripts of all assistants.
HistoryChoice = Literal[HistorySource, "transcripts"]

# Whose memory can be imported: ours, and what other programs keep; auto: whatever it looks like.
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

# The state of the code that a memory mentions. unanchored: it mentions none, or none that is indexed here.
Verdict = Literal["fresh", "changed", "moved", "gone", "unanchored"]

# How the branch that a memory was written on stands to the one that is checked out.
BranchStanding = Literal["here", "merged", "elsewhere", "unknown"]

# What can be done with a memory whose code changed: keep it, update it, or retire it.
Settlement = Literal["keep", "update", "retire"]

# How recall ranks: by the fitted model, or by the weighted sum that document 002 prints.
ProfileName = Literal["default", "documented"]

CycleType = Literal["decay", "creative", "cluster", "forget"]

# What is entered in the log of consolidation: a cycle, or an evolution of coding memories by schedule.
RunType = Literal["decay", "creative", "cluster", "forget", "evolve"]

# What can be left for a language model to do: shorten an observation, sum up a session.
ErrandKind = Literal["compress", "summarise"]

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
    """A value with named fields; see the module for the families."""
