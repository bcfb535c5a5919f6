"""Consolidation: what a cycle costs per memory as stores grow, and what a year of cycles does to a store.

    python bench/consolidate.py cost [--sizes 1000,10000,100000]
    python bench/consolidate.py year [--memories 10000]

cost   vectors are given, so that only the cycles are measured: CPU seconds, and microseconds per memory, which hardly
       grow where a cycle is near-linear.
year   captured memories come in over half a year while the schedule runs every day; recall of some memories by words of
       their own, without any cycle, halfway and at the end, what can still be reached, preview against run, undo, and
       growth of the database.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from measure import cpu_ms, publish, rss_mb
from recollect import Engine, clock
from recollect.model import Change, Edge, Memory, Node
from recollect.store.protocol import Vectors

DAY = 86_400
BEGIN = 1_700_000_000
CYCLES = ("decay", "creative", "cluster", "forget")
TYPES = ("decision", "pattern", "preference", "style", "habit", "insight", "context")
# One theme for so many memories: groups stay as large as they are in a small store.
PER_THEME = 8
DIMENSIONS = 256
QUESTIONS = 300
# Days in which memories come in, and what is forgotten after the year.
HALF = 182
FORGOTTEN = 0.2


def sentence(theme: int, number: int, draw: random.Random) -> str:
    """Return a sentence about a theme that no other memory says."""
    own = random.Random(theme)
    named = ["".join(own.choice("bdfglmnprstvz") + own.choice("aeiou") for _ in range(3)) for _ in range(8)]
    draw.shuffle(named)
    return f"The {named[0]} of {named[1]} calls {named[2]} before {named[3]}, as case {number} in {named[4]} showed."


def filled(engine: Engine, size: int) -> None:
    """Store so many memories, with vectors that lie around the middle of their theme."""
    draw = random.Random(size)
    noise = np.random.default_rng(size)
    middles = noise.standard_normal((max(1, size // PER_THEME), DIMENSIONS)).astype(np.float32)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    model = engine.embedding.model_id
    for start in range(0, size, 5_000):
        rows: list[Memory] = []
        with engine.store.transaction("bench") as transaction:
            for number in range(start, min(start + 5_000, size)):
                theme = number % len(middles)
                memory = Memory(
                    id=f"m{number:07}",
                    content=sentence(theme, number, draw),
                    content_hash=str(number),
                    memory_type=TYPES[number % len(TYPES)],  # type: ignore[arg-type]
                    importance=draw.choice((0.04, 0.3, 0.5, 0.8)),
                    namespace="bench",
                    created_at=BEGIN,
                    updated_at=BEGIN,
                    last_accessed_at=BEGIN,
                )
                rows.append(transaction.insert(memory))
        themes = [int(row.id[1:]) % len(middles) for row in rows]
        vectors = middles[themes] + noise.standard_normal((len(rows), DIMENSIONS)).astype(np.float32) * 0.025
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        engine.store.put_vectors(model, [Vectors(row.id, row.rev, vectors[i : i + 1]) for i, row in enumerate(rows)])


class GivenVectors:
    """An embedder that is never asked: all vectors are given."""

    model_id = "given/1"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Any:
        return np.zeros((len(texts), DIMENSIONS), np.float32) + DIMENSIONS**-0.5


def cost(sizes: Sequence[int], *, vectors: bool, applying: bool) -> list[dict[str, Any]]:
    """Return what each cycle costs at each size, planning and, where it is wanted, applying."""
    found: list[dict[str, Any]] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as home:
            options: dict[str, Any] = {"embedder": GivenVectors()} if vectors else {"embed_provider": "off"}
            clock.now = lambda: BEGIN
            with Engine(home=home, **options) as engine:
                filled(engine, size)
                clock.now = lambda: BEGIN + 120 * DAY
                found += [_cycle(engine, cycle, size, vectors=vectors, applying=applying) for cycle in CYCLES]
    return found


def _cycle(engine: Engine, cycle: str, size: int, *, vectors: bool, applying: bool) -> dict[str, Any]:
    run: Callable[..., Any] = getattr(engine.consolidation, cycle)
    answers: list[Any] = []
    planning_ms = cpu_ms(lambda: answers.append(run(preview=True)))
    both_ms = cpu_ms(run) if applying else 0.0
    return {
        "cycle": cycle,
        "memories": size,
        "by": "vectors" if vectors else "words",
        "steps": answers[0].steps_total,
        "plan_cpu_s": round(planning_ms / 1000, 2),
        "plan_us_per_memory": round(1000 * planning_ms / size, 1),
        "apply_cpu_s": round(max(0.0, both_ms - planning_ms) / 1000, 2) if applying else None,
        "rss_mb": rss_mb(),
    }


def year(memories: int) -> dict[str, Any]:
    """Return what a year of scheduled cycles does to a store; memories come in for half of it."""
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
        untouched = _recall(engine, _half(engine, range(HALF), memories, cycles=())[0])
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
        stored, spent = _half(engine, range(HALF), memories)
        halfway, bytes_before, changes_before = _recall(engine, stored), _bytes(engine), engine.store.count(Change)
        _, more = _half(engine, range(HALF, 365), 0)
        bytes_after, changes_after = _bytes(engine), engine.store.count(Change)
        after = _recall(engine, stored)
        return {
            "memories": memories,
            "runs": {cycle: len(spent[cycle]) + len(more[cycle]) for cycle in spent},
            "cpu_s": {cycle: round(sum((*spent[cycle], *more[cycle])) / 1000, 1) for cycle in spent},
            "recall_without_cycles": untouched,
            "recall_halfway": halfway,
            "recall_after": after,
            **_forgetting(engine, stored),
            "database_mb_halfway": round(bytes_before / 2**20, 1),
            "database_mb_after": round(bytes_after / 2**20, 1),
            "changes_per_memory": round((changes_after - changes_before) / memories, 2),
            "summaries": engine.store.count(Memory, {"source": "consolidation"}),
            "links": engine.store.tally(Edge, "relationship"),
        }


def _half(
    engine: Engine, days: range, memories: int, cycles: Sequence[str] = CYCLES[:3]
) -> tuple[list[Memory], dict[str, list[float]]]:
    """Let days pass, storing as many memories on each; return them, and the CPU time of every run by its cycle."""
    draw = random.Random(7)
    stored: list[Memory] = []
    spent: dict[str, list[float]] = {cycle: [] for cycle in cycles}
    for day in days:
        clock.now = lambda day=day: BEGIN + day * DAY  # type: ignore[misc]
        today = range(len(stored), memories * (day + 1 - days.start) // len(days))
        stored += engine.memories.insert([_captured(number, draw) for number in today]) if today else []
        for cycle, runs in spent.items():
            due_at = engine.schedule.due_at(cycle)  # type: ignore[arg-type]
            if due_at is not None and due_at <= clock.now():
                run = engine.consolidation.run_scheduled
                runs.append(cpu_ms(lambda run=run, cycle=cycle: run(cycle)))  # type: ignore[misc]
    return stored, spent


def _forgetting(engine: Engine, stored: Sequence[Memory]) -> dict[str, Any]:
    """Return whether forgetting does what its preview said, leaves everything in reach, and can be taken back."""
    preview = engine.consolidation.forget(preview=True, importance_threshold=FORGOTTEN)
    before = _tables(engine)
    run = engine.consolidation.forget(importance_threshold=FORGOTTEN)
    reachable = _reachable(engine, stored)
    engine.admin.undo(run.batch)
    return {
        "forgotten": run.affected,
        "preview_is_applied": (preview.plan, preview.affected) == (run.plan, run.affected),
        "reachable": reachable,
        "undo_restores": _tables(engine) == before,
    }


def _captured(number: int, draw: random.Random) -> dict[str, Any]:
    # Half are one of a theme, as what is done again and again; half speak of something only they speak of.
    theme = draw.randrange(200) if number % 2 else 1_000 + number
    return {
        "content": sentence(theme, number, draw),
        "memory_type": TYPES[number % len(TYPES)],
        "importance": draw.choice((0.3, 0.4, 0.5, 0.7)),
        "namespace": "bench",
        "source": "hook",
    }


def _recall(engine: Engine, stored: Sequence[Memory]) -> dict[str, float]:
    """Return how often a memory is first, and among the first five, when it is asked for by its own words."""
    chosen = random.Random(3).sample(list(stored), min(QUESTIONS, len(stored)))
    first = among = 0
    for memory in chosen:
        asked = " ".join(word for word in memory.content.split() if len(word) > 3)
        ids = [hit.memory.id for hit in engine.recall.search(asked, k=5, min_score=0.0).hits]
        first += ids[:1] == [memory.id]
        among += memory.id in ids
    return {"first": round(first / len(chosen), 4), "among_five": round(among / len(chosen), 4), "n": len(chosen)}


def _reachable(engine: Engine, stored: Sequence[Memory]) -> float:
    """Return the share of memories that can be read with the words they were stored with."""
    found = {row.id: row.content for row in engine.store.get(Memory, [memory.id for memory in stored])}
    return sum(found.get(memory.id) == memory.content for memory in stored) / len(stored)


def _tables(engine: Engine) -> list[Any]:
    volatile = {"rev", "centrality", "payload"}
    return [
        tuple(getattr(row, name) for name in row.__struct_fields__ if name not in volatile)
        for kind in (Memory, Node, Edge)
        for row in engine.store.find(kind, order="id")
    ]


def _bytes(engine: Engine) -> int:
    return Path(engine.store.describe().location).stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("cost", "year"))
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of memories, for cost")
    parser.add_argument("--words", action="store_true", help="without vectors, for cost")
    parser.add_argument("--plan", action="store_true", help="plan only, for cost")
    parser.add_argument("--memories", type=int, default=10_000, help="for year")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results")
    given = parser.parse_args()
    if given.what == "cost":
        rows = cost([int(size) for size in given.sizes.split(",")], vectors=not given.words, applying=not given.plan)
        publish("consolidate-cost", {"rows": rows}, save=given.save)
    else:
        publish("consolidate-year", year(given.memories), save=given.save)


if __name__ == "__main__":
    main()
