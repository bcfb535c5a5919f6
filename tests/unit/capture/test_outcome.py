"""How a command ended is proven by its exit code or its output, or it is unknown."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from tests import payloads
from tests.outputs import Output, outputs

from recollect.ask import SUSPECT
from recollect.capture.extract import lesson
from recollect.capture.filter import cleaned
from recollect.capture.observation_lesson import Place
from recollect.capture.outcome import FAILED, PASSED, SIGNS, by_exit_code, by_output, is_misuse
from recollect.capture.payload import read

OUTPUTS = outputs()
FAILURES = [each for each in OUTPUTS if each.outcome == "failed"]
FIELD_TEST = [each for each in OUTPUTS if each.field_test]


def seen_by_codex(each: Output) -> str:
    """Return the outcome of a run that Codex tells of: without an exit code."""
    given = {"command": each.command}
    raw = payloads.codex("PostToolUse", tool_name="Bash", tool_input=given, tool_response=each.text, tool_use_id="1")
    return lesson(cleaned(read(raw)), Place(payloads.ROOT, payloads.ROOT), lambda path, text: ()).outcome


def test_the_table_is_large_enough_to_mean_something() -> None:
    counts = Counter(each.outcome for each in OUTPUTS)
    assert counts["failed"] >= 60
    assert counts["ok"] + counts[""] >= 60
    assert len(FIELD_TEST) == 20


def test_failures_are_recognised_by_what_tools_print() -> None:
    missed = [each.command for each in FAILURES if seen_by_codex(each) != "failed"]
    assert len(missed) <= 0.05 * len(FAILURES), missed


@pytest.mark.parametrize("each", FIELD_TEST, ids=lambda each: each.field_test)
def test_every_failure_of_the_field_test_is_recognised(each: Output) -> None:
    assert seen_by_codex(each) == "failed"
    # Without a server the hook starts an engine only for payloads that may tell of a failure.
    assert any(word in json.dumps(each.text).encode() for word in SUSPECT)


@pytest.mark.parametrize("each", [each for each in OUTPUTS if each.outcome != "failed"], ids=lambda each: each.command)
def test_no_success_is_called_a_failure_and_none_is_claimed_without_proof(each: Output) -> None:
    assert seen_by_codex(each) == each.outcome


@pytest.mark.parametrize(
    ("command", "code", "failed"),
    [
        ("make", 0, False),
        ("make", 2, True),
        ("cd web && make test", 0, False),
        ("make 2>&1 | tail -3", 0, None),
        ("set -o pipefail; make | tail -3", 0, False),
        ("make 2>&1 | tail -3", 2, True),
        ("make || true", 0, None),
        ("make; echo done", 0, None),
        ("cat a | python3 load.py", 0, False),
        ("cat a | head -3", 0, False),
        ("npm start &", 0, None),
        ("make | grep error", 1, None),
        ("grep zebra src", 1, None),
        ("grep zebra nowhere", 2, True),
        ("git commit -m 'a | b; echo c'", 0, False),
        ("python3 -c 'print(1); print(2)' && echo \"x || y\"", 0, False),
        ("cat <<EOF | sh\nfalse; echo done\nEOF", 0, False),
        ("", 0, False),
    ],
)
def test_an_exit_code_counts_for_the_command_that_it_belongs_to(command: str, code: int, failed: bool | None) -> None:
    assert by_exit_code(command, code) is failed


@pytest.mark.parametrize(
    ("command", "output", "outcome"),
    [
        ("pytest && ./deploy.sh", "5 passed in 0.12s\nuploading a\nuploading b\nuploading c", ""),
        ("ruff check . && pytest", "All checks passed!\n5 passed in 0.12s", "ok"),
        ("pytest; ruff check .", "1 failed in 0.12s\nAll checks passed!", "failed"),
    ],
)
def test_of_several_commands_the_last_must_prove_its_success(command: str, output: str, outcome: str) -> None:
    assert by_output(command, output) == outcome


@pytest.mark.parametrize(
    ("command", "last", "outcome"),
    [
        ("make && echo yes || echo no", "yes", "ok"),
        ("make && echo yes || echo no", "no", "failed"),
        ('make || echo "BUILD BROKEN"', "BUILD BROKEN", "failed"),
        ("make; echo $?", "0", "ok"),
        ("make | tail -3; echo EXIT=${PIPESTATUS[0]}", "EXIT=2", "failed"),
        ("make; echo done", "done", ""),
        ("echo 3", "3", ""),
    ],
)
def test_a_command_line_may_print_its_outcome_itself(command: str, last: str, outcome: str) -> None:
    assert by_output(command, f"building\n{last}\n") == outcome


def test_a_wrong_invocation_is_told_from_wrong_code() -> None:
    assert is_misuse("`pytest -x` failed (exit status 127): bash: pytest: command not found")
    assert is_misuse('`npm tests` failed: npm error Missing script: "tests"')
    assert is_misuse('`yarn migrate` failed (exit status 1): error Command "migrate" not found.')
    assert is_misuse("`mise run test` failed (exit status 1): mise ERROR no task test found")
    assert is_misuse("`pytest -x` failed: /bin/sh: 1: pytest: not found")
    assert is_misuse("`npm test` failed (exit status 1): npm error This project is managed by pnpm")
    assert is_misuse("`cargo test` failed (exit status 101): error: could not find `Cargo.toml` in `/p` or any parent")
    assert is_misuse("`go test ./...` failed (exit status 1): go: cannot find main module")
    assert not is_misuse("`pytest -x` failed (exit status 1): E assert 17.85 == 5.95")
    assert not is_misuse("`docker build .` failed (exit status 1): ERROR: failed to solve: python:3.99: not found")


def test_every_line_of_the_tables_is_tried() -> None:
    lines = [line.strip() for each in OUTPUTS for line in each.text.splitlines()]
    untried = [row for row in (*FAILED, *PASSED, *SIGNS) if not any(re.match(row, line) for line in lines)]
    assert untried == []
