"""An embedder from a function of the caller.

The function takes a text and returns its vector, or takes a list of texts and returns a list of vectors; a probe finds
out which. It has no model id, so vectors are stamped with a fingerprint of its vector of one fixed text: vectors of
another function, or of another model behind it, are never compared with these.
"""

from __future__ import annotations

import hashlib
import inspect
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from recollect.errors import EmbeddingFailed
from recollect.text.display import plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What the fingerprint is taken of.
PROBE = "the memory of conversations"
# Decimals of the fingerprint: models differ in the first, machines in the sixth.
DIGITS = 3
# Vectors kept at hand: those of the chunks and turns of an hour, so that a text is not embedded twice on its way in.
KEPT = 2_048
# After a failure the function is not called for this long.
PAUSE_S = 5.0


class CallerEmbedder:
    """Makes vectors by a function. Safe to share between threads, if the function is."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        if not callable(function):
            raise TypeError("embedding_fn must be None or a function that takes a text and returns a vector")
        self._function = function
        self._takes_lists: bool | None = None
        self._model_id = ""
        self._resume_at = 0.0
        self._known: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        """A fingerprint of the function; while it fails, an id without vectors."""
        if not self._model_id and time.monotonic() >= self._resume_at:
            try:
                vector = self._probed()
            except EmbeddingFailed:
                self._resume_at = time.monotonic() + PAUSE_S
            else:
                told = ",".join(f"{value:.{DIGITS}f}" for value in _unit(vector))
                self._model_id = f"given-{len(vector)}-{hashlib.sha256(told.encode()).hexdigest()[:12]}"
        return self._model_id or "given-unavailable"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text. Raises EmbeddingFailed."""
        import numpy as np

        if not self._model_id:
            raise EmbeddingFailed("the embedding function failed")
        rows = [_unit(vector) for vector in self.vectors(texts)]
        if len({len(row) for row in rows}) > 1:
            raise EmbeddingFailed("the embedding function returned vectors of different lengths")
        return np.array(rows, np.float32)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the function's vector of each text. Raises EmbeddingFailed."""
        if self._takes_lists is None:
            self._probed()
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        wanted = [text for text in dict.fromkeys(texts) if text not in found]
        found.update(zip(wanted, self._asked(wanted), strict=True))
        with self._lock:
            for text in wanted:
                self._known[text] = found[text]
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return [found[text] for text in texts]

    def _asked(self, texts: list[str]) -> list[list[float]]:
        if not texts:
            return []
        try:
            if not self._takes_lists:
                return [_vector(self._called(text)) for text in texts]
            answers = list(self._called(texts))
            if len(answers) != len(texts):
                raise EmbeddingFailed(
                    f"the embedding function returned {plural(len(answers), 'vector')} for {plural(len(texts), 'text')}"
                )
            return [_vector(answer) for answer in answers]
        except EmbeddingFailed:
            raise
        except Exception as problem:
            raise EmbeddingFailed(f"the embedding function failed: {type(problem).__name__}: {problem}") from problem

    def _called(self, argument: Any) -> Any:
        answer = self._function(argument)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise EmbeddingFailed(
                "the embedding function is async; it must be a normal function that returns the vector"
            )
        return answer

    def _probed(self) -> list[float]:
        """Return the vector of the probe, having found out how the function is called."""
        try:
            answer = self._called(PROBE)
            if not _is_nested(answer):
                self._takes_lists = False
                return _vector(answer)
        except Exception as problem:
            return self._probed_as_list(problem)
        return self._probed_as_list(None)

    def _probed_as_list(self, problem: Exception | None) -> list[float]:
        self._takes_lists = True
        try:
            return self._asked([PROBE])[0]
        except EmbeddingFailed as second:
            self._takes_lists = None
            raise second from problem


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how alike two vectors are, from -1 to 1; 0 where they cannot be compared."""
    if len(one) != len(other):
        return 0.0
    return sum(left * right for left, right in zip(_unit(one), _unit(other), strict=True))


def centroid(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return the direction that vectors share: the mean of their unit vectors."""
    return [sum(column) / len(vectors) for column in zip(*map(_unit, vectors), strict=True)]


def _unit(vector: Sequence[float]) -> list[float]:
    length = sum(value * value for value in vector) ** 0.5
    return [value / length for value in vector] if length > 0 else list(vector)


def _is_nested(answer: Any) -> bool:
    first = next(iter(answer), None)
    return hasattr(first, "__len__") and not isinstance(first, str)


def _vector(answer: Any) -> list[float]:
    try:
        vector = [float(value) for value in answer]
    except (TypeError, ValueError) as problem:
        raise EmbeddingFailed(
            f"the embedding function returned {type(answer).__name__} instead of a vector"
        ) from problem
    if not vector or any(value != value or abs(value) == float("inf") for value in vector):
        raise EmbeddingFailed("the embedding function returned an empty vector or a value that is not a number")
    return vector


def configured_vector(text: str) -> list[float]:
    """Return the vector of a text by the configured provider."""
    embedder = _configured()
    if embedder is None:
        raise EmbeddingFailed("embeddings are off", hint="Set embed_provider to local, ollama or openai.")
    return [float(value) for value in embedder.embed([text])[0]]


_opened: list[Any] = []
_opening = threading.Lock()


def _configured() -> Any:
    """Return the configured embedder, opened once."""
    with _opening:
        if not _opened:
            from recollect.providers.choose import open_embedder
            from recollect.settings import load

            _opened.append(open_embedder(load()))
        return _opened[0]
