"""Answers about patterns, decisions, commands and lessons."""

from __future__ import annotations

from typing import Literal

from recollect.model.vocabulary import MemoryType, PatternType, Record

# What a command is for; `other` is everything that no rule knows.
CommandKind = Literal["test", "build", "run", "lint", "format", "install", "migrate", "deploy", "git", "other"]

# Where a lesson comes from: said on purpose, said again and again, seen to help, or seen to work.
LessonKind = Literal["preference", "correction", "fix", "command", "tool"]


class Pattern(Record, frozen=True, kw_only=True):
    """Something that happens again and again, with what shows it.

    subject: the search, file, decision, tool or error. told: that it is so, in a sentence
    count: how often it was seen. session_count: in how many sessions; sessions: the latest of them
    evidence: ids of observations or memories, the latest. confidence: the share of it that chance does not explain
    """

    pattern_type: PatternType
    subject: str
    told: str
    confidence: float
    count: int
    session_count: int = 0
    sessions: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    namespace: str | None = None
    first_at: int = 0
    last_at: int = 0


class PatternReport(Record, frozen=True, kw_only=True):
    """The patterns that were found, surest first, and how much was looked at for them."""

    patterns: tuple[Pattern, ...]
    observations: int = 0
    session_count: int = 0
    since: int = 0
    notes: tuple[str, ...] = ()


class PatternInsights(Record, frozen=True, kw_only=True):
    """Detected patterns with advice, as Markdown; empty if there are none."""

    markdown: str
    patterns: int = 0
    notes: tuple[str, ...] = ()


class Decided(Record, frozen=True, kw_only=True):
    """One decision of a chain: since when it holds, why it belongs there, what it replaced, and what replaced it."""

    memory_id: str
    at: int
    text: str
    why: str
    memory_type: MemoryType = "decision"
    author: str | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    holds: bool = True


class DecisionChain(Record, frozen=True, kw_only=True):
    """The decisions about a file, a symbol or a topic, oldest first; total: how many there are beside those shown."""

    subject: str
    decisions: tuple[Decided, ...]
    total: int = 0
    notes: tuple[str, ...] = ()


class Variant(Record, frozen=True, kw_only=True):
    """A way to run something that failed, before another way worked: how often, and what it said."""

    command: str
    failures: int
    error: str = ""
    last_at: int = 0


class KnownCommand(Record, frozen=True, kw_only=True):
    """An invocation that worked: what it is for, where it is run, how often it worked and failed, and when last.

    directory: from the root of the project; empty: there. failed: variants that did not work where this one did
    score: what it is ranked by, the share of successes and how recent they are
    """

    command: str
    kind: CommandKind
    directory: str = ""
    namespace: str | None = None
    successes: int = 0
    failures: int = 0
    session_count: int = 0
    last_at: int = 0
    score: float = 0.0
    failed: tuple[Variant, ...] = ()
    evidence: tuple[str, ...] = ()


class CommandPage(Record, frozen=True, kw_only=True):
    """Commands that worked, the best first, and how many there are in all."""

    commands: tuple[KnownCommand, ...]
    total: int = 0


class Lesson(Record, frozen=True, kw_only=True):
    """Something that every session of a project should know, and why it is worth a line.

    evidence: ids of memories or observations that show it
    """

    text: str
    kind: LessonKind
    why: str
    evidence: tuple[str, ...] = ()


class Proposal(Record, frozen=True, kw_only=True):
    """A proposed addition to a file of instructions, as a unified diff; nothing is written unless it is applied.

    id: names this very change of this very file; empty where there is nothing to add. applied: it was written
    """

    path: str
    diff: str
    lessons: tuple[Lesson, ...]
    id: str = ""
    applied: bool = False
    known: int = 0
    notes: tuple[str, ...] = ()
