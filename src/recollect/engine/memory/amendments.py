"""Amendments: compare a new memory with older ones, and link it to those that it changes.

    its statements ─► older memories with the same words or near its vector ─► amend.py ─► links, a mark, the answer

    another value, or said to be changed   old EVOLVED_INTO new     the old one is superseded
    over                                   old INVALIDATED_BY new   the old one is superseded
    it may do one of these                 new CONTRADICTS old      both stay, and are told together

A memory that says more than the changed statement is never superseded: CONTRADICTS links it. Nothing is deleted, and an
undo of the storing reverts all of it. The weight of CONTRADICTS is its probability; what may have been replaced is
told with the newer memory (recall/doubts.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.engine.records.branches import OF_THE_PROJECT, Branches, written_on
from recollect.engine.records.memory_rows import batches, ensure_node, node_id, replace
from recollect.errors import EmbeddingFailed
from recollect.model import Amendment, Edge, Memory, Relation
from recollect.recall.doubts import POSSIBLE, newer_versions
from recollect.store.store_values import Range

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.similarity_calibration import CalibrationCache
    from recollect.recall.amend import Amended
    from recollect.recall.parsed_statement import Statement
    from recollect.store.passage import Match
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# Older passages that one statement is compared with: the best by words, where what says nearly the same is among the
# first, and the nearest by vectors, where people use other words ("never push without asking", "push on your own").
COMPARED, NEAREST = 12, 6
# Postings that one query may read: a millisecond or two, whatever is stored. A few of the rarest words are always
# looked up.
POSTINGS = 1_000
LEAST_TERMS = 3
# Statements of one memory that are looked up, and changes that are noted: a note of a meeting changes a few things.
LOOKED_UP = 6
# A memory with more statements tells what happened, as a conversation does: the rules alone judge it.
SAID = 4
MOST = 3
# Pairs of statements whose vectors are compared, about six milliseconds each: those most probable if they were close.
# All 137 changes that are found in the unseen splits of bench/changes.py are among them.
EMBEDDED = 6
LIKELY = 0.2
# Longer texts are documents; what they change must be stated.
MOST_CHARACTERS = 2_000
# A statement changes one fact. Where two older memories are as probable but for this, it is ambiguous.
CLEARLY = 0.01
# The probability of a change from which imported history is superseded, too.
BEYOND_DOUBT = 0.95
# An older memory is replaced as a whole only if the statement is most of it.
MAINLY = 0.6
# What the rules find in the words of both.
_PLAIN = frozenset({"value", "ended", "over"})
# Sources whose statements can change earlier ones. Hooks record events, and consolidation summarizes.
STATING = ("user", "assistant", "import")


class Found(NamedTuple):
    """An older memory as it was read, and how the new one changes what it says."""

    memory: Memory
    amended: Amended

    @property
    def is_whole(self) -> bool:
        """Whether the older memory says little besides."""
        from recollect.recall.amend import changed_part
        from recollect.recall.parsed_statement import length_of_statements

        changed = changed_part(self.amended.new, self.amended.old)
        return len(changed.split()) >= MAINLY * length_of_statements(self.memory.content)


class _Pair(NamedTuple):
    memory: Memory
    new: Statement
    old: Statement
    same_author: bool
    is_talk: bool


class Amendments(NamedTuple):
    """Finds the older memories that a new one changes."""

    context: Context
    embedding: Embedding
    calibration: CalibrationCache
    branches: Branches

    def find(self, memory: Memory) -> list[Found]:
        """Return what a memory that is about to be stored changes; read only, in bounded time."""
        from recollect.recall.amend import may_amend
        from recollect.recall.parsed_statement import statements

        if memory.observed or memory.source not in STATING or len(memory.content) > MOST_CHARACTERS:
            return []
        told = statements(memory.content, whole=True)
        is_talk = bool(memory.author and memory.session_id) or sum(map(may_amend, told)) > SAID
        is_read = self.embedding.classify is not None and not is_talk
        stating = [each for each in told if may_amend(each, is_read=is_read and len(told) == 1)][:LOOKED_UP]
        olds = {old.id: old for each in stating for old in self.older(memory, each, near=is_read)}
        return _chosen(self._amended(_pairs(memory, stating, list(olds.values()), is_talk=is_talk, is_read=is_read)))

    def repeated(self, memory: Memory, same: Callable[[str, str], bool]) -> Memory | None:
        """Return the known memory of the project that says the same; None if there is none.

        same: tells whether two contents say the same
        """
        from recollect.recall.parsed_statement import statement

        here = {"namespace": memory.namespace, "superseded_by": None, "observed": False}
        found = self.context.store.find(Memory, {"content_hash": memory.content_hash, **here}, limit=1)
        near = found or self.older(memory, statement(memory.content))
        return next((row for row in near if found or same(row.content, memory.content)), None)

    def closeness(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return how alike two texts are: the cosine of their vectors; without a model, of their words."""
        import numpy as np

        from recollect.engine.models.similarity_calibration import comparable

        if not pairs:
            return []
        texts = {text: place for place, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
        try:
            made = np.asarray(self.embedding.of_texts(list(texts)), np.float32)
        except EmbeddingFailed:
            return [_by_words(*pair) for pair in pairs]
        made /= np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)
        cosines = {place: float(made[texts[one]] @ made[texts[other]]) for place, (one, other) in enumerate(pairs)}
        return list(comparable(cosines, self.calibration.of(self.embedding.model_id)).values())

    def older(self, memory: Memory, statement: Statement, *, near: bool = False) -> list[Memory]:
        """Return the memories that a statement may be about: of the same project, older, and in force.

        near: by vectors, too
        """
        from recollect.recall.contrary import ALIKE
        from recollect.text.terms import query_terms

        store = self.context.store
        where: dict[str, object] = {"superseded_by": None, "source": STATING, "observed": False}
        scope = memory.namespace
        near_ones = self._nearest(statement.text, {**where, "namespace": scope}) if near else []
        # As a range: by its name, the text index would read through all of a namespace.
        where["namespace"] = None if scope is None else Range(scope, scope + "\0")
        asked = query_terms(statement.text)
        alike = (
            term for one in asked for term in (*ALIKE, *ALIKE.values()) if ALIKE.get(one, one) == ALIKE.get(term, term)
        )
        counts = store.term_counts(list(dict.fromkeys((*asked, *alike))))
        rarest = dict(_rarest(counts.by_term))
        matches = (
            store.search_text(list(rarest), where, COMPARED, counts=counts._replace(by_term=rarest)) if rarest else []
        )
        rows = store.get(Memory, list(dict.fromkeys(match.id for match in (*matches, *near_ones))))
        return [row for row in self._in_force(rows, memory) if row.said_at <= memory.said_at]

    def _nearest(self, text: str, where: Mapping[str, object]) -> list[Match]:
        """Return the older memories nearest to a statement."""
        # Where there are none, the model need not be loaded.
        vector = self.embedding.of_statement(text) if self.context.store.find(Memory, where, limit=1) else None
        if vector is None:
            return []
        return self.context.store.search_vectors(self.embedding.model_id, vector, where, NEAREST)

    def _in_force(self, rows: Sequence[Memory], memory: Memory) -> list[Memory]:
        """Return the memories that hold on the branch of a new one: its own, the default and merged branches."""
        places = {row.id: place for row in rows if row.branch != memory.branch and (place := written_on(row))}
        stands = self.branches.standings(places.values(), memory.namespace) if places else {}
        return [row for row in rows if row.id not in places or stands[places[row.id]].standing == "merged"]

    def _amended(self, pairs: Sequence[_Pair]) -> Iterator[Found]:
        """Yield the changes among pairs of statements, once their likeness is known."""
        from recollect.recall.amend import amends

        likely, classify = self.closeness([(pair.new.text, pair.old.text) for pair in pairs]), self.embedding.classify
        for pair, close in zip(pairs, likely, strict=True):
            found = amends(
                pair.new,
                pair.old,
                close,
                same_author=pair.same_author,
                is_talk=pair.is_talk,
                classify=classify,
            )
            # Imported history and documents say what was done: they are superseded on strong evidence only.
            if found is not None and (pair.memory.source != "import" or found.evidence >= BEYOND_DOUBT):
                yield Found(pair.memory, found)


