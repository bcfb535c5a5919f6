"""What a newer memory may have replaced is told with it, never as a plain fact, and is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import payloads
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.engine.hook_responses.prompt_fast_path import fast_answer
from recollect.model import Edge, Memory
from recollect.render import to_text

OLD = "The booking slots of the pantry are 20 minutes long."
NEW = "Families asked for quarter hours, so the booking slots of the pantry end after 15 minutes."
ASKED = "how long are the booking slots of the pantry?"
BOTH = f"{NEW} (earlier, may no longer hold: {OLD})"

Answer = Callable[..., str | None]


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    frozen = FrozenClock(1_767_000_000)
    monkeypatch.setattr(clock, "now", frozen)
    return frozen


@pytest.fixture
def engine(home: Path, time: FrozenClock) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


@pytest.fixture(params=["recall", "fast path"])
def prompted(request: pytest.FixtureRequest, engine: Engine) -> Answer:
    """Answers a prompt in a session, with and without a server."""

    def answer(prompt: str, session: str = "s-1") -> str:
        raw = of(session, payloads.claude("UserPromptSubmit", prompt=prompt))
        return (fast_answer(raw) if request.param == "fast path" else engine.presence.answer(raw)) or ""

    return answer


def of(session: str, raw: bytes) -> bytes:
    return json.dumps({**json.loads(raw), "session_id": session}).encode()


def start(engine: Engine, session: str = "s-1") -> str:
    return engine.presence.answer(of(session, payloads.claude("SessionStart", source="startup"))) or ""


def store(engine: Engine, content: str, kind: str = "decision", **values: Any) -> str:
    given = {"memory_type": kind, "namespace": payloads.ROOT, "amend": False, "importance": 0.95, **values}
    return engine.memories.store(content, **given).memory.id


def linked(engine: Engine, time: FrozenClock, weight: float = 0.6, **values: Any) -> tuple[str, str]:
    """Store both versions an hour apart, linked as if they had been compared; return their ids, the older first."""
    old = store(engine, OLD, **values)
    time.advance(3600)
    new = store(engine, NEW)
    engine.memories.associate(new, old, relationship="CONTRADICTS", weight=weight)
    return old, new


def test_a_possible_change_is_linked_with_its_probability(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine()
    old = engine.memories.store("Never push without asking me.").memory.id
    stored = engine.memories.store("Pushing is fine, tell me afterwards.")
    (row,) = stored.amends
    assert (row.memory_id, row.relationship, row.superseded) == (old, "CONTRADICTS", False)
    (edge,) = engine.store.find(Edge)
    assert 0.6 <= edge.weight < 0.8 and f"may contradict {old[:8]}" in to_text(stored)


def test_a_briefing_tells_both_in_one_line_among_the_rules_if_the_older_one_is_one(
    engine: Engine, time: FrozenClock
) -> None:
    linked(engine, time, kind="preference")
    said = start(engine)
    assert f"## Preferences and conventions\n- {BOTH}\n" in said and said.count(OLD) == said.count(NEW) == 1


@pytest.mark.parametrize("weight", [0.0, 0.34])
def test_what_is_hardly_a_change_is_told_as_before(engine: Engine, time: FrozenClock, weight: float) -> None:
    linked(engine, time, weight)
    assert f"- {OLD}\n" in start(engine)


def test_prompts_tell_both_in_one_line_once(engine: Engine, time: FrozenClock, prompted: Answer) -> None:
    linked(engine, time)
    said = prompted(ASKED)
    assert BOTH in said and said.count(OLD) == said.count(NEW) == 1
    assert OLD not in prompted(ASKED)


def test_the_newer_one_is_told_even_if_only_the_older_one_matches(
    engine: Engine, time: FrozenClock, prompted: Answer
) -> None:
    old = store(engine, OLD)
    time.advance(3600)
    new = store(engine, "Quarter hours from now on.")
    engine.memories.associate(new, old, relationship="CONTRADICTS", weight=0.6)
    assert f"Quarter hours from now on. (earlier, may no longer hold: {OLD})" in prompted(ASKED)


def test_what_was_stated_again_is_the_newer_one(engine: Engine, time: FrozenClock, prompted: Answer) -> None:
    old, _ = linked(engine, time)
    time.advance(3600)
    values = {"metadata": {"last_stated_at": clock.now()}}
    with engine.store.transaction("test") as transaction:
        transaction.update(Memory, old, values)
    both = f"{OLD} (earlier, may no longer hold: {NEW})"
    assert OLD in prompted(ASKED) and f"hold: {OLD}" not in prompted(ASKED, "s-3")
    assert both in start(engine, "s-2")


def test_what_replaced_the_newer_one_is_told_instead_of_it(engine: Engine, time: FrozenClock, prompted: Answer) -> None:
    _, new = linked(engine, time)
    time.advance(3600)
    last = store(engine, "The booking slots of the pantry are ten minutes.", supersedes=new)
    assert engine.memories.get(new).superseded_by == last
    both = f"The booking slots of the pantry are ten minutes. (earlier, may no longer hold: {OLD})"
    assert both in prompted(ASKED) and both in start(engine, "s-2")


def test_without_the_newer_one_the_older_one_holds_again(engine: Engine, time: FrozenClock, prompted: Answer) -> None:
    _, new = linked(engine, time)
    engine.memories.delete(new)
    assert OLD in prompted(ASKED) and f"- {OLD}\n" in start(engine, "s-2")


def test_a_memory_of_another_project_is_not_told_beside_one_of_this(
    engine: Engine, time: FrozenClock, prompted: Answer
) -> None:
    old = store(engine, OLD)
    new = store(engine, NEW, namespace="/elsewhere")
    engine.memories.associate(new, old, relationship="CONTRADICTS")
    assert NEW not in prompted(ASKED) + start(engine, "s-2")


def test_memories_that_contradict_each_other_are_told_once(engine: Engine, time: FrozenClock, prompted: Answer) -> None:
    old, new = linked(engine, time)
    engine.memories.associate(old, new, relationship="CONTRADICTS")
    assert BOTH in prompted(ASKED) and BOTH in start(engine, "s-2")


def test_a_search_shows_both_the_newer_one_first(engine: Engine, time: FrozenClock) -> None:
    old, new = linked(engine, time)
    found = engine.recall.search("booking slots of the pantry minutes", namespace=payloads.ROOT)
    assert [(hit.memory.id, hit.doubted_by) for hit in found.hits] == [(new, None), (old, new)]
    assert f"a later note may replace it: {new[:8]}" in to_text(found)
    assert (
        f"a later note may replace it: {new[:8]}"
        in engine.recall.pack("booking slots of the pantry", namespace=payloads.ROOT).text
    )


def test_an_import_of_an_export_keeps_it(engine: Engine, time: FrozenClock, tmp_path: Path) -> None:
    linked(engine, time)
    content = engine.archive.export().content
    with Engine(home=str(tmp_path / "other"), embed_provider="off") as other:
        other.archive.import_(content=content)
        assert BOTH in start(other)
