"""Soak: what must never happen, tried very often, on real processes.

    python bench/soak.py writers      [--processes 16 --writes 1000]   many processes write one database at once
    python bench/soak.py kills        [--kills 200]                    writers die by SIGKILL wherever they happen to be
    python bench/soak.py drains       [--payloads 2000 --kills 40]     hooks leave payloads, drainers die by SIGKILL
    python bench/soak.py model-change [--memories 10000] [--real]      another embedding model on a full store

Prints JSON and ends with status 1 if a guarantee failed; `failures` says which. Works in a folder of its own, which is
removed. The same `--seed` gives the same work; where a kill falls is up to the machine.

How a loss is noticed: a writer appends to its journal what it is about to do and, after the commit has returned, that
it is done. Whoever reads the journal knows what must be there. Only the one write that was under way when a process
died is open; the database says whether it happened, and it must have happened as a whole or not at all.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ledger
import measure
from ledger import DOOMED, TOGETHER, HashEmbedder, Ledger, Writer
from recollect import hook
from recollect.engine import Engine
from recollect.errors import RecollectError
from recollect.model import Memory, Observed, Session

# --- drains ---

# How many drainers are alive at a time.
DRAINERS = 2
# One payload in so many is delivered twice.
TWICE = 20


def payload(writer: int, number: int) -> bytes:
    """Return an event that no other is like: by turns a prompt, a command that worked and one that did not."""
    name = f"w{writer}n{number}"
    event: dict[str, Any] = {"session_id": f"session-{writer}", "cwd": "/nowhere/soak", "tool_use_id": name}
    if number % 3 == 0:
        event |= {"hook_event_name": "UserPromptSubmit", "prompt": f"do {name}"}
    elif number % 3 == 1:
        event |= {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": f"make {name}"}}
        event["tool_response"] = {"stdout": name}
    else:
        event |= {
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash",
            "tool_input": {"command": f"run {name}"},
        }
        event["error"] = f"Exit code 1\nError: {name}"
    return json.dumps(event).encode()


def drains(folder: Path, options: argparse.Namespace, failures: list[str]) -> dict[str, Any]:
    """Let writers and drainers run, kill drainers, and compare what is stored with what was left."""
    home = folder / "home"
    chance = random.Random(options.seed)
    share = options.payloads // options.processes
    progress, drained = os.pipe()
    with Engine(home=str(home), embed_provider="off") as engine:
        engine.store.count(Memory)  # the database is there before the first of them dies

    def leave(writer: int) -> None:
        for number in range(share):
            for _ in range(2 if number % TWICE == 0 else 1):
                hook.spool(payload(writer, number), str(home / "spool"), hook.file_name(["unknown", "claude"]))

    def drain() -> None:
        with Engine(home=str(home), embed_provider="off") as engine:
            while True:
                if engine.capture.drain(100).taken:
                    os.write(drained, b".")

    began = time.monotonic()
    writers = [forked(lambda writer=writer: leave(writer)) for writer in range(options.processes)]
    drainers = [forked(drain) for _ in range(DRAINERS)]
    kills = 0
    os.read(progress, 1)  # on a busy machine the first kills would fall before anything is stored
    while kills < options.kills:
        time.sleep(chance.uniform(0.05, 1.2))
        place = chance.randrange(DRAINERS)
        os.kill(drainers[place], signal.SIGKILL)
        os.waitpid(drainers[place], 0)
        kills += 1
        drainers[place] = forked(drain)
    failures.extend("a writer did not end well" for writer in writers if os.waitpid(writer, 0)[1] != 0)
    for drainer in drainers:
        os.kill(drainer, signal.SIGKILL)
        os.waitpid(drainer, 0)
    return {"payloads": share * options.processes, "kills": kills, **_compared(home, options, share, failures, began)}


def _compared(home: Path, options: argparse.Namespace, share: int, failures: list[str], began: float) -> dict[str, Any]:
    """Drain the rest and hold the store against what was left; returns the counts."""
    with Engine(home=str(home), embed_provider="off") as engine:
        already = engine.store.count(Observed)
        while (last := engine.capture.drain()).taken:
            if last.bad or last.notes:
                failures.append(f"the last drain: {last}")
                break
        wanted = {f"w{writer}n{number}" for writer in range(options.processes) for number in range(share)}
        seen = Counter(_name(row.told) for row in engine.store.find(Observed))
        kept = Counter(_name(row.content) for row in engine.store.find(Memory, {"source": "hook"}))
        for what, found in (("observations", seen), ("memories", kept)):
            failures.extend(f"{what}: {name} is missing" for name in sorted(wanted - set(found))[:5])
            failures.extend(f"{what}: {name} is there {count} times" for name, count in found.items() if count > 1)
        counted = sum(row.memory_count for row in engine.store.find(Session))
        if counted != len(wanted):
            failures.append(f"sessions count {counted} memories of {len(wanted)}")
        left = [str(path) for path in (home / "spool").rglob("*") if path.is_file()]
        failures.extend(f"left in the spool: {path}" for path in left[:5])
        failures.extend(ledger.inconsistencies(engine))
        return {
            "observations": sum(seen.values()),
            "memories": sum(kept.values()),
            "stored_while_dying": already,
            "seconds": round(time.monotonic() - began, 1),
        }


def _name(text: str) -> str:
    """Return the name that a text holds, wNnM."""
    words = text.replace("`", " ").replace(":", " ").split()
    return next((word for word in words if word[0] == "w" and word[1:2].isdigit()), text)


# Longer than any step takes on a slow machine: a process that hangs ends, and its missing answer is a failure.
PATIENCE_S = 900

QUESTION = "which of them was bacord and which fuge"


def main() -> int:
    """Run the soak named on the command line; return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("soak", choices=list(SOAKS))
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--writes", type=int, default=1000, help="of each process")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--payloads", type=int, default=2_000, help="of all processes together")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--real", action="store_true", help="change to the shipped model, not to another fake one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    options = parser.parse_args()
    # The person's own settings play no part.
    for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "CODEMEM_"))]:
        del os.environ[name]
    # What a vector must be is then the vector of the content alone.
    os.environ["RECOLLECT_ENRICHMENT"] = "off"
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="recollect-soak-") as folder:
        result = SOAKS[options.soak](Path(folder), options, failures)
    document = {"seed": options.seed, **result, "failures": failures[:20], "ok": not failures}
    measure.publish(f"soak-{options.soak}", document, save=options.save)
    return 1 if failures else 0


