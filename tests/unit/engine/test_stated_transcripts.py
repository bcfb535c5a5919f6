"""What people and assistants laid down in past sessions is known after an import, each statement once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import transcripts
from tests.transcripts import ASSISTANTS, BEGUN, say, use

from recollect import Engine
from recollect.engine.records.memory_rows import content_hash
from recollect.model import Memory, Observed, Transcript

CWD = "/nowhere/shop"
RULE = "We never mock the database."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of somebody who has worked with assistants."""
    folder = tmp_path / "person"
    folder.mkdir()
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RECOLLECT_ASSISTANTS_HOME", str(folder))
    return folder


@pytest.fixture
def engine(open_engine: Callable[..., Engine], home: Path) -> Engine:
    return open_engine(embed_provider="off")


def record(home: Path, assistant: str, *steps: transcripts.Step, session: str = "s-1", at: int = BEGUN) -> None:
    transcripts.write(home, assistant, steps, session=session, cwd=CWD, at=at)


def learn(engine: Engine, tmp_path: Path) -> None:
    engine.history.import_history(str(tmp_path), only=("transcripts",))


def stated(engine: Engine, **where: Any) -> list[Memory]:
    return engine.store.find(Memory, {"observed": False, **where}, order="seq")


def test_a_rule_that_several_sessions_state_is_one_memory_that_counts_them(
    engine: Engine, home: Path, tmp_path: Path
) -> None:
    for number in range(3):
        said = say("user", f"Fix issue {number}. {RULE}")
        record(home, "claude", said, session=f"s{number}", at=BEGUN + 5_000 * number)
    learn(engine, tmp_path)
    (rule,) = stated(engine)
    assert (rule.content, rule.source) == (RULE, "user")
    assert (rule.metadata["stated_in"], rule.metadata["times"]) == ("transcript", 3)
    with engine.store.transaction("forget") as transaction:
        transaction.delete(Transcript, {"assistant": "claude"})
        transaction.delete(Observed, {"assistant": "claude"})
    learn(engine, tmp_path)
    assert stated(engine) == [rule]


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_only_the_last_text_of_a_turn_is_an_answer(engine: Engine, home: Path, tmp_path: Path, assistant: str) -> None:
    record(
        home,
        assistant,
        say("user", "Make the check pass."),
        say("assistant", "The root cause was a missing comma."),
        use("bash", "make check", output="ok\n"),
        say("assistant", "The root cause was a wrong path."),
        say("user", "Good, thanks."),
    )
    learn(engine, tmp_path)
    assert [memory.content for memory in stated(engine, category="cause")] == ["The root cause was a wrong path."]


def test_a_rule_for_all_projects_belongs_to_none(engine: Engine, home: Path, tmp_path: Path) -> None:
    record(home, "codex", say("user", "In all my projects use four spaces for indentation."))
    learn(engine, tmp_path)
    assert [memory.namespace for memory in stated(engine)] == [None]


def test_a_prompt_that_was_captured_does_not_hide_the_statement_in_it(
    engine: Engine, home: Path, tmp_path: Path
) -> None:
    seen = Memory(id="m", content=RULE, content_hash=content_hash(RULE), namespace=CWD, source="hook", observed=True)
    with engine.store.transaction("ingest") as transaction:
        transaction.insert(seen)
    record(home, "claude", say("user", RULE))
    learn(engine, tmp_path)
    assert [memory.content for memory in stated(engine)] == [RULE]
