"""Dependencies between symbols and the impact of a change, as blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.model import Record, graph_answer
from recollect.render.block import Block, Entry, Facts, Line, Listing, Show, notes
from recollect.render.measure import count
from recollect.render.memory import LISTED_CHARACTERS
from recollect.render.untrusted import ident, inline

# A link by a resolved name is 0.9 or more; only less than that is worth a word.
CERTAIN = 0.9

# How many lines of one use an answer lists: the first ones are enough to find the place.
MAX_LINES = 3

_HEADS = {"out": "uses", "in": "is used by", "both": "uses or is used by"}


def place(node: graph_answer.NodeView) -> str:
    """Return where a node is: path and line, or its id."""
    return inline(f"{node.path}:{node.line}" if node.path else node.id)


def _use_entry(use: graph_answer.Use) -> Entry:
    sure = "" if use.confidence >= CERTAIN else f", confidence {use.confidence:.2f}"
    at = f" at line {', '.join(map(str, use.lines[:MAX_LINES]))}" if use.lines and use.depth <= 1 else ""
    far = f", {use.depth} links away" if use.depth > 1 else ""
    endpoint = f", endpoint {inline(use.endpoint)}" if use.endpoint else ""
    label = inline(use.node.label, LISTED_CHARACTERS)
    return Entry(place(use.node), label, f"{use.relationship}{at}{far}{sure}{endpoint}")


def _use(use: graph_answer.Use, _now: int | None) -> list[Block]:
    return [Listing((_use_entry(use),))]


def _outside_entry(use: graph_answer.OutsideUse) -> Entry:
    at = f", line {', '.join(map(str, use.lines))}" if use.lines else ""
    return Entry(inline(use.name, LISTED_CHARACTERS), f"{use.relationship}{at}", "")


def _outside(use: graph_answer.OutsideUse, _now: int | None) -> list[Block]:
    return [Listing((_outside_entry(use),))]


def _doubt_entry(doubt: graph_answer.Doubt) -> Entry:
    what = f"one of {len(doubt.candidates):,}" if doubt.candidates else "unresolved"
    names = ", ".join(candidate.rpartition("::")[2] or candidate for candidate in doubt.candidates[:4])
    return Entry(
        inline(f"{doubt.path}:{doubt.line}"), f"{inline(doubt.name, 60)}, {what}", inline(names, LISTED_CHARACTERS)
    )


def _doubt(doubt: graph_answer.Doubt, _now: int | None) -> list[Block]:
    return [Listing((_doubt_entry(doubt),))]


def _part(head: str, total: int, entries: Sequence[Entry]) -> list[Block]:
    if not entries:
        return []
    more = f", {len(entries):,} shown" if len(entries) < total else ""
    return [Line(f"{head}{more}:"), Listing(tuple(entries))]


def _named(node: graph_answer.NodeView) -> str:
    """Return a node by its name and place."""
    label = inline(node.label, LISTED_CHARACTERS)
    return f"{label} ({place(node)})" if node.path else label


def _of(node: graph_answer.NodeView) -> Facts:
    return Facts((("node", ident(node.id)), ("kind", node.kind)), detail=True)


def _dependencies(found: graph_answer.Dependencies, _now: int | None) -> list[Block]:
    far = f" within {count(found.depth, 'link')}" if found.depth > 1 else ""
    blocks: list[Block] = [
        Line(f"{_named(found.node)} {_HEADS[found.direction]} {count(found.total, 'symbol')}{far}."),
        _of(found.node),
    ]
    blocks += _part("Code", found.total, [_use_entry(use) for use in found.uses])
    blocks += _part("Not indexed", found.outside_total, [_outside_entry(use) for use in found.outside])
    blocks += _part("Ambiguous", found.doubts_total, [_doubt_entry(doubt) for doubt in found.doubts])
    if found.unresolved:
        blocks.append(Line(f"{count(found.unresolved, 'more use')} could not be resolved.", "weak"))
    return [*blocks, *notes(found.notes)]


def _impact(found: graph_answer.Impact, _now: int | None) -> list[Block]:
    rings = ", ".join(f"{number:,} {'directly' if far == 1 else f'over {far} links'}" for far, number in _rings(found))
    reached = f"{count(found.total, 'symbol')} in {count(found.files_total, 'file')}"
    head = f"A change of {_named(found.node)} affects {reached}"
    blocks: list[Block] = [Line(f"{head}: {rings}." if rings else f"{head}."), _of(found.node)]
    if found.verdict:
        blocks.append(Line(inline(found.verdict[:1].upper() + found.verdict[1:]), "" if found.is_complete else "weak"))
    blocks += _part("Code", found.total, [_use_entry(use) for use in found.affected])
    blocks += _part("Tests", found.tests_total, [_use_entry(use) for use in found.tests])
    blocks += _part("Endpoints", found.endpoints_total, [_use_entry(use) for use in found.endpoints])
    memories = [Entry(ident(node.id), node.kind, inline(node.label, LISTED_CHARACTERS)) for node in found.memories]
    blocks += _part("Memories", found.memories_total, memories)
    blocks += _part("Possible uses", found.doubts_total, [_doubt_entry(doubt) for doubt in found.doubts])
    return [*blocks, *notes(found.notes)]


def _rings(found: graph_answer.Impact) -> list[tuple[int, int]]:
    return [(far, number) for far, number in enumerate(found.by_depth, 1) if number]


SHOWN: Mapping[type[Record], Show] = {
    graph_answer.Use: _use,
    graph_answer.OutsideUse: _outside,
    graph_answer.Doubt: _doubt,
    graph_answer.Dependencies: _dependencies,
    graph_answer.Impact: _impact,
}
