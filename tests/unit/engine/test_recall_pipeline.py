"""An answer from end to end: passages, sessions, people, times, what was replaced, and the reasons given."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes import FrozenClock, HashingEmbedder

from recollect import Engine
from recollect.model import Hit
from recollect.store.passage_search import text_rows
from recollect.text.passage_features import unpacked

FILLER = "Words that say nothing in particular follow here. " * 18
DAY = 86_400


def ask(engine: Engine, query: str, **options: Any) -> tuple[Hit, ...]:
    return engine.recall.search(query, **{"min_score": 0.0, **options}).hits


def contents(engine: Engine, query: str, **options: Any) -> list[str]:
    return [hit.memory.content for hit in ask(engine, query, **options)]


@pytest.fixture(params=["hybrid", "lexical"])
def either(
    request: pytest.FixtureRequest, open_engine: Callable[..., Engine], embedder: HashingEmbedder, frozen: FrozenClock
) -> Engine:
    """An engine with vectors, and one without."""
    return open_engine(embedder=embedder) if request.param == "hybrid" else open_engine(embed_provider="off")


# --- passages ---


def test_a_sentence_deep_inside_a_long_memory_is_found(either: Engine) -> None:
    for number in range(10):
        either.memories.store(f"The boiler of house number {number} is green and was bought in the sale")
    deep = "\n\n".join([*[FILLER] * 6, f"{FILLER} The cellar key hangs behind the boiler.", *[FILLER] * 6])
    either.memories.store(deep, title="Notes on the house")
    best = ask(either, "Where is the cellar key?")[0]
    assert best.memory.content == deep
    assert set(best.signals.matched_terms) == {"cellar", "key"}


def test_a_memory_is_one_hit_however_many_of_its_passages_match(either: Engine) -> None:
    either.memories.store("\n\n".join([f"{FILLER} needle"] * 12))
    either.memories.store("A needle in a sentence of its own")
    assert len(ask(either, "needle")) == 2


def test_a_line_of_a_list_of_changes_is_ranked_like_a_note(either: Engine) -> None:
    text = "house 1.0, other changes:\n\n- the roof is red\n- the cellar key hangs behind the boiler"
    memory = either.memories.store(text).memory
    assert [unpacked(row[-1]).parts for row in text_rows(memory)] == [1, 1], "not parts of a longer text"
    (hit,) = ask(either, "cellar key")
    assert hit.passage is not None and memory.content[hit.passage.start :].startswith("- the cellar key")


def test_a_long_memory_that_matches_everywhere_leaves_room_for_others(either: Engine) -> None:
    for number in range(5):
        either.memories.store(f"One needle, number {number}, on the shelf behind the door of the old house")
    either.memories.store("\n\n".join([f"needle needle {FILLER}"] * 100), title="All about the needle")
    assert len(ask(either, "needle")) == 6


def test_a_shortened_memory_is_not_found_by_its_old_content(either: Engine) -> None:
    memory = either.memories.store("\n\n".join([FILLER, f"{FILLER} The zeppelin has landed."])).memory
    either.memories.store("Something else")
    assert "zeppelin" in ask(either, "zeppelin")[0].signals.matched_terms
    either.memories.update(memory.id, content="Short now")
    assert all(hit.signals.matched_terms == () for hit in ask(either, "zeppelin"))


# --- sessions ---


def test_neighbouring_turns_are_found_with_the_matching_one(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(embed_provider="off")
    for text in ("Where did we put the zeppelin?", "Into the hangar at the lake, as always.", "Thanks"):
        engine.memories.store(text, session_id="s")
    engine.memories.store("Far away")
    found = {hit.memory.content: hit for hit in ask(engine, "zeppelin")}
    assert found.keys() == {"Where did we put the zeppelin?", "Into the hangar at the lake, as always.", "Thanks"}
    beside = found["Thanks"]
    assert beside.signals.lexical_rank is None
    assert beside.reason == "next to a match"


def test_sessions_that_are_held_at_the_same_time_do_not_come_between_each_other(
    open_engine: Callable[..., Engine], tmp_path: Any
) -> None:
    turns = ("Where did we put the zeppelin?", "Into the hangar", "Thanks", "You are welcome")
    others = ("What is for lunch?", "Soup of the day", "Again", "Yes, again")
    after, mixed = (open_engine(home=str(tmp_path / name), embed_provider="off") for name in ("after", "mixed"))
    for text, session in [*((text, "a") for text in turns), *((text, "b") for text in others)]:
        after.memories.store(text, session_id=session)
    for one, other in zip(turns, others, strict=True):
        mixed.memories.store(one, session_id="a")
        mixed.memories.store(other, session_id="b")
    expected = {hit.memory.content: hit.score for hit in ask(after, "zeppelin")}
    assert {hit.memory.content: hit.score for hit in ask(mixed, "zeppelin")} == expected


def test_what_does_not_pass_the_filter_is_not_an_answer_even_beside_one(either: Engine) -> None:
    either.memories.store("Where is the zeppelin?", session_id="s", memory_type="context")
    either.memories.store("In the hangar with the zeppelin", session_id="s", memory_type="decision")
    assert contents(either, "zeppelin", memory_type="decision") == ["In the hangar with the zeppelin"]


# --- people and times ---


def test_of_two_who_say_the_same_the_one_who_is_asked_about_comes_first(either: Engine) -> None:
    for author in ("Melanie", "Caroline", "Barbara"):
        either.memories.store("I signed up for the pottery class", author=author, deduplicate=False)
    for name in ("Caroline", "Melanie"):
        best = ask(either, f"What did {name} sign up for?")[0]
        assert best.memory.author == name


def test_the_question_is_embedded_as_its_author_would_put_it(engine: Engine, embedder: HashingEmbedder) -> None:
    engine.memories.store("I like pottery", author="Caroline")
    engine.embedding.catch_up()
    ask(engine, "anything")  # measures the model, once
    embedder.embedded.clear()
    ask(engine, "What is Caroline's hobby?")
    ask(engine, "What is Barbara's hobby?")
    assert embedder.embedded == ["What is my hobby?", "What is Barbara's hobby?"]


@pytest.mark.parametrize(("month", "expected"), [("May", "2023-05-20"), ("June", "2023-06-20")])
def test_what_is_from_the_month_that_is_named_comes_first(either: Engine, month: str, expected: str) -> None:
    for date in ("2023-04-20", "2023-05-20", "2023-06-20", "2022-09-20"):
        either.memories.store("We went to the lake", valid_from=date, metadata={"date": date}, deduplicate=False)
    assert ask(either, f"Which lake did we see in {month} 2023?")[0].memory.metadata["date"] == expected


def test_an_imported_time_that_is_none_does_no_harm(either: Engine) -> None:
    rows = [{"content": f"The lake in {number}", "valid_from": at} for number, at in enumerate((2**62, -(2**62)))]
    either.archive.import_(content="\n".join(map(json.dumps, rows)))
    assert len(ask(either, "Where is the lake in May 2023?", explain=True)) == 2
    assert either.recall.pack("the lake in May 2023", min_score=0.0).sources


# --- what was replaced ---


@pytest.mark.promise("B3")
def test_of_versions_of_a_fact_the_newest_comes_first_and_the_others_say_so(either: Engine) -> None:
    old = either.memories.store("The shop uses the database MySQL", valid_from="2021-01-01").memory
    new = either.memories.store("The shop uses the database SQLite", valid_from="2023-01-01").memory
    either.memories.store("The weather is fine")
    first, second, *_ = ask(either, "Which database does the shop use?")
    assert (first.memory.id, first.superseded_by) == (new.id, None)
    assert (second.memory.id, second.superseded_by) == (old.id, new.id)
    assert second.superseded_by == new.id
    assert first.score >= second.score


@pytest.mark.promise("B3")
@pytest.mark.parametrize(("author", "is_first"), [("user", True), ("guest", False)])
def test_a_later_message_to_an_assistant_that_changes_a_value_comes_first(
    either: Engine, author: str, is_first: bool
) -> None:
    said = [
        ("2024-03-01", "user", "My annual budget for shoes is $600 and the annual budget is tight, what shoes fit?"),
        ("2024-03-01", "assistant", "Look at the sales in spring."),
        ("2024-05-01", author, "Where do I go with my increased annual budget of $650 for shoes?"),
        ("2024-05-01", "assistant", "To the shop in Main Street."),
    ]
    for number, (day, who, text) in enumerate(said):
        either.memories.store(text, author=who, session_id=f"s{number // 2}", valid_from=day)
    found = contents(either, "What is my annual budget for shoes?")
    assert found.index(said[2][2]) < found.index(said[0][2]) if is_first else found[0] == said[0][2]


def test_statements_of_the_same_time_replace_nothing(either: Engine) -> None:
    for name in ("MySQL", "SQLite"):
        either.memories.store(f"The shop uses the database {name}", amend=False)
    hits = ask(either, "Which database does the shop use?")
    assert [hit.superseded_by for hit in hits] == [None, None]
    assert all("superseded" not in hit.reason for hit in hits)


def test_a_question_about_the_past_gets_what_was_true_then(either: Engine) -> None:
    for name, day in (("MySQL", "2021-01-01"), ("SQLite", "2023-01-01")):
        either.memories.store(f"The shop uses the database {name}", valid_from=day, amend=False)
    assert [hit.superseded_by for hit in ask(either, "Which database did the shop use?")] == [None, None]


def test_a_memory_that_supersedes_another_comes_before_it(either: Engine, frozen: FrozenClock) -> None:
    old = either.memories.store("Deployments happen on Fridays after lunch").memory
    frozen.advance(DAY)
    new = either.memories.store("We ship on Mondays", supersedes=old.id).memory
    either.memories.store("Something else entirely")
    hits = ask(either, "deployments on Fridays")
    order = [hit.memory.id for hit in hits]
    replaced = hits[order.index(old.id)]
    assert replaced.superseded_by == new.id
    assert new.id not in order or order.index(new.id) < order.index(old.id)
    assert replaced.memory.valid_to == new.created_at


@pytest.mark.promise("B3")
def test_as_of_a_moment_only_what_held_then_is_found(either: Engine, frozen: FrozenClock) -> None:
    old = either.memories.store("Deployments happen on Fridays").memory
    frozen.advance(10 * DAY)
    new = either.memories.store("Deployments happen on Mondays", supersedes=old.id).memory
    frozen.advance(10 * DAY)
    assert [hit.memory.id for hit in ask(either, "deployments")] == [new.id, old.id]
    before, between = old.created_at - DAY, old.created_at + DAY
    assert ask(either, "deployments", as_of=before) == ()
    (then,) = ask(either, "deployments", as_of=between)
    assert (then.memory.id, then.superseded_by) == (old.id, None)
    (later,) = ask(either, "deployments", as_of=new.created_at)
    assert later.memory.id == new.id


@pytest.fixture
def databases(either: Engine) -> Engine:
    """Which database is used: one until 20 April 2023, another since; and what else was said in March."""
    old = either.memories.store("We use MariaDB as our database", valid_from="2023-01-10").memory
    either.memories.store("The database of the shop was slow", valid_from="2023-03-15")
    either.memories.store("We use Postgres as our database", valid_from="2023-04-20", supersedes=old.id)
    return either


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Which database do we use as of March 2023?", "We use MariaDB as our database"),
        ("As of 19 April 2023, which database do we use?", "We use MariaDB as our database"),
        ("Which database do we use as of 20 April 2023?", "We use Postgres as our database"),
        ("Which database do we use as of April 2023?", "We use Postgres as our database"),
        ("Which database do we use as of the end of April?", "We use Postgres as our database"),
        ("Which database do we use as of today?", "We use Postgres as our database"),
        ("Which database do we use as of now?", "We use Postgres as our database"),
    ],
)
def test_a_question_as_of_a_time_asks_for_what_held_at_its_end(databases: Engine, query: str, first: str) -> None:
    found = databases.recall.search(query, min_score=0.0)
    assert found.hits[0].memory.content == first
    assert found.hits[0].superseded_by is None
    assert not any(hit.signals.dated for hit in found.hits)
    assert found.query == query


def test_an_answer_names_the_date_that_the_question_was_understood_as(databases: Engine) -> None:
    assert "state as of 2023-03-31" in databases.recall.search("Which database as of March 2023?").notes
    today = databases.recall.search("Which database as of today?", min_score=0.0).notes
    assert not any(note.startswith("state as of") for note in today)


def test_as_of_a_given_date_overrules_the_question(databases: Engine) -> None:
    (first, *_) = ask(databases, "Which database do we use as of March 2023?", as_of="2023-05")
    assert first.memory.content == "We use Postgres as our database"


def test_as_of_a_date_includes_that_day(databases: Engine) -> None:
    for as_of, first in (("2023-04-19", "MariaDB"), ("2023-04-20", "Postgres"), ("2023-04", "Postgres")):
        assert first in ask(databases, "Which database do we use?", as_of=as_of)[0].memory.content


def test_a_question_about_a_time_to_come_is_about_plans_for_it(databases: Engine) -> None:
    plan = "Next Monday the harbour opens"
    databases.memories.store(plan)
    assert contents(databases, "What is open as of next Monday?")[0] == plan


# --- reasons ---


def test_explain_shows_what_each_signal_added(either: Engine) -> None:
    either.memories.store("The parser is written by hand")
    either.memories.store("Something else")
    plain, explained = ask(either, "parser")[0], ask(either, "parser", explain=True)[0]
    assert plain.signals.shares == ()
    assert explained.signals.shares
    sizes = [abs(row.share) for row in explained.signals.shares]
    assert sizes == sorted(sizes, reverse=True)
    assert explained.score == plain.score


def test_relevance_tells_what_was_asked_for_from_what_was_not(either: Engine) -> None:
    either.memories.store("The parser of the shop is written by hand, because no generator was fast enough")
    either.memories.store("Retry every request with back-off and jitter, at most five times")
    right = ask(either, "Why is the parser of the shop written by hand?")[0]
    assert right.memory.content.startswith("The parser")
    assert right.score > 0.5
    wrong = ask(either, "capital Mongolia")
    assert all(hit.score < 0.3 for hit in wrong)


def test_signals_that_are_left_out_do_not_count(engine: Engine) -> None:
    for author in ("Melanie", "Caroline"):
        engine.memories.store("I signed up for the pottery class", author=author, session_id=author, deduplicate=False)
    question = "What did Caroline sign up for?"
    whole = {row.meaning for row in ask(engine, question, explain=True)[0].signals.shares}
    engine.recall.leave_out = frozenset({"author_named", "author_not_named", "author_of_self"})
    part = {row.meaning for row in ask(engine, question, explain=True)[0].signals.shares}
    assert whole - part == {"said by the person in the query"}
