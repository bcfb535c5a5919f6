"""Interrupted work is told, unless it was only a question or was committed without an assistant."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import payloads
from tests.fakes import FrozenClock
from tests.trees import git, write
from tests.unit.engine.test_briefing import RULE, Shop, lines

from recollect import Engine
from recollect.capture.spool import Claims
from recollect.engine.sessions import capture

TWO = {"shop/tax.py": "A = 1", "shop/[id].py": "B = 1"}


@pytest.fixture
def repository(
    tmp_path: Path, open_engine: Callable[..., Engine], frozen: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> Shop:
    root = Path(os.path.realpath(tmp_path)) / "shop"
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{frozen.at} +0000")
    write(root, {"shop/tax.py": "A = 0", "web/page.py": "C = 0"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return Shop(root, open_engine(embed_provider="off"), frozen)


@pytest.mark.parametrize(
    ("written", "added", "after_s", "then", "is_open"),
    [
        (TWO, ".", 60, {}, False),
        (TWO, ".", 60, {"web/page.py": "C = 1"}, False),
        (TWO, ".", 60, {"shop/[id].py": "B = 2"}, True),
        (TWO, ".", -60, {}, True),  # the session went on after its commit
        (TWO, "shop/tax.py", 60, {}, True),
        ({"web/page.py": "C = 1"}, ".", 60, {}, True),
    ],
)
@pytest.mark.parametrize("branch", ["", "prices"])
def test_a_commit_of_its_files_closes_an_interrupted_session(
    repository: Shop,
    monkeypatch: pytest.MonkeyPatch,
    written: dict[str, str],
    added: str,
    after_s: int,
    then: dict[str, str],
    is_open: bool,
    branch: str,
) -> None:
    repository.asks("w", "move the prices into a package of their own")
    for path in TWO:
        repository.edits("w", path)
    repository.fails("w", "pytest", "ImportError: no module named prices")
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{repository.time.at + after_s} +0000")
    if branch:
        git(repository.root, "switch", "-q", "-c", branch)
    write(repository.root, written)
    git(repository.root, "add", added)
    git(repository.root, "commit", "-q", "-m", "Move the prices")
    if branch and added == ".":
        git(repository.root, "switch", "-q", "main")
    write(repository.root, then)
    repository.time.advance(1_200)
    assert bool(lines(repository.starts("s1"), "Open work")) == is_open


def test_a_session_that_changed_no_file_of_the_repository_stays_open(repository: Shop, tmp_path: Path) -> None:
    repository.asks("w", "move the settings into the home folder")
    repository.edits("w", str(tmp_path / "settings.py"))
    repository.time.advance(1_200)
    (line,) = lines(repository.starts("s1"), "Open work")
    assert "move the settings into the home folder" in line


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [("rewrite the importer so that it takes semicolons", True), ("how does the importer work?", False)],
)
def test_a_killed_session_that_had_only_read_is_told_if_it_had_a_task(
    repository: Shop, asked: str, is_told: bool
) -> None:
    repository.asks("w", asked)
    repository.hear("w", payloads.looked("shop/tax.py", "A = 0\n", call="c1"))
    repository.time.advance(1_200)
    told = [line.endswith(f" (claude, interrupted): {asked}") for line in lines(repository.starts("s1"), "Open work")]
    assert told == [True] * is_told


def test_a_replaced_command_is_open_work_if_it_fails_for_another_reason(repository: Shop) -> None:
    wrong, error = "cmake --build build", "Error: /app/build is not a directory"
    repository.fails("s1", wrong, error)
    repository.runs("s1", "cmake --build --preset dev")
    repository.fails("s2", wrong, error)
    assert "Still failing" not in repository.starts("s3")
    repository.fails("s4", wrong, "src/a.cpp:3:1: error: expected ';'")
    assert f"Still failing: `{wrong}` failed" in repository.starts("s5")


def test_a_session_that_was_killed_before_it_did_anything_is_told_after_a_while(repository: Shop) -> None:
    repository.asks("w", "Add a CSV export to shop/export.py")
    repository.time.advance(1_200)
    assert lines(repository.starts("s1"), "Open work") == [
        "- 2023-11-14 (claude, interrupted): Add a CSV export to shop/export.py"
    ]


@pytest.mark.parametrize(
    ("last", "command"),
    [
        ("danke. commit", "git commit -am 'translate'"),
        ("just for this commit skip the hooks", "git commit -nam 'translate'"),
        ("just for this commit skip the hooks", ""),
    ],
)
def test_an_interrupted_session_is_named_by_its_task_not_by_its_commit(
    repository: Shop, last: str, command: str
) -> None:
    repository.asks("w", "translate the errors of the checkout page")
    repository.edits("w", "shop/price.py")
    repository.answers("w", "The errors are in German.")
    repository.asks("w", last)
    if command:
        repository.runs("w", command)
    repository.time.advance(1_200)
    (line,) = lines(repository.starts("s1"), "Open work")
    assert line.endswith("(claude, interrupted): translate the errors of the checkout page. Changed shop/price.py")


def test_thanks_without_an_answer_do_not_interrupt_a_session(repository: Shop) -> None:
    repository.works("w", "fix the price bug", "shop/price.py", "The bug in shop/price.py is fixed.")
    repository.asks("w", "thanks, have a nice weekend")
    repository.ends("w")
    assert lines(repository.starts("s1"), "Open work") == []


@pytest.mark.parametrize(
    ("asked", "is_open"),
    [
        ("port the terrain shader to WGSL, continue", False),
        ("finish porting the terrain shader", False),
        ("Port the terrain shader to WGSL and keep its uniforms.", False),
        ("port the terrain shader to GLSL", True),
        ("port the water shader to WGSL", True),
        ("rename the shader", True),
        ("how is the terrain shader ported to WGSL?", True),
    ],
)
@pytest.mark.parametrize("is_ended", [True, False])
def test_a_newer_session_that_was_asked_for_the_same_and_ended_closes_an_open_one(
    repository: Shop, asked: str, is_open: bool, is_ended: bool
) -> None:
    repository.asks("w", "port the terrain shader to WGSL")
    repository.edits("w", "shop/price.py")
    repository.asks("w2", asked)
    if is_ended:
        repository.answers("w2", "All scenes render.")
        repository.ends("w2")
    told = [
        "(claude, not ended): port the terrain shader to WGSL" in line
        for line in lines(repository.starts("s1"), "Open work")
    ]
    assert told == [True] * (is_open or not is_ended)


@pytest.mark.parametrize(
    ("waiting", "is_told"),
    [
        (payloads.claude("Stop", last_assistant_message="The coupon is in the cart."), False),
        (payloads.claude("SessionEnd", reason="exit"), False),
        (payloads.claude("UserPromptSubmit", prompt="and a coupon for the page"), True),
        (payloads.edited("TAX = 19", "TAX = 25", path="web/page.py"), True),
    ],
)
@pytest.mark.parametrize("is_claimed", [True, False])
def test_a_session_whose_end_still_waits_is_not_called_interrupted(
    repository: Shop, monkeypatch: pytest.MonkeyPatch, waiting: bytes, is_told: bool, is_claimed: bool
) -> None:
    monkeypatch.setattr(capture, "BESIDE", 0)
    repository.asks("w", "add a coupon field to the cart")
    repository.edits("w", "shop/price.py")
    repository.time.advance(1_200)
    repository.leaves("w", waiting)
    with Claims(repository.engine.capture.spool) as claims:
        assert len(claims.take(int(is_claimed))) == is_claimed
        told = ["(claude, interrupted)" in line for line in lines(repository.starts("s1"), "Open work")]
    assert told == [True] * is_told


@pytest.mark.parametrize(
    ("left", "asked"),
    [("Next: delete the old ones.", f"{RULE}. "), ("Next: delete shop/unittests.py.", "")],
)
def test_open_work_has_a_subject_even_if_the_request_is_told_elsewhere(repository: Shop, left: str, asked: str) -> None:
    repository.store(RULE, "preference")
    repository.asks("w", RULE)
    repository.answers("w", f"I moved the tests to pytest. {left}")
    repository.ends("w")
    said = left.removeprefix("Next: ")
    assert lines(repository.starts("s1"), "Open work") == [f"- 2023-11-14 (claude): {asked}Left: {said}"]


@pytest.mark.parametrize(
    ("then", "answer", "is_left"),
    [
        ("rename the banner of the start page", "Renamed in web/page.py.", True),
        ("what is the banner for?", "It greets the guests.", True),
        ("yes, go ahead", "Done, web/page.py is next.", False),
        ("now the Swedish rate of the report", "It is in web/page.py.", False),
        ("rename the banner", "Renamed. The report shows the Swedish rate, too.", False),
    ],
)
def test_what_an_answer_left_is_told_though_another_task_followed(
    repository: Shop, then: str, answer: str, is_left: bool
) -> None:
    repository.asks("w", "raise the tax")
    repository.edits("w", "shop/tax.py")
    repository.answers("w", "Raised. The report still needs the Swedish rate.")
    repository.works("w", then, "web/page.py", answer)
    found = lines(repository.starts("s1"), "Open work")
    assert [line.partition(": ")[2] for line in found if "Swedish" in line] == [
        "raise the tax. Changed shop/tax.py, web/page.py. Left: The report still needs the Swedish rate."
    ] * is_left


@pytest.mark.parametrize(
    ("answer", "is_left"),
    [
        ("Done, except that the form has no tariff field.", True),
        ("All fields are in the form, apart from the tariff.", True),
        ("The form asks everybody except guests.", False),
    ],
)
def test_what_is_done_with_an_exception_leaves_the_exception(repository: Shop, answer: str, is_left: bool) -> None:
    repository.works("w", "add a form", "web/page.py", answer)
    assert [line.partition("Left: ")[2] for line in lines(repository.starts("s1"), "Open work")] == [answer] * is_left
