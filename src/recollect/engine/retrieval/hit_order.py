"""Hit order: the order of the first hits after their scores are known.

fold what says the same ─► spread sessions ─► replacements ─► newest versions ─► changed values ─► newer notes
─► summaries below members
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from recollect.engine.models.similarity_calibration import comparable
from recollect.engine.records.memory_rows import SUMMARY_SOURCE, node_id
from recollect.model import Edge, Memory
from recollect.recall import supersede
from recollect.recall.explain import passage_text
from recollect.recall.gather import POOL, products
from recollect.recall.lexical import rarity
from recollect.recall.score import Selected, fold, spread
from recollect.text.paraphrases import says_the_same

if TYPE_CHECKING:
    from recollect.engine.memory.amendments import Amendments
    from recollect.engine.retrieval.query_arguments import Asked
    from recollect.recall.score import Ranking
    from recollect.store.sql import Store
    from recollect.store.store_values import Passage

# The first hits, which are put in order. Fixed, so that their order does not depend on how many are asked for.
FIRST = 30
# Sources of imported history whose records are events, not statements.
CHANGES = frozenset({"git", "changelog"})
# Of so many of them, a newer version is looked for among all notes of the pool.
LED = 3
# The relevance of a possible replacement as a share of the older one's, from which it is put above it.
LEAST_SHARE = 0.8


class Ordered(NamedTuple):
    """Hits in their final order; which memories each stands for, and which memory replaces each."""

    hits: list[Selected]
    folded: Mapping[str, tuple[str, ...]]
    replaced_by: Mapping[str, str]


class HitOrder(NamedTuple):
    """Puts the hits of one question in order."""

    store: Store
    amendments: Amendments
    ranking: Ranking
    memories: dict[str, Memory]
    asked: Asked
    # The newer memory that may have replaced one, by id.
    doubts: Mapping[str, str]

    def ordered(self, chosen: Sequence[Selected]) -> Ordered:
        """Return the hits in the order in which they are shown."""
        present, folded = fold(chosen, self._says_the_same)
        first, rest = present[:FIRST], present[FIRST:]
        if "spread" not in self.asked.leave_out:
            first = self._spread(first)
        first = self._replacements_first(first)
        replaced: dict[str, str] = {}
        if "supersede" not in self.asked.leave_out:
            first, replaced = self._newest_first(first)
            first = self._newer_notes_first(self._changed_values_first(first))
        known = {hit.memory_id: newer for hit in present if (newer := self._superseded_by(hit.memory_id)) is not None}
        rest = [hit for hit in rest if hit.memory_id not in {each.memory_id for each in first}]
        return Ordered([*self._members_first(first), *rest], folded, {**replaced, **known})

    def _says_the_same(self, better: Selected, hit: Selected) -> bool:
        """Tell whether a hit says the same as a better one; a current one never folds under an old one."""
        if self._superseded_by(better.memory_id) is not None and self._superseded_by(hit.memory_id) is None:
            return False
        if better.memory_id in self.ranking.away and hit.memory_id not in self.ranking.away:
            return False
        passages = self.ranking.pool.passages
        return says_the_same(
            *(passage_text(self.memories[one.memory_id], passages[one.place].pid) for one in (better, hit))
        )

    def _spread(self, chosen: Sequence[Selected]) -> list[Selected]:
        """Return the hits with further turns of one session a little lower."""
        ranking = self.ranking
        passages = ranking.pool.passages
        sessions = {
            hit.memory_id: session
            for hit in chosen
            if passages[hit.place].pid in ranking.talk and (session := passages[hit.place].session_id) is not None
        }
        scores = {hit.memory_id: float(ranking.scored.scores[hit.place]) / ranking.profile.point for hit in chosen}
        return spread(chosen, scores, sessions, several=ranking.query.wants_several)

    def _replacements_first(self, chosen: Sequence[Selected]) -> list[Selected]:
        """Return the hits with every replacement just above what it replaces; below it if the past is asked about."""
        ordered = list(chosen)
        asks_before = supersede.tense(self.ranking.query.text) == "before"
        for hit in chosen:
            newer = self._superseded_by(hit.memory_id) or self.doubts.get(hit.memory_id)
            is_sure = newer == self.memories[hit.memory_id].superseded_by
            least = 0.0 if is_sure else LEAST_SHARE * hit.relevance
            replacement = next((other for other in ordered if other.memory_id == newer), None)
            if replacement is not None and replacement.relevance >= least:
                _put_above(ordered, *((hit, replacement) if asks_before else (replacement, hit)))
        return ordered

    def _newest_first(self, chosen: Sequence[Selected]) -> tuple[list[Selected], dict[str, str]]:
        """Return the hits with the newest version of a fact first, and what replaces older ones."""
        ranking, memories = self.ranking, self.memories
        weights = dict(zip(ranking.query.terms, rarity(ranking.query, ranking.pool.counts), strict=True))
        versions = [
            supersede.Version(
                place,
                passage.at,
                float(ranking.fitted.scores[hit.place]),
                passage.tokens,
                partial(passage_text, memories[hit.memory_id], passage.pid),
                "turn" if passage.session_id and passage.author else "document" if passage.shape.parts > 1 else "note",
            )
            for place, hit in enumerate(chosen[: supersede.STATING_DEPTH])
            for passage in (ranking.pool.passages[hit.place],)
            if self._may_be_version(memories[hit.memory_id], passage)
        ]
        newest = supersede.supersede(ranking.query, weights, versions)
        if any(memories[chosen[row.place].memory_id].source == "user" for row in newest):
            newest = [row for row in newest if memories[chosen[row.place].memory_id].source != "assistant"]
        ordered = list(chosen)
        # Commits and changelogs tell what was done: a later change is no newer version of an earlier one.
        if all(memories[chosen[version.place].memory_id].metadata.get("from") in CHANGES for version in newest):
            return ordered, {}
        for place, version in zip(sorted(version.place for version in newest), newest, strict=True):
            ordered[place] = chosen[version.place]
        # Imported history is put below what was stated since, and not marked on the evidence of words.
        older = [
            chosen[version.place].memory_id
            for version in newest
            if supersede.replaces(newest[0], version) and memories[chosen[version.place].memory_id].source != "import"
        ]
        replaced = dict.fromkeys(older, chosen[newest[0].place].memory_id) if older else {}
        return ordered, replaced

    def _changed_values_first(self, chosen: Sequence[Selected]) -> list[Selected]:
        """Return the hits with the last message that changes a value of an older one above it."""
        ordered, passages = list(chosen), self.ranking.pool.passages
        turns = [
            (passages[hit.place], hit)
            for hit in chosen[: supersede.CHANGED_DEPTH]
            if passages[hit.place].session_id and passages[hit.place].author
            if self._may_be_version(self.memories[hit.memory_id], passages[hit.place])
        ]
        if not turns or turns[0][1] is not chosen[0] or supersede.tense(self.ranking.query.text) != "now":
            return ordered
        texts = {hit.memory_id: passage_text(self.memories[hit.memory_id], passage.pid) for passage, hit in turns}
        by_time = sorted(turns, key=lambda row: (row[0].at, row[0].seq))
        for (first, best), (passage, hit) in combinations(by_time, 2):
            new, old = texts[hit.memory_id], texts[best.memory_id]
            if passage.author == first.author and supersede.changes_value(self.ranking.query, new, old):
                _put_above(ordered, hit, best)
        return ordered

    def _newer_notes_first(self, chosen: Sequence[Selected]) -> list[Selected]:
        """Return the hits with the newer version of a short note above it; one that was no hit is as relevant."""
        ordered, is_now = list(chosen), supersede.tense(self.ranking.query.text) == "now"
        led = [hit for hit in chosen[:LED] if is_now and self._may_be_outdated(hit) and self._has_neighbour(hit)]
        notes = self._notes() if led else {}
        for older in led:
            newer = self._newer_version(older, notes) if older.place in notes else None
            if newer is not None:
                name = self.ranking.pool.passages[newer].memory_id
                place = next(place for place, hit in enumerate(ordered) if hit.memory_id == older.memory_id)
                if name not in {hit.memory_id for hit in ordered[:place]}:
                    # It is as relevant as the older one: it may lack the words that this has of the question.
                    above = Selected(name, newer, older.relevance)
                    ordered = [*ordered[:place], above, *(hit for hit in ordered[place:] if hit.memory_id != name)]
        return ordered

    def _newer_version(self, hit: Selected, notes: Mapping[int, supersede.Note]) -> int | None:
        """Return the place of the newer version of a hit; its memory is read if so far it was no hit."""
        passages, query, old = self.ranking.pool.passages, self.ranking.query, self.memories[hit.memory_id].content
        later = supersede.later_notes(notes[hit.place], list(notes.values()), query.terms)
        cosines = self._comparable({row.note.place: row.cosine for row in later})
        asked = self.ranking.closeness.get(passages[hit.place].pid, 0.0)
        rows = {row.id: row for row in self.store.get(Memory, [passages[each.note.place].memory_id for each in later])}
        best, most = None, supersede.VERSION_BAR
        for row in later:
            place = row.note.place
            memory = rows.get(passages[place].memory_id)
            if memory is not None and self._may_be_version(memory, passages[place]):
                share = float(self.ranking.scored.relevance[place]) / max(hit.relevance, 1e-9)
                points = supersede.version_points(
                    query.text, memory.content, old, row, cosine=cosines[place], asked=asked, share=share
                )
                best, most = (place, points) if points >= most else (best, most)
        if best is not None:
            self.memories[passages[best].memory_id] = rows[passages[best].memory_id]
        return best

    def _may_be_outdated(self, hit: Selected) -> bool:
        """Tell whether a hit is a short note that nothing replaces yet. Words to look for find imported history."""
        memory = self.memories[hit.memory_id]
        is_short = len(memory.content.split(maxsplit=supersede.MOST_WORDS)) <= supersede.MOST_WORDS
        is_version = self._may_be_version(memory, self.ranking.pool.passages[hit.place])
        is_state = memory.source != "import" or self.ranking.query.is_question
        return is_short and is_version and is_state and self._superseded_by(memory.id) is None

    def _has_neighbour(self, hit: Selected) -> bool:
        """Tell whether any passage of the pool is so near to a hit that it may be its newer version."""
        held, pid = self.ranking.pool.vectors, self.ranking.pool.passages[hit.place].pid
        if held is None or pid not in held.pids:
            return False
        own = held.pids.index(pid)
        cosines = products(held.values, held.values[own])
        cosines[own] = -1.0
        nearest = self._comparable({pid: float(cosines.max()) + 0.0001})[pid]  # as `later_notes` rounds it, or more
        old, asked = self.memories[hit.memory_id].content, self.ranking.closeness.get(pid, 0.0)
        points = supersede.points_by_meaning(old, cosine=nearest, asked=asked)
        return points + supersede.MOST_CHANGED >= supersede.VERSION_BAR

    def _comparable(self, cosines: Mapping[int, float]) -> Mapping[int, float]:
        return comparable(cosines, self.amendments.calibration.of(self.amendments.embedding.model_id))

    def _notes(self) -> dict[int, supersede.Note]:
        """Return the notes of the pool that have a vector and are in force, by place; as many whatever the limit."""
        pool, talk = self.ranking.pool.passages, self.ranking.talk
        words, meaning = self.ranking.pool.lexical, self.ranking.pool.semantic
        places = {
            row.memory_id: place
            for place, row in enumerate(pool)
            if row.eligible and row.session_id is None and row.pid not in talk and row.shape.parts == 1
            if min(words.get(row.pid, POOL + 1), meaning.get(row.pid, POOL + 1)) <= POOL
        }
        if (held := self.ranking.pool.vectors) is None:
            return {}
        vectors = dict(zip(held.pids, held.values, strict=True))
        where = {"id": tuple(places), "superseded_by": None, "observed": False}
        return {
            places[name]: supersede.Note(
                places[name], project, (row.at, row.seq), vectors[row.pid], frozenset(row.tokens)
            )
            for name, project in self.store.columns(Memory, ("id", "namespace"), where)
            if (row := pool[places[name]]).pid in vectors
        }

    def _may_be_version(self, memory: Memory, passage: Passage) -> bool:
        """Tell whether a hit may be a version of a fact: no summary, event, other branch or turn of people.

        In a conversation, a later turn does not replace an earlier one.
        """
        if memory.id in self.ranking.away or memory.observed or memory.source == SUMMARY_SOURCE:
            return False
        return passage.pid not in self.ranking.talk or passage.session_id is None

    def _members_first(self, chosen: Sequence[Selected]) -> list[Selected]:
        """Return the hits with every summary moved to just below the first of what it sums up.

        It has the words of all its members, so that it matches better than the one that was meant.
        """
        ordered = list(chosen)
        summaries = [hit for hit in chosen if self.memories[hit.memory_id].source == SUMMARY_SOURCE]
        if not summaries:
            return ordered
        ends = {"src": tuple(node_id(hit.memory_id) for hit in summaries), "relationship": "SUMMARIZES"}
        covered = {(edge.src, edge.dst) for edge in self.store.find(Edge, ends)}
        for hit in summaries:
            own = node_id(hit.memory_id)
            places = [place for place, other in enumerate(ordered) if (own, node_id(other.memory_id)) in covered]
            if places and places[0] > ordered.index(hit):
                ordered.remove(hit)
                ordered.insert(places[0], hit)
        return ordered

    def _superseded_by(self, memory_id: str) -> str | None:
        """Return which memory replaced this one, as far as that had happened, and happened here."""
        newer = self.memories[memory_id].superseded_by
        return newer if self.asked.as_of is None and newer not in self.ranking.away else None


def _put_above(ordered: list[Selected], upper: Selected, lower: Selected) -> None:
    """Move a hit to just above another one, if it stands below it."""
    if ordered.index(upper) > ordered.index(lower):
        ordered.remove(upper)
        ordered.insert(ordered.index(lower), upper)
