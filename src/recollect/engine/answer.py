"""Answer: one question through all stages of a recall.

understand ─► gather ─► measure ─► score ─► weigh ─► select ─► spread ─► supersede ─► explain
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from recollect import clock
from recollect.engine.amending import closeness
from recollect.engine.branches import written_on
from recollect.engine.excerpt import excerpt, moments
from recollect.engine.freshness import freshness_of
from recollect.engine.memories import node_id
from recollect.engine.recall import ANSWERED
from recollect.engine.reply import replies
from recollect.model import Branched, Edge, Hit, Memory, Recall, Signals
from recollect.recall.calibration import comparable
from recollect.recall.changes import DEPTH, LEAST_ALIKE, changes
from recollect.recall.explain import matched_words, reason, shares_of, traits
from recollect.recall.gather import POOL, Pool, gather
from recollect.recall.hybrid_score import overlaid
from recollect.recall.measure import Column, measure, rarity
from recollect.recall.profiles import Profile
from recollect.recall.query import Query, neutral, understand
from recollect.recall.score import Scored, ranked_after, score
from recollect.recall.select import Selected, fold, select, spread
from recollect.recall.supersede import STATING_DEPTH, Version, replaces, supersede, tense
from recollect.store.protocol import Filter, NotBefore, Passage, Range, Store
from recollect.text.sameness import says_the_same

if TYPE_CHECKING:
    from recollect.engine.recall import Asked
    from recollect.engine.root import Engine


# The source of summaries: they say what others say, later, and are no newer version of it.
SUMMING_UP = "consolidation"

# Passages gathered from each arm when most may be too new for the moment asked about.
AS_OF_POOL = 240

# So much of a question, by the rarity of its words, names tags of one memory where it is a question for these tags.
ALL_TAGS = 0.9

# The first hits, which the later stages put in order. Fixed, so that their order does not depend on how many are asked
# for.
FIRST = 30


class Ranking(NamedTuple):
    """A question with its scored pool: what the later stages and the explanation look at.

    fitted: the scores before the weights in force were applied; distances between them mean the same for everybody.
    closeness: cosines as the shipped model would have them, by passage.
    talk: the passages that are turns between people. answered: how likely the question is answered at all.
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
    talk: frozenset[int]
    answered: float
    branches: Mapping[str, Branched] = {}
    away: frozenset[str] = frozenset()


def answer(engine: Engine, asked: Asked, *, leave_out: frozenset[str] = frozenset()) -> Recall:
    """Return the memories that answer a question, best first."""
    ranking = rank(engine, asked, leave_out)
    if not ranking.pool.passages:
        # Nothing found is said of a sound index only.
        notes = (*ranking.notes, *(f"{gap}: run `recollect rebuild`" for gap in engine.store.text_gaps()))
        return Recall(query=asked.text, hits=(), mode=ranking.mode, notes=notes)
    if asked.hides_weak and ranking.answered < ANSWERED:
        weak = f"the best match has a relevance of {ranking.answered:.2f}; a lower min_score shows it"
        return Recall(query=asked.text, hits=(), mode=ranking.mode, notes=(*ranking.notes, weak))
    chosen = select(ranking.pool.passages, ranking.scored, limit=max(asked.limit, FIRST), least=asked.least)
    memories = {memory.id: memory for memory in engine.store.get(Memory, [hit.memory_id for hit in chosen])}
    # A memory deleted since the search began is simply not there any more.
    present = [hit for hit in chosen if hit.memory_id in memories and _holds(memories[hit.memory_id], asked)]
    ranking = ranking._replace(away=_away(engine, ranking, memories, asked))
    present, folded = fold(present, partial(_says_the_same, ranking, memories, asked.as_of))
    first, rest = present[:FIRST], present[FIRST:]
    if "spread" not in leave_out:
        first = _spread(ranking, first)
    first = _replacements_first(ranking, first, memories, asked.as_of)
    replaced: dict[str, str] = {}
    if "supersede" not in leave_out:
        first, replaced = _newest_first(engine, ranking, first, memories)
    present = [*_members_first(engine.store, first, memories), *rest][: asked.limit]
    answers = replies(engine.store, [memories[hit.memory_id] for hit in present], as_of=asked.as_of)
    hits = tuple(
        msgspec.structs.replace(
            _hit(memories[hit.memory_id], hit, ranking, replaced.get(hit.memory_id), asked),
            reply=answers.get(hit.memory_id),
            folded=folded.get(hit.memory_id, ()),
        )
        for hit in present
    )
    fresh = freshness_of(engine.store, [hit.memory.id for hit in hits])
    hits = tuple(msgspec.structs.replace(hit, freshness=fresh.get(hit.memory.id, hit.freshness)) for hit in hits)
    if asked.explain:
        used = engine.usefulness.told([hit.memory.id for hit in hits])
        hits = tuple(msgspec.structs.replace(hit, use=used.get(hit.memory.id, "")) for hit in hits)
    return Recall(query=asked.text, hits=_never_rising(hits), mode=ranking.mode, notes=ranking.notes)


