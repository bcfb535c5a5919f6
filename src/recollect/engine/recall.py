"""Recall: the memories that answer a question, best first, each with its reason."""

from typing import TYPE_CHECKING

import msgspec

from recollect.engine import accept
from recollect.engine.memories import memory_filter
from recollect.model import Hit, Limit, Memory, MemoryType, Ratio, Recall
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.root import Engine


class Recalls:
    """Questions and their answers."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation("recall_memory", "search", toolset="core", read_only=True)
    def search(
        self,
        query: str,
        *,
        k: Limit = 10,
        namespace: str | None = None,
        memory_type: MemoryType | None = None,
        tags: tuple[str, ...] = (),
        min_score: Ratio = 0.0,
    ) -> Recall:
        """Search the memory by words and by meaning. Ask before exploring: what was learnt in earlier sessions is here.

        query: the question, in words; names of files, functions and errors help
        k: how many memories at most
        namespace: only of this project, as a path or a name; none: of all
        memory_type: only of this kind
        tags: only those that have all of these tags
        min_score: leave out hits that score lower
        """
        # Here, not above: listing the operations must not load the stages of a recall.
        from recollect.recall.explain import matched_terms, reason
        from recollect.recall.fuse import fuse
        from recollect.recall.gather import gather
        from recollect.recall.query import understand

        asked = understand(accept.query(query))
        limit = accept.whole("k", k, least=1, most=1000)
        least = accept.ratio("min_score", min_score)
        where = memory_filter(memory_type=memory_type, namespace=namespace, tags=tags)
        vector, notes = self._engine.embedding.of_query(asked.text)
        found = gather(
            self._engine.store,
            asked,
            vector,
            model=self._engine.embedding.model_id,
            where=where or None,
            limit=limit,
        )
        fused = [match._replace(score=round(match.score, 4)) for match in fuse(found, hybrid=vector is not None)]
        ranked = [match for match in fused[:limit] if match.score >= least]
        memories = {memory.id: memory for memory in self._engine.store.get(Memory, [match.id for match in ranked])}
        hits = []
        for match in ranked:
            # A memory deleted since the search began is simply not there any more.
            memory = memories.get(match.id)
            if memory is not None:
                signals = msgspec.structs.replace(found[match.id], matched_terms=matched_terms(memory, asked.terms))
                hits.append(Hit(memory=memory, score=match.score, reason=reason(signals), signals=signals))
        return Recall(
            query=asked.text, hits=tuple(hits), mode="hybrid" if vector is not None else "lexical", notes=notes
        )
