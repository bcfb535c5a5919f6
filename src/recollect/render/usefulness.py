"""How often injected memories were used or contradicted, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect import model
from recollect.render.block import Block, Entry, Facts, Grid, Line, Listing, Show, present
from recollect.render.measure import count, day
from recollect.render.untrusted import ident, inline

# A listed memory is a reminder of itself: one line of a wide terminal.
LISTED_CHARACTERS = 120


def _report(report: model.UsefulnessReport, _now: int | None) -> list[Block]:
    blocks: list[Block] = []
    if report.batch:
        head = f"Reset the counts and confidence of {count(report.reset, 'memory')}."
        blocks += [Line(f"{head} Undo with batch {ident(report.batch)}.", "good")]
    if not report.offered:
        return [*blocks, Line("No counts yet. Hooks count the use of injected memories.", "weak")]
    facts = (
        ("project", inline(report.namespace or "")),
        ("injected", f"{report.offered:,}"),
        ("used", f"{report.used:,} ({100 * report.share:.0f} %)"),
        ("contradicted", f"{report.contradicted:,}"),
    )
    blocks.append(Facts(present(facts)))
    if report.weights:
        rows = tuple((inline(kind), f"{weight:+.2f}") for kind, weight in sorted(report.weights.items()))
        blocks.append(Grid(("type", "rank weight"), rows))
    else:
        blocks.append(Line(f"Weights by type need {report.enough:,} injections in a project.", "weak"))
    if report.memories:
        blocks.append(Listing(tuple(map(_entry, report.memories))))
    return blocks


def _entry(row: model.MemoryUse) -> Entry:
    return Entry(ident(row.counts.id), inline(row.told), inline(row.label, LISTED_CHARACTERS))


def _memory_use(row: model.MemoryUse, _now: int | None) -> list[Block]:
    return [Listing((_entry(row),))]


def _counts(row: model.Usefulness, now: int | None) -> list[Block]:
    facts = (
        ("id", ident(row.id)),
        ("type", inline(row.kind)),
        ("injected", f"{row.offered:,}"),
        ("used", f"{row.used:,}"),
        ("contradicted", f"{row.contradicted:,}"),
        ("confidence", f"{row.confidence:.2f}, stored with {row.given:.2f}"),
        ("last", f"{row.last}, {day(row.at, now)}" if row.last else ""),
    )
    return [Facts(present(facts))]


SHOWN: Mapping[type[model.Record], Show] = {
    model.UsefulnessReport: _report,
    model.MemoryUse: _memory_use,
    model.Usefulness: _counts,
}
