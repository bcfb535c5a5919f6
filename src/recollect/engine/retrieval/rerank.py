"""Reranking: the last stage of a search, by a language model or by a cross-encoder, if configured.

    search wider ─► what was judged before ─► ask about the rest, several at a time, until the deadline ─► merge

On any failure the answer keeps its order, with a note that says why. Judgements of a language model are kept in the
store, so the same question about the same memories costs nothing a second time.
"""

from __future__ import annotations

import hashlib
import math
import queue
import statistics
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock, progress
from recollect.engine.models.llm import PROMPT_STATUSES, Language
from recollect.engine.records.record_redaction import without_secrets
from recollect.errors import Conflict, EmbeddingFailed, ModelFailed, RecollectError, StorageError
from recollect.model import Hit, Judgement, Recall
from recollect.providers.local import open_cross_encoder
from recollect.recall.llm_judge_prompt import VERDICT_TOKENS, Verdict, merge, question, verdict
from recollect.text.display import plural
from recollect.text.token_count import tokens

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.retrieval.query_arguments import Asked
    from recollect.engine.retrieval.recall_pipeline import RecallPipeline

# Judgements kept, the latest: 10 MB or so. Five hundred questions about twenty memories each.
MAX_KEPT = 10_000
# How often a waiting caller can cancel.
LISTEN_S = 0.25
# Forgotten at once: as many as one statement can name.
MAX_FORGOTTEN = 500


class Outcome(NamedTuple):
    """The outcome for one memory: a verdict, an answer without one, or the failure that ends the stage."""

    key: str
    verdict: Verdict | None = None
    failure: RecollectError | None = None


