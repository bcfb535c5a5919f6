"""Answers of the operations on coding memories, which are stored code snippets.

They have the fields of document 003 and no others; `notes` is left out where it is empty.
"""

from __future__ import annotations

from typing import Literal, get_args

from recollect.model.vocabulary import Record

# How two coding memories are related: solutions of one problem, one design pattern, one technology, one bug in several
# places, consecutive steps.
LinkType = Literal["solution", "pattern", "technology", "debugging", "progression"]

EvolutionTrigger = Literal["manual", "scheduled", "event"]
EvolutionScope = Literal["recent", "all", "project"]

LINK_TYPES: tuple[LinkType, ...] = get_args(LinkType)


class CodingMemory(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A stored code snippet: its keywords and tags, and how many memories it was linked to.

    event_emitted: whether the storing was logged as a change, which followers of the store see
    """

    memory_id: str
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    links_created: int
    event_emitted: bool
    notes: tuple[str, ...] = ()


class RelevantMemory(Record, frozen=True, kw_only=True):
    """A coding memory that answers a query; relevance_score: the probability that it does, 0 to 1."""

    id: str
    content: str
    context: str
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    relevance_score: float
    match_reason: str


class RelevantMemories(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The coding memories that answer a query, best first; total_found: how many were relevant enough in all."""

    memories: tuple[RelevantMemory, ...]
    total_found: int
    notes: tuple[str, ...] = ()


class Evolution(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The result of an evolution of the coding memories: examined and changed ones."""

    memories_analyzed: int
    memories_evolved: int
    links_created: int
    links_strengthened: int
    contexts_updated: int
    duration_ms: int
    notes: tuple[str, ...] = ()
