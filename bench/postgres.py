"""PostgreSQL beside SQLite: storing and recalling, the recall of the HNSW index, and a crowd of writers and readers.

    python bench/postgres.py speed [--sizes 10000]               CPU of client and server per store and per recall, on
                                                                 the same memories: `recollect migrate` copies them
    python bench/postgres.py hnsw [--sizes 10000]                recall@10 of HNSW against exact search, and its time
    python bench/postgres.py quality --data FILE [--limit 60]     bench/recall.py on both: the same figures and rankings
    python bench/postgres.py crowd [--people 50] [--seconds 120] processes that write and read at once: what is lost

It starts a server of its own (`make postgres` installs it), with crash safety on. Prints JSON; `--save` keeps it under
bench/results, one file per commit.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import corpus
import measure

sys.path.insert(0, str(measure.ROOT))
from tests import postgres_server

TICKS = os.sysconf("SC_CLK_TCK")
WIDTH = 384
# Texts that are embedded; further vectors are copies of theirs with noise, so that neighbours are as near as real ones.
EMBEDDED = 2_000
NOISE = 0.6
# What holds for a server with data of value, unlike for tests.
SAFE = {"fsync": "on", "full_page_writes": "on", "autovacuum": "on", "maintenance_work_mem": "512MB"}


@contextmanager
def server() -> Iterator[postgres_server.Server]:
    """Run a server with crash safety, in a folder of its own."""
    postgres_server.OPTIONS.update(SAFE)
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        Path(name).chmod(0o755)
        with postgres_server.own_server(Path(name) / "server") as running:
            yield running


def server_cpu_ms(running: postgres_server.Server) -> float:
    """Return the CPU milliseconds that the server and its processes have used, ended ones included."""
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        own = folder.name == str(running.pid)
        if own or fields[1] == str(running.pid):
            # Of a child its own time; of the server also that of its ended children.
            ticks += sum(map(int, fields[11:15] if own else fields[11:13]))
    return 1000 * ticks / TICKS


# --- storing and recalling ---


def speed(sizes: list[int], queries: int) -> dict[str, Any]:
    """Measure both databases with the same memories and questions, each in fresh processes."""
    rows = []
    for size in sizes:
        with server() as running, tempfile.TemporaryDirectory() as folder:
            row: dict[str, Any] = {"memories": size}
            home = Path(folder) / "home"
            _alone(["fill", "--sizes", str(size), "--tree", str(home)], "")
            began, at = server_cpu_ms(running), time.process_time()
            row["migrate"] = _migrated(home, running.url)
            row["migrate"]["client_cpu_s"] = round(time.process_time() - at, 1)
            row["migrate"]["server_cpu_s"] = round((server_cpu_ms(running) - began) / 1000, 1)
            row["sqlite"] = _measured(queries, home, "", lambda: 0.0)
            row["postgres"] = _measured(queries, home, running.url, lambda: server_cpu_ms(running))
            row["same_answers"] = row["sqlite"].pop("found") == row["postgres"].pop("found")
            rows.append(row)
    return {"sizes": rows}


def _migrated(home: Path, url: str) -> dict[str, Any]:
    """Copy a store to PostgreSQL, with its indexes."""
    from recollect.store.postgres import Postgres
    from recollect.store.sqlite import Sqlite
    from recollect.store.store_copy import copy_store

    with closing(Sqlite(home / "recollect.db")) as old, closing(Postgres(url, home)) as new:
        copied = sum(table.rows for table in copy_store(old, new))
        return {"rows": copied, "sqlite_mb": _megabytes(old), "postgres_mb": _megabytes(new)}


def _megabytes(database: Any) -> float:
    return round(database.describe().size_bytes / 2**20, 1)


def _measured(queries: int, home: Path, url: str, server_ms: Callable[[], float]) -> dict[str, Any]:
    _alone(["recall-once", "--tree", str(home), "--queries", "1"], url)
    before = server_ms()
    found = _alone(["recall-once", "--tree", str(home), "--queries", str(queries)], url)
    # Beside the questions, a run recalls and stores 20 times more; their server time is part of the mean.
    after = server_ms()
    stored = _alone(["store-some", "--tree", str(home), "--queries", str(queries)], url)["store_cpu_ms"]
    return {
        "store_client_cpu_ms": measure.summary(stored),
        "store_server_cpu_ms_mean": round((server_ms() - after) / queries, 2),
        "recall_client_cpu_ms": measure.summary(found["recall_cpu_ms"]),
        "recall_server_cpu_ms_mean": round((after - before) / (queries + 22), 2),
        "first_recall_client_cpu_ms": found["first_recall_cpu_ms"],
        "rss_mb": found["rss_mb"],
        "found": found["found"],
    }


def _alone(words: list[str], url: str, script: str = "speed.py") -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(measure.ROOT / "src"), "RECOLLECT_DATABASE_URL": url}
    command = [sys.executable, str(measure.ROOT / "bench" / script), *words]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


# --- what is found ---


def quality(data: Path, limit: int) -> dict[str, Any]:
    """Ask the questions of a file of conversations on both databases and compare what is found."""
    with server() as running, tempfile.TemporaryDirectory() as folder:
        reports, ranked = {}, {}
        for name, url in (("sqlite", ""), ("postgres", running.url)):
            out = Path(folder) / name
            words = ["--data", str(data), "--limit", str(limit), "--out", str(out), "--json"]
            (report,) = _alone(words, url, "recall.py")["recall"]
            reports[name] = report["recollect"]["evidence"]["headline"]
            ranked[name] = out.read_text(encoding="utf-8").splitlines()
    pairs = list(zip(ranked["sqlite"], ranked["postgres"], strict=True))
    same = sum(one == other for one, other in pairs)
    return {"questions": len(pairs), "same_ranking": round(same / len(pairs), 4), **reports}


# --- the index of vectors ---


def hnsw(sizes: list[int], queries: int) -> dict[str, Any]:
    """Compare the ten nearest by the index with those of an exact search."""
    return {"sizes": [_hnsw(size, queries) for size in sizes]}


def _hnsw(size: int, queries: int) -> dict[str, Any]:
    from recollect.model import Memory
    from recollect.store.postgres import Postgres
    from recollect.store.sql import SqlStore
    from recollect.store.tables import TABLES, to_row
    from recollect.store.vector_index import to_blob

    made = _vectors(size + queries)
    with server() as running, closing(SqlStore(Postgres(running.url, Path()))) as store:
        began, table, dialect = server_cpu_ms(running), TABLES[Memory], store._dialect
        for start in range(0, size, 10_000):
            # Rows without terms: only the vectors matter here.
            rows = [Memory(id=f"{n}", content="", seq=n + 1, rev=1) for n in range(start, min(start + 10_000, size))]
            vectors = [(row.id, "m", 0, dialect.vector_value(to_blob(made[int(row.id)])), 1) for row in rows]
            with dialect.write() as connection:
                dialect.insert_rows(connection, table.name, table.columns, [to_row(table, row) for row in rows])
                columns = ("memory_id", "model", "part", "embedding", "stamp")
                dialect.insert_rows(connection, "memory_embeddings", columns, vectors)
        with dialect.write() as connection:
            dialect.finish_copy(connection)
        filled = server_cpu_ms(running)
        found, elapsed = [], []
        for query in made[size:]:
            at = time.perf_counter()
            found.append([match.id for match in store.search_vectors("m", query, None, 10)])
            elapsed.append(1000 * (time.perf_counter() - at))
        spent = (server_cpu_ms(running) - filled) / queries
        index = list(
            store._connection().execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'idx_vectors_%'")
        )
        exact = [{str(n) for n in (made[:size] @ query).argsort()[-10:]} for query in made[size:]]
    hits = [len(wanted & set(names)) / 10 for wanted, names in zip(exact, found, strict=True)]
    return {
        "vectors": size,
        "indexes": len(index),
        "recall_at_10": round(sum(hits) / len(hits), 4),
        "search_server_cpu_ms_mean": round(spent, 2),
        "search_wall_ms": measure.summary(elapsed),
        "fill_server_cpu_s": round((filled - began) / 1000, 1),
    }


def _vectors(count: int) -> Any:
    import numpy as np

    from recollect import Engine

    with tempfile.TemporaryDirectory() as home, Engine(home=home) as engine:
        texts = list(corpus.memories(min(EMBEDDED, count)))
        real = np.array([engine.embedding.of_query(text)[0] for text in texts], np.float32)
    chance = np.random.default_rng(7)
    around = chance.standard_normal((count, real.shape[1]), dtype=np.float32) * (NOISE / real.shape[1] ** 0.5)
    made = real[chance.integers(0, len(real), count)] + around
    return made / np.linalg.norm(made, axis=1, keepdims=True)


# --- many at once ---


def crowd(people: int, seconds: int) -> dict[str, Any]:
    """Let processes write and read at once, then look for every memory that was confirmed."""
    from recollect.model import Memory
    from recollect.store.postgres import Postgres
    from recollect.store.sql import SqlStore

    fork = multiprocessing.get_context("fork")
    corpus.sentences()  # once, for all processes that are forked from here
    with server() as running, closing(SqlStore(Postgres(running.url, Path()))) as store:
        with store.transaction("crowd") as transaction:  # loads what every process needs
            transaction.insert(Memory(id="first", content="The first memory"))
        store.search_text(["first"], None, 10)
        answers: Any = fork.Queue()
        ready = fork.Barrier(2 * people)
        work = [(_write, number) for number in range(people)] + [(_read, number) for number in range(people)]
        started = [
            fork.Process(target=each, args=(running.url, number, seconds, ready, answers)) for each, number in work
        ]
        for process in started:
            process.start()
        told = [answers.get() for _ in started]
        for process in started:
            process.join()
        confirmed = {name for row in told for name in row["confirmed"]}
        lost = confirmed - {row.id for row in store.find(Memory)}
        problems = store.check(thorough=True)
    return {
        "writers": people,
        "readers": people,
        "seconds": seconds,
        "writes": len(confirmed),
        "reads": sum(row["reads"] for row in told),
        "lost": len(lost),
        "errors": sorted({error for row in told for error in row["errors"]}),
        "problems": problems,
        "writes_per_s": round(len(confirmed) / seconds, 1),
        "reads_per_s": round(sum(row["reads"] for row in told) / seconds, 1),
        "write_wall_ms": measure.summary([each for row in told for each in row["write_ms"]]),
        "read_wall_ms": measure.summary([each for row in told for each in row["read_ms"]]),
    }


def _write(url: str, number: int, seconds: int, ready: Any, answers: Any) -> None:
    from recollect.errors import RecollectError
    from recollect.model import Memory
    from recollect.store.postgres import Postgres
    from recollect.store.sql import SqlStore

    row: dict[str, Any] = {"confirmed": [], "reads": 0, "errors": [], "write_ms": [], "read_ms": []}
    texts = list(corpus.memories(200, seed=number))
    with closing(SqlStore(Postgres(url, Path()))) as store:
        store.search_text(["first"], None, 10)
        ready.wait()
        end, count = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            count += 1
            at = time.perf_counter()
            try:
                with store.transaction("crowd") as transaction:
                    transaction.insert(Memory(id=f"{number}-{count}", content=f"{texts[count % 200]} {count}"))
                row["confirmed"].append(f"{number}-{count}")
            except RecollectError as error:
                row["errors"].append(error.code)
            row["write_ms"].append(1000 * (time.perf_counter() - at))
    answers.put(row)


def _read(url: str, number: int, seconds: int, ready: Any, answers: Any) -> None:
    from recollect.errors import RecollectError
    from recollect.store.postgres import Postgres
    from recollect.store.sql import SqlStore
    from recollect.text.terms import terms

    row: dict[str, Any] = {"confirmed": [], "reads": 0, "errors": [], "write_ms": [], "read_ms": []}
    asked = [terms(text) for text in corpus.questions(50)]
    with closing(SqlStore(Postgres(url, Path()))) as store:
        store.search_text(["first"], None, 10)
        ready.wait()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            at = time.perf_counter()
            try:
                store.search_text(asked[row["reads"] % 50], None, 10)
            except RecollectError as error:
                row["errors"].append(error.code)
            row["reads"] += 1
            row["read_ms"].append(1000 * (time.perf_counter() - at))
    answers.put(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=["speed", "hnsw", "quality", "crowd"])
    parser.add_argument("--data", type=Path, help="conversations for quality, .json or .json.gz")
    parser.add_argument("--limit", type=int, default=60, help="questions per conversation for quality")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    result: dict[str, Any] = {}
    if "speed" in chosen.what:
        result["speed"] = speed(chosen.sizes, chosen.queries)
    if "hnsw" in chosen.what:
        result["hnsw"] = hnsw(chosen.sizes, chosen.queries)
    if "quality" in chosen.what:
        result["quality"] = quality(chosen.data, chosen.limit)
    if "crowd" in chosen.what:
        result["crowd"] = crowd(chosen.people, chosen.seconds)
    measure.publish("-".join(["postgres", *result]), result, save=chosen.save)


if __name__ == "__main__":
    main()
