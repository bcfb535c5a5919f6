"""Plans, results and status of consolidation cycles."""

from __future__ import annotations

from typing import Literal

from recollect.model.vocabulary import CycleType, Record, Relation, RunType

# What a cycle can do. fade and revive: importance goes down, or back to what it was. link: two memories are joined.
# summarize: a new memory sums up several. extend: a summary takes in more. archive: left out of recall, and nothing
# else. None of them deletes.
StepAction = Literal["fade", "revive", "link", "summarize", "extend", "archive"]


class PlanStep(Record, frozen=True, kw_only=True):
    """One thing that a cycle does, and why.

    memory_ids: what it is done to: one memory, the two ends of a link, the members of a summary, the central one
    first, or those that join it
    before, after: importance. relationship, weight: of the link. title, content, tags: of the summary
    summary_id: the summary that takes in more
    label: what the first memory is called in a line, where the step is shown
    """

    action: StepAction
    memory_ids: tuple[str, ...]
    why: str
    before: float | None = None
    after: float | None = None
    relationship: Relation | None = None
    weight: float | None = None
    title: str = ""
    content: str = ""
    tags: tuple[str, ...] = ()
    summary_id: str = ""
    label: str = ""


class Plan(Record, frozen=True, kw_only=True):
    """The steps of one run of a cycle; the same state and time give the same plan.

    considered: how many memories were read. spared: how many are not changed, by reason
    """

    cycle: CycleType
    considered: int
    steps: tuple[PlanStep, ...] = ()
    spared: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    notes: tuple[str, ...] = ()


class Consolidated(Record, frozen=True, kw_only=True):
    """The result of one run of a cycle, or with `applied` false, its preview.

    plan: the mark of the plan: a preview and a run that have the same one do the same. affected: memories that were
    changed, linked, summed up or archived, or would be. steps: the first of them; steps_total: all
    batch: reverts it, with `undo`; empty where nothing was done
    """

    cycle: CycleType
    applied: bool
    plan: str
    considered: int
    affected: int
    steps: tuple[PlanStep, ...] = ()
    steps_total: int = 0
    spared: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    batch: str = ""
    notes: tuple[str, ...] = ()


class CycleStatus(Record, frozen=True, kw_only=True):
    """The last run of a cycle, its result, and its next automatic run.

    last_batch: reverts it, with `undo`. undone: it was reverted. finished: false if it was stopped on the way, or is
    running. every_s: the interval of automatic runs; 0: only on request. due_at: the next run
    """

    cycle: RunType
    runs: int = 0
    last_run_at: int | None = None
    last_affected: int = 0
    last_batch: str = ""
    finished: bool = True
    undone: bool = False
    every_s: int = 0
    due_at: int | None = None


class ConsolidationStatus(Record, frozen=True, kw_only=True):
    """The last run of each cycle.

    automatic: whether servers run them by themselves. running: whether a thread of this process does
    archived: how many memories are left out of recall
    evolution: the last time that coding memories evolved by themselves, where they do or did
    """

    cycles: tuple[CycleStatus, ...]
    automatic: bool
    running: bool = False
    archived: int = 0
    evolution: CycleStatus | None = None


class Consolidations(Record, frozen=True, kw_only=True):
    """The results or previews of several cycles, in order; and, on request, the time of their last runs."""

    cycles: tuple[Consolidated, ...] = ()
    status: ConsolidationStatus | None = None
