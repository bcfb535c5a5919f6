"""Explain: why a memory was found, in words that are true of its signals."""

from __future__ import annotations

import pytest
from tests.unit.recall.pools import counted, passage

from recollect.model import Share, Signals
from recollect.recall.explain import EVIDENCE, LEAST_SHARE, matched_words, reason, shares_of, traits
from recollect.recall.gather import Pool
from recollect.recall.profiles import COMPONENTS
from recollect.recall.query import understand
from recollect.recall.weights import ASKED_NOTE, BY_HAND, NOTE, NOTE_BY_WORDS, TALK, TALK_BY_WORDS
from recollect.text.terms import terms


def test_every_signal_that_counts_is_evidence_of_one_kind() -> None:
    named = [name for _, names in EVIDENCE.values() for name in names]
    assert len(named) == len(set(named))
    models = (TALK, TALK_BY_WORDS, NOTE, ASKED_NOTE, NOTE_BY_WORDS, BY_HAND)
    overlaid = ("timeless", "branch", "useful", "outdated", "nearest")
    assert set(named) == {*(name for model in models for name in model), *COMPONENTS, *overlaid}


def test_evidence_says_one_thing_for_a_memory_and_another_against_it() -> None:
    said = [*EVIDENCE, *(against for against, _ in EVIDENCE.values())]
    assert all(said)
    assert len(said) == len(set(said))


def first_signal(kind: str) -> str:
    return EVIDENCE[kind][1][0]


MEANING, FORM, MUCH = "close in meaning", "has the form of an answer", "detailed"


def test_shares_come_largest_first_whatever_their_sign() -> None:
    given = {first_signal(MEANING): 0.5, first_signal(FORM): -1.25, first_signal(MUCH): 0.75}
    assert shares_of(given) == (
        Share(meaning=EVIDENCE[FORM][0], share=-1.25),
        Share(meaning=MUCH, share=0.75),
        Share(meaning=MEANING, share=0.5),
    )


def test_smaller_shares_are_told_where_they_decide() -> None:
    assert shares_of({"importance": 0.01}) == ()
    assert shares_of({"importance": 0.01}, least=0.001) == (Share(meaning="important", share=0.01),)


def test_signals_of_a_kind_are_one_share() -> None:
    assert shares_of({"cosine": -0.4, "cosine_relative": 0.8, "cosine_z": 0.2}) == (Share(meaning=MEANING, share=0.6),)
    assert shares_of({"cosine": -0.4, "cosine_relative": 0.1}) == (Share(meaning=EVIDENCE[MEANING][0], share=-0.3),)


ALL = ("session", "neighbours", "author", "vector")


@pytest.mark.parametrize(
    ("signal", "lacks", "meaning"),
    [
        ("session_words", (), "its session matches the query"),
        ("session_words", ("session",), "its neighbours match words of the query"),
        ("session_words", ("session", "neighbours"), "matches words of the query"),
        ("session_cosine", ("session",), "its neighbours are close in meaning"),
        ("session_cosine", ("session", "neighbours"), "close in meaning"),
        ("opens_session", ("session",), None),
        ("words_around", ("neighbours",), "matches words of the query"),
        ("cosine_before", ("neighbours",), "close in meaning"),
        ("cosine_before", ("neighbours", "vector"), None),
        ("cosine", ("vector",), None),
        ("author_not_named", ("author",), None),
        ("author_named", (), "said by the person in the query"),
        ("dated", ALL, "from the time in the query"),
    ],
)
def test_a_share_is_told_of_what_the_memory_has(signal: str, lacks: tuple[str, ...], meaning: str | None) -> None:
    told = shares_of({signal: 2.55}, [trait for trait in ALL if trait not in lacks])  # type: ignore[misc]
    assert [share.meaning for share in told] == ([] if meaning is None else [meaning])


def test_amounts_do_not_say_that_there_is_much_of_them() -> None:
    assert shares_of({"importance": 0.01}, least=0.001, amounts=True) == (Share(meaning="importance", share=0.01),)
    assert shares_of({"branch": -1.0}, amounts=True)[0].meaning == "written on a branch that is not merged here"


def test_a_passage_has_a_session_neighbours_an_author_and_a_vector_only_if_it_does() -> None:
    passages = [
        passage(1, "alone"),
        *(passage(2, f"part {part}", part=part) for part in range(2)),
        *(passage(number, "a turn", session="s", author="Ada") for number in (3, 4)),
    ]
    pool = Pool(passages, counted(passages), {passages[0].pid: 0.5}, {}, {})
    query = understand("What did Ada say?")
    assert traits(query, pool, 0) == {"vector"}
    assert traits(query, pool, 1) == {"neighbours"}
    assert traits(query, pool, 3) == {"session", "neighbours", "author"}
    assert traits(understand("what was said?"), pool, 3) == {"session", "neighbours"}


def test_shares_that_decide_nothing_are_left_out_and_the_others_add_up_to_the_score() -> None:
    given = {name: (number - 17) / 13 for number, name in enumerate([*TALK, *BY_HAND])}
    told = shares_of(given)
    assert all(abs(row.share) >= LEAST_SHARE for row in told)
    silent = len(EVIDENCE) - len(told)
    assert sum(row.share for row in told) == pytest.approx(
        sum(given.values()), abs=silent * LEAST_SHARE + len(told) * 0.0005
    )
    assert shares_of({first_signal(MUCH): LEAST_SHARE / 2}) == shares_of({}) == ()


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (Signals(lexical_rank=2, matched_terms=("services", "decision")), "matches services, decision"),
        (Signals(semantic=0.871, semantic_rank=3), "close in meaning"),
        (
            Signals(lexical_rank=1, semantic=0.5, semantic_rank=4, matched_terms=("services",)),
            "matches services; close in meaning",
        ),
        (Signals(lexical_rank=1, semantic=0.1, matched_terms=("services",)), "matches services"),
        (Signals(semantic=0.399, semantic_rank=1), "loosely related"),
        (Signals(semantic=0.4, semantic_rank=1), "close in meaning"),
        (Signals(dated=True), "from the time in the query"),
        (Signals(), "loosely related"),
        (Signals(matched_terms=("decision",)), "matches decision"),
    ],
)
def test_the_reason_names_what_found_it_and_nothing_else(signals: Signals, expected: str) -> None:
    assert reason(signals) == expected


def test_how_close_is_close_goes_by_the_scale_of_the_shipped_model() -> None:
    found = Signals(semantic=0.8, semantic_rank=1)
    assert reason(found, 0.3) == "loosely related"
    assert reason(found, 0.5) == "close in meaning"


def test_a_reason_names_a_few_words_and_says_that_there_are_more() -> None:
    found = Signals(lexical_rank=1, matched_terms=("ports", "alpha", "beta", "gamma", "delta"))
    assert reason(found) == "matches ports, alpha, beta, gamma, …"


def test_what_no_arm_found_is_next_to_a_match_only_beside_one() -> None:
    assert reason(Signals(), is_beside=True) == "next to a match"
    assert reason(Signals(semantic=0.02)) == "loosely related"


def test_there_is_always_a_reason() -> None:
    assert reason(Signals(lexical_rank=3))


def test_matched_words_are_those_of_the_query_as_typed() -> None:
    tokens = terms("The service decides on empty lines, see parse_file and C++")
    words = matched_words(understand("Which services decided about the parseFile quic lines in C++?"), tokens)
    assert words == ("services", "decided", "parseFile", "lines", "C++")
    assert matched_words(understand("which quic"), tokens) == matched_words(understand("lines"), []) == ()
    assert matched_words(understand("東京の予算"), terms("東京です")) == ("東京",)
