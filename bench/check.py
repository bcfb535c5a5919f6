"""Have the headline costs risen? CPU of start, store, recall, index and hook, beside the last recorded result.

    python bench/check.py [NAME …]      measure, compare, print what moved; exit status 1 beyond 20 %
    python bench/check.py --save        measure and record under bench/results

Each number is a ratio of CPU times of one run: to a loop that does nothing of ours, or to a bare interpreter where a
process is started. Other programs on the machine only ever add CPU time, for caches and cores that are shared. So the
work is short, it takes turns with its baseline, and the least of each counts: both are found in a quiet moment.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import corpus
import hooks
import measure
import metrics
import speed

# A ratio may be this many times the recorded one.
LIMIT = 1.2
# How often work and baseline take turns at least, and for how many CPU seconds: some hundredths of a second each, so
# that some of them are undisturbed.
ROUNDS, SPEND_S = 15, 3.0
MEMORIES, STORES, QUERIES = 1_000, 5, 3
# Files in memory where there is such a place: what a disk costs depends on who else uses it.
PLACE = "/dev/shm" if Path("/dev/shm").is_dir() else None

Ratios = dict[str, float]


class Work(NamedTuple):
    """What is measured, what it is beside, and by what the ratio of both is divided."""

    ours: Callable[[], object]
    baseline: Callable[[], object]
    units: float = 1.0


def cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU seconds that work takes in this process and in processes that it ends."""
    before = _spent_s()
    work()
    return _spent_s() - before


def _spent_s() -> float:
    rows = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(row.ru_utime + row.ru_stime for row in rows)


def loop() -> None:
    """Work with texts, dictionaries and digests, always the same."""
    for number in range(20):
        words = [f"{number}-{place}" for place in range(400)]
        table = {word: hashlib.sha256(word.encode()).hexdigest() for word in words}
        json.loads(json.dumps(sorted(table.items())))


def interpreter() -> None:
    """Start an interpreter that does nothing, as a hook is started."""
    measure.child_cpu_ms([sys.executable, "-I", "-S", "-c", "pass"])


def imports() -> None:
    """Start an interpreter that imports much of the standard library, as a server imports its modules."""
    modules = "asyncio, concurrent.futures, email.message, http.client, sqlite3, typing, unittest.mock, xml.dom.minidom"
    measure.child_cpu_ms([sys.executable, "-c", f"import {modules}"])


@contextmanager
def store() -> Iterator[Work]:
    """Store memories one by one."""
    from recollect import Engine

    with tempfile.TemporaryDirectory(dir=PLACE) as home, Engine(home=home, embed_provider="off") as engine:
        texts = corpus.memories(10_000)
        engine.memories.store(next(texts))
        yield Work(lambda: [engine.memories.store(next(texts)) for _ in range(STORES)], loop)


@contextmanager
def recall() -> Iterator[Work]:
    """Ask a filled store, by keywords and vectors."""
    from recollect import Engine

    with tempfile.TemporaryDirectory(dir=PLACE) as home:
        speed.fill(MEMORIES, Path(home))
        with Engine(home=home, embed_on_demand=0) as engine:
            engine.recall.search("the first recall loads the model and the vectors")
            asked = list(corpus.questions(QUERIES))
            yield Work(lambda: [engine.recall.search(text) for text in asked], loop)


@contextmanager
def index() -> Iterator[Work]:
    """Index some of our own sources in this process alone; the ratio is that of a megabyte."""
    from recollect import Engine

    folder = measure.ROOT / "src" / "recollect" / "recall"
    size_bytes = sum(path.stat().st_size for path in folder.rglob("*.py"))
    with tempfile.TemporaryDirectory(dir=PLACE) as place:
        homes = (f"{place}/{number}" for number in count())

        def work() -> None:
            with Engine(home=next(homes), embed_provider="off", index_workers=1) as engine:
                engine.code.index(str(folder))

        work()  # loads the parsers
        yield Work(work, loop, size_bytes / 1e6)


@contextmanager
def start() -> Iterator[Work]:
    """Start a server, which ends at once."""
    with tempfile.TemporaryDirectory(dir=PLACE) as home:
        command = [sys.executable, "-m", "recollect", "serve", "--home", home]
        yield Work(lambda: measure.child_cpu_ms(command), imports)


@contextmanager
def hook() -> Iterator[Work]:
    """Run a hook that hands a payload over."""
    with tempfile.TemporaryDirectory(prefix="h-", dir=PLACE) as home:
        payload = json.dumps({"session_id": "s", "cwd": hooks.PROJECT, **hooks.READ}).encode()
        yield Work(lambda: hooks.run(["PostToolUse", "claude"], payload, home), interpreter)


MEASURES: dict[str, Callable[[], AbstractContextManager[Work]]] = {
    "start": start,
    "store": store,
    "recall": recall,
    "index": index,
    "hook": hook,
}


def measured(names: Sequence[str], spend_s: float = SPEND_S) -> Ratios:
    """Return the least cost of each measure, as so many times the least cost of its baseline."""
    found: Ratios = {}
    for name in names:
        pairs: list[tuple[float, float]] = []
        with MEASURES[name]() as work:
            while len(pairs) < ROUNDS or sum(map(sum, pairs)) < spend_s:
                pairs.append((cpu_s(work.ours), cpu_s(work.baseline)))
        ours, baseline = (min(row) for row in zip(*pairs, strict=True))
        found[name] = round(ours / baseline / work.units, 3)
    return found


def recorded(results: Path) -> dict[str, Any] | None:
    """Return the result that was recorded last."""
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in results.glob("*-check.json")]
    return max(rows, key=lambda row: row["at"], default=None)


def moved(now: Ratios, before: Ratios) -> tuple[str, bool]:
    """Return a table of the ratios beside the recorded ones, and whether all are within the limit."""
    rows, is_within = [], True
    for name, ratio in now.items():
        change = ratio / before[name] if before.get(name) else 1.0
        verdict = "SLOWER" if change > LIMIT else "faster" if change < 1 / LIMIT else "within 20 %"
        is_within &= change <= LIMIT
        was = f"{before[name]:.2f}" if name in before else "not recorded"
        rows.append([name, was, f"{ratio:.2f}", f"{100 * (change - 1):+.0f} %", verdict])
    return metrics.table(["CPU, times the baseline", "recorded", "now", "change", ""], rows), is_within


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(MEASURES)}; default: all")
    parser.add_argument("--seconds", type=float, default=SPEND_S, help="CPU seconds of each measure at least")
    parser.add_argument("--results", type=Path, default=measure.RESULTS, help="folder of the recorded results")
    parser.add_argument("--save", action="store_true", help="record the result")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.names) - set(MEASURES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; one of {', '.join(MEASURES)}")
    before = recorded(chosen.results)
    if before is None and not chosen.save:
        parser.error("nothing is recorded yet: run `python bench/check.py --save`")
    now = measured(chosen.names or list(MEASURES), chosen.seconds)
    table, is_within = moved(now, before["ratios"] if before else {})
    sys.stdout.write(table + "\n")
    if chosen.save:
        document = {"benchmark": "check", "commit": measure.commit(), "at": int(time.time()), **measure.machine()}
        path = chosen.results / f"{document['commit'].rstrip('+')}-check.json"
        chosen.results.mkdir(exist_ok=True)
        path.write_text(json.dumps({**document, "ratios": now}, indent=2) + "\n", encoding="utf-8")
        return 0
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())
