"""Shared memories, trusted repositories and calls with access tokens, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect import model
from recollect.render.block import Block, Facts, Grid, Line, Show, notes, present
from recollect.render.quantities import count, since
from recollect.render.untrusted import ident, inline

TITLE_CHARACTERS = 60
# Ids of one call that are shown: the rest is counted.
SHOWN_IDS = 3


def _shared(shared: model.Shared, _now: int | None) -> list[Block]:
    if not shared.files:
        return [Line("No memory of this project fits.", "weak"), *notes(shared.notes)]
    written = sum(entry.written for entry in shared.files)
    said = f"{count(len(shared.files), 'memory')} shared, {count(written, 'file')} written below {inline(shared.root)}."
    rows = (
        (
            ident(entry.memory_id),
            "written" if entry.written else "unchanged",
            inline(entry.path),
            inline(entry.title, TITLE_CHARACTERS),
        )
        for entry in shared.files
    )
    return [Line(said, "good"), Grid(("memory", "file", "path", "title"), tuple(rows)), *notes(shared.notes)]


def _read(read: model.SharedRead) -> list[Block]:
    fates = f"{read.created:,} new, {read.changed:,} changed, {read.retired:,} retired, of {count(read.total, 'file')}"
    skipped = [Line(f"Skipped: {inline(text, 200)}", "weak") for text in read.skipped]
    rows = (("memories", fates), ("undo", f"recollect undo {ident(read.batch)}" if read.batch else ""))
    return [Facts(present(rows)), *skipped]


def _trust(trust: model.RepositoryTrust, _now: int | None) -> list[Block]:
    said = Line("Repository trusted.", "good") if trust.trusted else Line("Repository not trusted.")
    rows = (("repository", inline(trust.root)), ("origin", inline(trust.origin)), ("first commit", trust.commit[:12]))
    read = _read(trust.read) if trust.trusted else []
    return [said, Facts(present(rows)), *read, *notes(trust.notes)]


def _calls(page: model.TokenCallPage, now: int | None) -> list[Block]:
    if not page.calls:
        return [Line("No calls with an access token.", "weak")]
    rows = tuple(_call(row, now) for row in page.calls)
    said = f"{count(len(rows), 'call')} of {page.total:,}, latest first."
    return [Line(said), Grid(("when", "who", "operation", "project", "outcome", "memories"), rows)]


def _call(row: model.TokenCall, now: int | None) -> tuple[str, ...]:
    ids = ", ".join(ident(name) for name in row.memory_ids[:SHOWN_IDS])
    more = f" and {len(row.memory_ids) - SHOWN_IDS} more" if len(row.memory_ids) > SHOWN_IDS else ""
    return (
        since(row.at, now),
        inline(row.name),
        inline(row.operation),
        inline(row.project),
        inline(row.outcome),
        ids + more,
    )


SHOWN: Mapping[type[model.Record], Show] = {
    model.Shared: _shared,
    model.RepositoryTrust: _trust,
    model.TokenCallPage: _calls,
}
