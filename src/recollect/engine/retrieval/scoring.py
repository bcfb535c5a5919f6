"""Scoring: the weights that rank a recall, per project or for all, and how often injected memories were used.

`sessions.usefulness` counts uses; the weights that it computes per project are settings of the store.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import msgspec

from recollect import clock
from recollect.engine.memory.freshness import imported, worths
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import batches
from recollect.engine.records.scope import project_of
from recollect.errors import InvalidInput, StoreCorrupt
from recollect.model import Memory, ProfileName, ScoringWeights, Usefulness
from recollect.operations import operation
from recollect.recall import feedback
from recollect.recall.profiles import PROFILES, Profile, normalised

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.retrieval.query_arguments import Asked
    from recollect.recall.gather import Pool
    from recollect.recall.query import Query
    from recollect.recall.score import Scored

# Where the weights for all are kept in the store; those of a namespace stand below it.
KEY = "scoring"

Source = Literal["namespace", "global", "default"]


class Kept(msgspec.Struct, frozen=True):
    """Stored weights: a profile, and weights that differ from it."""

    profile: ProfileName
    weights: dict[str, float] | None = None


class Scoring:
    """The ranking of memories."""

    def __init__(self, context: "Context") -> None:
        self._context = context

    @operation("set_scoring_weights", "weights", destructive=True, listed=("profile", "project", "reset"))
    def set_weights(
        self,
        *,
        profile: ProfileName | None = None,
        vector: float | None = None,
        graph: float | None = None,
        token: float | None = None,
        temporal: float | None = None,
        tags: float | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        recency: float | None = None,
        freshness: float | None = None,
        namespace: str | None = None,
        reset: bool = False,
    ) -> ScoringWeights:
        """Set the scoring weights that rank memories. Without arguments it shows the current ones.

        Weights that you omit stay; then all are scaled to sum to 1. They are stored and apply from the next recall.
        They change the order of results, not which memories are relevant enough.

        profile: default: fitted model; documented: weighted sum
        vector: weight of similarity in meaning
        graph: weight of centrality in the graph
        token: weight of shared words
        temporal: weight of matching dates
        tags: weight of tags named in the query
        importance: weight of importance
        confidence: weight of confidence
        recency: weight of recent use
        freshness: weight of unchanged code
        namespace: project path or name; default: all other projects
        reset: forget earlier weights first
        """
        asked = {
            "vector": vector,
            "graph": graph,
            "token": token,
            "temporal": temporal,
            "tags": tags,
            "importance": importance,
            "confidence": confidence,
            "recency": recency,
            "freshness": freshness,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        scope = namespace_of(namespace)
        if profile is None and not given and not reset:
            return self.shown(scope)
        kept = self._kept(scope, skip=reset)[0]
        if profile is not None:
            kept = Kept(cast(ProfileName, input_checks.one_of("profile", profile, PROFILES)))
        if given:
            kept = Kept(kept.profile, normalised({**_weights(kept), **given}))
        forgotten = reset and profile is None and not given
        self._context.store.keep_setting(_key(scope), "" if forgotten else msgspec.json.encode(kept).decode())
        return self.shown(scope)

    def shown(self, scope: str | None) -> ScoringWeights:
        """Return the weights in force for a namespace, None for all, and who set them."""
        kept, source = self._kept(scope)
        return ScoringWeights(profile=kept.profile, weights=dict(_weights(kept)), source=source, namespace=scope)

    def weighed(self, query: "Query", pool: "Pool", fitted: "Scored", asked: "Asked") -> tuple["Scored", Profile]:
        """Return a pool scored by the weights of the project asked about, and their profile."""
        from recollect.recall.hybrid_score import matching, overlaid, weigh, worth

        kept = self._kept(project_of(asked.where))[0]
        profile = PROFILES[kept.profile]
        central = self._context.store.centralities(passage.memory_id for passage in pool.passages)
        # What the code is now says nothing about a moment of the past.
        held = worths(self._context.store, (row.memory_id for row in pool.passages)) if asked.as_of is None else {}
        columns = worth(query, pool, central, clock.now() if asked.as_of is None else asked.as_of, held)
        if not profile.fitted:
            columns |= matching(query, pool)
        scored = weigh(profile, _weights(kept), fitted, columns)
        # Imported history of code that is another one today says what was true then: it must match clearly better.
        past = {name: held[name] - 1.0 for name in imported(self._context.store, held)}
        return overlaid(profile, scored, pool, past, "outdated"), profile

    def _kept(self, scope: str | None, *, skip: bool = False) -> tuple[Kept, Source]:
        """Return the weights stored for a project, or for all, or the default, and which it was.

        A look-up by key each (28 µs): half of what it takes to find out whether anything has changed.
        skip: pass over the first
        """
        places: list[tuple[str | None, Source]] = [(None, "global")]
        if scope is not None:
            places.insert(0, (scope, "namespace"))
        for place, source in places[1:] if skip else places:
            text = self._context.store.setting(_key(place))
            if text:
                return _read(text, _key(place)), source
        return Kept("default"), "default"


def _key(scope: str | None) -> str:
    return KEY if scope is None else f"{KEY}/{scope}"


def _read(text: str, key: str) -> Kept:
    try:
        kept = msgspec.json.decode(text, type=Kept)
        return kept if kept.weights is None else Kept(kept.profile, normalised(kept.weights))
    except (msgspec.DecodeError, InvalidInput) as problem:
        hint = "Run `recollect admin weights --reset`; add --project for the weights of one project."
        raise StoreCorrupt(f"the stored scoring weights {key} cannot be read ({problem})", hint=hint) from None


def _weights(kept: Kept) -> Mapping[str, float]:
    return PROFILES[kept.profile].weights if kept.weights is None else kept.weights


# Passages of a pool beyond those asked for that are weighed, the best: what was learnt moves nothing past more.
WEIGHED = 20


class Lifts(NamedTuple):
    """Use of a memory relative to others, in logits: of its kind, and its own."""

    kind: float
    own: float

    @property
    def leaning(self) -> float:
        """The logits added when it may be injected."""
        return feedback.leaning(self.kind, self.own)


class UseCounters:
    """Reads how often injected memories were used, and what that says about others."""

    def __init__(self, context: "Context") -> None:
        self._context = context

    def learnt(self, scope: str | None) -> feedback.Learnt | None:
        """Return the weights of a project, None until enough is known; a look-up by key."""
        return feedback.read(self._context.store.setting(feedback.key(scope)))

    def lifts(self, scope: str | None, memory_ids: Iterable[str]) -> Mapping[str, Lifts]:
        """Return how much more often memories are used than others, by id; empty until known."""
        learnt = self.learnt(scope)
        if learnt is None:
            return {}
        store, found = self._context.store, {}
        for batch in batches(list(dict.fromkeys(memory_ids))):
            piece = {"id": batch}
            counts = {row[0]: row[1:] for row in store.columns(Usefulness, ("id", "offered", "used"), piece)}
            for memory_id, *about in store.columns(Memory, ("id", "memory_type", "category", "source"), piece):
                kind, (offered, used) = feedback.kind_of(*about), counts.get(memory_id, (0, 0))
                own = feedback.own(used, offered, learnt, kind) if offered else 0.0
                found[memory_id] = Lifts(learnt.kinds.get(kind, 0.0), own)
        return found

    def weighed(self, profile: Profile, scored: "Scored", pool: "Pool", asked: "Asked") -> "Scored":
        """Return the scores of a pool, moved by how often its memories were used in the project asked about."""
        from recollect.recall.hybrid_score import leaning

        scope = project_of(asked.where)
        if scope is None:
            return scored
        best = scored.scores.argsort()[::-1][: WEIGHED + asked.limit].tolist()
        rows = self.lifts(scope, (pool.passages[place].memory_id for place in best))
        if not rows:
            return scored
        gains = {memory_id: feedback.points(row.kind, row.own) for memory_id, row in rows.items()}
        leans = {memory_id: row.leaning for memory_id, row in rows.items()} if asked.unasked else {}
        return leaning(profile, scored, pool, gains, leans)

    def useless(self, memory_ids: Sequence[str]) -> set[str]:
        """Return the memories that a person marked as useless to inject, and that were not used since."""
        return {row.id for row in self._context.store.get(Usefulness, memory_ids) if row.last == "useless"}

    def told(self, memory_ids: Sequence[str]) -> dict[str, str]:
        """Return how injected memories were used, as text, by id."""
        return {row.id: told(row) for row in self._context.store.get(Usefulness, memory_ids)}


def told(row: Usefulness) -> str:
    """Return how an injected memory was used, as text, with the change of its confidence."""
    said = feedback.told(row.offered, row.used, row.contradicted, row.last)
    moved = f"; confidence {row.given:.2f} → {row.confidence:.2f}" if row.confidence != row.given else ""
    return said + moved
