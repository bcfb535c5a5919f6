"""CPU time and size of every call that a view of the dashboard makes, on a large store.

    python bench/dashboard_calls.py [--memories 100000] [--home DIR] [--database-url URL] [--save]

A store is filled as bench/speed.py does: imported memories with random unit vectors, in PROJECTS projects. Each call is
made as the page makes it, and encoded as the REST API does. `first` loads caches; `later` is the median of the next
calls of the same kind, with other arguments where the page would have others.

    --home   a folder that is kept: a store that is there already is measured without filling it
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import corpus
import measure
from recollect import Engine, clock
from recollect.capabilities import OPERATIONS
from recollect.engine.models import embedding_queue
from recollect.render import to_json
from recollect.store.store_values import Vectors

PROJECTS = 50
DAY = 86_400
TYPES = ("decision", "insight", "preference", "pattern", "context")
RUNS = 5
# Memories that are imported at once.
BATCH = 20_000
EVERYWHERE = {"all_projects": True}


def fill(engine: Engine, size: int) -> None:
    """Import memories over two years, and give them vectors."""
    now, rows = clock.now(), []
    for number, text in enumerate(corpus.memories(size)):
        at = now - (number * 7919 % 730) * DAY
        rows.append(
            {"content": text, "namespace": f"/srv/project{number % PROJECTS}", "memory_type": TYPES[number % 5]}
            | {"created_at": at, "updated_at": at, "importance": number % 10 / 10}
        )
        if len(rows) == BATCH or number == size - 1:
            engine.archive.import_(content="\n".join(map(json.dumps, rows)))
            rows = []
    model, chance = engine.embedding.model_id, np.random.default_rng(7)
    while lacking := engine.store.lacking_vectors(model, 5_000):
        made = chance.standard_normal((len(lacking), 384), dtype=np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        vectors = [Vectors(one.id, one.rev, row[None]) for one, row in zip(lacking, made, strict=True)]
        engine.store.put_vectors(model, vectors)


def calls(engine: Engine) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield view, operation and the arguments of the calls to make."""
    questions = list(corpus.questions(RUNS + 1))
    some = [row.id for row in engine.memories.list(all_projects=True, order="important", limit=RUNS + 1).memories]
    newest: dict[str, Any] = {**EVERYWHERE, "archived": False, "limit": 30}
    yield "search", "list_memories", [{**EVERYWHERE, "observed": True, "order": "oldest", "limit": 1}]
    yield "search", "list_namespaces", [{}]
    yield "search newest", "list_memories", [{**newest, "offset": 30 * page} for page in range(RUNS + 1)]
    yield "search kind", "list_memories", [{**newest, "type": kind} for kind in TYPES]
    yield (
        "search project",
        "list_memories",
        [{**newest, "all_projects": False, "project": f"/srv/project{n}"} for n in range(RUNS + 1)],
    )
    yield "search time", "list_memories", [{**newest, "since": age} for age in ("1d", "1w", "1m", "1y")]
    yield "search as of", "list_memories", [{**newest, "until": f"2026-0{month}-01"} for month in range(1, 7)]
    typing = [
        {**EVERYWHERE, "query": text[:size], "limit": 30, "code": False} for text in questions for size in (9, 15)
    ]
    yield "search typing", "recall_memory", typing
    whole = [{**EVERYWHERE, "query": text, "limit": 30, "code": False} for text in questions]
    yield "search words", "recall_memory", whole
    yield "search as of", "recall_memory", [{**one, "as_of": "2026-03-01"} for one in whole]
    yield "search freshness", "recall_memory", [{**one, "limit": 200} for one in whole]
    yield "search freshness", "drift", [{"limit": 50}]
    yield "memory", "get_memory", [{"memory_id": one} for one in some]
    yield "memory", "graph_traverse", [{"start_id": one, "max_depth": 1, "limit": 60} for one in some]
    yield "memory", "list_changes", [{"memory_id": one, "limit": 20} for one in some]
    yield "memory", "memory_usefulness", [{"memory_id": one} for one in some]
    yield "briefing", "preview_context", [{"project": f"/srv/project{n}"} for n in range(RUNS + 1)]
    yield "briefing prompt", "preview_context", [{"project": "/srv/project1", "prompt": one} for one in questions]
    yield "graph", "graph_layout", [{"limit": 50_000}]
    yield "map", "embedding_map", [{**EVERYWHERE, "limit": 2_000}]
    yield "map largest", "embedding_map", [{**EVERYWHERE, "limit": 20_000}]
    yield "sessions", "list_sessions", [{**EVERYWHERE, "limit": 40}]
    for name in ("health", "stats", "consolidation_status"):
        yield "health", name, [{}]
    yield "health", "model_spending", [{"days": 30}]
    for name in ("decay", "creative", "cluster", "forget"):
        yield "health preview", f"consolidate_{name}", [{"preview": True, "limit": 8}]


def measured(engine: Engine) -> dict[str, Any]:
    """Return CPU time and size of every call."""
    result: dict[str, Any] = {}
    for view, name, given in calls(engine):
        answers: list[bytes] = []
        times = [
            measure.cpu_ms(lambda name=name, one=one, answers=answers: answers.append(asked(engine, name, one)))
            for one in (given if len(given) > 1 else given * 3)
        ]
        row = {"first_cpu_ms": round(times[0], 1), "later_cpu_ms": round(statistics.median(times[1:]), 1)}
        result[f"{view}: {name}"] = {**row, "kb": round(max(map(len, answers)) / 1000, 1)}
        print(f"{view + ': ' + name:42}", *result[f"{view}: {name}"].values(), flush=True)
    return result


def asked(engine: Engine, name: str, arguments: dict[str, Any]) -> bytes:
    return to_json(OPERATIONS[name].call(engine, arguments))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--database-url", default="")
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    embedding_queue.AT_IMPORT = 0
    with tempfile.TemporaryDirectory() as folder:
        home = str(given.home or folder)
        with Engine(home=home, embed_on_demand=0, database_url=given.database_url) as engine:
            if not engine.memories.list(all_projects=True, limit=1).total:
                fill(engine, given.memories)
            total = engine.memories.list(all_projects=True, limit=1).total
            result = measured(engine)
    measure.publish("dashboard-calls", {"memories": total, "calls": result}, save=given.save)


if __name__ == "__main__":
    main()
