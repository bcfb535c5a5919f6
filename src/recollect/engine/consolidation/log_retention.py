"""Retention: for how long the log keeps what made memories fade.

A row of the log holds a memory as it was, words and all, so that it can be taken back exactly. Fading writes such a
row for each twentieth that an importance loses, in every memory that nobody uses; kept forever they would outweigh the
memories. What they know beyond a few months nobody wants back: what a memory was given is kept beside it, and comes
back as soon as it is used. Nothing else of the log is ever dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect import clock
from recollect.model import Change, Consolidation
from recollect.store.protocol import Range

if TYPE_CHECKING:
    from recollect.store.protocol import Store

# A quarter: whoever has not taken a run back by then has worked with it for months.
KEPT_DAYS = 90
# Rows dropped in one transaction, so that nobody else waits long to write.
ROWS = 500
# The last run of decay whose rows were dropped.
KEY = "consolidation/thinned"

DAY_S = 86_400


def thin(store: Store) -> int:
    """Drop from the log what runs of decay changed more than KEPT_DAYS ago; return how many rows.

    Such a run cannot be taken back any more. Whoever is stopped on the way leaves the rest to the next run.
    """
    old = {"cycle_type": "decay", "run_at": Range(below=clock.now() - KEPT_DAYS * DAY_S)}
    done = int(store.setting(KEY) or 0)
    dropped = 0
    for run in store.find(Consolidation, {**old, "id": Range(at_least=done + 1)}, order="id"):
        faded = {"batch": run.batch, "entity": "memories", "action": "update"}
        rows = [seq for (seq,) in store.columns(Change, ("seq",), faded)] if run.batch else []
        for start in range(0, len(rows), ROWS):
            with store.transaction("consolidate") as transaction:
                dropped += transaction.delete(Change, {"seq": tuple(rows[start : start + ROWS])})
        store.keep_setting(KEY, str(run.id))
    return dropped
