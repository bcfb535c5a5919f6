"""Recall gives what answers, the most relevant first; age and use decide among comparable records only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.episodes import Clock

from recollect.episodic import EnhancedEpisodicMemory, EpisodicMemory

TURNS = [
    ("Which port does staging use?", "Staging listens on port 9090, since 8080 was taken."),
    ("Who feeds the office cat?", "Olga feeds the cat on weekdays."),
    ("When is the release?", "Releases happen every second Tuesday."),
    ("What does the linter check?", "It checks line length and imports."),
    ("Where are the backups?", "Backups are in the cellar, on tape."),
]
NONSENSE = ["zzz nothing kubernetes", "recipe for chocolate cake", "asdf qwer"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnhancedEpisodicMemory]:
    """Five turns of one session, with the model that recollect ships; one of them was asked for 40 times."""
    clock = Clock()
    with EnhancedEpisodicMemory(tmp_path_factory.mktemp("episodes") / "x.db", clock=clock) as memory:
        for user, assistant in TURNS:
            memory.remember(user, assistant)
            clock.wait(minutes=1)
        for _ in range(40):
            memory.recall("who feeds the cat", top_k=1)
        yield memory


@pytest.mark.promise("A9")
def test_much_used_turns_of_the_same_session_do_not_come_before_the_answer(filled: EnhancedEpisodicMemory) -> None:
    assert filled.recall("which port is staging on")[0].user == TURNS[0][0]
    assert filled.recall("where do the backups go")[0].user == TURNS[4][0]


@pytest.mark.promise("A9")
def test_nothing_relevant_brings_nothing_and_counts_as_no_use(filled: EnhancedEpisodicMemory) -> None:
    before = {record.id: record.access_count for record in filled.records()}
    assert [filled.recall(query) for query in NONSENSE] == [[], [], []]
    assert {record.id: record.access_count for record in filled.records()} == before
    filled.recall("where do the backups go")
    used = {record.user for record in filled.records() if record.access_count != before[record.id]}
    assert used == {TURNS[4][0]}


@pytest.mark.promise("A9")
def test_a_recalled_record_says_how_relevant_it_is(filled: EnhancedEpisodicMemory) -> None:
    (found,) = filled.recall("which port is staging on")
    assert found.relevance is not None
    assert found.score is not None
    assert 0.5 < found.relevance <= 1.0
    assert found.score == pytest.approx(found.relevance, rel=0.2), "hardly aged, hardly used"
    kept = filled.get_record(found.id)
    assert kept is not None
    assert (kept.relevance, kept.score) == (None, None), "of no question"


@pytest.mark.promise("A9")
def test_the_plain_memory_has_the_same_floor(tmp_path: Path, clock: Clock) -> None:
    with EpisodicMemory(tmp_path / "x.db", clock=clock) as memory:
        for turn in TURNS:
            memory.remember(*turn)
        assert [memory.recall(query) for query in NONSENSE] == [[], [], []]
        (found,) = memory.recall("which port is staging on")
        assert found.relevance is not None
        assert found.relevance > 0.5


@pytest.mark.promise("A9")
def test_use_decides_between_turns_that_answer_equally_well(tmp_path: Path, clock: Clock) -> None:
    with EnhancedEpisodicMemory(tmp_path / "x.db", clock=clock) as memory:
        used = memory.remember("Which port does the billing staging use?", "Billing staging uses port 7001.")[0]
        memory.remember("Which port does the search staging use?", "Search staging uses port 7002.")
        for _ in range(10):
            memory.recall("billing port 7001", top_k=1)
        assert memory.recall("which port does staging use")[0].id == used.id
