"""Fusing two rankings: bounded, monotone, and blind to the order in which candidates arrive."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Signals
from recollect.recall.fuse import combine, fuse
from recollect.store.protocol import Match

# Scores on a grid, so that a tie is a tie and not a rounding error apart.
bm25 = st.integers(0, 80).map(lambda n: n / 4)
cosine = st.integers(-16, 16).map(lambda n: n / 16)
Scores = dict[str, tuple[float | None, float | None]]
found: st.SearchStrategy[Scores] = st.dictionaries(
    st.sampled_from("abcdefgh"), st.tuples(st.none() | bm25, st.none() | cosine).filter(lambda row: row != (None, None))
)


def signals(rows: Scores) -> dict[str, Signals]:
    return {key: Signals(lexical=lexical, semantic=semantic) for key, (lexical, semantic) in rows.items()}


@given(found, st.booleans())
def test_every_candidate_is_scored_once_from_0_to_1_best_first(rows: Scores, hybrid: bool) -> None:
    fused = fuse(signals(rows), hybrid=hybrid)
    assert {match.id for match in fused} == set(rows)
    assert len(fused) == len(rows)
    scores = [match.score for match in fused]
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


@given(found, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(rows: Scores, hybrid: bool, random: Random) -> None:
    shuffled = list(rows.items())
    random.shuffle(shuffled)
    assert fuse(signals(dict(shuffled)), hybrid=hybrid) == fuse(signals(rows), hybrid=hybrid)


@given(found, st.data())
def test_a_better_score_in_one_arm_never_costs_a_candidate_its_rank(rows: Scores, data: st.DataObject) -> None:
    known = [(key, arm) for key, row in rows.items() for arm in (0, 1) if row[arm] is not None]
    if not known:
        return
    key, arm = data.draw(st.sampled_from(sorted(known)))
    more = data.draw(st.integers(1, 40)) / 16
    lexical, semantic = rows[key]
    raised = (lexical + more, semantic) if arm == 0 and lexical is not None else (lexical, (semantic or 0) + more)
    assert _above({**rows, key: raised}, key) <= _above(rows, key)


def _above(rows: Scores, key: str) -> set[str]:
    """Return who is ranked above `key`, beyond what rounding can explain."""
    scores = {match.id: match.score for match in fuse(signals(rows), hybrid=True)}
    return {other for other, score in scores.items() if score > scores[key] + 1e-9}


@given(st.lists(st.sampled_from("abcdef"), unique=True), st.lists(st.sampled_from("abcdef"), unique=True))
def test_combining_keeps_each_arm_s_score_and_rank(lexical: list[str], semantic: list[str]) -> None:
    words = [Match(key, 10.0 - rank) for rank, key in enumerate(lexical)]
    meanings = [Match(key, 1 - rank / 8) for rank, key in enumerate(semantic)]
    combined = combine(words, meanings)
    assert set(combined) == {*lexical, *semantic}
    for rank, match in enumerate(words, 1):
        assert (combined[match.id].lexical, combined[match.id].lexical_rank) == (match.score, rank)
    for rank, match in enumerate(meanings, 1):
        assert (combined[match.id].semantic, combined[match.id].semantic_rank) == (match.score, rank)
    for key in set(semantic) - set(lexical):
        assert (combined[key].lexical, combined[key].lexical_rank) == (None, None)
