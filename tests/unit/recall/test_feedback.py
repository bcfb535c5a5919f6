"""What it says of a memory that it was told and used: bounded, whatever the order, and nothing for silence."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall import PACK_RELEVANCE, feedback

RATIO = st.floats(0, 1)
EVIDENCE = st.sampled_from([*feedback.SIGNS, "unused"])


def after(confidence: float, evidence: list[str]) -> float:
    signs = [feedback.sign(each) for each in evidence]
    return feedback.confidence(confidence, sum(sign.pro for sign in signs), sum(sign.con for sign in signs))


@given(RATIO, st.lists(EVIDENCE, max_size=200))
def test_confidence_never_leaves_its_bounds(confidence: float, evidence: list[str]) -> None:
    found = after(confidence, evidence)
    # Half a thousandth: it is told with three digits.
    assert min(feedback.FLOOR, confidence) - 0.0005 <= found <= max(feedback.CEILING, confidence) + 0.0005


@given(RATIO, st.lists(EVIDENCE, max_size=60), EVIDENCE)
def test_one_more_session_moves_it_by_a_fifth_at_most_and_never_the_wrong_way(
    confidence: float, evidence: list[str], last: str
) -> None:
    before, found = after(confidence, evidence), after(confidence, [*evidence, last])
    sign = feedback.sign(last)
    if not evidence or any(feedback.sign(each) != feedback.NOTHING for each in evidence):
        assert abs(found - before) <= 1 / (feedback.PRIOR + 1) + 0.001
    if sign.pro:
        assert found >= before - 0.001
    elif sign.con:
        assert found <= before + 0.001
    else:
        assert found == before


@given(RATIO, st.lists(EVIDENCE, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_sessions_does_not_matter(confidence: float, evidence: list[str], random: object) -> None:
    shuffled = list(evidence)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert after(confidence, shuffled) == after(confidence, evidence)


def test_silence_is_no_evidence() -> None:
    assert after(0.7, ["unused"] * 100) == 0.7


def test_use_raises_and_contradiction_lowers_what_was_given() -> None:
    assert after(0.6, ["ran"]) == pytest.approx(0.68)
    assert after(0.6, ["touched"]) == pytest.approx(0.644, abs=0.001)
    assert after(1.0, ["amended"]) == pytest.approx(0.8)
    # What was proven loses less.
    assert after(1.0, ["ran"] * 4 + ["amended"]) > after(1.0, ["amended"])
    # What was right for long can still become wrong.
    assert after(1.0, ["ran"] * 1000 + ["amended"] * 1000) < 0.65


TALLY = st.tuples(st.sampled_from(["decision", "insight", "hook:read"]), st.integers(0, 500), st.integers(0, 500))


@given(st.lists(TALLY, max_size=40))
def test_what_is_learnt_stays_within_its_bounds_and_does_not_depend_on_order(
    tallies: list[tuple[str, int, int]],
) -> None:
    learnt = feedback.learn(tallies)
    assert learnt == feedback.learn(list(reversed(tallies)))
    if sum(offered for _, offered, _ in tallies) < feedback.ENOUGH:
        assert learnt is None
        return
    assert learnt is not None
    assert 0 < learnt.share < 1
    assert all(abs(value) <= feedback.KIND_MOST for value in learnt.kinds.values())
    assert feedback.read(feedback.kept(learnt)) == learnt
    for kind, offered, used in tallies:
        lifts = learnt.kinds[kind], feedback.own(used, offered, learnt, kind)
        assert feedback.LATER <= feedback.leaning(*lifts) <= feedback.EARLIER
        assert abs(feedback.points(*lifts)) <= feedback.MOST_POINTS


def test_kinds_that_are_used_are_told_sooner_and_others_later() -> None:
    learnt = feedback.learn([("decision", 40, 30), ("hook:read", 40, 0)])
    assert learnt is not None
    assert learnt.kinds["decision"] > 0 > learnt.kinds["hook:read"]
    assert feedback.own(0, 20, learnt, "decision") < 0 < feedback.own(20, 20, learnt, "hook:read")


def test_rules_are_followed_without_a_word() -> None:
    learnt = feedback.learn([("decision", 40, 30), ("preference", 40, 0)])
    assert learnt is not None
    assert learnt.kinds["preference"] == 0
    assert feedback.own(0, 20, learnt, "preference") == 0 < feedback.own(20, 20, learnt, "preference")


def test_what_is_told_is_never_less_likely_relevant_than_not() -> None:
    assert feedback.likely(0.5, feedback.EARLIER) == pytest.approx(PACK_RELEVANCE)
    assert feedback.likely(0.4999, feedback.EARLIER) < PACK_RELEVANCE
    # What surely fits is told whatever was learnt.
    assert feedback.likely(0.91, feedback.LATER) > PACK_RELEVANCE > feedback.likely(0.89, feedback.LATER)


@given(RATIO, st.floats(feedback.LATER, feedback.EARLIER))
def test_leaning_keeps_the_order_of_relevance_a_ratio(relevance: float, lean: float) -> None:
    assert 0 <= feedback.likely(relevance, lean) <= 1
    assert math.isclose(feedback.likely(feedback.likely(relevance, lean), -lean), relevance, abs_tol=1e-6)


def test_having_been_left_does_not_count_against_a_memory_that_is_asked_for() -> None:
    assert feedback.points(0.0, -feedback.OWN_MOST) == 0
    assert feedback.points(0.0, feedback.OWN_MOST) > 0


@pytest.mark.parametrize("text", [None, "", "no json", "[]", "[2, {}]", '["x", {}]', "[0.3, [1]]", '{"a": 1}'])
def test_what_cannot_be_read_is_nothing_learnt(text: str | None) -> None:
    assert feedback.read(text) is None


def test_what_became_of_a_memory_is_told_in_words() -> None:
    assert feedback.told(4, 3, 0, "ran") == "injected 4 times, used 3 (last: its command was run), contradicted 0"
    assert (
        feedback.told(1, 0, 1, "amended")
        == "injected once, used 0, contradicted 1 (last: contradicted by a later memory)"
    )
    assert feedback.told(2, 0, 0, "") == "injected 2 times, used 0, contradicted 0"
    assert feedback.told(0, 0, 0, "") == ""
