"""Stated memories: statements in prompts and answers become known memories.

A repeated statement is counted on the memory that it repeats. A contrary one supersedes it, and a sentence that does so
is a statement even if it does not look like one. "Forget what I said about tabs" retires a memory about tabs.

prompt, final answer ─► capture.statements ─► Memory ─► compared, before a transaction is opened ─► kept, in one
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recollect.capture.observation import Observation
from recollect.engine.memory.anchor_drafts import NOTHING, Prepared, spoken_text
from recollect.engine.records.branches import OF_THE_PROJECT, holds_everywhere
from recollect.engine.records.memory_rows import TRUST, new_memory
from recollect.errors import RecollectError
from recollect.model import Memory, Observed
from recollect.text.paraphrases import says_the_same
from recollect.text.terms import query_terms, terms

if TYPE_CHECKING:
    from recollect.capture.statements import Speaker
    from recollect.engine.memory.amendments import Amendments, Found
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.engine.records.branches import Position
    from recollect.providers.provider_protocol import Classify
    from recollect.store.transaction import Transaction

# Events whose text is what a user or an assistant wrote.
SPEAKERS: Mapping[str, Speaker] = {"prompt": "user", "turn_end": "assistant"}
STATED_IN = {"user": "prompt", "assistant": "answer"}
# Each repetition makes a statement more important: after five, a rule is at the top.
STRONGER, STRONGEST = 0.03, 0.95
# Sessions by which a repetition is recognised that was counted before.
SESSIONS = 50
# What a session start shows first, and the changes after which something else holds.
_LASTING = OF_THE_PROJECT | {"decision"}
_INSTEAD = frozenset({"value", "said", "ended"})
# Words without which a statement says the same.
_EMPTY = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|please|always|remember(?: that| to)?|again|note that)\b[,:]?",
    re.IGNORECASE,
)


class Stated(NamedTuple):
    """A statement, ready to be kept: with the memory that it repeats, or with those that it changes.

    retracts: it only names what a memory is about that no longer holds, and `repeats` is that memory
    """

    memory: Memory
    anchors: Prepared = NOTHING
    repeats: str | None = None
    changes: tuple[Found, ...] = ()
    is_sure: bool = True
    retracts: bool = False


def stated(
    seen: Observation, row: Observed, position: Position, classify: Classify | None = None
) -> tuple[Stated, ...]:
    """Return the statements in an event, without secrets."""
    speaker = SPEAKERS.get(seen.event)
    if speaker is None or seen.failed:
        return ()
    from recollect.capture.statements import Statement, retracted, statements

    found = []
    over = [Statement(topic, "context", 0.0, False, "fact", False) for topic in retracted(seen.text)]
    said = statements(seen.text, speaker, unsure=True, classify=classify)
    for each in (*said, *(over if speaker == "user" else ())):
        if _names_branch(each.text, position.branch):
            continue
        is_free = each.everywhere or holds_everywhere(each.memory_type, each.text, position.branch)
        where: dict[str, Any] = {} if is_free else position._asdict()
        memory, _ = new_memory(
            row.at,
            content=each.text,
            memory_type=each.memory_type,
            importance=each.importance if speaker == "user" else min(each.importance, 0.6),
            category=each.kind,
            tags=("stated", each.kind),
            metadata={"stated_in": STATED_IN[speaker], "times": 1, "assistant": seen.assistant},
            namespace=None if each.everywhere else row.namespace,
            source=speaker,
            trust=TRUST["stated"][speaker],
            session_id=row.session_id,
            **where,
        )
        found.append(Stated(memory, is_sure=each.is_sure, retracts=each in over))
    return tuple(found)


def _names_branch(text: str, branch: str | None) -> bool:
    """Tell whether a text says no more than which branch is checked out: git says that at any time."""
    words, marks = set(query_terms(text)), terms("branch")
    return branch is not None and words.issuperset(marks) and words <= {*marks, *terms(branch)}


def compare(amendments: Amendments, anchoring: Anchoring, each: Stated) -> Stated:
    """Return a statement with what it repeats, changes and mentions; read only."""
    from recollect.engine.memory.amendments import allowed, reports

    memory = each.memory
    is_report = memory.source == "assistant" and not each.is_sure
    known = None if is_report else amendments.repeated(memory, _is_about if each.retracts else _says_the_same)
    if known is not None or each.retracts:
        return each._replace(repeats=known.id if known is not None else None)
    changes = tuple(amendments.find(memory))
    if memory.source == "assistant":
        said = [row.amended for row in changes if row.memory.source != "assistant" and row.amended.change != "opposite"]
        if not is_report and not all(map(reports, said)):
            return each._replace(is_sure=False)  # it only restates what a person said
        possible = allowed(memory, changes, is_report=is_report)
        changes = tuple(change for change in possible if not _carries_out(memory, change.memory))
    elif not each.is_sure:
        changes = tuple(change for change in changes if change.is_whole and change.amended.change != "opposite")
    if not each.is_sure and not changes:
        return each
    anchors = NOTHING
    with suppress(RecollectError, OSError):  # a statement is kept whether or not its code can be read
        anchors = anchoring.prepare(spoken_text(memory), memory.namespace)
    return each._replace(memory=_in_place(memory, changes), anchors=anchors, changes=changes, is_sure=True)


def _carries_out(memory: Memory, old: Memory) -> bool:
    """Tell whether an assistant answers to what a user stated in its session: that cannot put it in doubt."""
    also_in = old.metadata.get("also_in")
    stated_in = (old.session_id, *(also_in if isinstance(also_in, list) else ()))
    return memory.source == "assistant" and old.source == "user" and memory.session_id in stated_in


def _in_place(memory: Memory, changes: Sequence[Found]) -> Memory:
    """Return a statement as the kind of memory that it replaces: a rule with another number is still a rule."""
    replaced = (each.memory for each in changes if each.is_whole and each.amended.change in _INSTEAD)
    ruled = next((old for old in replaced if old.memory_type in _LASTING), None)
    if ruled is None or memory.memory_type in (ruled.memory_type, "preference"):
        return memory
    where: dict[str, Any] = {"branch": None, "head": None} if ruled.memory_type in OF_THE_PROJECT else {}
    importance = max(memory.importance, ruled.importance)
    return msgspec.structs.replace(memory, memory_type=ruled.memory_type, importance=importance, **where)


def _says_the_same(one: str, other: str) -> bool:
    return says_the_same(_EMPTY.sub("", one), _EMPTY.sub("", other))


def _is_about(known: str, topic: str) -> bool:
    return set(query_terms(topic)) <= set(terms(known))


def keep(transaction: Transaction, each: Stated, anchor: Callable[[Transaction, Memory, Prepared], None]) -> bool:
    """Store a statement, or count it on the memory that it repeats; returns whether it was stored."""
    from recollect.engine.memory.amendments import write

    known = transaction.get(Memory, [each.repeats]) if each.repeats else []
    if known and each.retracts:
        transaction.update(Memory, known[0].id, {"valid_to": each.memory.created_at})
    elif known:
        strengthen(transaction, known[0], each.memory)
    if known:
        return False
    if not each.is_sure:
        return False
    memory = transaction.insert(each.memory)
    anchor(transaction, memory, each.anchors)
    write(transaction, memory, list(each.changes))
    return True


def strengthen(transaction: Transaction, known: Memory, again: Memory) -> None:
    """Count a repetition on the memory that is known, once for each session."""
    times, also_in = known.metadata.get("times"), known.metadata.get("also_in")
    times, also_in = times if isinstance(times, int) else 1, also_in if isinstance(also_in, list) else []
    if again.session_id in (known.session_id, *also_in):
        return
    counted = {
        "times": times + 1,
        "also_in": [*also_in, again.session_id][-SESSIONS:],
        "last_stated_at": again.created_at,
    }
    values: dict[str, Any] = {
        "metadata": {**known.metadata, **counted},
        "importance": max(known.importance, min(STRONGEST, known.importance + STRONGER)),
        "trust": max(known.trust, again.trust),
        "updated_at": max(known.updated_at, again.created_at),
        "last_accessed_at": max(known.last_accessed_at or 0, again.created_at),
    }
    if again.source == "user":
        values["source"] = "user"
    transaction.update(Memory, known.id, values)
