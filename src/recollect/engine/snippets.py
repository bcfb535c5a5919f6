"""Snippets: coding memories as they are kept, found and linked.

    content ─► analyse ─► memory: title = the line about it, tags, category = its language, metadata.coding = the rest
                              └─► candidates by words and by meaning ─► relate ─► edges with their link type

A coding memory is an ordinary memory whose category says so: recall, export, undo and decay treat it as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect import clock
from recollect.code.languages import BY_NAME as LANGUAGES
from recollect.code.snippet.analyse import Snippet, analyse, one_line, subject
from recollect.code.snippet.recognise import named
from recollect.code.snippet.relate import RELATIONSHIPS, Related, rarity, relate
from recollect.engine.identity import namespace_of
from recollect.engine.memories import CODE, content_hash, ensure_node, node_id
from recollect.errors import BudgetSpent, ConfigError, ModelFailed, StorageError
from recollect.model import Edge, Hit, Memory
from recollect.model.coding import CodingMemory, LinkType, RelevantMemories, RelevantMemory
from recollect.text.passages import passages
from recollect.text.redaction.redact import redact_value, told
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.store.protocol import Transaction

# The category of a coding memory is its language behind this; of one that we have no grammar for, or of prose, OTHER.
OTHER = f"{CODE}other"
CATEGORIES: tuple[str, ...] = (*(f"{CODE}{name}" for name in LANGUAGES), OTHER)
# Where a memory keeps what was found out about it.
KEY = "coding"
# Operations as the change log names them.
STORED = "store_coding_memory"

# Candidates that a piece is compared with, by words and by meaning, and links that one piece begins with: what belongs
# together is among the first, and a piece that is linked with everything is linked with nothing.
CANDIDATES = 24
MOST_LINKS = 6
# Hits looked at for the number of all that are relevant enough.
COUNTED = 200
# What asking a language model may end in: it fails, its settings cannot work, or the call cannot be counted. Rules have
# an answer to all of them.
UNANSWERED = (ModelFailed, ConfigError, StorageError)
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


# --- store ---


def store(
    engine: Engine, content: str, *, namespace: str | None, code_type: str, context: str, strict: bool
) -> CodingMemory:
    """Analyse, keep and link a piece of code. With `strict`, raises ModelFailed and EmbeddingFailed."""
    namespace_of(namespace)  # refused before a language model is asked about anything
    # Before the analysis, which takes names and words apart: a part of a secret is not recognised any more.
    (content, context), secrets = redact_value((content, context))
    before = _before(engine, content, namespace)
    said = context or _given(before)
    language = named(code_type) if code_type else str(before.get("code_type") or "")
    snippet, notes = by_model(engine, content, analyse(content, language=language, context=said), strict=strict)
    kept = context or (before.get("context") if before.get("base") == snippet.context else "") or snippet.context
    notes += (told(secrets),) if secrets else ()
    if strict:
        engine.embedding.of_texts([content])
    stored = engine.memories.store(
        content,
        tags=snippet.tags,
        namespace=namespace,
        title=snippet.context or None,
        category=category(snippet.language),
        metadata={KEY: described(snippet, str(kept))},
        amend=False,
    )
    memory = stored.memory
    if context and not stored.created:  # what somebody says of it is its headline
        memory = engine.memories.update(memory.id, title=snippet.context)
    created, more = _linked(engine, memory) if stored.created else (0, ())
    return CodingMemory(
        memory_id=memory.id,
        keywords=snippet_of(memory).keywords,
        tags=memory.tags,
        links_created=created,
        event_emitted=stored.created or bool(stored.merged),
        notes=notes + more,
    )


def _linked(engine: Engine, memory: Memory) -> tuple[int, tuple[str, ...]]:
    """Link a new memory to its neighbours; return how many links were made, and notes."""
    # A provider elsewhere may take seconds; storing does not wait for it, and evolution looks again.
    if engine.settings.embed_provider == "local":
        engine.embedding.embed(memory)
    found, notes = neighbours(engine, Kept(memory, snippet_of(memory)))
    with engine.store.transaction(STORED) as transaction:
        return write_links(transaction, memory, found, by=STORED), notes


def _before(engine: Engine, content: str, namespace: str | None) -> dict[str, Any]:
    """Return the analysis of the memory with this content, if it was stored before."""
    same = {"content_hash": content_hash(content), "namespace": engine.scope.target(namespace), "observed": False}
    return next(map(analysis, engine.store.find(Memory, same, order="seq", limit=1)), {})


def _given(kept: Mapping[str, Any]) -> str:
    """Return what somebody said of a piece that was stored before; without what evolution made of it."""
    context, base = str(kept.get("context") or ""), str(kept.get("base") or "")
    return (context if one_line(context) == base else base) if kept.get("is_given") else ""


def analysed_again(engine: Engine, known: Memory, content: str) -> dict[str, Any]:
    """Return the fields of a coding memory that its new content changes; what somebody gave it stays.

    Links stay as they are: evolution looks at them again.
    """
    kept, before = analysis(known), snippet_of(known)
    said = _given(kept)
    former = analyse(known.content, context=said)
    language = before.language if before.language != former.language else ""  # somebody named it
    snippet, _ = by_model(engine, content, analyse(content, language=language, context=said), strict=False)
    tags = (*(tag for tag in known.tags if tag not in former.tags), *snippet.tags)
    is_title_made = not said and known.title in (None, kept.get("base"))
    return {
        "title": snippet.context if is_title_made else known.title,
        "tags": tuple(dict.fromkeys(tags)),
        "category": category(snippet.language),
        "metadata": {**known.metadata, KEY: described(snippet, said or snippet.context)},
    }


def by_model(engine: Engine, content: str, snippet: Snippet, *, strict: bool) -> tuple[Snippet, tuple[str, ...]]:
    """Return a snippet as the language model sees it, or as the rules do, with a note that says why."""
    if not engine.language.is_configured:
        return snippet, ()
    from recollect.code.snippet.ask import ANALYSIS_TOKENS, analysed, analysis_prompt

    try:
        answer = engine.language.complete(analysis_prompt(content, snippet), max_tokens=ANALYSIS_TOKENS)
    except UNANSWERED as problem:
        if strict and not isinstance(problem, BudgetSpent):
            raise
        return snippet, (f"analysed by built-in rules: {problem.message}",)
    found, fault = analysed(answer, content, snippet)
    if fault and strict:
        raise ModelFailed(f"{engine.language.model_id} returned an unusable answer: {fault}", reason=fault)
    return found, (f"analysed by built-in rules: {fault}",) if fault else ()


def category(language: str) -> str:
    """Return the category of a piece in a language."""
    return f"{CODE}{language}" if language in LANGUAGES else OTHER


def described(snippet: Snippet, context: str) -> dict[str, Any]:
    """Return what is kept of an analysis, as metadata; context: all that is said of it, `base` before any evolution."""
    return {
        "code_type": snippet.language,
        "context": context,
        "base": snippet.context,
        "keywords": list(snippet.keywords),
        "defines": list(snippet.defines),
        "imports": list(snippet.imports),
        "concepts": list(snippet.concepts),
        "errors": list(snippet.errors),
        "is_fix": snippet.is_fix,
        "is_step": snippet.is_step,
        "is_given": snippet.is_given,
    }


def analysis(memory: Memory) -> dict[str, Any]:
    """Return what a coding memory keeps of its analysis; empty where that is missing or was overwritten."""
    kept = memory.metadata.get(KEY)
    return kept if isinstance(kept, dict) else {}


def snippet_of(memory: Memory) -> Snippet:
    """Return the analysis of a coding memory; fields missing from its metadata are computed again."""
    kept = analysis(memory)
    if not isinstance(kept.get("keywords"), list):
        language = (memory.category or "").removeprefix(CODE)
        return analyse(memory.content, language=language if language in LANGUAGES else "", context=memory.title or "")
    # Edits of the title or the tags by a user win over the metadata.
    from recollect.code.snippet.concepts import BY_NAME

    return Snippet(
        language=str(kept.get("code_type") or ""),
        context=memory.title or one_line(str(kept.get("context") or "")),
        keywords=_texts(kept, "keywords"),
        tags=memory.tags,
        defines=_texts(kept, "defines"),
        imports=_texts(kept, "imports"),
        concepts=tuple(name for name in _texts(kept, "concepts") if name in BY_NAME),
        errors=_texts(kept, "errors"),
        is_fix=bool(kept.get("is_fix")),
        is_step=bool(kept.get("is_step")),
        is_given=bool(kept.get("is_given")),
    )


def _texts(kept: Mapping[str, Any], field: str) -> tuple[str, ...]:
    values = kept.get(field)
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


# --- links ---


def neighbours(engine: Engine, kept: Kept) -> tuple[list[Link], tuple[str, ...]]:
    """Return the links that a memory should have, strongest first, and notes about what was not looked at."""
    candidates, cosines, notes = _candidates(engine, kept)
    return related(
        kept, candidates, rarities(engine, [kept.snippet, *(row.snippet for row in candidates)]), cosines
    ), notes


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


def _candidates(engine: Engine, kept: Kept) -> tuple[list[Kept], dict[str, float], tuple[str, ...]]:
    """Return the memories that may belong together with one, by words and by meaning, and the cosines of the latter."""
    memory, snippet = kept
    where: dict[str, object] = {"namespace": memory.namespace, "category": CATEGORIES, "superseded_by": None}
    words = list(
        dict.fromkeys(terms(" ".join((snippet.context, *snippet.keywords, *snippet.defines[:6], *snippet.errors))))
    )
    found = [match.id for match in engine.store.search_text(words, where, CANDIDATES)]
    cosines: dict[str, float] = {}
    notes: tuple[str, ...] = ()
    # A provider elsewhere may take seconds; storing does not wait for it, and evolution looks again.
    if engine.embedding.model_id and engine.settings.embed_provider == "local":
        # What is without a vector gets one now, as far as that is quick; what is missing then was not worth a wait.
        vector, _ = engine.embedding.of_query(f"{memory.title or ''}\n{passages(memory.content)[0]}")
        if (failure := engine.embedding.failure) is not None:
            notes = (f"linked by keywords only: {failure.message}",)
        if vector is not None:
            matches = engine.store.search_vectors(engine.embedding.model_id, vector, where, CANDIDATES)
            for match in matches:
                cosines[match.id] = max(cosines.get(match.id, 0.0), match.score)
    ids = [name for name in dict.fromkeys((*found, *cosines)) if name != memory.id]
    rows = [Kept(row, snippet_of(row)) for row in engine.store.get(Memory, ids)]
    return rows, cosines, notes


def rarities(engine: Engine, snippets: Iterable[Snippet]) -> dict[str, float]:
    """Return how much each word of some subjects tells, by how many memories hold it."""
    roots = sorted({root for snippet in snippets for root in subject(snippet)})
    counts = engine.store.term_counts(roots)
    return {root: rarity(counts.passages, counts.of(root)) for root in roots}


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
            continue  # somebody linked them the same way by hand
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


# --- retrieve ---


def retrieve(
    engine: Engine,
    query: str,
    *,
    namespace: str | None,
    all_projects: bool,
    limit: int,
    code_types: tuple[str, ...],
    least: float,
) -> RelevantMemories:
    """Return the coding memories that answer a query, best first."""
    from recollect.engine import accept
    from recollect.engine.answer import answer
    from recollect.engine.recall import Asked

    wanted = {named(name) for name in code_types}
    where: dict[str, object] = {"category": tuple(sorted({category(name) for name in wanted})) or CATEGORIES}
    where |= engine.scope.where(namespace, all_projects=all_projects, asks=True)
    asked = Asked(accept.query(query), max(limit, COUNTED), least, where, None, explain=True, near=namespace)
    # Two solutions of one problem are not an old and a new version of one fact.
    found = answer(engine, asked, leave_out=frozenset({"supersede"}))
    hits = [hit for hit in found.hits if not wanted or snippet_of(hit.memory).language in wanted]
    return RelevantMemories(
        memories=tuple(_relevant(hit, found.query) for hit in hits[:limit]), total_found=len(hits), notes=found.notes
    )


def _relevant(hit: Hit, query: str) -> RelevantMemory:
    memory = hit.memory
    snippet = snippet_of(memory)
    said = analysis(memory).get("context")
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
    told = {
        "matches words of the query": by_words,
        "matching words": by_words,
        "its tags match the query": _tags_named(hit.memory, query),
        "close in meaning": f"Close in meaning (cosine {signals.semantic:.2f})" if signals.semantic is not None else "",
        "similar in meaning": f"Close in meaning (cosine {signals.semantic:.2f})"
        if signals.semantic is not None
        else "",
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
