"""Score: from signals to numbers."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from tests.unit.recall.pools import apart, counted, talk

from recollect.engine.recall import PACK_RELEVANCE, SEARCH_RELEVANCE
from recollect.recall import SIGNALS
from recollect.recall.measure import SEMANTIC, measure
from recollect.recall.query import understand
from recollect.recall.score import Scored, score
from recollect.recall.weights import ABSOLUTE, BY_HAND, HYBRID, HYBRID_RELEVANCE, LEXICAL, LEXICAL_RELEVANCE

POOL = talk("Where is the parser?", "I put the parser into src in May 2023", "Thanks", "Nothing more")


def scored(question: str = "parser", *, hybrid: bool = True, without: Collection[str] = ()) -> Scored:
    cosines = {row.pid: 0.1 * number for number, row in enumerate(POOL)} if hybrid else None
    columns = measure(understand(question), POOL, counted(POOL), cosines)
    return score({name: column for name, column in columns.items() if name not in without})


# --- score ---


@pytest.mark.parametrize("hybrid", [True, False])
def test_a_score_is_the_sum_of_what_each_signal_adds(hybrid: bool) -> None:
    found = scored(hybrid=hybrid)
    assert found.scores.tolist() == pytest.approx(np.sum(list(found.shares.values()), axis=0).tolist())
    assert found.shares.keys() == (HYBRID if hybrid else LEXICAL).keys() | BY_HAND.keys()


def test_a_signal_adds_its_weight_for_every_deviation_from_its_mean() -> None:
    columns = measure(understand("parser"), POOL, counted(POOL), None)
    term = LEXICAL["words"]
    expected = term.weight * (columns["words"] - term.mean) / term.deviation
    assert score(columns).shares["words"].tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize("group", SIGNALS.values(), ids=SIGNALS)
def test_signals_that_are_left_out_add_nothing_and_change_no_other(group: frozenset[str]) -> None:
    whole, part = scored(), scored(without=group)
    assert part.shares.keys() == whole.shares.keys() - group
    if group != SEMANTIC:
        left_out = sum((whole.shares[name] for name in group if name in whole.shares), np.zeros(len(POOL)))
        assert (part.scores + left_out).tolist() == pytest.approx(whole.scores.tolist())


def test_what_can_be_left_out_is_a_signal_or_a_stage() -> None:
    named = frozenset().union(*SIGNALS.values())
    assert named - HYBRID.keys() - BY_HAND.keys() == {"neutral", "supersede"}


def test_without_any_signal_of_meaning_a_recall_is_lexical() -> None:
    assert SIGNALS["vectors"] == SEMANTIC
    without, lexical = scored(without=tuple(SEMANTIC)), scored(hybrid=False)
    assert without.scores.tolist() == lexical.scores.tolist()
    assert without.relevance.tolist() == lexical.relevance.tolist()


def test_a_passage_with_all_the_words_scores_above_one_with_none() -> None:
    pool = apart("The parser reads the tokens by hand", "Something else that is about as long")
    for cosines in (None, {pool[0].pid: 0.5, pool[1].pid: 0.5}):
        first, second = score(measure(understand("parser tokens"), pool, counted(pool), cosines)).scores
        assert first > second


@pytest.mark.parametrize("line", [HYBRID_RELEVANCE, LEXICAL_RELEVANCE])
def test_evidence_only_ever_speaks_for_a_hit(line: dict[str, float]) -> None:
    assert line["score"] > 0
    assert all(weight >= 0 for name, weight in line.items() if name != "offset")
    assert set(line) <= {"score", "offset", *ABSOLUTE}


@pytest.mark.parametrize("hybrid", [True, False])
def test_relevance_is_from_0_to_1_and_grows_with_the_score(hybrid: bool) -> None:
    # Everything as in the pool but one signal, which goes up and up.
    base = {name: np.full(33, 0.3) for name in (HYBRID if hybrid else LEXICAL)}
    found = score({**base, "words": np.linspace(-8, 8, 33)})
    assert found.scores.tolist() == sorted(found.scores.tolist())
    relevance = found.relevance.tolist()
    assert relevance == sorted(relevance)
    assert 0 < relevance[0] < relevance[-1] < 1


@pytest.mark.parametrize("hybrid", [True, False])
def test_what_is_not_known_at_all_is_less_likely_to_be_answered(hybrid: bool) -> None:
    base = {name: np.full(2, 0.3) for name in (HYBRID if hybrid else LEXICAL)}
    if hybrid:
        base["cosine"] = np.zeros(2)  # nor does meaning alone make it likely
    for evidence in ("known", "heard"):
        found = score({**base, evidence: np.array([0.0, 1.0])})
        assert found.scores[0] == found.scores[1]
        assert found.relevance[0] < found.relevance[1]


def test_courtesy_is_less_likely_to_be_answered_even_where_words_and_meaning_agree() -> None:
    base = {name: np.full(2, 0.9) for name in HYBRID} | {"cosine": np.full(2, 0.6)}
    found = score({**base, "idle": np.array([1.0, 0.0])})
    assert 0.05 < found.relevance[0] < 0.5 < 0.9 < found.relevance[1]


@pytest.mark.parametrize("hybrid", [True, False])
def test_tags_that_are_all_of_a_question_are_enough_to_be_shown_and_not_to_be_put_forward(hybrid: bool) -> None:
    worst = {"words": np.full(3, -50.0)} | ({"cosine": np.zeros(3)} if hybrid else {})
    none, half, all_of_it = score({**worst, "labelled": np.array([0.0, 0.5, 1.0])}).relevance.tolist()
    assert none < half < SEARCH_RELEVANCE < all_of_it < PACK_RELEVANCE


def test_extreme_signals_have_a_relevance_too() -> None:
    base = {name: np.array([-1e9, 1e9]) for name in LEXICAL}
    assert all(0 <= value <= 1 for value in score(base).relevance)
