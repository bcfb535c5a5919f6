"""Episodic memory: is anything lost on the way in, is as much recalled as by the engine itself, and what does it cost?

    python bench/episodic.py replay [--conversations 1000]        session memory, promoted into long-term memory
    python bench/episodic.py recall --data FILE … [--limit N]     questions about conversations, beside the engine's own
    python bench/episodic.py speed [--records 1000 100000]        the documented targets, in CPU time

Everything goes through the classes of recollect.episodic. A conversation of a file is remembered as people had it: a
message and the reply to it are one turn, at the time of its session; so a record stands for two messages. Beside it
stands what the engine finds, with the same limit, of the same turns and of every message by itself, stored with the
same fields: a turn has two sides, and a name only where its text has one. bench/recall.py measures the engine with the
name of each speaker as a field, which knows more. `--save` keeps the result under bench/results.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import conversations
import corpus
import measure
import metrics
import recall as engine_recall
from conversations import Conversation, Conversations, Turn
from recollect.episodic import (
    ChunkedMemoryRecord,
    ContextualChunker,
    EnhancedEpisodicMemory,
    SessionConfig,
    SessionMemory,
    TemporalMemoryWeighting,
)
from recollect.episodic.conversation_rows import AUTHOR, rows_of
from recollect.episodic.records import conversation as spoken

Report = dict[str, Any]

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
# How many records a question brings: as the engine is judged, and as it is by default.
TOP_K = 10
FEW = 4
# What follows a message that nobody answered; both sides of a turn must say something.
NO_REPLY = "(no reply)"
# The ways to recall: ours, and the engine's own with the same fields, messages alone or not.
EPISODIC = "episodic"
ALIKE = {"engine, same turns": False, "engine, messages": True}
# How far below the engine's own recall may be, in points; and the least mean reciprocal rank.
POINTS = 1.0
LEAST_MRR = 0.6
# Far more records than any conversation has: the benchmark of recall is not about forgetting.
ROOMY = 10_000_000


class Clock:
    """Says what time it is: what it was told."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


# --- recall ----------------------------------------------------------------------------------------------------------


class Exchange(NamedTuple):
    """A message with the reply to it, when they were said, and where."""

    user: Turn
    reply: Turn | None
    at: float
    session: str

    @property
    def sides(self) -> tuple[str, str]:
        """What is remembered: who said what, twice."""
        return self.user.line, self.reply.line if self.reply is not None else NO_REPLY

    @property
    def turns(self) -> list[str]:
        """The ids of its messages."""
        return [turn.id for turn in (self.user, self.reply) if turn is not None]


def exchanges(conversation: Conversation) -> Iterator[Exchange]:
    """Yield the messages of a conversation two by two; one that says nothing cannot be remembered."""
    at = 0.0
    for session in conversation.sessions:
        at = float(session.at) if session.at is not None else at
        told = [turn for turn in session.turns if turn.content.strip()]
        for place in range(0, len(told), 2):
            reply = told[place + 1] if place + 1 < len(told) else None
            yield Exchange(told[place], reply, at + place, f"{conversation.id}/{session.id}")


class Answer(NamedTuple):
    """The messages of the records that a question brought, record by record, and what it cost.

    few: the same of the few that it brings by default
    """

    records: list[list[str]]
    few: list[list[str]]
    cpu_ms: float


def ask_episodes(conversation: Conversation, folder: Path) -> Iterator[tuple[str, Answer]]:
    """Remember a conversation, then yield what each of its questions brings."""
    told = list(exchanges(conversation))
    clock = Clock(told[0].at)
    turns_of: dict[str, list[str]] = {}
    with EnhancedEpisodicMemory(folder / f"{conversation.id}.db", max_records=ROOMY, clock=clock) as memory:
        for exchange in told:
            clock.now = exchange.at
            for record in memory.remember(*exchange.sides):
                turns_of[record.id] = exchange.turns  # a chunk brings its whole conversation, as full_context
        memory.store.engine.embedding.catch_up()
        clock.now = told[-1].at + DAY_S
        memory.recall("warm up")
        for question in conversation.questions:
            few = memory.recall(question.text, top_k=FEW)
            found: list[ChunkedMemoryRecord] = []
            ask = lambda text=question.text, found=found: found.extend(memory.recall(text, top_k=TOP_K))  # noqa: E731
            spent = measure.cpu_ms(ask)
            brought = [[turns_of[record.id] for record in records] for records in (found, few)]
            yield question.id, Answer(*brought, spent)


