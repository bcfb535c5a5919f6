"""Score: from signals to numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from tests.unit.recall.pools import apart, counted, passage

from recollect.engine.retrieval.query_arguments import ANSWERED, PACK_RELEVANCE
from recollect.recall.query import understand
from recollect.recall.score import SEMANTIC, Scored, answered, measure, ranked_after, score
from recollect.recall.weights import (
    BY_HAND,
    NOTE,
    NOTE_BY_WORDS,
    NOTE_RELEVANCE,
    RELEVANCE_BY_WORDS,
    TALK,
    TALK_BY_WORDS,
    TALK_FALL,
    TALK_RELEVANCE,
)

TEXTS = ("Where is the parser?", "I put the parser into src in May 2023", "Thanks", "Nothing more")
POOL = [passage(number, text, session="s", author="Ada") for number, text in enumerate(TEXTS, 1)]
NOTES = apart(*TEXTS)
MODELS = {("talk", True): TALK, ("talk", False): TALK_BY_WORDS, ("notes", True): NOTE, ("notes", False): NOTE_BY_WORDS}


def scored(
    question: str = "parser", *, hybrid: bool = True, without: Collection[str] = (), kind: str = "talk"
) -> Scored:
    pool = POOL if kind == "talk" else NOTES
    cosines = {row.pid: 0.1 * number for number, row in enumerate(pool)} if hybrid else None
    columns = measure(understand(question), pool, counted(pool), cosines)
    return score({name: column for name, column in columns.items() if name not in without})


# --- score ---


@pytest.mark.parametrize(("kind", "hybrid"), MODELS)
def test_a_score_is_the_sum_of_what_each_signal_of_its_kind_adds(kind: str, hybrid: bool) -> None:
    found = scored(hybrid=hybrid, kind=kind)
    assert found.scores.tolist() == pytest.approx(np.sum(list(found.shares.values()), axis=0).tolist())
    counting = {name for name, share in found.shares.items() if share.any()}
    assert counting <= MODELS[kind, hybrid].keys() | BY_HAND.keys()
    assert counting & MODELS[kind, hybrid].keys()


def test_a_signal_adds_its_weight_for_every_deviation_from_its_mean() -> None:
    columns = measure(understand("parser"), POOL, counted(POOL), None)
    term = TALK_BY_WORDS["words"]
    expected = term.weight * (columns["words"] - term.mean) / term.deviation
    assert score(columns).shares["words"].tolist() == pytest.approx(expected.tolist())


def test_a_note_is_scored_the_same_beside_talk_as_alone() -> None:
    pool = [*NOTES, *(row._replace(pid=row.pid + 9_999_999, memory_id=f"t{row.pid}") for row in POOL)]
    counts = counted(NOTES)
    cosines = {row.pid: 0.1 * (number % 4) for number, row in enumerate(pool)}
    alone = score(measure(understand("parser"), NOTES, counts, cosines)).scores
    assert score(measure(understand("parser"), pool, counts, cosines)).scores[:4].tolist() == pytest.approx(
        alone.tolist(), abs=0.5
    )


@pytest.mark.parametrize(
    "group", [SEMANTIC, frozenset({"session_words", "session_cosine"}), frozenset({"reply", "pairs"})]
)
def test_signals_that_are_left_out_add_nothing_and_change_no_other(group: frozenset[str]) -> None:
    whole, part = scored(), scored(without=group)
    if group == SEMANTIC:  # without any of these, other weights apply
        assert part.shares.keys().isdisjoint(SEMANTIC)
        return
    assert part.shares.keys() == whole.shares.keys() - group
    left_out = sum((whole.shares[name] for name in group if name in whole.shares), np.zeros(len(POOL)))
    assert (part.scores + left_out).tolist() == pytest.approx(whole.scores.tolist())


def test_without_any_signal_of_meaning_a_recall_is_lexical() -> None:
    without, lexical = scored(without=tuple(SEMANTIC)), scored(hybrid=False)
    assert without.scores.tolist() == lexical.scores.tolist()
    assert without.relevance.tolist() == lexical.relevance.tolist()


def test_a_passage_with_all_the_words_scores_above_one_with_none() -> None:
    pool = apart("The parser reads the tokens by hand", "Something else that is about as long")
    for cosines in (None, {pool[0].pid: 0.5, pool[1].pid: 0.5}):
        first, second = score(measure(understand("parser tokens"), pool, counted(pool), cosines)).scores
        assert first > second


@pytest.mark.parametrize("line", [TALK_RELEVANCE, NOTE_RELEVANCE, RELEVANCE_BY_WORDS])
def test_evidence_only_ever_speaks_for_a_hit(line: dict[str, float]) -> None:
    assert all(weight > 0 for name, weight in line.items() if name != "offset")


def base(count: int, *, hybrid: bool = True, **columns: list[float]) -> dict[str, Any]:
    """Signals that are the same for all passages, but for those that are given."""
    names = {*(TALK if hybrid else TALK_BY_WORDS), "best_covered", *(["best_cosine"] if hybrid else [])}
    same = {name: np.full(count, 0.3) for name in names}
    kinds = {"note": np.zeros(count), "eligible": np.ones(count)}
    return {**same, **kinds, **{name: np.array(values, float) for name, values in columns.items()}}


@pytest.mark.parametrize("hybrid", [True, False])
def test_relevance_is_from_0_to_1_and_grows_with_the_score(hybrid: bool) -> None:
    # Everything as in the pool but one signal, which goes up and up.
    found = score(base(33, hybrid=hybrid, words=np.linspace(-8, 8, 33).tolist()))
    assert found.scores.tolist() == sorted(found.scores.tolist())
    relevance = found.relevance.tolist()
    assert relevance == sorted(relevance)
    assert 0 < relevance[0] < relevance[-1] < 1


def test_relevance_falls_from_the_best_hit_by_the_distance_in_score() -> None:
    found = score(base(2, words=[0.0, 1.0]))
    first, second = (np.log(value / (1 - value)) for value in found.relevance[::-1])
    assert first - second == pytest.approx(TALK_FALL * (found.scores[1] - found.scores[0]))


def test_what_shares_neither_words_nor_meaning_is_hardly_relevant_beside_a_sure_hit() -> None:
    sure = base(
        2,
        note=[1, 1],
        cosine=[0.7, 0.1],
        covered=[1, 0],
        best_cosine=[0.7, 0.7],
        best_covered=[1, 1],
        known=[1, 1],
        heard=[1, 1],
    )
    first, second = score(sure).relevance
    assert second < first / 5


def test_what_is_only_read_along_does_not_make_the_others_relevant() -> None:
    alone = score(base(2, words=[0.0, 0.5])).relevance
    beside = score(base(3, words=[0.0, 0.5, 5.0], eligible=[1, 1, 0])).relevance
    assert beside[:2].tolist() == pytest.approx(alone.tolist())


@pytest.mark.parametrize("hybrid", [True, False])
@pytest.mark.parametrize("evidence", ["known", "heard", "best_covered"])
def test_what_is_not_known_at_all_is_less_likely_to_be_answered(hybrid: bool, evidence: str) -> None:
    found = score(base(2, hybrid=hybrid, **{evidence: [0.0, 1.0]}))
    assert found.scores[0] == found.scores[1]
    assert found.relevance[0] < found.relevance[1]


def test_courtesy_is_less_likely_to_be_answered_even_where_words_and_meaning_agree() -> None:
    sure = base(2, best_cosine=[0.9, 0.9], best_covered=[1, 1], known=[1, 1], heard=[1, 1], words=[9, 9])
    found = score({**sure, "idle": np.array([1.0, 0.0])})
    assert found.relevance[0] < PACK_RELEVANCE < 0.9 < found.relevance[1]


@pytest.mark.parametrize("hybrid", [True, False])
def test_tags_that_are_all_of_a_question_are_enough_to_be_shown_and_not_to_be_put_forward(hybrid: bool) -> None:
    worst = base(3, hybrid=hybrid, words=[-50.0] * 3, labelled=[0.0, 0.5, 1.0])
    none, half, all_of_it = score(worst).relevance.tolist()
    assert none < half < ANSWERED < all_of_it < PACK_RELEVANCE


def test_extreme_signals_have_a_relevance_too() -> None:
    found = score(base(2, hybrid=False, words=[-1e9, 1e9], covered=[-1e9, 1e9]))
    assert all(0 <= value <= 1 for value in found.relevance)


# --- more than the core ---


def test_what_is_beyond_the_core_is_ranked_after_it_and_changes_nothing_in_it() -> None:
    core, wide = score(base(2, words=[0.2, 0.4])), score(base(4, words=[9.0, 0.2, 0.4, 5.0]))
    merged = ranked_after(core, np.array([1, 2]), wide)
    assert merged.scores[1:3].tolist() == core.scores.tolist()
    assert merged.relevance[1:3].tolist() == core.relevance.tolist()
    assert max(merged.scores[0], merged.scores[3]) < core.scores.min()
    assert merged.scores[0] > merged.scores[3]
    assert max(merged.relevance[0], merged.relevance[3]) <= core.relevance.min()


def test_a_note_is_told_unasked_only_if_it_is_nearer_than_the_others() -> None:
    def best(*cosines: float) -> float:
        size = len(cosines)
        columns = {"note": np.ones(size), "eligible": np.ones(size), "cosine": np.array(cosines)}
        return float(score(columns, unasked=True).relevance.max())

    assert best(0.42, 0.1) > PACK_RELEVANCE > best(0.42, 0.41)
    assert best(0.2, 0.0) < PACK_RELEVANCE


# --- questions about notes ---

LEDGER = apart(
    "The books of the ledger are closed at night.", "A printer stands in the hall.", "Tea is in the kitchen."
)


def asked(question: str, cosines: tuple[float, ...], uneven: tuple[float, ...]) -> tuple[Scored, float]:
    pids = [row.pid for row in LEDGER]
    near, far = dict(zip(pids, cosines, strict=True)), dict(zip(pids, uneven, strict=True))
    columns = measure(understand(question), LEDGER, counted(LEDGER), near, far)
    found = score(columns)
    return found, answered(found, columns)


def test_where_words_say_little_a_question_is_ranked_by_meaning() -> None:
    question, cosines = "What do the many people who work here drink in the hall?", (0.1, 0.3, 0.4)
    assert asked(question, cosines, (0.02, 0.02, 0.02))[0].scores.argmax() == 2
    # The same words to look for are no question: there they count.
    words = question.removeprefix("What do the ").removesuffix("?")
    for text, is_question in ((question, 1.0), (words, 0.0)):
        assert measure(understand(text), LEDGER, counted(LEDGER), None)["asked_note"].tolist() == [is_question] * 3


def test_a_note_that_matches_some_words_only_ranks_lower() -> None:
    question, cosines = "Is the tea printed at night?", (0.5, 0.1, 0.1)
    even, _ = asked(question, cosines, (0.01, 0.02, 0.02))
    uneven, _ = asked(question, cosines, (0.06, 0.02, 0.02))
    assert uneven.scores[0] < even.scores[0]
    assert uneven.scores[1:].tolist() == even.scores[1:].tolist()


@pytest.mark.parametrize(
    ("question", "cosine", "is_answered"),
    [
        ("When are the books of the ledger closed?", 0.3, True),
        ("Who locks the accounts after work?", 0.6, True),
        ("Who locks the accounts after work?", 0.3, False),
        ("Where are the books about horses?", 0.2, False),
    ],
)
def test_a_question_is_answered_by_its_words_or_by_its_meaning(
    question: str, cosine: float, *, is_answered: bool
) -> None:
    pool = apart("The books of the ledger are closed at night.", *(f"Room {n} has the printer {n}." for n in range(50)))
    cosines = {row.pid: cosine if place == 0 else 0.1 for place, row in enumerate(pool)}
    columns = measure(understand(question), pool, counted(pool), cosines)
    assert (answered(score(columns), columns) >= ANSWERED) is is_answered


@pytest.mark.parametrize("question", ["closed accounts", "How long may customers send things back?"])
def test_among_few_notes_and_for_words_the_best_hit_says_whether_there_is_an_answer(question: str) -> None:
    found, likely = asked(question, (0.5, 0.1, 0.1), (0.06, 0.02, 0.02))
    assert likely == found.relevance.max()


# --- the nearest note ---


def first_note(question: str, cosines: dict[str, float]) -> str:
    """The first of some notes, by their cosines with a question."""
    pool = apart(*cosines)
    columns = measure(
        understand(question), pool, counted(pool), dict(zip((r.pid for r in pool), cosines.values(), strict=True))
    )
    return list(cosines)[int(np.argmax(score(columns).scores))]


def test_the_nearest_note_comes_first_where_another_shares_single_words_only() -> None:
    near, worded = "Staging is torn down at 20:00.", "Environment tests marked online run in the evening on request."
    notes = {near: 0.42, worded: 0.4, "The parser is written by hand.": 0.1}
    assert first_note("Why is the test environment gone in the evening?", notes) == near
    assert first_note("What is the parser written by hand for?", notes) == "The parser is written by hand."


def test_a_note_with_all_words_of_a_question_comes_before_the_nearest_one() -> None:
    notes = {"Payments are declined by the bank.": 0.5, "E_DECLINED: the issuer said no.": 0.3, "Tiles are blue.": 0.0}
    assert first_note("What is E_DECLINED?", notes) == "E_DECLINED: the issuer said no."
