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

# A long document; it goes to the model as it is.
ARGUMENT_CHARACTERS = 100_000

# Runs an operation by its name and returns its answer as text.
AskText = Callable[..., str]

RECALL = """\
{question}

Answer with the memories below where they help, and name the ids of those that you use.
The code is right where it contradicts a memory.

{answer}"""
REMEMBER = """\
Remember {what}

Call store_memory once for each fact, understandable without this conversation and with its reason.
Take the reason from this conversation or from the code; ask me if neither has it.
Call update_memory if a stored memory is no longer right. Store no secrets."""
THIS_CONVERSATION = "the decisions, corrections and root causes of this conversation."
# Claude Code passes the first word of an argument and shows the model all of them.
FIRST_WORD = " (If I typed more words than this one, use all of them, also for recall_memory.)"
REVIEW = """\
Review these changes before they are committed.

Begin with the symbol of the highest risk. Read its callers, and check the change against the related memories.
Run the tests that are listed. Report defects with path and line; do not change anything yet.

{answer}"""


class Prompt(NamedTuple):
    """A prompt with one argument; `text` returns the message for its value, which is empty if none was given."""

    description: str
    argument: str
    help: str
    text: Callable[[AskText, str], str]
    required: bool = False


def _recall(ask: AskText, question: str) -> str:
    return RECALL.format(question=_whole(question), answer=ask("recall_memory", query=question))


def _remember(ask: AskText, what: str) -> str:
    return REMEMBER.format(what=f"this: {_whole(what)}" if what else THIS_CONVERSATION)


def _whole(typed: str) -> str:
    return typed if len(typed.split()) > 1 else typed + FIRST_WORD


def _review(ask: AskText, commits: str) -> str:
    return REVIEW.format(answer=ask("review_diff", range=commits or None))


PROMPTS: Mapping[str, Prompt] = {
    "recall": Prompt(
        "Answer a question from memory.",
        "question",
        "question in words; file, symbol and error names help",
        _recall,
        required=True,
    ),
    "remember": Prompt(
        "Store something for later sessions, with its reason.",
        "what",
        "what to remember; default: what this conversation decided",
        _remember,
    ),
    "review": Prompt(
        "Review a diff with its callers, tests and memories.",
        "range",
        "commits: A..B, or A for everything since; default: uncommitted changes",
        _review,
    ),
}


def definitions() -> list[dict[str, Any]]:
    """Return the prompts as a client lists them."""
    return [
        {
            "name": name,
            "title": name.capitalize(),
            "description": row.description,
            "arguments": [{"name": row.argument, "description": row.help, "required": row.required}],
        }
        for name, row in PROMPTS.items()
    ]


def get_prompt(ask: AskText, name: object, arguments: object) -> dict[str, Any]:
    """Return the message of a prompt; raises ProtocolError for an unknown name or wrong arguments."""
    row = PROMPTS.get(name) if isinstance(name, str) else None
    if row is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name}")
    text = row.text(ask, _value(row, {} if arguments is None else arguments))
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": row.description, "messages": [message]}


def _value(row: Prompt, given: object) -> str:
    """Return the argument of a prompt, safe to show."""
    from recollect.render.untrusted import visible

    if not isinstance(given, dict) or not {row.argument}.issuperset(given):
        raise ProtocolError(INVALID_PARAMS, f"arguments is an object with {row.argument} ({row.help})")
    value = given.get(row.argument, "")
    if not isinstance(value, str) or len(value) > ARGUMENT_CHARACTERS:
        raise ProtocolError(INVALID_PARAMS, f"{row.argument} is text of at most {ARGUMENT_CHARACTERS:,} characters")
    if row.required and not value.strip():
        raise ProtocolError(INVALID_PARAMS, f"{row.argument} is missing ({row.help})")
    return visible(value.strip())
