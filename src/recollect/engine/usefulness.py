"""Usefulness: what was made of offers is counted, moves the confidence of memories, and teaches what to offer.

    injections that are due ─► counts of each memory ─► its confidence        one batch, which undo takes back
    counts of a namespace   ─► what its kinds are worth ─► a setting           derived; recall and hooks read it

An offer is counted once: what of it is counted is written beside it in the same transaction, so that whoever is killed
before has counted nothing, and whoever comes after goes on. An undo takes back counts and confidences; the offers stay
counted, so that they do not come back by themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock
from recollect.engine import accept
from recollect.engine.identity import namespace_of
from recollect.engine.memories import existing, headline
from recollect.engine.scope import project_of
from recollect.model import Change, Injection, Memory, MemoryUse, Usefulness, UsefulnessReport
from recollect.operations import operation
from recollect.recall import feedback

if TYPE_CHECKING:
    from recollect.engine.recall import Asked
    from recollect.engine.root import Engine
    from recollect.recall.gather import Pool
    from recollect.recall.profiles import Profile
    from recollect.recall.score import Scored
    from recollect.store.protocol import Filter, Transaction

# Offers counted in one transaction: some tenths of a second, so that nobody else waits long to write.
BATCH = 200
# Ids asked for at a time.
PIECE = 500
# Passages of a pool beyond those asked for that are weighed, the best: what was learnt moves nothing past more.
WEIGHED = 20
# Memories that a report tells of.
SHOWN = 10


class Lifts(NamedTuple):
    """By how much a memory is used more often than others, in logits: its kind, and itself among its kind."""

    kind: float
    own: float

    @property
    def leaning(self) -> float:
        """How much sooner it is told unasked."""
        return feedback.leaning(self.kind, self.own)


class Totals(NamedTuple):
    """How often memories were injected, by session, and how often they were used or contradicted."""

    offered: int = 0
    used: int = 0
    contradicted: int = 0


class Useful:
    """What of the memory is worth telling."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation(
        "memory_usefulness", "usefulness", positional=("memory_id",), idempotent=True, listed=("memory_id", "project")
    )
    def usefulness(
        self, memory_id: str | None = None, *, namespace: str | None = None, reset: bool = False
    ) -> UsefulnessReport:
        """Show the usefulness of each memory: used or contradicted.

        It counts memories that were injected into sessions. A used memory gains confidence, a contradicted one loses
        some. Types of memories that a project uses often rank a little higher there. An unused memory keeps its
        confidence. All counts stay on this machine.

        memory_id: only this memory
        namespace: project path or name; default: all projects
        reset: delete counts and restore confidences; `undo` reverts it
        """
        scope = namespace_of(namespace)
        self._engine.capture.catch_up()
        self.count()
        where: dict[str, object] = {} if scope is None else {"namespace": scope}
        if memory_id is not None:
            where["id"] = existing(self._engine.store, accept.text("memory_id", memory_id)).id
        forgotten, batch = self._reset(where) if reset else (0, "")
        report = self._report(scope, where)
        return msgspec.structs.replace(report, reset=forgotten, batch=batch)

    def _report(self, scope: str | None, where: "Filter") -> UsefulnessReport:
        store = self._engine.store
        totals = self.totals(where)
        said = store.find(Usefulness, where, order="-at", limit=PIECE)
        best = sorted(said, key=lambda row: (-(row.used + row.contradicted), -row.offered, row.id))[:SHOWN]
        labels = {memory.id: headline(memory) for memory in store.get(Memory, [row.id for row in best])}
        learnt = self._learnt(scope)
        return UsefulnessReport(
            namespace=scope,
            offered=totals.offered,
            used=totals.used,
            contradicted=totals.contradicted,
            share=round(totals.used / totals.offered, 4) if totals.offered else 0.0,
            weights=dict(learnt.kinds) if learnt is not None else {},
            enough=feedback.ENOUGH,
            memories=tuple(MemoryUse(counts=row, told=told(row), label=labels.get(row.id, "")) for row in best),
        )

    def totals(self, where: "Filter | None" = None) -> Totals:
        """Return how often memories were offered, used and contradicted in all."""
        rows = self._engine.store.columns(Usefulness, Totals._fields, where)
        return Totals(*(sum(column) for column in zip(*rows, strict=True))) if rows else Totals()

    # --- counting ---

    def count(self) -> int:
        """Count what offers were found to be, and move confidences; returns how many were counted."""
        counted = 0
        scopes: set[str | None] = set()
        batch = clock.new_id()
        while True:
            # Mostly nothing is due, and looking costs less than the lock.
            if not self._engine.store.find(Injection, {"due": 1}, limit=1):
                break
            with self._engine.store.transaction("count_usefulness", batch=batch) as transaction:
                rows = transaction.find(Injection, {"due": 1}, order="at", limit=BATCH)
                for row in rows:
                    scopes |= _counted(transaction, row)
            counted += len(rows)
        for scope in scopes:
            self.learn(scope)
        return counted

    def learn(self, scope: str | None) -> None:
        """Compute the weights of a project from its counts, and store them for recall."""
        rows = self._engine.store.columns(Usefulness, ("kind", "offered", "used"), {"namespace": scope})
        self._engine.store.keep_setting(feedback.key(scope), feedback.kept(feedback.learn(rows)))

    def note_undone(self, batch: str) -> None:
        """Recompute the weights that an undo may have changed."""
        store = self._engine.store
        changed = store.columns(Change, ("entity_id",), {"batch": batch, "entity": "usefulness"}, limit=1)
        if changed:
            for scope in (*store.tally(Usefulness, "namespace"), None):
                self.learn(scope)

    def _reset(self, where: "Filter") -> tuple[int, str]:
        """Forget counts, and give memories back the confidence that somebody gave them."""
        store = self._engine.store
        batch, forgotten = clock.new_id(), 0
        scopes: set[str | None] = {value for (value,) in store.columns(Usefulness, ("namespace",), where)}
        while rows := store.find(Usefulness, where, limit=BATCH):
            with store.transaction("reset_usefulness", batch=batch) as transaction:
                for row in rows:
                    memory = next(iter(transaction.get(Memory, [row.id])), None)
                    if memory is not None and memory.confidence == row.confidence:
                        transaction.update(Memory, row.id, {"confidence": row.given})
                    forgotten += transaction.delete(Usefulness, {"id": row.id})
        for scope in scopes:
            self.learn(scope)
        return forgotten, batch if forgotten else ""

    # --- what recall and hooks ask ---

    def _learnt(self, scope: str | None) -> feedback.Learnt | None:
        """Return what a namespace has taught; a look-up by key."""
        return feedback.read(self._engine.store.setting(feedback.key(scope)))

    def lifts(self, scope: str | None, memory_ids: Iterable[str]) -> Mapping[str, Lifts]:
        """Return by how much memories are used more often than others, by id; empty until enough is known."""
        learnt = self._learnt(scope)
        if learnt is None:
            return {}
        ids = list(dict.fromkeys(memory_ids))
        store, found = self._engine.store, {}
        for start in range(0, len(ids), PIECE):
            piece = {"id": tuple(ids[start : start + PIECE])}
            counts = {row[0]: row[1:] for row in store.columns(Usefulness, ("id", "offered", "used"), piece)}
            for memory_id, *about in store.columns(Memory, ("id", "memory_type", "category", "source"), piece):
                found[memory_id] = lifted(learnt, feedback.kind_of(*about), *counts.get(memory_id, (0, 0)))
        return found

    def weighed(self, profile: "Profile", scored: "Scored", pool: "Pool", asked: "Asked") -> "Scored":
        """Return a pool with what was learnt of its memories in the namespace asked about."""
        from recollect.recall.hybrid_score import leaning

        scope = project_of(asked.where)
        if scope is None:
            return scored
        best = scored.scores.argsort()[::-1][: WEIGHED + asked.limit].tolist()
        rows = self.lifts(scope, (pool.passages[place].memory_id for place in best))
        if not rows:
            return scored
        gains = {memory_id: feedback.points(row.kind, row.own) for memory_id, row in rows.items()}
        leans = {memory_id: row.leaning for memory_id, row in rows.items()} if asked.unasked else {}
        return leaning(profile, scored, pool, gains, leans)

    def told(self, memory_ids: Sequence[str]) -> dict[str, str]:
        """Return how injected memories were used, as text, by id."""
        return {row.id: told(row) for row in self._engine.store.get(Usefulness, memory_ids)}


