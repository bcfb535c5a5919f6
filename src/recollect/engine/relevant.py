"""Relevant: what of the memory a prompt is about, if anything clearly is.

The same recall that answers a search, with the threshold of what is put before an assistant unasked. Left out is what
hooks noted in passing (prompts, commands, searches), what this session did itself, what was told to it already, what
was replaced or has ended, and what speaks of code that is gone. What assistants used when it was told, or what is of a
kind that they use, is told a little sooner, other things later (recall/use.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.engine.context_block import Line
from recollect.engine.context_sources import told
from recollect.engine.glance import LEAST_WORDS, MOST, PROMPT_CHARACTERS
from recollect.engine.pack import CANDIDATES, UNMERGED, is_over, shown
from recollect.engine.recall import PACK_RELEVANCE, Asked
from recollect.model import Hit
from recollect.text.paraphrases import statements
from recollect.text.terms import query_terms

if TYPE_CHECKING:
    from recollect.engine.presence import Moment
    from recollect.engine.root import Engine


def relevant(engine: Engine, prompt: str, moment: Moment) -> Iterator[Line]:
    """Yield the memories that a prompt is clearly about, best first, a line each."""
    from recollect.engine.answer import answer

    if len(query_terms(prompt[:PROMPT_CHARACTERS])) < LEAST_WORDS:
        return
    scopes = (moment.namespace, None) if moment.namespace is not None else (None,)
    asked = Asked(
        text=prompt[:PROMPT_CHARACTERS],
        limit=CANDIDATES,
        least=PACK_RELEVANCE,
        where={"namespace": scopes, "observed": False},
        as_of=None,
        explain=False,
        near=moment.seen.cwd or None,
        unasked=True,
    )
    said: frozenset[tuple[str, ...]] = frozenset()
    count = 0
    for hit in answer(engine, asked).hits:
        says = statements(hit.memory.content)
        is_told = hit.memory.id in moment.told
        if not is_told and (count == MOST or not _may_be_told(hit, moment) or (says and says <= said)):
            continue
        said |= says
        if not is_told:
            count += 1
            elsewhere = hit.branch.note if hit.branch is not None and hit.branch.standing in UNMERGED else ""
            text = told(hit.memory, hit.freshness, shown(hit), elsewhere)
            yield Line(text, hit.memory.id, f"{hit.score:.2f}: {hit.reason}")


def _may_be_told(hit: Hit, moment: Moment) -> bool:
    memory = hit.memory
    if is_over(hit) or hit.freshness.verdict == "gone":
        return False
    # Its assistant has just seen that itself.
    return not (memory.source == "hook" and memory.session_id == moment.session_id)