def ask_engine(conversation: Conversation, *, alone: bool) -> Iterator[tuple[str, Answer]]:
    """Yield what the engine finds of the same turns, or of each of their messages alone; with the same fields."""
    with engine_recall.memory() as engine:
        turns_of = {}
        for exchange in exchanges(conversation):
            said = [turn for turn in (exchange.user, exchange.reply) if turn is not None]
            parts = [(turn.line, [turn.id]) for turn in said] if alone else [(spoken(*exchange.sides), exchange.turns)]
            for text, turns in parts:
                stored = engine.memories.store(
                    text,
                    author=AUTHOR,
                    session_id=exchange.session,
                    valid_from=int(exchange.at),
                    namespace=conversation.id,
                    deduplicate=False,
                    amend=False,  # as a library stores; it takes nine tenths of the time of storing
                )
                turns_of[stored.memory.id] = turns
        engine.embedding.catch_up()
        for question in conversation.questions:
            found = engine_recall.ask(engine, question.text, namespace=conversation.id, limit=TOP_K)
            brought = [turns_of[name] for name in found.ranked]
            yield question.id, Answer(brought, brought[:FEW], found.cpu_ms)


def reciprocal_rank(records: list[list[str]], evidence: Sequence[str]) -> float:
    """Return 1 by the place of the first record that holds evidence, 0 if none does."""
    wanted = set(evidence)
    return next((1 / place for place, record in enumerate(records, 1) if wanted.intersection(record)), 0.0)


def judge(source: Conversations, answers: dict[tuple[str, str], Answer]) -> Report:
    """Return the means over the headline categories: which share of the messages that answer is in the records."""
    rows = []
    for conversation in source.conversations:
        for question in conversation.questions:
            if not question.evidence or question.category not in source.headline:
                continue
            answer = answers[conversation.id, question.id]
            messages = [list(itertools.chain.from_iterable(found)) for found in (answer.records, answer.few)]
            budget = metrics.within_budget(metrics.distinct(messages[0]), conversation.tokens, metrics.BUDGET_TOKENS)
            rows.append(
                {
                    "recall@10": metrics.found_share(messages[0], question.evidence),
                    "recall@4": metrics.found_share(messages[1], question.evidence),
                    "recall_1000_tokens": metrics.found_share(budget, question.evidence),
                    "mrr": reciprocal_rank(answer.records, question.evidence),
                }
            )
    return {**metrics.mean(rows), "query_cpu_ms": measure.summary([answer.cpu_ms for answer in answers.values()])}


def recall_report(path: Path, limit: int | None) -> Report:
    """Return how well the questions of a file are answered, in three ways."""
    source = conversations.read_conversations(path, limit=limit)
    asked: dict[str, dict[tuple[str, str], Answer]] = {name: {} for name in (EPISODIC, *ALIKE)}
    with tempfile.TemporaryDirectory() as folder:
        for conversation in source.conversations:
            sys.stderr.write(f"{source.name}: {conversation.id}\n")
            for name, answers in (
                (EPISODIC, ask_episodes(conversation, Path(folder))),
                *((name, ask_engine(conversation, alone=alone)) for name, alone in ALIKE.items()),
            ):
                asked[name].update({(conversation.id, key): answer for key, answer in answers})
    ways = {name: judge(source, answers) for name, answers in asked.items()}
    below = {name: round(100 * (ways[name]["recall@10"] - ways[EPISODIC]["recall@10"]), 2) for name in ALIKE}
    return {
        "name": source.name,
        "questions": len(asked[EPISODIC]),
        "ways": ways,
        "points_below": below,
        "within": max(below.values()) <= POINTS and ways[EPISODIC]["mrr"] >= LEAST_MRR,
    }


# --- replay ----------------------------------------------------------------------------------------------------------


