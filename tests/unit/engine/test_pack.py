"""A pack: the best context for a task, whole, within its budget, each line with its source."""

from __future__ import annotations

import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.engine.retrieval.pack import packed, parts_of
from recollect.errors import InvalidInput
from recollect.text.token_count import tokens


@pytest.fixture
def shelf(engine: Engine) -> Engine:
    engine.memories.store("The parser of the shop is written by hand", author="Ada", valid_from="2023-05-08")
    engine.memories.store("The parser of the bank was generated\nfrom a grammar", memory_type="decision")
    engine.memories.store("Retry every request with back-off and jitter")
    return engine


def test_every_line_names_its_source(shelf: Engine, frozen: FrozenClock) -> None:
    pack = shelf.recall.pack("the parser of the shop", min_score=0.0)
    memory = shelf.recall.search("the parser of the shop", min_score=0.0).hits[0].memory
    assert pack.sources[0].memory_id == memory.id
    assert pack.sources[0].text == f"- [context, 2023-05-08, Ada, {memory.id[:8]}] {memory.content}\n"
    assert pack.text == "".join(part.text for part in pack.sources)
    assert "- [decision, 2023-11-14, " in pack.text
    assert "generated from a grammar\n" in pack.text


@pytest.mark.parametrize("budget", [1, 20, 40, 60, 90, 200, 1_000_000])
def test_a_pack_never_costs_more_than_its_budget(shelf: Engine, budget: int) -> None:
    pack = shelf.recall.pack("parser request", tokens=budget, min_score=0.0)
    assert pack.budget == budget
    assert pack.tokens == tokens(pack.text) <= budget
    assert sum(part.tokens for part in pack.sources) == pack.tokens


def test_what_is_too_long_is_skipped_for_what_fits(engine: Engine) -> None:
    engine.memories.store("zeppelin " + "a" * 900)
    short = engine.memories.store("The zeppelin is in the hangar").memory
    assert [part.memory_id for part in engine.recall.pack("zeppelin", tokens=60, min_score=0.0).sources] == [short.id]


def test_of_a_long_memory_what_fits_is_taken(engine: Engine) -> None:
    engine.memories.store("\n\n".join(f"The zeppelin, part {number}. {'word ' * 150}" for number in range(8)))
    pack = engine.recall.pack("zeppelin", tokens=400, min_score=0.0)
    assert len(pack.sources) == 1
    assert pack.tokens <= 400


def test_of_a_long_memory_the_passage_that_matched_is_taken(engine: Engine) -> None:
    filler = "Words that say nothing in particular follow here. " * 18
    long = "\n\n".join([filler, f"The zeppelin is in the hangar. {filler}", filler])
    engine.memories.store(long)
    (part,) = engine.recall.pack("Where is the zeppelin?", min_score=0.0).sources
    assert "] … The zeppelin is in the hangar. Words" in part.text
    assert part.text.endswith(" …\n")


def test_of_a_commit_the_sentences_that_matched_are_taken_with_its_subject(engine: Engine) -> None:
    filler = " ".join(["The hangar was built of timber and was repaired in spring."] * 6)
    engine.memories.store(
        f"Moor airships at night\n\n{filler}\n\nA zeppelin drifts in a storm.\n\nCommit 0123456789ab, 2023-11-15"
    )
    (part,) = engine.recall.pack("What does a zeppelin do in a storm?", min_score=0.0).sources
    assert "] Moor airships at night " in part.text
    assert "A zeppelin drifts in a storm. Commit 0123456789ab, 2023-11-15" in part.text
    assert part.text.count("timber") < 6


def test_of_a_list_of_changes_the_line_that_matched_is_taken_with_its_release(engine: Engine) -> None:
    engine.memories.store("app 1.0, other changes:\n\n- Add a hangar\n- Fix the zeppelin\n- Drop the balloon")
    (part,) = engine.recall.pack("What happened to the zeppelin?", min_score=0.0).sources
    assert part.text.endswith("] app 1.0, other changes: - Fix the zeppelin\n")


def test_words_for_times_are_packed_with_what_they_mean(engine: Engine) -> None:
    said = "I flew the zeppelin yesterday, not on 1 May 2023"
    memory = engine.memories.store(said, valid_from="2023-05-08").memory
    (part,) = engine.recall.pack("zeppelin", min_score=0.0).sources
    assert part.text.endswith("] I flew the zeppelin yesterday [2023-05-07], not on 1 May 2023\n")
    assert engine.memories.get(memory.id).content == said


