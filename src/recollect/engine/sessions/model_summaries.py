"""Summaries by the language model: of long observations, of sessions, of clusters of memories.

    text by rules ─► prompt ─► model ─► answer checked, without secrets ─► stored, if the memory is still the same

The text by rules is stored first. It stays where the model fails, is out of budget, or gives an unusable answer.
Observations and sessions keep the hash of the first text: the same event is recognised when it comes again, and rules
do not write over the model's text until they have something new to say. `undo` brings the first text back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recollect.engine.records.memory_rows import SUMMARY_MARK, content_hash, node_id, summary_mark
from recollect.engine.records.record_redaction import without_secrets
from recollect.errors import ConfigError, ModelFailed, StorageError
from recollect.model import Edge, Memory, Observed, Session
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.llm import Language

# Observations of a session that are read for its summary, the latest: more would be a week without an end.
SESSION_ROWS = 5_000
# Metadata of a session summary: its author, which is these rules or the id of a language model.
SUMMARY_BY = "summary_by"
BY_RULES = "rules"


class Outcome(NamedTuple):
    """Whether the model's text was stored, and if not, why."""

    is_done: bool
    why_not: str = ""


class ModelSummaries:
    """Replaces texts of memories by the language model's summaries."""

    def __init__(self, context: Context, *, llm: Language, compressor: Language, embedding: Embedding) -> None:
        self._context = context
        self._llm = llm
        self._compressor = compressor
        self._embedding = embedding

    def is_compressible(self, memory: Memory) -> bool:
        """Whether to shorten an observation: compression is on, it is long and was not shortened before."""
        settings = self._context.settings
        is_long = len(memory.content) >= settings.compress_min_characters
        return settings.compress_provider != "none" and is_long and not memory.metadata.get("compressed")

    def compress(self, memory_id: str) -> bool:
        """Shorten an observation; tell whether that was done. Raises ModelFailed and BudgetSpent."""
        from recollect.capture.compress import ANSWER_TOKENS, accepted, prompt

        found = self._context.store.get(Memory, [memory_id])
        if not found or not self.is_compressible(found[0]):
            return False
        memory, model = found[0], self._compressor
        said = accepted(model.complete(prompt(memory.content), max_tokens=ANSWER_TOKENS), memory.content)
        about = {"compressed": True, "original_len": len(memory.content), "compressed_by": model.model_id}
        values = {"content": _redacted(memory, said.text)}
        return bool(said.text) and self._replace(model, memory, values, about, "compress_memory")

    def summarise_session(self, session_id: str) -> Outcome:
        """Replace the summary of a session by rules. Raises ModelFailed and BudgetSpent."""
        from recollect.capture.session_llm_prompt import ANSWER_TOKENS, accepted, prompt

        store, model = self._context.store, self._llm
        sessions = store.get(Session, [session_id])
        insight_id = sessions[0].insight_id if sessions else None
        memories = store.get(Memory, [insight_id]) if insight_id else []
        if not memories or memories[0].metadata.get(SUMMARY_BY, BY_RULES) != BY_RULES:
            return Outcome(False)
        memory = memories[0]
        rows = store.find(Observed, {"session_id": session_id}, order="-id", limit=SESSION_ROWS)
        asked = prompt(memory.content, list(reversed(rows)))
        said = accepted(model.complete(asked, max_tokens=ANSWER_TOKENS), asked)
        if not said.text:
            return Outcome(False, f"{model.model_id} returned an unusable summary: {said.fault}")
        head, summary = memory.content.partition("\n")[0], _redacted(memory, said.text)
        about = {SUMMARY_BY: model.model_id, "original_len": len(memory.content)}
        values = {"content": f"{head}\n{summary}"}
        return Outcome(self._replace(model, memory, values, about, "retell_session", session=(session_id, summary)))

    # --- clusters ---

    @property
    def has_clusters(self) -> bool:
        """Whether the language model writes the summaries of clusters."""
        return self._context.settings.summaries == "model" and self._llm.is_configured

    def announce(self) -> str:
        """Return what a preview says about the author of cluster summaries."""
        try:
            return f"{self._llm.model_id} will rewrite the summaries"
        except ConfigError as problem:
            return f"summaries stay extractive: {problem.message}"

    def summarise_clusters(self, summaries: Sequence[str], *, operation: str, batch: str) -> tuple[str, ...]:
        """Rewrite summaries of clusters, in the batch that made them; return notes."""
        count = 0
        refused: list[str] = []
        for summary_id in summaries:
            try:
                fault = self._summarise_cluster(summary_id, operation, batch)
            except (ModelFailed, ConfigError, StorageError) as problem:
                left = plural(len(summaries) - count, "summary stays", "summaries stay")
                refused.append(f"{left} extractive: {problem.message}")
                break
            count += not fault
            refused += [f"a summary stays extractive: {fault}"] if fault else []
        wrote = (
            f"{self._llm.model_id} wrote {count} of {plural(len(summaries), 'summary', 'summaries')}" if count else ""
        )
        return tuple(dict.fromkeys(filter(None, (wrote, *refused))))

    def _summarise_cluster(self, summary_id: str, operation: str, batch: str) -> str:
        """Rewrite one summary; return why that failed, or an empty text."""
        from recollect.consolidate.group_summary import ANSWER_TOKENS, accepted, prompt

        store, model = self._context.store, self._llm
        edges = store.find(Edge, {"src": node_id(summary_id), "relationship": "SUMMARIZES"})
        members = store.get(Memory, [edge.dst.removeprefix("mem:") for edge in edges])
        found = store.get(Memory, [summary_id])
        if not found or not members:
            return "its memories were deleted"
        asked = prompt([member.content for member in members])
        said = accepted(model.complete(asked, max_tokens=ANSWER_TOKENS), asked)
        if said.fault:
            return said.fault
        text = _redacted(found[0], said.text)
        about = {SUMMARY_MARK: summary_mark(found[0].title, text), "written_by": model.model_id}
        values = {"content": text, "content_hash": content_hash(text)}
        is_done = self._replace(model, found[0], values, about, operation, batch=batch)
        return "" if is_done else "it was changed by another process"

    def _replace(
        self,
        model: Language,
        memory: Memory,
        values: Mapping[str, Any],
        about: Mapping[str, Any],
        operation: str,
        *,
        batch: str | None = None,
        session: tuple[str, str] | None = None,
    ) -> bool:
        """Store the model's text, with `about` in the metadata; false if the memory was changed meanwhile.

        session: id and summary of the session that the memory is about
        """
        # A request may return after the engine was closed: `books` keeps the store open while this writes.
        with model.books() as store, store.transaction(operation, batch=batch) as transaction:
            current = transaction.get(Memory, [memory.id])
            if not current or current[0].content != memory.content:
                return False
            transaction.update(Memory, memory.id, {**values, "metadata": {**current[0].metadata, **about}})
            if session is not None:
                transaction.update(Session, session[0], {"summary": session[1]})
        self._embedding.wake()
        return True


def _redacted(memory: Memory, text: str) -> str:
    return without_secrets(msgspec.structs.replace(memory, content=text))[0].content
