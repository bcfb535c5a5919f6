"""Embedding queue: make vectors of memories, in the background of a server or on demand in a command.

A write never waits for a vector and never fails for lack of one. The worker thread of a server makes missing vectors.
Every recall makes a bounded number before it ranks, so that a memory stored a moment ago is found by meaning; beside a
worker, only those of the newest short memories. While far more are missing, recall makes none, is keyword-only and says
so. A memory that the embedder refuses is skipped. A caller who waits does so for a limited time: if the embedder hangs,
recall is keyword-only and says so.
"""

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from recollect import progress
from recollect.engine.context import Context, Worker, is_confined
from recollect.engine.models.embedded_text import Enricher
from recollect.engine.models.pending_vectors import Aside, Part, newest_parts, next_parts, put_aside, retry, set_aside
from recollect.errors import ConfigError, EmbeddingFailed, RecollectError
from recollect.model import Memory
from recollect.store.confinement import confined_to
from recollect.store.store_values import Vectors
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.providers.provider_protocol import Answers, Classify, Embedder

# Passages per round of the worker, 2 to 5 CPU s: small enough that stopping is prompt, and that vectors are committed
# and searchable as they come.
BATCH = 32
# CPU time for a round of one memory: ten times what it takes on a slow machine.
LIMIT_CPU_S = 60.0
# Below this share of memories with a vector, similarity would only favour those that happen to have one.
MIN_COVERAGE = 0.5
# After a failure the provider is paused for this long, doubling up to the maximum: a dead provider must not slow
# every recall by its time-out.
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0
# Pieces of code between two looks for new memories, which come first.
CODE_BATCH = 64
# Passages of a memory that are embedded while a caller waits: a third of a second of the local model at most.
AT_ONCE = 4
# Passages that a search embeds beside a worker, of the newest short memories: half a second of the local model at most.
NEWEST = 8
# Passages of new memories that are embedded after hook events were ingested without a server: 0.13 s of CPU for the
# model and two memories, where the classifier was loaded before.
AFTER_DRAIN = 16
# How long a search makes vectors before it ranks: 64 short memories, or ten passages of 2,000 characters.
ON_DEMAND_S = 2.0
# Passages that an import embeds before it ends, about two minutes of CPU: without them search is keyword-only.
AT_IMPORT = 8_000
# How often the worker looks for memories that other processes stored.
POLL_S = 2.0
# How much longer than `embed_timeout_s` a caller waits for each text: twenty times what the local model takes.
TEXT_S = 2.0

# Whether a caller waits for the embedder in this thread or task.
_is_waited_for = contextvars.ContextVar("is_waited_for", default=False)


@contextmanager
def _waited_for() -> Iterator[None]:
    """Ask the embedder with a time limit in this block."""
    token = _is_waited_for.set(True)
    try:
        yield
    finally:
        _is_waited_for.reset(token)


