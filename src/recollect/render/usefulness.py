"""What became of memories that were put before assistants, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect import model
from recollect.render.block import Block, Entry, Facts, Grid, Line, Listing, Show, present
from recollect.render.measure import count, day
from recollect.render.untrusted import inline

# A listed memory is a reminder of itself: one line of a wide terminal.
LISTED_CHARACTERS = 120


def _report(report: model.UsefulnessReport, _now: int | None) -> list[Block]:
    blocks: list[Block] = []
    if report.batch:
        head = f"What was learnt of {count(report.reset, 'memory')} is forgotten; confidences are as they were given."
        blocks += [Line(head, "good"), Facts((("batch to undo", inline(report.batch)),))]
    if not report.offered:
        return [*blocks, Line("No memory was judged yet: that is done as sessions of assistants go on.", "weak")]
    facts = (
        ("namespace", inline(report.namespace or "")),
        ("offered", f"{report.offered:,}"),
        ("used", f"{report.used:,} ({100 * report.share:.0f} %)"),
        ("contradicted", f"{report.contradicted:,}"),
    )
    blocks.append(Facts(present(facts)))
    if report.weights:
        rows = tuple((inline(kind), f"{weight:+.2f}") for kind, weight in sorted(report.weights.items()))
        blocks.append(Grid(("kind", "told sooner by"), rows))
    else:
        blocks.append(Line(f"Nothing is learnt of kinds before {report.enough:,} offers in a project.", "weak"))
    if report.memories:
        blocks.append(Listing(tuple(map(_entry, report.memories))))
    return blocks


def _entry(row: model.MemoryUse) -> Entry:
    return Entry(inline(row.counts.id), inline(row.told), inline(row.label, LISTED_CHARACTERS))


def _memory_use(row: model.MemoryUse, _now: int | None) -> list[Block]:
    return [Listing((_entry(row),))]


def _counts(row: model.Usefulness, now: int | None) -> list[Block]:
    facts = (
        ("id", inline(row.id)),
        ("kind", inline(row.kind)),
        ("offered", f"{row.offered:,}"),
        ("used", f"{row.used:,}"),
        ("contradicted", f"{row.contradicted:,}"),
        ("confidence", f"{row.confidence:.2f}, given {row.given:.2f}"),
        ("last", f"{row.last}, {day(row.at, now)}" if row.last else ""),
    )
    return [Facts(present(facts))]


SHOWN: Mapping[type[model.Record], Show] = {
    model.UsefulnessReport: _report,
    model.MemoryUse: _memory_use,
    model.Usefulness: _counts,
}
