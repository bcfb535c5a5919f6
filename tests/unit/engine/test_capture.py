"""What hooks leave becomes memories: once, without secrets, tied to files; and failures bring their fix."""

from __future__ import annotations

import itertools
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests import payloads
from tests.trees import git
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.capture.error_fingerprint import failure
from recollect.engine.sessions import background_drain, capture, spool_drain
from recollect.errors import StorageError
from recollect.model import Edge, Fix, Memory, Node, Observed, Session


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


def take(engine: Engine, *raw: bytes, event: str = "", assistant: str = "") -> None:
    """Leave payloads and drain them."""
    for each in raw:
        engine.capture.put(each, event=event, assistant=assistant)
    answer = engine.capture.drain()
    assert (answer.bad, answer.notes, answer.waiting) == (0, (), 0)


def memories(engine: Engine) -> list[Memory]:
    return engine.store.find(Memory, order="seq")


@pytest.mark.promise("E19")
def test_what_a_tool_did_is_a_memory_of_its_session_and_project(engine: Engine) -> None:
    take(engine, payloads.looked("src/price.py"))
    (memory,) = memories(engine)
    assert memory.content.startswith("Read src/price.py: Prices of the shop.")
    assert (memory.memory_type, memory.source, memory.session_id) == ("context", "hook", "c-1")
    assert memory.tags == ("ext:py", "dir:src", "file:price.py")
    assert memory.namespace == payloads.ROOT
    assert memory.metadata["assistant"] == "claude"
    (node,) = engine.store.find(Node, {"kind": "File"})
    assert (node.id, node.label) == (f"file:{payloads.ROOT}/src/price.py", "src/price.py")
    (edge,) = engine.store.find(Edge)
    assert (edge.src, edge.dst, edge.relationship) == (f"mem:{memory.id}", node.id, "RELATES_TO")


@pytest.mark.promise("E20")
def test_a_file_that_was_read_and_then_changed_has_evolved(engine: Engine) -> None:
    take(engine, payloads.edited("TAX = 19", "TAX = 20"))
    assert engine.store.find(Edge, {"relationship": "EVOLVED_INTO"}) == []
    take(engine, payloads.looked(), payloads.edited("TAX = 20", "TAX = 25", text=payloads.SOURCE.replace("19", "20")))
    take(engine, payloads.edited("TAX = 25", "TAX = 30", text=payloads.SOURCE.replace("19", "25")))
    (edge,) = engine.store.find(Edge, {"relationship": "EVOLVED_INTO"})
    assert edge.src == edge.dst == f"file:{payloads.ROOT}/price.py"
    assert edge.properties["times"] == 2
    engine.graph.traverse(edge.src)  # a link of a node to itself leads nowhere and breaks nothing


def test_a_prompt_is_stored_and_machine_prompts_are_not(engine: Engine) -> None:
    take(engine, payloads.claude("UserPromptSubmit", prompt="raise the tax"))
    take(engine, payloads.claude("UserPromptSubmit", prompt="<task-notification>done</task-notification>"))
    (memory,) = memories(engine)
    assert (memory.content, memory.importance) == ("raise the tax", 0.3)
    assert memory.metadata["source"] == "UserPromptSubmit"


def test_the_same_event_delivered_twice_is_one(engine: Engine) -> None:
    raw = payloads.copilot(toolName="bash", toolArgs={"command": "make"}, toolResult={"textResultForLlm": "ok"})
    take(engine, raw, raw, event="postToolUse", assistant="copilot")
    assert engine.store.count(Observed) == 1
    take(engine, payloads.ran("make", call="1"), payloads.ran("make", call="1"), payloads.ran("make", call="2"))
    assert engine.store.count(Observed) == 3


def test_two_turns_that_end_with_the_same_words_are_two(engine: Engine) -> None:
    done = payloads.claude("Stop", last_assistant_message="Done.")
    asked = [payloads.claude("UserPromptSubmit", prompt=prompt) for prompt in ("raise the tax", "close the file")]
    take(engine, asked[0], done, done, asked[1], done)
    assert engine.store.count(Observed, {"event": "turn_end"}) == 2
    assert engine.store.find(Session)[0].ended_by == "turn"


