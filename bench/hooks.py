"""What hooks cost: processes that run inside somebody's conversation, each measured beside a bare interpreter.

    capture            a payload is spooled
    prompt, asking     a running server is asked, and answers
    prompt, alone      no server: the fast path, with something to say and with nothing; all memories have vectors
    start, alone       no server: an engine is loaded; nothing is queued, or events of the kinds before it
    tool, alone        no server: a use of a tool that worked, and one that failed

Kinds take turns, so that a busy machine is busy for all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
import measure

if TYPE_CHECKING:
    from recollect import Engine

# A hook runs on every event of a conversation: it may cost half as much again as starting an interpreter.
CAPTURE_BAR_RATIO = 1.5
# A person waits for the first word after a prompt.
PROMPT_BAR_MS = 120.0

PROJECT = "/nowhere"
FACT = "The tide tables of the harbour module are fetched from the Skagen station every morning at six."
QUESTION = "Which station do the tide tables of the harbour module come from?"
UNRELATED = "Write a haiku about cherry blossoms and spring rain."

_SOURCE = "def f():\n    return 1\n" * 400
READ: dict[str, Any] = {
    "hook_event_name": "PostToolUse",
    "tool_name": "Read",
    "tool_input": {"file_path": f"{PROJECT}/a.py"},
    "tool_response": {
        "type": "text",
        "file": {"filePath": f"{PROJECT}/a.py", "content": _SOURCE, "startLine": 1, "totalLines": 800},
    },
}
FAILED: dict[str, Any] = {
    "hook_event_name": "PostToolUseFailure",
    "tool_name": "Bash",
    "tool_input": {"command": "make lamp"},
    "error": "Exit code 2\nmake: *** no rule to make target 'lamp'",
}

# Kind → event, moment, payload.
ALONE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "capture": ("PostToolUse", "", READ),
    "prompt, alone, answered": ("UserPromptSubmit", "prompt", {"prompt": QUESTION}),
    "prompt, alone, nothing": ("UserPromptSubmit", "prompt", {"prompt": UNRELATED}),
    "start, alone, events queued": ("SessionStart", "start", {"source": "startup"}),
    "start, alone": ("SessionStart", "start", {"source": "startup"}),
    "tool, alone, worked": ("PostToolUse", "tool", READ),
    "tool, alone, failed": ("PostToolUseFailure", "tool", FAILED),
}
ASKING: dict[str, tuple[str, str, dict[str, Any]]] = {
    "prompt, asking, answered": ("UserPromptSubmit", "prompt", {"prompt": QUESTION}),
    "prompt, asking, nothing": ("UserPromptSubmit", "prompt", {"prompt": UNRELATED}),
    "tool, asking, failed": ("PostToolUseFailure", "tool", FAILED),
}


def hook(runs: int, size: int) -> dict[str, Any]:
    """Measure every kind of hook on a store of `size` memories, and what a payload costs to take in."""
    with tempfile.TemporaryDirectory(prefix="h-") as folder:
        draining = _filled(folder, size)
        alone = _by_turns(ALONE, folder, runs)
        with _server(folder) as pid:
            asking = _by_turns(ASKING, folder, runs)
            asking["server, meanwhile"] = {"cpu_ms_per_hook": _server_cost(pid, folder)}
    rows = {**alone, **asking}
    ratio = rows["capture"]["cpu_ms"]["p50"] / rows["bare interpreter"]["cpu_ms"]["p50"]
    prompt = rows["prompt, alone, answered"]["cpu_ms"]["p50"]
    return {
        "memories": size,
        "kinds": rows,
        "capture_ratio_to_bare": round(ratio, 3),
        "bars": {"capture_ratio": CAPTURE_BAR_RATIO, "prompt_alone_ms": PROMPT_BAR_MS},
        "within_bars": {"capture": ratio <= CAPTURE_BAR_RATIO, "prompt_alone": prompt <= PROMPT_BAR_MS},
        "drain_cpu_ms_per_payload": draining,
    }


def _filled(folder: str, size: int) -> float:
    """Fill a store and return the CPU milliseconds that taking in a payload costs."""
    from recollect import Engine

    with Engine(home=folder, embed_provider="off") as engine:
        texts = [*corpus.memories(size - 1), FACT]
        engine.archive.import_(content="\n".join(json.dumps({"content": text, "namespace": PROJECT}) for text in texts))
        _embed(engine)
        for number in range(200):
            seen = {"session_id": "s", "cwd": PROJECT, **READ, "tool_use_id": f"d{number}"}
            engine.capture.put(json.dumps(seen).encode(), assistant="claude")
        return round(measure.cpu_ms(lambda: engine.capture.drain()) / 200, 2)


def _embed(engine: Engine) -> None:
    """Give every memory a vector of the shipped model's kind: the right one of the fact, any of the others."""
    import numpy as np

    from recollect.model import Memory
    from recollect.providers.local import DIMENSIONS, LocalEmbedder
    from recollect.providers.query_vector import model_id
    from recollect.store.store_values import Vectors

    store, chance = engine.store, np.random.default_rng(0)
    fact = LocalEmbedder().embed([FACT])
    made = []
    for memory in store.find(Memory, {}):
        any_one = chance.normal(size=(1, DIMENSIONS)) / DIMENSIONS**0.5
        made.append(Vectors(memory.id, memory.rev, fact if memory.content == FACT else any_one))
    store.put_vectors(model_id(engine.settings.enrichment), made)


