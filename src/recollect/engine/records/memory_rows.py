"""Rows of memories: ids, hashes, trust and nodes; find, store and replace them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from recollect import clock
from recollect.engine.records import input_checks
from recollect.errors import InvalidInput, MemoryNotFound
from recollect.model import Change, Edge, Memory, Node, Record, Stored
from recollect.store.store_values import Filter, Has, Range

if TYPE_CHECKING:
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

T = TypeVar("T")

# What the categories of coding memories begin with.
CODE = "code/"

# Operations by which a user removes a memory.
UNWANTED = ("delete_memory", "purge_memories")

# How far a memory is trusted, by how it was recorded and who said it. A person states what they know; an assistant may
# have concluded it; transcripts and files of other programs may be out of date.
TRUST: Mapping[str, Mapping[str, float]] = {
    "stored": {"user": 1.0, "assistant": 0.8},
    "stated": {"user": 1.0, "assistant": 0.7},
    "observed": {"hook": 0.7},
    "transcript": {"user": 0.8, "assistant": 0.6, "tool": 0.7},
    "imported": {"import": 0.8},
}

# The source of summaries made by consolidation, and the metadata field with a hash of the text they were given.
SUMMARY_SOURCE: Final = "consolidation"
SUMMARY_MARK = "written"

# Fewer characters match too much: six hexadecimal digits tell 16 million ids apart.
LEAST_CHARACTERS = 6
# As many candidates as an error lists.
MAX_CANDIDATES = 5

# Fields that are filled where they are empty.
FILLED = ("title", "category", "author", "valid_from")


def batches(values: Sequence[T], size: int = 500) -> Iterator[tuple[T, ...]]:
    """Yield values in batches: a statement of a database may name some thousand at most."""
    return (tuple(values[start : start + size]) for start in range(0, len(values), size))


def content_hash(content: str) -> str:
    """Return the SHA-256 of a memory's content, by which duplicates are recognised."""
    import hashlib

    return hashlib.sha256(content.encode()).hexdigest()


def new_memory(at: int, *, is_clean: bool = False, **fields: Any) -> tuple[Memory, tuple[str, ...]]:
    """Return a memory of a moment without secrets, and the kinds that were replaced; its id is new unless given.

    is_clean: whether it is known to have no secrets
    """
    from recollect.engine.records.record_redaction import without_secrets

    raw = Memory(**{"id": clock.new_id(), "created_at": at, "updated_at": at, "last_accessed_at": at, **fields})
    memory, kinds = (raw, ()) if is_clean else without_secrets(raw)
    return msgspec.structs.replace(memory, content_hash=content_hash(memory.content)), kinds


def node_id(memory_id: str) -> str:
    """Return the id of the graph node that stands for a memory."""
    return f"mem:{memory_id}"


def is_own_summary(summary: Memory) -> bool:
    """Tell whether a summary is current and not edited by hand: an edited one is never replaced."""
    if summary.source != SUMMARY_SOURCE or summary.superseded_by is not None or summary.is_expired(clock.now()):
        return False
    given = summary.metadata.get(SUMMARY_MARK)
    # The first summaries had no such mark, and were never rewritten.
    return given == summary_mark(summary.title, summary.content) if given else summary.updated_at == summary.created_at


def summary_mark(title: str | None, content: str) -> str:
    """Return a hash of the text that a summary was given."""
    return content_hash(f"{title or ''}\n{content}")[:16]


def is_learnt(memory: Memory) -> bool:
    """Tell whether a memory was imported from a project's history and not edited since.

    That its code has changed needs no review: the next import rewrites it.
    """
    return "from" in memory.metadata and memory.metadata.get("written") == memory.content_hash


def existing(rows: Store | Transaction, memory_id: str) -> Memory:
    """Return the memory with this id, or the only one whose id begins so.

    To change it, ask the transaction: another process may delete it before.
    """
    given = input_checks.text("memory_id", memory_id)
    found = rows.get(Memory, [given]) or rows.get(Memory, [full_id(rows, Memory, "id", given) or ""])
    if not found:
        raise MemoryNotFound(f"no memory has the id {memory_id}", memory_id=memory_id)
    return found[0]


def logged_id(rows: Store | Transaction, memory_id: str) -> str:
    """Return the full id of a current or deleted memory; an unknown id as it is."""
    given = input_checks.text("memory_id", memory_id)
    of_memory = {"entity": "memories"}
    known = rows.find(Change, {**of_memory, "entity_id": given}, limit=1)
    return given if known else full_id(rows, Change, "entity_id", given, of_memory) or given


def beginning(prefix: str) -> Range:
    """Return the filter for texts that begin with `prefix`."""
    return Range(prefix, prefix + "\U0010ffff")


def full_id(
    rows: Store | Transaction, kind: type[Record], field: str, given: str, where: Mapping[str, object] | None = None
) -> str | None:
    """Return the only id that begins with `given`, by index; None if there is none.

    Raises InvalidInput with the candidates if there are several.
    """
    if len(given) < LEAST_CHARACTERS:
        return None
    found: list[str] = []
    span = beginning(given)
    while len(found) < MAX_CANDIDATES:
        page = rows.find(kind, {**(where or {}), field: span}, order=field, limit=1)
        if not page:
            break
        found.append(str(getattr(page[0], field)))
        span = span._replace(at_least=found[-1] + "\x01")  # the next value in the index: no id contains this character
    if len(found) > 1:
        hint = f"Give more characters. It is one of: {', '.join(found)}."
        raise InvalidInput(f"several ids begin with {given}", hint=hint, candidates=found)
    return found[0] if found else None


