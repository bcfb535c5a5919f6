"""PostgreSQL beside SQLite: storing and recalling, what is found, and a crowd of writers and readers.

    python bench/postgres.py speed [--sizes 10000]     CPU of client and server per store and per recall, on the same
                                                       memories, which `migrate` copies; recall@10 of the HNSW index
    python bench/postgres.py quality --data FILE       bench/recall.py on both: the same figures and rankings
    python bench/postgres.py crowd [--people 50]       processes that write and read at once: what is lost

It starts a server of its own (`make postgres` installs it), with crash safety on. Prints JSON; `--save` keeps it under
bench/results, one file per commit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import corpus
import measure

sys.path.insert(0, str(measure.ROOT))
from tests import postgres_server

TICKS = os.sysconf("SC_CLK_TCK")
# Sentences that are embedded; the vectors of all memories are made from theirs.
EMBEDDED = 600
NOISE = 0.3
# Memories written under one lock, and the namespaces that they belong to: the n-th has 1/n of the largest.
PAGE = 5_000
TEAMS = 200
# The share of these is 17 %, 1.1 % and 0.1 %.
ASKED_TEAMS = (1, 15, 150)
# What holds for a server with data of value, unlike for tests.
SAFE = {
    "fsync": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
    "maintenance_work_mem": "3GB",
    "shared_buffers": "1GB",
    "max_wal_size": "8GB",
}


@contextmanager
def server(kept: Path | None = None) -> Iterator[postgres_server.Server]:
    """Run a server with crash safety, in a folder of its own or, for one that is kept, in a given one."""
    postgres_server.OPTIONS.update(SAFE)
    programs = postgres_server.binaries()
    assert programs is not None, "`make postgres` installs PostgreSQL"
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        Path(name).chmod(0o755)
        running = postgres_server.Server(programs, kept or Path(name) / "server")
        if kept is None or not kept.exists():
            running.create()
        running.start()
        try:
            yield running
        finally:
            running.stop(cleanly=kept is not None)


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


def speed(sizes: list[int], queries: int, stores: int, filled: Path | None) -> dict[str, Any]:
    """Measure both databases with the same memories and questions, each in fresh processes.

    filled: a folder with filled databases by their size; what is missing is filled
    """
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            kept = (filled or folder) / str(size)
            row = {"memories": size, **_filled(size, kept)}
            for part in ("home", "server"):
                subprocess.run(["cp", "-a", str(kept / part), str(folder / part)], check=True)
            words = [str(folder / "home"), "--queries", str(queries), "--stores", str(stores)]
            row["sqlite"] = _alone(["use", *words], "")
            _told(row["sqlite"])
            with server(folder / "server") as running:
                row["postgres"] = _alone(["use", *words, "--server", str(running.pid)], running.url)
            _told(row["postgres"])
        # SQLite compares all vectors.
        exact, found = (row[name].pop("nearest") for name in ("sqlite", "postgres"))
        row["hnsw_recall_at_10"] = {
            name: round(
                sum(len(set(one) & set(two)) for one, two in zip(exact[name], found[name], strict=True)) / wanted, 4
            )
            for name, wanted in ((name, sum(map(len, lists))) for name, lists in exact.items())
        }
        answers = (row[name].pop("found") for name in ("sqlite", "postgres"))
        row["same_answers"] = sum(one == other for one, other in zip(*answers, strict=True)) / queries
        rows.append(row)
    return {"sizes": rows}


def _filled(size: int, kept: Path) -> dict[str, Any]:
    """Fill a home and the data folder of a server with the same memories; return what that took."""
    facts = kept / "filled.json"
    if not facts.exists():
        kept.mkdir(parents=True, exist_ok=True)
        filled = _alone(["fill", str(kept / "home"), "--sizes", str(size)], "")
        _told(filled)
        with server(kept / "server") as running:
            began, at = server_cpu_ms(running), time.process_time()
            migrated = _migrated(kept / "home", running.url)
            migrated["client_cpu_s"] = round(time.process_time() - at, 1)
            migrated["server_cpu_s"] = round((server_cpu_ms(running) - began) / 1000, 1)
            _told(migrated)
        facts.write_text(json.dumps({"fill": filled, "migrate": migrated}), encoding="utf-8")
    found: dict[str, Any] = json.loads(facts.read_text(encoding="utf-8"))
    return found


def _told(row: dict[str, Any]) -> None:
    sys.stderr.write(
        f"{time.strftime('%H:%M:%S')} {json.dumps({k: v for k, v in row.items() if k not in ('found', 'nearest')})}\n"
    )


def fill(size: int, home: Path) -> dict[str, Any]:
    """Fill a SQLite database by its bulk path: rows, log, full text and vectors; run in a process of its own."""
    from recollect import Engine
    from recollect.model import Change, Memory
    from recollect.store.full_text import scope_term
    from recollect.store.row_queries import increment
    from recollect.store.sqlite import Sqlite
    from recollect.store.tables import TABLES, to_row
    from recollect.store.vector_index import to_blob
    from recollect.text.digest import digest
    from recollect.text.passage_features import shape
    from recollect.text.passages import MAX_PASSAGES
    from recollect.text.terms import terms

    at = time.process_time()
    with Engine(home=str(home)) as engine:
        model, real = engine.embedding.model_id, _embedded(engine)
    words = cache(lambda text: " ".join(terms(text)))
    shaped = cache(lambda text: shape(text, parts=1, at=0).packed())
    columns = ("memory_id", "model", "part", "embedding", "stamp")
    chance = random.Random(5)
    pool = corpus.sentences()
    weights = [1 / number for number in range(1, TEAMS + 1)]
    began = time.process_time()
    with closing(Sqlite(home / "recollect.db")) as database:
        for start in range(0, size, PAGE):
            memories, texts = [], []
            teams = iter(chance.choices(range(1, TEAMS + 1), weights, k=PAGE))
            for number in range(start + 1, min(start + PAGE, size) + 1):
                (name, first), (_, second) = chance.choice(pool), chance.choice(pool)
                content, namespace = f"{name} (note {number}): {first} {second}", f"team:{next(teams)}"
                memory = Memory(id=digest(content, 32), content=content, namespace=namespace, seq=number, rev=number)
                memories.append(memory)
                body = f"{words(name)} note {number} {words(first)} {words(second)}"
                texts.append((number * MAX_PASSAGES, scope_term(namespace), "", "", body, shaped(first)))
            log = [
                Change(
                    seq=m.seq,
                    batch="fill",
                    at=1,
                    operation="import",
                    entity="memories",
                    entity_id=m.id,
                    action="insert",
                )
                for m in memories
            ]
            made = _mixed(real, len(memories), start)
            vectors = [(m.id, model, 0, to_blob(v), 1) for m, v in zip(memories, made, strict=True)]
            with database.write() as connection:
                for kind, records in ((Memory, memories), (Change, log)):
                    table = TABLES[kind]
                    rows = [to_row(table, record) for record in records]
                    database.insert_rows(connection, table.name, table.columns, rows)
                database.index_rows(connection, texts)
                database.insert_rows(connection, "memory_embeddings", columns, vectors)
        with database.write() as connection:
            increment(connection, "vector_stamp")
    return {"embed_cpu_s": round(began - at, 1), "fill_cpu_s": round(time.process_time() - began, 1)}


def _embedded(engine: Any) -> Any:
    """Return the vectors of some sentences."""
    import numpy as np

    some = random.Random(3).sample(corpus.sentences(), EMBEDDED)
    return np.array([engine.embedding.of_query(sentence)[0] for _, sentence in some], np.float32)


def _mixed(real: Any, count: int, seed: int) -> Any:
    """Return vectors of texts of two sentences: the mean of two vectors, and a little of chance."""
    import numpy as np

    chance = np.random.default_rng(seed)
    first, second = real[chance.integers(0, len(real), (2, count))]
    noise = chance.standard_normal(first.shape, dtype=np.float32) * (NOISE / first.shape[1] ** 0.5)
    made = first + second + noise
    return made / np.linalg.norm(made, axis=1, keepdims=True)


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


def use(home: Path, queries: int, stores: int, server: int) -> dict[str, Any]:
    """Measure recalls, then stores; run in a process of its own, which is as fresh as that of a user."""
    from recollect import Engine

    with Engine(home=str(home), embed_on_demand=0) as engine:
        first = measure.cpu_ms(lambda: engine.recall.search("the first recall loads the model and the vectors"))
        found: list[str] = []

        def ask(text: str) -> None:
            found.append(digest_of([hit.memory.content for hit in engine.recall.search(text).hits]))

        asked = list(corpus.questions(queries))
        recalls = _both(asked, ask, server)
        model = engine.embedding.model_id
        vectors = [engine.embedding.of_query(text)[0] for text in asked]
        nearest: dict[str, list[list[str]]] = {}
        searches, scoped = {}, {}
        for name in ("all", *(f"team:{team}" for team in ASKED_TEAMS)):
            where = None if name == "all" else {"namespace": name}
            nearest[name] = []

            def near(vector: Any, where: Any = where, found: Any = nearest[name]) -> None:
                found.append([match.id for match in engine.store.search_vectors(model, vector, where, 10)])

            searches[name] = _both(vectors, near, server)
            if where:
                scoped[name] = _both(asked, partial(engine.recall.search, **where), server)
        texts = list(corpus.memories(stores, seed=23))
        stored = _both(texts, engine.memories.store, server)
        spent = stored["cpu_ms"]["mean"]
        return {
            "first_recall_client_cpu_ms": round(first, 1),
            "recall": recalls,
            "recall_in_one_namespace": scoped,
            "vector_search": searches,
            "store": {**stored, "per_cpu_s": round(1000 / spent, 1)},
            "rss_mb": measure.rss_mb(),
            "nearest": nearest,
            "found": found,
        }


def digest_of(texts: list[str]) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:12]


def _both(items: list[Any], work: Callable[[Any], object], server: int) -> dict[str, Any]:
    """Measure work on each item: CPU of this process, that of the server's processes, and the time that passed."""
    client, served, passed = [], [], []
    for item in items:
        before, began = _processes_cpu_ms(server), time.perf_counter()
        client.append(measure.cpu_ms(lambda item=item: work(item)))
        passed.append(1000 * (time.perf_counter() - began))
        served.append(_processes_cpu_ms(server) - before)
    timed = {"client_cpu_ms": client, "server_cpu_ms": served, "wall_ms": passed}
    timed["cpu_ms"] = [sum(pair) for pair in zip(client, served, strict=True)]
    return {name: measure.summary(values) for name, values in timed.items() if any(values)}


