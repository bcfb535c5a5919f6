"""The measures of a ranking, on rankings small enough to be scored by hand."""

from __future__ import annotations

import math

import pytest

import metrics

TOKENS = dict.fromkeys("abcdefghijklmnop", 100.0)
SESSION = {turn: f"S{number // 2}" for number, turn in enumerate("abcdefghijklmnop")}


def scores(ranked: str, evidence: str) -> metrics.Scores:
    return metrics.turn_scores(ranked, list(evidence), tokens=TOKENS, session=SESSION)


def test_recall_is_the_share_of_evidence_in_the_first_places() -> None:
    found = scores("abcdefghijkl", "acgl")
    assert found["recall@5"] == 0.5
    assert found["recall@10"] == 0.75
    assert found["recall@20"] == found["recall@50"] == 1.0


@pytest.mark.parametrize(
    ("evidence", "any_", "all_"), [("l", 0.0, 0.0), ("al", 1.0, 0.0), ("aj", 1.0, 1.0), ("x", 0.0, 0.0)]
)
def test_any_and_all_look_at_ten_places(evidence: str, any_: float, all_: float) -> None:
    found = scores("abcdefghijkl", evidence)
    assert (found["any@10"], found["all@10"]) == (any_, all_)


def test_mrr_is_the_inverse_of_the_first_rank() -> None:
    assert scores("abcd", "dc")["mrr"] == pytest.approx(1 / 3)
    assert scores("abcd", "x")["mrr"] == 0.0


def test_a_repeated_id_counts_once_at_its_first_place() -> None:
    assert metrics.distinct("abacb") == ["a", "b", "c"]
    found = scores("aaaaabbbbbc", "c")
    assert found["recall@5"] == 1.0
    assert found["mrr"] == pytest.approx(1 / 3)


def test_evidence_that_is_named_twice_is_one_turn() -> None:
    assert scores("a", "aab")["recall@5"] == 0.5


def test_an_empty_ranking_scores_nothing() -> None:
    assert set(scores("", "a").values()) == {0.0}
    assert set(metrics.document_scores([], ["a"], ["b"]).values()) == {0.0}


def test_the_first_turn_that_does_not_fit_ends_the_budget() -> None:
    sizes = {"a": 400.0, "b": 700.0, "c": 10.0}
    assert metrics.within_budget("abc", sizes, 1_000) == ["a"]
    assert metrics.within_budget("acb", sizes, 1_000) == ["a", "c"]


def test_a_budget_may_be_used_up_to_the_last_token() -> None:
    assert metrics.within_budget("abcdefghijkl", TOKENS, 1_000) == list("abcdefghij")
    assert scores("abcdefghijkl", "jk")["recall_1000_tokens"] == 0.5


def test_sessions_stand_where_their_first_turn_does() -> None:
    # S0 S1 S2 S3 S4 | S5: two turns of a session take one place.
    assert scores("abcdefghijkl", "ai")["session_all@5"] == 1.0
    assert scores("acegik", "k")["session_all@5"] == 0.0
    assert scores("kacegi", "l")["session_all@5"] == 1.0


def test_a_label_that_points_nowhere_is_never_found() -> None:
    found = scores("ab", "a?")
    assert found["recall@10"] == 0.5
    assert found["session_all@5"] == 0.0


def test_the_current_document_may_not_stand_below_an_older_version() -> None:
    assert metrics.document_scores("xcab", "c", "ab")["current_first"] == 1.0
    found = metrics.document_scores("xacb", "c", "ab")
    assert found["current_first"] == 0.0
    assert found["pair_accuracy"] == 0.5
    assert found["mrr"] == pytest.approx(1 / 3)
    assert (found["current@1"], found["current@3"], found["current@5"]) == (0.0, 1.0, 1.0)


def test_an_older_version_that_is_not_returned_is_fine_and_a_current_one_is_not() -> None:
    assert metrics.document_scores("c", "c", "ab")["current_first"] == 1.0
    found = metrics.document_scores("x", "c", "ab")
    assert (found["current_first"], found["pair_accuracy"]) == (0.0, 0.0)


def test_stale_is_an_older_version_in_first_place() -> None:
    assert metrics.document_scores("ac", "c", "a")["stale@1"] == 1.0
    assert metrics.document_scores("xac", "c", "a")["stale@1"] == 0.0


def test_a_fact_stated_once_has_no_order_to_get_wrong() -> None:
    assert set(metrics.document_scores("c", "c", "")) == {"current@1", "current@3", "current@5", "mrr"}


def test_the_mean_counts_every_question_the_same() -> None:
    assert metrics.mean([{"mrr": 1.0, "any": 0.0}, {"mrr": 0.5, "any": 0.0}]) == {"n": 2, "mrr": 0.75, "any": 0.0}
    assert metrics.mean([]) == {"n": 0}


def test_a_ratio_leaves_out_what_cannot_be_divided() -> None:
    assert metrics.ratio({"n": 2, "mrr": 0.6, "any": 0.5}, {"n": 2, "mrr": 0.4, "any": 0.0}) == {"mrr": 1.5}


def test_bm25_has_the_scores_of_its_formula() -> None:
    texts = {"one": "kiwi kiwi plum", "two": "kiwi", "three": "grape grape"}
    index = metrics.Bm25(texts)
    # Three texts, two with kiwi, two words a text on average; plum is in one text, of three words.
    rarity = {"kiwi": math.log(1 + 1.5 / 2.5), "plum": math.log(1 + 2.5 / 1.5)}
    one = rarity["kiwi"] * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    two = rarity["kiwi"] * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / 2))
    assert index.rank("kiwi") == (["one", "two"] if one > two else ["two", "one"])
    assert index.rank("a plum, and a kiwi?") == ["one", "two"]
    assert index.rank("of the") == index.rank("melon") == []


def test_bm25_reads_stems_and_leaves_out_stop_words() -> None:
    assert metrics.words("When did the Cats go running?") == ["cat", "go", "run"]


def test_the_first_of_equal_texts_wins() -> None:
    assert metrics.Bm25({"b": "same", "a": "same"}).rank("same") == ["b", "a"]


def test_blind_recency_sorts_the_first_places_by_age_and_leaves_the_rest() -> None:
    position = {key: number for number, key in enumerate("abcdefg")}
    assert metrics.newest_first(list("bafcgde"), position) == list("gfcbade")


def test_a_table_is_markdown() -> None:
    assert metrics.table(["", "x"], [["row", "1.0"]]) == "|  | x |\n| --- | ---: |\n| row | 1.0 |\n"
    assert metrics.percents({"mrr": 0.1234}, ["mrr", "any"]) == ["12.3", ""]