def _pairs(
    memory: Memory, stating: Sequence[Statement], olds: Sequence[Memory], *, is_talk: bool, is_read: bool
) -> list[_Pair]:
    """Return the pairs of statements that may be a change, the most probable first.

    is_talk: the rules alone judge. is_read: the classifier will read them
    """
    from recollect.recall.amend import likelihood
    from recollect.recall.parsed_statement import statements

    found: list[tuple[float, _Pair]] = []
    for old in olds:
        same_author = memory.author == old.author
        for each in statements(old.content):
            judged = [(likelihood(new, each, is_talk=is_talk, is_read=is_read), new) for new in stating]
            found.extend((row, _Pair(old, new, each, same_author, is_talk)) for row, new in judged if row >= LIKELY)
    return [pair for _, pair in sorted(found, key=lambda row: -row[0])[:EMBEDDED]]


def _by_words(one: str, other: str) -> float:
    from recollect.text.terms import terms

    ours, theirs = set(terms(one)), set(terms(other))
    return len(ours & theirs) / math.sqrt(max(1, len(ours) * len(theirs)))


def _chosen(found: Iterable[Found]) -> list[Found]:
    """Return for each new statement the older memory that it changes, if one stands out, with those that repeat it."""
    from recollect.recall.amend import states_alike

    by_statement: dict[str, list[Found]] = {}
    for each in sorted(found, key=lambda each: -each.amended.evidence):
        by_statement.setdefault(each.amended.new, []).append(each)
    chosen: dict[str, Found] = {}
    for best, *others in by_statement.values():
        # What an assistant said beside a person is a version of it: a change is of both.
        spoken = best.memory.source == "assistant"
        alike = [
            each
            for each in others
            if states_alike(each.amended, best.amended, instead=(each.memory.source == "assistant") != spoken)
        ]
        rivals = (each for each in others if each not in alike and each.memory.id != best.memory.id)
        if all(best.amended.evidence - rival.amended.evidence >= CLEARLY for rival in rivals):
            for each in (best, *alike):
                known = chosen.get(each.memory.id)
                is_possible = known is not None and known.amended.change == "opposite"
                if known is None or (is_possible and each.amended.change != "opposite"):
                    chosen[each.memory.id] = each
    return list(chosen.values())[:MOST]