def opened(home: Path, **values: Any) -> Engine:
    """Return an engine on the database of `home` with the fake embedder, unless another is given."""
    values.setdefault("embedder", HashEmbedder("hash-a"))
    return Engine(home=str(home), **values)


def forked(work: Callable[[], None]) -> int:
    """Run `work` in a child process; return its id. The child ends with status 0 only if nothing was raised."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        signal.alarm(PATIENCE_S)
        work()
        status = 0
    except BaseException as problem:
        sys.stderr.write(f"{type(problem).__name__}: {problem}\n")
    finally:
        os._exit(status)


# --- writers ---------------------------------------------------------------------------------------------------------


def writers(folder: Path, options: argparse.Namespace, failures: list[str]) -> dict[str, Any]:
    """Let many processes write at once, then compare the database with what they were told was done."""
    home = folder / "home"
    ready, go = os.pipe()
    names = [f"p{number}" for number in range(options.processes)]

    def work(name: str, number: int) -> None:
        os.close(go)
        os.read(ready, 1)  # Returns when the parent closes its end: everybody starts at the same moment.
        with opened(home) as engine, ledger.Journal(folder / name) as journal:
            writer = Writer(engine, journal, Ledger(), name=name, seed=options.seed * 1000 + number, mixture=TOGETHER)
            writer.run(options.writes)

    children = [forked(lambda name=name, number=number: work(name, number)) for number, name in enumerate(names)]
    os.close(ready)
    began = time.monotonic()
    os.close(go)
    unfinished = [name for name, child in zip(names, children, strict=True) if os.waitpid(child, 0)[1] != 0]
    elapsed = time.monotonic() - began
    failures.extend(f"process {name} did not end well" for name in unfinished)

    ledgers = [Ledger.of_journal(ledger.read_journal(folder / name)) for name in names]
    entries = [entry for name in names for entry in ledger.read_journal(folder / name)]
    errors = Counter(entry["error"] for entry in entries if "error" in entry)
    failures.extend(f"{count} x {code} reached a caller" for code, count in errors.items())
    done = Counter(entry["op"] for entry in entries if "done" in entry)
    with opened(home) as engine:
        failures.extend(ledger.differences(engine, ledgers))
        failures.extend(ledger.inconsistencies(engine))
        facts = final_state(engine, failures)
    return {
        "processes": options.processes,
        "writes_each": options.writes,
        "acknowledged": dict(sorted(done.items())),
        "errors": dict(errors),
        "operations_per_s": round(sum(done.values()) / elapsed),
        "slowest_ms": round(max(entry["ms"] for entry in entries if "ms" in entry), 1),
        **facts,
    }


def final_state(engine: Engine, failures: list[str]) -> dict[str, Any]:
    """Look at derived state, heal what is missing, take something back; return the counts."""
    behind = engine.admin.stats().pending_embeddings
    healed = engine.embedding.catch_up()
    made, total = engine.embedding.coverage()
    if made != total or healed < behind:
        failures.append(f"{made} of {total} memories have a vector after catching up ({behind} were missing)")
    failures.extend(ledger.stray_vectors(engine))
    failures.extend(ledger.stale_texts(engine))
    failures.extend(ledger.undo_failures(engine))
    health = engine.admin.health(thorough=True)
    failures.extend(f"health: {check.name} {check.status}: {check.detail}" for check in health.checks if _bad(check))
    stats = engine.admin.stats()
    return {
        "memories": stats.memories,
        "edges": stats.edges,
        "changes": stats.changes,
        "vectors_missing_before": behind,
        "vectors_missing_after": total - made,
        "database_mb": round(stats.database_bytes / 2**20, 1),
        "health": {check.name: check.status for check in health.checks},
    }


def _bad(check: Any) -> bool:
    # How full the disk is says nothing about us.
    return check.status == "failed" or (check.status == "degraded" and check.name != "disk")


# --- kills -----------------------------------------------------------------------------------------------------------


class Lane:
    """A row of writers, one after the other: each goes on where the one before was killed."""

    def __init__(self, home: Path, journal: Path, name: str, seed: int) -> None:
        self.ledger = Ledger()
        self.pid = 0
        self.complaints: list[str] = []
        self._home, self._journal, self._name, self._seed = home, journal, name, seed
        self._births = 0
        self._ready = -1
        self._read = 0

    def start(self) -> None:
        """Start the next writer of this lane."""
        self._births += 1
        self._ready, begun = os.pipe()
        self.pid = forked(lambda: self._write(begun))
        os.close(begun)

    def _write(self, begun: int) -> None:
        os.close(self._ready)
        seed = self._seed * 100_000 + self._births
        with opened(self._home, embed_on_demand=8) as engine, ledger.Journal(self._journal) as journal:
            name = f"{self._name}b{self._births}"
            writer = Writer(engine, journal, self.ledger, name=name, seed=seed, mixture=DOOMED)
            writer.run(1)
            os.write(begun, b".")
            writer.run(100_000)

    def await_first_write(self) -> None:
        """Return when the writer's first write was acknowledged."""
        os.read(self._ready, 1)

    def kill(self) -> None:
        """End the writer where it is."""
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self._ready)
        self.pid = 0
        if not os.WIFSIGNALED(status):
            self.complaints.append(f"a writer ended by itself with status {os.waitstatus_to_exitcode(status)}")

    def settle(self, engine: Engine) -> dict[str, int]:
        """Take over what the dead writer acknowledged; return how much, and what became of the write under way.

        The database says whether that one happened; from here on it must stay so.
        """
        entries = ledger.read_journal(self._journal)[self._read :]
        self._read += len(entries)
        self.complaints += [f"{entry['error']}: {entry['message']}" for entry in entries if "error" in entry]
        under_way = self.ledger.follow(entries)
        happened = under_way is not None and self.ledger.settle(under_way, engine)
        done = sum("done" in entry for entry in entries)
        return {"acknowledged": done, "under_way": int(under_way is not None), "kept": int(happened)}