def test_the_same_lesson_again_is_noted_and_remembered_once(engine: Engine) -> None:
    for call in ("1", "2"):
        engine.capture.put(payloads.looked(call=call))
    answer = engine.capture.drain()
    assert (answer.taken, answer.stored, answer.merged) == (2, 1, 1)
    assert len(memories(engine)) == 1
    assert engine.store.count(Observed) == 2


def test_a_payload_that_was_stored_before_its_drainer_died_is_not_stored_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.capture.put(payloads.claude("UserPromptSubmit", prompt="raise the tax"))
    with monkeypatch.context() as patch:
        patch.setattr("recollect.capture.spool.Claims.done", lambda self, payload: None)
        assert engine.capture.drain(1).stored == 1
    answer = engine.capture.drain()
    assert (answer.stored, answer.merged, answer.skipped, answer.waiting) == (0, 0, 1, 0)
    assert engine.store.find(Session)[0].memory_count == 1


@pytest.mark.promise("B6")
def test_no_secret_gets_from_the_spool_into_the_store_or_aside(engine: Engine, home: Path) -> None:
    secret = "ghp_" + "a8Kq2Zr7" * 4 + "Xy12"
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt=f"use the token {secret}"),
        payloads.ran(f"curl -H 'Authorization: Bearer {secret}' https://example.org"),
        payloads.failed(f"deploy --token {secret}", f"Exit code 1\nError: {secret} was refused"),
        payloads.edited("TAX = 19", f'TOKEN = "{secret}"'),
        payloads.claude("Stop", last_assistant_message=f"I used {secret}"),
    )
    engine.capture.put(b"{not json: " + secret.encode())
    assert engine.capture.drain().bad == 1
    engine.close()
    for path in home.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_a_bad_payload_is_set_aside_and_the_others_go_on(engine: Engine, home: Path) -> None:
    for raw in (payloads.ran("make"), b"\x00\xff", b"{}", payloads.ran("make lint")):
        engine.capture.put(raw)
    answer = engine.capture.drain()
    assert (answer.taken, answer.stored, answer.bad, answer.waiting) == (4, 2, 2, 0)
    reasons = {path.read_text(encoding="utf-8").splitlines()[0] for path in (home / "spool" / "bad").iterdir()}
    assert any("not JSON" in reason for reason in reasons)


def test_what_cannot_be_written_is_set_aside_alone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.engine.sessions import hook_ingest

    write = hook_ingest.write

    def awkward(transaction, notice, anchor):  # type: ignore[no-untyped-def]
        if "awkward" in notice.row.told:
            raise ValueError("a surprise")
        return write(transaction, notice, anchor)

    monkeypatch.setattr(hook_ingest, "write", awkward)
    for command in ("make", "awkward command", "make lint"):
        engine.capture.put(payloads.ran(command))
    answer = engine.capture.drain()
    assert (answer.stored, answer.bad, answer.waiting) == (2, 1, 0)


