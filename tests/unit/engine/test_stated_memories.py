"""What people lay down in prompts, and assistants in answers, is known in later sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import payloads
from tests.conformance.surfaces import command_line

from recollect import Engine
from recollect.capabilities import OPERATIONS
from recollect.engine.memory.amendments import Amendments, Found
from recollect.model import Edge, Memory, Observed
from recollect.recall.amend import Amended

RULE = "From now on always use pytest -x, never unittest"


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


def prompt(engine: Engine, text: str, session: str = "c-1", **fields: str) -> None:
    """Send a prompt in a session of Claude Code, and process it."""
    take(engine, payloads.claude("UserPromptSubmit", **{"prompt": text, "session_id": session, **fields}))


def answer(engine: Engine, text: str, session: str = "c-1") -> None:
    """End a turn of Claude Code with an answer, and process it."""
    take(engine, payloads.claude("Stop", last_assistant_message=text, session_id=session, stop_hook_active=False))


def take(engine: Engine, *raw: bytes) -> None:
    for each in raw:
        engine.capture.put(each)
    told = engine.capture.drain()
    assert (told.bad, told.stuck, told.notes) == (0, 0, ())


def known(engine: Engine) -> list[Memory]:
    """Return the known memories that hold."""
    found = engine.store.find(Memory, {"superseded_by": None}, order="seq")
    return [memory for memory in found if not memory.observed]


def test_a_rule_in_a_prompt_is_listed_as_a_preference(engine: Engine) -> None:
    prompt(engine, f"OK. {RULE}")
    listed = command_line(OPERATIONS["list_memories"], {}, ("--type", "preference", "--project", payloads.ROOT))
    assert [row["content"] for row in listed["memories"]] == [RULE]
    (rule,) = known(engine)
    assert (rule.memory_type, rule.source, rule.session_id, rule.namespace) == (
        "preference", "user", "c-1", payloads.ROOT,
    )  # fmt: skip
    assert (rule.metadata["stated_in"], rule.metadata["times"], rule.trust) == ("prompt", 1, 1.0)


def test_a_rule_is_there_once_after_five_sessions(engine: Engine) -> None:
    prompt(engine, RULE, "s-0")
    for number in range(1, 6):
        prompt(engine, f"Fix issue number {number} in the parser.", f"s-{number}")
    assert [memory.content for memory in known(engine)] == [RULE]


@pytest.mark.parametrize("again", [RULE, "please always use pytest -x, never unittest", f"{RULE}. Then go on."])
def test_a_rule_that_is_repeated_in_another_session_is_counted(engine: Engine, again: str) -> None:
    prompt(engine, RULE, "s-1")
    first = known(engine)[0]
    prompt(engine, again, "s-2")
    (rule,) = known(engine)
    assert (rule.id, rule.content, rule.metadata["times"]) == (first.id, RULE, 2)
    assert first.importance < rule.importance <= 0.95


def test_a_rule_that_is_repeated_in_one_session_counts_once(engine: Engine) -> None:
    prompt(engine, RULE)
    prompt(engine, f"{RULE}!")
    assert [memory.metadata["times"] for memory in known(engine)] == [1]


def test_importance_stays_below_its_cap_however_often_a_rule_is_stated(engine: Engine) -> None:
    for number in range(8):
        prompt(engine, RULE, f"s-{number}")
    (rule,) = known(engine)
    assert (rule.metadata["times"], rule.importance) == (8, 0.95)


def test_a_contrary_rule_supersedes(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine()
    prompt(engine, RULE, "s-1")
    prompt(engine, "from now on use unittest again, not pytest", "s-2")
    (rule,) = known(engine)
    assert rule.content == "From now on use unittest again, not pytest"
    assert engine.store.find(Edge, {"relationship": "SUPERSEDES"})
    prompt(engine, RULE, "s-3")
    assert [memory.content for memory in known(engine)] == [RULE]


def test_statements_that_wait_together_are_compared_in_their_order(engine: Engine) -> None:
    said = (RULE, "from now on use unittest again, not pytest", "Tests must not access the network.")
    take(
        engine,
        *(payloads.claude("UserPromptSubmit", prompt=text, session_id=f"s-{text[:4]}{len(text)}") for text in said),
    )
    assert [memory.content for memory in known(engine)] == [
        "From now on use unittest again, not pytest", "Tests must not access the network.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Which test runner do we use?",
        "Always show me the full diff here.",
        "use pytest in this function",
        "don't run it yet",
    ],
)
def test_a_question_or_a_request_is_no_knowledge(engine: Engine, text: str) -> None:
    prompt(engine, text)
    assert known(engine) == []
    assert engine.store.count(Observed) == 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("forget what i said about summaries", ["Never commit without asking."]),
        ("Forget what I said about tabs.", ["Always end with a summary of changes.", "Never commit without asking."]),
    ],
)
def test_what_is_taken_back_no_longer_holds(engine: Engine, text: str, left: list[str]) -> None:
    prompt(engine, "Always end with a summary of changes.", "s-0")
    prompt(engine, "Never commit without asking.", "s-0")
    prompt(engine, text, "s-1")
    assert [memory.content for memory in known(engine) if memory.valid_to is None] == left
    assert len(known(engine)) == 2


def test_one_prompt_may_state_several_things(engine: Engine) -> None:
    prompt(engine, "Fix the parser. We use pnpm, not npm. Let's go with Postgres for the queue.")
    assert {(memory.memory_type, memory.content) for memory in known(engine)} == {
        ("style", "We use pnpm, not npm."), ("decision", "Let's go with Postgres for the queue."),
    }  # fmt: skip


def test_a_rule_for_all_projects_belongs_to_none(engine: Engine) -> None:
    prompt(engine, "In all my projects use four spaces for indentation.")
    assert [memory.namespace for memory in known(engine)] == [None]


def test_a_cause_in_a_final_answer_is_an_insight_of_the_assistant(engine: Engine) -> None:
    answer(engine, "Fixed. The root cause was that two workers shared one connection. I changed the pool.")
    (cause,) = known(engine)
    assert cause.content == "The root cause was that two workers shared one connection."
    assert (cause.memory_type, cause.source, cause.trust, cause.metadata["stated_in"]) == (
        "insight", "assistant", 0.7, "answer",
    )  # fmt: skip
    assert cause.importance <= 0.6


def test_what_still_holds_stays_with_a_change(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine()
    prompt(engine, "we use uv here, pip is not installed", "s-1")
    prompt(engine, "pip is fine from now on, we have it in the image. still prefer uv", "s-2")
    assert known(engine)[-1].content == "Pip is fine from now on, we have it in the image. still prefer uv"


@pytest.mark.parametrize(
    ("said", "reported", "left"),
    [
        (
            "Backups are kept for 30 days.",
            "Done. Backups are now kept for 90 days (backup.sh). The tests pass.",
            ["Backups are kept for 30 days.", "Backups are now kept for 90 days."],
        ),
        (
            "Backups are kept for 30 days.",
            "Backups are now kept for 90 days. The disk is too small for that, so I put it back to 30.",
            ["Backups are kept for 30 days."],
        ),
        (
            "Backups are kept for 30 days.",
            "Backups are now kept for 90 days on your machine.",
            ["Backups are kept for 30 days."],
        ),
        (
            "note: backups are kept for 30 days, they are stored on tape",  # the tape still holds
            "Backups are now kept for 90 days.",
            ["Backups are kept for 30 days, they are stored on tape", "Backups are now kept for 90 days."],
        ),
        (
            "Backups are kept for 30 days.",
            "The README now says that backups are kept for 30 days. backup.sh now logs to syslog instead of stdout.",
            ["Backups are kept for 30 days."],
        ),
        (
            "Always wrap lines at 100 characters.",  # a rule is its author's to change
            "Lines are now wrapped at 90 characters.",
            ["Always wrap lines at 100 characters."],
        ),
    ],
)
def test_a_change_that_an_answer_reports_is_told_with_what_it_may_have_replaced(
    open_engine: Callable[..., Engine], said: str, reported: str, left: list[str]
) -> None:
    engine = open_engine()
    prompt(engine, said, "s-1")
    answer(engine, reported, "s-2")
    assert [memory.content for memory in known(engine)] == left
    start = engine.presence.context(namespace=payloads.ROOT).text
    assert ("Backups are now kept for 90 days. (assistant; earlier, may no longer hold: " in start) == (len(left) > 1)


@pytest.mark.parametrize(
    ("stated_in", "is_doubted"),
    [(["s-1"], True), (["s-2"], False), (["s-1", "s-2"], False), (["s-1", "s-2", "s-3"], False)],
)
def test_a_report_does_not_doubt_what_was_stated_in_its_session(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, stated_in: list[str], is_doubted: bool
) -> None:
    said, reported = "We decided to keep the exchange rates in Redis.", "The exchange rates moved to Postgres."
    for session in stated_in:
        prompt(engine, said, session)
    (old,) = known(engine)
    change = Found(old, Amended("value", said, reported, 0.9))
    monkeypatch.setattr(Amendments, "find", lambda *_: [change])
    answer(engine, reported, "s-2")
    assert [memory.content for memory in known(engine)] == [said, *([reported] if is_doubted else [])]
    start = engine.presence.context(namespace=payloads.ROOT).text
    assert ("may no longer hold" in start, reported in start) == (is_doubted, is_doubted)


DECIDED = "Chat messages are kept for 30 days, then an Oban job deletes them."


@pytest.mark.parametrize(
    "said",
    [
        f"As decided: {DECIDED} I looked it up in the docs.",
        "I described it: chat messages are kept for 30 days, then an Oban job deletes them. I wrote it to a.md.",
        "Chat messages are kept for 30 days; the Oban job PurgeMessages deletes them at 03:00. I added a test for it.",
        "We decided to keep chat messages for 14 days because the disk is small.",  # reports no change
    ],
)
def test_an_answer_that_restates_a_decision_neither_replaces_nor_doubts_it(home: Path, said: str) -> None:
    with Engine() as engine:
        old = engine.memories.store(DECIDED, memory_type="decision", namespace=payloads.ROOT).memory
        answer(engine, said)
        assert [memory.id for memory in known(engine)] == [old.id]
        packed = engine.recall.pack("how long are chat messages kept", namespace=payloads.ROOT).text
        assert DECIDED in packed and "may replace" not in packed


def test_a_change_that_an_answer_repeats_is_no_other_change(home: Path) -> None:
    with Engine() as engine:
        said = "Crash reports now go to Glitchtip, no longer to Sentry."
        engine.memories.store(said, memory_type="decision", namespace=payloads.ROOT)
        answer(engine, "Crash reports now go to Glitchtip, no longer to Sentry, with one project for each app.")
        assert [memory.content for memory in known(engine)] == [said]


def test_an_answer_replaces_what_an_assistant_said_and_a_prompt_replaces_both(home: Path) -> None:
    first, second = (f"Chat messages must be kept for {days} days, otherwise the audit fails." for days in (30, 60))
    with Engine() as engine:
        answer(engine, first, "s-1")
        answer(engine, second, "s-2")
        assert [(memory.content, memory.source) for memory in known(engine)] == [(second, "assistant")]
        prompt(engine, "From now on chat messages are kept for 90 days.", "s-3")
        assert [memory.source for memory in known(engine)] == ["user"]


def test_plans_and_summaries_in_an_answer_are_no_knowledge(engine: Engine) -> None:
    answer(engine, "I'll use a queue instead of polling. I added a test. Would you like me to deploy it?")
    assert known(engine) == []


def test_secrets_in_a_statement_are_replaced(engine: Engine) -> None:
    token = "ghp_" + "Zk3vQ8sT1mB7xW2cR9yL4dF6hJ0nP5aGuE1i"
    prompt(engine, f"Always use the token {token} for releases.")
    assert token not in repr(engine.store.find(Memory))
    assert len(known(engine)) == 1


def test_an_event_that_is_delivered_again_counts_nothing(engine: Engine) -> None:
    raw = payloads.claude("UserPromptSubmit", prompt=RULE, session_id="s-1")
    take(engine, raw, raw)
    assert [memory.metadata["times"] for memory in known(engine)] == [1]


def test_a_sentence_that_changes_what_is_known_is_kept(engine: Engine) -> None:
    changed = "originals are in eu-central-1 now"
    prompt(engine, changed, "s-0")
    assert known(engine) == []
    old = engine.memories.store("Originals are stored in eu-west-1.", namespace=payloads.ROOT).memory
    prompt(engine, changed, "s-1")
    (new,) = known(engine)
    assert (new.content, engine.memories.get(old.id).superseded_by) == ("Originals are in eu-central-1 now", new.id)


def test_an_order_that_gives_another_value_replaces_what_was_decided(home: Path) -> None:
    with Engine() as engine:
        decided = "We decided on 0.55 as the bar for unasked context because 0.5 was noisy."
        old = engine.memories.store(decided, memory_type="decision", namespace=payloads.ROOT).memory
        prompt(engine, "bump the bar for unasked context to 0.6, the noise is back")
        (new,) = known(engine)
        assert "0.6" in new.content and engine.memories.get(old.id).superseded_by == new.id


@pytest.mark.parametrize(
    ("fact", "task"),
    [
        (
            "the predelay goes up to 250 ms, not more",
            "and write the smoothing for it so it doesnt zip when you turn the knob, 20 ms ramp",
        ),
        ("We are on branch modulation now.", "merge modulation into main"),
    ],
)
def test_an_order_that_may_change_what_is_known_is_no_knowledge(home: Path, fact: str, task: str) -> None:
    with Engine() as engine:
        old = engine.memories.store(fact, namespace=payloads.ROOT).memory
        prompt(engine, task)
        assert [memory.id for memory in known(engine)] == [old.id] and not engine.store.find(Edge)


def test_what_replaces_a_decision_is_a_decision(engine: Engine) -> None:
    engine.memories.store("Originals are stored in eu-west-1.", memory_type="decision", namespace=payloads.ROOT)
    prompt(engine, "originals are in eu-central-1 now")
    assert [(memory.content, memory.memory_type) for memory in known(engine)] == [
        ("Originals are in eu-central-1 now", "decision")
    ]


def test_a_sentence_that_changes_nothing_is_kept_only_if_it_is_a_statement(engine: Engine) -> None:
    engine.memories.store("Translations are under src/locales.", namespace=payloads.ROOT)
    prompt(engine, "translations of the admin page are missing two keys")
    assert len(known(engine)) == 1


@pytest.mark.parametrize(
    ("task", "count"), [("which test runner do I want", 2), ("what test framework do I prefer", 1)]
)
def test_a_stated_preference_is_packed_for_a_question_about_what_the_user_wants(
    home: Path, task: str, count: int
) -> None:
    with Engine() as engine:
        prompt(engine, RULE)
        for known in ("Unit tests take 3 minutes.", "The test database is called zebra.", "CI runs on Buildkite."):
            engine.memories.store(known, memory_type="decision", namespace=payloads.ROOT)
        assert RULE in engine.recall.pack(task, namespace=payloads.ROOT).text
        found = engine.recall.search(task, namespace=payloads.ROOT).hits
        assert found[0].memory.content == RULE and len(found) >= count
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_a_stated_rule_answers_a_question_about_what_should_be_done(home: Path) -> None:
    with Engine() as engine:
        for rule in ("From now on use pnpm for everything, not npm", "In this repo we use httpx instead of requests."):
            prompt(engine, rule)
        for shard in range(9):
            engine.memories.store(f"Shard {shard} is kept for {shard + 3} weeks.", namespace=payloads.ROOT)
        found = engine.recall.search("which package manager should I use", namespace=payloads.ROOT).hits
        assert (found[0].memory.content, found[0].score > 0.55) == (
            "From now on use pnpm for everything, not npm",
            True,
        )
        assert engine.recall.search("should guests see prices", namespace=payloads.ROOT).hits == ()
