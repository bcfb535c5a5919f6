"""Commands that failed: what replaces them, and what is still failing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import payloads
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.model import Injection, Session

NOW = 1_767_000_000
NOT_FOUND = "Exit code 127\nbash: line 1: pytest: command not found"


TIME = FrozenClock(NOW)


@pytest.fixture
def engine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    TIME.at = NOW
    monkeypatch.setattr(clock, "now", TIME)
    with Engine(embed_provider="off") as made:
        yield made


def take(engine: Engine, *raw: bytes) -> None:
    payloads.take(engine, TIME, *raw)


def summary(engine: Engine, *raw: bytes) -> str:
    """Return the summary of a session of Claude Code in which these happened."""
    take(engine, *raw, payloads.claude("Stop", last_assistant_message="Done."))
    (session,) = engine.store.find(Session, {"id": "c-1"})
    return session.summary or ""


# --- another way to run it ---


def learn_replacement(engine: Engine, times: int = 3) -> None:
    """A session in which one way to run the tests failed and another one worked."""
    take(engine, payloads.failed("pytest -x", NOT_FOUND, call="1"))
    take(engine, *(payloads.ran("python3 -m pytest -x", "5 passed", call=f"2{number}") for number in range(times)))


def failing(command: str = "pytest -x", error: str = NOT_FOUND, session: str = "s-2") -> bytes:
    return payloads.in_session(session, payloads.failed(command, error))


def test_a_wrong_invocation_brings_the_one_that_works_once_in_a_session(engine: Engine) -> None:
    assert engine.presence.answer(failing()) is None
    learn_replacement(engine)
    said = engine.presence.answer(failing()) or ""
    assert said.startswith("<recollect-context note=")
    assert (
        "\n`pytest -x` failed here before; `python3 -m pytest -x` works (3 times, last 2025-12-29).\n"
        "</recollect-context>\n"
    ) in said
    assert engine.presence.answer(failing()) is None
    assert engine.presence.answer(failing(session="s-3")) is not None


def test_a_briefing_tells_a_command_with_the_variables_and_the_folder_that_make_it_work(engine: Engine) -> None:
    plain, right = "pytest tests/db", "PGPORT=6543 API_KEY=sk-live-9a8b7c6d5e4f3a2b1c0d9e8f pytest tests/db"
    error = "Exit code 1\nE   ConnectionRefusedError: connection refused"
    take(engine, payloads.failed(plain, error, call="1"), payloads.ran(right, "1 passed in 0.1s", call="2"))
    take(engine, *(payloads.ran("cd web && npm run lint", call=f"3{number}") for number in range(2)))
    take(engine, *(failing(plain, error, f"s-{number}") for number in range(2)))
    raw = payloads.in_session("s-9", payloads.claude("SessionStart", source="startup"))
    said = engine.presence.answer(raw, event="SessionStart", assistant="claude") or ""
    assert f"- test: `PGPORT=6543 API_KEY=[secret:key] {plain}` (not `{plain}`)\n" in said
    assert "- lint: `npm run lint` in web\n" in said


def test_a_wrong_program_is_recognised_whatever_its_arguments_are(engine: Engine) -> None:
    learn_replacement(engine, times=1)
    said = engine.presence.answer(failing("pytest tests/test_cart.py -q")) or ""
    assert "`pytest -x` failed here before; `python3 -m pytest -x` works (once, last 2025-12-29)." in said
    assert "`python3 -m pytest -x` works" in (engine.presence.answer(failing("cd api && pytest", session="s-3")) or "")


@pytest.mark.parametrize(
    "error", ["Exit code 127\nzsh: command not found: pytest", "Exit code 127\n/bin/sh: 1: pytest: not found"]
)
def test_a_missing_program_is_recognised_in_the_words_of_every_shell(engine: Engine, error: str) -> None:
    learn_replacement(engine)
    assert "`python3 -m pytest -x` works" in (engine.presence.answer(failing(error=error)) or "")


@pytest.mark.parametrize("command", ["pytest -x", "pytest -q"])
@pytest.mark.parametrize("error", ["FAILED tests/a.py::test_x - assert 1 == 2", "E   KeyError: 'se'"])
def test_a_failure_of_the_code_brings_no_other_invocation(engine: Engine, command: str, error: str) -> None:
    learn_replacement(engine)
    assert engine.presence.answer(failing(command, f"Exit code 1\n{error}")) is None


def test_an_invocation_that_worked_after_the_code_was_mended_replaces_a_missing_program(engine: Engine) -> None:
    take(
        engine,
        payloads.failed("pytest -x", NOT_FOUND, call="1"),
        payloads.failed("python3 -m pytest -x", "Exit code 1\nE   assert 1 == 2", call="2"),
        payloads.edited("TAX = 19", "TAX = 20", call="3"),
        payloads.ran("python3 -m pytest -x", "5 passed", call="4"),
    )
    assert "`pytest -x` failed here before; `python3 -m pytest -x` works" in (engine.presence.answer(failing()) or "")


def test_a_task_that_is_missing_is_offered_as_it_was_written(engine: Engine) -> None:
    missing = 'Exit code 1\nnpm error Missing script: "test"'
    take(engine, payloads.failed("npm test", missing, call="1"))
    take(engine, payloads.ran("pnpm --filter web test", "Tests 12 passed (12)", call="2"))
    said = engine.presence.answer(failing("npm test -- --watch", missing)) or ""
    assert "`npm test` failed here before; `pnpm --filter web test` works" in said
    assert engine.presence.answer(failing("npm run lint", missing.replace("test", "lint"), "s-3")) is None


def test_the_use_of_a_replacement_is_noticed(engine: Engine) -> None:
    learn_replacement(engine)
    assert engine.presence.answer(failing()) is not None
    take(
        engine,
        failing(),
        payloads.in_session("s-2", payloads.ran("python3 -m pytest -x", "5 passed", call="9")),
        payloads.in_session("s-2", payloads.claude("Stop", last_assistant_message="Done.")),
    )
    (row,) = engine.store.find(Injection)
    assert (row.event, row.evidence) == ("tool", "ran")


@pytest.mark.parametrize(
    "between",
    [
        payloads.edited("TAX = 19", "TAX = 20", call="e"),
        payloads.in_session("s-9", payloads.claude("Stop", last_assistant_message="x")),
        None,
    ],
    ids=["a file was changed", "another session", "not proven"],
)
def test_what_did_not_clearly_replace_a_command_is_not_offered(engine: Engine, between: bytes | None) -> None:
    session = "c-1" if between is None or b"Edit" in between else "s-9"
    error = "Exit code 1\nE   ModuleNotFoundError: No module named 'shop'"
    worked = payloads.ran("python3 -m pytest -x" + (" | tail -3" if between is None else ""), "done", call="2")
    take(
        engine,
        payloads.failed("pytest -x", error, call="1"),
        *([between] if between else []),
        payloads.in_session(session, worked),
    )
    assert engine.presence.answer(failing(error=error)) is None


@pytest.mark.parametrize("again", ["pytest -x", "pytest tests/test_cart.py"])
def test_a_command_that_worked_since_is_not_replaced(engine: Engine, again: str) -> None:
    learn_replacement(engine)
    take(engine, payloads.in_session("s-4", payloads.ran(again, "5 passed", call="8")))
    assert engine.presence.answer(failing(again)) is None
    take(engine, payloads.in_session("s-5", payloads.failed(again, NOT_FOUND, call="9")))
    take(engine, payloads.in_session("s-5", payloads.ran(f"python3 -m {again}", "5 passed", call="10")))
    assert f"`{again}` failed here before; `python3 -m {again}` works" in (engine.presence.answer(failing(again)) or "")


@pytest.mark.parametrize(
    ("wrong", "error", "right"),
    [
        ("./scripts/lint.sh", "bash: line 1: ./scripts/lint.sh: Permission denied", "sh scripts/lint.sh"),
        ("python3 shop/report.py", "ModuleNotFoundError: No module named 'shop'", "python3 -m shop.report"),
        (
            "python3 links.py",
            "python3: can't open file 'links.py': No such file or directory",
            "python3 tools/links.py",
        ),
        ("make test", "make: *** No rule to make target 'test'.  Stop.", "make unit"),
        ("npm test", "npm ERR! code EUSAGE\nnpm ERR! The lock file of pnpm was found", "pnpm test"),
        ("gradle test", "Unsupported class file major version 65", "./gradlew test"),
        ("docker-compose up -d", "bash: docker-compose: command not found", "docker compose up -d"),
        ("npm run build", 'npm error Missing script: "build"', "make build"),
        ("cmake --build build", "Error: /nowhere/shop/build is not a directory", "cmake --build --preset dev"),
        ("go test", "no Go files in /nowhere/shop", "go test ./..."),
        ("npm test", 'npm error Missing script: "test"', "pnpm vitest run"),
        ("make test", "make: *** No rule to make target 'test'.  Stop.", "pytest -q"),
        ("make seed", "make: *** No rule to make target 'seed'.  Stop.", "npm run seed"),
        (
            "make deploy-staging",
            "make: *** No rule to make target 'deploy-staging'.  Stop.",
            "./scripts/deploy.sh staging",
        ),
        (
            "make deploy-staging",
            "deploy-staging is retired, use deploy-eu\nmake: *** [Makefile:4: deploy-staging] Error 1",
            "make deploy-eu",
        ),
    ],
)
def test_a_command_is_replaced_by_another_way_to_run_it(engine: Engine, wrong: str, error: str, right: str) -> None:
    told = summary(engine, payloads.failed(wrong, f"Exit code 2\n{error}", call="1"), payloads.ran(right, call="2"))
    assert "Still failing" not in told
    said = engine.presence.answer(failing(wrong, f"Exit code 2\n{error}")) or ""
    assert f"`{wrong}` failed here before; `{right}` works" in said


@pytest.mark.parametrize(
    ("wrong", "error", "other"),
    [
        ("python3 load.py", "python3: can't open file 'load.py': No such file or directory", "python3 save.py"),
        ("git push", "git@example.com: Permission denied (publickey).", "git commit -m x"),
        ("docker build .", "ERROR: failed to solve: python:3.99: not found", "npm run build"),
        ("cargo build", "bash: cargo: command not found", "npm run build"),
        ("npm test", "FAILED tests/a.test.js", "cd web && npm test"),
        ("make deploy-staging", "make: *** No rule to make target 'deploy-staging'.", "./scripts/deploy.sh production"),
        ("cmake --build build", "Error: /nowhere/shop/build is not a directory", "cmake --build --help"),
    ],
)
def test_another_command_replaces_nothing(engine: Engine, wrong: str, error: str, other: str) -> None:
    take(engine, payloads.failed(wrong, f"Exit code 2\n{error}", call="1"), payloads.ran(other, call="2"))
    assert engine.presence.answer(failing(wrong, f"Exit code 2\n{error}")) is None


def test_a_server_that_was_started_in_between_leaves_a_command_as_it_is(engine: Engine) -> None:
    error = "Exit code 2\npsql: error: connection to server at localhost, port 5432 failed: Connection refused"
    take(engine, payloads.failed("psql shop", error, call="1"), payloads.ran("docker compose up -d", call="2"))
    take(engine, payloads.ran("psql -h localhost shop", call="3"))
    assert engine.presence.answer(failing("psql shop", error)) is None
    take(engine, payloads.failed("psql shop", error, call="4"), payloads.ran("psql -h localhost shop", call="5"))
    assert "`psql -h localhost shop` works" in (engine.presence.answer(failing("psql shop", error)) or "")


def test_an_edit_later_in_the_same_second_does_not_hide_a_replacement(engine: Engine) -> None:
    for each in (
        payloads.failed("pytest -x", NOT_FOUND, call="1"),
        payloads.ran("python3 -m pytest -x", "5 passed", call="2"),
        payloads.edited("TAX = 19", "TAX = 20", call="3"),
    ):
        engine.capture.put(each)
        assert engine.capture.drain().bad == 0
    assert "`python3 -m pytest -x` works" in (engine.presence.answer(failing()) or "")


def test_another_target_that_worked_does_not_replace_one_that_fails(engine: Engine) -> None:
    wrong = "Exit code 1\nE   assert 17.85 == 5.95"
    take(engine, payloads.failed("pytest tests/a.py", wrong, call="1"), payloads.ran("pytest tests/b.py", call="2"))
    assert engine.presence.answer(failing("pytest tests/a.py", wrong)) is None
    assert engine.commands.list().commands[0].failed == ()


def test_a_fix_that_answers_a_prompt_is_by_nobody(engine: Engine) -> None:
    wrong = "Exit code 1\nKeyError: 'warehouse'"
    take(
        engine,
        payloads.failed("python3 load_orders.py", wrong, call="1"),
        payloads.edited("TAX = 19", "TAX = 20", call="2"),
        payloads.ran("python3 load_orders.py", call="3"),
    )
    prompt = payloads.in_session(
        "s-2", payloads.claude("UserPromptSubmit", prompt="python3 load_orders.py fails with KeyError warehouse")
    )
    for lexical in (False, True):
        said = engine.presence.answer(prompt, lexical=lexical) or ""
        assert "- [insight, 2025-12-29] `python3 load_orders.py` failed" in said, lexical
        prompt = prompt.replace(b"s-2", b"s-3")


def test_a_fix_of_another_error_is_not_told_for_a_pasted_log(engine: Engine) -> None:
    command, wrong = "python3 load_orders.py", "Exit code 1\nKeyError: 'warehouse'"
    fixed = (payloads.edited("TAX = 19", "TAX = 20", call="2"), payloads.ran(command, call="3"))
    take(engine, payloads.failed(command, wrong, call="1"), *fixed)
    told = []
    for number, error in enumerate(("KeyError: 'warehouse'", "KeyError: 'customer'")):
        log = f"{command} fails with KeyError warehouse\n2026-11-17T10:02:14.2Z {error}"
        raw = payloads.claude("UserPromptSubmit", prompt=log)
        for lexical in (False, True):
            said = engine.presence.answer(payloads.in_session(f"s-{number}{lexical}", raw), lexical=lexical) or ""
            told.append("What fixed it" in said)
    assert told == [True, True, False, False]


# --- still failing ---

WRONG = "Exit code 1\nE   assert 17.85 == 5.95"


@pytest.mark.parametrize(
    ("failed", "error", "worked"),
    [
        ("pytest -x", NOT_FOUND, ["python3 -m pytest -x"]),
        ("pytest tests/x.py", WRONG, ["python -m pytest"]),
        ("pytest tests/x.py::test_a -q", WRONG, ["uv run pytest tests -x"]),
        ("pytest tests/x.py", WRONG, ["pip install -e . && pytest tests/"]),
        ("ruff check src && pytest tests/x.py", WRONG, ["ruff check . --fix", "pytest"]),
        ("npm run tests", 'Exit code 1\nnpm error Missing script: "tests"', ["npm run test:all"]),
        ("npm test", "Exit code 127\nsh: 1: npm: not found", ["pnpm test"]),
        ("go test ./cart", "Exit code 1\nFAIL", ["go test ./..."]),
        ("make lint", "Exit code 2\nmake: *** [lint] Error 1", ["cd web; make lint"]),
        ("cd web && make test", "Exit code 2\nmake: *** [test] Error 1", ["make -C web test"]),
        ("npm --prefix web test", "Exit code 1\nFAILED a.test.js", ["cd web && npm test"]),
        ("pytest", "Exit code 5\nno tests ran in 0.01s", ["ruff check .", "pytest src/tests"]),
        ("cmake --build out", "Exit code 1\nError: /nowhere/shop/out is not a directory", ["cmake --build build"]),
    ],
)  # fmt: skip
def test_what_a_later_success_covers_is_not_still_failing(
    engine: Engine, failed: str, error: str, worked: list[str]
) -> None:
    ran = [payloads.ran(command, call=f"w{number}") for number, command in enumerate(worked)]
    assert "Still failing" not in summary(engine, payloads.failed(failed, error, call="1"), *ran)


@pytest.mark.parametrize(
    ("failed", "error", "worked"),
    [
        ("pytest", WRONG, "pytest tests/x.py"),
        ("pytest tests/x.py", WRONG, "pytest -k cart"),
        ("pytest tests/x.py", WRONG, "pytest tests/y.py"),
        ("pytest tests/x.py", WRONG, "pytest | tail -3"),
        ("pytest tests/x.py", WRONG, "pytest; echo done"),
        ("pytest tests/x.py", WRONG, "ruff check ."),
        ("ruff check . && pytest", WRONG, "ruff check ."),
        ("make lint", "Exit code 2\nmake: *** [lint] Error 1", "make"),
        ("make test", "Exit code 2\nmake: *** [test] Error 1", "make -C web test"),
        ("cd api && make test", "Exit code 2\nmake: *** [test] Error 1", "make -C web test"),
        ("cargo test", "Exit code 101\ntest result: FAILED", "cargo +nightly test"),
        ("cmake --build out", "Exit code 2\na.c:3:5: error: out not found", "cmake --build build"),
        ("git push", "Exit code 128\nfatal: No configured push destination.", "git commit -m x"),
        ("python3 load.py", "Exit code 1\nKeyError: 'se'", "python3 save.py"),
    ],
)
def test_what_no_later_success_covers_is_still_failing(engine: Engine, failed: str, error: str, worked: str) -> None:
    told = summary(engine, payloads.failed(failed, error, call="1"), payloads.ran(worked, call="2"))
    assert f"Still failing: `{failed}` failed" in told


def test_what_failed_again_after_a_success_is_still_failing(engine: Engine) -> None:
    told = summary(
        engine,
        payloads.failed("pytest tests/x.py", WRONG, call="1"),
        payloads.ran("pytest", "5 passed", call="2"),
        payloads.failed("pytest tests/x.py", WRONG, call="3"),
    )
    assert "Still failing: `pytest tests/x.py` failed" in told
