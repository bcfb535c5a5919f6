"""Cosines of any model on one scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recollect import Engine
from recollect.engine.models.similarity_calibration import (
    PAIRS,
    REFERENCE,
    SHIPPED,
    Calibration,
    comparable,
    measured,
    texts,
)


class Narrow:
    """The shipped model seen through another scale: all cosines above 0.4, as some models have them."""

    model_id = "narrow"

    def __init__(self, inner: object) -> None:
        self._inner = inner
        self.texts = 0

    def embed(self, wanted: list[str]) -> np.ndarray:
        self.texts += len(wanted)
        vectors = np.asarray(self._inner.embed(wanted))  # type: ignore[attr-defined]
        # A part that all texts share lifts every cosine: c becomes 0.4 + 0.6 c.
        shared = np.full((len(vectors), 1), np.sqrt(0.4))
        return np.hstack([shared, np.sqrt(0.6) * vectors]).astype(np.float32)


def local() -> object:
    from recollect.providers.local import LocalEmbedder

    return LocalEmbedder()


def test_the_scale_of_the_shipped_model_is_known() -> None:
    found = measured(local().embed(texts()))  # type: ignore[attr-defined]
    assert found.unrelated == pytest.approx(SHIPPED.unrelated, abs=0.01)
    assert found.related == pytest.approx(SHIPPED.related, abs=0.01)
    assert len(texts()) == 2 * len(PAIRS)


def test_the_cosines_of_the_reference_stay_as_they_are() -> None:
    cosines = {1: 0.2, 2: 0.9}
    assert comparable(cosines, REFERENCE) is cosines


def test_a_line_goes_through_both_points() -> None:
    ruler = Calibration(unrelated=0.62, related=0.85)
    found = comparable({1: 0.62, 2: 0.85, 3: 0.71}, ruler)
    assert found[1] == pytest.approx(REFERENCE.unrelated)
    assert found[2] == pytest.approx(REFERENCE.related)
    assert found[1] < found[3] < found[2]


def test_a_model_that_cannot_tell_texts_apart_is_left_alone() -> None:
    cosines = {1: 0.2}
    assert comparable(cosines, Calibration(unrelated=0.5, related=0.6)) == cosines


def test_another_scale_gives_the_same_relevance_and_is_measured_once(tmp_path: Path) -> None:
    notes = ["We deploy on Tuesdays with the blue green script.", "The cat sleeps on the warm server.", "Use tabs."]
    asked = "how do we bring a release to production?"
    embedder = local()
    with Engine(home=str(tmp_path / "a"), embedder=embedder) as engine:
        for note in notes:
            engine.memories.store(note)
        plain = [(hit.memory.content, hit.score) for hit in engine.recall.search(asked, min_score=0.0).hits]
    narrow = Narrow(embedder)
    with Engine(home=str(tmp_path / "b"), embedder=narrow) as engine:
        for note in notes:
            engine.memories.store(note)
        other = [(hit.memory.content, hit.score) for hit in engine.recall.search(asked, min_score=0.0).hits]
    assert [content for content, _ in other] == [content for content, _ in plain]
    assert [score for _, score in other] == pytest.approx([score for _, score in plain], abs=0.03)
    before = narrow.texts
    with Engine(home=str(tmp_path / "b"), embedder=narrow) as engine:
        engine.recall.search(asked)
    assert narrow.texts == before + 1, "only the question: the ruler was kept in the store"
