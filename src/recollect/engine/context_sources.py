"""Context sources: what is worth knowing when a session begins, from five places, the most useful first.

    decided and learnt   what was stored on purpose; nothing that was replaced, has ended or speaks of code that is
                         gone. What fixed an error is told when that comes again
    last sessions        the summary of the latest, and what the ones before it were about
    files                which were changed and read most
    patterns             what was searched for, run and failed again and again
    stats                how much there is

Document 002 names these five. What was said in this session already is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.capture.lesson import code, line
from recollect.engine.branches import written_on
from recollect.engine.context_block import (
    DOUBTFUL,
    MEMORY_CHARACTERS,
    Line,
    Section,
    day,
    flat,
    quoted,
    remembered,
)
from recollect.engine.events import edits, seen_runs
from recollect.engine.freshness import freshness_of
from recollect.engine.learning import is_learnt
from recollect.model import AnchorState, Freshness, Memory, Observed, Session
from recollect.store.protocol import Range
from recollect.text.plural import plural

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.store.protocol import Store

# Memories looked at, and shown: about half of the budget.
LOOKED_AT = 200
SHOWN = 12
# Of the latest session its summary, of those before it their first line.
SESSIONS = 4
SUMMARY_CHARACTERS = 1_400
HEADLINE_CHARACTERS = 160
# A snapshot is all that is left of what the session did so far.
SNAPSHOT_CHARACTERS = 3_000
# What hooks saw is looked at as far back as a month, the latest of it: a busy week.
RECENT_S = 30 * 86_400
RECENT_ROWS = 3_000
FILES = 8
# Seen less often, something is no pattern.
REPEATED = 3
PATTERNS = 3

# On purpose, by anybody; what hooks saw is told by summaries.
ON_PURPOSE = ("user", "assistant", "consolidation")
# What a logit of having been used (recall/use.py) is worth in importance: at the most, what was never used falls behind
# what matters a third less.
LEAN = 0.15
# In this order, then by importance and time.
_KINDS = ("decision", "preference", "style", "habit", "insight", "pattern", "context")


class Wanted(NamedTuple):
    """Whose context: the project, the session that begins, what it was told already, and whether it was compacted."""

    namespace: str | None
    session: Session | None = None
    told: Collection[str] = frozenset()
    compacted: bool = False

    @property
    def scopes(self) -> tuple[str | None, ...]:
        """The project, and what holds everywhere."""
        return (self.namespace, None) if self.namespace is not None else (None,)


def sections(engine: Engine, wanted: Wanted) -> Iterator[Section]:
    """Yield what is worth knowing, in the order in which it may be cut."""
    store = engine.store
    recent = _recent(store, wanted)
    if wanted.compacted and wanted.session is not None and wanted.session.snapshot:
        lines = tuple(quoted(wanted.session.snapshot, SNAPSHOT_CHARACTERS))
        yield Section("This session before compaction", lines)
    yield Section("Decisions and lessons", tuple(_memories(engine, wanted)))
    yield Section("Last sessions", tuple(_sessions(store, wanted)))
    if wanted.told:
        return  # the rest was said when the session began, and has hardly changed
    yield Section("Most used files, last month", tuple(_files(recent, wanted.namespace)))
    yield Section("Recurring", tuple(_patterns(recent)))
    yield Section("", tuple(_stats(store, wanted)), aside=True)


# --- decided and learnt ---


def _memories(engine: Engine, wanted: Wanted) -> Iterator[Line]:
    store = engine.store
    where = {"namespace": wanted.scopes, "superseded_by": None}
    found: list[Memory] = []
    # What was imported by itself: a long history must not crowd out what was said here.
    for sources in (ON_PURPOSE, ("import",)):
        for order in ("-importance", "-created_at"):
            found += store.find(Memory, {**where, "source": sources}, order=order, limit=LOOKED_AT)
    unique = {memory.id: memory for memory in found if memory.id not in wanted.told}
    away = _away(engine, unique.values())
    lifts = engine.usefulness.lifts(wanted.namespace, unique)
    leans = {name: lift.leaning for name, lift in lifts.items()}
    holding_now = (row for row in unique.values() if _holds(row) and row.id not in away)
    chosen = sorted(holding_now, key=lambda row: _rank(row, leans.get(row.id, 0.0)))
    fresh = freshness_of(store, [memory.id for memory in chosen])
    verdicts = [(memory, fresh.get(memory.id, Freshness())) for memory in chosen]
    holding = [(memory, verdict) for memory, verdict in verdicts if verdict.verdict != "gone"]
    for memory, verdict in holding[:SHOWN]:
        yield Line(told(memory, verdict), memory.id, memory.memory_type)


def told(memory: Memory, fresh: Freshness, text: str = "", where: str = "") -> str:
    """Return a memory as a line: what it is, when and by whom, whether its code is as it was, and what it says.

    text: what of it is told, where that is not its beginning. where: on which branch, if that matters
    """
    said = text or (f"{memory.title}: {memory.content}" if memory.title else memory.content)
    doubt = "; ".join(part for part in (fresh.note if fresh.verdict in DOUBTFUL else "", where) if part)
    state = "fresh" if fresh.verdict == "fresh" else ""
    return remembered(memory.memory_type, memory.created_at, memory.author or memory.source, said, state, doubt)


def _holds(memory: Memory) -> bool:
    now = clock.now()
    return all(end is None or end > now for end in (memory.valid_to, memory.expires_at))


def _rank(memory: Memory, lean: float) -> tuple[bool, int, float, int]:
    """What the past of the project teaches fills what room is left; lean: how far it was used when it was told."""
    kind = _KINDS.index(memory.memory_type)
    return is_learnt(memory), kind, -round(memory.importance + LEAN * lean, 1), -memory.created_at


def _away(engine: Engine, memories: Collection[Memory]) -> set[str]:
    """Return which memories were written on branches that are not merged into the one that is checked out."""
    written = {row.id: place for row in memories if (place := written_on(row)) is not None}
    stands = engine.branches.standings(written.values(), None) if written else {}
    return {name for name, place in written.items() if stands[place].standing == "elsewhere"}


# --- sessions ---


def _sessions(store: Store, wanted: Wanted) -> Iterator[Line]:
    if wanted.namespace is None:
        return
    rows = store.find(Session, {"namespace": wanted.namespace}, order="-started_at", limit=3 * SESSIONS)
    own = wanted.session.id if wanted.session is not None else ""
    past = [row for row in rows if row.summary and row.id != own and (row.insight_id or "") not in wanted.told]
    for number, session in enumerate(past[:SESSIONS]):
        head = f"- {day(session.started_at)}, {session.assistant or 'an assistant'}"
        head += f", on {flat(session.branch, 60)}" if session.branch else ""
        lines = list(quoted(session.summary or "", SUMMARY_CHARACTERS if not number else HEADLINE_CHARACTERS))
        if lines:
            # One line each: a summary without its first half would be misleading.
            below = tuple(f"  {row.text}" for row in lines[1:]) if not number else ()
            yield Line(f"{head}: {lines[0].text}", session.insight_id or "", "session", below)


# --- what hooks saw ---


def _recent(store: Store, wanted: Wanted) -> list[Observed]:
    if wanted.namespace is None:
        return []
    since = Range(clock.now() - RECENT_S)
    where = {"namespace": wanted.namespace, "event": "tool", "at": since}
    return store.find(Observed, where, order="-at", limit=RECENT_ROWS)


def _files(rows: Sequence[Observed], namespace: str | None) -> Iterator[Line]:
    changed: Counter[str] = Counter()
    read: Counter[str] = Counter()
    prefix = f"{namespace}/"
    for row in rows:
        if row.outcome != "failed" and row.target.startswith(prefix):
            counts = changed if row.tool in ("edit", "write", "patch") else read if row.tool == "read" else Counter()
            counts[row.target.removeprefix(prefix)] += 1
    # A change says more than a look.
    ranked = sorted({*changed, *read}, key=lambda path: (-(2 * changed[path] + read[path]), path))
    often = [path for path in ranked if changed[path] or read[path] >= REPEATED]
    for path in often[:FILES]:
        times = [f"{verb} {counts[path]}×" for verb, counts in (("changed", changed), ("read", read)) if counts[path]]
        yield Line(f"- {flat(path, 160)}: {', '.join(times)}")


def _patterns(rows: Sequence[Observed]) -> Iterator[Line]:
    """Yield what recurs: what was searched for in several sessions, the commands that work, errors that came back."""
    from recollect.patterns.command import known_commands
    from recollect.patterns.loop import error_loops
    from recollect.patterns.search import repeated_searches

    for pattern in repeated_searches(rows)[:PATTERNS]:
        yield Line(f"- searched for {flat(code(pattern.subject))}: {plural(pattern.count, 'time')}")
    often = [row for row in known_commands(seen_runs(rows), edits(rows), clock.now()) if row.successes >= REPEATED]
    for row in often[:PATTERNS]:
        tried = f"{row.successes} of {row.successes + row.failures} times"
        yield Line(f"- {flat(code(row.command))} succeeded {tried}")
    for pattern in error_loops(rows)[:PATTERNS]:
        yield Line(f"- failed {plural(pattern.count, 'time')}: {flat(line(pattern.subject, MEMORY_CHARACTERS))}")


# --- stats ---


def _stats(store: Store, wanted: Wanted) -> Iterator[Line]:
    where = {"namespace": wanted.namespace}
    memories, sittings = store.count(Memory, where), store.count(Session, where)
    doubtful = {row[0] for row in store.columns(AnchorState, ("memory_id",), {"verdict": ("changed", "gone")})}
    kept = f"{plural(memories, 'memory', 'memories')} from {plural(sittings, 'session')}"
    yield Line(
        f"Stored for this project: {kept}"
        + (f"; code changed for {len(doubtful):,} (`recollect drift`)" if doubtful else "")
        + ". Search them (recall_memory or `recollect search`) before exploring."
    )
