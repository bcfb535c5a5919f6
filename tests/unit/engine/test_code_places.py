"""Memories and code from one recall: places where the question concerns code, none where it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import HashingEmbedder, ScriptedModel
from tests.harbour import FILES
from tests.trees import write

from recollect import Engine
from recollect.engine.retrieval.memory_search import PLACES, UNASKED_RELEVANCE
from recollect.text.token_count import tokens


@pytest.fixture
def harbour(engine: Engine, tmp_path: Path) -> Engine:
    """An engine that remembers something of the harbour and has indexed its code."""
    write(tmp_path / "harbour", FILES)
    engine.code.index(str(tmp_path / "harbour"), namespace="harbour")
    engine.memories.store("We run replace_burner on every lamp before winter", namespace="harbour", tags=("lamp",))
    engine.memories.store("The harbour master is called Ida", namespace="harbour")
    return engine


def paths(answer: Any) -> list[str]:
    return [place.path for place in answer.places]


def test_a_question_that_concerns_both_gets_both(harbour: Engine) -> None:
    answer = harbour.recall.search("replace_burner")
    assert "run replace_burner" in answer.hits[0].memory.content
    assert (answer.places[0].path, answer.places[0].symbol) == ("src/harbour/lamp.py", "replace_burner")
    assert all(place.score >= UNASKED_RELEVANCE for place in answer.places)
    assert len(answer.places) <= PLACES


@pytest.mark.parametrize("question", ["Who is the harbour master?", "what's for lunch today?", "thanks a lot!"])
def test_a_question_that_has_nothing_to_do_with_code_gets_no_place(harbour: Engine, question: str) -> None:
    assert harbour.recall.search(question).places == ()


def test_the_hits_are_the_same_with_places_and_without(harbour: Engine) -> None:
    with_places, without = (harbour.recall.search("replace_burner", code=code) for code in (None, False))
    assert with_places.places and not without.places
    assert (with_places.hits, with_places.mode, with_places.notes) == (without.hits, without.mode, without.notes)


def test_asked_for_places_may_be_less_certain(harbour: Engine) -> None:
    question = "what does the horn do"
    assert harbour.recall.search(question).places == ()
    asked = harbour.recall.search(question, code=True)
    assert paths(asked)[0] == "web/fogHorn.ts"
    assert asked.places[0].score < UNASKED_RELEVANCE
    assert len(harbour.recall.search("burner of the lamp", code=True, min_score=0.0).places) == PLACES
    assert len(harbour.recall.search("burner of the lamp", code=True, min_score=0.0, limit=1).places) == 1
    assert harbour.recall.search(question, code=True, min_score=1.0).places == ()


@pytest.mark.parametrize(
    "narrowed", [{"memory_type": "decision"}, {"tags": ("lamp",)}, {"as_of": "2026-01-01"}], ids=str
)
def test_who_asks_for_memories_of_a_kind_gets_no_code_unasked(harbour: Engine, narrowed: dict[str, Any]) -> None:
    assert harbour.recall.search("replace_burner", **narrowed).places == ()
    assert paths(harbour.recall.search("replace_burner", code=True, **narrowed))[0] == "src/harbour/lamp.py"


def test_places_are_of_the_namespace_that_is_asked_about(harbour: Engine, tmp_path: Path) -> None:
    assert paths(harbour.recall.search("replace_burner", namespace="harbour"))[0] == "src/harbour/lamp.py"
    assert harbour.recall.search("replace_burner", namespace="garden").places == ()
    write(tmp_path / "garden", {"stove.py": "def replace_burner():\n    return 1\n"})
    harbour.code.index(str(tmp_path / "garden"), namespace="garden")
    assert paths(harbour.recall.search("replace_burner", namespace="garden")) == ["stove.py"]


def test_unasked_places_need_no_vectors(harbour: Engine, embedder: HashingEmbedder) -> None:
    harbour.code.embed()
    harbour.recall.search("replace_burner")
    asked = len(embedder.embedded)
    harbour.recall.search("replace_burner")
    assert embedder.embedded[asked:] == ["replace_burner"]  # for the memories alone


def test_missing_code_is_reported_only_if_code_was_asked_for(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(embed_provider="off")
    plain = engine.recall.search("replace_burner")
    assert (plain.places, len(plain.notes)) == ((), 1)
    assert "No code is indexed yet" in engine.recall.search("replace_burner", code=True).notes[-1]


def test_where_nothing_is_indexed_the_code_is_not_asked(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.memories.store("We run replace_burner before winter")
    monkeypatch.setattr(engine.code, "scope", lambda *_: pytest.fail("looked for code"))
    assert engine.recall.search("replace_burner").hits


def test_a_judged_recall_has_places_too(open_engine: Callable[..., Engine], tmp_path: Path) -> None:
    engine = open_engine(embed_provider="off", model=ScriptedModel("Score: 0.9"))
    write(tmp_path / "harbour", FILES)
    engine.code.index(str(tmp_path / "harbour"))
    engine.memories.store("We run replace_burner before winter")
    assert paths(engine.recall.search("replace_burner", judge=True))[0] == "src/harbour/lamp.py"


def test_places_are_explained_where_the_hits_are(harbour: Engine) -> None:
    assert harbour.recall.search("replace_burner").places[0].shares == ()
    assert harbour.recall.search("replace_burner", explain=True).places[0].shares


# --- packs ---


def test_a_pack_ends_with_places_in_the_code_unless_they_are_not_wanted(harbour: Engine) -> None:
    plain = harbour.recall.pack("replace_burner", min_score=0.0, code=False)
    assert plain.places == () and "[code," not in plain.text
    packed = harbour.recall.pack("replace_burner", min_score=0.0)
    assert packed.sources == plain.sources
    assert packed.text.startswith(plain.text)
    line = (
        "- [code, src/harbour/lamp.py:25-28] Function replace_burner: def replace_burner(lamp) — Swap a broken burner"
    )
    assert line in packed.text
    assert packed.tokens == tokens(packed.text) <= packed.budget
    assert harbour.recall.pack("what to cook for supper", min_score=0.0).places == ()


def test_places_have_a_quarter_of_the_budget(harbour: Engine) -> None:
    for number in range(40):
        harbour.memories.store(f"replace_burner was run in winter {number} by keeper {number * 7}")
    for budget in (*range(1, 60), 200, 400):
        packed = harbour.recall.pack("replace_burner", min_score=0.0, code=True, tokens=budget)
        assert packed.tokens == tokens(packed.text) <= budget
        assert packed.text.count("[code,") == len(packed.places)
        assert packed.tokens - sum(source.tokens for source in packed.sources) <= budget / 4
    assert packed.places and packed.sources
