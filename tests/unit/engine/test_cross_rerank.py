"""Cross-encoder: reorders the answer of a search where one is configured, and never prevents one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import recollect.providers
from recollect import Engine
from recollect.engine.retrieval import rerank
from recollect.engine.retrieval.rerank import blended
from recollect.providers.local import CrossEncoder

# It has the form of a cross-encoder: its last number stands in for a score.
SHIPPED = Path(recollect.providers.__file__).with_name("minilm")
QUESTION = "parser"


class Prefers:
    """A cross-encoder that likes one text."""

    def __init__(self, liked: str) -> None:
        self.liked = liked

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(text == self.liked) for text in texts]


def stored(engine: Engine, *texts: str) -> None:
    for text in texts:
        engine.memories.store(text, namespace="project")


def contents(engine: Engine, limit: int = 10) -> list[str]:
    found = engine.recall.search(QUESTION, namespace="project", limit=limit, min_score=0.0)
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    return [hit.memory.content for hit in found.hits]


def test_the_blend_is_that_of_score_and_rank() -> None:
    assert blended([]) == []
    assert blended([1.0, 1.0, 1.0]) == [0, 1, 2]
    assert blended([0.0, 9.0, 0.0, 0.0]) == [1, 0, 2, 3]
    assert blended([0.0, 0.0, 0.0, 9.0]) == [0, 3, 1, 2]


def test_a_search_is_reranked_only_where_a_model_is_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ("The parser.", "A parser reads.", "The parser reads every line.", "A parser keeps what it can of a file.")
    with Engine(home=str(tmp_path), embed_provider="off") as engine:
        stored(engine, *texts)
        plain = contents(engine)
    monkeypatch.setattr(rerank, "open_cross_encoder", lambda folder: Prefers(plain[1]))
    with Engine(home=str(tmp_path), embed_provider="off", rerank="folder") as engine:
        assert contents(engine) == [plain[1], plain[0], *plain[2:]]
        assert contents(engine, limit=1) == [plain[1]]
        packed = engine.recall.pack(QUESTION, namespace="project", min_score=0.0).text
        assert packed.index(plain[0]) < packed.index(plain[1])


def test_what_was_replaced_stays_below_what_replaces_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerank, "open_cross_encoder", lambda folder: Prefers(older))
    older = "The default port of the parser service is 8080."
    with Engine(home=str(tmp_path), embed_provider="off", rerank="folder") as engine:
        stored(engine, older, "The default port of the parser service is 90.")
        assert contents(engine)[0].endswith(" 90.")


def test_a_missing_model_leaves_the_order_and_says_why(tmp_path: Path) -> None:
    with Engine(home=str(tmp_path), embed_provider="off", rerank=str(tmp_path / "none")) as engine:
        stored(engine, "The parser reads.")
        found = engine.recall.search(QUESTION, namespace="project", min_score=0.0)
        assert len(found.hits) == 1
        assert any(note.startswith("not reranked: the reranking model is missing") for note in found.notes)


def test_a_model_of_a_folder_scores_question_and_text_together() -> None:
    encoder = CrossEncoder(str(SHIPPED))
    texts = ["The parser reads lines.", "Tea is in the kitchen."]
    first, second = encoder.scores(QUESTION, texts)
    assert first != second
    assert encoder.scores(QUESTION, texts[:1]) == [first]
    assert encoder.scores("tea", texts[:1]) != [first]
