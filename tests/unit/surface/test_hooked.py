"""Commands that are hooks themselves: given a payload they print what a hook prints, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import payloads

from recollect import Engine
from recollect.model import Context, Health
from recollect.surface.cli import arguments, main
from recollect.surface.hooks.hook_output import printed

CONTENT = "The payment client retries with exponential backoff because the bank throttles bursts"
PROMPT = payloads.claude(
    "UserPromptSubmit", prompt="how does the payment client retry when the bank throttles?"
).decode()


@pytest.fixture
def known(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.setattr(arguments, "is_piped", lambda: False)
    with Engine() as engine:
        engine.memories.store(CONTENT, memory_type="decision", namespace=payloads.ROOT)


@pytest.mark.promise("E18")
@pytest.mark.parametrize(
    ("command", "payload", "event"),
    [
        ("context", payloads.claude("SessionStart", source="startup").decode(), "SessionStart"),
        ("prompt", PROMPT, "UserPromptSubmit"),
        ("prompt", payloads.gemini("BeforeAgent", prompt=json.loads(PROMPT)["prompt"]).decode(), "BeforeAgent"),
    ],
)
def test_a_hook_gets_its_context_in_the_form_that_it_reads(
    known: None, capfdbinary: pytest.CaptureFixture[bytes], command: str, payload: str, event: str
) -> None:
    assert main([command, payload]) == 0
    (line,) = capfdbinary.readouterr().out.splitlines()
    told = json.loads(line)["hookSpecificOutput"]
    assert told["hookEventName"] == event
    assert told["additionalContext"].startswith("<recollect-context ")
    assert CONTENT in told["additionalContext"]


@pytest.mark.promise("E18")
def test_where_there_is_nothing_to_say_nothing_is_printed(
    known: None, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for words in (
        ["prompt", payloads.claude("UserPromptSubmit", prompt="what is the weather in Oslo today?").decode()],
        ["summarize", "--payload", payloads.claude("Stop", last_assistant_message="Done.").decode()],
        ["context", "no json at all"],
    ):
        assert main(words) == 0
    assert capfdbinary.readouterr().out == b""


def test_without_a_payload_the_answer_is_shown(known: None, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["context", "--project", payloads.ROOT]) == 0
    assert CONTENT.encode() in capfdbinary.readouterr().out
    assert main(["context", "--json", payloads.claude("SessionStart", source="startup").decode()]) == 0
    assert CONTENT in json.loads(capfdbinary.readouterr().out)["text"]
    assert main(["prompt"]) == 2
    assert b"payload is empty" in capfdbinary.readouterr().err


def test_only_hooks_print_as_hooks() -> None:
    said = Context(text="x", assistant="claude")
    assert printed("recall_memory", {"payload": "{}"}, said) is None
    assert printed("session_context", {}, said) is None
    assert printed("session_context", {"payload": " "}, said) is None
    assert printed("summarize_session", {"payload": "{}"}, Health(status="ok", version="1", checks=())) == b""
    assert printed("submit_prompt", {"payload": "[1]"}, said) is not None
    assert printed("submit_prompt", {"payload": "[1]"}, Context(text="x", assistant="nobody")) == b""
