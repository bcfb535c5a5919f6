"""Amending: what a new memory changes, contradicts or ends is found when it is stored, and said.

    statements of it that have the form ─► a few older ones with the same words ─► amend.py ─► links, a mark, the answer

    another value, or said to be changed   old EVOLVED_INTO new     and the old one is superseded
    over                                   old INVALIDATED_BY new   and the old one is superseded
    the opposite                           new CONTRADICTS old      both stand: nobody said which is right

What says more than the statement that changed is never superseded: it is linked by CONTRADICTS, and stays. Nothing is
deleted, and an undo of the storing takes back all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.engine.memories import ensure_node, node_id, replace
from recollect.model import Amendment, Edge, Memory, Relation
from recollect.recall.amend import Amended, Statement, amends, may_amend, statements
from recollect.text.tokens import query_terms

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.store.protocol import Transaction

# Older passages that one statement is compared with, the best by words: what says nearly the same is among the first.
COMPARED = 12
# What one look may read, in places where its words occur: a millisecond or two, whatever is stored. A few of the rarest
# words are always looked up.
POSTINGS = 1_000
LEAST_TERMS = 3
# Statements of one memory that are looked up, and changes that are noted: a note of a meeting changes a few things.
LOOKED_UP = 3
MOST = 3
# Longer texts are documents; what they change, somebody has to say.
MOST_CHARACTERS = 2_000
# Who states things that change by being stated again. What hooks saw has happened, and what cycles make follows.
STATING = ("user", "assistant", "import")


class Found(NamedTuple):
    """An older memory as it was read, and how the new one changes what it says."""

    memory: Memory
    amended: Amended


def find(engine: Engine, memory: Memory) -> list[Found]:
    """Return what a memory that is about to be stored changes; read only, and bounded whatever is stored."""
    if memory.source not in STATING or len(memory.content) > MOST_CHARACTERS:
        return []
    found: dict[str, Found] = {}
    stating = [statement for statement in statements(memory.content) if may_amend(statement)]
    for statement in stating[:LOOKED_UP]:
        for old in _older(engine, memory, statement):
            amended = None if old.id in found else _amended(memory, statement, old)
            if amended is not None:
                found[old.id] = Found(old, amended)
    return list(found.values())[:MOST]


def _older(engine: Engine, memory: Memory, statement: Statement) -> list[Memory]:
    """Return the memories that a statement may be about: of the same project, older, and in force."""
    # Not by namespace: the index would read through all of it. What is of another one is left out below.
    where: dict[str, object] = {"superseded_by": None, "source": STATING}
    counts = engine.store.term_counts(query_terms(statement.text))
    rarest = dict(_rarest(counts.by_term))
    matches = engine.store.search_text(list(rarest), where, COMPARED, counts=counts._replace(by_term=rarest))
    rows = engine.store.get(Memory, list(dict.fromkeys(match.id for match in matches)))
    same = [row for row in rows if row.namespace == memory.namespace and row.branch in (None, memory.branch)]
    return [row for row in same if _at(row) <= _at(memory)]


def _rarest(counts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the terms that occur at all, the rarest first, as far as looking them up is cheap."""
    spent = 0
    for number, (term, count) in enumerate(sorted(counts.items(), key=lambda row: row[1])):
        spent += count
        if number >= LEAST_TERMS and spent > POSTINGS:
            return
        if count:
            yield term, count


def _at(memory: Memory) -> int:
    return memory.created_at if memory.valid_from is None else memory.valid_from


def _amended(memory: Memory, statement: Statement, old: Memory) -> Amended | None:
    same_author = memory.author == old.author
    for older in statements(old.content):
        amended = amends(statement, older, old.content, same_author=same_author)
        if amended is not None:
            return amended
    return None


def write(transaction: Transaction, memory: Memory, found: list[Found]) -> tuple[Amendment, ...]:
    """Note what a stored memory changes; what was itself changed since it was read is left alone."""
    noted: list[Amendment] = []
    for old, amended in found:
        current = transaction.get(Memory, [old.id])
        if not current or current[0].content != old.content or current[0].superseded_by is not None:
            continue
        is_replaced = amended.is_whole and amended.change != "opposite"
        relation: Relation = "CONTRADICTS"
        if is_replaced:
            relation = "INVALIDATED_BY" if amended.change == "over" else "EVOLVED_INTO"
            replace(transaction, current[0], memory)
        _link(transaction, memory, current[0], relation)
        why = amended.why if amended.is_whole else f"{amended.why}; the rest of it still holds, so it is kept"
        noted.append(Amendment(memory_id=old.id, relationship=relation, superseded=is_replaced, why=why))
    return tuple(noted)


def _link(transaction: Transaction, new: Memory, old: Memory, relation: Relation) -> None:
    for memory in (new, old):
        ensure_node(transaction, memory)
    ends = [node_id(new.id), node_id(old.id)]
    src, dst = ends if relation == "CONTRADICTS" else reversed(ends)
    edge = Edge(id=clock.new_id(), src=src, dst=dst, relationship=relation, created_at=clock.now())
    transaction.insert(edge)