class Embedding(Worker):
    """Makes vectors of memories and questions."""

    thread_name = "recollect-embedding"
    stop_s = 30.0

    def __init__(
        self, context: Context, embedder: "Embedder | None" = None, *, embed_code: Callable[[int], int]
    ) -> None:
        """Make vectors with `embedder`; default: the configured provider, opened on first use.

        embed_code: makes at most so many vectors of indexed code, for the worker; returns how many
        """
        super().__init__()
        self._context = context
        self._embed_code = embed_code
        self._enricher = Enricher(context)
        self._embedder = embedder
        self._opened = embedder is not None
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._counted: tuple[tuple[int, int, int], int] | None = None
        self._failure: EmbeddingFailed | None = None
        self._pause_s = FIRST_PAUSE_S
        self._resume_at = 0.0
        self.is_used = False  # whether the embedder is loaded, since it made vectors

    @property
    def embedder(self) -> "Embedder | None":
        """The configured embedder, or None when embeddings are off."""
        with self._lock:
            if not self._opened:
                from recollect.providers.choose import open_embedder

                self._embedder = open_embedder(self._context.settings)
                self._opened = True
            return self._embedder

    @property
    def model_id(self) -> str:
        """The id stamped on vectors made now, with the enrichment; empty when embeddings are off."""
        embedder = self.embedder
        return embedder.model_id + self._enricher.suffix if embedder else ""

    @property
    def failure(self) -> EmbeddingFailed | None:
        """The last failure of the embedder, until it works again."""
        return self._failure

    @confined_to(())
    def coverage(self) -> tuple[int, int]:
        """Return how many memories have a vector of the current model, and how many memories there are."""
        total = self._context.store.count(Memory)
        return total - self._lacking() if self.model_id else 0, total

    def _lacking(self) -> int:
        """Return how many memories have no vector of the current model; counted again only after a change."""
        generation = self._context.store.generation()
        if self._counted is None or self._counted[0] != generation:
            self._counted = (generation, self._context.store.count_lacking(self.model_id))
        return self._counted[1]

    def set_aside(self) -> list[Aside]:
        """Return the memories that get no vectors of the current model until a newer version comes."""
        return set_aside(self._context.store, self.model_id) if self.model_id else []

    def retry(self) -> None:
        """Retry the skipped memories."""
        retry(self._context.store, self.model_id)

    @confined_to(())
    @_waited_for()
    def of_query(self, text: str) -> tuple[Any, tuple[str, ...]]:
        """Return the question's vector, or None, with notes that say what is degraded."""
        from recollect.providers.local import MODEL_ID, without_language

        if not self.model_id:
            return None, ("embeddings are off: search is keyword-only",)
        lacking = self._lacking()
        newest = self._counted[0][2] if self._counted else None
        if lacking or (not self.running and self._enricher.behind(self.model_id, newest)):
            # Some with every search: what was stored a moment ago is found by its meaning, and a store that only
            # commands use gets its vectors too, a little later. Not where they would not be used: far below the least
            # share, the search stays keyword-only.
            on_demand = self._context.settings.embed_on_demand
            total = self._context.store.count(Memory) if lacking else 0
            most = min(NEWEST, on_demand) if self.running else on_demand
            if most and total - lacking + most >= MIN_COVERAGE * total:
                if self.running:
                    self._embed_newest(most)
                else:
                    self._catch_up_quietly(most, lacking=bool(lacking))
                lacking = self._lacking()
        notes: tuple[str, ...] = ()
        if lacking:
            made, total = self.coverage()
            notes = (_not_embedded(total - made, total),)
            if made < MIN_COVERAGE * total:
                now = "" if self.running else "; `recollect admin rebuild` embeds them now"
                why = f": {self._failure.message}" if self._failure else f" until most are{now}"
                return None, (*notes, f"search is keyword-only{why}")
        try:
            vector = self.of_texts([text])[0]
            return without_language(vector) if self.model_id.startswith(MODEL_ID) else vector, notes
        except EmbeddingFailed as problem:
            return None, (*notes, f"search is keyword-only: {problem.message}")

    def _embed_newest(self, most: int, *, known: bool = False) -> None:
        """Make the vectors of a few of the newest short memories; known: not of those that hooks merely observed."""
        with suppress(RecollectError):
            if parts := self._newest(most, known=known):
                self._context.store.put_vectors(self.model_id, self._vectors(parts))

    def _newest(self, most: int, *, known: bool) -> list[Part]:
        """Return a few of the newest short memories without vectors; none if vectors could not be kept."""
        store = self._context.store
        if not most or store.describe().read_only:
            return []
        self._enricher.begin(self.model_id)
        return newest_parts(store, self._enricher, self.model_id, most=most, longest=AT_ONCE, known=known)

    @confined_to(())
    @_waited_for()
    def embed_known(self) -> None:
        """Make the vectors of a few new memories with the local model, where no worker does: prompt hooks use them."""
        if not self.running and self.classify is not None:
            self._embed_newest(AFTER_DRAIN, known=True)

    @confined_to(())
    def lacks_known(self) -> bool:
        """Return whether `embed_known` would make vectors."""
        with suppress(RecollectError):
            return not self.running and self.classify is not None and bool(self._newest(AFTER_DRAIN, known=True))
        return False

    @confined_to(())
    @_waited_for()
    def of_statement(self, text: str) -> Any:
        """Return the vector of a statement to compare with the memories, the newest known ones included; or None."""
        self._embed_newest(NEWEST, known=True)
        return self.of_question(text)[0]

    def of_question(self, text: str) -> tuple[Any, tuple[str, ...]]:
        """Return the vector of a text, or None with a note that says why."""
        try:
            return self.of_texts([text])[0], ()
        except EmbeddingFailed as problem:
            return None, (f"search is keyword-only: {problem.message}",)

    def directions(self, text: str) -> Any:
        """Return the directions in which the words of an embedded question differ; None without the local model."""
        directions = getattr(self.embedder, "directions", None)
        try:
            return directions(text) if directions else None
        except EmbeddingFailed:
            return None

    @property
    def classify(self) -> "Classify | None":
        """The classifier of the local model; None without that."""
        classify: Classify | None = None
        with suppress(ConfigError):  # a provider that can never work costs no memory
            classify = getattr(self.embedder, "classify", None)

        def quietly(first: str, second: str) -> "Answers | None":
            with suppress(EmbeddingFailed):
                return classify(first, second) if classify else None
            return None

        return quietly if classify else None

    @_waited_for()
    def of_texts(self, texts: list[str]) -> Any:
        """Return the vectors of texts that are not memories, in their order. Raises EmbeddingFailed."""
        self._raise_if_paused()
        return self._ask(texts)

    @confined_to(())
    def catch_up(self, limit: int | None = None) -> int:
        """Make missing vectors of at most `limit` passages; return how many memories that completed.

        Short memories come first, the newest of them before others. A long one is made in parts: what is stored
        meanwhile is made before the next part. Raises EmbeddingFailed; what was made before it is kept. Makes none
        where they could not be kept. While a caller waits, it begins nothing new after ON_DEMAND_S.
        """
        store, model = self._context.store, self.model_id
        made = spent = 0
        waits, began = _is_waited_for.get(), time.monotonic()
        if model:
            self._enricher.begin(model)
            lacking = self._lacking()
        while model and not self._stop.is_set():
            most = min(NEWEST if waits else BATCH, BATCH if limit is None else limit - spent)
            if waits and spent and time.monotonic() - began > ON_DEMAND_S:
                return made
            parts = next_parts(store, self._enricher, model, most, waits=waits) if most > 0 else []
            if not parts or store.describe().read_only:
                break
            spent += sum(len(part.texts) for part in parts)
            made += store.put_vectors(model, self._vectors(parts))
            progress.report(min(made, lacking), lacking, "embedding")
        return made + self.follow_links(None if limit is None else limit - spent)

    def after_import(self) -> None:
        """Make the vectors of imported memories before the command ends; a server makes them in the background.

        A failure or Ctrl-C keeps what was made, and later searches go on with the rest.
        """
        if self.running:
            self.wake()
        else:
            self._catch_up_quietly(AT_IMPORT)

    @confined_to(())
    @_waited_for()
    def embed(self, memory: Memory) -> None:
        """Make the vectors of a memory now if it is short: its author may search for it next.

        Long memories are embedded later. A failure is recorded for health.
        """
        texts = self._enricher.texts(memory) if self.model_id else []
        if not 0 < len(texts) <= AT_ONCE or self._context.store.describe().read_only:
            return
        self._enricher.begin(self.model_id)
        with suppress(RecollectError):
            self._context.store.put_vectors(self.model_id, self._vectors([Part(memory, 0, texts)]))

    def follow_links(self, limit: int | None = None) -> int:
        """Make new vectors of memories whose links changed, where links are embedded; return of how many.

        Not of long ones: their own text says enough. At most `limit` passages and those of a few memories more. Raises
        EmbeddingFailed as `catch_up` does.
        """
        store, model = self._context.store, self.model_id
        made = spent = 0
        for memory_ids, change in self._enricher.outdated(model) if model else ():
            if self._stop.is_set() or store.describe().read_only:
                break
            if memory_ids and limit is not None and spent >= limit:
                break
            for parts in self._rounds(store.get(Memory, memory_ids)):
                spent += sum(len(part.texts) for part in parts)
                made += store.put_vectors(model, self._vectors(parts))
                if self._stop.is_set():
                    return made
            self._enricher.done(model, change, links=bool(memory_ids))
        return made

    def _rounds(self, memories: list[Memory]) -> Iterator[list[Part]]:
        """Yield memories that are not long as parts to embed together."""
        gathered: list[Part] = []
        size = 0
        for memory in memories:
            texts = self._enricher.texts(memory)
            if len(texts) > BATCH:
                continue
            if size + len(texts) > BATCH:
                yield gathered
                gathered, size = [], 0
            gathered.append(Part(memory, 0, texts))
            size += len(texts)
        if gathered:
            yield gathered

    def _vectors(self, parts: list[Part]) -> list[Vectors]:
        """Return the vectors of parts, without those that fail alone and are skipped. Raises EmbeddingFailed."""
        self._raise_if_paused()
        began = time.thread_time()
        try:
            rows = self._ask([text for part in parts for text in part.texts])
        except EmbeddingFailed as problem:
            self.try_now()
            if len(parts) > 1:
                return [made for part in parts for made in self._vectors([part])]
            put_aside(self._context.store, self.model_id, parts[0].memory, problem.message)
            return []
        if len(parts) == 1 and parts[0].first and time.thread_time() - began > LIMIT_CPU_S:
            why = f"{plural(len(parts[0].texts), 'passage')} took more than {LIMIT_CPU_S:g} s of CPU time"
            put_aside(self._context.store, self.model_id, parts[0].memory, why)
        made, start = [], 0
        for part in parts:
            made.append(_made(part, rows[start : start + len(part.texts)]))
            start += len(part.texts)
        return made

    def stop(self) -> None:
        """Stop the thread after the batch at hand."""
        self._stop.set()
        self._wake.set()
        super().stop()

    def wake(self) -> None:
        """Wake the worker: there may be something to embed."""
        self._wake.set()

    def _work(self) -> None:
        while not self._stop.is_set():
            self._catch_up_quietly(None)
            if not self._code_quietly():
                self._wake.wait(POLL_S)
                self._wake.clear()

    def _code_quietly(self) -> bool:
        """Make a few vectors of code; returns whether there may be more to make.

        Then wait as long as that took: a project can have a hundred thousand chunks, and a person works beside it.
        """
        began = time.monotonic()
        try:
            made = self._embed_code(CODE_BATCH)
        except RecollectError:
            return False
        self._wake.wait(time.monotonic() - began)
        self._wake.clear()
        return made == CODE_BATCH

    def _catch_up_quietly(self, limit: int | None, *, lacking: bool = True) -> None:
        try:
            # Looking for memories without vectors reads many rows: not where it is known that there are none.
            self.catch_up(limit) if lacking else self.follow_links(limit)
        except RecollectError:
            # Recorded for health; the memories stay as they are and the next look tries again.
            return

    def try_now(self) -> None:
        """Ask the embedder, even if it failed a moment ago. Raises EmbeddingFailed."""
        self._ask(["health"])

    def _raise_if_paused(self) -> None:
        if self._failure is not None and time.monotonic() < self._resume_at:
            raise self._failure.with_traceback(None)

    def _ask(self, texts: list[str]) -> Any:
        embedder = self.embedder
        if embedder is None:
            raise EmbeddingFailed("embeddings are off", hint="Set embed_provider to local, ollama or openai.")
        try:
            limit_s = self._context.settings.embed_timeout_s + TEXT_S * len(texts)
            vectors = _within(limit_s, embedder, texts) if _is_waited_for.get() else embedder.embed(texts)
            if len(vectors) != len(texts):
                raise EmbeddingFailed(
                    f"{embedder.model_id} returned {plural(len(vectors), 'vector')} for {plural(len(texts), 'text')}"
                )
        except Exception as problem:
            # Whatever goes wrong in there, a write or a search must not go wrong with it.
            self._failure = problem if isinstance(problem, EmbeddingFailed) else _failed(embedder.model_id, problem)
            self._resume_at = time.monotonic() + self._pause_s
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
            raise self._failure from problem.__cause__
        self._failure, self._pause_s, self.is_used = None, FIRST_PAUSE_S, True
        return vectors


