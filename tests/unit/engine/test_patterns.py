"""What hooks saw and what was decided, through the engine: patterns, decisions, commands that worked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import payloads, transcripts
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.errors import InvalidInput
from recollect.model import Observed

NOW = 1_767_000_000
DAY = 86_400


@pytest.fixture
def engine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setattr(clock, "now", FrozenClock(NOW))
    with Engine(embed_provider="off") as made:
        yield made


def of(session: str, payload: bytes, **more: Any) -> bytes:
    return json.dumps({**json.loads(payload), "session_id": session, **more}).encode()


def take(engine: Engine, *raw: bytes) -> None:
    for each in raw:
        engine.capture.put(each)
    assert engine.capture.drain().bad == 0


def searched(session: str, pattern: str) -> bytes:
    return of(session, payloads.used("Grep", {"pattern": pattern}, {"filenames": ["a.py"]}, call=f"{session}{pattern}"))


def decide(engine: Engine, text: str, at: int, **more: Any) -> str:
    given = {"memory_type": "decision", "namespace": payloads.ROOT, "valid_from": at, "amend": False, **more}
    return engine.memories.store(text, **given).memory.id


# --- patterns ---


@pytest.mark.promise("E-detect_patterns", "E23")
def test_captured_sessions_show_their_patterns_with_evidence(engine: Engine) -> None:
    for session in ("a", "b", "c"):
        failed = of(
            session, payloads.failed("flask run", "ModuleNotFoundError: No module named 'x'", call=f"1{session}")
        )
        install = of(session, payloads.ran("pip download x", call=f"2{session}"))
        worked = of(session, payloads.ran("flask run", call=f"3{session}"))
        take(engine, searched(session, "load_prices"), failed, install, worked)
    first = decide(engine, "Prices are floats", NOW - 9 * DAY)
    second = decide(engine, "Prices are integers, floats lost cents", NOW - DAY, supersedes=first)
    report = engine.patterns.detect()
    assert (report.session_count, report.observations) == (3, 12)
    found = {pattern.pattern_type: pattern for pattern in report.patterns}
    assert set(found) == {"repeated_search", "error_loop", "decision_chain"}
    assert sorted(found["repeated_search"].sessions) == ["a", "b", "c"]
    assert found["decision_chain"].evidence == (second, first)
    rows = engine.store.get(Observed, list(found["error_loop"].evidence))
    assert [row.outcome for row in rows] == ["failed"] * 3
    assert all(pattern.namespace == payloads.ROOT for pattern in report.patterns)
    text = engine.patterns.insights().markdown
    assert "`load_prices` was searched for 3 times in 3 sessions" in text
    assert "2 successive decisions; current: Prices are integers, floats lost cents" in text


@pytest.mark.promise("E-detect_patterns")
def test_patterns_can_be_asked_for_by_kind_project_time_and_confidence(engine: Engine) -> None:
    take(engine, *(searched(session, "load_prices") for session in "abc"))
    assert len(engine.patterns.detect().patterns) == 1
    assert engine.patterns.detect(pattern_types=("file_hotspot",)).patterns == ()
    assert engine.patterns.detect(namespace="/elsewhere").patterns == ()
    assert engine.patterns.detect(since=NOW + 1).patterns == ()
    assert engine.patterns.detect(min_confidence=0.9).patterns == ()
    assert engine.patterns.insights(namespace="/elsewhere").markdown == ""


def test_what_is_usual_in_one_project_says_nothing_of_another(engine: Engine) -> None:
    for place, session in enumerate("abc"):
        elsewhere = of(session, searched(session, "load_prices"), cwd=f"/nowhere/p{place}")
        take(engine, elsewhere)
    assert engine.patterns.detect().patterns == ()


def test_more_patterns_than_asked_for_are_counted(engine: Engine) -> None:
    take(engine, *(searched(session, name) for session in "abc" for name in ("load_prices", "save_prices")))
    report = engine.patterns.detect(limit=1)
    assert len(report.patterns) == 1
    assert report.notes == ("1 more pattern not shown: raise limit to see them",)


@pytest.mark.parametrize(
    "wrong",
    [{"pattern_types": ("nonsense",)}, {"min_confidence": 2}, {"limit": 0}, {"since": "never"}, {"pattern_types": "x"}],
)
def test_bad_questions_about_patterns_are_refused(engine: Engine, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        engine.patterns.detect(**wrong)


# --- decisions ---


@pytest.mark.promise("E-get_decision_chain")
def test_decisions_about_a_file_come_in_order_with_what_superseded_what(engine: Engine) -> None:
    newest = decide(engine, "Cart totals are cached", NOW - DAY, anchors=("shop/cart.py::Cart.total",))
    oldest = decide(engine, "The cart lives in the session", NOW - 9 * DAY, anchors=("shop/cart.py",))
    middle = decide(engine, "It lives in Redis now, nodes are stateless", NOW - 5 * DAY, supersedes=oldest)
    decide(engine, "Mails go through an outbox", NOW - 3 * DAY, anchors=("shop/mail.py",))
    found = engine.patterns.decision_chain("shop/cart.py")
    assert [row.memory_id for row in found.decisions] == [oldest, middle, newest]
    first, second, third = found.decisions
    assert (first.superseded_by, first.holds, second.supersedes, second.holds) == ((middle,), False, (oldest,), True)
    assert (first.why, third.why) == ("anchored to shop/cart.py", "anchored to shop/cart.py::Cart.total")
    assert second.why == "supersedes or is superseded by one of them"
    assert [row.memory_id for row in engine.patterns.decision_chain("cart.py").decisions] == [oldest, middle, newest]
    latest = engine.patterns.decision_chain("shop/cart.py", limit=1)
    assert ([row.memory_id for row in latest.decisions], latest.total) == ([newest], 3)


@pytest.mark.promise("E-get_decision_chain")
@pytest.mark.parametrize("subject", ["Cart.total", "total", "shop/cart.py::Cart.total"])
def test_decisions_about_a_symbol_are_found_by_its_names(engine: Engine, subject: str) -> None:
    wanted = decide(engine, "It is cached for a minute", NOW, anchors=("shop/cart.py::Cart.total",))
    decide(engine, "Items are rows", NOW, anchors=("shop/cart.py::Cart.items",))
    assert [row.memory_id for row in engine.patterns.decision_chain(subject).decisions] == [wanted]


@pytest.mark.promise("E-get_decision_chain")
def test_decisions_about_a_topic_are_found_by_words(engine: Engine) -> None:
    first = decide(engine, "Passwords are hashed with bcrypt", NOW - 5 * DAY)
    second = decide(engine, "Argon2id instead, bcrypt cuts off at 72 bytes", NOW, supersedes=first)
    decide(engine, "Mails go through an outbox", NOW)
    engine.memories.store("How passwords are hashed", memory_type="context", namespace=payloads.ROOT)
    found = engine.patterns.decision_chain("how are passwords hashed", namespace=payloads.ROOT)
    assert [row.memory_id for row in found.decisions] == [first, second]
    named = engine.patterns.decision_chain("bcrypt")
    assert [row.memory_id for row in named.decisions] == [first, second]
    assert engine.patterns.decision_chain("kubernetes").decisions == ()


@pytest.mark.parametrize("wrong", ["", "  ", "x" * 501, "a\0b", 7])
def test_a_subject_must_be_a_few_words(engine: Engine, wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        engine.patterns.decision_chain(wrong)


# --- commands ---

PIPED = "CI=1 pnpm test 2>&1 | tail -3"


def test_commands_that_worked_come_with_folder_and_the_variants_that_failed(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "app" / ".git").mkdir(parents=True)
    (tmp_path / "app" / "web").mkdir()
    at = {"cwd": str(tmp_path / "app" / "web")}
    take(
        engine,
        of("a", payloads.failed("npm test", "npm: command not found", call="1"), **at),
        *(of("a", payloads.ran(PIPED, "Tests  5 passed (5)", call=f"2{number}"), **at) for number in range(3)),
        of("a", payloads.ran(PIPED, "Duration 1.2s", call="unproven"), **at),
        of("a", payloads.ran("cd .. && make", call="3"), **at),
        of("a", payloads.ran("ls", call="4"), **at),
    )
    page = engine.commands.list()
    assert [(row.command, row.kind, row.directory, row.successes) for row in page.commands] == [
        ("CI=1 pnpm test", "test", "web", 3),
        ("make", "build", "", 1),
    ]
    (variant,) = page.commands[0].failed
    assert (variant.command, variant.failures) == ("cd web && npm test", 1)
    assert "command not found" in variant.error
    assert [row.command for row in engine.commands.list(kind="build").commands] == ["make"]
    assert engine.commands.list(namespace="/elsewhere").commands == ()
    with pytest.raises(InvalidInput):
        engine.commands.list(kind="nonsense")  # type: ignore[arg-type]


def test_a_command_is_known_after_its_observation_was_forgotten(engine: Engine) -> None:
    take(engine, payloads.ran("make test"))
    with engine.store.transaction("test") as transaction:
        transaction.delete(Observed, {"event": "tool"})
    (found,) = engine.commands.list().commands
    assert (found.command, found.successes, found.last_at) == ("make test", 1, NOW)


# --- imported sessions ---


@pytest.mark.promise("E-detect_patterns")
@pytest.mark.parametrize("assistant", transcripts.ASSISTANTS)
def test_imported_sessions_count_as_those_that_hooks_saw(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, assistant: str
) -> None:
    person = tmp_path / "person"
    person.mkdir()
    monkeypatch.setenv("RECOLLECT_ASSISTANTS_HOME", str(person))
    steps = (
        transcripts.say("user", "Make the check pass."),
        transcripts.use("bash", "make check", output="ValueError: store is undecided\n", exit=3),
        transcripts.use("edit", path="/nowhere/shop/orders.txt", old="undecided", new="decided"),
        transcripts.use("bash", "make check", output="ok\n"),
    )
    for number in range(3):
        at = NOW - (9 - number) * DAY
        transcripts.write(person, assistant, steps, session=f"{assistant}-{number}", cwd="/nowhere/shop", at=at)
    with Engine(embed_provider="off") as fresh:
        fresh.history.import_history(str(tmp_path), only=("transcripts",))
        (loop,) = fresh.patterns.detect(pattern_types=("error_loop",)).patterns
        assert (loop.count, loop.session_count) == (3, 3)
        assert "2 times again after a fix" in loop.told
        (known,) = fresh.commands.list(kind="lint").commands
        assert (known.command, known.successes, known.failures, known.session_count) == ("make check", 3, 3, 3)


@pytest.mark.promise("E-get_decision_chain")
def test_changes_that_hooks_saw_are_shown_only_where_nothing_was_decided(engine: Engine) -> None:
    take(engine, payloads.edited("TAX = 19", "TAX = 25"))
    seen = engine.patterns.decision_chain("price.py")
    assert [row.text.startswith("Changed price.py") for row in seen.decisions] == [True]
    assert seen.notes == ("no stored decision about it; these are changes that were captured",)
    wanted = decide(engine, "Taxes of price.py are whole numbers", NOW)
    found = engine.patterns.decision_chain("price.py")
    assert ([row.memory_id for row in found.decisions], found.notes) == ([wanted], ())
