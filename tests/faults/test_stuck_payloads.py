"""A payload that hangs is set aside, named by health and tried again by a newer version; nothing else waits for it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import payloads
from tests.faults.child import Child
from tests.faults.conftest import Fifo, Line

from recollect.capture import spool as spool_module
from recollect.capture.spool import MOST_DEATHS
from recollect.engine import Engine
from recollect.engine.sessions import spool_drain
from recollect.engine.sessions.background_drain import DrainProcess
from recollect.engine.sessions.hook_ingest import EventReader
from recollect.model import Memory

STUCK = Path(__file__).with_name("stuck")
# The sooner a stuck payload is recognised, the shorter the test. A healthy one takes milliseconds, and the first one of
# a process loads modules: on a busy machine that takes more CPU time, too.
SHORT_CPU_S = 0.5


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


@pytest.fixture
def hanging(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process, and all that it starts, hang over the prompts of stuck/sitecustomize.py."""
    monkeypatch.setenv("PYTHONPATH", str(STUCK))
    monkeypatch.setenv("STUCK_CPU_S", str(SHORT_CPU_S))


def put(engine: Engine, *prompts: str) -> None:
    for prompt in prompts:
        engine.capture.put(payloads.claude("UserPromptSubmit", prompt=prompt), event="Prompt", assistant="claude")


def stored(engine: Engine) -> set[str]:
    return {memory.content for memory in engine.store.find(Memory)}


def capture_check(engine: Engine) -> Any:
    return next(check for check in engine.admin.health().checks if check.name == "capture")


# --- In the main thread of a command ---------------------------------------------------------------------------------


