"""A cycle that is killed in the middle leaves whole steps behind, is seen to be unfinished, and can be taken back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect import Engine, clock
from recollect.engine.consolidation import plan_execution
from recollect.errors import StorageError
from recollect.model import Memory

MEMORIES = 30
DAY = 86_400

# Fades memories two to a transaction, says so after each, and waits after twelve.
CHILD = """
import sys, time
from recollect import Engine, clock, progress
from recollect.engine.consolidation import plan_execution as applying
applying.STEPS = 2
real = clock.now
clock.now = lambda: real() + 200 * 86_400
def told(done, total, message):
    print(done, flush=True)
    if done == 12:
        sys.stdin.readline()
with Engine(embed_provider="off") as engine, progress.reporting_to(told):
    engine.consolidation.decay()
"""


def rows(engine: Engine) -> list[dict[str, Any]]:
    return [
        {name: getattr(row, name) for name in row.__struct_fields__ if name != "rev"}
        for row in engine.store.find(Memory, order="id")
    ]


@pytest.mark.promise("B7")
def test_a_killed_cycle_leaves_whole_steps_and_is_taken_back_to_the_letter(home: Path) -> None:
    with Engine(embed_provider="off") as engine:
        for number in range(MEMORIES):
            engine.memories.store(f"Statement {number} about nothing", importance=0.8, amend=False)
        before = rows(engine)
        process = subprocess.Popen(
            [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None and process.stdin is not None
        while process.stdout.readline().strip() != "12":
            pass
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        status = engine.consolidation.status().cycles[0]
        assert (status.finished, status.last_affected) == (False, 12)
        assert sum(row.importance < 0.8 for row in engine.store.find(Memory)) == 12
        assert engine.store.check(thorough=True) == []
        engine.admin.undo(status.last_batch)
        assert rows(engine) == before


@pytest.mark.promise("B7")
def test_a_cycle_that_does_not_fit_on_the_disk_leaves_whole_steps_and_is_taken_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_execution, "STEPS", 2)
    with Engine(embed_provider="off") as engine:
        for number in range(MEMORIES):
            engine.memories.store(f"Statement {number} about nothing {'at all ' * 400}", importance=0.8, amend=False)
        before = rows(engine)
        connection = engine.store._dialect.connection()  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        # The log keeps each row as it was: there is room for some of them.
        connection.execute(f"PRAGMA max_page_count = {pages + 12}")
        later = clock.now() + 200 * DAY
        monkeypatch.setattr(clock, "now", lambda: later)
        with pytest.raises(StorageError) as refused:
            engine.consolidation.decay()
        assert refused.value.code == "STORE_FULL"
        connection.execute("PRAGMA max_page_count = 1000000")
        status = engine.consolidation.status().cycles[0]
        faded = sum(row.importance < 0.8 for row in engine.store.find(Memory))
        assert (status.finished, status.last_affected) == (False, faded)
        assert 0 < faded < MEMORIES and faded % 2 == 0
        assert engine.store.check(thorough=True) == []
        engine.admin.undo(status.last_batch)
        assert rows(engine) == before
