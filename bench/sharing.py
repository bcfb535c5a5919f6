"""Measure what shared memories cost: the check of each search, and reading a folder of files.

    .venv/bin/python bench/sharing.py

Prints CPU time: wall time says little on a shared machine.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from recollect import Engine
from recollect.engine.records.memory_rows import content_hash
from recollect.engine.retrieval.team_recall import merge
from recollect.importing.shared_file import FOLDER, SharedMemory, file_name, to_text
from recollect.model import Hit, Memory, Signals

COUNTS = (0, 100, 2_000)
REPEATS = 50


def cpu_ms(work: Callable[[], object], repeats: int = 1) -> float:
    """Return the CPU time of one call."""
    start = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - start) * 1000 / repeats


def repository(folder: Path, count: int) -> Path:
    root = folder / f"shares-{count}"
    (root / FOLDER).mkdir(parents=True)
    for number in range(count):
        text = f"Service {number} writes its logs to topic {number * 7 % 1000}, because auditors read it"
        shared = SharedMemory(f"{number:08x}-0000-4000-8000-000000000000", "decision", text, 1_700_000_000 + number)
        (root / FOLDER / file_name(shared)).write_text(to_text(shared), "utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), (*identity, "commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


def hits(start: int) -> list[Hit]:
    texts = [f"memory {number}" for number in range(start, start + 500)]
    rows = [Memory(id=text, content=text, content_hash=content_hash(text)) for text in texts]
    return [Hit(memory=row, score=1 - place / 500, reason="", signals=Signals()) for place, row in enumerate(rows)]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in COUNTS:
            root = repository(folder, count)
            with Engine(home=str(folder / f"home-{count}"), embed_provider="off") as engine:
                engine.store.count(Memory)
                first = cpu_ms(lambda root=root: engine.sharing.trust(str(root)))  # type: ignore[misc]
                same = cpu_ms(lambda root=root: engine.sharing.refresh(str(root)), REPEATS)  # type: ignore[misc]
            print(f"{count:>6,} files: first read {first:8.1f} ms, unchanged {same * 1000:8.1f} µs per search")
    local, team = hits(0), hits(400)
    print(f"merge of 500 and 500 hits: {cpu_ms(lambda: merge(local, team, {}), REPEATS):.2f} ms")


if __name__ == "__main__":
    main()