@pytest.fixture
def looping(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make prompts with the word endless use CPU time for ever; returns a list that names each try."""
    tries: list[str] = []
    of_bytes = EventReader.parse

    def endless(self: EventReader, raw: bytes, name: str, **values: Any) -> Any:
        if b"endless" in raw:
            tries.append(name)
            while True:
                pass
        return of_bytes(self, raw, name, **values)

    monkeypatch.setattr(EventReader, "parse", endless)
    monkeypatch.setattr(spool_drain, "LIMIT_CPU_S", SHORT_CPU_S)
    monkeypatch.setattr(spool_drain, "LIMIT_CPU_S_PER_BYTE", 0.0)
    return tries


def test_a_payload_that_takes_too_long_is_set_aside_and_the_others_are_stored(
    engine: Engine, looping: list[str]
) -> None:
    put(engine, "first", "an endless one", "last")
    done = engine.capture.drain()
    assert (done.taken, done.stored, done.stuck, done.bad, done.waiting) == (3, 2, 1, 0, 0)
    assert stored(engine) == {"first", "last"}
    assert engine.capture.drain().taken == 0
    assert len(looping) == 1, "it was tried once"


def test_health_names_a_payload_that_is_set_aside_and_says_how_to_retry_it(
    engine: Engine, looping: list[str], home: Path
) -> None:
    assert capture_check(engine).status == "ok"
    put(engine, "an endless one")
    engine.capture.drain()
    check = capture_check(engine)
    assert check.status == "degraded"
    (kept,) = (home / "spool" / "stuck").glob("*/*")
    version = kept.parent.name
    for part in ("Prompt from claude", f"{kept.stat().st_size} bytes", "CPU time", f"version {version}"):
        assert part in check.detail
    assert f"mv {kept.parent.parent}/*/* {home / 'spool' / 'new'}/" in check.mend
    assert kept.stat().st_mode & 0o077 == 0


def test_only_a_newer_version_tries_a_stuck_payload_again(
    engine: Engine, looping: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(engine, "an endless one")
    monkeypatch.setattr(spool_module, "__version__", "1.9.0")
    engine.capture.drain()
    for version, tries in (("1.9.0", 1), ("1.8.7", 1), ("1.10.0", 2), ("1.9.0", 2), ("1.10.0", 2)):
        monkeypatch.setattr(spool_module, "__version__", version)
        put(engine, f"something new for {version}")
        engine.capture.drain()
        assert len(looping) == tries, version
    monkeypatch.undo()
    monkeypatch.setattr(spool_module, "__version__", "2.0.0")
    assert engine.capture.drain().stored == 1
    assert "an endless one" in stored(engine)
    assert capture_check(engine).status == "ok"


def test_a_search_leaves_slow_payloads_to_later(engine: Engine, looping: list[str]) -> None:
    put(engine, *(f"endless number {number}" for number in range(100)))
    engine.memories.store("the harbour opens at six")
    assert engine.recall.search("when does the harbour open").hits
    assert len(looping) < 10
    assert engine.capture.spool.waiting() == 100 - len(looping)


def test_what_takes_too_long_to_write_is_set_aside_alone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    updates = type(engine.session_updates)
    write = updates.write

    def endless(self: Any, notices: Any) -> Any:
        while any("endless" in notice.row.told for notice in notices):
            pass
        return write(self, notices)

    monkeypatch.setattr(updates, "write", endless)
    monkeypatch.setattr(spool_drain, "LIMIT_CPU_S", SHORT_CPU_S)
    put(engine, "first", "an endless one", "last")
    done = engine.capture.drain()
    assert (done.stored, done.stuck) == (2, 1)
    assert stored(engine) == {"first", "last"}


def test_a_purge_removes_stuck_payloads_that_repeat_the_memory(engine: Engine, looping: list[str], home: Path) -> None:
    memory = engine.memories.store("the passage of the purged memory").memory
    put(engine, "endless: the passage of the purged memory", "endless: something else")
    engine.capture.drain()
    engine.memories.purge([memory.id])
    (left,) = (home / "spool" / "stuck").glob("*/*")
    assert b"something else" in left.read_bytes()


# --- In the child of a server ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["python", "regex"])
@pytest.mark.usefixtures("hanging")
def test_a_child_interrupts_what_hangs_and_goes_on(engine: Engine, how: str) -> None:
    put(engine, "first", f"stuck: {how}", "last")
    child = DrainProcess(engine.settings)
    try:
        done = child.drain(100)
        assert done is not None
        assert (done.taken, done.stored, done.stuck) == (3, 2, 1)
    finally:
        child.end()


@pytest.mark.usefixtures("hanging")
def test_the_system_ends_a_child_that_cannot_be_interrupted_and_the_payload_is_set_aside(engine: Engine) -> None:
    put(engine, "first", "stuck: native", "last")
    for _ in range(MOST_DEATHS):
        child = DrainProcess(engine.settings)
        assert child.drain(100) is None
        child.end()
        assert child.exit_code == -signal.SIGVTALRM
    assert engine.capture.drain().waiting == 0
    assert stored(engine) == {"first", "last"}
    assert f"crashed {MOST_DEATHS} times" in capture_check(engine).detail


@pytest.mark.usefixtures("hanging")
def test_a_child_that_is_killed_again_and_again_costs_no_other_payload(
    engine: Engine, make_fifo: Callable[[str], Fifo], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = make_fifo("started")
    monkeypatch.setenv("STUCK_STARTED", started.path)
    put(engine, "first", "stuck: waiting", "last")
    for death in range(MOST_DEATHS):
        assert capture_check(engine).status == "ok", f"after {death} deaths"
        with Child("drain", home=engine.settings.home) as server:
            os.kill(int(started.wait()), signal.SIGKILL)
            assert server.hear() == ["the process that handles hook events died"]
    assert engine.capture.drain().waiting == 0
    assert stored(engine) == {"first", "last"}
    assert capture_check(engine).status == "degraded"


@pytest.mark.usefixtures("hanging")
def test_a_child_ends_by_itself_after_its_parent_was_killed(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "started"
    os.mkfifo(pipe)
    monkeypatch.setenv("STUCK_STARTED", str(pipe))
    put(engine, "stuck: told", "last")
    with Child("drain", home=engine.settings.home) as server:
        end = os.open(pipe, os.O_RDONLY)  # waits until the payload is in hand
        assert int(os.read(end, 100)) > 0
        server.kill()
    assert os.read(end, 100) == b"", "the child holds its end of the pipe as long as it lives"
    os.close(end)
    assert engine.capture.drain().waiting == 0
    assert stored(engine) == {"last"}
    assert capture_check(engine).status == "degraded"


# --- A server --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("hanging")
def test_a_server_answers_while_its_drain_is_stuck(
    engine: Engine, make_fifo: Callable[[str], Fifo], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = make_fifo("started")
    monkeypatch.setenv("STUCK_STARTED", started.path)
    engine.memories.store("the harbour opens at six")
    put(engine, *(f"stuck: waiting, number {number}" for number in range(100)))
    line = Line([sys.executable, "-m", "recollect", "serve"], RECOLLECT_EMBED_PROVIDER="off")
    try:
        line.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})
        for number in range(3):
            line.call("recall_memory", number, query="when does the harbour open")
            answer = line.receive()
            assert answer["id"] == number
            assert "the harbour opens at six" in str(answer["result"])
        os.kill(int(started.wait()), 0)  # the child is still at the first payload
        assert len(list(engine.capture.spool.folder.rglob("*.Prompt.*"))) == 100
        line.hang_up()
        assert line.end() == 0, "and nothing is left behind"
    finally:
        line.close()
