"""Outcomes of injected memories: judged as a session goes on, then counted.

    end of a turn, of a session, or silence ─► evidence per injection ─► injections.evidence, due
    injections that are due ─► counts of each memory ─► its confidence       one batch, which undo takes back
    counts of a project ─► weights of its kinds of memories ─► a setting     derived; recall and hooks read it

Judging is part of the transaction that writes the events. Of several injections of one memory in a session the first
is judged. Each injection is counted once: the count is marked on it in the same transaction. An undo takes back counts
and confidences; the injections stay counted, so that they are not counted again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from recollect import clock
from recollect.capture.injection_evidence import Key, Offer, Sitting, commands_of, evidence, files_of, sitting
from recollect.engine.records.memory_rows import node_id
from recollect.model import Anchor, Change, Edge, Evidence, Fix, Injection, Memory, Observed, Session, Usefulness
from recollect.recall import feedback
from recollect.store.store_values import Range
from recollect.text.digest import digest

if TYPE_CHECKING:
    from recollect.engine.sessions.hook_ingest import OwnAnswer, PreparedEvent
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# Injections and observations of a session that are read, the latest: more would be a week without an end.
OFFERS = 5_000
READ = 5_000
# The part of a memory that can be cited: injected texts are shorter, recalled ones are cut.
CITED_CHARACTERS = 1_000
# Memories of these sources can contradict others. Summaries by cycles follow from other memories.
STATING = frozenset({"user", "assistant", "import"})
# A contradiction counts if it is as probable as this.
LEAST_DENIED = 0.5
# Memories of one answer that count as shown.
SHOWN = 20
# The events of memories that were asked for, and of those in a briefing.
ASKED, BRIEFING = "recall", "session_start"
# Injections counted in one transaction: some tenths of a second, so that other writers do not wait long.
BATCH = 200


def record_answers(transaction: Transaction, answers: Sequence[OwnAnswer]) -> None:
    """Record memories that an assistant asked for as injected; idempotent."""
    for answer in answers:
        known = {row.id for row in transaction.get(Memory, answer.memory_ids[:SHOWN])}
        for memory_id in known:
            # The payload's name begins with its time.
            row_id = f"{answer.name}-{digest(memory_id, 16)}"
            if not transaction.get(Injection, [row_id]):
                transaction.insert(
                    Injection(
                        id=row_id,
                        session_id=answer.session_id,
                        memory_id=memory_id,
                        at=answer.at,
                        event=ASKED,
                        why="asked for",
                        mark=answer.mark,
                    )
                )


def judge(
    transaction: Transaction, session: Session, events: Sequence[PreparedEvent] = (), *, over: bool = False
) -> None:
    """Judge the injections of a session by everything known of it; idempotent.

    events: the latest, with the whole texts of answers. over: the session ended, so the rest is unused
    """
    rows = transaction.find(Injection, {"session_id": session.id}, order="-at", limit=OFFERS)
    if not rows:
        return
    firsts, others = _first(rows)
    for row in others:
        if row.evidence == "":
            transaction.update(Injection, row.id, {"evidence": "again", "counted": "again"})
    known = _Known(transaction, session, firsts, events)
    for row in firsts:
        found = known.evidence_of(row) or row.evidence or ("unused" if over else "")
        if found != row.evidence and row.counted != "before":
            # A briefing is about no single task: an unused line of it says nothing about a later prompt.
            is_due = found != row.counted and not (found == "unused" and row.event == BRIEFING)
            transaction.update(Injection, row.id, {"evidence": found, "due": int(is_due)})


def _first(rows: Sequence[Injection]) -> tuple[list[Injection], list[Injection]]:
    """Return the first injection of each memory, and the others."""
    firsts: dict[str, Injection] = {}
    others: list[Injection] = []
    for row in sorted(rows, key=lambda row: (row.at, row.id)):
        if row.memory_id in firsts:
            others.append(row)
        else:
            firsts[row.memory_id] = row
    return list(firsts.values()), others


class _Known:
    """The rows of a session and of the memories injected into it, read once."""

    def __init__(
        self, transaction: Transaction, session: Session, offers: Sequence[Injection], events: Sequence[PreparedEvent]
    ) -> None:
        ids = tuple(row.memory_id for row in offers)
        observed = transaction.find(Observed, {"session_id": session.id}, order="-id", limit=READ)
        self._transaction = transaction
        self._seen: Sitting = sitting(observed)
        self._by_mark: dict[str, list[Observed]] = defaultdict(list)
        for each in reversed(observed):
            self._by_mark[each.mark].append(each)
        self._memories = {row.id: row for row in transaction.get(Memory, ids)}
        self._until = max(session.seen_at, session.ended_at or 0)
        self._anchors: dict[str, list[str]] = defaultdict(list)
        for anchor in transaction.find(Anchor, {"memory_id": ids}):
            self._anchors[anchor.memory_id].append(anchor.path)
        self._stated = _stated(transaction, session, min(row.at for row in offers), self._until)
        self._denied = _denied(transaction, ids)
        answers = [each for each in events if each.row.event in ("turn_end", "agent_end") and each.seen.text]
        self._said = [((each.row.at, each.row.id), each.seen.text) for each in answers]

    def evidence_of(self, row: Injection) -> Evidence:
        """Return the outcome of one injection; empty: none so far."""
        memory = self._memories.get(row.memory_id)
        if memory is None:
            return ""
        if any(row.at <= at <= self._until for at in self._denied.get(memory.id, ())):
            return "amended"
        if memory.superseded_by is None and memory.valid_to is not None and row.at <= memory.valid_to <= self._until:
            return "retired"
        offer = self._offer(row, memory)
        said = [text for key, text in self._said if key > offer.key]
        said += [each.content for each in self._stated if each.created_at >= row.at and each.id != memory.id]
        return evidence(offer, self._seen, said)

    def _offer(self, row: Injection, memory: Memory) -> Offer:
        # The same prompt may have been sent before.
        same_mark = self._by_mark.get(row.mark, ())
        occasion = min(same_mark, key=lambda each: abs(each.at - row.at), default=None)
        key: Key = (
            (occasion.at, occasion.id) if occasion is not None else (row.at, row.id if row.event == ASKED else "")
        )
        offer = Offer(
            memory_id=memory.id,
            key=key,
            content=memory.content[:CITED_CHARACTERS],
            files=files_of(memory, self._anchors[memory.id]),
            commands=commands_of(memory),
        )
        if row.event != "tool" or occasion is None:
            return offer
        fixes = self._transaction.find(Fix, {"memory_id": memory.id, "fingerprint": row.why}, limit=20)
        if not fixes:  # an invocation that works instead of one that failed: running it is the use
            return offer
        # Its commands are steps, or the one that failed: the error tells whether they helped.
        return offer._replace(
            commands=frozenset(),
            failed=(occasion.tool, occasion.target),
            fingerprint=row.why,
            steps=frozenset(step for fix in fixes for step in fix.steps),
        )


def _stated(transaction: Transaction, session: Session, since: int, until: int) -> list[Memory]:
    """Return memories that were stored during a session: by its id, or in its project."""
    during: dict[str, object] = {"created_at": Range(since, until + 1), "source": ("user", "assistant")}
    rows = transaction.find(Memory, {**during, "session_id": session.id}, limit=100)
    if session.namespace is not None:
        rows += transaction.find(Memory, {**during, "namespace": session.namespace}, limit=100)
    return list({row.id: row for row in rows}.values())


def _denied(transaction: Transaction, ids: Sequence[str]) -> dict[str, list[int]]:
    """Return when stored memories superseded these, or more probably than not contradicted them, by id."""
    ends: dict[str, object] = {"dst": tuple(node_id(each) for each in ids), "weight": Range(LEAST_DENIED)}
    ends["relationship"] = ("CONTRADICTS", "SUPERSEDES")
    edges = transaction.find(Edge, ends)
    sources = {row.id: row.source for row in transaction.get(Memory, [edge.src.removeprefix("mem:") for edge in edges])}
    found: dict[str, list[int]] = defaultdict(list)
    for edge in edges:
        if sources.get(edge.src.removeprefix("mem:")) in STATING:
            found[edge.dst.removeprefix("mem:")].append(edge.created_at)
    return found


def judge_silent(transaction: Transaction, *, silent_s: int, limit: int) -> None:
    """Judge injections into sessions without a sign for so long, of up to `limit` sessions."""
    edge = clock.now() - silent_s
    open_rows = transaction.find(Injection, {"evidence": "", "at": Range(below=edge)}, order="at", limit=OFFERS)
    ids = list(dict.fromkeys(row.session_id for row in open_rows))[:limit]
    known = {session.id: session for session in transaction.get(Session, ids)}
    for session_id in ids:
        session = known.get(session_id)
        if session is None:  # its hooks ask, but send no events
            for row in transaction.find(Injection, {"session_id": session_id, "evidence": ""}, limit=OFFERS):
                transaction.update(Injection, row.id, {"evidence": "before", "counted": "before"})
        elif session.seen_at < edge:
            judge(transaction, session, over=True)


# --- counting ---


def count(store: Store) -> int:
    """Count judged injections and move confidences; returns how many were counted."""
    counted = 0
    scopes: set[str | None] = set()
    batch = clock.new_id()
    # Mostly nothing is due, and reading costs less than the lock.
    while store.find(Injection, {"due": 1}, limit=1):
        with store.transaction("count_usefulness", batch=batch) as transaction:
            rows = transaction.find(Injection, {"due": 1}, order="at", limit=BATCH)
            for row in rows:
                scopes |= _counted(transaction, row)
        counted += len(rows)
    for scope in scopes:
        learn(store, scope)
    return counted


def learn(store: Store, scope: str | None) -> None:
    """Compute the weights of a project from its counts, and store them for recall."""
    rows = store.columns(Usefulness, ("kind", "offered", "used"), {"namespace": scope})
    store.keep_setting(feedback.key(scope), feedback.kept(feedback.learn(rows)))


def learn_after_undo(store: Store, batch: str) -> None:
    """Recompute the weights that an undo may have changed."""
    if store.columns(Change, ("entity_id",), {"batch": batch, "entity": "usefulness"}, limit=1):
        for scope in (*store.tally(Usefulness, "namespace"), None):
            learn(store, scope)


def _counted(transaction: Transaction, row: Injection) -> set[str | None]:
    """Count one injection; returns the project whose weights it changes."""
    transaction.update(Injection, row.id, {"counted": row.evidence, "due": 0})
    memory = next(iter(transaction.get(Memory, [row.memory_id])), None)
    if memory is None:
        return set()
    known = next(iter(transaction.get(Usefulness, [memory.id])), None)
    # Counts may have been reset since: then everything is new.
    row = row if known is not None else msgspec.structs.replace(row, counted="")
    return {_keep(transaction, memory, known, row).namespace}


def _keep(transaction: Transaction, memory: Memory, known: Usefulness | None, row: Injection) -> Usefulness:
    """Store the counts of a memory with one more outcome, and the confidence that follows."""
    current = known if known is not None else _new(memory)
    if current.confidence != memory.confidence:  # a user changed it since
        current = msgspec.structs.replace(current, given=memory.confidence, pro=0.0, con=0.0)
    after = _with(current, row)
    if known is None:
        transaction.insert(after)
    else:
        fields = {name: getattr(after, name) for name in Usefulness.__struct_fields__ if name != "rev"}
        transaction.update(Usefulness, memory.id, fields)
    transaction.update(Memory, memory.id, {"confidence": after.confidence})
    return after


def mark_useless(store: Store, memory_id: str) -> str:
    """Count that a person called a memory useless, as evidence against it; returns the batch that undoes it."""
    with store.transaction("mark_useless") as transaction:
        (memory,) = transaction.get(Memory, [memory_id])
        known = next(iter(transaction.get(Usefulness, [memory_id])), None)
        said = Injection(id="", session_id="", memory_id=memory_id, at=clock.now(), event="", evidence="useless")
        _keep(transaction, memory, known, said)
    learn(store, memory.namespace)
    return transaction.batch


def _new(memory: Memory) -> Usefulness:
    return Usefulness(
        id=memory.id,
        namespace=memory.namespace,
        kind=feedback.kind_of(memory.memory_type, memory.category, memory.source),
        given=memory.confidence,
        confidence=memory.confidence,
    )


def _with(current: Usefulness, row: Injection) -> Usefulness:
    """Return counts with one more injection, or with the new outcome of a counted one."""
    before, after = feedback.sign(row.counted), feedback.sign(row.evidence)
    # Counts that were undone cannot be subtracted again.
    pro = max(0.0, current.pro + after.pro - before.pro)
    con = max(0.0, current.con + after.con - before.con)
    used = max(0, current.used + (after.pro > 0) - (before.pro > 0))
    contradicted = max(0, current.contradicted + (after.con > 0) - (before.con > 0))
    says = after.pro > 0 or after.con > 0
    return msgspec.structs.replace(
        current,
        offered=max(current.offered + (not row.counted), used + contradicted),
        used=used,
        contradicted=contradicted,
        pro=pro,
        con=con,
        confidence=feedback.confidence(current.given, pro, con),
        last=row.evidence if says else current.last,
        at=clock.now() if says or not current.at else current.at,
    )
