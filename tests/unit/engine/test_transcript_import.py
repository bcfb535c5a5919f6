"""What assistants wrote down of past sessions becomes memories: once, however often and however interrupted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests import transcripts
from tests.conformance.surfaces import command_line
from tests.transcripts import ASSISTANTS, BEGUN, say, use

from recollect import Engine, progress
from recollect.capabilities import OPERATIONS
from recollect.engine.importing import transcript_import as importing
from recollect.errors import Cancelled, InvalidInput
from recollect.model import Fix, Learnt, Memory, Observed, Session, Transcript

TOKEN = "ghp_" + "Zk3vQ8sT1mB7xW2cR9yL4dF6hJ0nP5aGuE1i"
PASSWORD = "hunter2-Xq9!vLw3"
CWD = "/nowhere/shop"
BROKEN = "Traceback (most recent call last):\nValueError: store is undecided\n"

STEPS = (
    say("user", f"Make the check pass. We always use tabs in shell scripts, never spaces. The key is {TOKEN}."),
    use("read", path=f"{CWD}/orders.txt", output="store: undecided\n"),
    use("bash", f"API_TOKEN={TOKEN} make check", output=f"{BROKEN}password={PASSWORD}\n", exit=3),
    use("edit", path=f"{CWD}/orders.txt", old="store: undecided", new=f"store: postgres://me:{PASSWORD}@db/x"),
    use("bash", f"API_TOKEN={TOKEN} make check", output="ok\n"),
    say("assistant", "I decided to use postgres instead of sqlite because several workers write at once. It passes."),
    say("user", "Good. I prefer small commits with one reason each. Can we always do that?"),
    use("bash", "make deploy", output=f"deployed with {TOKEN}\n"),
    use("bash", "ls -l", output="orders.txt\n"),
    say("assistant", "The root cause was that two workers shared one connection."),
)


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


def record(home: Path, assistant: str, steps: tuple[transcripts.Step, ...] = STEPS, **options: Any) -> Path:
    return transcripts.write(home, assistant, steps, **{"session": f"{assistant}-session-1", "cwd": CWD, **options})


def learn(engine: Engine, tmp_path: Path, **options: Any) -> Learnt:
    return engine.history.import_history(str(tmp_path), **{"only": ("transcripts",), **options})


def memories(engine: Engine, **where: Any) -> list[Memory]:
    return engine.store.find(Memory, where or None)


def texts(engine: Engine, **where: Any) -> set[str]:
    return {memory.content for memory in memories(engine, **where)}


def kept(engine: Engine) -> dict[str, Any]:
    """Return everything that an import writes, without ids that are drawn and without when it was written."""
    words = {memory.id: memory.content for memory in memories(engine)}

    def plain(row: msgspec.Struct, *without: str) -> str:
        values = {name: getattr(row, name) for name in row.__struct_fields__ if name not in without}
        if "memory_id" in values:
            values["memory_id"] = words.get(values["memory_id"])
        return json.dumps(values, sort_keys=True, default=str)

    return {
        "memories": sorted(plain(row, "id", "rev", "seq", "last_accessed_at") for row in memories(engine)),
        "observations": sorted(plain(row) for row in engine.store.find(Observed)),
        "sessions": sorted(plain(row, "rev", "insight_id") for row in engine.store.find(Session)),
        "fixes": sorted(plain(row) for row in engine.store.find(Fix)),
        "read": sorted(plain(row, "read_at") for row in engine.store.find(Transcript)),
    }


@pytest.mark.promise("B8")
@pytest.mark.promise("B8")
@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_a_transcript_teaches_rules_wishes_decisions_causes_commands_and_fixes(
    engine: Engine, home: Path, tmp_path: Path, assistant: str
) -> None:
    record(home, assistant)
    (told,) = learn(engine, tmp_path, only=(assistant,)).sources
    assert (told.source, told.created) == (assistant, told.found)
    assert told.rules == {
        "command": 2, "rule": 1, "preference": 1, "decision": 1, "cause": 1, "fix": 1, "session": 1,
    }  # fmt: skip
    assert texts(engine, category="rule") == {"We always use tabs in shell scripts, never spaces."}
    assert texts(engine, category="preference") == {"I prefer small commits with one reason each."}
    assert texts(engine, category="decision") == {
        "I decided to use postgres instead of sqlite because several workers write at once."
    }
    assert texts(engine, category="cause") == {"The root cause was that two workers shared one connection."}
    (fix,) = engine.store.find(Fix)
    assert "ValueError: store is undecided" in fix.error
    assert "orders.txt" in fix.steps[0]
    known = engine.capture.fix_for(fix.fingerprint, CWD)
    assert known is not None
    assert known.steps == fix.steps


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_what_is_learnt_has_its_source_its_time_and_its_project(
    engine: Engine, home: Path, tmp_path: Path, assistant: str
) -> None:
    record(home, assistant)
    learn(engine, tmp_path)
    (rule,) = memories(engine, category="rule")
    assert (rule.namespace, rule.source, rule.created_at) == (CWD, "user", BEGUN)
    assert rule.session_id == f"{assistant}-session-1"
    assert (rule.metadata["from"], rule.metadata["said_by"]) == (assistant, "user")
    assert "line" in rule.metadata or "part" in rule.metadata
    (command,) = [row for row in memories(engine, category="command") if "deploy" in row.content]
    assert (command.metadata["command"], command.metadata["directory"], command.metadata["exit"]) == (
        "make deploy", CWD, 0,
    )  # fmt: skip
    (session,) = engine.store.find(Session)
    assert (session.assistant, session.started_at, session.ended_by) == (assistant, BEGUN, "transcript")
    assert session.summary is not None
    assert "make deploy" in session.summary


def test_the_line_of_a_memory_is_where_it_was_said(engine: Engine, home: Path, tmp_path: Path) -> None:
    path = record(home, "codex")
    learn(engine, tmp_path)
    for memory in [*memories(engine, category="rule"), *memories(engine, category="cause")]:
        line = path.read_text("utf-8").splitlines()[int(memory.metadata["line"]) - 1]
        assert memory.content in line


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_importing_twice_leaves_the_same_store(engine: Engine, home: Path, tmp_path: Path, assistant: str) -> None:
    record(home, assistant)
    learn(engine, tmp_path)
    before, changes = kept(engine), engine.admin.changes().total
    second = learn(engine, tmp_path)
    assert (kept(engine), engine.admin.changes().total) == (before, changes)
    assert second.batch == ""


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_reading_everything_again_changes_nothing(engine: Engine, home: Path, tmp_path: Path, assistant: str) -> None:
    record(home, assistant)
    learn(engine, tmp_path)
    before, changes = kept(engine), engine.admin.changes().total
    with engine.store.transaction("forget_positions") as transaction:
        transaction.delete(Transcript, {"assistant": assistant})
    learn(engine, tmp_path)
    assert (kept(engine), engine.admin.changes().total) == (before, changes)


CHILD = """
import os, sys
from recollect import Engine
from recollect.engine.importing import transcript_import as transcripts

