"""Language: the language model, where one is configured, asked within its budget.

Nothing here is needed: whoever asks has rules to fall back on, and says so. Nothing is asked unless it was configured.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine.ledger import Limits, day_of, paused_s, refuse, reserve, settle, today
from recollect.errors import ConfigError, Conflict, ModelFailed, StorageError
from recollect.model import Spending, Usage
from recollect.providers.provider_protocol import Completion
from recollect.store.protocol import Store
from recollect.text.budget import tokens
from recollect.text.redact import redact

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.providers.choose import Role
    from recollect.providers.provider_protocol import Model

CONFIGURE = "Set {role}_provider to ollama, openai or anthropic."

# Statuses caused by the prompt, not by the model: too long, or not allowed. The next prompt may work.
PROMPT_STATUSES = frozenset({400, 413, 422})


class Language:
    """Asks the language model, and knows what that cost."""

    def __init__(self, engine: "Engine", model: "Model | None" = None, *, role: "Role" = "llm") -> None:
        """Ask `model`; none: the provider that is configured for the role, opened on first use."""
        self._engine = engine
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

                self._model = open_model(self._engine.settings, self._role)
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
        """Return what the model says to a prompt, at most `max_tokens` of it; counted, and within the budget.

        Secrets in the prompt are replaced before it is sent, whoever wrote it.
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
    def books(self) -> Iterator[Store]:
        """Give the store to write down what a model cost or said. Raises Conflict once the engine is being closed.

        A request may come home long after whoever sent it has gone; the database is not closed under its hands.
        """
        with self._writing:
            if self._stopped:
                raise Conflict("this engine is closed", hint="Create a new Engine.")
            yield self._engine.store

    def stop(self) -> None:
        """Let nothing be written down any more, after what is being written."""
        with self._writing:
            self._stopped = True

    def afford(self, *, calls: int, tokens: int) -> None:
        """Raise as `complete` would if so many calls and tokens were asked for now; nothing is counted."""
        refuse(today(self._engine.store), self.model_id, self._limits, calls=calls, tokens=tokens)

    def spending(self) -> Spending | None:
        """Return what was spent today and whether the model is left alone; None where there is and was none."""
        rows = today(self._engine.store)
        wrong = ""
        try:
            model = self.model_id
        except ConfigError as problem:
            model, wrong = getattr(self._engine.settings, f"{self._role}_provider"), problem.message
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
        settings = self._engine.settings
        return Limits(settings.llm_max_calls_per_day, settings.llm_max_tokens_per_day)

    def _settle(self, row: Usage, spare: int, failure: ModelFailed | None = None) -> None:
        told = failure.message if failure else ""
        pausing = failure is not None and failure.details.get("status") not in PROMPT_STATUSES
        try:
            with self.books() as store:
                settle(store, row, spare_tokens=spare, failure=told, pausing=pausing)
        except (StorageError, Conflict):
            # Too much stays counted. An answer that was paid for is not lost because the ledger is locked or closed.
            return


def _failed(model: str, problem: Exception) -> ModelFailed:
    return ModelFailed(f"{model} failed: {type(problem).__name__}: {problem}")


def _cost(failure: ModelFailed, asked: int) -> int:
    """Return what a failed call may have cost: nothing if the provider refused it, else what it says or was asked."""
    if failure.details.get("status"):
        return 0
    return int(failure.details.get("tokens") or asked)
