"""How fast transcripts of assistants are read in: sessions made by construction in the forms of all five, of any size.

A session is what sessions are: prompts, answers, files that are read, edits, commands, some of which fail and are
mended. What differs from one to the next are names, numbers and lengths, drawn with a fixed seed. Embedding is off: it
happens in the background. Everything is in a process of its own.
"""

from __future__ import annotations

import importlib.util
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import measure

MB_PER_CPU_S = 20.0
# Memory that an import may need beyond that of the program, whatever is read.
RSS_BAR_MB = 200.0
# One session: what people have within an hour or two.
PROMPTS = 8
USES_OF_A_PROMPT = 9
_WORDS = (
    "parser cache order user token queue index batch retry header stream session config worker router schema".split()
)


def _forms() -> ModuleType:
    """Return the makers of transcripts that the tests use."""
    found = importlib.util.spec_from_file_location("transcripts_forms", measure.ROOT / "tests" / "transcripts.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


def make(home: Path, megabytes: int) -> dict[str, int]:
    """Write sessions below a home until there are so many megabytes, of all assistants alike; returns bytes of each."""
    forms = _forms()
    chance = random.Random(7)
    bytes_of = dict.fromkeys(forms.ASSISTANTS, 0)
    number = 0
    while sum(bytes_of.values()) < megabytes << 20:
        assistant = min(bytes_of, key=lambda name: bytes_of[name])
        number += 1
        cwd = f"/home/dev/project-{number % 12}"
        path = forms.write(
            home, assistant, _session(forms, chance, cwd), session=f"{number:08x}-session", cwd=cwd,
            at=forms.BEGUN + 9_000 * number,
        )  # fmt: skip
        bytes_of[assistant] = (
            path.stat().st_size if assistant == "opencode" else bytes_of[assistant] + path.stat().st_size
        )
    return bytes_of


def _session(forms: ModuleType, chance: random.Random, cwd: str) -> list[Any]:
    steps: list[Any] = []
    for _ in range(PROMPTS):
        a, b = chance.sample(_WORDS, 2)
        asked = f"Please make the {a} handle an empty {b}, and add a test for {chance.randrange(100)} of them."
        if chance.random() < 0.2:
            asked += f" We always keep the {a} in one file, never spread over the {b}."
        steps.append(forms.say("user", asked))
        for _ in range(USES_OF_A_PROMPT):
            steps += _use(forms, chance, cwd)
        done = f"The {a} now handles an empty {b}."
        if chance.random() < 0.3:
            done += f" I decided to keep the {a} separate from the {b} because both change on their own."
        steps.append(forms.say("assistant", done))
    return steps


def _use(forms: ModuleType, chance: random.Random, cwd: str) -> list[Any]:
    path = f"{cwd}/src/{chance.choice(_WORDS)}_{chance.randrange(40)}.py"
    kind = chance.random()
    if kind < 0.45:
        return [forms.use("read", path=path, output=_text(chance, chance.randrange(20, 900)))]
    if kind < 0.7:
        old, new = _text(chance, chance.randrange(1, 30)), _text(chance, chance.randrange(1, 40))
        return [forms.use("edit", path=path, old=old, new=new)]
    command = f"pytest -q tests/test_{chance.choice(_WORDS)}.py"
    if kind < 0.76:
        error = f"{_text(chance, 60)}\nValueError: {chance.choice(_WORDS)} {chance.randrange(50)} is missing\n"
        edit = forms.use("edit", path=path, old="return None", new=f"return {chance.randrange(50)}")
        return [forms.use("bash", command, output=error, exit=1), edit, forms.use("bash", command, output="1 passed")]
    return [forms.use("bash", command, output=_text(chance, chance.randrange(1, 120)))]


def _text(chance: random.Random, lines: int) -> str:
    a, b, c = chance.sample(_WORDS, 3)
    number = chance.randrange(1000)
    return "".join(f"    {a}_{line} = {b}.get({c!r}, {number + line})  # {a} of {b}\n" for line in range(lines))


def once(home: Path, store: Path) -> dict[str, Any]:
    """Import what lies below a home into a new store, twice; to be run in a process of its own."""
    from recollect import Engine
    from recollect.model import Memory, Observed

    with Engine(home=str(store), assistants_home=str(home), embed_provider="off") as engine:
        engine.memories.list(limit=1)
        before = _peak_mb()
        began, clock = time.process_time(), time.monotonic()
        learnt = engine.history.import_history(str(store), only=("transcripts",), limit=100_000)
        took, wall = time.process_time() - began, time.monotonic() - clock
        peak = _peak_mb()
        again = time.process_time()
        second = engine.history.import_history(str(store), only=("transcripts",), limit=100_000)
        again = time.process_time() - again
        return {
            "cpu_s": round(took, 2),
            "wall_s": round(wall, 2),
            "rss_before_mb": before,
            "rss_peak_mb": peak,
            "observations": engine.store.count(Observed),
            "memories": engine.store.count(Memory),
            "created": {part.source: part.created for part in learnt.sources},
            "second_import_cpu_s": round(again, 2),
            "second_import_created": sum(part.created for part in second.sources),
            "database_mb": round(engine.store.describe().size_bytes / 2**20, 1),
        }


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def import_(megabytes: int) -> dict[str, Any]:
    """Measure importing transcripts of so many megabytes in all, and hold it against the bars."""
    with tempfile.TemporaryDirectory() as folder:
        home, store = Path(folder) / "home", Path(folder) / "store"
        made = make(home, megabytes)
        command = [
            sys.executable,
            str(measure.ROOT / "bench" / "speed.py"),
            "import-once",
            "--tree",
            str(home),
            str(store),
        ]
        row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    total = sum(made.values()) / 2**20
    rate = total / row["cpu_s"]
    grown = row["rss_peak_mb"] - row["rss_before_mb"]
    return {
        "mb": round(total, 1),
        "mb_of": {name: round(size / 2**20, 1) for name, size in made.items()},
        **row,
        "mb_per_cpu_s": round(rate, 1),
        # An event costs the same whatever it printed: with less text to each, the same megabytes take longer.
        "kb_per_event": round(total * 1024 / row["observations"], 1),
        "cpu_ms_per_event": round(1000 * row["cpu_s"] / row["observations"], 2),
        "rss_grown_mb": round(grown, 1),
        "bars": {"mb_per_cpu_s": MB_PER_CPU_S, "rss_grown_mb": RSS_BAR_MB},
        "within_bars": {"mb_per_cpu_s": rate >= MB_PER_CPU_S, "rss_grown_mb": grown <= RSS_BAR_MB},
    }
