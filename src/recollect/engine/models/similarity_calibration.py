"""Similarity calibration: what the cosines of an embedding model mean, measured once and kept in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recollect.errors import RecollectError

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.recall.calibration import Calibration


class CalibrationCache:
    """The calibration of cosines, by model."""

    def __init__(self, context: Context, embedding: Embedding) -> None:
        self._context = context
        self._embedding = embedding
        self._known: dict[str, Calibration] = {}

    def of(self, model: str) -> Calibration:
        """Return the scale of a model; of the shipped model until it can be measured."""
        from recollect.providers.local import MODEL
        from recollect.recall.calibration import REFERENCE

        if not model or model.startswith(MODEL):
            return REFERENCE
        if model not in self._known:
            kept = self._kept(model) or self._measured(model)
            if kept is None:
                return REFERENCE
            self._known[model] = kept
        return self._known[model]

    def _kept(self, model: str) -> Calibration | None:
        from recollect.recall.calibration import Calibration

        value = self._context.store.setting(_key(model))
        try:
            return msgspec.json.decode(value, type=Calibration) if value else None
        except msgspec.MsgspecError:
            return None  # written by another version: measured again

    def _measured(self, model: str) -> Calibration | None:
        from recollect.recall.calibration import measured, texts

        embedder, store = self._embedding.embedder, self._context.store
        if embedder is None:
            return None
        try:
            found = measured(embedder.embed(texts()))
            if not store.describe().read_only:
                store.keep_setting(_key(model), msgspec.json.encode(found).decode())
        except RecollectError:
            # A provider that just answered and now does not: the next recall tries again.
            return None
        return found


def _key(model: str) -> str:
    return f"ruler/{model}"
