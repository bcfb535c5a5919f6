"""What code uses and what uses it, as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.graph import record
from recollect.model import Record
from recollect.render.block import PARTICULAR_CHARACTERS, Block, Entry, Facts, Line, Listing, Show, present
from recollect.render.measure import count
from recollect.render.memory import LISTED_CHARACTERS
from recollect.render.untrusted import inline

# Where nothing says otherwise a link is as sure as what it was found by; only less than that is worth a word.
CERTAIN = 0.995

_HEADS = {"out": "uses", "in": "is used by", "both": "uses or is used by"}


def place(node: record.NodeView) -> str:
    """Return where a node is: path and line, or its id."""
    return inline(f"{node.path}:{node.line}" if node.path else node.id)


def _use_entry(use: record.Use) -> Entry:
    sure = "" if use.confidence >= CERTAIN else f", {use.confidence:.0%} sure"
    at = f", line {', '.join(map(str, use.lines))}" if use.lines else ""
    far = f", {use.depth} links away" if use.depth > 1 else ""
    how = f" ({inline(use.how)})" if use.how else ""
    answers = f", answers {inline(use.endpoint)}" if use.endpoint else ""
    head = f"{use.node.kind}, {use.relationship}{at}{how}{far}{sure}{answers}"
    return Entry(place(use.node), head, inline(use.node.label, LISTED_CHARACTERS))


def _use(use: record.Use, _now: int | None) -> list[Block]:
    return [Listing((_use_entry(use),))]


def _outside_entry(use: record.OutsideUse) -> Entry:
    at = f", line {', '.join(map(str, use.lines))}" if use.lines else ""
    return Entry(inline(use.name, LISTED_CHARACTERS), f"{use.relationship}{at}", "")


def _outside(use: record.OutsideUse, _now: int | None) -> list[Block]:
    return [Listing((_outside_entry(use),))]


def _doubt_entry(doubt: record.Doubt) -> Entry:
    what = f"one of {len(doubt.candidates):,}" if doubt.candidates else "unknown"
    told = ", ".join(candidate.rpartition("::")[2] or candidate for candidate in doubt.candidates[:4])
    return Entry(
        inline(f"{doubt.path}:{doubt.line}"), f"{inline(doubt.name, 60)}, {what}", inline(told, LISTED_CHARACTERS)
    )


def _doubt(doubt: record.Doubt, _now: int | None) -> list[Block]:
    return [Listing((_doubt_entry(doubt),))]


def _part(head: str, total: int, entries: Sequence[Entry]) -> list[Block]:
    if not entries:
        return []
    more = f", {len(entries):,} shown" if len(entries) < total else ""
    return [Line(f"{head}{more}:"), Listing(tuple(entries))]


def _notes(notes: Iterable[str]) -> list[Block]:
    return [Line(f"Note: {inline(note, PARTICULAR_CHARACTERS)}", "weak") for note in notes]


def _of(node: record.NodeView) -> Facts:
    rows = (("node", inline(node.id)), ("kind", node.kind), ("place", place(node) if node.path else ""))
    return Facts(present(rows))


def _dependencies(found: record.Dependencies, _now: int | None) -> list[Block]:
    label = inline(found.node.label, LISTED_CHARACTERS)
    far = f" within {count(found.depth, 'link')}" if found.depth > 1 else ""
    blocks: list[Block] = [
        Line(f"{label} {_HEADS[found.direction]} {count(found.total, 'piece')} of indexed code{far}."),
        _of(found.node),
    ]
    blocks += _part("Code", found.total, [_use_entry(use) for use in found.uses])
    blocks += _part("Outside of the index", found.outside_total, [_outside_entry(use) for use in found.outside])
    blocks += _part("May mean several things", found.doubts_total, [_doubt_entry(doubt) for doubt in found.doubts])
    if found.unresolved:
        blocks.append(Line(f"Of {count(found.unresolved, 'further use')} in it nothing is known.", "weak"))
    return [*blocks, *_notes(found.notes)]


def _impact(found: record.Impact, _now: int | None) -> list[Block]:
    label = inline(found.node.label, LISTED_CHARACTERS)
    rings = ", ".join(f"{number:,} {'directly' if far == 1 else f'over {far} links'}" for far, number in _rings(found))
    head = f"A change of {label} reaches {count(found.total, 'piece')} of code in {count(found.files_total, 'file')}"
    blocks: list[Block] = [Line(f"{head}: {rings}." if rings else f"{head}."), _of(found.node)]
    if found.verdict:
        blocks.append(Line(inline(found.verdict[:1].upper() + found.verdict[1:]), "" if found.is_complete else "weak"))
    blocks += _part("Code", found.total, [_use_entry(use) for use in found.affected])
    blocks += _part("Tests", found.tests_total, [_use_entry(use) for use in found.tests])
    blocks += _part("Endpoints", found.endpoints_total, [_use_entry(use) for use in found.endpoints])
    memories = [Entry(inline(node.id), node.kind, inline(node.label, LISTED_CHARACTERS)) for node in found.memories]
    blocks += _part("Remembered of it", found.memories_total, memories)
    blocks += _part("May use it, too", found.doubts_total, [_doubt_entry(doubt) for doubt in found.doubts])
    return [*blocks, *_notes(found.notes)]


def _rings(found: record.Impact) -> list[tuple[int, int]]:
    return [(far, number) for far, number in enumerate(found.by_depth, 1) if number]


SHOWN: Mapping[type[Record], Show] = {
    record.Use: _use,
    record.OutsideUse: _outside,
    record.Doubt: _doubt,
    record.Dependencies: _dependencies,
    record.Impact: _impact,
}