def test_a_locked_store_loses_nothing(engine: Engine, home: Path) -> None:
    engine.capture.put(payloads.ran("make"))
    engine.store.count(Memory)
    with Engine(embed_provider="off", busy_timeout_ms=1) as impatient:
        impatient.store.count(Memory)
        other = sqlite3.connect(home / "recollect.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answer = impatient.capture.drain()
        assert (answer.stored, answer.waiting, len(answer.notes)) == (0, 1, 1)
        other.execute("ROLLBACK")
        other.close()
        assert impatient.capture.drain().stored == 1


def test_a_search_finds_what_was_seen_a_moment_ago(engine: Engine) -> None:
    engine.capture.put(payloads.edited("TAX = 19", "TAX = 25"))
    found = engine.recall.search("what happened to TAX in price.py")
    assert [hit.memory.memory_type for hit in found.hits] == ["decision"]


def test_draining_takes_no_more_than_it_is_told(engine: Engine) -> None:
    for number in range(5):
        engine.capture.put(payloads.ran(f"make part{number}"))
    assert engine.capture.drain(2).waiting == 3
    assert engine.capture.ingest(limit=2).waiting == 1


def test_ingest_takes_a_payload_of_its_own(engine: Engine) -> None:
    raw = payloads.copilot(prompt="raise the tax").decode()
    answer = engine.capture.ingest(raw, event="userPromptSubmitted", assistant="copilot")
    assert (answer.taken, answer.stored) == (1, 1)


def test_a_spool_that_cannot_be_written_is_an_error_with_a_code(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with Engine(home=str(tmp_path / "file"), embed_provider="off") as engine, pytest.raises(StorageError):
        engine.capture.put(b"{}")


def test_a_server_drains_in_the_background(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_drain, "POLL_S", 0.01)
    drained = threading.Event()
    monkeypatch.setattr(engine.embedding, "wake", drained.set)
    engine.capture.put(payloads.ran("make"))
    engine.capture.start()
    assert drained.wait(PATIENCE_S)
    engine.capture.stop()
    assert len(memories(engine)) == 1


def test_a_server_that_is_asked_before_it_looked_looks_first(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_drain, "POLL_S", 3600)
    monkeypatch.setattr(background_drain, "START_S", PATIENCE_S)
    engine.capture.start()
    engine.capture.put(payloads.ran("make"))
    beside(engine.capture.catch_up)
    engine.capture.stop()
    assert len(memories(engine)) == 1


def test_the_start_of_a_session_waits_for_a_child_that_is_slow(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_drain, "POLL_S", 3600)
    monkeypatch.setattr(background_drain, "START_S", PATIENCE_S)
    monkeypatch.setattr(background_drain, "WAIT_S", 0)
    engine.capture.start()
    for number, command in enumerate(("make", "make lint")):
        engine.capture.put(payloads.ran(command, call=str(number)))
        beside(lambda: engine.capture.begin_session(b"the start"))
        assert len(memories(engine)) == number + 1
    engine.capture.stop()


def test_the_start_of_a_session_ingests_what_waits_beside_its_own_event(engine: Engine) -> None:
    start = payloads.claude("SessionStart", source="startup")
    engine.capture.put(start)
    engine.presence.answer(start)
    assert (engine.capture.spool.waiting(), engine.capture.is_unfinished) == (1, False)
    engine.capture.put(payloads.ran("make"))
    engine.presence.answer(start)
    assert (engine.capture.spool.waiting(), len(memories(engine))) == (0, 1)


def test_the_start_of_a_session_leaves_what_takes_too_long(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "BESIDE", 1)
    for number, command in enumerate(("make", "make lint")):
        engine.capture.put(payloads.ran(command, call=str(number)))
    engine.presence.answer(payloads.claude("SessionStart", source="startup"))
    assert (engine.capture.is_unfinished, len(memories(engine))) == (True, 1)
    engine.capture.finish()
    assert len(memories(engine)) == 2


def test_the_start_of_a_session_answers_in_time_on_a_busy_machine(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, what in enumerate(("Deploys go to Bergen.", "Backups go to Oslo.", "Tickets go to Turku.")):
        engine.capture.put(
            payloads.claude("UserPromptSubmit", prompt=f"From now on remember: {what}", session_id=f"s{number}")
        )
    seconds = itertools.chain((0.0, 0.0), itertools.repeat(99.0))
    slow = SimpleNamespace(thread_time=lambda: 0.0, monotonic=lambda: next(seconds))
    monkeypatch.setattr(spool_drain, "time", slow)
    engine.presence.answer(payloads.claude("SessionStart", source="startup"))
    held = [memory.content for memory in memories(engine)]
    assert engine.capture.is_unfinished
    assert "Bergen" in str(held)
    assert "Turku" not in str(held)
    engine.capture.finish()
    assert "Turku" in str([memory.content for memory in memories(engine)])


def test_the_start_of_a_session_loads_no_model_for_vectors_alone(home: Path) -> None:
    with Engine(embed_provider="off") as engine:
        engine.memories.store("Backups of the harbour database go to Bergen.", namespace=payloads.ROOT)
    with Engine() as engine:
        engine.capture.put(payloads.ran("make"))
        engine.presence.answer(payloads.claude("SessionStart", source="startup"), lexical=True)
        assert (engine.capture.is_unfinished, engine.embedding.is_used) == (True, False)
        engine.capture.finish()
        assert not engine.embedding.lacks_known()


def beside(work: Callable[[], None]) -> None:
    """Do something as calls of a server do: not in its main thread."""
    asking = threading.Thread(target=work)
    asking.start()
    asking.join(PATIENCE_S)


def test_work_trees_share_a_project_and_tell_their_branch(engine: Engine, tmp_path: Path) -> None:
    first, second = tmp_path / "shop", tmp_path / "shop-fix"
    first.mkdir()
    (first / "price.py").write_text(payloads.SOURCE, encoding="utf-8")
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "first")):
        git(first, *words)
    git(first, "worktree", "add", "-q", "-b", "fix", str(second))
    for number, folder in enumerate((first, second)):
        raw = payloads.looked(call=str(number)).replace(payloads.ROOT.encode(), str(folder).encode())
        engine.capture.put(raw.replace(b'"c-1"', f'"c-{number}"'.encode()))
    engine.capture.drain()
    sessions = engine.store.find(Session, order="id")
    assert [row.namespace for row in sessions] == [str(first)] * 2
    assert [row.branch for row in sessions] == ["main", "fix"]
    assert [node.id for node in engine.store.find(Node, {"kind": "File"})] == [f"file:{first}/price.py"]


ERROR = "Exit code 1\nTraceback (most recent call last):\n  File \"/nowhere/shop/price.py\", line {}\nKeyError: 'se'"


def test_a_failure_seen_before_brings_what_fixed_it(engine: Engine) -> None:
    take(
        engine,
        payloads.failed("pytest", ERROR.format(7), call="1"),
        payloads.looked(call="2"),
        payloads.edited("TAX = 19", "TAX = 25", call="3"),
        payloads.ran("cd /nowhere/shop && pytest 2>&1 | tail -3", "1 passed", call="4"),
    )
    fingerprint = failure(ERROR.format(512).replace("Exit code 1\n", "")).fingerprint
    known = engine.capture.fix_for(fingerprint, payloads.ROOT)
    assert known is not None
    assert known.times == 1
    assert known.steps == ("Changed price.py (+1 −1): `TAX = 19` became `TAX = 25`.",)
    assert known.memory.memory_type == "insight"
    assert "KeyError: 'se'" in known.memory.content
    assert engine.capture.fix_for(fingerprint, "/nowhere/else") is None
    assert engine.capture.fix_for("0" * 16) is None


def test_a_folder_that_cannot_be_loses_nothing(engine: Engine) -> None:
    take(engine, payloads.ran("make").replace(b"/nowhere/shop", b"/" + b"x/" * 1_500))
    take(engine, payloads.ran("make lint").replace(b"/nowhere/shop", b"~nobody-there/x"))
    assert len(memories(engine)) == 2


def test_a_fix_counts_how_often_it_helped_and_is_told_once(engine: Engine) -> None:
    for session in ("a", "b"):
        rows = (
            payloads.failed("pytest", ERROR.format(7), call=f"1{session}"),
            payloads.ran("pip install x", call=f"2{session}"),
            payloads.ran("pytest", call=f"3{session}"),
        )
        take(engine, *(raw.replace(b'"c-1"', f'"{session}"'.encode()) for raw in rows))
        take(engine, payloads.ran("pytest", call=f"4{session}").replace(b'"c-1"', f'"{session}"'.encode()))
    (fingerprint,) = {row.fingerprint for row in engine.store.find(Fix)}
    known = engine.capture.fix_for(fingerprint)
    assert known is not None
    assert known.times == 2
    assert engine.store.count(Memory, {"category": "fix"}) == 1
    engine.memories.delete(known.memory.id)
    assert engine.capture.fix_for(fingerprint) is None


def test_deleting_a_namespace_forgets_what_hooks_saw_in_it(engine: Engine) -> None:
    take(engine, payloads.failed("pytest", ERROR.format(7)), payloads.ran("pip install x"), payloads.ran("pytest"))
    engine.namespaces.delete(payloads.ROOT)
    for kind in (Memory, Observed, Fix, Session, Node, Edge):
        assert engine.store.count(kind) == 0, kind


def test_an_event_without_a_folder_belongs_where_its_session_began(engine: Engine) -> None:
    take(engine, payloads.opencode("event", {"type": "session.created", "properties": {"sessionID": "o-1"}}))
    used = json.loads(
        payloads.opencode("tool.execute.after", {"tool": "bash", "sessionID": "o-1", "args": {"command": "make"}})
    )
    del used["directory"]
    take(engine, json.dumps(used).encode())
    assert [memory.namespace for memory in memories(engine)] == [payloads.ROOT]
