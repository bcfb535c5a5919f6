"""Year: what a simulated year of scheduled cycles does to a store of captured memories; run by bench/consolidate.py.

The same year is lived twice, without cycles and with them, on the same clock. Captured memories come in day by day;
where a file of conversations is given, its turns are there from the first day. Vectors are those of the shipped model.
"""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import metrics
import recall
from conversations import Conversations
from measure import cpu_ms
from patterns import DAYS, ROOT, START, Event, Month
from recollect import Engine, clock
from recollect.model import Change, Edge, Memory, Node
from recollect.providers.cache import CachedEmbedder
from recollect.providers.local import LocalEmbedder

# --- captured ---

DAY = 86_400


class Sitting(NamedTuple):
    """A session: its name, the folder it works in, when it begins after the first day, and what happens in it."""

    name: str
    folder: str
    begins_s: int
    events: Sequence[Event]


def sittings(*, projects: int, months: int, first: int = 1) -> list[Sitting]:
    """Return the sessions of so many months in so many projects, in the order in which they begin.

    first: the seed of the first month
    """
    found = list(_sittings(projects, months, first))
    return sorted(found, key=lambda sitting: (sitting.begins_s, sitting.name))


def _sittings(projects: int, months: int, first: int) -> Iterator[Sitting]:
    for project in range(projects):
        for number in range(months):
            seed = first + project * months + number
            month = Month(seed)
            for place, (start, events) in enumerate(zip(month.starts, month.sessions, strict=True)):
                begins_s = number * DAYS * DAY + start - START
                yield Sitting(f"p{project}-m{seed}-s{place:03}", f"{ROOT}-{project}", begins_s, events)


def capture(engine: Engine, sitting: Sitting, begin: int) -> None:
    """Take in what hooks were told in a session; begin: the moment of the first day."""
    noticing = engine.capture.reader()
    notices = []
    for place, event in enumerate(sitting.events):
        at = begin + sitting.begins_s + 40 * place
        identity = {"session_id": sitting.name, "cwd": sitting.folder, "tool_use_id": f"{sitting.name}-{place}"}
        # The folder of the month is that of the project: paths in payloads are told below it.
        raw = json.dumps({**event.payload, **identity}).replace(f"{ROOT}/", f"{sitting.folder}/").encode()
        name = f"{at:020}{sitting.name}{place:06}"
        notice = noticing.parse(raw, name, event="", assistant="claude", at_ns=at * 10**9)
        if notice is not None:
            notices.append(notice)
    engine.session_updates.write(notices)


BEGIN = 1_700_000_000
YEAR = 365
SCHEDULED = ("decay", "creative", "cluster")
CYCLES = (*SCHEDULED, "forget")
# A project of bench/patterns.py leaves about so many memories in six months; sessions stop when there are enough.
MONTHS = 6
PER_PROJECT = 2_600
QUESTIONS = 300
# What is forgotten after the year.
FORGOTTEN = 0.2
# Of the runs of each cycle, one in so many is previewed before: a plan is made twice then.
PREVIEWED = {"decay": 14, "creative": 8, "cluster": 2}
# After the year, another month is captured without a cycle (the seed of its sessions), and so many days later each
# cycle is looked at closely: all of them have something to do then.
NEXT = 10_001
LATER = 120


