"""Snippets: store, link and find coding memories.

    content ─► analyse ─► memory: title = the line about it, tags, category = its language, metadata.coding = the rest
                              └─► candidates by words and by meaning ─► relate ─► edges with their link type

A coding memory is an ordinary memory whose category says so: recall, export, undo and decay treat it as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect import clock
from recollect.code.snippets.analyse import Snippet, analyse, subject
from recollect.code.snippets.language_guess import named
from recollect.code.snippets.snippet_links import RELATIONSHIPS, Related, rarity, relate
from recollect.engine.memory import snippet_analysis
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import content_hash, ensure_node, node_id
from recollect.engine.retrieval.query_arguments import Asked
from recollect.model import Edge, Hit, Memory
from recollect.model.coding import CodingMemory, LinkType, RelevantMemories, RelevantMemory
from recollect.text.passages import passages
from recollect.text.redaction.redact import redact_value, told
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.memories import Memories
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.llm import Language
    from recollect.engine.records.scope import Scope
    from recollect.engine.retrieval.recall_pipeline import RecallPipeline
    from recollect.store.transaction import Transaction

# Operations as the change log names them.
STORED = "store_coding_memory"

# Candidates that a piece is compared with, by words and by meaning, and links that one piece begins with: what belongs
# together is among the first, and a piece that is linked with everything is linked with nothing.
CANDIDATES = 24
MOST_LINKS = 6
# Hits that are counted as relevant enough, at most.
COUNTED = 200
# Kinds of evidence that are named as the reason of a match: those that carried at least this share of it.
CARRIED = 0.25


class Kept(NamedTuple):
    """A coding memory as it is kept, and what is known of its content."""

    memory: Memory
    snippet: Snippet


class Link(NamedTuple):
    """A link to create: the other memory, the link type, and whether that memory is the older."""

    other: Memory
    related: Related


class Snippets(NamedTuple):
    """Stores, links and finds coding memories."""

    context: Context
    scope: Scope
    embedding: Embedding
    llm: Language
    memories: Memories
    pipeline: RecallPipeline

    def store(self, content: str, *, namespace: str | None, code_type: str, context: str, strict: bool) -> CodingMemory:
        """Analyse, keep and link a piece of code. With `strict`, raises ModelFailed and EmbeddingFailed."""
        namespace_of(namespace)  # refused before a language model is asked about anything
        # Before the analysis, which takes names and words apart: a part of a secret is not recognised any more.
        (content, context), secrets = redact_value((content, context))
        before = self._before(content, namespace)
        said = context or snippet_analysis.given_context(before)
        language = named(code_type) if code_type else str(before.get("code_type") or "")
        snippet, notes = snippet_analysis.by_model(
            self.llm, content, analyse(content, language=language, context=said), strict=strict
        )
        kept = context or (before.get("context") if before.get("base") == snippet.context else "") or snippet.context
        notes += (told(secrets),) if secrets else ()
        if strict:
            self.embedding.of_texts([content])
        stored = self.memories.store(
            content,
            tags=snippet.tags,
            namespace=namespace,
            title=snippet.context or None,
            category=snippet_analysis.category(snippet.language),
            metadata={snippet_analysis.KEY: snippet_analysis.described(snippet, str(kept))},
            amend=False,
        )
        memory = stored.memory
        if context and not stored.created:  # a given context is the headline
            memory = self.memories.update(memory.id, title=snippet.context)
        created, more = self._linked(memory) if stored.created else (0, ())
        return CodingMemory(
            memory_id=memory.id,
            keywords=snippet_analysis.snippet_of(memory).keywords,
            tags=memory.tags,
            links_created=created,
            event_emitted=stored.created or bool(stored.merged),
            notes=notes + more,
        )

    def _linked(self, memory: Memory) -> tuple[int, tuple[str, ...]]:
        """Link a new memory to its neighbours; return how many links were made, and notes."""
        # A provider elsewhere may take seconds; storing does not wait for it, and evolution looks again.
        if self.context.settings.embed_provider == "local":
            self.embedding.embed(memory)
        found, notes = self.neighbours(Kept(memory, snippet_analysis.snippet_of(memory)))
        with self.context.store.transaction(STORED) as transaction:
            return write_links(transaction, memory, found, by=STORED), notes

    def _before(self, content: str, namespace: str | None) -> dict[str, Any]:
        """Return the analysis of the memory with this content, if it was stored before."""
        same = {"content_hash": content_hash(content), "namespace": self.scope.target(namespace), "observed": False}
        return next(map(snippet_analysis.analysis, self.context.store.find(Memory, same, order="seq", limit=1)), {})

    def retrieve(
        self,
        query: str,
        *,
        namespace: str | None,
        all_projects: bool,
        limit: int,
        code_types: tuple[str, ...],
        least: float,
    ) -> RelevantMemories:
        """Return the coding memories that answer a query, best first."""
        wanted = {named(name) for name in code_types}
        where: dict[str, object] = {
            "category": tuple(sorted({snippet_analysis.category(name) for name in wanted}))
            or snippet_analysis.CATEGORIES
        }
        where |= self.scope.where(namespace, all_projects=all_projects, asks=True)
        asked = Asked(input_checks.query(query), max(limit, COUNTED), least, where, None, explain=True, near=namespace)
        # Two solutions of one problem are not an old and a new version of one fact.
        found = self.pipeline.answer(asked._replace(leave_out=frozenset({"supersede"})))
        hits = [hit for hit in found.hits if not wanted or snippet_analysis.snippet_of(hit.memory).language in wanted]
        return RelevantMemories(
            memories=tuple(_relevant(hit, found.query) for hit in hits[:limit]),
            total_found=len(hits),
            notes=found.notes,
        )

    def neighbours(self, kept: Kept) -> tuple[list[Link], tuple[str, ...]]:
        """Return the links that a memory should have, strongest first, and notes about what was skipped."""
        candidates, cosines, notes = self._candidates(kept)
        return related(
            kept, candidates, self.rarities([kept.snippet, *(row.snippet for row in candidates)]), cosines
        ), notes

    def _candidates(self, kept: Kept) -> tuple[list[Kept], dict[str, float], tuple[str, ...]]:
        """Return the memories that may belong together with one, cosines of those found by meaning, and notes."""
        memory, snippet = kept
        where: dict[str, object] = {
            "namespace": memory.namespace,
            "category": snippet_analysis.CATEGORIES,
            "superseded_by": None,
        }
        words = list(
            dict.fromkeys(terms(" ".join((snippet.context, *snippet.keywords, *snippet.defines[:6], *snippet.errors))))
        )
        found = [match.id for match in self.context.store.search_text(words, where, CANDIDATES)]
        cosines: dict[str, float] = {}
        notes: tuple[str, ...] = ()
        # A provider elsewhere may take seconds; storing does not wait for it, and evolution looks again.
        if self.embedding.model_id and self.context.settings.embed_provider == "local":
            # What is without a vector gets one now, as far as that is quick; what is missing then was not worth a wait.
            vector, _ = self.embedding.of_query(f"{memory.title or ''}\n{passages(memory.content)[0]}")
            if (failure := self.embedding.failure) is not None:
                notes = (f"linked by keywords only: {failure.message}",)
            if vector is not None:
                matches = self.context.store.search_vectors(self.embedding.model_id, vector, where, CANDIDATES)
                for match in matches:
                    cosines[match.id] = max(cosines.get(match.id, 0.0), match.score)
        ids = [name for name in dict.fromkeys((*found, *cosines)) if name != memory.id]
        rows = [Kept(row, snippet_analysis.snippet_of(row)) for row in self.context.store.get(Memory, ids)]
        return rows, cosines, notes

    def rarities(self, snippets: Iterable[Snippet]) -> dict[str, float]:
        """Return the rarity of each word of some subjects, by how many memories have it."""
        roots = sorted({root for snippet in snippets for root in subject(snippet)})
        counts = self.context.store.term_counts(roots)
        return {root: rarity(counts.passages, counts.of(root)) for root in roots}


def related(
    kept: Kept, candidates: Sequence[Kept], rarities: Mapping[str, float], cosines: Mapping[str, float] = {}
) -> list[Link]:
    """Return which of some memories a memory belongs together with, strongest first."""
    links: list[Link] = []
    for other in candidates:
        older, newer = sorted((kept, other), key=lambda row: row.memory.seq)
        found = relate(older.snippet, newer.snippet, rarities, cosines.get(other.memory.id))
        if found is not None:
            links.append(Link(other.memory, found))
    links.sort(key=lambda link: (-link.related.weight, link.other.seq))
    return links[:MOST_LINKS]


def write_links(transaction: Transaction, memory: Memory, links: Sequence[Link], *, by: str) -> int:
    """Make the links that are not there yet; return how many."""
    created = 0
    for other, found in links:
        current = transaction.get(Memory, [memory.id, other.id])
        if len(current) < 2 or coding_edge(transaction, memory.id, other.id) is not None:
            continue
        for row in current:
            ensure_node(transaction, row)
        older, newer = sorted(current, key=lambda row: row.seq)
        relationship = RELATIONSHIPS[found.type]
        src, dst = node_id(older.id), node_id(newer.id)
        if transaction.find(Edge, {"src": src, "dst": dst, "relationship": relationship}, limit=1):
            continue  # linked the same way by hand
        edge = Edge(
            id=clock.new_id(),
            src=src,
            dst=dst,
            relationship=relationship,
            weight=found.weight,
            properties={"link_type": found.type, "why": found.why, "by": by},
            created_at=clock.now(),
        )
        transaction.insert(edge)
        created += 1
    return created


def coding_edge(rows: Any, one: str, other: str) -> Edge | None:
    """Return the link by which two coding memories belong together, if there is one."""
    ends = (node_id(one), node_id(other))
    found: list[Edge] = rows.find(Edge, {"src": ends, "dst": ends})
    return next((edge for edge in found if link_type(edge) is not None), None)


def link_type(edge: Edge) -> LinkType | None:
    """Return how a link says that two coding memories belong together; None for links of other kinds."""
    said = edge.properties.get("link_type")
    return said if said in RELATIONSHIPS else None


def _relevant(hit: Hit, query: str) -> RelevantMemory:
    memory = hit.memory
    snippet = snippet_analysis.snippet_of(memory)
    said = snippet_analysis.analysis(memory).get("context")
    return RelevantMemory(
        id=memory.id,
        content=memory.content,
        context=str(said or snippet.context),
        keywords=snippet.keywords,
        tags=memory.tags,
        relevance_score=round(hit.score, 4),
        match_reason=match_reason(hit, query),
    )


def match_reason(hit: Hit, query: str) -> str:
    """Return by what a memory matched: the evidence that carried its score, largest first.

    What belongs to the model and not to the match (how long it is, who said it, how it is linked) is no reason.
    """
    signals = hit.signals
    by_words = f"Keyword match: {' '.join(signals.matched_terms)}" if signals.matched_terms else ""
    by_meaning = f"Close in meaning (cosine {signals.semantic:.2f})" if signals.semantic is not None else ""
    told = {
        "matches words of the query": by_words,
        "matching words": by_words,
        "its tags match the query": _tags_named(hit.memory, query),
        "close in meaning": by_meaning,
        "similar in meaning": by_meaning,
        "its session matches the query": "Its session matches the query",
    }
    carried = [(share.share, told[share.meaning]) for share in signals.shares if told.get(share.meaning)]
    least = CARRIED * sum(share for share, _ in carried if share > 0)
    parts = [part for share, part in carried if share > 0 and share >= least]
    reason = hit.reason[:1].upper() + hit.reason[1:]
    return "; ".join(dict.fromkeys(parts)) or reason


def _tags_named(memory: Memory, query: str) -> str:
    asked = set(terms(query))
    tags = [tag for tag in memory.tags if asked & set(terms(tag))]
    return f"Tag match: {', '.join(tags)}" if tags else ""
