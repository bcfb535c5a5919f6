"""Coding memories and how they evolve, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.model import Record
from recollect.model.coding import CodingMemory, Evolution, RelevantMemories, RelevantMemory
from recollect.render.block import Block, Facts, Line, Quote, Show, present
from recollect.render.measure import count
from recollect.render.untrusted import inline, visible


def _notes(notes: tuple[str, ...]) -> list[Block]:
    return [Line(inline(note), "weak") for note in notes]


def _stored(answer: CodingMemory, _now: int | None) -> list[Block]:
    said = Line("Stored.", "good") if answer.event_emitted else Line("Known already: nothing was stored.", "weak")
    facts = (
        ("id", inline(answer.memory_id)),
        ("keywords", inline(", ".join(answer.keywords))),
        ("tags", inline(", ".join(answer.tags))),
        ("links", count(answer.links_created, "new link")),
    )
    return [said, Facts(present(facts)), *_notes(answer.notes)]


def _relevant(answer: RelevantMemory, _now: int | None) -> list[Block]:
    facts = (
        ("id", inline(answer.id)),
        ("context", inline(answer.context)),
        ("keywords", inline(", ".join(answer.keywords))),
        ("tags", inline(", ".join(answer.tags))),
        ("why", inline(answer.match_reason)),
    )
    return [Quote(f"{answer.relevance_score:.2f} code", present(facts), visible(answer.content))]


def _page(answer: RelevantMemories, now: int | None) -> list[Block]:
    if not answer.memories:
        return [Line("No coding memory is relevant enough.", "weak"), *_notes(answer.notes)]
    shown = [block for row in answer.memories for block in _relevant(row, now)]
    return [
        Line(f"{len(answer.memories)} of {count(answer.total_found, 'coding memory')}."),
        *shown,
        *_notes(answer.notes),
    ]


def _evolution(answer: Evolution, _now: int | None) -> list[Block]:
    rows = (
        ("looked at", f"{answer.memories_analyzed:,}"),
        ("evolved", f"{answer.memories_evolved:,}"),
        ("new links", f"{answer.links_created:,}"),
        ("stronger links", f"{answer.links_strengthened:,}"),
        ("better contexts", f"{answer.contexts_updated:,}"),
        ("took", f"{answer.duration_ms:,} ms"),
    )
    return [Facts(rows), *_notes(answer.notes)]


SHOWN: Mapping[type[Record], Show] = {
    CodingMemory: _stored,
    RelevantMemory: _relevant,
    RelevantMemories: _page,
    Evolution: _evolution,
}
