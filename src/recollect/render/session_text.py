"""Sessions and processed hook events, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect import model
from recollect.render.block import Block, Entry, Facts, Line, Listing, Quote, Show, present
from recollect.render.quantities import count, day, since
from recollect.render.untrusted import clip, ident, inline, visible

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
        "" if session.ended_at is None else f"{day(session.ended_at, now)}, by {inline(session.ended_by) or 'itself'}"
    )
    return present(
        (
            ("id", ident(session.id)),
            ("project", inline(session.namespace or "")),
            ("assistant", inline(session.assistant)),
            ("branch", inline(session.branch)),
            ("started", day(session.started_at, now)),
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
        count(session.memory_count, "memory") if session.memory_count else "",
        "" if session.ended_at is not None else "active",
    )
    head = ", ".join(part for part in parts if part)
    return Entry(ident(session.id), head, inline(session.summary or "", LISTED_CHARACTERS))


def _entry(row: model.Observed, now: int | None) -> Entry:
    head = ", ".join(word for word in (day(row.at, now), row.tool or row.event, row.outcome) if word)
    return Entry(ident(row.memory_id or row.id), inline(head), inline(clip(row.told, LISTED_CHARACTERS)))


def _view(view: model.SessionView, now: int | None) -> list[Block]:
    blocks = _session(view.session, now)
    if view.observations:
        said = f"{len(view.observations):,} of {count(view.total, 'observation')}:"
        blocks += [Line(said), Listing(tuple(_entry(row, now) for row in view.observations))]
    if view.injected:
        said = f"{len(view.injected):,} of {count(view.injected_total, 'injected memory')}:"
        blocks += [Line(said), Listing(tuple(_injected(row, now) for row in view.injected))]
    return blocks


def _injected(row: model.Injected, now: int | None) -> Entry:
    head = ", ".join(word for word in (day(row.at, now), row.event, row.outcome or row.evidence) if word)
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


SHOWN: Mapping[type[model.Record], Show] = {
    model.Ingested: _ingested,
    model.Session: _session,
    model.SessionPage: _page,
    model.SessionView: _view,
    model.Summed: _summed,
    model.Context: _context,
    model.ContextPreview: _preview,
}
