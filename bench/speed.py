"""How fast: server start, storing and recalling, at sizes people reach; indexing source code.

    python bench/speed.py start                      CPU to tools/list: ours, a bare interpreter, the official SDK
    python bench/speed.py store recall [--sizes …]   CPU per store and per recall at 1,000, 10,000 and 100,000 memories
                          [--beside SRC]             the same of another source tree, on the same memories, in turns
    python bench/speed.py graph                      CPU of the graph's algorithms at 10,000 and 100,000 nodes
    python bench/speed.py hook                       CPU of every kind of hook beside a bare interpreter
    python bench/speed.py index [--tree DIR …]       MB of source per CPU second, beside ctags and ripgrep
    python bench/speed.py import [--megabytes N]     MB of transcripts per CPU second, and the memory that needs

Prints JSON; `--save` keeps it under bench/results, one file per commit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
import hooks
import indexing
import measure
import transcripts

if TYPE_CHECKING:
    from recollect import Engine

STORE_BAR_MS = 3.0
# Memories stored one by one; the others are imported.
STORED_ALONE = 300
RECALL_BAR_MS = {10_000: 25.0, 100_000: 60.0}
FIRST_RECALL_BAR_MS = 1000.0
SESSION_START_BAR_MS = 250.0
RSS_BAR_MB = 450.0
START_BAR_RATIO = 1 / 8
# Nodes and edges: a large project, and a very large one.
GRAPH_SIZES = ((10_000, 50_000), (100_000, 1_000_000))

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST_TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def start(runs: int) -> dict[str, Any]:
    """Measure CPU from spawn to the answer of tools/list."""
    with tempfile.TemporaryDirectory() as folder:
        ours = [sys.executable, "-m", "recollect", "serve", "--home", str(Path(folder) / "home")]
        tools = _listed(ours)["result"]["tools"]
        definitions = Path(folder) / "tools.json"
        definitions.write_text(json.dumps(tools), encoding="utf-8")
        sdk = [sys.executable, str(measure.ROOT / "bench" / "sdk_server.py"), str(definitions)]
        bare = [measure.child_cpu_ms([sys.executable, "-c", "pass"]) for _ in range(runs)]
        rows = {"recollect": [_cpu_to_list(ours) for _ in range(runs)], "sdk": [_cpu_to_list(sdk) for _ in range(runs)]}
    ratio = measure.summary(rows["recollect"])["p50"] / measure.summary(rows["sdk"])["p50"]
    return {
        "tools": len(tools),
        "tools_bytes": len(json.dumps(tools, separators=(",", ":"))),
        "cpu_ms_bare_interpreter": measure.summary(bare),
        "cpu_ms_to_tools_list": {name: measure.summary(samples) for name, samples in rows.items()},
        "ratio_to_sdk": round(ratio, 4),
        "bar": round(START_BAR_RATIO, 4),
        "within_bar": ratio <= START_BAR_RATIO,
    }


def _listed(command: list[str]) -> dict[str, Any]:
    """Return a server's answer to tools/list."""
    with _server(command) as process:
        return _ask_for_tools(process)


def _cpu_to_list(command: list[str]) -> float:
    """Return the CPU milliseconds a server has used when its answer to tools/list arrives."""
    with _server(command) as process:
        _ask_for_tools(process)
        tasks = Path(f"/proc/{process.pid}/task")
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e6


