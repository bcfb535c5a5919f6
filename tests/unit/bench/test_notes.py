"""The corpus of engineering notes is complete, consistent and split as its loader says."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pytest

import metrics
import notes_recall as notes

MEMORIES = {memory.id: memory for memory in notes.memories()}
QUESTIONS = notes.questions()
TYPES = {"decision", "preference", "insight", "pattern", "context", "style", "habit"}
LEAST = {"paraphrased": 160, "natural": 80, "rare_word": 100, "unanswerable": 60, "changed": 40, "two": 30}
LEAST |= {"asked": 150, "absent": 120}
# Share of common word stems above which two notes count as the same text.
NEAR_DUPLICATE = 0.5


def of_kind(kind: str) -> list[notes.Question]:
    return [question for question in QUESTIONS if question.kind == kind]


def test_there_are_enough_memories_and_targets() -> None:
    assert len(MEMORIES) >= 850
    assert len({answer for question in QUESTIONS for answer in question.answers}) >= 300
    assert {memory.type for memory in MEMORIES.values()} == TYPES


@pytest.mark.parametrize("kind", notes.KINDS)
def test_there_are_enough_questions_of_each_kind_in_both_halves(kind: str) -> None:
    assert len(of_kind(kind)) >= LEAST[kind]
    projects = Counter(question.project for question in of_kind(kind))
    assert all(projects[project] >= 2 for project in notes.FIT + notes.HELD_OUT)


def test_ids_and_texts_are_unique() -> None:
    for rows in (notes.memories(), QUESTIONS):
        assert len({row.id for row in rows}) == len({row.text for row in rows}) == len(rows)
    pairs = notes.pairs()
    assert len({pair.id for pair in pairs}) == len({(pair.old, pair.new) for pair in pairs}) == len(pairs)


def test_no_memory_nearly_repeats_another_of_its_project() -> None:
    stems = {memory.id: set(metrics.words(memory.text)) for memory in MEMORIES.values()}
    alike = [
        (one, other)
        for one, other in combinations(stems, 2)
        if MEMORIES[one].project == MEMORIES[other].project
        and len(stems[one] & stems[other]) > NEAR_DUPLICATE * len(stems[one] | stems[other])
    ]
    assert alike == []


def test_answers_are_memories_of_the_project_asked_about() -> None:
    for question in QUESTIONS:
        named = [*question.answers, *filter(None, [question.superseded])]
        assert {MEMORIES[id_].project for id_ in named} <= {question.project}, question.id
        wanted = {"unanswerable": 0, "absent": 0, "two": 2}.get(question.kind, 1)
        assert len(set(question.answers)) == wanted, question.id


def test_changed_facts_name_an_older_memory() -> None:
    for question in QUESTIONS:
        assert (question.superseded is not None) == (question.kind == "changed"), question.id
        if question.superseded:
            assert MEMORIES[question.superseded].written < MEMORIES[question.answers[0]].written, question.id


def test_paraphrased_questions_avoid_the_words_of_their_answer() -> None:
    shared = Counter(
        len(set(metrics.words(question.text)) & set(metrics.words(MEMORIES[question.answers[0]].text)))
        for question in of_kind("paraphrased")
    )
    # The measure's stop words lack a few function words ("out", "until"), so some questions share one.
    assert max(shared) <= 1
    assert shared[0] >= 0.9 * shared.total()


def test_rare_words_occur_in_no_other_memory() -> None:
    texts = {memory.id: memory.text.lower() for memory in MEMORIES.values()}
    for question in of_kind("rare_word"):
        tokens = {token.strip(".:,-") for token in re.findall(r"[a-z0-9_./:=<#-]+", question.text.lower())}
        (answer,) = question.answers
        holders = [[id_ for id_, text in texts.items() if token in text] for token in tokens if len(token) > 2]
        assert [answer] in holders, question.id


def test_the_split_is_fixed_disjoint_and_complete() -> None:
    assert notes.FIT == ("tallow", "gloamspire", "quillmap", "marl", "pipwick", "silt", "doorman")
    assert notes.HELD_OUT == ("waybird", "slotwell", "nettle", "barrow", "chatterbrook", "trailcup", "reelspan")
    for load in (notes.memories, notes.questions):
        fit, held_out = load("fit"), load("held_out")
        assert {row.project for row in fit} == set(notes.FIT)
        assert {row.project for row in held_out} == set(notes.HELD_OUT)
        blind = load("blind")
        assert {row.project for row in blind} == {"fennelcast", "oxbow", "brickyard"}
        assert len(fit) + len(held_out) + len(blind) == len(load())


def test_the_blind_split_has_enough_memories_and_questions() -> None:
    assert len(notes.memories("blind")) >= 250
    kinds = Counter(question.kind for question in notes.questions("blind"))
    least = {"paraphrased": 60, "rare_word": 30, "unanswerable": 40, "changed": 30}
    assert all(kinds[kind] >= wanted for kind, wanted in least.items())


def test_half_of_the_pairs_amend_and_half_only_look_like_it() -> None:
    assert Counter(pair.amends for pair in notes.pairs()) == {True: 40, False: 40}
