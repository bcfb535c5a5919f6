"""Consolidation: what a cycle costs per memory as stores grow, and what a year of cycles does to a store.

    python bench/consolidate.py cost [--sizes 1000,10000,100000]
    python bench/consolidate.py year [--memories 10000] [--data FILE]

cost   vectors are given, so that only the cycles are measured: CPU seconds, and microseconds per memory, which hardly
       grow where a cycle is near-linear.
year   captured memories come in while the schedule runs every day: recall with and without cycles, of memories by
       their own words and of conversations by labelled questions (FILE, as for bench/recall.py), what can still be
       reached, previews against runs, undo, and growth of the database (bench/year.py).
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
from recollect.model import Memory
from recollect.store.store_values import Vectors

DAY = 86_400
BEGIN = 1_700_000_000
CYCLES = ("decay", "creative", "cluster", "forget")
TYPES = ("decision", "pattern", "preference", "style", "habit", "insight", "context")
# One theme for so many memories: groups stay as large as they are in a small store.
PER_THEME = 8
DIMENSIONS = 256


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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("cost", "year"))
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of memories, for cost")
    parser.add_argument("--words", action="store_true", help="without vectors, for cost")
    parser.add_argument("--plan", action="store_true", help="plan only, for cost")
    parser.add_argument("--memories", type=int, default=10_000, help="for year")
    parser.add_argument("--data", type=Path, metavar="FILE", help="conversations with labelled questions, for year")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results")
    given = parser.parse_args()
    if given.what == "cost":
        rows = cost([int(size) for size in given.sizes.split(",")], vectors=not given.words, applying=not given.plan)
        publish("consolidate-cost", {"rows": rows}, save=given.save)
    else:
        import conversations
        import year

        source = conversations.read_conversations(given.data) if given.data else None
        publish("consolidate-year", year.year(given.memories, source), save=given.save)


if __name__ == "__main__":
    main()
