"""Answer: one question through all stages of a recall.

understand ─► gather ─► measure ─► score ─► weigh ─► select ─► supersede ─► explain
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from recollect import clock
from recollect.engine.amending import closeness
from recollect.engine.branches import written_on
from recollect.engine.excerpt import excerpt, moments
from recollect.engine.freshness import freshness_of
from recollect.engine.memories import node_id
from recollect.engine.reply import is_assistant, replies
from recollect.model import Branched, Edge, Hit, Memory, Recall, Reply, Signals
from recollect.recall.changes import DEPTH, LEAST_ALIKE, changes
from recollect.recall.explain import matched_words, reason, shares_of
from recollect.recall.gather import Pool, gather
from recollect.recall.measure import measure, rarity
from recollect.recall.profiles import Profile
from recollect.recall.query import Query, neutral, understand
from recollect.recall.ruler import comparable
from recollect.recall.score import Scored, score
from recollect.recall.select import Selected, fold, select, turns_first
from recollect.recall.supersede import STATING_DEPTH, Version, replaces, supersede, tense
from recollect.recall.weigh import overlaid
from recollect.store.protocol import Filter, NotBefore, Passage, Range, Store
from recollect.text.sameness import says_the_same

if TYPE_CHECKING:
    from recollect.engine.recall import Asked
    from recollect.engine.root import Engine


# The source of summaries: they say what others say, later, and are no newer version of it.
SUMMING_UP = "consolidation"

# Passages gathered from each arm when most may be too new for the moment asked about.
AS_OF_POOL = 240


class Ranking(NamedTuple):
    """A question with its scored pool: what the later stages and the explanation look at.

    fitted: the scores before the weights in force were applied; distances between them mean the same for everybody.
    closeness: cosines as the shipped model would have them, by passage.
    branches: where memories were written that were not on the default branch, by their id. away: those of them, and
    of what replaced others, that are not merged here: on this branch they replace nothing.
    """

    query: Query
    pool: Pool
    scored: Scored
    fitted: Scored
    profile: Profile
    closeness: Mapping[int, float]
    mode: Literal["hybrid", "lexical"]
    notes: tuple[str, ...]
    branches: Mapping[str, Branched] = {}
    away: frozenset[str] = frozenset()


def answer(engine: Engine, asked: Asked, *, leave_out: frozenset[str] = frozenset()) -> Recall:
    """Return the memories that answer a question, best first."""
    ranking = rank(engine, asked, leave_out)
    if not ranking.pool.passages:
        # Nothing found is said of a sound index only.
        notes = (*ranking.notes, *(f"{gap}: run `recollect rebuild`" for gap in engine.store.text_gaps()))
        return Recall(query=asked.text, hits=(), mode=ranking.mode, notes=notes)
    chosen = select(ranking.pool.passages, ranking.scored, limit=max(asked.limit, DEPTH), least=asked.least)
    memories = {memory.id: memory for memory in engine.store.get(Memory, [hit.memory_id for hit in chosen])}
    # A memory deleted since the search began is simply not there any more.
    present = [hit for hit in chosen if hit.memory_id in memories and _holds(memories[hit.memory_id], asked)]
    ranking = ranking._replace(away=_away(engine, ranking, memories, asked))
    present, folded = fold(present, partial(_says_the_same, ranking, memories, asked.as_of))
    answers = replies(engine.store, [memories[hit.memory_id] for hit in present], as_of=asked.as_of)
    present = _turns_first(ranking, present, memories, answers)
    present = _replacements_first(ranking, present, memories, asked.as_of)
    replaced: dict[str, str] = {}
    if "supersede" not in leave_out:
        present, replaced = _newest_first(engine, ranking, present, memories)
    present = _members_first(engine.store, present, memories)
    hits = tuple(
        msgspec.structs.replace(
            _hit(memories[hit.memory_id], hit, ranking, replaced.get(hit.memory_id), asked),
            reply=answers.get(hit.memory_id),
            folded=folded.get(hit.memory_id, ()),
        )
        for hit in present[: asked.limit]
    )
    fresh = freshness_of(engine.store, [hit.memory.id for hit in hits])
    hits = tuple(msgspec.structs.replace(hit, freshness=fresh.get(hit.memory.id, hit.freshness)) for hit in hits)
    if asked.explain:
        used = engine.usefulness.told([hit.memory.id for hit in hits])
        hits = tuple(msgspec.structs.replace(hit, use=used.get(hit.memory.id, "")) for hit in hits)
    return Recall(query=asked.text, hits=_never_rising(hits), mode=ranking.mode, notes=ranking.notes)


def _turns_first(
    ranking: Ranking, chosen: Sequence[Selected], memories: Mapping[str, Memory], answers: Mapping[str, Reply]
) -> list[Selected]:
    """Return the hits with what a person said before an assistant's reply, if it has a word of the question."""
    asked = set(ranking.query.terms)
    turns = {
        answers[hit.memory_id].memory_id: hit.memory_id
        for hit in chosen
        if hit.memory_id in answers and not asked.isdisjoint(ranking.pool.passages[hit.place].tokens)
    }
    by_assistants = {
        reply: turn for reply, turn in turns.items() if reply in memories and is_assistant(memories[reply])
    }
    return turns_first(
        chosen, by_assistants, {hit.memory_id: float(ranking.fitted.scores[hit.place]) for hit in chosen}
    )