transcripts.BATCH = 2
left = int(sys.argv[2])
keep = transcripts._keep

def dying(*arguments):
    global left
    keep(*arguments)
    left -= 1
    if left == 0 and sys.argv[3] == "before":
        os._exit(9)

def after(write):
    def written(*arguments, **options):
        write(*arguments, **options)
        if left <= 0:
            os._exit(9)
    return written

transcripts._keep = dying
transcripts.TranscriptImport._write = after(transcripts.TranscriptImport._write)
Engine(embed_provider="off").history.import_history(sys.argv[1], only=("transcripts",))
"""


@pytest.mark.promise("B8")
@pytest.mark.parametrize(
    ("assistant", "writes", "when"),
    [*((assistant, 2, "before") for assistant in ASSISTANTS), ("claude", 1, "after"), ("claude", 4, "after")],
)
def test_an_import_that_was_killed_goes_on_to_the_same_store(
    open_engine: Callable[..., Engine], home: Path, tmp_path: Path, assistant: str, writes: int, when: str
) -> None:
    record(home, assistant)
    record(home, assistant, session=f"{assistant}-session-2", at=BEGUN + 9_000, cwd="/nowhere/other")
    child = [sys.executable, "-c", CHILD, str(tmp_path), str(writes), when]
    done = subprocess.run(child, check=False, capture_output=True)
    assert done.returncode == 9, done.stderr.decode()
    stopped = open_engine(embed_provider="off")
    learn(stopped, tmp_path)
    whole = open_engine(embed_provider="off", home=str(tmp_path / "another"))
    learn(whole, tmp_path)
    assert kept(stopped) == kept(whole)


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_how_a_transcript_is_cut_into_transactions_makes_no_difference(
    open_engine: Callable[..., Engine],
    home: Path,
    tmp_path: Path,
    assistant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record(home, assistant)
    at_once = open_engine(embed_provider="off")
    learn(at_once, tmp_path)
    monkeypatch.setattr(importing, "BATCH", 1)
    in_pieces = open_engine(embed_provider="off", home=str(tmp_path / "another"))
    learn(in_pieces, tmp_path)
    assert kept(at_once) == kept(in_pieces)


def test_a_session_that_was_read_to_its_last_line_and_no_further_is_finished_later(
    engine: Engine, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(home, "claude")
    monkeypatch.setattr(importing, "_finished", lambda *_: [])
    learn(engine, tmp_path)
    assert not memories(engine, category="session")
    monkeypatch.undo()
    monkeypatch.setenv("RECOLLECT_ASSISTANTS_HOME", str(home))
    told = learn(engine, tmp_path).sources[0]
    assert told.rules == {"fix": 1, "session": 1}


def test_an_import_that_is_cancelled_goes_on(engine: Engine, home: Path, tmp_path: Path) -> None:
    for assistant in ASSISTANTS:
        record(home, assistant)

    def stop(_done: int, _total: int | None, message: str) -> None:
        if "copilot" in message:
            raise Cancelled("nobody wants it")

    with pytest.raises(Cancelled), progress.reporting_to(stop):
        learn(engine, tmp_path)
    assert {memory.metadata.get("from") for memory in memories(engine, category="cause")} == {"claude"}
    told = {part.source: part.created for part in learn(engine, tmp_path).sources}
    # The same words in the same project are one memory, and so is the same fix: what is new is what it was about.
    assert told == {"claude": 0, "codex": 0, "gemini": 0, "opencode": 0, "copilot": 1}


@pytest.mark.promise("B8")
@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_no_secret_is_written_anywhere(engine: Engine, home: Path, tmp_path: Path, assistant: str) -> None:
    record(home, assistant)
    learnt = learn(engine, tmp_path)
    assert learnt.redacted
    assert memories(engine, category="session")
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            found = path.read_bytes()
            assert TOKEN.encode() not in found, path
            assert PASSWORD.encode() not in found, path


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_what_programs_and_hooks_put_into_a_conversation_is_not_learnt(
    engine: Engine, home: Path, tmp_path: Path, assistant: str
) -> None:
    machine = (
        say("user", "<task-notification>We always notify when a task is done.</task-notification>"),
        say(
            "user", "<recollect-context>\nWe never forget the injected rule here.\n</recollect-context>\nGo on with it."
        ),
        say(
            "assistant", "```\nI decided to quote this because it is code here.\n```\n> I decided to cite this one too."
        ),
    )
    record(home, assistant, machine)
    learn(engine, tmp_path)
    assert {memory.category for memory in memories(engine)} <= {"session"}
    prompts = [row.told for row in engine.store.find(Observed, {"event": "prompt"})]
    assert [told.strip('"') for told in prompts] == ["Go on with it."]


def test_a_file_that_grows_is_read_on_from_where_it_was(engine: Engine, home: Path, tmp_path: Path) -> None:
    path = record(home, "codex", STEPS[:5])
    whole = path.read_bytes()
    path.write_bytes(
        whole[: whole.rindex(b'"function_call_output"') + 40]
    )  # how a command ended is still being written
    learn(engine, tmp_path, only=("codex",))
    assert not texts(engine, category="command")
    assert not engine.store.find(Fix)
    path.write_bytes(whole)
    told = learn(engine, tmp_path, only=("codex",)).sources[0]
    assert told.rules == {"command": 1, "fix": 1, "session": 1}
    assert (told.created, told.known) == (2, 1)
    assert len({row.id for row in engine.store.find(Observed)}) == 5


def test_a_session_that_was_abandoned_is_read_once(engine: Engine, home: Path, tmp_path: Path) -> None:
    path = record(home, "claude")
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(rows[:4]) + b"".join(rows[5:]) + b'{"half')  # a use without an end, and half a line
    learn(engine, tmp_path)
    (kept_at,) = engine.store.find(Transcript)
    assert kept_at.position < path.stat().st_size
    os.utime(path, (BEGUN, BEGUN))
    learn(engine, tmp_path)
    (kept_at,) = engine.store.find(Transcript)
    assert kept_at.position == path.stat().st_size


def test_lines_that_are_no_rows_are_passed_over(engine: Engine, home: Path, tmp_path: Path) -> None:
    path = record(home, "claude", STEPS[:1])
    with path.open("ab") as file:
        file.write(
            b'{"type":"user","message":{"role":"user","content":17}}\n{"role":"user" broken\n\n\xff\xfe\n[1]\nnull\n'
        )
        file.write(b'{"type":"user","role":"user","message":[],"timestamp":7}\n' + b"[" * 100_000 + b'"role":"user"\n')
    record(home, "claude", STEPS[6:7], at=BEGUN + 99)
    told = learn(engine, tmp_path).sources[0]
    assert (told.rules["rule"], told.rules["preference"]) == (1, 1)


def test_a_subagent_belongs_to_its_session_and_what_it_was_asked_was_not_said_by_anybody(
    engine: Engine, home: Path, tmp_path: Path
) -> None:
    path = record(home, "claude", STEPS[:1])
    rows = [
        {"type": "user", "message": {"role": "user", "content": "We always ask sub-agents to be careful."}},
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make docs"}}]}},
        {"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "built"}]}},
    ]  # fmt: skip
    around = {
        "isSidechain": True,
        "agentId": "a1",
        "sessionId": "claude-session-1",
        "cwd": CWD,
        "timestamp": "2025-10-09T09:00:00.000Z",
    }
    below = path.with_suffix("") / "subagents/agent-a1.jsonl"
    below.parent.mkdir(parents=True)
    below.write_text("".join(json.dumps({**row, **around}) + "\n" for row in rows), "utf-8")
    learn(engine, tmp_path)
    assert len(engine.store.find(Session)) == 1
    assert texts(engine, category="command") == {"Ran `make docs`: it worked."}
    assert len(memories(engine, category="rule")) == 1


def test_work_trees_of_a_repository_are_one_project(engine: Engine, home: Path, tmp_path: Path) -> None:
    main, other = tmp_path / "main", tmp_path / "other"
    (main / ".git/worktrees/other").mkdir(parents=True)
    (main / ".git/worktrees/other/commondir").write_text("../..", "utf-8")
    (main / ".git/worktrees/other/gitdir").write_text(f"{other}/.git", "utf-8")
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {main}/.git/worktrees/other", "utf-8")
    record(home, "claude", STEPS[:1], cwd=str(other))
    record(home, "codex", STEPS[5:6], cwd=str(main))
    learn(engine, tmp_path)
    assert {memory.namespace for memory in memories(engine)} == {str(main.resolve())}


# --- beside hooks ---


def payloads(steps: tuple[transcripts.Step, ...]) -> list[dict[str, Any]]:
    """Return what hooks of Claude Code were given of the same session."""
    base = {"session_id": "claude-session-1", "cwd": CWD, "transcript_path": "/home/me/.claude/projects/x.jsonl"}
    told: list[dict[str, Any]] = []
    for number, step in enumerate(steps):
        call = {**base, "hook_event_name": "PostToolUse", "tool_use_id": f"toolu_claude-session-1_{number}"}
        ran = {**call, "tool_name": "Bash", "tool_input": {"command": step.text}}
        if step.kind == "user":
            told.append({**base, "hook_event_name": "UserPromptSubmit", "prompt": step.text})
        elif step.kind == "bash" and step.exit:
            error = f"Exit code {step.exit}\n{step.output}"
            told.append({**ran, "hook_event_name": "PostToolUseFailure", "error": error})
        elif step.kind == "bash":
            told.append({**ran, "tool_response": {"stdout": step.output}})
        elif step.kind == "edit":
            given = {"file_path": step.path, "old_string": step.old, "new_string": step.new}
            told.append({**call, "tool_name": "Edit", "tool_input": given})
        elif step.kind == "read":
            response = {"file": {"content": step.output}}
            told.append(
                {**call, "tool_name": "Read", "tool_input": {"file_path": step.path}, "tool_response": response}
            )
    return told


ACTED = tuple(step for step in STEPS if step.kind != "assistant")


@pytest.mark.promise("B8")
def test_what_hooks_captured_is_not_told_again(engine: Engine, home: Path, tmp_path: Path) -> None:
    for payload in payloads(ACTED):
        engine.capture.ingest(json.dumps(payload), assistant="claude")
    before, changes = kept(engine), engine.admin.changes().total
    record(home, "claude", ACTED)
    told = learn(engine, tmp_path).sources[0]
    assert told.found == 0
    after = kept(engine)
    assert {**after, "read": []} == before
    assert engine.admin.changes().total == changes


def test_what_was_imported_is_not_captured_again(engine: Engine, home: Path, tmp_path: Path) -> None:
    record(home, "claude", ACTED)
    learn(engine, tmp_path)
    rows, commands = engine.store.count(Observed, {"event": "tool"}), texts(engine, category="command")
    for payload in payloads(ACTED):
        if payload["hook_event_name"] != "UserPromptSubmit":
            engine.capture.ingest(json.dumps(payload), assistant="claude")
    assert engine.store.count(Observed, {"event": "tool"}) == rows
    assert texts(engine, category="command") == commands


def test_what_hooks_missed_of_a_session_is_learnt(engine: Engine, home: Path, tmp_path: Path) -> None:
    for payload in payloads(STEPS[:5]):
        engine.capture.ingest(json.dumps(payload), assistant="claude")
    record(home, "claude")
    told = learn(engine, tmp_path).sources[0]
    assert told.rules == {"decision": 1, "preference": 1, "command": 1, "cause": 1}
    assert engine.store.count(Session) == 1


# --- options ---


def test_a_dry_run_tells_what_would_be_learnt_and_writes_nothing(engine: Engine, home: Path, tmp_path: Path) -> None:
    record(home, "claude")
    record(home, "claude", session="claude-session-2", at=BEGUN + 5_000)
    before = kept(engine)
    told = learn(engine, tmp_path, dry_run=True)
    assert kept(engine) == before
    assert "We always use tabs in shell scripts, never spaces." in told.examples
    assert (told.sources[0].created, told.sources[0].known) == (6, 6)
    assert TOKEN not in repr(told)


def test_since_leaves_out_what_is_older_until_it_is_wanted(engine: Engine, home: Path, tmp_path: Path) -> None:
    record(home, "claude")
    learn(engine, tmp_path, since=BEGUN + 11)
    assert {memory.category for memory in memories(engine)} == {"preference", "command", "cause", "session"}
    learn(engine, tmp_path)
    assert {memory.category for memory in memories(engine)} >= {"rule", "decision", "fix"}


def test_a_limit_stops_after_the_latest_sessions_and_goes_on_next_time(
    engine: Engine, home: Path, tmp_path: Path
) -> None:
    for number in range(3):
        said = (say("user", f"From now on we wrap lines at {80 + number} characters."),)
        path = record(home, "claude", said, session=f"s{number}", at=BEGUN + 5_000 * number)
        os.utime(path, (BEGUN + 5_000 * number,) * 2)
    learnt = learn(engine, tmp_path, limit=1)
    assert texts(engine, category="rule") == {"From now on we wrap lines at 82 characters."}
    assert any("import again" in note for note in learnt.notes)
    learn(engine, tmp_path)
    assert len(texts(engine, category="rule")) == 3


def test_what_somebody_deleted_stays_deleted(engine: Engine, home: Path, tmp_path: Path) -> None:
    record(home, "claude", STEPS[:1])
    learn(engine, tmp_path)
    (rule,) = memories(engine, category="rule")
    engine.memories.delete(rule.id)
    with engine.store.transaction("forget") as transaction:
        transaction.delete(Transcript, {"assistant": "claude"})
        transaction.delete(Observed, {"assistant": "claude"})
    assert learn(engine, tmp_path).sources[0].refused == 1
    assert not memories(engine, category="rule")


def test_one_import_can_be_undone(engine: Engine, home: Path, tmp_path: Path) -> None:
    record(home, "claude")
    batch = learn(engine, tmp_path).batch
    engine.admin.undo(batch)
    assert not memories(engine)


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_what_was_undone_comes_back_with_the_next_import(
    engine: Engine, home: Path, tmp_path: Path, assistant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_HOME", str(home))
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    record(home, assistant)
    answer = command_line(OPERATIONS["import_history"], {}, (str(tmp_path), "--only", "transcripts"))
    first = kept(engine)
    assert first["memories"]
    command_line(OPERATIONS["undo"], {}, (answer["batch"],))
    assert memories(engine) == []
    assert engine.store.find(Observed) == []
    command_line(OPERATIONS["import_history"], {}, (str(tmp_path), "--only", "transcripts"))
    assert kept(engine) == first


def test_an_undo_of_the_latest_part_leaves_what_was_read_before(engine: Engine, home: Path, tmp_path: Path) -> None:
    record(home, "claude", STEPS[:5])
    learn(engine, tmp_path)
    before = texts(engine)
    record(home, "codex")
    batch = learn(engine, tmp_path).batch
    after = kept(engine)
    engine.admin.undo(batch)
    assert texts(engine) == before
    batch = learn(engine, tmp_path).batch
    assert kept(engine) == after
    # Taken back, brought back, and read once more: all is there, and nothing twice.
    engine.admin.undo(engine.admin.undo(batch).batch)
    learn(engine, tmp_path)
    assert kept(engine) == after


def test_what_was_purged_does_not_come_back_in_any_words(engine: Engine, home: Path, tmp_path: Path) -> None:
    record(home, "claude")
    batch = learn(engine, tmp_path).batch
    rules = memories(engine, category="rule")
    assert any("tabs in shell scripts" in rule.content for rule in rules)
    engine.memories.purge(tuple(rule.id for rule in rules))
    assert not [row for row in engine.store.find(Observed) if "tabs in shell scripts" in row.told]
    engine.admin.undo(batch)
    learnt = learn(engine, tmp_path)
    assert learnt.sources[0].refused == len(rules)
    assert not [row for row in engine.store.find(Observed) if "tabs in shell scripts" in row.told]
    assert not [row for row in memories(engine) if "tabs in shell scripts" in row.content]


def test_what_hooks_saw_of_a_session_stays_when_its_import_is_undone(
    engine: Engine, home: Path, tmp_path: Path
) -> None:
    record(home, "claude")
    batch = learn(engine, tmp_path).batch
    with engine.store.transaction("test") as transaction:
        by_hook = Observed(id="1-0123456789abcdef", mark="x", at=BEGUN, session_id="claude-session-1", event="prompt")
        transaction.insert(by_hook)
    engine.admin.undo(batch)
    assert engine.store.find(Observed) == [by_hook]


def test_an_assistant_without_transcripts_is_told_of_only_if_it_was_asked_for(engine: Engine, tmp_path: Path) -> None:
    assert [part.source for part in learn(engine, tmp_path, only=()).sources] == [
        "git",
        "changelog",
        "adr",
        "docs",
    ]
    learnt = learn(engine, tmp_path, only=("gemini",))
    assert [part.source for part in learnt.sources] == ["gemini"]
    assert "no transcripts found" in learnt.notes[0]
    with pytest.raises(InvalidInput):
        learn(engine, tmp_path, only=("clippy",))


def test_progress_is_told_in_bytes(engine: Engine, home: Path, tmp_path: Path) -> None:
    path = record(home, "claude")
    told: list[tuple[int, int | None, str]] = []
    with progress.reporting_to(lambda *row: told.append(row)):
        learn(engine, tmp_path)
    assert told[0] == (0, path.stat().st_size, "reading claude transcripts")
