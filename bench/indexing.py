"""How fast source code becomes searchable: a tree read for the first time, looked at again, and one file of it changed.

Everything happens in a process of its own on a database of its own; the tree is not touched. CPU time is that of the
process and of all it started.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import measure

# At least this share of the speed of tree-sitter with a plain SQLite insert, in the same run: both depend on the
# machine and on the languages of a tree, so a rate of its own says little.
FLOOR_SHARE = 0.5
# Index and floor are measured in turn, and the best of each counts: other processes only ever add CPU time.
ROUNDS = 3
# A tree of 18,000 files stays within these.
RESCAN_BAR_S = 1.5
ONE_FILE_BAR_MS = 50.0
SEARCH_BAR_MS = 20.0
SAVED_BAR_MS = 100.0
# Saves that are measured.
SAVES = 40

QUERIES = (
    "parse http header",
    "database connection pool timeout",
    "getUserName",
    "retry with exponential backoff",
    "config entry setup",
    "test fixture",
    "serialize json response",
    "class loader",
)


def once(tree: Path, workers: int, changed: int, *, link: bool = False) -> dict[str, Any]:
    """Index a tree and measure, with `link` also what linking it costs; run in a process of its own."""
    from recollect import Engine
    from recollect.store.code_rows import CodeScope
    from recollect.text.identifiers import code_terms

    with tempfile.TemporaryDirectory() as folder, Engine(home=folder, index_workers=workers) as engine:
        done, fresh_s, wall_s = _timed(lambda: _indexed(engine, tree))
        megabytes = done.size_bytes / 1e6
        _, again_s, _ = _timed(lambda: engine.code.index(str(tree)))
        memory = {
            "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            "worker_rss_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1),
        }
        database_mb = round(engine.store.describe().size_bytes / 1e6, 1)
        linking = _linked(tree, workers, fresh_s) if link else {}
        first, single = (
            [_timed(change)[1] * 1000 for change in changes] for changes in _changes(engine, tree, changed)
        )
        store = engine.store
        searches = []
        for query in QUERIES * 5:
            terms = code_terms(query)
            searches.append(measure.cpu_ms(lambda terms=terms: store.search_code_text(terms, CodeScope(), 100)))
        return {
            "files": done.files,
            "megabytes": round(megabytes, 1),
            "symbols": done.symbols,
            "pieces": done.chunks,
            "languages": done.languages,
            "cpu_s": round(fresh_s, 2),
            "wall_s": round(wall_s, 2),
            "mb_per_cpu_s": round(megabytes / fresh_s, 2),
            **memory,
            "database_mb": database_mb,
            "rescan_cpu_s": round(again_s, 3),
            **linking,
            "one_file_cpu_ms": measure.summary(single),
            "first_of_language_cpu_ms": measure.summary(first),
            "search_cpu_ms": measure.summary(searches),
        }


def _indexed(engine: Any, tree: Path, *, link: bool = False) -> Any:
    """Index a tree and end the child that is kept for the next call: only the CPU time of ended ones is known."""
    from recollect.code.process_pool import SPARE

    done = engine.code.index(str(tree), link=link)
    SPARE.end()
    return done


def _linked(tree: Path, workers: int, index_s: float) -> dict[str, Any]:
    """Index and link a tree in one pass; what indexing alone costs is known and left out."""
    from recollect import Engine

    with tempfile.TemporaryDirectory() as folder, Engine(home=folder, index_workers=workers) as engine:
        linked, both_s, _ = _timed(lambda: _indexed(engine, tree, link=True))
    link_s = both_s - index_s
    return {
        "linked_files": linked.linked,
        "link_cpu_s": round(link_s, 2),
        "link_share": round(link_s / index_s, 2),
    }


def _changes(engine: Any, tree: Path, count: int) -> tuple[list[Callable[[], object]], list[Callable[[], object]]]:
    """Return what brings one file each up to date, of files that the index is made to think have changed.

    The first file of each language comes apart: it loads the grammar, which a process does once.
    """
    from recollect.code.index.project_root import place
    from recollect.code.index.update import update_paths
    from recollect.model import File

    where = place(tree)
    files = [file for file in engine.store.find(File) if not file.skipped]
    database = sqlite3.connect(engine.settings.database_path)

    def changing(path: str) -> Callable[[], object]:
        def change() -> object:
            return update_paths(engine.store, where, None, [path])

        database.execute("UPDATE files SET hash = '', mtime_ns = -1 WHERE path = ?", (path,))
        return change

    chosen = random.Random(7).sample(files, min(count, len(files)))
    first = {file.language: file for file in files if file not in chosen}
    languages = {file.language for file in chosen}
    made = tuple(
        [changing(file.path) for file in group]
        for group in ([file for language, file in first.items() if language in languages], chosen)
    )
    database.commit()
    database.close()
    return made[0], made[1]


def saved(times: int) -> dict[str, Any]:
    """Measure how long after a save a file is found, in milliseconds of waiting, while the tree is watched."""
    from recollect import Engine

    with tempfile.TemporaryDirectory() as folder, Engine(home=f"{folder}/home", embed_provider="off") as engine:
        tree = Path(folder) / "tree"
        tree.mkdir()
        for number in range(200):
            (tree / f"module{number}.py").write_text(f"def function{number}():\n    return {number}\n" * 20)
        subprocess.run(["git", "init", "-q"], cwd=tree, check=False)
        heard, stop = threading.Event(), threading.Event()
        watching = threading.Thread(target=engine.code.watch, args=(tree, lambda _: heard.set(), stop))
        watching.start()
        heard.wait()
        waits = []
        for number in range(times):
            heard.clear()
            began = time.monotonic()
            (tree / f"module{number}.py").write_text(f"def renamed_{number}():\n    return 1\n" * 20)
            while not any(hit.match == "exact" for hit in engine.code.symbols(f"renamed_{number}").symbols):
                heard.wait(0.005)
                heard.clear()
            waits.append((time.monotonic() - began) * 1000)
        stop.set()
        watching.join()
    return {"saved_to_found_ms": measure.summary(waits), "bar_p95_ms": SAVED_BAR_MS}


def _timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return what `work` returns, and the CPU seconds (children too) and seconds it took."""
    before, began = _cpu_s(), time.monotonic()
    result = work()
    return result, _cpu_s() - before, time.monotonic() - began


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(row.ru_utime + row.ru_stime for row in used)


