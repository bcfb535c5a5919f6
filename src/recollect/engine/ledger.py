"""Ledger: what language models cost each day, counted in the store so that all processes share one budget.

    reserve ─► the model is asked ─► settle

A call and the most tokens it can cost are counted before it is made, under the write lock, and put right afterwards. So
the budget holds however many processes ask at once, and a process that dies in between has counted too much, never too
little. After a failure the model is left alone for a while, by every process: a dead provider must cost one time-out,
not one for every command.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from recollect import clock
from recollect.errors import BudgetSpent, ModelFailed
from recollect.model import Usage
from recollect.store.protocol import Store
from recollect.text.redaction.redact import redact

# After a failure the model is left alone for this long, doubling with every further one up to the maximum: short enough
# to get over a restart of a local service, long enough that a dead one is asked a dozen times an hour at most.
FIRST_PAUSE_S = 5
LONGEST_PAUSE_S = 300


class Limits(NamedTuple):
    """How often a day the models of a store may be asked, and how many tokens they may read and write."""

    calls: int
    tokens: int


def day_of(moment: int) -> str:
    """Return the UTC day of a moment, as it stands in the ledger."""
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def today(store: Store) -> list[Usage]:
    """Return what each model cost today."""
    return store.find(Usage, {"day": day_of(clock.now())})


def reserve(store: Store, model: str, tokens: int, limits: Limits) -> Usage:
    """Count one call of so many tokens at most; return the row it was counted in.

    Raises BudgetSpent where it would exceed the budget, ModelFailed while the model is left alone, StorageError where
    nothing can be counted; then nothing was.
    """
    day = day_of(clock.now())
    row_id = f"{day} {model}"
    with store.transaction("ask_model") as transaction:
        rows = transaction.find(Usage, {"day": day})
        refuse(rows, model, limits, calls=1, tokens=tokens)
        row = next((row for row in rows if row.id == row_id), None)
        if row is None:
            return transaction.insert(Usage(id=row_id, day=day, model=model, calls=1, tokens=tokens))
        return transaction.update(Usage, row_id, {"calls": row.calls + 1, "tokens": row.tokens + tokens})


def refuse(rows: Sequence[Usage], model: str, limits: Limits, *, calls: int, tokens: int) -> None:
    """Raise if so many more calls and tokens today would exceed the budget, or while the model is left alone."""
    spent = {"calls": sum(row.calls for row in rows), "tokens": sum(row.tokens for row in rows)}
    for name, more in (("calls", calls), ("tokens", tokens)):
        most = getattr(limits, name)
        if spent[name] + more > most:
            raise BudgetSpent(
                f"language model budget exceeded: {more:,} more {name} needed, {spent[name]:,} of {most:,} used today",
                budget=name,
                spent=spent[name],
                allowed=most,
            )
    row = next((row for row in rows if row.model == model), None)
    if row is not None and paused_s(row):
        raise ModelFailed(f"{model} is paused for {paused_s(row)} s after an error: {row.failure}", model=model)


def paused_s(row: Usage) -> int:
    """Return for how many seconds the model is still left alone."""
    return max(0, row.resume_at - clock.now())


def settle(store: Store, reserved: Usage, *, spare_tokens: int, failure: str = "", pausing: bool = False) -> None:
    """Give back the tokens of a call that were reserved and not used, and note how it ended.

    pausing: the failure is the model's own, so it is paused for a while
    """
    with store.transaction("ask_model") as transaction:
        (row,) = transaction.get(Usage, [reserved.id])
        values: dict[str, object] = {"tokens": max(0, row.tokens - spare_tokens)}
        if not failure:
            values |= {"streak": 0, "resume_at": 0, "failure": ""}
        else:
            # A provider may repeat the key that it refuses.
            values |= {"failures": row.failures + 1, "failure": redact(failure).text}
            # Calls that were under way together fail together: that is one failure, not ten.
            if pausing and not paused_s(row):
                pause = min(FIRST_PAUSE_S * 2**row.streak, LONGEST_PAUSE_S)
                values |= {"streak": row.streak + 1, "resume_at": clock.now() + pause}
        transaction.update(Usage, reserved.id, values)
