"""Offers: what was made of the memories that were put before an assistant is noted, as its session goes on.

    end of a turn, of a session, or silence ─► evidence of each offer ─► injections.evidence, due to be counted

Noting is part of the transaction that writes what was seen, so that nothing is judged that is not kept, and nothing is
lost that is. Of several offers of one memory in a session the first is judged. Counting is usefulness.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.capture.injection_evidence import Key, Offer, Sitting, commands_of, evidence, files_of, sitting
from recollect.engine.memories import node_id
from recollect.model import Anchor, Edge, Evidence, Fix, Injection, Memory, Observed, Session
from recollect.store.protocol import Range
from recollect.text.digest import digest

if TYPE_CHECKING:
    from recollect.engine.noticed import Notice
    from recollect.store.protocol import Transaction

# Offers and observations of a session that are looked at, the latest: more would be a week without an end.
OFFERS = 5_000
READ = 5_000
# What of a memory can be cited: what is told of it is shorter, what is recalled is cut.
CITED_CHARACTERS = 1_000
# What was said of a memory afterwards by these means that it no longer holds. What cycles write follows from others.
STATING = frozenset({"user", "assistant", "import"})
# Memories of one answer that count as handed over: those below are looked at by nobody.
HANDED = 20
# The event of memories that were asked for.
ASKED = "recall"


class Handed(NamedTuple):
    """An answer of ours that an assistant asked for: in which session, when, and which memories were in it."""

    session_id: str
    at: int
    name: str
    mark: str
    memory_ids: tuple[str, ...]


def hand(transaction: Transaction, answers: Sequence[Handed]) -> None:
    """Note memories that an assistant got because it asked; doing it again changes nothing."""
    for answer in answers:
        known = {row.id for row in transaction.get(Memory, answer.memory_ids[:HANDED])}
        for memory_id in known:
            # The name of the payload tells when it was, to less than a second.
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


def note(transaction: Transaction, session: Session, notices: Sequence[Notice] = (), *, over: bool = False) -> None:
    """Note what was made of the offers of a session by all that is known of it; looking again changes nothing.

    notices: what was just seen, with the whole texts of answers. over: nothing more is expected, so that what was left
    is noted as unused
    """
    rows = transaction.find(Injection, {"session_id": session.id}, order="-at", limit=OFFERS)
    if not rows:
        return
    firsts, others = _first(rows)
    for row in others:
        if row.evidence == "":
            transaction.update(Injection, row.id, {"evidence": "again", "counted": "again"})
    look = _Look(transaction, session, firsts, notices)
    for row in firsts:
        found = look.at(row) or row.evidence or ("unused" if over else "")
        if found != row.evidence and row.counted != "before":
            transaction.update(Injection, row.id, {"evidence": found, "due": int(found != row.counted)})


def _first(rows: Sequence[Injection]) -> tuple[list[Injection], list[Injection]]:
    """Return the first offer of each memory, and the others."""
    firsts: dict[str, Injection] = {}
    others: list[Injection] = []
    for row in sorted(rows, key=lambda row: (row.at, row.id)):
        if row.memory_id in firsts:
            others.append(row)
        else:
            firsts[row.memory_id] = row
    return list(firsts.values()), others


class _Look:
    """What is known of a session and of the memories offered in it, read once."""

    def __init__(
        self, transaction: Transaction, session: Session, offers: Sequence[Injection], notices: Sequence[Notice]
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
        answers = [each for each in notices if each.row.event in ("turn_end", "agent_end") and each.seen.text]
        self._said = [((each.row.at, each.row.id), each.seen.text) for each in answers]

    def at(self, row: Injection) -> Evidence:
        """Return what was made of one offer; empty: nothing so far."""
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
        # The same words may have been said before; whoever says them twice at once is told something once.
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
        # Its commands are steps, or the one that failed: whether they helped is told by the error.
        return offer._replace(
            commands=frozenset(),
            failed=(occasion.tool, occasion.target),
            fingerprint=row.why,
            steps=frozenset(step for fix in fixes for step in fix.steps),
        )


def _stated(transaction: Transaction, session: Session, since: int, until: int) -> list[Memory]:
    """Return what was stored on purpose while a session went on: by its id, or in its project."""
    during: dict[str, object] = {"created_at": Range(since, until + 1), "source": ("user", "assistant")}
    rows = transaction.find(Memory, {**during, "session_id": session.id}, limit=100)
    if session.namespace is not None:
        rows += transaction.find(Memory, {**during, "namespace": session.namespace}, limit=100)
    return list({row.id: row for row in rows}.values())


def _denied(transaction: Transaction, ids: Sequence[str]) -> dict[str, list[int]]:
    """Return when memories were said not to hold, by what somebody stored."""
    ends = {"dst": tuple(node_id(each) for each in ids), "relationship": ("CONTRADICTS", "SUPERSEDES")}
    edges = transaction.find(Edge, ends)
    sources = {row.id: row.source for row in transaction.get(Memory, [edge.src.removeprefix("mem:") for edge in edges])}
    found: dict[str, list[int]] = defaultdict(list)
    for edge in edges:
        if sources.get(edge.src.removeprefix("mem:")) in STATING:
            found[edge.dst.removeprefix("mem:")].append(edge.created_at)
    return found


def settle(transaction: Transaction, *, silent_s: int, limit: int) -> int:
    """Judge offers of sessions that were not heard of for so long; returns how many sessions were looked at."""
    edge = clock.now() - silent_s
    open_rows = transaction.find(Injection, {"evidence": "", "at": Range(below=edge)}, order="at", limit=OFFERS)
    ids = list(dict.fromkeys(row.session_id for row in open_rows))[:limit]
    known = {session.id: session for session in transaction.get(Session, ids)}
    for session_id in ids:
        session = known.get(session_id)
        if session is None:  # nothing was ever seen of it: its hooks ask, and leave nothing
            for row in transaction.find(Injection, {"session_id": session_id, "evidence": ""}, limit=OFFERS):
                transaction.update(Injection, row.id, {"evidence": "before", "counted": "before"})
        elif session.seen_at < edge:
            note(transaction, session, over=True)
    return len(ids)
