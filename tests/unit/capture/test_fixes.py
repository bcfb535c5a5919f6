"""What was done between a failure and the success of the same thing is its fix."""

from __future__ import annotations

from itertools import count

import msgspec

from recollect.capture.fixes import WITHIN_S, pairs, unresolved
from recollect.model import Observed

numbers = count(1)


def row(tool: str, target: str, outcome: str = "ok", fingerprint: str = "", at: int = 0) -> Observed:
    number = next(numbers)
    return Observed(
        id=f"{number:020}", mark=str(number), at=at or number, event="tool", tool=tool, target=target,
        outcome=outcome, fingerprint=fingerprint, told=f"{tool} {target}",
    )  # fmt: skip


def broken(target: str = "make", fingerprint: str = "f", **fields: int) -> Observed:
    return row("shell", target, "failed", fingerprint, **fields)


def steps(rows: list[Observed]) -> list[list[str]]:
    return [[step.told for step in pair.steps] for pair in pairs(rows)]


def test_the_steps_between_are_the_fix() -> None:
    rows = [broken(), row("read", "a.py"), row("edit", "a.py"), row("shell", "pip install x"), row("shell", "make")]
    assert steps(rows) == [["edit a.py", "shell pip install x"]]
    assert steps(rows[::-1]) == steps(rows)


def test_luck_is_no_fix() -> None:
    assert steps([broken(), row("shell", "make")]) == []
    for checked in ("ls -la", "mvn -q test", "ruff check ."):
        assert steps([broken(), row("shell", checked), row("read", "a.py"), row("shell", "make")]) == []
    assert steps([broken(), row("shell", "ruff check --fix"), row("shell", "make")]) == [["shell ruff check --fix"]]


def test_only_the_same_thing_ends_a_failure() -> None:
    assert steps([broken(), row("edit", "a.py"), row("shell", "make lint")]) == []


def test_what_failed_itself_is_no_step() -> None:
    rows = [broken(), row("edit", "a.py", "failed", "g"), row("edit", "b.py"), row("shell", "make")]
    assert steps(rows) == [["edit b.py"]]


def test_what_was_done_before_it_failed_again_did_not_help() -> None:
    rows = [broken(), row("edit", "a.py"), broken(), row("edit", "b.py"), row("shell", "make")]
    assert steps(rows) == [["edit b.py"]]


def test_two_errors_of_one_command_are_both_ended() -> None:
    rows = [
        broken(fingerprint="f"),
        row("edit", "a.py"),
        broken(fingerprint="g"),
        row("edit", "b.py"),
        row("shell", "make"),
    ]
    assert [(pair.failure.fingerprint, len(pair.steps)) for pair in pairs(rows)] == [("f", 2), ("g", 1)]


def test_an_edit_that_failed_is_fixed_by_what_made_it_work() -> None:
    rows = [row("edit", "a.py", "failed", "h"), row("read", "a.py"), row("edit", "a.py")]
    assert steps(rows) == [["read a.py"]]


def test_the_next_day_is_another_matter() -> None:
    rows = [broken(at=1), row("edit", "a.py", at=2), row("shell", "make", at=2 + WITHIN_S)]
    assert steps(rows) == []


def test_what_still_fails_is_open() -> None:
    rows = [broken("make"), broken("npm test"), row("edit", "a.py"), row("shell", "make")]
    assert [found.target for found in unresolved(rows)] == ["npm test"]


def test_another_way_that_works_resolves_a_command_that_was_written_wrongly() -> None:
    wrong = msgspec.structs.replace(broken("npm test"), told="npm error This project is managed by pnpm")
    assert unresolved([wrong, row("shell", "pnpm run test:unit")]) == []
    wrong = msgspec.structs.replace(broken("make test"), told="`make test` failed: No rule to make target 'test'.")
    assert unresolved([wrong, row("shell", "make check")]) == unresolved([wrong, row("shell", "pytest -q")]) == []
    assert len(unresolved([wrong, row("shell", "make build")])) == 1
    wrong = msgspec.structs.replace(broken("git push"), told="fatal: not a git repository")
    assert unresolved([wrong, row("shell", "git -C web push")]) == []
    assert len(unresolved([broken("git push"), row("shell", "git -C web push")])) == 1, "it was rejected"
    for right in ("docker exec -it db psql -c 'select 1'", "psql -h db -c 'select 1'"):
        assert unresolved([broken("psql -c 'select 1'"), row("shell", right)]) == []
    assert len(unresolved([broken("psql -c 'select 1'"), row("shell", "psql -l")])) == 1


def test_what_looked_in_vain_or_failed_on_purpose_left_nothing_open() -> None:
    told = ["grep -rn zebra src", "echo no >&2; exit 3", "(cd app && false)", "false"]
    meant = ["make exit", "pytest -k false_start", "sh check.sh; exit $?"]
    assert [found.target for found in unresolved([broken(each) for each in told + meant])] == meant


def became(old: str, new: str, path: str = "a.py", where: str = "") -> Observed:
    return msgspec.structs.replace(row("edit", path), told=f"Changed {path} (+1 −1): `{old}` became `{new}`{where}.")


def test_edits_of_one_line_are_one_step_with_the_net_change() -> None:
    wrong, right = became("d['id']", "d['oid']", where=" in f"), became("d['oid']", "d['pk']", where=" in f")
    net = ["Changed a.py (+1 −1): `d['id']` became `d['pk']` in f."]
    for again in ("f", "g"):
        rows = [broken(), wrong, broken(fingerprint=again), right, row("shell", "make")]
        ordered = [msgspec.structs.replace(each, id=f"{place:020}") for place, each in enumerate(rows)]
        assert steps(ordered)[0] == net


def test_an_edit_that_was_undone_is_no_step() -> None:
    rows = [broken(), became("a", "b"), became("b", "a"), became("x", "y", "b.py"), row("shell", "make")]
    assert steps(rows) == [["Changed b.py (+1 −1): `x` became `y`."]]


def test_a_document_is_no_step_beside_code_unless_the_error_names_it() -> None:
    assert steps([broken(), row("edit", "README.md"), row("edit", "a.py"), row("shell", "make")]) == [["edit a.py"]]
    both = [["edit README.md", "edit a.py"]]
    named = msgspec.structs.replace(broken(), told="README.md: no such heading")
    assert steps([named, row("edit", "README.md"), row("edit", "a.py"), row("shell", "make")]) == both
    assert steps([broken(), row("edit", "README.md"), row("shell", "make")]) == [["edit README.md"]]
