"""From the hooks of an assistant to the confidence of a memory, by commands alone; those that write are processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import command_lines, payloads

BACKOFF = "The payment client retries with exponential backoff because the bank throttles bursts: run `make check-bank`"
ASKED = "how should the payment client retry when the bank throttles bursts?"


def read(*words: str) -> Any:
    """Return the answer of a command that changes nothing; it runs in this process."""
    return json.loads(command_lines.run(*words, "--json")[1])


def recollect(*words: str, given: bytes = b"") -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *words, "--json"], input=given, capture_output=True, check=True
    )
    return json.loads(done.stdout) if done.stdout.startswith(b"{") else done.stdout.decode()


def confidence(memory_id: str) -> float:
    found: float = read("get", memory_id)["confidence"]
    return found


def told(memory_id: str) -> str:
    hits = read("search", "payment client retries", "--project", payloads.ROOT, "--explain")["hits"]
    return str({hit["memory"]["id"]: hit["use"] for hit in hits}[memory_id])


@pytest.mark.usefixtures("home")
def test_what_is_used_gains_confidence_what_is_contradicted_loses_it_and_undo_restores_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.chdir(tmp_path)
    memory = recollect("store", BACKOFF, "--project", payloads.ROOT, "--confidence", "0.6", "--type", "decision")
    name = memory["memory"]["id"]
    said = recollect("prompt", given=payloads.claude("UserPromptSubmit", prompt=ASKED))
    assert "exponential backoff" in json.dumps(said)
    recollect("ingest", given=payloads.ran("make check-bank", "ok", call="1"))
    recollect("ingest", given=payloads.claude("Stop", last_assistant_message="It passes."))
    assert confidence(name) == pytest.approx(0.68)
    assert told(name).startswith("injected once, used 1 (last: its command was run), contradicted 0")
    recollect("store", "The payment client gives up at once", "--project", payloads.ROOT, "--supersedes", name)
    recollect("ingest", given=payloads.claude("Stop", last_assistant_message="It gives up now."))
    assert confidence(name) == pytest.approx(0.48)
    assert read("usefulness", name)["contradicted"] == 1
    changes = read("changes", "--memory-id", name)["changes"]
    batch = next(row["batch"] for row in changes if row["operation"] == "count_usefulness")
    recollect("undo", batch)
    assert confidence(name) == pytest.approx(0.68)
    assert told(name).startswith("injected once, used 1")
