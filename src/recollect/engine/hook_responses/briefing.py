"""Briefing: the context for the start of a session, chosen by expected use.

    preferences   rules of the user and conventions of the project: always, the most important and repeated first
    decisions     decisions, causes, fixes and facts about the branch and the files at hand; then other important ones
    recent work   what the last sessions left open
    commands      how the project is tested, built, checked and run

Document 002 names five sources: memories, sessions, files, patterns and stats. Files choose the decisions, and patterns
are the commands that work. Memories that are superseded, expired, of another branch or whose code is gone are left out,
and so is imported history whose code has changed. What a newer memory may have replaced is told beside it, also what
one of an unmerged branch has replaced. What was stated in a prompt on such a branch is told with the branch. Nothing is
said twice. A section without useful lines is left out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock
from recollect.capture.invocation import bare
from recollect.capture.observation_lesson import code
from recollect.capture.summary import CHANGING, SENTENCE
from recollect.engine.hook_responses.context_block import (
    DOUBTFUL,
    EARLIER_CHARACTERS,
    FENCE_TOKENS,
    MEMORY_CHARACTERS,
    Line,
    Section,
    cost,
    flat,
    quoted,
    remembered,
    within,
)
from recollect.engine.hook_responses.recent_sessions import PastSession, past_sessions, used_files, work_lines
from recollect.engine.hook_responses.work_in_progress import (
    WorkInProgress,
    beside,
    is_committed,
    names_file,
    related,
    work_in_progress,
)
from recollect.engine.memory.amendments import doubted
from recollect.engine.memory.freshness import freshness_of
from recollect.engine.memory.verdicts import is_outdated
from recollect.engine.records.branches import Branches, written_on
from recollect.engine.records.memory_rows import SUMMARY_SOURCE, is_learnt
from recollect.model import Freshness, KnownCommand, Memory, Observed, Session
from recollect.recall.doubts import earlier_text, together
from recollect.store.store_values import Filter, Range, Without
from recollect.text.display import day
from recollect.text.paraphrases import statements
from recollect.text.terms import query_terms

if TYPE_CHECKING:
    from recollect.engine.retrieval.scoring import UseCounters
    from recollect.store.sql import Store

# Memories of each type that are read: the most important, of equal importance the newest.
LOOKED_AT = 40
# Memories that were stored during the last sessions.
LATEST = 60
# Characters of one memory: its first sentences.
RULE_CHARACTERS = 200
FACT_CHARACTERS = 240
PATH_CHARACTERS = 100
# Files that a cause may be about; a session that used more says nothing about it.
CAUSE_FILES = 2
# The share of the room for rules where both rules and facts at hand have more to say. With 0.55 one preference in five
# was gone after 20 sessions in two of the five months of bench/told.py.
RULES_SHARE = 0.85
# An older fact is shown with its date, and a rule that shares this much of the shorter one's words with a newer memory:
# where two disagree, the assistant sees which is newer.
DATED_S, SHARED, DAY_S = 7 * 86_400, 1 / 3, 86_400
# Sections of a summary (capture/summary.py) whose sentences may be memories, too.
REQUESTED = ("Asked for", "Decided")
# Characters of the snapshot of a session after its compaction.
SNAPSHOT_CHARACTERS = 3_000

STANDING = ("preference", "style", "habit")
OTHERS = ("decision", "insight", "pattern", "context")
# Observations are shown as open work, and a fix when its error comes back.
KNOWN = {"observed": False, "superseded_by": None, "category": Without(("fix",))}
# What was said here, what others share, and the imported history are read apart: a long history would leave no place
# for the others. Summaries of clusters say what their members say.
ORIGINS: tuple[Filter, ...] = (
    {"source": Without(("import", SUMMARY_SOURCE))},
    {"source": "import", "category": None},
    {"source": "import"},
)

# The value of a memory for a briefing is its importance plus these. What concerns the work at hand comes first.
AT_HAND = 0.6
# A logit of having been used when it was injected (recall/feedback.py).
LEAN = 0.15
# Each doubling of the number of times it was stated.
REPEATED = 0.1
# A new memory, half of it after a month. Rules do not age.
NEW = 0.2
HALF_LIFE_S = 30 * 86_400
KIND = {"decision": 0.1, "insight": 0.05, "pattern": 0.0, "context": -0.1}
# Its code has changed since.
CHANGED = -0.2
# A memory that is not about the work at hand must be worth this much. Imported history must matter more: most of it
# is outdated.
LEAST = 0.45
LEAST_LEARNT = 0.9
# Knowledge of this importance is told like what is about the work at hand.
VITAL = 0.9
# Memories that are about no particular files.
MOST_GENERAL = 16

# Changes and commands are looked for in the last month: a busy week of it.
RECENT_S = 30 * 86_400
RECENT_ROWS = 1_000
# Kinds of commands, one of each, and of tests one of each tool; of others only those that are easily written wrongly.
# A command that worked once may have been a single test; one with a path is usual after several sessions.
COMMANDS = ("test", "build", "lint", "run")
SELDOM = ("migrate", "install", "deploy")
LEAST_SUCCESSES = 2
LEAST_SESSIONS = 3
TEST_TOOLS = 3
HABIT_S = 7 * 86_400
_DENYING = frozenset("not no never without don't".split())


class Wanted(NamedTuple):
    """The request for a briefing: project, token budget, starting session and the memories it has seen.

    folder: where the assistant works. briefed: whether the session had a briefing before
    compacted: whether the session has just lost its context. ending: sessions whose end was not ingested yet
    """

    namespace: str | None
    budget: int
    folder: str = ""
    session: Session | None = None
    told: Collection[str] = frozenset()
    briefed: bool = False
    compacted: bool = False
    ending: Collection[str] = ()

    @property
    def scopes(self) -> tuple[str | None, ...]:
        """The project, and what holds for all projects."""
        return (self.namespace, None) if self.namespace is not None else (None,)


class Known(NamedTuple):
    """A memory that holds: the state of its code, and its value for this briefing.

    concerns: the work at hand. lean: how often it was used, in logits. where: the file of a cause, or the branch.
    earlier: contents of older memories that it may have replaced
    """

    memory: Memory
    fresh: Freshness
    concerns: float
    value: float
    lean: float = 0.0
    where: str = ""
    earlier: tuple[str, ...] = ()


class _Said:
    """Tells whether a text says something that was not said before."""

    def __init__(self) -> None:
        self._said: frozenset[tuple[str, ...]] = frozenset()
        self._words: list[tuple[bool, frozenset[str]]] = []

    def is_due(self, row: Known) -> bool:
        """Tell whether a memory is new; what may have been replaced is told with the newer one even if that is not."""
        return self.is_new(row.memory.content) or bool(row.earlier)

    def is_new(self, text: str) -> bool:
        is_new = not self.is_said(text)
        self._said |= statements(text)
        self._words.append(_words(text))
        return is_new

    def is_said(self, text: str) -> bool:
        says, (denies, words) = statements(text), _words(text)
        # "uv, not pip" after "run everything through uv, never call pip"
        is_part = len(words) > 1 and any(denies == other[0] and words < other[1] for other in self._words)
        return is_part or (bool(says) and says <= self._said)


@lru_cache(maxsize=1_024)
def _words(text: str) -> tuple[bool, frozenset[str]]:
    """Return whether a text denies something, and its search terms."""
    return not _DENYING.isdisjoint(text.lower().split()), frozenset(query_terms(text))


class Briefing:
    """Makes the briefing of a session."""

    def __init__(self, store: Store, *, branches: Branches, counters: UseCounters) -> None:
        self._store = store
        self._branches = branches
        self._counters = counters

    def sections(self, wanted: Wanted) -> Iterator[Section]:
        """Yield the sections of a briefing; together they fit the budget."""
        store, room, once = self._store, max(0, wanted.budget - FENCE_TOKENS), _Said()
        recent = _recent(store, wanted)
        own = wanted.session.id if wanted.session is not None else ""
        pasts = past_sessions(store, wanted.namespace, own, recent, wanted.ending)
        found = list(_candidates(store, wanted, pasts))
        work = work_in_progress(wanted.folder, used_files(pasts), asks_git=bool(found))
        known = self._known(wanted, work, found)
        rules = Section("Preferences and conventions", tuple(_rules(known, once)))
        facts = Section("Decisions and facts", tuple(_facts(known, once)))
        others = tuple(_general(known, once))
        snapshot = within(Section("This session before compaction", tuple(_snapshot(wanted, once))), room // 2)
        usual, wrong = _known_commands(store, recent)
        done = partial(is_committed, work.found if self._branches.asks_git else None)
        threads = Section("Open work", tuple(work_lines(pasts, work.branch, wanted.told, once.is_said, done, wrong)))
        is_first = not wanted.briefed and wanted.namespace is not None
        commands = Section("Commands that work here", tuple(_commands(usual)) if is_first else ())
        threads, commands = within(threads, room // 3), within(commands, room // 5)
        left = room - sum(map(cost, (snapshot, threads, commands)))
        # Rules may take most of the room: a prompt finds facts about its subject, but not the rules that it has to
        # follow. Then comes what is about the work at hand, and rules get what is left.
        at_hand_first = within(facts, left - cost(within(rules, int(RULES_SHARE * left))))
        rules = within(rules, left - cost(at_hand_first))
        general = Section(facts.title, (*at_hand_first.lines, *others))
        facts = within(general, left - cost(rules))
        yield from (rules, snapshot, facts, threads, commands)

    def _known(self, wanted: Wanted, work: WorkInProgress, found: Sequence[Memory]) -> list[Known]:
        """Return the memories that hold here and are new to the session, the most valuable first."""
        store = self._store
        tied = related(store, work, {"namespace": wanted.scopes}) if found else []
        found = [*found, *store.find(Memory, {"id": tuple(tied), **KNOWN})]
        newer = doubted(store, {row.id for row in found})
        found += (row for row in newer.values() if not row.observed)
        told = (row for row in found if row.namespace in wanted.scopes and row.source != SUMMARY_SOURCE)
        holding = {row.id: row for row in told if row.holds(clock.now())}
        for name in wanted.told:
            holding.pop(name, None)
        away = self._away(holding.values(), wanted.folder)
        replaced = {**KNOWN, "superseded_by": tuple(away), "namespace": wanted.scopes}
        for old in store.find(Memory, replaced) if away else ():
            by = holding[old.superseded_by or ""]
            if old.branch != by.branch and not old.is_expired(clock.now()):
                holding[old.id], newer[old.id] = old, by
        instead = {row.id for name, row in newer.items() if name in holding}
        left = {name for name in away if name not in instead and not _is_said(holding[name])}
        for name in left.union(self._counters.useless(list(holding))):
            del holding[name]
        fresh = freshness_of(store, list(holding))
        near = beside(store, holding.values(), wanted.namespace) if work.files else {}
        leans = {name: lift.leaning for name, lift in self._counters.lifts(wanted.namespace, holding).items()}
        known = []
        for name, memory in holding.items():
            state = fresh.get(name, Freshness())
            if not is_outdated(memory.source, state.verdict):
                anchored = {row.now_path or row.path for row in state.anchors}
                used = near.get(memory.session_id or "", ())
                concerns, lean = work.concerns(memory, anchored, used), leans.get(name, 0.0)
                where = _where(anchored or used) if memory.category == "cause" and not names_file(memory) else ""
                if where is not None:
                    value = _value(memory, state, concerns, lean)
                    known.append(Known(memory, state, concerns, value, lean, away.get(name) or where))
        known = _together(known, newer, wanted.told)
        return sorted(known, key=lambda row: (-round(row.value, 2), -row.memory.created_at, -row.memory.seq))

    def _away(self, memories: Collection[Memory], folder: str) -> dict[str, str]:
        """Return the memories of branches that are not merged into the current one, with that in words."""
        written = {row.id: place for row in memories if (place := written_on(row)) is not None}
        stands = self._branches.standings(written.values(), folder or None) if written else {}
        return {name: stands[place].note for name, place in written.items() if stands[place].standing == "elsewhere"}


def _is_said(memory: Memory) -> bool:
    """Tell whether a person stated it in a prompt: that is mostly about the project, not the code of a branch."""
    return memory.metadata.get("stated_in") == "prompt"


def _together(known: Sequence[Known], newer: Mapping[str, Memory], told: Collection[str]) -> list[Known]:
    """Return memories with the older ones that they may have replaced, in the place of the most valuable of them."""
    rows = {row.memory.id: row for row in known}
    newer = {older: row for older, row in newer.items() if row.id in rows or row.id in told}
    found = []
    for name, earlier in together(rows, newer).items():
        if name in rows:  # else the session has seen the newer one
            row, olds = rows[name], [rows[older] for older in earlier]
            for old in olds:
                row = _instead(row, old)
            texts = (_shortened(old.memory.content, EARLIER_CHARACTERS) for old in olds)
            found.append(row._replace(earlier=tuple(texts)))
    return found


def _instead(row: Known, old: Known) -> Known:
    """Return a memory with the value of an older one; what may replace a rule is told among the rules."""
    is_rule = row.memory.memory_type in STANDING or old.memory.memory_type not in STANDING
    memory_type = row.memory.memory_type if is_rule else old.memory.memory_type
    importance = max(row.memory.importance, old.memory.importance)
    memory = msgspec.structs.replace(row.memory, memory_type=memory_type, importance=importance)
    return row._replace(memory=memory, concerns=max(row.concerns, old.concerns), value=max(row.value, old.value))


def _where(paths: Collection[str]) -> str | None:
    """Return the file that a cause is about; None if that is unknown: "the cause was the plus sign" says too little."""
    named = sorted(paths)
    return f"in {flat(', '.join(named), PATH_CHARACTERS)}" if 0 < len(named) <= CAUSE_FILES else None


def _snapshot(wanted: Wanted, once: _Said) -> Iterator[Line]:
    if wanted.compacted and wanted.session is not None:
        yield from quoted("\n".join(_unsaid(wanted.session.snapshot, once)), SNAPSHOT_CHARACTERS)


def _unsaid(summary: str, once: _Said) -> Iterator[str]:
    """Yield the lines of a summary without requests and decisions that are told already."""
    title, is_due = "", False
    for line in summary.splitlines():
        is_item = line.startswith("- ")
        if not is_item:
            title, _, line = line.partition(": ") if ": " in line else (line.removesuffix(":"), "", "")
            is_due = True
        text = line.removeprefix("- ")
        if title in REQUESTED:
            text = " ".join(part for part in SENTENCE.split(text) if once.is_new(part))
        if text and is_due and is_item:
            yield f"{title}:"
        if text:
            yield f"- {text}" if is_item else f"{title}: {text}"
        is_due = is_due and not text


# --- memories ---


def _candidates(store: Store, wanted: Wanted, pasts: Sequence[PastSession]) -> Iterator[Memory]:
    """Yield the most important memories of each type, and those that the last sessions stored."""
    for scope in wanted.scopes:
        for kind, origin in product((*STANDING, *OTHERS), ORIGINS):
            where = {"namespace": scope, "memory_type": kind, **KNOWN, **origin}
            yield from store.find(Memory, where, order="-importance", limit=LOOKED_AT)
    if sessions := tuple(past.session.id for past in pasts):
        yield from store.find(Memory, {"session_id": sessions, **KNOWN}, order="-seq", limit=LATEST)


def _value(memory: Memory, fresh: Freshness, concerns: float, lean: float) -> float:
    times = memory.metadata.get("times")
    repeated: float = math.log2(times) if isinstance(times, int) and times > 1 else 0.0
    age = max(0, clock.now() - memory.created_at)
    return (
        memory.importance
        + AT_HAND * max(0.0, concerns)
        + LEAN * lean
        + REPEATED * repeated
        + (NEW * math.exp2(-age / HALF_LIFE_S) if memory.memory_type not in STANDING else 0.0)
        + KIND.get(memory.memory_type, 0.0)
        + (CHANGED if fresh.verdict == "changed" else 0.0)
    )


def _rules(known: Sequence[Known], once: _Said) -> Iterator[Line]:
    """Yield standing rules; those of imported history come last."""
    rules = [row for row in known if row.memory.memory_type in STANDING]
    for row in sorted(rules, key=lambda row: is_learnt(row.memory)):
        if once.is_due(row):
            by = _author(row.memory) if row.memory.is_shared else ""
            date = day(_stated_at(row.memory)) if _has_newer(row, known) else ""
            parts = (row.where, date, by, _doubt(row), earlier_text(row.earlier))
            about = "; ".join(part for part in parts if part)
            text = _shortened(row.memory.content, RULE_CHARACTERS)
            yield Line(f"- {text}" + (f" ({about})" if about else ""), row.memory.id, _reason(row))


def _facts(known: Sequence[Known], once: _Said) -> Iterator[Line]:
    """Yield other knowledge that is about the work at hand, or matters most."""
    for row in known:
        is_vital = row.concerns == 0 and row.memory.importance >= VITAL and not is_learnt(row.memory)
        is_told = row.memory.memory_type not in STANDING and (row.concerns > 0 or is_vital)
        if is_told and once.is_due(row):
            yield _fact(row)


def _general(known: Sequence[Known], once: _Said) -> Iterator[Line]:
    """Yield the most valuable knowledge that is not about particular files; imported history comes last."""
    count = 0
    for row in sorted(known, key=lambda row: is_learnt(row.memory)):
        least = LEAST_LEARNT if is_learnt(row.memory) else LEAST
        if row.memory.memory_type in STANDING or row.concerns or row.value < least or count == MOST_GENERAL:
            continue
        if once.is_due(row):
            count += 1
            yield _fact(row)


def _fact(row: Known) -> Line:
    memory = row.memory
    by = "" if memory.source == "user" else flat(_author(memory), 60)
    at = _stated_at(memory)
    date = day(at) if at < clock.now() - DATED_S else ""
    about = "; ".join(part for part in (row.where, date, by, _doubt(row), earlier_text(row.earlier)) if part)
    text = _shortened(_titled(memory), FACT_CHARACTERS)
    return Line(f"- {text}" + (f" ({about})" if about else ""), memory.id, _reason(row))


def _has_newer(row: Known, known: Sequence[Known]) -> bool:
    """Tell whether a memory of a later day shares words with this one: they may disagree."""
    words, until = _words(row.memory.content)[1], _stated_at(row.memory) + DAY_S
    later = (_words(other.memory.content)[1] for other in known if _stated_at(other.memory) > until)
    return any(len(words & other) >= max(2, SHARED * min(len(words), len(other))) for other in later)


def _stated_at(memory: Memory) -> int:
    """Return when a memory was stated for the last time."""
    again = memory.metadata.get("last_stated_at")
    return max(memory.created_at, again) if isinstance(again, int) else memory.created_at


def _reason(row: Known) -> str:
    """Return why a memory is in a briefing: what its value is made of."""
    memory, times = row.memory, row.memory.metadata.get("times")
    parts = (
        memory.memory_type,
        f"importance {memory.importance:.2f}",
        "about the work at hand" if row.concerns > 0 else "",
        f"stated {times} times" if isinstance(times, int) and times > 1 else "",
        "often used" if row.lean > 0 else "seldom used" if row.lean < 0 else "",
        "for all projects" if memory.namespace is None else "",
    )
    return ", ".join(part for part in parts if part)


def _author(memory: Memory) -> str:
    """Return who said it; for a shared memory also that the repository says so."""
    if memory.is_shared:
        return flat(", ".join(part for part in ("shared by the repository", memory.author) if part), 60)
    return memory.author or memory.source


def _doubt(row: Known) -> str:
    """Return why a memory may no longer be true."""
    is_doubtful = row.fresh.verdict in DOUBTFUL
    return flat(row.fresh.note, MEMORY_CHARACTERS) if is_doubtful else ""


def _titled(memory: Memory) -> str:
    """Return the text of a memory, after its title where that says more."""
    title = (memory.title or "").rstrip(". …")
    return memory.content if not title or memory.content.startswith(title) else f"{title}: {memory.content}"


def _shortened(text: str, characters: int) -> str:
    """Return the first sentences of a text that fit, on one line; of a longer one its beginning."""
    whole = flat(text)
    kept = ""
    for sentence in SENTENCE.split(whole):
        if len(kept) + len(sentence) >= characters:
            break
        kept = f"{kept} {sentence}".strip()
    return kept or flat(whole, characters)


def told(memory: Memory, fresh: Freshness, text: str = "", where: str = "") -> str:
    """Return a memory as a line of a prompt answer: type, day, author, the state of its code, and its text.

    text: the part to tell, where that is not its beginning. where: on which branch, if that matters
    """
    said = text or (f"{memory.title}: {memory.content}" if memory.title else memory.content)
    doubt = "; ".join(part for part in (fresh.note if fresh.verdict in DOUBTFUL else "", where) if part)
    state = "fresh" if fresh.verdict == "fresh" else ""
    return remembered(memory.memory_type, memory.created_at, _author(memory), said, state, doubt)


# --- commands and more ---


def _recent(store: Store, wanted: Wanted) -> list[Observed]:
    """Return the changes and commands of the project that hooks saw lately, newest first."""
    if wanted.namespace is None:
        return []
    tools = ("shell", *CHANGING)
    where = {"namespace": wanted.namespace, "event": "tool", "tool": tools, "at": Range(clock.now() - RECENT_S)}
    return store.find(Observed, where, order="-at", limit=RECENT_ROWS)


def _known_commands(store: Store, rows: Sequence[Observed]) -> tuple[Sequence[KnownCommand], Collection[str]]:
    """Return the commands that worked, and the ids of runs that failed where one of these would have worked."""
    if not rows:
        return (), ()
    from recollect.engine.sessions.observed_events import edits, remembered_runs
    from recollect.patterns.known_commands import known_commands, replaced

    runs, changed = remembered_runs(store, rows), edits(rows)
    return known_commands(runs, changed, clock.now()), replaced(runs, changed)


def _commands(rows: Sequence[KnownCommand]) -> Iterator[Line]:
    """Yield the best command of each kind, of tests of each tool, with the variant that was tried and failed."""
    now = clock.now()
    found = [row for row in rows if _is_usual(row)]
    best: dict[tuple[str, ...], KnownCommand] = {}
    # A command with a path is for one part of the project; habits change faster than what works.
    for row in sorted(found, key=lambda row: (_has_path(row), -row.score * math.exp2((row.last_at - now) / HABIT_S))):
        best.setdefault((row.kind, *bare(row.command)[:1]) if row.kind == "test" else (row.kind,), row)
    tests = sorted((row for row in best.values() if row.kind == "test"), key=lambda row: -row.last_at)
    current = [row for row in tests if tests[0].last_at - row.last_at < HABIT_S][:TEST_TOOLS]
    for row in (*current, *(best[kind,] for kind in (*COMMANDS, *SELDOM) if (kind,) in best)):
        where = f" in {flat(row.directory, 60)}" if row.directory else ""
        wrong = f" (not {flat(code(row.failed[0].command))})" if row.failed else ""
        yield Line(f"- {row.kind}: {flat(code(row.command))}{where}{wrong}")


def _is_usual(row: KnownCommand) -> bool:
    is_usual = row.session_count >= LEAST_SESSIONS if _has_path(row) else row.successes >= LEAST_SUCCESSES
    return (row.kind in COMMANDS and is_usual) or (row.kind in (*COMMANDS, *SELDOM) and bool(row.failed))


def _has_path(row: KnownCommand) -> bool:
    return any("/" in word.strip("./") or "::" in word for word in row.command.split()[1:])
