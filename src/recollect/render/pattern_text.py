"""Patterns, decisions, commands and lessons, as blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect import model
from recollect.render.block import Block, Entry, Facts, Line, Listing, Quote, Show, listed, notes, present
from recollect.render.quantities import count, day, since
from recollect.render.untrusted import ident, inline, visible

# A listed pattern, command or decision fits three lines of a terminal.
LISTED_CHARACTERS = 240


def _report(report: model.PatternReport, now: int | None) -> list[Block]:
    seen = f"{count(report.observations, 'observation')} of {count(report.session_count, 'session')}"
    if not report.patterns:
        return [Line(f"No patterns yet in {seen}.", "weak")]
    blocks: list[Block] = [
        Line(f"{count(len(report.patterns), 'pattern')} in {seen}."),
        _patterns(report.patterns, now),
    ]
    return [*blocks, *notes(report.notes)]


def _patterns(patterns: Sequence[model.Pattern], now: int | None) -> Listing:
    several = len({row.namespace for row in patterns}) > 1
    return Listing(tuple(_entry(row, now, several=several) for row in patterns))


def _entry(row: model.Pattern, now: int | None, *, several: bool) -> Entry:
    where = [inline(row.namespace or "no project")] if several else []
    shown = [f"session {ident(row.sessions[0])}"] if row.sessions else []
    if row.pattern_type == "decision_chain" and row.evidence:
        shown = [f"memory {ident(row.evidence[0])}"]
    head = ", ".join([row.pattern_type.replace("_", " "), *where, f"last {since(row.last_at, now)}", *shown])
    return Entry(f"{row.confidence:.2f}", head, inline(row.told, LISTED_CHARACTERS))


def _insights(answer: model.PatternInsights, _now: int | None) -> list[Block]:
    if not answer.markdown:
        return [Line("No patterns yet. They appear after a few recorded sessions.", "weak")]
    facts = (("patterns", f"{answer.patterns:,}"),)
    return [Quote("insights", facts, visible(answer.markdown)), *notes(answer.notes)]


def _chain(answer: model.DecisionChain, now: int | None) -> list[Block]:
    if not answer.decisions:
        return [Line("No decisions found. Try another file, symbol or topic.", "weak")]
    left = answer.total - len(answer.decisions)
    said = f"{count(answer.total, 'decision')}, oldest first" + (
        f"; the latest {len(answer.decisions):,}" if left else ""
    )
    entries = tuple(_link(row, now) for row in answer.decisions)
    return [Line(f"{said}."), Listing(entries), *notes(answer.notes)]


def _link(row: model.Decided, now: int | None) -> Entry:
    words = [day(row.at, now), "" if row.holds else "superseded"]
    words += [f"replaces {ident(name)}" for name in row.supersedes]
    words += [f"replaced by {ident(name)}" for name in row.superseded_by]
    words += [inline(row.author or ""), inline(row.why, 80)]
    return Entry(ident(row.memory_id), ", ".join(word for word in words if word), inline(row.text, LISTED_CHARACTERS))


def _commands(page: model.CommandPage, now: int | None) -> list[Block]:
    if not page.commands:
        return [Line("No commands yet. Hooks record commands that work.", "weak")]
    several = len({row.namespace for row in page.commands}) > 1
    said = f"{count(page.total, 'command')} that worked" + (", best first:" if page.total > len(page.commands) else ":")
    entries: list[Entry] = []
    for row in page.commands:
        entries.append(_command_entry(row, now, several=several))
        entries += [
            Entry("  fails", f"{bad.failures}×", inline(f"{bad.command}  ({bad.error})", LISTED_CHARACTERS))
            for bad in row.failed
        ]
    return [Line(said), Listing(tuple(entries))]


def _command_entry(row: model.KnownCommand, now: int | None, *, several: bool) -> Entry:
    tried = row.successes + row.failures
    words = [f"worked {row.successes} of {tried}", f"last {since(row.last_at, now)}"]
    words += [inline(row.namespace or "no project")] if several else []
    folder = f"cd {row.directory} && " if row.directory else ""
    return Entry(f"{row.kind:<7}", ", ".join(words), inline(f"{folder}{row.command}", 2 * LISTED_CHARACTERS))


def _lesson_entry(row: model.Lesson) -> Entry:
    sources = ", ".join(ident(name) for name in row.evidence[:3])
    why = f"{inline(row.why, 120)} ({sources})" if sources else inline(row.why, 120)
    return Entry(row.kind, why, inline(row.text, LISTED_CHARACTERS))


def _proposal(answer: model.Proposal, _now: int | None) -> list[Block]:
    known = f" {count(answer.known, 'lesson')} already in the file." if answer.known else ""
    if not answer.lessons:
        return [Line(f"Nothing to add.{known}", "weak"), Facts((("file", inline(answer.path)),)), *notes(answer.notes)]
    done = f"Added {count(len(answer.lessons), 'lesson')}." if answer.applied else "Proposed: nothing was written."
    apply = "" if answer.applied else f"recollect distil --apply {answer.id}"
    facts = present((("file", inline(answer.path)), ("apply with", inline(apply))))
    listing = Listing(tuple(_lesson_entry(row) for row in answer.lessons))
    return [
        Line(done + known, "good" if answer.applied else ""),
        listing,
        Quote("diff", facts, visible(answer.diff)),
        *notes(answer.notes),
    ]


SHOWN: Mapping[type[model.Record], Show] = {
    model.Pattern: lambda row, now: [_patterns((row,), now)],
    model.PatternReport: _report,
    model.PatternInsights: _insights,
    model.Decided: lambda row, now: [Listing((_link(row, now),))],
    model.DecisionChain: _chain,
    model.KnownCommand: lambda row, now: _commands(model.CommandPage(commands=(row,), total=1), now),
    model.CommandPage: _commands,
    model.Lesson: listed(_lesson_entry),
    model.Proposal: _proposal,
}
