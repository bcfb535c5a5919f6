"""How commands of Codex ended: by its session file, else by their output, else it is unknown."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import payloads
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.capture import transcript_tail
from recollect.capture.transcript_tail import ROW_BYTES
from recollect.model import Memory, Observed

NOW = 1_767_000_000
TIME = FrozenClock(NOW)


@pytest.fixture
def engine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    TIME.at = NOW
    monkeypatch.setattr(clock, "now", TIME)
    with Engine(embed_provider="off") as made:
        yield made


def take(engine: Engine, *raw: bytes) -> None:
    payloads.take(engine, TIME, *raw)


def event(call: str, **item: Any) -> str:
    """Return the row that Codex writes when a command has ended, before it runs its hook."""
    whole = {"type": "CommandExecution", "id": call, "command": ["/bin/bash", "-lc", "make"], **item}
    return json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "turn_id": "t-1", "item": whole}})


def output(call: str, said: str) -> str:
    """Return the row of an output, which follows after the hook."""
    payload = {"type": "function_call_output", "call_id": call, "output": said}
    return json.dumps({"timestamp": "2026-11-15T01:26:15.260Z", "type": "response_item", "payload": payload})


def of_codex(path: Path | None, said: str = "", command: str = "make") -> bytes:
    raw = payloads.codex(
        "PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_response=said, tool_use_id="call_2"
    )
    return json.dumps({**json.loads(raw), "transcript_path": str(path) if path else None}).encode()


@pytest.fixture
def session_file(tmp_path: Path) -> Path:
    return tmp_path / "rollout-2026-11-15T01-26-11-x.jsonl"


def outcome(engine: Engine, raw: bytes) -> tuple[str, str]:
    """Return how the command ended, and what is remembered of it."""
    take(engine, raw)
    (row,) = engine.store.find(Observed, {"event": "tool"})
    (memory,) = engine.store.get(Memory, [row.memory_id or ""])
    return row.outcome, memory.content


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([event("call_2", exit_code=127)], ("failed", "`make` failed (exit status 127) and said nothing.")),
        ([event("call_2", exit_code=0)], ("ok", "Ran `make`: it worked.")),
        (
            [output("call_2", "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n")],
            ("failed", "`make` failed (exit status 3) and said nothing."),
        ),
        ([event("call_1", exit_code=0), event("call_2", exit_code=None), "{", "[]"], ("", "Ran `make`.")),
        (
            [output("call_2", "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\nExit code: 3")],
            ("", "Ran `make`."),
        ),
        ([event("call_2", exit_code=0), output("call_2", "x" * ROW_BYTES)], ("ok", "Ran `make`: it worked.")),
    ],
    ids=["failed", "worked", "after the hook", "another call", "still running", "a huge row"],
)
def test_codex_has_the_exit_code_in_its_session_file(
    engine: Engine, session_file: Path, rows: list[str], expected: tuple[str, str]
) -> None:
    session_file.write_text("\n".join(rows) + "\n")
    assert outcome(engine, of_codex(session_file)) == expected


@pytest.mark.parametrize("made", ["missing", "link", "pipe", "folder", "other name", "none", "too far back"])
def test_a_session_file_that_cannot_be_trusted_leaves_the_outcome_unknown(
    engine: Engine, session_file: Path, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_tail, "CODEX_BYTES", 10_000)
    row = event("call_2", exit_code=3) + "\n"
    path: Path | None = session_file
    if made == "link":
        (session_file.parent / "private").write_text(row)
        session_file.symlink_to(session_file.parent / "private")
    elif made == "pipe":
        os.mkfifo(session_file)
    elif made == "folder":
        session_file.mkdir()
    elif made == "other name":
        path = session_file.with_name("notes.jsonl")
        path.write_text(row)
    elif made == "too far back":
        session_file.write_text(row + "x" * 10_000 + "\n")
    elif made == "none":
        path = None
    assert outcome(engine, of_codex(path)) == ("", "Ran `make`.")


def test_without_a_session_file_the_output_decides(engine: Engine) -> None:
    said = "bash: line 1: make: command not found"
    assert outcome(engine, of_codex(None, said)) == ("failed", f"`make` failed:\n{said}")


def test_a_failure_that_only_the_session_file_tells_brings_its_fix(engine: Engine, session_file: Path) -> None:
    take(
        engine,
        payloads.failed("make", "Exit code 3", call="1"),
        payloads.edited("TAX = 19", "TAX = 20", call="2"),
        payloads.ran("make", call="3"),
    )
    assert engine.presence.answer(of_codex(session_file)) is None
    session_file.write_text(event("call_2", exit_code=3) + "\n")
    assert "What fixed it (once" in (engine.presence.answer(of_codex(session_file)) or "")


def test_an_unproven_success_fixes_nothing_and_is_no_known_command(engine: Engine) -> None:
    take(
        engine,
        payloads.in_session("x-1", payloads.failed("make", "Exit code 2\na.c:3:1: error: x", call="1")),
        payloads.in_session("x-1", payloads.edited("TAX = 19", "TAX = 20", call="2")),
        of_codex(None, "building"),
    )
    assert engine.store.count(Memory, {"category": "fix"}) == 0
    assert engine.commands.list().commands == ()