def test_what_contradicts_is_packed_beside_what_it_contradicts(engine: Engine) -> None:
    for text in ("The zeppelin is safe to fly", "The zeppelin is not safe to fly", "The zeppelin was safe to fly"):
        engine.memories.store(text)
    assert len(engine.recall.pack("zeppelin safe to fly", min_score=0.0).sources) == 3


# --- replies ---


@pytest.fixture
def talk(engine: Engine) -> Engine:
    engine.memories.store("Which hangar holds the zeppelin?", author="user", session_id="s")
    engine.memories.store("Number\nfour, by the lake. " + "Nothing more. " * 40, author="assistant", session_id="s")
    return engine


def test_a_reply_is_packed_below_what_it_answers(talk: Engine) -> None:
    found = talk.recall.search("the zeppelin in the hangar", limit=1, min_score=0.0)
    (part,) = packed(found, 2000).sources
    question, reply = part.text.splitlines()
    assert question.endswith("] Which hangar holds the zeppelin?")
    assert reply.startswith(
        f"    reply by assistant ({str(part.reply_id)[:8]}): Number four, by the lake. Nothing more."
    )
    assert reply.endswith("…")
    assert len(reply) < 400


def test_a_reply_that_does_not_fit_is_left_out_and_one_that_is_packed_is_not_repeated(talk: Engine) -> None:
    found = talk.recall.search("the zeppelin in the hangar", limit=1, min_score=0.0)
    whole = packed(found, 2000)
    (tight,) = packed(found, whole.tokens - 1).sources
    assert (tight.memory_id, tight.reply_id) == (whole.sources[0].memory_id, None)
    both = talk.recall.pack("the zeppelin in the hangar by the lake", min_score=0.0, tokens=2000)
    assert [part.reply_id for part in both.sources] == [None, None]


def test_repeated_statements_are_left_out_and_longer_ones_kept(engine: Engine) -> None:
    engine.memories.store("The shop uses SQLite")
    engine.memories.store("the shop uses sqlite!", deduplicate=False)
    more = "The shop uses SQLite because a server would need somebody who looks after it at night"
    engine.memories.store(more)
    text = engine.recall.pack("Which database for the shop? SQLite", min_score=0.0).text
    assert text.lower().count("the shop uses sqlite") <= 2
    assert more in text


def test_what_was_replaced_is_left_out(engine: Engine, frozen: FrozenClock) -> None:
    old = engine.memories.store("Deployments happen on Fridays").memory
    frozen.advance(1)
    new = engine.memories.store("Deployments happen on Mondays now", supersedes=old.id).memory
    assert [part.memory_id for part in engine.recall.pack("deployments", min_score=0.0).sources] == [new.id]


def test_a_topic_is_packed_with_all_its_statements_over_time(engine: Engine, frozen: FrozenClock) -> None:
    for text in (
        "The zeppelin is in the hangar",
        "Tests of the zeppelin take an hour",
        "We fly the zeppelin on Fridays",
    ):
        engine.memories.store(text)
        frozen.advance(86_400)
    assert len(engine.recall.pack("zeppelin", min_score=0.0).sources) == 3


def test_what_is_not_likely_to_be_relevant_is_left_out(shelf: Engine) -> None:
    pack = shelf.recall.pack("capital Mongolia")
    assert (pack.text, pack.tokens, pack.sources) == ("", 0, ())


def test_only_the_namespace_that_is_asked_for_is_packed(engine: Engine) -> None:
    engine.memories.store("The parser of app", namespace="app")
    lib = engine.memories.store("The parser of lib", namespace="lib").memory
    assert [part.memory_id for part in engine.recall.pack("parser", namespace="lib", min_score=0.0).sources] == [lib.id]


@pytest.mark.parametrize("given", [{"tokens": 0}, {"tokens": 1_000_001}, {"tokens": "many"}, {"task": " "}], ids=repr)
def test_bad_tasks_and_budgets_are_refused(engine: Engine, given: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        engine.recall.pack(**{"task": "x", **given})  # type: ignore[arg-type]


def test_the_parts_of_a_task_are_looked_up_one_by_one(engine: Engine) -> None:
    for text in ("Every migration needs a rollback script", "Tests use factories, never fixtures"):
        engine.memories.store(text)
    packed = engine.recall.pack("write a migration that adds a column, with a test for it")
    assert {source.text.partition("] ")[2].strip() for source in packed.sources} == {
        "Every migration needs a rollback script",
        "Tests use factories, never fixtures",
    }
    assert not parts_of("which migration was it, and why with a test?")
