"""Rulers: each embedding model is measured once, and what was found is kept in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recollect.errors import RecollectError
from recollect.providers.local import MODEL
from recollect.recall.calibration import REFERENCE, Calibration, measured, texts

if TYPE_CHECKING:
    from recollect.engine.root import Engine


class Rulers:
    """What cosines mean, by model."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, Calibration] = {}

    def of(self, model: str) -> Calibration:
        """Return the ruler of the model in use; the one of the shipped model as long as it cannot be measured."""
        if not model or model.startswith(MODEL):
            return REFERENCE
        if model not in self._known:
            kept = self._kept(model) or self._measured(model)
            if kept is None:
                return REFERENCE
            self._known[model] = kept
        return self._known[model]

    def _kept(self, model: str) -> Calibration | None:
        value = self._engine.store.setting(_key(model))
        try:
            return msgspec.json.decode(value, type=Calibration) if value else None
        except msgspec.MsgspecError:
            return None  # written by a version that kept something else: measured anew

    def _measured(self, model: str) -> Calibration | None:
        embedder = self._engine.embedding.embedder
        if embedder is None:
            return None
        try:
            found = measured(embedder.embed(texts()))
            if not self._engine.store.describe().read_only:
                self._engine.store.keep_setting(_key(model), msgspec.json.encode(found).decode())
        except RecollectError:
            # A provider that just answered and now does not: the next recall tries again.
            return None
        return found


def _key(model: str) -> str:
    return f"ruler/{model}"
