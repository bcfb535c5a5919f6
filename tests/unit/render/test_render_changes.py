"""Operations that change something answer in one line, without what their caller said."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.render.test_records import AMENDMENT, MEMORY, NOW

from recollect import model
from recollect.code.code_records import CodePlace, Cycle, CycleLink, Cycles
from recollect.hierarchy.model import Moved
from recollect.model import Deleted, Record
from recollect.model.graph_answer import NodeView, PageRanks, RankedNode
from recollect.render import acknowledged, to_brief, to_text
from recollect.text.token_count import tokens

UUIDS = ("1a2b3c4d-0000-4000-8000-000000000001", "9f8e7d6c-0000-4000-8000-000000000002")
KEPT = msgspec.structs.replace(MEMORY, id=UUIDS[0])


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (model.Stored(memory=KEPT, created=True), "Stored 1a2b3c4d."),
        (
            model.Stored(memory=msgspec.structs.replace(KEPT, namespace=None), created=True),
            "Stored 1a2b3c4d for all projects.",
        ),
        (model.Stored(memory=KEPT, created=False), "Already known as 1a2b3c4d."),
        (model.Stored(memory=KEPT, created=False, merged=("tags",)), "Already known as 1a2b3c4d, added tags."),
        (
            model.Stored(memory=KEPT, created=True, amends=(msgspec.structs.replace(AMENDMENT, memory_id=UUIDS[1]),)),
            "Stored 1a2b3c4d, supersedes 9f8e7d6c.",
        ),
        (acknowledged(KEPT, "update_memory", read_only=False), "Updated 1a2b3c4d."),
        (acknowledged(KEPT, "archive_memory", read_only=False), "Archived 1a2b3c4d."),
        (acknowledged(KEPT, "restore_memory", read_only=False), "Restored 1a2b3c4d."),
        (Deleted(deleted=1, batch=UUIDS[1]), "Deleted 1 memory. Undo with batch 9f8e7d6c."),
        (
            model.Undone(undone=UUIDS[0], restored=1, batch=UUIDS[1]),
            "Undid batch 1a2b3c4d: 1 change reverted. Undo this with batch 9f8e7d6c.",
        ),
    ],
)
def test_a_change_is_acknowledged_in_one_line_without_what_was_said(record: Record, said: str) -> None:
    assert to_text(record, NOW) == said
    assert MEMORY.content not in str(to_brief(record, NOW))
    assert tokens(str(to_brief(record, NOW))) < 50


def logged(action: model.Action, entity: str, entity_id: str, operation: str = "store_memory") -> model.Change:
    return model.Change(
        seq=1, batch=UUIDS[0], at=NOW, operation=operation, entity=entity, entity_id=entity_id, action=action
    )


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (
            model.Stored(
                memory=KEPT,
                created=True,
                amends=(msgspec.structs.replace(AMENDMENT, memory_id=UUIDS[1], text="Port 80"),),
            ),
            "9f8e7d6c  superseded  Port 80",
        ),
        (model.Stored(memory=KEPT, created=True, new_project=True), f"new project: {KEPT.namespace}"),
        (
            model.Undone(undone=UUIDS[0], restored=2, batch=UUIDS[1], operation="store_memory"),
            "Undid batch 1a2b3c4d (store memory): 2 changes reverted.",
        ),
        (
            model.Undone(undone="b1", restored=1, batch="b2", memories={UUIDS[1]: "removed: Port 80"}),
            "9f8e7d6c  removed: Port 80",
        ),
        (
            model.MemoryPage(memories=(msgspec.structs.replace(KEPT, superseded_by=UUIDS[1]),), total=1),
            f"1a2b3c4d  {KEPT.kind}, superseded by 9f8e7d6c, ",
        ),
        (
            model.MemoryPage(memories=(msgspec.structs.replace(KEPT, valid_to=NOW, superseded_by=None),), total=1),
            f"1a2b3c4d  {KEPT.kind}, no longer valid, ",
        ),
        (
            model.History(
                changes=(logged("insert", "graph_nodes", "n"), logged("insert", "memories", UUIDS[1])),
                total=2,
                headlines={UUIDS[1]: "Port 80"},
            ),
            "1a2b3c4d  just now, store memory  added 9f8e7d6c Port 80",
        ),
        (
            model.History(
                changes=(logged("insert", "graph_edges", "e"), *[logged("delete", "memories", "m")] * 3), total=4
            ),
            "1a2b3c4d  just now, store memory  deleted 3 memories, added 1 link",
        ),
    ],
)
def test_a_changed_memory_is_named_by_its_words(record: Record, line: str) -> None:
    assert any(shown.startswith(line) for shown in to_text(record, NOW).splitlines()), to_text(record, NOW)


def test_a_memory_that_is_read_is_not_acknowledged() -> None:
    assert acknowledged(KEPT, "get_memory", read_only=True) is KEPT


PLACE = CodePlace(id="sym:/x/a.py::f", path="a.py", symbol="f", kind="Function")
LINK = CycleLink(source=PLACE, target=PLACE)
CYCLE = Cycle(members=(PLACE, PLACE), size=2, links=2, way=(LINK, LINK), cut=LINK, left=0)
NODE = NodeView(id="sym:/x/a.py::f", kind="Function", label="f", path="a.py", line=3)


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (Cycles(of="calls", cycles=(CYCLE,), total=1, nodes=2), "1 call cycle."),
        (Cycles(of="imports", cycles=(CYCLE, CYCLE), total=2, nodes=4), "2 import cycles, largest first."),
        (
            PageRanks(nodes=(RankedNode(node=NODE, pagerank=0.5),), total=1, damping=0.85),
            "sym:/x/a.py::f  Function, PageRank",
        ),
        (Moved(at=NOW, name="a", from_level=1, to_level=3, trigger="space", reason="space"), "a  level 1 → 3, space"),
    ],
)
def test_a_line_counts_its_things_and_names_nodes_by_their_id(record: Record, line: str) -> None:
    assert any(shown.startswith(line) for shown in to_text(record, NOW).splitlines())
    assert to_text(record, NOW).count("space") <= 1


@pytest.mark.parametrize("steps", [0, 1])
def test_only_a_plan_with_steps_can_be_applied(steps: int) -> None:
    run = model.Consolidated(cycle="decay", applied=False, plan="p", considered=3, affected=steps, steps_total=steps)
    assert ("--apply" in to_text(model.Consolidations(cycles=(run,)), NOW)) == bool(steps)
