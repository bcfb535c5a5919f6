"""Presence: how often a prompt is answered that should be, and how often one that should not.

    python bench/presence.py [--json]

A project's memory, written for this benchmark: decisions and preferences, among captured reads, edits, prompts and
summaries as hooks leave them. Every prompt comes in a session of its own, through `Presence.answer`, with vectors and
by words alone. Related prompts ask, in other words, for one memory each; unrelated ones are everyday matters, orders
that fit any project, and work on things that this memory knows nothing of.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import metrics
from conversations import UNRELATED_PROMPTS
from recollect import Engine

ROOT = "/nowhere/shop"

# What is remembered, and a prompt that is about it.
KNOWN: tuple[tuple[str, str, str], ...] = (
    ("decision", "The payment client retries with exponential backoff and jitter, because the bank throttles bursts",
     "the payment client gets throttled by the bank, make the retries better"),
    ("decision", "Prices are kept as integer cents; floats lost a cent in the checkout totals of March",
     "checkout totals are off by a cent, look into how prices are kept"),
    ("preference", "Migrations are written by hand and reviewed; never use the autogenerate option of Alembic",
     "create an Alembic migration that adds a column for the phone number"),
    ("decision", "Sessions live in Redis with a lifetime of 30 minutes, so that web nodes stay stateless",
     "users complain that their session ends too early, where do sessions live?"),
    ("insight", "The import of the supplier's catalogue needs 6 GB of memory because the XML is parsed as one tree",
     "the catalogue import of the supplier was killed for memory"),
    ("decision", "Search uses Postgres trigram indexes instead of Elasticsearch: one service less to run",
     "should we put product search on Elasticsearch?"),
    ("preference", "Use pytest fixtures instead of unittest's setUp in new tests",
     "write tests for the coupon service with the usual fixtures"),
    ("decision", "Feature flags are read from the table flags once per request, never from the environment",
     "add a feature flag for the new basket page"),
    ("pattern", "Every background job takes a lock by its name, or the nightly invoice run happens twice",
     "the nightly invoice job ran twice yesterday"),
    ("decision", "Images are resized by imgproxy on demand; the application never touches pixels",
     "product images should be resized to thumbnails"),
    ("insight", "The test of the tax report fails in other time zones: it compares local dates",
     "the tax report test fails on the machine of my colleague in another time zone"),
    ("decision", "The public API answers with cursor pagination; offsets were too slow from page 200 on",
     "add pagination to the orders endpoint of the public API"),
    ("preference", "Commit messages say why, in the imperative, at most 72 characters in the first line",
     "write the commit message for this change, the way we do commit messages"),
    ("decision", "Passwords are hashed with argon2id, memory 64 MB, three passes",
     "which parameters do we use to hash passwords with argon2?"),
    ("insight", "The websocket of the order tracker closes after 60 seconds: the load balancer's idle timeout",
     "the order tracker loses its websocket after a minute"),
    ("decision", "Mails are sent through an outbox table and a worker, so that a rollback never sends one",
     "a customer got a mail although the order was rolled back"),
    ("preference", "Keep the templates free of logic: compute in the view, show in the template",
     "move the discount computation out of the template"),
    ("decision", "Docker images are built from distroless Python and run as user 10001",
     "as which user do our docker images run, and from which base image are they built?"),
    ("insight", "Stripe webhooks arrive out of order; the handler compares event times before it writes",
     "handle the Stripe webhook that marks an order as paid"),
    ("decision", "Translations come from gettext catalogues; keys are English sentences",
     "add a German translation of the shipping page"),
)  # fmt: skip

# Orders that fit any project, and work on what this one does not have.
OTHER_WORK = (
    "continue", "yes please", "go on", "fix it", "looks good, commit it", "run the tests", "run the tests again",
    "what did you change?", "undo that", "explain this function", "rename this variable", "why did that fail?",
    "add a comment there", "can you simplify this code?", "make it faster", "write a README", "clean up the code",
    "what does this file do?", "show me the diff", "update the dependencies", "please format the code",
    "split this file into two modules", "add type hints to this module", "is there a bug in line 40?",
    "open a pull request", "push the branch", "merge main into this branch", "resolve the merge conflict",
    "add logging to the parser", "port the parser to Rust", "write a lexer for arithmetic expressions",
    "set up a GitHub workflow that runs the linter", "configure the linter to allow longer lines",
    "render the terrain with a quadtree", "animate the sprite when the player jumps",
    "train a classifier on the iris data", "plot the loss curve of the last epoch",
    "draw a bar chart of the survey results", "parse the command line with argparse",
    "compile the firmware for the microcontroller", "blink the LED when a packet arrives",
    "translate this SQL query into pandas", "read the sensor over I2C every second",
    "implement a red-black tree", "solve this sudoku with backtracking", "benchmark the two sorting functions",
    "make the sidebar collapsible", "use a darker shade of blue for the header", "centre the logo on small screens",
    "add keyboard shortcuts to the editor", "show line numbers in the code viewer", "export the drawing as SVG",
    "the kernel module does not load, what is missing?", "write a Makefile for this C program",
    "convert the notebook into a script", "cache the result of this function", "add a progress bar to the download",
    "generate the API docs with Sphinx", "replace moment.js by the native Intl", "upgrade React to version 19",
)  # fmt: skip

PASSING = (
    {"hook_event_name": "UserPromptSubmit", "prompt": "continue with the tests and fix what fails"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "write a README and explain what this project does"},
    {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "pytest -q tests"},
     "tool_response": {"stdout": "20 passed"}},
    {"hook_event_name": "PostToolUse", "tool_name": "Grep", "tool_input": {"pattern": "def test_"},
     "tool_response": {"mode": "content", "numFiles": 2, "filenames": ["tests/test_api.py"]}},
    {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": f"{ROOT}/shop/views.py"},
     "tool_response": {"type": "text", "file": {"filePath": f"{ROOT}/shop/views.py", "numLines": 3, "startLine": 1,
      "content": '"""Pages of the shop."""\n\ndef basket(request): ...\ndef checkout(request): ...\n',
      "totalLines": 4}}},
    {"hook_event_name": "PostToolUse", "tool_name": "Edit",
     "tool_input": {"file_path": f"{ROOT}/shop/views.py", "old_string": "...", "new_string": "return page()"},
     "tool_response": {"filePath": f"{ROOT}/shop/views.py", "originalFile": "def basket(request): ...\n"}},
    {"hook_event_name": "Stop", "last_assistant_message": "The tests pass and the README is written."},
)  # fmt: skip


def fill(engine: Engine) -> None:
    """Store what the project knows, and what hooks saw in passing."""
    for kind, content, _ in KNOWN:
        engine.memories.store(content, memory_type=kind, namespace=ROOT)
    for number, event in enumerate(PASSING):
        whole = {"session_id": "before", "cwd": ROOT, "tool_use_id": f"t{number}", **event}
        engine.capture.put(json.dumps(whole).encode())
    engine.capture.drain()


def asked(engine: Engine, prompts: Sequence[str], *, lexical: bool, name: str) -> Iterator[str]:
    """Yield what is said to each prompt, in a session of its own."""
    for number, prompt in enumerate(prompts):
        session = f"{name}-{lexical}-{number}"
        event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": ROOT, "prompt": prompt}
        yield engine.presence.answer(json.dumps(event).encode(), lexical=lexical) or ""


def measure(engine: Engine) -> list[dict[str, Any]]:
    """Return one row per way of answering: how many related prompts got their memory, and how many others nothing."""
    rows: list[dict[str, Any]] = []
    for lexical in (False, True):
        related = list(asked(engine, [prompt for _, _, prompt in KNOWN], lexical=lexical, name="related"))
        everyday = list(asked(engine, UNRELATED_PROMPTS, lexical=lexical, name="everyday"))
        other = list(asked(engine, OTHER_WORK, lexical=lexical, name="other"))
        right = sum(content[:60] in said for said, (_, content, _) in zip(related, KNOWN, strict=True))
        loud = [
            prompt for prompt, said in zip((*UNRELATED_PROMPTS, *OTHER_WORK), (*everyday, *other), strict=True) if said
        ]
        rows.append(
            {
                "way": "by words" if lexical else "with vectors",
                "related": len(related),
                "answered": 100 * right / len(related),
                "unrelated": len(everyday) + len(other),
                "silent": 100 * (1 - len(loud) / (len(everyday) + len(other))),
                "most_bytes": max(len(said.encode()) for said in related),
                "loud": loud,
                "missed": [prompt for said, (_, content, prompt) in zip(related, KNOWN, strict=True)
                           if content[:60] not in said],
            }
        )  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, Engine(home=home) as engine:
        fill(engine)
        rows = measure(engine)
    if chosen.json:
        print(json.dumps(rows, indent=2))
        return
    names = ("way", "related", "answered", "unrelated", "silent", "most_bytes")
    body = [[f"{row[name]:.1f}" if isinstance(row[name], float) else str(row[name]) for name in names] for row in rows]
    print(metrics.table(list(names), body))
    for row in rows:
        print(f"\n{row['way']}: said something to {row['loud']}\nmissed {row['missed']}")


if __name__ == "__main__":
    main()
