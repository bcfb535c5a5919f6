"""Transcripts: what readers make of rows, and which sentences are worth more than the moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests import transcripts as made
from tests.transcripts import ASSISTANTS, BEGUN, say, use

from recollect.capture.observation import Observation
from recollect.capture.transcripts import opencode
from recollect.capture.transcripts import transcript_turn as reading_lines
from recollect.capture.transcripts.transcript_files import Step, books, steps
from recollect.capture.transcripts.transcript_turn import OPEN_CALLS, Turn, cut, lines, milliseconds, slim

CWD = "/nowhere/shop"
STEPS = (
    say("user", "Please run the check."),
    use("read", path=f"{CWD}/a.py", output="x = 1\n" * 3_000),
    use("bash", "make check", output="Error: no rule\n", exit=2),
    use("edit", path=f"{CWD}/a.py", old="x = 1", new="x = 2"),
    use("bash", "make check", output="fine\n"),
    say("assistant", "It passes."),
)


def turns(home: Path, assistant: str) -> list[Turn]:
    return [step.turn for book in books(assistant, home) for step in steps(book) if step.turn is not None]


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_all_assistants_tell_the_same(tmp_path: Path, assistant: str) -> None:
    made.write(tmp_path, assistant, STEPS, session="one", cwd=CWD)
    found = [turn for turn in turns(tmp_path, assistant) if "Please" in turn.seen.text or turn.role != "user"]
    reads = "shell" if assistant == "codex" else "read"
    edits = "patch" if assistant == "codex" else "edit"
    assert [(turn.role, turn.seen.tool, turn.seen.failed) for turn in found] == [
        ("user", "", None),
        ("tool", reads, False),
        ("tool", "shell", True),
        ("tool", edits, False),
        ("tool", "shell", False),
        ("assistant", "", None),
    ]
    assert {(turn.seen.session, turn.seen.cwd, turn.seen.assistant) for turn in found} == {("one", CWD, assistant)}
    assert [turn.seen.exit_code for turn in found if turn.seen.tool_name.lower().endswith(("bash", "command"))][
        -2:
    ] == [2, 0]
    assert found[0].at_ms == BEGUN * 1000
    assert len({turn.key for turn in found}) == len(found)


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_reading_may_begin_again_wherever_a_step_says_so(tmp_path: Path, assistant: str) -> None:
    made.write(tmp_path, assistant, STEPS, session="one", cwd=CWD)
    (book,) = books(assistant, tmp_path)
    whole = list(steps(book))
    for place, step in enumerate(whole):
        told = [each.turn for each in whole[: place + 1] if each.turn] + [
            each.turn for each in steps(book, step.position, step.number) if each.turn
        ]
        keys = {turn.key: (turn.line, turn.seen) for turn in told}
        assert keys == {each.turn.key: (each.turn.line, each.turn.seen) for each in whole if each.turn}
    assert whole[-1] == Step(None, book.size, whole[-1].number)


def test_nothing_is_kept_of_a_file_that_was_read_or_of_a_command_that_worked(tmp_path: Path) -> None:
    made.write(tmp_path, "claude", STEPS, session="one", cwd=CWD)
    seen = [slim(turn.seen) for turn in turns(tmp_path, "claude") if turn.role == "tool"]
    assert [one.output for one in seen] == [None] * 4
    assert "no rule" in seen[1].error


def test_long_texts_are_cut_between_lines() -> None:
    assert cut("one\ntwo\nthree", 9) == "one\ntwo\n"
    assert cut("x" * 20, 9) == ""
    assert cut("short", 9) == "short"


def test_no_half_of_a_secret_is_left_of_a_long_output() -> None:
    token = "ghp_" + "Zk3vQ8sT1mB7xW2cR9yL4dF6hJ0nP5aGuE1i"
    for line in (token, "x " * 20 + token):
        for shift in range(0, len(line), 5):
            said = "a" * shift + f"\n{line}\n" * 900
            seen = slim(Observation("claude", "tool", tool="shell", failed=True, error=said))
            assert len(seen.error) < len(said)
            assert set(seen.error.split()) <= {token, "x", "a" * shift}
    endless = slim(Observation("claude", "tool", tool="shell", failed=True, error=token * 900))
    assert endless.error.strip() == ""


def test_a_message_of_gemini_that_is_written_again_counts_once(tmp_path: Path) -> None:
    path = made.write(tmp_path, "gemini", STEPS, session="one", cwd=CWD)
    before = {turn.key for turn in turns(tmp_path, "gemini")}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    messages = [row for row in rows if row.get("type") in ("user", "gemini")]
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"$set": {"messages": messages}}) + "\n")
    assert {turn.key for turn in turns(tmp_path, "gemini")} == before


def test_the_folder_of_a_session_of_gemini_is_found_in_what_it_begins_with(tmp_path: Path) -> None:
    path = made.write(tmp_path, "gemini", STEPS, session="one", cwd=CWD)
    (path.parent.parent / ".project_root").unlink()
    context = "<session_context>\nHello.\n- **Workspace Directories:**\n  - /somewhere/else\n- **More:**\n"
    first = {"$set": {"messages": [{"id": "s", "type": "user", "content": [{"text": context}]}]}}
    path.write_text(json.dumps(first) + "\n" + path.read_text("utf-8"), "utf-8")
    assert {turn.seen.cwd for turn in turns(tmp_path, "gemini")} == {"/somewhere/else"}


def test_a_database_that_breaks_while_it_is_read_is_not_taken_for_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.write(tmp_path, "opencode", STEPS, session="one", cwd=CWD)
    (book,) = books("opencode", tmp_path)
    monkeypatch.setattr(opencode, "_PARTS", "SELECT 1, 2, 3, 4 FROM nothing WHERE ? = ?")
    with pytest.raises(OSError, match="cannot be read"):
        list(steps(book))


def test_codex_of_former_days_is_read_too(tmp_path: Path) -> None:
    folder = tmp_path / ".codex/sessions/2025/06/01"
    folder.mkdir(parents=True)
    rows: list[dict[str, Any]] = [
        {"type": "session_meta", "payload": {"id": "old", "cwd": CWD}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "call_id": "a",
                                              "arguments": json.dumps({"command": ["bash", "-lc", "make all"]})}},
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "a",
                                              "output": {"content": "made", "success": True}}},
        {"type": "response_item", "payload": {"type": "local_shell_call", "call_id": "b",
                                              "action": {"type": "exec", "command": ["make", "test"]}}},
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "b",
                                              "output": "Exit code: 2\nWall time: 1 seconds\nOutput:\nError: bad\n"}},
    ]  # fmt: skip
    text = "".join(json.dumps({"timestamp": "2025-06-01T10:00:00Z", **row}) + "\n" for row in rows)
    (folder / "rollout-2025-06-01T10-00-00-old.jsonl").write_text(text, "utf-8")
    found = turns(tmp_path, "codex")
    assert [(turn.seen.tool, turn.seen.failed) for turn in found] == [("shell", False), ("shell", True)]
    assert found[1].seen.output == "Error: bad\n"


def test_a_tool_of_our_own_server_is_known_as_one_in_codex(tmp_path: Path) -> None:
    folder = tmp_path / ".codex/sessions/2026/01/01"
    folder.mkdir(parents=True)
    call = {
        "type": "function_call",
        "name": "store_memory",
        "namespace": "mcp__recollect",
        "call_id": "a",
        "arguments": "{}",
    }
    done = {"type": "function_call_output", "call_id": "a", "output": "Wall time: 0 seconds\nOutput:\n{}"}
    rows = [{"timestamp": "2026-01-01T10:00:00Z", "type": "response_item", "payload": each} for each in (call, done)]
    (folder / "rollout-x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert [turn.seen.server for turn in turns(tmp_path, "codex")] == ["recollect"]


def test_uses_that_never_end_are_given_up(tmp_path: Path) -> None:
    path = made.write(tmp_path, "claude", (say("user", "Please begin."),), session="one", cwd=CWD)
    begun = {"type": "assistant", "sessionId": "one", "cwd": CWD, "timestamp": "2026-01-01T10:00:00Z"}
    with path.open("a", encoding="utf-8") as file:
        for number in range(OPEN_CALLS + 3):
            block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "sleep 1"}}
            file.write(json.dumps({**begun, "message": {"role": "assistant", "content": [block]}}) + "\n")
    (book,) = books("claude", tmp_path)
    last = list(steps(book))[-1]
    assert last.number == path.read_text("utf-8").count("\n") - OPEN_CALLS


def test_a_line_that_is_too_long_is_passed_over_without_being_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_lines, "MAX_LINE", 64)
    path = tmp_path / "x"
    path.write_bytes(b"first\n" + b"y" * 1_000 + b"\nlast\nunfinish")
    assert [(line.raw, line.number, line.end) for line in lines(path)] == [(b"first\n", 1, 6), (b"last\n", 3, 1012)]
    assert list(lines(path, 1012, 3)) == []


def test_times_are_read_and_nonsense_is_not() -> None:
    assert milliseconds("2026-11-15T01:22:50.480Z") == 1_794_705_770_480
    assert milliseconds("2026-11-15T03:22:50+02:00") == 1_794_705_770_000
    assert milliseconds("2026-99-15T01:22:50Z") == milliseconds("yesterday") == 0


def test_a_database_that_is_none_of_opencode_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database at all" * 100)
    assert books("opencode", tmp_path) == []
