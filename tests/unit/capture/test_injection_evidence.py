"""What was made of a memory that was told, by what happened in its session afterwards."""

from __future__ import annotations

import random
from typing import Any

import pytest

from recollect.capture.injection_evidence import Offer, Sitting, commands_of, evidence, files_of, sitting
from recollect.model import Memory, Observed

AT = 1_767_000_000


def row(number: int, **values: Any) -> Observed:
    given = {"event": "tool", "outcome": "ok", **values}
    return Observed(id=f"{number:06}", mark=f"m{number}", at=AT + number, **given)


def offer(content: str = "", *, at: int = 10, **values: Any) -> Offer:
    memory = Memory(id="0a0a0a0a-1111-4222-8333-444444444444", content=content, **values)
    return Offer(memory.id, (AT + at, f"{at:06}"), content, files_of(memory, ()), commands_of(memory))


def test_a_file_that_is_opened_after_it_was_named_is_a_sign_and_one_that_was_open_is_none() -> None:
    told = offer("Prices are rounded in src/price.py only")
    assert evidence(told, sitting([row(11, tool="read", target="/home/me/app/src/price.py")])) == "touched"
    earlier = row(9, tool="read", target="/home/me/app/src/price.py")
    later = row(12, tool="edit", target="/home/me/app/src/price.py")
    assert evidence(told, sitting([earlier, later])) == ""
    assert evidence(told, sitting([row(11, tool="read", target="/home/me/app/src/other_price.py")])) == ""
    assert evidence(told, sitting([row(11, tool="read", target="/a/src/price.py", outcome="failed")])) == ""


def test_a_command_that_is_run_after_it_was_told_is_a_sign_if_it_works() -> None:
    told = offer("Run the tests with `make check-bank` before a push")
    assert evidence(told, sitting([row(11, tool="shell", target="make check-bank")])) == "ran"
    assert evidence(told, sitting([row(11, tool="shell", target="make check-bank -j2 && git push")])) == "ran"
    assert evidence(told, sitting([row(11, tool="shell", target="make check-bank", outcome="failed")])) == ""
    assert evidence(told, sitting([row(9, tool="shell", target="make check-bank")])) == ""
    assert evidence(told, sitting([row(11, tool="shell", target="make check-bankrupt")])) == ""


def test_a_memory_of_a_command_is_recognised_by_it() -> None:
    told = offer("Ran `uv run pytest -q`: it worked.", metadata={"command": "cd app && uv run pytest -q 2>&1"})
    assert told.commands == {"uv run pytest -q"}


@pytest.mark.parametrize("content", ["Look with `ls -l src`", "Call `parse`", "`git status` says it", "no command"])
def test_looking_around_and_single_words_are_no_commands(content: str) -> None:
    assert offer(content).commands == frozenset()


def test_a_list_of_files_is_no_advice() -> None:
    assert offer("Changed a.py, b.py, c.py").files == {"a.py", "b.py", "c.py"}
    assert offer("Changed a.py, b.py, c.py, d.py, e.py").files == frozenset()
    assert offer("Changed a.py", category="session").files == frozenset()


def test_its_words_count_where_nobody_had_said_them_before() -> None:
    told = offer("The staging database listens on port 5433 behind pgbouncer_main")
    asked = sitting([row(10, event="prompt", told="why can I not reach the staging database?", outcome="")])
    assert evidence(told, asked, ["It listens on port 5433, behind pgbouncer_main."]) == "cited"
    assert evidence(told, asked, ["I cannot reach the staging database either."]) == ""
    assert evidence(told, asked, [f"As memory {told.memory_id} says, no."]) == "cited"
    repeated = sitting([row(10, event="prompt", told="is it on port 5433 behind pgbouncer_main?", outcome="")])
    assert evidence(told, repeated, ["Yes: port 5433, pgbouncer_main."]) == ""


def test_prose_counts_if_most_of_it_comes_back() -> None:
    told = offer("Payments retry with exponential backoff because the bank throttles bursts")
    asked = sitting([row(10, event="prompt", told="how do payments work?", outcome="")])
    said = "They retry, with exponential backoff, since the bank throttles bursts."
    assert evidence(told, asked, [said]) == "cited"
    assert evidence(told, asked, ["They are sent to the bank."]) == ""


def fix(*rows: Observed) -> str:
    told = offer()._replace(fingerprint="f", failed=("shell", "make"), steps=frozenset({"Edited a.py"}))
    return evidence(told, sitting(rows))


EDIT = {"tool": "edit", "target": "/p/a.py", "told": "Edited a.py"}
FAILED = {"tool": "shell", "target": "make", "outcome": "failed", "fingerprint": "f"}
WORKED = {"tool": "shell", "target": "make"}


def test_a_fix_is_judged_by_what_becomes_of_its_error() -> None:
    assert fix(row(11, **EDIT), row(12, **WORKED)) == "fixed"
    assert fix(row(11, **WORKED)) == "gone"
    assert fix(row(11, **EDIT), row(12, **FAILED)) == "returned"
    # Nobody tried it: it is not the fix that failed.
    assert fix(row(11, **FAILED)) == ""
    # What was seen last counts.
    assert fix(row(11, **EDIT), row(12, **FAILED), row(13, **WORKED)) == "fixed"
    assert fix(row(9, **EDIT), row(10, **FAILED)) == ""


def test_what_is_found_does_not_depend_on_the_order_in_which_it_became_known() -> None:
    rows = [row(11, **EDIT), row(12, **FAILED), row(13, **WORKED), row(14, tool="read", target="/p/b.py")]
    for seed in range(20):
        shuffled = list(rows)
        random.Random(seed).shuffle(shuffled)
        assert fix(*shuffled) == "fixed"
        assert sitting(shuffled) == sitting(rows)


def test_a_session_without_anything_is_silent() -> None:
    assert evidence(offer("Use `make check` and price.py"), Sitting((), {}, {}, frozenset())) == ""
