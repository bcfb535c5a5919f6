"""Memories that a prompt is clearly about.

It is the recall of a search, with the threshold of injected memories. It leaves out observations, what this session did
itself or has seen, superseded and expired memories, those whose code is gone, and imported history whose code has
changed. Memories that assistants used before need a little less relevance (recall/feedback.py). What a newer memory may
have replaced is told in its line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from recollect.capture.error_fingerprint import shows_another, unstamped
from recollect.engine.hook_responses.briefing import told
from recollect.engine.hook_responses.context_block import EARLIER_CHARACTERS, Line, flat
from recollect.engine.hook_responses.prompt_fast_path import LEAST_WORDS, MOST, PROMPT_CHARACTERS
from recollect.engine.memory.freshness import freshness_of
from recollect.engine.memory.verdicts import is_outdated
from recollect.engine.retrieval.pack import CANDIDATES, UNMERGED, is_over, shown
from recollect.engine.retrieval.query_arguments import PACK_RELEVANCE, Asked
from recollect.model import Freshness, Hit, Memory
from recollect.recall.doubts import earlier_text, together
from recollect.text.paraphrases import statements
from recollect.text.terms import query_terms

if TYPE_CHECKING:
    from recollect.capture.observation import Observation
    from recollect.engine.retrieval.recall_pipeline import RecallPipeline
    from recollect.engine.retrieval.scoring import UseCounters


def relevant(
    pipeline: RecallPipeline,
    counters: UseCounters,
    seen: Observation,
    namespace: str | None,
    session_id: str,
    injected: Collection[str],
) -> Iterator[Line]:
    """Yield the memories that a prompt is clearly about, best first, a line each.

    injected: the ids of memories that the session has seen
    """
    prompt = unstamped(seen.text[:PROMPT_CHARACTERS])
    if len(query_terms(prompt)) < LEAST_WORDS:
        return
    scopes = (namespace, None) if namespace is not None else (None,)
    asked = Asked(
        text=prompt,
        limit=CANDIDATES,
        least=PACK_RELEVANCE,
        where={"namespace": scopes, "observed": False},
        as_of=None,
        explain=False,
        near=seen.cwd or None,
        unasked=True,
    )
    said: frozenset[tuple[str, ...]] = frozenset()
    count = 0
    hits = {hit.memory.id: hit for hit in pipeline.answer(asked).hits}
    newer = _newer(pipeline, hits, scopes, asked.near)
    useless = counters.useless([*hits, *newer])
    newer = {name: hit for name, hit in newer.items() if name not in useless and _may_be_told(hit, session_id)}
    links = {name: newer[hit.doubted_by].memory for name, hit in hits.items() if hit.doubted_by in newer}
    for name, earlier in together((name for name in hits if name not in useless), links).items():
        hit = newer.get(name) or hits[name]
        says = statements(hit.memory.content)
        is_told = name in injected
        is_other = hit.memory.category == "fix" and shows_another(seen.text, hit.memory.content)
        if not is_told and (count == MOST or is_other or not _may_be_told(hit, session_id) or (says and says <= said)):
            continue
        said |= says
        if not is_told:
            count += 1
            elsewhere = hit.branch.note if hit.branch is not None and hit.branch.standing in UNMERGED else ""
            olds = [flat(hits[older].memory.content, EARLIER_CHARACTERS) for older in earlier]
            doubt = "; ".join(part for part in (elsewhere, earlier_text(olds)) if part)
            yield Line(told(hit.memory, hit.freshness, shown(hit), doubt), name, f"{hit.score:.2f}: {hit.reason}")


def _newer(
    pipeline: RecallPipeline, hits: Mapping[str, Hit], scopes: Collection[str | None], near: str | None
) -> dict[str, Hit]:
    """Return the memories that may have replaced a hit, as hits; one that is none is as relevant as the older one."""
    store, olds = pipeline.context.store, {hit.doubted_by: hit for hit in reversed([*hits.values()]) if hit.doubted_by}
    found = {name: hits[name] for name in olds if name in hits}
    rows = [row for row in store.get(Memory, [*olds.keys() - hits.keys()]) if row.namespace in scopes]
    fresh = freshness_of(store, [row.id for row in rows])
    beside = {"superseded_by": None, "passage": None, "times": (), "branch": None, "doubted_by": None}
    for row in rows:
        known = {**beside, "memory": row, "freshness": fresh.get(row.id, Freshness())}
        found[row.id] = msgspec.structs.replace(olds[row.id], **known)
    return {hit.memory.id: hit for hit in pipeline.branches.marked([*found.values()], near)}


def _may_be_told(hit: Hit, session_id: str) -> bool:
    memory = hit.memory
    if is_over(hit) or is_outdated(memory.source, hit.freshness.verdict):
        return False
    # The assistant has just seen it itself.
    return not (memory.source == "hook" and memory.session_id == session_id)
