"""From a hook to an answer, with real processes only: what an assistant saw is found by the next command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests import payloads
from tests.trees import git
from tests.waiting import PATIENCE_S

from recollect import hook

HOOK = [sys.executable, "-I", "-S", str(Path(hook.__file__))]
RECOLLECT = [sys.executable, "-m", "recollect"]


def run(command: list[str], given: bytes = b"") -> str:
    """Run a command to its end; returns what it wrote."""
    done = subprocess.run(
        command,
        input=given,
        capture_output=True,
        env={**os.environ, "RECOLLECT_EMBED_PROVIDER": "off"},
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.promise("E19")
def test_what_a_hook_left_is_found_by_the_next_search(home: Path) -> None:
    assert run([*HOOK, "PostToolUse", "claude"], payloads.edited("TAX = 19", "TAX = 25")) == ""
    found = json.loads(run([*RECOLLECT, "search", "--json", "--all-projects", "what became of TAX"]))
    assert [hit["memory"]["memory_type"] for hit in found["hits"]] == ["decision"]
    assert list((home / "spool" / "new").iterdir()) == []


@pytest.mark.promise("E24")
def test_a_session_is_summed_up_from_what_its_hooks_left(home: Path) -> None:
    for event, raw in (
        ("SessionStart", payloads.claude("SessionStart", source="startup")),
        ("UserPromptSubmit", payloads.claude("UserPromptSubmit", prompt="raise the tax")),
        ("PostToolUse", payloads.looked()),
    ):
        run([*HOOK, event, "claude"], raw)
    stopped = payloads.claude("Stop", last_assistant_message="The tax is 25 now.")
    taken = json.loads(run([*RECOLLECT, "ingest", "--json"], stopped))
    assert (taken["taken"], taken["bad"], taken["waiting"]) == (4, 0, 0)
    (session,) = json.loads(run([*RECOLLECT, "sessions", "--json", "--all-projects"]))["sessions"]
    assert session["summary"].startswith("Asked for: raise the tax")
    summed = json.loads(run([*RECOLLECT, "summarize", "--json", "--project", payloads.ROOT]))
    assert "Ended with: The tax is 25 now." in summed["memory"]["content"]
    assert "Read: price.py" in summed["memory"]["content"]


@pytest.mark.promise("B10")
def test_a_fact_is_of_the_branch_on_which_it_was_stated(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    prompt = payloads.claude("UserPromptSubmit", prompt="remember: the staging db runs on port 5544")
    run([*HOOK, "UserPromptSubmit", "claude"], prompt.replace(payloads.ROOT.encode(), str(root).encode()))
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{int(time.time()) + 5} +0000")
    git(root, "switch", "-q", "-c", "feat/x")
    (memory,) = json.loads(run([*RECOLLECT, "list", "--json", "--project", str(root)]))["memories"]
    assert memory["branch"] is None