def lifted(learnt: feedback.Learnt, kind: str, offered: int, used: int) -> Lifts:
    """Return by how much a memory is used more often than others: as one of its kind, and by its own counts."""
    return Lifts(learnt.kinds.get(kind, 0.0), feedback.own(used, offered, learnt, kind) if offered else 0.0)


def told(row: Usefulness) -> str:
    """Return how an injected memory was used, as text, with the change of its confidence."""
    said = feedback.told(row.offered, row.used, row.contradicted, row.last)
    moved = f"; confidence {row.given:.2f} → {row.confidence:.2f}" if row.confidence != row.given else ""
    return said + moved


def _counted(transaction: "Transaction", row: Injection) -> set[str | None]:
    """Count one offer; returns the namespace that it teaches something about."""
    transaction.update(Injection, row.id, {"counted": row.evidence, "due": 0})
    memory = next(iter(transaction.get(Memory, [row.memory_id])), None)
    if memory is None:
        return set()
    known = next(iter(transaction.get(Usefulness, [memory.id])), None)
    current = known if known is not None else _new(memory)
    if current.confidence != memory.confidence:  # somebody gave it anew, and knew what was said before
        current = msgspec.structs.replace(current, given=memory.confidence, pro=0.0, con=0.0)
    # What is not counted here, because it was forgotten, is new.
    after = _with(current, row if known is not None else msgspec.structs.replace(row, counted=""))
    if known is None:
        transaction.insert(after)
    else:
        fields = {name: getattr(after, name) for name in Usefulness.__struct_fields__ if name != "rev"}
        transaction.update(Usefulness, memory.id, fields)
    transaction.update(Memory, memory.id, {"confidence": after.confidence})
    return {after.namespace}


def _new(memory: Memory) -> Usefulness:
    return Usefulness(
        id=memory.id,
        namespace=memory.namespace,
        kind=feedback.kind_of(memory.memory_type, memory.category, memory.source),
        given=memory.confidence,
        confidence=memory.confidence,
    )


def _with(current: Usefulness, row: Injection) -> Usefulness:
    """Return counts with one more offer, or with another view of one that is counted already."""
    before, after = feedback.sign(row.counted), feedback.sign(row.evidence)
    # What was undone meanwhile cannot be taken away once more.
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
