"""What looks like an event and is none, and what is told twice."""

from __future__ import annotations

import pytest
from tests import payloads

from recollect.capture.filter import cleaned, is_noise, mark
from recollect.capture.observation import Observation
from recollect.capture.payload import read


def seen(raw: bytes, event: str = "", at: int = 0) -> Observation:
    return cleaned(read(raw, event=event, at=at))


def prompt(text: str) -> Observation:
    return seen(payloads.claude("UserPromptSubmit", prompt=text))


@pytest.mark.parametrize(
    "text",
    [
        "<task-notification>\n<task-id>1</task-id></task-notification>",
        "<system-reminder>be brief</system-reminder>",
        "<local-command-stdout>ok</local-command-stdout>",
        "<hook_context>only ours</hook_context>\n\n",
        "   ",
    ],
)
def test_a_prompt_that_a_program_wrote_is_none(text: str) -> None:
    assert is_noise(prompt(text))


def test_our_own_words_are_taken_out_of_what_comes_back() -> None:
    raw = payloads.gemini("BeforeAgent", prompt="<hook_context>injected fact</hook_context>\n\nraise the tax")
    assert seen(raw).text == "raise the tax"
    assert prompt("why? <recollect-context>old\nfacts</recollect-context> tell me").text == "why?  tell me"
    assert prompt("see <recollect-context>cut off in the mid").text == "see"


def test_the_quotes_of_opencode_are_not_the_users() -> None:
    raw = payloads.opencode("chat.message", {"sessionID": "o"}, {"parts": [{"type": "text", "text": '"raise it"'}]})
    assert seen(raw).text == "raise it"
    assert prompt('"quoted" by me: "yes"').text == '"quoted" by me: "yes"'


def test_wrappings_of_an_answer_are_taken_off() -> None:
    wrapped = {"llmContent": "<untrusted_context>\nOutput: hello\n</untrusted_context>"}
    raw = payloads.gemini("AfterTool", tool_name="run_shell_command", tool_input={}, tool_response=wrapped)
    assert seen(raw).output == {"llmContent": "Output: hello"}


@pytest.mark.parametrize(
    "raw",
    [
        payloads.used("Agent", {"prompt": "look"}, {"isAsync": True, "status": "async_launched"}),
        payloads.used("Bash", {"command": "make"}, {"stdout": "", "backgroundTaskId": "b1"}),
        payloads.used("TodoWrite", {"todos": []}, {}),
        payloads.used("mcp__recollect__store_memory", {"content": "x"}, []),
        payloads.claude("PostToolBatch", tool_calls=[]),
        payloads.claude("SubagentStop", last_assistant_message="", agent_id="a"),
    ],
)
def test_launches_lists_and_our_own_tools_are_noise(raw: bytes) -> None:
    assert is_noise(seen(raw))


@pytest.mark.parametrize(
    "raw",
    [
        payloads.looked(),
        payloads.ran("make"),
        payloads.used("Agent", {"prompt": "look"}, {"content": [{"type": "text", "text": "found it"}]}),
        payloads.claude("SubagentStop", last_assistant_message="found it", agent_id="a"),
        payloads.claude("UserPromptSubmit", prompt="<b>raise</b> the tax"),
        payloads.claude("SessionEnd", reason="other"),
    ],
)
def test_what_happened_is_no_noise(raw: bytes) -> None:
    assert not is_noise(seen(raw))


def test_two_deliveries_of_a_call_have_one_mark_however_late() -> None:
    first, second = (seen(payloads.ran("make", call="call-1"), at=at) for at in (10, 9_999))
    assert mark(first) == mark(second)
    assert mark(first)[1]
    assert mark(seen(payloads.ran("make", call="call-2"))) != mark(first)


def test_without_the_id_of_a_call_the_words_are_the_mark() -> None:
    first = payloads.copilot(toolName="bash", toolArgs={"command": "make"}, toolResult={"textResultForLlm": "ok"})
    later = first.replace(b"1767000000000", b"1767000000123")  # the two hooks did not start in the same moment
    assert mark(seen(first, "postToolUse")) == mark(seen(later, "postToolUse"))
    assert not mark(seen(first, "postToolUse"))[1]
    assert mark(prompt("go on")) != mark(prompt("go on, please"))
