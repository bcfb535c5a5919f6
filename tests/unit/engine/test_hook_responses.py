"""What is said to an assistant unasked: what helps, once, within its limits; and mostly nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import payloads
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.engine.hook_responses.context_block import MOST_BYTES, TAG
from recollect.engine.hook_responses.prompt_fast_path import fast_answer
from recollect.errors import InvalidInput
from recollect.model import Anchor, AnchorState, Injection, Memory, Session
from recollect.providers.query_vector import TABLE

NOW = 1_767_000_000
BACKOFF = "The payment client retries with exponential backoff because the bank throttles bursts"
ABOUT_BACKOFF = "how should the payment client retry when the bank throttles bursts?"
ERROR = "Exit code 1\nE   KeyError: 'se'"

Answer = Callable[..., str | None]


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    frozen = FrozenClock(NOW)
    monkeypatch.setattr(clock, "now", frozen)
    return frozen


@pytest.fixture
def engine(home: Path, time: FrozenClock) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


@pytest.fixture(params=["recall", "words", "fast path"])
def prompted(request: pytest.FixtureRequest, engine: Engine) -> Answer:
    """Answers a prompt in a session: by a recall, by words with an engine, by words without one."""

    def answer(prompt: str, session: str = "s-1", **fields: Any) -> str | None:
        raw = of(session, payloads.claude("UserPromptSubmit", prompt=prompt, **fields))
        if request.param == "fast path":
            return fast_answer(raw)
        return engine.presence.answer(raw, lexical=request.param == "words")

    return answer


def of(session: str, raw: bytes) -> bytes:
    """Return the same event in another session."""
    return json.dumps({**json.loads(raw), "session_id": session}).encode()


def take(engine: Engine, *raw: bytes) -> None:
    for each in raw:
        engine.capture.put(each)
    assert engine.capture.drain().bad == 0


def start(engine: Engine, session: str = "s-1", source: str = "startup") -> str | None:
    return engine.presence.answer(of(session, payloads.claude("SessionStart", source=source)))


def decide(engine: Engine, content: str = BACKOFF, **values: Any) -> str:
    given = {"memory_type": "decision", "namespace": payloads.ROOT, **values}
    return engine.memories.store(content, **given).memory.id


def fixed_once(engine: Engine) -> None:
    """A session in which a command failed, was fixed and worked."""
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt="make the tests pass"),
        payloads.failed("pytest -q", ERROR, call="1"),
        payloads.edited("TAX = 19", "TAX = 20", call="2"),
        payloads.ran("pytest -q", "1 passed", call="3"),
    )


# --- session start ---


def test_an_empty_store_says_nothing(engine: Engine) -> None:
    assert start(engine) is None
    assert engine.presence.context(namespace=payloads.ROOT).text == ""
    assert engine.store.count(Injection) == 0


@pytest.mark.promise("E18")
def test_a_session_begins_with_the_five_sources_fenced_as_data(engine: Engine) -> None:
    for number in range(50):
        decide(engine, f"Supplier {number} delivers to warehouse {number} on Mondays", importance=0.7)
    decide(engine, "The tax of price.py is rounded half up", importance=0.4)
    engine.memories.store("Never commit generated files", memory_type="preference")
    fixed_once(engine)
    take(engine, payloads.ran("pytest -q", "1 passed", call="4"))
    answer = "All tests of price.py pass. The report still needs a test."
    take(engine, payloads.claude("Stop", last_assistant_message=answer))
    said = start(engine)
    assert said is not None
    assert said.startswith(f"<{TAG} note=")
    assert said.endswith(f"</{TAG}>\n")
    titles = ("Preferences and conventions", "Decisions and facts", "Open work", "Commands that work here")
    assert [row.removeprefix("## ") for row in said.splitlines() if row.startswith("##")] == list(titles)
    for part in (
        "- Never commit generated files\n",
        # The file that the last session changed chooses it among fifty.
        "## Decisions and facts\n- The tax of price.py is rounded half up\n",
        "- 2025-12-29 (claude): make the tests pass. Changed price.py. Left: The report still needs a test.\n",
        "- test: `pytest -q`\n",
    ):
        assert part in said


def test_what_is_recalled_does_not_look_like_a_failure_of_now(engine: Engine) -> None:
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt="make the tests pass"),
        payloads.edited("TAX = 19", "TAX = 20", call="1"),
        payloads.failed("pytest -q", ERROR, call="2"),
    )
    said = start(engine) or ""
    assert "exit status 1" in said
    assert "exit code" not in said.lower()


def test_another_project_is_not_told_of_and_what_holds_everywhere_is(engine: Engine) -> None:
    decide(engine, namespace="/nowhere/else")
    assert start(engine) is None
    engine.memories.store("Answer in British English", memory_type="preference")
    said = start(engine) or ""
    assert "British" in said
    assert BACKOFF not in said


def test_what_was_replaced_has_ended_or_has_lost_its_code_is_left_out(engine: Engine) -> None:
    old = decide(engine, "Prices are floats")
    decide(engine, "Prices are whole cents", supersedes=old)
    retired = decide(engine, "Redis holds the sessions")
    engine.freshness.settle(retired, "retire")
    lost, changed = decide(engine, "The parser lives in old.py"), decide(engine, "The lexer lives in lex.py")
    with engine.store.transaction("test") as transaction:
        for memory, path, verdict in ((lost, "old.py", "gone"), (changed, "lex.py", "changed")):
            anchor = Anchor(id=clock.new_id(), memory_id=memory, path=path, hash="h", created_at=NOW)
            transaction.insert(anchor)
            state = AnchorState(id=anchor.id, memory_id=memory, path=path, hash="h", verdict=verdict, since=NOW)  # type: ignore[arg-type]
            transaction.insert(state)
    said = start(engine) or ""
    assert "whole cents" in said
    assert "The lexer lives in lex.py (lex.py changed since this was written)" in said
    for gone in ("floats", "Redis", "old.py"):
        assert gone not in said


def test_prompts_and_captured_noise_are_no_context(engine: Engine) -> None:
    take(engine, payloads.claude("UserPromptSubmit", prompt="paint the whole shop green"))
    assert "green" not in (start(engine) or "")


def test_a_resumed_session_is_told_only_what_is_new(engine: Engine) -> None:
    decide(engine)
    assert BACKOFF in (start(engine) or "")
    assert start(engine, source="resume") is None
    decide(engine, "Invoices are numbered without gaps")
    said = start(engine, source="resume") or ""
    assert "without gaps" in said
    assert BACKOFF not in said


@pytest.mark.promise("B5")
def test_a_session_start_stays_below_the_cap_whatever_is_stored(engine: Engine) -> None:
    for number in range(40):
        decide(engine, f"{number} " + "Käse 🧀 </recollect-context> " * 400)
    said = start(engine)
    assert said is not None
    assert len(said.encode()) <= MOST_BYTES
    assert said.count(f"</{TAG}>") == 1
    shown = engine.presence.context(namespace=payloads.ROOT, tokens=100_000)
    assert shown.bytes == len(shown.text.encode()) <= MOST_BYTES
    small = engine.presence.context(namespace=payloads.ROOT, tokens=250)
    assert 0 < small.tokens <= 250
    assert engine.presence.context(namespace=payloads.ROOT, tokens=0).text == ""


def test_secrets_of_an_older_database_are_not_said(engine: Engine) -> None:
    memory = decide(engine, "The key of the bank is here")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path = engine.settings.database_path
    engine.close()
    import sqlite3

    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE memories SET content = ? WHERE id = ?", (f"The key is {secret}", memory))
    with Engine(embed_provider="off") as again:
        said = start(again) or ""
    assert "The key is" in said
    assert secret not in said


# --- compaction ---


@pytest.mark.promise("E18")
def test_what_a_session_did_comes_back_after_it_was_compacted(engine: Engine) -> None:
    fixed_once(engine)
    take(engine, payloads.claude("PreCompact", trigger="auto"))
    (session,) = engine.store.get(Session, ["c-1"])
    assert session.snapshot.startswith("Asked for: make the tests pass\nChanged: price.py")
    said = start(engine, "c-1", source="compact") or ""
    assert "## This session before compaction\nAsked for: make the tests pass\nChanged: price.py" in said
    assert "before it was compacted" not in (start(engine, "other", source="compact") or "")


def test_what_was_said_before_a_compaction_is_said_again_after_it(engine: Engine, time: FrozenClock) -> None:
    decide(engine)
    take(engine, of("s-1", payloads.claude("UserPromptSubmit", prompt="hello parser")))
    assert BACKOFF in (start(engine) or "")
    assert start(engine, source="resume") is None
    time.advance(60)
    assert BACKOFF in (start(engine, source="compact") or "")
    assert start(engine, source="resume") is None


# --- prompts ---


@pytest.mark.promise("B5")
def test_a_prompt_that_the_memory_knows_something_of_gets_it_once(engine: Engine, prompted: Answer) -> None:
    memory = decide(engine)
    decide(engine, "Images are resized by a proxy of their own")
    said = prompted(ABOUT_BACKOFF)
    assert said is not None
    assert f"- [decision, 2025-12-29, user] {BACKOFF}\n" in said
    assert "Images" not in said
    assert prompted(ABOUT_BACKOFF) is None
    assert prompted(ABOUT_BACKOFF, "s-2") is not None
    rows = engine.store.find(Injection, order="session_id")
    assert [(row.session_id, row.memory_id, row.event) for row in rows] == [
        ("s-1", memory, "prompt"),
        ("s-2", memory, "prompt"),
    ]
    assert all(row.why and row.mark and row.at == NOW for row in rows)


@pytest.mark.promise("B5")
@pytest.mark.parametrize(
    "prompt",
    [
        "what is the weather in Oslo?",
        "make the sidebar collapsible on small screens",
        "thanks, that was really helpful",
        "continue",
        "fix it",
        "the",
        "<task-notification>payment client bank throttles</task-notification>",
        "",
    ],
)
def test_a_prompt_that_it_knows_nothing_of_gets_nothing(engine: Engine, prompted: Answer, prompt: str) -> None:
    decide(engine)
    engine.memories.store("Never commit generated files", memory_type="preference")
    assert prompted(prompt) is None
    assert engine.store.count(Injection) == 0


def by_words(engine: Engine, prompt: str) -> str | None:
    """Answer a prompt as a hook does without a server, in a store of some notes."""
    notes = (
        "Invoices are kept in the archive table for ten years",
        "The courier uploads parcel labels over SFTP every evening, and the depot prints them",
        "Refunds above 500 euros need the approval of two people",
        "Error QX_2207 means that the scanner lost its lease",
    )
    for note in notes:
        decide(engine, note)
    fixed_once(engine)
    return fast_answer(of("s-2", payloads.claude("UserPromptSubmit", prompt=prompt)))


@pytest.mark.parametrize(
    "prompt",
    [
        "where is the session table kept?",
        "how many years do people need for this?",
        "which value does the tax test expect, and who made the change?",
    ],
)
def test_by_words_everyday_words_are_too_little(engine: Engine, prompt: str) -> None:
    assert by_words(engine, prompt) is None


# What a hook answers alone by meaning, and one that nothing here answers.
MEANT = {
    "can I run the unit tests without containers?": "The test suite needs Docker to be running",
    "is there a nightly backup of postgres?": "Backups of the database are made every night at two",
    "write a haiku about cherry blossoms": None,
}


@pytest.fixture
def meant(home: Path, time: FrozenClock) -> Iterator[Engine]:
    """An engine with the shipped model, in whose store the notes of MEANT have vectors."""
    with Engine() as made:
        for note in (*filter(None, MEANT.values()), "Alerts go through an outbox table", "Releases are on Tuesdays"):
            decide(made, note)
        made.embedding.catch_up()
        yield made


@pytest.mark.parametrize("prompt", MEANT)
def test_the_fast_path_finds_memories_by_meaning(meant: Engine, prompt: str) -> None:
    text = fast_answer(of("s-2", payloads.claude("UserPromptSubmit", prompt=prompt)))
    expected = MEANT[prompt]
    assert (text or "").count("\n- ") == bool(expected)
    assert (expected or "") in (text or "")


@pytest.mark.parametrize(
    "change", ["provider", "enrichment", "superseded", "other project", "no table", "damaged table"]
)
def test_the_fast_path_uses_vectors_of_the_shipped_model_that_hold(
    meant: Engine, change: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    prompt, note = next(iter(MEANT.items()))
    raw = of("s-2", payloads.claude("UserPromptSubmit", prompt=prompt))
    if change == "provider":
        monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "ollama")
    elif change == "enrichment":
        monkeypatch.setenv("RECOLLECT_ENRICHMENT", "documented")
    elif change == "superseded":
        (memory,) = meant.store.find(Memory, {"content": note})
        with meant.store.transaction("test") as transaction:
            transaction.update(Memory, memory.id, {"superseded_by": memory.id})
    elif change == "other project":
        raw = json.dumps({**json.loads(raw), "cwd": "/elsewhere"}).encode()
    else:
        if change == "damaged table":
            (tmp_path / "table.bin").write_bytes(TABLE.read_bytes()[:1_000_000])
        monkeypatch.setattr("recollect.providers.query_vector.TABLE", tmp_path / "table.bin")
    assert fast_answer(raw) is None


def test_what_hooks_store_without_a_server_gets_vectors(home: Path, time: FrozenClock) -> None:
    rule = "From now on run the tests with make check, never with pytest directly."
    with Engine() as engine:
        take(engine, payloads.claude("UserPromptSubmit", prompt=rule), payloads.looked())
        (known,) = engine.store.find(Memory, {"observed": False})
        observed = [memory.id for memory in engine.store.find(Memory, {"observed": True})]
        made = {memory_id: engine.store.embedded_from(engine.embedding.model_id, memory_id) for memory_id in observed}
        assert engine.store.embedded_from(engine.embedding.model_id, known.id) == 0
        assert set(made.values()) == {None}


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("the courier lost a parcel, whom do I call?", "SFTP"),
        ("what is QX_2207?", "lost its lease"),
        ("who signs off big refunds, is there an approval?", "500 euros"),
    ],
)
def test_by_words_two_telling_words_or_a_name_are_enough(engine: Engine, prompt: str, expected: str) -> None:
    said = by_words(engine, prompt)
    assert said is not None
    assert [line for line in said.splitlines() if line.startswith("- ") and expected not in line] == []
    assert expected in said


def test_prompts_never_answer_prompts(engine: Engine, prompted: Answer) -> None:
    take(engine, of("before", payloads.claude("UserPromptSubmit", prompt=ABOUT_BACKOFF)))
    assert engine.store.count(Memory, {"category": "prompt"}) == 1
    assert prompted(ABOUT_BACKOFF) is None


def test_what_this_session_did_itself_is_not_told_to_it(engine: Engine, prompted: Answer) -> None:
    fixed_once(engine)
    assert prompted("pytest -q failed with KeyError se in price.py, what fixed it?", "c-1") is None
    assert prompted("pytest -q failed with KeyError se in price.py, what fixed it?", "s-2") is not None


def test_what_was_only_read_is_not_told(engine: Engine, prompted: Answer) -> None:
    take(engine, of("s-1", payloads.looked("shop/price.py", call="r")))
    assert prompted("what does shop/price.py say about prices of the shop?", "s-2") is None


def test_a_prompt_is_not_answered_with_what_no_longer_holds(engine: Engine, prompted: Answer) -> None:
    memory = decide(engine)
    engine.freshness.settle(memory, "retire")
    assert prompted(ABOUT_BACKOFF) is None
    other = decide(engine, BACKOFF + " of requests")
    decide(engine, "Payment is made by the warehouse", supersedes=other)
    assert prompted(ABOUT_BACKOFF) is None


def test_a_prompt_knows_its_project(engine: Engine, prompted: Answer) -> None:
    decide(engine, namespace="/nowhere/else")
    assert prompted(ABOUT_BACKOFF) is None
    decide(engine, namespace=None)
    assert prompted(ABOUT_BACKOFF) is not None


def test_with_a_budget_of_nothing_nothing_is_said(home: Path, time: FrozenClock) -> None:
    with Engine(embed_provider="off", prompt_tokens=0, context_tokens=0) as engine:
        decide(engine)
        assert start(engine) is None
        raw = payloads.claude("UserPromptSubmit", prompt=ABOUT_BACKOFF)
        assert engine.presence.answer(raw) is None
        assert engine.presence.answer(raw, lexical=True) is None


def test_what_nobody_waits_for_does_not_count_as_said(engine: Engine) -> None:
    decide(engine)
    raw = payloads.claude("UserPromptSubmit", prompt=ABOUT_BACKOFF)
    assert engine.presence.answer(raw, wanted=lambda: False) is None
    assert engine.store.count(Injection) == 0
    assert engine.presence.answer(raw) is not None


# --- failures ---


def _codex(error: str) -> bytes:
    said = f"Exit code: 1\nWall time: 0.1 seconds\nOutput:\n{error}"
    return payloads.codex(
        "PostToolUse", tool_name="Bash", tool_use_id="x", tool_input={"command": "pytest -q"}, tool_response=said
    )


def _gemini(error: str) -> bytes:
    said = {"llmContent": f"Output: {error}\nExit Code: 1", "returnDisplay": error}
    given = {"command": "pytest -q"}
    return payloads.gemini("AfterTool", tool_name="run_shell_command", tool_input=given, tool_response=said)


def _copilot(error: str) -> bytes:
    said = {"resultType": "success", "textResultForLlm": f"{error}\n<shellId: 0 completed with exit code 1>"}
    whole = {"sessionId": "p-1", "cwd": payloads.ROOT, "toolName": "bash", "toolArgs": {"command": "pytest -q"}}
    return json.dumps({**whole, "toolResult": said}).encode()


def _opencode(error: str) -> bytes:
    given = {"tool": "bash", "sessionID": "o-1", "callID": "o", "args": {"command": "pytest -q"}}
    output = {"title": "pytest", "output": error, "metadata": {"exit": 1}}
    whole = {"hook": "tool.execute.after", "input": given, "output": output, "directory": payloads.ROOT}
    return json.dumps(whole).encode()


@pytest.mark.promise("B4")
@pytest.mark.parametrize(
    ("raw", "event"),
    [
        (of("s-2", payloads.failed("pytest -q", ERROR, call="9")), ""),
        (_codex("E   KeyError: 'se'"), ""),
        (_gemini("E   KeyError: 'se'"), ""),
        (_copilot("E   KeyError: 'se'"), "postToolUse"),
        (_opencode("E   KeyError: 'se'"), ""),
    ],
    ids=["claude", "codex", "gemini", "copilot", "opencode"],
)
def test_a_failure_brings_the_fix_that_worked_before(engine: Engine, raw: bytes, event: str) -> None:
    assert engine.presence.answer(raw, event=event) is None
    fixed_once(engine)
    said = engine.presence.answer(raw, event=event)
    assert said is not None
    assert "This was seen before: `pytest -q` failed (exit status 1): E KeyError: 'se'\n" in said
    assert "What fixed it (once, last 2025-12-29):\n- Changed price.py (+1 −1): `TAX = 19` became `TAX = 20`.\n" in said
    assert engine.presence.answer(raw, event=event) is None
    (row,) = engine.store.find(Injection)
    assert (row.event, row.why) == ("tool", engine.store.find(Memory, {"category": "fix"})[0].metadata["fingerprint"])


@pytest.mark.promise("B4")
def test_another_failure_and_a_success_bring_nothing(engine: Engine) -> None:
    fixed_once(engine)
    assert engine.presence.answer(of("s-2", payloads.failed("pytest -q", "Exit code 1\nE   OSError: full"))) is None
    assert engine.presence.answer(of("s-2", payloads.ran("pytest -q", "KeyError is explained here"))) is None


def test_the_fix_comes_with_the_failure_although_the_session_began_with_context(engine: Engine) -> None:
    fixed_once(engine)
    decide(engine)
    assert start(engine, "s-2") is not None
    assert engine.presence.answer(of("s-2", payloads.failed("pytest -q", ERROR))) is not None


# --- everything else ---


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"{",
        b"[]",
        b"{}",
        b'{"hook_event_name": 7, "session_id": []}',
        b"\xff\xfe",
        payloads.claude("SessionEnd", reason="other"),
        payloads.claude("PreCompact", trigger="auto"),
        payloads.claude("SubagentStop", last_assistant_message=ABOUT_BACKOFF),
        payloads.claude("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}),
        payloads.looked(),
    ],
)
def test_whatever_else_a_hook_is_given_nothing_is_said(engine: Engine, raw: bytes) -> None:
    decide(engine)
    assert engine.presence.answer(raw) is None
    assert fast_answer(raw) is None


@pytest.mark.promise("E18")
def test_the_end_of_a_turn_is_summed_up_and_nothing_is_said(engine: Engine) -> None:
    fixed_once(engine)
    stop = payloads.claude("Stop", last_assistant_message="All tests pass.")
    assert engine.presence.answer(stop) is None
    answer = engine.sessions.summarize(payload=stop.decode())
    assert answer.session.id == "c-1"
    assert answer.session.ended_at == NOW
    assert answer.memory is not None
    assert "Ended with: All tests pass." in answer.memory.content


def test_what_is_no_payload_cannot_be_summed_up(engine: Engine) -> None:
    for raw in ("no json", payloads.claude("PreToolUse", tool_name="Bash").decode()):
        with pytest.raises(InvalidInput):
            engine.sessions.summarize(payload=raw)
    with pytest.raises(InvalidInput, match="payload is empty"):
        engine.presence.prompt("  ")
    with pytest.raises(InvalidInput, match="not a JSON object") as caught:
        engine.presence.prompt("why do we retry?")
    assert "session preview" in caught.value.hint


@pytest.mark.promise("E18")
def test_a_prompt_is_stored_as_the_document_says_and_answered(engine: Engine) -> None:
    decide(engine)
    answer = engine.presence.prompt(payloads.claude("UserPromptSubmit", prompt=ABOUT_BACKOFF).decode())
    assert BACKOFF in answer.text
    assert (answer.assistant, answer.budget) == ("claude", 600)
    (prompt,) = engine.store.find(Memory, {"category": "prompt"})
    assert (prompt.memory_type, prompt.importance, prompt.metadata["source"]) == ("context", 0.3, "UserPromptSubmit")


def test_a_store_that_cannot_be_read_says_nothing(home: Path) -> None:
    home.mkdir()
    (home / "recollect.db").write_bytes(b"not a database, but long enough to look like a file of somebody else" * 20)
    with Engine(embed_provider="off") as engine:
        raw = payloads.claude("UserPromptSubmit", prompt=ABOUT_BACKOFF)
        assert engine.presence.answer(raw) is None
        assert engine.presence.answer(raw, lexical=True) is None
        assert engine.presence.answer(payloads.claude("SessionStart", source="startup")) is None
    assert fast_answer(raw) is None


def test_the_fast_path_makes_no_database_and_touches_none_of_another_version(home: Path) -> None:
    import sqlite3

    raw = payloads.claude("UserPromptSubmit", prompt=ABOUT_BACKOFF)
    assert fast_answer(raw) is None
    assert not (home / "recollect.db").exists()
    with Engine(embed_provider="off") as engine:
        decide(engine)
    with sqlite3.connect(home / "recollect.db") as connection:
        connection.execute("PRAGMA user_version = 3")
    assert fast_answer(raw) is None


def test_what_was_said_is_forgotten_with_its_memory_and_with_time(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, time: FrozenClock
) -> None:
    memory = decide(engine)
    decide(engine, "Invoices are numbered without gaps")
    assert start(engine) is not None
    assert engine.store.count(Injection) == 2
    engine.memories.delete(memory)
    assert engine.store.count(Injection) == 1
    monkeypatch.setattr(clock, "now", FrozenClock(NOW + 200 * 86_400))
    engine.session_updates.close_silent()
    assert engine.store.count(Injection) == 0
