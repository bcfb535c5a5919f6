"""The benchmark of evolution: its pieces are what it says, its judge counts, and rules alone stay above the floor."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.fakes import FrozenClock

import evolution
import snippets
from recollect import Engine, clock
from recollect.code.index.extract import extract
from recollect.code.index.languages import BY_NAME

# What the links of rules alone must reach; they reach 0.98 on all two hundred pieces.
FLOOR = 0.8


def test_two_hundred_pieces_in_five_languages_and_those_that_belong_together_come_in_fives() -> None:
    corpus = snippets.corpus()
    assert len(corpus) == len({piece.content for piece in corpus}) == 200
    assert {piece.language for piece in corpus} == set(snippets.LANGUAGES)
    counts = Counter(piece.label for piece in corpus)
    assert {counts[label] for label in counts if not label.startswith("alone")} == {5}
    assert sum(label.startswith("alone") for label in counts) == 50
    for label in counts:
        if label.startswith("problem"):
            assert len({piece.language for piece in corpus if piece.label == label}) == 5


def test_pieces_are_code_of_their_language() -> None:
    for piece in snippets.corpus():
        found = extract(piece.content.encode(), "piece", BY_NAME[piece.language])
        assert found.symbols, piece.content
        assert not found.notes, piece.content


def test_a_link_between_labels_counts_as_wrong() -> None:
    corpus = [snippets.Piece("", "go", "", label, "fitted") for label in ("bug:a", "bug:a", "bug:b")]
    rows = evolution.judged([("1", "2", "debugging"), ("1", "3", "debugging")], corpus, {"1": 0, "2": 1, "3": 2})
    (every,) = (row for row in rows if row["links"] == "all")
    assert (every["count"], every["right"], every["precision"]) == (2, 1, 0.5)
    assert every["reached"] == round(2 / 3, 3)


@pytest.mark.promise("M2")
def test_rules_alone_link_what_belongs_together(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", FrozenClock())
    chosen = [piece for piece in snippets.corpus() if piece.half == "held out"][:60]
    home = tmp_path_factory.mktemp("evolution")
    with Engine(home=str(home), embed_provider="off") as engine:
        ran = evolution.run(engine, chosen)
    (every,) = (row for row in evolution.judged(ran.links, chosen, ran.places) if row["links"] == "all")
    assert every["count"] >= 30
    assert every["precision"] >= FLOOR
    assert ran.after["answered"] >= ran.before["answered"]
