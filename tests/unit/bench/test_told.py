"""The simulated month of bench/told.py: its tables fit together, its labels judge as they say, its hooks are heard."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import told
import told_month
from recollect import clock
from recollect.capture.payload import read
from recollect.providers.cache import CachedEmbedder
from recollect.providers.local import LocalEmbedder
from told import Labels, Moment, Words, content_lines
from told_payloads import ASSISTANTS

SPLITS = pytest.mark.parametrize("split", told_month.SPLITS)


@SPLITS
def test_every_mark_of_a_script_names_a_label_and_every_label_is_stated(split: str) -> None:
    tables = told_month.tables(split)
    labels = set(told.from_tables(tables).labels)
    marks = [mark for session in told_month.sessions(tables) for step in session.steps for mark in step.marks]
    stated = {mark[1:] for mark in marks if mark[0] == "+"} | {m[5:] for m in marks if m.startswith("open:")}
    helping = {mark[1:] for mark in marks if mark[0] == "?"} | {m[5:] for m in marks if m.startswith("done:")}
    asked = {name for names, *_ in tables["prompts"]["asked"] for name in names.split()}
    assert stated == labels
    assert helping | asked <= labels
    assert {row["replaces"] for row in tables["fact"].values() if "replaces" in row} <= labels


@SPLITS
def test_what_a_script_states_matches_its_label(split: str) -> None:
    tables = told_month.tables(split)
    labels = told.from_tables(tables).labels
    silent = [
        name
        for session in told_month.sessions(tables)
        for step in session.steps
        for name in (mark[1:] for mark in step.marks if mark[0] == "+")
        if labels[name].kind != "command" and not labels[name].words.are_in(step.words[-1])
    ]
    assert silent == []


def test_both_splits_are_large_enough_and_share_no_fact() -> None:
    both = [told_month.tables(split) for split in told_month.SPLITS]
    for tables in both:
        found = Counter(session.project for session in told_month.sessions(tables))
        assert found[tables["main"]] > 60
        assert len(found) == 3
        assert {session.by for session in told_month.sessions(tables)} == set(ASSISTANTS)
    wordings = Counter(wording for tables in both for _, wording, _ in tables["prompts"]["asked"])
    assert min(wordings[name] for name in ("plain", "other", "far")) >= 40
    assert sum(len(tables["prompts"]["unrelated"]) for tables in both) >= 100
    assert sum(bool(row["fix"]) for tables in both for row in tables["failure"]) >= 15
    assert sum(not row["fix"] for tables in both for row in tables["failure"]) >= 10
    assert both[0]["fact"].keys().isdisjoint(both[1]["fact"])
    assert both[0]["project"].keys().isdisjoint(both[1]["project"])


@pytest.mark.parametrize(
    ("words", "line", "expected"),
    [
        ("uv pip", "Use uv, never pip.", True),
        ("uv", "uvicorn runs", False),
        ("tim*", "the timeout", True),
        ("8|eight order*", "orders close at eight", True),
        ("make migrate !fail*", "`make migrate` failed", False),
        ("", "anything", False),
    ],
)
def test_words_are_found_as_written(words: str, line: str, expected: bool) -> None:
    assert Words(words).are_in(line) is expected


TABLES = {
    "main": "a",
    "fact": {
        "old": {"kind": "decision", "words": "redis"},
        "new": {"kind": "decision", "words": "postgres", "replaces": "old"},
        "far": {"kind": "decision", "words": "cursor", "area": "api"},
        "theirs": {"kind": "style", "words": "pnpm", "project": "b"},
        "mine": {"kind": "preference", "words": "short", "project": "*"},
    },
    "thread": {"open": {"words": "export"}},
    "never": [{"words": "still failing", "why": "fixed"}],
}


def lived() -> Labels:
    """Labels of which all were stated, the old decision was replaced, and the work was done."""
    labels = told.from_tables(TABLES)
    for name in labels.labels:
        labels.state(name, 1)
    labels.end("open")
    return labels


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Readings are in postgres.", ("useful", "")),
        ("They moved from redis to postgres.", ("useful", "")),
        ("Readings are in redis.", ("wrong", "superseded: old")),
        ("Use pnpm.", ("wrong", "of b: theirs")),
        ("Pages have a cursor.", ("useless", "not at hand")),
        ("Finish the export.", ("useless", "done work or old command")),
        ("Read a.py.", ("useless", "no label")),
        ("Still failing: postgres", ("wrong", "fixed")),
    ],
)
def test_a_line_is_judged_by_the_labels_in_force(line: str, expected: tuple[str, str]) -> None:
    labels = lived()
    verdict = labels.judge(line, "", Moment("a", labels.at_start("a", ()), set()))
    assert (verdict.kind, verdict.why) == expected


def test_a_line_that_repeats_what_the_session_was_shown_is_useless() -> None:
    labels = lived()
    moment = Moment("a", labels.at_start("a", ()), set())
    assert [labels.judge("keep it short", "", moment).kind for _ in range(2)] == ["useful", "useless"]


def test_structure_is_no_content() -> None:
    lines = "## Rules", "- one", "- asked for:", "  - two", "- asked for:", "fixed it:", "- three"
    text = "\n".join(["<recollect-context>", *lines, "</recollect-context>"])
    assert [line for _, line in content_lines(text)] == ["- one", "- two", "- asked for:", "- three"]


@pytest.mark.parametrize("by", ASSISTANTS)
def test_payloads_are_read_as_the_step_that_they_are(by: str, tmp_path: Path) -> None:
    talk = ASSISTANTS[by]("s-1", tmp_path, tmp_path / "home")
    sent = [talk.start(), talk.prompt("hello"), talk.read("a.py", "x = 1\n"), talk.edit("a.py", "1", "2", "x = 1\n"),
            talk.write("b.py", "y = 1\n"), talk.run("make", 2, "boom"), talk.stop("done"), talk.end()]  # fmt: skip
    seen = [read(payload.raw, event=payload.event, assistant=payload.assistant) for payload in sent]
    assert [row.event for row in seen] == ["session_start", "prompt", *["tool"] * 4, "turn_end", "session_end"]
    assert {row.assistant for row in seen} == {by}
    assert {row.session for row in seen} == {"s-1"}
    assert seen[5].tool == "shell"
    if by == "codex":
        rows = [json.loads(line) for line in talk.transcript.read_text().splitlines()]
        assert [row["payload"]["item"]["exit_code"] for row in rows if "item" in row["payload"]][-1] == 2
    else:
        assert (seen[5].failed, seen[5].exit_code) == (True, 2)


@pytest.mark.parametrize("mode", told.MODES)
def test_some_sessions_of_a_month_give_every_number(mode: str) -> None:
    now = clock.now
    month = told.run("dev", mode, CachedEmbedder(LocalEmbedder(), capacity=10_000), 5)
    found = told.report(month)
    assert clock.now is now, "the clock is given back"
    assert found["lines"]["n"] == sum(found["places"][place]["n"] for place in found["places"])
    assert found["tokens_per_start"]["mean"] > 0
    asked = [wording for _, wording, _ in month.tables["prompts"]["asked"]]
    assert found["related"]["n"] == len(asked) - asked.count("far")
    assert found["unrelated"]["n"] == len(month.tables["prompts"]["unrelated"])
    assert found["failures"]["known"] + found["failures"]["unknown"] >= len(month.tables["failure"])
    assert any(row.place == "briefing" for row in month.shown)
    json.dumps(found)
