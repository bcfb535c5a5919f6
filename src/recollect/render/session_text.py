"""Sessions, hook events, and patterns, decisions and commands across sessions, as blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect import model
from recollect.render.block import Block, Entry, Facts, Line, Listing, Quote, Show, listed, notes, present
from recollect.render.quantities import dated, since
from recollect.render.untrusted import clip, ident, inline, visible
from recollect.text.display import plural

# A listed session shows the beginning of its summary.
LISTED_CHARACTERS = 120


def _ingested(answer: model.Ingested, _now: int | None) -> list[Block]:
    if not answer.taken and not answer.notes and not answer.compressed:
        return [Line("No hook events are queued.", "weak")]
    rows = (
        ("processed", f"{answer.taken:,}"),
        ("stored", f"{answer.stored:,}"),
        ("merged", f"{answer.merged:,}" if answer.merged else ""),
        ("logged only", f"{answer.noted:,}" if answer.noted else ""),
        ("skipped", f"{answer.skipped:,}" if answer.skipped else ""),
        ("invalid", f"{answer.bad:,}" if answer.bad else ""),
        ("timed out", f"{answer.stuck:,}" if answer.stuck else ""),
        ("still queued", f"{answer.waiting:,}" if answer.waiting else ""),
        ("compressed", f"{answer.compressed:,}" if answer.compressed else ""),
    )
    return [Facts(present(rows)), *(Line(inline(note), "bad") for note in answer.notes)]


def _facts(session: model.Session, now: int | None) -> tuple[tuple[str, str], ...]:
    ended = (
        "" if session.ended_at is None else f"{dated(session.ended_at, now)}, by {inline(session.ended_by) or 'itself'}"
    )
    return present(
        (
            ("id", ident(session.id)),
            ("project", inline(session.namespace or "")),
            ("assistant", inline(session.assistant)),
            ("branch", inline(session.branch)),
            ("started", dated(session.started_at, now)),
            ("ended", ended or "not yet"),
            ("memories", f"{session.memory_count:,}"),
        )
    )


def _session(session: model.Session, now: int | None) -> list[Block]:
    return [Quote("session", _facts(session, now), visible(session.summary or "(no summary)"))]


def _page(page: model.SessionPage, now: int | None) -> list[Block]:
    if not page.sessions:
        return [Line("No sessions yet. Hooks record them: run recollect init.", "weak")]
    last = page.offset + len(page.sessions)
    more = f" More: offset {last}." if last < page.total else ""
    said = f"Sessions {page.offset + 1:,} to {last:,} of {page.total:,}, newest first.{more}"
    return [Line(said), Listing(tuple(session_entry(row, now) for row in page.sessions))]


def session_entry(session: model.Session, now: int | None) -> Entry:
    """Return a session as one line of a list."""
    parts = (
        since(session.started_at, now),
        inline(session.assistant),
        inline(session.namespace or ""),
        plural(session.memory_count, "memory") if session.memory_count else "",
        "" if session.ended_at is not None else "active",
    )
    head = ", ".join(part for part in parts if part)
    return Entry(ident(session.id), head, inline(session.summary or "", LISTED_CHARACTERS))


def _observation_entry(row: model.Observed, now: int | None) -> Entry:
    head = ", ".join(word for word in (dated(row.at, now), row.tool or row.event, row.outcome) if word)
    return Entry(ident(row.memory_id or row.id), inline(head), inline(clip(row.told, LISTED_CHARACTERS)))


def _view(view: model.SessionView, now: int | None) -> list[Block]:
    blocks = _session(view.session, now)
    if view.observations:
        said = f"{len(view.observations):,} of {plural(view.total, 'observation')}:"
        blocks += [Line(said), Listing(tuple(_observation_entry(row, now) for row in view.observations))]
    if view.injected:
        said = f"{len(view.injected):,} of {plural(view.injected_total, 'injected memory')}:"
        blocks += [Line(said), Listing(tuple(_injected(row, now) for row in view.injected))]
    return blocks


def _injected(row: model.Injected, now: int | None) -> Entry:
    head = ", ".join(word for word in (dated(row.at, now), row.event, row.outcome or row.evidence) if word)
    return Entry(ident(row.memory_id), inline(head), inline(clip(row.label, LISTED_CHARACTERS)))


def _summed(answer: model.Summed, now: int | None) -> list[Block]:
    if answer.memory is None:
        return [Line("The session has nothing to summarize yet.", "weak")]
    facts = (*_facts(answer.session, now), ("memory", ident(answer.memory.id)))
    by = answer.memory.metadata.get("summary_by")
    facts = (*facts, ("summarized by", inline(by))) if isinstance(by, str) else facts
    return [Quote("session", facts, visible(answer.memory.content)), *(Line(inline(note)) for note in answer.notes)]


def _preview(answer: model.ContextPreview, now: int | None) -> list[Block]:
    shown = model.Context(text=answer.text, tokens=answer.tokens, bytes=answer.bytes, budget=answer.budget)
    rows = tuple(Entry(ident(row.memory_id), inline(row.why), "") for row in answer.lines if row.memory_id)
    reasons: list[Block] = [Line("Reasons:"), Listing(rows)] if rows else []
    return [*_context(shown, now), *reasons]


def _context(answer: model.Context, _now: int | None) -> list[Block]:
    if not answer.text:
        return [Line("Nothing relevant is stored.", "weak")]
    facts = (("tokens", f"{answer.tokens:,} of {answer.budget:,}"), ("bytes", f"{answer.bytes:,}"))
    return [Quote("context", facts, visible(answer.text))]


# --- patterns ---


# A listed pattern, command or decision fits three lines of a terminal.
PATTERN_CHARACTERS = 240


def _report(report: model.PatternReport, now: int | None) -> list[Block]:
    seen = f"{plural(report.observations, 'observation')} of {plural(report.session_count, 'session')}"
    if not report.patterns:
        return [Line(f"No patterns yet in {seen}.", "weak")]
    blocks: list[Block] = [
        Line(f"{plural(len(report.patterns), 'pattern')} in {seen}."),
        _patterns(report.patterns, now),
    ]
    return [*blocks, *notes(report.notes)]


def _patterns(patterns: Sequence[model.Pattern], now: int | None) -> Listing:
    several = len({row.namespace for row in patterns}) > 1
    return Listing(tuple(_pattern_entry(row, now, several=several) for row in patterns))


def _pattern_entry(row: model.Pattern, now: int | None, *, several: bool) -> Entry:
    where = [inline(row.namespace or "no project")] if several else []
    shown = [f"session {ident(row.sessions[0])}"] if row.sessions else []
    if row.pattern_type == "decision_chain" and row.evidence:
        shown = [f"memory {ident(row.evidence[0])}"]
    head = ", ".join([row.pattern_type.replace("_", " "), *where, f"last {since(row.last_at, now)}", *shown])
    return Entry(f"{row.confidence:.2f}", head, inline(row.told, PATTERN_CHARACTERS))


def _insights(answer: model.PatternInsights, _now: int | None) -> list[Block]:
    if not answer.markdown:
        return [Line("No patterns yet. They appear after a few recorded sessions.", "weak")]
    facts = (("patterns", f"{answer.patterns:,}"),)
    return [Quote("insights", facts, visible(answer.markdown)), *notes(answer.notes)]


def _chain(answer: model.DecisionChain, now: int | None) -> list[Block]:
    if not answer.decisions:
        return [Line("No decisions found. Try another file, symbol or topic.", "weak")]
    left = answer.total - len(answer.decisions)
    said = f"{plural(answer.total, 'decision')}, oldest first" + (
        f"; the latest {len(answer.decisions):,}" if left else ""
    )
    entries = tuple(_link(row, now) for row in answer.decisions)
    return [Line(f"{said}."), Listing(entries), *notes(answer.notes)]


def _link(row: model.Decided, now: int | None) -> Entry:
    words = [dated(row.at, now), "" if row.holds else "superseded"]
    words += [f"replaces {ident(name)}" for name in row.supersedes]
    words += [f"replaced by {ident(name)}" for name in row.superseded_by]
    words += [inline(row.author or ""), inline(row.why, 80)]
    return Entry(ident(row.memory_id), ", ".join(word for word in words if word), inline(row.text, PATTERN_CHARACTERS))


def _commands(page: model.CommandPage, now: int | None) -> list[Block]:
    if not page.commands:
        return [Line("No commands yet. Hooks record commands that work.", "weak")]
    several = len({row.namespace for row in page.commands}) > 1
    order = ", best first" if page.total > len(page.commands) else ""
    said = f"{plural(page.total, 'command')} that worked{order}:"
    entries: list[Entry] = []
    for row in page.commands:
        entries.append(_command_entry(row, now, several=several))
        entries += [
            Entry("  fails", f"{bad.failures}×", inline(f"{bad.command}  ({bad.error})", PATTERN_CHARACTERS))
            for bad in row.failed
        ]
    return [Line(said), Listing(tuple(entries))]


def _command_entry(row: model.KnownCommand, now: int | None, *, several: bool) -> Entry:
    tried = row.successes + row.failures
    words = [f"worked {row.successes} of {tried}", f"last {since(row.last_at, now)}"]
    words += [inline(row.namespace or "no project")] if several else []
    folder = f"cd {row.directory} && " if row.directory else ""
    return Entry(f"{row.kind:<7}", ", ".join(words), inline(f"{folder}{row.command}", 2 * PATTERN_CHARACTERS))


def _lesson_entry(row: model.Lesson) -> Entry:
    sources = ", ".join(ident(name) for name in row.evidence[:3])
    why = f"{inline(row.why, 120)} ({sources})" if sources else inline(row.why, 120)
    return Entry(row.kind, why, inline(row.text, PATTERN_CHARACTERS))


def _proposal(answer: model.Proposal, _now: int | None) -> list[Block]:
    known = f" {plural(answer.known, 'lesson')} already in the file." if answer.known else ""
    if not answer.lessons:
        return [Line(f"Nothing to add.{known}", "weak"), Facts((("file", inline(answer.path)),)), *notes(answer.notes)]
    done = f"Added {plural(len(answer.lessons), 'lesson')}." if answer.applied else "Proposed: nothing was written."
    apply = "" if answer.applied else f"recollect patterns distil --apply {answer.id}"
    facts = present((("file", inline(answer.path)), ("apply with", inline(apply))))
    listing = Listing(tuple(_lesson_entry(row) for row in answer.lessons))
    return [
        Line(done + known, "good" if answer.applied else ""),
        listing,
        Quote("diff", facts, visible(answer.diff)),
        *notes(answer.notes),
    ]


SHOWN: Mapping[type[model.Record], Show] = {
    model.Ingested: _ingested,
    model.Session: _session,
    model.SessionPage: _page,
    model.SessionView: _view,
    model.Summed: _summed,
    model.Context: _context,
    model.ContextPreview: _preview,
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