def _spread(ranking: Ranking, chosen: Sequence[Selected]) -> list[Selected]:
    """Return the hits with those of a session that has hits already a little lower, for turns between people."""
    passages = ranking.pool.passages
    sessions = {
        hit.memory_id: session
        for hit in chosen
        if passages[hit.place].pid in ranking.talk and (session := passages[hit.place].session_id) is not None
    }
    scores = {hit.memory_id: float(ranking.scored.scores[hit.place]) / ranking.profile.point for hit in chosen}
    return spread(chosen, scores, sessions, several=ranking.query.wants_several)


def _never_rising(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits with none scored higher than the one above it: some were moved after they were scored."""
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
    core = AS_OF_POOL if asked.as_of is not None else asked.pool or POOL
    where = _in_force(store, asked)

    def measured(wanted: int) -> tuple[Pool, Mapping[str, Column], Mapping[int, float]]:
        pool = gather(store, query, counts, vector, model=embedding.model_id, where=where, limit=wanted)
        if asked.as_of is not None:
            pool = pool._replace(passages=_until(pool.passages, asked.as_of))
        cosines = pool.cosines and comparable(pool.cosines, engine.rulers.of(embedding.model_id))
        columns = measure(query, pool.passages, counts, cosines) if pool.passages else {}
        return pool, {name: column for name, column in columns.items() if name not in leave_out}, cosines or {}

    pool, signals, cosines = measured(core)
    fitted = score(signals, unasked=asked.unasked)
    answered = _answered(pool, fitted, signals)
    if asked.limit > core:
        near = {passage.pid for passage in pool.passages}
        pool, signals, cosines = measured(asked.limit)
        places = np.array([place for place, passage in enumerate(pool.passages) if passage.pid in near], np.int64)
        fitted = ranked_after(fitted, places, score(signals, unasked=asked.unasked))
    scored, profile = engine.scoring.weighed(query, pool, fitted, asked)
    if asked.as_of is None and "useful" not in leave_out:  # what was learnt since says nothing about the past
        scored = engine.usefulness.weighed(profile, scored, pool, asked)
    branches = _branches(engine, pool, asked)
    if branches and asked.as_of is None:  # what is merged now says nothing about a moment of the past
        scored = overlaid(profile, scored, pool, {name: row.standing for name, row in branches.items()})
    mode: Literal["hybrid", "lexical"] = "lexical" if vector is None else "hybrid"
    talk = (
        frozenset(row.pid for row, note in zip(pool.passages, signals["note"], strict=True) if not note)
        if signals
        else frozenset[int]()
    )
    return Ranking(query, pool, scored, fitted, profile, cosines, mode, notes, talk, answered, branches)


def _answered(pool: Pool, fitted: Scored, signals: Mapping[str, Column]) -> float:
    """Return how likely a question is answered: by its best hit, and for certain where it is all tags of a memory."""
    eligible = [place for place, passage in enumerate(pool.passages) if passage.eligible]
    if not eligible:
        return 0.0
    tagged = "labelled" in signals and signals["labelled"][eligible].max() > ALL_TAGS
    return 1.0 if tagged else float(fitted.relevance[eligible].max())


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
            "turn" if passage.session_id and passage.author else "document" if passage.shape.parts > 1 else "note",
        )
        for place, hit in enumerate(chosen[:DEPTH])
        for passage in (ranking.pool.passages[hit.place],)
        if _may_be_version(ranking, memories[hit.memory_id], passage)
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


def _may_be_version(ranking: Ranking, memory: Memory, passage: Passage) -> bool:
    """Tell whether a hit may be a version of a fact: no summary or event, not of another branch, no turn of people.

    People tell what happened; what they tell later does not replace it.
    """
    if memory.id in ranking.away or memory.observed or memory.source == SUMMING_UP:
        return False
    return passage.pid not in ranking.talk or passage.session_id is None


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
            traits(ranking.query, pool, chosen.place),
            least=ranking.profile.least_share,
            amounts=not ranking.profile.fitted,
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
