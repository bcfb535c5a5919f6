"""Compression: an observation is replaced by what a language model made of it, where that is as good and shorter.

    stored as it is ─► errand ─► model ─► checked ─► content replaced, hash of what it was kept

It keeps the hash of the text that was observed, so that the same observation is recognised when it comes again, and
its metadata say that it was shortened and how long it was. What it was before is in the log of changes: `undo` brings
it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recollect.capture.compress import ANSWER_TOKENS, accepted, prompt
from recollect.engine.records.record_redaction import without_secrets
from recollect.model import Memory

if TYPE_CHECKING:
    from recollect.engine.root import Engine

OPERATION = "compress_memory"


def is_worth_it(engine: Engine, memory: Memory) -> bool:
    """Whether to shorten an observation: compression is on, it is long, and it was not shortened before."""
    settings = engine.settings
    is_long = len(memory.content) >= settings.compress_min_characters
    return settings.compress_provider != "none" and is_long and not memory.metadata.get("compressed")


def compress(engine: Engine, memory_id: str) -> bool:
    """Let the model shorten a memory; tell whether it did.

    False where it is gone, short, or what the model said may not replace it: then it stays as it is. Raises ModelFailed
    and BudgetSpent; nothing was changed then.
    """
    found = engine.store.get(Memory, [memory_id])
    if not found or not is_worth_it(engine, found[0]):
        return False
    memory = found[0]
    said = accepted(engine.compressor.complete(prompt(memory.content), max_tokens=ANSWER_TOKENS), memory.content)
    if not said.text:
        return False
    shortened = {"compressed": True, "original_len": len(memory.content), "compressed_by": engine.compressor.model_id}
    clean, _ = without_secrets(
        msgspec.structs.replace(memory, content=said.text, metadata={**memory.metadata, **shortened})
    )
    # A request may come home when everybody has gone: the database is not closed under its hands.
    with engine.compressor.books() as store, store.transaction(OPERATION) as transaction:
        current = transaction.get(Memory, [memory_id])
        if not current or current[0].content != memory.content:
            return False  # deleted or changed by somebody who knows better
        # Its hash stays that of what was observed.
        values = {"content": clean.content, "metadata": {**current[0].metadata, **clean.metadata}}
        transaction.update(Memory, memory_id, values)
    engine.embedding.wake()
    return True
