"""Weigh and profiles: how nine weights make the order of an answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.unit.recall.pools import apart, counted

from recollect.errors import InvalidInput
from recollect.recall.gather import Pool
from recollect.recall.hybrid_score import BELONGS, NEUTRAL, PRIOR, matching, weigh, worth
from recollect.recall.profiles import COMPONENTS, DEFAULT, DOCUMENTED, PROFILES, normalised
from recollect.recall.query import Query, understand
from recollect.recall.score import SEMANTIC, Scored, measure, score
from recollect.recall.weights import ASKED_NOTE, BY_HAND, NOTE, TALK
from recollect.store.store_values import Passage, Standing

NOW = 1_700_000_000
QUESTION = "Who wrote the parser in Rust?"
TEXTS = ("The parser is written by hand", "A parser of Rust was generated", "Something else altogether")
COSINES = (0.5, 0.4, 0.1)


def pool_of(*standings: Standing, cosines: bool = True) -> Pool:
    rows: list[Passage] = [
        row._replace(standing=standing)
        for row, standing in zip(apart(*TEXTS), standings or [Standing()] * 3, strict=True)
    ]
    by_pid = {row.pid: cosine for row, cosine in zip(rows, COSINES, strict=True)}
    return Pool(rows, counted(rows), by_pid if cosines else None, {}, {})


def fitted(pool: Pool, query: Query) -> Scored:
    return score(measure(query, pool.passages, pool.counts, pool.cosines))


def ranked(
    pool: Pool,
    profile: Any = DEFAULT,
    *,
    question: str = QUESTION,
    central: Mapping[str, float] = {},
    **weights: float,
) -> Scored:
    """What a pool becomes by a profile whose weights are changed as given."""
    query = understand(question, now=NOW)
    columns = worth(query, pool, central, NOW)
    if not profile.fitted:
        columns |= matching(query, pool)
    return weigh(profile, normalised({**profile.weights, **weights}), fitted(pool, query), columns)


# --- weights ---


def test_the_documented_weights_are_those_of_the_printed_table() -> None:
    printed = {
        "vector": 0.25,
        "graph": 0.25,
        "token": 0.15,
        "temporal": 0.10,
        "tags": 0.10,
        "importance": 0.05,
        "confidence": 0.05,
        "recency": 0.05,
        "freshness": 0.0,
    }
    assert dict(DOCUMENTED.weights) == pytest.approx(printed)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_every_profile_weighs_all_nine_components_and_sums_to_one(profile: Any) -> None:
    assert tuple(profile.weights) == COMPONENTS
    assert len(COMPONENTS) == 9
    assert math.fsum(profile.weights.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ({"vector": -0.1}, "vector"),
        ({"vector": math.nan}, "vector"),
        ({"vector": math.inf}, "vector"),
        ({"vector": 10**400}, "vector"),
        ({"vector": "much"}, "vector"),
        ({"vector": True}, "vector"),
        ({"sympathy": 1.0}, "sympathy"),
        (dict.fromkeys(COMPONENTS, 0.0), "all weights are 0"),
        ({}, "all weights are 0"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: Mapping[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        normalised(weights)


def test_weights_of_any_size_are_scaled() -> None:
    assert normalised({"vector": 5e-324, "token": 5e-324})["vector"] == 0.5
    assert normalised({"vector": 1e308, "token": 1e308, "graph": 1e308})["graph"] == pytest.approx(1 / 3)


# --- documented ---


@pytest.mark.promise("E8")
def test_the_documented_profile_ranks_by_the_printed_table() -> None:
    """Worked out by hand: each component times its weight, and the sums in that order."""
    week = 7 * 86_400
    pool = pool_of(
        Standing(importance=0.2, confidence=0.5),
        Standing(importance=1.0, confidence=1.0, tags=("rust",), accessed_at=NOW - week),
        Standing(importance=0.6, confidence=1.0),
    )
    token = matching(understand(QUESTION), pool)["token"]
    assert token[1] == 1.0
    assert token[2] == 0.0
    expected = [
        0.25 * 0.5 + 0.15 * token[0] + 0.10 * 0.5 + 0.05 * 0.2 + 0.05 * 0.5,
        0.25 * 0.4 + 0.15 * 1.0 + 0.10 * 0.5 + 0.10 * 0.5 + 0.05 * 1.0 + 0.05 * 1.0 + 0.05 * 0.5,
        0.25 * 0.1 + 0.25 * 0.8 + 0.10 * 0.5 + 0.05 * 0.6 + 0.05 * 1.0,
    ]
    found = ranked(pool, DOCUMENTED, central={"m3": 0.8})
    assert found.scores.tolist() == pytest.approx(expected)
    assert np.argsort(-found.scores).tolist() == [1, 2, 0]


def test_every_share_of_the_documented_sum_is_a_component_times_its_weight() -> None:
    pool = pool_of(Standing(importance=0.2), Standing(tags=("rust",)), Standing(confidence=0.3))
    found = ranked(pool, DOCUMENTED, question="Who wrote the parser in Rust yesterday?")
    assert set(found.shares) == set(COMPONENTS)
    assert found.scores.tolist() == pytest.approx(np.sum(list(found.shares.values()), axis=0).tolist())
    assert all(((share >= 0) & (share <= DOCUMENTED.weights[name])).all() for name, share in found.shares.items())


def test_a_component_that_has_nothing_to_say_is_neutral_in_the_documented_sum() -> None:
    ordinary = ranked(pool_of(), DOCUMENTED)
    assert ordinary.shares["timeless"].tolist() == pytest.approx([0.05] * 3)
    told = {name: ordinary.shares[name][0] for name in ("importance", "confidence", "graph", "tags", "recency")}
    assert told == pytest.approx({"importance": 0.025, "confidence": 0.05, "graph": 0, "tags": 0, "recency": 0})
    # Said explicitly it is the same.
    explicit = ranked(pool_of(*[Standing(tags=("zeppelin",))] * 3), DOCUMENTED)
    assert explicit.scores.tolist() == ordinary.scores.tolist()


def test_without_vectors_the_documented_sum_goes_without_theirs() -> None:
    found = ranked(pool_of(cosines=False), DOCUMENTED)
    assert "vector" not in found.shares
    assert found.scores.max() <= 1 - DOCUMENTED.weights["vector"]


# --- default ---


@pytest.mark.parametrize("cosines", [True, False])
@pytest.mark.parametrize(
    "standing",
    [Standing(), Standing(importance=0.9, confidence=0.2, tags=("rust",), accessed_at=NOW, ends_at=5)],
    ids=["ordinary", "out of the ordinary"],
)
def test_where_components_do_not_vary_the_fitted_model_alone_ranks(cosines: bool, standing: Standing) -> None:
    pool = pool_of(*[standing] * 3, cosines=cosines)
    before, after = fitted(pool, understand(QUESTION)), ranked(pool)
    apart_before, apart_after = np.diff(before.scores), np.diff(after.scores)
    assert apart_after.tolist() == pytest.approx(apart_before.tolist())
    if standing == Standing():
        assert after.scores.tolist() == before.scores.tolist()
        assert after.shares.keys() == before.shares.keys()


BETTER = [
    ("importance", Standing(importance=0.9), Standing(importance=0.1)),
    ("confidence", Standing(), Standing(confidence=0.3)),
    ("tags", Standing(tags=("rust",)), Standing(tags=("java",))),
    ("recency", Standing(accessed_at=NOW), Standing()),
    ("freshness", Standing(), Standing(ends_at=NOW - 1)),
]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize(("component", "better", "worse"), BETTER, ids=[row[0] for row in BETTER])
def test_of_two_that_match_alike_the_worthier_comes_first(
    profile: Any, component: str, better: Standing, worse: Standing
) -> None:
    rows = [
        row._replace(standing=standing)
        for row, standing in zip(apart("A parser of Rust", "A parser of Rust"), (worse, better), strict=True)
    ]
    pool = Pool(rows, counted(rows), {row.pid: 0.5 for row in rows}, {}, {})
    first, second = ranked(pool, profile, **{component: 0.2}).scores
    assert second > first


def test_a_linked_memory_comes_before_one_that_matches_alike_and_is_not() -> None:
    rows = apart("A parser of Rust", "A parser of Rust")
    pool = Pool(rows, counted(rows), {row.pid: 0.5 for row in rows}, {}, {})
    first, second = ranked(pool, central={"m2": 0.3}).scores
    assert second > first


def test_a_memory_from_the_time_asked_about_comes_before_one_from_another() -> None:
    rows = [row._replace(at=at) for row, at in zip(apart("A parser", "A parser"), (NOW, NOW - 86_400), strict=True)]
    pool = Pool(rows, counted(rows), None, {}, {})
    first, second = ranked(pool, question="Which parser did we see yesterday?").scores
    assert second > first


def test_no_component_moves_a_memory_far_unless_it_is_told_to() -> None:
    most = {name: PRIOR * DEFAULT.weights[name] * max(neutral, 1 - neutral) for name, neutral in NEUTRAL.items()}
    assert max(most.values()) <= 0.3 + 1e-9
    told = normalised({**DEFAULT.weights, "importance": 1.0})
    assert PRIOR * told["importance"] / (told["vector"] + told["token"]) > 5


def test_vector_and_token_weigh_the_halves_of_the_fitted_score() -> None:
    pool, query = pool_of(), understand(QUESTION)
    before = fitted(pool, query)
    by_words = ranked(pool, vector=0.0)
    assert all(not by_words.shares[name].any() for name in SEMANTIC if name in by_words.shares)
    assert by_words.shares["pairs"].tolist() == pytest.approx((2 * before.shares["pairs"]).tolist())
    by_meaning = ranked(pool, token=0.0)
    assert not by_meaning.shares["pairs"].any()
    assert by_meaning.shares["cosine"].tolist() == pytest.approx((2 * before.shares["cosine"]).tolist())


def test_every_signal_belongs_to_a_component_and_counts_as_much_as_that_does() -> None:
    assert set(BELONGS) <= {*TALK, *NOTE, *ASKED_NOTE, *BY_HAND, "best_cosine", "best_either", "nearest"}
    assert set(BELONGS.values()) < set(COMPONENTS)
    pool = pool_of(Standing(tags=("parser", "rust")), Standing(), Standing())
    asked = "The parser in Rust, seen in May 2023"
    before = fitted(pool, understand(asked))
    for component in ("tags", "temporal"):
        after = ranked(pool, question=asked, **{component: 0.0})
        for name, share in before.shares.items():
            expected = 0 * share if BELONGS.get(name) == component else share
            assert after.shares[name].tolist() == pytest.approx(expected.tolist()), name
    assert before.shares["labelled"].any()


def test_other_weights_leave_the_size_of_the_fitted_score_alone() -> None:
    pool = pool_of(Standing(importance=1.0), Standing(importance=0.5), Standing(importance=0.5))
    before, after = fitted(pool, understand(QUESTION)), ranked(pool, importance=0.9)
    assert (after.scores - before.scores)[1:].tolist() == pytest.approx([0.0, 0.0])
    assert after.scores[0] - before.scores[0] > 1


def test_without_vectors_words_rank_whatever_their_weight() -> None:
    pool = pool_of(cosines=False)
    before, after = fitted(pool, understand(QUESTION)), ranked(pool, token=0.0)
    assert after.scores.tolist() == pytest.approx(before.scores.tolist())


def test_where_nothing_of_the_match_counts_only_worth_ranks() -> None:
    pool = pool_of(Standing(importance=0.1), Standing(importance=0.9), Standing(importance=0.5))
    found = ranked(pool, vector=0.0, token=0.0)
    assert np.argsort(-found.scores).tolist() == [1, 2, 0]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_weights_change_the_order_and_never_the_relevance(profile: Any) -> None:
    pool = pool_of(Standing(importance=0.0), Standing(importance=1.0), Standing(importance=0.3))
    relevance = fitted(pool, understand(QUESTION)).relevance.tolist()
    assert ranked(pool, profile).relevance.tolist() == relevance
    assert ranked(pool, profile, importance=5.0).relevance.tolist() == relevance
