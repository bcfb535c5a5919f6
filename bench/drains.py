"""Drains: payloads from many processes while drainers die; each observation must be stored exactly once.

Writers leave payloads as the hook does, some of them twice, as assistants do whose hooks are installed twice. Drainers
take them in and are killed wherever they happen to be: while they claim, between commit and removal, while tidying.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ledger
from recollect import hook
from recollect.engine import Engine
from recollect.model import Memory, Observed, Session

# How many drainers are alive at a time.
DRAINERS = 2
# One payload in so many is delivered twice.
TWICE = 20

Forked = Callable[[Callable[[], None]], int]


def payload(writer: int, number: int) -> bytes:
    """Return an event that no other is like: by turns a prompt, a command that worked and one that did not."""
    name = f"w{writer}n{number}"
    event: dict[str, Any] = {"session_id": f"session-{writer}", "cwd": "/nowhere/soak", "tool_use_id": name}
    if number % 3 == 0:
        event |= {"hook_event_name": "UserPromptSubmit", "prompt": f"do {name}"}
    elif number % 3 == 1:
        event |= {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": f"make {name}"}}
        event["tool_response"] = {"stdout": name}
    else:
        event |= {
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash",
            "tool_input": {"command": f"run {name}"},
        }
        event["error"] = f"Exit code 1\nError: {name}"
    return json.dumps(event).encode()


def drains(folder: Path, options: argparse.Namespace, failures: list[str], forked: Forked) -> dict[str, Any]:
    """Let writers and drainers run, kill drainers, and compare what is stored with what was left."""
    home = folder / "home"
    chance = random.Random(options.seed)
    share = options.payloads // options.processes
    with Engine(home=str(home), embed_provider="off") as engine:
        engine.store.count(Memory)  # the database is there before the first of them dies

    def leave(writer: int) -> None:
        for number in range(share):
            for _ in range(2 if number % TWICE == 0 else 1):
                hook.spool(payload(writer, number), str(home / "spool"), hook.file_name(["unknown", "claude"]))

    def drain() -> None:
        with Engine(home=str(home), embed_provider="off") as engine:
            while True:
                engine.capture.drain(100)

    began = time.monotonic()
    writers = [forked(lambda writer=writer: leave(writer)) for writer in range(options.processes)]
    drainers = [forked(drain) for _ in range(DRAINERS)]
    kills = 0
    while kills < options.kills:
        time.sleep(chance.uniform(0.05, 1.2))
        place = chance.randrange(DRAINERS)
        os.kill(drainers[place], signal.SIGKILL)
        os.waitpid(drainers[place], 0)
        kills += 1
        drainers[place] = forked(drain)
    failures.extend("a writer did not end well" for writer in writers if os.waitpid(writer, 0)[1] != 0)
    for drainer in drainers:
        os.kill(drainer, signal.SIGKILL)
        os.waitpid(drainer, 0)
    return {"payloads": share * options.processes, "kills": kills, **_compared(home, options, share, failures, began)}


def _compared(home: Path, options: argparse.Namespace, share: int, failures: list[str], began: float) -> dict[str, Any]:
    """Drain the rest and hold the store against what was left; returns the counts."""
    with Engine(home=str(home), embed_provider="off") as engine:
        already = engine.store.count(Observed)
        while (last := engine.capture.drain()).taken:
            if last.bad or last.notes:
                failures.append(f"the last drain: {last}")
                break
        wanted = {f"w{writer}n{number}" for writer in range(options.processes) for number in range(share)}
        seen = Counter(_name(row.told) for row in engine.store.find(Observed))
        kept = Counter(_name(row.content) for row in engine.store.find(Memory, {"source": "hook"}))
        for what, found in (("observations", seen), ("memories", kept)):
            failures.extend(f"{what}: {name} is missing" for name in sorted(wanted - set(found))[:5])
            failures.extend(f"{what}: {name} is there {count} times" for name, count in found.items() if count > 1)
        counted = sum(row.memory_count for row in engine.store.find(Session))
        if counted != len(wanted):
            failures.append(f"sessions count {counted} memories of {len(wanted)}")
        left = [str(path) for path in (home / "spool").rglob("*") if path.is_file()]
        failures.extend(f"left in the spool: {path}" for path in left[:5])
        failures.extend(ledger.inconsistencies(engine))
        return {
            "observations": sum(seen.values()),
            "memories": sum(kept.values()),
            "stored_while_dying": already,
            "seconds": round(time.monotonic() - began, 1),
        }


def _name(text: str) -> str:
    """Return the name that a text holds, wNnM."""
    words = text.replace("`", " ").replace(":", " ").split()
    return next((word for word in words if word[0] == "w" and word[1:2].isdigit()), text)
