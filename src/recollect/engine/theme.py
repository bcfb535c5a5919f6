"""Rewrite the summaries of clusters with the language model, where that is configured.

The extract is there first and stays where the model fails, is out of budget, or says what no member says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.consolidate.group_summary import ANSWER_TOKENS, accepted, prompt
from recollect.engine.groups import WRITTEN, written
from recollect.engine.memories import content_hash, node_id
from recollect.engine.redaction import without_secrets
from recollect.errors import ConfigError, ModelFailed, StorageError
from recollect.model import Edge, Memory
from recollect.text.plural import plural

if TYPE_CHECKING:
    from recollect.engine.root import Engine


def is_wanted(engine: Engine) -> bool:
    """Whether a language model writes summaries here."""
    return engine.settings.summaries == "model" and engine.language.is_configured


def foretold(engine: Engine) -> str:
    """Return what a preview says of who writes the summaries."""
    try:
        return f"{engine.language.model_id} will rewrite the summaries"
    except ConfigError as problem:
        return f"summaries stay extractive: {problem.message}"


def retell(engine: Engine, summaries: Sequence[str], *, operation: str, batch: str) -> tuple[str, ...]:
    """Rewrite these summaries with the model, in the batch that made them; return notes."""
    told = 0
    refused: list[str] = []
    for summary_id in summaries:
        try:
            fault = _retell(engine, summary_id, operation, batch)
        except (ModelFailed, ConfigError, StorageError) as problem:
            refused.append(
                f"{plural(len(summaries) - told, 'summary stays', 'summaries stay')} extractive: {problem.message}"
            )
            break
        told += not fault
        refused += [f"a summary stays extractive: {fault}"] if fault else []
    written = (
        (f"{engine.language.model_id} wrote {told} of {plural(len(summaries), 'summary', 'summaries')}",)
        if told
        else ()
    )
    return (*written, *dict.fromkeys(refused))


def _retell(engine: Engine, summary_id: str, operation: str, batch: str) -> str:
    """Rewrite one summary; return why that failed, or an empty text."""
    import msgspec

    store = engine.store
    edges = store.find(Edge, {"src": node_id(summary_id), "relationship": "SUMMARIZES"})
    members = store.get(Memory, [edge.dst.removeprefix("mem:") for edge in edges])
    found = store.get(Memory, [summary_id])
    if not found or not members:
        return "its memories were deleted"
    asked = prompt([member.content for member in members])
    said, fault = accepted(engine.language.complete(asked, max_tokens=ANSWER_TOKENS), asked)
    if fault:
        return fault
    clean, _ = without_secrets(msgspec.structs.replace(found[0], content=said))
    mark = written(found[0].title, clean.content)
    metadata = {**found[0].metadata, WRITTEN: mark, "written_by": engine.language.model_id}
    with engine.language.books() as books, books.transaction(operation, batch=batch) as transaction:
        current = transaction.get(Memory, [summary_id])
        if not current or current[0].content != found[0].content:
            return "it was changed by another process"
        values = {"content": clean.content, "content_hash": content_hash(clean.content), "metadata": metadata}
        transaction.update(Memory, summary_id, values)
    return ""
