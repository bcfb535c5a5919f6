"""Judge: the last stage of a search, where it is wanted and a language model is configured.

    search wider ─► what was judged before ─► ask about the rest, several at a time, until the deadline ─► merge

It can only improve an answer: on any failure the answer is what it would have been without a judge, with a note that
says why. Judgements are kept in the store, so the same question about the same memories costs nothing a second time.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock, progress
from recollect.engine.answer import answer
from recollect.engine.language import PROMPT_STATUSES
from recollect.engine.redaction import without_secrets
from recollect.errors import Conflict, ModelFailed, RecollectError, StorageError
from recollect.model import Judgement, Recall
from recollect.recall.llm_judge_prompt import VERDICT_TOKENS, Verdict, merge, question, verdict
from recollect.text.budget import tokens
from recollect.text.plural import plural

if TYPE_CHECKING:
    from recollect.engine.recall import Asked
    from recollect.engine.root import Engine

# Judgements kept, the latest: 10 MB or so. Five hundred questions about twenty memories each.
MAX_KEPT = 10_000
# How often whoever waits can say that it is not wanted any more.
LISTEN_S = 0.25
# Forgotten at once: as many as one statement can name.
MAX_FORGOTTEN = 500


class Outcome(NamedTuple):
    """What asking about one memory came to: a verdict, an answer without one, or the failure that ends the stage."""

    key: str
    verdict: Verdict | None = None
    failure: RecollectError | None = None


def judged(engine: Engine, asked: Asked, *, least: float, leave_out: frozenset[str] = frozenset()) -> Recall:
    """Return the answer to a question with its best hits judged, and in the order of their judged relevance.

    least: the relevance below which a memory is not even judged; `asked.least` is what it has to have afterwards
    """
    candidates = engine.settings.judge_candidates
    wider = asked._replace(limit=max(asked.limit, candidates), least=min(asked.least, least), hides_weak=False)
    found = answer(engine, wider, leave_out=leave_out)
    try:
        model = engine.language.model_id
        if not model:
            raise ModelFailed("no language model is configured")
        prompts = {hit.memory.id: question(hit, found.query) for hit in found.hits[:candidates]}
        verdicts = _verdicts(engine, model, prompts)
    except RecollectError as problem:
        if problem.code == "CANCELLED":
            raise
        plain = answer(engine, asked, leave_out=leave_out)
        return msgspec.structs.replace(
            plain, notes=(*plain.notes, f"not re-ranked by the language model: {problem.message}")
        )
    hits = [hit for hit in merge(found.hits, verdicts, model) if hit.score >= asked.least]
    silent = len(prompts) - len(verdicts)
    notes = (
        (f"{model} scored only {len(prompts) - silent} of {len(prompts)} memories; the others keep their search score",)
        if silent
        else ()
    )
    return msgspec.structs.replace(found, hits=tuple(hits[: asked.limit]), notes=(*found.notes, *notes))


def _verdicts(engine: Engine, model: str, prompts: Mapping[str, str]) -> dict[str, Verdict]:
    """Return the verdict on each memory, by id, as far as there is one. Raises what kept the model from being asked."""
    keys = {memory_id: _key(model, prompt) for memory_id, prompt in prompts.items()}
    known = {row.id: Verdict(row.score, row.reason) for row in engine.store.get(Judgement, list(keys.values()))}
    missing = {key: prompts[memory_id] for memory_id, key in keys.items() if key not in known}
    if missing:
        most = sum(tokens(prompt) + VERDICT_TOKENS for prompt in missing.values())
        # All or nothing: what cannot be judged to the end is not begun.
        engine.language.afford(calls=len(missing), tokens=most)
        known |= _ask(engine, model, missing)
    if prompts and not known:
        raise ModelFailed(f"{model} returned no score for {plural(len(prompts), 'memory', 'memories')}")
    return {memory_id: known[key] for memory_id, key in keys.items() if key in known}


def _key(model: str, prompt: str) -> str:
    """Return what a judgement is found by: everything the verdict depends on, and nothing that can be read back."""
    return hashlib.sha256(f"{model}\0{prompt}".encode("utf-8", "surrogatepass")).hexdigest()


def _ask(engine: Engine, model: str, prompts: Mapping[str, str]) -> dict[str, Verdict]:
    """Return the verdicts on all prompts, by key, asking about several at a time. Raises the first failure.

    A request cannot be called back, so threads that are still waiting at the deadline are left to themselves: what
    they bring home is kept for the next time.
    """
    waiting: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
    for row in prompts.items():
        waiting.put(row)
    outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            try:
                key, prompt = waiting.get_nowait()
            except queue.Empty:
                return
            outcome = _outcome(engine, model, key, prompt)
            if outcome.failure is not None:
                stop.set()  # before anybody hears of it: no further request is sent
            outcomes.put(outcome)

    deadline = time.monotonic() + engine.settings.judge_deadline_s
    for number in range(min(engine.settings.judge_batch_size, len(prompts))):
        threading.Thread(target=work, name=f"recollect-judge-{number}", daemon=True).start()
    try:
        return _collect(outcomes, len(prompts), deadline, engine.settings.judge_deadline_s)
    finally:
        stop.set()


def _collect(
    outcomes: queue.SimpleQueue[Outcome], count: int, deadline: float, patience_s: float
) -> dict[str, Verdict]:
    """Return the verdicts as they come in, until all are there. Raises the first failure, and at the deadline."""
    verdicts: dict[str, Verdict] = {}
    done = 0
    while done < count:
        progress.report(done, count, "scoring")
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise ModelFailed(f"timeout: {done} of {count} memories scored within {patience_s:g} s")
        try:
            outcome = outcomes.get(timeout=min(left_s, LISTEN_S))
        except queue.Empty:
            continue
        if outcome.failure is not None:
            raise outcome.failure
        if outcome.verdict is not None:
            verdicts[outcome.key] = outcome.verdict
        done += 1
    return verdicts


def _outcome(engine: Engine, model: str, key: str, prompt: str) -> Outcome:
    """Return what asking about one memory came to; a verdict is kept."""
    try:
        said = verdict(engine.language.complete(prompt, max_tokens=VERDICT_TOKENS), prompt)
    except RecollectError as problem:
        about_prompt = isinstance(problem, ModelFailed) and problem.details.get("status") in PROMPT_STATUSES
        return Outcome(key) if about_prompt else Outcome(key, failure=problem)
    except Exception as problem:  # in a thread, nobody else would hear of it
        return Outcome(key, failure=ModelFailed(f"scoring failed: {type(problem).__name__}: {problem}"))
    if said is not None:
        row = Judgement(id=key, model=model, score=said.score, reason=said.reason, judged_at=clock.now())
        _keep(engine, [without_secrets(row)[0]])
    return Outcome(key, said)


def _keep(engine: Engine, rows: Sequence[Judgement]) -> None:
    """Keep judgements, and forget the oldest of too many."""
    try:
        with engine.language.books() as store, store.transaction("judge") as transaction:
            known = {row.id for row in transaction.get(Judgement, [row.id for row in rows])}
            for row in rows:
                if row.id not in known:
                    transaction.insert(row)
            kept = store.count(Judgement)
            if kept > MAX_KEPT:
                oldest = transaction.find(Judgement, order="judged_at", limit=min(kept - MAX_KEPT, MAX_FORGOTTEN))
                transaction.delete(Judgement, {"id": tuple(row.id for row in oldest)})
    except (StorageError, Conflict):
        # A cache: the verdict is in hand. Where it cannot be kept it will be asked for again.
        return