def allowed(memory: Memory, found: Iterable[Found], *, is_report: bool = False) -> Iterator[Found]:
    """Yield the changes that a memory may make: an assistant replaces nothing that a person said.

    Of it, another value or a reported change is a possible one, but not of a rule: of 27 reports of changes 20 are, and
    none of 40 other reports. A mere report may be undone, or hold "on your machine" only: it replaces nothing at all.
    """
    for each in found:
        if memory.source != "assistant" or (each.memory.source == "assistant" and not is_report):
            yield each
            continue
        is_told = each.amended.evidence >= POSSIBLE and (each.amended.change in _PLAIN or reports(each.amended))
        if is_told and each.memory.memory_type not in OF_THE_PROJECT:
            yield each._replace(amended=each.amended._replace(change="opposite"))


def reports(amended: Amended) -> bool:
    """Tell whether a statement tells a change in so many words, and repeats none that was told."""
    from recollect.capture.statement_cues import REPORTED

    is_new = amended.change in _PLAIN or not REPORTED.search(amended.old)
    return is_new and bool(REPORTED.search(amended.new))


def _rarest(counts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the terms that occur, the rarest first, while looking them up is cheap."""
    spent = 0
    for number, (term, count) in enumerate(sorted(counts.items(), key=lambda row: row[1])):
        spent += count
        if number >= LEAST_TERMS and spent > POSTINGS:
            return
        if count:
            yield term, count


def write(transaction: Transaction, memory: Memory, found: list[Found]) -> tuple[Amendment, ...]:
    """Write what a stored memory changes; memories that were edited meanwhile are skipped."""
    noted: list[Amendment] = []
    for each in found:
        old, amended = each
        current = transaction.get(Memory, [old.id])
        if not current or current[0].content != old.content or current[0].superseded_by is not None:
            continue
        is_replaced = each.is_whole and amended.change != "opposite"
        relation: Relation = "CONTRADICTS"
        if is_replaced:
            relation = "INVALIDATED_BY" if amended.change == "over" else "EVOLVED_INTO"
            replace(transaction, current[0], memory)
        _link(transaction, memory, current[0], relation, amended.evidence)
        why = amended.why if each.is_whole else f"{amended.why}; the rest of it still holds, so it is kept"
        noted.append(Amendment(memory_id=old.id, relationship=relation, superseded=is_replaced, why=why))
    return tuple(noted)


def doubted(store: Store, ids: Collection[str]) -> dict[str, Memory]:
    """Return, by the id of a memory, the newer one that may have replaced it."""
    where = {"relationship": "CONTRADICTS", "weight": Range(POSSIBLE)}
    links = {
        (weight, src.removeprefix(node_id("")), dst.removeprefix(node_id("")))
        for side in ("src", "dst")
        for nodes in batches([node_id(name) for name in ids])
        for weight, src, dst in store.columns(Edge, ("weight", "src", "dst"), {**where, side: nodes})
    }
    if not links:
        return {}
    pairs = [link[1:] for link in sorted(links)]
    return newer_versions(pairs, lambda wanted: {row.id: row for row in store.get(Memory, wanted)})


def _link(transaction: Transaction, new: Memory, old: Memory, relation: Relation, probability: float) -> None:
    for memory in (new, old):
        ensure_node(transaction, memory)
    ends = [node_id(new.id), node_id(old.id)]
    src, dst = ends if relation == "CONTRADICTS" else reversed(ends)
    weight = min(1.0, probability) if relation == "CONTRADICTS" else 1.0
    edge = Edge(id=clock.new_id(), src=src, dst=dst, relationship=relation, weight=weight, created_at=clock.now())
    transaction.insert(edge)
