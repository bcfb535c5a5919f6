"""Who is killed while counting what was made of memories has counted whole batches; the rest is counted once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from recollect import Engine
from recollect.engine.sessions.injection_outcomes import count
from recollect.model import Injection, Memory, Usefulness

OFFERS = 10

# Counts four offers to a transaction, and is held in the middle of the second: what it wrote there is not committed.
CHILD = """
import sys
from recollect import Engine
from recollect.engine.sessions import injection_outcomes
injection_outcomes.BATCH = 4
real, seen = injection_outcomes._counted, []
def counted(transaction, row):
    seen.append(row)
    found = real(transaction, row)
    if len(seen) == 6:
        print("held", flush=True)
        sys.stdin.readline()
    return found
injection_outcomes._counted = counted
with Engine(embed_provider="off") as engine:
    injection_outcomes.count(engine.store)
"""


def test_a_killed_count_leaves_whole_batches_and_the_next_counts_the_rest_once(home: Path) -> None:
    with Engine(embed_provider="off") as engine:
        ids = [
            engine.memories.store(f"Statement {number} about nothing", confidence=0.5, amend=False).memory.id
            for number in range(OFFERS)
        ]
        with engine.store.transaction("test") as transaction:
            for number, memory_id in enumerate(ids):
                offer = Injection(id=f"i{number}", session_id="s", memory_id=memory_id, at=number, event="prompt",
                                  evidence="cited", due=1)  # fmt: skip
                transaction.insert(offer)
        process = subprocess.Popen(
            [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline().strip() == "held"
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
        assert engine.store.count(Injection, {"due": 1}) == OFFERS - 4
        assert count(engine.store) == OFFERS - 4
        assert count(engine.store) == 0
        assert [row.used for row in engine.store.find(Usefulness)] == [1] * OFFERS
        assert {row.confidence for row in engine.store.get(Memory, ids)} == {0.6}