class Reranker(NamedTuple):
    """Has a language model judge the best hits of a search."""

    context: Context
    llm: Language
    pipeline: RecallPipeline

    def answer(self, asked: Asked, *, least: float) -> Recall:
        """Return the answer to a question, its best hits reordered by the model.

        least: the relevance below which a memory is not even judged; `asked.least` is what it has to have afterwards
        """
        candidates = self.context.settings.judge_candidates
        wider = asked._replace(limit=max(asked.limit, candidates), least=min(asked.least, least), hides_weak=False)
        found = self.pipeline.answer(wider)
        try:
            model = self.llm.model_id
            if not model:
                raise ModelFailed("no language model is configured")
            prompts = {hit.memory.id: question(hit, found.query) for hit in found.hits[:candidates]}
            verdicts = self._verdicts(model, prompts)
        except RecollectError as problem:
            if problem.code == "CANCELLED":
                raise
            plain = self.pipeline.answer(asked)
            return msgspec.structs.replace(
                plain, notes=(*plain.notes, f"not re-ranked by the language model: {problem.message}")
            )
        hits = [hit for hit in merge(found.hits, verdicts, model) if hit.score >= asked.least]
        notes, scored = found.notes, f"{len(verdicts)} of {len(prompts)} memories"
        if len(verdicts) < len(prompts):
            notes = (*notes, f"{model} scored only {scored}; the others keep their search score")
        return msgspec.structs.replace(found, hits=tuple(hits[: asked.limit]), notes=notes)

    def _verdicts(self, model: str, prompts: Mapping[str, str]) -> dict[str, Verdict]:
        """Return the verdicts on memories, by id, as far as there are any. Raises why the model was not asked."""
        keys = {memory_id: _key(model, prompt) for memory_id, prompt in prompts.items()}
        known = {
            row.id: Verdict(row.score, row.reason) for row in self.context.store.get(Judgement, list(keys.values()))
        }
        missing = {key: prompts[memory_id] for memory_id, key in keys.items() if key not in known}
        if missing:
            most = sum(tokens(prompt) + VERDICT_TOKENS for prompt in missing.values())
            # All or nothing: what cannot be judged to the end is not begun.
            self.llm.afford(calls=len(missing), tokens=most)
            known |= self._ask(model, missing)
        if prompts and not known:
            raise ModelFailed(f"{model} returned no score for {plural(len(prompts), 'memory', 'memories')}")
        return {memory_id: known[key] for memory_id, key in keys.items() if key in known}

    def _ask(self, model: str, prompts: Mapping[str, str]) -> dict[str, Verdict]:
        """Return the verdicts on all prompts, by key, several at a time. Raises the first failure.

        A request cannot be cancelled, so threads that still wait at the deadline go on: their verdicts are kept for the
        next time.
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
                outcome = self._outcome(model, key, prompt)
                if outcome.failure is not None:
                    stop.set()  # at once, so that no further request is sent
                outcomes.put(outcome)

        deadline = time.monotonic() + self.context.settings.judge_deadline_s
        for number in range(min(self.context.settings.judge_batch_size, len(prompts))):
            threading.Thread(target=work, name=f"recollect-judge-{number}", daemon=True).start()
        try:
            return _collect(outcomes, len(prompts), deadline, self.context.settings.judge_deadline_s)
        finally:
            stop.set()

    def _outcome(self, model: str, key: str, prompt: str) -> Outcome:
        """Return the outcome for one memory; a verdict is kept."""
        try:
            said = verdict(self.llm.complete(prompt, max_tokens=VERDICT_TOKENS), prompt)
        except RecollectError as problem:
            about_prompt = isinstance(problem, ModelFailed) and problem.details.get("status") in PROMPT_STATUSES
            return Outcome(key) if about_prompt else Outcome(key, failure=problem)
        except Exception as problem:  # a thread must report it to its caller
            return Outcome(key, failure=ModelFailed(f"scoring failed: {type(problem).__name__}: {problem}"))
        if said is not None:
            row = Judgement(id=key, model=model, score=said.score, reason=said.reason, judged_at=clock.now())
            self._keep(without_secrets(row)[0])
        return Outcome(key, said)

    def _keep(self, row: Judgement) -> None:
        """Keep a judgement, and forget the oldest of too many."""
        try:
            with self.llm.books() as store, store.transaction("judge") as transaction:
                if not transaction.get(Judgement, [row.id]):
                    transaction.insert(row)
                kept = store.count(Judgement)
                if kept > MAX_KEPT:
                    oldest = transaction.find(Judgement, order="judged_at", limit=min(kept - MAX_KEPT, MAX_FORGOTTEN))
                    transaction.delete(Judgement, {"id": tuple(row.id for row in oldest)})
        except (StorageError, Conflict):
            # A cache: the verdict is in hand. Where it cannot be kept it will be asked for again.
            return


def _key(model: str, prompt: str) -> str:
    """Return the key of a judgement: a hash of everything that the verdict depends on."""
    return hashlib.sha256(f"{model}\0{prompt}".encode("utf-8", "surrogatepass")).hexdigest()


def _collect(
    outcomes: queue.SimpleQueue[Outcome], count: int, deadline: float, patience_s: float
) -> dict[str, Verdict]:
    """Return all verdicts. Raises the first failure, and ModelFailed at the deadline."""
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


# --- by a cross-encoder ---

# Hits that are reranked: the first 30 hold nearly all answers, and each costs 20 to 30 ms of CPU.
RERANKED = 30


def reranked(found: Recall, folder: str, limit: int) -> Recall:
    """Return the first `limit` hits of an answer after its best ones were reranked; relevance stays as it is."""
    first, rest = found.hits[:RERANKED], found.hits[RERANKED:]
    try:
        scores = open_cross_encoder(folder).scores(found.query, [hit.memory.content for hit in first])
    except EmbeddingFailed as problem:
        note = f"not reranked: {problem.message}"
        return msgspec.structs.replace(found, hits=found.hits[:limit], notes=(*found.notes, note))
    ordered = [first[place] for place in blended(scores)]
    for hit in tuple(ordered):
        newer = next((other for other in ordered if other.memory.id == hit.superseded_by), hit)
        if ordered.index(newer) > ordered.index(hit):  # nothing stands above what replaced it
            ordered.remove(newer)
            ordered.insert(ordered.index(hit), newer)
    hits: list[Hit] = []
    for hit in (*ordered, *rest)[:limit]:
        # None is shown with a higher relevance than the hit above it.
        hits.append(msgspec.structs.replace(hit, score=min(hit.score, hits[-1].score) if hits else first[0].score))
    return msgspec.structs.replace(found, hits=tuple(hits))


def blended(scores: Sequence[float]) -> list[int]:
    """Return places, best first: by the sum of score and minus log rank, each scaled to deviation 1.

    The model alone ranks worse than the search: it does not know authors, times and sessions.
    """
    ranks = [-math.log(place + 1) for place in range(len(scores))]
    units = [(statistics.pstdev(values) if values else 0.0) or math.inf for values in (scores, ranks)]
    return sorted(range(len(scores)), key=lambda place: -scores[place] / units[0] - ranks[place] / units[1])