def _server(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _ask_for_tools(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdin and process.stdout
    for message in (INITIALIZE, INITIALIZED, LIST_TOOLS):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    for line in process.stdout:
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") == LIST_TOOLS["id"]:
            process.stdin.close()
            return answer
    raise RuntimeError("the server ended without an answer")


def fill(size: int, folder: Path) -> dict[str, Any]:
    """Fill a store and measure single stores; run in a process of its own."""
    from recollect import Engine
    from recollect.engine.models import embedding_queue

    embedding_queue.AT_IMPORT = 0
    with Engine(home=str(folder), embed_on_demand=0) as engine:
        engine.recall.search("warm up the model")
        texts = list(corpus.memories(size))
        alone = min(size // 10, STORED_ALONE)
        rows = [{"content": text, "namespace": hooks.PROJECT} for text in texts[: size - alone]]
        engine.archive.import_(content="\n".join(map(json.dumps, rows)))
        # As in a store whose import is embedded: without vectors, each store embeds some of what it is compared with.
        _embed_at_random(engine)
        stores = [measure.cpu_ms(lambda text=text: engine.memories.store(text)) for text in texts[size - alone :]]
        _embed_at_random(engine)
        size_bytes = engine.store.describe().size_bytes
    return {"store_cpu_ms": measure.summary(stores), "database_mb": round(size_bytes / 2**20, 1)}


def _embed_at_random(engine: Engine) -> None:
    """Give memories without a vector a random one: a search costs the same, and 100,000 real ones take ten minutes."""
    import numpy as np

    from recollect.store.store_values import Vectors

    model = engine.embedding.model_id
    chance = np.random.default_rng(7)
    while lacking := engine.store.lacking_vectors(model, 5_000):
        made = chance.standard_normal((len(lacking), 384), dtype=np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        engine.store.put_vectors(model, [Vectors(m.id, m.rev, row[None]) for m, row in zip(lacking, made, strict=True)])


def recall_once(folder: Path, queries: int) -> dict[str, Any]:
    """Measure recalls on a filled store; run in a process of its own, which is as fresh as that of a user."""
    from recollect import Engine

    with Engine(home=str(folder), embed_on_demand=0) as engine:
        first = measure.cpu_ms(lambda: engine.recall.search("the first recall loads the model and the vectors"))
        asked = list(corpus.questions(queries))
        found: list[list[str]] = []

        def ask(text: str) -> None:
            found.append([hit.memory.content for hit in engine.recall.search(text).hits])

        recalls = [measure.cpu_ms(lambda text=text: ask(text)) for text in asked]
        after_change = []
        for text in asked[:20]:
            engine.memories.store(f"{text}: stored between two recalls")
            after_change.append(measure.cpu_ms(lambda text=text: ask(f"{text} now")))
        embedding = [measure.cpu_ms(lambda text=text: engine.embedding.of_query(text + "?")) for text in asked[:50]]
        return {
            "first_recall_cpu_ms": round(first, 1),
            "recall_cpu_ms": recalls,
            "recall_after_a_store_cpu_ms": after_change,
            "of_which_query_embedding_cpu_ms": embedding,
            "rss_mb": measure.rss_mb(),
            "mode": engine.recall.search(asked[0]).mode,
            "found": hashlib.sha256(json.dumps(found[:queries]).encode()).hexdigest()[:12],
        }


def store_some(folder: Path, count: int) -> dict[str, Any]:
    """Measure single stores in a filled store; run in a process of its own."""
    from recollect import Engine

    with Engine(home=str(folder), embed_on_demand=0) as engine:
        texts = list(corpus.memories(count + 1, seed=23))
        engine.memories.store(texts.pop())
        return {"store_cpu_ms": [measure.cpu_ms(lambda text=text: engine.memories.store(text)) for text in texts]}


# Fresh processes per source tree and size: trees take turns, so that a busy machine is busy for all of them.
ROUNDS = 2


def at_size(size: int, queries: int, trees: dict[str, Path], stores: Path | None) -> dict[str, Any]:
    """Measure recalls and session starts of every source tree on copies of one store.

    stores: a folder with filled stores by their size; None: one is filled
    """
    with tempfile.TemporaryDirectory(prefix="s-") as name:
        filled: dict[str, Any] = {}
        if stores is None:
            first = next(iter(trees.values()))
            filled = _alone(first, ["fill", "--sizes", str(size), "--tree", f"{name}/filled"])
        rounds: dict[str, list[dict[str, Any]]] = {tree: [] for tree in trees}
        starts: dict[str, list[float]] = {tree: [] for tree in trees}
        for tree, source in trees.items():
            shutil.copytree(f"{name}/filled" if stores is None else stores / str(size), f"{name}/{tree}")
            # The first search of a store may write what later processes use.
            rounds[tree].append(_recalled(source, Path(name) / tree, 1))
        for number in range(ROUNDS):
            for tree, source in trees.items():
                home = shutil.copytree(f"{name}/{tree}", f"{name}/{tree}-{number}")
                starts[tree] += hooks.session_starts(source, str(home), 3)
                rounds[tree].append(_recalled(source, Path(home), queries))
                shutil.rmtree(home)
        measured = {tree: _summed(rounds[tree], starts[tree]) for tree in trees}
    return {"memories": size, **filled, **(measured if len(trees) > 1 else next(iter(measured.values())))}


def _recalled(source: Path, home: Path, queries: int) -> dict[str, Any]:
    return _alone(source, ["recall-once", "--tree", str(home), "--queries", str(queries)])


def _summed(rounds: list[dict[str, Any]], starts: list[float]) -> dict[str, Any]:
    """Return several processes as one row; the first of them found the store as an import leaves it."""
    built, *fresh = rounds
    several = ("recall_cpu_ms", "recall_after_a_store_cpu_ms", "of_which_query_embedding_cpu_ms")
    return {
        **{name: measure.summary([each for row in fresh for each in row[name]]) for name in several},
        "first_recall_after_import_cpu_ms": built["first_recall_cpu_ms"],
        "first_recall_cpu_ms": measure.summary([row["first_recall_cpu_ms"] for row in fresh]),
        "session_start_cpu_ms": measure.summary(starts or [0.0]),
        "rss_mb": max(row["rss_mb"] for row in fresh),
        "modes": sorted({row["mode"] for row in fresh}),
        "found": sorted({row["found"] for row in fresh}),
    }


def _alone(source: Path, words: list[str]) -> dict[str, Any]:
    """Return what a process says that uses a source tree."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    command = [sys.executable, __file__, *words]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def store_and_recall(sizes: list[int], queries: int, beside: Path | None, stores: Path | None) -> dict[str, Any]:
    """Measure every size and hold it against the bars."""
    ours = measure.ROOT / "src"
    trees = {"recollect": ours} if beside is None else {"before": beside, "after": ours}
    rows = []
    for size in sizes:
        began = time.monotonic()
        row = at_size(size, queries, trees, stores)
        last = row if beside is None else row["after"]
        row["within_bars"] = {
            "first_recall": last["first_recall_cpu_ms"]["p50"] <= FIRST_RECALL_BAR_MS,
            "session_start": last["session_start_cpu_ms"]["p50"] <= SESSION_START_BAR_MS,
            "rss": last["rss_mb"] <= RSS_BAR_MB,
        }
        if stores is None:
            row["within_bars"]["store"] = row["store_cpu_ms"]["p50"] <= STORE_BAR_MS
        if size in RECALL_BAR_MS:
            row["within_bars"]["recall"] = last["recall_cpu_ms"]["p95"] <= RECALL_BAR_MS[size]
        rows.append(row)
        sys.stderr.write(f"{size:,} memories measured in {time.monotonic() - began:.0f} s\n")
    return {"recall_bar_p95_ms": RECALL_BAR_MS, "sizes": rows}


def graph() -> dict[str, Any]:
    """Measure the graph at every size in a fresh process, and networkx beside it at the smallest."""
    rows = []
    for nodes, edges in GRAPH_SIZES:
        command = [sys.executable, str(measure.ROOT / "bench" / "graph.py"), str(nodes), str(edges)]
        command += ["--networkx"] if (nodes, edges) == GRAPH_SIZES[0] else []
        rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    return {"sizes": rows}


# What is measured in a process of its own, which prints what it found.
_ALONE: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "fill": lambda chosen: fill(chosen.sizes[0], chosen.tree[0]),
    "recall-once": lambda chosen: recall_once(chosen.tree[0], chosen.queries),
    "store-some": lambda chosen: store_some(chosen.tree[0], chosen.queries),
    "index-floor": lambda chosen: indexing.floor(chosen.tree[0]),
    "index-once": lambda chosen: indexing.once(chosen.tree[0], chosen.workers, chosen.changed, link=chosen.link),
    "import-once": lambda chosen: transcripts.once(*chosen.tree),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = ["start", "store", "recall", "graph", "hook", "index", "import", *_ALONE]
    parser.add_argument("what", nargs="+", choices=known)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--beside", type=Path, help="another source tree (its src) to measure recalls of, in turns")
    parser.add_argument("--stores", type=Path, help="folder of filled stores by size; default: fill new ones")
    parser.add_argument("--runs", type=int, default=9, help="server starts per kind")
    parser.add_argument("--tree", type=Path, nargs="+", default=[measure.ROOT], help="folders to index")
    parser.add_argument("--workers", type=int, default=0, help="processes that read files; 0: one per core")
    parser.add_argument("--changed", type=int, default=50, help="files changed one by one")
    parser.add_argument("--link", action="store_true", help="of indexed trees also measure what linking them costs")
    parser.add_argument("--megabytes", type=int, default=1024, help="transcripts that are made and imported")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    if alone := next((work for name, work in _ALONE.items() if name in chosen.what), None):
        sys.stdout.write(json.dumps(alone(chosen)))
        return
    result: dict[str, Any] = {}
    if "start" in chosen.what:
        result["start"] = start(chosen.runs)
    if {"store", "recall"} & set(chosen.what):
        result["store_recall"] = store_and_recall(chosen.sizes, chosen.queries, chosen.beside, chosen.stores)
    if "graph" in chosen.what:
        result["graph"] = graph()
    if "hook" in chosen.what:
        result["hook"] = hooks.hook(max(chosen.runs, 30), chosen.sizes[0] if len(chosen.sizes) == 1 else 10_000)
    if "index" in chosen.what:
        result["index"] = indexing.index(chosen.tree, chosen.workers, chosen.changed, link=chosen.link)
    if "import" in chosen.what:
        result["import"] = transcripts.import_(chosen.megabytes)
    measure.publish("speed", result, save=chosen.save)


if __name__ == "__main__":
    main()