def _by_turns(kinds: dict[str, tuple[str, str, dict[str, Any]]], folder: str, runs: int) -> dict[str, Any]:
    """Return what each kind costs, and a bare interpreter beside them; with how many runs said something."""
    samples: dict[str, list[float]] = {"bare interpreter": [], **{name: [] for name in kinds}}
    said = dict.fromkeys(kinds, 0)
    for number in range(runs):
        samples["bare interpreter"].append(measure.child_cpu_ms([sys.executable, "-I", "-S", "-c", "pass"]))
        for name, (event, moment, fields) in kinds.items():
            # What was said in a session is not said again in it.
            session = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{name} {number}"))
            payload = {"session_id": session, "cwd": PROJECT, "hook_event_name": event, **fields}
            cost, out = run([event, "claude", *moment.split()], json.dumps(payload).encode(), folder)
            samples[name].append(cost)
            said[name] += bool(out)
    return {
        name: {"cpu_ms": measure.summary(each), **({"said": f"{said[name]} of {runs}"} if name in said else {})}
        for name, each in samples.items()
    }


def session_starts(source: Path, folder: str, runs: int) -> list[float]:
    """Return what the hook of a source tree costs at the start of a session without a server, in CPU milliseconds."""
    costs = []
    for number in range(runs):
        fields = {"session_id": f"start {number}", "cwd": PROJECT, "source": "startup"}
        payload = json.dumps({"hook_event_name": "SessionStart", **fields}).encode()
        script = source / "recollect" / "hook.py"
        cost, said = run(["SessionStart", "claude", "start"], payload, folder, script)
        costs += [cost] if said else []  # a hook that fails costs less, and says nothing
    return costs


def run(words: list[str], payload: bytes, folder: str, hook_script: Path | None = None) -> tuple[float, bytes]:
    """Return the CPU milliseconds of a hook from start to end, and what it printed."""
    import resource

    from recollect import hook as script

    command = [sys.executable, "-I", "-S", str(hook_script or script.__file__), *words]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, input=payload, env={**os.environ, "RECOLLECT_HOME": folder}, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000, done.stdout


@contextmanager
def _server(folder: str) -> Iterator[int]:
    """Keep a server running, as an assistant does; yields its process id once it answers hooks."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    command = [sys.executable, "-m", "recollect", "--home", folder, "serve"]
    environment = {**os.environ, "RECOLLECT_EMBED_PROVIDER": "off"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment) as process:
        assert process.stdin
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        until = time.monotonic() + 60
        while not list(Path(folder, "run").glob("*.sock")) and time.monotonic() < until:
            time.sleep(0.05)
        run(["UserPromptSubmit", "claude", "prompt"], b'{"prompt": "the first one loads the stages"}', folder)
        time.sleep(2)
        yield process.pid
        process.stdin.close()


def _server_cost(pid: int, folder: str) -> float:
    """Return the CPU milliseconds that a server spends on one prompt, spooling and storing it included."""

    def spent() -> float:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    before, count = spent(), 20
    for number in range(count):
        payload = {"session_id": f"cost {number}", "cwd": PROJECT, "prompt": QUESTION}
        run(["UserPromptSubmit", "claude", "prompt"], json.dumps(payload).encode(), folder)
    time.sleep(3)
    return round((spent() - before) / count, 1)