def _within(limit_s: float, embedder: "Embedder", texts: list[str]) -> Any:
    """Return the vectors of texts. Raises EmbeddingFailed if that takes longer; the call cannot be cancelled."""
    made: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def work() -> None:
        try:
            made.put((embedder.embed(texts), None))
        except BaseException as problem:  # raised for the caller
            made.put((None, problem))

    run = contextvars.copy_context().run
    threading.Thread(target=run, args=(work,), name="recollect-embedding-now", daemon=True).start()
    try:
        vectors, problem = made.get(timeout=limit_s)
    except queue.Empty:
        raise EmbeddingFailed(f"{embedder.model_id} did not answer within {limit_s:g} s") from None
    if problem is not None:
        raise problem
    return vectors


def _not_embedded(lacking: int, total: int) -> str:
    if is_confined.get():
        return "some memories are not embedded yet"
    return f"{lacking:,} of {plural(total, 'memory is', 'memories are')} not embedded yet"


def _made(part: Part, rows: Any) -> Vectors:
    import numpy as np

    return Vectors(part.memory.id, part.memory.rev, np.array(rows), part.first)


def _failed(model: str, problem: Exception) -> EmbeddingFailed:
    return EmbeddingFailed(f"{model} failed: {type(problem).__name__}: {problem}")