def replay(count: int) -> Report:
    """Lead conversations through session memory into long-term memory, and look for what is missing.

    Three to eight turns each, one in five of them long; a clean-up of sessions is due every few conversations, and some
    turns are said twice. Everything is promoted; the documented threshold is reported beside it.
    """
    chance = random.Random(5)
    texts = corpus.memories(40 * count)
    clock = Clock(1_750_000_000.0)
    expected: list[tuple[str, str, float]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        SessionMemory(storage_path=Path(folder) / "sessions.db", clock=clock) as sessions,
        EnhancedEpisodicMemory(Path(folder) / "episodes.db", max_records=ROOMY, clock=clock) as memory,
    ):
        promoted = 0
        for _ in range(count):
            for place in range(chance.randint(3, 8)):
                user, reply = next(texts), " ".join(itertools.islice(texts, 12 if chance.random() < 0.2 else 1))
                if expected and chance.random() < 0.02:
                    user, reply = expected[-1][:2]
                sessions.add_turn(user, reply, force_new_session=place == 0)
                expected.append((user, reply, clock.now))
                clock.now += chance.uniform(5.0, 300.0)
            clock.now += chance.uniform(0.0, 4 * HOUR_S)
            promoted += len(sessions.promote_to_longterm(memory))
        stats = memory.get_memory_stats()
        records = memory.records()
    parents = [record for record in records if record.is_parent]
    kept = [(record.user, record.assistant, record.timestamp) for record in parents]
    whole = {record.id: record.content for record in parents}
    return {
        "conversations": count,
        "turns": len(expected),
        "promoted": promoted,
        "lost": len(set(expected) - set(kept)),
        "added": len(set(kept) - set(expected)),
        "as_told": kept == expected,
        "chunks_in_place": all(_in_place(record, whole) for record in records if record.is_child),
        "stats": stats,
        "stats_right": (stats["parent_records"], stats["child_chunks"])
        == (len(expected), len(records) - len(expected)),
    }


def _in_place(record: ChunkedMemoryRecord, whole: dict[str, str]) -> bool:
    place = record.chunk_metadata
    return place is not None and whole[record.parent_id or ""][place.start_char : place.end_char] == record.content


# --- speed -----------------------------------------------------------------------------------------------------------

# What document 001 allows, in milliseconds, and how many times faster it has to be at the first size.
TARGETS = {"chunking": 50.0, "temporal_scoring": 10.0, "session_context": 20.0, "recall": 100.0, "cleanup": 500.0}
FASTER = 5.0
# Of that many records, as many at most get real vectors: a scan costs the same whatever they say.
REAL_VECTORS = 2_000
# The share of the records that have expired when they are cleaned up.
EXPIRED = 0.01
# Rows of one transaction while a memory is filled.
BATCH = 1_000


def at_size(records: int, runs: int) -> Report:
    """Measure the five operations with so many records, each beside the least that any program would do for it."""
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock(1_750_000_000.0)
        row: Report = {"records": records}
        with EnhancedEpisodicMemory(Path(folder) / "episodes.db", max_records=ROOMY, clock=clock) as memory:
            expired = _fill(memory, records, clock)
            row["total_records"] = len(memory)
            row["chunking"], row["temporal_scoring"] = _chunking(runs), _scoring(runs)
            row["recall"] = _recalling(memory, runs)
            row["cleanup"] = _cleaning(memory, clock, expired)
        row["session_context"] = _contexts(Path(folder) / "sessions.db", records, runs)
    return row


def _fill(memory: EnhancedEpisodicMemory, records: int, clock: Clock) -> int:
    """Keep turns until there are so many records; return how many of them are old enough to be forgotten.

    Many at a time, as one who remembers them one by one has no need to wait for.
    """
    texts = corpus.memories(5 * records)
    total = expired = 0
    waiting: list[dict[str, Any]] = []
    while total < records:
        clock.now = 1_750_000_000.0 + total - (1_000 * HOUR_S if total < EXPIRED * records else 0.0)
        made = memory.chunker.chunk_conversation(
            next(texts), " ".join(itertools.islice(texts, 4 if total % 3 == 0 else 1))
        )
        for record in made:
            record.timestamp = record.last_accessed = clock.now
        waiting.extend(rows_of(made[0], made[1:], f"sitting {total // 50}"))
        expired += len(made) if total < EXPIRED * records else 0
        total += len(made)
        if len(waiting) >= BATCH or total >= records:
            memory.store.add(waiting)
            waiting = []
    _embed(memory, records)
    return expired


