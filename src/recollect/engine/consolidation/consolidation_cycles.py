"""Consolidation cycles: decay, creative, cluster, forget. Each can be previewed and undone."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect import clock
from recollect.consolidate.candidate import ARCHIVED, Candidate, mark
from recollect.engine.consolidation.schedule import EVERY_S, EVOLVE_S, LOST_S, Schedule, every
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import SUMMARY_SOURCE, existing, headline
from recollect.errors import Conflict, InvalidInput
from recollect.model import (
    Change,
    Consolidated,
    Consolidation,
    Consolidations,
    ConsolidationStatus,
    CycleStatus,
    CycleType,
    Edge,
    Limit,
    Memory,
    Plan,
    PlanStep,
    Ratio,
    RunType,
)
from recollect.operations import operation
from recollect.store.store_values import Range

if TYPE_CHECKING:
    from recollect.engine.consolidation.consolidation_input import Similar
    from recollect.engine.context import Context
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.similarity_calibration import CalibrationCache
    from recollect.engine.sessions.model_summaries import ModelSummaries

Days = Annotated[int, msgspec.Meta(ge=1, le=36_500)]

# The same as in consolidate/, which is not loaded to list the operations; a test compares them.
THRESHOLD_DAYS = 30
IMPORTANCE_THRESHOLD = 0.1

# Operation names of scheduled runs: `undo` without a batch skips them.
SCHEDULED: dict[CycleType, str] = {cycle: f"scheduled_{cycle}" for cycle in EVERY_S}


class Consolidator:
    """Plans and runs consolidation cycles.

    evolve: lets coding memories evolve, given how often and after how long a run counts as lost
    """

    def __init__(
        self,
        context: "Context",
        *,
        embedding: "Embedding",
        calibration: "CalibrationCache",
        summaries: "ModelSummaries",
        evolve: Callable[..., bool],
    ) -> None:
        self._context = context
        self._embedding = embedding
        self._calibration = calibration
        self._summaries = summaries
        self._evolve = evolve
        self.schedule = Schedule(context, self.run_scheduled)

    @operation("consolidate_decay", "consolidate-decay", idempotent=True, listed=("preview", "project"))
    def decay(
        self,
        *,
        threshold_days: Days = THRESHOLD_DAYS,
        namespace: str | None = None,
        preview: bool = False,
        plan: str | None = None,
        limit: Limit = 20,
    ) -> Consolidated:
        """Consolidate by decay: unused memories lose importance.

        Memories lose half of their importance in 90 days beyond the threshold, decisions and preferences in a year, but
        never fall below 0.05. A memory that is used again regains it. Memories tagged pinned stay. `undo` works for 90
        days.

        threshold_days: days without use before decay starts
        limit: maximum number of steps shown
        """
        days = input_checks.whole("threshold_days", threshold_days, least=1, most=36_500)
        made = self._decay(namespace, days)
        return self._carried_out(made, preview=preview, wanted=plan, limit=limit)

    @operation("consolidate_creative", "consolidate-creative", idempotent=True, listed=("preview", "project"))
    def creative(
        self, *, namespace: str | None = None, preview: bool = False, plan: str | None = None, limit: Limit = 20
    ) -> Consolidated:
        """Consolidate by creative links between similar memories.

        It links memories of different types: very similar ones with SIMILAR_TO, those on one topic with SHARES_THEME.
        A memory gets at most three such links. Memories of different projects are never linked.

        limit: maximum number of steps shown
        """
        made = self._creative(namespace)
        return self._carried_out(made, preview=preview, wanted=plan, limit=limit)

    @operation("consolidate_cluster", "consolidate-cluster", listed=("preview", "project"))
    def cluster(
        self, *, namespace: str | None = None, preview: bool = False, plan: str | None = None, limit: Limit = 20
    ) -> Consolidated:
        """Consolidate each cluster of similar memories by a summary.

        A cluster has three or more memories. A summary is a memory in the words of its members, with SUMMARIZES links
        to them. With the setting summaries = model the language model writes it. Members stay as they are. A later
        member updates the summary unless someone has edited it.

        limit: maximum number of steps shown
        """
        made = self._cluster(namespace)
        return self._carried_out(made, preview=preview, wanted=plan, limit=limit)

    @operation(
        "consolidate_forget",
        "consolidate-forget",
        idempotent=True,
        listed=("importance_threshold", "preview", "project"),
    )
    def forget(
        self,
        *,
        importance_threshold: Ratio = IMPORTANCE_THRESHOLD,
        namespace: str | None = None,
        preview: bool = False,
        plan: str | None = None,
        limit: Limit = 20,
    ) -> Consolidated:
        """Consolidate and forget: archive unimportant memories. Nothing is deleted.

        Recall leaves archived memories out, unless you pass archived. `restore_memory` brings one back, `undo` all of
        them. Memories that are tagged pinned or were read in the last 30 days stay. This cycle never runs by itself.

        importance_threshold: archive memories below this, 0 to 1
        limit: maximum number of steps shown
        """
        least = input_checks.ratio("importance_threshold", importance_threshold)
        made = self._forget(namespace, least)
        return self._carried_out(made, preview=preview, wanted=plan, limit=limit)

    @operation("archive_memory", "archive", idempotent=True)
    def archive(self, memory_id: str) -> Memory:
        """Archive a memory: recall leaves it out. restore_memory brings it back."""
        with self._context.store.transaction("archive_memory") as transaction:
            memory = existing(transaction, memory_id)
            if ARCHIVED in memory.metadata:
                return memory
            now = clock.now()
            metadata = {**memory.metadata, ARCHIVED: {"at": now, "why": "asked for", "expires_at": memory.expires_at}}
            return transaction.update(Memory, memory.id, {"expires_at": now, "metadata": metadata})

    @operation("restore_memory", "restore", idempotent=True)
    def restore(self, memory_id: str) -> Memory:
        """Restore an archived memory: recall finds it again."""
        with self._context.store.transaction("restore_memory") as transaction:
            memory = existing(transaction, memory_id)
            kept = memory.metadata.get(ARCHIVED)
            if not isinstance(kept, dict):
                return memory
            metadata = {name: value for name, value in memory.metadata.items() if name != ARCHIVED}
            # Coming back is a use: the next cycle must not archive it again.
            values = {"expires_at": kept.get("expires_at"), "metadata": metadata, "updated_at": clock.now()}
            return transaction.update(Memory, memory.id, values)

    @operation("consolidate", "consolidate", listed=("cycle", "apply", "project"))
    def consolidate(
        self,
        *,
        cycle: tuple[CycleType, ...] = (),
        preview: bool = False,
        apply: bool = False,
        status: bool = False,
        namespace: str | None = None,
        limit: Limit = 20,
    ) -> Consolidations:
        """Consolidate memories: preview or run the cycles.

        It changes nothing without apply. `undo` takes back a run by its batch.

        cycle: cycles to run; default: decay, creative, cluster
        preview: show the plan, change nothing (default)
        apply: run the plan
        status: show the last run of each cycle
        limit: maximum number of steps shown per cycle
        """
        if preview and apply:
            raise InvalidInput(
                "preview and apply cannot be used together", hint="Give only one of them.", field="preview"
            )
        named = input_checks.several("cycle", cycle)
        wanted = [input_checks.one_of("cycle", name, EVERY_S) for name in named]
        if status and not (preview or apply):
            return Consolidations(status=self.status())
        plans = self._plans(namespace)
        chosen = [name for name in plans if (name in wanted if wanted else EVERY_S[name])]
        done = tuple(self._carried_out(plans[name](), preview=not apply, wanted=None, limit=limit) for name in chosen)
        return Consolidations(cycles=done, status=self.status() if status else None)

    @operation("consolidation_status", "consolidation-status", read_only=True)
    def status(self) -> ConsolidationStatus:
        """Show the status of each consolidation cycle."""
        store = self._context.store
        runs = store.tally(Consolidation, "cycle_type")
        evolved = runs.get("evolve", 0)
        archived = store.count(Memory, {"expires_at": Range(below=clock.now() + 1)})
        return ConsolidationStatus(
            cycles=tuple(self._status_of(cycle, runs.get(cycle, 0)) for cycle in EVERY_S),
            automatic=self._context.settings.consolidate,
            running=self.schedule.running,
            archived=archived,
            evolution=self._status_of("evolve", evolved) if evolved or self._context.settings.evolve else None,
        )

    def _status_of(self, cycle: RunType, runs: int) -> CycleStatus:
        last = self._context.store.find(Consolidation, {"cycle_type": cycle}, order="-id", limit=1)
        due_at = self.schedule.due_at(cycle) if cycle in self.schedule.wanted else None
        status = CycleStatus(cycle=cycle, runs=runs, every_s=every(cycle), due_at=due_at)
        if not last:
            return status
        (row,) = last
        return msgspec.structs.replace(
            status,
            last_run_at=row.run_at,
            last_affected=row.affected_count,
            last_batch=row.batch if self._has_changes(row.batch) else "",
            finished=bool(row.finished_at),
            undone=bool(row.undone_at),
        )

    def _has_changes(self, batch: str) -> bool:
        return bool(batch and self._context.store.find(Change, {"batch": batch}, limit=1))

    def run_scheduled(self, cycle: RunType) -> bool:
        """Run a cycle because it is due; false if another process has begun it already."""
        from recollect.engine.consolidation.plan_execution import enter

        if cycle == "evolve":
            return self._evolve(every_s=EVOLVE_S, lost_s=LOST_S)
        run = enter(self._context.store, cycle, every_s=EVERY_S[cycle], lost_s=LOST_S)
        if run is None:
            return False
        self.run(self._plans(None)[cycle](), run, operation=SCHEDULED[cycle])
        return True

    def note_undone(self, batch: str) -> None:
        """Record in the log of runs that a run was undone, or restored by an undo of the undo."""
        store = self._context.store
        first = store.find(Change, {"batch": batch}, limit=1)
        is_undo = bool(first) and first[0].operation.startswith("undo ")
        target = first[0].operation.removeprefix("undo ") if is_undo else batch
        for row in store.find(Consolidation, {"batch": target}):
            with store.transaction("consolidate") as transaction:
                transaction.update(Consolidation, row.id, {"undone_at": 0 if is_undo else clock.now()})

    def _plans(self, namespace: str | None) -> dict[CycleType, Callable[[], Plan]]:
        """Return, by cycle, the function that makes its plan with default thresholds."""
        return {
            "decay": lambda: self._decay(namespace, THRESHOLD_DAYS),
            "creative": lambda: self._creative(namespace),
            "cluster": lambda: self._cluster(namespace),
            "forget": lambda: self._forget(namespace, IMPORTANCE_THRESHOLD),
        }

    def _decay(self, namespace: str | None, threshold_days: int) -> Plan:
        from recollect.consolidate.decay import decay
        from recollect.engine.consolidation.consolidation_input import candidates

        return decay(candidates(self._context.store, _where(namespace)), clock.now(), threshold_days=threshold_days)

    def _creative(self, namespace: str | None) -> Plan:
        from recollect.consolidate.cluster import NEIGHBOURS, creative

        found = self._similar(self._texts(namespace), NEIGHBOURS)
        linked = _linked(self._context.store.columns(Edge, ("src", "dst")))
        plan = creative(found.candidates, found.pairs, linked, found.marks)
        return msgspec.structs.replace(plan, notes=found.notes)

    def _cluster(self, namespace: str | None) -> Plan:
        from recollect.consolidate.cluster import MOST_MEMBERS, cluster
        from recollect.engine.consolidation.consolidation_input import covered, open_groups

        store = self._context.store
        # Imported history is left out: its records name their source, and a summary of release notes says nothing.
        rows = [row for row in self._texts(namespace, settled=True) if "from" not in row.metadata]
        summed_up = covered(store)
        groups = open_groups(store, summed_up, rows)
        closed = {name for names in summed_up.values() for name in names}.difference(group.middle for group in groups)
        found = self._similar([row for row in rows if row.id not in closed], MOST_MEMBERS)
        plan = cluster(found.candidates, found.pairs, found.marks, groups)
        author = (self._summaries.announce(),) if plan.steps and self._summaries.has_clusters else ()
        return msgspec.structs.replace(plan, notes=(*found.notes, *author))

    def _forget(self, namespace: str | None, importance_threshold: float) -> Plan:
        from recollect.consolidate.decay import forget
        from recollect.engine.consolidation.consolidation_input import candidates

        rows = candidates(self._context.store, _where(namespace))
        return forget(rows, clock.now(), importance_threshold=importance_threshold)

    def _texts(self, namespace: str | None, *, settled: bool = False) -> "list[Candidate]":
        """Return candidates with their texts, without summaries of clusters."""
        from recollect.engine.consolidation.consolidation_input import candidates

        rows = candidates(self._context.store, _where(namespace), texts=True, settled=settled)
        return [row for row in rows if row.source != SUMMARY_SOURCE]

    def _similar(self, rows: "list[Candidate]", k: int) -> "Similar":
        from recollect.engine.consolidation.consolidation_input import similar

        self._embedding.after_import()  # a command has no server that made the vectors
        return similar(self._context.store, self._embedding.model_id, self._calibration, rows, k=k)

    def _carried_out(self, plan: Plan, *, preview: bool, wanted: str | None, limit: int) -> Consolidated:
        """Run a plan that was asked for, or preview it."""
        from recollect.engine.consolidation.plan_execution import enter

        most = input_checks.whole("limit", limit, least=1, most=1000)
        name = mark(plan)
        if wanted is not None and input_checks.text("plan", wanted) != name:
            raise Conflict(
                f"plan {wanted} is out of date: memories have changed since; the plan is now {name}",
                hint="Run it again with preview to see the new plan.",
                plan=name,
            )
        run = None if preview else enter(self._context.store, plan.cycle)
        return self.run(plan, run, operation=f"consolidate_{plan.cycle}", limit=most)

    def run(self, plan: Plan, run: Consolidation | None, *, operation: str, limit: int = 20) -> Consolidated:
        """Run a plan as an entered run; without one, return its preview."""
        from recollect.engine.consolidation.plan_execution import apply, thin

        batch, notes = "", plan.notes
        affected = len({memory_id for step in plan.steps for memory_id in step.memory_ids})
        if run is not None:
            store = self._context.store
            affected, made = apply(store, plan, run, operation, stopping=lambda: self.schedule.stopping)
            if made and self._summaries.has_clusters:
                notes += self._summaries.summarise_clusters(made, operation=operation, batch=run.batch)
            if plan.cycle == "decay":
                thin(store)
            batch = run.batch if self._has_changes(run.batch) else ""
            self._embedding.wake()
        return Consolidated(
            cycle=plan.cycle,
            applied=run is not None,
            plan=mark(plan),
            considered=plan.considered,
            affected=affected,
            steps=self._labelled(plan.steps[:limit]),
            steps_total=len(plan.steps),
            spared=plan.spared,
            batch=batch,
            notes=notes,
        )

    def _labelled(self, steps: Iterable[PlanStep]) -> tuple[PlanStep, ...]:
        """Return steps with the titles of their first memories."""
        shown = tuple(steps)
        named = {row.id: headline(row) for row in self._context.store.get(Memory, [row.memory_ids[0] for row in shown])}
        return tuple(msgspec.structs.replace(row, label=named.get(row.memory_ids[0], "")) for row in shown)


def _where(namespace: str | None) -> dict[str, object]:
    scope = namespace_of(namespace)
    return {} if scope is None else {"namespace": scope}


def _linked(ends: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the pairs of memories that are linked, by their ids."""
    return {(src.removeprefix("mem:"), dst.removeprefix("mem:")) for src, dst in ends}