def index(trees: list[Path], workers: int, changed: int, *, link: bool = False) -> dict[str, Any]:
    """Measure every tree, beside what else reads source code and is installed here."""
    rows = []
    for tree in trees:
        options = ["--workers", str(workers), "--changed", str(changed), *(["--link"] if link else [])]
        rounds = [(_alone("index-once", tree, options), _alone("index-floor", tree, [])) for _ in range(ROUNDS)]
        row, least = (min(side, key=lambda each: float(each["cpu_s"])) for side in zip(*rounds, strict=True))
        row["floor_share"] = round(least["cpu_s"] / row["cpu_s"], 2)
        row["within_bars"] = {
            "floor_share": row["floor_share"] >= FLOOR_SHARE,
            "rescan": row["rescan_cpu_s"] <= RESCAN_BAR_S,
            "one_file": row["one_file_cpu_ms"]["p95"] <= ONE_FILE_BAR_MS,
            "search": row["search_cpu_ms"]["p95"] <= SEARCH_BAR_MS,
        }
        rows.append({"tree": tree.name, **row, "floor": least, "others": _others(tree)})
    return {
        "bars": {
            "floor_share": FLOOR_SHARE,
            "rescan_cpu_s": RESCAN_BAR_S,
            "one_file_cpu_ms_p95": ONE_FILE_BAR_MS,
            "search_cpu_ms_p95": SEARCH_BAR_MS,
        },
        "trees": rows,
        "watch": saved(SAVES),
    }


def _alone(what: str, tree: Path, options: list[str]) -> dict[str, Any]:
    """Return what one part of bench/speed.py measures in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("speed.py")), what, "--tree", str(tree), *options]
    measured: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return measured


def _floor(tree: Path) -> int:
    """Do what tree-sitter and SQLite alone would: parse each file, find its definitions, insert a row for each.

    Returns the bytes that were parsed: all files of a language that is indexed, whatever way the index reads it.
    """
    from tree_sitter import Parser, QueryCursor

    from recollect.code.index.captures import MATCHES_MOST
    from recollect.code.index.exclusions import is_minified
    from recollect.code.index.file_reader import HEAD_BYTES
    from recollect.code.index.file_walk import real, walk
    from recollect.code.index.languages import detect
    from recollect.code.index.page import load
    from recollect.code.index.project_root import place
    from recollect.code.index.update import LIMITS

    where, size = place(tree), 0
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(f"{folder}/floor.db")
        database.executescript(
            "PRAGMA journal_mode = WAL; CREATE TABLE symbols (path, kind, name, start, end); "
            "CREATE INDEX by_name ON symbols (name)"
        )
        for entry in walk(where.root, is_git=where.is_git, max_bytes=LIMITS.max_bytes).files:
            source = (where.root / real(entry.path)).read_bytes()
            language = detect(entry.path, source[:HEAD_BYTES])
            if language is None or b"\0" in source[:HEAD_BYTES] or is_minified(source, language.name):
                continue
            size += len(source)
            grammar = load(language.name, outline=True)
            root = Parser(grammar.language).parse(source).root_node
            cursor = QueryCursor(grammar.query, match_limit=MATCHES_MOST)
            if language.deepest:
                cursor.set_max_start_depth(language.deepest)
            found = cursor.captures(root)
            names = [source[node.start_byte : node.end_byte] for node in found.get("name", ())]
            nodes = [(kind, node) for kind, nodes in found.items() if kind.startswith("definition") for node in nodes]
            rows = zip(nodes, names, strict=False)  # that names may belong to others does not matter to what it costs
            database.executemany(
                "INSERT INTO symbols VALUES (?, ?, ?, ?, ?)",
                [(entry.path, kind, name, node.start_byte, node.end_byte) for (kind, node), name in rows],
            )
        database.commit()
        database.close()
    return size


def floor(tree: Path) -> dict[str, Any]:
    """Return what the least that could be done with a tree costs; run in a process of its own."""
    size, cpu_s, _ = _timed(lambda: _floor(tree))
    return {"cpu_s": round(cpu_s, 2), "mb_per_cpu_s": round(size / 1e6 / cpu_s, 2)}


def _others(tree: Path) -> dict[str, Any]:
    """Return the CPU seconds of universal-ctags and ripgrep over the same files, where they are installed."""
    from recollect.code.index.file_walk import real, walk
    from recollect.code.index.project_root import place

    where = place(tree)
    paths = [real(entry.path) for entry in walk(where.root, is_git=where.is_git).files if "\n" not in entry.path]
    listed = "\n".join(paths).encode("utf-8", "surrogateescape")
    commands = {
        "ctags": ["ctags", "--options=NONE", "--quiet=yes", "--sort=no", "-f", "-", "-L", "-"],
        "ripgrep": ["rg", "-c", "def "],
    }
    found = {}
    for name, command in commands.items():
        if shutil.which(command[0]):
            run = partial(subprocess.run, command, input=listed, cwd=tree, capture_output=True, check=False)
            _, cpu_s, _ = _timed(run)
            found[name] = {"cpu_s": round(cpu_s, 2)}
    return found
