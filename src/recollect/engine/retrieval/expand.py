"""Expansion: the hits of a search and the memories they are linked to.

    search ─► seeds ─► relevance spreads along links (relation_semantics) ─► joined with own matches ─► the best

The relevance of a linked memory is that of its seed times the square root of the share of walkers that arrive: 0.71
over the only link, 0.35 over one of four links, 0.35 after two steps of a chain. Walkers divide among links, although
each link was made for a reason; the root compensates for that. Several seeds and the memory's own match count as
independent evidence, 1 - Π(1 - chance). A linked memory never ranks above the memory that leads to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock
from recollect.engine.graph.graph_view import steps
from recollect.engine.memory.freshness import freshness_of
from recollect.engine.records.memory_rows import batches, headline
from recollect.engine.retrieval.query_arguments import SEARCH_RELEVANCE
from recollect.graph.arrays import Graph, Sieve
from recollect.graph.relation_semantics import newer_versions, spread
from recollect.graph.walk import breadth_first
from recollect.model import Hit, Memory, Recall, Signals
from recollect.model.graph_answer import ExpandedHit, Step

if TYPE_CHECKING:
    from recollect.store.sql import Store
    from recollect.store.store_values import Filter

# The score of a linked memory relative to its seed: always lower.
BELOW_SEED = 0.99
# Reached memories that are read, the best: a hub links to thousands.
MOST_REACHED = 500
# What a seed is called in a reason.
CALLED_CHARACTERS = 60


class Reach(NamedTuple):
    """The path to a memory: node, seed, and the chance that it is relevant."""

    chance: float
    seed: Hit
    seed_node: int
    node: int


class Candidate(NamedTuple):
    """A memory that may be part of the answer: found by itself, over links (best way first), or both."""

    memory: Memory
    chance: float
    own: Hit | None
    ways: Sequence[Reach] = ()


class Wanted(NamedTuple):
    """Limits of an expansion: number, relevance, distance, filter and moment."""

    limit: int
    least: float
    depth: int
    where: Filter | None
    as_of: int | None


def expanded(store: Store, graph: Graph, found: Recall, wanted: Wanted, through: Sieve) -> tuple[ExpandedHit, ...]:
    """Return the best hits and linked memories, each linked one with its path.

    found: more hits than are wanted, down to the least relevant: how well the linked ones match by themselves
    """
    own = {hit.memory.id: hit for hit in found.hits}
    reached = _reached(graph, [hit for hit in found.hits[: wanted.limit] if hit.score >= wanted.least], wanted, through)
    # A memory that is folded under another hit is no hit of its own.
    for memory_id in {folded for hit in found.hits for folded in hit.folded}:
        reached.pop(memory_id, None)
    chances = {memory_id: _chance(own.get(memory_id), ways) for memory_id, ways in reached.items()}
    likely = sorted(reached, key=lambda memory_id: -chances[memory_id])[:MOST_REACHED]
    memories = {memory_id: hit.memory for memory_id, hit in own.items()}
    memories |= _memories(store, [memory_id for memory_id in likely if memory_id not in own], wanted)
    candidates = [Candidate(hit.memory, hit.score, hit) for hit in found.hits if hit.memory.id not in reached]
    candidates += [
        Candidate(memories[memory_id], chances[memory_id], own.get(memory_id), reached[memory_id])
        for memory_id in likely
        if memory_id in memories
    ]
    best = _in_order(graph, [row for row in candidates if row.chance >= wanted.least], wanted)
    hits = [_hit(graph, row, wanted, through) for row in best[: wanted.limit]]
    fresh = freshness_of(store, [row.hit.memory.id for row in hits])
    return tuple(
        msgspec.structs.replace(
            row, hit=msgspec.structs.replace(row.hit, freshness=fresh.get(row.hit.memory.id, row.hit.freshness))
        )
        for row in hits
    )


def _reached(graph: Graph, seeds: Sequence[Hit], wanted: Wanted, through: Sieve) -> dict[str, list[Reach]]:
    """Return how memories are reached from seeds that are more relevant than they are, best way first."""
    score = {hit.memory.id: hit.score for hit in seeds}
    ways: dict[str, list[Reach]] = {}
    for seed in seeds:
        for seed_node in graph.of_memory.get(seed.memory.id, ()):
            nodes, shares = spread(graph, seed_node, wanted.depth, through=through)
            for node, share in zip(nodes.tolist(), shares.tolist(), strict=True):
                memory_id = graph.points.memory_ids[node]
                if memory_id is not None and score.get(memory_id, 0.0) < seed.score and memory_id != seed.memory.id:
                    reach = Reach(seed.score * share**0.5, seed, seed_node, node)
                    ways.setdefault(memory_id, []).append(reach)
    return {memory_id: sorted(found, key=lambda reach: -reach.chance) for memory_id, found in ways.items()}


def _chance(own: Hit | None, ways: Sequence[Reach]) -> float:
    """Return how likely a memory is relevant, by itself and by all the ways that lead to it."""
    doubt = 1 - own.score if own is not None else 1.0
    for reach in ways:
        doubt *= 1 - reach.chance
    most = BELOW_SEED * max(reach.seed.score for reach in ways)
    return round(max(min(1 - doubt, most), own.score if own is not None else 0.0), 4)


def _memories(store: Store, ids: Sequence[str], wanted: Wanted) -> dict[str, Memory]:
    """Return the memories that match the filters and hold at the moment asked about."""
    found: dict[str, Memory] = {}
    for batch in batches(ids):
        rows = store.find(Memory, {**(wanted.where or {}), "id": batch})
        found |= {memory.id: memory for memory in rows if _holds(memory, wanted.as_of)}
    return found


def _holds(memory: Memory, as_of: int | None) -> bool:
    if as_of is None:
        return not memory.is_expired(clock.now())
    return memory.said_at <= as_of and (memory.valid_to is None or memory.valid_to > as_of)


def _in_order(graph: Graph, candidates: Sequence[Candidate], wanted: Wanted) -> list[Candidate]:
    """Return candidates best first, a memory that was replaced never above one that replaced it."""
    if wanted.as_of is not None:
        return sorted(candidates, key=lambda row: -row.chance)
    present = {row.memory.id: row for row in candidates}
    capped: list[tuple[Candidate, int]] = []
    for row in candidates:
        chance, older, seen = row.chance, 0, {row.memory.id}
        newer = _replacement(graph, row, present, seen)
        while newer is not None:
            chance, older = min(chance, newer.chance), older + 1
            seen.add(newer.memory.id)
            newer = _replacement(graph, newer, present, seen)
        capped.append((row._replace(chance=chance), older))
    return [row for row, _ in sorted(capped, key=lambda pair: (-pair[0].chance, pair[1]))]


def _replacement(
    graph: Graph, row: Candidate, present: Mapping[str, Candidate], seen: Collection[str]
) -> Candidate | None:
    """Return the candidate that replaces a memory, by its mark, the search or a link."""
    marked = (row.memory.superseded_by, row.own.superseded_by if row.own is not None else None)
    linked = (
        graph.points.memory_ids[int(target)]
        for node in graph.of_memory.get(row.memory.id, ())
        for target in newer_versions(graph, node)
    )
    found = (present.get(memory_id) for memory_id in (*marked, *linked) if memory_id and memory_id not in seen)
    return next((newer for newer in found if newer is not None), None)


def _hit(graph: Graph, row: Candidate, wanted: Wanted, through: Sieve) -> ExpandedHit:
    if not row.ways:
        hit = row.own
        assert hit is not None  # noqa: S101 - what was not reached was found
        return ExpandedHit(hit=msgspec.structs.replace(hit, score=row.chance))
    best = row.ways[0]
    walk = breadth_first(graph, [best.seed_node], most_depth=wanted.depth, direction="both", through=through)
    edges = walk.path(best.node)
    path = steps(graph, edges, best.seed_node)
    why = _reason(path, best.seed.memory)
    if row.own is not None:
        # What any question would find says nothing for it; the link does.
        told = f"{row.own.reason}; {why}" if row.own.score >= SEARCH_RELEVANCE else why
        hit = msgspec.structs.replace(row.own, score=row.chance, reason=told)
    else:
        newer = row.memory.superseded_by if wanted.as_of is None else None
        told = f"{why}; superseded by {newer}" if newer else why
        hit = Hit(memory=row.memory, score=row.chance, reason=told, signals=Signals(), superseded_by=newer)
    return ExpandedHit(hit=hit, hops=len(path), seed_id=best.seed.memory.id, path=path)


def _reason(path: Sequence[Step], seed: Memory) -> str:
    """Return in words how a memory is linked with the seed: to it, from it, or over others."""
    called = headline(seed)
    called = called if len(called) <= CALLED_CHARACTERS else called[: CALLED_CHARACTERS - 1] + "…"
    names = " and ".join(dict.fromkeys(step.relationship for step in path))
    if len(path) > 1:
        return f"{len(path)} links away from “{called}” ({names})"
    return f"linked {'from' if path[0].forwards else 'to'} “{called}” ({names})"