def _never_rising(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits with what was superseded scored no higher than what stands above it."""
    capped: list[Hit] = []
    for hit in hits:
        most = capped[-1].score if capped else 1.0
        capped.append(msgspec.structs.replace(hit, score=min(hit.score, most)))
    return tuple(capped)


def rank(engine: Engine, asked: Asked, leave_out: frozenset[str]) -> Ranking:
    """Return the pool of a question with the score of every passage."""
    store, embedding = engine.store, engine.embedding
    query = understand(asked.text, now=clock.now() if asked.as_of is None else asked.as_of)
    counts = store.term_counts(query.terms, query.name_terms, asked.where)
    wording = query.text if "neutral" in leave_out else neutral(query, counts.authors)
    vector, notes = embedding.of_query(wording)
    wanted = asked.limit if asked.as_of is None else AS_OF_POOL
    where = _in_force(store, asked)
    least = {} if asked.pool is None else {"pool": asked.pool}
    pool = gather(store, query, counts, vector, model=embedding.model_id, where=where, limit=wanted, **least)
    if asked.as_of is not None:
        pool = pool._replace(passages=_until(pool.passages, asked.as_of))
    cosines = pool.cosines and comparable(pool.cosines, engine.rulers.of(embedding.model_id))
    signals = measure(query, pool.passages, counts, cosines) if pool.passages else {}
    fitted = score({name: column for name, column in signals.items() if name not in leave_out})
    scored, profile = engine.scoring.weighed(query, pool, fitted, asked)
    if asked.as_of is None and "useful" not in leave_out:  # what was learnt since says nothing about the past
        scored = engine.usefulness.weighed(profile, scored, pool, asked)
    branches = _branches(engine, pool, asked)
    if branches and asked.as_of is None:  # what is merged now says nothing about a moment of the past
        scored = overlaid(profile, scored, pool, {name: row.standing for name, row in branches.items()})
    mode: Literal["hybrid", "lexical"] = "lexical" if vector is None else "hybrid"
    return Ranking(query, pool, scored, fitted, profile, cosines or {}, mode, notes, branches)


def _branches(engine: Engine, pool: Pool, asked: Asked) -> dict[str, Branched]:
    """Return how the branches stand that memories of a pool were written on, by memory id."""
    written = {
        passage.memory_id: passage.standing.written for passage in pool.passages if passage.standing.written is not None
    }
    stands = engine.branches.standings(written.values(), asked.near) if written else {}
    return {memory_id: stands[place] for memory_id, place in written.items()}


def _away(engine: Engine, ranking: Ranking, memories: Mapping[str, Memory], asked: Asked) -> frozenset[str]:
    """Return which memories are of branches that are not merged here, what replaced the hits included."""
    away = {name for name, row in ranking.branches.items() if row.standing == "elsewhere"}
    newer = {row.superseded_by for row in memories.values() if row.superseded_by} - set(memories)
    written = {row.id: place for row in engine.store.get(Memory, sorted(newer)) if (place := written_on(row))}
    if written:
        stands = engine.branches.standings(written.values(), asked.near)
        away |= {name for name, place in written.items() if stands[place].standing == "elsewhere"}
    return frozenset(away)


def _until(passages: Sequence[Passage], moment: int) -> list[Passage]:
    """Return the passages with those from after a moment marked as not eligible."""
    return [passage._replace(eligible=passage.eligible and passage.at <= moment) for passage in passages]


def _in_force(store: Store, asked: Asked) -> Filter | None:
    """Return the filter of a question without what has expired or is archived: it must not crowd out what is not.

    Mostly nothing is, and a filter costs time.
    """
    now = clock.now()
    expired = {"expires_at": Range(below=now + 1)}
    if asked.as_of is not None or asked.archived or not store.columns(Memory, ("id",), expired, limit=1):
        return asked.where
    return {**(asked.where or {}), "expires_at": NotBefore(now + 1)}


def _holds(memory: Memory, asked: Asked) -> bool:
    """Tell whether a memory may be part of an answer: not expired and, as of a past moment, still in force then."""
    if asked.as_of is None:
        return asked.archived or memory.expires_at is None or memory.expires_at > clock.now()
    return memory.valid_to is None or memory.valid_to > asked.as_of


def _superseded_by(ranking: Ranking, memory: Memory, as_of: int | None) -> str | None:
    """Return which memory replaced this one, as far as that had happened, and happened here."""
    return memory.superseded_by if as_of is None and memory.superseded_by not in ranking.away else None


def _replacements_first(
    ranking: Ranking, chosen: Sequence[Selected], memories: Mapping[str, Memory], as_of: int | None
) -> list[Selected]:
    """Return the hits with every memory that replaces another just above it, or below it if asked what held before."""
    ordered = list(chosen)
    asks_before = tense(ranking.query.text) == "before"
    for hit in chosen:
        newer = _superseded_by(ranking, memories[hit.memory_id], as_of)
        replacement = next((other for other in ordered if other.memory_id == newer), None)
        if replacement is not None:
            _put_above(ordered, *((hit, replacement) if asks_before else (replacement, hit)))
    return ordered


def _newest_first(
    engine: Engine, ranking: Ranking, chosen: Sequence[Selected], memories: Mapping[str, Memory]
) -> tuple[list[Selected], dict[str, str]]:
    """Return the hits with versions of one fact newest first, and by which memory each older one is replaced."""
    weights = dict(zip(ranking.query.terms, rarity(ranking.query, ranking.pool.counts).tolist(), strict=True))
    versions = [
        Version(
            place,
            passage.at,
            float(ranking.fitted.scores[hit.place]),
            passage.tokens,
            partial(_text, memories[hit.memory_id], passage.pid),
            passage.seq,
            ranking.closeness.get(passage.pid, 0.0),
        )
        for place, hit in enumerate(chosen[:DEPTH])
        if hit.memory_id not in ranking.away and memories[hit.memory_id].source != SUMMING_UP
        for passage in (ranking.pool.passages[hit.place],)
    ]
    newest = supersede(ranking.query, weights, versions[:STATING_DEPTH])
    ordered = list(chosen)
    for place, version in zip(sorted(version.place for version in newest), newest, strict=True):
        ordered[place] = chosen[version.place]
    # Imported history tells what was done: it is put below what is newer, and not marked on the evidence of words.
    older = [
        chosen[version.place].memory_id
        for version in newest
        if replaces(newest[0], version) and memories[chosen[version.place].memory_id].source != "import"
    ]
    replaced = dict.fromkeys(older, chosen[newest[0].place].memory_id) if older else {}
    if tense(ranking.query.text) == "now":
        found = changes(ranking.query, weights, versions)
        alike = closeness(engine, [(change.new, change.old) for change in found])
        for change, near in zip(found, alike, strict=True):
            if change.is_certain or near >= LEAST_ALIKE:
                _put_above(ordered, chosen[change.newer], chosen[change.older])
    return ordered, replaced


def _put_above(ordered: list[Selected], upper: Selected, lower: Selected) -> None:
    """Move a hit to just above another one, if it stands below it."""
    if ordered.index(upper) > ordered.index(lower):
        ordered.remove(upper)
        ordered.insert(ordered.index(lower), upper)


def _members_first(store: Store, chosen: Sequence[Selected], memories: Mapping[str, Memory]) -> list[Selected]:
    """Return the hits with every summary moved to just below the first of what it sums up.

    It has the words of all its members, so that it matches better than the one that was meant.
    """
    ordered = list(chosen)
    summaries = [hit for hit in chosen if memories[hit.memory_id].source == SUMMING_UP]
    if not summaries:
        return ordered
    ends = {"src": tuple(node_id(hit.memory_id) for hit in summaries), "relationship": "SUMMARIZES"}
    covered = {(edge.src, edge.dst) for edge in store.find(Edge, ends)}
    for hit in summaries:
        own = node_id(hit.memory_id)
        places = [place for place, other in enumerate(ordered) if (own, node_id(other.memory_id)) in covered]
        if places and places[0] > ordered.index(hit):
            ordered.remove(hit)
            ordered.insert(places[0], hit)
    return ordered


def _text(memory: Memory, pid: int) -> str:
    """Return the text of a passage, as far as the memory still has it."""
    part = excerpt(memory, pid)
    return memory.content[part.start : part.end]


def _says_the_same(
    ranking: Ranking, memories: Mapping[str, Memory], as_of: int | None, better: Selected, hit: Selected
) -> bool:
    """Tell whether a hit may be folded under a better one: never what holds now, and here, under what does not."""
    above, below = memories[better.memory_id], memories[hit.memory_id]
    if _superseded_by(ranking, above, as_of) is not None and _superseded_by(ranking, below, as_of) is None:
        return False
    if above.id in ranking.away and below.id not in ranking.away:
        return False
    pids = (ranking.pool.passages[one.place].pid for one in (better, hit))
    return says_the_same(*(_text(memory, pid) for memory, pid in zip((above, below), pids, strict=True)))


def _hit(memory: Memory, chosen: Selected, ranking: Ranking, newer: str | None, asked: Asked) -> Hit:
    pool, passage = ranking.pool, ranking.pool.passages[chosen.place]
    signals = Signals(
        lexical_rank=pool.lexical.get(passage.pid),
        semantic=round(pool.cosines[passage.pid], 4) if pool.cosines and passage.pid in pool.cosines else None,
        semantic_rank=pool.semantic.get(passage.pid),
        matched_terms=matched_words(ranking.query, passage.tokens),
        dated="dated" in ranking.fitted.shares and bool(ranking.fitted.shares["dated"][chosen.place] > 0),
        shares=shares_of(
            {name: float(column[chosen.place]) for name, column in ranking.scored.shares.items()},
            least=ranking.profile.least_share,
        )
        if asked.explain
        else (),
    )
    replaced_by = _superseded_by(ranking, memory, asked.as_of) or newer
    branch = ranking.branches.get(memory.id)
    part = excerpt(memory, passage.pid)
    return Hit(
        memory=memory,
        score=chosen.relevance,
        reason=reason(signals, ranking.closeness.get(passage.pid)),
        signals=signals,
        superseded_by=replaced_by,
        passage=part,
        times=moments(memory, passage, part),
        branch=branch,
    )