def unwanted(rows: Store | Transaction, ids: Sequence[str]) -> frozenset[str]:
    """Return which of these memories a user deleted or purged: an import does not bring them back."""
    where = {"entity": "memories", "entity_id": tuple(ids), "operation": UNWANTED}
    deleted = (change.entity_id for change in rows.find(Change, where)) if ids else ()
    return purged(rows, ids).union(deleted)


def purged(rows: Store | Transaction, ids: Sequence[str]) -> frozenset[str]:
    """Return which of these memories, or of what they once said, was removed for good."""
    emptied = {"entity": "memories", "entity_id": tuple(ids), "action": ("update", "delete"), "before": None}
    return frozenset(change.entity_id for change in rows.find(Change, emptied)) if ids else frozenset()


def store_in(transaction: Transaction, memory: Memory, *, deduplicate: bool = True) -> Stored:
    """Insert a memory, or merge it into an equal one; observed ones never into known ones."""
    twins: list[Memory] = []
    if deduplicate:
        same: Filter = {
            "content_hash": memory.content_hash,
            "namespace": memory.namespace,
            "observed": memory.observed,
        }
        twins = transaction.find(Memory, same, order="seq", limit=1)
    if not twins:
        return Stored(memory=transaction.insert(memory), created=True)
    known = twins[0]
    merged = gained(known, memory)
    changed = tuple(field for field, value in merged.items() if getattr(known, field) != value)
    if changed:
        merged["updated_at"] = memory.updated_at
        known = transaction.update(Memory, known.id, merged)
    return Stored(memory=known, created=False, merged=changed)


def replace(transaction: Transaction, old: Memory, new: Memory) -> None:
    """Mark `old` as superseded by `new`, from when the new one holds, and link the two."""
    if old.id == new.id:
        raise InvalidInput(
            "a memory cannot supersede itself",
            hint="The new content is the same as the content of the memory to replace.",
        )
    transaction.update(Memory, old.id, {"superseded_by": new.id, "valid_to": new.said_at})
    for memory in (new, old):
        ensure_node(transaction, memory)
    src, dst = node_id(new.id), node_id(old.id)
    if not transaction.find(Edge, {"src": src, "dst": dst, "relationship": "SUPERSEDES"}, limit=1):
        transaction.insert(Edge(id=clock.new_id(), src=src, dst=dst, relationship="SUPERSEDES", created_at=clock.now()))


def ensure_node(transaction: Transaction, memory: Memory) -> None:
    """Give a memory its node in the graph, if it has none yet."""
    if not transaction.get(Node, [node_id(memory.id)]):
        label = headline(memory)
        transaction.insert(
            Node(id=node_id(memory.id), kind="Memory", label=label, memory_id=memory.id, namespace=memory.namespace)
        )


def renewed(new: Memory) -> dict[str, Any]:
    """Return the fields that an import updates."""
    fields = ("content", "content_hash", "title", "tags", "metadata", "updated_at", "valid_from", "valid_to")
    return {field: getattr(new, field) for field in (*fields, "superseded_by", "memory_type", "category")}


def headline(memory: Memory) -> str:
    """Return what a memory is called in a line: its title, or how it begins."""
    return memory.title or memory.content.strip().splitlines()[0][:80]


def memory_filter(
    *,
    memory_type: str | None = None,
    tags: tuple[str, ...] = (),
    source: str | None = None,
    since: int | str | None = None,
    until: int | str | None = None,
) -> dict[str, object]:
    """Return the filter for the given conditions, without empty ones."""
    where: dict[str, object] = {}
    if memory_type is not None:
        where["memory_type"] = input_checks.memory_type(memory_type)
    if tags:
        where["tags"] = Has(input_checks.tags(tags))
    if source is not None:
        where["source"] = input_checks.source(source)
    if since is not None or until is not None:
        last = input_checks.moment("until", until, last=True)
        where["created_at"] = Range(input_checks.moment("since", since), None if last is None else last + 1)
    return where


def gained(known: Memory, again: Memory) -> dict[str, Any]:
    """Return the fields that a memory gains when its content is stored again."""
    merged: dict[str, Any] = {
        "tags": tuple(dict.fromkeys((*known.tags, *again.tags))),
        "metadata": {**known.metadata, **again.metadata},
        "importance": max(known.importance, again.importance),
    }
    # Fields that are given now and were not before. `context` is the type of memories stored without one.
    merged |= {field: getattr(again, field) for field in FILLED if getattr(known, field) is None}
    if known.memory_type == "context":
        merged["memory_type"] = again.memory_type
    # It is known from the one who is trusted more.
    if again.trust > known.trust:
        merged |= {"source": again.source, "trust": again.trust}
    # What is told on two branches, or on the default one, belongs to the project.
    if known.branch is not None and again.branch != known.branch:
        merged |= {"branch": None, "head": again.head}
    return merged
