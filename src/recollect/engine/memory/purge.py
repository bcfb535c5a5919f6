"""Purge: remove memories for good, from the log, caches and files too.

    ids ─► plan: dependents, other memories with the same words ─► one transaction ─► database files rewritten

Deleting keeps the content in the log, so that it can be undone: right for a mistake, wrong for a secret. A purge also
removes what only repeats a memory: its parts, its summaries unless edited, hook events and caches. Other memories with
some of its lines are kept and listed in the answer.

Lines of twelve characters or more identify a memory; shorter ones occur in too many others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from recollect.engine.memory.library_state import KINDS, Documents
from recollect.engine.records.memory_rows import headline, is_own_summary, logged_id, node_id
from recollect.errors import MemoryNotFound, RecollectError, StorageError
from recollect.files import read_file
from recollect.model import Change, Edge, Errand, Fix, Judgement, Memory, Node, Observed, Purge, Record, Session
from recollect.text.redaction.redact import redact

if TYPE_CHECKING:
    from recollect.capture.spool import Spool
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# Set while purged data may still be in free pages of the files, so that an interrupted purge is reported.
DUE = "scrub_due"
# A line shorter than this is no mark of a memory.
LEAST_CHARACTERS = 12

# What was derived of the words and is dropped where it repeats them → the fields that may.
REPEATING: dict[type[Record], tuple[str, ...]] = {Observed: ("told", "target"), Fix: ("error", "steps")}


class Plan(NamedTuple):
    """The removals of a purge: memories by id, and the rows derived from them."""

    removed: tuple[str, ...]
    along: tuple[str, ...]
    rewritten: tuple[str, ...]
    marks: frozenset[str]
    namespaces: frozenset[str]
    elsewhere: tuple[str, ...]
    sessions: tuple[str, ...]
    repeating: dict[type[Record], tuple[str, ...]]

    @property
    def everything(self) -> tuple[str, ...]:
        return (*self.removed, *self.along)


class HookQueue(Protocol):
    """The events that hooks left: ingested before a purge, and searched for bad and stuck payloads."""

    @property
    def spool(self) -> Spool: ...
    def drain(self) -> object: ...
    def catch_up(self) -> None: ...


def purge(
    store: Store,
    ids: Sequence[str],
    *,
    keep_current: bool,
    dry_run: bool,
    hooks: Callable[[], HookQueue],
    retry: Callable[[], None],
) -> Purge:
    """Remove memories for good, or return what that would remove. Raises MemoryNotFound for an unknown id.

    retry: forgets which memories could not be embedded: the reason may repeat what one said
    """
    wanted = tuple(dict.fromkeys(logged_id(store, name) for name in ids))
    if dry_run:
        with store.snapshot():
            return _told(_planned(store, wanted, keep_current=keep_current), dry_run=True)
    for name in wanted:
        _versions(store, name)  # a wrong id must not leave a mark behind
    hooks().drain()  # queued hook events may repeat it
    store.keep_setting(DUE, "1")
    changes = others = 0
    with store.transaction("purge_memories") as transaction:
        plan = _planned(transaction, wanted, keep_current=keep_current)
        if wanted:
            changes, others = _carry_out(transaction, plan, keep_current=keep_current)
    others += _forget_documents(store, plan) + _drop_payloads(hooks().spool, plan.marks)
    with suppress(RecollectError):
        retry()
    if wanted:
        store.graph_written()  # the log no longer has what caches of the graph need
    notes = scrub(store)
    done = _told(plan, dry_run=False)
    return msgspec.structs.replace(done, changes=changes, others=others, scrubbed=not notes, notes=notes)


def scrub(store: Store) -> tuple[str, ...]:
    """Rewrite the files without removed data; return why that could not be done, or nothing."""
    try:
        store.scrub()
    except StorageError as problem:
        return (
            f"the database files may still contain the purged data: {problem.message}",
            "Run `recollect admin purge` again.",
        )
    store.keep_setting(DUE, "")
    return ()


def is_due(store: Store) -> bool:
    """Tell whether purged data may still be in the files."""
    return bool(store.setting(DUE))


# --- planning ---


def _planned(rows: Store | Transaction, ids: tuple[str, ...], *, keep_current: bool) -> Plan:
    versions = {name: _versions(rows, name) for name in ids}
    if keep_current:
        now = {text for memory in rows.get(Memory, ids) for text in _lines(memory)}
        marks = frozenset(text for known in versions.values() for memory in known for text in _lines(memory)) - now
        along: tuple[str, ...] = ()
        rewritten: tuple[str, ...] = ()
    else:
        along, rewritten = _repeated(rows, ids)
        versions |= {name: _versions(rows, name) for name in along}
        marks = frozenset(text for known in versions.values() for memory in known for text in _lines(memory))
    gone = {*ids, *along}
    repeating = {
        kind: tuple(row.id for row in rows.find(kind) if _holds(row, fields, marks))  # type: ignore[attr-defined]
        for kind, fields in (REPEATING.items() if marks else ())
    }
    return Plan(
        removed=ids,
        along=along,
        rewritten=rewritten,
        marks=marks,
        namespaces=frozenset(row.namespace for known in versions.values() for row in known if row.namespace),
        elsewhere=tuple(name for name in _elsewhere(rows, marks) if name not in gone),
        sessions=tuple(row.id for row in rows.find(Session) if _holds(row, ("summary", "snapshot"), marks)),
        repeating=repeating,
    )


def _versions(rows: Store | Transaction, memory_id: str) -> list[Memory]:
    """Return the current and logged versions of a memory; none if it was purged before."""
    known = [*rows.get(Memory, [memory_id]), *rows.logged(Memory, "id", memory_id)]
    if not known and not rows.find(Change, {"entity": "memories", "entity_id": memory_id}, limit=1):
        raise MemoryNotFound(f"no memory, current or deleted, has the id {memory_id}", memory_id=memory_id)
    return known


def _repeated(rows: Store | Transaction, ids: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the parts and summaries of these memories, and apart from them the edited summaries."""
    along: dict[str, None] = {}
    rewritten: dict[str, None] = {}
    waiting = list(ids)
    while waiting:
        name = waiting.pop(0)
        parts = [*rows.find(Memory, {"parent_id": name}), *rows.logged(Memory, "parent_id", name)]
        edges = [*rows.find(Edge, {"dst": node_id(name)}), *rows.logged(Edge, "dst", node_id(name))]
        owners = [edge.src.removeprefix("mem:") for edge in edges if edge.relationship == "SUMMARIZES"]
        summaries = [(row.id, is_own_summary(row)) for row in rows.get(Memory, owners)]
        # One that is only in the log is missed by no reader.
        summaries += [(owner, True) for owner in owners if not rows.get(Memory, [owner])]
        for found, ours in [*((part.id, True) for part in parts), *summaries]:
            if found not in ids and found not in along and found not in rewritten:
                (along if ours else rewritten)[found] = None
                waiting += [found] if ours else []
    return tuple(along), tuple(rewritten)


