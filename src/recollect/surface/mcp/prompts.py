"""Prompts: messages that a user sends by name, with the answer of an operation in them.

    recall      a question with the memories that answer it
    remember    the request to store something with its reason
    review      the review of a diff, with what to do about it

An answer is fenced as data, as in a tool result. Words of the user stand outside of the fence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from recollect.surface.mcp.jsonrpc import INVALID_PARAMS, ProtocolError

# Runs an operation by its name and returns its answer as text.
AskText = Callable[..., str]

RECALL = """\
{question}

Answer with the memories below where they help, and name the ids of those that you use.
The code is right where it contradicts a memory.

{answer}"""
REMEMBER = """\
Remember {what}.

Call store_memory once for each fact, understandable without this conversation and with its reason.
Take the reason from this conversation or from the code; ask me if neither has it.
Call update_memory if a stored memory is no longer right. Store no secrets."""
THIS_CONVERSATION = "the decisions, corrections and root causes of this conversation"
REVIEW = """\
Review these changes before they are committed.

Begin with the symbol of the highest risk. Read its callers, and check the change against the related memories.
Run the tests that are listed. Report defects with path and line; do not change anything yet.

{answer}"""


class Argument(NamedTuple):
    """An argument of a prompt."""

    name: str
    description: str
    required: bool = False


class Prompt(NamedTuple):
    """A prompt: its arguments and the function that returns its text."""

    description: str
    arguments: tuple[Argument, ...]
    text: Callable[[AskText, Mapping[str, str]], str]


def _recall(ask: AskText, given: Mapping[str, str]) -> str:
    return RECALL.format(question=given["question"], answer=ask("recall_memory", query=given["question"]))


def _remember(ask: AskText, given: Mapping[str, str]) -> str:
    what = given.get("what", "").strip()
    return REMEMBER.format(what=f"this: {what}" if what else THIS_CONVERSATION)


def _review(ask: AskText, given: Mapping[str, str]) -> str:
    wanted = given.get("range", "").strip()
    return REVIEW.format(answer=ask("review_diff", **({"range": wanted} if wanted else {})))


PROMPTS: Mapping[str, Prompt] = {
    "recall": Prompt(
        "Answer a question from memory.",
        (Argument("question", "question in words; file, symbol and error names help", required=True),),
        _recall,
    ),
    "remember": Prompt(
        "Store something for later sessions, with its reason.",
        (Argument("what", "what to remember; default: what this conversation decided"),),
        _remember,
    ),
    "review": Prompt(
        "Review a diff with its callers, tests and memories.",
        (Argument("range", "commits: A..B, or A for everything since; default: uncommitted changes"),),
        _review,
    ),
}


def definitions() -> list[dict[str, Any]]:
    """Return the prompts as a client lists them."""
    return [
        {
            "name": name,
            "title": name.capitalize(),
            "description": prompt.description,
            "arguments": [argument._asdict() for argument in prompt.arguments],
        }
        for name, prompt in PROMPTS.items()
    ]


def get_prompt(ask: AskText, name: object, arguments: object) -> dict[str, Any]:
    """Return the message of a prompt; raises ProtocolError for an unknown name or wrong arguments."""
    from recollect.render.untrusted import visible

    prompt = PROMPTS.get(name) if isinstance(name, str) else None
    if prompt is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name}")
    given = _checked(prompt, {} if arguments is None else arguments)
    text = prompt.text(ask, {key: visible(value) for key, value in given.items()})
    return {
        "description": prompt.description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }


def _checked(prompt: Prompt, given: object) -> dict[str, str]:
    known = {argument.name: argument for argument in prompt.arguments}
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise ProtocolError(INVALID_PARAMS, "arguments is an object of texts")
    if unknown := [name for name in given if name not in known]:
        raise ProtocolError(INVALID_PARAMS, f"The prompt has no argument {unknown[0]}")
    for name, argument in known.items():
        if argument.required and not given.get(name, "").strip():
            raise ProtocolError(INVALID_PARAMS, f"The prompt needs the argument {name}: {argument.description}")
    return given
