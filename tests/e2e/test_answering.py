"""Hooks that answer, as an assistant runs them: real processes, with a server beside them and without."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import PATIENCE_S, until

from recollect import Engine, hook
from recollect.surface.hooks.hook_socket import HookSocket

COMMAND = [sys.executable, "-I", "-S", str(Path(__file__).parents[1] / "patient_hook.py"), hook.__file__]
FACT = "The tide tables of the harbour module are fetched from the Skagen station every morning."
QUESTION = "Which station do the tide tables of the harbour module come from?"
OF_CLINE = {"taskId": "s", "userPromptSubmit": {"prompt": QUESTION}}


@pytest.fixture
def home(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A home with a short path, as sockets need it; a test may name what lies below and make it a long one."""
    with tempfile.TemporaryDirectory(prefix="r-") as folder:
        yield Path(folder) / getattr(request, "param", "")


# A socket cannot have such a path.
LONG = "x" * 120

any_length = pytest.mark.parametrize("home", ["", LONG], ids=["short", "long"], indirect=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def filled(home: Path, project: Path) -> Path:
    """The home, with a fact and a decision about the project."""
    with Engine(home=str(home), embed_provider="off") as engine:
        engine.memories.store(FACT, namespace=str(project))
        engine.memories.store("Orders are kept in PostgreSQL.", memory_type="decision", namespace=str(project))
    return home


Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def run(home: Path, project: Path) -> Run:
    """Run a hook of Claude Code to its end; `fields` go into its payload."""

    def call(
        event: str,
        moment: str,
        *,
        payload: bytes | None = None,
        assistant: str = "claude",
        environment: Mapping[str, str] = {},
        **fields: Any,
    ) -> subprocess.CompletedProcess[bytes]:
        told = {"session_id": "s", "cwd": str(project), "hook_event_name": event, **fields}
        return subprocess.run(
            [*COMMAND, event, assistant, moment],
            input=json.dumps(told).encode() if payload is None else payload,
            capture_output=True,
            env={"RECOLLECT_HOME": str(home), "RECOLLECT_EMBED_PROVIDER": "off", **environment},
            timeout=PATIENCE_S,
        )

    return call


def said(done: subprocess.CompletedProcess[bytes], event: str) -> str:
    """Return what a hook put before its assistant; empty: it printed nothing. It never complains."""
    assert (done.returncode, done.stderr) == (0, b"")
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == event
    text = answer["additionalContext"]
    assert text.startswith("<recollect-context ")
    return str(text)


def prompted(run: Run, prompt: str = QUESTION, **fields: Any) -> str:
    return said(run("UserPromptSubmit", "prompt", prompt=prompt, **fields), "UserPromptSubmit")


def spooled(home: Path) -> int:
    return len(list((home / "spool" / "new").iterdir()))


@pytest.fixture
def server(filled: Path, project: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server as an assistant starts it, in another folder than the project; it listens already."""
    command = [sys.executable, "-m", "recollect", "--home", str(filled), "serve"]
    environment = {**os.environ, "RECOLLECT_EMBED_PROVIDER": "off"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment, cwd=project.parent
    ) as process:
        assert process.stdin
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        until(lambda: list(filled.glob("run/*.sock")))
        yield process
        process.stdin.close()


# --- Alone -----------------------------------------------------------------------------------------------------------


def test_a_prompt_is_answered_without_a_server_and_spooled_all_the_same(filled: Path, run: Run) -> None:
    assert "Skagen station" in prompted(run)
    assert spooled(filled) == 1


def test_what_was_said_is_not_said_again_in_the_session(filled: Path, run: Run) -> None:
    assert "Skagen station" in prompted(run)
    assert prompted(run) == ""
    assert "Skagen station" in prompted(run, session_id="another")


@pytest.mark.promise("B5")
def test_an_unrelated_prompt_costs_zero_bytes(filled: Path, run: Run) -> None:
    assert prompted(run, "Write a haiku about cherry blossoms and spring rain.") == ""


def test_another_project_is_told_nothing(filled: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "other" / ".git").mkdir(parents=True)
    assert prompted(run, cwd=str(tmp_path / "other")) == ""
    assert said(run("SessionStart", "start", source="startup", cwd=str(tmp_path / "other")), "SessionStart") == ""


def test_a_session_starts_with_what_was_decided(filled: Path, run: Run) -> None:
    assert "Orders are kept in PostgreSQL." in said(run("SessionStart", "start", source="startup"), "SessionStart")


@pytest.mark.promise("B4")
def test_the_fix_comes_with_the_failure_a_session_later(home: Path, project: Path, run: Run) -> None:
    """What the first session did lies in the spool until somebody looks: the start of the second does."""
    command = {"tool_name": "Bash", "tool_input": {"command": "make lamp"}}
    failed = {**command, "error": "Exit code 2\nmake: *** No rule to make target 'lamp'.  Stop."}
    file = str(project / "Makefile")
    edit = {"tool_input": {"file_path": file, "old_string": "lmap:", "new_string": "lamp:"}}
    edited = {"filePath": file, "oldString": "lmap:", "newString": "lamp:", "originalFile": "lmap:\n"}
    assert said(run("PostToolUseFailure", "tool", **failed, session_id="1"), "PostToolUseFailure") == ""
    for fields in (
        {"tool_name": "Edit", **edit, "tool_response": edited},
        {**command, "tool_response": {"stdout": "lit", "stderr": ""}},
    ):
        assert run("PostToolUse", "", **fields, session_id="1").stdout == b""
    assert run("SessionEnd", "", reason="other", session_id="1").stdout == b""
    run("SessionStart", "start", source="startup", session_id="2")
    fix = said(run("PostToolUseFailure", "tool", **failed, session_id="2"), "PostToolUseFailure")
    assert "Makefile" in fix


def test_vectors_are_made_in_a_process_of_their_own_after_the_start(filled: Path, run: Run) -> None:
    def made() -> int:
        with sqlite3.connect(filled / "recollect.db") as connection:
            return int(connection.execute("SELECT count(*) FROM memory_embeddings").fetchone()[0])

    assert made() == 0
    done = run("SessionStart", "start", source="startup", environment={"RECOLLECT_EMBED_PROVIDER": "local"})
    assert "Orders are kept in PostgreSQL." in said(done, "SessionStart")
    until(lambda: made() == 2)


@pytest.mark.parametrize("moment", ["prompt", "start", "tool"])
@pytest.mark.parametrize(
    "payload",
    [b"{}", b"null", b"[1]", b"\xff\xfe", b'{"prompt": 7, "cwd": 8, "session_id": []}', b"[" * 100_000, b"error" * 9],
)
def test_a_payload_of_any_kind_is_no_reason_to_complain(filled: Path, run: Run, moment: str, payload: bytes) -> None:
    done = run("UserPromptSubmit", moment, payload=payload)
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"")


@pytest.mark.parametrize("moment", ["prompt", "start"])
@pytest.mark.parametrize("state", ["none", "empty", "foreign", "folder"])
def test_a_database_in_trouble_is_no_reason_to_complain(home: Path, run: Run, moment: str, state: str) -> None:
    database = home / "recollect.db"
    if state == "folder":
        database.mkdir()
    elif state != "none":
        database.write_bytes(b"" if state == "empty" else b"this is somebody's letter" * 100)
    done = run("UserPromptSubmit" if moment == "prompt" else "SessionStart", moment, prompt=QUESTION)
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"")
    if state == "foreign":
        assert database.read_bytes() == b"this is somebody's letter" * 100


def test_a_word_that_is_no_moment_is_not_answered(filled: Path, run: Run) -> None:
    assert run("UserPromptSubmit", "later", prompt=QUESTION).stdout == b""


@pytest.mark.parametrize(
    ("assistant", "event", "fields", "place"),
    [
        ("codex", "UserPromptSubmit", {"turn_id": "t"}, ("hookSpecificOutput", "additionalContext")),
        ("gemini", "BeforeAgent", {"hook_event_name": "BeforeAgent"}, ("hookSpecificOutput", "additionalContext")),
        ("copilot", "userPromptSubmitted", {"sessionId": "s"}, ("additionalContext",)),
        ("cline", "UserPromptSubmit", OF_CLINE, ("contextModification",)),
    ],
)  # fmt: skip
def test_every_assistant_is_answered_in_its_own_form(
    filled: Path, run: Run, project: Path, assistant: str, event: str, fields: dict[str, Any], place: tuple[str, ...]
) -> None:
    done = run(event, "prompt", assistant=assistant, prompt=QUESTION, workspaceRoots=[str(project)], **fields)
    value = json.loads(done.stdout)
    for step in place:
        value = value[step]
    assert "Skagen station" in value


# --- With a server ---------------------------------------------------------------------------------------------------


@any_length
def test_a_running_server_answers(server: subprocess.Popen[bytes], filled: Path, run: Run) -> None:
    assert f"{server.pid}.sock" in [path.name for path in filled.glob("run/*")]
    texts = [prompted(run, session_id=str(number)) for number in range(3)]
    assert all("Skagen station" in text for text in texts)
    assert "Orders are kept" in said(run("SessionStart", "start", source="startup", session_id="9"), "SessionStart")
    assert prompted(run, "Write a haiku about cherry blossoms and spring rain.") == ""


@any_length
def test_a_server_that_goes_takes_its_socket_along(server: subprocess.Popen[bytes], filled: Path, run: Run) -> None:
    assert server.stdin
    server.stdin.close()
    assert server.wait(PATIENCE_S) == 0
    assert list(filled.glob("run/*")) == []
    assert "Skagen station" in prompted(run)


def test_a_server_that_was_killed_is_passed_over(server: subprocess.Popen[bytes], filled: Path, run: Run) -> None:
    server.kill()
    server.wait(PATIENCE_S)
    assert len(list(filled.glob("run/*.sock"))) == 1
    assert "Skagen station" in prompted(run)


def test_a_prompt_does_not_wait_for_a_server_that_is_busy(filled: Path, run: Run) -> None:
    release = threading.Event()

    def never(*_: object) -> bytes:
        release.wait(PATIENCE_S)
        return b"too late"

    listener = HookSocket(filled, never, lambda _: None)
    assert listener.start()
    try:
        assert "Skagen station" in prompted(run)
    finally:
        release.set()
        listener.stop()