class Lived:
    """A store and what was seen of it while days passed."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.spent_ms: dict[str, list[float]] = {cycle: [] for cycle in SCHEDULED}
        self.previews = 0
        self.differing: list[str] = []
        self.captured = 0
        self.megabytes: dict[str, float] = {}

    def live(self, work: Sequence[Sitting], memories: int, *, cycles: bool) -> None:
        """Let a year pass: what is captured each day until there are enough memories, and the cycles that are due."""
        waiting = list(reversed(work))
        before = self.engine.store.count(Memory)
        for day in range(YEAR):
            _set_clock(BEGIN + day * DAY)
            while waiting and waiting[-1].begins_s // DAY <= day and self.captured < memories:
                capture(self.engine, waiting.pop(), BEGIN)
                self.captured = self._own() - before
            self.engine.embedding.catch_up()
            if cycles:
                self._cycles()
            if day in (90, 181, 272, YEAR - 1):
                self.megabytes[f"day {day + 1}"] = _megabytes(self.engine)

    def _own(self) -> int:
        made = self.engine.store.count(Memory, {"source": "consolidation"})
        return self.engine.store.count(Memory) - made

    def _cycles(self) -> None:
        for cycle in SCHEDULED:
            due_at = self.engine.consolidation.schedule.due_at(cycle)  # type: ignore[arg-type]
            if due_at is None or due_at > clock.now():
                continue
            runs = self.spent_ms[cycle]
            planned: int | None = None
            if len(runs) % PREVIEWED[cycle] == 0:
                planned = getattr(self.engine.consolidation, cycle)(preview=True).affected
            run = self.engine.consolidation.run_scheduled
            runs.append(cpu_ms(lambda run=run, cycle=cycle: run(cycle)))  # type: ignore[misc]
            if planned is not None:
                (status,) = (row for row in self.engine.consolidation.status().cycles if row.cycle == cycle)
                self.previews += 1
                if status.last_affected != planned:
                    self.differing.append(f"{cycle}: {planned} planned, {status.last_affected} done")


def year(memories: int, source: Conversations | None) -> dict[str, Any]:
    """Return what a year of scheduled cycles does to a store, line by line of what it must not do."""
    embedder = CachedEmbedder(LocalEmbedder(), capacity=200_000)
    work = sittings(projects=-(-memories // PER_PROJECT), months=MONTHS)
    with tempfile.TemporaryDirectory() as home, _opened(home, embedder) as engine:
        plain = _lived(engine, work, memories, source, cycles=False)
        without = {"own": _own_words(engine), "dev": _dev(engine, source), "texts": _texts(engine)}
        table_mb = {"without": _tables_mb(engine)}
    with tempfile.TemporaryDirectory() as home, _opened(home, embedder) as engine:
        lived = _lived(engine, work, memories, source, cycles=True)
        after = {"own": _own_words(engine), "dev": _dev(engine, source), "texts": _texts(engine)}
        table_mb["with"] = _tables_mb(engine)
        facts = engine.store.find(Memory)
        result = {
            "memories": lived.captured,
            "turns": engine.store.count(Memory, {"source": "user"}),
            "runs": {cycle: len(runs) for cycle, runs in lived.spent_ms.items()},
            "cpu_s": {cycle: round(sum(runs) / 1000, 1) for cycle, runs in lived.spent_ms.items()},
            "previews_in_the_year": lived.previews,
            "previews_differing": lived.differing,
            "every_text_is_there": after["texts"] == without["texts"],
            "own_words_without_cycles": without["own"],
            "own_words_after": after["own"],
            "dev_recall_without_cycles": without["dev"],
            "dev_recall_after": after["dev"],
            "summaries": engine.store.count(Memory, {"source": "consolidation"}),
            "links": engine.store.tally(Edge, "relationship"),
            "database_mb_without_cycles": plain.megabytes,
            "database_mb": lived.megabytes,
            "tables_mb": table_mb,
            "changes_by_operation": dict(Counter(engine.store.tally(Change, "operation")).most_common(12)),
        }
        for sitting in sittings(projects=1, months=1, first=NEXT):
            capture(engine, sitting, BEGIN + YEAR * DAY)
        engine.embedding.catch_up()
        _set_clock(BEGIN + (YEAR + LATER) * DAY)
        return {**result, "closely": [_closely(engine, cycle, facts) for cycle in CYCLES], **_held(result)}


def _held(result: dict[str, Any]) -> dict[str, Any]:
    """Return by how much what must not change changed: recall of conversations, in points; the size, as a factor."""
    before, after = result["dev_recall_without_cycles"], result["dev_recall_after"]
    lost = {name: round(100 * (before[name] - after[name]), 2) for name in before if name != "n"}
    sizes, plain = list(result["database_mb"].values()), list(result["database_mb_without_cycles"].values())
    return {
        "dev_points_lost": lost,
        "database_factor": round(sizes[-1] / plain[-1], 2),
        "database_factor_second_half": round(sizes[-1] / sizes[1], 2),
    }


def _opened(home: str, embedder: CachedEmbedder) -> Engine:
    return Engine(home=home, embedder=embedder, embed_on_demand=0)


def _lived(
    engine: Engine, work: Sequence[Sitting], memories: int, source: Conversations | None, *, cycles: bool
) -> Lived:
    _set_clock(BEGIN)
    if source is not None:
        stores = (recall.store_conversation(engine, conversation) for conversation in source.conversations)
        recall.fill(engine, itertools.chain.from_iterable(stores))
    lived = Lived(engine)
    lived.live(work, memories, cycles=cycles)
    return lived


def _closely(engine: Engine, cycle: str, facts: Sequence[Memory]) -> dict[str, Any]:
    """Return whether a cycle does what its preview said, leaves everything in reach, and is taken back exactly."""
    options: dict[str, Any] = {"importance_threshold": FORGOTTEN} if cycle == "forget" else {}
    do = getattr(engine.consolidation, cycle)
    preview, before = do(preview=True, limit=1000, **options), _rows(engine)
    run = do(limit=1000, **options)
    now = {row.id: row.content for row in engine.store.find(Memory)}
    found = {
        "cycle": cycle,
        "affected": run.affected,
        "preview_is_applied": (preview.plan, preview.steps, preview.affected) == (run.plan, run.steps, run.affected),
        "lost": sum(row.id not in now for row in facts),
        # The words of a summary are its members' and may be written anew; nobody else's are.
        "changed": sum(row.content != now.get(row.id) for row in facts if row.source != "consolidation"),
        "found_again": _own_words(engine, archived=True)["found"],
    }
    if run.batch:
        engine.admin.undo(run.batch)
    return {**found, "undo_restores": _rows(engine) == before}


def _own_words(engine: Engine, *, archived: bool = False) -> dict[str, float]:
    """Return how often captured memories are found when they are asked for by their own words."""
    rows = sorted(engine.store.find(Memory, {"source": "hook"}), key=lambda row: (row.created_at, row.content))
    chosen = random.Random(3).sample(rows, min(QUESTIONS, len(rows)))
    first = among = found = 0
    for memory in chosen:
        hits = engine.recall.search(
            memory.content, limit=10, namespace=memory.namespace, min_score=0.0, archived=archived
        ).hits
        reached = [{hit.memory.id, *hit.folded} for hit in hits]
        first += memory.id in (reached[0] if reached else ())
        among += any(memory.id in ids for ids in reached[:5])
        found += any(memory.id in ids for ids in reached)
    return {
        "first": round(first / len(chosen), 4),
        "among_five": round(among / len(chosen), 4),
        "found": round(found / len(chosen), 4),
        "n": len(chosen),
    }


def _dev(engine: Engine, source: Conversations | None) -> dict[str, float]:
    """Return what is recalled of the conversations, by the labels and metrics of bench/recall.py.

    A summary that is found takes a place among the ten, and is no evidence.
    """
    if source is None:
        return {}
    asked = recall.ask_conversations(engine, source, limit=10)
    rows: list[metrics.Scores] = []
    for conversation in source.conversations:
        for question in conversation.questions:
            if question.evidence and question.category in source.headline:
                ranked = asked[conversation.id, question.id].ranked
                share = metrics.found_share(ranked, question.evidence)
                rank = metrics.reciprocal_rank(ranked, question.evidence)
                rows.append({"recall@10": share, "all@10": float(share == 1.0), "mrr@10": rank})
    return {name: round(value, 5) for name, value in metrics.mean(rows).items()}


def _texts(engine: Engine) -> Counter[tuple[str | None, str]]:
    """Return what is remembered, without what cycles made."""
    rows = engine.store.columns(Memory, ("namespace", "content", "source"))
    return Counter((namespace, content) for namespace, content, source in rows if source != "consolidation")


def _rows(engine: Engine) -> list[Any]:
    """Return all that is kept, without numbers of the log, what is derived, and statistics of who read what."""
    volatile = {"rev", "centrality", "payload", "access_count", "last_accessed_at"}
    return [
        tuple(getattr(row, name) for name in row.__struct_fields__ if name not in volatile)
        for kind in (Memory, Node, Edge)
        for row in engine.store.find(kind, order="id")
    ]


def _megabytes(engine: Engine) -> float:
    """Return the size of the database, with what is still in its log of writes and with pages that are free."""
    with _looking(engine) as connection:
        ((pages,),) = connection.execute("PRAGMA page_count")
        ((size,),) = connection.execute("PRAGMA page_size")
    return round(pages * size / 2**20, 2)


def _tables_mb(engine: Engine) -> dict[str, float]:
    """Return the largest tables with their indexes, in MB."""
    with _looking(engine) as connection:
        named = dict(connection.execute("SELECT name, tbl_name FROM sqlite_schema"))
        sizes: Counter[str] = Counter()
        for name, size in connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
            sizes[named.get(name, name)] += size
    return {name: round(size / 2**20, 1) for name, size in sizes.most_common(8)}


@contextmanager
def _looking(engine: Engine) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"file:{engine.store.describe().location}?mode=ro", uri=True)
    try:
        yield connection
    finally:
        connection.close()


def _set_clock(now: int) -> None:
    clock.now = lambda: now
