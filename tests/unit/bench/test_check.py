"""`make bench-check`: a build that became slower fails, with a table of what moved; the same build passes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import check

BENCH = Path(check.__file__).parent

# The same build, but that storing a memory costs about three times as much.
SLOWED = """
import sys, tempfile
import check
from recollect import Engine

check.ROUNDS = 8
with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
    kind = type(engine.memories)
store = kind.store

def slowed(self, *words, **fields):
    sum(number * number for number in range(400_000))
    return store(self, *words, **fields)

kind.store = slowed
sys.exit(check.main(sys.argv[1:]))
"""


@pytest.mark.promise("E27")
def test_a_slowed_build_fails_and_the_table_says_what_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "ROUNDS", 8)  # three times the cost shows in a few
    ratio = check.measured(["store"], 0)["store"]
    (tmp_path / "0-check.json").write_text(json.dumps({"at": 1, "ratios": {"store": ratio}}), encoding="utf-8")
    command = [sys.executable, "-c", SLOWED, "store", "--seconds", "0", "--results", str(tmp_path)]
    done = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "store" in done.stdout
    assert "SLOWER" in done.stdout


@pytest.mark.promise("E27")
def test_the_last_recorded_result_is_compared_and_twenty_percent_are_allowed(tmp_path: Path) -> None:
    for at, ratio in ((1, 1.0), (3, 10.0), (2, 99.0)):
        (tmp_path / f"{at}-check.json").write_text(json.dumps({"at": at, "ratios": {"store": ratio}}), encoding="utf-8")
    before = check.recorded(tmp_path)
    assert before is not None
    assert before["ratios"] == {"store": 10.0}
    for now, is_within, word in (
        (11.9, True, "within 20 %"),
        (12.1, False, "SLOWER"),
        (8.0, True, "faster"),
    ):
        table, passed = check.moved({"store": now}, before["ratios"])
        assert (passed, word in table) == (is_within, True), now
    assert check.moved({"hook": 2.0}, {})[1], "what was never recorded cannot have moved"
    with pytest.raises(SystemExit):
        check.main(["--results", str(tmp_path / "nowhere")])


def test_everything_that_is_recorded_is_still_measured() -> None:
    before = check.recorded(check.measure.RESULTS)
    assert before is not None
    assert set(before["ratios"]) == set(check.MEASURES)
