"""Protocols of providers: an embedder and a language model, each with one method and a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

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


class Model(Protocol):
    """Answers a prompt with text.

    `model_id` names who answers: it is shown, counted under, and part of what a kept answer is found by.
    """

    @property
    def model_id(self) -> str: ...

    def complete(self, prompt: str, *, max_tokens: int) -> str:
        """Return what the model says, at most `max_tokens` of it. Raises ModelFailed.

        Text may be a Completion, which knows what it cost; for any other the cost is estimated.
        """
        ...


class Completion(str):
    """What a model said; `tokens` is how many its provider says it read and wrote."""

    __slots__ = ("tokens",)

    tokens: int

    def __new__(cls, text: str, *, tokens: int) -> Completion:
        made = super().__new__(cls, text)
        made.tokens = tokens
        return made
