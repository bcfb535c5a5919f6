"""The language model, where one is configured, and its daily budget, counted in the store for all processes.

    reserve ─► the model is asked ─► settle

A call and the most tokens it can cost are counted before it is made, under the write lock, and corrected afterwards. So
the budget holds however many processes ask at once; a process that dies in between has counted too much, never too
little. After a failure every process leaves the model alone for a while: a dead provider must cost one time-out, not
one for every command. Nothing needs the model: every caller has rules to fall back on, and says so.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.errors import BudgetSpent, ConfigError, Conflict, ModelFailed, StorageError
from recollect.model import Spending, Usage
from recollect.providers.provider_protocol import Completion, Model
from recollect.text.redaction.redact import redact
from recollect.text.token_count import tokens

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.providers.choose import Role
    from recollect.store.sql import Store

CONFIGURE = "Set {role}_provider to ollama, openai or anthropic."

# Statuses caused by the prompt, not by the model: too long, or not allowed. The next prompt may work.
PROMPT_STATUSES = frozenset({400, 413, 422})


# After a failure the model is paused for this long, doubling with every further one up to the maximum: short enough
# to get over a restart of a local service, long enough that a dead one is asked a dozen times an hour at most.
FIRST_PAUSE_S = 5
LONGEST_PAUSE_S = 300


class Limits(NamedTuple):
    """The budget of a day: calls, and tokens read and written."""

    calls: int
    tokens: int


class Language:
    """Asks the language model within its budget."""

    def __init__(self, context: "Context", model: "Model | None" = None, *, role: "Role" = "llm") -> None:
        """Ask `model`; default: the provider configured for the role, opened on first use."""
        self._context = context
        self._role = role
        self._model = model
        self._opened = model is not None
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._stopped = False

    @property
    def model(self) -> "Model | None":
        """The configured model, or None, which is the default. Raises ConfigError."""
        with self._lock:
            if not self._opened:
                from recollect.providers.choose import open_model

                self._model = open_model(self._context.settings, self._role)
                self._opened = True
            return self._model

    @property
    def is_configured(self) -> bool:
        """Whether there is a model to ask, or settings that name one and cannot work."""
        try:
            return self.model is not None
        except ConfigError:
            return True

    @property
    def model_id(self) -> str:
        """The id of the configured model; empty when there is none."""
        model = self.model
        return model.model_id if model else ""

    def complete(self, prompt: str, *, max_tokens: int) -> str:
        """Return the model's answer to a prompt, at most `max_tokens`; counted in the budget.

        Secrets in the prompt are replaced before it is sent.
        Raises BudgetSpent, ModelFailed (also when none is configured), and StorageError where the call could not be
        counted. Not to be called within a transaction: it counts in one of its own.
        """
        model = self.model
        if model is None:
            raise ModelFailed("no language model is configured", hint=CONFIGURE.format(role=self._role))
        # What is stored holds no secrets by what was known of them then; what leaves the machine holds none by now.
        prompt = redact(prompt).text
        asked = tokens(prompt)
        most = asked + max_tokens
        with self.books() as store:
            row = reserve(store, model.model_id, most, self._limits)
        try:
            said = model.complete(prompt, max_tokens=max_tokens)
            if not isinstance(said, str) or not said.strip():
                raise ModelFailed(f"{model.model_id} returned no text")
        except Exception as problem:
            # Whatever goes wrong in there, what it was asked for must not go wrong with it.
            failure = problem if isinstance(problem, ModelFailed) else _failed(model.model_id, problem)
            self._settle(row, most - _cost(failure, asked), failure)
            raise failure from problem.__cause__
        cost = said.tokens if isinstance(said, Completion) else asked + tokens(said)
        self._settle(row, most - cost)
        return str(said)

    @contextmanager
    def books(self) -> "Iterator[Store]":
        """Yield the store, to record what a model cost or answered. Raises Conflict while the engine is closed.

        A request may return long after its caller has gone; the database is not closed while it is recorded.
        """
        with self._writing:
            if self._stopped:
                raise Conflict("this engine is closed", hint="Create a new Engine.")
            yield self._context.store

    def stop(self) -> None:
        """Refuse further records, after the one being written."""
        with self._writing:
            self._stopped = True

    def afford(self, *, calls: int, tokens: int) -> None:
        """Raise the error that `complete` would raise for this many calls and tokens; counts nothing."""
        refuse(today(self._context.store), self.model_id, self._limits, calls=calls, tokens=tokens)

    def spending(self) -> Spending | None:
        """Return today's usage and whether the model is paused; None where there is no model."""
        rows = today(self._context.store)
        wrong = ""
        try:
            model = self.model_id
        except ConfigError as problem:
            model, wrong = getattr(self._context.settings, f"{self._role}_provider"), problem.message
        if not model and not rows:
            return None
        own = next((row for row in rows if row.model == model), None)
        return Spending(
            model=model,
            day=day_of(clock.now()),
            calls=sum(row.calls for row in rows),
            tokens=sum(row.tokens for row in rows),
            failures=sum(row.failures for row in rows),
            max_calls=self._limits.calls,
            max_tokens=self._limits.tokens,
            paused_s=paused_s(own) if own else 0,
            last_failure=wrong or (own.failure if own else ""),
        )

    @property
    def _limits(self) -> Limits:
        settings = self._context.settings
        return Limits(settings.llm_max_calls_per_day, settings.llm_max_tokens_per_day)

    def _settle(self, row: Usage, spare: int, failure: ModelFailed | None = None) -> None:
        told = failure.message if failure else ""
        pausing = failure is not None and failure.details.get("status") not in PROMPT_STATUSES
        try:
            with self.books() as store:
                settle(store, row, spare_tokens=spare, failure=told, pausing=pausing)
        except (StorageError, Conflict):
            # Too much stays counted. An answer that was paid for is not lost because the database is locked or closed.
            return


def _failed(model: str, problem: Exception) -> ModelFailed:
    return ModelFailed(f"{model} failed: {type(problem).__name__}: {problem}")


def _cost(failure: ModelFailed, asked: int) -> int:
    """Return the tokens that a failed call may have cost; none if the provider refused it."""
    if failure.details.get("status"):
        return 0
    return int(failure.details.get("tokens") or asked)


# --- the budget ---


def day_of(moment: int) -> str:
    """Return the UTC day of a moment, as it is stored with the usage."""
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def today(store: "Store") -> list[Usage]:
    """Return what each model cost today."""
    return store.find(Usage, {"day": day_of(clock.now())})


def reserve(store: "Store", model: str, tokens: int, limits: Limits) -> Usage:
    """Count one call of so many tokens at most; return the row it was counted in.

    Raises BudgetSpent where it would exceed the budget, ModelFailed while the model is paused, StorageError where
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
    """Raise if more calls and tokens would exceed today's budget, or while the model is paused."""
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


def settle(store: "Store", reserved: Usage, *, spare_tokens: int, failure: str = "", pausing: bool = False) -> None:
    """Release the unused tokens of a call, and note how it ended.

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
