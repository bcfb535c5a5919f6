"""Coding memories and how they evolve, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.model import Record
from recollect.model.coding import CodingMemory, Evolution, RelevantMemories, RelevantMemory
from recollect.render.block import Block, Facts, Line, Quote, Show, notes, present
from recollect.render.measure import count
from recollect.render.untrusted import ident, inline, visible


def _stored(answer: CodingMemory, _now: int | None) -> list[Block]:
    name, linked = ident(answer.memory_id), count(answer.links_created, "new link")
    said = (
        Line(f"Stored {name}, {linked}.", "good") if answer.event_emitted else Line(f"Already known as {name}.", "weak")
    )
    facts = (("keywords", inline(", ".join(answer.keywords))), ("tags", inline(", ".join(answer.tags))))
    return [said, Facts(present(facts), detail=True), *notes(answer.notes)]


def _relevant(answer: RelevantMemory, _now: int | None) -> list[Block]:
    details = (("keywords", inline(", ".join(answer.keywords))), ("tags", inline(", ".join(answer.tags))))
    head = f"code, {answer.relevance_score:.2f}, {ident(answer.id)} · {inline(answer.match_reason)}"
    context = present((("context", inline(answer.context)),))
    return [Quote(head, context, visible(answer.content), details=present(details))]


def _page(answer: RelevantMemories, now: int | None) -> list[Block]:
    if not answer.memories:
        return [Line("No code found. Try other words or a lower min_relevance.", "weak"), *notes(answer.notes)]
    shown = [block for row in answer.memories for block in _relevant(row, now)]
    return [
        Line(f"{len(answer.memories)} of {count(answer.total_found, 'coding memory')}."),
        *shown,
        *notes(answer.notes),
    ]


def _evolution(answer: Evolution, _now: int | None) -> list[Block]:
    rows = (
        ("analyzed", f"{answer.memories_analyzed:,}"),
        ("changed", f"{answer.memories_evolved:,}"),
        ("new links", f"{answer.links_created:,}"),
        ("stronger links", f"{answer.links_strengthened:,}"),
        ("updated contexts", f"{answer.contexts_updated:,}"),
        ("duration", f"{answer.duration_ms:,} ms"),
    )
    return [Facts(rows), *notes(answer.notes)]


SHOWN: Mapping[type[Record], Show] = {
    CodingMemory: _stored,
    RelevantMemory: _relevant,
    RelevantMemories: _page,
    Evolution: _evolution,
}
