"""Filter of observations: machine-written prompts, duplicates, and context that hooks injected."""

from __future__ import annotations

import json
import re

from recollect.capture import tools
from recollect.capture.observation import Observation
from recollect.text.digest import digest
from recollect.text.lazy_patterns import compiled

# Beginnings of prompts that a program wrote.
_MACHINE = (
    "<task-notification",
    "<system-reminder",
    "<system_reminder",
    "<local-command-",
    "<command-name>",
    "<command-message>",
    "<bash-input>",
    "<bash-stdout>",
    "<user-prompt-submit-hook>",
    "[request interrupted by user",
    "caveat: the messages below were generated",
    "this session is being continued from a previous conversation",
    # In transcripts only.
    "<environment_context",
    "<user_instructions",
    "<session_context",
    "<turn_aborted",
    "<skill",
    "<user_shell_command",
    "<subagent_notification",
    "<permissions instructions",
    "<collaboration_mode",
    "# agents.md instructions",
)
# Context that hooks, ours included, injected into a prompt or an answer.
_INJECTED = compiled(
    r"<(hook_context|recollect-context|codemem-context|recollect-hint|system-reminder|system_reminder)\b[^<>]*+>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
    needs=("<",),
)
_WRAPPED = compiled(r"\A\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*\Z", re.DOTALL)

# Our own server; its calls are in the store already.
OWN_SERVERS = frozenset({"recollect", "codemem"})

# Its tools that answer with memories.
ANSWERING = compiled(r"(?:^|[_-])(?:recall_memory|recall_with_expansion|recall_with_impact|pack_context|get_memory"
                       r"|retrieve_relevant_memories)$")  # fmt: skip
_ID = compiled(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")

# Two deliveries of one event come from two hooks that start together.
TWICE_S = 5


def cleaned(seen: Observation) -> Observation:
    """Return an observation without injected context and wrappers of the assistant."""
    text = _INJECTED.sub("", seen.text).strip()
    if seen.event == "prompt" and seen.assistant == "opencode" and len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].strip()  # `opencode run` puts quotes around it
    return seen._replace(text=text, output=_without_wrapping(seen.output))


def _without_wrapping(value: object) -> object:
    if isinstance(value, str):
        match = _WRAPPED.match(value)
        return _INJECTED.sub("", match[1] if match else value)
    if isinstance(value, list):
        return [_without_wrapping(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_wrapping(item) for key, item in value.items()}
    return value


def is_noise(seen: Observation) -> bool:
    """Tell whether a cleaned observation is worth nothing."""
    if seen.event == "nothing":
        return True
    if seen.event == "prompt":
        return not seen.text or seen.text.lower().startswith(_MACHINE)
    if seen.event == "agent_end":
        return not seen.text
    if seen.event != "tool":
        return False
    if seen.tool == "plan" or seen.server.lower() in OWN_SERVERS:
        return True
    return _is_launch(seen)


def is_answer(seen: Observation) -> bool:
    """Tell whether an observation is an answer of our server that contains memories."""
    is_ours = seen.event == "tool" and seen.server.lower() in OWN_SERVERS and bool(seen.session)
    return is_ours and seen.failed is not True and ANSWERING.search(seen.tool_name) is not None


def memory_ids(seen: Observation) -> tuple[str, ...]:
    """Return the ids in an answer that may be memories."""
    text = tools.said(seen.output) or json.dumps(seen.output, default=str)
    return tuple(dict.fromkeys(_ID.findall(text)))


def _is_launch(seen: Observation) -> bool:
    """Tell whether a sub-agent or a command was only started; its result comes later."""
    output = seen.output if isinstance(seen.output, dict) else {}
    if seen.tool == "agent":
        return output.get("isAsync") is True or output.get("status") == "async_launched"
    return seen.tool == "shell" and bool(output.get("backgroundTaskId"))


def mark(seen: Observation) -> tuple[str, bool]:
    """Return the deduplication key of an event, and whether it is unique.

    The id of a call is unique. Other events are compared by content, within TWICE_S.
    """
    said: object = (seen.text, seen.reason, seen.tool_name, seen.input, tools.said(seen.output), seen.error, seen.agent)
    if seen.call_id:
        said = seen.call_id
    whole = json.dumps((seen.assistant, seen.session, seen.event, said), sort_keys=True, ensure_ascii=False)
    return digest(whole, 32), bool(seen.call_id)