def _embed(memory: EnhancedEpisodicMemory, records: int) -> None:
    import numpy as np

    from recollect.store.store_values import Vectors

    engine = memory.store.engine
    if records <= REAL_VECTORS:
        engine.embedding.catch_up()
        return
    chance = np.random.default_rng(7)
    model = engine.embedding.model_id
    while lacking := engine.store.lacking_vectors(model, 5_000):
        made = chance.standard_normal((len(lacking), 384), dtype=np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        engine.store.put_vectors(model, [Vectors(m.id, m.rev, v[None]) for m, v in zip(lacking, made, strict=True)])


def _beside(name: str, work: Callable[[int], object], floor: Callable[[int], object], runs: int) -> Report:
    """Return what an operation costs, how often it fits into its target, and how many times the floor it is."""
    cost = measure.summary([measure.cpu_ms(lambda run=run: work(run)) for run in range(runs)])
    least = measure.summary([measure.cpu_ms(lambda run=run: floor(run)) for run in range(runs)])
    return {
        "cpu_ms": cost,
        "target_ms": TARGETS[name],
        "times_faster": round(TARGETS[name] / max(cost["p50"], 0.001), 1),
        "floor_cpu_ms": least,
        "ratio_to_floor": round(cost["p50"] / max(least["p50"], 0.001), 2),
    }


def _chunking(runs: int) -> Report:
    """Cut turns of 4,000 characters; the floor splits the same text into words."""
    texts = [" ".join(itertools.islice(corpus.memories(60, seed=run), 20))[:4_000] for run in range(runs)]
    chunker = ContextualChunker()
    return _beside(
        "chunking", lambda run: chunker.chunk_conversation("Tell me", texts[run]), lambda run: texts[run].split(), runs
    )


def _scoring(runs: int) -> Report:
    """Score 1,000 records, and divide; the floor is one exponential each."""
    weighting = TemporalMemoryWeighting(clock=Clock(1_750_000_000.0))

    def score(run: int) -> None:
        for number in range(1_000):
            weighting.calculate_final_score(0.8, 1_750_000_000.0 - number * 100, number % 7)

    def floor(run: int) -> list[float]:
        return [math.exp(-0.01 * number) for number in range(1_000)]

    found = _beside("temporal_scoring", score, floor, runs)
    for name in ("cpu_ms", "floor_cpu_ms"):
        found[name] = {key: value if key == "n" else round(value / 1_000, 6) for key, value in found[name].items()}
    return {**found, "times_faster": round(1_000 * found["times_faster"], 1)}


def _recalling(memory: EnhancedEpisodicMemory, runs: int) -> Report:
    """Recall; the floor is the engine's own search in the same memory."""
    asked = list(corpus.questions(2 * runs))
    engine = memory.store.engine
    memory.recall("the first recall loads the matrix")
    return _beside(
        "recall",
        lambda run: memory.recall(asked[run]),
        lambda run: engine.recall.search(asked[runs + run], limit=4, namespace=memory.store.namespace, min_score=0.0),
        runs,
    )


def _cleaning(memory: EnhancedEpisodicMemory, clock: Clock, expired: int) -> Report:
    """Clean up what has expired; the floor finds nothing to do."""
    removed: list[int] = []
    clock.now = 1_750_000_000.0 + 3 * HOUR_S
    cost = _beside(
        "cleanup",
        lambda run: removed.append(memory.cleanup_expired_memories()),
        lambda run: memory.cleanup_expired_memories(),
        1,
    )
    return {**cost, "expired": expired, "removed": removed[0]}


def _contexts(path: Path, records: int, runs: int) -> Report:
    """Read the last twenty turns of a session, or of all; the floor reads as many rows by their ids."""
    clock = Clock(1_750_000_000.0)
    turns = max(1, records // 50)
    with SessionMemory(SessionConfig(max_turns_per_session=turns), storage_path=path, clock=clock) as sessions:
        texts = list(corpus.memories(200))
        for start in range(0, records, 500):
            sessions.store.add([_turn(number, turns, texts) for number in range(start, min(records, start + 500))])
        clock.now += records / 10
        names = sessions.active_sessions()
        newest = [turn.id for turn in sessions.get_session_context(max_turns=20)]

        def read(run: int) -> None:
            if run % 3 == 0:
                sessions.get_session_context(names[run % len(names)])
            elif run % 3 == 1:
                sessions.get_session_context()
            else:
                sessions.get_all_recent_context(max_turns=20)

        return {
            **_beside("session_context", read, lambda run: sessions.store.select(id=tuple(newest)), runs),
            "active_sessions": len(names),
        }


def _turn(number: int, turns: int, texts: list[str]) -> dict[str, Any]:
    at = 1_750_000_000.0 + number / 10
    sides = {"user": texts[number % len(texts)], "assistant": texts[-number % len(texts)]}
    return {
        "content": spoken(**sides),
        "created_at": int(at),
        "session_id": f"session {number // turns}",
        "category": "turn",
        "metadata": {**sides, "timestamp": at},
    }


def speed(sizes: list[int], runs: int) -> Report:
    """Measure every size in a process of its own and hold it against the targets."""
    rows = []
    for place, size in enumerate(sizes):
        sys.stderr.write(f"{size:,} records\n")
        command = [sys.executable, __file__, "at-size", "--records", str(size), "--runs", str(runs)]
        row = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        least = FASTER if place == 0 else 1.0
        row["within"] = {name: row[name]["times_faster"] >= least for name in TARGETS}
        rows.append(row)
    return {"targets_ms": TARGETS, "times_faster_at_first_size": FASTER, "sizes": rows}


# --- tables ----------------------------------------------------------------------------------------------------------


def replay_part(result: Report) -> str:
    """Return what a replay found, in words."""
    stats = result["stats"]
    return (
        f"{result['conversations']:,} conversations of {result['turns']:,} turns through session memory into long-term "
        f"memory: {result['promoted']:,} promoted, {result['lost']} lost, {result['added']} added; in the order they "
        f"were said: {_yes(result['as_told'])}; {stats['child_chunks']:,} chunks, each exactly where it says: "
        f"{_yes(result['chunks_in_place'])}; statistics right: {_yes(result['stats_right'])}.\n"
    )


def recall_part(result: Report) -> str:
    """Return the table of the three ways to recall."""
    parts = []
    for file in result["files"]:
        head = f"{file['name']}, {file['ways']['episodic']['n']} questions"
        parts.append(f"| {head} | recall@10 | @4 | 1,000 tokens | MRR | CPU ms p50 |\n")
        parts.append(f"| --- |{' ---: |' * 5}\n")
        for name, row in file["ways"].items():
            shares = " | ".join(f"{100 * row[key]:.1f}" for key in ("recall@10", "recall@4", "recall_1000_tokens"))
            parts.append(f"| {name} | {shares} | {row['mrr']:.2f} | {row['query_cpu_ms']['p50']:.1f} |\n")
    told = (
        "\nA message and the reply to it are one turn, and one record; so ten records are up to twenty messages, and "
        "the last row has ten. All rows are stored with the same fields.\n"
    )
    return "".join([*parts, told])


def speed_part(result: Report) -> str:
    """Return the table of the targets."""
    names = {name: name.replace("_", " ") for name in TARGETS}
    sizes = [f"{row['records']:,} records" for row in result["sizes"]]
    head = "".join(f" {size}: p50 | p95 | times faster | times the floor |" for size in sizes)
    parts = [f"| CPU ms | target |{head}\n| --- | ---: |{' ---: | ---: | ---: | ---: |' * len(sizes)}\n"]
    for name, shown in names.items():
        cells = "".join(
            f" {_short(row[name]['cpu_ms']['p50'])} | {_short(row[name]['cpu_ms']['p95'])} "
            f"| {row[name]['times_faster']:,.1f} | {row[name]['ratio_to_floor']:.1f} |"
            for row in result["sizes"]
        )
        parts.append(f"| {shown} | {TARGETS[name]:.0f} |{cells}\n")
    told = (
        "\nThe floors: splitting the text into words, one exponential, reading as many rows, the engine's own search "
        "in the same memory, and a clean-up that finds nothing. One record in a hundred has expired.\n"
    )
    return "".join([*parts, told])


def part(result: Report) -> str:
    """Return a result as a part of the page of benchmarks."""
    what = result["benchmark"].removeprefix("episodic-")
    data = " --data FILE" if what == "recall" else ""
    table = {"replay": replay_part, "recall": recall_part, "speed": speed_part}[what](result)
    return (
        f"\n# Episodic memory: {what}\n\n`python bench/episodic.py {what}{data}`, commit {result['commit']}, "
        f"{result['machine']}, {result['cores']} cores, Python {result['python']}.\n\n{table}"
    )


def _short(number: float) -> str:
    return f"{number:.1f}" if number >= 1 else f"{number:.2g}"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "NO"


# --- the run ---------------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("replay", "recall", "speed", "at-size"))
    parser.add_argument("--data", type=Path, nargs="+", default=[], metavar="FILE", help="conversations, .json(.gz)")
    parser.add_argument("--limit", type=int, metavar="N", help="questions per conversation, for a quick look")
    parser.add_argument("--conversations", type=int, default=1_000, metavar="N", help="how many are replayed")
    parser.add_argument("--records", type=int, nargs="+", default=[1_000, 100_000], metavar="N", help="sizes for speed")
    parser.add_argument("--runs", type=int, default=60, metavar="N", help="how often each operation is measured")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    if chosen.what == "at-size":
        sys.stdout.write(json.dumps(at_size(chosen.records[0], chosen.runs)))
        return
    if chosen.what == "recall" and not chosen.data:
        parser.error("recall needs --data")
    work: dict[str, Callable[[], Report]] = {
        "replay": lambda: replay(chosen.conversations),
        "recall": lambda: {"limit": chosen.limit, "files": [recall_report(path, chosen.limit) for path in chosen.data]},
        "speed": lambda: speed(chosen.records, chosen.runs),
    }
    measure.publish(f"episodic-{chosen.what}", work[chosen.what](), save=chosen.save)


if __name__ == "__main__":
    main()
