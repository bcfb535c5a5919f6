"""Many processes, and processes that die: the soaks of bench/soak.py in small, with every guarantee they check."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOAK = Path(__file__).resolve().parents[2] / "bench" / "soak.py"


def soak(*words: str) -> dict[str, Any]:
    """Run a soak and return what it found."""
    done = subprocess.run([sys.executable, str(SOAK), *words], capture_output=True, text=True, check=False, timeout=600)
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["failures"] == [], done.stderr
    assert done.returncode == 0
    return found


@pytest.mark.promise("B7")
def test_many_processes_write_one_database_and_nothing_is_lost_or_refused() -> None:
    found = soak("writers", "--processes", "4", "--writes", "25")
    writes = sum(count for kind, count in found["acknowledged"].items() if kind not in ("get", "recall"))
    assert writes == 4 * 25
    assert found["errors"] == {}
    assert found["health"]["storage"] == "ok"


@pytest.mark.promise("B7")
def test_what_was_acknowledged_survives_a_kill_at_any_point_and_derived_state_heals() -> None:
    found = soak("kills", "--kills", "10")
    assert found["kills"] >= 10
    assert found["acknowledged"] > 6  # most are killed after their first write, however busy the machine is
    assert found["lost"] == 0
    assert found["vectors_missing_after"] == 0
    assert found["health"]["storage"] == "ok"


def test_another_embedding_model_takes_over_a_store_in_the_background() -> None:
    found = soak("model-change", "--memories", "300")
    phases = found["phases"]
    assert phases["first_recall_of_a_server"]["mode"] == "lexical"
    assert phases["found_after_kill"] >= phases["killed_at"] > 0
    assert phases["background"]["vectors"] == phases["background"]["memories"]


@pytest.mark.promise("B7")
def test_drainers_that_die_store_each_observation_exactly_once() -> None:
    found = soak("drains", "--payloads", "320", "--processes", "4", "--kills", "6")
    assert found["kills"] == 6
    assert found["observations"] == found["memories"] == 320
    assert found["stored_while_dying"] > 0
