"""What a hit carries: its passage, what its words for times mean, the reply to it, and what says the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FrozenClock, HashingEmbedder

from recollect import Engine
from recollect.model import Excerpt, Hit, Memory, Moment

FILLER = "Words that say nothing in particular follow here. " * 18
DAY = 86_400


def ask(engine: Engine, query: str, **options: Any) -> tuple[Hit, ...]:
    return engine.recall.search(query, **{"min_score": 0.0, **options}).hits


def best(engine: Engine, query: str, **options: Any) -> Hit:
    return ask(engine, query, **options)[0]


@pytest.fixture(params=["hybrid", "lexical"])
def either(
    request: pytest.FixtureRequest, open_engine: Callable[..., Engine], embedder: HashingEmbedder, frozen: FrozenClock
) -> Engine:
    """An engine with vectors, and one without."""
    return open_engine(embedder=embedder) if request.param == "hybrid" else open_engine(embed_provider="off")


@pytest.fixture
def lexical(open_engine: Callable[..., Engine], frozen: FrozenClock) -> Engine:
    """An engine that ranks by words alone."""
    return open_engine(embed_provider="off")


# --- the passage that matched ---


def test_a_hit_says_which_passage_matched(lexical: Engine) -> None:
    content = "\n\n".join([FILLER, FILLER, f"The cellar key hangs behind the boiler. {FILLER}", FILLER])
    lexical.memories.store(content)
    part = best(lexical, "Where is the cellar key?").passage
    assert part is not None
    assert content[part.start : part.end].startswith("The cellar key hangs")
    assert FILLER.strip() in content[part.end :]


def test_the_passage_of_a_short_memory_is_all_of_it(either: Engine) -> None:
    either.memories.store("The cellar key hangs behind the boiler")
    hit = best(either, "cellar key")
    assert hit.passage == Excerpt(start=0, end=len(hit.memory.content))


# --- times ---


def test_relative_times_are_resolved_from_the_date_of_the_memory(either: Engine) -> None:
    content = "I saw the zeppelin yesterday; it was built in 1929 and flies again next week"
    either.memories.store(content, valid_from="2023-05-08")
    hit = best(either, "zeppelin")
    assert hit.times == (
        Moment(words="yesterday", end=content.index(";"), means="2023-05-07"),
        Moment(words="next week", end=len(content), means="2023-05-15 to 2023-05-21"),
    )
    assert hit.told(0, len(content)).startswith("I saw the zeppelin yesterday [2023-05-07]; it was built in 1929")


def test_a_memory_without_a_date_has_the_date_of_its_storing(either: Engine) -> None:
    either.memories.store("The zeppelin landed today")
    assert [moment.means for moment in best(either, "zeppelin").times] == ["2023-11-14"]


def test_in_a_long_memory_times_are_resolved_in_the_shown_passage(lexical: Engine) -> None:
    content = "\n\n".join([f"{FILLER} Yesterday it rained.", f"The zeppelin landed last year. {FILLER}", FILLER])
    lexical.memories.store(content, valid_from="2023-05-08")
    hit = best(lexical, "zeppelin landed")
    assert hit.times == (Moment(words="last year", end=content.index("last year") + 9, means="2022"),)


def test_a_time_that_is_none_leaves_words_as_they_are(either: Engine) -> None:
    either.archive.import_(content='{"content": "The zeppelin landed yesterday", "valid_from": 4611686018427387904}')
    assert best(either, "zeppelin").times == ()


# --- asking for a time ---


@pytest.fixture
def diary(lexical: Engine, frozen: FrozenClock) -> Engine:
    """A note for each of sixty days, none of which has a word of the questions."""
    notes = ("Painted a fence", "Baked bread", "Mended bicycles", "Sorted letters", "Swept chimneys")
    for ago in range(60):
        lexical.memories.store(f"{notes[ago % 5]} {'abcdefghijkl'[ago % 12] * 3}", valid_from=frozen.at - ago * DAY)
    return lexical


def days_ago(hits: tuple[Hit, ...], frozen: FrozenClock) -> set[int]:
    return {(frozen.at - (hit.memory.valid_from or 0)) // DAY for hit in hits}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # The clock stands still on a Tuesday.
        ("What did we do yesterday?", {1}),
        ("What did we do last week?", {2, 3, 4, 5, 6, 7, 8}),
        ("What happened on 2023-11-01?", {13}),
        ("what was done in October 2023", set(range(14, 45))),
    ],
)
def test_memories_from_the_time_that_is_asked_about_are_found_without_a_word_in_common(
    diary: Engine, frozen: FrozenClock, question: str, expected: set[int]
) -> None:
    found = diary.recall.search(question, limit=60).hits
    assert found
    assert days_ago(found, frozen) <= expected
    assert len(found) >= min(len(expected), 20)
    assert all(hit.signals.dated and "from the time in the query" in hit.reason for hit in found)


def test_as_of_a_moment_times_are_counted_from_it(diary: Engine, frozen: FrozenClock) -> None:
    (found,) = diary.recall.search("What did we do yesterday?", as_of=frozen.at - 30 * DAY).hits
    assert found.memory.valid_from == frozen.at - 31 * DAY


def test_a_memory_that_names_the_day_counts_like_one_from_it(lexical: Engine) -> None:
    for text, date in (
        ("We went to the lake yesterday", "2023-05-08"),
        ("We went to the lake again", "2023-06-08"),
        ("We went to the lake at last", "2023-07-08"),
    ):
        lexical.memories.store(text, valid_from=date)
    assert best(lexical, "What about the lake on 7 May 2023?").memory.content == "We went to the lake yesterday"


def test_a_memory_that_names_the_day_is_found_without_a_word_in_common(diary: Engine) -> None:
    diary.memories.store("Yesterday a zeppelin landed", valid_from="2023-05-08")
    diary.memories.store("A balloon landed last year", valid_from="2024-05-08")
    diary.memories.store("A kite fell down the day before", valid_from="2023-05-08")
    (found,) = diary.recall.search("What did we do on 7 May 2023?").hits
    assert found.memory.content == "Yesterday a zeppelin landed"
    assert found.signals.dated


def test_days_that_texts_name_are_known_after_an_update_of_an_older_store(
    diary: Engine, home: Path, open_engine: Callable[..., Engine]
) -> None:
    content = "Yesterday a zeppelin landed, and on 2 May 2023 a balloon, and again on 2 May 2023"
    diary.memories.store(content, valid_from="2023-05-08")
    diary.close()
    with closing(sqlite3.connect(home / "recollect.db", isolation_level=None)) as connection:
        connection.execute("DROP TABLE memory_days")
        for index in ("idx_memories_observed", "idx_memories_briefing", "idx_memories_content_hash"):
            connection.execute(f"DROP INDEX {index}")
        connection.execute("ALTER TABLE memories DROP COLUMN observed")
        connection.execute("ALTER TABLE anchor_states DROP COLUMN different")
        for table in ("access_tokens", "shared_files", "team_writes", "token_calls"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 14")
    engine = open_engine(embed_provider="off")
    for day in ("2 May", "7 May"):
        assert [hit.memory.content for hit in engine.recall.search(f"What did we do on {day} 2023?").hits] == [content]


def test_a_question_without_a_time_finds_nothing_by_time(diary: Engine) -> None:
    assert diary.recall.search("What did we do?").hits == ()


# --- tags ---


@pytest.fixture
def tagged(either: Engine) -> str:
    """The id of the one memory with these tags, among many of which no word is asked for."""
    for number in range(20):
        either.memories.store(f"Something else, number {number}", tags=("other", "ext:py"))
    return either.memories.store("Sweep it every autumn", tags=("chimney", "ext:rs")).memory.id


@pytest.mark.parametrize("question", ["chimney", "Chimneys", "ext:rs", "rs"])
def test_a_memory_is_found_by_its_tag_alone(either: Engine, tagged: str, question: str) -> None:
    assert best(either, question).memory.id == tagged
    assert tagged in [hit.memory.id for hit in either.recall.search(question).hits]


# --- what says the same ---


def test_two_memories_that_say_the_same_are_one_hit_that_names_the_other(either: Engine) -> None:
    texts = ("The zeppelin is safe", "the zeppelin is safe!", "The zeppelin is not safe", "The zeppelin was safe")
    ids = {text: either.memories.store(text, namespace=f"n{place}").memory.id for place, text in enumerate(texts)}
    hits = ask(either, "Is the zeppelin safe?")
    folded = {hit.memory.id: hit.folded for hit in hits}
    assert len(hits) == 3
    first, second = ids[texts[0]], ids[texts[1]]
    assert {first, second} == {hit for hit, others in folded.items() if others} | {
        *folded.get(first, folded.get(second, ()))
    }


def test_copies_leave_their_places_to_others(lexical: Engine) -> None:
    for number in range(15):
        lexical.memories.store("The zeppelin is in the hangar", session_id=f"s{number}", deduplicate=False)
    for name in ("mast", "engine", "crew"):
        lexical.memories.store(f"A zeppelin has a {name}")
    hits = ask(lexical, "zeppelin", limit=4)
    assert len({hit.memory.content for hit in hits}) == len(hits) == 4


def test_what_holds_is_never_folded_under_what_it_replaced(either: Engine, frozen: FrozenClock) -> None:
    old = either.memories.store("The zeppelin is in the hangar", title="zeppelin").memory
    frozen.advance(DAY)
    new = either.memories.store("The zeppelin is in the hangar!", supersedes=old.id).memory
    hits = {hit.memory.id: hit for hit in ask(either, "zeppelin hangar")}
    assert new.id in hits
    assert new.id not in {name for hit in hits.values() for name in hit.folded}


def test_the_same_statement_of_two_authors_is_two_hits(either: Engine) -> None:
    for author in ("Ada", "Grace"):
        either.memories.store("I flew the zeppelin", author=author, deduplicate=False)
    assert {hit.memory.author for hit in ask(either, "zeppelin")} == {"Ada", "Grace"}


# --- replies ---


def say(engine: Engine, author: str | None, text: str, session: str | None = "s", **fields: Any) -> Memory:
    return engine.memories.store(text, author=author, session_id=session, deduplicate=False, **fields).memory


def reply_to(engine: Engine, question: str, turn: Memory) -> str | None:
    (hit,) = [hit for hit in ask(engine, question, limit=50) if hit.memory.id == turn.id]
    return hit.reply.memory_id if hit.reply is not None else None


def test_a_turn_carries_the_assistants_reply_to_it(either: Engine) -> None:
    turn = say(either, "user", "The zeppelin leaks. Mend it.")
    reply = say(either, "assistant", f"I patched it yesterday. {FILLER} {FILLER}")
    thanks = say(either, "user", "Good")
    assert reply_to(either, "zeppelin", turn) == reply.id
    (hit,) = [hit for hit in ask(either, "zeppelin") if hit.memory.id == turn.id]
    assert hit.reply is not None
    assert hit.reply.author == "assistant"
    assert hit.reply.text.startswith("I patched it yesterday [2023-11-13]. Words")
    assert len(hit.reply.text) < 1100
    assert reply_to(either, "zeppelin", reply) is None
    assert reply_to(either, "zeppelin", thanks) is None


def test_the_source_is_the_role_where_there_is_no_author(either: Engine) -> None:
    turn = say(either, None, "The zeppelin leaks", source="user")
    reply = say(either, None, "Patched", source="assistant")
    assert reply_to(either, "zeppelin", turn) == reply.id


def test_between_people_only_a_question_has_a_reply(either: Engine) -> None:
    statement = say(either, "Ada", "The zeppelin leaks")
    question = say(either, "Grace", "Since when does the zeppelin leak?")
    answer = say(either, "Ada", "Since Monday")
    assert reply_to(either, "zeppelin", statement) is None
    assert reply_to(either, "zeppelin", question) == answer.id


def test_what_the_same_one_says_next_or_another_session_is_no_reply(either: Engine) -> None:
    first = say(either, "user", "Does the zeppelin leak?")
    say(either, "assistant", "elsewhere", session="t")
    say(either, "user", "Hello?")
    alone = say(either, "user", "Is the zeppelin here?", session=None)
    assert reply_to(either, "zeppelin", first) is None
    assert reply_to(either, "zeppelin", alone) is None


def test_a_reply_of_later_or_of_another_project_is_none(either: Engine, frozen: FrozenClock) -> None:
    turn = say(either, "user", "The zeppelin leaks", namespace="a")
    frozen.advance(DAY)
    say(either, "assistant", "Patched", namespace="a")
    assert ask(either, "zeppelin", as_of=turn.created_at)[0].reply is None
    other = say(either, "user", "The zeppelin sinks", session="t", namespace="a")
    say(either, "assistant", "Patched", session="t", namespace="b")
    assert reply_to(either, "zeppelin", other) is None


REPLY = (
    "Let us go through {topic} step by step. First make sure that {topic} is under version control. Then measure "
    "{topic} before you change anything, and write down what you decided about {topic} and why. "
)
FACTS = (
    (
        "The billing cron runs at half past three because of the backups",
        "billing cron",
        "When does the billing cron run?",
    ),
    ("My staging proxy listens on port 8443", "the staging proxy", "Which port does the staging proxy use?"),
    ("The invoice parser chokes on a byte order mark", "the invoice parser", "What breaks the invoice parser?"),
    ("Priya owns the onboarding emails now", "onboarding emails", "Who is responsible for onboarding emails?"),
    ("The nightly export takes forty minutes", "the nightly export", "How long does the nightly export take?"),
    (
        "The gateway drops idle connections after ninety seconds",
        "the gateway",
        "When does the gateway drop connections?",
    ),
)


def test_long_replies_do_not_outrank_the_question(lexical: Engine) -> None:
    turns: dict[str, str] = {}
    for place, (fact, topic, question) in enumerate(FACTS):
        turns[question] = say(lexical, "user", f"{fact}. What should I watch?", session=f"s{place // 3}").id
        say(lexical, "assistant", "\n\n".join([REPLY.format(topic=topic) * 3] * 3), session=f"s{place // 3}")
    first = [best(lexical, question).memory.id == turn for question, turn in turns.items()]
    assert all(first)
    assert all(best(lexical, question).reply is not None for question in turns)


def test_an_answer_is_found_through_its_question(lexical: Engine) -> None:
    for number in range(10):
        say(lexical, "Ada", f"Something else of the day, number {number}", session="t")
    say(lexical, "Ada", "Where did we put the zeppelin?")
    answer = say(lexical, "Grace", "Into the hangar at the lake, as always")
    assert answer.id in [hit.memory.id for hit in ask(lexical, "zeppelin", limit=2)]


# --- how its score came about ---


def test_an_explanation_names_only_what_the_memory_has(either: Engine) -> None:
    either.memories.store("\n\n".join([FILLER, FILLER, f"The cellar key hangs behind the boiler. {FILLER}", FILLER]))
    either.memories.store("The cellar key hangs behind the boiler")
    either.memories.store("The boiler is old", author="Ada", session_id="s")
    for hit in ask(either, "Where is the cellar key?", explain=True):
        said = " ".join(share.meaning for share in hit.signals.shares)
        assert said
        assert ("session" in said) <= (hit.memory.session_id is not None)
        assert ("neighbours" in said) <= (len(hit.memory.content) > len(FILLER))
        assert "person" not in said  # nobody is named in the query
        assert ("meaning" in said) <= (hit.signals.semantic is not None)


def test_an_explanation_says_nothing_of_the_meaning_of_what_has_no_vector(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder, embed_on_demand=0)
    engine.memories.store("The harbour closes at nine")
    engine.embedding.catch_up()
    newest = engine.memories.store("The cellar key hangs behind the boiler").memory
    first = best(engine, "Where is the cellar key?", explain=True)
    assert (first.memory.id, first.signals.semantic) == (newest.id, None)
    assert not any("meaning" in share.meaning for share in first.signals.shares)
