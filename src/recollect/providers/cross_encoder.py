"""A cross-encoder from a folder: scores how well a text answers a question, reading both together.

The folder holds `model.onnx` and `tokenizer.json`, for example of cross-encoder/ms-marco-MiniLM-L-12-v2. None is
bundled: it takes 0.6 to 1 s of CPU for 30 hits and gains about one point of recall (docs/models.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from recollect.errors import EmbeddingFailed
from recollect.providers.local import load_onnx
from recollect.providers.provider_protocol import excerpt

# What is read of a text: it is cut to 512 tokens together with the question.
MAX_BYTES = 4_096

MISSING = "Set rerank to a folder with model.onnx and tokenizer.json of a cross-encoder, or leave it empty."


class CrossEncoder:
    """Scores texts for a question; loads the model of a folder on first use."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder).expanduser()

    @cached_property
    def _loaded(self) -> Any:
        return load_onnx(self._folder, 1, name="reranking model", hint=MISSING)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, higher for a better answer. Raises EmbeddingFailed."""
        loaded = self._loaded
        try:
            return [_score(loaded, question, text) for text in texts]
        except Exception as problem:  # onnxruntime's errors share no class of their own
            raise EmbeddingFailed(f"the reranking model failed: {problem}", path=str(self._folder)) from problem


def _score(loaded: Any, question: str, text: str) -> float:
    import numpy as np

    read = loaded.tokenizer.encode(excerpt(question, MAX_BYTES), excerpt(text, MAX_BYTES))
    rows = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
    inputs = {row.name: np.array([rows[row.name]], dtype=np.int64) for row in loaded.session.get_inputs()}
    # A model with one score, or with one for "no" and one for "yes", has what counts in the last place.
    return float(loaded.session.run(None, inputs)[0].reshape(-1)[-1])


# The same one for every search of a process.
open_cross_encoder = lru_cache(maxsize=1)(CrossEncoder)