def _elsewhere(rows: Store | Transaction, marks: frozenset[str]) -> Iterator[str]:
    """Yield the ids of memories with one of the lines, now or in the log, each once."""
    if not marks:
        return
    known: dict[str, None] = dict.fromkeys(
        row.id for row in rows.find(Memory) if _holds(row, ("content", "title", "metadata"), marks)
    )
    for change in rows.find(Change, {"entity": "memories"}):
        if change.before is not None and _says(change.before, marks):
            known[change.entity_id] = None
    yield from known


def _lines(memory: Memory) -> Iterator[str]:
    """Yield the lines of a memory that are long enough to identify it."""
    for text in _texts((memory.content, memory.title, memory.metadata)):
        yield from (line.strip() for line in text.splitlines() if len(line.strip()) >= LEAST_CHARACTERS)


def _texts(value: Any) -> Iterator[str]:
    """Yield every text of a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _holds(row: Record, fields: Iterable[str], marks: frozenset[str]) -> bool:
    return _says([getattr(row, field) for field in fields], marks)


def _says(value: Any, marks: frozenset[str]) -> bool:
    return any(mark in text for text in _texts(value) for mark in marks)


# --- carrying out ---


def _carry_out(transaction: Transaction, plan: Plan, *, keep_current: bool) -> tuple[int, int]:
    """Remove what is planned; return how many log entries were emptied and other rows deleted."""
    if keep_current:
        for memory in transaction.get(Memory, plan.removed):
            if transaction.get(Node, [node_id(memory.id)]):
                transaction.update(Node, node_id(memory.id), {"label": headline(memory)})
    changes = transaction.purge(Memory, plan.everything, keep=keep_current)
    changes += transaction.purge(Memory, plan.rewritten, keep=True)
    others = sum(transaction.delete(kind, {"id": names}) for kind, names in plan.repeating.items())
    if not keep_current:
        others += transaction.delete(Observed, {"memory_id": plan.everything})
        others += transaction.delete(Errand, {"target": plan.everything})
    # Which memory a judgement is about cannot be told from it; it is made again when it is needed.
    others += transaction.delete(Judgement, {})
    for name in plan.sessions:
        transaction.update(Session, name, {"summary": None, "snapshot": ""})
    changes += transaction.purge(Session, plan.sessions, keep=True)
    return changes, others + len(plan.sessions)


def _forget_documents(store: Store, plan: Plan) -> int:
    """Delete texts of libraries that name a purged memory or contain its lines."""
    signs = (*plan.everything, *(msgspec.json.encode(mark).decode()[1:-1] for mark in plan.marks), *plan.marks)
    forgotten = 0
    for namespace in plan.namespaces:
        documents = Documents(store, namespace)
        for kind in KINDS:
            text = documents.read(kind)
            if text and any(sign in text for sign in signs):
                forgotten += documents.swap(kind, text, "")
    return forgotten


def _drop_payloads(spool: Spool, marks: frozenset[str]) -> int:
    """Remove bad and stuck payloads that have words of a purged memory."""
    signs = [sign for mark in marks for sign in (mark.encode(), msgspec.json.encode(redact(mark).text)[1:-1])]
    dropped = 0
    aside = [*spool.bad.glob("*"), *(each.payload.path for each in spool.stuck_payloads())]
    for file in aside if signs else ():
        with suppress(OSError):
            content = read_file(file)
            if any(sign in content for sign in signs):
                file.unlink()
                dropped += 1
    return dropped


def _told(plan: Plan, *, dry_run: bool) -> Purge:
    return Purge(memories=plan.removed, along=plan.along, elsewhere=plan.elsewhere, dry_run=dry_run)
