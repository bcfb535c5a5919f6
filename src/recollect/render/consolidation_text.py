"""Plans and runs of consolidation, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect import model
from recollect.render.block import (
    PARTICULAR_CHARACTERS,
    Block,
    Entry,
    Facts,
    Grid,
    Line,
    Listing,
    Show,
    listed,
    present,
)
from recollect.render.quantities import count, day, since
from recollect.render.untrusted import ident, inline

_DONE = {
    "fade": "fades",
    "revive": "revives",
    "link": "links",
    "summarize": "summarizes",
    "extend": "adds",
    "archive": "archives",
}


def _step_head(step: model.PlanStep) -> str:
    """Return what a step does, and why."""
    parts = [_DONE[step.action]]
    if step.action in ("fade", "revive") and step.before is not None and step.after is not None:
        parts.append(f"{step.before:.2f} → {step.after:.2f}")
    if step.relationship is not None:
        parts.append(f"{step.relationship} {step.weight or 0:.2f} {ident(step.memory_ids[-1])}")
    if step.action == "summarize":
        parts.append(count(len(step.memory_ids), "memory"))
    if step.action == "extend":
        parts.append(f"{count(len(step.memory_ids), 'memory')} to {ident(step.summary_id)}")
    return " · ".join((*parts, inline(step.why, PARTICULAR_CHARACTERS)))


def _entry(step: model.PlanStep) -> Entry:
    said = step.content if step.action in ("summarize", "extend") else step.label
    return Entry(ident(step.memory_ids[0]), _step_head(step), inline(said, PARTICULAR_CHARACTERS))


def _consolidated(run: model.Consolidated, _now: int | None) -> list[Block]:
    what = count(run.affected, "memory")
    looked = f"of {run.considered:,} checked"
    if not run.steps_total:
        head = Line(f"{run.cycle}: nothing to do, {looked}.", "good")
    elif run.applied:
        head = Line(f"{run.cycle}: {what} {looked}.", "good")
    else:
        head = Line(f"{run.cycle} would change {what} {looked}. Nothing was changed.")
    spared = ", ".join(f"{inline(why)} {number:,}" for why, number in sorted(run.spared.items()))
    facts = present(
        (
            ("plan", inline(run.plan) if run.steps_total else ""),
            ("skipped", spared),
            ("undo with batch", ident(run.batch)),
        )
    )
    notes = (Line(inline(note, PARTICULAR_CHARACTERS), "weak") for note in run.notes)
    return [head, *([Facts(facts)] if facts else []), *_listed(run.steps, run.steps_total), *notes]


def _listed(steps: tuple[model.PlanStep, ...], total: int) -> list[Block]:
    if not steps:
        return []
    more: list[Block] = [Line(f"{total - len(steps):,} more steps.", "weak")] if total > len(steps) else []
    return [Listing(tuple(_entry(step) for step in steps)), *more]


def _cycle_row(row: model.CycleStatus, now: int | None) -> tuple[str, ...]:
    last = "never" if row.last_run_at is None else since(row.last_run_at, now)
    state = "undone" if row.undone else "not finished" if not row.finished else ""
    due = "on request" if not row.every_s else "" if row.due_at is None else day(row.due_at, now)
    return (row.cycle, last, f"{row.last_affected:,}", state, due, ident(row.last_batch))


_COLUMNS = ("cycle", "last run", "memories", "state", "next", "batch")


def _status(status: model.ConsolidationStatus, now: int | None) -> list[Block]:
    said = "Idle servers run the cycles." if status.automatic else "Cycles run on request."
    archived = [Line(f"{count(status.archived, 'memory')} archived.")] if status.archived else []
    rows = (*status.cycles, *((status.evolution,) if status.evolution else ()))
    return [Line(said), Grid(_COLUMNS, tuple(_cycle_row(row, now) for row in rows)), *archived]


def _consolidations(answer: model.Consolidations, now: int | None) -> list[Block]:
    blocks: list[Block] = _status(answer.status, now) if answer.status is not None else []
    for run in answer.cycles:
        blocks += _consolidated(run, now)
    if answer.cycles and not any(run.applied for run in answer.cycles):
        blocks.append(Line("Apply it with --apply.", "weak"))
    return blocks or [Line("No cycle ran.", "weak")]


SHOWN: Mapping[type[model.Record], Show] = {
    model.PlanStep: listed(_entry),
    model.Consolidated: _consolidated,
    model.CycleStatus: lambda row, now: [Grid(_COLUMNS, (_cycle_row(row, now),))],
    model.ConsolidationStatus: _status,
    model.Consolidations: _consolidations,
}
