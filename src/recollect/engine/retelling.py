"""Retelling: the summary of a session by rules is replaced by that of a language model, where one is wanted and able.

    summed up by rules ─► errand, or `summarize` ─► model ─► checked ─► the same insight, marked by who told it

It keeps the hash of what rules said: as long as they have nothing new to say, the model is not asked again, and rules
do not write over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.capture.session_llm_prompt import ANSWER_TOKENS, accepted, prompt
from recollect.engine.redaction import without_secrets
from recollect.engine.sitting import BY_RULES, READ, TOLD_BY
from recollect.model import Memory, Observed, Session

if TYPE_CHECKING:
    from recollect.engine.root import Engine

OPERATION = "retell_session"


class Retold(NamedTuple):
    """Whether a model rewrote a session summary, and if not, why."""

    is_done: bool
    why_not: str = ""


def retell(engine: Engine, session_id: str) -> Retold:
    """Let the model sum up a session that rules have summed up.

    Done by neither asking nor changing anything where nothing happened since it did so. Raises ModelFailed and
    BudgetSpent; the summary by rules stands then.
    """
    sessions = engine.store.get(Session, [session_id])
    insight_id = sessions[0].insight_id if sessions else None
    memories = engine.store.get(Memory, [insight_id]) if insight_id else []
    if not memories or memories[0].metadata.get(TOLD_BY, BY_RULES) != BY_RULES:
        return Retold(False)
    memory, model = memories[0], engine.language.model_id
    rows = engine.store.find(Observed, {"session_id": session_id}, order="-id", limit=READ)
    asked = prompt(memory.content, list(reversed(rows)))
    said = accepted(engine.language.complete(asked, max_tokens=ANSWER_TOKENS), asked)
    if not said.text:
        return Retold(False, f"{model} returned an unusable summary: {said.fault}")
    head = memory.content.partition("\n")[0]
    clean, _ = without_secrets(Memory(id=memory.id, content=said.text))
    with engine.language.books() as store, store.transaction(OPERATION) as transaction:
        current = transaction.get(Memory, [memory.id])
        if not current or current[0].content != memory.content:
            return Retold(False)  # more has happened since, or somebody knows better
        told = {**current[0].metadata, TOLD_BY: model, "original_len": len(memory.content)}
        transaction.update(Memory, memory.id, {"content": f"{head}\n{clean.content}", "metadata": told})
        transaction.update(Session, session_id, {"summary": clean.content})
    engine.embedding.wake()
    return Retold(True)