def _processes_cpu_ms(server: int) -> float:
    """Return the CPU milliseconds of the processes of a server that run now; 0 without one."""
    if not server:
        return 0.0
    children = Path(f"/proc/{server}/task/{server}/children").read_text(encoding="utf-8").split()
    spent = 0
    for child in children:
        with suppress(OSError):
            spent += int(Path(f"/proc/{child}/schedstat").read_text(encoding="utf-8").split()[0])
    return spent / 1e6


def _alone(words: list[str], url: str, script: str = "postgres.py") -> dict[str, Any]:
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


# --- many at once ---


def crowd(people: int, seconds: int) -> dict[str, Any]:
    """Let processes write and read at once, then look for every memory that was confirmed."""
    from recollect.model import Memory
    from recollect.store.postgres import Postgres
    from recollect.store.sql import Store

    fork = multiprocessing.get_context("fork")
    corpus.sentences()  # once, for all processes that are forked from here
    with server() as running, closing(Store(Postgres(running.url, Path()))) as store:
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
    from recollect.store.sql import Store

    row: dict[str, Any] = {"confirmed": [], "reads": 0, "errors": [], "write_ms": [], "read_ms": []}
    texts = list(corpus.memories(200, seed=number))
    with closing(Store(Postgres(url, Path()))) as store:
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
    from recollect.store.sql import Store
    from recollect.text.terms import terms

    row: dict[str, Any] = {"confirmed": [], "reads": 0, "errors": [], "write_ms": [], "read_ms": []}
    asked = [terms(text) for text in corpus.questions(50)]
    with closing(Store(Postgres(url, Path()))) as store:
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
    parser.add_argument("what", choices=["speed", "quality", "crowd", "fill", "use"])
    parser.add_argument("home", type=Path, nargs="?", help="for processes of this benchmark: fill and use")
    parser.add_argument("--data", type=Path, help="conversations for quality, .json or .json.gz")
    parser.add_argument("--limit", type=int, default=60, help="questions per conversation for quality")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--stores", type=int, default=1_000)
    parser.add_argument("--filled", type=Path, help="folder with filled homes by size; default: fill new ones")
    parser.add_argument("--server", type=int, default=0, help="process of the server, for use")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    if chosen.what == "fill":
        sys.stdout.write(json.dumps(fill(chosen.sizes[0], chosen.home)))
    elif chosen.what == "use":
        sys.stdout.write(json.dumps(use(chosen.home, chosen.queries, chosen.stores, chosen.server)))
    else:
        work = {
            "speed": lambda: speed(chosen.sizes, chosen.queries, chosen.stores, chosen.filled),
            "quality": lambda: quality(chosen.data, chosen.limit),
            "crowd": lambda: crowd(chosen.people, chosen.seconds),
        }[chosen.what]
        measure.publish(f"postgres-{chosen.what}", {chosen.what: work()}, save=chosen.save)


if __name__ == "__main__":
    main()