def kills(folder: Path, options: argparse.Namespace, failures: list[str]) -> dict[str, Any]:
    """Kill writers at random points; after every kill, what was acknowledged must be there."""
    chance = random.Random(options.seed)
    home = folder / "home"
    opened(home, embedder=HashEmbedder("hash-a")).close()
    lanes = [Lane(home, folder / f"lane{number}", f"l{number}", options.seed * 10 + number) for number in range(2)]
    counts = Counter[str]()
    while counts["kills"] < options.kills:
        for lane in lanes:
            if not lane.pid:
                lane.start()
        # Most die while another is writing; every fifth time all do, so that nobody is left to tidy up after them.
        doomed = lanes if counts["rounds"] % 5 == 4 else [chance.choice(lanes)]
        for lane in doomed:
            if chance.random() < 0.85:  # The others die while they open the database.
                lane.await_first_write()
        time.sleep(chance.uniform(0, 0.06))
        for lane in doomed:
            lane.kill()
        counts.update(kills=len(doomed), rounds=1)
        _verify_after_kill(home, lanes, doomed, counts, failures)
    for lane in lanes:
        if lane.pid:
            lane.kill()
            counts["kills"] += 1
    _verify_after_kill(home, lanes, lanes, counts, failures)
    counts["births"] = _kill_newborns(folder, max(3, options.kills // 10), chance, failures)
    with opened(home) as engine:
        facts = final_state(engine, failures)
    return {
        "kills": counts["kills"],
        "kills_while_creating": counts["births"],
        "acknowledged": counts["acknowledged"],
        "lost": counts["lost"],
        "under_way": counts["under_way"],
        "under_way_and_kept": counts["kept"],
        "full_comparisons": counts["comparisons"],
        **facts,
    }


def _verify_after_kill(
    home: Path, lanes: list[Lane], dead: list[Lane], counts: Counter[str], failures: list[str]
) -> None:
    with opened(home) as engine:
        for lane in dead:
            counts.update(lane.settle(engine))
        alone = len(dead) == len(lanes)
        problems = ledger.differences(engine, [lane.ledger for lane in dead], alone=alone)
        counts["lost"] += len(problems)
        for lane in dead:
            problems += lane.complaints
            lane.complaints = []
        if alone:
            problems += ledger.inconsistencies(engine)
            counts["comparisons"] += 1
    failures.extend(f"after kill {counts['kills']}: {problem}" for problem in problems)


def _kill_newborns(folder: Path, count: int, chance: random.Random, failures: list[str]) -> int:
    """Kill processes while they create a database; whoever comes next must be able to use it."""
    for number in range(count):
        home = folder / f"newborn{number}"
        child = forked(lambda home=home: opened(home).memories.store("the first memory") and None)
        time.sleep(chance.uniform(0, 0.04))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with opened(home) as engine:
            try:
                engine.memories.store("the next memory")
                failures.extend(f"newborn {number}: {problem}" for problem in ledger.inconsistencies(engine))
            except RecollectError as problem:
                failures.append(f"newborn {number}: {problem.code} {problem.message}")
    return count


# --- model change ----------------------------------------------------------------------------------------------------


def model_change(folder: Path, options: argparse.Namespace, failures: list[str]) -> dict[str, Any]:
    """Fill a store with vectors of one model, open it with another, and follow it until all is well again."""
    home, size = folder / "home", options.memories
    _fill(folder, home, size)
    embedder = None if options.real else HashEmbedder("hash-b")
    phases: dict[str, Any] = {
        # A server leaves vectors to its worker; a command, which has none, makes some before it answers.
        "first_recall_of_a_server": _first_recall(home, embedder, failures, embed_on_demand=0),
        "first_recall_of_a_command": _first_recall(home, embedder, failures),
    }
    with opened(home, embedder=embedder) as engine:
        health = engine.admin.health()
        vectors = next(check for check in health.checks if check.name == "vectors")
        phases["health_before"] = {"status": health.status, "vectors": vectors.detail}
        if vectors.status != "degraded":
            failures.append(f"health before: vectors {vectors.status}")
    phases["killed_at"] = _kill_while_embedding(home, embedder, size // 3)
    with opened(home, embedder=embedder) as engine:
        phases["found_after_kill"] = resumed = engine.embedding.coverage()[0]
        if resumed < phases["killed_at"]:
            failures.append(f"{resumed} vectors after the kill, {phases['killed_at']} were acknowledged")
        phases["background"] = _embed_in_background(engine, failures)
        health = engine.admin.health(thorough=True)
        phases["health_after"] = {check.name: check.status for check in health.checks}
        failures.extend(f"health: {check.name}: {check.detail}" for check in health.checks if _bad(check))
        failures.extend(ledger.stray_vectors(engine))
        kept_of_old = engine.store.count_vectors("hash-a")
        model = engine.embedding.model_id
    return {"memories": size, "model": model, "phases": phases, "vectors_of_the_old_model": kept_of_old}


def _fill(folder: Path, home: Path, size: int) -> None:
    lines = folder / "memories.jsonl"
    texts = enumerate(itertools.islice(ledger.texts(7), size))
    content = "".join(json.dumps({"content": f"{number}: {text}"}) + "\n" for number, text in texts)
    lines.write_text(content, encoding="utf-8")
    with opened(home) as engine:
        engine.archive.import_(str(lines))
        engine.embedding.catch_up()


def _first_recall(home: Path, embedder: Any, failures: list[str], **values: Any) -> dict[str, Any]:
    """Start with the new model and ask at once: the answer comes by words and says so."""
    began = time.process_time()
    with opened(home, embedder=embedder, **values) as engine:
        answer = engine.recall.search(QUESTION, limit=5)
        cpu_ms = round((time.process_time() - began) * 1000, 1)
    if answer.mode != "lexical" or not answer.hits or not answer.notes:
        failures.append(f"the first recall was {answer.mode}, {len(answer.hits)} hits, notes {answer.notes}")
    return {"cpu_ms": cpu_ms, "mode": answer.mode, "hits": len(answer.hits), "notes": list(answer.notes)}


def _kill_while_embedding(home: Path, embedder: Any, after: int) -> int:
    """Kill a process that makes vectors once it has made `after`; return how many it said were kept."""
    told, tell = os.pipe()

    def work() -> None:
        os.close(told)
        with opened(home, embedder=embedder) as engine:
            made = 0
            while batch := engine.embedding.catch_up(64):
                made += batch
                os.write(tell, made.to_bytes(8, "big"))

    child = forked(work)
    os.close(tell)
    acknowledged = 0
    while acknowledged < after and (message := os.read(told, 8)):
        acknowledged = int.from_bytes(message, "big")
    os.kill(child, signal.SIGKILL)
    while message := os.read(told, 8):
        acknowledged = int.from_bytes(message, "big")
    os.waitpid(child, 0)
    os.close(told)
    return acknowledged


def _embed_in_background(engine: Engine, failures: list[str]) -> dict[str, Any]:
    """Let the worker finish while memories are stored and recalled; return what happened meanwhile."""
    began = time.monotonic()
    engine.start_background()
    modes = Counter[str]()
    stored = 0
    pause = time.monotonic()
    while True:
        made, total = engine.embedding.coverage()
        if made >= total or time.monotonic() - began > PATIENCE_S:
            break
        answer = engine.recall.search(QUESTION, limit=5)
        modes[answer.mode] += 1
        if not answer.hits:
            failures.append(f"a recall found nothing with {made} of {total} vectors")
        if stored < 50:
            engine.memories.store(f"stored while vectors were being made, number {stored}")
            stored += 1
        # Leave the worker most of the machine: this loop only looks in.
        time.sleep(max(0.0, 0.02 - (time.monotonic() - pause)))
        pause = time.monotonic()
    made, total = engine.embedding.coverage()
    if made != total:
        failures.append(f"{made} of {total} vectors after {PATIENCE_S} s")
    if engine.recall.search(QUESTION).mode != "hybrid":
        failures.append("the last recall was not hybrid")
    count = engine.store.count(Memory)
    return {
        "seconds": round(time.monotonic() - began, 1),
        "vectors": made,
        "memories": count,
        "stored_meanwhile": stored,
        "recalls_meanwhile": dict(modes),
    }


SOAKS: dict[str, Callable[[Path, argparse.Namespace, list[str]], dict[str, Any]]] = {
    "writers": writers,
    "kills": kills,
    "drains": drains,
    "model-change": model_change,
}

if __name__ == "__main__":
    sys.exit(main())
