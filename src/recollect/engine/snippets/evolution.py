"""Evolution: improve contexts, tags and links of coding memories, unless that makes them harder to find.

    scope ─► batch of ten ─► plan: links, weights, tags, contexts ─► written, measured by their own words ─► kept
                                                                       └ harder to find: left out

They are measured inside the transaction that writes, so a rejected change is never visible. All batches of a run are
one batch of the change log, which `undo` reverts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock, progress
from recollect.code.snippets.analyse import Snippet, one_line
from recollect.code.snippets.snippet_links import (
    MOST_TAGS,
    Neighbour,
    Related,
    pair,
    refined_context,
    refined_tags,
    relate,
    strengthened,
    supporters,
)
from recollect.engine.consolidation.plan_execution import enter
from recollect.engine.memory.snippet_analysis import CATEGORIES, KEY, UNANSWERED, analysis, snippet_of
from recollect.engine.records.memory_rows import node_id
from recollect.engine.snippets.snippets import Kept, Link, Snippets, link_type, write_links
from recollect.errors import BudgetSpent, Cancelled, ModelFailed
from recollect.model import Consolidation, Edge, Memory
from recollect.model.coding import Evolution
from recollect.store.store_values import Range
from recollect.text.display import plural
from recollect.text.terms import query_terms

if TYPE_CHECKING:
    from recollect.code.snippets.snippet_prompts import Proposed
    from recollect.engine.context import Context
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.llm import Language
    from recollect.store.transaction import Transaction

OPERATION = "evolve_memory_network"
# The operation of scheduled runs in the log: `undo` of the last change skips it.
SCHEDULED = "scheduled_evolve"
# Of one run by schedule: a minute or two by rules, twenty calls of a language model where one is configured.
SCHEDULED_MEMORIES = 200
# As document 003 has it: what one prompt can hold, and what is lost if a batch is refused.
BATCH = 10
# Where the next run over all of them goes on.
CURSOR = "evolution_cursor"
# A memory counts as found by its own words among as many as a question shows where nothing else is said. Passages that
# are looked at for that: a few memories have more than one.
SHOWN, LOOKED_AT = 5, 20
# A model's link needs some evidence of ours: without any, two pieces have not one word in common.
LEAST_ALIKE = 0.1
# How strong a link is that a model sees and rules do not.
MODEL_WEIGHT = 0.5


class Wanted(NamedTuple):
    """A run: trigger, scope, limit, project, and whether the model must answer."""

    trigger: str
    scope: str
    most: int
    namespace: str | None
    strict: bool = False
    operation: str = OPERATION


class Refinement(NamedTuple):
    """The new description of a memory: its line and tags."""

    memory: Memory
    context: str
    tags: tuple[str, ...]


class Plan(NamedTuple):
    """Changes of a batch: links by memory, weights by edge, contexts and tags."""

    links: Mapping[str, tuple[Memory, list[Link]]]
    weights: Mapping[str, tuple[Edge, float]]
    refinements: Sequence[Refinement]


class Done(NamedTuple):
    """The changes, in figures, and the changed memories."""

    created: int = 0
    strengthened: int = 0
    contexts: int = 0
    evolved: frozenset[str] = frozenset()
    refused: int = 0


class Worse(Exception):
    """The written text would make memories harder to find."""


class SnippetEvolution(NamedTuple):
    """Improves the contexts, tags and links of coding memories."""

    context: Context
    snippets: Snippets
    embedding: Embedding
    llm: Language
    stopping: Callable[[], bool]

    def evolve_scheduled(self, *, every_s: int, lost_s: int) -> bool:
        """Evolve the longest unchanged memories by schedule; false if another process does.

        One that is stopped on the way stays unfinished in the log; what it did stays, and the next goes on behind it.
        """
        run = enter(self.context.store, "evolve", every_s=every_s, lost_s=lost_s)
        if run is None:
            return False
        wanted = Wanted("scheduled", "all", SCHEDULED_MEMORIES, None, operation=SCHEDULED)
        done = self.evolve(wanted, batch=run.batch)
        with self.context.store.transaction(SCHEDULED) as transaction:
            values = {"affected_count": done.memories_evolved, "finished_at": clock.now()}
            transaction.update(Consolidation, run.id, values)
        return True

    def evolve(self, wanted: Wanted, *, batch: str = "") -> Evolution:
        """Evolve coding memories; batch: the batch of the changes, default: a new one.

        With `strict`, raises ModelFailed. Raises Cancelled while the engine is closed. What was done before stays.
        """
        began = time.monotonic()
        memories = self._chosen(wanted)
        batch, notes, done = batch or clock.new_id(), dict[str, None](), list[Done]()
        for start in range(0, len(memories), BATCH):
            if self.stopping():
                raise Cancelled("evolution stopped: the engine was closed")
            part = [
                Kept(memory, snippet_of(memory))
                for memory in self.context.store.get(Memory, memories[start : start + BATCH])
            ]
            plan, said = self._plan(part, wanted)
            notes.update(dict.fromkeys(said))
            done.append(self._apply(plan, part, wanted, batch))
            if wanted.scope == "all" and part:
                self.context.store.keep_setting(CURSOR, str(part[-1].memory.seq))
            progress.report(min(start + BATCH, len(memories)), len(memories), "evolving")
        self.embedding.wake()
        if refused := sum(row.refused for row in done):
            notes[f"{plural(refused, 'refinement')} rejected: they made memories harder to find"] = None
        return Evolution(
            memories_analyzed=len(memories),
            memories_evolved=len(frozenset().union(*(row.evolved for row in done))),
            links_created=sum(row.created for row in done),
            links_strengthened=sum(row.strengthened for row in done),
            contexts_updated=sum(row.contexts for row in done),
            duration_ms=round((time.monotonic() - began) * 1000),
            notes=tuple(notes),
        )

    def _chosen(self, wanted: Wanted) -> list[str]:
        """Return the ids of the memories that are to evolve."""
        where: dict[str, object] = {"category": CATEGORIES, "superseded_by": None}
        if wanted.namespace is not None:
            where["namespace"] = wanted.namespace
        if wanted.scope != "all":
            return [row.id for row in self.context.store.find(Memory, where, order="-created_at", limit=wanted.most)]
        # One round after the other through all of them, wherever the last run ended.
        at = int(self.context.store.setting(CURSOR) or 0)
        rows = self.context.store.find(Memory, {**where, "seq": Range(at_least=at + 1)}, order="seq", limit=wanted.most)
        if len(rows) < wanted.most:
            rest = {**where, "seq": Range(below=at + 1)}
            rows += self.context.store.find(Memory, rest, order="seq", limit=wanted.most - len(rows))
        return [row.id for row in rows]

    def _plan(self, part: Sequence[Kept], wanted: Wanted) -> tuple[Plan, tuple[str, ...]]:
        """Return what a batch would change, and notes about what was done otherwise than configured."""
        proposed, notes = self._proposed(part, strict=wanted.strict)
        by_rules: dict[str, tuple[Memory, list[Link]]] = {}
        weights: dict[str, tuple[Edge, float]] = {}
        refinements: list[Refinement] = []
        for place, kept in enumerate(part):
            memory = kept.memory
            edges = self._edges(memory.id)
            near = {row.id: Kept(row, snippet_of(row)) for row in self.context.store.get(Memory, sorted(edges))}
            found, said = self.snippets.neighbours(kept)
            found += self._linked_by_model(part, place, proposed)
            notes += said
            new = [link for link in found if link.other.id not in edges]
            by_rules[memory.id] = (memory, new)
            weights |= self._weights(kept, edges, near)
            beside = [(edge.weight, link_type(edge), near[name]) for name, edge in edges.items() if name in near]
            beside += [
                (link.related.weight, link.related.type, Kept(link.other, snippet_of(link.other))) for link in new
            ]
            # The strongest first: its words are copied.
            beside.sort(key=lambda row: (-row[0], row[2].memory.seq))
            linked = [Neighbour(type_, row.snippet, row.memory.tags) for _, type_, row in beside if type_ is not None]
            refinements += _refinement(kept, linked, proposed, place)
        return Plan(by_rules, weights, refinements), notes

    def _edges(self, memory_id: str) -> dict[str, Edge]:
        """Return the coding links of a memory by the id of the memory at their other end."""
        node = node_id(memory_id)
        rows = [*self.context.store.find(Edge, {"src": node}), *self.context.store.find(Edge, {"dst": node})]
        ends = {(edge.dst if edge.src == node else edge.src): edge for edge in rows if link_type(edge) is not None}
        return {name.removeprefix("mem:"): edge for name, edge in ends.items()}

    def _weights(
        self, kept: Kept, edges: Mapping[str, Edge], near: Mapping[str, Kept]
    ) -> dict[str, tuple[Edge, float]]:
        """Return the links of a memory that deserve more weight, by edge, with their new weights."""
        known = self.snippets.rarities([kept.snippet, *(row.snippet for row in near.values())]) if near else {}
        stronger: dict[str, tuple[Edge, float]] = {}
        for name, row in near.items():
            older, newer = sorted((kept, row), key=lambda each: each.memory.seq)
            found = relate(older.snippet, newer.snippet, known)
            if found is None:
                continue  # a model or a person linked them; rules have nothing to add
            edge = edges[name]
            weight = strengthened(edge.weight, found.weight, supporters(edges, self._edges(name)))
            if weight > edge.weight:
                stronger[edge.id] = (edge, weight)
        return stronger

    def _proposed(self, part: Sequence[Kept], *, strict: bool) -> tuple[Proposed | None, tuple[str, ...]]:
        """Return the proposals of the language model for a batch; None, with a note, without one."""
        if not self.llm.is_configured:
            return None, ()
        from recollect.code.snippets.snippet_prompts import EVOLUTION_TOKENS, evolution_prompt, proposed

        pieces = [(kept.memory.content, kept.snippet) for kept in part]
        try:
            answer = self.llm.complete(evolution_prompt(pieces), max_tokens=EVOLUTION_TOKENS)
        except UNANSWERED as problem:
            if strict and not isinstance(problem, BudgetSpent):
                raise
            return None, (f"used built-in rules: {problem.message}",)
        found = proposed(answer, pieces)
        if found is None and strict:
            raise ModelFailed(f"{self.llm.model_id} returned an unusable answer")
        return found, () if found is not None else (
            "used built-in rules: the language model returned an unusable answer",
        )

    def _linked_by_model(self, part: Sequence[Kept], place: int, found: Proposed | None) -> list[Link]:
        """Return the links that a model proposes from one memory, where there is some evidence."""
        links: list[Link] = []
        for (one, other), type_ in (found.links if found else {}).items():
            if one != place:
                continue
            older, newer = sorted((part[one], part[other]), key=lambda row: row.memory.seq)
            known = self.snippets.rarities((older.snippet, newer.snippet))
            alike = pair(older.snippet, newer.snippet, known).alike
            if alike >= LEAST_ALIKE:
                weight = round(min(1.0, max(alike, MODEL_WEIGHT)), 3)
                links.append(Link(part[other].memory, Related(type_, weight, f"suggested by {self.llm.model_id}")))
        return links

    def _apply(self, plan: Plan, part: Sequence[Kept], wanted: Wanted, batch: str) -> Done:
        """Write what a batch changes, without its refinements where those would make memories harder to find."""
        if not plan.weights and not plan.refinements and not any(links for _, links in plan.links.values()):
            return Done()
        watched = [*part, *(Kept(row.memory, snippet_of(row.memory)) for row in plan.refinements)]
        try:
            return self._write(plan, watched, wanted, batch)
        except Worse:
            done = [self._write(plan._replace(refinements=()), watched, wanted, batch)]
        # One of them is to blame, or a few: each for itself.
        for row in plan.refinements:
            try:
                done.append(self._write(Plan({}, {}, (row,)), watched, wanted, batch))
            except Worse:
                done.append(Done(refused=1))
        return Done(
            created=done[0].created,
            strengthened=done[0].strengthened,
            contexts=sum(row.contexts for row in done),
            evolved=frozenset().union(*(row.evolved for row in done)),
            refused=sum(row.refused for row in done),
        )

    def _write(self, plan: Plan, watched: Sequence[Kept], wanted: Wanted, batch: str) -> Done:
        evolved: set[str] = set()
        created = strong = contexts = 0
        with self.context.store.transaction(wanted.operation, batch=batch) as transaction:
            before = self.found_by_own_words(watched)
            for memory, links in plan.links.values():
                for link in links:
                    made = write_links(transaction, memory, [link], by=f"{OPERATION} ({wanted.trigger})")
                    created += made
                    evolved |= {memory.id, link.other.id} if made else set()
            for edge, weight in plan.weights.values():
                current = transaction.get(Edge, [edge.id])
                if current and current[0].weight < weight:
                    transaction.update(Edge, edge.id, {"weight": weight})
                    strong += 1
                    evolved |= {end.removeprefix("mem:") for end in (edge.src, edge.dst)}
            for row in plan.refinements:
                is_changed, is_retold = _refine(transaction, row)
                contexts += is_retold
                evolved |= {row.memory.id} if is_changed else set()
            if plan.refinements and self.found_by_own_words(watched) < before:
                raise Worse
        return Done(created, strong, contexts, frozenset(evolved))

    def found_by_own_words(self, watched: Iterable[Kept]) -> int:
        """Return how many of their own queries find memories among the first hits.

        By words alone: what is asked here must see what is not committed yet, and vectors are not part of that.
        """
        total = 0
        for memory, snippet in {kept.memory.id: kept for kept in watched}.values():
            where = {"category": CATEGORIES, "namespace": memory.namespace}
            for query in own_queries(memory, snippet):
                matches = self.context.store.search_text(query_terms(query), where, LOOKED_AT)
                total += memory.id in list(dict.fromkeys(match.id for match in matches))[:SHOWN]
        return total


def _refinement(kept: Kept, linked: Sequence[Neighbour], proposed: Proposed | None, place: int) -> list[Refinement]:
    memory, snippet = kept
    coding = analysis(memory)
    base, last = str(coding.get("base") or ""), str(coding.get("context") or "")
    context = refined_context(base, snippet, linked)
    tags = refined_tags(snippet, memory.tags, linked)
    noted = proposed.notes.get(place) if proposed else None
    if noted is not None:
        context = noted.context or context
        tags = tuple(dict.fromkeys((*tags, *noted.tags)))[: max(MOST_TAGS, len(tags))]
    # A given context stays, and so does a title that was edited since.
    if snippet.is_given or (memory.title or "") not in (base, last):
        context = memory.title or ""
    is_same = context == (memory.title or "") and tags == memory.tags
    return [] if is_same else [Refinement(memory, one_line(context), tags)]


def _refine(transaction: Transaction, row: Refinement) -> tuple[bool, bool]:
    """Write a context and tags; return whether anything changed, and whether the context did. Edits stay."""
    current = transaction.get(Memory, [row.memory.id])
    if not current or current[0].rev != row.memory.rev:
        return False, False
    memory = current[0]
    is_retold = row.context != (memory.title or "")
    values: dict[str, object] = {"tags": row.tags, "updated_at": clock.now()}
    if is_retold:
        values |= {
            "title": row.context,
            "metadata": {**memory.metadata, KEY: {**analysis(memory), "context": row.context}},
        }
    transaction.update(Memory, memory.id, values)
    return True, is_retold


def own_queries(memory: Memory, snippet: Snippet) -> tuple[str, ...]:
    """Return queries for a memory: its given context, its keywords, the names it defines."""
    base = str(analysis(memory).get("base") or "") if snippet.is_given else ""
    return tuple(filter(None, (base, " ".join(snippet.keywords), " ".join(snippet.defines[:3]))))
