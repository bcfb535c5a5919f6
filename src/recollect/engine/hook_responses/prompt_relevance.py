"""Memories that a prompt is clearly about.

It is the recall of a search, with the threshold of injected memories. It leaves out observations, what this session did
itself or has seen, superseded and expired memories, those whose code is gone, and imported history whose code has
changed. Memories that assistants used before need a little less relevance (recall/feedback.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from recollect.capture.error_fingerprint import shows_another, unstamped
from recollect.engine.hook_responses.briefing import told
from recollect.engine.hook_responses.context_block import Line
from recollect.engine.hook_responses.prompt_fast_path import LEAST_WORDS, MOST, PROMPT_CHARACTERS
from recollect.engine.memory.verdicts import is_outdated
from recollect.engine.retrieval.pack import CANDIDATES, UNMERGED, is_over, shown
from recollect.engine.retrieval.query_arguments import PACK_RELEVANCE, Asked
from recollect.model import Hit
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
    hits = pipeline.answer(asked).hits
    useless = counters.useless([hit.memory.id for hit in hits])
    for hit in hits:
        if hit.memory.id in useless:
            continue
        says = statements(hit.memory.content)
        is_told = hit.memory.id in injected
        is_other = hit.memory.category == "fix" and shows_another(seen.text, hit.memory.content)
        if not is_told and (count == MOST or is_other or not _may_be_told(hit, session_id) or (says and says <= said)):
            continue
        said |= says
        if not is_told:
            count += 1
            elsewhere = hit.branch.note if hit.branch is not None and hit.branch.standing in UNMERGED else ""
            text = told(hit.memory, hit.freshness, shown(hit), elsewhere)
            yield Line(text, hit.memory.id, f"{hit.score:.2f}: {hit.reason}")


def _may_be_told(hit: Hit, session_id: str) -> bool:
    memory = hit.memory
    if is_over(hit) or is_outdated(memory.source, hit.freshness.verdict):
        return False
    # The assistant has just seen it itself.
    return not (memory.source == "hook" and memory.session_id == session_id)
