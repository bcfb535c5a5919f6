"""What tests of consolidation share: a theme, what is kept of it, and samples of answers for rendering."""

from __future__ import annotations

from typing import Any

from recollect import Engine, model
from recollect.model import Edge, Memory, Node

DAY = 86_400
THEME = "The invoice rounding of the billing service uses bankers rounding"


def importance(engine: Engine, memory: Memory) -> float:
    return engine.store.get(Memory, [memory.id])[0].importance


def links(engine: Engine) -> list[tuple[str, str, str]]:
    return sorted((edge.src[4:], edge.relationship, edge.dst[4:]) for edge in engine.store.find(Edge))


def state(engine: Engine) -> list[dict[str, Any]]:
    """Everything that is kept, without the numbers of the log and what is derived."""
    volatile = {"rev", "centrality"}
    return [
        {name: getattr(row, name) for name in row.__struct_fields__ if name not in volatile}
        for kind in (Memory, Node, Edge)
        for row in engine.store.find(kind, order="id")
    ]


def store_theme(engine: Engine, count: int = 4) -> list[Memory]:
    return [engine.memories.store(f"{THEME} in case {number}.", amend=False).memory for number in range(count)]


FADED = model.PlanStep(
    action="fade",
    memory_ids=("m1",),
    why="not used for 99 days",
    before=0.8,
    after=0.5,
    label="Tabs",
)
JOINED = model.PlanStep(action="link", memory_ids=("m1", "m2"), why="alike", relationship="SHARES_THEME", weight=0.7)
SUMMED_UP = model.PlanStep(
    action="summarize", memory_ids=("m1", "m2", "m3"), why="about one thing", title="Tabs", content="- Tabs\n- Spaces"
)
JOINING = model.PlanStep(
    action="extend", memory_ids=("m4",), why="about the same", title="Tabs", content="- Tabs", summary_id="m9"
)
ARCHIVED = model.PlanStep(action="archive", memory_ids=("m1",), why="importance 0.05 is below 0.10", before=0.05)
RUN = model.Consolidated(
    cycle="decay",
    applied=True,
    plan="0123456789ab",
    considered=9,
    affected=1,
    steps=(FADED,),
    steps_total=3,
    spared={"pinned": 2},
    batch="b1",
    notes=("a note",),
)
NEVER = model.CycleStatus(cycle="creative", every_s=604_800, due_at=1_800_000_100)
ONCE = model.CycleStatus(
    cycle="forget", runs=1, last_run_at=1_799_000_000, last_affected=2, last_batch="b1", undone=True, finished=False
)
STATUS = model.ConsolidationStatus(cycles=(NEVER, ONCE), automatic=True, archived=1)

SAMPLES = (
    FADED,
    JOINED,
    SUMMED_UP,
    JOINING,
    ARCHIVED,
    RUN,
    model.Consolidated(cycle="decay", applied=False, plan="0", considered=1, affected=1, steps=(FADED,), steps_total=1),
    model.Consolidated(cycle="cluster", applied=True, plan="0", considered=1, affected=0),
    NEVER,
    ONCE,
    STATUS,
    model.ConsolidationStatus(cycles=(), automatic=False),
    model.ConsolidationStatus(
        cycles=(NEVER,), automatic=True, evolution=model.CycleStatus(cycle="evolve", every_s=604_800)
    ),
    model.Consolidations(),
    model.Consolidations(cycles=(RUN,), status=STATUS),
)
