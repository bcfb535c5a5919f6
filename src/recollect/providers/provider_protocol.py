"""Protocols of providers: an embedder and a language model, each with one method and an id."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors.

    `model_id` is stamped on every stored vector; vectors of different ids are never compared. Two embedders with
    the same id must give the same vectors.
    """

    @property
    def model_id(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised float32 row per text, in order. Raises EmbeddingFailed."""
        ...


class Answers(NamedTuple):
    """The answers of the local model about two texts, as logarithms of odds.

    lasts: the first is a sentence that states something for later sessions; the second is its context.
    kinds: for each kind of statement. replaces: the first is a statement that replaces the second
    standing: the first says how people work, whatever the task is, not what the product is
    """

    lasts: float
    kinds: tuple[float, ...]
    replaces: float
    standing: float


def joint(by_words: float, answer: float, weights: tuple[float, float, float]) -> float:
    """Return the probability that words and the classifier give together; weights: of its answer, of them, a bias."""
    words = min(max(by_words, 1e-4), 1 - 1e-4)
    of_answer, of_words, bias = weights
    return 1 / (1 + math.exp(-of_answer * answer - of_words * math.log(words / (1 - words)) - bias))


# Tells what the local model says of two texts.
Classify = Callable[[str, str], Answers | None]


class Model(Protocol):
    """Answers a prompt with text.

    `model_id` is shown, is the key of usage counts, and is part of the key of cached answers.
    """

    @property
    def model_id(self) -> str: ...

    def complete(self, prompt: str, *, max_tokens: int) -> str:
        """Return the answer of the model, at most `max_tokens` of it. Raises ModelFailed.

        The text may be a Completion with its token count; for any other the count is estimated.
        """
        ...


class Completion(str):
    """The answer of a model; `tokens`: how many its provider counted, read and written."""

    __slots__ = ("tokens",)

    tokens: int

    def __new__(cls, text: str, *, tokens: int) -> Completion:
        made = super().__new__(cls, text)
        made.tokens = tokens
        return made


def excerpt(text: str, max_bytes: int) -> str:
    """Return the longest prefix of `text` that fits into `max_bytes` of UTF-8.

    A lone surrogate becomes a question mark: no tokenizer and no JSON parser accepts it.
    """
    return text[:max_bytes].encode("utf-8", "replace")[:max_bytes].decode("utf-8", "ignore")
